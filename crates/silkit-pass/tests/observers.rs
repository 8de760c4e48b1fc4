//! What observers, limits and options see of the runs of passes.

use silkit_ir::{Inst, Module, Opcode};
use silkit_pass::observers::{ChangePrinter, FunctionSelection, Printer, Selection};
use silkit_pass::{
    FunctionContext, Limit, ModuleContext, Observer, Output, Pass, PassOptions, PassOutcome, PipelineStep,
    RunPosition, Runner, Stream,
};
use silkit_types::decl::Declarations;

const TEXT: &str = "sil_stage canonical
sil @first : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  debug_value %0, let, name \"a\"
  debug_value %0, let, name \"b\"
  return %0
}
sil [Onone] @second : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  debug_value %0, let, name \"c\"
  return %0
}
sil @third : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0
}
";

fn module() -> (Module, Declarations) {
    let parsed = silkit_text::parse_module(TEXT);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let declarations = silkit_text::decl::declarations(&parsed.module);
    (parsed.module, declarations)
}

fn variables(cx: &FunctionContext<'_>) -> Vec<Inst> {
    cx.body().insts().filter(|&inst| cx.body().inst(inst).opcode == Opcode::DebugValue).collect()
}

/// Removes variables, each a single transformation.
fn strip(cx: &mut FunctionContext<'_>) {
    for inst in variables(cx) {
        if !cx.may_change() {
            return;
        }
        cx.edit().remove(inst);
        cx.count("variables", 1);
    }
}

/// Removes the first variable.
fn strip_one(cx: &mut FunctionContext<'_>) {
    if let Some(&inst) = variables(cx).first() {
        cx.edit().remove(inst);
        cx.count("variables", 1);
    }
}

