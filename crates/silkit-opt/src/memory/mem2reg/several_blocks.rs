//! Promotion of allocations used in several blocks: each block is reduced to at most one store, and phis merge the
//! stored values.

use super::rewrite::{self, Content, Slot};
use super::{AllocationFacts, uses};
use silkit_analysis::Dominators;
use silkit_analysis::dataflow::ReachingBlock;
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::instructions::{EndBorrow, Load, LoadQualifier, Store, StoreBorrow, StoreQualifier};
use silkit_ir::{ArgFlags, Block, Body, Inst, Opcode, Operand, Ownership, Point, Value, ValueDef};
use silkit_pass::FunctionContext;

/// An allocation during promotion.
struct Promoter<'p, 'c> {
    cx: &'p mut FunctionContext<'c>,
    facts: &'p mut AllocationFacts,
    slot: &'p Slot,
    /// The last store of each block with a store, and the content after it while loads are replaced. The stored value
    /// may be a load that is replaced later: [`Self::stored_in`] returns its current value.
    at_end: FxHashMap<Block, (Inst, Content)>,
    /// The phis, by their blocks.
    phis: FxHashMap<Block, Value>,
    phi_blocks: Vec<Block>,
    /// The ends of borrows that have been processed.
    ended: FxHashSet<Inst>,
}

/// Promotes an allocation, if possible, and returns the values that replace it, some of which may not be ended on all
/// paths. The remaining uses do not read the memory.
pub(super) fn promote(
    cx: &mut FunctionContext<'_>,
    facts: &mut AllocationFacts,
    slot: &Slot,
) -> Option<Vec<Value>> {
    let phi_blocks = phi_blocks(cx.body(), facts, slot);
    let passes_values = |&block: &Block| {
        let body = cx.body();
        let passes = |from| body.terminator(from).is_some_and(|t| passes_values(body, t));
        body.predecessors(block).all(passes)
    };
    if !phi_blocks.iter().all(passes_values) {
        return None;
    }
    let mut promoter = Promoter {
        cx,
        facts,
        slot,
        at_end: FxHashMap::default(),
        phis: FxHashMap::default(),
        phi_blocks,
        ended: FxHashSet::default(),
    };
    promoter.reduce_blocks();
    promoter.add_phis();
    promoter.choose();
    promoter.replace_uses();
    promoter.pass_values();
    promoter.remove_needless_phis();
    promoter.facts.reaching.clear();
    Some(promoter.values())
}

fn passes_values(body: &Body, terminator: Inst) -> bool {
    matches!(body.inst(terminator).opcode, Opcode::Branch | Opcode::CondBranch)
}

/// Returns the blocks where stored values meet while the allocation may be live.
fn phi_blocks(body: &Body, facts: &mut AllocationFacts, slot: &Slot) -> Vec<Block> {
    let dominators = facts.lifetimes.dominators.of(body);
    let home = body.inst_block(slot.allocation);
    let stores = body.users(slot.address).filter(|&user| is_store(body, user));
    let stores = stores.map(|user| body.inst_block(user));
    let mut deallocations =
        body.users(slot.address).filter(|&user| body.inst(user).opcode == Opcode::DeallocStack);
    let end = deallocations.next().filter(|_| deallocations.next().is_none());
    let end = end.map(|inst| body.inst_block(inst));
    let is_gone = |join: Block| end.is_some_and(|end| end != join && dominators.dominates(end, join));
    facts.joins.iterated(dominators, home, stores, |join| !is_gone(join))
}

fn is_store(body: &Body, inst: Inst) -> bool {
    matches!(body.inst(inst).opcode, Opcode::Store | Opcode::StoreBorrow)
}

/// The state of the walk through a block.
#[derive(Default)]
struct BlockState {
    content: Option<Content>,
    /// The last store, unless the stored value was taken or destroyed since.
    store: Option<(Inst, bool)>,
}

impl Promoter<'_, '_> {
    /// Replaces loads by the values stored before them in the same block, and removes all stores except the last of
    /// each block.
    fn reduce_blocks(&mut self) {
        let all = uses::all(self.cx.body(), self.slot.address);
        let mut blocks: Vec<Vec<Inst>> = Vec::new();
        for inst in all {
            let block = self.cx.body().inst_block(inst);
            match blocks.last_mut() {
                Some(last) if self.cx.body().inst_block(last[0]) == block => last.push(inst),
                _ => blocks.push(vec![inst]),
            }
        }
        for insts in blocks {
            let block = self.cx.body().inst_block(insts[0]);
            let mut running = BlockState::default();
            for inst in insts {
                if self.cx.body().inst_block(inst) == Block::NONE {
                    continue;
                }
                if self.cx.body().inst(inst).opcode == Opcode::DeallocStack {
                    break;
                }
                self.step(inst, &mut running);
            }
            if let (Some((store, true)), Some(content)) = (running.store, running.content) {
                self.at_end.insert(block, (store, content));
            }
        }
    }

