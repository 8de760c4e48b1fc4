//! The effects of instructions on the memory at an address.

use super::base::AccessBase;
use super::scope::Immutable;
use super::{Aliases, WORST};
use crate::BodyView;
use crate::ProjectionPath;
use crate::escape::{Direction, EscapePath, EscapeVisitor};
use crate::memory::is_opaque;
use crate::side_effects::declared_effects;
use crate::walk::AtUse;
use silkit_ir::conventions::{ApplySite, ArgumentConvention};
use silkit_ir::effects::Effects;
use silkit_ir::effects::FunctionEffects;
use silkit_ir::info::ApplyKind;
use silkit_ir::instructions::{AccessKind, AddressToPointer, AnyInst, BeginAccess, PointerToAddress};
use silkit_ir::{AddressUse, Body, FunctionId, Inst, Opcode, Operand, Value, ValueDef, chain};
use silkit_types::FnFlags;

impl Aliases<'_> {
    /// Returns true if an instruction may read the memory at an address.
    pub fn may_read(&self, inst: Inst, address: Value) -> bool {
        self.memory(inst, address).contains(Effects::READ)
    }

    /// Returns true if an instruction may write to the memory at an address.
    pub fn may_write(&self, inst: Inst, address: Value) -> bool {
        self.memory(inst, address).contains(Effects::WRITE)
    }

    /// Returns whether an instruction may read ([`Effects::READ`]) and write to ([`Effects::WRITE`]) the memory at an
    /// address, or the object that a reference refers to.
    pub fn memory(&self, inst: Inst, address: Value) -> Effects {
        match self.immutability(address) {
            Some(Immutable::Always) => self.without_immutability(inst, address) - Effects::WRITE,
            Some(Immutable::Within(scope)) if self.is_within(inst, scope) => {
                self.without_immutability(inst, address) - Effects::WRITE
            }
            Some(Immutable::Exclusive(scope))
                if inst == scope
                    || self.is_call(inst) && self.is_within(inst, scope) && !self.is_passed(inst, scope) =>
            {
                self.without_immutability(inst, address) - Effects::WRITE
            }
            _ => self.without_immutability(inst, address),
        }
    }

    fn is_call(&self, inst: Inst) -> bool {
        self.body().info(inst).apply == Some(ApplyKind::Full)
    }

    /// Returns true if the address of an access may be passed to a call.
    fn is_passed(&self, inst: Inst, scope: Inst) -> bool {
        let body = self.body();
        body.results(scope).any(|access| {
            let mut visitor = ReachesInst { body, target: inst, follows_loads: false };
            let path = self.escapes.view.addresses_in(access);
            self.escapes.escapes_within(access, path, Direction::Down, &mut visitor, self.budget)
        })
    }

    fn without_immutability(&self, inst: Inst, address: Value) -> Effects {
        let body = self.body();
        let when = |effects: Effects, other: Value| {
            if self.may_alias(address, other) { effects } else { Effects::empty() }
        };
        match body.view(inst) {
            AnyInst::BeginAccess(access) => when(access_effects(access.kind), access.address),
            AnyInst::EndAccess(end) => match body.def_as::<BeginAccess>(end.operand) {
                Some(access) => when(access_effects(access.kind), access.address),
                None => when(WORST, end.operand),
            },
            // A borrowed value is in memory that the loaded value owns.
            AnyInst::LoadBorrow(load) => match when(Effects::READ, load.address) {
                effects if effects.is_empty() && self.reaches(inst, address, false) => Effects::READ,
                effects => effects,
            },
            AnyInst::Load(load) => {
                let takes = body.uses_address(inst, |using| using == AddressUse::Take);
                when(if takes { WORST } else { Effects::READ }, load.address)
            }
            AnyInst::Store(store) => {
                let assigns = body.uses_address(inst, |using| using == AddressUse::Assign);
                let effects = when(if assigns { WORST } else { Effects::WRITE }, store.destination);
                // Destroying the old value cannot affect memory that is never written.
                let destroys = assigns && self.immutability(address) != Some(Immutable::Always);
                if effects.is_empty() && destroys { self.destruction(inst, address) } else { effects }
            }
            AnyInst::CopyAddr(copy) => self.copy(inst, address, copy.source, copy.destination),
            AnyInst::ExplicitCopyAddr(copy) => self.copy(inst, address, copy.source, copy.destination),
            AnyInst::PartialApply(_) => self.captured(inst, address),
            AnyInst::EndApply(_) | AnyInst::AbortApply(_) => self.end_of_coroutine(inst, address),
            AnyInst::Builtin(builtin) => self.builtin(inst, address, builtin.name.as_str()),
            AnyInst::EndBorrow(end) => self.end_borrow(inst, address, end.operand),
            AnyInst::DebugValue(debug) => {
                let is_address = body.value(debug.operand).ty.is_address();
                if is_address { when(Effects::READ, debug.operand) } else { Effects::empty() }
            }
            AnyInst::MarkDependence(mark) if self.is_address(mark.base) => when(Effects::READ, mark.base),
            AnyInst::MarkDependence(_) | AnyInst::CopyValue(_) => Effects::empty(),
            AnyInst::MarkDependenceAddr(mark) => {
                let base = if self.is_address(mark.base) {
                    when(Effects::READ, mark.base)
                } else {
                    Effects::empty()
                };
                when(WORST, mark.address) | base
            }
            AnyInst::DestroyValue(destroy) => {
                if destroy.dead_end || self.is_noescape(destroy.operand) {
                    Effects::empty()
                } else {
                    self.destruction(inst, address)
                }
            }
            AnyInst::DestroyAddr(destroy) => match when(WORST, destroy.operand) {
                effects if effects.is_empty() => self.destruction(inst, address),
                effects => effects,
            },
            AnyInst::StrongRelease(_) | AnyInst::ReleaseValue(_) | AnyInst::UnownedRelease(_) => {
                self.destruction(inst, address)
            }
            _ if self.is_call(inst) => self.call(inst, inst, address),
            _ => self.other(inst, address),
        }
    }

    /// Returns the effects of an instruction without a special rule, from its table row and its address operands.
    fn other(&self, inst: Inst, address: Value) -> Effects {
        let body = self.body();
        let behavior = self.view().behavior();
        let memory = behavior.memory(inst);
        let mut effects = Effects::empty();
        effects.set(Effects::READ, memory.may_read());
        effects.set(Effects::WRITE, memory.may_write());
        if effects.is_empty() {
            return effects;
        }
        let is_address = |value: Value| body.value(value).ty.is_address();
        match body.inst(inst).opcode {
            // These count references or extend lifetimes.
            Opcode::StrongRetain
            | Opcode::RetainValue
            | Opcode::UnownedRetain
            | Opcode::StrongRetainUnowned
            | Opcode::CopyValue
            | Opcode::BeginBorrow
            | Opcode::CondFail
            | Opcode::AllocStack
            | Opcode::AllocRef
            | Opcode::AllocBox => Effects::empty(),
            opcode if !is_opaque(opcode) && body.uses_address(inst, touches_no_other) => {
                let mut addresses =
                    body.operands(inst).iter().map(|o| o.value).filter(|v| is_address(*v)).peekable();
                if addresses.peek().is_none() {
                    return effects;
                }
                if addresses.any(|other| self.may_alias(address, other)) { effects } else { Effects::empty() }
            }
            _ => effects,
        }
    }

    fn copy(&self, inst: Inst, address: Value, from: Value, to: Value) -> Effects {
        let takes = self.body().uses_address(inst, |using| using == AddressUse::Take);
        let assigns = self.body().uses_address(inst, |using| using == AddressUse::Assign);
        let reads = self.may_alias(address, from);
        let writes = self.may_alias(address, to) || takes && reads;
        let mut effects = Effects::empty();
        effects.set(Effects::READ, reads);
        effects.set(Effects::WRITE, writes);
        if assigns {
            effects |= self.destruction(inst, address);
        }
        effects
    }

    /// Returns the effects of destroying a value: any deinitializer may run and access escaped memory.
    fn destruction(&self, inst: Inst, address: Value) -> Effects {
        if self.reaches(inst, address, !self.is_address(address)) { WORST } else { Effects::empty() }
    }

    fn is_address(&self, value: Value) -> bool {
        self.body().value(value).ty.is_address()
    }

    /// Returns true if an alias of a value may reach an instruction.
    fn reaches(&self, inst: Inst, value: Value, follows_loads: bool) -> bool {
        let mut visitor = ReachesInst { body: self.body(), target: inst, follows_loads };
        self.escapes.escapes_within(
            value,
            self.escapes.view.addresses_in(value),
            Direction::Up,
            &mut visitor,
            self.budget,
        )
    }

    fn is_noescape(&self, value: Value) -> bool {
        let ty = self.body().value(value).ty.ty();
        ty.as_function().is_some_and(|f| f.flags.contains(FnFlags::NOESCAPE))
    }

    /// Returns the effects of the end of a borrow: the object may be destroyed afterwards, so that all addresses in
    /// it must be used before.
    fn end_borrow(&self, inst: Inst, address: Value, value: Value) -> Effects {
        let body = self.body();
        let Some(begin) = body.defining_inst(value) else { return WORST };
        let is_lent = match body.inst(begin).opcode {
            // The memory of a `store_borrow` is invalid afterwards, but the stored object is still alive.
            Opcode::StoreBorrow => self.may_alias(address, value),
            Opcode::LoadBorrow => {
                self.may_alias(address, body.operand_value(begin, 0))
                    || self.may_be_in_borrow(inst, address, value)
            }
            _ => self.may_be_in_borrow(inst, address, value),
        };
        if is_lent { WORST } else { Effects::empty() }
    }

    /// Returns true if an address may be in an object that a value borrows.
    fn may_be_in_borrow(&self, end: Inst, address: Value, borrowed: Value) -> bool {
        let body = self.body();
        // The address that a pointer is converted from.
        let converted = |address| match self.base_path(address).base {
            AccessBase::Pointer(from) => {
                let cast = body.def_as::<PointerToAddress>(from)?;
                body.def_as::<AddressToPointer>(cast.operand).map(|pointer| pointer.operand)
            }
            _ => None,
        };
        let address = chain(address, converted).last().unwrap_or(address);
        let base = self.base_path(address).base;
        // A yielded address may be in an object that is borrowed while the coroutine runs.
        if matches!(base, AccessBase::Pointer(_) | AccessBase::Unidentified(_) | AccessBase::Yield(_)) {
            return self.reaches(end, address, false);
        }
        let Some(object) = base.object(body) else { return false };
        let step = |inst| match body.inst(inst).opcode {
            Opcode::LoadBorrow | Opcode::CopyValue | Opcode::AllocRef => None,
            Opcode::BeginBorrow => Some(body.operand_value(inst, 0)),
            _ => body.is_forwarding(inst).then(|| body.operand_value(inst, 0)),
        };
        let mut root = object;
        if body.chain(object, step).inspect(|&value| root = value).any(|value| value == borrowed) {
            return true;
        }
        match body.def(root) {
            // Other block arguments are not followed: they may be derived from the borrow.
            ValueDef::Argument(block, _) => !body.is_entry_block(block),
            // The values of a circle have no origin.
            ValueDef::Result(inst, _) => step(inst).is_some(),
            ValueDef::Undef | ValueDef::Pending => false,
        }
    }

    fn end_of_coroutine(&self, inst: Inst, address: Value) -> Effects {
        let body = self.body();
        let Some(begin) = body.defining_inst(body.operand_value(inst, 0)) else { return WORST };
        // A yielded address is invalid after the coroutine ends.
        if let AccessBase::Yield(value) = self.base_path(address).base
            && body.defining_inst(value) == Some(begin)
        {
            return WORST;
        }
        self.call(begin, begin, address)
    }

    /// Returns the effects of creating a closure, which consumes captured values.
    fn captured(&self, inst: Inst, address: Value) -> Effects {
        let mut visitor = ReachesClosure { view: self.view(), target: inst, effects: Effects::empty() };
        let escapes = self.escapes.escapes_within(
            address,
            self.escapes.view.addresses_in(address),
            Direction::Up,
            &mut visitor,
            self.budget,
        );
        if escapes { WORST } else { visitor.effects }
    }

    fn builtin(&self, inst: Inst, address: Value, name: &str) -> Effects {
        let body = self.body();
        if matches!(name, "zeroInitializer" | "prepareInitialization") {
            let writes = body
                .operands(inst)
                .iter()
                .any(|o| self.is_address(o.value) && self.may_alias(address, o.value));
            return if writes { Effects::WRITE } else { Effects::empty() };
        }
        let behavior = self.view().behavior().memory(inst);
        let mut effects = Effects::empty();
        effects.set(Effects::READ, behavior.may_read());
        effects.set(Effects::WRITE, behavior.may_write());
        if effects.is_empty() {
            return effects;
        }
        if matches!(name, "once" | "onceWithContext") {
            let called = body.operands(inst).get(1).map(|o| o.value);
            effects = called.map_or(WORST, |callee| self.global_effects(callee));
        }
        if self.reaches(inst, address, false) { effects } else { Effects::empty() }
    }

    /// Returns the effects of a call on the memory at an address.
    fn call(&self, inst: Inst, site: Inst, address: Value) -> Effects {
        let body = self.body();
        let Some(apply) = self.view().apply_site(site) else { return WORST };
        let callees = self.escapes.view.program.callees(body, apply.callee());
        let mut visitor = ReachesCall {
            aliases: self,
            apply: &apply,
            callees: callees.as_deref(),
            target: inst,
            is_address: self.is_address(address),
            effects: Effects::empty(),
        };
        let path = self.escapes.view.addresses_in(address);
        if self.escapes.escapes_within(address, path, Direction::Up, &mut visitor, self.budget) {
            // It is not known where the address escaped, so that all effects of the callees may apply.
            self.global_effects(apply.callee())
        } else {
            visitor.effects
        }
    }

    /// Returns the effects of a function on any memory.
    fn global_effects(&self, callee: Value) -> Effects {
        let Some(callees) = self.escapes.view.program.callees(self.body(), callee) else { return WORST };
        let all = callees.iter().map(|&id| self.of_function(id));
        all.fold(Effects::empty(), Effects::union) & WORST
    }

    fn of_function(&self, id: FunctionId) -> Effects {
        match &self.effects(id).side {
            Some(side) => side.all(),
            None => self.promised(id),
        }
    }

    fn effects(&self, id: FunctionId) -> &FunctionEffects {
        self.escapes.view.effects(id)
    }

    /// Returns the declared effects of a function without computed effects.
    fn promised(&self, id: FunctionId) -> Effects {
        declared_effects(&self.escapes.view.program.module.functions[id]) & WORST
    }

    /// Returns the effects of the callees on a part of an argument.
    fn on_argument(
        &self,
        callees: Option<&[FunctionId]>,
        argument: usize,
        convention: Option<ArgumentConvention>,
        path: ProjectionPath,
    ) -> Effects {
        let Some(callees) = callees else { return restricted(WORST, convention, path) };
        let mut effects = Effects::empty();
        for &id in callees {
            effects |= match &self.effects(id).side {
                // Memory that is reached through two objects is covered by the global effects.
                Some(side) if path.may_have_two_class_projections() => side.all(),
                Some(side) => side
                    .argument(argument)
                    .parts()
                    .filter(|(_, part)| part.may_overlap(path))
                    .fold(Effects::empty(), |all, (effect, _)| all | effect),
                // Indirect results are written regardless of the declared effects.
                None if matches!(convention, Some(ArgumentConvention::Out | ArgumentConvention::PackOut)) => {
                    self.promised(id) | Effects::WRITE
                }
                None => self.promised(id),
            };
        }
        restricted(effects, convention, path) & WORST
    }
}

