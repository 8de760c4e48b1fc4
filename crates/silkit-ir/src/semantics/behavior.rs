//! Memory, reference-count and ordering behavior of instructions.
//!
//! Properties that all instances of a kind share are in the instruction table; this module computes those that depend
//! on the instance.

use crate::attributes::EffectsKind;
use crate::body::{Body, Inst};
use crate::generated::Opcode;
use crate::info::{AddressUse, ApplyKind, BuiltinInfo, MemoryBehavior};
use crate::instructions::{Builtin, Load, LoadQualifier};
use crate::module::{Function, Module};
use crate::release::Release;
use silkit_base::Symbol;
use silkit_types::SilType;

/// Lookup of functions by name, for the attributes and effects of callees.
pub trait FunctionLookup: Sync {
    /// Returns the function with this name.
    fn function(&self, name: Symbol) -> Option<&Function>;

    /// Returns the release of Swift whose rules hold, where releases differ.
    fn release(&self) -> Release {
        Release::V6_2
    }
}

impl FunctionLookup for Module {
    fn function(&self, name: Symbol) -> Option<&Function> {
        self.functions.by_key(&name)
    }
}

/// A lookup that knows no functions.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFunctions;

impl FunctionLookup for NoFunctions {
    fn function(&self, _: Symbol) -> Option<&Function> {
        None
    }
}

impl MemoryBehavior {
    /// Returns true if the instruction may read memory.
    pub fn may_read(self) -> bool {
        matches!(self, Self::MayRead | Self::MayReadWrite | Self::MayHaveSideEffects)
    }

    /// Returns true if the instruction may write to memory.
    pub fn may_write(self) -> bool {
        matches!(self, Self::MayWrite | Self::MayReadWrite | Self::MayHaveSideEffects)
    }
}

/// The behavior of the instructions of a body.
#[derive(Clone, Copy)]
pub struct Behavior<'a> {
    body: &'a Body,
    functions: &'a dyn FunctionLookup,
}

impl std::fmt::Debug for Behavior<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Behavior").finish_non_exhaustive()
    }
}

impl<'a> Behavior<'a> {
    /// Creates the behavior of the instructions of a body. Callees are looked up in `functions`.
    pub fn new(body: &'a Body, functions: &'a dyn FunctionLookup) -> Self {
        Self { body, functions }
    }

