//! Escapes of variable boxes before a point.
//!
//! The cost for a box is proportional to the number of its uses and of the blocks reachable from its escapes.

use silkit_base::{EntitySet, FxHashMap, FxHashSet};
use silkit_ir::info::ApplyKind;
use silkit_ir::{Block, Body, Inst, Opcode, Value};

/// The escapes of a box.
pub(super) struct BoxUses {
    /// The first escape in each block with an escape.
    escapes: FxHashMap<Block, Inst>,
    /// The blocks at whose start the box may have escaped.
    escaped: EntitySet<Block>,
}

impl BoxUses {
    /// Computes the escapes of the box of an `alloc_box`.
    pub(super) fn new(body: &Body, allocation: Inst) -> Self {
        let mut uses = Self { escapes: FxHashMap::default(), escaped: EntitySet::default() };
        let mut work: Vec<Value> = body.results(allocation).collect();
        while let Some(value) = work.pop() {
            for user in body.users(value) {
                match body.inst(user).opcode {
                    Opcode::BeginBorrow
                    | Opcode::MarkUninitialized
                    | Opcode::MoveOnlyWrapperToCopyableBox => work.extend(body.results(user)),
                    Opcode::ProjectBox
                    | Opcode::StrongRetain
                    | Opcode::StrongRelease
                    | Opcode::DestroyValue
                    | Opcode::DeallocBox
                    | Opcode::EndBorrow
                    | Opcode::DebugValue => {}
                    // Usually a copy.
                    _ => uses.escape(body, user),
                }
            }
        }
        uses.propagate(body);
        uses
    }

    fn escape(&mut self, body: &Body, user: Inst) {
        let first = self.escapes.entry(body.inst_block(user)).or_insert(user);
        if body.inst_precedes(user, *first) {
            *first = user;
        }
    }

    fn propagate(&mut self, body: &Body) {
        let mut work: Vec<Block> = Vec::new();
        for &block in self.escapes.keys() {
            work.extend(body.block_successors(block));
        }
        while let Some(block) = work.pop() {
            if self.escaped.insert(block) {
                work.extend(body.block_successors(block));
            }
        }
    }

    /// Returns true if the box may have escaped before an instruction.
    pub(super) fn may_have_escaped_at(&self, body: &Body, point: Inst) -> bool {
        let block = body.inst_block(point);
        self.escaped.contains(block)
            || self.escapes.get(&block).is_some_and(|&escape| body.inst_precedes(escape, point))
    }
}

/// Returns the box before borrows and marks.
pub(super) fn origin(body: &Body, value: Value) -> Value {
    body.look_through(value, |opcode| matches!(opcode, Opcode::BeginBorrow | Opcode::MarkUninitialized))
}

/// Returns the calls of a non-escaping closure, or the call itself.
pub(super) fn calls_of(body: &Body, site: Inst) -> Vec<Inst> {
    if body.info(site).apply == Some(ApplyKind::Full) {
        return vec![site];
    }
    let mut found = Vec::new();
    let mut seen: FxHashSet<Value> = body.results(site).collect();
    let mut work: Vec<Value> = body.results(site).collect();
    while let Some(value) = work.pop() {
        for user in body.users(value) {
            match body.inst(user).opcode {
                Opcode::ConvertFunction
                | Opcode::ConvertEscapeToNoEscape
                | Opcode::MarkDependence
                | Opcode::BeginBorrow
                | Opcode::CopyValue
                | Opcode::MoveValue
                | Opcode::Enum
                | Opcode::Struct
                | Opcode::Tuple
                | Opcode::PartialApply => {
                    work.extend(body.results(user).filter(|&value| seen.insert(value)));
                }
                _ if body.info(user).apply == Some(ApplyKind::Full) => found.push(user),
                _ => {}
            }
        }
    }
    found
}
