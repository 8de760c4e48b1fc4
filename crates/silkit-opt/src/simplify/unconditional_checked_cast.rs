//! Replaces a cast of a metatype to an existential metatype that cannot fail.
//!
//! ```text
//! %1 = unconditional_checked_cast %0 to any P.Type    // %0 : $@thick S.Type, S conforms to P
//! ---
//! %1 = init_existential_metatype %0, $@thick any P.Type
//! ```

use super::optimized;
use silkit_ir::instructions::UnconditionalCheckedCast;
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::decl::{DeclFlags, NominalKind};
use silkit_types::{Type, TypeKind};

pub(super) const PATTERNS: &[Pattern] = &[optimized(
    Opcode::UnconditionalCheckedCast,
    "unconditional_checked_cast of conforming metatype",
    simplify,
)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(UnconditionalCheckedCast { operand, .. }) = rw.body().view_as(inst) else { return };
    let Some(target) = rw.body().first_result(inst).map(|result| rw.ty(result)) else { return };
    let (TypeKind::Metatype(_, source), TypeKind::Metatype(_, existential)) =
        (rw.ty(operand).ty().kind(), target.ty().kind())
    else {
        return;
    };
    if always_conforms(rw, *source, *existential) && rw.may_change() {
        let value = rw.before(inst).init_existential_metatype(operand, target);
        rw.replace(inst, value);
    }
}

/// Returns true if the existential type has a single protocol, and a type is known to conform to it in every isolation
/// domain. Marker protocols do not exist at run time.
fn always_conforms(rw: &Rewriter<'_, '_>, ty: Type, existential: Type) -> bool {
    let declarations = rw.declarations();
    let protocol = match existential.kind() {
        TypeKind::Any(protocol) => *protocol,
        _ => existential,
    };
    let Some(decl) = declarations
        .nominal_of(protocol)
        .filter(|decl| decl.kind == NominalKind::Protocol && !decl.flags.contains(DeclFlags::MARKER))
    else {
        return false;
    };
    match ty.kind() {
        TypeKind::Param { .. } | TypeKind::Member(..) => rw
            .view()
            .signature()
            .is_some_and(|signature| declarations.parameter_conforms(ty, decl.path, signature)),
        _ => {
            declarations.conforms(ty, decl.path) == Some(true)
                && !declarations.is_isolated_conformance(ty, decl.path)
        }
    }
}
