//! Inverts the comparison that a negation negates, as compilers do from Swift 6.3 on.

use super::{builtin, full_name};
use crate::simplify::Rewriter;
use silkit_ir::instructions::IntegerLiteral;
use silkit_ir::{Inst, Release};

/// The comparisons of integers and pointers, each with its inverse.
const INVERSES: &[(&str, &str)] = &[
    ("cmp_eq", "cmp_ne"),
    ("cmp_slt", "cmp_sge"),
    ("cmp_sgt", "cmp_sle"),
    ("cmp_ult", "cmp_uge"),
    ("cmp_ugt", "cmp_ule"),
];

/// Replaces `xor_Int1(cmp_…, -1)` by the inverse comparison, which is made where the comparison is.
pub(super) fn invert_comparison(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    if rw.program().release() < Release::V6_3 || full_name(body, inst) != "xor_Int1" {
        return;
    }
    let [negated, ones] = body.operands(inst) else { return };
    let (negated, ones) = (negated.value, ones.value);
    if !body.def_as::<IntegerLiteral>(ones).is_some_and(|literal| literal.value == "-1") {
        return;
    }
    let Some((comparison, name)) = builtin(body, negated) else { return };
    let [left, right] = body.operands(comparison) else { return };
    let operands = [left.value, right.value];
    let inverse = INVERSES.iter().find_map(|&(one, other)| match name {
        _ if name == one => Some(other),
        _ if name == other => Some(one),
        _ => None,
    });
    let Some(inverse) = inverse else { return };
    let inverse = full_name(body, comparison).replacen(name, inverse, 1);
    if !rw.may_change() {
        return;
    }
    let ty = rw.ty(negated);
    let inverted = rw.before(comparison).builtin(inverse.as_str(), &[][..], &operands[..], ty);
    rw.replace(inst, inverted);
}
