//! Rule: guaranteed phis list their enclosing values in `borrowed … from`.

use super::enclosing::{enclosing_values, in_successor, listed_for};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::EntitySet;
use silkit_diag::{RuleId, Severity};
use silkit_ir::{ArgFlags, Block, Inst, Opcode, Ownership, Value, ValueDef};

pub(super) const RULES: &[&Rule] = &[&PHI_IS_BORROWED, &ENCLOSING_VALUES];

static PHI_IS_BORROWED: Rule = Rule {
    id: RuleId::new("SIL0409"),
    name: "GuaranteedPhiIsBorrowed",
    severity: Severity::Error,
    summary: "A guaranteed phi has one `borrowed … from`, which all its uses go through",
    details: "\
Which values a guaranteed phi borrows from depends on the path, so the `borrowed … from` in its block
lists them. All uses use its result: the phi itself has no other use, but as an enclosing value in
another `borrowed … from`. Only a phi needs one. The pass `update-borrowed-from` corrects them.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  br bb1(%0 : $Builtin.NativeObject)
bb1(%2 : @guaranteed $Builtin.NativeObject):
  fix_lifetime %2 : $Builtin.NativeObject
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  br bb1(%0 : $Builtin.NativeObject)
bb1(%2 : @guaranteed $Builtin.NativeObject):
  %3 = borrowed %2 : $Builtin.NativeObject from (%0 : $Builtin.NativeObject)
  fix_lifetime %3 : $Builtin.NativeObject
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::Paths(check),
};

static ENCLOSING_VALUES: Rule = Rule {
    id: RuleId::new("SIL0417"),
    name: "EnclosingValuesAreListed",
    severity: Severity::Error,
    summary: "A `borrowed … from` lists the enclosing values of all incoming values",
    details: "\
For a reborrow these are the values that the scopes coming in borrow from, for a forwarded value the
scopes that it belongs to; where the same edge passes such a value on to another argument, that argument
stands for it. An enclosing value that is not listed might end while the phi is used. The pass
`update-borrowed-from` corrects the lists.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  %1 = begin_borrow %0 : $Builtin.NativeObject
  br bb1(%1 : $Builtin.NativeObject)
bb1(%3 : @reborrow $Builtin.NativeObject):
  %4 = borrowed %3 : $Builtin.NativeObject from ()
  end_borrow %4 : $Builtin.NativeObject
  destroy_value %0 : $Builtin.NativeObject
  %7 = tuple ()
  return %7 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  %1 = begin_borrow %0 : $Builtin.NativeObject
  br bb1(%1 : $Builtin.NativeObject)
bb1(%3 : @reborrow $Builtin.NativeObject):
  %4 = borrowed %3 : $Builtin.NativeObject from (%0 : $Builtin.NativeObject)
  end_borrow %4 : $Builtin.NativeObject
  destroy_value %0 : $Builtin.NativeObject
  %7 = tuple ()
  return %7 : $()
}
",
    check: Check::With(&["SIL0409"]),
};

fn check(cx: &FunctionVerifier<'_>) {
    if !cx.is_ossa() {
        return;
    }
    let body = cx.body;
    for &block in cx.block_order().blocks() {
        for &phi in body.arguments(block) {
            if cx.ownership().value(phi) == Some(Ownership::Guaranteed) && body.is_phi(phi) {
                check_phi(cx, block, phi);
            }
        }
    }
    for inst in cx.insts_with(&[Opcode::BorrowedFrom]) {
        let value = body.operand_value(inst, 0);
        let is_reachable = cx.block_order().is_reachable(body.inst_block(inst));
        if is_reachable && !body.is_phi(value) && body.def(value) != ValueDef::Undef {
            let message = format!("`borrowed` of `{}`, which is not a phi", cx.value(value));
            let finding = cx.finding(&PHI_IS_BORROWED, Place::Inst(inst), message);
            let finding = finding
                .swift_reference_message_at(Place::Inst(inst), "borrowed-from of a value that is no phi");
            cx.report(finding.label("only phis need it").also(Place::Value(value), "created here"));
        }
    }
}

