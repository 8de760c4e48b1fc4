//! The storage that functions access in dynamically enforced formal accesses, including their callees.

use super::path::{AccessPathWithBase, AccessScopes, find};
use super::reference::reference_root;
use super::storage::{AccessStorage, StorageKind};
use crate::values::cast_keeps_object;
use crate::{BodyView, ProgramView, destruction_may_store};
use silkit_base::IdVec;
use silkit_ir::conventions::{Addresses, ApplySite};
use silkit_ir::info::ApplyKind;
use silkit_ir::instructions::{AccessEnforcement, AccessKind, AnyInst, CastConsumption, PartialApply};
use silkit_ir::{Behavior, Body, FunctionId, FunctionStep, Inst, Value};
use silkit_types::{CalleeConvention, FnFlags, Type};
use std::collections::VecDeque;

/// An access to a storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormalAccess {
    /// The function whose value identifies the storage.
    pub function: FunctionId,
    /// The storage.
    pub storage: AccessStorage,
    /// The kind of access; `modify` if accesses of several kinds are merged.
    pub kind: AccessKind,
    /// True if none of the accesses has a nested conflict.
    pub no_nested_conflict: bool,
}

/// The accesses of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionAccesses {
    /// Accesses to identified storage, in discovery order.
    pub known: Vec<FormalAccess>,
    /// The kind of access to unidentified storage.
    pub unidentified: Option<AccessKind>,
    /// True if there were too many accesses to list.
    is_full: bool,
}

impl FunctionAccesses {
    /// Sets the worst case: any storage may be accessed.
    fn set_worst(&mut self) {
        self.known.clear();
        self.unidentified = Some(AccessKind::Modify);
    }

    /// Adds an access; returns true if it is new.
    fn add(&mut self, access: FormalAccess) -> bool {
        let same = |known: &&mut FormalAccess| {
            known.storage == access.storage
                && (known.function == access.function || known.storage.value.is_none())
        };
        match self.known.iter_mut().find(same) {
            Some(known) => {
                let before = *known;
                if known.kind != access.kind {
                    known.kind = AccessKind::Modify;
                }
                known.no_nested_conflict &= access.no_nested_conflict;
                *known != before
            }
            None => {
                self.known.push(access);
                true
            }
        }
    }

    fn add_unidentified(&mut self, kind: AccessKind) -> bool {
        let before = self.unidentified;
        self.unidentified = match before {
            Some(known) if known != kind => Some(AccessKind::Modify),
            _ => Some(kind),
        };
        self.unidentified != before
    }
}

/// The maximum number of storages that are listed for a function; beyond it the worst case is assumed.
const MOST_STORAGES: usize = 200;

/// The maximum call depth from the queried function, as in the reference.
const MOST_CALLS: usize = 5;

/// Returns the accesses of each function of a module. A function without a body may access any storage.
pub fn function_accesses(program: &ProgramView<'_>) -> IdVec<FunctionId, FunctionAccesses> {
    let module = program.module;
    let mut search = Search {
        context: program,
        found: IdVec::new(),
        calls: IdVec::new(),
        visited: Vec::new(),
        settled: Vec::new(),
    };
    for _ in module.functions.keys() {
        search.found.push(None);
        search.calls.push(Vec::new());
    }
    for function in module.functions.keys() {
        if search.found[function].is_none() {
            search.visit(function, 0);
            search.propagate();
        }
    }
    let mut all = IdVec::new();
    for function in module.functions.keys() {
        all.push(search.found[function].take().unwrap_or_default());
    }
    all
}

/// Computes the accesses of functions, including their callees.
struct Search<'a> {
    context: &'a ProgramView<'a>,
    /// The accesses of each function; `None` if it was not visited.
    found: IdVec<FunctionId, Option<FunctionAccesses>>,
    /// By callee: the callers visited since the last propagation, with their calls.
    calls: IdVec<FunctionId, Vec<(FunctionId, Inst)>>,
    /// The functions visited since the last propagation, callees first.
    visited: Vec<FunctionId>,
    /// Their callees that were visited before.
    settled: Vec<FunctionId>,
}

