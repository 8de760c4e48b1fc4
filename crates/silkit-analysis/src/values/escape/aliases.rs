//! Address aliasing by escape analysis: two addresses may be equal if one reaches the other.

use super::{Direction, EscapePath, EscapeVisitor, Escapes};
use crate::BodyView;
use crate::walk::AtUse;
use crate::{Component, ProjectionPath};
use silkit_ir::{Opcode, Operand, Value};

/// A visitor that treats reaching a use of a value as an escape.
struct ToValue<'a> {
    view: BodyView<'a>,
    target: Value,
    path: ProjectionPath,
}

impl EscapeVisitor for ToValue<'_> {
    fn at_use(&mut self, operand: Operand, path: EscapePath) -> AtUse {
        let data = self.view.body.operand(operand);
        if data.value == self.target && path.path.may_overlap(self.path) {
            AtUse::Abort
        } else if self.view.body.inst(data.user).opcode == Opcode::Return {
            // A returned value does not reach an instruction inside the function.
            AtUse::Skip
        } else {
            AtUse::Follow
        }
    }

    fn follows_trivial(&self) -> bool {
        true
    }

    fn follows_loads(&self) -> bool {
        false
    }
}

impl BodyView<'_> {
    /// Returns the path to all addresses that a value contains: the address itself, or the addresses in the objects
    /// that it refers to.
    pub fn addresses_in(&self, value: Value) -> ProjectionPath {
        let ty = self.body.value(value).ty;
        let inner = ProjectionPath::of(Component::AnyValueFields);
        if ty.is_address() {
            return inner;
        }
        let is_class = self.declarations().is_class(ty.ty()) == Some(true);
        let in_object = inner.push(Component::AnyClassField);
        if is_class { in_object } else { in_object.push(Component::AnyValueFields) }
    }
}

impl Escapes<'_> {
    /// Returns true if two addresses, each given by a value and a path, may be equal. Returns true if a query takes
    /// more than this number of steps.
    pub fn may_alias(&self, a: (Value, ProjectionPath), b: (Value, ProjectionPath), steps: u32) -> bool {
        // If one address is local and does not escape to the other, they differ.
        [(a, b), (b, a)].into_iter().all(|((value, at), (target, path))| {
            let mut visitor = ToValue { view: self.view, target, path };
            self.escapes_within(value, at, Direction::Up, &mut visitor, steps)
        })
    }
}
