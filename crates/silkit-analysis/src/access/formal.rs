//! Which storage functions access formally, in accesses that are checked at run time, by themselves and by what they
//! call.

use super::path::{Found, Scopes, find};
use super::reference::reference_root;
use super::step::{AccessFacts, GlobalInitializer, global_initializer};
use super::storage::{AccessStorage, StorageKind};
use silkit_base::{FxHashMap, IdVec, Symbol};
use silkit_ir::conventions::{Addresses, ApplySite};
use silkit_ir::info::ApplyKind;
use silkit_ir::instructions::{AccessEnforcement, AccessKind, AnyInst, FunctionRef, PartialApply};
use silkit_ir::{Behavior, Body, Function, FunctionId, Functions, Inst, Module, Value, ValueDef};
use silkit_types::TypeKind;
use silkit_types::decl::Declarations;

/// An access to a storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormalAccess {
    /// The function whose value names the storage.
    pub function: FunctionId,
    /// The storage.
    pub storage: AccessStorage,
    /// An address of it, and the function in which.
    pub base: (FunctionId, Value),
    /// What the access is for; `modify` where several differ.
    pub kind: AccessKind,
    /// Whether no access of them has a conflict inside.
    pub no_nested_conflict: bool,
}

/// The accesses of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionAccesses {
    /// Those to storage that is known, in the order in which they were found.
    pub known: Vec<FormalAccess>,
    /// What is done to storage that is not known.
    pub unidentified: Option<AccessKind>,
}

impl FunctionAccesses {
    fn add(&mut self, access: FormalAccess) {
        let same = |known: &&mut FormalAccess| {
            known.storage == access.storage
                && (known.function == access.function || known.storage.value.is_none())
        };
        match self.known.iter_mut().find(same) {
            Some(known) => {
                if known.kind != access.kind {
                    known.kind = AccessKind::Modify;
                }
                known.no_nested_conflict &= access.no_nested_conflict;
            }
            None => self.known.push(access),
        }
    }

    fn add_unidentified(&mut self, kind: AccessKind) {
        self.unidentified = match self.unidentified {
            Some(known) if known != kind => Some(AccessKind::Modify),
            _ => Some(kind),
        };
    }
}

/// What is asked about while a module is looked at.
struct Context<'a> {
    module: &'a Module,
    declarations: &'a Declarations,
    functions: FxHashMap<Symbol, FunctionId>,
    initializers: FxHashMap<Symbol, GlobalInitializer>,
}

/// The accesses of each function of a module; one without a body may do anything.
pub fn function_accesses(
    module: &Module,
    declarations: &Declarations,
) -> IdVec<FunctionId, FunctionAccesses> {
    let context = Context {
        module,
        declarations,
        functions: module.functions.iter().map(|(id, f)| (f.name, id)).collect(),
        initializers: module.functions.values().map(|f| (f.name, global_initializer(f))).collect(),
    };
    let mut own = IdVec::new();
    let mut callers: IdVec<FunctionId, Vec<FunctionId>> = IdVec::new();
    for _ in module.functions.keys() {
        callers.push(Vec::new());
    }
    for (id, function) in module.functions.iter() {
        own.push(context.of_function(id, function));
        for inst in function.body.iter().flat_map(|body| body.insts()) {
            if let Some(callee) = function.body.as_ref().and_then(|body| context.callee(body, inst)) {
                callers[callee].push(id);
            }
        }
    }
    let mut pending: Vec<FunctionId> = module.functions.keys().collect();
    let mut all: IdVec<FunctionId, FunctionAccesses> = own.clone();
    while let Some(id) = pending.pop() {
        let Some(body) = &module.functions[id].body else { continue };
        let mut accesses = own[id].clone();
        for inst in body.insts().filter(|&i| body.info(i).apply == Some(ApplyKind::Full)) {
            context.of_call(id, body, inst, &all, &mut accesses);
        }
        if accesses != all[id] {
            all[id] = accesses;
            pending.extend(&callers[id]);
        }
    }
    all
}

impl Functions for Context<'_> {
    fn function(&self, name: Symbol) -> Option<&Function> {
        self.functions.get(&name).map(|&id| &self.module.functions[id])
    }
}

