//! The numbers of values and blocks in printed text.

use silkit_base::Entity;
use silkit_ir::{Block, Body, Inst, NONE, Value};

/// The printed numbers of a body's parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    pub(super) values: Vec<u32>,
    /// The number of the first result, or of the instruction itself.
    pub(super) insts: Vec<u32>,
    /// The blocks in print order.
    pub(super) order: Vec<Block>,
    /// The position of each block in print order.
    blocks: Vec<u32>,
}

impl Numbers {
    /// Numbers the parts of a body.
    pub(in crate::body) fn of(body: &Body, sorted: bool) -> Self {
        let mut numbers = Self::default();
        numbers.fill(body, sorted);
        numbers
    }

    /// Numbers the parts of another body, in the same memory. Values are numbered in order as the reference does: an
    /// instruction without a result takes a number as well. Blocks are numbered in print order, which is reverse postorder
    /// for sorted output.
    pub(in crate::body) fn fill(&mut self, body: &Body, sorted: bool) {
        let numbers = self;
        for (of, bound) in
            [(&mut numbers.values, body.value_bound()), (&mut numbers.insts, body.inst_bound())]
        {
            of.clear();
            of.resize(bound, NONE);
        }
        numbers.order.clear();
        match sorted {
            true => numbers.order = body.reverse_postorder(),
            false => numbers.order.extend(body.blocks()),
        }
        numbers.blocks.clear();
        numbers.blocks.resize(body.block_bound(), NONE);
        for (i, &block) in numbers.order.iter().enumerate() {
            numbers.blocks[block.index()] = i as u32;
        }
        let mut next = 0;
        for block in body.blocks() {
            for &arg in body.arguments(block) {
                numbers.values[arg.as_u32() as usize] = next;
                next += 1;
            }
            for inst in body.block_insts(block) {
                numbers.insts[inst.as_u32() as usize] = next;
                let results = body.results(inst);
                next += u32::from(results.len() == 0);
                for value in results {
                    numbers.values[value.as_u32() as usize] = next;
                    next += 1;
                }
            }
        }
    }

    /// Returns the position of a block in print order.
    pub(super) fn block(&self, block: Block) -> u32 {
        self.blocks[block.index()]
    }

    pub(in crate::body) fn value(&self, value: Value) -> u32 {
        self.values[value.as_u32() as usize]
    }

    pub(in crate::body) fn inst(&self, inst: Inst) -> u32 {
        self.insts[inst.as_u32() as usize]
    }
}
