//! The numbers of values and blocks in printed text.

use silkit_base::SecondaryMap;
use silkit_ir::{Block, Body, Inst, NONE, Value};

/// The printed numbers of a body's parts.
#[derive(Debug)]
pub(in crate::body) struct Numbers {
    pub(super) values: Vec<u32>,
    /// The number of the first result, or of the instruction itself.
    pub(super) insts: Vec<u32>,
    /// The blocks in print order.
    pub(super) order: Vec<Block>,
    /// The position of each block in print order.
    pub(super) blocks: SecondaryMap<Block, u32>,
}

impl Numbers {
    /// Numbers values in order as the reference does: an instruction without a result takes a number as well. Blocks
    /// are numbered in print order, which is reverse postorder for sorted output.
    pub(in crate::body) fn of(body: &Body, sorted: bool) -> Self {
        let mut numbers = Self {
            values: vec![NONE; body.value_bound()],
            insts: vec![NONE; body.inst_bound()],
            order: if sorted { body.reverse_postorder() } else { body.blocks().collect() },
            blocks: SecondaryMap::with_len(body.block_bound(), NONE),
        };
        for (i, &block) in numbers.order.iter().enumerate() {
            numbers.blocks[block] = i as u32;
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
        numbers
    }

    pub(in crate::body) fn value(&self, value: Value) -> u32 {
        self.values[value.as_u32() as usize]
    }

    pub(in crate::body) fn inst(&self, inst: Inst) -> u32 {
        self.insts[inst.as_u32() as usize]
    }
}
