//! Tests of the runner.

use silkit_analysis::{Analysis, BodyView, Definition};
use silkit_base::Symbol;
use silkit_ir::instructions::FunctionRef;
use silkit_ir::{Changes, Module, Point, Scope};
use silkit_pass::{
    FunctionContext, Limit, ModuleContext, Pass, PassOutcome, PipelineStep, Problem, Runner, Stream,
};
use silkit_types::decl::Declarations;
use silkit_types::{SilType, Type};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Creates a copy of each function that is not a copy itself.
fn copy(cx: &mut FunctionContext<'_>) {
    let name = cx.function().name;
    if !name.as_str().ends_with("_copy") {
        let mut function = cx.function().clone();
        function.name = Symbol::new(&format!("{name}_copy"));
        cx.add_function(function);
    }
}

#[test]
fn functions_that_a_pass_makes_are_worked_on_too() {
    let text = "sil_stage canonical\n\
        sil @a : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n\
        sil @b : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
    let mut module = silkit_text::parse_module(text).module;
    let declarations = silkit_text::decl::declarations(&module);
    let note = |_: &mut FunctionContext<'_>| ();
    let steps: [PipelineStep<'_>; 2] = [
        Pass::function("copy", "Copies functions", &copy).into(),
        Pass::function("note", "Does nothing", &note).into(),
    ];
    let outcome = Runner::new().run(&mut module, &declarations, &steps);
    let runs: Vec<String> = outcome
        .runs
        .iter()
        .map(|run| format!("{} {} {}", run.number, run.tag, run.function.expect("a pass of functions")))
        .collect();
    let expected = [
        "1 copy a",
        "2 note a",
        "3 copy b",
        "4 note b",
        "5 copy a_copy",
        "6 note a_copy",
        "7 copy b_copy",
        "8 note b_copy",
    ];
    assert_eq!(runs, expected);
    assert_eq!(module.functions.len(), 4);
    assert!(outcome.runs.iter().all(|run| !run.has_changed), "no body was changed");
}

const CALLS: &str = "sil_stage canonical
sil @leaf : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0
}
sil @self : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @self : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  return %1
}
sil @top : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @leaf : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  %2 = function_ref @self : $@convention(thin) () -> ()
  %3 = apply %2() : $@convention(thin) () -> ()
  %4 = function_ref @other : $@convention(thin) () -> ()
  %5 = apply %4() : $@convention(thin) () -> ()
  return %5
}
sil @other : $@convention(thin) () -> ()
";

fn module(text: &str) -> (Module, Declarations) {
    let parsed = silkit_text::parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let declarations = silkit_text::decl::declarations(&parsed.module);
    (parsed.module, declarations)
}