impl Context<'_> {
    fn facts<'b>(&'b self, body: &'b Body, of: &'b dyn Fn(Symbol) -> GlobalInitializer) -> AccessFacts<'b> {
        AccessFacts { body, declarations: self.declarations, initializers: of }
    }

    /// The storage of an address.
    fn storage(&self, body: &Body, address: Value) -> Option<Found> {
        let of = |name| self.initializers.get(&name).copied().unwrap_or(GlobalInitializer::No);
        find(&self.facts(body, &of), address, Scopes::Through)
    }

    /// What a function does by itself.
    fn of_function(&self, id: FunctionId, function: &Function) -> FunctionAccesses {
        let mut accesses = FunctionAccesses::default();
        let Some(body) = &function.body else {
            accesses.add_unidentified(AccessKind::Modify);
            return accesses;
        };
        let behavior = Behavior::new(body, self);
        for inst in body.insts() {
            let (address, kind, enforcement, no_nested_conflict) = match body.view(inst) {
                AnyInst::BeginAccess(a) => (a.address, a.kind, a.enforcement, a.no_nested_conflict),
                AnyInst::BeginUnpairedAccess(a) => (a.address, a.kind, a.enforcement, a.no_nested_conflict),
                _ => {
                    if body.info(inst).apply.is_none() && self.may_run_code(&behavior, body, inst) {
                        accesses.add_unidentified(AccessKind::Modify);
                    }
                    continue;
                }
            };
            if enforcement != AccessEnforcement::Dynamic {
                continue;
            }
            match self.storage(body, address) {
                Some(Found { storage, base, .. }) if storage.kind != StorageKind::Unidentified => {
                    let base = (id, base);
                    accesses.add(FormalAccess { function: id, storage, base, kind, no_nested_conflict });
                }
                _ => accesses.add_unidentified(kind),
            }
        }
        accesses
    }

    /// Whether an instruction may release something whose destruction accesses memory.
    fn may_run_code(&self, behavior: &Behavior<'_>, body: &Body, inst: Inst) -> bool {
        if let AnyInst::Builtin(builtin) = body.view(inst) {
            return match builtin.name.as_str() {
                "copyArray" | "takeArrayFrontToBack" | "takeArrayBackToFront" | "takeArrayNoAlias" => false,
                "assignCopyArrayNoAlias"
                | "assignCopyArrayFrontToBack"
                | "assignCopyArrayBackToFront"
                | "assignTakeArray"
                | "destroyArray" => {
                    let element = builtin.subs.iter().next();
                    element.is_none_or(|ty| self.declarations.is_trivial(ty, None) != Some(true))
                }
                _ => behavior.may_read_or_write(inst),
            };
        }
        if !behavior.may_release(inst) || body.is_deallocation(inst) {
            return false;
        }
        // The contents of boxes and what closures captured are not accessed when these are destroyed.
        let Some(released) = body.operands(inst).first().map(|operand| operand.value) else { return true };
        let is_box = matches!(body.value(released).ty.ty().kind(), TypeKind::Box(_));
        !is_box && origin(body, released).1.is_none()
    }

    /// The function that a call is known to call, with the closure through which it does.
    fn callee(&self, body: &Body, inst: Inst) -> Option<FunctionId> {
        let site = ApplySite::new(body, inst, Addresses::Lowered)?;
        let (callee, _) = origin(body, site.callee());
        let name = body.def_as::<FunctionRef>(callee)?.function;
        self.functions.get(&name).copied()
    }

    /// What a call adds to the accesses of its function.
    fn of_call(
        &self,
        id: FunctionId,
        body: &Body,
        inst: Inst,
        all: &IdVec<FunctionId, FunctionAccesses>,
        accesses: &mut FunctionAccesses,
    ) {
        let Some(callee) = self.callee(body, inst) else {
            accesses.add_unidentified(AccessKind::Modify);
            return;
        };
        if let Some(kind) = all[callee].unidentified {
            accesses.add_unidentified(kind);
        }
        for access in &all[callee].known {
            let Some(argument) = self.argument(access) else {
                // What a callee allocates is of no interest to others.
                if !self.is_local(access) {
                    accesses.add(*access);
                }
                continue;
            };
            let passed = passed_argument(body, inst, argument);
            match passed.and_then(|value| self.moved(id, body, access, value)) {
                Some(access) => accesses.add(access),
                None => accesses.add_unidentified(access.kind),
            }
        }
    }

    /// Whether an access is to memory that its function made.
    fn is_local(&self, access: &FormalAccess) -> bool {
        if access.storage.kind != StorageKind::Box {
            return access.storage.kind == StorageKind::Stack;
        }
        let body = self.module.functions[access.function].body.as_ref();
        let inst = body.zip(access.storage.value).and_then(|(body, value)| body.defining_inst(value));
        body.zip(inst).is_some_and(|(body, inst)| body.is_allocation(inst))
    }

    /// The number of the argument that names the storage of an access.
    fn argument(&self, access: &FormalAccess) -> Option<usize> {
        let body = self.module.functions[access.function].body.as_ref()?;
        match body.def(access.storage.value?) {
            ValueDef::Argument(block, index) if body.block_order().first() == Some(&block) => {
                Some(index.into())
            }
            _ => None,
        }
    }

    /// An access of a callee to an argument, as one to what the caller passes for it.
    fn moved(
        &self,
        id: FunctionId,
        body: &Body,
        access: &FormalAccess,
        value: Value,
    ) -> Option<FormalAccess> {
        let (storage, base) = match access.storage.kind {
            StorageKind::Argument => {
                let found = self.storage(body, value)?;
                (found.storage, (id, found.base))
            }
            kind => (AccessStorage { kind, value: Some(reference_root(body, value)) }, access.base),
        };
        let is_known = storage.kind != StorageKind::Unidentified;
        is_known.then_some(FormalAccess { function: id, storage, base, ..*access })
    }
}

/// The function value behind conversions, and the closure that was made of it.
fn origin(body: &Body, callee: Value) -> (Value, Option<Inst>) {
    let mut value = callee;
    let mut closure = None;
    for _ in 0..body.inst_count() {
        let Some(inst) = body.defining_inst(value) else { break };
        value = match body.view(inst) {
            AnyInst::PartialApply(PartialApply { callee, .. }) if closure.is_none() => {
                closure = Some(inst);
                callee
            }
            AnyInst::ConvertFunction(_)
            | AnyInst::ConvertEscapeToNoEscape(_)
            | AnyInst::ThinToThickFunction(_)
            | AnyInst::CopyValue(_)
            | AnyInst::BeginBorrow(_)
            | AnyInst::MoveValue(_) => body.operand_value(inst, 0),
            _ => break,
        };
    }
    (value, closure)
}

/// The value that a call passes for an argument of the callee, by itself or through a closure.
fn passed_argument(body: &Body, inst: Inst, argument: usize) -> Option<Value> {
    let site = ApplySite::new(body, inst, Addresses::Lowered)?;
    if let Some(applied) = site.applied_of_argument(argument) {
        return site.arguments().nth(applied);
    }
    let closure = origin(body, site.callee()).1?;
    let site = ApplySite::new(body, closure, Addresses::Lowered)?;
    site.arguments().nth(site.applied_of_argument(argument)?)
}
