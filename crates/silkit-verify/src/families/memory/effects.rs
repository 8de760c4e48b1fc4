//! Declared effects of callees on their arguments.

use crate::context::FunctionVerifier;
use silkit_analysis::memory::{LocationAccess, Locations, MemoryPart};
use silkit_ir::conventions::ApplySite;
use silkit_ir::instructions::FunctionRef;
use silkit_ir::{Component, ProjectionPath};
use silkit_types::{SilType, TypeKind};

/// Returns the sublocations that a callee reads; `None` if it may read the whole location.
pub(super) fn read_by_callee(
    cx: &FunctionVerifier<'_>,
    locations: &Locations,
    access: &LocationAccess,
) -> Option<Vec<u32>> {
    let site = ApplySite::of_operand(cx.body, access.operand, cx.addresses())?;
    let name = cx.body.def_as::<FunctionRef>(site.callee())?.function;
    // Escapes do not matter here.
    let effects = cx.callee(name)?.effects.side.as_ref()?;
    let argument = site.argument_of_operand(cx.body.operand_index(access.operand))?;
    let ty = cx.body.value(cx.body.operand(access.operand).value).ty;
    let read = effects.argument(argument).read;
    Some(read.and_then(|path| part_at(cx, locations, access.location, ty, path)).into_iter().collect())
}

/// Returns the location at a path, or the last one on it without sublocations; `None` if it is ambiguous.
fn part_at(
    cx: &FunctionVerifier<'_>,
    locations: &Locations,
    location: u32,
    ty: SilType,
    path: ProjectionPath,
) -> Option<u32> {
    let (mut location, mut ty) = (location, ty.ty());
    for component in path.components() {
        let (part, next) = match component {
            Component::StructField(index) => {
                let fields = cx.declarations().stored_fields(ty)?;
                let (field, ty) = fields.get(index as usize)?;
                (MemoryPart::Field(field.name), *ty)
            }
            Component::TupleElement(index) => {
                let TypeKind::Tuple(elements) = ty.kind() else { return None };
                (MemoryPart::Element(index), elements.get(index as usize)?.ty)
            }
            _ => return Some(location),
        };
        if !locations.has_parts(location) {
            return Some(location);
        }
        location = locations.named_part(location, part)?;
        ty = next;
    }
    Some(location)
}
