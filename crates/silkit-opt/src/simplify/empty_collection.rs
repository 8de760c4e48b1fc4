//! The storage objects of empty collections, which the runtime defines as global variables.

use silkit_ir::instructions::{AddressToPointer, GlobalAddr, RawPointerToRef};
use silkit_ir::{Body, Opcode, Value};

/// The names of the global variables.
const GLOBALS: [&str; 3] =
    ["_swiftEmptyArrayStorage", "_swiftEmptySetSingleton", "_swiftEmptyDictionarySingleton"];

/// Returns true if a reference is the storage object of an empty collection.
pub(super) fn is_instance(body: &Body, reference: Value) -> bool {
    let pointer = body.def_as::<RawPointerToRef>(before_casts(body, reference));
    let address = pointer.and_then(|cast| body.def_as::<AddressToPointer>(cast.operand));
    let global = address.and_then(|cast| body.def_as::<GlobalAddr>(cast.operand));
    global.is_some_and(|global| GLOBALS.contains(&global.global.as_str()))
}

/// Returns the reference before conversions to other classes, copies and borrows.
fn before_casts(body: &Body, mut reference: Value) -> Value {
    // Unreachable code may define references in terms of each other.
    for _ in 0..body.inst_bound() {
        let Some(inst) = body.defining_inst(reference) else { break };
        match body.inst(inst).opcode {
            Opcode::Upcast | Opcode::UncheckedRefCast | Opcode::CopyValue | Opcode::BeginBorrow => {
                reference = body.operand_value(inst, 0);
            }
            _ => break,
        }
    }
    reference
}
