//! The list of open scopes at each point: active stack allocations, or scopes of another kind. Lists are paths in a
//! tree, so that they share common parts and compare in constant time. All of them are computed in one pass over the
//! body.

use super::kinds::{Kind, STACK, begins, begun_by, may_begin, may_matter};
use crate::context::FunctionVerifier;
use silkit_base::{Entity, FxHashMap, FxHashSet};
use silkit_ir::{Block, Inst};
use std::rc::Rc;

/// A node of the tree, which represents the list up to its root.
#[derive(Clone, Copy, Debug)]
struct Active {
    /// The last allocation of the list; `None` for the unknown part of the list in a dead-end region.
    alloc: Option<Inst>,
    /// The list without the last allocation.
    rest: u32,
}

/// The empty list.
pub(super) const EMPTY: u32 = 0;

/// The number of nodes that may be visited and rebuilt in a function for out-of-order deallocations. When it is
/// exhausted, such a deallocation is removed from the lists only once it is the last.
const ALLOWANCE: usize = 1 << 20;

/// A violation of stack discipline.
#[derive(Clone, Copy, Debug)]
pub(super) enum StackViolation {
    /// A deallocation of an allocation that is not the last of the list.
    Order { alloc: Inst, last: Inst, dealloc: Inst },
    /// A deallocation of an allocation that is not in the list.
    Outer { alloc: Inst, dealloc: Inst },
    /// An exit with active allocations.
    Exit,
    /// An edge with different lists at its ends.
    Edge,
}

/// The lists of a function.
#[derive(Debug)]
pub(super) struct ActiveLists {
    nodes: Vec<Active>,
    /// The number of each node, made when an out-of-order deallocation asks for lists that may exist.
    node_of: Option<FxHashMap<(Inst, u32), u32>>,
    /// The list at the start of each reachable block.
    at_start: Vec<Option<u32>>,
    /// For each dead-end region that is entered, by its component: the list on entry, if all edges agree.
    at_entry: FxHashMap<u32, Option<u32>>,
    /// The list after each allocation.
    made: FxHashMap<Inst, u32>,
    wrong: Vec<StackViolation>,
    /// Scopes that may violate joint post-dominance.
    suspects: FxHashSet<Inst>,
    /// The remainder of [`ALLOWANCE`].
    allowance: usize,
    /// Allocations that were deallocated out of order after the allowance was exhausted.
    released: FxHashSet<Inst>,
}

/// Returns the lists of all allocations of a function.
pub(super) fn active_lists(cx: &FunctionVerifier<'_>) -> Rc<ActiveLists> {
    cx.cached(|| ActiveLists::compute(cx, &STACK, |_| false))
}

impl ActiveLists {
    /// Computes the lists of the scopes of one kind, except for skipped ones.
    ///
    /// Blocks are visited in reverse postorder, so that all edges into a dead-end region are visited before the
    /// region. The lists on these edges may disagree; then the part of the list below the region's own allocations is
    /// unknown.
    pub(super) fn compute(cx: &FunctionVerifier<'_>, kind: &Kind, skip: impl Fn(Inst) -> bool) -> Self {
        let mut this = Self {
            nodes: vec![Active { alloc: None, rest: EMPTY }],
            node_of: None,
            at_start: Vec::new(),
            at_entry: FxHashMap::default(),
            made: FxHashMap::default(),
            wrong: Vec::new(),
            suspects: FxHashSet::default(),
            allowance: ALLOWANCE,
            released: FxHashSet::default(),
        };
        if !cx.insts().any(|inst| may_begin(cx.body.inst(inst).opcode) && begins(cx, kind, inst)) {
            return this;
        }
        this.at_start = vec![None; cx.body.block_bound()];
        let mut at_end = vec![EMPTY; cx.body.block_bound()];
        for &block in cx.block_order().blocks() {
            let mut list = this.enter(cx, block);
            for inst in cx.body.block_insts(block).filter(|&inst| may_matter(cx.body.inst(inst).opcode)) {
                if begins(cx, kind, inst) && !skip(inst) {
                    list = this.push_new(inst, list);
                    this.made.insert(inst, list);
                } else if let Some(alloc) = begun_by(cx, kind, inst)
                    && !skip(alloc)
                {
                    list = this.deallocate(list, alloc, inst);
                }
            }
            at_end[block.index()] = list;
            this.leave(cx, block, list);
        }
        this.compare_edges(cx, &at_end);
        this
    }

    /// Returns the violations of stack discipline.
    pub(super) fn wrong(&self) -> &[StackViolation] {
        &self.wrong
    }

