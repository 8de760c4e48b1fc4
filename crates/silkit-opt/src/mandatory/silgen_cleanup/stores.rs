//! Widening of stores to the only property of a struct.
//!
//! ```text
//! %2 = struct_element_addr %1, #S.x
//! store %0 to [trivial] %2         →  %2 = struct $S (%0)
//!                                     store %2 to [trivial] %1
//! ```

use silkit_ir::instructions::{Store, Struct, StructElementAddr};
use silkit_ir::{Inst, Point, Value};
use silkit_pass::FunctionContext;
use silkit_types::decl::{DeclFlags, NominalKind};

/// Replaces a store to the only property of a struct, or of nested structs, by a store of the struct.
pub(super) fn broaden(cx: &mut FunctionContext<'_>, store: Inst) {
    let Some(Store { source, qualifier, destination }) = cx.body().view_as(store) else { return };
    let mut projections: Vec<(Inst, Value)> = Vec::new();
    let step = |inst| {
        let StructElementAddr { operand, .. } = cx.body().view_as(inst)?;
        is_only_property(cx, operand).then(|| projections.push((inst, operand))).map(|()| operand)
    };
    let place = cx.body().chain(destination, step).last().unwrap_or(destination);
    if projections.is_empty() || !cx.may_change() {
        return;
    }
    let mut builder = cx.at(Point::Before(store));
    let mut value = source;
    for &(_, whole) in &projections {
        let ty = builder.value(whole).ty.to_object();
        value = builder.build(Struct::new(ty, &[value][..]));
    }
    builder.build(Store { qualifier, ..Store::new(value, place) });
    builder.remove(store);
    for (projection, _) in projections {
        if builder.body().results(projection).all(|result| !builder.body().is_used(result)) {
            builder.remove(projection);
        }
    }
    cx.count("stores broadened", 1);
}

/// Returns true if an address is of a loadable struct with exactly one stored property.
fn is_only_property(cx: &FunctionContext<'_>, whole: Value) -> bool {
    let ty = cx.body().value(whole).ty.ty();
    let declarations = cx.declarations();
    let Some(decl) = declarations.nominal_of(ty) else { return false };
    decl.kind == NominalKind::Struct
        && decl.body.fields.len() == 1
        && decl.lists_fields()
        && !decl.flags.contains(DeclFlags::HAS_DEINIT)
        && declarations.properties(ty, cx.view().signature()).address_only == Some(false)
}
