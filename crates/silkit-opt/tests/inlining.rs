//! Passes that inline, link and remove functions, on files of cases. The first line of an input names the passes and options. The
//! expected output is the functions as the reference prints them, without comments.

use silkit_opt::PASSES;
use silkit_pass::{Options, Outcome, Runner, Step};
use silkit_testkit::cases;
use silkit_text::{PrintOptions, parse_module};
use std::path::Path;

fn outcome(input: &str) -> (silkit_ir::Module, Outcome) {
    let first = input.lines().next().unwrap_or_default().trim_start_matches('/');
    let mut options = Options::default();
    let mut steps: Vec<Step<'_>> = Vec::new();
    for word in first.split_whitespace() {
        match word.strip_prefix('-') {
            Some(option) => options.set(option, ""),
            None => steps.push(PASSES.find(word).unwrap_or_else(|| panic!("a pass named {word}")).into()),
        }
    }
    let parsed = parse_module(input);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let mut module = parsed.module;
    let declarations = silkit_text::decl::declarations(&module);
    let outcome = Runner::new().options(options).run(&mut module, &declarations, &steps);
    (module, outcome)
}

fn run(input: &str) -> String {
    let (mut module, outcome) = outcome(input);
    assert!(outcome.problems.is_empty(), "{:?}", outcome.problems);
    module.swift.clear();
    let printed = silkit_text::print_module(&module, &PrintOptions::default(), &|_| None);
    let lines = printed.lines().map(|line| line.split(" //").next().unwrap_or_default().trim_end());
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
    let code: Vec<&str> = lines
        .skip_while(|line| !line.starts_with("sil ") && !line.starts_with("sil_global"))
        .filter(is_code)
        .collect();
    code.join("\n")
}

macro_rules! cases {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let file = format!("tests/inlining/{}.txt", stringify!($name));
                if let Err(message) = cases::check(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file), run) {
                    panic!("{message}");
                }
            }
        )*
    };
}

cases! { mandatory program }

const CIRCLE: &str = "// mandatory-inlining
sil_stage raw
sil [transparent] [ossa] @a : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @b : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  return %1
}
sil [transparent] [ossa] @b : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @a : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  return %1
}
";

#[test]
fn transparent_functions_in_a_circle_are_an_error() {
    let (module, outcome) = outcome(CIRCLE);
    let told: Vec<(&str, &str, Vec<&str>)> = outcome
        .problems
        .iter()
        .map(|problem| {
            let function = problem.function.map_or("", |id| module.functions[id].name.as_str());
            let notes = problem.notes.iter().map(|(_, note)| note.as_str()).collect();
            (function, problem.message.as_str(), notes)
        })
        .collect();
    let circle = "inlining 'transparent' functions forms circular loop";
    let note = "while inlining here";
    assert_eq!(told, [("b", circle, vec![note]), ("a", circle, vec![note])]);
}

#[test]
fn locations_are_those_of_the_call() {
    let input = "// mandatory-inlining
sil_stage raw
import Builtin
sil_scope 1 { loc \"a.swift\":1:1 parent @t : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 }
sil_scope 2 { loc \"a.swift\":5:1 parent @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 }
sil [transparent] [ossa] @t : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64):
  %1 = alloc_stack $Builtin.Int64, var, name \"y\", loc \"a.swift\":2:6, scope 1
  store %0 to [trivial] %1, loc \"a.swift\":2:7, scope 1
  %3 = load [trivial] %1, loc \"a.swift\":2:8, scope 1
  dealloc_stack %1, loc \"a.swift\":2:8, scope 1
  return %3, loc \"a.swift\":2:9, scope 1
}
sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64):
  %1 = function_ref @t : $@convention(thin) (Builtin.Int64) -> Builtin.Int64, loc \"a.swift\":6:9, scope 2
  %2 = apply %1(%0) : $@convention(thin) (Builtin.Int64) -> Builtin.Int64, loc \"a.swift\":6:10, scope 2
  return %2, loc \"a.swift\":6:12, scope 2
}
";
    let (module, _) = outcome(input);
    let options = PrintOptions { debug_info: true, ..PrintOptions::default() };
    let printed = silkit_text::print_module(&module, &options, &|_| None);
    let body = printed.split("@f : ").last().unwrap_or_default();
    let code = |line: &str| line.split(" //").next().unwrap_or_default().trim().to_owned();
    let lines: Vec<String> = body.lines().map(code).filter(|line| line.contains("loc ")).collect();
    assert_eq!(
        lines,
        [
            "%1 = alloc_stack $Builtin.Int64, loc * \"<compiler-generated>\":0:0, scope 2",
            "store %0 to [trivial] %1, loc \"a.swift\":6:10, scope 2",
            "%3 = load [trivial] %1, loc \"a.swift\":6:10, scope 2",
            "dealloc_stack %1, loc \"a.swift\":6:10, scope 2",
            "return %3, loc \"a.swift\":6:12, scope 2",
        ]
    );
}