    /// Returns true if all allocations are properly nested. They then satisfy joint post-dominance as well: every end
    /// finds its allocation at the end of the list, no path returns to an allocation that is in the list, and exits
    /// have an empty list.
    pub(super) fn are_sound(&self) -> bool {
        self.wrong.is_empty()
    }

    /// Returns the scopes that may violate joint post-dominance, which include all that do.
    pub(super) fn suspects(&self) -> &FxHashSet<Inst> {
        &self.suspects
    }

    /// Returns the list at the start of a reachable block.
    pub(super) fn at_start(&self, block: Block) -> u32 {
        self.at_start.get(block.index()).copied().flatten().unwrap_or(EMPTY)
    }

    /// Returns the list after an instruction, given the list before it, if all allocations are properly nested.
    pub(super) fn after(&self, cx: &FunctionVerifier<'_>, list: u32, inst: Inst) -> u32 {
        match self.made.get(&inst) {
            Some(&made) => made,
            None if begun_by(cx, &STACK, inst).is_some() => self.nodes[list as usize].rest,
            None => list,
        }
    }

    /// Returns the data for membership queries. The unknown part of a list may contain any allocation.
    pub(super) fn membership(&self) -> Membership {
        // A node comes after its parent.
        let count = self.nodes.len();
        let mut size = vec![1u32; count];
        for node in (1..count).rev() {
            let rest = self.nodes[node].rest as usize;
            size[rest] += size[node];
        }
        let (mut enter, mut free) = (vec![0u32; count], vec![1u32; count]);
        let mut is_unknown = vec![false; count];
        for node in 1..count {
            let Active { alloc, rest } = self.nodes[node];
            enter[node] = enter[rest as usize] + free[rest as usize];
            free[rest as usize] += size[node];
            is_unknown[node] = alloc.is_none() || is_unknown[rest as usize];
        }
        Membership { enter, size, is_unknown }
    }

    /// Returns the list after an allocation.
    pub(super) fn made(&self, alloc: Inst) -> Option<u32> {
        self.made.get(&alloc).copied()
    }

    /// Returns the last allocation of a list.
    pub(super) fn last(&self, list: u32) -> Option<Inst> {
        self.nodes[list as usize].alloc
    }

    /// Returns the list extended by an allocation that no list has yet: a list has it only after it is made, in reverse
    /// postorder.
    fn push_new(&mut self, alloc: Inst, rest: u32) -> u32 {
        let next = self.nodes.len() as u32;
        if let Some(node_of) = &mut self.node_of {
            node_of.insert((alloc, rest), next);
        }
        self.nodes.push(Active { alloc: Some(alloc), rest });
        next
    }

    /// Returns the list extended by an allocation. Equal lists are the same node.
    fn push(&mut self, alloc: Inst, rest: u32) -> u32 {
        let nodes = &self.nodes;
        let node_of = self.node_of.get_or_insert_with(|| {
            let known = nodes.iter().zip(0..).filter_map(|(node, at)| Some(((node.alloc?, node.rest), at)));
            known.collect()
        });
        match node_of.get(&(alloc, rest)) {
            Some(&list) => list,
            None => self.push_new(alloc, rest),
        }
    }

    /// Computes the list at the start of a block, whose predecessors in reverse postorder have been visited.
    fn enter(&mut self, cx: &FunctionVerifier<'_>, block: Block) -> u32 {
        let list = self.at_start[block.index()].unwrap_or(EMPTY);
        if self.at_entry.is_empty() {
            self.at_start[block.index()] = Some(list);
            return list;
        }
        let component = cx.components().component(block);
        let list = match component.and_then(|c| self.at_entry.get(&c).copied()) {
            Some(Some(agreed)) if is_entered(cx, block) => agreed,
            Some(None) if is_entered(cx, block) => {
                let unknown = self.nodes.len() as u32;
                self.nodes.push(Active { alloc: None, rest: EMPTY });
                // All entries of a region share the unknown part.
                self.at_entry.insert(component.unwrap_or_default(), Some(unknown));
                unknown
            }
            _ => list,
        };
        self.at_start[block.index()] = Some(list);
        list
    }

    /// Propagates the list at the end of a block to its successors.
    fn leave(&mut self, cx: &FunctionVerifier<'_>, block: Block, list: u32) {
        for next in cx.body.block_successors(block) {
            self.at_start[next.index()].get_or_insert(list);
            if enters_dead_end(cx, block, next) {
                let Some(region) = cx.components().component(next) else { continue };
                let entry = self.at_entry.entry(region).or_insert(Some(list));
                if *entry != Some(list) {
                    *entry = None;
                }
            }
        }
    }

