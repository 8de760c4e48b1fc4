//! Builtins that state facts about their operands, and the preconditions of other builtins.

use super::BuiltinFn;
use crate::exec::sign_extend;
use crate::interp::Interp;
use crate::sites::BuiltinSite;
use crate::violation::{Run, unsupported};
use silkit_layout::{Builtin, TyKind};

pub(super) const BUILTINS: &[(&str, BuiltinFn)] =
    &[("assume", assume), ("assumeNonNegative", assume_non_negative), ("assumeAlignment", assume_alignment)];

/// Returns the least number of operands of a builtin that is executed by a function of the runtime.
pub(crate) fn least_operands(base: &str) -> usize {
    match base {
        "assume" | "assumeNonNegative" | "stackDealloc" | "getEnumTag" | "zeroInitializer" => 1,
        "addressOfRawLayout" | "convertTaskToJob" | "cancelAsyncTask" | "initializeDefaultActor" => 1,
        "buildDefaultActorExecutorRef" | "buildOrdinarySerialExecutorRef" => 1,
        "buildComplexEqualitySerialExecutorRef" | "buildOrdinaryTaskExecutorRef" => 1,
        "allocRaw" | "assumeAlignment" | "injectEnumTag" | "once" => 2,
        "resumeNonThrowingContinuationReturning" | "resumeThrowingContinuationReturning" => 2,
        "resumeThrowingContinuationThrowing" => 2,
        "deallocRaw" | "stackAlloc" | "unprotectedStackAlloc" | "onceWithContext" | "destroyArray" => 3,
        "int_memcpy" | "int_memmove" | "int_memset" => 3,
        "copyArray" | "takeArrayNoAlias" | "takeArrayFrontToBack" | "takeArrayBackToFront" => 4,
        "assignCopyArrayNoAlias" | "assignCopyArrayFrontToBack" => 4,
        "assignCopyArrayBackToFront" | "assignTakeArray" => 4,
        _ if base.starts_with("atomicload_") => 1,
        _ if base.starts_with("atomicstore_") || base.starts_with("atomicrmw_") => 2,
        _ if base.starts_with("cmpxchg_") => 3,
        _ => 0,
    }
}

/// Returns the width of the integer type that ends the name of a builtin.
fn width(site: &BuiltinSite) -> Run<u8> {
    match site.types.first().map(|t| t.kind()) {
        Some(TyKind::Builtin(Builtin::Int(bits @ 1..=128))) => Ok(*bits as u8),
        _ => unsupported(format!("the builtin `{}`", site.name)),
    }
}

fn assume(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let holds = it.get_byte(site.args[0]) & 1 != 0;
    it.require(holds, || "an assumption is false".to_owned())
}

fn assume_non_negative(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let bits = width(site)?;
    let value = it.get_wide(site.args[0], bits);
    let signed = sign_extend(value, bits);
    it.require(signed >= 0, || format!("{signed} is assumed not to be negative"))?;
    it.set_wide(site.to, bits, value);
    Ok(())
}

fn assume_alignment(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let (pointer, align) = (it.get(site.args[0]), it.get(site.args[1]));
    let holds = align.is_power_of_two() && pointer & (align - 1) == 0;
    it.require(holds, || format!("the address {pointer:#x} is assumed to be a multiple of {align}"))?;
    it.set(site.to, pointer);
    Ok(())
}

/// Checks that the first operand is not zero if the second is true.
pub(crate) fn nonzero_if(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let bits = width(site)?;
    let excluded = it.get_byte(site.args[1]) & 1 != 0;
    let is_zero = it.get_wide(site.args[0], bits) == 0;
    it.require(!(excluded && is_zero), || {
        format!("`{}` of zero, which its second operand excludes", site.name)
    })
}
