//! Deinitializer barriers: instructions that no deinitializer may be moved across.

use crate::BodyView;
use crate::access::{Scopes, StorageKind, accessed_addresses, find};
use silkit_ir::conventions::ApplySite;
use silkit_ir::effects::Effects;
use silkit_ir::info::ApplyKind;
use silkit_ir::{Behavior, Inst, Opcode};

impl BodyView<'_> {
    /// Returns true if a deinitializer that runs after an instruction must not run before it.
    ///
    /// That is so where the program could tell the difference: at synchronization, at loads of `weak` and `unowned`
    /// references, and at accesses to memory of which nothing is known. A call is what the functions are that it may
    /// reach; where these are not known, or no effects of one of them were computed, it is a barrier.
    pub fn is_deinit_barrier(&self, inst: Inst) -> bool {
        let body = self.body;
        if body.info(inst).apply != Some(ApplyKind::Full) {
            return may_be_barrier(&self.behavior(), self, inst);
        }
        let program = self.program;
        let callees = ApplySite::new(body, inst, self.addresses())
            .and_then(|site| program.callees(body, site.callee()));
        let is_barrier = |side: &crate::SideEffects| side.global.contains(Effects::DEINIT_BARRIER);
        callees.is_none_or(|callees| {
            callees.iter().any(|&callee| self.effects(callee).side.as_ref().is_none_or(is_barrier))
        })
    }
}

/// Returns true if a deinitializer must not run earlier than an instruction, what it calls aside.
pub(super) fn may_be_barrier(behavior: &Behavior<'_>, accesses: &BodyView<'_>, inst: Inst) -> bool {
    let calls = accesses.body.info(inst).apply == Some(ApplyKind::Full);
    behavior.may_load_weak_or_unowned(inst)
        || !calls && behavior.may_synchronize(inst)
        || may_access_pointer(behavior, accesses, inst)
}

/// Returns true if it may access memory of which nothing is known.
fn may_access_pointer(behavior: &Behavior<'_>, accesses: &BodyView<'_>, inst: Inst) -> bool {
    if !behavior.may_read_or_write(inst) {
        return false;
    }
    let body = accesses.body;
    body.inst(inst).opcode == Opcode::Builtin
        || accessed_addresses(accesses, inst).into_iter().any(|operand| {
            let address = body.operand(operand).value;
            let found = find(accesses, address, Scopes::Through);
            // Who else has the address of a global variable is not known either.
            found.is_none_or(|found| {
                matches!(found.storage.kind, StorageKind::Unidentified | StorageKind::Global(_))
            })
        })
}
