//! Passes that make values of memory and change the control flow, on files of cases. The first line of an input names
//! the passes: `// mem2reg`. The expected output is the functions as the reference prints them, without comments.

use silkit_opt::PASSES;
use silkit_pass::{Options, Runner, Step};
use silkit_testkit::cases;
use silkit_text::{PrintOptions, parse_module};
use std::path::Path;

fn run(input: &str) -> String {
    let first = input.lines().next().unwrap_or_default().trim_start_matches('/');
    let mut options = Options::default();
    let mut steps: Vec<Step<'_>> = Vec::new();
    for word in first.split_whitespace() {
        match word.strip_prefix('-') {
            Some(option) => {
                let (name, value) = option.split_once('=').unwrap_or((option, ""));
                options.set(name, value);
            }
            None => steps.push(PASSES.find(word).unwrap_or_else(|| panic!("a pass named {word}")).into()),
        }
    }
    let parsed = parse_module(input);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let mut module = parsed.module;
    let declarations = silkit_text::decl::declarations(&module);
    let outcome = Runner::new().options(options).run(&mut module, &declarations, &steps);
    assert!(outcome.problems.is_empty(), "{:?}", outcome.problems);
    module.swift.clear();
    let printed = silkit_text::print_module(&module, &PrintOptions::default(), &|_| None);
    let lines = printed.lines().map(|line| line.split(" //").next().unwrap_or_default().trim_end());
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
    let bodies = lines.skip_while(|line| !line.starts_with("sil @") && !line.starts_with("sil ["));
    let code: Vec<&str> =
        bodies.filter(is_code).filter(|l| !l.starts_with("sil") || l.ends_with('{')).collect();
    code.join("\n")
}

macro_rules! cases {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let file = format!("tests/ssa/{}.txt", stringify!($name));
                if let Err(message) = cases::check(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file), run) {
                    panic!("{message}");
                }
            }
        )*
    };
}

cases! { control_flow dce mem2reg ownership_model_eliminator simplify_builtins simplify_calls simplify_control simplify_enums simplify_key_paths simplify_numbers simplify_references simplify_types simplify_values use_prespecialized }
