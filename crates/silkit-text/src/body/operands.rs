//! Requirements on operand types that must hold for an instruction to be parsed at all.

use super::parse::BodyParser;
use crate::error::{Parse, err_at};
use silkit_ir::Opcode;
use silkit_types::{SilType, TypeKind};

impl BodyParser<'_, '_> {
    /// Checks the operands of instructions that wrap and unwrap move-only types: with an invalid operand they have no
    /// result type.
    pub(super) fn check_wrapping(&self, opcode: Opcode, start: usize) -> Parse<()> {
        use Opcode as O;
        let (is_address, is_wrapped) = match opcode {
            O::MoveOnlyWrapperToCopyableAddr => (true, true),
            O::MoveOnlyWrapperToCopyableValue | O::MoveOnlyWrapperToCopyableBox => (false, true),
            O::CopyableToMoveOnlyWrapperAddr => (true, false),
            O::CopyableToMoveOnlyWrapperValue => (false, false),
            _ => return Ok(()),
        };
        // The wrapping of parts of wrapped values does not follow from their types alone.
        let is_spelled = self.first_operand_is_spelled();
        let Some(ty) = self.first_operand_type().filter(|ty| !ty.is_unknown()) else { return Ok(()) };
        let must = if ty.is_address() != is_address {
            if is_address { "have address type" } else { "have object type" }
        } else if holds_wrapper(ty) != is_wrapped && is_spelled {
            if is_wrapped { "be of moveonlywrapped type" } else { "not be of moveonlywrapped type" }
        } else {
            return Ok(());
        };
        let message = format!("operand of `{}` must {must}", opcode.info().name);
        Err(err_at(start, self.cur.pos(), message))
    }
}

/// Returns true if a type is `@moveOnly T`, or a box of such a type.
fn holds_wrapper(ty: SilType) -> bool {
    match ty.ty().kind() {
        TypeKind::MoveOnly(_) => true,
        TypeKind::Box(layout) => layout.fields.iter().any(|f| matches!(f.ty.kind(), TypeKind::MoveOnly(_))),
        _ => false,
    }
}