/// Runs passes with a number of threads, and returns the module and what happened.
fn run_with(threads: usize, text: &str, steps: &[PipelineStep<'_>]) -> (Module, PassOutcome) {
    let (mut module, declarations) = module(text);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let outcome = pool.install(|| Runner::new().run(&mut module, &declarations, steps));
    (module, outcome)
}

/// Prints of each function that is named what is known of its body: the number of its instructions.
fn look(cx: &mut FunctionContext<'_>) {
    let mut text = format!("{}:", cx.function().name);
    for inst in cx.body().insts() {
        let Some(named) = cx.body().view_as::<FunctionRef>(inst) else { continue };
        let id = cx.program().function_id(named.function).expect("a function of the module");
        text += &match cx.program().definition(id) {
            Definition::Body(body) => format!(" {} has {}", named.function, body.insts().count()),
            Definition::Busy => format!(" {} is busy", named.function),
            Definition::Declared => format!(" {} is declared", named.function),
        };
    }
    cx.print(&(text + "\n"));
}

/// Adds an instruction at the beginning.
fn grow(cx: &mut FunctionContext<'_>) {
    let first = cx.body().insts().next().expect("an instruction");
    cx.at(Point::Before(first)).integer_literal(SilType::object(Type::builtin("Int64")), "1");
}

#[test]
fn callees_are_read_as_all_passes_left_them() {
    let steps: [PipelineStep<'_>; 3] = [
        Pass::function("grow", "Adds an instruction", &grow).into(),
        Pass::function("look", "Reads callees", &look).into(),
        Pass::function("grow-again", "Adds an instruction", &grow).into(),
    ];
    let (_, outcome) = run_with(1, CALLS, &steps);
    let expected = "leaf:\nself: self is busy\ntop: leaf has 4 self has 5 other is declared\n";
    assert_eq!(outcome.output.text(Stream::Out), expected);
    let numbers: Vec<usize> = outcome.runs.iter().map(|run| run.number).collect();
    assert_eq!(numbers, (1..=9).collect::<Vec<_>>());
}

#[test]
fn functions_that_are_added_are_worked_on_before_their_caller_goes_on() {
    let add = |cx: &mut FunctionContext<'_>| {
        if cx.function().name == "leaf" {
            let mut function = cx.function().clone();
            function.name = Symbol::new("leaf_special");
            // Only the first of one name is kept.
            cx.add_function(function.clone());
            cx.add_function(function);
        }
    };
    let see = |cx: &mut FunctionContext<'_>| {
        let special = cx.program().function_id(Symbol::new("leaf_special"));
        let special = special.and_then(|id| cx.program().definition(id).body());
        let count = special.map_or(0, |body| body.insts().count());
        cx.print(&format!("{} {count}\n", cx.function().name));
    };
    let steps: [PipelineStep<'_>; 3] = [
        Pass::function("add", "Adds a function", &add).into(),
        Pass::function("see", "Reads the added function", &see).into(),
        Pass::function("grow", "Adds an instruction", &grow).into(),
    ];
    let (module, outcome) = run_with(1, CALLS, &steps);
    assert_eq!(module.functions.len(), 5);
    // The added function is numbered last, and was through all passes when `leaf` went on. `self` is worked on at the same
    // time as `leaf`, and does not see what that adds; `top` does.
    assert_eq!(outcome.output.text(Stream::Out), "leaf 3\nself 0\ntop 3\nleaf_special 0\n");
}

#[test]
fn functions_that_add_functions_without_end_are_bounded() {
    let add = |cx: &mut FunctionContext<'_>| {
        if cx.function().name.as_str().starts_with("leaf") {
            let mut function = cx.function().clone();
            function.name = Symbol::new(&format!("{}_", cx.function().name));
            cx.add_function(function);
        }
    };
    let (module, _) = run_with(2, CALLS, &[Pass::function("add", "Adds a function", &add).into()]);
    // Ten are worked on, and the last of them adds one more.
    assert_eq!(module.functions.len(), 4 + 11);
}

/// Requests a restart until `grow` has been there so often.
fn restart_until(length: usize) -> impl Fn(&mut FunctionContext<'_>) + Sync {
    move |cx| {
        if cx.function().name == "leaf" && cx.body().insts().count() < length {
            cx.restart();
        }
    }
}

