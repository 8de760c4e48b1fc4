//! `lower-hop-to-actor`: lowers the operands of `hop_to_executor`, and the results of `extract_executor`, from actors
//! to executors.
//!
//! The executor is computed once for each actor, at the first instruction that dominates the others.
//!
//! ```text
//! actor A {}
//! sil [ossa] @f : $@convention(thin) @async (@guaranteed A) -> () {
//! bb0(%0 : @guaranteed $A):
//!   hop_to_executor %0
//!   hop_to_executor %0
//!   %3 = tuple ()
//!   return %3
//! }
//! ---
//! sil [ossa] @f : $@convention(thin) @async (@guaranteed A) -> () {
//! bb0(%0 : @guaranteed $A):
//!   %1 = builtin "buildDefaultActorExecutorRef"<A>(%0) : $Builtin.Executor
//!   %2 = enum $Optional<Builtin.Executor>, #Optional.some!enumelt, %1
//!   %3 = mark_dependence %2 on %0
//!   hop_to_executor %3
//!   hop_to_executor %3
//!   %6 = tuple ()
//!   return %6
//! }
//! ```
//!
//! Actors that are not known to have the default executor are asked for their `unownedExecutor`; optional actors are
//! tested with `switch_enum`. Every instruction is visited once, in an order in which dominating blocks come first.

use super::actor_executors::Executors;
use silkit_analysis::Dominators;
use silkit_base::FxHashMap;
use silkit_ir::instructions::{AnyInst, ExtractExecutor, HopToExecutor};
use silkit_ir::{Block, Inst, Opcode, Value};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_types::TypeKind;

pub(super) const PASS: Pass<'static> =
    Pass::function("lower-hop-to-actor", "Lowers hops to actors to hops to their executors", &run)
        .mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let is_candidate = |body: &silkit_ir::Body, inst: Inst| {
        matches!(body.inst(inst).opcode, Opcode::HopToExecutor | Opcode::ExtractExecutor)
    };
    if !cx.body().insts().any(|inst| is_candidate(cx.body(), inst)) {
        return;
    }
    // Blocks are split, but the original blocks of instructions keep their order in the tree.
    let dominators = cx.get::<Dominators>().detach(cx.body());
    let mut sites: Vec<(Block, Inst)> = Vec::new();
    for block in dominators.preorder() {
        let body = cx.body();
        sites.extend(body.block_insts(block).filter(|&i| is_candidate(body, i)).map(|inst| (block, inst)));
    }
    let mut available: FxHashMap<Value, Vec<(Block, Value)>> = FxHashMap::default();
    let mut executors = Executors::default();
    for (block, inst) in sites {
        let (actor, is_hop) = match cx.body().view(inst) {
            AnyInst::HopToExecutor(HopToExecutor { operand, .. }) => (operand, true),
            AnyInst::ExtractExecutor(ExtractExecutor { operand }) => (operand, false),
            _ => continue,
        };
        if is_hop && executors.is_lowered(cx, actor) {
            continue;
        }
        let known = available.entry(actor).or_default();
        // In preorder, a block that does not dominate this block dominates no later block.
        while known.last().is_some_and(|&(other, _)| !dominators.dominates(other, block)) {
            known.pop();
        }
        // The result of `extract_executor` is not optional. A hop takes both.
        let known = known.iter().rev().map(|&(_, executor)| executor).find(|&executor| {
            is_hop || matches!(cx.body().value(executor).ty.ty().kind(), TypeKind::Builtin(..))
        });
        if known.is_none() && !executors.can_lower(cx, actor, is_hop) {
            continue;
        }
        if !cx.may_change() {
            return;
        }
        let executor = known.unwrap_or_else(|| {
            let executor = executors.lower(cx, inst, actor, is_hop);
            available.entry(actor).or_default().push((block, executor));
            executor
        });
        if is_hop {
            let operand = cx.body().operand_id(inst, 0);
            cx.edit().set_operand(operand, executor);
            cx.count("hops lowered", 1);
        } else {
            cx.edit().replace(inst, executor);
            cx.count("executors extracted", 1);
        }
    }
}
