//! Raw memory.

use super::{BuiltinFn, Call, Effect, NativeFn, no_effect, same};
use crate::frame::StackOrder;
use crate::interp::Interp;
use crate::memory::Kind;
use crate::sites::BuiltinSite;
use crate::violation::{Run, Stop, ViolationKind};

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("_swift_stdlib_free", free),
    ("free", free),
    ("malloc", malloc),
    ("calloc", calloc),
    ("_swift_stdlib_memcmp", memcmp),
    ("memcmp", memcmp),
    ("memcpy", memcpy),
    ("memmove", memmove),
    ("memset", memset),
    ("_swift_stdlib_strlen", strlen),
    ("_swift_stdlib_strlen_unsigned", strlen),
    ("strlen", strlen),
    ("_swift_stdlib_has_malloc_size", has_malloc_size),
    ("_swift_stdlib_malloc_size", malloc_size),
    ("swift_stdlib_isStackAllocationSafe", is_stack_allocation_safe),
    ("swift_slowAlloc", slow_alloc),
    ("swift_slowDealloc", free),
];

pub(super) const BUILTINS: &[(&str, BuiltinFn)] = &[
    ("allocRaw", alloc_raw),
    ("deallocRaw", dealloc_raw),
    ("stackAlloc", stack_alloc),
    ("unprotectedStackAlloc", stack_alloc),
    ("stackDealloc", stack_dealloc),
    ("int_memcpy", copy_memory),
    ("int_memmove", move_memory),
    ("int_memset", set_memory),
    ("zeroInitializer", zero_memory),
    ("prepareInitialization", no_effect),
    ("addressOfRawLayout", same),
    ("once", once),
    ("onceWithContext", once),
];

impl Interp<'_> {
    /// Allocates memory like `malloc` of C.
    pub(crate) fn malloc(&mut self, size: u64, align: u64) -> Run<u64> {
        self.allocate(Kind::Heap, size, align.max(16), 0)
    }

    /// Returns a violation if a copy reads memory that it writes. A copy to the same place changes nothing.
    pub(crate) fn require_disjoint(&self, to: u64, from: u64, len: u64) -> Run<()> {
        let is_disjoint = to == from || to.abs_diff(from) >= len;
        self.require(is_disjoint, || format!("copying {len} bytes from {from:#x} to {to:#x}, which overlap"))
    }

    /// Frees memory like `free` of C.
    pub(crate) fn free(&mut self, address: u64) -> Run<()> {
        if address == 0 {
            return Ok(());
        }
        if let Some((entry, base)) = self.memory.allocation(address)
            && entry.alive
            && entry.kind != Kind::Heap
        {
            let message = format!("deallocating {} at {base:#x} as heap memory", entry.kind.name());
            return Err(self.violation(ViolationKind::TypeConfusion, message, Some(address)));
        }
        let freed = self.memory.free(address, self.pc);
        freed.map_err(|fault| self.free_fault(fault, address))?;
        Ok(())
    }
}

fn free(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let address = it.arg(call, 0);
    it.free(address)?;
    Ok(Effect::Done)
}

fn malloc(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let size = it.arg(call, 0);
    let address = it.malloc(size, 16)?;
    it.set(call.result, address);
    Ok(Effect::Done)
}

fn slow_alloc(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (size, mask) = (it.arg(call, 0), it.arg(call, 1));
    let address = it.malloc(size, if mask == u64::MAX { 16 } else { mask + 1 })?;
    it.set(call.result, address);
    Ok(Effect::Done)
}

fn calloc(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let size = it.arg(call, 0).checked_mul(it.arg(call, 1)).ok_or(Stop::OutOfMemory)?;
    let address = it.malloc(size, 16)?;
    it.memory.fill(address, size, 0).map_err(|fault| it.fault(fault, address, "clearing"))?;
    it.set(call.result, address);
    Ok(Effect::Done)
}

fn memcmp(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (a, b, len) = (it.arg(call, 0), it.arg(call, 1), it.arg(call, 2));
    let (left, right) = (it.c_bytes(a, len)?, it.c_bytes(b, len)?);
    let order = left.cmp(&right) as i32;
    it.set_int(call.result, 4, u64::from(order as u32));
    Ok(Effect::Done)
}

fn memcpy(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.require_disjoint(it.arg(call, 0), it.arg(call, 1), it.arg(call, 2))?;
    memmove(it, call)
}