#[test]
fn a_function_starts_again_when_a_pass_requests_it() {
    let again = restart_until(5);
    let steps: [PipelineStep<'_>; 4] = [
        Pass::function("grow", "Adds an instruction", &grow).into(),
        Pass::function("look", "Reads callees", &look).into(),
        Pass::function("again", "Requests a restart", &again).into(),
        Pass::function("end", "Does nothing", &|_: &mut FunctionContext<'_>| {}).into(),
    ];
    let (module, outcome) = run_with(1, CALLS, &steps);
    assert_eq!(
        module.functions.by_key(&Symbol::new("leaf")).map(|f| f.body.iter().flat_map(|b| b.insts()).count()),
        Some(5)
    );
    // `self` is worked on at the same time; `top` reads `leaf` when it is through.
    let printed = "leaf:\nself: self is busy\ntop: leaf has 5 self has 4 other is declared\nleaf:\nleaf:\n";
    assert_eq!(outcome.output.text(Stream::Out), printed);
    let runs: Vec<(usize, &str)> = outcome
        .runs
        .iter()
        .filter(|r| r.function == Some(Symbol::new("leaf")))
        .map(|r| (r.number, r.tag.as_str()))
        .collect();
    // The runs that a restart leaves out keep their numbers; those that it adds come after all others.
    let expected = [
        (1, "grow"),
        (2, "look"),
        (3, "again"),
        (13, "grow"),
        (14, "look"),
        (15, "again"),
        (17, "grow"),
        (18, "look"),
        (19, "again"),
        (20, "end"),
    ];
    assert_eq!(runs, expected);
    assert!(outcome.runs.is_sorted_by_key(|run| run.number));
}

#[test]
fn restarts_are_bounded_and_obey_limits() {
    let again = |cx: &mut FunctionContext<'_>| cx.restart();
    let steps: [PipelineStep<'_>; 2] = [
        Pass::function("again", "Requests a restart", &again).into(),
        Pass::function("grow", "Adds an instruction", &grow).into(),
    ];
    let (_, outcome) = run_with(1, CALLS, &steps);
    let count = |tag: &str| outcome.runs.iter().filter(|run| run.tag == tag).count();
    assert_eq!((count("again"), count("grow")), (3 * 21, 3));
    let (mut module, declarations) = module(CALLS);
    let limit = Limit { runs: 7, changes: None };
    let outcome = Runner::new().limit(Some(limit)).run(&mut module, &declarations, &steps);
    let numbers: Vec<usize> = outcome.runs.iter().map(|run| run.number).collect();
    // The first restart has the numbers 7 and 8.
    assert_eq!(numbers, [1, 3, 5, 7]);
}

#[test]
fn a_function_with_an_error_does_not_start_again() {
    let fail = |cx: &mut FunctionContext<'_>| {
        cx.report(None, "an error");
        cx.restart();
    };
    let (_, outcome) = run_with(1, CALLS, &[Pass::function("fail", "Reports an error", &fail).into()]);
    assert_eq!(outcome.runs.len(), 3);
}

#[test]
fn functions_that_are_added_come_before_a_restart() {
    let add = |cx: &mut FunctionContext<'_>| {
        let name = Symbol::new("leaf_special");
        if cx.function().name == "leaf" {
            let special = cx.program().function_id(name).and_then(|id| cx.program().definition(id).body());
            cx.print(&format!("{}\n", special.map_or(0, |body| body.insts().count())));
            if special.is_none() {
                let mut function = cx.function().clone();
                function.name = name;
                cx.add_function(function);
                cx.restart();
            }
        }
    };
    let steps: [PipelineStep<'_>; 2] = [
        Pass::function("add", "Adds a function", &add).into(),
        Pass::function("grow", "Adds an instruction", &grow).into(),
    ];
    let (_, outcome) = run_with(1, CALLS, &steps);
    assert_eq!(outcome.output.text(Stream::Out), "0\n3\n");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    // Many functions that call each other, each of which adds another one.
    let mut text = "sil_stage canonical\n".to_owned();
    for i in 0..60 {
        text += &format!("sil @f{i} : $@convention(thin) () -> () {{\nbb0:\n");
        for (at, callee) in [(i * 7 + 3) % 60, i / 2].into_iter().enumerate() {
            text += &format!("  %r{at} = function_ref @f{callee} : $@convention(thin) () -> ()\n");
            text += &format!("  %a{at} = apply %r{at}() : $@convention(thin) () -> ()\n");
        }
        text += "  %t = tuple ()\n  return %t\n}\n";
    }
    let again = |cx: &mut FunctionContext<'_>| {
        // Some functions start again, some of those that are added too, and not all equally often.
        let name = cx.function().name.as_str();
        if cx.body().insts().count() < 6 + name.len() % 3 {
            cx.restart();
        }
    };
    let steps: [PipelineStep<'_>; 5] = [
        Pass::function("look", "Reads callees", &look).into(),
        Pass::function("copy", "Copies functions", &copy).into(),
        Pass::function("grow", "Adds an instruction", &grow).into(),
        Pass::function("again", "Requests restarts", &again).into(),
        Pass::function("look-again", "Reads callees", &look).into(),
    ];
    let shown = |threads| {
        let (module, outcome) = run_with(threads, &text, &steps);
        let runs: Vec<_> = outcome.runs.iter().map(|r| (r.number, r.tag.clone(), r.function)).collect();
        (silkit_pass::testing::code(&module), outcome.output.text(Stream::Out), runs)
    };
    let one = shown(1);
    assert_eq!(one, shown(2));
    assert_eq!(one, shown(4));
}

