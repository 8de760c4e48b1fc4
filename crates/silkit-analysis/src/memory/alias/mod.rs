//! Alias analysis: whether two addresses may refer to overlapping memory, and the effects of instructions on the
//! memory at an address. Every answer is conservative: "may" unless proven otherwise.
//!
//! [`Aliases::relation`] also returns the reason, as a [`Relation`]. The rules are, in order: values that are not
//! pointers; type-based alias analysis ([`TypeRules`]); distinct bases, or distinct parts of one base
//! ([`base_path`]); and escape analysis: an address does not alias a value that it never reaches.

mod base;
mod behavior;
mod relation;
mod scope;
mod types;

pub use base::{AccessBase, BasePath, base_path};
pub use relation::Relation;
pub use scope::Immutable;
pub use types::TypeRules;

use crate::BodyView;
use crate::escape::Escapes;
use silkit_base::Symbol;
use silkit_ir::effects::Effects;
use silkit_ir::{Body, Opcode, Value};
use std::fmt;

/// Alias analysis of one body.
#[derive(Clone, Copy)]
pub struct Aliases<'a> {
    escapes: Escapes<'a>,
    rules: TypeRules<'a>,
    /// The maximum number of steps of a walk.
    budget: u32,
}

impl fmt::Debug for Aliases<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aliases").field("function", &self.escapes.view.function.name).finish_non_exhaustive()
    }
}

impl<'a> Aliases<'a> {
    /// Creates the alias analysis of a body.
    pub(crate) fn new(view: BodyView<'a>) -> Self {
        /// The total number of steps for all walks in a body, assuming one query per instruction.
        const TOTAL: usize = 1_000_000;
        let instructions = view.body.inst_count().max(1);
        let budget = u32::try_from(TOTAL / instructions).unwrap_or(u32::MAX).clamp(100, 10_000);
        let rules = TypeRules { declarations: view.declarations(), signature: view.signature() };
        Self { escapes: view.escapes(), rules, budget }
    }

    fn body(&self) -> &'a Body {
        self.escapes.view.body
    }

    /// Returns the name of the function.
    pub fn function_name(&self) -> Symbol {
        self.escapes.view.function.name
    }

    /// Returns the view of the body.
    pub fn view(&self) -> BodyView<'a> {
        self.escapes.view
    }

    /// Returns true if two values may be addresses of, or references to, overlapping memory.
    pub fn may_alias(&self, a: Value, b: Value) -> bool {
        self.relation(a, b).may_alias()
    }

    /// Returns true if a value reaches a use of itself. A value that does not may still alias itself, but queries
    /// about it prove nothing.
    pub fn meets_itself(&self, value: Value) -> bool {
        let view = &self.escapes.view;
        if !self.body().value(value).ty.is_address() && view.holds_nothing(value) {
            return false;
        }
        let at = (value, view.addresses_in(value));
        self.escapes.may_alias(at, at, self.budget)
    }

    /// Returns the alias relation of two values, from the first rule that applies.
    pub fn relation(&self, a: Value, b: Value) -> Relation {
        let body = self.body();
        let is_address = |value: Value| body.value(value).ty.is_address();
        let has_no_pointer = |value| !is_address(value) && self.escapes.view.holds_nothing(value);
        if has_no_pointer(a) || has_no_pointer(b) {
            return Relation::NoPointer;
        }
        if a == b {
            return Relation::Same;
        }
        let mut otherwise = Relation::Unknown;
        if is_address(a) && is_address(b) {
            let relation = self.relation_of_addresses(a, b);
            if !relation.may_alias() {
                return relation;
            }
            otherwise = relation;
        }
        let view = &self.escapes.view;
        let (at_a, at_b) = ((a, view.addresses_in(a)), (b, view.addresses_in(b)));
        if self.escapes.may_alias(at_a, at_b, self.budget) {
            otherwise
        } else if is_accessed(body, a) && is_accessed(body, b) {
            Relation::NoEscape
        } else {
            Relation::Unused
        }
    }

    /// Returns the base of an address and the path from it.
    pub fn base_path(&self, address: Value) -> BasePath {
        base_path(&self.escapes.view, address)
    }

    /// Returns the alias relation by types, bases and paths.
    fn relation_of_addresses(&self, a: Value, b: Value) -> Relation {
        let body = self.body();
        if let (Some(a), Some(b)) = (types::typed_access(body, a), types::typed_access(body, b))
            && !self.rules.accesses_may_alias(a.ty(), b.ty())
        {
            return Relation::TypedAccess;
        }
        let view = &self.escapes.view;
        let (a, b) = (self.base_path(a), self.base_path(b));
        if let Some(distinct) = base::why_distinct(view, &self.rules, a.base, b.base) {
            return distinct;
        }
        // Fields of a base of unknown kind are distinct as well: the base is one address.
        if a.base != b.base {
            Relation::Unknown
        } else if a.path.may_overlap(b.path) {
            Relation::Overlap(a.path, b.path)
        } else {
            Relation::Paths(a.path, b.path)
        }
    }
}

/// Returns true if an address or a reference has a use other than `end_access`; otherwise no walk reaches it.
fn is_accessed(body: &Body, value: Value) -> bool {
    body.users(value).any(|user| body.inst(user).opcode != Opcode::EndAccess)
}

/// All read and write effects.
const WORST: Effects = Effects::MEMORY;