fn nothing(_: &mut FunctionContext<'_>) {}

fn steps() -> [PipelineStep<'static>; 2] {
    [Pass::function("nothing", "Does nothing", &nothing).into(), Pass::function("strip", "", &strip).into()]
}

fn seen(observer: &dyn Observer, steps: &[PipelineStep<'_>]) -> String {
    let (mut module, declarations) = module();
    Runner::new().observe(observer).run(&mut module, &declarations, steps).output.text(Stream::Err)
}

/// Returns the lines that name a run.
fn titles(text: &str) -> Vec<&str> {
    let is_title = |line: &&str| line.contains("***") || line.starts_with("  Run ");
    text.lines().filter(is_title).map(str::trim).collect()
}

fn selection(all: bool, tags: &[&str]) -> Selection {
    Selection { all, tags: tags.iter().map(|tag| (*tag).to_owned()).collect() }
}

fn functions(names: &[&str], parts: &[&str]) -> FunctionSelection {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    FunctionSelection { names: owned(names), parts: owned(parts) }
}

#[test]
fn selected_passes_are_printed_before_and_after() {
    let printer = Printer { before: selection(false, &["strip"]), ..Printer::default() };
    let text = seen(&printer, &steps());
    assert_eq!(
        titles(&text),
        ["*** SIL before #2: strip on @first ***", "*** SIL before #4: strip on @third ***"]
    );
    assert!(text.contains("debug_value %0, let, name \"b\""), "{text}");
    let printer = Printer { after: selection(false, &["nothing"]), ..Printer::default() };
    let named = ["*** SIL after #1: nothing on @first ***", "*** SIL after #3: nothing on @third ***"];
    assert_eq!(titles(&seen(&printer, &steps())), named);
    let printer = Printer { before: selection(true, &[]), ..Printer::default() };
    assert_eq!(titles(&seen(&printer, &steps())).len(), 4);
}

#[test]
fn of_all_passes_those_that_changed_something_are_printed_after() {
    let printer = Printer { after: selection(true, &[]), ..Printer::default() };
    let text = seen(&printer, &steps());
    assert_eq!(titles(&text), ["*** SIL after #2: strip on @first ***"]);
    assert!(!text.contains("debug_value"), "{text}");
}

#[test]
fn one_run_is_printed_before_and_after() {
    let printer = Printer { run: Some(3), ..Printer::default() };
    let expected = ["*** SIL before #3: nothing on @third ***", "*** SIL after #3: nothing on @third ***"];
    assert_eq!(titles(&seen(&printer, &steps())), expected);
}

#[test]
fn runs_are_named() {
    let printer = Printer { names_runs: true, ..Printer::default() };
    let expected = [
        "Run #1: nothing on @first",
        "Run #2: strip on @first",
        "Run #3: nothing on @third",
        "Run #4: strip on @third",
    ];
    assert_eq!(titles(&seen(&printer, &steps())), expected);
}

#[test]
fn functions_are_selected_by_name_and_by_part() {
    for (selected, expected) in [
        (functions(&["first"], &[]), "first"),
        (functions(&[], &["hir"]), "third"),
        (functions(&["thir"], &["irst"]), "first"),
    ] {
        let printer =
            Printer { before: selection(false, &["strip"]), functions: selected, ..Printer::default() };
        let text = seen(&printer, &steps());
        assert_eq!(titles(&text).len(), 1, "{text}");
        assert!(text.contains(&format!("on @{expected} ")), "{text}");
    }
    // Of a module, the functions are printed alone.
    let look = |_: &mut ModuleContext<'_>| ();
    let steps: [PipelineStep<'_>; 1] = [Pass::module("look", "Looks", &look).into()];
    let all = Printer { before: selection(true, &[]), ..Printer::default() };
    let text = seen(&all, &steps);
    assert!(text.starts_with("  *** SIL before #1: look ***\nsil_stage canonical\n"), "{text}");
    let some = Printer { functions: functions(&["first"], &[]), ..all };
    let text = seen(&some, &steps);
    assert!(text.contains("sil @first") && !text.contains("sil_stage") && !text.contains("@third"), "{text}");
}

#[test]
fn changes_are_printed_as_differences() {
    let text = seen(&ChangePrinter::new(FunctionSelection::default()), &steps());
    let expected = "--- #2: strip on @first\n+++ #2: strip on @first\n@@ @first\n sil @first : $@convention(thin) () -> () {\n \
        bb0:\n   %0 = tuple ()\n-  debug_value %0, let, name \"a\"\n-  debug_value %0, let, name \"b\"\n   return %0\n }\n";
    assert_eq!(text, expected);
    assert_eq!(seen(&ChangePrinter::new(functions(&["third"], &[])), &steps()), "");
}

/// Stops after a pass.
struct Stop(&'static str);

impl Observer for Stop {
    fn needs_module(&self) -> bool {
        true
    }

    fn after_pass(&self, pass: &Pass<'_>, module: &Module, output: &mut Output) -> bool {
        output.print(Stream::Err, &format!("{} of {}\n", pass.tag, module.functions.len()));
        pass.tag != self.0
    }
}

#[test]
fn an_observer_of_the_module_sees_it_after_each_pass_and_may_stop() {
    let (mut module, declarations) = module();
    let outcome = Runner::new().observe(&Stop("nothing")).run(&mut module, &declarations, &steps());
    assert_eq!(outcome.output.text(Stream::Err), "nothing of 3\n");
    assert!(outcome.was_stopped);
    assert_eq!(outcome.runs.len(), 2);
    let outcome = Runner::new().observe(&Stop("other")).run(&mut module, &declarations, &steps());
    assert_eq!(outcome.output.text(Stream::Err), "nothing of 3\nstrip of 3\n");
    assert!(!outcome.was_stopped);
    let tags: Vec<&str> = outcome.runs.iter().map(|run| run.tag.as_str()).collect();
    assert_eq!(tags, ["nothing", "nothing", "strip", "strip"]);
}

fn run(limit: Option<Limit>, steps: &[PipelineStep<'_>]) -> (Module, PassOutcome) {
    let (mut module, declarations) = module();
    let outcome = Runner::new().limit(limit).run(&mut module, &declarations, steps);
    (module, outcome)
}

fn left(module: &Module) -> usize {
    silkit_pass::testing::code(module).matches("debug_value").count()
}

#[test]
fn limits_are_read_and_end_runs() {
    assert_eq!(Limit::parse("3"), Some(Limit { runs: 3, changes: None }));
    assert_eq!(Limit::parse("3.1"), Some(Limit { runs: 3, changes: Some(1) }));
    assert_eq!(Limit::parse("3."), None);
    assert_eq!(Limit::parse("x"), None);
    for (limit, runs, variables) in [
        (None, 4, 1),
        (Some(Limit { runs: 0, changes: None }), 0, 3),
        (Some(Limit { runs: 1, changes: None }), 1, 3),
        (Some(Limit { runs: 2, changes: Some(0) }), 2, 3),
        (Some(Limit { runs: 2, changes: Some(1) }), 2, 2),
        (Some(Limit { runs: 2, changes: Some(5) }), 2, 1),
        (Some(Limit { runs: 2, changes: None }), 2, 1),
    ] {
        let (module, outcome) = run(limit, &steps());
        assert_eq!((outcome.runs.len(), left(&module)), (runs, variables), "{limit:?}");
    }
    // So it is for passes of modules.
    let count = |cx: &mut ModuleContext<'_>| cx.count("runs", 1);
    let twice: [PipelineStep<'_>; 2] =
        [Pass::module("one", "", &count).into(), Pass::module("two", "", &count).into()];
    let (_, outcome) = run(Some(Limit { runs: 1, changes: None }), &twice);
    assert_eq!(outcome.runs.len(), 1);
    assert_eq!(outcome.counts[&("one".to_owned(), "runs")], 1);
}

#[test]
fn transformations_and_counters_are_counted() {
    let (_, outcome) = run(None, &steps());
    assert_eq!(outcome.runs.iter().map(|run| run.changes).collect::<Vec<_>>(), [0, 2, 0, 0]);
    let counts: Vec<_> = outcome.counts.iter().collect();
    assert_eq!(counts, [(&("strip".to_owned(), "variables"), &2)]);
}

#[test]
fn a_pass_is_repeated_until_it_changes_nothing() {
    let once = PipelineStep { repeats: false, ..Pass::function("one", "", &strip_one).into() };
    let (module, outcome) = run(None, &[once]);
    assert_eq!((left(&module), outcome.runs.len()), (2, 2));
    let (module, outcome) = run(None, &[PipelineStep { repeats: true, ..once }]);
    assert_eq!((left(&module), outcome.runs.len()), (1, 2));
    assert!(outcome.runs[0].has_changed && !outcome.runs[1].has_changed);
    // One that goes on for ever is ended.
    let grow = |cx: &mut FunctionContext<'_>| {
        cx.function_mut().attributes.semantics.push(silkit_base::Symbol::new("more"));
        cx.count("times", 1);
    };
    let step = PipelineStep { repeats: true, ..Pass::function("grow", "", &grow).into() };
    let (_, outcome) = run(None, &[step]);
    assert_eq!(outcome.counts[&("grow".to_owned(), "times")], 200);
}

#[test]
fn what_is_not_optimized_sees_mandatory_passes_alone() {
    let mandatory: [PipelineStep<'_>; 1] = [Pass::function("strip", "", &strip).mandatory().into()];
    let (module, outcome) = run(None, &mandatory);
    assert_eq!((left(&module), outcome.runs.len()), (0, 3));
}

#[test]
fn a_problem_ends_the_passes_of_its_function_and_then_all() {
    let complain = |cx: &mut FunctionContext<'_>| {
        if cx.function().name == "first" {
            cx.report(None, "this is wrong");
        }
    };
    let steps: [PipelineStep<'_>; 3] = [
        Pass::function("complain", "", &complain).into(),
        Pass::function("strip", "", &strip).into(),
        Pass::module("last", "", &|_: &mut ModuleContext<'_>| ()).into(),
    ];
    let (module, outcome) = run(None, &steps);
    assert_eq!(left(&module), 3, "the function stays as it was");
    assert_eq!(outcome.problems.len(), 1);
    assert!(outcome.was_stopped);
    let runs: Vec<(usize, &str)> = outcome.runs.iter().map(|run| (run.number, run.tag.as_str())).collect();
    assert_eq!(runs, [(1, "complain"), (3, "complain"), (4, "strip")]);
    let report = |cx: &mut ModuleContext<'_>| cx.report(None, "so is this");
    let steps: [PipelineStep<'_>; 2] = [Pass::module("report", "", &report).into(), steps[1]];
    let (_, outcome) = run(None, &steps);
    assert_eq!((outcome.problems[0].message.as_str(), outcome.runs.len()), ("so is this", 1));
}

#[test]
fn options_decide_the_facts_of_a_program() {
    let mut options = PassOptions::default();
    options.set("wmo", "");
    let seen = |cx: &mut FunctionContext<'_>| {
        let opaque = cx.program().addresses() == silkit_ir::conventions::Addresses::Opaque;
        let text = format!("{} {opaque}\n", cx.program().is_whole_module());
        cx.print(&text);
        cx.complain("complaint\n");
    };
    let (mut module, declarations) = module();
    let steps: [PipelineStep<'_>; 1] = [Pass::function("see", "", &seen).into()];
    let outcome = Runner::new().options(options.clone()).run(&mut module, &declarations, &steps);
    assert_eq!(outcome.output.text(Stream::Out), "true false\ntrue false\n");
    assert_eq!(outcome.output.text(Stream::Err), "complaint\ncomplaint\n");
    assert_eq!(outcome.output.pieces().count(), 4);
    options.set("wmo", "0");
    options.set("enable-sil-opaque-values", "");
    let outcome = Runner::new().options(options).run(&mut module, &declarations, &steps);
    assert_eq!(outcome.output.text(Stream::Out), "false true\nfalse true\n");
}

#[test]
fn observers_see_what_is_worked_on() {
    /// Notes the functions, and whether the module holds their bodies meanwhile.
    struct Note;
    impl Observer for Note {
        fn after(&self, at: &RunPosition<'_>, has_changed: bool, output: &mut Output) {
            let name = at.function.map_or("module", |function| function.name.as_str());
            output.print(Stream::Err, &format!("{} {name} {has_changed}\n", at.number));
        }
    }
    let touch = |cx: &mut ModuleContext<'_>| _ = cx.module_mut();
    let steps = [steps()[1], Pass::module("touch", "", &touch).into()];
    assert_eq!(seen(&Note, &steps), "1 first true\n2 third false\n3 module false\n");
}
