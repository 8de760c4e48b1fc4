//! Rules for instructions that mark a value for a diagnostic pass.

use super::copies::is_move_only;
use super::facts::{at_operand, operand};
use crate::context::FunctionVerifier;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::instructions::DropDeinit;
use silkit_ir::{Inst, Opcode, ValueDef};
use silkit_types::TypeKind;
use silkit_types::decl::DeclFlags;

pub(super) const RULES: &[&Rule] =
    &[&MARKED_TYPE, &DEINIT_IS_DROPPED, &DEPENDS_ON_ANOTHER, &DEPENDENCE_IS_SCOPED];

static MARKED_TYPE: Rule = Rule {
    id: RuleId::new("SIL0368"),
    name: "MarkedType",
    severity: Severity::Error,
    summary: "Noncopyable values are marked for the move checker, copyable ones are wrapped for it",
    details: "\
`mark_unresolved_non_copyable_value` marks a value of a `~Copyable` or `@moveOnly` type.
`copyable_to_moveonlywrapper` makes a `@moveOnly` type of a copyable one; a noncopyable type needs no
wrapper.",
    failing: "\
sil_stage raw

import Builtin

sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  %1 = mark_unresolved_non_copyable_value [consumable_and_assignable] %0 : $Builtin.NativeObject
  destroy_value %1 : $Builtin.NativeObject
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil_stage raw

import Builtin

struct S : ~Copyable {
  @_hasStorage var x: Builtin.NativeObject
}
sil [ossa] @f : $@convention(thin) (@owned S) -> () {
bb0(%0 : @owned $S):
  %1 = mark_unresolved_non_copyable_value [consumable_and_assignable] %0 : $S
  destroy_value %1 : $S
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Inst(
        &[
            Opcode::MarkUnresolvedNonCopyableValue,
            Opcode::CopyableToMoveOnlyWrapperValue,
            Opcode::CopyableToMoveOnlyWrapperAddr,
        ],
        marked_type,
    ),
};

fn marked_type(cx: &FunctionVerifier<'_>, inst: Inst) {
    let ty = operand(cx, inst, 0);
    let Some(found) = is_move_only(cx, ty) else { return };
    let marks = cx.body.inst(inst).opcode == Opcode::MarkUnresolvedNonCopyableValue;
    // Whether `Optional<T>` is copyable depends on `T`.
    let is_generic = matches!(ty.ty().kind(), TypeKind::Named(n) if !n.args.is_empty());
    if found == marks || is_generic {
        return;
    }
    let name = cx.body.info(inst).name;
    let wanted = if marks { "cannot be copied" } else { "can be copied" };
    let message = format!("`{name}` expects a value that {wanted}, found `{}`", ty.ty());
    cx.report(at_operand(cx, &MARKED_TYPE, inst, 0, message));
}

static DEINIT_IS_DROPPED: Rule = Rule {
    id: RuleId::new("SIL0369"),
    name: "DeinitIsDropped",
    severity: Severity::Error,
    summary: "A value with a `deinit` is destructured only after `drop_deinit`",
    details: "\
The `deinit` of a `~Copyable` type runs when the value is destroyed. Destructuring the value prevents
that, so `drop_deinit` must state that this is intended. Destroy the whole value, or drop its deinit
first.",
    failing: "\
struct S : ~Copyable {
  @_hasStorage var x: Builtin.NativeObject
  deinit
}
sil [ossa] @f : $@convention(thin) (@owned S) -> @owned Builtin.NativeObject {
bb0(%0 : @owned $S):
  %1 = destructure_struct %0 : $S
  return %1 : $Builtin.NativeObject
}
",
    corrected: "\
struct S : ~Copyable {
  @_hasStorage var x: Builtin.NativeObject
  deinit
}
sil [ossa] @f : $@convention(thin) (@owned S) -> @owned Builtin.NativeObject {
bb0(%0 : @owned $S):
  %1 = drop_deinit %0 : $S
  %2 = destructure_struct %1 : $S
  return %2 : $Builtin.NativeObject
}
",
    check: Check::Inst(&[Opcode::DestructureStruct], deinit_is_dropped),
};