#[test]
fn functions_are_added_in_front_of_others_with_any_number_of_threads() {
    let text: String = std::iter::once("sil_stage canonical\n".to_owned())
        .chain((0..20).map(|i| {
            let callee = (i * 7 + 3) % 20;
            format!(
                "sil @f{i} : $@convention(thin) () -> () {{\nbb0:\n  %0 = function_ref @f{callee} : $@convention(thin) () -> ()\n  \
                 %1 = apply %0() : $@convention(thin) () -> ()\n  return %1\n}}\n"
            )
        }))
        .collect();
    // Each function adds two, which stand in front of its callee or of itself, and one at the end. Copies add nothing.
    let specialize = |cx: &mut FunctionContext<'_>| {
        let name = cx.function().name;
        if name.as_str().contains('_') {
            return;
        }
        let scope = Scope { id: 0, loc: None, parent: None, inlined_at: None };
        let scope = cx.add_scope(scope);
        let callee = cx.body().insts().find_map(|inst| cx.body().view_as::<FunctionRef>(inst));
        let callee = callee.and_then(|callee| cx.program().function_id(callee.function)).expect("a callee");
        for (kind, other) in [("callee", Some(callee)), ("own", Some(cx.id())), ("end", None)] {
            let mut function = cx.function().clone();
            function.name = Symbol::new(&format!("{name}_{kind}"));
            let body = function.body.as_mut().expect("a body");
            body.map_scopes(|_| scope);
            match other {
                Some(other) => cx.add_function_before(function, other),
                None => cx.add_function(function),
            }
        }
        cx.report(None, name.as_str());
    };
    let shown = |threads: usize| {
        let (mut module, declarations) = module(&text);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let grow = Pass::function("grow", "Adds an instruction", &grow).into();
        let step = Pass::function("specialize", "Adds functions", &specialize).into();
        let run =
            || Runner::new().continues_after_errors(true).run(&mut module, &declarations, &[step, grow]);
        let outcome = pool.install(run);
        let reported = |problem: &Problem| {
            let function = problem.function.expect("a function");
            (function.as_str() == problem.message).then_some(())
        };
        assert_eq!(
            outcome.problems.iter().filter_map(reported).count(),
            20,
            "problems follow their functions"
        );
        let runs: Vec<_> = outcome.runs.iter().map(|r| (r.number, r.tag.clone(), r.function)).collect();
        (silkit_pass::testing::code(&module), module.scopes.clone(), runs, module)
    };
    let (code, scopes, runs, module) = shown(1);
    for threads in [2, 8] {
        let other = shown(threads);
        assert_eq!((&code, &scopes, &runs), (&other.0, &other.1, &other.2));
    }
    let names: Vec<&str> = module.functions.values().map(|f| f.name.as_str()).collect();
    let at = |name: &str| names.iter().position(|&other| other == name).expect("a function");
    // `f3` is called by `f0`.
    let front: std::collections::BTreeSet<&str> = names[at("f2") + 1..at("f3")].iter().copied().collect();
    assert_eq!(front, ["f0_callee", "f3_own"].into());
    assert!(names[60..].iter().all(|name| name.ends_with("_end")), "{names:?}");
}

