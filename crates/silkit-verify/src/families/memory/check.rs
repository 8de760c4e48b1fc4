//! Checks memory operations against the states on incoming paths.

use super::flow::{Flow, LeafMasks, State};
use super::ops::{Op, Ops, Reason};
use super::report::{Violation, report};
use super::rules::USED_INITIALIZED;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use silkit_analysis::memory::RequiredState;
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::{Block, Inst};

pub(super) struct Checker<'c, 'a> {
    pub(super) cx: &'c FunctionVerifier<'a>,
    pub(super) ops: &'c Ops,
    /// The reported violations, by instruction and root location.
    reported: FxHashSet<(Inst, u32, RequiredState)>,
}

/// The leaves that are checked together.
struct Chunk<'o, 'c, 'a> {
    /// The operations on them, in order.
    ops: &'o [&'o Op],
    words: LeafMasks,
    /// Its number.
    index: u32,
    /// The states at the ends of blocks; nothing for a body of one block.
    flow: Option<&'o Flow<'c, 'a>>,
}

/// The origin of the state of a leaf.
#[derive(Debug, Default)]
pub(super) struct Origin {
    /// The instruction that caused the state; `None` for the initial state.
    pub(super) inst: Option<Inst>,
    /// The path of blocks from the origin.
    pub(super) path: Vec<Block>,
}

pub(super) fn check(cx: &FunctionVerifier<'_>) {
    if !cx.is_ossa() {
        return;
    }
    let ops = Ops::new(cx);
    for &(root, operand) in &ops.locations.left_out {
        let place = operand.map_or(Place::Value(root), Place::Operand);
        cx.unknown(&USED_INITIALIZED, place, || {
            format!("the content of `{}`, which may have escaped", cx.value(root))
        });
    }
    if ops.ops.is_empty() {
        return;
    }
    let mut checker = Checker { cx, ops: &ops, reported: FxHashSet::default() };
    let mut flow = (!is_straight(cx)).then(|| Flow::new(cx));
    let of_leaves = ops.ops.iter().filter(|op| !op.leaves.is_empty());
    // Operations by chunk. Most bodies have one.
    let count = ops.locations.leaves.len().div_ceil(64);
    if count == 1 {
        let mut all = Vec::with_capacity(ops.ops.len());
        all.extend(of_leaves);
        checker.chunk(&all, 0, flow.as_mut());
        return;
    }
    let mut chunks: Vec<Vec<&Op>> = vec![Vec::new(); count];
    for op in of_leaves {
        for chunk in op.leaves.start / 64..=(op.leaves.end - 1) / 64 {
            chunks[chunk as usize].push(op);
        }
    }
    for (chunk, ops) in chunks.iter().enumerate() {
        checker.chunk(ops, chunk as u32, flow.as_mut());
    }
}

/// Returns true if a body is one block that no edge leads to, as many are. Nothing is initialized where it begins.
fn is_straight(cx: &FunctionVerifier<'_>) -> bool {
    matches!(cx.block_order().blocks(), [only] if cx.body.predecessors(*only).next().is_none())
}

impl Chunk<'_, '_, '_> {
    /// Returns the state at the end of a block.
    fn end(&self, block: u32) -> State {
        self.flow.map_or(State::default(), |flow| flow.end(block))
    }
}

impl<'c, 'a> Checker<'c, 'a> {
    fn chunk(&mut self, ops: &[&Op], index: u32, flow: Option<&mut Flow<'c, 'a>>) {
        let words = LeafMasks::new(self.ops, index);
        let order = self.cx.block_order();
        let Some(flow) = flow else {
            let chunk = Chunk { ops, words, index, flow: None };
            return self.block(&chunk, order.blocks()[0], ops, State::default());
        };
        flow.solve(ops, words, index);
        let chunk = Chunk { ops, words, index, flow: Some(flow) };
        let mut in_blocks = ops.chunk_by(|a, b| a.block == b.block).peekable();
        let mut disagreed = 0;
        for (at, &number) in flow.blocks().iter().enumerate() {
            let here: &[&Op] = in_blocks.next_if(|ops| ops[0].block == number).unwrap_or_default();
            let block = order.blocks()[number as usize];
            if !self.cx.dead_ends().is_dead_end(block) {
                let differ = flow.disagreeing(at) & words.known & !disagreed;
                disagreed |= differ;
                self.report_disagreeing(&chunk, number, differ);
            }
            self.block(&chunk, block, here, flow.start(at));
        }
    }

    /// Checks the operations in a block, given the state at its start.
    fn block(&mut self, chunk: &Chunk<'_, '_, '_>, block: Block, here: &[&Op], mut state: State) {
        let is_dead_end = self.cx.dead_ends().is_dead_end(block);
        for (index, op) in here.iter().enumerate() {
            let violations = state.violations(op, chunk.words, chunk.index);
            if violations != 0 && (!is_dead_end || self.is_checked_in_dead_end(op)) {
                self.report_breach(chunk, here, index, violations);
            }
            state = state.after(op, chunk.words, chunk.index);
        }
    }

