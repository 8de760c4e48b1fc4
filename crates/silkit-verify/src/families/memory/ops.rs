//! Operations on memory, in execution order.

use super::effects::read_by_callee;
use crate::context::FunctionVerifier;
use crate::families::scopes::joint::broken_scopes;
use silkit_analysis::BodyView;
use silkit_analysis::memory::{
    ArgumentRoleKind, LocationRoot, Locations, RequiredState, ResultingState, RootKind, switched_edges,
};
use silkit_base::{Entity, FxHashMap, FxHashSet};
use silkit_ir::conventions::ArgumentConvention;
use silkit_ir::{Inst, Opcode, Operand, Value};
use std::ops::Range;

/// The cause of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    /// An instruction uses an address.
    Use(Operand),
    /// A borrow from the memory ends.
    EndOfBorrow,
    /// The coroutine that yielded the address ends.
    EndOfCoroutine,
    /// The function begins, or the memory is yielded.
    Begin,
    /// The function exits.
    Exit,
    /// An edge was taken.
    Edge,
}

/// An operation on some leaves.
#[derive(Clone, Debug)]
pub(super) struct Op {
    /// The reverse postorder number of its block.
    pub(super) block: u32,
    /// Its position in the block: that of the instruction, with checks before effects and takes before stores.
    /// Operations on an incoming edge come first.
    order: (u32, u8),
    /// The instruction; for an edge, the terminator at its start.
    pub(super) inst: Inst,
    /// The cause of the operation.
    pub(super) why: Reason,
    /// The location.
    pub(super) location: u32,
    /// Its leaves.
    pub(super) leaves: Range<u32>,
    /// The required state.
    pub(super) needs: RequiredState,
    /// The state afterwards.
    pub(super) then: ResultingState,
    /// True if the stored value may be non-trivial.
    owns: bool,
    /// True if the required state is assumed afterwards, so that a violation is reported once.
    pub(super) recovers: bool,
}

/// All operations in a body, sorted.
#[derive(Debug, Default)]
pub(super) struct Ops {
    pub(super) locations: Locations,
    pub(super) ops: Vec<Op>,
    /// For each root location, true if all its operations are in the block that allocates it.
    is_local: Vec<bool>,
}

struct Maker<'c, 'a> {
    cx: &'c FunctionVerifier<'a>,
    view: BodyView<'a>,
    /// For each value, the value that it is a copy or borrow of. Nothing if the body has no switch on a value, so that nobody
    /// asks what memory holds.
    origins: Option<Vec<Value>>,
    ops: Vec<Op>,
}

impl Ops {
    pub(super) fn new(cx: &FunctionVerifier<'_>) -> Self {
        let view = cx.view();
        let mut locations = Locations::compute(&view);
        if locations.roots.is_empty() {
            return Self { locations, ..Self::default() };
        }
        let origins = cx.insts_with(&[Opcode::SwitchEnum]).next().map(|_| origins(cx));
        let mut maker = Maker { cx, view, origins, ops: Vec::with_capacity(2 * locations.accesses.len()) };
        let mut is_local = Vec::with_capacity(locations.roots.len());
        let exits: Vec<Inst> = cx
            .block_order()
            .blocks()
            .iter()
            .filter_map(|&b| cx.body.last_inst(b))
            .filter(|&i| cx.body.is_function_exit(i))
            .collect();
        let mut values = FxHashMap::default();
        let mut left_out = Vec::new();
        for root in &locations.roots {
            let first = maker.ops.len();
            let is_understood = maker.root(&locations, root, &exits, &mut values);
            if !is_understood {
                maker.ops.truncate(first);
                left_out.push((root.value, None));
            }
            let allocating = cx.body.defining_inst(root.value).map(|inst| cx.body.inst_block(inst));
            let block = |op: &Op| cx.block_order().blocks()[op.block as usize];
            let is_here = maker.ops[first..].iter().all(|op| Some(block(op)) == allocating);
            is_local.push(is_here && matches!(root.kind, RootKind::Allocation(_)));
        }
        let dropped = maker.switches(&locations, &values);
        left_out.extend(dropped.iter().map(|&root| (root, None)));
        let mut ops = maker.ops;
        if !dropped.is_empty() {
            ops.retain(|op| !dropped.contains(&locations.root_of(op.location).value));
        }
        locations.left_out.extend(left_out);
        ops.sort_by_key(|op| (op.block, op.order));
        Self { locations, ops, is_local }
    }

