//! The concrete types of opened existential types.
//!
//! ```text
//! %1 = metatype $@thick S.Type
//! %2 = init_existential_metatype %1, $@thick any P.Type
//! %3 = open_existential_metatype %2 to $@thick (@opened("…", any P) Self).Type   // `Self` is `S`
//! ```

use silkit_ir::instructions::{InitExistentialMetatype, Metatype, OpenExistentialMetatype};
use silkit_ir::{Body, chain};
use silkit_types::{Type, TypeKind};

/// Returns the concrete type of an opened type, if the existential metatype that it is opened from is built from a
/// `metatype` instruction. The result may be another opened type, whose concrete type is not known. It is lowered:
/// tuples, functions and metatypes, whose formal types are not, have no result.
pub(super) fn concrete_type(body: &Body, opened: Type) -> Option<Type> {
    chain(opened, |ty| concrete_step(body, ty)).skip(1).last()
}

fn concrete_step(body: &Body, opened: Type) -> Option<Type> {
    let TypeKind::Opened { id, interface, .. } = opened.kind() else { return None };
    // A member of the opened type is not replaced, as in the reference.
    if !matches!(interface.kind(), TypeKind::Param { .. }) {
        return None;
    }
    let OpenExistentialMetatype { operand, .. } = body.def_as(body.opened_value(*id)?)?;
    let InitExistentialMetatype { operand, .. } = body.def_as(operand)?;
    let Metatype { ty } = body.def_as(operand)?;
    let TypeKind::Metatype(_, instance) = ty.ty().kind() else { return None };
    let instance = instance.desugared();
    let is_lowered = matches!(
        instance.kind(),
        TypeKind::Named(_)
            | TypeKind::Builtin(..)
            | TypeKind::Param { .. }
            | TypeKind::Member(..)
            | TypeKind::Opened { .. }
            | TypeKind::DynamicSelf(_)
    );
    is_lowered.then_some(instance)
}
