//! `strip-debug-info`: removes debug instructions.
//!
//! ```text
//! sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   debug_value %0, let, name "x"
//!   return %0
//! }
//! ---
//! sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   return %0
//! }
//! ```

use silkit_ir::{Inst, Opcode};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;

pub(super) const PASS: Pass<'static> = Pass::function("strip-debug-info", "Removes debug instructions", &run);

/// As in the reference, locations, scopes, `debug_step` and the variables of allocations are kept.
fn run(cx: &mut FunctionContext<'_>) {
    let should_remove = |&inst: &Inst| cx.body().inst(inst).opcode == Opcode::DebugValue;
    let to_remove: Vec<Inst> = cx.body().insts().filter(should_remove).collect();
    for inst in to_remove {
        if !cx.may_change() {
            return;
        }
        cx.edit().remove(inst);
        cx.count("instructions removed", 1);
    }
}