fn memmove(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (to, from, len) = (it.arg(call, 0), it.arg(call, 1), it.arg(call, 2));
    it.memory.copy(from, to, len).map_err(|fault| it.fault(fault, from, "copying"))?;
    it.set(call.result, to);
    Ok(Effect::Done)
}

fn memset(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (to, byte, len) = (it.arg(call, 0), it.arg32(call, 1) as u8, it.arg(call, 2));
    it.memory.fill(to, len, byte).map_err(|fault| it.fault(fault, to, "filling"))?;
    it.set(call.result, to);
    Ok(Effect::Done)
}

fn strlen(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let text = it.c_string(it.arg(call, 0))?;
    it.set(call.result, text.len() as u64);
    Ok(Effect::Done)
}

fn has_malloc_size(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    it.set_byte(call.result, 1);
    Ok(Effect::Done)
}

fn malloc_size(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let address = it.arg(call, 0);
    let size = it.memory.size_of(address).unwrap_or(0);
    it.set(call.result, size);
    Ok(Effect::Done)
}

fn is_stack_allocation_safe(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let safe = it.arg(call, 0) <= 1024;
    it.set_byte(call.result, u8::from(safe));
    Ok(Effect::Done)
}

fn alloc_raw(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let (size, align) = (it.get(site.args[0]), it.get(site.args[1]));
    if align != u64::MAX && !align.is_power_of_two() && align != 0 {
        return Err(it.failure(132, format!("an allocation with the alignment {align}")));
    }
    let align = if align == u64::MAX || align == 0 { 16 } else { align };
    let address = it.malloc(size, align)?;
    it.set(site.to, address);
    Ok(())
}

fn dealloc_raw(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let (address, size) = (it.get(site.args[0]), it.get(site.args[1]));
    // A size of -1 is unknown.
    if size != u64::MAX
        && let Some(allocated) = it.memory.size_of(address)
    {
        it.require(size == allocated, || {
            format!("deallocating {allocated} bytes at {address:#x} as {size} bytes")
        })?;
    }
    it.free(address)
}

fn stack_alloc(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let (count, stride, align) = (it.get(site.args[0]), it.get(site.args[1]), it.get(site.args[2]));
    it.require(align.is_power_of_two(), || format!("stack memory with the alignment {align}"))?;
    let size = count.checked_mul(stride).ok_or(Stop::OutOfMemory)?;
    let align = if align.is_power_of_two() { align } else { 16 };
    let address = it.stack_memory(size, align, 0, StackOrder::Nested)?;
    it.set(site.to, address);
    Ok(())
}

fn stack_dealloc(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let address = it.get(site.args[0]);
    it.leave_stack(address)?;
    it.memory.free(address, it.pc).map_err(|fault| it.free_fault(fault, address))?;
    Ok(())
}

fn copy_memory(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    it.require_disjoint(it.get(site.args[0]), it.get(site.args[1]), it.get(site.args[2]))?;
    move_memory(it, site)
}

fn move_memory(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let (to, from, len) = (it.get(site.args[0]), it.get(site.args[1]), it.get(site.args[2]));
    if len == 0 {
        return Ok(());
    }
    it.memory.copy(from, to, len).map_err(|fault| {
        let at = if it.memory.bytes(from, len).is_err() { from } else { to };
        it.fault(fault, at, "copying")
    })
}

fn set_memory(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let (to, byte, len) = (it.get(site.args[0]), it.get_byte(site.args[1]), it.get(site.args[2]));
    it.memory.fill(to, len, byte).map_err(|fault| it.fault(fault, to, "filling"))
}

fn zero_memory(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let to = it.get(site.args[0]);
    let len = match site.types.first() {
        Some(&ty) => u64::from(it.info(ty)?.size),
        None => 0,
    };
    it.memory.fill(to, len, 0).map_err(|fault| it.fault(fault, to, "filling"))
}

/// Calls an initializer if its token is used for the first time.
fn once(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let (token, function) = (it.get(site.args[0]), it.get(site.args[1]));
    if it.runtime.once.insert(token, true).is_some() {
        return Ok(());
    }
    let context = site.args.get(2).map_or(0, |&slot| it.get(slot));
    it.call_code(function, &[&context.to_le_bytes()[..]], 0)?;
    Ok(())
}
