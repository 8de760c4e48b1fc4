//! Reflection: names of types, and mirrors.

use super::{Call, Effect, NativeFn};
use crate::interp::Interp;
use crate::violation::{Run, unsupported};
use silkit_layout::{Ty, TyKind};
use silkit_types::decl::NominalKind;

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("swift_getTypeName", type_name),
    ("swift_getMetadataKind", metadata_kind),
    ("swift_EnumCaseName", enum_case_name),
    ("swift_OpaqueSummary", opaque_summary),
    ("swift_reflectionMirror_normalizedType", normalized_type),
    ("swift_reflectionMirror_count", mirror_count),
    ("swift_reflectionMirror_subscript", mirror_subscript),
    ("swift_reflectionMirror_displayStyle", display_style),
    ("swift_reflectionMirror_recursiveCount", recursive_count),
    ("swift_reflectionMirror_recursiveChildMetadata", recursive_child_metadata),
    ("swift_reflectionMirror_recursiveChildOffset", recursive_child_offset),
    ("swift_getMangledTypeName", mangled_name),
    ("swift_stdlib_getTypeByMangledNameUntrusted", type_by_name),
];

pub(super) const OVERRIDES: &[(&str, NativeFn)] = &[];

fn type_name(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let ty = it.type_at(it.arg(call, 0))?;
    let qualified = it.get_byte(call.args[1]) & 1 != 0;
    let name = ty.name_in(it.world(), qualified);
    let address = it.permanent_text(&name)?;
    it.set(call.result, address);
    it.set(call.result + 8, name.len() as u64);
    Ok(Effect::Done)
}

/// Returns the metadata kind of a type (TypeMetadata.rst).
fn metadata_kind(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let ty = it.type_at(it.arg(call, 0))?;
    let kind = match ty.kind() {
        TyKind::Nominal(nominal, _) => match it.world().kind(*nominal) {
            Some(NominalKind::Class | NominalKind::Actor) => 0,
            Some(NominalKind::Struct) => 0x200,
            Some(NominalKind::Enum) if ty.optional_payload().is_some() => 0x202,
            _ => 0x201,
        },
        TyKind::Tuple(_) => 0x301,
        TyKind::Function(_) | TyKind::Lowered(_) => 0x302,
        TyKind::Existential(_) => 0x303,
        TyKind::Metatype(_) | TyKind::ThinMetatype(_) => 0x304,
        TyKind::ExistentialMetatype(_) => 0x306,
        _ => 0x300,
    };
    it.set(call.result, kind);
    Ok(Effect::Done)
}

fn subject(call: &Call<'_>) -> Run<Ty> {
    match call.types.first() {
        Some(&ty) => Ok(ty),
        None => unsupported(format!("`{}` without a type", call.name)),
    }
}

/// Returns the address and the dynamic type of a value. Existentials are opened.
fn opened(it: &mut Interp<'_>, address: u64, ty: Ty) -> Run<(u64, Ty)> {
    let TyKind::Existential(e) = ty.kind() else { return Ok((address, ty)) };
    if e.is_class {
        let reference = it.read(address)?;
        return Ok((address, it.class_of(reference)?));
    }
    if super::casts::is_error(ty) {
        let reference = it.read(address)?;
        let inner = it.boxed_type(reference)?;
        let id = it.type_id(inner)?;
        // A generic function boxes `any Error` like any other error type, so boxes can be nested.
        let at = it.boxed_value(reference, id);
        return opened(it, at, inner);
    }
    let inner = it.container_type(address)?;
    let id = it.type_id(inner)?;
    let at = it.container_value(address, id, false)?;
    opened(it, at, inner)
}

fn enum_case_name(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (address, ty) = opened(it, it.arg(call, 0), subject(call)?)?;
    let id = it.type_id(ty)?;
    let result = match it.types.get(id).layout.as_enum().cloned() {
        Some(layout) => {
            let bytes = it.enum_bytes(address, id)?;
            let case = layout.case_of(&bytes).ok_or_else(|| it.invalid_enum(id, &bytes))?;
            it.permanent_text(layout.cases[case as usize].name.as_str())?
        }
        None => 0,
    };
    it.set(call.result, result);
    Ok(Effect::Done)
}

fn opaque_summary(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let ty = it.type_at(it.arg(call, 0))?;
    let text = match ty.kind() {
        TyKind::Nominal(nominal, _) => match it.world().kind(*nominal) {
            Some(NominalKind::Class | NominalKind::Actor) => "(Class)",
            Some(NominalKind::Struct) => "(Struct)",
            _ => "(Enum Value)",
        },
        TyKind::Tuple(_) => "(Tuple)",
        TyKind::Function(_) | TyKind::Lowered(_) => "(Function)",
        TyKind::Existential(_) => "(Existential)",
        TyKind::Metatype(_) | TyKind::ThinMetatype(_) => "(Metatype)",
        TyKind::ExistentialMetatype(_) => "(Existential Metatype)",
        _ => "(Opaque Value)",
    };
    let address = it.permanent_text(text)?;
    it.set(call.result, address);
    Ok(Effect::Done)
}

