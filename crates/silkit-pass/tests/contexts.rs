//! What passes see of the function, the module and their surroundings.

use silkit_analysis::Dominators;
use silkit_base::Symbol;
use silkit_ir::{Function, Global, Loc, Module, Opcode, Point, VTable, WitnessTable};
use silkit_link::LibrarySource;
use silkit_pass::{
    FunctionContext, ModuleContext, Pass, PassOptions, PassOutcome, PipelineStep, Printing, Problem,
    ProblemLocation, Runner, Severity, Stream, bottom_up, on_function, options,
};
use silkit_text::PrintOptions;
use silkit_types::Type;
use std::sync::Arc;

const TEXT: &str = "sil_stage canonical
struct Point { var x: Int }
sil @caller : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @callee : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  return %1
}
sil @callee : $@convention(thin) () -> () {
bb0:
  %0 = tuple (), loc \"a.swift\":3:4
  return %0
}
sil @declared : $@convention(thin) (Point) -> ()
";

/// A library without anything.
struct Empty;

impl LibrarySource for Empty {
    fn header(&self, _: Symbol) -> Option<Function> {
        None
    }

    fn function(&self, _: Symbol) -> Option<Function> {
        None
    }

    fn global(&self, _: Symbol) -> Option<Global> {
        None
    }

    fn witness_table(&self, _: Symbol, _: Symbol) -> Option<Arc<WitnessTable>> {
        None
    }

    fn vtable(&self, _: Symbol) -> Option<Arc<VTable>> {
        None
    }
}

fn demangle(name: &str) -> Option<String> {
    Some(format!("readable {name}"))
}

/// Runs a pass with options, a printer, a source map and a library.
fn run(step: PipelineStep<'_>) -> (Module, PassOutcome) {
    let parsed = silkit_text::parse_module(TEXT);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let mut module = parsed.module;
    let declarations = silkit_text::decl::declarations(&module);
    let mut options = PassOptions::default();
    options.set("wmo", "");
    let printing = Printing { demangle: &demangle, options: PrintOptions::default() };
    let runner = Runner::new().options(options).printing(printing).library(Some(&Empty));
    let outcome = runner.source_map(Some(&parsed.source_map)).run(&mut module, &declarations, &[step]);
    (module, outcome)
}

/// Returns the type `Point`.
fn point(module: &Module) -> Type {
    let function = module.functions.by_key(&Symbol::new("declared")).expect("a function");
    function.ty.ty().as_function().expect("a type of functions").params[0].ty
}

#[test]
fn a_function_pass_sees_its_surroundings() {
    let look = |cx: &mut FunctionContext<'_>| {
        let point = point(cx.program().module);
        assert!(cx.declarations().nominal_of(point).is_some());
        assert!(cx.body_mut_with_declarations().1.nominal_of(point).is_some());
        let blocks = cx.body().blocks().count();
        assert_eq!(cx.body_mut_with_declarations().0.blocks().count(), blocks);
        assert!(cx.options().is_on(options::WMO));
        assert!(cx.library().is_some());
        assert_eq!((cx.printing().demangle)("f").as_deref(), Some("readable f"));
        assert_eq!(cx.program().module.functions[cx.id()].name, cx.function().name);
        let first = cx.body().insts().next().expect("an instruction");
        let shown = cx.dump().inst(first, "").to_string();
        cx.print(&format!("{shown}\n"));
        cx.complain("complaint\n");
    };
    let (_, outcome) = run(Pass::function("look", "Looks", &look).with_options(&[options::WMO]).into());
    assert_eq!(outcome.output.text(Stream::Err), "complaint\ncomplaint\n");
    let text = outcome.output.text(Stream::Out);
    assert!(text.contains("tuple ()") && text.contains("readable callee"), "{text}");
}

#[test]
fn a_module_pass_sees_its_surroundings() {
    let look = |cx: &mut ModuleContext<'_>| {
        assert!(cx.declarations().nominal_of(point(cx.module())).is_some());
        assert!(cx.options().is_on(options::WMO));
        assert!(cx.library().is_some());
        assert_eq!((cx.printing().demangle)("f").as_deref(), Some("readable f"));
        let (id, function) = cx.module().functions.iter().next().expect("a function");
        let map = cx.source_map().expect("a source map");
        assert!(map.function_name(id).is_some());
        let body = function.body.as_ref().expect("a body");
        let shown = cx.dump(body).inst(body.insts().next().expect("an instruction"), "").to_string();
        cx.print(&format!("{shown}\n"));
        cx.complain("complaint\n");
        let names: Vec<&str> = {
            let program = cx.program();
            bottom_up(&program).into_iter().map(|id| cx.module().functions[id].name.as_str()).collect()
        };
        assert_eq!(names, ["callee", "caller"], "callees come first, declarations not at all");
        cx.count("looks", 2);
        cx.count("looks", 3);
    };
    let (_, outcome) = run(Pass::module("look", "Looks", &look).with_options(&[options::WMO]).into());
    assert_eq!(outcome.output.text(Stream::Err), "complaint\n");
    let text = outcome.output.text(Stream::Out);
    assert!(text.contains("readable callee"), "{text}");
    assert_eq!(outcome.counts[&("look".to_owned(), "looks")], 5);
    assert!(!outcome.runs[0].has_changed);
}

