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
//! edges differ, what is not in all of them is deallocated on the edges, and deallocations of it in the region are
//! removed.
//!
//! Lists are paths in a tree, and marks are hash-consed sets: both are compared in constant time and never copied.
//! The time is linear in the size of the function, times the logarithm of the number of allocations.

use super::sets::{Set, Sets};
use silkit_analysis::{Components, DeadEnds};
use silkit_base::{Entity, FxHashMap};
use silkit_ir::{Block, Body, Edge, EdgeData, Inst, Loc, NewInst, Opcode, Point, Value};

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
    let on_edges = walk.deallocations_on_edges();
    let (removals, insertions, templates) = (walk.removals, walk.insertions, walk.templates);
    let count: usize = on_edges.iter().map(|(_, allocations)| allocations.len()).sum();
    let fixed = NestingChanges { removed: removals.len(), inserted: insertions.len() + count };
    for (edge, allocations) in on_edges {
        deallocate_on(body, edge, &allocations, is_ossa);
    }
    let mut last: Option<(Inst, Inst)> = None;
    for (release, allocation) in insertions {
        // Several deallocations at one point are inserted in sequence.
        let after = last.filter(|(of, _)| *of == release).map_or(release, |(_, inserted)| inserted);
        let template = templates[&allocation];
        let loc = body.inst(release).loc;
        let new = insert_like(body, template, allocation, is_ossa, Point::After(after), loc);
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

/// Deallocates allocations, the last one first, on an edge.
fn deallocate_on(body: &mut Body, edge: Edge, allocations: &[Inst], is_ossa: bool) {
    let EdgeData { from, to, .. } = *body.edge(edge);
    let block = match body.predecessors(to).count() {
        1 => to,
        _ => {
            let loc = body.terminator(from).map_or(Loc::NONE, |inst| body.inst(inst).loc);
            body.edit().split_edge(edge, loc)
        }
    };
    for &allocation in allocations.iter().rev() {
        let (like, loc) = (deallocation_of(body, allocation, is_ossa), body.inst(allocation).loc);
        let point = Point::Start(block);
        match like {
            Some(like) => _ = insert_like(body, like, allocation, is_ossa, point, loc),
            None => {
                let Some(value) = body.stack_allocated(allocation, is_ossa) else { continue };
                let operands = [value];
                let new = NewInst { operands: &operands, loc, ..NewInst::new(Opcode::DeallocStack) };
                _ = body.edit().insert(point, &new);
            }
        }
    }
}

/// Returns a deallocation of an allocation.
fn deallocation_of(body: &Body, allocation: Inst, is_ossa: bool) -> Option<Inst> {
    let value = body.stack_allocated(allocation, is_ossa)?;
    body.users(value).find(|&user| body.paired_allocation(user, is_ossa) == Some(allocation))
}

/// Inserts a deallocation of an allocation, modelled on another one.
fn insert_like(body: &mut Body, like: Inst, allocation: Inst, is_ossa: bool, point: Point, loc: Loc) -> Inst {
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
    body.edit().insert(point, &new)
}

/// A node of the tree, which represents a list of active allocations.
#[derive(Clone, Copy, Debug)]
struct Active {
    /// The last allocation in the list; `None` for the empty list.
    allocation: Option<Inst>,
    /// The list without the last allocation.
    rest: u32,
    /// The number of allocations in the list.
    depth: u32,
    /// The set of all allocations in the list.
    all: Set,
}

/// The empty list.
const EMPTY: u32 = 0;

/// The state at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    list: u32,
    /// The allocations in the list whose deallocations were removed.
    pending: Set,
    /// True in a dead-end region that is entered with different lists.
    is_cut: bool,
}

/// A dead-end region that is entered.
#[derive(Debug)]
struct Region {
    /// The common state of its incoming edges.
    state: State,
    /// The incoming edges, and the lists on them.
    edges: Vec<(Edge, u32)>,
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
    /// The dead-end regions that are entered, by their components, and those that have been visited.
    regions: FxHashMap<u32, Region>,
    visited: Vec<Region>,
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
        let empty = Active { allocation: None, rest: EMPTY, depth: 0, all: Set::EMPTY };
        let mut this = Self {
            body,
            is_ossa,
            numbers,
            components: Components::compute(body),
            dead_ends: DeadEnds::compute(body),
            sets: Sets::below(numbers.len()),
            lists: vec![empty],
            list_of: FxHashMap::default(),
            at_start: vec![None; body.block_bound()],
            regions: FxHashMap::default(),
            visited: Vec::new(),
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
        if let Some(region) = self.components.component(block).and_then(|c| self.regions.remove(&c)) {
            for &(edge, _) in &region.edges {
                self.at_start[self.body.edge(edge).to.index()] = Some(region.state);
            }
            self.visited.push(region);
        }
        let start = State { list: EMPTY, pending: Set::EMPTY, is_cut: false };
        *self.at_start[block.index()].get_or_insert(start)
    }

    fn visit(&mut self, inst: Inst, state: &mut State) -> Result<(), NestingError> {
        if let Some(&number) = self.numbers.get(&inst) {
            let list = self.lists[state.list as usize];
            if self.sets.contains(list.all, number) {
                return Err(NestingError::AllocatedAgain(inst));
            }
            let all = self.sets.with(list.all, number);
            let active = Active { allocation: Some(inst), rest: state.list, depth: list.depth + 1, all };
            state.list = self.push(active, inst);
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
            if !state.is_cut {
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
        for edge in self.body.outgoing(block) {
            let next = self.body.edge(edge).to;
            let is_inside = self.components.are_together(block, next);
            match self.components.component(next) {
                Some(region) if self.dead_ends.is_dead_end(next) && !is_inside => {
                    self.enter_region(region, edge, state);
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
    fn enter_region(&mut self, region: u32, edge: Edge, state: State) {
        let Some(entered) = self.regions.get_mut(&region) else {
            self.regions.insert(region, Region { state, edges: vec![(edge, state.list)] });
            return;
        };
        entered.edges.push((edge, state.list));
        let merged = entered.state;
        let pending = self.sets.intersection(merged.pending, state.pending);
        let list = common(&self.lists, merged.list, state.list);
        let is_cut = merged.is_cut || state.is_cut || list != merged.list || list != state.list;
        entered.state = State { list, pending, is_cut };
    }

    /// Returns the allocations to deallocate on each edge into a dead-end region, the last one first. As in the reference,
    /// there are none if no two allocations are active at once.
    fn deallocations_on_edges(&self) -> Vec<(Edge, Vec<Inst>)> {
        if self.lists.iter().all(|list| list.depth < 2) {
            return Vec::new();
        }
        let mut lists: FxHashMap<Edge, (u32, u32)> = FxHashMap::default();
        for region in &self.visited {
            lists.extend(region.edges.iter().map(|&(edge, list)| (edge, (list, region.state.list))));
        }
        let mut found = Vec::new();
        for block in self.body.blocks() {
            for edge in self.body.incoming(block) {
                let Some(&(mut list, end)) = lists.get(&edge) else { continue };
                let mut allocations = Vec::new();
                while list != end {
                    allocations.extend(self.lists[list as usize].allocation);
                    list = self.lists[list as usize].rest;
                }
                if !allocations.is_empty() {
                    found.push((edge, allocations));
                }
            }
        }
        found
    }
}

/// Returns the longest list that two lists begin with.
fn common(lists: &[Active], mut one: u32, mut other: u32) -> u32 {
    while one != other {
        if lists[one as usize].depth < lists[other as usize].depth {
            std::mem::swap(&mut one, &mut other);
        }
        one = lists[one as usize].rest;
    }
    one
}
