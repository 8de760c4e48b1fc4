//! Deinit barriers: instructions that destroys must not be moved across.

use crate::BodyView;
use crate::access::{AccessScopes, StorageKind, accessed_addresses, find};
use silkit_ir::conventions::ApplySite;
use silkit_ir::effects::Effects;
use silkit_ir::info::ApplyKind;
use silkit_ir::{Behavior, Inst, Opcode};

impl BodyView<'_> {
    /// Returns true if an instruction is a deinit barrier: a deinitializer that runs after it must not run before it.
    ///
    /// These are the instructions for which the program could observe the difference: synchronization points, loads
    /// of `weak` and `unowned` references, and accesses to unidentified memory. A call is a barrier if a possible
    /// callee is one, or if the callees or their effects are not known.
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

/// Returns true if an instruction itself is a deinit barrier, without its callees.
pub(super) fn may_be_barrier(behavior: &Behavior<'_>, accesses: &BodyView<'_>, inst: Inst) -> bool {
    let calls = accesses.body.info(inst).apply == Some(ApplyKind::Full);
    behavior.may_load_weak_or_unowned(inst)
        || !calls && behavior.may_synchronize(inst)
        || may_access_pointer(behavior, accesses, inst)
}

/// Returns true if an instruction may access unidentified memory.
fn may_access_pointer(behavior: &Behavior<'_>, accesses: &BodyView<'_>, inst: Inst) -> bool {
    if !behavior.may_read_or_write(inst) {
        return false;
    }
    let body = accesses.body;
    body.inst(inst).opcode == Opcode::Builtin
        || accessed_addresses(accesses, inst).into_iter().any(|operand| {
            let address = body.operand(operand).value;
            let found = find(accesses, address, AccessScopes::Through);
            // The address of a global variable may be known elsewhere.
            found.is_none_or(|found| {
                matches!(found.storage.kind, StorageKind::Unidentified | StorageKind::Global(_))
            })
        })
}