    /// Returns true if all operations on a location's root are in the block that allocates it.
    pub(super) fn is_local(&self, location: u32) -> bool {
        let root = self.locations.roots.partition_point(|root| root.locations.end <= location);
        self.is_local.get(root).is_some_and(|&is_local| is_local)
    }
}

impl Maker<'_, '_> {
    /// Collects the operations on a root location. Returns false if they are not all known.
    fn root(
        &mut self,
        locations: &Locations,
        root: &LocationRoot,
        exits: &[Inst],
        values: &mut FxHashMap<Value, Vec<u32>>,
    ) -> bool {
        let whole = root.locations.start;
        match root.kind {
            RootKind::Allocation(_) => {}
            RootKind::Argument(convention, role) => self.argument(locations, root, convention, role, exits),
            RootKind::Yielded(convention, begin) => {
                self.push(
                    locations,
                    begin,
                    Reason::Begin,
                    whole,
                    RequiredState::Any,
                    ResultingState::Initialized,
                    true,
                );
                let needs = match convention {
                    ArgumentConvention::In => RequiredState::Empty,
                    _ => RequiredState::Owned,
                };
                for end in self.ends(begin) {
                    self.push(
                        locations,
                        end,
                        Reason::EndOfCoroutine,
                        whole,
                        needs,
                        ResultingState::Uninitialized,
                        true,
                    );
                }
            }
        }
        let is_broken = |inst: Inst| broken_scopes(self.cx).contains(&inst);
        let accesses = &locations.accesses[root.accesses.start as usize..root.accesses.end as usize];
        let is_store_borrow = |inst: Inst| self.cx.body.inst(inst).opcode == Opcode::StoreBorrow;
        let mut stores = accesses.iter().map(|access| access.inst).filter(|&inst| is_store_borrow(inst));
        let lends = stores.clone().next().is_some();
        if stores.any(is_broken) {
            return false;
        }
        for access in accesses {
            // A change of memory with a stored borrow is reported separately.
            if lends && access.effect.changes {
                continue;
            }
            let (inst, location) = (access.inst, access.location);
            let why = Reason::Use(access.operand);
            let (mut needs, then) = (access.effect.needs, access.effect.leaves);
            if lends && needs == RequiredState::Initialized {
                needs = RequiredState::Any;
            }
            // A callee with known effects may read only a part.
            if needs == RequiredState::Initialized
                && let Some(read) = read_by_callee(self.cx, locations, access)
            {
                for location in read {
                    self.push(
                        locations,
                        inst,
                        why,
                        location,
                        RequiredState::Initialized,
                        ResultingState::Unchanged,
                        access.owns,
                    );
                }
                needs = RequiredState::Any;
            }
            self.push(locations, inst, why, location, needs, then, access.owns);
            if self.cx.body.inst(inst).opcode == Opcode::GetAsyncContinuationAddr {
                if !self.awaited(locations, inst, location, access.owns) {
                    return false;
                }
                continue;
            }
            for &(edge, then) in &access.effect.on_edges {
                if !self.edge(locations, inst, edge, location, then, access.owns) {
                    return false;
                }
            }
        }
        for at in root.addresses.clone() {
            let (address, location) = locations.addresses[at as usize];
            self.values(locations, address, location, values, lends);
        }
        true
    }

