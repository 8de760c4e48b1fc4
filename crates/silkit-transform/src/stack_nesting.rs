//! Correction of stack nesting: moves deallocations so that allocations which they jointly post-dominate are deallocated in
//! reverse order (SIL.md, "Stack discipline").
//!
//! ```text
//!   %0 = alloc_stack $Builtin.Int64
//!   %1 = alloc_stack $Builtin.Int32
//!   dealloc_stack %0
//!   fix_lifetime %1
//!   dealloc_stack %1
//! ---
//!   %0 = alloc_stack $Builtin.Int64
//!   %1 = alloc_stack $Builtin.Int32
//!   fix_lifetime %1
//!   dealloc_stack %1
//!   dealloc_stack %0
//! ```
//!
//! One walk over the blocks in reverse postorder tracks the list of active allocations. A deallocation of the last
//! allocation in the list is kept. A deallocation of a deeper allocation is removed and the allocation is marked
//! pending; as soon as all allocations above it are deallocated, a deallocation is inserted. So deallocations only
//! move down, or are removed in dead ends.
//!
//! In reverse postorder, a dead-end region comes after all blocks from which it is entered. If the lists on these
//! edges differ, the stack is unknown there: the region's own allocations nest above the unknown part, and all
//! deallocations of earlier allocations are removed.
//!
//! Lists are paths in a tree, and marks are hash-consed sets: both are compared in constant time and never copied.
//! The time is linear in the size of the function, times the logarithm of the number of allocations.

use super::sets::{Set, Sets};
use silkit_analysis::{Components, DeadEnds};
use silkit_base::{Entity, FxHashMap};
use silkit_ir::{Block, Body, Inst, Loc, NewInst, Point, Value};

/// The result of correcting the nesting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NestingChanges {
    /// The number of removed deallocations.
    pub removed: usize,
    /// The number of inserted deallocations.
    pub inserted: usize,
}

/// The reason why nesting cannot be corrected: the deallocations do not jointly post-dominate the allocations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NestingError {
    /// The instruction deallocates an allocation that is not active on every path to it.
    NotActive(Inst),
    /// A path returns to the allocation before it is deallocated.
    AllocatedAgain(Inst),
    /// The function exits with an active allocation.
    Leak {
        /// The exit.
        exit: Inst,
        /// The last active allocation.
        allocation: Inst,
    },
    /// Paths to the block have different active allocations, and the block does not begin a dead-end region.
    Disagreement(Block),
}

/// Corrects the nesting of the stack allocations of a body.
///
/// # Errors
/// Returns an error, without changing the body, if the deallocations of an allocation do not jointly post-dominate it.
pub fn fix_stack_nesting(body: &mut Body, is_ossa: bool) -> Result<NestingChanges, NestingError> {
    let mut allocations = FxHashMap::default();
    for inst in body.insts().filter(|&i| body.stack_allocated(i, is_ossa).is_some()) {
        allocations.insert(inst, allocations.len());
    }
    if allocations.is_empty() {
        return Ok(NestingChanges::default());
    }
    let walk = Walk::over(body, is_ossa, &allocations)?;
    let (removals, insertions, templates) = (walk.removals, walk.insertions, walk.templates);
    let fixed = NestingChanges { removed: removals.len(), inserted: insertions.len() };
    let mut last: Option<(Inst, Inst)> = None;
    for (release, allocation) in insertions {
        // Several deallocations at one point are inserted in sequence.
        let after = last.filter(|(of, _)| *of == release).map_or(release, |(_, inserted)| inserted);
        let template = templates[&allocation];
        let new = insert_like(body, template, allocation, is_ossa, after, body.inst(release).loc);
        last = Some((release, new));
    }
    for inst in removals {
        let results: Vec<Value> = body.results(inst).collect();
        let mut editor = body.edit();
        for result in results.into_iter().filter(|&r| editor.body().is_used(r)).collect::<Vec<_>>() {
            let undef = editor.undef(editor.body().value(result).ty);
            editor.replace_all_uses(result, undef);
        }
        editor.remove(inst);
    }
    Ok(fixed)
}

/// Inserts a deallocation of an allocation, modelled on another one.
fn insert_like(body: &mut Body, like: Inst, allocation: Inst, is_ossa: bool, after: Inst, loc: Loc) -> Inst {
    let mut operands: Vec<Value> = body.operands(like).iter().map(|o| o.value).collect();
    if let (Some(first), Some(value)) = (operands.first_mut(), body.stack_allocated(allocation, is_ossa)) {
        *first = value;
    }
    let (data, words) = (body.inst(like).clone(), body.words(like).to_vec());
    let results: Vec<_> = body.results(like).map(|r| body.value(r).ty).collect();
    let new = NewInst {
        flags: data.flags,
        operands: &operands,
        words: &words,
        results: &results,
        loc,
        ..NewInst::new(data.opcode)
    };
    body.edit().insert(Point::After(after), &new)
}

/// A node of the tree, which represents a list of active allocations.
#[derive(Clone, Copy, Debug)]
struct Active {
    /// The last allocation in the list; `None` for the empty list and for the unknown part in a dead end.
    allocation: Option<Inst>,
    /// The list without the last allocation.
    rest: u32,
    /// The set of all allocations in the list.
    all: Set,
    /// True if a part of the list is unknown.
    is_above_unknown: bool,
}

/// The empty list.
const EMPTY: u32 = 0;
/// The unknown part of the list on entry to a region that is entered with different lists.
const UNKNOWN: u32 = 1;

/// The state at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    list: u32,
    /// The allocations in the list whose deallocations were removed.
    pending: Set,
}