    /// Compares the lists at both ends of all edges except those into dead-end regions.
    fn compare_edges(&mut self, cx: &FunctionVerifier<'_>, at_end: &[u32]) {
        for &block in cx.block_order().blocks() {
            let list = at_end[block.index()];
            let leaves = cx.body.last_inst(block).is_some_and(|i| cx.body.inst(i).opcode.leaves_function());
            if leaves && list != EMPTY {
                self.wrong.push(StackViolation::Exit);
                self.suspect(list, EMPTY);
            }
            for next in cx.body.block_successors(block) {
                let start = self.at_start(next);
                if start != list && !enters_dead_end(cx, block, next) {
                    self.wrong.push(StackViolation::Edge);
                    self.suspect(list, start);
                }
            }
        }
    }

    /// Adds the allocations that are in only one of two lists to the suspects. A node has a greater number than its
    /// parent.
    fn suspect(&mut self, mut a: u32, mut b: u32) {
        while a != b {
            let upper = if a > b { &mut a } else { &mut b };
            let Active { alloc, rest } = self.nodes[*upper as usize];
            self.suspects.extend(alloc);
            *upper = rest;
        }
    }

    /// Returns the list after a deallocation.
    fn deallocate(&mut self, list: u32, alloc: Inst, dealloc: Inst) -> u32 {
        let top = self.nodes[list as usize];
        if top.alloc == Some(alloc) {
            return self.without_released(top.rest);
        }
        if self.allowance == 0 {
            return self.release_later(list, alloc, dealloc);
        }
        // The allocations after this one in the list, last first.
        let mut above = Vec::new();
        let mut at = list;
        while at != EMPTY && self.nodes[at as usize].alloc.is_some_and(|a| a != alloc) {
            above.push(at);
            at = self.nodes[at as usize].rest;
        }
        self.allowance = self.allowance.saturating_sub(above.len());
        let (Some(last), Some(_)) = (top.alloc, self.nodes[at as usize].alloc) else {
            self.wrong.push(StackViolation::Outer { alloc, dealloc });
            self.suspects.insert(alloc);
            return list;
        };
        self.wrong.push(StackViolation::Order { alloc, last, dealloc });
        // Continue as if the order was correct.
        let rest = self.nodes[at as usize].rest;
        above.iter().rev().fold(rest, |rest, &node| match self.nodes[node as usize].alloc {
            Some(alloc) => self.push(alloc, rest),
            None => rest,
        })
    }

    /// Returns the list after an out-of-order deallocation, without visiting the list.
    fn release_later(&mut self, list: u32, alloc: Inst, dealloc: Inst) -> u32 {
        self.suspects.insert(alloc);
        let is_new = self.made.contains_key(&alloc) && self.released.insert(alloc);
        self.wrong.push(match self.nodes[list as usize].alloc {
            Some(last) if is_new => StackViolation::Order { alloc, last, dealloc },
            _ => StackViolation::Outer { alloc, dealloc },
        });
        list
    }

    /// Returns a list without the allocations at its end that were deallocated earlier.
    fn without_released(&self, mut list: u32) -> u32 {
        while self.nodes[list as usize].alloc.is_some_and(|alloc| self.released.contains(&alloc)) {
            list = self.nodes[list as usize].rest;
        }
        list
    }
}

/// Returns true if an edge enters a dead-end region from outside.
fn enters_dead_end(cx: &FunctionVerifier<'_>, from: Block, to: Block) -> bool {
    cx.dead_ends().is_dead_end(to) && !cx.components().are_together(from, to)
}

/// Returns true if a block has an incoming edge from outside its region.
fn is_entered(cx: &FunctionVerifier<'_>, block: Block) -> bool {
    cx.body.predecessors(block).any(|p| !cx.components().are_together(p, block))
}

/// Constant-time queries for the allocations in a list.
#[derive(Debug)]
pub(super) struct Membership {
    /// The position of each node in preorder of the tree.
    enter: Vec<u32>,
    /// The size of the subtree of each node.
    size: Vec<u32>,
    is_unknown: Vec<bool>,
}

impl Membership {
    /// Returns true if the list after an allocation is, or may be, a prefix of another list.
    pub(super) fn may_hold(&self, list: u32, made: u32) -> bool {
        let (list, made) = (list as usize, made as usize);
        let offset = self.enter[list].wrapping_sub(self.enter[made]);
        offset < self.size[made] || self.is_unknown[list]
    }
}
