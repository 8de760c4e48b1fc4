//! Rule: the types that the text states at uses are those of the definitions.

use crate::context::FunctionVerifier;
use crate::families::types::facts::may_be_same;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::TextRange;
use silkit_diag::{RuleId, Severity};
use silkit_ir::conventions::Addresses;
use silkit_ir::{Opcode, ValueDef};
use silkit_types::{SilType, TypeKind};

pub(super) const RULES: &[&Rule] = &[&STATED_TYPE_IS_DEFINED];

static STATED_TYPE_IS_DEFINED: Rule = Rule {
    id: RuleId::new("SIL0121"),
    name: "StatedTypeIsDefined",
    severity: Severity::Error,
    summary: "The type that is stated at a use is the type of the value",
    details: "\
The text may repeat the type of a value where it is used: `load %0 : $*Int`. It changes nothing, so it
must not say anything else than the definition. Correct the one that is wrong, or leave the type at the
use out.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64):
  return %0 : $Builtin.Int32
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64):
  return %0 : $Builtin.Int64
}
",
    check: Check::Body(stated_type_is_defined),
};

fn stated_type_is_defined(cx: &FunctionVerifier<'_>) {
    for stated in cx.source().map_or(&[][..], |(_, map)| map.stated_types()) {
        let ty = cx.body.value(stated.value).ty;
        let differs = ty.is_address() != stated.ty.is_address()
            || is_wrapped(ty) != is_wrapped(stated.ty)
            || !may_be_same(cx, ty.ty(), stated.ty.ty());
        // Results of calls are parsed as if address-only values were in memory.
        let is_read_otherwise =
            cx.addresses() == Addresses::Opaque && matches!(cx.body.def(stated.value), ValueDef::Result(..));
        // The function keeps its type if the optimizer specializes what it consists of.
        let is_bundle = matches!(cx.body.def(stated.value), ValueDef::Result(inst, _)
            if cx.body.inst(inst).opcode == Opcode::DifferentiableFunction);
        if is_bundle && cx.is_printed_by_compiler() {
            continue;
        }
        if stated.ty.is_unknown() || ty.is_unknown() || !differs || is_read_otherwise {
            continue;
        }
        let name = cx.value(stated.value);
        let message = format!("`{name}` is used as `{}`, but is defined as `{ty}`", stated.ty);
        let place = Place::Text(TextRange { start: stated.at, end: stated.at + name.len() as u32 });
        cx.report(
            cx.finding(&STATED_TYPE_IS_DEFINED, place, message)
                .label(format!("used as `{}`", stated.ty))
                .also(Place::Value(stated.value), format!("defined as `{ty}`")),
        );
    }
}

/// Returns true for `@moveOnly` types. Elsewhere, wrapped and plain values are often not told apart.
fn is_wrapped(ty: SilType) -> bool {
    matches!(ty.ty().kind(), TypeKind::MoveOnly(_))
}