    /// Adds the operations for values loaded from or stored to an address and for the ends of their borrows.
    fn values(
        &mut self,
        locations: &Locations,
        address: Value,
        location: u32,
        values: &mut FxHashMap<Value, Vec<u32>>,
        lends: bool,
    ) {
        let body = self.cx.body;
        for user in body.users(address) {
            let value = match body.inst(user).opcode {
                Opcode::Load | Opcode::LoadBorrow => body.first_result(user),
                Opcode::Store => Some(body.operand_value(user, 0)),
                _ => None,
            };
            let Some(value) = value else { continue };
            if let Some(origins) = &self.origins {
                values.entry(origins[value.index()]).or_default().push(location);
            }
            // The scope rules check that a stored borrow is read within its scope.
            if body.inst(user).opcode == Opcode::LoadBorrow && !lends {
                for end in body.users(value).filter(|&i| body.inst(i).opcode == Opcode::EndBorrow) {
                    self.push(
                        locations,
                        end,
                        Reason::EndOfBorrow,
                        location,
                        RequiredState::Initialized,
                        ResultingState::Unchanged,
                        true,
                    );
                }
            }
        }
    }

    fn argument(
        &mut self,
        locations: &Locations,
        root: &LocationRoot,
        convention: ArgumentConvention,
        role: ArgumentRoleKind,
        exits: &[Inst],
    ) {
        let whole = root.locations.start;
        if convention != ArgumentConvention::Out
            && let Some(first) = self.cx.body.entry_block().and_then(|b| self.cx.body.first_inst(b))
        {
            let at = self.ops.len();
            self.push(
                locations,
                first,
                Reason::Begin,
                whole,
                RequiredState::Any,
                ResultingState::Initialized,
                true,
            );
            self.ops[at..].iter_mut().for_each(|op| op.order = (0, 0));
        }
        for &exit in exits {
            let is_thrown_there = self.cx.body.inst(exit).opcode == Opcode::ThrowAddr;
            let is_throw = is_thrown_there || self.cx.body.inst(exit).opcode == Opcode::Throw;
            let needs = match (convention, role) {
                // Tests of the reference leave `weak` and `unowned` references in arguments that they consume. A take
                // from a borrowed one is reported there.
                (ArgumentConvention::In | ArgumentConvention::InGuaranteed, _) if root.holds_weak_storage => {
                    continue;
                }
                (ArgumentConvention::In, _) => RequiredState::Empty,
                // A `throw_addr` leaves the error in memory; the type rules report a `throw` in such a function.
                (_, ArgumentRoleKind::Error) if is_thrown_there => RequiredState::Initialized,
                (_, ArgumentRoleKind::Error) if is_throw => continue,
                (_, ArgumentRoleKind::Error) => RequiredState::Empty,
                (ArgumentConvention::Out, _) if is_throw => RequiredState::Empty,
                _ => RequiredState::Initialized,
            };
            self.push(locations, exit, Reason::Exit, whole, needs, ResultingState::Unchanged, true);
        }
    }

    /// Returns the instructions that end a coroutine.
    fn ends(&self, begin: Inst) -> Vec<Inst> {
        let body = self.cx.body;
        let is_end = |i: &Inst| matches!(body.inst(*i).opcode, Opcode::EndApply | Opcode::AbortApply);
        body.results(begin).flat_map(|v| body.users(v)).filter(is_end).collect()
    }

    /// Adds the operations on the edges of the `await`s of a continuation, which receives its result in memory. Returns
    /// false if they cannot be attributed to the successor blocks.
    fn awaited(&mut self, locations: &Locations, get: Inst, location: u32, owns: bool) -> bool {
        let body = self.cx.body;
        let is_await = |inst: &Inst| body.inst(*inst).opcode == Opcode::AwaitAsyncContinuation;
        body.results(get).flat_map(|value| body.users(value)).filter(is_await).all(|wait| {
            let edges = [ResultingState::Initialized, ResultingState::Uninitialized];
            let of_this = edges.into_iter().enumerate().take(body.successors(wait).count());
            of_this.into_iter().all(|(edge, then)| self.edge(locations, wait, edge, location, then, owns))
        })
    }

