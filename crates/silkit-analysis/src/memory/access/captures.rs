//! Accesses that closures begin to variables captured by address, including captures that they pass on.

use super::step::{AccessPart, AccessStep, step};
use crate::{BodyView, ProgramView};
use silkit_base::{FxHashMap, IdVec, Symbol};
use silkit_ir::conventions::{ArgumentConvention, Conventions};
use silkit_ir::info::ApplyKind;
use silkit_ir::instructions::{AccessEnforcement, AccessKind, AnyInst};
use silkit_ir::{Body, FunctionId, Inst, Opcode, Value};
use std::collections::BTreeMap;

/// A member on the path from an argument, with its name.
type NamedMember = (u32, Symbol);

/// The accesses that a function begins to one argument: the strongest kind for each part.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ArgumentAccesses {
    parts: BTreeMap<Vec<u32>, (Vec<Symbol>, AccessKind)>,
}

impl ArgumentAccesses {
    /// Returns the accessed parts by member index, the whole argument first.
    pub fn parts(&self) -> impl Iterator<Item = (&[Symbol], AccessKind)> {
        self.parts.values().map(|(names, kind)| (names.as_slice(), *kind))
    }

    fn add(&mut self, members: &[NamedMember], kind: AccessKind) -> bool {
        let key: Vec<u32> = members.iter().map(|(index, _)| *index).collect();
        match self.parts.get_mut(&key) {
            Some((_, known)) if *known == kind || *known != AccessKind::Read => false,
            Some((_, known)) => {
                *known = kind;
                true
            }
            None => {
                self.parts.insert(key, (members.iter().map(|(_, name)| *name).collect(), kind));
                true
            }
        }
    }

    fn merge(&mut self, other: &Self) -> bool {
        let mut has_changed = false;
        for (key, (names, kind)) in &other.parts {
            let members: Vec<NamedMember> = key.iter().copied().zip(names.iter().copied()).collect();
            has_changed |= self.add(&members, *kind);
        }
        has_changed
    }
}

/// Returns the accesses to the arguments of each function of a module. A function without a body may modify all its
/// captures.
pub fn argument_accesses(program: &ProgramView<'_>) -> IdVec<FunctionId, Vec<ArgumentAccesses>> {
    let module = program.module;
    let mut found: IdVec<FunctionId, Vec<ArgumentAccesses>> = IdVec::new();
    // For each argument, the arguments of callers that flow into it.
    let mut flows: FxHashMap<(FunctionId, usize), Vec<(FunctionId, usize)>> = FxHashMap::default();
    for (id, function) in module.functions.iter() {
        let mut arguments = Vec::new();
        let conventions = Conventions::of(function, program.addresses());
        let is_captured = |i: usize| {
            let convention = conventions.as_ref().and_then(|c| c.convention(i));
            convention == Some(ArgumentConvention::InoutAliasable)
        };
        if function.body.is_none() {
            // A function without a body may modify its captures.
            for i in 0..conventions.as_ref().map_or(0, Conventions::argument_count) {
                let mut accesses = ArgumentAccesses::default();
                if is_captured(i) {
                    accesses.add(&[], AccessKind::Modify);
                }
                arguments.push(accesses);
            }
        }
        if let Some(body) = &function.body {
            let view = BodyView::new(program, function, body);
            for (i, &argument) in body.entry_arguments().iter().enumerate() {
                let mut accesses = ArgumentAccesses::default();
                if is_captured(i) {
                    of_argument(&view, argument, &mut accesses, &mut |callee, index| {
                        flows.entry((callee, index)).or_default().push((id, i));
                    });
                }
                arguments.push(accesses);
            }
        }
        found.push(arguments);
    }
    let mut pending: Vec<(FunctionId, usize)> = flows.keys().copied().collect();
    while let Some(to @ (callee, index)) = pending.pop() {
        let Some(accesses) = found[callee].get(index).cloned() else { continue };
        for &(caller, argument) in flows.get(&to).into_iter().flatten() {
            if found[caller][argument].merge(&accesses) {
                pending.push((caller, argument));
            }
        }
    }
    found
}

/// Collects the accesses to an argument; `flow` collects the arguments of other functions that it is passed to.
fn of_argument(
    view: &BodyView<'_>,
    argument: Value,
    accesses: &mut ArgumentAccesses,
    flow: &mut dyn FnMut(FunctionId, usize),
) {
    let body = view.body;
    let mut pending: Vec<_> = body.uses(argument).collect();
    while let Some(operand) = pending.pop() {
        let user = body.operand(operand).user;
        if body.info(user).apply.is_some() {
            let callee = body.called_function(user).and_then(|name| view.program.function_id(name));
            let is_call = body.info(user).apply == Some(ApplyKind::Full);
            if is_call && callee.is_none_or(|callee| view.program.module.functions[callee].body.is_none()) {
                // An unknown callee may modify what it is passed, whatever the convention.
                accesses.add(&[], AccessKind::Modify);
                continue;
            }
            let site = view.apply_site(user);
            let index = site.and_then(|site| site.argument_of_operand(body.operand_index(operand)));
            if let (Some(callee), Some(index)) = (callee, index) {
                flow(callee, index);
            }
            continue;
        }
        match body.view(user) {
            AnyInst::BeginAccess(access) if access.enforcement != AccessEnforcement::Unsafe => {
                accesses.add(&only_part(view, user), access.kind);
            }
            AnyInst::StructElementAddr(_)
            | AnyInst::TupleElementAddr(_)
            | AnyInst::MarkUnresolvedNonCopyableValue(_)
            | AnyInst::CopyableToMoveOnlyWrapperAddr(_)
            | AnyInst::MoveOnlyWrapperToCopyableAddr(_) => {
                pending.extend(body.results(user).flat_map(|result| body.uses(result)));
            }
            _ => {}
        }
    }
}

/// Returns the part that all uses of an access project, as long as there is a single projection.
fn only_part(view: &BodyView<'_>, access: Inst) -> Vec<NamedMember> {
    let body = view.body;
    let mut members = Vec::new();
    let mut inst = access;
    while let Some(next) = only_projection(body, inst) {
        let Some(result) = body.first_result(next) else { break };
        let name = match body.view(next) {
            AnyInst::StructElementAddr(project) => project.field.name(),
            AnyInst::TupleElementAddr(project) => Some(Symbol::new(&project.field.to_string())),
            _ => None,
        };
        match (step(view, result), name) {
            (AccessStep::Part(_, AccessPart::Member(index)), Some(name)) => members.push((index, name)),
            _ => break,
        }
        inst = next;
    }
    members
}

fn only_projection(body: &Body, inst: Inst) -> Option<Inst> {
    let address = body.first_result(inst)?;
    let mut users = body
        .users(address)
        .filter(|&user| body.inst(user).opcode != Opcode::EndAccess && !is_instrumentation(body, user));
    let only = users.next()?;
    let is_only = users.next().is_none();
    let projects = matches!(body.inst(only).opcode, Opcode::StructElementAddr | Opcode::TupleElementAddr);
    (is_only && projects).then_some(only)
}

/// Returns true if an instruction is thread sanitizer instrumentation.
fn is_instrumentation(body: &Body, inst: Inst) -> bool {
    matches!(body.view(inst), AnyInst::Builtin(builtin) if builtin.name == "tsanInoutAccess")
}