    /// Returns the body.
    pub fn body(&self) -> &'a Body {
        self.body
    }

    /// Returns the memory behavior of an instruction.
    pub fn memory(&self, inst: Inst) -> MemoryBehavior {
        let info = self.body.info(inst);
        if !info.memory_depends_on_instance {
            return info.memory;
        }
        match self.body.inst(inst).opcode {
            Opcode::Load => load(self.body, inst),
            Opcode::Store => store(self.body, inst),
            Opcode::Builtin => builtin(self.body, inst),
            Opcode::MarkDependence => mark_dependence(self.body, inst),
            _ if info.apply == Some(ApplyKind::Full) => self.call(inst),
            _ => info.memory,
        }
    }

    /// Returns the memory behavior of a call: none if the callee is known not to access memory.
    fn call(&self, inst: Inst) -> MemoryBehavior {
        let callee = self.body.called_function(inst).and_then(|name| self.functions.function(name));
        match callee.and_then(|callee| callee.attributes.effects) {
            Some(EffectsKind::ReadNone) => MemoryBehavior::None,
            _ => self.body.info(inst).memory,
        }
    }

    /// Returns true if an instruction may read memory.
    pub fn may_read(&self, inst: Inst) -> bool {
        self.memory(inst).may_read()
    }

    /// Returns true if an instruction may write to memory.
    pub fn may_write(&self, inst: Inst) -> bool {
        self.memory(inst).may_write()
    }

    /// Returns true if an instruction may read or write memory.
    pub fn may_read_or_write(&self, inst: Inst) -> bool {
        self.memory(inst) != MemoryBehavior::None
    }

    /// Returns true if an instruction may trap.
    ///
    /// Only checked casts that trap on failure are included; the others branch or return an optional value.
    pub fn may_trap(&self, inst: Inst) -> bool {
        self.body.info(inst).may_trap
    }

    /// Returns true if an instruction may have side effects, so that it must be kept even if its results are unused.
    pub fn may_have_side_effects(&self, inst: Inst) -> bool {
        self.may_trap(inst) || self.may_write(inst)
    }

    /// Returns true if an instruction may release a reference, which can run any deinitializer.
    pub fn may_release(&self, inst: Inst) -> bool {
        let body = self.body;
        if !body.info(inst).may_release {
            return false;
        }
        match body.inst(inst).opcode {
            // These end lifetimes or suspend the function without releasing anything.
            Opcode::EndLifetime
            | Opcode::GetAsyncContinuation
            | Opcode::GetAsyncContinuationAddr
            | Opcode::AwaitAsyncContinuation => false,
            Opcode::Store | Opcode::CopyAddr | Opcode::ExplicitCopyAddr | Opcode::TupleAddrConstructor => {
                assigns(body, inst)
            }
            Opcode::Builtin => self.may_have_side_effects(inst) && builtin_may_release(body, inst),
            Opcode::UncheckedOwnershipConversion => body.info(inst).may_release_in(self.functions.release()),
            _ => true,
        }
    }

    /// Returns true if an instruction may load a `weak` or `unowned` reference, and so observe whether an object is
    /// still alive.
    pub fn may_load_weak_or_unowned(&self, inst: Inst) -> bool {
        match self.body.inst(inst).opcode {
            Opcode::Builtin => self.may_read_or_write(inst),
            Opcode::LoadWeak
            | Opcode::LoadUnowned
            | Opcode::StrongCopyUnownedValue
            | Opcode::StrongCopyUnmanagedValue => true,
            _ => false,
        }
    }

    /// Returns true if an instruction may be a synchronization point: a memory barrier, a lock or a system call.
    pub fn may_synchronize(&self, inst: Inst) -> bool {
        match self.body.inst(inst).opcode {
            Opcode::Builtin => self.may_read_or_write(inst),
            Opcode::EndApply | Opcode::AbortApply | Opcode::HopToExecutor => true,
            _ => self.body.info(inst).apply == Some(ApplyKind::Full),
        }
    }
}

/// Returns the memory behavior of a load: a take leaves the memory uninitialized, a copy retains the loaded value.
fn load(body: &Body, inst: Inst) -> MemoryBehavior {
    match body.view_as::<Load>(inst).and_then(|load| load.qualifier) {
        Some(LoadQualifier::Take) => MemoryBehavior::MayReadWrite,
        Some(LoadQualifier::Copy) => MemoryBehavior::MayHaveSideEffects,
        Some(LoadQualifier::Trivial) | None => MemoryBehavior::MayRead,
    }
}

/// Returns the memory behavior of a store: an assignment releases the old value.
fn store(body: &Body, inst: Inst) -> MemoryBehavior {
    match assigns(body, inst) {
        true => MemoryBehavior::MayHaveSideEffects,
        false => MemoryBehavior::MayWrite,
    }
}

/// Returns true if an instruction destroys the old value in memory and replaces it.
fn assigns(body: &Body, inst: Inst) -> bool {
    body.uses_address(inst, |using| using == AddressUse::Assign)
}

/// Returns the memory behavior of a `mark_dependence`: a value that depends on memory must not be used after the
/// memory was written.
fn mark_dependence(body: &Body, inst: Inst) -> MemoryBehavior {
    let base = body.operands(inst).get(1).map(|base| body.value(base.value).ty);
    if base.is_some_and(SilType::is_address) { MemoryBehavior::MayRead } else { MemoryBehavior::None }
}

