//! The names and declarations of elements, as diagnostics show them.

use super::object::{Object, Step, declaration};
use silkit_ir::instructions::UninitializedKind as K;
use silkit_types::decl::{DeclFlags, Declarations, StoredProperty};
use std::fmt::Write;
use std::ops::Range;

impl Object {
    /// Returns true if the memory is `self` of an initializer.
    pub(super) fn is_self(&self) -> bool {
        !matches!(self.kind, K::Var | K::Out)
    }

    /// Returns true if the memory is `self` of an initializer that has to call another one first.
    pub(super) fn is_delegating(&self) -> bool {
        matches!(self.kind, K::Delegatingself | K::Delegatingselfallocated)
    }

    /// Returns the expression for an element: `self.a.0`. SIL does not contain the declaration of a variable.
    pub(super) fn name_of(&self, element: u32) -> String {
        let mut name = String::from(if self.is_self() { "self" } else { "<unknown>" });
        for step in self.elements.get(element as usize).into_iter().flatten() {
            let _ = match step {
                Step::Field(field) | Step::Property(field) => {
                    write!(name, ".{}", field.name().map(|name| name.as_str()).unwrap_or_default())
                }
                Step::Element(index) => write!(name, ".{index}"),
            };
        }
        name
    }

    /// Returns the stored property that an element is a part of.
    pub(super) fn property_of<'d>(
        &self,
        declarations: &'d Declarations,
        element: u32,
    ) -> Option<&'d StoredProperty> {
        let name = match self.elements.get(element as usize)?.first()? {
            Step::Field(field) | Step::Property(field) => field.name()?,
            Step::Element(_) => return None,
        };
        declaration(declarations, self.ty)?.body.fields.named(name)
    }

    /// Returns true if an element is a part of a `let` property.
    pub(super) fn is_let(&self, declarations: &Declarations, element: u32) -> bool {
        self.property_of(declarations, element)
            .is_some_and(|property| property.flags.contains(DeclFlags::LET))
    }

    /// Returns the word for elements in messages. As in the reference, the first elements of the memory decide, and not
    /// those of the use.
    pub(super) fn noun(&self, declarations: &Declarations, elements: &Range<u32>) -> &'static str {
        match (0..elements.len() as u32).all(|element| self.is_let(declarations, element)) {
            true => "constant",
            false => "variable",
        }
    }
}
