//! The runtime effects of instructions.
//!
//! These are the effects that `@_noAllocation` and `@_noLocks` forbid. The column `runtime` of the instruction table
//! and of the builtin table gives the effects that some instance may have; [`Behavior::runtime`] gives those of one
//! instance.

use crate::body::{Body, Inst};
use crate::generated::Opcode;
use crate::info::{AddressUse, BuiltinInfo, RuntimeEffects};
use crate::instructions::{
    AccessEnforcement, AllocRef, AllocRefDynamic, BeginAccess, BeginUnpairedAccess, Builtin,
    ExistentialAccess, Load, LoadQualifier, OpenExistentialAddr, PartialApply,
};
use crate::semantics::behavior::Behavior;
use silkit_types::{MetatypeRepr, TypeKind};

impl Behavior<'_> {
    /// Returns the runtime effects of an instruction itself, without those of its callees.
    pub fn runtime(&self, inst: Inst) -> RuntimeEffects {
        use RuntimeEffects as R;
        let body = self.body();
        let row = body.info(inst);
        let mut effects = row.runtime;
        effects.set(R::TRAP, row.may_trap);
        // The table gives an upper bound; the cases below are instances with fewer effects.
        effects
            - match body.inst(inst).opcode {
                Opcode::Builtin => return builtin(body, inst),
                Opcode::AllocRef if body.view_as::<AllocRef>(inst).is_some_and(|a| a.stack) => R::ALLOCATE,
                Opcode::AllocRefDynamic if body.view_as::<AllocRefDynamic>(inst).is_some_and(|a| a.stack) => {
                    R::ALLOCATE
                }
                // A closure without captures has no context.
                Opcode::PartialApply => match body.view_as::<PartialApply>(inst) {
                    Some(closure) if closure.on_stack || closure.args.iter().next().is_none() => R::ALLOCATE,
                    _ => R::empty(),
                },
                // A shared value is copied before mutation.
                Opcode::OpenExistentialAddr => match body.view_as::<OpenExistentialAddr>(inst) {
                    Some(open) if open.access != ExistentialAccess::MutableAccess => R::ALLOCATE,
                    _ => R::empty(),
                },
                Opcode::Load => match body.view_as::<Load>(inst) {
                    Some(load) if load.qualifier != Some(LoadQualifier::Copy) => R::COUNT,
                    _ => R::empty(),
                },
                Opcode::Store if !self.may_release(inst) => R::COUNT | R::RELEASE,
                Opcode::CopyAddr | Opcode::ExplicitCopyAddr => {
                    let takes = body.uses_address(inst, |using| using == AddressUse::Take);
                    copied(takes, self.may_release(inst))
                }
                Opcode::TupleAddrConstructor if !self.may_release(inst) => R::COUNT | R::RELEASE,
                Opcode::BeginAccess => {
                    checked(body.view_as::<BeginAccess>(inst).map(|access| access.enforcement))
                }
                Opcode::BeginUnpairedAccess => {
                    checked(body.view_as::<BeginUnpairedAccess>(inst).map(|access| access.enforcement))
                }
                Opcode::Metatype if is_thin_metatype(body, inst) => R::METADATA,
                _ => R::empty(),
            }
    }
}

/// Returns the runtime effects that a copy lacks because it takes the source or has no old value to release.
fn copied(takes: bool, releases: bool) -> RuntimeEffects {
    let mut less = RuntimeEffects::empty();
    less.set(RuntimeEffects::RELEASE, !releases);
    less.set(RuntimeEffects::COUNT, takes && !releases);
    less
}

/// Returns the runtime effects that an access lacks because it is not dynamically enforced.
fn checked(enforcement: Option<AccessEnforcement>) -> RuntimeEffects {
    match enforcement {
        Some(AccessEnforcement::Static | AccessEnforcement::Unsafe | AccessEnforcement::Signed) => {
            RuntimeEffects::EXCLUSIVITY
        }
        _ => RuntimeEffects::empty(),
    }
}

fn is_thin_metatype(body: &Body, inst: Inst) -> bool {
    let ty = body.first_result(inst).map(|value| body.value(value).ty.ty());
    ty.is_some_and(|ty| matches!(ty.kind(), TypeKind::Metatype(MetatypeRepr::Thin, _)))
}

fn builtin(body: &Body, inst: Inst) -> RuntimeEffects {
    let Some(Builtin { name, .. }) = body.view_as(inst) else { return RuntimeEffects::empty() };
    match BuiltinInfo::find(name.as_str()) {
        Some(known) => known.runtime,
        None if matches!(name.as_str(), "int_trap" | "int_debugtrap" | "int_ubsantrap") => {
            RuntimeEffects::TRAP
        }
        None => RuntimeEffects::empty(),
    }
}
