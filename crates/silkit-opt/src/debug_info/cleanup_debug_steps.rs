//! `cleanup-debug-steps`: removes `debug_step` instructions next to an instruction with the same location.
//!
//! A step is redundant if an adjacent instruction has the same location and scope and always generates machine code.
//! Instructions with the same location, or without a source location, may be in between.
//!
//! ```text
//! sil @f : $@convention(thin) (@in Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $*Builtin.Int64):
//!   debug_step , loc "a.swift":1:2
//!   debug_step , loc "a.swift":2:2
//!   %3 = load %0, loc "a.swift":2:2
//!   return %3
//! }
//! ---
//! sil @f : $@convention(thin) (@in Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $*Builtin.Int64):
//!   debug_step
//!   %2 = load %0
//!   return %2
//! }
//! ```

use silkit_ir::{Body, Inst, LocData, Opcode, SourceLoc};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;

pub(super) const PASS: Pass<'static> = Pass::function(
    "cleanup-debug-steps",
    "Removes debug steps next to instructions with the same location",
    &run,
)
.mandatory();

/// A sequence of instructions with the same location.
#[derive(Default)]
struct LocationRun {
    /// The location; `None` if it is not known.
    place: Option<(SourceLoc, u32)>,
    /// True if the debugger already stops there.
    has_stop: bool,
    /// A step that is redundant if an instruction follows at which the debugger stops.
    step: Option<Inst>,
}

fn run(cx: &mut FunctionContext<'_>) {
    let body = cx.body();
    if !body.insts().any(|inst| body.inst(inst).opcode == Opcode::DebugStep) {
        return;
    }
    let to_remove: Vec<Inst> = body
        .blocks()
        .flat_map(|block| {
            let mut run = LocationRun::default();
            body.block_insts(block).filter_map(move |inst| redundant_step(body, &mut run, inst))
        })
        .collect();
    for step in to_remove {
        if !cx.may_change() {
            return;
        }
        cx.edit().remove(step);
        cx.count("steps removed", 1);
    }
}

/// Adds an instruction to a sequence, and returns a step that becomes redundant.
fn redundant_step(body: &Body, run: &mut LocationRun, inst: Inst) -> Option<Inst> {
    let opcode = body.inst(inst).opcode;
    let is_step = opcode == Opcode::DebugStep;
    let place = body.loc(body.inst(inst).loc).map(|at| {
        let source = at.source.map(|source| SourceLoc { is_inlined: false, ..source });
        LocData { source, ..at }
    });
    match place {
        Some(LocData { source: Some(source), .. }) if is_nowhere(source) => return is_step.then_some(inst),
        // As in the reference, an instruction that may declare a variable ends the sequence.
        _ if matches!(opcode, Opcode::AllocStack | Opcode::AllocBox) => {
            *run = LocationRun::default();
            return None;
        }
        Some(LocData { source: Some(source), scope }) if run.place == Some((source, scope)) => {}
        _ => {
            let place = place.and_then(|at| Some((at.source?, at.scope)));
            *run = LocationRun { place, ..LocationRun::default() };
        }
    }
    if is_step && run.has_stop {
        Some(inst)
    } else if is_step {
        run.has_stop = true;
        run.step = Some(inst);
        None
    } else if has_stop(body, inst) {
        run.has_stop = true;
        run.step.take()
    } else {
        None
    }
}

/// Returns true if a location is not a source position where a debugger could stop.
fn is_nowhere(source: SourceLoc) -> bool {
    source.is_auto || source.file.is_none() || source.line == 0
}

/// Returns true if an instruction always generates machine code.
fn has_stop(body: &Body, inst: Inst) -> bool {
    body.is_terminator(inst)
        || body.info(inst).apply.is_some()
        || matches!(body.inst(inst).opcode, Opcode::Load | Opcode::Store)
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    /// Returns the number of steps that are left in a body.
    fn left(insts: &str) -> usize {
        let text = format!(
            "sil_stage canonical\nimport Builtin\nsil @g : $@convention(thin) () -> ()\n\
             sil @f : $@convention(thin) (@in Builtin.Int64) -> () {{\nbb0(%0 : $*Builtin.Int64):\n{insts}\n}}\n"
        );
        changed("cleanup-debug-steps", &[], &text).matches("debug_step").count()
    }

    const END: &str = "\n%r = tuple (), loc \"a\":9:9\nreturn %r, loc \"a\":9:9";

    #[test]
    fn steps_next_to_what_becomes_code_go() {
        let load = "%1 = load %0, loc \"a\":1:1\n";
        let step = "debug_step, loc \"a\":1:1\n";
        assert_eq!(left(&format!("{load}{step}{END}")), 0);
        assert_eq!(left(&format!("{step}{load}{END}")), 0);
        assert_eq!(left(&format!("{step}{step}{load}{END}")), 0);
        assert_eq!(left(&format!("{step}{step}{step}{END}")), 1);
        let call = "%2 = function_ref @g : $@convention(thin) () -> (), loc \"a\":1:1\n\
                    %3 = apply %2() : $@convention(thin) () -> (), loc \"a\":1:1\n";
        assert_eq!(left(&format!("{step}{call}{END}")), 0);
        assert_eq!(left("debug_step, loc \"a\":1:1\nunreachable, loc \"a\":1:1"), 0);
    }

    #[test]
    fn instructions_that_may_vanish_keep_steps() {
        let step = "debug_step, loc \"a\":1:1\n";
        let literal = "%1 = integer_literal $Builtin.Int64, 1, loc \"a\":1:1\n";
        assert_eq!(left(&format!("{step}{literal}{END}")), 1);
    }

    #[test]
    fn other_locations_part_steps_from_code() {
        let (load, step) = ("%1 = load %0, loc \"a\":1:1\n", "debug_step, loc \"a\":1:1\n");
        let other = "%2 = integer_literal $Builtin.Int64, 1, loc \"a\":2:1\n";
        assert_eq!(left(&format!("{load}{other}{step}{END}")), 1);
        assert_eq!(left(&format!("{step}{other}{load}{END}")), 1);
        let nowhere = "%2 = integer_literal $Builtin.Int64, 1, loc * \"a\":2:1\n";
        assert_eq!(left(&format!("{step}{nowhere}{load}{END}")), 0);
        let variable = "%2 = alloc_box ${ var Builtin.Int64 }, loc \"a\":1:1\n";
        assert_eq!(left(&format!("{step}{variable}{load}{END}")), 1);
        let unknown = "%2 = integer_literal $Builtin.Int64, 1\n";
        assert_eq!(left(&format!("{step}{unknown}{load}{END}")), 1);
    }

    #[test]
    fn steps_that_are_nowhere_go() {
        assert_eq!(left(&format!("debug_step, loc * \"a\":1:1\n{END}")), 0);
        assert_eq!(left(&format!("debug_step, loc \"<compiler-generated>\":0:0\n{END}")), 0);
    }
}
