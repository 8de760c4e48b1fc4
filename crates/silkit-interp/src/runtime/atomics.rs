//! Atomic operations. They are executed as non-atomic operations, because there is only one thread.

use super::{BuiltinFn, Call, Effect, NativeFn};
use crate::exec::{compute_int, int_size};
use crate::interp::Interp;
use crate::op::IntOp;
use crate::sites::BuiltinSite;
use crate::violation::{Run, unsupported};
use silkit_layout::{Builtin, TyKind};

pub(super) const FUNCTIONS: &[(&str, NativeFn)] =
    &[("_swift_stdlib_atomicLoadInt", load_int), ("_swift_stdlib_atomicStoreInt", store_int)];

fn load_int(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let value = it.read(it.arg(call, 0))?;
    it.set(call.result, value);
    Ok(Effect::Done)
}

fn store_int(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.write(it.arg(call, 0), it.arg(call, 1))?;
    Ok(Effect::Done)
}

/// Returns the atomic builtin with a base name, such as `atomicrmw_add_seqcst` of `atomicrmw_add_seqcst_Int64`.
pub(super) fn builtin(base: &str) -> Option<BuiltinFn> {
    if base.starts_with("atomicload_") {
        return Some(load);
    }
    if base.starts_with("atomicstore_") {
        return Some(store);
    }
    if base.starts_with("cmpxchg_") {
        return Some(compare_exchange);
    }
    if base.starts_with("fence_") {
        return Some(|_, _| Ok(()));
    }
    base.starts_with("atomicrmw_").then_some(read_modify_write as BuiltinFn)
}

fn bits(site: &BuiltinSite) -> Run<u8> {
    match site.types.last().map(|t| t.kind()) {
        Some(TyKind::Builtin(Builtin::Int(bits))) => Ok(*bits as u8),
        Some(TyKind::Builtin(Builtin::RawPointer | Builtin::Object)) => Ok(64),
        _ => unsupported(format!("the builtin `{}`", site.name)),
    }
}

fn read(it: &mut Interp<'_>, address: u64, bits: u8) -> Run<u128> {
    let mut word = [0; 16];
    let size = int_size(bits) as usize;
    it.memory.load(address, &mut word[..size]).map_err(|fault| it.fault(fault, address, "reading"))?;
    Ok(u128::from_le_bytes(word))
}

fn write(it: &mut Interp<'_>, address: u64, bits: u8, value: u128) -> Run<()> {
    let size = int_size(bits) as usize;
    it.c_write(address, &value.to_le_bytes()[..size])
}

fn load(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let bits = bits(site)?;
    let value = read(it, it.get(site.args[0]), bits)?;
    it.set_wide(site.to, bits, value);
    Ok(())
}

fn store(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let bits = bits(site)?;
    let value = it.get_wide(site.args[1], bits);
    write(it, it.get(site.args[0]), bits, value)
}

fn compare_exchange(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let bits = bits(site)?;
    let address = it.get(site.args[0]);
    let (expected, new) = (it.get_wide(site.args[1], bits), it.get_wide(site.args[2], bits));
    let old = read(it, address, bits)?;
    if old == expected {
        write(it, address, bits, new)?;
    }
    it.set_wide(site.to, bits, old);
    it.set_byte(site.to + int_size(bits), u8::from(old == expected));
    Ok(())
}

fn read_modify_write(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let bits = bits(site)?;
    let address = it.get(site.args[0]);
    let operand = it.get_wide(site.args[1], bits);
    let old = read(it, address, bits)?;
    let name = site.name.as_str().trim_start_matches("atomicrmw_");
    let operation = name.split('_').next().unwrap_or_default();
    let op = |op| compute_int(op, bits, old, operand).map_or(0, |(value, _)| value);
    let new = match operation {
        "xchg" => operand,
        "add" => op(IntOp::Add),
        "sub" => op(IntOp::Sub),
        "and" => op(IntOp::And),
        "or" => op(IntOp::Or),
        "xor" => op(IntOp::Xor),
        "nand" => crate::exec::truncate(!op(IntOp::And), bits),
        "max" => {
            if op(IntOp::Sgt) == 1 {
                old
            } else {
                operand
            }
        }
        "min" => {
            if op(IntOp::Slt) == 1 {
                old
            } else {
                operand
            }
        }
        "umax" => old.max(operand),
        "umin" => old.min(operand),
        _ => return unsupported(format!("the builtin `{}`", site.name)),
    };
    write(it, address, bits, new)?;
    it.set_wide(site.to, bits, old);
    Ok(())
}
