//! `optimize-hop-to-executor`: removes hops to the current executor, and hops that no instruction needs before the
//! next hop.
//!
//! Async callees hop themselves, and may return on any executor.
//!
//! ```text
//! sil @g : $@convention(thin) @async () -> ()
//! sil [ossa] @f : $@convention(thin) @async (@inout Builtin.Int64, Builtin.Int64, Builtin.Executor) -> () {
//! bb0(%0 : $*Builtin.Int64, %1 : $Builtin.Int64, %2 : $Builtin.Executor):
//!   hop_to_executor %2
//!   store %1 to [trivial] %0
//!   hop_to_executor %2
//!   store %1 to [trivial] %0
//!   hop_to_executor %2
//!   %8 = function_ref @g : $@convention(thin) @async () -> ()
//!   %9 = apply %8() : $@convention(thin) @async () -> ()
//!   hop_to_executor %2
//!   return %9
//! }
//! ---
//! sil @g : $@convention(thin) @async () -> ()
//! sil [ossa] @f : $@convention(thin) @async (@inout Builtin.Int64, Builtin.Int64, Builtin.Executor) -> () {
//! bb0(%0 : $*Builtin.Int64, %1 : $Builtin.Int64, %2 : $Builtin.Executor):
//!   hop_to_executor %2
//!   store %1 to [trivial] %0
//!   store %1 to [trivial] %0
//!   %6 = function_ref @g : $@convention(thin) @async () -> ()
//!   %7 = apply %6() : $@convention(thin) @async () -> ()
//!   return %7
//! }
//! ```
//!
//! Both data flows reach a fixpoint in a few rounds over the blocks: a state changes at most twice.

use silkit_analysis::BodyView;
use silkit_base::FxHashMap;
use silkit_ir::instructions::{AllocStack, AnyInst, HopToExecutor};
use silkit_ir::{Block, Inst, Opcode, Value};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_types::{FnFlags, FunctionType, SilType};

pub(super) const PASS: Pass<'static> =
    Pass::function("optimize-hop-to-executor", "Removes redundant `hop_to_executor` instructions", &run)
        .mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let is_async = |ty: &FunctionType| ty.flags.contains(FnFlags::ASYNC);
    if !cx.function().ty.ty().as_function().is_some_and(is_async) {
        return;
    }
    if !cx.body().insts().any(|inst| cx.body().inst(inst).opcode == Opcode::HopToExecutor) {
        return;
    }
    for find in [redundant, dead] {
        for hop in find(&cx.view()) {
            if !cx.may_change() {
                return;
            }
            cx.edit().remove(hop);
            cx.count("hops removed", 1);
        }
    }
}

/// Returns the executor that an instruction hops to.
fn target(view: &BodyView<'_>, inst: Inst) -> Option<Value> {
    view.body.view_as::<HopToExecutor>(inst).map(|hop| hop.operand)
}

/// Returns true for a hop that is not mandatory.
fn may_go(view: &BodyView<'_>, inst: Inst) -> bool {
    view.body.view_as::<HopToExecutor>(inst).is_some_and(|hop| !hop.mandatory)
}

/// Returns true if the function may be suspended at an instruction and resumed on another executor.
fn suspends(view: &BodyView<'_>, inst: Inst) -> bool {
    let is_async = |ty: SilType| ty.ty().as_function().is_some_and(|ty| ty.flags.contains(FnFlags::ASYNC));
    match view.body.view(inst) {
        AnyInst::Apply(call) => is_async(call.ty),
        AnyInst::TryApply(call) => is_async(call.ty),
        AnyInst::BeginApply(call) => is_async(call.ty),
        AnyInst::AwaitAsyncContinuation(_) => true,
        _ => false,
    }
}

/// The current executor at a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Executor {
    Of(Value),
    Any,
}

/// Returns the hops to the current executor.
fn redundant(view: &BodyView<'_>) -> Vec<Inst> {
    let body = view.body;
    let order = body.reverse_postorder();
    let mut at_end: FxHashMap<Block, Executor> = FxHashMap::default();
    let at_start = |at_end: &FxHashMap<Block, Executor>, block: Block| {
        let mut known = body.predecessors(block).filter_map(|from| at_end.get(&from).copied());
        let first = known.next().filter(|_| !body.is_entry_block(block)).unwrap_or(Executor::Any);
        if known.all(|other| other == first) { first } else { Executor::Any }
    };
    let after = |executor: Executor, inst: Inst| match target(view, inst) {
        Some(value) => Executor::Of(value),
        None if suspends(view, inst) => Executor::Any,
        None => executor,
    };
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for &block in &order {
            let end = body.block_insts(block).fold(at_start(&at_end, block), after);
            has_changed |= at_end.insert(block, end) != Some(end);
        }
    }
    let mut found = Vec::new();
    for &block in &order {
        let mut executor = at_start(&at_end, block);
        for inst in body.block_insts(block) {
            if may_go(view, inst) && target(view, inst).is_some_and(|value| executor == Executor::Of(value)) {
                found.push(inst);
            }
            executor = after(executor, inst);
        }
    }
    found
}

/// Returns the hops after which no instruction needs the executor before the next hop.
fn dead(view: &BodyView<'_>) -> Vec<Inst> {
    let body = view.body;
    let mut order = body.reverse_postorder();
    order.reverse();
    let before = |is_needed: bool, inst: Inst| {
        if target(view, inst).is_some() || suspends(view, inst) {
            return false;
        }
        is_needed || needs_executor(view, inst)
    };
    let mut at_start: FxHashMap<Block, bool> = FxHashMap::default();
    let at_end = |at_start: &FxHashMap<Block, bool>, block: Block| {
        body.block_successors(block).any(|next| at_start.get(&next).copied().unwrap_or(false))
    };
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for &block in &order {
            let start = body.block_insts(block).rev().fold(at_end(&at_start, block), before);
            has_changed |= at_start.insert(block, start) != Some(start);
        }
    }
    let mut found = Vec::new();
    for &block in &order {
        let mut is_needed = at_end(&at_start, block);
        for inst in body.block_insts(block).rev() {
            if may_go(view, inst) && !is_needed {
                found.push(inst);
            }
            is_needed = before(is_needed, inst);
        }
    }
    found
}

