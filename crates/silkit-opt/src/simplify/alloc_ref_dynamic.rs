//! Replaces the dynamic allocation of an object whose class is known.
//!
//! ```text
//! %0 = metatype $@thick Derived.Type
//! %1 = upcast %0 to $@thick Base.Type
//! %2 = alloc_ref_dynamic %1, $Base
//! ---
//! %0 = alloc_ref $Derived
//! %2 = upcast %0 to $Base
//! ```

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::instructions::{AllocRef, AllocRefDynamic, Metatype, Upcast};
use silkit_ir::{Body, Inst, Opcode, Value};
use silkit_types::{SilType, TypeKind};

pub(super) const RULE: Rule = Rule::always(Opcode::AllocRefDynamic, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(dynamic) = rw.body().view_as::<AllocRefDynamic<'_>>(inst) else { return };
    let Some(class) = exact_class(rw.body(), dynamic.metatype) else { return };
    let (tail_types, counts) = (dynamic.tail_types.to_vec(), dynamic.counts.to_vec());
    let AllocRefDynamic { objc, bare, stack, ty, .. } = dynamic;
    if !rw.may_change() {
        return;
    }
    let mut builder = rw.before(inst);
    let (tail_types, counts) = (&tail_types[..], &counts[..]);
    let object = builder.build(AllocRef {
        objc,
        bare,
        stack,
        tail_types: tail_types.into(),
        counts: counts.into(),
        ..AllocRef::new(class)
    });
    let object = if class == ty { object } else { builder.upcast(object, ty) };
    rw.replace(inst, object);
}

/// Returns the class that a metatype value names exactly.
fn exact_class(body: &Body, mut metatype: Value) -> Option<SilType> {
    while let Some(Upcast { operand, .. }) = body.def_as(metatype) {
        metatype = operand;
    }
    let Metatype { ty } = body.def_as(metatype)?;
    match ty.ty().kind() {
        TypeKind::Metatype(_, class) => Some(SilType::object(*class)),
        _ => None,
    }
}
