//! Builtins that read and write the tags of enums.

use super::BuiltinFn;
use crate::interp::Interp;
use crate::sites::BuiltinSite;
use crate::violation::{Run, ViolationKind, unsupported};

pub(super) const BUILTINS: &[(&str, BuiltinFn)] = &[("getEnumTag", get_tag), ("injectEnumTag", inject_tag)];

/// Returns the cases in the order of their runtime tags: cases with payloads precede the others.
fn order(layout: &silkit_layout::layout::EnumLayout) -> Vec<u32> {
    let numbers = 0..layout.cases.len() as u32;
    let has_payload = |&c: &u32| layout.cases[c as usize].payload.is_some();
    numbers.clone().filter(has_payload).chain(numbers.filter(|c| !has_payload(c))).collect()
}

fn get_tag(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let Some(&ty) = site.types.first() else { return unsupported("an enum tag without a type") };
    let id = it.type_id(ty)?;
    let layout = it.enum_layout(id)?;
    let address = it.get(site.args[0]);
    let bytes = it.enum_bytes(address, id)?;
    let case = layout.case_of(&bytes).ok_or_else(|| it.invalid_enum(id, &bytes))?;
    let tag = order(&layout).iter().position(|&c| c == case).unwrap_or_default();
    it.set_int(site.to, 4, tag as u64);
    Ok(())
}

fn inject_tag(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let Some(&ty) = site.types.first() else { return unsupported("an enum tag without a type") };
    let id = it.type_id(ty)?;
    let layout = it.enum_layout(id)?;
    let (address, tag) = (it.get(site.args[0]), it.get_int(site.args[1], 4) as usize);
    match order(&layout).get(tag) {
        Some(&case) => it.inject_at(address, id, case),
        None if !it.options.checks(ViolationKind::InvalidEnum) => Ok(()),
        None => {
            let message = format!("injecting the tag {tag} into `{ty}`, which has no such case");
            Err(it.violation(ViolationKind::InvalidEnum, message, Some(address)))
        }
    }
}
