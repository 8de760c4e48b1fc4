//! What passes see of the function, the module and their surroundings.

use silkit_base::Symbol;
use silkit_ir::{Function, Global, Linkage, Module, Opcode, VTable, WitnessTable};
use silkit_pass::{
    FunctionContext, LibrarySource, ModuleContext, Pass, PassOptions, PassOutcome, PipelineStep, Printing,
    Problem, ProblemLocation, Runner, Severity, Stream, bottom_up, on_function,
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
        assert!(cx.options().is_on("wmo"));
        assert!(cx.library().is_some());
        assert_eq!((cx.printing().demangle)("f").as_deref(), Some("readable f"));
        assert_eq!(cx.program().module.functions[cx.id()].name, cx.function().name);
        let first = cx.body().insts().next().expect("an instruction");
        let shown = cx.dump().inst(first, "").to_string();
        cx.print(&format!("{shown}\n"));
        cx.complain("complaint\n");
    };
    let (_, outcome) = run(Pass::function("look", "Looks", &look).into());
    assert_eq!(outcome.output.text(Stream::Err), "complaint\ncomplaint\n");
    let text = outcome.output.text(Stream::Out);
    assert!(text.contains("tuple ()") && text.contains("readable callee"), "{text}");
}

#[test]
fn a_module_pass_sees_its_surroundings() {
    let look = |cx: &mut ModuleContext<'_>| {
        assert!(cx.declarations().nominal_of(point(cx.module())).is_some());
        assert!(cx.options().is_on("wmo"));
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
    let (_, outcome) = run(Pass::module("look", "Looks", &look).into());
    assert_eq!(outcome.output.text(Stream::Err), "complaint\n");
    let text = outcome.output.text(Stream::Out);
    assert!(text.contains("readable callee"), "{text}");
    assert_eq!(outcome.counts[&("look".to_owned(), "looks")], 5);
    assert!(!outcome.runs[0].has_changed);
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
    let (module, outcome) = run(Pass::function("complain", "Complains", &complain).into());
    let shown = |problem: &Problem| {
        let function = problem.function.map(|id| module.functions[id].name.to_string());
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
    for goes_on in [false, true] {
        let mut module = silkit_text::parse_module(TEXT).module;
        let declarations = silkit_text::decl::declarations(&module);
        let outcome = Runner::new().goes_on(goes_on).run(&mut module, &declarations, &steps);
        assert_eq!(outcome.was_stopped, !goes_on);
        assert_eq!(outcome.output.text(Stream::Out), if goes_on { "seen\n" } else { "" });
        assert!(outcome.problems.iter().all(Problem::is_error));
    }
}

/// The functions of a text, as a library.
struct Text(Module);

impl LibrarySource for Text {
    fn header(&self, name: Symbol) -> Option<Function> {
        self.0
            .functions
            .by_key(&name)
            .map(|f| Function { body: f.body.is_some().then(Default::default), ..f.header() })
    }

    fn function(&self, name: Symbol) -> Option<Function> {
        self.0.functions.by_key(&name).cloned()
    }

    fn global(&self, name: Symbol) -> Option<Global> {
        self.0.globals.by_key(&name).cloned()
    }

    fn witness_table(&self, _: Symbol, _: Symbol) -> Option<Arc<WitnessTable>> {
        self.0.witness_tables.values().next().cloned().map(Arc::new)
    }

    fn vtable(&self, _: Symbol) -> Option<Arc<VTable>> {
        None
    }
}

fn library(linkage: &str) -> Text {
    let text = format!(
        "sil_stage canonical\n\
         sil_global {linkage} [serialized] @global : $Int\n\
         sil {linkage} [serialized] [ossa] @loaded : $@convention(thin) () -> () {{\n\
         bb0:\n  %0 = function_ref @other : $@convention(thin) () -> ()\n  \
         %1 = global_addr @global : $*Int\n  %2 = tuple (), loc \"b.swift\":1:1\n  return %2\n}}\n\
         sil {linkage} [ossa] @other : $@convention(thin) () -> () {{\nbb0:\n  %0 = tuple ()\n  return %0\n}}\n"
    );
    let parsed = silkit_text::parse_module(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    Text(parsed.module)
}

#[test]
fn what_is_loaded_gets_the_linkage_of_something_external() {
    for (linkage, loaded, declared, global) in [
        ("", Linkage::PublicExternal, Linkage::Default, Linkage::PublicExternal),
        ("hidden", Linkage::HiddenExternal, Linkage::Default, Linkage::PublicExternal),
        ("package", Linkage::PackageExternal, Linkage::Default, Linkage::PublicExternal),
        ("non_abi", Linkage::Shared, Linkage::HiddenExternal, Linkage::PublicExternal),
        ("package_non_abi", Linkage::Shared, Linkage::Default, Linkage::PublicExternal),
        ("shared", Linkage::Shared, Linkage::HiddenExternal, Linkage::Shared),
        ("private", Linkage::PublicExternal, Linkage::Default, Linkage::PublicExternal),
    ] {
        let library = library(linkage);
        let mut module = silkit_text::parse_module("sil_stage canonical\n").module;
        let id =
            silkit_pass::library::load(&mut module, &library, Symbol::new("loaded")).expect("it is loaded");
        assert_eq!(module.functions[id].linkage, loaded, "{linkage}");
        let other = module.functions.by_key(&Symbol::new("other")).expect("it is declared");
        assert!(other.body.is_none() && !other.has_ossa(), "{linkage}");
        assert_eq!(other.linkage, declared, "{linkage}");
        let found = module.globals.by_key(&Symbol::new("global")).expect("it is declared");
        assert_eq!(found.linkage, global, "{linkage}");
        assert_eq!(found.attributes.serialized, silkit_ir::Serialized::No, "{linkage}");
        assert!(module.functions[id].has_ossa());
        // A second time there is nothing to load.
        assert_eq!(silkit_pass::library::load(&mut module, &library, Symbol::new("loaded")), None);
        assert_eq!(silkit_pass::library::load(&mut module, &library, Symbol::new("nowhere")), None);
        assert_eq!(silkit_pass::library::declare(&mut module, &library, Symbol::new("loaded")), Some(id));
        assert_eq!(silkit_pass::library::declare(&mut module, &library, Symbol::new("nowhere")), None);
    }
}

#[test]
fn a_declaration_keeps_its_attributes_and_effects() {
    let text = "sil_stage raw\n\
                sil [noinline] @loaded : $@convention(thin) () -> () {\n[global: read]\n}\n";
    let mut module = silkit_text::parse_module(text).module;
    let id =
        silkit_pass::library::load(&mut module, &library(""), Symbol::new("loaded")).expect("it is loaded");
    let code = silkit_pass::testing::code(&module);
    let head = code.lines().find(|line| line.contains("@loaded")).expect("a function");
    assert_eq!(
        head,
        "sil public_external [serialized] [noinline] [canonical] [ossa] @loaded : $@convention(thin) () -> () {"
    );
    assert!(code.contains("[global: read]"), "{code}");
    let body = module.functions[id].body.as_ref().expect("a body");
    let is_elsewhere =
        |inst| body.loc(body.inst(inst).loc).and_then(|at| at.source) == Some(silkit_ir::SourceLoc::NOWHERE);
    assert!(body.insts().all(is_elsewhere));
}
