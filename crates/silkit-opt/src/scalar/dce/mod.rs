//! `dce`: eliminates dead instructions and branches.
//!
//! An instruction is live if it has effects (side effects, traps, exits), if a live instruction uses it, or if it
//! controls whether a live instruction is executed. Lifetime ends and debug instructions are live if their operand
//! is. A dead branch is redirected to its nearest post-dominator with live instructions; a branch in an infinite loop
//! has none and is kept. Blocks that become unreachable are removed.
//!
//! A web of dead values counts as one transformation, as does a dead branch with all blocks that become unreachable.
//!
//! ```text
//! sil @f : $@convention(thin) (Builtin.Int1) -> () {
//! bb0(%0 : $Builtin.Int1):
//!   %1 = struct $Bool (%0)
//!   cond_br %0, bb1, bb2
//!
//! bb1:
//!   br bb3
//!
//! bb2:
//!   br bb3
//!
//! bb3:
//!   %5 = tuple ()
//!   return %5
//! }
//! ---
//! sil @f : $@convention(thin) (Builtin.Int1) -> () {
//! bb0(%0 : $Builtin.Int1):
//!   br bb1
//!
//! bb1:
//!   %2 = tuple ()
//!   return %2
//! }
//! ```

mod control;
mod groups;
mod kept;
mod live;

use control::Control;
use groups::{Groups, Node, Nodes};
use live::Live;
use silkit_analysis::DeadEnds;
use silkit_base::{Entity, FxHashMap, FxHashSet};
use silkit_ir::ownership::{BodyOwnership, OwnershipContext};
use silkit_ir::{ArgFlags, Block, Body, Builder, Inst, Opcode, Ownership, Point, Value};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_transform::forwarded_ownership;
use silkit_transform::lifetime_completion::complete_at_last_uses;
use silkit_transform::unreachable::remove_unreachable_blocks;
use silkit_transform::variables;

pub(super) const PASS: Pass<'static> =
    Pass::function("dce", "Eliminates dead instructions and branches", &run);

/// The planned changes, collected before the body is changed.
#[derive(Default)]
struct Plan {
    /// Dead block arguments; the flag is true if they are removed with their incoming values.
    args: Vec<(Block, Value, bool)>,
    /// Unneeded owned arguments of terminators, which are destroyed immediately.
    destroyed: Vec<(Block, Value)>,
    /// New ends of live values that dead instructions ended before.
    ended: Vec<End>,
    /// Live values that were ended in blocks without live instructions, with the dead nodes that ended them. They are
    /// ended after their last uses.
    completed: Vec<(Value, Node)>,
    /// Dead instructions other than terminators.
    insts: Vec<Inst>,
    /// Dead branches with their new targets.
    branches: Vec<(Inst, Block)>,
    /// The dead nodes, in block order.
    dead: Vec<Node>,
}

/// A new lifetime end of a live value.
struct End {
    /// The instruction before which it is inserted.
    before: Inst,
    value: Value,
    is_owned: bool,
    /// True for the incoming value of a phi that ended a borrow: a destroy of its base may stand at the end of the block.
    is_reborrowed: bool,
    /// The dead node that ended the value.
    by: Node,
}

fn run(cx: &mut FunctionContext<'_>) {
    let (mut plan, groups) = plan(cx);
    if plan.is_empty() {
        return;
    }
    plan.choose(cx, groups);
    plan.place_ends(cx.body());
    let completed = std::mem::take(&mut plan.completed);
    // The reference does this after it has changed branches, which includes changes of arguments.
    let changes_branches = !plan.branches.is_empty() || !plan.args.is_empty();
    cx.count("instructions removed", plan.insts.len() as u64);
    cx.count("branches removed", plan.branches.len() as u64);
    let context = cx.ownership_context();
    add_ends(cx, &plan);
    carry_out(cx.builder(), context, plan);
    if changes_branches {
        remove_unreachable_blocks(cx.body_mut());
    }
    complete(cx, completed);
}

/// Ends values after their last uses.
fn complete(cx: &mut FunctionContext<'_>, values: Vec<(Value, Node)>) {
    if values.is_empty() {
        return;
    }
    let dead_ends = cx.get::<DeadEnds>();
    for (value, _) in values {
        if cx.body().defining_block(value).is_some_and(|block| cx.body().has_block(block)) {
            complete_at_last_uses(cx, value, &dead_ends);
        }
    }
}

