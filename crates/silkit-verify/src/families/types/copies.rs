//! Rules for non-copyable values: copies, and deinits that are skipped.

use super::facts::{at_operand, operand, resolved};
use crate::context::FunctionVerifier;
use crate::families::structure::stages::is_raw;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::TypePredicate;
use silkit_ir::{Inst, Opcode, Ownership};
use silkit_types::decl::{DeclFlags, NominalDecl};
use silkit_types::{SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&COPYABLE_IS_COPIED, &DROPS_DEINIT];

static COPYABLE_IS_COPIED: Rule = Rule {
    id: RuleId::new("SIL0361"),
    name: "CopyableIsCopied",
    severity: Severity::Error,
    summary: "Outside of raw SIL only values of copyable types are copied",
    details: "\
A value of a `~Copyable` type has one owner. The move checker turns the copies of raw SIL into borrows
and moves, or reports them. After it, `copy_value`, `load [copy]` and a `copy_addr` without `[take]` are
for copyable types; for others use `move_value`, `load [take]`, `load_borrow` or `copy_addr [take]`.
`retain_value` is never for values of noncopyable types, which have no reference count.",
    failing: "\
sil_stage canonical

import Builtin

struct S : ~Copyable {
  @_hasStorage var x: Builtin.NativeObject
}
sil @f : $@convention(thin) (@in_guaranteed S) -> @out S {
bb0(%0 : $*S, %1 : $*S):
  copy_addr %1 to [init] %0 : $*S
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil_stage canonical

import Builtin

struct S : ~Copyable {
  @_hasStorage var x: Builtin.NativeObject
}
sil @f : $@convention(thin) (@in S) -> @out S {
bb0(%0 : $*S, %1 : $*S):
  copy_addr [take] %1 to [init] %0 : $*S
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Inst(
        &[Opcode::CopyValue, Opcode::Load, Opcode::CopyAddr, Opcode::RetainValue],
        copyable_is_copied,
    ),
};

/// Returns true if references to a class are declared non-copyable: `class C : ~Copyable`.
fn is_unique_class(decl: &NominalDecl) -> bool {
    decl.is_class()
        && decl.inherited.iter().any(|ty| match ty.kind() {
            TypeKind::Inverse(of) => matches!(of.kind(), TypeKind::Named(n) if n.name == "Copyable"),
            _ => false,
        })
}

pub(super) fn is_move_only(cx: &FunctionVerifier<'_>, ty: SilType) -> Option<bool> {
    if ty.is_unknown() {
        return None;
    }
    let is_unique = |ty: Type| super::facts::declared(cx, ty).is_some_and(is_unique_class);
    match ty.ty().kind() {
        TypeKind::MoveOnly(_) => Some(true),
        TypeKind::Tuple(elements) if elements.iter().any(|element| is_unique(element.ty)) => Some(true),
        _ if is_unique(ty.ty()) => Some(true),
        _ => cx.declarations().properties(ty.ty(), cx.signature()).move_only,
    }
}

fn copyable_is_copied(cx: &FunctionVerifier<'_>, inst: Inst) {
    let opcode = cx.body.inst(inst).opcode;
    let copies = match opcode {
        Opcode::Load => cx.body.keyword(inst, "qualifier") == Some("copy"),
        Opcode::CopyAddr => !cx.body.has_flag(inst, "take"),
        _ => true,
    };
    if !copies || (is_raw(cx) && opcode != Opcode::RetainValue) {
        return;
    }
    let ty = operand(cx, inst, 0);
    if is_move_only(cx, ty) == Some(true) {
        let name = cx.body.info(inst).name;
        let message = format!("`{name}` copies a value of the noncopyable type `{}`", ty.ty());
        cx.report(at_operand(cx, &COPYABLE_IS_COPIED, inst, 0, message));
    }
}

static DROPS_DEINIT: Rule = Rule {
    id: RuleId::new("SIL0362"),
    name: "DropsDeinit",
    severity: Severity::Error,
    summary: "`drop_deinit` takes a noncopyable struct or enum with a `deinit`, and its result is destroyed or taken apart",
    details: "\
It suppresses the `deinit` of a value, so that the value can be destructured. Copyable structs and enums
have no `deinit`; classes run theirs when the object is deallocated. The value is consumed, so it is
owned. Leave `drop_deinit` out.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  %1 = drop_deinit %0 : $Builtin.NativeObject
  destroy_value %1 : $Builtin.NativeObject
  unreachable
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  destroy_value %0 : $Builtin.NativeObject
  unreachable
}
",
    check: Check::Inst(&[Opcode::DropDeinit], drops_deinit),
};

/// Returns a user of the value without deinit that neither destroys it nor takes it apart.
fn other_user(cx: &FunctionVerifier<'_>, inst: Inst) -> Option<Inst> {
    let result = cx.body.first_result(inst).filter(|&result| !cx.body.value(result).ty.is_address())?;
    cx.body.users(result).find(|&user| {
        !matches!(
            cx.body.inst(user).opcode,
            Opcode::DestroyValue
                | Opcode::EndLifetime
                | Opcode::DestructureStruct
                | Opcode::SwitchEnum
                | Opcode::MoveValue
        )
    })
}

fn drops_deinit(cx: &FunctionVerifier<'_>, inst: Inst) {
    let ty = operand(cx, inst, 0);
    let value = cx.body.operand_value(inst, 0);
    if cx.is_ossa() && cx.ownership().value(value) == Some(Ownership::Guaranteed) {
        let message = format!("`drop_deinit` consumes `{}`, which is guaranteed", cx.value(value));
        cx.report(at_operand(cx, &DROPS_DEINIT, inst, 0, message));
        return;
    }
    if let Some(user) = other_user(cx, inst) {
        let message = "the result of `drop_deinit` is destroyed or taken apart, and not used otherwise";
        cx.report(
            cx.finding(&DROPS_DEINIT, Place::Inst(user), message).also(Place::Inst(inst), "dropped here"),
        );
        return;
    }
    let is_copyable = is_move_only(cx, ty) == Some(false)
        && super::kinds::holds(cx, ty.ty(), TypePredicate::MoveOnly) != Some(true);
    let message = if is_copyable {
        format!("`drop_deinit` of `{}`, which can be copied and has no deinit", ty.ty())
    } else {
        let Some(decl) = super::facts::declared(cx, resolved(cx, ty.ty())) else { return };
        let is_own = cx.declarations().own().get(decl.path).is_some();
        if !is_own || decl.is_class() || decl.flags.contains(DeclFlags::HAS_DEINIT) {
            return;
        }
        format!("`drop_deinit` of `{}`, which has no deinit", ty.ty())
    };
    cx.report(at_operand(cx, &DROPS_DEINIT, inst, 0, message));
}