fn normalized_type(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let asked = it.type_at(it.arg(call, 1))?;
    let (address, ty) = opened(it, it.arg(call, 0), subject(call)?)?;
    let found =
        if matches!(asked.kind(), TyKind::Existential(_)) || it.is_class(ty) && asked == subject(call)? {
            it.dynamic_type_at(address, ty)?
        } else {
            asked
        };
    let metadata = it.metadata(found)?;
    it.set(call.result, metadata);
    Ok(Effect::Done)
}

/// A child of a value: its label, its type and its offset.
struct Child {
    label: String,
    ty: Ty,
    offset: u64,
    is_boxed: bool,
}

/// Returns the children of a value. The child of an enum is its payload.
fn children(it: &mut Interp<'_>, ty: Ty, address: Option<u64>) -> Run<Vec<Child>> {
    let named =
        |name: Option<silkit_base::Symbol>, at: usize| name.map_or(format!(".{at}"), |n| n.to_string());
    let child = |label: String, ty: Ty, offset: u64| Child { label, ty, offset, is_boxed: false };
    if it.is_class(ty) {
        let layout = it.world().class_layout(ty).map_err(crate::types::type_error)?;
        let own = layout.fields.iter().filter(|f| f.class == ty);
        return Ok(own.map(|f| child(f.name.to_string(), f.ty, f.offset)).collect());
    }
    let info = it.info(ty)?;
    if let (Some(layout), Some(address)) = (info.layout.as_enum().cloned(), address) {
        let id = it.type_id(ty)?;
        let bytes = it.enum_bytes(address, id)?;
        let case = layout.case_of(&bytes).ok_or_else(|| it.invalid_enum(id, &bytes))?;
        let case = &layout.cases[case as usize];
        return Ok(match case.payload {
            Some(payload) => {
                vec![Child { label: case.name.to_string(), ty: payload, offset: 0, is_boxed: case.indirect }]
            }
            None => Vec::new(),
        });
    }
    let is_tuple = matches!(ty.kind(), TyKind::Tuple(_));
    let parts = info.layout.parts().iter().enumerate();
    let label = |name, at| {
        if is_tuple {
            named(name, at)
        } else {
            name.map_or(String::new(), |n: silkit_base::Symbol| n.to_string())
        }
    };
    Ok(parts.map(|(i, p)| child(label(p.name, i), p.ty, p.offset)).collect())
}

fn mirror_count(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (address, dynamic) = opened(it, it.arg(call, 0), subject(call)?)?;
    let ty = it.type_at(it.arg(call, 1))?;
    let ty = if matches!(ty.kind(), TyKind::Existential(_)) { dynamic } else { ty };
    let count = children(it, ty, Some(address))?.len();
    it.set(call.result, count as u64);
    Ok(Effect::Done)
}

/// Writes a child to an `Any`, its label, and null for the function that frees the label.
fn mirror_subscript(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    // The result is written through the first argument.
    let [result, value, metadata, index, name, free] = call.args[..] else {
        return unsupported("`swift_reflectionMirror_subscript` with other arguments");
    };
    let (address, dynamic) = opened(it, it.get(value), subject(call)?)?;
    let ty = it.type_at(it.get(metadata))?;
    let ty = if matches!(ty.kind(), TyKind::Existential(_)) { dynamic } else { ty };
    let all = children(it, ty, Some(address))?;
    let Some(child) = all.into_iter().nth(it.get(index) as usize) else {
        return Err(it.failure(132, "Index out of range".to_owned()));
    };
    let base = if it.is_class(ty) { it.read(address)? } else { address };
    let label = it.permanent_text(&child.label)?;
    it.write(it.get(name), label)?;
    it.write(it.get(free), 0)?;
    let into = it.get(result);
    copy_child(it, ty, base, &child, into)?;
    Ok(Effect::Done)
}

fn copy_child(it: &mut Interp<'_>, ty: Ty, base: u64, child: &Child, into: u64) -> Run<()> {
    let mut at = base + child.offset;
    let mut child_ty = child.ty;
    if child.is_boxed {
        let mut bytes = {
            let id = it.type_id(ty)?;
            it.enum_bytes(base, id)?
        };
        let id = it.type_id(ty)?;
        let layout = it.enum_layout(id)?;
        let case = layout.case_of(&bytes).unwrap_or(0);
        layout.project(case, &mut bytes);
        let reference = crate::exec::word(&bytes, 0);
        let (offsets, _) = it.world().box_layout(child_ty).map_err(crate::types::type_error)?;
        if let TyKind::Box(fields) = child_ty.kind() {
            at = reference + offsets[0];
            child_ty = fields[0].ty;
        }
    }
    if let TyKind::Storage(storage, referent) = child_ty.kind() {
        return copy_stored(it, at, *storage, *referent, into);
    }
    let formal = child_ty.formal();
    if !it.world().is_copyable(formal) {
        // The mirror shows `()` instead of a value that is not copyable.
        let id = it.type_id(Ty::void())?;
        return it.fill_container(into, id, 0).map(drop);
    }
    if matches!(formal.kind(), TyKind::Existential(e) if e.protocols.is_empty() && !e.is_class && e.superclass.is_none())
    {
        let id = it.type_id(formal)?;
        return it.copy_value(false, crate::op::Write::Init, at, into, id);
    }
    // The tag of an enum can be stored in the bits of the payload.
    let id = it.type_id(formal)?;
    let info = it.known(id);
    let place = it.fill_container(into, id, 0)?;
    if let Ok(of) = it.type_id(ty)
        && let Some(layout) = it.types.get(of).layout.as_enum().cloned()
        && !child.is_boxed
        && !layout.projects_in_place()
    {
        let mut bytes = it.enum_bytes(base, of)?;
        let case = layout.case_of(&bytes).unwrap_or(0);
        layout.project(case, &mut bytes);
        it.retain_bytes(&bytes[..info.size as usize], id)?;
        return it.c_write(place, &bytes[..info.size as usize]);
    }
    it.copy_value(false, crate::op::Write::Init, at, place, id)
}

