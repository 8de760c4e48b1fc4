//! Folds the conversion of a closure without context to a non-escaping closure.
//!
//! ```text
//! %1 = thin_to_thick_function %0 to $@callee_guaranteed () -> ()
//! %2 = convert_escape_to_noescape %1 to $@noescape @callee_guaranteed () -> ()
//! ---
//! %2 = thin_to_thick_function %0 to $@noescape @callee_guaranteed () -> ()
//! ```

use super::always;
use silkit_ir::instructions::ThinToThickFunction;
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::{FnFlags, SilType, Type, TypeKind};

pub(super) const PATTERNS: &[Pattern] = &[always(
    Opcode::ConvertEscapeToNoEscape,
    "convert_escape_to_noescape of function without context",
    simplify,
)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let closure = body.operand_value(inst, 0);
    let Some(ThinToThickFunction { operand, .. }) = body.def_as(closure) else { return };
    let Some(function) = rw.ty(closure).ty().as_function() else { return };
    let mut function = function.clone();
    function.flags.insert(FnFlags::NOESCAPE);
    let ty = SilType::object(Type::new(TypeKind::Function(Box::new(function))));
    if rw.may_change() {
        let thick = rw.before(inst).thin_to_thick_function(operand, ty);
        rw.replace(inst, thick);
    }
}