impl Search<'_> {
    /// Collects the accesses of a function itself and visits its callees.
    fn visit(&mut self, id: FunctionId, depth: usize) {
        let context = self.context;
        let mut accesses = FunctionAccesses::default();
        let Some(body) = &context.module.functions[id].body else {
            accesses.set_worst();
            self.found[id] = Some(accesses);
            return;
        };
        // The entry ends recursion.
        self.found[id] = Some(FunctionAccesses::default());
        let behavior = Behavior::new(body, context);
        for inst in body.insts() {
            if body.info(inst).apply != Some(ApplyKind::Full) {
                context.of_inst(id, &behavior, inst, &mut accesses);
                continue;
            }
            let callees = context.callee_analysis().of_site(body, inst);
            if depth >= MOST_CALLS || !callees.all_have_bodies(context.module) || consumes_callee(body, inst)
            {
                accesses.set_worst();
                continue;
            }
            for &callee in callees.known.iter() {
                if self.found[callee].is_none() {
                    self.visit(callee, depth + 1);
                } else if self.calls[callee].is_empty() {
                    self.settled.push(callee);
                }
                self.calls[callee].push((id, inst));
            }
        }
        self.found[id] = Some(accesses);
        self.visited.push(id);
    }

    /// Adds the accesses of callees to their callers, to a fixpoint.
    fn propagate(&mut self) {
        let mut pending: VecDeque<FunctionId> = self.settled.drain(..).collect();
        pending.extend(self.visited.drain(..));
        let touched: Vec<FunctionId> = pending.iter().copied().collect();
        while let Some(callee) = pending.pop_front() {
            let Some(done) = self.found[callee].clone() else { continue };
            for &(caller, inst) in &self.calls[callee] {
                let Some(into) = &mut self.found[caller] else { continue };
                if self.context.merge(caller, inst, &done, into) {
                    pending.push_back(caller);
                }
            }
        }
        touched.into_iter().for_each(|callee| self.calls[callee].clear());
    }
}

