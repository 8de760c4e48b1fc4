//! What analyses of programs say: callees, callers, effects, accesses, proofs.

use super::memory::effects;
use super::{Subject, each_view, list, optional, with_program};
use silkit_analysis::access::{argument_accesses, function_accesses};
use silkit_analysis::calls::{
    BottomUp, CallEdges, CallGraph, Callers, ClassHierarchy, FunctionUses, LocalUses, never_returns,
};
use silkit_analysis::escape_effects::escape_effects;
use silkit_analysis::proofs::{EffectRecorder, Proofs};
use silkit_analysis::side_effects::{NoWitness, declared_effects, has_computed_effects, side_effects};
use silkit_analysis::{Effects, SideEffects};
use silkit_ir::{FunctionId, Opcode};

fn all_effects(of: Effects) -> String {
    let more = [(Effects::ALLOCATE, "allocates"), (Effects::DEINIT_BARRIER, "barrier")];
    let names = more.iter().filter(|(effect, _)| of.contains(*effect)).map(|(_, name)| (*name).to_owned());
    list(Some(effects(of)).into_iter().filter(|e| !e.is_empty()).chain(names))
}

fn side(effects: &SideEffects) -> String {
    let arguments = effects.arguments.iter().map(|argument| format!("{argument:?}"));
    format!("global {}, arguments {}", all_effects(effects.global), list(arguments))
}

/// Returns the effects of each function from its body, and which of its instructions are barriers.
pub(crate) fn effects_of(input: &str) -> String {
    let subject = Subject::parse(input);
    let mut text = with_program(&subject, |program| {
        let mut text = String::new();
        for function in program.module.functions.values() {
            let computed = if has_computed_effects(function, program.release()) { ", computed" } else { "" };
            let declared = all_effects(declared_effects(function));
            text += &format!("@{} says {declared}{computed}\n", function.name);
        }
        text
    });
    text += &each_view(&subject, |view, names| {
        let mut text = format!("side: {}\n", side(&side_effects(*view, &mut NoWitness)));
        for escape in escape_effects(*view, &view.function.effects.escapes) {
            text += &format!("escape: {escape:?}\n");
        }
        let barriers = view.body.insts().filter(|&i| view.is_deinit_barrier(i));
        text += &format!("barriers: {}\n", names.insts(barriers));
        text
    });
    text
}

/// Callees of calls and of destructions, callers, uses and the order of functions.
pub(crate) fn calls(input: &str) -> String {
    let subject = Subject::parse(input);
    let mut text = String::new();
    text += &with_program(&subject, |program| {
        let name = |id: FunctionId| program.module.functions[id].name.to_string();
        let all = |ids: &mut dyn Iterator<Item = FunctionId>| list(ids.map(name));
        let callers = Callers::new(program);
        let uses = FunctionUses::new(program);
        let edges = program.module.functions.keys().map(|f| CallEdges::new(program.callee_analysis(), f));
        let graph = CallGraph::from_edges(edges.collect());
        let order = BottomUp::new(&graph);
        let mut text = String::new();
        for id in program.module.functions.keys() {
            let of = callers.of(id);
            let elsewhere = if uses.is_used_elsewhere(id) { ", used elsewhere" } else { "" };
            let named = uses.of(id).iter().map(|u| name(u.function));
            text += &format!(
                "@{}: callers {}, capturers {}, complete {}/{}, has caller {}, least {}, named in {}{elsewhere}\n",
                name(id),
                all(&mut of.callers()),
                all(&mut of.capturers()),
                of.is_complete(),
                of.is_complete_where_named(),
                of.has_caller(),
                of.least_captured(),
                list(named)
            );
        }
        for (number, group) in order.groups().iter().enumerate() {
            text += &format!("group {number}: {}\n", all(&mut group.iter().copied()));
        }
        for (number, step) in order.steps(&graph).iter().enumerate() {
            text += &format!("step {number}: {}\n", all(&mut step.iter().copied()));
        }
        text + &format!("order: {}\n", all(&mut order.functions()))
    });
    text + &each_view(&subject, |view, names| {
        let analysis = view.program.callee_analysis();
        let name = |id: &FunctionId| view.program.module.functions[*id].name.to_string();
        let mut text = String::new();
        for inst in view.body.insts() {
            let opcode = view.body.inst(inst).opcode;
            let callees = match opcode {
                Opcode::DestroyValue | Opcode::StrongRelease | Opcode::DestroyAddr => {
                    let ty = view.ty(view.body.operand_value(inst, 0));
                    let exact = analysis.destructors(ty, true);
                    let exact = (list(exact.known.iter().map(name)), exact.is_complete);
                    text += &format!("{} exactly: {} {}\n", names.inst(inst), exact.0, exact.1);
                    analysis.destructors(ty, false)
                }
                _ if view.body.info(inst).apply.is_some() => analysis.of_site(view.body, inst),
                _ => continue,
            };
            let bodies = callees.all_have_bodies(view.program.module);
            let known = list(callees.known.iter().map(name));
            text += &format!(
                "{}: {known}, complete {}, bodies {bodies}\n",
                names.inst(inst),
                callees.is_complete
            );
        }
        let endless = view.body.insts().filter(|&inst| never_returns(view, inst));
        text += &format!("never return: {}\n", names.insts(endless));
        for inst in view.body.insts().filter(|&i| view.body.inst(i).opcode.is_function_ref()) {
            let local = LocalUses::of(view, inst);
            let (calls, closures) = (names.insts(local.calls), names.insts(local.closures));
            text += &format!(
                "{}: calls {calls}, closures {closures}, escapes {}\n",
                names.inst(inst),
                local.escapes
            );
        }
        for &value in names.all_values() {
            let origin = view.body.callee_origin(value);
            if origin != value {
                text += &format!("{} is the function {}\n", names.value(value), names.value(origin));
            }
        }
        text
    })
}

