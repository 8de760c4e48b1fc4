//! Bisection of passes, and the texts that it compares.

use silkit_ir::{Inst, Module, Opcode};
use silkit_pass::compare::{Side, compare};
use silkit_pass::{BisectResult, Bisection, FunctionContext, Pass, PassOptions, PipelineStep};
use std::cell::Cell;

fn strip(cx: &mut FunctionContext<'_>) {
    let is_variable = |&inst: &Inst| cx.body().inst(inst).opcode == Opcode::DebugValue;
    let all: Vec<Inst> = cx.body().insts().filter(is_variable).collect();
    for inst in all {
        if cx.may_change() {
            cx.edit().remove(inst);
        }
    }
}

/// Removes variables without asking.
fn strip_silently(cx: &mut FunctionContext<'_>) {
    let is_variable = |&inst: &Inst| cx.body().inst(inst).opcode == Opcode::DebugValue;
    let all: Vec<Inst> = cx.body().insts().filter(is_variable).collect();
    all.into_iter().for_each(|inst| cx.edit().remove(inst));
}

fn nothing(_: &mut FunctionContext<'_>) {}

/// Returns a module of functions with so many variables each.
fn module(variables: &[usize]) -> Module {
    let mut text = String::from("sil_stage canonical\n");
    for (function, &count) in variables.iter().enumerate() {
        text += &format!("sil @f{function} : $@convention(thin) () -> () {{\nbb0:\n  %0 = tuple ()\n");
        (0..count).for_each(|n| text += &format!("  debug_value %0, let, name \"v{function}x{n}\"\n"));
        text += "  return %0\n}\n";
    }
    silkit_text::parse_module(&text).module
}

fn search(
    module: &Module,
    steps: &[PipelineStep<'_>],
    is_good: impl FnMut(&Module) -> Result<bool, ()>,
) -> Result<BisectResult, ()> {
    let declarations = silkit_text::decl::declarations(module);
    Bisection { module, declarations: &declarations, steps, options: PassOptions::default(), library: None }
        .search(is_good)
}

fn has(module: &Module, name: &str) -> Result<bool, ()> {
    Ok(silkit_pass::testing::code(module).contains(&format!("\"{name}\"")))
}

#[test]
fn the_transformation_is_found() {
    let module = module(&[3, 0, 4, 2]);
    let steps: [PipelineStep<'_>; 2] =
        [Pass::function("nothing", "", &nothing).into(), Pass::function("strip", "", &strip).into()];
    for (name, number, change) in
        [("v0x0", 2, 1), ("v0x2", 2, 3), ("v2x1", 6, 2), ("v2x3", 6, 4), ("v3x0", 8, 1), ("v3x1", 8, 2)]
    {
        let asked = Cell::new(0);
        let verdict = search(&module, &steps, |module| {
            asked.set(asked.get() + 1);
            has(module, name)
        });
        let Ok(BisectResult::Found(culprit)) = verdict else { panic!("{name}: {verdict:?}") };
        assert_eq!((culprit.run.number, culprit.change, culprit.runs), (number, Some(change), 8), "{name}");
        assert!(culprit.difference.contains(&format!("-  debug_value %0, let, name \"{name}\"\n")));
        assert_eq!(culprit.difference.lines().filter(|line| line.starts_with("-  ")).count(), 1);
        let title = format!("--- #{number}: strip on @f{}\n", &name[1..2]);
        assert!(culprit.difference.starts_with(&title), "{}", culprit.difference);
        assert!(asked.get() <= 10, "asked {} times", asked.get());
    }
}

#[test]
fn a_pass_that_does_not_count_is_found_as_a_whole() {
    let module = module(&[2]);
    let steps: [PipelineStep<'_>; 1] = [Pass::function("strip", "", &strip_silently).into()];
    let Ok(BisectResult::Found(culprit)) = search(&module, &steps, |module| has(module, "v0x1")) else {
        panic!()
    };
    assert_eq!((culprit.run.number, culprit.change), (1, None));
    assert_eq!(culprit.difference.lines().filter(|line| line.starts_with("-  ")).count(), 2);
    // What is bad without any counted transformation is not the fault of one.
    let both = |cx: &mut FunctionContext<'_>| {
        strip_silently(cx);
        cx.may_change();
    };
    let steps: [PipelineStep<'_>; 1] = [Pass::function("both", "", &both).into()];
    let Ok(BisectResult::Found(culprit)) = search(&module, &steps, |module| has(module, "v0x1")) else {
        panic!()
    };
    assert_eq!(culprit.change, None);
}

#[test]
fn what_is_always_or_never_bad_is_told() {
    let module = module(&[1]);
    let steps: [PipelineStep<'_>; 1] = [Pass::function("strip", "", &strip).into()];
    assert!(matches!(search(&module, &steps, |_| Ok(true)), Ok(BisectResult::Never)));
    assert!(matches!(search(&module, &steps, |_| Ok(false)), Ok(BisectResult::Always)));
    assert!(search(&module, &steps, |_| Err(())).is_err());
    // A judge that changes its mind where no pass runs finds nothing.
    let asked = Cell::new(false);
    assert!(matches!(search(&module, &[], |_| Ok(!asked.replace(true))), Ok(BisectResult::Never)));
}

fn lines(count: usize, changed: &[usize]) -> String {
    let line = |n| match changed.contains(&n) {
        true => format!("  changed {n}\n"),
        false => format!("  line {n}\n"),
    };
    let body: String = (0..count).map(line).collect();
    format!("sil @f : $() -> () {{\n{body}}}\n")
}

#[test]
fn three_lines_around_a_difference_are_shown() {
    let text = compare(&lines(30, &[]), &lines(30, &[10])).unified("a", "b");
    let expected = "--- a\n+++ b\n@@ @f\n   line 7\n   line 8\n   line 9\n-  line 10\n+  changed 10\n   line 11\n   \
        line 12\n   line 13\n";
    assert_eq!(text, expected);
    // Near ones share what is between them, others have heads of their own.
    let near = compare(&lines(30, &[]), &lines(30, &[10, 16])).unified("a", "b");
    assert_eq!(near.matches("@@").count(), 1, "{near}");
    let far = compare(&lines(30, &[]), &lines(30, &[10, 18])).unified("a", "b");
    assert_eq!(far.matches("@@").count(), 2, "{far}");
    assert_eq!(compare("x\n", "x\n").unified("a", "b"), "");
    // What stands outside of functions has no name.
    assert_eq!(
        compare("import A\n", "import B\n").unified("a", "b"),
        "--- a\n+++ b\n@@\n-import A\n+import B\n"
    );
}

#[test]
fn declarations_comments_and_what_stands_between_functions() {
    let before = "// a comment\nimport A\nsil @declared : $() -> ()\nimport B\n\n\
        sil [ossa] @f : $() -> () {\nbb0:\n  %0 = tuple ()      // users: %1\n  return %0       // id: %1\n} // end sil function 'f'\n";
    let after = "import A\nimport B\nsil [ossa] @f : $() -> () {\nbb0:\n  %5 = tuple ()\n  return %5\n}\nsil @declared : $() -> ()\n";
    assert!(compare(before, after).is_same(), "{:?}", compare(before, after));
    let without = after.replace("sil @declared : $() -> ()\n", "");
    let differences = compare(after, &without).differences;
    assert_eq!(differences.len(), 1);
    assert_eq!(differences[0].name, "@declared");
    assert_eq!(differences[0].lines[0].side, Side::Before);
    let attributes = compare(after, &after.replace("[ossa] ", ""));
    assert_eq!(attributes.differences[0].name, "@f");
}

#[test]
fn names_of_results_and_arguments_follow_their_definitions() {
    let before = "sil @f : $() -> () {\nbb0(%0 : $A, %1 : $A):\n  (%2, %3) = pair %0, %1\n  use %2\n  use %3\n  br bb1(%2)\n\
        bb1(%7 : $A):\n  use %7\n}\n";
    let renamed = "sil @f : $() -> () {\nbb0(%1 : $A, %0 : $A):\n  (%5, %6) = pair %1, %0\n  use %5\n  use %6\n  br bb9(%5)\n\
        bb9(%8 : $A):\n  use %8\n}\n";
    assert!(compare(before, renamed).is_same(), "{:?}", compare(before, renamed));
    let swapped = before.replace("use %2", "use %9").replace("use %3", "use %2").replace("use %9", "use %3");
    // One of the two lines moved.
    let changed = compare(before, &swapped).differences.remove(0).lines;
    assert_eq!(changed.iter().filter(|line| line.side != Side::Both).count(), 2, "{changed:?}");
    // A block that is defined anew keeps its uses.
    let block = before.replace("bb1(%7 : $A)", "bb1(%7 : $B)");
    let changed = compare(before, &block).differences.remove(0).lines;
    assert_eq!(changed.iter().filter(|line| line.side != Side::Both).count(), 2, "{changed:?}");
    // Another instruction in its place is another value.
    let other = before.replace("pair", "couple").replace("%2", "%12");
    let changed = compare(before, &other).differences.remove(0).lines;
    assert!(changed.iter().filter(|line| line.side != Side::Both).count() > 2, "{changed:?}");
}
