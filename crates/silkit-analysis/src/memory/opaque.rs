//! Instructions that the memory analyses treat as opaque although the instruction table describes them.

use silkit_ir::Opcode;

/// Returns true if the reference's escape, side effect and alias analyses ignore the address uses of an instruction,
/// although [`silkit_ir::Body::address_use`] describes them: its address operands escape, and it may read and write
/// any memory that its table row allows.
///
/// This is the one list of these exceptions, so that the analyses agree on them.
pub fn is_opaque(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::ExplicitCopyAddr
            | Opcode::TupleAddrConstructor
            | Opcode::UnconditionalCheckedCastAddr
            | Opcode::UncheckedRefCastAddr
            | Opcode::CheckedCastAddrBranch
            | Opcode::InitBlockStorageHeader
            | Opcode::IgnoredUse
            | Opcode::MergeIsolationRegion
    )
}
