//! Removes a lazy initialization without side effects.
//!
//! ```text
//! %1 = function_ref @init : $@convention(c) () -> ()    // has no effects
//! %2 = builtin "once"(%0, %1) : $Builtin.SILToken
//! %3 = global_addr @g : $*Int depends_on %2
//! ---
//! %3 = global_addr @g : $*Int
//! ```

use super::full_name;
use silkit_ir::instructions::FunctionRef;
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::Rewriter;

pub(super) fn remove(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    if full_name(body, inst) != "once" || body.operands(inst).len() < 2 {
        return;
    }
    let Some(FunctionRef { function, .. }) = body.def_as(body.operand_value(inst, 1)) else { return };
    let Some(token) = body.first_result(inst) else { return };
    let users: Vec<Inst> = body.users(token).collect();
    let are_globals = users.iter().all(|&user| rw.is(user, Opcode::GlobalAddr));
    if !are_globals || !is_without_effects(rw, function) || !rw.may_change() {
        return;
    }
    for user in users {
        rw.edit().set_operands(user, &[&[]]);
    }
    rw.remove(inst);
}

/// Returns true if no instruction of an initializer has side effects. Computed effects are not available here.
fn is_without_effects(rw: &Rewriter<'_, '_>, function: silkit_base::Symbol) -> bool {
    let Some(view) = rw.program().function_id(function).and_then(|id| rw.program().body_view(id)) else {
        return false;
    };
    let behavior = view.behavior();
    view.body.insts().all(|inst| {
        matches!(view.body.inst(inst).opcode, Opcode::DebugStep | Opcode::DebugValue)
            || view.body.is_function_exit(inst)
            || !behavior.may_read_or_write(inst)
    })
}