/// Returns the plan, and the groups of changes in it.
fn plan(cx: &FunctionContext<'_>) -> (Plan, Groups) {
    let view = cx.view();
    let body = view.body;
    let mut control = Control::of(body);
    let has_ossa = cx.function().has_ossa();
    let ownership = has_ossa.then(|| cx.view().all_ownership());
    let live = Live::of(&view, &mut control, ownership.as_ref());
    let mut plan = Plan::default();
    let targets = control.nearest_post_dominators(body.block_bound(), |block| live.block(block));
    for block in body.blocks() {
        let dead = |&inst: &Inst| body.is_terminator(inst) && !live.inst(inst);
        // In an infinite loop there is no target.
        if let Some(branch) = body.last_inst(block).filter(dead)
            && let Some(target) =
                targets[block.index()].filter(|_| body.inst(branch).opcode != Opcode::Branch)
        {
            plan.branches.push((branch, target));
        }
    }
    // A dead switch that stays compares with literals all the same.
    let is_case = |inst: Inst| {
        let is_kept_switch = |user: Inst| {
            body.inst(user).opcode == Opcode::SwitchValue && targets[body.inst_block(user).index()].is_none()
        };
        body.inst(inst).opcode == Opcode::IntegerLiteral
            && body.results(inst).flat_map(|value| body.users(value)).any(is_kept_switch)
    };
    let groups = Groups::of(body, &live, &plan.branches);
    let planner = Planner { body, live: &live, ownership: ownership.as_ref(), nodes: groups.nodes() };
    for block in body.blocks() {
        planner.plan_arguments(block, &mut plan);
        for inst in body.block_insts(block).filter(|&inst| !live.inst(inst) && !is_case(inst)) {
            let is_terminator = body.is_terminator(inst);
            if is_terminator && (body.inst(inst).opcode == Opcode::Branch || targets[block.index()].is_none())
            {
                continue;
            }
            planner.plan_ends(inst, &mut plan);
            plan.dead.push(planner.nodes.inst(inst));
            if !is_terminator {
                plan.insts.push(inst);
            }
        }
    }
    (plan, groups)
}

/// The state during planning.
struct Planner<'a> {
    body: &'a Body,
    live: &'a Live<'a>,
    ownership: Option<&'a BodyOwnership<'a>>,
    nodes: Nodes,
}

impl Planner<'_> {
    fn plan_arguments(&self, block: Block, plan: &mut Plan) {
        let body = self.body;
        for &arg in body.arguments(block).iter().filter(|&&arg| !self.live.argument(arg)) {
            let owned = self.ownership.map(|o| o.value(arg));
            let by = self.nodes.arg(arg);
            let is_removed = owned.is_some_and(|o| o != Some(Ownership::None)) && body.is_phi(arg);
            if is_removed {
                let values: Vec<(Block, Value)> =
                    body.incoming(block).map(|e| body.edge(e).from).zip(body.phi_values(arg)).collect();
                // A value that was only forwarded to a guaranteed phi is still borrowed where it was.
                let ends = owned == Some(Some(Ownership::Owned))
                    || body.value(arg).arg_flags.contains(ArgFlags::REBORROW);
                let is_reborrowed = owned != Some(Some(Ownership::Owned));
                for (from, value) in values.into_iter().filter(|_| ends) {
                    if let (Some(is_owned), Some(before)) = (self.end_of(value), body.terminator(from)) {
                        self.push_end(plan, End { before, value, is_owned, is_reborrowed, by });
                    }
                }
                plan.dead.push(by);
            } else if owned == Some(Some(Ownership::Owned)) {
                plan.destroyed.push((block, arg));
                plan.dead.push(by);
            }
            plan.args.push((block, arg, is_removed));
        }
    }

    /// Plans the ends of the live values that a dead instruction ends.
    fn plan_ends(&self, inst: Inst, plan: &mut Plan) {
        for operand in self.body.operand_ids(inst) {
            let value = self.body.operand(operand).value;
            let ends = || self.ownership.and_then(|o| o.operand(operand)).is_some_and(|u| u.ends_lifetime());
            if let Some(is_owned) = self.end_of(value).filter(|_| ends()) {
                let by = self.nodes.inst(inst);
                self.push_end(plan, End { before: inst, value, is_owned, is_reborrowed: false, by });
            }
        }
    }

    /// Adds an end to the plan. A block without live instructions may become unreachable.
    fn push_end(&self, plan: &mut Plan, end: End) {
        match self.live.block(self.body.inst_block(end.before)) {
            true => plan.ended.push(end),
            false => plan.completed.push((end.value, end.by)),
        }
    }

    /// Returns whether a value is live and has a lifetime to end: `Some(true)` for an owned one, `Some(false)` for a
    /// borrow.
    fn end_of(&self, value: Value) -> Option<bool> {
        let ownership = self.ownership.filter(|_| self.live.value(value))?;
        match ownership.value(value)? {
            Ownership::Owned => Some(true),
            Ownership::Guaranteed => Some(false),
            _ => None,
        }
    }
}

