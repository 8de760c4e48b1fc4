//! Rules for checked and unchecked casts: the types that they accept, and that the stated types are those of the
//! operands.

use super::facts::{at_operand, declared, formal_type, lowers_addresses, operand, resolved, same};
use super::kinds::{holds, metatype};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::TypePredicate;
use silkit_ir::{Inst, Opcode};
use silkit_types::decl::NominalKind;
use silkit_types::{SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&SCALAR_CAST, &CAST_NAMES_TYPES];

static SCALAR_CAST: Rule = Rule {
    id: RuleId::new("SIL0365"),
    name: "ScalarCast",
    severity: Severity::Error,
    summary: "A checked cast of a value is between references and metatypes",
    details: "\
`unconditional_checked_cast` and `checked_cast_br` inspect one pointer. They cast from a reference, an
optional of one or a metatype to a class, a generic parameter with a superclass, an existential of a class or,
from a metatype, to a metatype. A parameter without a superclass may be a type that the runtime bridges.
An `[exact]` cast compares the class of an object with another, so both types are classes.
All other casts work on memory: `unconditional_checked_cast_addr`, `checked_cast_addr_br`.",
    failing: "\
class C {}
struct S {}
sil @f : $@convention(thin) (@owned C) -> S {
bb0(%0 : $C):
  %1 = unconditional_checked_cast %0 : $C to S
  return %1 : $S
}
",
    corrected: "\
class C {}
class D : C {}
sil @f : $@convention(thin) (@owned C) -> @owned D {
bb0(%0 : $C):
  %1 = unconditional_checked_cast %0 : $C to D
  return %1 : $D
}
",
    check: Check::Inst(&[Opcode::UnconditionalCheckedCast, Opcode::CheckedCastBranch], scalar_cast),
};

/// The classification of types for checked casts of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scalar {
    Reference,
    Metatype,
    Other,
}

fn scalar(cx: &FunctionVerifier<'_>, ty: Type) -> Option<Scalar> {
    let ty = resolved(cx, ty);
    match ty.kind() {
        TypeKind::Metatype(..) | TypeKind::ProtocolMetatype(..) => return Some(Scalar::Metatype),
        TypeKind::Tuple(_) | TypeKind::Function(_) => return Some(Scalar::Other),
        // The reference accepts all builtin reference types, and numbers are not cast.
        TypeKind::Builtin(..) => return None,
        TypeKind::Named(n) if n.name == "AnyObject" && n.parent.is_none() => return Some(Scalar::Reference),
        TypeKind::Named(n) if n.name == "Error" && n.parent.is_none() => return Some(Scalar::Other),
        _ => {}
    }
    if metatype(cx, ty)?.is_some() {
        return Some(Scalar::Metatype);
    }
    let is_reference = match ty.kind() {
        TypeKind::Any(inner) if matches!(inner.kind(), TypeKind::Named(n) if n.name == "Error") => false,
        TypeKind::Any(_) | TypeKind::Composition(_) => {
            !cx.declarations().properties(ty, cx.signature()).address_only?
        }
        // The bare name of a protocol that is declared in another type.
        TypeKind::Named(_) => declared(cx, ty).filter(|decl| decl.kind != NominalKind::Protocol)?.is_class(),
        _ => holds(cx, ty, TypePredicate::Reference)?,
    };
    Some(if is_reference { Scalar::Reference } else { Scalar::Other })
}

/// Returns true for an existential, an optional or another type of values.
fn is_no_class(cx: &FunctionVerifier<'_>, ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Any(_) | TypeKind::Composition(_) => true,
        TypeKind::Named(n) if n.name == "AnyObject" && n.parent.is_none() => true,
        TypeKind::Named(_) => declared(cx, ty).is_some_and(|decl| !decl.is_class()),
        _ => false,
    }
}

