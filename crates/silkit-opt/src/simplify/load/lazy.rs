//! The values of global variables that are initialized lazily, by a function that has no other effects.
//!
//! ```text
//! sil [global_init_once_fn] @init : $@convention(c) () -> () {
//! bb0:
//!   alloc_global @g
//!   %1 = global_addr @g : $*C
//!   %2 = global_value @object : $C
//!   store %2 to %1
//! ```

use super::constant::{Constant, may_be_copied};
use silkit_base::Symbol;
use silkit_ir::instructions::{AllocGlobal, Builtin, FunctionRef, GlobalAddr, Store};
use silkit_ir::{Body, Opcode, Value};
use silkit_transform::patterns::Rewriter;

/// Returns the value that the initialization with a token stores to a global variable.
pub(super) fn initial_value<'a>(rw: &Rewriter<'_, 'a>, global: Symbol, token: Value) -> Option<Constant<'a>> {
    let once = rw.body().defining_inst(token)?;
    let is_once = rw.body().view_as::<Builtin>(once).is_some_and(|builtin| builtin.name.as_str() == "once");
    if !is_once || rw.body().operands(once).len() < 2 {
        return None;
    }
    let FunctionRef { function, .. } = rw.body().def_as(rw.body().operand_value(once, 1))?;
    let body = rw.program().body_view(rw.program().function_id(function)?)?.body;
    Some(Constant { body, value: stored_value(body, global)? })
}

/// Returns the value that an initializer stores to a global variable, if it has no other effects.
fn stored_value(body: &Body, global: Symbol) -> Option<Value> {
    let (mut stored, mut is_allocated) = (None, false);
    for inst in body.insts() {
        match body.inst(inst).opcode {
            Opcode::Store => {
                let Store { source, destination, .. } = body.view_as(inst)?;
                let address = body.def_as::<GlobalAddr>(destination)?;
                if address.global != global || stored.replace(source).is_some() {
                    return None;
                }
            }
            Opcode::AllocGlobal => {
                let alloc: AllocGlobal = body.view_as(inst)?;
                // As in the reference, a second one means that the value is not known.
                if alloc.global != global || is_allocated {
                    return None;
                }
                is_allocated = true;
            }
            Opcode::BeginAccess
            | Opcode::EndAccess
            | Opcode::DebugStep
            | Opcode::DebugValue
            | Opcode::Return => {}
            opcode if may_be_copied(opcode) => {}
            _ => return None,
        }
    }
    stored.filter(|_| is_allocated)
}
