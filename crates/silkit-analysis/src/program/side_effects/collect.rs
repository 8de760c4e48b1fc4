//! The side effects of single instructions.

use super::barriers::may_be_barrier;
use super::witness::{Cause, EffectSink, Subject};
use super::{AccessBase, access_path, convention, declared_effects, restricted};
use crate::BodyView;
use crate::escape::{Direction, EscapePath, EscapeVisitor, NewObjects};
use crate::memory::is_opaque;
use crate::walk::{AtDef, AtUse, Walk, Walker};
use crate::{Component, ProjectionPath};
use silkit_base::FxHashSet;
use silkit_ir::conventions::{ApplySite, ArgumentConvention, Conventions};
use silkit_ir::effects::{ArgumentEffects, Effects, SideEffects};
use silkit_ir::info::ApplyKind;
use silkit_ir::instructions::{AnyInst, CopyAddr};
use silkit_ir::ownership::builtin;
use silkit_ir::{AddressUse, Behavior, Body, FunctionId, Inst, Opcode, Operand, Value, ValueDef};
use silkit_types::{CalleeConvention, Convention, FnFlags, SilType};
use std::ops::ControlFlow;

/// Accumulates side effects.
pub(super) struct Collector<'a> {
    pub(super) view: BodyView<'a>,
    pub(super) behavior: Behavior<'a>,
    pub(super) arguments: Vec<ArgumentEffects>,
    pub(super) global: Effects,
    pub(super) witness: &'a mut dyn EffectSink,
    pub(super) objects: NewObjects<'a>,
    /// The values from which effects were already propagated to their origins.
    pub(super) visited: FxHashSet<(Effects, Value, ProjectionPath)>,
    /// The instruction whose effects are being added.
    pub(super) at: Option<Inst>,
    pub(super) cause: Cause,
}

