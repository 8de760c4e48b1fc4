//! Builtins that copy, move and destroy arrays of values.

use super::BuiltinFn;
use crate::interp::Interp;
use crate::op::Write;
use crate::sites::BuiltinSite;
use crate::types::TypeId;
use crate::violation::{Run, Stop};

pub(super) const BUILTINS: &[(&str, BuiltinFn)] = &[
    ("destroyArray", destroy),
    ("copyArray", copy),
    ("takeArrayNoAlias", take),
    ("takeArrayFrontToBack", take_forward),
    ("takeArrayBackToFront", take_backward),
    ("assignCopyArrayNoAlias", assign_copy),
    ("assignCopyArrayFrontToBack", assign_copy_forward),
    ("assignCopyArrayBackToFront", assign_copy_backward),
    ("assignTakeArray", assign_take),
];

/// Returns the element type of a builtin.
fn element(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<TypeId> {
    match site.types.first() {
        Some(&ty) => it.type_id(ty),
        None => crate::violation::unsupported(format!("the builtin `{}` without a type", site.name)),
    }
}

/// Returns the operands after the metatype.
fn words(it: &Interp<'_>, site: &BuiltinSite) -> Vec<u64> {
    site.args[1..].iter().map(|&slot| it.get(slot)).collect()
}

fn destroy(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let ty = element(it, site)?;
    let [base, count] = words(it, site)[..] else { return Ok(()) };
    let stride = u64::from(it.types.get(ty).stride);
    if it.types.get(ty).plan.is_trivial() {
        return if count == 0 || it.types.get(ty).size == 0 {
            Ok(())
        } else {
            let before = stride.checked_mul(count - 1).ok_or(Stop::OutOfMemory)?;
            let size = before.saturating_add(u64::from(it.types.get(ty).size));
            it.memory.deinitialize(base, size).map_err(|fault| it.fault(fault, base, "destroying"))
        };
    }
    for i in 0..count {
        it.count_step()?;
        it.destroy_addr(base.wrapping_add(i.wrapping_mul(stride)), ty)?;
    }
    Ok(())
}

/// The way in which source and destination of a builtin may overlap.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overlap {
    /// They must be disjoint.
    No,
    /// The destination may begin before the source.
    FrontToBack,
    /// The destination may begin after the source.
    BackToFront,
}

fn transfer(it: &mut Interp<'_>, site: &BuiltinSite, take: bool, write: Write, overlap: Overlap) -> Run<()> {
    let backward = overlap == Overlap::BackToFront;
    let ty = element(it, site)?;
    let [to, from, count] = words(it, site)[..] else { return Ok(()) };
    let (size, stride) = (u64::from(it.types.get(ty).size), u64::from(it.types.get(ty).stride));
    if count == 0 || size == 0 {
        return Ok(());
    }
    let Some(len) = stride.checked_mul(count - 1).and_then(|n| n.checked_add(size)) else {
        return Err(Stop::OutOfMemory);
    };
    let is_allowed = match overlap {
        Overlap::No => false,
        Overlap::FrontToBack => to <= from,
        Overlap::BackToFront => to >= from,
    };
    it.require(is_allowed || to.abs_diff(from) >= len, || {
        format!("`{}` copies {len} bytes from {from:#x} to {to:#x}, which overlap", site.name)
    })?;
    let is_plain = it.types.get(ty).plan.is_trivial() || (take && write == Write::Init);
    if is_plain {
        return it.memory.copy(from, to, len).map_err(|fault| {
            let at = if it.memory.bytes(from, len).is_err() { from } else { to };
            it.fault(fault, at, "copying")
        });
    }
    for i in 0..count {
        let i = if backward { count - 1 - i } else { i };
        it.copy_value(take, write, from + i * stride, to + i * stride, ty)?;
    }
    Ok(())
}

fn copy(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    transfer(it, site, false, Write::Init, Overlap::No)
}

fn take(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    transfer(it, site, true, Write::Init, Overlap::No)
}

fn take_forward(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    transfer(it, site, true, Write::Init, Overlap::FrontToBack)
}

fn take_backward(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    transfer(it, site, true, Write::Init, Overlap::BackToFront)
}

fn assign_copy(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    transfer(it, site, false, Write::Assign, Overlap::No)
}

fn assign_copy_forward(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    transfer(it, site, false, Write::Assign, Overlap::FrontToBack)
}

fn assign_copy_backward(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    transfer(it, site, false, Write::Assign, Overlap::BackToFront)
}

fn assign_take(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    transfer(it, site, true, Write::Assign, Overlap::No)
}
