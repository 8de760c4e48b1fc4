//! Rules: the uses of a dependent value, and of a closure that must be kept alive.

use super::after_end::is_after;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::FxHashSet;
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode, Operand, Value};

pub(super) const RULES: &[&Rule] = &[&NO_BITWISE_ESCAPE, &CLOSURE_OUTLIVES_USES];

static NO_BITWISE_ESCAPE: Rule = Rule {
    id: RuleId::new("SIL0245"),
    name: "NoBitwiseEscape",
    severity: Severity::Error,
    summary: "A `[nonescaping]` dependent value is not converted to a pointer",
    details: "\
`mark_dependence [nonescaping]` says that all uses of the value are found from the instruction, so that the
base lives until the last one. The uses of a pointer are not found. Remove the conversion, or the flag.
Pointers into an object that is the dependent value are not reported.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@in_guaranteed Builtin.Int64, @guaranteed Builtin.NativeObject) -> () {
bb0(%0 : $*Builtin.Int64, %1 : @guaranteed $Builtin.NativeObject):
  %2 = mark_dependence [nonescaping] %0 : $*Builtin.Int64 on %1 : $Builtin.NativeObject
  %3 = address_to_pointer %2 : $*Builtin.Int64 to $Builtin.RawPointer
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@in_guaranteed Builtin.Int64, @guaranteed Builtin.NativeObject) -> () {
bb0(%0 : $*Builtin.Int64, %1 : @guaranteed $Builtin.NativeObject):
  %2 = mark_dependence [nonescaping] %0 : $*Builtin.Int64 on %1 : $Builtin.NativeObject
  %3 = load [trivial] %2 : $*Builtin.Int64
  %4 = tuple ()
  return %4 : $()
}
",
    check: Check::Inst(&[Opcode::MarkDependence], no_bitwise_escape),
};

static CLOSURE_OUTLIVES_USES: Rule = Rule {
    id: RuleId::new("SIL0249"),
    name: "ClosureOutlivesUses",
    severity: Severity::Error,
    summary: "A closure is destroyed after the last use of its `@noescape` conversion",
    details: "\
The result of `convert_escape_to_noescape` does not keep the context of the closure alive, so the operand
must live as long as the result is used. Move the `destroy_value` after the last use.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@owned @callee_guaranteed () -> ()) -> () {
bb0(%0 : @owned $@callee_guaranteed () -> ()):
  %1 = convert_escape_to_noescape %0 : $@callee_guaranteed () -> () to $@noescape @callee_guaranteed () -> ()
  destroy_value %0 : $@callee_guaranteed () -> ()
  %3 = apply %1() : $@noescape @callee_guaranteed () -> ()
  destroy_value %1 : $@noescape @callee_guaranteed () -> ()
  %5 = tuple ()
  return %5 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@owned @callee_guaranteed () -> ()) -> () {
bb0(%0 : @owned $@callee_guaranteed () -> ()):
  %1 = convert_escape_to_noescape %0 : $@callee_guaranteed () -> () to $@noescape @callee_guaranteed () -> ()
  %2 = apply %1() : $@noescape @callee_guaranteed () -> ()
  destroy_value %1 : $@noescape @callee_guaranteed () -> ()
  destroy_value %0 : $@callee_guaranteed () -> ()
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::Paths(closures_outlive_uses),
};

fn no_bitwise_escape(cx: &FunctionVerifier<'_>, mark: Inst) {
    if cx.body.keyword(mark, "kind") != Some("nonescaping") {
        return;
    }
    let Some(dependent) = cx.body.first_result(mark) else { return };
    each_derived_use(cx, dependent, |operand| {
        let user = cx.body.operand(operand).user;
        match cx.body.inst(user).opcode {
            Opcode::AddressToPointer | Opcode::RefToRawPointer => {
                let name = cx.body.info(user).name;
                let message =
                    format!("`{name}` lets the nonescaping dependent value `{}` escape", cx.value(dependent));
                // The reference does not check it.
                let finding = cx.finding(&NO_BITWISE_ESCAPE, Place::Operand(operand), message).warning();
                cx.report(finding.label("escapes here").also(Place::Inst(mark), "said not to escape"));
                false
            }
            opcode => matches!(
                opcode,
                Opcode::StructElementAddr
                    | Opcode::TupleElementAddr
                    | Opcode::BeginAccess
                    | Opcode::BeginBorrow
                    | Opcode::StructExtract
                    | Opcode::TupleExtract
                    | Opcode::Upcast
            ),
        }
    });
}

fn closures_outlive_uses(cx: &FunctionVerifier<'_>) {
    let body = cx.body;
    if !cx.is_ossa() {
        return;
    }
    let is_conversion = |&inst: &Inst| {
        body.inst(inst).opcode == Opcode::ConvertEscapeToNoEscape && !body.has_flag(inst, "not_guaranteed")
    };
    let mut seen = FxHashSet::default();
    for convert in cx.insts_with(&[Opcode::ConvertEscapeToNoEscape]).filter(is_conversion) {
        let closure = body.operand_value(convert, 0);
        if !seen.insert(closure) {
            continue;
        }
        let mut ends = body.users(closure).filter(|&user| body.inst(user).opcode == Opcode::DestroyValue);
        // With several ends, none of them dominates the uses after it.
        let (Some(end), None) = (ends.next(), ends.next()) else { continue };
        body.users(closure).filter(is_conversion).for_each(|convert| used_after(cx, convert, end));
    }
}

/// Reports the uses of a converted closure after its end.
fn used_after(cx: &FunctionVerifier<'_>, convert: Inst, end: Inst) {
    let body = cx.body;
    let (closure, Some(result)) = (body.operand_value(convert, 0), body.first_result(convert)) else {
        return;
    };
    each_derived_use(cx, result, |operand| {
        let user = body.operand(operand).user;
        let opcode = body.inst(user).opcode;
        let is_base = opcode == Opcode::MarkDependence && body.operand_index(operand) > 0;
        let is_use = !is_base
            && !matches!(
                opcode,
                Opcode::DebugValue | Opcode::DestroyValue | Opcode::EndBorrow | Opcode::FixLifetime
            );
        if is_use && is_after(cx, end, user) {
            let name = body.info(user).name;
            let message = format!("`{name}` uses a closure after `{}` was destroyed", cx.value(closure));
            // The reference does not check it.
            let finding = cx.finding(&CLOSURE_OUTLIVES_USES, Place::Operand(operand), message).warning();
            cx.report(
                finding
                    .label("used here")
                    .also(Place::Inst(convert), "converted here")
                    .also(Place::Inst(end), "destroyed here"),
            );
            return false;
        }
        !is_base
            && matches!(
                opcode,
                Opcode::ConvertFunction
                    | Opcode::MarkDependence
                    | Opcode::CopyValue
                    | Opcode::MoveValue
                    | Opcode::BeginBorrow
                    | Opcode::Enum
                    | Opcode::Struct
                    | Opcode::Tuple
            )
    });
}

/// Visits the uses of a value and, where the visitor returns true, the uses of the first result of the user.
fn each_derived_use(cx: &FunctionVerifier<'_>, root: Value, mut visit: impl FnMut(Operand) -> bool) {
    let mut seen = FxHashSet::default();
    let mut work = vec![root];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        for operand in cx.body.uses(value) {
            if visit(operand) {
                work.extend(cx.body.first_result(cx.body.operand(operand).user));
            }
        }
    }
}
