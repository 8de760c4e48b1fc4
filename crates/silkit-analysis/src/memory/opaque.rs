//! Instructions that the memory analyses treat as opaque although the instruction table describes them.

use silkit_ir::Opcode;

/// Returns true if the reference's analyses of escapes, of side effects and of aliases do not look at what an instruction
/// does to its addresses, although [`silkit_ir::Body::address_use`] knows it: addresses escape there, and the
/// instruction may read and write any memory that its row allows it.
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