fn deinit_is_dropped(cx: &FunctionVerifier<'_>, inst: Inst) {
    let ty = operand(cx, inst, 0);
    let Some(decl) = super::facts::declared(cx, super::facts::resolved(cx, ty.ty())) else { return };
    if !decl.flags.contains(DeclFlags::HAS_DEINIT) || decl.is_class() || is_move_only(cx, ty) != Some(true) {
        return;
    }
    if cx.body.def_as::<DropDeinit>(cx.body.look_through_ownership(cx.body.operand_value(inst, 0))).is_some()
    {
        return;
    }
    let message = format!("`destructure_struct` of `{}`, whose deinit is not dropped", ty.ty());
    cx.report(at_operand(cx, &DEINIT_IS_DROPPED, inst, 0, message).note("use `drop_deinit` first"));
}

static DEPENDS_ON_ANOTHER: Rule = Rule {
    id: RuleId::new("SIL0370"),
    name: "DependsOnAnother",
    severity: Severity::Error,
    summary: "A value does not depend on itself",
    details: "\
`mark_dependence` states that a value is valid no longer than another value, its base. A dependence of a
value on itself has no meaning. Remove the instruction.",
    failing: "\
sil @f : $@convention(thin) (Builtin.NativeObject) -> Builtin.NativeObject {
bb0(%0 : $Builtin.NativeObject):
  %1 = mark_dependence %0 : $Builtin.NativeObject on %0 : $Builtin.NativeObject
  return %1 : $Builtin.NativeObject
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.NativeObject, Builtin.NativeObject) -> Builtin.NativeObject {
bb0(%0 : $Builtin.NativeObject, %1 : $Builtin.NativeObject):
  %2 = mark_dependence %0 : $Builtin.NativeObject on %1 : $Builtin.NativeObject
  return %2 : $Builtin.NativeObject
}
",
    check: Check::Inst(&[Opcode::MarkDependence, Opcode::MarkDependenceAddr], depends_on_another),
};

fn depends_on_another(cx: &FunctionVerifier<'_>, inst: Inst) {
    let (value, base) = (cx.body.operand_value(inst, 0), cx.body.operand_value(inst, 1));
    if value == base && cx.body.def(value) != ValueDef::Undef {
        let message = format!("`{}` depends on itself", cx.value(value));
        cx.report(at_operand(cx, &DEPENDS_ON_ANOTHER, inst, 1, message));
    }
}

static DEPENDENCE_IS_SCOPED: Rule = Rule {
    id: RuleId::new("SIL0379"),
    name: "DependenceIsScoped",
    severity: Severity::Error,
    summary: "A `mark_dependence` of a value that is not `Escapable` is `[nonescaping]` or `[unresolved]`",
    details: "\
A value of a `~Escapable` type depends on its base wherever it is copied or forwarded to, so all uses must
be known: `[nonescaping]` says that they are, `[unresolved]` that this is to be diagnosed. Add the flag
that applies.",
    failing: "\
struct S : ~Escapable {
  @_hasStorage var x: Builtin.Int64
}
sil [ossa] @f : $@convention(thin) (@guaranteed S, @guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $S, %1 : @guaranteed $Builtin.NativeObject):
  %2 = mark_dependence %0 : $S on %1 : $Builtin.NativeObject
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
struct S : ~Escapable {
  @_hasStorage var x: Builtin.Int64
}
sil [ossa] @f : $@convention(thin) (@guaranteed S, @guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $S, %1 : @guaranteed $Builtin.NativeObject):
  %2 = mark_dependence [nonescaping] %0 : $S on %1 : $Builtin.NativeObject
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Inst(&[Opcode::MarkDependence, Opcode::MarkDependenceAddr], dependence_is_scoped),
};

fn dependence_is_scoped(cx: &FunctionVerifier<'_>, inst: Inst) {
    if cx.body.keyword(inst, "kind").is_some() {
        return;
    }
    let ty = operand(cx, inst, 0);
    let known = cx.declarations().properties(ty.ty(), cx.signature());
    if known.non_escapable == Some(true) {
        let name = cx.body.info(inst).name;
        let message = format!(
            "`{name}` of the non-escapable `{}` is neither `[nonescaping]` nor `[unresolved]`",
            ty.ty()
        );
        // The reference does not check it.
        cx.report(at_operand(cx, &DEPENDENCE_IS_SCOPED, inst, 0, message).warning());
    }
}
