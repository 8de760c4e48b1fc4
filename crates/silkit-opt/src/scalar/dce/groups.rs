//! Groups of removals: a web of dead values is removed as a unit, and a dead branch with all blocks that become
//! unreachable.

use super::live::Live;
use silkit_base::Entity;
use silkit_ir::{Block, Body, Inst, Opcode, Ownership, Value, ValueDef};

/// A dead instruction or argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Node(u32);

/// The numbering of the nodes of a body.
#[derive(Clone, Copy)]
pub(super) struct Nodes {
    insts: u32,
}

impl Nodes {
    /// Returns the node of an instruction.
    pub(super) fn inst(self, inst: Inst) -> Node {
        Node(inst.as_u32())
    }

    /// Returns the node of a block argument.
    pub(super) fn arg(self, arg: Value) -> Node {
        Node(self.insts + arg.as_u32())
    }
}

/// The dead instructions and arguments of a body in a union-find structure: nodes in one group can only be removed
/// together.
pub(super) struct Groups {
    /// A node of the same group with a smaller number, or the node itself.
    above: Vec<u32>,
    nodes: Nodes,
    /// The dead arguments that are removed or passed by a branch.
    is_tied: Vec<bool>,
}

impl Groups {
    /// Computes the groups, given the dead branches with their new targets.
    pub(super) fn of(body: &Body, live: &Live<'_>, branches: &[(Inst, Block)]) -> Self {
        let nodes = Nodes { insts: body.inst_bound() as u32 };
        let count = body.inst_bound() + body.value_bound();
        let mut this =
            Self { above: (0..count as u32).collect(), nodes, is_tied: vec![false; body.value_bound()] };
        // An argument that no branch passes and that needs no destroy is kept; its users may be removed
        // independently.
        for &arg in body.blocks().flat_map(|block| body.arguments(block)) {
            let is_destroyed = || body.value(arg).ownership == Ownership::Owned;
            this.is_tied[arg.index()] = !live.argument(arg) && (is_destroyed() || body.is_phi(arg));
        }
        for block in body.blocks() {
            for &arg in body.arguments(block) {
                let passed = if this.is_tied[arg.index()] { body.phi_values(arg) } else { Vec::new() };
                passed.into_iter().for_each(|value| this.join_definition(body, live, nodes.arg(arg), value));
            }
            for inst in body.block_insts(block).filter(|&inst| !live.inst(inst)) {
                // The operands of a branch belong to the arguments.
                if body.inst(inst).opcode != Opcode::Branch {
                    for operand in body.operands(inst) {
                        this.join_definition(body, live, nodes.inst(inst), operand.value);
                    }
                }
            }
        }
        this.join_skipped(body, live, branches);
        this
    }

    /// Joins each dead branch with the arguments of its new target, to which nothing is passed then, and with all
    /// blocks that it skips. These contain no live instruction up to the target, so that each is visited once.
    fn join_skipped(&mut self, body: &Body, live: &Live<'_>, branches: &[(Inst, Block)]) {
        let mut skipped_by: Vec<Option<Node>> = vec![None; body.block_bound()];
        for &(branch, target) in branches {
            let node = self.nodes.inst(branch);
            self.join_arguments(body, live, node, target);
            let mut work: Vec<Block> = body.successors(branch).filter(|&to| to != target).collect();
            while let Some(block) = work.pop() {
                if let Some(other) = skipped_by[block.index()].replace(node) {
                    self.join(node, other);
                    continue;
                }
                self.join_arguments(body, live, node, block);
                for inst in body.block_insts(block).filter(|&inst| !live.inst(inst)) {
                    self.join(node, self.nodes.inst(inst));
                }
                work.extend(body.block_successors(block).filter(|&to| to != target));
            }
        }
    }

    fn join_arguments(&mut self, body: &Body, live: &Live<'_>, node: Node, block: Block) {
        for &arg in body.arguments(block).iter().filter(|&&arg| !live.argument(arg)) {
            self.join(node, self.nodes.arg(arg));
        }
    }

    fn join_definition(&mut self, body: &Body, live: &Live<'_>, node: Node, value: Value) {
        match body.def(value) {
            ValueDef::Result(inst, _) if !live.inst(inst) => self.join(node, self.nodes.inst(inst)),
            ValueDef::Argument(..) if self.is_tied[value.index()] => self.join(node, self.nodes.arg(value)),
            _ => {}
        }
    }

    /// Returns the numbers of the nodes.
    pub(super) fn nodes(&self) -> Nodes {
        self.nodes
    }

    fn join(&mut self, a: Node, b: Node) {
        let (a, b) = (self.group(a).0, self.group(b).0);
        self.above[a.max(b) as usize] = a.min(b);
    }

    /// Returns the representative node of a group.
    pub(super) fn group(&mut self, node: Node) -> Node {
        let mut at = node.0;
        while self.above[at as usize] != at {
            let next = self.above[at as usize];
            self.above[at as usize] = self.above[next as usize];
            at = next;
        }
        Node(at)
    }
}
