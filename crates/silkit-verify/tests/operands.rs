//! Instructions on an operand `%0` of many types, `tests/operands/*.txt`: which types are accepted, which are rejected by
//! which rules, and for which the check is undecided.
//!
//! Comment lines say where the reference's verdict differs: `// reference accepts: A B`, `// reference rejects: C`. With
//! `SILKIT_ASK=1` it is asked about every type.

use rayon::prelude::*;
use silkit_diag::Severity;
use silkit_testkit::{or_skip, shared, verdict::ReferenceVerdicts};
use silkit_text::{decl::declarations, parse_module};
use silkit_verify::{Finding, VerifyOptions, verify};
use std::collections::BTreeMap;

const HEAD: &str = "\
sil_stage canonical
import Builtin
import Swift
class Base {
  @_hasStorage var x: Int
  init()
}
class Derived : Base { override init() }
struct Owning { @_hasStorage var c: Base }
struct Plain { @_hasStorage var i: Builtin.Int64 }
enum Choice {
  case a(Base)
  case b
}
protocol P { func p() }
protocol Bound : AnyObject { func r() }
";

/// The types of the operand, by name.
const TYPES: &[(&str, &str)] = &[
    ("class", "@guaranteed Base"),
    ("subclass", "@guaranteed Derived"),
    ("struct", "@guaranteed Owning"),
    ("plain", "Plain"),
    ("enum", "@guaranteed Choice"),
    ("box", "@guaranteed { var Base }"),
    ("thick", "@guaranteed @callee_guaranteed () -> ()"),
    ("thin", "@convention(thin) () -> ()"),
    ("block", "@guaranteed @convention(block) () -> ()"),
    ("native", "@guaranteed Builtin.NativeObject"),
    ("bridge", "@guaranteed Builtin.BridgeObject"),
    ("raw", "Builtin.RawPointer"),
    ("int64", "Builtin.Int64"),
    ("word", "Builtin.Word"),
    ("float", "Builtin.FPIEEE64"),
    ("tuple", "(Builtin.Int64, Builtin.Int32)"),
    ("metatype", "@thick Base.Type"),
    ("thin-metatype", "@thin Owning.Type"),
    ("existential-metatype", "@thick any P.Type"),
    ("bound", "@guaranteed any Bound"),
    ("unowned", "@guaranteed @sil_unowned Base"),
    ("unmanaged", "@sil_unmanaged Base"),
    ("optional", "@guaranteed Optional<Base>"),
    ("any-object", "@guaranteed AnyObject"),
    ("error", "@guaranteed any Error"),
    ("address", "@in_guaranteed Base"),
    ("address-existential", "@in_guaranteed any P"),
    ("address-enum", "@in_guaranteed Choice"),
    ("address-tuple", "@in_guaranteed (Base, Int)"),
    ("address-generic", "@in_guaranteed T"),
    ("generic-class", "@guaranteed U"),
];

fn module(instruction: &str, ty: &str) -> String {
    let (convention, ty) = ty
        .split_once(' ')
        .filter(|(c, _)| c.ends_with("guaranteed") && *c != "@callee_guaranteed")
        .unwrap_or(("", ty));
    let star = if convention == "@in_guaranteed" { "*" } else { "" };
    let sig = match ty {
        "T" => "<T> ",
        "U" => "<U : Base> ",
        _ => "",
    };
    format!(
        "{HEAD}sil @f : $@convention(thin) {sig}({convention} {ty}) -> () {{\nbb0(%0 : ${star}{ty}):\n  {instruction}\n  \
         %9 = tuple ()\n  return %9\n}}\n"
    )
}

/// Returns the rules that a module violates; `undecided` if a check could not be decided.
fn verdict(text: &str) -> String {
    let parsed = parse_module(text);
    if !parsed.errors.is_empty() {
        return "syntax".to_owned();
    }
    let options = VerifyOptions { unknown: true, ..VerifyOptions::default() };
    let report = verify(&parsed.module, &declarations(&parsed.module), Some(parsed.source(text)), &options);
    // What only Swift declarations violate is a warning.
    let is_violation = |f: &&Finding| f.is_error() || f.rule.severity == Severity::Warning;
    let mut rules: Vec<&str> =
        report.findings.iter().filter(is_violation).map(|f| f.rule.id.as_str()).collect();
    rules.dedup();
    match (rules.is_empty(), report.unknown.is_empty()) {
        (true, true) => "accepted".to_owned(),
        (true, false) => "undecided".to_owned(),
        (false, _) => rules.join(" "),
    }
}

fn judged(input: &str) -> String {
    let instruction = input.lines().next().unwrap_or_default();
    let mut by_verdict: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, ty) in TYPES {
        by_verdict.entry(verdict(&module(instruction, ty))).or_default().push(name);
    }
    by_verdict.into_iter().map(|(verdict, names)| format!("{verdict}: {}\n", names.join(" "))).collect()
}

silkit_testkit::case_files! {
    "tests/operands", judged: builtins casts enums memory references
}

#[test]
fn the_reference_differs_where_the_cases_say() {
    if std::env::var_os("SILKIT_ASK").is_none() {
        eprintln!("skipped because SILKIT_ASK is not set");
        return;
    }
    let memory = std::env::var_os("SILKIT_VERDICTS").map(std::path::PathBuf::from);
    let verdicts =
        ReferenceVerdicts::new(or_skip!(shared::ReferenceTools::find()), memory).expect("a folder");
    let mut wrong = String::new();
    for file in ["builtins", "casts", "enums", "memory", "references"] {
        let path = format!("{}/tests/operands/{file}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a file");
        for case in text.split("=== ").skip(1) {
            let input: Vec<&str> = case.lines().skip(1).take_while(|line| *line != "---").collect();
            let differs = |name: &str, ty: &str| {
                let text = module(input[0], ty);
                let is_accepted = matches!(verdict(&text).as_str(), "accepted" | "undecided");
                let by_reference = verdicts.verdict(&text).expect("an answer").is_none();
                (is_accepted != by_reference).then(|| (name.to_owned(), by_reference))
            };
            let found: Vec<(String, bool)> =
                TYPES.par_iter().filter_map(|(name, ty)| differs(name, ty)).collect();
            let line = |word: &str, accepts: bool| {
                let names: Vec<&str> =
                    found.iter().filter(|(_, by)| *by == accepts).map(|(name, _)| name.as_str()).collect();
                (!names.is_empty()).then(|| format!("// reference {word}: {}", names.join(" ")))
            };
            let lines: Vec<String> =
                [line("accepts", true), line("rejects", false)].into_iter().flatten().collect();
            if lines != input[1..] {
                wrong += &format!("{file}: {}\n{}\n", input[0], lines.join("\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