impl Collector<'_> {
    pub(super) fn body(&self) -> &Body {
        self.view.body
    }

    /// Adds the effects of an instruction.
    pub(super) fn instruction(&mut self, inst: Inst) {
        self.at = Some(inst);
        let view = self.view;
        let body = view.body;
        let inside = ProjectionPath::of(Component::AnyValueFields);
        match body.view(inst) {
            AnyInst::CopyValue(_) | AnyInst::RetainValue(_) | AnyInst::StrongRetain(_) => {
                self.add_at(Effects::COPY, body.operand_value(inst, 0), inside);
            }
            AnyInst::DestroyValue(_)
            | AnyInst::DestroyNotEscapedClosure(_)
            | AnyInst::ReleaseValue(_)
            | AnyInst::StrongRelease(_) => self.destroy_value(body.operand_value(inst, 0)),
            // Reading a reference count counts as changing it.
            AnyInst::BeginCOWMutation(_) => {
                self.add_at(Effects::DESTROY, body.operand_value(inst, 0), inside);
            }
            AnyInst::PartialApply(closure) => {
                if self.may_be_called_here(inst) {
                    self.call(inst);
                } else {
                    self.barrier(inst);
                }
                if !closure.on_stack {
                    // Values that are captured from memory are read.
                    closure.args.iter().filter(|&v| body.value(v).ty.is_address()).for_each(|v| {
                        self.add(Effects::READ, v);
                    });
                }
                return;
            }
            _ if body.info(inst).apply == Some(ApplyKind::Full) => {
                let callee = body.operand_value(inst, 0);
                if consumes_callee(body.value(callee).ty) {
                    self.add(Effects::DESTROY, callee);
                    self.unknown();
                }
                self.call(inst);
                return;
            }
            _ if keeps_order_only(body.inst(inst).opcode) || self.addresses(inst) => {}
            _ => self.other(inst),
        }
        self.barrier(inst);
    }

    /// Adds the effects of an instruction on the memory at its address operands. Returns false if they are not known.
    fn addresses(&mut self, inst: Inst) -> bool {
        let body = self.view.body;
        let opcode = body.inst(inst).opcode;
        if is_opaque(opcode) || !opcode.info().uses_addresses() {
            return false;
        }
        let mut is_visited = false;
        let mut replaced = None;
        for operand in body.operand_ids(inst) {
            let value = body.operand(operand).value;
            let using = body.address_use(operand);
            match using {
                AddressUse::Read | AddressUse::Take | AddressUse::Borrow => self.add(Effects::READ, value),
                // Keeping a value alive counts as reading it.
                AddressUse::KeepAlive => self.add(Effects::READ, value),
                AddressUse::Initialize | AddressUse::Assign | AddressUse::Overwrite => {
                    self.add(Effects::WRITE, value);
                }
                // Reading a reference count counts as changing it.
                AddressUse::CheckUnique => {
                    self.add_at(Effects::DESTROY, value, ProjectionPath::of(Component::AnyValueFields));
                }
                AddressUse::Destroy => self.destroy_at(value),
                _ => continue,
            }
            is_visited = true;
            // Releasing a `weak` or `unowned` reference runs no deinitializer.
            if using == AddressUse::Assign && !matches!(opcode, Opcode::StoreWeak | Opcode::StoreUnowned) {
                replaced = Some(value);
            }
        }
        // Loads do not count as copies, regardless of their ownership.
        if let Some(copy) = body.view_as::<CopyAddr>(inst).filter(|copy| !copy.take) {
            self.add(Effects::COPY, copy.source);
        }
        if let Some(address) = replaced {
            self.destroy_at(address);
        }
        is_visited
    }

    /// Adds the effects of an instruction that has only a table row.
    fn other(&mut self, inst: Inst) {
        let body = self.view.body;
        if self.may_release(inst) {
            self.unknown();
        }
        let memory = self.behavior.memory(inst);
        let mut effects = Effects::empty();
        effects.set(Effects::READ, memory.may_read());
        effects.set(Effects::WRITE, memory.may_write());
        // A debugger may observe and retain an error that is thrown.
        let is_shown = builtin(body, inst).is_some_and(|b| b.id == "WillThrow");
        effects.set(Effects::COPY, self.behavior.may_have_side_effects(inst) || is_shown);
        self.add_global(effects);
        // An object that does not escape is not counted.
        let allocates = matches!(
            body.inst(inst).opcode,
            Opcode::AllocRef
                | Opcode::AllocRefDynamic
                | Opcode::AllocBox
                | Opcode::AllocExistentialBox
                | Opcode::AllocPack
        );
        if let Some(object) = body.first_result(inst).filter(|_| allocates)
            && !self.global.contains(Effects::ALLOCATE)
            && self.objects.escapes(object)
        {
            self.add_global(Effects::ALLOCATE);
        }
    }

    fn barrier(&mut self, inst: Inst) {
        if may_be_barrier(&self.behavior, &self.view, inst) {
            self.add_global(Effects::DEINIT_BARRIER);
        }
    }

    /// Returns true if a closure may be called in the function that creates it.
    fn may_be_called_here(&self, inst: Inst) -> bool {
        let body = self.body();
        let Some(closure) = body.first_result(inst) else { return true };
        let mut visitor = ToCall { body };
        self.view.escapes().escapes(closure, ProjectionPath::EMPTY, Direction::Down, &mut visitor)
    }

    /// Adds the effects of the possible callees of an apply site.
    fn call(&mut self, inst: Inst) {
        let body = self.view.body;
        let Some(site) = ApplySite::new(body, inst, self.view.addresses()) else { return };
        let arguments: Vec<(usize, Value)> = site
            .arguments()
            .enumerate()
            .map(|(applied, value)| (site.argument_of_applied(applied).unwrap_or(usize::MAX), value))
            .collect();
        let callees = self.view.program.callees(body, site.callee());
        self.functions(callees.as_deref(), &arguments);
    }

    /// Adds the effects of callees. Each argument is given by its index in the callee and its value.
    fn functions(&mut self, callees: Option<&[FunctionId]>, arguments: &[(usize, Value)]) {
        let Some(callees) = callees else {
            self.unknown();
            self.cause = Cause::Unknown;
            arguments.iter().for_each(|&(_, value)| self.add(Effects::all(), value));
            self.cause = Cause::Instruction;
            return;
        };
        self.reach(Some(callees));
        let view = self.view;
        let program = view.program;
        for &callee in callees {
            let (effects, cause) = self.effects_of(callee);
            self.cause = cause;
            self.add_global(effects);
        }
        for &(index, value) in arguments {
            for &callee in callees {
                match &view.effects(callee).side {
                    Some(side) => {
                        self.cause = Cause::Callee(callee, Subject::Argument(index));
                        for (effect, path) in side.argument(index).parts() {
                            self.add_at(effect, value, path);
                        }
                    }
                    None => {
                        let function = &program.module.functions[callee];
                        let convention = Conventions::of(function, view.addresses())
                            .and_then(|c| convention(c, index))
                            .unwrap_or(ArgumentConvention::Inout);
                        // Indirect results are written and indirect arguments are read regardless of the declared
                        // effects.
                        let passing = match convention {
                            ArgumentConvention::Out => Effects::WRITE,
                            ArgumentConvention::In | ArgumentConvention::InGuaranteed => Effects::READ,
                            _ => Effects::empty(),
                        };
                        let declared = declared_effects(function) | passing;
                        let effects = restricted(declared, view.holds_nothing(value), convention);
                        self.cause = Cause::Declared(callee);
                        self.add(effects, value);
                    }
                }
            }
        }
        self.cause = Cause::Instruction;
    }

    /// Returns the global effects of a function, and their cause.
    fn effects_of(&self, callee: FunctionId) -> (Effects, Cause) {
        let program = self.view.program;
        match &self.view.effects(callee).side {
            Some(side) => (side.global, Cause::Callee(callee, Subject::Global)),
            None => (declared_effects(&program.module.functions[callee]), Cause::Declared(callee)),
        }
    }

    /// Records the possible callees of the instruction.
    fn reach(&mut self, callees: Option<&[FunctionId]>) {
        if let Some(inst) = self.at {
            self.witness.call(inst, callees);
        }
    }

    /// Adds the effects of unknown code.
    fn unknown(&mut self) {
        self.reach(None);
        self.cause = Cause::Unknown;
        self.add_global(Effects::all());
        self.cause = Cause::Instruction;
    }

    fn add_global(&mut self, effects: Effects) {
        self.witness.effect(self.at, effects, Subject::Global, self.cause);
        self.global |= effects;
    }

    fn add_to_argument(&mut self, index: usize, effects: Effects, path: ProjectionPath) {
        self.witness.effect(self.at, effects, Subject::Argument(index), self.cause);
        self.arguments[index].add(effects, path);
    }

    /// Adds the effects of destroying a value.
    fn destroy_value(&mut self, value: Value) {
        self.add(Effects::DESTROY, value);
        let ty = self.body().value(value).ty;
        if self.is_class(ty) {
            let destructors = self.view.program.destructors(ty, false);
            self.functions(destructors.as_deref(), &[(0, value)]);
        } else {
            self.cause = Cause::Unknown;
            self.add(Effects::all(), value);
            self.unknown();
        }
    }

    /// Adds the effects of destroying the value at an address, which includes taking it.
    fn destroy_at(&mut self, address: Value) {
        self.add(Effects::DESTROY | Effects::MEMORY, address);
        let program = self.view.program;
        match program.destructors(self.body().value(address).ty, false) {
            Some(destructors) => {
                self.reach(Some(&destructors));
                for &destructor in destructors.iter() {
                    let (effects, cause) = self.effects_of(destructor);
                    self.cause = cause;
                    self.add_global(effects);
                    let arguments =
                        self.view.effects(destructor).side.iter().flat_map(SideEffects::of_arguments);
                    for (index, effects) in arguments {
                        self.cause = Cause::Callee(destructor, Subject::Argument(index));
                        self.add_global(effects);
                    }
                }
                self.cause = Cause::Instruction;
            }
            None => self.unknown(),
        }
    }

    /// Adds effects on a value, or on the object that it refers to.
    pub(super) fn add(&mut self, effects: Effects, value: Value) {
        self.add_at(effects, value, self.whole(value));
    }

    /// Returns the path to everything that an effect on a value may concern.
    fn whole(&self, value: Value) -> ProjectionPath {
        let ty = self.body().value(value).ty;
        let inside = ProjectionPath::of(Component::AnyValueFields);
        if ty.is_address() {
            inside
        } else if self.is_class(ty) {
            inside.push(Component::AnyClassField)
        } else {
            inside.push(Component::AnyClassField).push(Component::AnyValueFields)
        }
    }

    /// Adds effects on a part of a value to the arguments that it is derived from, or to the global effects.
    pub(super) fn add_at(&mut self, effects: Effects, value: Value, path: ProjectionPath) {
        let view = self.view;
        let (value, path) = if view.body.value(value).ty.is_address() {
            match access_path(view, value, path) {
                (AccessBase::Stack, _) => {
                    // A value may have been moved there, so that it is destroyed in place of an argument.
                    self.add_global(effects & Effects::OWNERSHIP);
                    return;
                }
                (AccessBase::Argument(index), path) => {
                    self.add_to_argument(index, effects, path);
                    return;
                }
                (AccessBase::Other, _) => {
                    self.add_global(effects);
                    return;
                }
                (AccessBase::Object(reference), path) => (reference, path),
            }
        } else {
            (value, path)
        };
        let mut walk = Walk::new(view);
        walk.up(value, path);
        let mut roots =
            Roots { effects, visited: &mut self.visited, arguments: Vec::new(), has_others: false };
        // The walk never breaks.
        let _ = walk.run(&mut roots);
        let Roots { arguments, has_others, .. } = roots;
        for (index, path) in arguments.into_iter().rev() {
            self.add_to_argument(index, effects, path);
        }
        if has_others {
            self.add_global(effects);
        }
    }

    pub(super) fn is_class(&self, ty: SilType) -> bool {
        self.view.declarations().is_class(ty.ty()) == Some(true)
    }
}