    /// Adds the operations on an edge. Returns false if they cannot be attributed to the successor block.
    fn edge(
        &mut self,
        locations: &Locations,
        inst: Inst,
        edge: usize,
        location: u32,
        then: ResultingState,
        owns: bool,
    ) -> bool {
        let body = self.cx.body;
        let Some(target) = body.successor(inst, edge) else { return false };
        if body.single_predecessor(target).is_none() {
            return false;
        }
        if let Some(block) = self.cx.block_order().position(target) {
            let leaves = locations.locations[location as usize].leaves.clone();
            let (block, needs) = (block as u32, RequiredState::Any);
            self.ops.push(Op {
                block,
                order: (0, 0),
                inst,
                why: Reason::Edge,
                location,
                leaves,
                needs,
                then,
                owns,
                recovers: true,
            });
        }
        true
    }

    /// Adds the operations that switches on values imply for the memory that the values were loaded from or stored
    /// to. Returns the root locations for which this is not tracked.
    fn switches(&mut self, locations: &Locations, values: &FxHashMap<Value, Vec<u32>>) -> FxHashSet<Value> {
        let body = self.cx.body;
        let mut dropped = FxHashSet::default();
        let Some(origins) = self.origins.take() else { return dropped };
        for &block in self.cx.block_order().blocks() {
            let Some(switch) = body.last_inst(block).filter(|&i| body.inst(i).opcode == Opcode::SwitchEnum)
            else {
                continue;
            };
            let origin = origins[body.operand_value(switch, 0).index()];
            let Some(places) = values.get(&origin) else { continue };
            if places.len() > MOST_PLACES {
                dropped.extend(places.iter().map(|&location| locations.root_of(location).value));
                continue;
            }
            for edge in switched_edges(&self.view, switch) {
                for &location in places {
                    self.edge(locations, switch, edge, location, ResultingState::KnownTrivial, false);
                }
            }
        }
        dropped
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of an operation on memory")]
    fn push(
        &mut self,
        locations: &Locations,
        inst: Inst,
        why: Reason,
        location: u32,
        needs: RequiredState,
        then: ResultingState,
        owns: bool,
    ) {
        let Some(block) = self.cx.block_order().position(self.cx.body.inst_block(inst)) else { return };
        let at = self.cx.body.order_in_block(inst);
        let leaves = locations.locations[location as usize].leaves.clone();
        // An enum with a payload case is not initialized until its payload is.
        let recovers = self.cx.body.inst(inst).opcode != Opcode::InjectEnumAddr;
        let mut push = |phase: u8, needs, then| {
            let (block, leaves) = (block as u32, leaves.clone());
            self.ops.push(Op {
                block,
                order: (at, 1 + phase),
                inst,
                why,
                location,
                leaves,
                needs,
                then,
                owns,
                recovers,
            });
        };
        if needs != RequiredState::Any {
            push(0, needs, ResultingState::Unchanged);
        }
        if then != ResultingState::Unchanged {
            push(if then == ResultingState::Uninitialized { 1 } else { 2 }, RequiredState::Any, then);
        }
    }
}

/// The maximum number of locations with a value for which a switch on the value is tracked.
const MOST_PLACES: usize = 16;

/// Returns for each value the value that it is a copy or borrow of.
fn origins(cx: &FunctionVerifier<'_>) -> Vec<Value> {
    let body = cx.body;
    let mut origins: Vec<Value> = (0..body.value_bound() as u32).map(Value::from_u32).collect();
    for &block in cx.block_order().blocks() {
        for inst in body.block_insts(block) {
            let is_same =
                matches!(body.inst(inst).opcode, Opcode::CopyValue | Opcode::BeginBorrow | Opcode::MoveValue);
            if is_same && let Some(result) = body.first_result(inst) {
                origins[result.index()] = origins[body.operand_value(inst, 0).index()];
            }
        }
    }
    origins
}

/// Returns the bits of a word for the leaves of a range that are in a chunk.
pub(super) fn mask(leaves: &Range<u32>, chunk: u32) -> u64 {
    let first = chunk * 64;
    let start = leaves.start.max(first);
    let end = leaves.end.min(first + 64);
    if start >= end {
        return 0;
    }
    let ones = u64::MAX >> (64 - (end - start));
    ones << (start - first)
}

impl Op {
    /// Returns true if the operation leaves a value that must be destroyed in a non-trivial leaf.
    pub(super) fn stores_owned(&self) -> bool {
        self.then == ResultingState::Initialized && self.owns
    }
}