fn check_phi(cx: &FunctionVerifier<'_>, block: Block, phi: Value) {
    let body = cx.body;
    let name = cx.value(phi);
    let mut borrowed: Option<Inst> = None;
    for operand in body.uses(phi) {
        let user = body.operand(operand).user;
        let is_borrowed = body.inst(user).opcode == Opcode::BorrowedFrom;
        if body.operand_spec(operand).is_none() || is_borrowed && body.operand_index(operand) > 0 {
            continue;
        }
        let finding = if !is_borrowed {
            let message = format!("`{}` uses the guaranteed phi `{name}` itself", body.info(user).name);
            cx.finding(&PHI_IS_BORROWED, Place::Operand(operand), message)
                .label("use its `borrowed … from` instead")
        } else if let Some(other) = borrowed {
            let message = format!("the guaranteed phi `{name}` has two `borrowed … from`");
            let finding = cx.finding(&PHI_IS_BORROWED, Place::Inst(user), message).label("one of them");
            finding.also(Place::Inst(other), "the other one")
        } else {
            borrowed = Some(user);
            continue;
        };
        let finding =
            finding.swift_reference_message_at(Place::Value(phi), "guaranteed phi has non borrowed-from use");
        cx.report(finding.also(Place::Value(phi), "the phi"));
        return;
    }
    match borrowed {
        Some(inst) => {
            if body.inst_block(inst) != block {
                let message = format!(
                    "the `borrowed … from` of `{name}` is not in the block of the phi, {}",
                    cx.block(block)
                );
                // The reference does not check it.
                let finding = cx.finding(&PHI_IS_BORROWED, Place::Inst(inst), message).warning();
                cx.report(finding.label("too late").also(Place::Value(phi), "the phi"));
            }
            check_enclosing(cx, block, phi, inst);
        }
        None => {
            let message = format!("the guaranteed phi `{name}` has no `borrowed … from`");
            let reference_message = "missing forwarding borrowed-from user of guaranteed phi";
            let finding = cx.finding(&PHI_IS_BORROWED, Place::Value(phi), message);
            cx.report(
                finding
                    .label("missing `borrowed … from`")
                    .swift_reference_message_at(Place::Value(phi), reference_message),
            );
        }
    }
}

/// Checks that a `borrowed … from` lists the values that enclose each incoming value.
fn check_enclosing(cx: &FunctionVerifier<'_>, block: Block, phi: Value, borrowed: Inst) {
    let body = cx.body;
    let ValueDef::Argument(_, index) = body.def(phi) else { return };
    let is_reborrow = body.value(phi).arg_flags.contains(ArgFlags::REBORROW);
    let mut listed = EntitySet::new();
    for operand in body.operand_ids(borrowed).skip(1) {
        let value = body.operand(operand).value;
        listed.insert(cx.body.look_through_borrowed_from(value));
        let ty = body.value(value).ty;
        if body.operand_spec(operand).is_some() && cx.view().is_trivial(ty) == Some(true) {
            let message =
                format!("`{}` is not an enclosing value, because its type is trivial", cx.value(value));
            let finding = cx.finding(&ENCLOSING_VALUES, Place::Operand(operand), message);
            cx.report(finding.swift_reference_message_at(
                Place::Inst(borrowed),
                "invalid enclosing value in borrowed-from",
            ));
        }
    }
    for edge in body.incoming(block) {
        let Some(operand) = body.edge_operand(edge, index.into()) else { return };
        let incoming = body.operand(operand).value;
        let branch = body.operand(operand).user;
        let is_listed = |v: Value| {
            listed.contains(cx.body.look_through_borrowed_from(in_successor(cx, branch, block, v)))
        };
        // The scope that a forwarded value begins may be listed instead of its enclosing values.
        if !is_reborrow && is_listed(incoming) {
            continue;
        }
        let Some(enclosing) = enclosing_values(cx, incoming, &|phi| listed_for(cx, phi)) else {
            cx.unknown(&ENCLOSING_VALUES, Place::Operand(operand), || "too many enclosing values".into());
            continue;
        };
        if let Some(&missing) = enclosing.iter().find(|&&v| !is_listed(v)) {
            let missing = in_successor(cx, branch, block, missing);
            let (phi, name) = (cx.value(phi), cx.value(missing));
            let message = format!(
                "`borrowed` of `{phi}` does not list `{name}`, an enclosing value of an incoming value"
            );
            cx.report(
                cx.finding(&ENCLOSING_VALUES, Place::Inst(borrowed), message)
                    .label(format!("lacks `{name}`"))
                    .also(Place::Operand(operand), "incoming value")
                    .also(Place::Value(missing), "encloses it")
                    .swift_reference_message_at(
                        Place::Inst(borrowed),
                        "missing enclosing value in borrowed-from",
                    ),
            );
            return;
        }
    }
}