fn copy_stored(
    it: &mut Interp<'_>,
    at: u64,
    storage: silkit_layout::Storage,
    referent: Ty,
    into: u64,
) -> Run<()> {
    let reference = it.read(at)?;
    let alive = reference != 0 && it.memory.can_be_retained(reference);
    let optional = referent.optional_payload().is_some();
    let id = it.type_id(referent)?;
    let place = it.fill_container(into, id, 0)?;
    let size = it.types.get(id).size as usize;
    let mut bytes = it.c_bytes(at, size as u64)?;
    if storage == silkit_layout::Storage::Weak && !alive {
        bytes.fill(0);
    } else if !alive && !optional {
        return Err(it.failure(134, "an unowned reference to a deallocated object was read".to_owned()));
    } else if reference != 0 {
        it.retain_reference(reference)?;
    }
    it.c_write(place, &bytes)
}

/// Returns the display style: `s` for structs, `e` for enums, `o` for optionals, `c` for classes, `t` for tuples,
/// otherwise zero.
fn display_style(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (_, ty) = opened(it, it.arg(call, 0), subject(call)?)?;
    let style = match ty.kind() {
        TyKind::Tuple(_) => b't',
        TyKind::Nominal(nominal, _) => match it.world().kind(*nominal) {
            Some(NominalKind::Class | NominalKind::Actor) => b'c',
            Some(NominalKind::Struct) => b's',
            Some(NominalKind::Enum) if ty.optional_payload().is_some() => b'o',
            _ => b'e',
        },
        _ => 0,
    };
    it.set_byte(call.result, style);
    Ok(Effect::Done)
}

fn recursive_count(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let ty = it.type_at(it.arg(call, 0))?;
    let count = all_fields(it, ty)?.len();
    it.set(call.result, count as u64);
    Ok(Effect::Done)
}

/// Returns the fields of a type, including inherited fields, which precede the others.
fn all_fields(it: &mut Interp<'_>, ty: Ty) -> Run<Vec<Child>> {
    if it.is_class(ty) {
        let layout = it.world().class_layout(ty).map_err(crate::types::type_error)?;
        let child = |f: &silkit_layout::layout::ClassField| Child {
            label: f.name.to_string(),
            ty: f.ty,
            offset: f.offset,
            is_boxed: false,
        };
        return Ok(layout.fields.iter().map(child).collect());
    }
    children(it, ty, None)
}

fn recursive_child_metadata(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let ty = it.type_at(it.arg(call, 0))?;
    let (index, fields) = (it.arg(call, 1) as usize, it.arg(call, 2));
    let all = all_fields(it, ty)?;
    let Some(child) = all.get(index) else { return Err(it.failure(132, "Index out of range".to_owned())) };
    let label = it.permanent_text(&child.label)?;
    it.write(fields, label)?;
    it.write(fields + 8, 0)?;
    it.c_write(fields + 16, &[1, 1])?;
    let metadata = it.metadata(child.ty)?;
    it.set(call.result, metadata);
    Ok(Effect::Done)
}

fn recursive_child_offset(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let ty = it.type_at(it.arg(call, 0))?;
    let index = it.arg(call, 1) as usize;
    let offset = all_fields(it, ty)?.get(index).map_or(0, |c| c.offset);
    it.set(call.result, offset);
    Ok(Effect::Done)
}

/// Returns null for a mangled type name whose module is not part of the program. Other names are unsupported.
fn type_by_name(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (address, len) = (it.arg(call, 0), it.arg(call, 1));
    let name = String::from_utf8_lossy(&it.c_bytes(address, len)?).into_owned();
    let module = crate::program::module_of_symbol(&format!("$s{name}")).map(silkit_base::Symbol::new);
    if module.is_some_and(|m| it.world().module_named(m).is_some()) {
        return unsupported(format!("the type with the mangled name `{name}`"));
    }
    it.set(call.result, 0);
    Ok(Effect::Done)
}

fn mangled_name(_: &mut Interp<'_>, _: &Call<'_>) -> Run<Effect> {
    unsupported("the mangled name of a type")
}