/// A walk to the arguments that a value is derived from, skipping those that the effects were already added to.
struct Roots<'a> {
    effects: Effects,
    visited: &'a mut FxHashSet<(Effects, Value, ProjectionPath)>,
    arguments: Vec<(usize, ProjectionPath)>,
    has_others: bool,
}

impl Walker<ProjectionPath> for Roots<'_> {
    fn at_def(&mut self, walk: &mut Walk<'_, ProjectionPath>, value: Value, path: ProjectionPath) -> AtDef {
        // Walks meet only at phis and at values with several uses.
        let body = walk.view.body;
        let may_meet = body.is_phi(value) || body.uses(value).nth(1).is_some();
        let is_visited = may_meet && !self.visited.insert((self.effects, value, path));
        if is_visited { AtDef::Skip } else { AtDef::Follow }
    }

    fn at_root(
        &mut self,
        walk: &mut Walk<'_, ProjectionPath>,
        value: Value,
        path: ProjectionPath,
    ) -> ControlFlow<()> {
        let body = walk.view.body;
        match body.def(value) {
            ValueDef::Argument(block, index) if body.is_entry_block(block) => {
                self.arguments.push((index.into(), path));
            }
            // Effects on a new object are not visible to the caller.
            ValueDef::Result(inst, _) if body.is_allocation(inst) => {}
            _ => self.has_others = true,
        }
        ControlFlow::Continue(())
    }
}

