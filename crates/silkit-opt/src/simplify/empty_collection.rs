//! The storage objects of empty collections, which the runtime defines as global variables.

use silkit_ir::instructions::{AddressToPointer, GlobalAddr, RawPointerToRef};
use silkit_ir::{Body, Value};

/// The names of the global variables.
const GLOBALS: [&str; 3] =
    ["_swiftEmptyArrayStorage", "_swiftEmptySetSingleton", "_swiftEmptyDictionarySingleton"];

/// Returns true if a reference is the storage object of an empty collection.
pub(super) fn is_instance(body: &Body, reference: Value) -> bool {
    let pointer = body.def_as::<RawPointerToRef>(body.look_through_class_casts(reference));
    let address = pointer.and_then(|cast| body.def_as::<AddressToPointer>(cast.operand));
    let global = address.and_then(|cast| body.def_as::<GlobalAddr>(cast.operand));
    global.is_some_and(|global| GLOBALS.contains(&global.global.as_str()))
}
