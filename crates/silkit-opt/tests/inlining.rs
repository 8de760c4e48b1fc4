//! Passes that inline, link, copy and remove functions, on files of cases. The first line of an input names the passes and options. The
//! expected output is the functions as the reference prints them, without comments.

use silkit_base::Symbol;
use silkit_opt::PASSES;
use silkit_pass::testing::{changed_by_named, run_named};
use silkit_text::PrintOptions;

fn run(input: &str) -> String {
    changed_by_named(|tag| PASSES.find(tag), input)
}

silkit_testkit::case_files! { "tests/inlining", run: always always_inlining boxes mandatory program }

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
    let (_, outcome) = run_named(|tag| PASSES.find(tag), CIRCLE);
    let told: Vec<(&str, &str, Vec<&str>)> = outcome
        .problems
        .iter()
        .map(|problem| {
            let function = problem.function.map_or("", |name| name.as_str());
            let notes = problem.notes.iter().map(|(_, note)| note.as_str()).collect();
            (function, problem.message.as_str(), notes)
        })
        .collect();
    let circle = "inlining 'transparent' functions forms circular loop";
    let note = "while inlining here";
    assert_eq!(told, [("b", circle, vec![note]), ("a", circle, vec![note])]);
    let places = outcome.problems.iter().flat_map(|problem| &problem.notes).map(|(spot, _)| spot.function);
    let places: Vec<&str> = places.flatten().map(|name| name.as_str()).collect();
    assert_eq!(places, ["a", "b"]);
}

#[test]
fn transparent_functions_that_double_are_bounded() {
    let function = |name: String, body: &str| {
        format!(
            "sil [transparent] [ossa] @{name} : $@convention(thin) () -> () {{\nbb0:\n{body}  return %r\n}}\n"
        )
    };
    let leaf: String =
        (0..5).map(|slot| format!("  %s{slot} = alloc_stack $()\n  dealloc_stack %s{slot}\n")).collect();
    let mut text = String::from("// mandatory-inlining -mandatory-inlining-limit=2000\nsil_stage raw\n");
    text += &function("f0".to_owned(), &(leaf + "  %r = tuple ()\n"));
    for level in 1..9 {
        let call = |result: &str| format!("  {result} = apply %0() : $@convention(thin) () -> ()\n");
        let callee = format!("  %0 = function_ref @f{} : $@convention(thin) () -> ()\n", level - 1);
        text += &function(format!("f{level}"), &(callee + &call("%1") + &call("%r")));
    }
    let (module, outcome) = run_named(|tag| PASSES.find(tag), &text);
    let told: Vec<&str> = outcome.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(told, ["inlining 'transparent' functions makes more than 2000 instructions"]);
    let calls = |name: &str| {
        let body = module.functions.by_key(&Symbol::new(name)).and_then(|f| f.body.as_ref());
        body.map(|body| body.insts().filter(|&inst| body.info(inst).name == "apply").count())
    };
    assert_eq!((calls("f7"), calls("f8")), (Some(0), Some(1)));
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
    let (module, _) = run_named(|tag| PASSES.find(tag), input);
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
    let options = PrintOptions { verbose: true, ..PrintOptions::default() };
    let printed = silkit_text::print_module(&module, &options, &|_| None);
    for comment in [
        "// users: %4, %3, %2; <invalid loc>:minlined:auto_gen:in_prologue\n",
        "// id: %2; <invalid loc>:minlined\n",
        "// id: %5; <invalid loc>\n",
    ] {
        let body = printed.split("@f : ").last().unwrap_or_default();
        assert!(body.contains(comment), "{comment}\n{body}");
    }
}

#[test]
fn copies_of_functions_have_scopes_of_their_own() {
    let input = "// allocbox-to-stack
sil_stage raw
import Builtin
sil_scope 1 { loc \"a.swift\":1:6 parent @f : $@convention(thin) () -> () }
sil_scope 2 { loc \"a.swift\":2:3 parent 1 }
sil_scope 3 { loc \"a.swift\":4:9 parent @g : $@convention(thin) (@guaranteed { var Builtin.Int64 }) -> () }
sil private [ossa] @g : $@convention(thin) (@guaranteed { var Builtin.Int64 }) -> () {
bb0(%0 : @guaranteed ${ var Builtin.Int64 }):
  %1 = tuple (), loc \"a.swift\":4:12, scope 3
  return %1, loc \"a.swift\":4:13, scope 3
}
sil [ossa] @f : $@convention(thin) () -> () {
bb0:
  %1 = alloc_box ${ var Builtin.Int64 }, loc \"a.swift\":2:7, scope 1
  %2 = function_ref @g : $@convention(thin) (@guaranteed { var Builtin.Int64 }) -> (), loc \"a.swift\":3:1, scope 2
  %3 = apply %2(%1) : $@convention(thin) (@guaranteed { var Builtin.Int64 }) -> (), loc \"a.swift\":3:3, scope 2
  destroy_value %1, loc \"a.swift\":9:2, scope 2
  %r = tuple (), loc \"a.swift\":9:3, scope 2
  return %r, loc \"a.swift\":9:4, scope 2
}
";
    let (module, _) = run_named(|tag| PASSES.find(tag), input);
    let options = PrintOptions { debug_info: true, ..PrintOptions::default() };
    let text = silkit_text::print_module(&module, &options, &|_| None);
    for line in [
        "sil_scope 1 { loc \"a.swift\":4:9 parent @$s1gTf0s_n : $@convention(thin) (@inout_aliasable Builtin.Int64) -> () }",
        "sil_scope 2 { loc \"a.swift\":4:9 parent @g : $@convention(thin) (@guaranteed { var Builtin.Int64 }) -> () }",
        "dealloc_stack %0, loc \"a.swift\":2:7, scope 4",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}
