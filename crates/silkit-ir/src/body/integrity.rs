//! Integrity checks of a body: the links that every editing function keeps consistent.

use super::list::{List, Member};
use super::{Block, Body, Inst, Value, ValueDef};
use silkit_base::{Entity, IdVec};

impl Body {
    /// Checks with debug assertions that the links of this body are consistent.
    pub(crate) fn check_integrity(&self) {
        if cfg!(debug_assertions)
            && let Err(message) = self.verify_integrity()
        {
            panic!("invariant: the links of a body agree: {message}");
        }
    }

    /// Checks that use lists, instruction links, edges, results and arguments are consistent. Whether the SIL is
    /// valid is checked by the verifier.
    ///
    /// # Errors
    /// Returns the first inconsistency.
    pub fn verify_integrity(&self) -> Result<(), String> {
        self.verify_layout()?;
        let mut uses = vec![0u32; self.values.len()];
        let mut edges = vec![0u32; self.blocks.len()];
        let mut linked = 0;
        for block in self.blocks() {
            self.verify_arguments(block)?;
            linked += verify_list(&self.insts, self.blocks[block].insts)?;
            for inst in self.block_insts(block) {
                if self.inst_block(inst) != block {
                    return Err(format!("{inst} of {block} thinks that it is in {}", self.inst_block(inst)));
                }
                self.verify_inst(inst, &mut uses)?;
            }
            self.verify_edges(block, &mut edges)?;
        }
        if linked != self.inst_count() {
            return Err(format!("{linked} instructions are in blocks, not {}", self.inst_count()));
        }
        for value in self.values.keys() {
            self.verify_uses(value, uses[value.as_u32() as usize])?;
        }
        for block in self.blocks.keys() {
            let listed = self.incoming(block).take(self.edges.len() + 1).count();
            if listed != edges[block.as_u32() as usize] as usize {
                return Err(format!("{block} lists {listed} predecessors"));
            }
        }
        Ok(())
    }

    fn verify_layout(&self) -> Result<(), String> {
        let placed = verify_list(&self.blocks, self.layout)?;
        if placed != self.block_count() {
            return Err(format!("{placed} blocks are in order, not {}", self.block_count()));
        }
        for block in self.blocks.keys() {
            if self.resident(self.blocks[block].home) != block {
                return Err(format!("the home of {block} is that of another block"));
            }
        }
        Ok(())
    }

    fn verify_arguments(&self, block: Block) -> Result<(), String> {
        for (i, &arg) in self.arguments(block).iter().enumerate() {
            if self.def(arg) != ValueDef::Argument(block, i as u16) {
                return Err(format!("argument {i} of {block} thinks that it is {:?}", self.def(arg)));
            }
        }
        Ok(())
    }

    fn verify_inst(&self, inst: Inst, uses: &mut [u32]) -> Result<(), String> {
        for (i, result) in self.results(inst).enumerate() {
            if self.def(result) != ValueDef::Result(inst, i as u16) {
                return Err(format!("result {i} of {inst} thinks that it is {:?}", self.def(result)));
            }
        }
        for operand in self.operands(inst) {
            if operand.user != inst {
                return Err(format!("an operand of {inst} thinks that it is one of {}", operand.user));
            }
            uses[operand.value.as_u32() as usize] += 1;
        }
        let listed: usize =
            (0..self.info(inst).operands.len()).map(|s| self.operand_range(inst, s).len()).sum();
        if listed + self.type_operands(inst).len() != self.operands(inst).len() {
            return Err(format!("the operands of {inst} do not fit the table"));
        }
        Ok(())
    }

    fn verify_edges(&self, block: Block, edges: &mut [u32]) -> Result<(), String> {
        let mut targets = Vec::new();
        if let Some(last) = self.terminator(block) {
            self.each_target(last, |_, to| targets.push(to));
        }
        if !self.block_successors(block).eq(targets.iter().copied()) {
            return Err(format!("the edges of {block} are not those of its terminator"));
        }
        for to in targets {
            edges[to.as_u32() as usize] += 1;
        }
        Ok(())
    }

    fn verify_uses(&self, value: Value, expected: u32) -> Result<(), String> {
        let mut prev = super::Operand::NONE;
        let mut count = 0;
        for operand in self.uses(value) {
            let data = self.operand(operand);
            if data.value != value || data.prev != prev || count > expected {
                return Err(format!("the use list of {value} is broken at {operand}"));
            }
            prev = operand;
            count += 1;
        }
        if count == expected { Ok(()) } else { Err(format!("{value} lists {count} uses and has {expected}")) }
    }
}

/// Checks the links and order numbers of a list and returns its length.
fn verify_list<K: Entity, D: Member<K>>(table: &IdVec<K, D>, list: List<K>) -> Result<usize, String> {
    let (mut prev, mut next, mut count) = (K::NONE, list.first, 0);
    while next != K::NONE {
        let links = table[next].links();
        let is_after = prev == K::NONE || table[prev].links().number < links.number;
        if links.prev != prev || !is_after {
            return Err(format!("{next:?} does not come after {prev:?} and before {:?}", links.next));
        }
        (prev, next) = (next, links.next);
        count += 1;
    }
    if list.last == prev { Ok(count) } else { Err(format!("a list ends with {prev:?}, not {:?}", list.last)) }
}
