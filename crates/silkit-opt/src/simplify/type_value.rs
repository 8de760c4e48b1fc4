//! Replaces the value of a known integer generic argument by a literal.
//!
//! ```text
//! %0 = type_value $Int for 123
//! ---
//! %0 = integer_literal $Builtin.Int64, 123
//! %1 = struct $Int (%0)
//! ```

use super::always;
use silkit_ir::instructions::TypeValue;
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::{SilType, TypeFacts, TypeKind};

pub(super) const PATTERNS: &[Pattern] = &[always(Opcode::TypeValue, "type_value of integer", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(TypeValue { ty, parameter }) = rw.body().view_as(inst) else { return };
    let TypeKind::Integer(number) = parameter.kind() else { return };
    let Some(fields) = TypeFacts::stored_fields(rw.declarations(), ty.ty()) else { return };
    let [builtin] = fields[..] else { return };
    if !rw.may_change() {
        return;
    }
    let mut builder = rw.before(inst);
    let literal = builder.integer_literal(SilType::object(builtin), *number);
    let value = builder.struct_(ty, &[literal][..]);
    rw.replace(inst, value);
}