    fn step(&mut self, inst: Inst, running: &mut BlockState) {
        let body = self.cx.body();
        let value = running.content.and_then(Content::value);
        match body.inst(inst).opcode {
            Opcode::Load | Opcode::LoadBorrow => self.step_load(inst, running),
            Opcode::Store => self.step_store(inst, running),
            Opcode::StoreBorrow => {
                let Some(store) = body.view_as::<StoreBorrow>(inst) else { return };
                let source = store.source;
                self.remove_overwritten(running);
                running.content = Some(rewrite::after_store_borrow(self.cx, self.slot, inst, source));
                running.store = Some((inst, true));
            }
            Opcode::EndBorrow => {
                // If the borrow began in another block, its replacement is known once phis exist.
                if let Some(content) = running.content
                    && self.end_borrow(inst, content)
                {
                    running.store = running.store.map(|(store, _)| (store, false));
                }
            }
            Opcode::DestroyAddr => {
                if let Some(value) = value {
                    rewrite::replace_destroy(self.cx, self.slot, inst, value);
                    running.store = running.store.map(|(store, _)| (store, false));
                }
            }
            _ => {}
        }
    }

    /// Ends the replacement of a `store_borrow`. Returns true if it is the current content.
    fn end_borrow(&mut self, inst: Inst, content: Content) -> bool {
        let body = self.cx.body();
        let Some(end) = body.view_as::<EndBorrow>(inst) else { return false };
        let stored = body.def_as::<StoreBorrow>(end.operand).map(|store| store.source);
        let is_end = content.stored.is_some() && content.stored == stored && self.ended.insert(inst);
        if is_end {
            rewrite::end_borrow(self.cx, content, inst);
        }
        is_end
    }

    fn step_load(&mut self, inst: Inst, running: &mut BlockState) {
        let load = self.cx.body().view_as::<Load>(inst);
        let is_whole = load.is_some_and(|load| load.address == self.slot.address);
        let is_copy = load.is_some_and(|load| load.qualifier == Some(LoadQualifier::Copy));
        let takes = load.is_some_and(|load| load.qualifier == Some(LoadQualifier::Take));
        if takes {
            running.store = running.store.map(|(store, _)| (store, false));
        }
        if let Some(value) = running.content.and_then(Content::value) {
            rewrite::replace_load(self.cx, self.slot, inst, value);
        } else if is_whole && !is_copy {
            // The first loaded value is the content. A copy is not, since it has its own lifetime end.
            running.content = self.cx.body().first_result(inst).map(Content::as_is);
        }
    }

    fn step_store(&mut self, inst: Inst, running: &mut BlockState) {
        let Some(store) = self.cx.body().view_as::<Store>(inst) else { return };
        let (source, qualifier) = (store.source, store.qualifier);
        if qualifier == Some(StoreQualifier::Assign) {
            let (address, value) = (self.slot.address, running.content.and_then(Content::value));
            if let Some(old) = value {
                // As in the reference, also if it has no ownership.
                let mut builder = self.cx.at(Point::Before(inst));
                builder.destroy_value(old);
            } else {
                let mut builder = self.cx.at(Point::Before(inst));
                let old = builder.build(Load { qualifier: Some(LoadQualifier::Take), ..Load::new(address) });
                builder.destroy_value(old);
            }
            if let Some(attr) = Opcode::Store.info().attr("qualifier") {
                self.cx.edit().set_word(inst, attr, StoreQualifier::Init as u32);
            }
        }
        self.remove_overwritten(running);
        running.content = Some(rewrite::after_store(self.cx, self.slot, inst, source));
        running.store = Some((inst, true));
    }

    /// Removes the previous store before another one.
    fn remove_overwritten(&mut self, running: &mut BlockState) {
        let Some((store, _)) = running.store.take() else { return };
        // A borrow has uses of its own, and its memory is not written before it ends.
        if self.cx.body().inst(store).opcode == Opcode::Store {
            self.cx.edit().remove(store);
        }
    }

    fn add_phis(&mut self) {
        let ownership = match self.slot.has_ossa && self.slot.is_trivial != Some(true) {
            true => Ownership::Owned,
            false => Ownership::None,
        };
        for &block in &self.phi_blocks {
            let phi = self.cx.edit().add_argument(block, self.slot.ty, ownership, ArgFlags::empty());
            self.phis.insert(block, phi);
        }
    }

    /// Collects the blocks that define the content of the allocation.
    fn choose(&mut self) {
        let AllocationFacts { lifetimes, reaching, .. } = &mut *self.facts;
        let dominators = lifetimes.dominators.of(self.cx.body());
        self.at_end.keys().for_each(|&block| reaching.define(dominators, block));
        self.phi_blocks.iter().for_each(|&block| reaching.add_phi(dominators, block));
    }

    fn dominators(&self) -> &Dominators {
        self.facts.lifetimes.dominators.of(self.cx.body())
    }

    /// Returns the content of the allocation at the end of a block.
    fn live_out(&self, block: Block) -> Option<Content> {
        self.content(self.facts.reaching.at_end(self.dominators(), block)?)
    }

    /// Returns the content that a block defines.
    fn content(&self, reaching: ReachingBlock) -> Option<Content> {
        match reaching {
            ReachingBlock::Definition(block) => self.stored_in(block),
            ReachingBlock::Phi(block) => self.phis.get(&block).map(|&phi| Content::as_is(phi)),
        }
    }

