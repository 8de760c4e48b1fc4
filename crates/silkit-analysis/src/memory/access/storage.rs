//! Storage: identification of memory independently of the address that is used to access it.

use super::reference::reference_root;
use super::step::AccessRoot;
use silkit_base::Symbol;
use silkit_ir::{Body, Value};

/// The kind of a storage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StorageKind {
    /// A box.
    Box,
    /// An allocation on the stack.
    Stack,
    /// A global variable.
    Global(Symbol),
    /// A property of an object, by its index among all stored properties; `None` if the index is not known.
    Class(Option<u32>),
    /// The tail elements of an object.
    Tail,
    /// An argument of the function.
    Argument,
    /// A value that a coroutine yields.
    Yield,
    /// The storage of an enclosing access.
    Nested,
    /// Memory that is identified only by the value that the walk ended at.
    Unidentified,
}

/// The identified memory that an address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AccessStorage {
    /// Its kind.
    pub kind: StorageKind,
    /// The value that identifies it: the allocation, the argument, the object of a property; `None` for a global
    /// variable.
    pub value: Option<Value>,
}

impl AccessStorage {
    pub(super) fn of_root(body: &Body, value: Value, root: AccessRoot) -> Option<Self> {
        let (kind, value) = match root {
            AccessRoot::Stack => (StorageKind::Stack, Some(value)),
            AccessRoot::Box(object) => (StorageKind::Box, Some(reference_root(body, object))),
            AccessRoot::Global(name) => (StorageKind::Global(name), None),
            AccessRoot::Class(object, index) => {
                (StorageKind::Class(index), Some(reference_root(body, object)))
            }
            AccessRoot::Tail(object) => (StorageKind::Tail, Some(reference_root(body, object))),
            AccessRoot::Argument => (StorageKind::Argument, Some(value)),
            AccessRoot::Yield => (StorageKind::Yield, Some(value)),
            AccessRoot::Unidentified => (StorageKind::Unidentified, Some(value)),
            AccessRoot::None => return None,
        };
        Some(Self { kind, value })
    }

    /// Returns true if it is memory of an object that is accessed through a reference.
    pub fn is_reference(&self) -> bool {
        matches!(self.kind, StorageKind::Class(_) | StorageKind::Tail)
    }

    /// Returns the name of the kind, as the reference prints it.
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            StorageKind::Box => "Box",
            StorageKind::Stack => "Stack",
            StorageKind::Global(_) => "Global",
            StorageKind::Class(_) => "Class",
            StorageKind::Tail => "Tail",
            StorageKind::Argument => "Argument",
            StorageKind::Yield => "Yield",
            StorageKind::Nested => "Nested",
            StorageKind::Unidentified => "Unidentified",
        }
    }
}
