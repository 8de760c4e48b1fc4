//! `strip-debug-info`: removes what only debuggers need.

use crate::context::FunctionContext;
use crate::pass::Pass;
use silkit_ir::{Inst, Opcode};

pub(super) const PASS: Pass<'static> =
    Pass::function("strip-debug-info", "Removes the instructions that only debuggers need", &run);

fn run(cx: &mut FunctionContext<'_>) {
    let doomed: Vec<Inst> = cx.body().insts().filter(|&i| is_debug(cx.body().inst(i).opcode)).collect();
    for inst in doomed {
        cx.edit().remove(inst);
        cx.count("instructions removed", 1);
    }
}

fn is_debug(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::DebugValue | Opcode::DebugStep)
}