impl ProgramView<'_> {
    /// Returns the storage of an address.
    fn storage(&self, function: FunctionId, body: &Body, address: Value) -> Option<AccessPathWithBase> {
        let view = BodyView::new(self, &self.module.functions[function], body);
        find(&view, address, AccessScopes::Through)
    }

    /// Adds the accesses of an instruction that is not a call.
    fn of_inst(&self, id: FunctionId, behavior: &Behavior<'_>, inst: Inst, accesses: &mut FunctionAccesses) {
        let body = behavior.body();
        let (address, kind, enforcement, no_nested_conflict) = match body.view(inst) {
            AnyInst::BeginAccess(a) => (a.address, a.kind, a.enforcement, a.no_nested_conflict),
            AnyInst::BeginUnpairedAccess(a) => (a.address, a.kind, a.enforcement, a.no_nested_conflict),
            _ => {
                if self.may_run_code(id, behavior, inst) {
                    accesses.set_worst();
                }
                return;
            }
        };
        if enforcement != AccessEnforcement::Dynamic {
            return;
        }
        match self.storage(id, body, address) {
            Some(AccessPathWithBase { storage, .. }) if storage.kind != StorageKind::Unidentified => {
                accesses.add(FormalAccess { function: id, storage, kind, no_nested_conflict });
            }
            _ => _ = accesses.add_unidentified(kind),
        }
    }

    /// Returns true if an instruction may release a value whose destruction accesses memory.
    fn may_run_code(&self, id: FunctionId, behavior: &Behavior<'_>, inst: Inst) -> bool {
        let body = behavior.body();
        let ty = |value: Value| body.value(value).ty.ty();
        let may_convert = |from: Type, to: Type| {
            let view = BodyView::new(self, &self.module.functions[id], body);
            !cast_keeps_object(self.declarations, view.signature(), from, to)
        };
        let may_store = |ty: Type| destruction_may_store(self.declarations, ty);
        match body.view(inst) {
            // A cast that may box or unbox a value may run its conversions.
            AnyInst::UnconditionalCheckedCast(cast) => may_convert(ty(cast.operand), cast.target),
            AnyInst::CheckedCastBranch(cast) => may_convert(ty(cast.operand), cast.target_type),
            AnyInst::CheckedCastAddrBranch(cast) => {
                cast.consumption == CastConsumption::TakeAlways
                    || may_convert(ty(cast.source), cast.target_type)
            }
            _ if !behavior.may_release(inst) || body.is_deallocation(inst) => false,
            AnyInst::Builtin(builtin) => match builtin.name.as_str() {
                "copyArray" | "takeArrayFrontToBack" | "takeArrayBackToFront" | "takeArrayNoAlias" => false,
                "assignCopyArrayNoAlias"
                | "assignCopyArrayFrontToBack"
                | "assignCopyArrayBackToFront"
                | "assignTakeArray"
                | "destroyArray" => builtin.subs.iter().next().is_none_or(may_store),
                _ => true,
            },
            AnyInst::DestroyValue(_) | AnyInst::StrongRelease(_) | AnyInst::ReleaseValue(_) => {
                let is_copy = |step, _| matches!(step, FunctionStep::Copy | FunctionStep::Move);
                let operand = body.operand_value(inst, 0);
                let function = ty(operand).as_function();
                if function.is_some_and(|function| function.flags.contains(FnFlags::NOESCAPE)) {
                    return false;
                }
                let released = body.function_origin(operand, is_copy);
                // Destroying a closure destroys its captures.
                let closure =
                    body.defining_inst(released).filter(|_| body.def_as::<PartialApply>(released).is_some());
                match closure.and_then(|closure| ApplySite::new(body, closure, self.addresses())) {
                    Some(site) => site.arguments().any(|captured| may_store(ty(captured))),
                    None => may_store(ty(released)),
                }
            }
            _ => true,
        }
    }

    /// Adds the accesses of a callee to those of a caller. Returns true if one of them is new.
    fn merge(
        &self,
        caller: FunctionId,
        inst: Inst,
        callee: &FunctionAccesses,
        accesses: &mut FunctionAccesses,
    ) -> bool {
        let Some(body) = &self.module.functions[caller].body else { return false };
        if accesses.unidentified == Some(AccessKind::Modify) {
            return false;
        }
        if accesses.known.len() > MOST_STORAGES {
            accesses.set_worst();
            accesses.is_full = true;
            return true;
        }
        let mut is_new = callee.unidentified.is_some_and(|kind| accesses.add_unidentified(kind));
        if accesses.is_full {
            return is_new;
        }
        for access in &callee.known {
            let Some(argument) = self.argument(access) else {
                // Memory that the callee allocates is not visible to the caller.
                is_new |= !self.is_local(access) && accesses.add(*access);
                continue;
            };
            let passed = passed_argument(self.addresses(), body, inst, argument);
            is_new |= match passed.and_then(|value| self.moved(caller, body, access, value)) {
                Some(access) => accesses.add(access),
                None => accesses.add_unidentified(access.kind),
            };
        }
        is_new
    }

    /// Returns true if an access is to memory that the function itself allocates.
    fn is_local(&self, access: &FormalAccess) -> bool {
        if access.storage.kind != StorageKind::Box {
            return access.storage.kind == StorageKind::Stack;
        }
        let body = self.module.functions[access.function].body.as_ref();
        let inst = body.zip(access.storage.value).and_then(|(body, value)| body.defining_inst(value));
        body.zip(inst).is_some_and(|(body, inst)| body.is_allocation(inst))
    }

    /// Returns the index of the argument that identifies the storage of an access.
    fn argument(&self, access: &FormalAccess) -> Option<usize> {
        let body = self.module.functions[access.function].body.as_ref()?;
        body.entry_argument_index(access.storage.value?)
    }

    /// Translates an access of a callee to an argument to an access of the caller to the passed value.
    fn moved(
        &self,
        id: FunctionId,
        body: &Body,
        access: &FormalAccess,
        value: Value,
    ) -> Option<FormalAccess> {
        let storage = match access.storage.kind {
            StorageKind::Argument => self.storage(id, body, value)?.storage,
            kind => AccessStorage { kind, value: Some(reference_root(body, value)) },
        };
        let is_known = storage.kind != StorageKind::Unidentified;
        is_known.then_some(FormalAccess { function: id, storage, ..*access })
    }
}

/// Returns true if a call releases the closure that it calls, which may be the last reference to its captures.
fn consumes_callee(body: &Body, call: Inst) -> bool {
    let callee = body.value(body.operand_value(call, 0)).ty.ty().as_function();
    callee.is_some_and(|ty| ty.callee == CalleeConvention::Owned)
}

/// Returns the value that a call passes for an argument of the callee, directly or through a closure.
fn passed_argument(addresses: Addresses, body: &Body, inst: Inst, argument: usize) -> Option<Value> {
    let site = ApplySite::new(body, inst, addresses)?;
    if let Some(applied) = site.applied_of_argument(argument) {
        return site.arguments().nth(applied);
    }
    let mut closure = None;
    body.function_origin(site.callee(), |step, inst| match step {
        FunctionStep::Close => {
            closure = Some(inst);
            false
        }
        // As in the reference, dependences are not followed.
        step => step != FunctionStep::Depend,
    });
    let closure = closure?;
    let site = ApplySite::new(body, closure, addresses)?;
    site.arguments().nth(site.applied_of_argument(argument)?)
}
