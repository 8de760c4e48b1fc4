//! `dce`: removes what nothing needs, branches included.
//!
//! An instruction is live if the function is there for it (side effects, traps, exits), if something live uses it, or if
//! it decides whether something live is executed. What ends a value, or looks at it for a debugger, lives with the value.
//! A dead branch goes straight on to the nearest post-dominator that does something; in an endless loop there is none,
//! and it stays.

mod control;
mod live;

use crate::context::FunctionContext;
use crate::pass::Pass;
use crate::utils::unreachable::remove_unreachable_blocks;
use control::Control;
use live::Live;
use silkit_analysis::{Dominators, InstOrder};
use silkit_base::{Entity, FxHashMap, FxHashSet};
use silkit_ir::conventions::Addresses;
use silkit_ir::ownership::{BodyOwnership, OwnershipContext};
use silkit_ir::{ArgFlags, Block, Body, Builder, Inst, Opcode, Operand, Ownership, Point, Value, ValueDef};
use std::cmp::Ordering;

pub(super) const PASS: Pass<'static> =
    Pass::function("dce", "Removes instructions and branches that nothing needs", &run);

/// What is to be done: found while nothing changes, carried out after.
#[derive(Default)]
struct Plan {
    /// Dead arguments of blocks, and whether they are removed with the values that are passed for them.
    args: Vec<(Block, Value, bool)>,
    /// Owned arguments that a terminator makes and nobody needs: they are destroyed at once.
    destroyed: Vec<(Block, Value)>,
    /// Live values that something dead ended: the place before which they end now, and whether they are owned.
    ended: Vec<(Inst, Value, bool)>,
    /// Dead instructions that are no terminators.
    insts: Vec<Inst>,
    /// Dead branches and where they go instead.
    branches: Vec<(Inst, Block)>,
}

fn run(cx: &mut FunctionContext<'_>) {
    let plan = plan(cx);
    let changes_branches = !plan.branches.is_empty();
    cx.count("instructions removed", plan.insts.len() as u64);
    cx.count("branches removed", plan.branches.len() as u64);
    carry_out(cx.builder(), plan);
    if changes_branches {
        remove_unreachable_blocks(cx.body_mut());
    }
}

fn plan(cx: &FunctionContext<'_>) -> Plan {
    let (body, world) = (cx.body(), cx.world);
    let control = Control::of(body);
    let context = OwnershipContext::new(cx.function(), world.declarations, Addresses::Lowered);
    let has_ossa = cx.function().has_attribute("ossa");
    let ownership = has_ossa.then(|| BodyOwnership::new(body, context));
    let live = Live::of(body, &control, world, ownership.as_ref());
    let end_of = |value: Value| {
        let ownership = ownership.as_ref().filter(|_| live.value(value))?;
        match ownership.value(value)? {
            Ownership::Owned => Some(true),
            Ownership::Guaranteed => Some(false),
            _ => None,
        }
    };
    let ends = |operand: Operand| {
        ownership.as_ref().and_then(|o| o.operand(operand)).is_some_and(|use_| use_.ends_lifetime())
    };
    let mut plan = Plan::default();
    for &block in body.block_order() {
        for &arg in body.arguments(block).iter().filter(|&&arg| !live.argument(arg)) {
            let is_managed = ownership.as_ref().is_some_and(|o| o.value(arg) != Some(Ownership::None));
            let is_removed = is_managed && body.is_phi(arg);
            if is_removed {
                let values: Vec<(Block, Value)> =
                    body.incoming(block).map(|e| body.edge(e).from).zip(body.phi_values(arg)).collect();
                // A value that was only forwarded to a guaranteed phi is still borrowed where it was.
                let ends = ownership.as_ref().is_some_and(|o| o.value(arg) == Some(Ownership::Owned))
                    || body.value(arg).arg_flags.contains(ArgFlags::REBORROW);
                for (from, value) in values.into_iter().filter(|_| ends) {
                    if let (Some(owned), Some(terminator)) = (end_of(value), body.terminator(from)) {
                        plan.ended.push((terminator, value, owned));
                    }
                }
            } else if ownership.as_ref().is_some_and(|o| o.value(arg) == Some(Ownership::Owned)) {
                plan.destroyed.push((block, arg));
            }
            plan.args.push((block, arg, is_removed));
        }
        for inst in body.block_insts(block).filter(|&inst| !live.inst(inst)) {
            let opcode = body.inst(inst).opcode;
            if opcode == Opcode::Branch {
                continue;
            }
            let target = if body.is_terminator(inst) {
                let mut at = control.post_dominator(block);
                while let Some(next) = at.filter(|&b| !live.block(b)) {
                    at = control.post_dominator(next);
                }
                // In an endless loop there is nowhere to go.
                let Some(target) = at else { continue };
                Some(target)
            } else {
                None
            };
            for index in 0..body.operands(inst).len() {
                let operand = body.operand_id(inst, index);
                let value = body.operand_value(inst, index);
                if let Some(owned) = end_of(value).filter(|_| ends(operand)) {
                    plan.ended.push((inst, value, owned));
                }
            }
            match target {
                Some(target) => plan.branches.push((inst, target)),
                None => plan.insts.push(inst),
            }
        }
    }
    plan.place_ends(body);
    plan
}

