//! Bisection of passes.

use silkit_ir::{Inst, Module, Opcode};
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