    /// Returns the content of the allocation at the end of a block that stores to it.
    fn stored_in(&self, block: Block) -> Option<Content> {
        let &(store, content) = self.at_end.get(&block)?;
        Some(content.with_stored(self.cx.body().operand_value(store, 0)))
    }

    /// Returns the content of the allocation at the start of a block as a value; `undef` if there is no store before.
    fn live_in(&mut self, block: Block) -> Value {
        let content = self.content_in(block).and_then(Content::value);
        let ty = self.slot.ty;
        content.unwrap_or_else(|| self.cx.edit().undef(ty))
    }

    /// Returns the content of the allocation at the start of a block.
    fn content_in(&self, block: Block) -> Option<Content> {
        self.content(self.facts.reaching.at_start(self.dominators(), block)?)
    }

    /// Replaces uses that read a value stored in another block.
    fn replace_uses(&mut self) {
        for inst in uses::newest_first(self.cx.body(), self.slot.address) {
            let body = self.cx.body();
            let block = body.inst_block(inst);
            if block == Block::NONE {
                continue;
            }
            match body.inst(inst).opcode {
                Opcode::Load | Opcode::LoadBorrow => {
                    let value = self.live_in(block);
                    rewrite::replace_load(self.cx, self.slot, inst, value);
                }
                Opcode::DestroyAddr => {
                    let value = self.live_in(block);
                    rewrite::replace_destroy(self.cx, self.slot, inst, value);
                }
                Opcode::EndBorrow => {
                    if let Some(content) = self.content_in(block) {
                        self.end_borrow(inst, content);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the incoming values on each edge into a block with a phi.
    fn pass_values(&mut self) {
        for block in self.phi_blocks.clone() {
            let edges: Vec<_> = self.cx.body().incoming(block).collect();
            for edge in edges {
                let from = self.cx.body().edge(edge).from;
                let (index, ty) = (self.cx.body().edge_index(edge), self.slot.ty);
                let content = self.live_out(from).and_then(Content::value);
                let value = content.unwrap_or_else(|| self.cx.edit().undef(ty));
                let Some(terminator) = self.cx.body().terminator(from) else { continue };
                let mut args: Vec<Value> = self.cx.body().edge_args(terminator, index).collect();
                args.push(value);
                self.cx.edit().set_edge_args(terminator, index, &args);
            }
        }
    }

    /// Removes phis of owned values that only such phis use: their lifetimes would never end.
    fn remove_needless_phis(&mut self) {
        if !self.slot.has_ossa || self.slot.is_trivial == Some(true) {
            return;
        }
        let mut needed: FxHashSet<Block> = FxHashSet::default();
        let is_needed = |&block: &Block| self.is_needed(self.phis[&block]);
        let mut work: Vec<Block> = self.phi_blocks.iter().copied().filter(is_needed).collect();
        while let Some(block) = work.pop() {
            if !needed.insert(block) {
                continue;
            }
            for value in self.cx.body().phi_values(self.phis[&block]) {
                if let Some(source) = self.phi_block(value) {
                    work.push(source);
                }
            }
        }
        let needless: Vec<Block> =
            self.phi_blocks.iter().copied().filter(|block| !needed.contains(block)).collect();
        let ty = self.slot.ty;
        for block in needless {
            let phi = self.phis[&block];
            let mut editor = self.cx.edit();
            let undef = editor.undef(ty);
            editor.replace_all_uses(phi, undef);
            let last = editor.arguments(block).len() - 1;
            editor.remove_argument(block, last);
        }
        self.phi_blocks.retain(|block| needed.contains(block));
    }

    /// Returns the last stored value of each block, and the phis, in block order.
    fn values(&self) -> Vec<Value> {
        let mut stores: Vec<(Block, Content)> =
            self.at_end.keys().filter_map(|&block| Some((block, self.stored_in(block)?))).collect();
        stores.sort_unstable_by_key(|&(block, _)| block);
        let phis = self.phi_blocks.iter().map(|block| self.phis[block]);
        stores.iter().filter_map(|(_, content)| content.value()).chain(phis).collect()
    }

    /// Returns the block of a phi created here.
    fn phi_block(&self, value: Value) -> Option<Block> {
        match self.cx.body().def(value) {
            ValueDef::Argument(block, _) => (self.phis.get(&block) == Some(&value)).then_some(block),
            _ => None,
        }
    }

    /// Returns true if a phi has uses other than these phis.
    fn is_needed(&self, phi: Value) -> bool {
        let body = self.cx.body();
        body.uses(phi).any(|operand| !self.feeds_phi(body, operand))
    }

    fn feeds_phi(&self, body: &Body, operand: Operand) -> bool {
        let user = body.operand(operand).user;
        if body.inst(user).opcode != Opcode::Branch {
            return false;
        }
        let Some(target) = body.successors(user).next() else { return false };
        self.phis.contains_key(&target) && body.operand_index(operand) + 1 == body.edge_args(user, 0).len()
    }
}