/// Returns the effects that an argument convention allows.
fn restricted(effects: Effects, convention: Option<ArgumentConvention>, path: ProjectionPath) -> Effects {
    if path.may_have_class_projection() {
        return effects;
    }
    match convention {
        Some(ArgumentConvention::InGuaranteed | ArgumentConvention::PackGuaranteed) => {
            effects - Effects::WRITE
        }
        Some(ArgumentConvention::Out | ArgumentConvention::PackOut) => effects - Effects::READ,
        _ => effects,
    }
}

/// Returns true if an instruction with this address use accesses no other memory.
fn touches_no_other(using: AddressUse) -> bool {
    using.loads()
        || matches!(
            using,
            AddressUse::KeepAlive
                | AddressUse::ReadTag
                | AddressUse::CheckUnique
                | AddressUse::Lend
                | AddressUse::Initialize
                | AddressUse::Assign
                | AddressUse::Overwrite
                | AddressUse::WritePart
                | AddressUse::ProjectContent
                | AddressUse::ProjectToInitialize
                | AddressUse::Deinitialize
                | AddressUse::Deallocate
        )
}

fn access_effects(kind: AccessKind) -> Effects {
    match kind {
        AccessKind::Read => Effects::READ,
        AccessKind::Init => Effects::WRITE,
        AccessKind::Modify | AccessKind::Deinit => WORST,
    }
}