#[test]
fn changes_of_headers_are_changes() {
    let mark = |cx: &mut FunctionContext<'_>| {
        if cx.function().name == "leaf" {
            cx.function_mut().attributes.semantics.push(Symbol::new("marked"));
        } else {
            // Asking to change something is no change.
            cx.function_mut();
        }
    };
    let (_, outcome) = run_with(1, CALLS, &[Pass::function("mark", "Marks a function", &mark).into()]);
    let changed: Vec<bool> = outcome.runs.iter().map(|run| run.has_changed).collect();
    assert_eq!(changed, [true, false, false]);
}

/// Counts how often it is computed.
struct Counted;

static COMPUTED: AtomicUsize = AtomicUsize::new(0);

impl Analysis for Counted {
    const DEPENDS_ON: Changes = Changes::INSTRUCTIONS;

    fn compute(_: &BodyView<'_>) -> Self {
        COMPUTED.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

#[test]
fn analyses_are_kept_behind_module_passes_that_change_nothing() {
    let ask = |cx: &mut FunctionContext<'_>| _ = cx.get::<Counted>();
    let print = |cx: &mut ModuleContext<'_>| cx.print("seen\n");
    let ask_to_change = |cx: &mut ModuleContext<'_>| _ = cx.module_mut();
    let change = |cx: &mut ModuleContext<'_>| {
        cx.module_mut().functions.values_mut().for_each(|f| f.linkage = silkit_ir::Linkage::Hidden);
    };
    let step = || Pass::function("ask", "Asks", &ask).into();
    let look = || Pass::module("look", "Prints", &print).into();
    run_with(1, CALLS, &[step(), look(), step()]);
    assert_eq!(COMPUTED.swap(0, Ordering::Relaxed), 3, "once for each function");
    run_with(1, CALLS, &[step(), Pass::module("ask", "May change", &ask_to_change).into(), step()]);
    assert_eq!(COMPUTED.swap(0, Ordering::Relaxed), 3, "kept behind a pass that used its access for nothing");
    run_with(1, CALLS, &[step(), Pass::module("change", "Changes headers", &change).into(), step()]);
    assert_eq!(COMPUTED.swap(0, Ordering::Relaxed), 6, "again behind a pass that changed the module");
}

#[test]
fn changes_of_tables_are_changes() {
    let text = "sil_stage canonical\nclass C {}\nsil @f : $@convention(method) (@guaranteed C) -> ()\n\
        sil_vtable C {\n  #C.f: (C) -> () -> () : @f\n}\nsil_global @g : $Builtin.Int64\n";
    let nothing = |cx: &mut ModuleContext<'_>| _ = cx.module_mut();
    let table = |cx: &mut ModuleContext<'_>| {
        cx.module_mut().vtables.values_mut().for_each(|table| table.entries.clear());
    };
    let global = |cx: &mut ModuleContext<'_>| {
        let globals = &mut cx.module_mut().globals;
        let first = globals.keys().next().expect("a variable");
        globals.rekey(first, |global| global.name = Symbol::new("h"));
    };
    let linkage = |cx: &mut ModuleContext<'_>| {
        let id = cx.module().functions.keys().next().expect("a function");
        cx.module_mut().functions[id].linkage = silkit_ir::Linkage::Hidden;
    };
    let steps: [PipelineStep<'_>; 4] = [
        Pass::module("nothing", "Changes nothing", &nothing).into(),
        Pass::module("table", "Empties a table", &table).into(),
        Pass::module("global", "Renames a variable", &global).into(),
        Pass::module("linkage", "Changes a linkage", &linkage).into(),
    ];
    let (_, outcome) = run_with(1, text, &steps);
    let changed: Vec<bool> = outcome.runs.iter().map(|run| run.has_changed).collect();
    assert_eq!(changed, [false, true, true, true]);
}