/// Returns the memory behavior of a builtin from its table row; for an LLVM intrinsic, from the attributes that LLVM
/// declares for it.
fn builtin(body: &Body, inst: Inst) -> MemoryBehavior {
    let Some(Builtin { name, .. }) = body.view_as(inst) else { return MemoryBehavior::MayHaveSideEffects };
    match BuiltinInfo::find(name.as_str()) {
        // It marks where an error is thrown and reads the error.
        Some(known) if known.id == "WillThrow" => MemoryBehavior::MayRead,
        // It either returns a value or writes to the address operand.
        Some(known) if known.id == "ZeroInitializer" && !body.operands(inst).is_empty() => {
            MemoryBehavior::MayWrite
        }
        Some(known) if known.reads_and_writes => MemoryBehavior::MayHaveSideEffects,
        Some(_) => MemoryBehavior::None,
        None if intrinsic(name.as_str()).is_some_and(only_computes) => MemoryBehavior::MayRead,
        None => MemoryBehavior::MayHaveSideEffects,
    }
}

/// Returns true if a builtin with side effects may release a reference.
fn builtin_may_release(body: &Body, inst: Inst) -> bool {
    let Some(Builtin { name, .. }) = body.view_as(inst) else { return true };
    match BuiltinInfo::find(name.as_str()) {
        Some(known) => known.id != "CopyArray",
        None => !intrinsic(name.as_str())
            .is_some_and(|name| ["memcpy", "memmove", "memset"].iter().any(|i| is_named(name, i))),
    }
}

/// Returns the name of an LLVM intrinsic, `sqrt_FPIEEE64` of `int_sqrt_FPIEEE64`.
fn intrinsic(builtin: &str) -> Option<&str> {
    builtin.strip_prefix("int_")
}

/// Returns true if `name` is `intrinsic`, ignoring type suffixes.
fn is_named(name: &str, intrinsic: &str) -> bool {
    name.strip_prefix(intrinsic).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// Returns true if LLVM declares that an intrinsic does not write to memory and does not unwind.
///
/// The reference treats an intrinsic without memory access as one that reads memory; so does this function.
fn only_computes(name: &str) -> bool {
    PURE_INTRINSICS.iter().any(|pure| is_named(name, pure))
}

/// The intrinsics for [`only_computes`], without type suffixes.
const PURE_INTRINSICS: &[&str] = &[
    "abs",
    "acos",
    "addressofreturnaddress",
    "arithmetic_fence",
    "asin",
    "atan",
    "bitreverse",
    "bswap",
    "canonicalize",
    "ceil",
    "convert_from_fp16",
    "convert_to_fp16",
    "copysign",
    "cos",
    "cosh",
    "ctlz",
    "ctpop",
    "cttz",
    "donothing",
    "eh_typeid_for",
    "exp",
    "exp10",
    "exp2",
    "expect",
    "fabs",
    "floor",
    "fma",
    "fmuladd",
    "fptosi_sat",
    "fptoui_sat",
    "frameaddress",
    "frexp",
    "fshl",
    "fshr",
    "get_active_lane_mask",
    "is_constant",
    "is_fpclass",
    "ldexp",
    "llrint",
    "llround",
    "load_relative",
    "localrecover",
    "log",
    "log10",
    "log2",
    "lrint",
    "lround",
    "masked_load",
    "matrix_multiply",
    "matrix_transpose",
    "maximum",
    "maxnum",
    "minimum",
    "minnum",
    "nearbyint",
    "objectsize",
    "pow",
    "powi",
    "ptrmask",
    "returnaddress",
    "rint",
    "round",
    "roundeven",
    "sadd_sat",
    "sadd_with_overflow",
    "sdiv_fix",
    "sdiv_fix_sat",
    "sin",
    "sinh",
    "smax",
    "smin",
    "smul_fix",
    "smul_fix_sat",
    "smul_with_overflow",
    "sponentry",
    "sqrt",
    "sshl_sat",
    "ssub_sat",
    "ssub_with_overflow",
    "strip_invariant_group",
    "tan",
    "tanh",
    "threadlocal_address",
    "trunc",
    "uadd_sat",
    "uadd_with_overflow",
    "udiv_fix",
    "umax",
    "umin",
    "umul_fix",
    "umul_with_overflow",
    "ushl_sat",
    "usub_sat",
    "usub_with_overflow",
    "vector_extract",
    "vector_insert",
    "vector_reduce",
    "vscale",
];
