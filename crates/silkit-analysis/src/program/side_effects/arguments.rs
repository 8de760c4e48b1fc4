//! Effects on arguments that the walk cannot follow.

use super::collect::Collector;
use super::witness::Cause;
use super::{convention, restricted};
use crate::BodyView;
use crate::memory::is_opaque;
use crate::walk::{AnyPath, Walk, Walker};
use crate::{Component, ProjectionPath};
use silkit_ir::conventions::{ApplySite, ArgumentConvention, Conventions};
use silkit_ir::effects::Effects;
use silkit_ir::instructions::PartialApply;
use silkit_ir::{AddressUse, Opcode, Operand, Value};
use std::ops::ControlFlow;

impl Collector<'_> {
    /// Adds the effects on an argument that do not follow from the instructions that use it.
    pub(super) fn argument(&mut self, index: usize, argument: Value) {
        (self.at, self.cause) = (None, Cause::Everything);
        let view = self.view;
        let conventions = view.function_type().map(|ty| Conventions::new(ty, view.addresses()));
        let passing = conventions.and_then(|c| convention(c, index)).unwrap_or(ArgumentConvention::Inout);
        let mut uses = Uses {
            view: self.view,
            has_ossa: self.view.function.has_ossa(),
            takes: false,
            is_captured: false,
        };
        let mut walk = Walk::new(view);
        if view.body.value(argument).ty.is_address() || !view.holds_nothing(argument) {
            walk.down(argument, AnyPath);
        }
        if walk.run(&mut uses).is_break() {
            let effects = restricted(self.global, view.holds_nothing(argument), passing);
            self.add(effects, argument);
        } else if uses.takes {
            // A loaded value may be destroyed elsewhere.
            let ownership = self.global & Effects::OWNERSHIP;
            let effects = restricted(ownership, view.holds_nothing(argument), passing);
            self.add(effects, argument);
        } else if uses.is_captured && self.global.contains(Effects::DESTROY) {
            // A closure that captures it may be destroyed as well.
            self.add(Effects::DESTROY, argument);
        }
        if passing == ArgumentConvention::In {
            self.cause = Cause::Instruction;
            // The function consumes it, even if the read was removed on paths that never return.
            self.add(Effects::READ, argument);
        }
    }
}

/// A walk that searches for uses with unknown effects.
struct Uses<'a> {
    view: BodyView<'a>,
    has_ossa: bool,
    /// True if a load may leave the memory uninitialized.
    takes: bool,
    /// True if it is captured by a closure that may be destroyed where it is called.
    is_captured: bool,
}

impl Uses<'_> {
    fn value_leaf(&mut self, walk: &mut Walk<'_, AnyPath>, operand: Operand) -> ControlFlow<()> {
        let body = walk.view.body;
        let inst = body.operand(operand).user;
        match body.inst(inst).opcode {
            Opcode::RefTailAddr | Opcode::RefElementAddr | Opcode::ProjectBox => {
                body.results(inst).for_each(|address| walk.down(address, AnyPath));
                ControlFlow::Continue(())
            }
            Opcode::CopyValue
            | Opcode::RetainValue
            | Opcode::StrongRetain
            | Opcode::DestroyValue
            | Opcode::ReleaseValue
            | Opcode::StrongRelease
            | Opcode::DebugValue
            | Opcode::UnconditionalCheckedCast
            | Opcode::Return => ControlFlow::Continue(()),
            _ if body.info(inst).apply.is_some() => self.pass(walk.view, operand),
            _ => ControlFlow::Break(()),
        }
    }

    /// Follows an argument into a call. An argument that escapes there may be used anywhere.
    fn pass(&mut self, view: BodyView<'_>, operand: Operand) -> ControlFlow<()> {
        let body = view.body;
        let inst = body.operand(operand).user;
        if body.view_as::<PartialApply>(inst).is_some_and(|closure| !closure.on_stack) {
            self.is_captured = true;
        }
        let Some(site) = ApplySite::new(body, inst, view.addresses()) else {
            return ControlFlow::Break(());
        };
        let Some(index) = site.argument_of_operand(body.operand_index(operand)) else {
            return ControlFlow::Break(());
        };
        let Some(callees) = self.view.program.callees(body, site.callee()) else {
            return ControlFlow::Break(());
        };
        let inside = ProjectionPath::of(Component::AnyValueFields);
        match callees.iter().any(|&callee| self.view.effects(callee).may_escape(index, inside)) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn address_leaf(&mut self, view: BodyView<'_>, operand: Operand) -> ControlFlow<()> {
        let body = view.body;
        let data = body.operand(operand);
        let is_trivial = view.is_trivial(body.value(data.value).ty) == Some(true);
        let opcode = body.inst(data.user).opcode;
        let using = body.address_use(operand);
        match using {
            _ if is_opaque(opcode) => return ControlFlow::Break(()),
            AddressUse::Read | AddressUse::Borrow | AddressUse::Take => {
                // Taking a `weak` or `unowned` reference does not count.
                let is_weak = matches!(opcode, Opcode::LoadWeak | Opcode::LoadUnowned);
                let takes = using == AddressUse::Take && !is_weak;
                self.takes |= !is_trivial && (!self.has_ossa || takes);
            }
            AddressUse::Initialize | AddressUse::Assign | AddressUse::Overwrite | AddressUse::Destroy => {}
            AddressUse::Call | AddressUse::Capture => {}
            AddressUse::Mention if opcode == Opcode::DebugValue => {}
            _ => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }
}

impl Walker<AnyPath> for Uses<'_> {
    fn at_leaf(&mut self, walk: &mut Walk<'_, AnyPath>, operand: Operand, _: AnyPath) -> ControlFlow<()> {
        if walk.view.body.value(walk.view.body.operand(operand).value).ty.is_address() {
            self.address_leaf(walk.view, operand)
        } else {
            self.value_leaf(walk, operand)
        }
    }
}