    /// In a dead-end block, only memory that is used in no other block is checked: paths into a dead end may disagree
    /// about the state of memory, and nothing has to be destroyed.
    fn is_checked_in_dead_end(&self, op: &Op) -> bool {
        self.ops.is_local(op.location) && op.needs != RequiredState::Empty
    }

    fn report_breach(&mut self, chunk: &Chunk<'_, '_, '_>, here: &[&Op], index: usize, violations: u64) {
        let op = here[index];
        let root = self.ops.locations.root_of(op.location).locations.start;
        if !self.reported.insert((op.inst, root, op.needs)) {
            return;
        }
        let bit = violations.trailing_zeros();
        let is_bad: fn(State) -> u64 = match op.needs {
            RequiredState::Empty => |state| state.held,
            _ => |state| !state.full,
        };
        let origin = self.origin(chunk, op.block, Some(&here[..index]), bit, is_bad);
        let leaf = self.ops.locations.leaves[(chunk.index * 64 + bit) as usize].location;
        report(self.cx, &self.ops.locations, &Violation::Op { op, leaf, origin });
    }

    /// Reports the leaves that are initialized on one incoming edge and not on another, one for each root.
    fn report_disagreeing(&mut self, chunk: &Chunk<'_, '_, '_>, number: u32, mut differ: u64) {
        let (cx, order) = (self.cx, self.cx.block_order());
        while differ != 0 {
            let bit = differ.trailing_zeros();
            differ &= differ - 1;
            let leaf = self.ops.locations.leaves[(chunk.index * 64 + bit) as usize].location;
            let root = self.ops.locations.root_of(leaf).locations.start;
            let preds =
                cx.body.predecessors(order.blocks()[number as usize]).filter_map(|p| order.position(p));
            let (mut held, mut empty) = (None, None);
            for pred in preds {
                let end = chunk.end(pred as u32);
                if (end.held >> bit) & 1 == 1 {
                    held = held.or(Some(pred as u32));
                } else if (end.full >> bit) & 1 == 0 {
                    empty = Some(pred as u32);
                }
            }
            let (Some(held), Some(empty)) = (held, empty) else { continue };
            let (Some(from), Some(other)) = (
                cx.body.last_inst(order.blocks()[held as usize]),
                cx.body.last_inst(order.blocks()[empty as usize]),
            ) else {
                continue;
            };
            if !self.reported.insert((from, root, RequiredState::Any)) {
                continue;
            }
            let stored = self.origin(chunk, held, None, bit, |state| state.held);
            let taken = self.origin(chunk, empty, None, bit, |state| !state.full);
            let violation = Violation::Disagreement { leaf, from, other, stored, taken };
            report(cx, &self.ops.locations, &violation);
        }
    }

    /// Returns the origin of the state of a leaf at the end of a block or after some of its operations.
    fn origin(
        &self,
        chunk: &Chunk<'_, '_, '_>,
        block: u32,
        before: Option<&[&Op]>,
        bit: u32,
        is_bad: fn(State) -> u64,
    ) -> Origin {
        let (cx, order) = (self.cx, self.cx.block_order());
        let has_bit = |state: State| (is_bad(state) >> bit) & 1 == 1;
        // Find the operation that changes the state.
        let good = State { full: u64::MAX, held: 0, mixed: 0 };
        let maker = |ops: &[&Op]| {
            let op = ops.iter().rev().find(|op| has_bit(good.after(op, chunk.words, chunk.index)))?;
            Some(Some(op.inst).filter(|_| op.why != Reason::Begin))
        };
        let in_block = |number: u32| {
            let start = chunk.ops.partition_point(|op| op.block < number);
            let end = chunk.ops.partition_point(|op| op.block <= number);
            &chunk.ops[start..end]
        };
        if let Some(inst) = maker(before.unwrap_or_else(|| in_block(block))) {
            return Origin { inst, path: Vec::new() };
        }
        let mut next: FxHashMap<u32, u32> = FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([block]);
        let path = |next: &FxHashMap<u32, u32>, from: u32| {
            let mut path = vec![order.blocks()[from as usize]];
            let mut at = from;
            while let Some(&to) = next.get(&at) {
                path.push(order.blocks()[to as usize]);
                if to == block {
                    break;
                }
                at = to;
            }
            path
        };
        let mut first = None;
        while let Some(at) = queue.pop_front() {
            if at == 0 {
                first = first.or(Some(at));
            }
            for pred in cx.body.predecessors(order.blocks()[at as usize]) {
                let Some(pred) = order.position(pred).map(|p| p as u32) else { continue };
                if next.contains_key(&pred) || !has_bit(chunk.end(pred)) {
                    continue;
                }
                next.insert(pred, at);
                if let Some(inst) = maker(in_block(pred)) {
                    return Origin { inst, path: path(&next, pred) };
                }
                queue.push_back(pred);
            }
        }
        match first {
            Some(entry) if entry != block => Origin { inst: None, path: path(&next, entry) },
            _ => Origin::default(),
        }
    }
}
