//! Transformations of calls and closures, and linking.

use super::{Question, changed};
use silkit_analysis::testing::{Names, list};
use silkit_base::Symbol;
use silkit_ir::{Function, Global, Inst, Module, Point, SourceLoc, VTable, WitnessTable, WitnessTableOf};
use silkit_pass::linker::{self, Mode};
use silkit_pass::{FunctionContext, LibrarySource, Pass, Runner, Stream, testing};
use silkit_text::{decl::declarations, parse_module};
use silkit_transform::callee::{self, NewCallee};
use silkit_transform::closures::{DeadCaptures, KnownCallee, delete_dead, delete_dead_box, keep_alive};
use silkit_transform::{devirtualize as methods, lexical as lifetimes, redundant_borrow as borrows};
use silkit_types::decl::Declarations;
use std::sync::Arc;

/// Tells the callee of a call, `known bb0.1`, or calls it `direct bb0.1`; deletes `dead bb0.1` closures, and a `box bb0.2`
/// by its load.
pub(crate) fn closures(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for words in questions {
            let inst = names.find_inst(&words[1]);
            let mut removed = Vec::new();
            let said = match words[0].as_str() {
                "known" => known(cx, names, inst),
                "direct" => direct(cx, inst),
                "dead" => {
                    let is_deleted =
                        delete_dead(cx, inst, DeadCaptures::Early, &mut |_, inst| removed.push(inst));
                    format!("{is_deleted}: {}", names.insts(removed))
                }
                "box" => {
                    let stored = delete_dead_box(cx, inst, &mut |_, inst| removed.push(inst));
                    let stored = stored.map_or("-".to_owned(), |value| names.value(value));
                    format!("{stored}: {}", names.insts(removed))
                }
                other => panic!("unknown word `{other}`"),
            };
            cx.print(&format!("{}: {said}\n", words[1]));
        }
    })
}

fn known(cx: &FunctionContext<'_>, names: &Names, call: Inst) -> String {
    let Some(callee) = KnownCallee::of(cx, call) else { return "-".to_owned() };
    let function = cx.program().module.functions[callee.function].name;
    let closure = callee.closure.map_or("-".to_owned(), |inst| names.inst(inst));
    let conventions = list(callee.captures.iter().map(|convention| format!("{convention:?}")));
    format!(
        "@{function} with {}, captured {} as {conventions}, closure {closure}, takes memory {}",
        names.values(callee.arguments.iter().copied()),
        names.values(callee.captured().iter().copied()),
        callee.takes_memory(cx.body()),
    )
}

/// Calls the function of a closure directly.
fn direct(cx: &mut FunctionContext<'_>, call: Inst) -> String {
    let Some(mut known) = KnownCallee::of(cx, call) else { return "-".to_owned() };
    keep_alive(cx, call, &mut known);
    let function = &cx.program().module.functions[known.function];
    let (name, ty) = (function.name, function.ty);
    let mut builder = cx.at(Point::Before(call));
    let callee = builder.function_ref(name, ty);
    let (substitutions, arguments) = (&known.substitutions[..], &known.arguments[..]);
    callee::change(&mut builder, call, &NewCallee { callee, ty, substitutions, arguments });
    format!("@{name}")
}

/// Calls methods directly: `bb0.1`.
pub(crate) fn devirtualize(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for word in questions.iter().flatten() {
            let call = names.find_inst(word);
            let target = methods::target(cx, call);
            cx.print(&format!("{word}: {}\n", if target.is_some() { "known" } else { "-" }));
            if let Some(target) = target {
                target.call(cx, call);
            }
        }
    })
}

/// Calls something else: `change bb0.1 %2 %3` with the callee and the arguments, or `replace`.
pub(crate) fn callee(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for words in questions {
            let call = names.find_inst(&words[1]);
            let values: Vec<_> = words[2..].iter().map(|word| names.find_value(word)).collect();
            let (callee, ty) = (values[0], cx.body().value(values[0]).ty);
            let new = NewCallee { callee, ty, substitutions: &[], arguments: &values[1..] };
            let mut builder = cx.at(Point::Before(call));
            match words[0].as_str() {
                "change" => callee::change(&mut builder, call, &new),
                "replace" => {
                    let made = callee::replace_apply(&mut builder, call, &new);
                    let is_new = made.is_some_and(|made| made != call);
                    cx.print(&format!("{}: {is_new}\n", words[1]));
                }
                other => panic!("unknown word `{other}`"),
            }
        }
    })
}

/// Removes borrows: `bb0.1`.
pub(crate) fn redundant_borrow(input: &str) -> String {
    changed(input, &|cx, names, questions| {
        for word in questions.iter().flatten() {
            let is_removed = borrows::remove(cx, names.find_inst(word));
            cx.print(&format!("{word}: {is_removed}\n"));
        }
    })
}