fn scalar_cast(cx: &FunctionVerifier<'_>, inst: Inst) {
    let from = operand(cx, inst, 0);
    let is_branch = cx.body.inst(inst).opcode == Opcode::CheckedCastBranch;
    let Some(to) = formal_type(cx, inst, if is_branch { "target_type" } else { "target" }) else { return };
    if is_branch && cx.body.has_flag(inst, "exact") {
        let named = formal_type(cx, inst, "source_type").map(|ty| resolved(cx, ty));
        if let Some(other) = named.into_iter().chain([resolved(cx, to)]).find(|ty| is_no_class(cx, *ty)) {
            let message = format!("an exact cast is from a class to a class, found `{other}`");
            cx.report(cx.finding(&SCALAR_CAST, Place::Inst(inst), message));
            return;
        }
    }
    if from.is_unknown() || from.is_address() {
        return;
    }
    let source = resolved(cx, from.ty());
    let source = match source.kind() {
        TypeKind::Named(n) if n.name == "Optional" && n.args.len() == 1 => resolved(cx, n.args[0]),
        _ => source,
    };
    // Any class instance may be an instance of the parameter's class.
    let is_any_object =
        matches!(source.kind(), TypeKind::Named(n) if n.name == "AnyObject" && n.parent.is_none());
    let (Some(source), Some(target)) = (scalar(cx, source), scalar(cx, to)) else { return };
    if cx.body.has_flag(inst, "exact") && source == Scalar::Metatype {
        let message = format!("an exact cast compares the class of an object, found the metatype `{from}`");
        // The reference does not check it.
        cx.report(at_operand(cx, &SCALAR_CAST, inst, 0, message).warning());
        return;
    }
    let name = cx.body.info(inst).name;
    let is_bridged = !is_any_object
        && matches!(to.kind(), TypeKind::Param { .. })
        && cx.signature().and_then(|sig| cx.declarations().superclass_bound(to, sig)) == Some(None);
    let message = match (source, target) {
        _ if is_bridged && target == Scalar::Reference => {
            format!("`{name}` cannot cast a value to `{to}`, which has no superclass")
        }
        (Scalar::Other, _) => format!("`{name}` expects a reference or a metatype, found `{from}`"),
        (_, Scalar::Other) => {
            format!("`{name}` cannot cast a value to `{to}`, which is not a reference or metatype")
        }
        (Scalar::Reference, Scalar::Metatype) => {
            format!("`{name}` cannot cast the reference `{from}` to the metatype `{to}`")
        }
        _ => return,
    };
    let finding = at_operand(cx, &SCALAR_CAST, inst, 0, message);
    cx.report(finding.note("cast in memory with the `_addr` form of the instruction"));
}

static CAST_NAMES_TYPES: Rule = Rule {
    id: RuleId::new("SIL0366"),
    name: "CastNamesTypes",
    severity: Severity::Error,
    summary: "The types that a cast names are the types of its values and memory",
    details: "\
A cast names the types before lowering, because the runtime asks for these: `C in %0 to D in %1`. Each
is the type whose lowered form the operand has. A cast in memory takes addresses.",
    failing: "\
class C {}
class D : C {}
struct S {}
sil @f : $@convention(thin) (@in C) -> @out D {
bb0(%0 : $*D, %1 : $*C):
  unconditional_checked_cast_addr S in %1 : $*C to D in %0 : $*D
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
class C {}
class D : C {}
sil @f : $@convention(thin) (@in C) -> @out D {
bb0(%0 : $*D, %1 : $*C):
  unconditional_checked_cast_addr C in %1 : $*C to D in %0 : $*D
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Inst(
        &[
            Opcode::UnconditionalCheckedCastAddr,
            Opcode::CheckedCastAddrBranch,
            Opcode::CheckedCastBranch,
            Opcode::UncheckedRefCastAddr,
        ],
        cast_names_types,
    ),
};

fn cast_names_types(cx: &FunctionVerifier<'_>, inst: Inst) {
    let is_in_memory = cx.body.inst(inst).opcode != Opcode::CheckedCastBranch;
    let named = [Some("source_type"), is_in_memory.then_some("target_type")];
    for (index, attr) in named.into_iter().flatten().enumerate() {
        let Some(formal) = formal_type(cx, inst, attr) else { continue };
        let actual = operand(cx, inst, index);
        if is_in_memory && lowers_addresses(cx) && !actual.is_address() && !actual.is_unknown() {
            let message = format!("`{}` casts in memory, found `{actual}`", cx.body.info(inst).name);
            // The reference checks it only where it branches (SIL0301).
            if cx.body.inst(inst).opcode == Opcode::UnconditionalCheckedCastAddr {
                cx.report(at_operand(cx, &CAST_NAMES_TYPES, inst, index, message).warning());
            }
            continue;
        }
        if !is_same_nominal(cx, formal, actual) {
            let message = format!("the cast names `{formal}`, but the operand has type `{actual}`");
            // The reference compares them only when it lowers the cast, if at all.
            cx.report(at_operand(cx, &CAST_NAMES_TYPES, inst, index, message).warning());
        }
    }
}

/// Returns false if a formal type is definitely not the type of a value. Types that lowering changes are not
/// compared.
fn is_same_nominal(cx: &FunctionVerifier<'_>, formal: Type, lowered: SilType) -> bool {
    let (a, b) = (resolved(cx, formal), resolved(cx, lowered.ty()));
    let is_concrete = |ty: Type| declared(cx, ty).is_some_and(|decl| decl.kind != NominalKind::Protocol);
    // Specialization may leave the name of an existential.
    if is_concrete(a) && is_existential(b) {
        return false;
    }
    match (a.kind(), b.kind()) {
        (TypeKind::Named(a), TypeKind::Named(b)) if !a.args.is_empty() || !b.args.is_empty() => true,
        (TypeKind::Named(_), TypeKind::Named(_)) => {
            let is_known = declared(cx, a).is_some() && declared(cx, b).is_some();
            !is_known || same(cx, a, b) != Some(false)
        }
        _ => true,
    }
}

fn is_existential(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Any(_) | TypeKind::Composition(_) => true,
        TypeKind::Named(n) => n.parent.is_none() && matches!(n.name.as_str(), "Any" | "AnyObject"),
        _ => false,
    }
}