impl Plan {
    fn is_empty(&self) -> bool {
        self.args.is_empty() && self.insts.is_empty() && self.branches.is_empty()
    }

    /// Removes changes from the plan that the allowance does not permit.
    fn choose(&mut self, cx: &mut FunctionContext<'_>, mut groups: Groups) {
        let mut is_done: FxHashMap<Node, bool> = FxHashMap::default();
        let mut is_whole = true;
        for node in std::mem::take(&mut self.dead) {
            is_whole &= *is_done.entry(groups.group(node)).or_insert_with(|| cx.may_change());
        }
        if is_whole {
            return;
        }
        let nodes = groups.nodes();
        let mut may = |node: Node| is_done.get(&groups.group(node)).is_some_and(|&done| done);
        self.ended.retain(|end| may(end.by));
        self.completed.retain(|&(_, by)| may(by));
        self.insts.retain(|&inst| may(nodes.inst(inst)));
        self.branches.retain(|&(branch, _)| may(nodes.inst(branch)));
        self.args.retain(|&(_, arg, _)| may(nodes.arg(arg)));
        self.destroyed.retain(|&(_, arg)| may(nodes.arg(arg)));
    }

    /// Moves ends of borrows before the destroys at the end of a block, ignoring dead instructions.
    fn place_ends(&mut self, body: &Body) {
        if !self.ended.iter().any(|end| end.is_reborrowed) {
            return;
        }
        let dead: FxHashSet<Inst> = self.insts.iter().copied().collect();
        for end in self.ended.iter_mut().filter(|end| end.is_reborrowed) {
            let before = std::iter::successors(body.prev_inst(end.before), |&inst| body.prev_inst(inst));
            let is_destroy = |inst: &Inst| body.inst(*inst).opcode == Opcode::DestroyValue;
            let live = before.filter(|inst| !dead.contains(inst));
            end.before = live.take_while(is_destroy).last().unwrap_or(end.before);
        }
        // An end of a value that is destroyed in the same place follows those of its borrows.
        self.ended.sort_by_key(|end| !end.is_reborrowed);
    }
}

/// Ends live values that dead instructions ended before.
fn add_ends(cx: &mut FunctionContext<'_>, plan: &Plan) {
    for &End { before, value, is_owned, .. } in &plan.ended {
        let loc = variables::compiler_generated(cx.body_mut(), before);
        let mut builder = cx.at(Point::Before(before));
        builder.set_default_loc(loc);
        if is_owned {
            builder.destroy_value(value);
        } else {
            builder.end_borrow(value);
        }
    }
}

fn carry_out(mut b: Builder<'_>, context: OwnershipContext<'_>, plan: Plan) {
    // The new ends use only live values; all other uses of dead values are dead.
    for &(_, arg, _) in &plan.args {
        replace_with_undef(&mut b, context, arg);
    }
    for &inst in &plan.insts {
        for result in b.results(inst) {
            replace_with_undef(&mut b, context, result);
        }
    }
    for inst in plan.insts {
        b.remove(inst);
    }
    for (branch, target) in plan.branches {
        let block = b.inst_block(branch);
        let loc = b.inst(branch).loc;
        let types: Vec<_> = b.arguments(target).iter().map(|&arg| b.value(arg).ty).collect();
        let args: Vec<Value> = types.into_iter().map(|ty| b.undef(ty)).collect();
        b.remove(branch);
        b.insert_branch(block, target, &args, loc);
    }
    for (block, arg, _) in plan.args.into_iter().filter(|(_, _, is_removed)| *is_removed) {
        if let Some(index) = b.arguments(block).iter().position(|&a| a == arg) {
            b.remove_argument(block, index);
        }
    }
    for (block, arg) in plan.destroyed {
        b.move_to(Point::Start(block));
        b.destroy_value(arg);
    }
}

fn replace_with_undef(b: &mut Builder<'_>, context: OwnershipContext<'_>, value: Value) {
    if b.is_used(value) {
        let ty = b.value(value).ty;
        let undef = b.undef(ty);
        forwarded_ownership::replace_all_uses(b, context, value, undef);
    }
}
