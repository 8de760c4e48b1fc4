//! Cold blocks: rarely executed ones.

use crate::BodyView;
use silkit_base::{BitSet, Worklist};
use silkit_ir::ownership::builtin;
use silkit_ir::{Block, Body, Inst, Opcode, Value};

/// The cold blocks of a body: blocks that end the program with an error or that a branch hint marks as unlikely, and
/// blocks that only lead to or are only reached from cold blocks.
#[derive(Clone, Debug, Default)]
pub struct ColdBlocks {
    cold: BitSet<Block>,
}

impl ColdBlocks {
    /// Computes the cold blocks of a body.
    pub fn compute(view: &BodyView<'_>) -> Self {
        let body = view.body;
        let mut this = Self { cold: BitSet::with_bound(body.block_bound()) };
        let mut work = Worklist::new();
        for block in body.blocks() {
            match body.terminator(block).map(|t| (t, body.inst(t).opcode)) {
                Some((_, Opcode::Unreachable)) => _ = work.push(block),
                Some((branch, Opcode::CondBranch)) => {
                    if let Some(expected) = expected(view, body.operand_value(branch, 0)) {
                        // The edge is cold; its target is cold if it has no other incoming edge.
                        let other = body.block_successors(block).nth(usize::from(expected));
                        if let Some(other) = other.filter(|&b| body.single_predecessor(b).is_some()) {
                            work.push(other);
                        }
                    }
                }
                _ => {}
            }
        }
        while let Some(block) = work.pop() {
            this.cold.insert(block);
            for pred in body.predecessors(block) {
                if body.block_successors(pred).all(|b| this.is_cold(b)) {
                    work.push(pred);
                }
            }
            for next in body.block_successors(block) {
                if body.predecessors(next).all(|b| this.is_cold(b)) {
                    work.push(next);
                }
            }
        }
        this
    }

    /// Returns true if a block is rarely executed.
    pub fn is_cold(&self, block: Block) -> bool {
        self.cold.contains(block)
    }
}

/// Returns the value that a branch hint expects for a condition.
fn expected(view: &BodyView<'_>, condition: Value) -> Option<bool> {
    let body = view.body;
    let inst = body.defining_inst(condition)?;
    match body.inst(inst).opcode {
        Opcode::Builtin if is_expectation(body, inst) => literal(body, body.operands(inst).get(1)?.value),
        // `_fastPath` and `_slowPath` return a `Bool`.
        Opcode::StructExtract => expected(view, body.operand_value(inst, 0)),
        Opcode::Apply => {
            let callee = view.program.function(body.called_function(inst)?)?;
            callee.attributes.semantics.iter().find_map(|semantics| match semantics.as_str() {
                "fastpath" => Some(true),
                "slowpath" => Some(false),
                _ => None,
            })
        }
        _ => None,
    }
}

fn is_expectation(body: &Body, inst: Inst) -> bool {
    let name = body.word(inst, "name").and_then(Body::symbol);
    builtin(body, inst).is_some_and(|b| b.id == "Expect")
        || name.is_some_and(|n| n.as_str().starts_with("int_expect_"))
}

fn literal(body: &Body, value: Value) -> Option<bool> {
    let inst = body.defining_inst(value).filter(|&i| body.inst(i).opcode == Opcode::IntegerLiteral)?;
    let digits = body.view_as::<silkit_ir::instructions::IntegerLiteral>(inst)?;
    Some(digits.value.as_str() != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_to_an_error_is_cold() {
        let text = "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = integer_literal $Builtin.Int1, 0
  %2 = builtin \"int_expect_Int1\"(%0, %1) : $Builtin.Int1
  cond_br %2, bb1, bb2
bb1:
  br bb5
bb2:
  cond_br %0, bb3, bb5
bb3:
  br bb4
bb4:
  unreachable
bb5:
  %9 = tuple ()
  return %9
}
";
        crate::testing::each_view(text, |view| {
            let cold = ColdBlocks::compute(view);
            let found: Vec<bool> = view.body.blocks().map(|b| cold.is_cold(b)).collect();
            assert_eq!(found, [false, true, false, true, true, false]);
        });
    }
}