/// Classes and what inherits from them, in one file of a module and in the whole of it.
pub(crate) fn classes(input: &str) -> String {
    let subject = Subject::parse(input);
    let mut text = String::new();
    for is_whole in [false, true] {
        let visibility = silkit_analysis::calls::Visibility::new(&subject.declarations, is_whole);
        let classes = ClassHierarchy::new(visibility);
        for decl in subject.declarations.own().nominals().filter(|d| d.is_class()) {
            let all = |names: Vec<silkit_base::Symbol>| list(names.iter().map(|n| n.to_string()));
            text += &format!(
                "{}: inherits from {}, directly {}, subclasses {}, directly {}, closed {}, of Base {}\n",
                decl.path,
                all(classes.superclasses(decl.path).collect()),
                optional(classes.superclass(decl.path).map(|c| c.to_string())),
                all(classes.subclasses(decl.path)),
                all(classes.direct_subclasses(decl.path).to_vec()),
                classes.is_closed(decl.path),
                classes.inherits(decl.path, silkit_base::Symbol::new("Base"))
            );
        }
        let entries = subject.module.vtables.values().flat_map(|table| &table.entries);
        for method in entries.map(|entry| entry.method) {
            let (is_closed, elsewhere) =
                (visibility.is_closed(method), visibility.may_be_called_elsewhere(method));
            text += &format!("{method}: closed {is_closed}, called elsewhere {elsewhere}\n");
        }
    }
    text
}

/// Returns the formal accesses of functions, and those to what closures captured.
pub(crate) fn formal(input: &str) -> String {
    let subject = Subject::parse(input);
    with_program(&subject, |program| {
        let (functions, captures) = (function_accesses(program), argument_accesses(program));
        let mut text = String::new();
        for (id, function) in program.module.functions.iter() {
            text += &format!("@{}\n", function.name);
            for access in &functions[id].known {
                let nested = if access.no_nested_conflict { ", no nested conflict" } else { "" };
                let within = program.module.functions[access.function].name;
                let owner = program.module.functions[access.function].name;
                text += &format!(
                    "  {:?} {:?} in @{within}, base in @{owner}{nested}\n",
                    access.kind, access.storage.kind
                );
            }
            text += &format!("  unidentified: {:?}\n", functions[id].unidentified);
            for (index, argument) in captures[id].iter().enumerate() {
                let parts = argument.parts().map(|(names, kind)| {
                    let path: Vec<String> = names.iter().map(|n| n.to_string()).collect();
                    format!("[{}]{kind:?}", path.join("."))
                });
                text += &format!("  argument {index}: {}\n", list(parts));
            }
        }
        text
    })
}

/// Returns what functions may do, with the calls that prove it.
pub(crate) fn proofs(input: &str) -> String {
    let subject = Subject::parse(input);
    with_program(&subject, |program| {
        let mut recorded = Vec::new();
        for id in program.module.functions.keys() {
            let Some(view) = program.body_view(id) else { continue };
            let mut recorder = EffectRecorder::new(id, view);
            side_effects(view, &mut recorder);
            recorded.push((id, recorder.finish()));
        }
        let proofs = Proofs::new(program.module, recorded);
        let mut text = String::new();
        for (id, function) in program.module.functions.iter() {
            for fact in proofs.facts(id) {
                let proof = proofs.proof(id, fact).expect("a proof");
                assert_eq!(proofs.verdict(id, fact), Some(proof.is_proved));
                let steps = proof.steps.iter().map(|s| program.module.functions[s.function].name.to_string());
                let reason = proof.reason.function().map(|f| program.module.functions[f].name.to_string());
                let sure = if proof.is_proved { "proved" } else { "not excluded" };
                let argument = fact.argument().map(|a| format!(" {a}")).unwrap_or_default();
                text += &format!(
                    "@{} {}{argument}: {sure} by {}, {}\n",
                    function.name,
                    fact.name(),
                    list(steps),
                    format!("{:?}", proof.reason).replace(|c: char| c.is_ascii_digit(), "")
                        + &reason.map(|r| format!(" @{r}")).unwrap_or_default()
                );
            }
        }
        text
    })
}