/// Prints the values with lexical lifetimes.
pub(crate) fn lexical(input: &str) -> String {
    changed(input, &|cx, names, _| {
        let is_lexical =
            |&value: &_| lifetimes::is_lexical(cx.function(), cx.body(), cx.declarations(), value);
        let found = names.values(names.all_values().iter().copied().filter(is_lexical));
        cx.print(&format!("lexical: {found}\n"));
    })
}

/// Links: `needed`, `all`, `witnesses`, `load NAME`, `table TYPE PROTOCOL`, `request-body NAME`,
/// `request-table TYPE PROTOCOL`, or `places NAME`: how many instructions of a
/// body stand somewhere. The library follows a line `// library`. Prints the functions, with
/// `{` at the end of those that have bodies.
pub(crate) fn linker(input: &str) -> String {
    let (input, library) = input.split_once("// library\n").expect("a library");
    let library = module(library);
    let mut module = module(input);
    let own = declarations(&module);
    let library = Texts { declarations: declarations(&library), module: library };
    let mut text = String::new();
    let questions = input.lines().map_while(|line| line.strip_prefix("// "));
    for words in questions.map(|q| q.split_whitespace().map(str::to_owned).collect::<Question>()) {
        let name = |index: usize| Symbol::new(&words[index]);
        let said = match words[0].as_str() {
            "needed" => linker::link(&mut module, &own, &library, Mode::Needed).to_string(),
            "all" => linker::link(&mut module, &own, &library, Mode::All).to_string(),
            "witnesses" => linker::link_witnesses(&mut module, &own, &library).to_string(),
            "load" => linker::load(&mut module, &own, &library, name(1))
                .map_or("-".to_owned(), |id| format!("@{}", module.functions[id].name)),
            "places" => {
                let body = module.functions.by_key(&name(1)).and_then(|f| f.body.as_ref()).expect("a body");
                let at = |inst| body.loc(body.inst(inst).loc).map(|at| (at.source, at.scope));
                let is_nowhere = |inst| at(inst) == Some((Some(SourceLoc::NOWHERE), silkit_ir::NONE));
                body.insts().filter(|&inst| !is_nowhere(inst)).count().to_string()
            }
            "request-body" => {
                let request = |cx: &mut FunctionContext<'_>| linker::request_body(cx, name(1));
                requested(&mut module, &own, &library, &request)
            }
            "request-table" => {
                let names = (name(1), name(2));
                let request = |cx: &mut FunctionContext<'_>| linker::request_witness_table(cx, names);
                requested(&mut module, &own, &library, &request)
            }
            "table" => {
                linker::load_witness_table(&mut module, &own, &library, (name(1), name(2))).to_string()
            }
            other => panic!("unknown word `{other}`"),
        };
        text += &format!("{}: {said}\n", words[0]);
    }
    for line in testing::code(&module).lines().filter(|line| line.starts_with("sil ")) {
        text += &format!("{line}\n");
    }
    text
}

/// Runs a pass that requests something from a library, and returns what each run says: the function, and whether
/// something was requested.
fn requested(
    module: &mut Module,
    declarations: &Declarations,
    library: &Texts,
    request: &(dyn Fn(&mut FunctionContext<'_>) -> bool + Sync),
) -> String {
    let run = |cx: &mut FunctionContext<'_>| {
        let is_new = request(cx);
        let name = cx.function().name;
        cx.print(&format!(" {name} {is_new}"));
    };
    let pass = Pass::function("request", "Requests", &run).mandatory();
    let runner = Runner::new().library(Some(library));
    runner.run(module, declarations, &[pass.into()]).output.text(Stream::Out)
}

fn module(text: &str) -> Module {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?} in\n{text}", parsed.errors);
    parsed.module
}

/// A library from text.
struct Texts {
    module: Module,
    declarations: Declarations,
}

impl LibrarySource for Texts {
    fn header(&self, name: Symbol) -> Option<Function> {
        self.module.functions.by_key(&name).cloned()
    }

    fn function(&self, name: Symbol) -> Option<Function> {
        self.module.functions.by_key(&name).cloned()
    }

    fn global(&self, name: Symbol) -> Option<Global> {
        self.module.globals.by_key(&name).cloned()
    }

    fn witness_table(&self, ty: Symbol, protocol: Symbol) -> Option<Arc<WitnessTable>> {
        let mut tables = self.module.witness_tables.values();
        let table = tables.find(|table| match &table.of {
            WitnessTableOf::Conformance(silkit_ir::Conformance::Normal { ty: own, protocol: of, .. }) => {
                let path = |ty| self.declarations.path_of(ty);
                path(*own) == Some(ty) && path(*of) == Some(protocol)
            }
            _ => false,
        });
        table.cloned().map(Arc::new)
    }

    fn vtable(&self, class: Symbol) -> Option<Arc<VTable>> {
        self.module.vtables.by_key(&silkit_ir::ClassRef::Name(class)).cloned().map(Arc::new)
    }
}