/// Returns true if an instruction may access memory that is visible to other code.
fn needs_executor(view: &BodyView<'_>, inst: Inst) -> bool {
    match view.body.view(inst) {
        AnyInst::Load(load) => !is_on_stack(view, load.address),
        AnyInst::Store(store) => !is_on_stack(view, store.destination),
        AnyInst::CopyAddr(copy) => !is_on_stack(view, copy.source) || !is_on_stack(view, copy.destination),
        AnyInst::BeginBorrow(_) | AnyInst::EndBorrow(_) | AnyInst::DebugValue(_) | AnyInst::DebugStep(_) => {
            false
        }
        _ => view.behavior().may_read_or_write(inst),
    }
}

/// Returns true if an address is derived from a stack allocation, possibly through a pointer.
fn is_on_stack(view: &BodyView<'_>, address: Value) -> bool {
    use Opcode as O;
    let follows = |opcode| {
        matches!(
            opcode,
            O::PointerToAddress
                | O::AddressToPointer
                | O::UncheckedAddrCast
                | O::BeginAccess
                | O::StructElementAddr
                | O::TupleElementAddr
                | O::MarkDependence
        )
    };
    view.body.def_as::<AllocStack>(view.body.look_through(address, follows)).is_some()
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    /// Returns the hops and stores that are left in a body with two executors, memory and a condition.
    fn left(insts: &str) -> Vec<String> {
        let text = format!(
            "sil_stage canonical\nimport Builtin\nimport Swift\n\
             sil @g : $@convention(thin) @async () -> ()\nsil @h : $@convention(thin) () -> (@error any Error)\n\
             sil [ossa] @f : $@convention(thin) @async (Builtin.Executor, Builtin.Executor, @inout Builtin.Int64, \
             Builtin.Int1, Builtin.Int64) -> () {{\nbb0(%0 : $Builtin.Executor, %1 : $Builtin.Executor, \
             %2 : $*Builtin.Int64, %3 : $Builtin.Int1, %4 : $Builtin.Int64):\n{insts}\n%r = tuple ()\nreturn %r\n}}\n"
        );
        let text = changed("optimize-hop-to-executor", &[], &text);
        let lines = text.lines().map(str::trim);
        lines.filter(|l| l.starts_with("hop_to") || l.starts_with("store")).map(str::to_owned).collect()
    }

    const STORE: &str = "store %4 to [trivial] %2\n";
    const CALL: &str = "%c = function_ref @g : $@convention(thin) @async () -> ()\n\
        %d = apply %c() : $@convention(thin) @async () -> ()\n";

    #[test]
    fn calls_may_come_back_elsewhere() {
        let text = left(&format!("hop_to_executor %0\n{STORE}{CALL}hop_to_executor %0\n{STORE}"));
        assert_eq!(text.iter().filter(|line| line.starts_with("hop")).count(), 2, "{text:?}");
    }

    #[test]
    fn paths_from_different_executors_meet_anywhere() {
        let other = |executor| {
            left(&format!(
                "cond_br %3, bb1, bb2\nbb1:\nhop_to_executor %0\n{STORE}br bb3\n\
                 bb2:\nhop_to_executor %{executor}\n{STORE}br bb3\nbb3:\nhop_to_executor %0\n{STORE}"
            ))
        };
        assert_eq!(other(0).iter().filter(|line| line.starts_with("hop")).count(), 2);
        assert_eq!(other(1).iter().filter(|line| line.starts_with("hop")).count(), 3);
    }

    #[test]
    fn loops_are_followed() {
        let text = left(&format!(
            "hop_to_executor %0\nbr bb1\nbb1:\nhop_to_executor %0\n{STORE}cond_br %3, bb1, bb2\nbb2:"
        ));
        assert_eq!(text.len(), 2, "{text:?}");
    }

    #[test]
    fn mandatory_hops_stay() {
        let hops = "hop_to_executor [mandatory] %0\nhop_to_executor [mandatory] %0";
        assert_eq!(left(hops).len(), 2);
        let text = left(&format!(
            "hop_to_executor %0\n{STORE}hop_to_executor [mandatory] %0\nhop_to_executor %0\n{STORE}"
        ));
        assert_eq!(text.iter().filter(|line| line.starts_with("hop")).count(), 2, "{text:?}");
    }

    #[test]
    fn what_nothing_needs_goes() {
        assert!(left("hop_to_executor %0\n%5 = integer_literal $Builtin.Int64, 1").is_empty());
        let slot = "%5 = alloc_stack $Builtin.Int64\nhop_to_executor %0\nstore %4 to [trivial] %5\n";
        let text = left(&format!("{slot}hop_to_executor %1\ndealloc_stack %5"));
        assert_eq!(text, ["store %4 to [trivial] %5", "hop_to_executor %1"]);
        let text = left(
            "hop_to_executor %0\n%5 = function_ref @h : $@convention(thin) () -> (@error any Error)\n\
             try_apply %5() : $@convention(thin) () -> (@error any Error), normal bb1, error bb2\n\
             bb2(%7 : @owned $any Error):\nunreachable\nbb1(%8 : $()):",
        );
        assert_eq!(text, ["hop_to_executor %0"]);
    }
}
