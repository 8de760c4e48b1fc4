//! What the tests of layouts share: worlds made of texts, and a generator of declarations.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

use silkit_layout::{ModuleInfo, Target, World};
use silkit_text::decl::{Dialect, parse_decls};
use std::fmt::Write;
use std::sync::Arc;

/// Returns the world of modules given as SIL, each with its name.
pub fn world(modules: &[(&str, &str)]) -> World {
    let module = |(name, text): &(&str, &str)| {
        let parsed = silkit_text::parse_module(text);
        assert!(parsed.errors.is_empty(), "{name}: {:?}", &parsed.errors[..parsed.errors.len().min(3)]);
        let text = parsed.module.swift.iter().map(|s| &*s.text).collect::<Vec<_>>().join("\n");
        let decls = parse_decls(&text, 0..text.len(), Dialect::Sil).table;
        Arc::new(ModuleInfo { name: (*name).into(), sil: Arc::new(parsed.module), decls, text })
    };
    World::new(modules.iter().map(module).collect(), Target::X86_64_LINUX)
}

/// Small random numbers, the same in every run.
pub struct Rng(pub u64);

impl Rng {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const LEAVES: &[&str] = &[
    "Int",
    "Int8",
    "UInt16",
    "Int32",
    "Bool",
    "String",
    "Double",
    "Float",
    "Character",
    "AnyObject",
    "[Int]",
    "Any",
    "UnsafeRawPointer",
    "() -> ()",
    "Int.Type",
    "any Error",
    "K",
    "K.Type",
    "Any.Type",
    "Range<Int>",
    "Set<Int>",
    "()",
    "Float80",
    "any P",
    "any C",
    "any P & Q",
    "Unicode.Scalar",
    "any P.Type",
    "UInt8",
];

/// Declares structs, enums and classes on top of each other; gives the types to look at.
pub fn generate(rng: &mut Rng, count: usize, source: &mut String) -> Vec<String> {
    source.push_str("protocol P {}\nprotocol Q {}\nprotocol C: AnyObject {}\nclass K {}\nfunc none<T>() -> T { fatalError() }\n");
    let mut known: Vec<String> = Vec::new();
    let mut classes: Vec<String> = Vec::new();
    for number in 0..count {
        let generic = rng.below(6) == 0;
        let params = if generic { "<T>" } else { "" };
        let keyword = ["enum", "enum", "struct", "struct", "class"][rng.below(5)];
        let (is_enum, is_class) = (keyword == "enum", keyword == "class");
        let indirect = if is_enum && rng.below(12) == 0 { "indirect " } else { "" };
        let above = match is_class && rng.below(3) > 0 {
            true if !classes.is_empty() => format!(": {}", classes[rng.below(classes.len())]),
            _ => String::new(),
        };
        let _ = writeln!(source, "{indirect}{keyword} G{number}{params}{above} {{");
        let parts = if is_enum { rng.below(7) } else { rng.below(5) };
        for part in 0..parts {
            let ty = part_type(rng, &known, generic);
            let name = if is_class { format!("f{number}_{part}") } else { format!("f{part}") };
            let _ = match (is_enum, rng.below(10)) {
                (true, 0..=4) => writeln!(source, "  case c{part}"),
                (true, 5) => writeln!(source, "  case c{part}({ty}, {})", part_type(rng, &known, generic)),
                (true, _) => writeln!(source, "  case c{part}({ty})"),
                (false, 0) => writeln!(source, "  unowned var {name}: K{}", unset(is_class)),
                (false, 1) => writeln!(source, "  weak var {name}: K?"),
                (false, 2) => writeln!(source, "  unowned(unsafe) var {name}: K{}", unset(is_class)),
                (false, _) => writeln!(source, "  let {name}: {ty}{}", unset(is_class)),
            };
        }
        if is_enum && generic {
            source.push_str("  case last(T)\n");
        }
        source.push_str("}\n");
        let argument = rng.pick(&["Int", "K", "Bool", "String", "Int8"]);
        known.push(if generic { format!("G{number}<{argument}>") } else { format!("G{number}") });
        if is_class {
            classes.extend(known.last().cloned());
        }
    }
    known
}

/// Stored properties of classes have initial values, so that no initializers are needed.
fn unset(is_class: bool) -> &'static str {
    if is_class { " = none()" } else { "" }
}

fn part_type(rng: &mut Rng, known: &[String], generic: bool) -> String {
    let base = match rng.below(8) {
        0 if generic => "T".to_owned(),
        1 if generic => "[T]".to_owned(),
        2 | 3 if !known.is_empty() => known[known.len() - 1 - rng.below(known.len().min(12))].clone(),
        _ => rng.pick(LEAVES).to_owned(),
    };
    match rng.below(8) {
        0 => format!("({base})?"),
        1 => format!("({base}, {})", rng.pick(LEAVES)),
        _ => base,
    }
}