/// A walk that detects whether a closure escapes to a call.
struct ToCall<'a> {
    body: &'a Body,
}

impl EscapeVisitor for ToCall<'_> {
    fn at_use(&mut self, operand: Operand, _: EscapePath) -> AtUse {
        let user = self.body.operand(operand).user;
        if self.body.info(user).apply == Some(ApplyKind::Full) {
            // As an argument or as the callee.
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
}

/// Returns true if calling a value consumes it.
fn consumes_callee(ty: SilType) -> bool {
    ty.ty().as_function().is_some_and(|f| {
        let has_context = matches!(f.convention, Convention::Thick);
        has_context && f.callee == CalleeConvention::Owned && !f.flags.contains(FnFlags::NOESCAPE)
    })
}

/// Returns true if the effects in the table only restrict reordering and are not visible to callers.
fn keeps_order_only(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::DeallocStack
            | Opcode::DeallocStackRef
            | Opcode::BeginAccess
            | Opcode::EndAccess
            | Opcode::BeginBorrow
            | Opcode::EndBorrow
            | Opcode::DebugValue
            | Opcode::KeyPath
            | Opcode::EndApply
            | Opcode::AbortApply
            | Opcode::EndCOWMutation
            | Opcode::UnconditionalCheckedCast
            | Opcode::CondFail
    )
}
