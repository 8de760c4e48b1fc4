//! What a callee reads of its arguments, where its declaration says so.

use crate::context::FunctionContext;
use silkit_analysis::memory::{Access, Locations, Part};
use silkit_ir::conventions::ApplySite;
use silkit_ir::instructions::FunctionRef;
use silkit_types::{SilType, TypeKind};

/// The parts of a location that a callee reads; `None` where it may read all.
///
/// Effects are spelled in brackets before the body: `[%0: read s0.v**, write v**]`, `[global: ]`. A path of `s1` and
/// `0` names fields of structs and elements of tuples, `v**` everything below.
pub(super) fn read_by_callee(
    cx: &FunctionContext<'_>,
    locations: &Locations,
    access: &Access,
) -> Option<Vec<u32>> {
    let site = ApplySite::of_operand(cx.body, access.operand, cx.addresses())?;
    let name = cx.body.def_as::<FunctionRef>(site.callee())?.function;
    let effects = &cx.callee(name)?.effects;
    // Whether something escapes is another matter.
    if !effects.iter().any(|e| is_about_memory(e.as_str())) {
        return None;
    }
    let argument = site.argument_of_operand(cx.body.operand_index(access.operand))?;
    let prefix = format!("%{argument}:");
    let own = effects.iter().filter_map(|e| e.as_str().trim().strip_prefix(prefix.as_str()));
    let reads = own.flat_map(|list| list.split(',')).filter_map(|e| e.trim().strip_prefix("read "));
    let ty = cx.body.value(cx.body.operand(access.operand).value).ty;
    let mut parts = Vec::new();
    for path in reads {
        parts.extend(part_at(cx, locations, access.location, ty, path));
    }
    Some(parts)
}

fn is_about_memory(effects: &str) -> bool {
    let Some((of, list)) = effects.split_once(':') else { return false };
    of.trim() == "global"
        || list
            .split(',')
            .any(|e| matches!(e.trim().split(' ').next(), Some("read" | "write" | "copy" | "destroy")))
}

/// The location at a path, or the last one on it that has no named parts; `None` where it cannot be told apart.
fn part_at(
    cx: &FunctionContext<'_>,
    locations: &Locations,
    location: u32,
    ty: SilType,
    path: &str,
) -> Option<u32> {
    let (mut location, mut ty) = (location, ty.ty());
    for step in path.trim().split('.') {
        let (part, next) = if let Some(index) = step.strip_prefix('s').and_then(|s| s.parse::<usize>().ok()) {
            let fields = cx.declarations().stored_fields(ty)?;
            let (field, ty) = fields.get(index)?;
            (Part::Field(field.name), *ty)
        } else if let Ok(index) = step.parse::<u32>() {
            let TypeKind::Tuple(elements) = ty.kind() else { return None };
            (Part::Element(index), elements.get(index as usize)?.ty)
        } else {
            return Some(location);
        };
        if !locations.has_parts(location) {
            return Some(location);
        }
        location = locations.named_part(location, part)?;
        ty = next;
    }
    Some(location)
}