impl Plan {
    /// Moves what ends values out of blocks that will not be reached any more, to the branch that goes past them, and lets
    /// borrows end before what they borrow: what was defined later ends first.
    fn place_ends(&mut self, body: &Body) {
        if self.ended.is_empty() {
            return;
        }
        let (dominators, order) = (Dominators::compute(body), InstOrder::compute(body));
        let is_reached = self.reached(body);
        for (before, ..) in &mut self.ended {
            let mut block = body.inst(*before).block;
            while !is_reached[block.index()] {
                let Some(above) = dominators.immediate(block) else { break };
                block = above;
                *before = body.terminator(block).unwrap_or(*before);
            }
        }
        let place = |value: Value| match body.def(value) {
            ValueDef::Result(inst, _) => (body.inst(inst).block, Some(inst)),
            ValueDef::Argument(block, _) => (block, None),
            ValueDef::Undef | ValueDef::Pending => (Block::NONE, None),
        };
        let is_later = |a: Value, b: Value| {
            let ((a_block, a), (b_block, b)) = (place(a), place(b));
            match (a, b) {
                _ if a_block != b_block => dominators.dominates(b_block, a_block),
                (Some(a), Some(b)) => order.comes_before(b, a),
                (a, _) => a.is_some(),
            }
        };
        // The same value may have been ended on several paths that are one now.
        let mut seen = FxHashSet::default();
        self.ended.retain(|&(before, value, _)| seen.insert((before, value)));
        self.ended.sort_by(|a, b| {
            let later = || if is_later(a.1, b.1) { Ordering::Less } else { Ordering::Greater };
            // Owned values in the order in which they were ended, after all borrows.
            a.0.cmp(&b.0).then(a.2.cmp(&b.2)).then_with(|| match a.1 == b.1 || a.2 {
                true => Ordering::Equal,
                false => later(),
            })
        });
    }

    /// The blocks that can be reached once the dead branches go elsewhere.
    fn reached(&self, body: &Body) -> Vec<bool> {
        let targets: FxHashMap<Block, Block> =
            self.branches.iter().map(|&(branch, target)| (body.inst(branch).block, target)).collect();
        let mut is_reached = vec![false; body.block_count()];
        let mut work: Vec<Block> = body.block_order().first().copied().into_iter().collect();
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut is_reached[block.index()], true) {
                continue;
            }
            match targets.get(&block) {
                Some(&target) => work.push(target),
                None => work.extend(body.block_successors(block)),
            }
        }
        is_reached
    }
}

fn carry_out(mut b: Builder<'_>, plan: Plan) {
    for (before, value, is_owned) in plan.ended {
        b.move_to(Point::Before(before));
        if is_owned {
            b.destroy_value(value);
        } else {
            b.end_borrow(value);
        }
    }
    // The new ends use live values only; all other uses of what is dead are dead.
    for &(_, arg, _) in &plan.args {
        replace_with_undef(&mut b, arg);
    }
    for &inst in &plan.insts {
        for result in b.results(inst) {
            replace_with_undef(&mut b, result);
        }
    }
    for inst in plan.insts {
        b.remove(inst);
    }
    for (branch, target) in plan.branches {
        let block = b.inst(branch).block;
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

fn replace_with_undef(b: &mut Builder<'_>, value: Value) {
    if b.is_used(value) {
        let ty = b.value(value).ty;
        let undef = b.undef(ty);
        b.replace_all_uses(value, undef);
    }
}
