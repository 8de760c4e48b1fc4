//! The last retain or release of a value on every path, by data-flow analysis.

use super::{Epilogue, EpilogueKind};
use silkit_base::{Entity, FxHashSet};
use silkit_ir::{Block, Inst, Opcode, Value, ValueDef};

/// The events on the paths from a point to the end of the function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Following {
    /// No event yet: the next one that is found is the last.
    Nothing,
    /// The last event was found, or the function does not exit there.
    Something,
    /// Different states on different paths.
    Either,
}

impl Epilogue<'_> {
    /// Returns the last retain, or release, of a value on each path to the end of the function: one on every path, or
    /// none at all where a path has none, or where something else may release first.
    ///
    /// A recursive call counts as a retain of the returned value.
    pub fn last(&self, value: Value, kind: EpilogueKind) -> Vec<Inst> {
        let mut order = self.body.reverse_postorder();
        order.reverse();
        let locals = self.local_values(value);
        let mut nothing_ahead = vec![true; self.body.block_bound()];
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for &block in &order {
                let mut is_nothing = self.ahead(block, kind, &nothing_ahead) == Following::Nothing;
                if is_nothing {
                    match self.last_in(block, locals[block.index()], kind) {
                        Ok(found) => is_nothing = found.is_none(),
                        Err(Barrier) => return Vec::new(),
                    }
                }
                has_changed |= std::mem::replace(&mut nothing_ahead[block.index()], is_nothing) != is_nothing;
            }
        }
        let mut found = Vec::new();
        for &block in &order {
            match self.ahead(block, kind, &nothing_ahead) {
                Following::Something => {}
                Following::Either => return Vec::new(),
                Following::Nothing => {
                    found.extend(self.last_in(block, locals[block.index()], kind).ok().flatten());
                }
            }
        }
        found
    }

    fn ahead(&self, block: Block, kind: EpilogueKind, nothing_ahead: &[bool]) -> Following {
        let body = self.body;
        let mut successors = body.block_successors(block).map(|s| nothing_ahead[s.index()]);
        match successors.next() {
            None => match body.last_inst(block).map(|i| body.inst(i).opcode) {
                // A function that throws returns no value that is retained for its caller.
                Some(Opcode::Throw | Opcode::ThrowAddr) if kind == EpilogueKind::Retain => {
                    Following::Something
                }
                Some(opcode) if opcode.leaves_function() => Following::Nothing,
                _ => Following::Something,
            },
            Some(first) => match successors.all(|other| other == first) {
                true if first => Following::Nothing,
                true => Following::Something,
                false => Following::Either,
            },
        }
    }

    /// Returns the value in each block: in the predecessors of a phi, the incoming values.
    fn local_values(&self, value: Value) -> Vec<Value> {
        let body = self.body;
        let mut locals = vec![value; body.block_bound()];
        let (mut work, mut seen) = (vec![value], FxHashSet::default());
        while let Some(value) = work.pop() {
            let ValueDef::Argument(block, index) = body.def(value) else { continue };
            if !seen.insert(value) || !body.is_phi(value) {
                continue;
            }
            for edge in body.incoming(block) {
                let Some(operand) = body.edge_operand(edge, index.into()) else { continue };
                let passed = body.operand(operand).value;
                locals[body.edge(edge).from.index()] = passed;
                work.push(passed);
            }
        }
        locals
    }

    /// Returns the last retain or release of a value in a block, or the barrier after it.
    fn last_in(&self, block: Block, value: Value, kind: EpilogueKind) -> Result<Option<Inst>, Barrier> {
        let body = self.body;
        let root = self.identity.root(value);
        let mut at = body.last_inst(block);
        while let Some(inst) = at {
            let is_wanted = match self.is(inst, kind) {
                true => self.root_of_operand(inst) == root,
                false => kind == EpilogueKind::Retain && self.recurses(inst) && self.gives(inst, root),
            };
            if is_wanted {
                return Ok(Some(inst));
            }
            if self.blocks(inst, kind, value) {
                return Err(Barrier);
            }
            at = body.prev_inst(inst);
        }
        Ok(None)
    }

    fn gives(&self, call: Inst, root: Value) -> bool {
        debug_assert_eq!(self.body.inst(call).opcode, Opcode::Apply, "invariant: it recurses");
        self.body.results(call).any(|result| self.identity.root(result) == root)
    }
}

/// An instruction that may release or observe a reference count.
struct Barrier;
