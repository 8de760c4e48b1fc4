//! Folds queries about types.
//!
//! ```text
//! %1 = builtin "sizeof"<Int>() : $Builtin.Word
//! %2 = builtin "isConcrete"<Int>(%0) : $Builtin.Int1
//! %3 = builtin "canBeClass"<Int>(%0) : $Builtin.Int8
//! ---
//! %1 = integer_literal $Builtin.Word, 8
//! %2 = integer_literal $Builtin.Int1, -1
//! %3 = integer_literal $Builtin.Int8, 0
//! ```

use super::{full_name, replace_with_literal, type_argument};
use silkit_ir::instructions::{InitExistentialMetatype, Metatype};
use silkit_ir::{Body, Inst, Value};
use silkit_transform::patterns::Rewriter;
use silkit_types::decl::{Declarations, NominalKind};
use silkit_types::{Type, TypeKind};

/// Returns true if a type contains an archetype.
fn has_archetype(ty: Type) -> bool {
    ty.any_part(&|part| {
        matches!(
            part.kind(),
            TypeKind::Param { .. }
                | TypeKind::Member(..)
                | TypeKind::Opened { .. }
                | TypeKind::OpenedElement { .. }
                | TypeKind::OpaqueResult { .. }
                | TypeKind::DynamicSelf(_)
        )
    })
}

/// Folds `isConcrete` of a concrete type.
pub(super) fn fold_is_concrete(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if full_name(rw.body(), inst) != "isConcrete" {
        return;
    }
    if !has_archetype(rw.ty(rw.body().operand_value(inst, 0)).ty()) {
        replace_with_literal(rw, inst, -1);
    }
}

/// Folds `isConcrete` of any type. A generic type may become concrete as long as functions may be specialized, so this is for
/// the end of unoptimized builds.
pub(super) fn decide_is_concrete(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if full_name(rw.body(), inst) != "isConcrete" {
        return;
    }
    let is_concrete = !has_archetype(rw.ty(rw.body().operand_value(inst, 0)).ty());
    replace_with_literal(rw, inst, if is_concrete { -1 } else { 0 });
}

/// Folds `canBeClass`: 0 for a type that is not a class, 1 for a class.
pub(super) fn fold_can_be_class(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if full_name(rw.body(), inst) != "canBeClass" {
        return;
    }
    let Some(ty) = type_argument(rw.body(), inst) else { return };
    let kind = rw.declarations().nominal_of(ty).map(|decl| decl.kind);
    let is_class = match (ty.kind(), kind) {
        (TypeKind::Tuple(_) | TypeKind::Function(_) | TypeKind::Builtin(..), _) => 0,
        (_, Some(NominalKind::Struct | NominalKind::Enum)) => 0,
        (_, Some(NominalKind::Class | NominalKind::Actor)) => 1,
        _ => return,
    };
    replace_with_literal(rw, inst, is_class);
}

/// Folds `sizeof`, `strideof` and `alignof`.
pub(super) fn fold_layout(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let name = full_name(rw.body(), inst);
    if !matches!(name, "sizeof" | "strideof" | "alignof") {
        return;
    }
    let layout = type_argument(rw.body(), inst).and_then(|ty| rw.declarations().fixed_size(ty));
    let Some(layout) = layout else { return };
    let number = match name {
        "sizeof" => layout.size,
        "strideof" => layout.stride(),
        _ => layout.align,
    };
    replace_with_literal(rw, inst, number.into());
}

/// Folds `is_same_metatype`.
pub(super) fn fold_is_same(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if full_name(rw.body(), inst) != "is_same_metatype" {
        return;
    }
    let body = rw.body();
    let (first, second) = (body.operand_value(inst, 0), body.operand_value(inst, 1));
    let is_same = match first == second {
        true => Some(true),
        false => are_same(rw.declarations(), body, first, second),
    };
    if let Some(is_same) = is_same {
        replace_with_literal(rw, inst, if is_same { -1 } else { 0 });
    }
}

/// Returns whether two metatypes are of the same type, if known.
fn are_same(declarations: &Declarations, body: &Body, first: Value, second: Value) -> Option<bool> {
    let concrete = |value: Value| body.def_as::<InitExistentialMetatype>(value).map(|init| init.operand);
    let (first, second) = (concrete(first)?, concrete(second)?);
    let instance = |value: Value| match body.value(value).ty.ty().kind() {
        TypeKind::Metatype(_, instance) => Some(*instance),
        _ => None,
    };
    let (a, b) = (instance(first)?, instance(second)?);
    let is_dynamic = |ty: Type| matches!(ty.kind(), TypeKind::DynamicSelf(_));
    if is_dynamic(a) != is_dynamic(b) {
        return None;
    }
    // A metatype that is not an explicit instruction may be of a subclass.
    let is_exact = [first, second].iter().all(|&value| body.def_as::<Metatype>(value).is_some());
    if is_exact && a.desugared() == b.desugared() {
        return Some(true);
    }
    differ(declarations, a, b, is_exact).then_some(false)
}

/// Returns true if two types cannot be the same for any substitution of their generic parameters.
fn differ(declarations: &Declarations, a: Type, b: Type, is_exact: bool) -> bool {
    let (a, b) = (a.desugared(), b.desugared());
    match (a.kind(), b.kind()) {
        (TypeKind::Function(_), TypeKind::Function(_)) => {
            is_exact && a != b && !has_archetype(a) && !has_archetype(b)
        }
        (TypeKind::Tuple(first), TypeKind::Tuple(second)) => {
            let are_concrete = || !has_archetype(a) && !has_archetype(b);
            let pairs = || first.iter().zip(second.iter());
            let differs = || pairs().any(|(a, b)| differ(declarations, a.ty, b.ty, is_exact));
            first.len() != second.len() || are_concrete() && differs()
        }
        (TypeKind::Function(_) | TypeKind::Tuple(_), _) | (_, TypeKind::Function(_) | TypeKind::Tuple(_)) => {
            !has_archetype(a) && !has_archetype(b)
        }
        _ => nominals_differ(declarations, a, b, is_exact),
    }
}

fn nominals_differ(declarations: &Declarations, a: Type, b: Type, is_exact: bool) -> bool {
    let decls = (declarations.nominal_of(a), declarations.nominal_of(b));
    let (Some(first), Some(second)) = decls else { return false };
    let is_value = |kind: NominalKind| matches!(kind, NominalKind::Struct | NominalKind::Enum);
    let are_concrete = !has_archetype(a) && !has_archetype(b);
    match (first.is_class(), second.is_class()) {
        (true, true) if first.path != second.path => is_exact,
        _ if first.path != second.path => {
            are_concrete && (is_exact || is_value(first.kind) && is_value(second.kind))
        }
        _ => a != b && are_concrete && (is_exact || !first.is_class()),
    }
}