/// A walk that searches for an instruction that a value reaches.
struct ReachesInst<'a> {
    body: &'a Body,
    target: Inst,
    follows_loads: bool,
}

impl EscapeVisitor for ReachesInst<'_> {
    fn at_use(&mut self, operand: Operand, _: EscapePath) -> AtUse {
        let user = self.body.operand(operand).user;
        if user == self.target {
            AtUse::Abort
        } else if self.body.inst(user).opcode == Opcode::Return {
            AtUse::Skip
        } else {
            AtUse::Follow
        }
    }

    fn follows_trivial(&self) -> bool {
        true
    }

    fn follows_loads(&self) -> bool {
        self.follows_loads
    }
}

/// A walk that records how a closure captures a value.
struct ReachesClosure<'a> {
    view: BodyView<'a>,
    target: Inst,
    effects: Effects,
}

impl EscapeVisitor for ReachesClosure<'_> {
    fn at_use(&mut self, operand: Operand, _: EscapePath) -> AtUse {
        let user = self.view.body.operand(operand).user;
        if self.view.body.inst(user).opcode == Opcode::Return {
            return AtUse::Skip;
        }
        if user == self.target {
            let site = self.view.apply_site(user);
            let convention =
                site.and_then(|s| s.convention_of_operand(self.view.body.operand_index(operand)));
            if let Some(ArgumentConvention::In | ArgumentConvention::InGuaranteed) = convention {
                self.effects |= Effects::READ;
                if !self.view.body.has_flag(user, "on_stack") {
                    self.effects |= Effects::WRITE;
                }
            }
        }
        AtUse::Follow
    }

    fn follows_trivial(&self) -> bool {
        true
    }

    fn follows_loads(&self) -> bool {
        false
    }
}

/// A walk that records the argument that a value is passed to a call as, and the effects of the call on it.
struct ReachesCall<'v> {
    aliases: &'v Aliases<'v>,
    apply: &'v ApplySite<'v>,
    callees: Option<&'v [FunctionId]>,
    target: Inst,
    is_address: bool,
    effects: Effects,
}

impl EscapeVisitor for ReachesCall<'_> {
    fn at_use(&mut self, operand: Operand, path: EscapePath) -> AtUse {
        let body = self.aliases.body();
        let user = body.operand(operand).user;
        if body.inst(user).opcode == Opcode::Return {
            return AtUse::Skip;
        }
        if user == self.target {
            let index = body.operand_index(operand);
            if index == self.apply.callee_operand() {
                // A closure captured the value.
                return AtUse::Abort;
            }
            match self.apply.argument_of_operand(index) {
                Some(argument) => {
                    let convention = self.apply.convention_of_operand(index);
                    self.effects |= self.aliases.on_argument(self.callees, argument, convention, path.path);
                }
                None => return AtUse::Abort,
            }
        }
        AtUse::Follow
    }

    fn follows_trivial(&self) -> bool {
        true
    }

    fn follows_loads(&self) -> bool {
        !self.is_address
    }
}