struct Walk<'a> {
    body: &'a Body,
    is_ossa: bool,
    numbers: &'a FxHashMap<Inst, usize>,
    components: Components,
    dead_ends: DeadEnds,
    sets: Sets,
    lists: Vec<Active>,
    list_of: FxHashMap<(Inst, u32), u32>,
    at_start: Vec<Option<State>>,
    /// For each dead-end region that is entered, by its component: the common state of its incoming edges, and their
    /// target blocks.
    regions: FxHashMap<u32, (State, Vec<Block>)>,
    removals: Vec<Inst>,
    /// The deallocation after which to insert one, and the allocation to deallocate.
    insertions: Vec<(Inst, Inst)>,
    /// For each allocation, a removed deallocation as a template.
    templates: FxHashMap<Inst, Inst>,
}

impl<'a> Walk<'a> {
    fn over(
        body: &'a Body,
        is_ossa: bool,
        numbers: &'a FxHashMap<Inst, usize>,
    ) -> Result<Self, NestingError> {
        let base =
            |is_above_unknown| Active { allocation: None, rest: EMPTY, all: Set::EMPTY, is_above_unknown };
        let mut this = Self {
            body,
            is_ossa,
            numbers,
            components: Components::compute(body),
            dead_ends: DeadEnds::compute(body),
            sets: Sets::below(numbers.len()),
            lists: vec![base(false), base(true)],
            list_of: FxHashMap::default(),
            at_start: vec![None; body.block_bound()],
            regions: FxHashMap::default(),
            removals: Vec::new(),
            insertions: Vec::new(),
            templates: FxHashMap::default(),
        };
        for block in body.reverse_postorder() {
            let mut state = this.enter(block);
            for inst in body.block_insts(block) {
                this.visit(inst, &mut state)?;
            }
            this.leave(block, state)?;
        }
        Ok(this)
    }

    /// Computes the state at the start of a block, whose predecessors in reverse postorder have been visited.
    fn enter(&mut self, block: Block) -> State {
        if let Some((state, entered)) = self.components.component(block).and_then(|c| self.regions.remove(&c))
        {
            for entry in entered {
                self.at_start[entry.index()] = Some(state);
            }
        }
        let start = State { list: EMPTY, pending: Set::EMPTY };
        *self.at_start[block.index()].get_or_insert(start)
    }

    fn visit(&mut self, inst: Inst, state: &mut State) -> Result<(), NestingError> {
        if let Some(&number) = self.numbers.get(&inst) {
            let list = self.lists[state.list as usize];
            if self.sets.contains(list.all, number) {
                return Err(NestingError::AllocatedAgain(inst));
            }
            let all = self.sets.with(list.all, number);
            state.list = self.push(Active { allocation: Some(inst), rest: state.list, all, ..list }, inst);
        } else if let Some(allocation) = self.body.paired_allocation(inst, self.is_ossa) {
            self.deallocate(inst, allocation, state)?;
        }
        Ok(())
    }

    /// Returns the list extended by an allocation. Equal lists are the same node.
    fn push(&mut self, active: Active, allocation: Inst) -> u32 {
        let next = self.lists.len() as u32;
        let list = *self.list_of.entry((allocation, active.rest)).or_insert(next);
        if list == next {
            self.lists.push(active);
        }
        list
    }

    fn deallocate(&mut self, dealloc: Inst, allocation: Inst, state: &mut State) -> Result<(), NestingError> {
        let list = self.lists[state.list as usize];
        let number = self.numbers[&allocation];
        if !self.sets.contains(list.all, number) {
            if !list.is_above_unknown {
                return Err(NestingError::NotActive(dealloc));
            }
            self.removals.push(dealloc);
            return Ok(());
        }
        if self.sets.contains(state.pending, number) {
            return Err(NestingError::NotActive(dealloc));
        }
        if list.allocation != Some(allocation) {
            state.pending = self.sets.with(state.pending, number);
            self.templates.entry(allocation).or_insert(dealloc);
            self.removals.push(dealloc);
            return Ok(());
        }
        state.list = list.rest;
        while let Some(next) = self.lists[state.list as usize].allocation {
            let number = self.numbers[&next];
            if !self.sets.contains(state.pending, number) {
                break;
            }
            self.insertions.push((dealloc, next));
            state.pending = self.sets.without(state.pending, number);
            state.list = self.lists[state.list as usize].rest;
        }
        Ok(())
    }

    /// Propagates the state at the end of a block to its successors.
    fn leave(&mut self, block: Block, state: State) -> Result<(), NestingError> {
        if let (Some(exit), Some(allocation)) =
            (self.body.last_inst(block), self.lists[state.list as usize].allocation)
            && self.body.is_function_exit(exit)
        {
            return Err(NestingError::Leak { exit, allocation });
        }
        for next in self.body.block_successors(block) {
            let is_inside = self.components.are_together(block, next);
            match self.components.component(next) {
                Some(region) if self.dead_ends.is_dead_end(next) && !is_inside => {
                    self.enter_region(region, next, state);
                }
                _ => match self.at_start[next.index()] {
                    None => self.at_start[next.index()] = Some(state),
                    Some(other) if other == state => {}
                    Some(_) => return Err(NestingError::Disagreement(next)),
                },
            }
        }
        Ok(())
    }

    /// Merges the state of an edge into a dead-end region.
    fn enter_region(&mut self, region: u32, block: Block, state: State) {
        let Some((merged, entered)) = self.regions.get_mut(&region) else {
            self.regions.insert(region, (state, vec![block]));
            return;
        };
        entered.push(block);
        if merged.list == state.list {
            merged.pending = self.sets.intersection(merged.pending, state.pending);
        } else {
            *merged = State { list: UNKNOWN, pending: Set::EMPTY };
        }
    }
}
