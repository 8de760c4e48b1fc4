//! Tests of the passes that the runner skips because they have nothing to do.

use silkit_ir::{Linkage, Module, Point};
use silkit_pass::{FunctionContext, Pass, PassOutcome, PipelineStep, Runner, Stream};
use silkit_types::decl::Declarations;
use silkit_types::{SilType, Type};

const TEXT: &str = "sil_stage canonical
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0
}
";

fn module() -> (Module, Declarations) {
    let module = silkit_text::parse_module(TEXT).module;
    let declarations = silkit_text::decl::declarations(&module);
    (module, declarations)
}

fn run(steps: &[PipelineStep<'_>]) -> (Module, PassOutcome) {
    let (mut module, declarations) = module();
    let outcome = Runner::new().run(&mut module, &declarations, steps);
    (module, outcome)
}

/// Returns the numbers of the skipped runs.
fn skipped(outcome: &PassOutcome) -> Vec<usize> {
    outcome.runs.iter().filter(|run| run.is_skipped).map(|run| run.number).collect()
}

fn nothing(_: &mut FunctionContext<'_>) {}

/// Adds an instruction to a body of two.
fn grow_once(cx: &mut FunctionContext<'_>) {
    let first = cx.body().insts().next().expect("an instruction");
    if cx.body().inst_count() == 2 {
        cx.at(Point::Before(first)).integer_literal(SilType::object(Type::builtin("Int64")), "1");
    }
}

fn hide(cx: &mut FunctionContext<'_>) {
    cx.function_mut().linkage = Linkage::Hidden;
}

#[test]
fn a_settled_pass_is_skipped_and_its_run_is_numbered() {
    let step = || Pass::function("nothing", "Does nothing", &nothing).into();
    let (_, outcome) = run(&[step(), step(), step()]);
    let runs: Vec<_> =
        outcome.runs.iter().map(|run| (run.number, run.tag.as_str(), run.is_skipped)).collect();
    assert_eq!(runs, [(1, "nothing", false), (2, "nothing", true), (3, "nothing", true)]);
    assert!(outcome.runs.iter().all(|run| !run.has_changed && run.changes == 0));
}

#[test]
fn a_change_of_the_body_makes_passes_run_again() {
    let look = || Pass::function("nothing", "Does nothing", &nothing).into();
    let grow = || Pass::function("grow", "Adds an instruction", &grow_once).into();
    let (module, outcome) = run(&[look(), grow(), look(), grow(), grow(), look()]);
    assert_eq!(
        skipped(&outcome),
        [5, 6],
        "`grow` changed the body in its first run and settled in its second"
    );
    assert_eq!(
        module.functions.values().next().and_then(|f| f.body.as_ref()).map(|b| b.inst_count()),
        Some(3)
    );
}

#[test]
fn a_change_of_the_header_makes_passes_run_again() {
    let look = || Pass::function("nothing", "Does nothing", &nothing).into();
    let hide = || Pass::function("hide", "Hides", &hide).into();
    let (_, outcome) = run(&[look(), hide(), look(), hide(), hide(), look()]);
    assert_eq!(skipped(&outcome), [5, 6]);
}

#[test]
fn passes_with_the_same_tag_and_other_code_are_not_skipped() {
    let texts = ["a".to_owned(), "b".to_owned()];
    let passes = texts.each_ref().map(|text| move |_: &mut FunctionContext<'_>| assert!(!text.is_empty()));
    let (_, outcome) =
        run(&[Pass::function("p", "", &passes[0]).into(), Pass::function("p", "", &passes[1]).into()]);
    assert!(skipped(&outcome).is_empty());
}

#[test]
fn passes_that_print_count_or_report_run_again() {
    let print = |cx: &mut FunctionContext<'_>| cx.print("seen\n");
    let count = |cx: &mut FunctionContext<'_>| cx.count("functions", 1);
    let transform = |cx: &mut FunctionContext<'_>| _ = cx.may_change();
    let steps: Vec<PipelineStep<'_>> = [1, 2]
        .iter()
        .flat_map(|_| {
            [
                Pass::function("print", "Prints", &print).into(),
                Pass::function("count", "Counts", &count).into(),
                Pass::function("transform", "Counts a transformation", &transform).into(),
            ]
        })
        .collect();
    let (_, outcome) = run(&steps);
    assert!(skipped(&outcome).is_empty());
    assert_eq!(outcome.output.text(Stream::Out), "seen\nseen\n");
    assert_eq!(outcome.counts.values().copied().collect::<Vec<_>>(), [2]);
    assert!(outcome.runs.iter().filter(|run| run.tag == "transform").all(|run| run.changes == 1));
}

#[test]
fn a_restart_makes_passes_run_again() {
    let restart = |cx: &mut FunctionContext<'_>| cx.restart();
    let steps = [
        Pass::function("nothing", "Does nothing", &nothing).into(),
        Pass::function("restart", "Requests a restart", &restart).into(),
    ];
    // Functions that were busy before may be readable now.
    assert!(skipped(&run(&steps).1).is_empty());
}

#[test]
fn settled_passes_run_on_request() {
    let step = || Pass::function("nothing", "Does nothing", &nothing).into();
    let (mut module, declarations) = module();
    let outcome =
        Runner::new().repeats_settled(true).run(&mut module, &declarations, &[step(), step(), step()]);
    assert_eq!((outcome.runs.len(), skipped(&outcome)), (3, vec![]));
}
