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

use super::always;
use silkit_ir::instructions::{AllocRef, AllocRefDynamic, Metatype};
use silkit_ir::{Body, Inst, Opcode, Value};
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::{SilType, TypeKind};

pub(super) const PATTERNS: &[Pattern] =
    &[always(Opcode::AllocRefDynamic, "alloc_ref_dynamic of exact class", simplify)];

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
fn exact_class(body: &Body, metatype: Value) -> Option<SilType> {
    let Metatype { ty } = body.def_as(body.look_through(metatype, |opcode| opcode == Opcode::Upcast))?;
    match ty.ty().kind() {
        TypeKind::Metatype(_, class) => Some(SilType::object(*class)),
        _ => None,
    }
}