#[test]
fn changes_of_anything_in_a_module_are_changes() {
    let text = "sil_stage canonical\nimport Builtin\nimport Swift\nclass C {}\nprotocol P { func f() }\n\
        struct S : P {}\nstruct M : ~Copyable { deinit }\n\
        sil @f : $@convention(thin) () -> ()\nsil @d : $@convention(method) (@owned M) -> ()\n\
        sil_global @g : $Builtin.Int64\nsil_vtable C {\n}\n\
        sil_witness_table S: P module m {\n}\nsil_default_witness_table P {\n}\n\
        sil_property #S.p ()\nsil_moveonlydeinit M { @d }\n\
        sil_scope 1 { loc \"a.swift\":1:1 parent @f : $@convention(thin) () -> () }\n";
    type Change = fn(&mut Module);
    let changes: Vec<(&str, Change)> = vec![
        ("functions", |m| {
            let first = m.functions.keys().next().expect("a function");
            m.functions[first].attributes.semantics.push(Symbol::new("x"));
        }),
        ("a new function", |m| {
            let mut function = m.functions.values().next().expect("a function").clone();
            function.name = Symbol::new("new");
            m.functions.push(function);
        }),
        ("globals", |m| m.globals.values_mut().for_each(|g| g.linkage = silkit_ir::Linkage::Hidden)),
        ("vtables", |m| {
            let mut table = m.vtables.values().next().expect("a table").clone();
            table.class = silkit_ir::ClassRef::Name(Symbol::new("D"));
            m.vtables.push(table);
        }),
        ("properties", |m| m.properties.clear()),
        ("deinits", |m| m.deinits.clear()),
        ("scopes", |m| m.scopes.clear()),
    ];
    for (name, change) in changes {
        let pass = move |cx: &mut ModuleContext<'_>| change(cx.module_mut());
        let (_, outcome) = run_with(1, text, &[Pass::module("change", "", &pass).into()]);
        assert!(outcome.runs[0].has_changed, "{name}");
    }
}

#[test]
fn debug_scopes_that_passes_add_stay_apart() {
    // Each function gets an instruction in a scope of its own, all at the same time.
    let mut text = String::from("sil_stage canonical\n");
    for n in 0..4 {
        text += &format!(
            "sil_scope {s} {{ loc \"a.swift\":{s}:1 parent @f{n} : $@convention(thin) () -> () }}\n\
             sil @f{n} : $@convention(thin) () -> () {{\nbb0:\n  %0 = tuple (), loc \"a.swift\":{s}:2, scope {s}\n  \
             return %0, loc \"a.swift\":{s}:3, scope {s}\n}}\n",
            s = n + 1
        );
    }
    let add = |cx: &mut FunctionContext<'_>| {
        let body = cx.body();
        let inst = body.insts().next().expect("an instruction");
        let loc = body.loc(body.inst(inst).loc).expect("a location");
        let used = body.used_scopes();
        let map = cx.inline_scopes(used, loc.scope);
        let scope = map.get(loc.scope);
        let loc = cx.edit().new_loc(silkit_ir::LocData { scope, ..loc });
        let mut builder = cx.at(Point::Before(inst));
        builder.set_default_loc(loc);
        builder.integer_literal(SilType::object(Type::builtin("Int64")), "1");
    };
    let steps: [PipelineStep<'_>; 1] = [Pass::function("add", "", &add).into()];
    let (one, _) = run_with(1, &text, &steps);
    assert_eq!(one.scopes.len(), 8);
    let mut seen = std::collections::BTreeSet::new();
    for function in one.functions.values() {
        let body = function.body.as_ref().expect("a body");
        let scopes = body.used_scopes();
        assert_eq!(scopes.len(), 2, "{scopes:?}");
        assert!(scopes.into_iter().all(|scope| seen.insert(scope)), "no scope is that of two functions");
    }
    let (two, _) = run_with(2, &text, &steps);
    assert_eq!(format!("{:?}", one.scopes), format!("{:?}", two.scopes));
}