/// Runs a pass on `@callee` that keeps the dominator tree through `change`, and reads it during and after that.
fn preserve_dominators(change: &(dyn Fn(&mut FunctionContext<'_>) + Sync)) {
    let pass = |cx: &mut FunctionContext<'_>| {
        let dominators = cx.get::<Dominators>();
        cx.preserving::<Dominators, _>(|cx| {
            cx.preserving::<Dominators, _>(change);
            dominators.of(cx.body());
        });
        dominators.of(cx.body());
    };
    run(Pass::function("preserve", "Changes terminators", &pass).into());
}

/// Replaces the terminator of the entry by an identical one.
fn replace_terminator(cx: &mut FunctionContext<'_>) {
    let body = cx.body();
    let last = body.insts().last().expect("a return");
    let (block, operand) = (body.inst_block(last), body.operand_value(last, 0));
    cx.edit().remove(last);
    cx.at(Point::End(block)).return_(operand);
}

#[test]
fn a_preserved_analysis_stays_readable() {
    preserve_dominators(&replace_terminator);
}

#[test]
#[should_panic(expected = "Dominators is not what a pass preserved")]
#[cfg(debug_assertions)]
fn an_analysis_that_a_pass_does_not_preserve_is_a_panic() {
    preserve_dominators(&|cx| {
        let last = cx.body().insts().last().expect("a return");
        cx.edit().split_block_with_branch(last, Loc::NONE);
    });
}

#[test]
fn a_module_pass_works_on_one_function() {
    let strip = |cx: &mut ModuleContext<'_>| {
        let ids: Vec<_> = cx.module().functions.keys().collect();
        let mut cache = silkit_analysis::AnalysisCache::default();
        let count = on_function(cx, ids[1], &mut cache, |cx| {
            assert!(cx.may_change());
            assert_eq!(cx.id(), ids[1]);
            cx.body().insts().count()
        });
        assert_eq!(count, 2);
        let mut functions = cx.open_functions();
        assert!(functions.library().is_some());
        let mut open = functions.open(ids[0]);
        assert_eq!(open.id(), ids[0]);
        assert_eq!(open.function().name, "caller");
        assert_eq!(functions.module().functions[ids[0]].name, "caller");
        assert!(functions.extend(|module, declarations, library| {
            assert!(declarations.nominal_of(point(module)).is_some());
            assert!(library.header(Symbol::new("callee")).is_none());
            module.functions.len() == 3
        }));
        let calls = functions.work(&mut open, |cx| {
            let is_call = |&inst: &_| cx.body().inst(inst).opcode == Opcode::Apply;
            cx.body().insts().filter(is_call).count()
        });
        assert_eq!(calls, 1);
        functions.close(open);
        assert!(cx.module().functions[ids[0]].body.is_some());
    };
    let (module, outcome) = run(Pass::module("strip", "Looks into functions", &strip).into());
    assert_eq!(outcome.runs[0].changes, 1);
    assert!(module.functions.values().take(2).all(|function| function.body.is_some()));
}

#[test]
fn problems_say_where_they_are() {
    let complain = |cx: &mut FunctionContext<'_>| {
        let inst = cx.body().insts().next();
        let warning = cx.problem(Severity::Warning, inst, "beware");
        let note = ProblemLocation::of(cx.body(), inst.expect("an instruction"));
        cx.diagnose(warning.note(note, "here"));
        if cx.function().name == "callee" {
            cx.report(None, "wrong");
        }
    };
    let (_, outcome) = run(Pass::function("complain", "Complains", &complain).into());
    let shown = |problem: &Problem| {
        let function = problem.function.map(|name| name.to_string());
        let source = problem.place.source.map(|at| (at.line, at.column));
        let notes: Vec<&str> = problem.notes.iter().map(|(_, text)| text.as_str()).collect();
        (problem.is_error(), function, problem.message.clone(), source, notes.join(" "))
    };
    let all: Vec<_> = outcome.problems.iter().map(shown).collect();
    let of = |name: &str| Some(name.to_owned());
    assert_eq!(
        all,
        [
            (false, of("callee"), "beware".to_owned(), Some((3, 4)), "here".to_owned()),
            (true, of("callee"), "wrong".to_owned(), None, String::new()),
            (false, of("caller"), "beware".to_owned(), None, "here".to_owned()),
        ]
    );
    assert!(outcome.was_stopped);
    let report = |cx: &mut ModuleContext<'_>| {
        let last = cx.module().functions.keys().last();
        cx.report(last, "in a function");
        cx.report(None, "in none");
    };
    let (_, outcome) = run(Pass::module("report", "Reports", &report).into());
    let functions: Vec<bool> =
        outcome.problems.iter().map(|p| p.is_error() && p.function.is_some()).collect();
    assert_eq!(functions, [true, false]);
}

#[test]
fn runners_may_go_on_after_errors() {
    let complain = |cx: &mut FunctionContext<'_>| cx.report(None, "wrong");
    let see = |cx: &mut ModuleContext<'_>| cx.print("seen\n");
    let steps = [
        Pass::function("complain", "Complains", &complain).into(),
        Pass::module("see", "Prints that it runs", &see).into(),
    ];
    for continues_after_errors in [false, true] {
        let mut module = silkit_text::parse_module(TEXT).module;
        let declarations = silkit_text::decl::declarations(&module);
        let outcome = Runner::new().continues_after_errors(continues_after_errors).run(
            &mut module,
            &declarations,
            &steps,
        );
        assert_eq!(outcome.was_stopped, !continues_after_errors);
        assert_eq!(outcome.output.text(Stream::Out), if continues_after_errors { "seen\n" } else { "" });
        assert!(outcome.problems.iter().all(Problem::is_error));
    }
}
