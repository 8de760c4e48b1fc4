//! The enclosing values of a guaranteed value.

use super::borrow::introduces_borrow;
use crate::context::FunctionVerifier;
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::info::OperandOwnership;
use silkit_ir::ownership::forwarded_operands;
use silkit_ir::{Block, Inst, Opcode, Operand, Ownership, Value, ValueDef};

/// A function that returns the enclosing values of a phi.
pub(super) type EnclosingOfPhi<'f> = &'f dyn Fn(Value) -> Vec<Value>;

/// Returns the enclosing value as seen in a successor: the block argument that it is passed to, or the value itself.
pub(super) fn in_successor(cx: &FunctionVerifier<'_>, branch: Inst, block: Block, value: Value) -> Value {
    let value = cx.body.look_through_borrowed_from(value);
    let passed = cx.body.operand_ids(branch).position(|operand| {
        cx.body.look_through_borrowed_from(cx.body.operand(operand).value) == value
            && cx.ownership().operand(operand).is_some_and(OperandOwnership::ends_lifetime)
    });
    passed.and_then(|at| cx.body.arguments(block).get(at).copied()).unwrap_or(value)
}

/// Returns the values that enclose a guaranteed value; `None` if there are too many. `of_phi` returns those of a phi.
pub(super) fn enclosing_values(
    cx: &FunctionVerifier<'_>,
    value: Value,
    of_phi: EnclosingOfPhi<'_>,
) -> Option<Vec<Value>> {
    let body = cx.body;
    let phi = cx.body.look_through_borrowed_from(value);
    if body.is_phi(phi) {
        return Some(of_phi(phi));
    }
    match body.def(value) {
        ValueDef::Argument(block, _) if body.is_entry_block(block) => Some(Vec::new()),
        ValueDef::Result(inst, _) if introduces_borrow(cx, value) => {
            if body.inst(inst).opcode != Opcode::BeginBorrow {
                return Some(Vec::new());
            }
            let base = body.operand_value(inst, 0);
            match cx.ownership().value(base)? {
                Ownership::Owned => Some(vec![base]),
                Ownership::Guaranteed => introducers(cx, base, of_phi),
                _ => Some(Vec::new()),
            }
        }
        _ => introducers(cx, value, of_phi),
    }
}

/// Returns the enclosing values that the `borrowed … from` of a phi lists.
pub(super) fn listed_for(cx: &FunctionVerifier<'_>, phi: Value) -> Vec<Value> {
    let is_of_phi =
        |i: &Inst| cx.body.inst(*i).opcode == Opcode::BorrowedFrom && cx.body.operand_value(*i, 0) == phi;
    let borrowed = cx.body.users(phi).find(is_of_phi);
    borrowed.map_or_else(Vec::new, |i| cx.body.operands(i).iter().skip(1).map(|o| o.value).collect())
}

/// Returns the borrow introducers of a guaranteed value.
pub(super) fn introducers(
    cx: &FunctionVerifier<'_>,
    value: Value,
    of_phi: EnclosingOfPhi<'_>,
) -> Option<Vec<Value>> {
    /// A limit above any hand-written number of enclosing values.
    const LIMIT: usize = 1000;
    let body = cx.body;
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![value];
    let mut steps = 0;
    while let Some(value) = work.pop() {
        let value = cx.body.look_through_borrowed_from(value);
        if cx.ownership().value(value)? != Ownership::Guaranteed || !seen.insert(value) {
            continue;
        }
        steps += 1;
        if steps > LIMIT {
            return None;
        }
        let is_entry = |b: Block| body.is_entry_block(b);
        let from = match body.def(value) {
            _ if introduces_borrow(cx, value) => {
                found.push(value);
                continue;
            }
            ValueDef::Argument(block, _) if is_entry(block) => {
                found.push(value);
                continue;
            }
            ValueDef::Argument(..) if body.is_phi(value) => {
                found.extend(of_phi(value));
                continue;
            }
            ValueDef::Argument(block, _) => body.single_predecessor(block).and_then(|b| body.terminator(b)),
            ValueDef::Result(inst, _) => Some(inst),
            ValueDef::Undef | ValueDef::Pending => None,
        };
        for operand in from.into_iter().flat_map(|inst| forwarded_operands(body, inst)) {
            work.push(body.operand(operand).value);
        }
    }
    Some(found)
}

/// A guaranteed phi without `borrowed … from`, and one of its incoming operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhiIncoming {
    pub(super) phi: Value,
    pub(super) incoming: Operand,
}

/// The enclosing values of phis without a `borrowed … from`, inferred from their edges.
#[derive(Debug, Default)]
pub(super) struct InferredEnclosing(FxHashMap<Value, Vec<PhiIncoming>>);

impl InferredEnclosing {
    /// Returns the phis that a value encloses.
    pub(super) fn of(&self, value: Value) -> &[PhiIncoming] {
        self.0.get(&value).map_or(&[], Vec::as_slice)
    }

    /// Computes the enclosing values of all phis. A phi may be an incoming value of another phi, so that the sets
    /// grow in rounds.
    pub(super) fn compute(cx: &FunctionVerifier<'_>) -> Self {
        /// A limit above any hand-written nesting of phis; the pass that inserts `borrowed … from` has no such limit.
        const ROUNDS: usize = 10;
        let body = cx.body;
        let blocks = cx.block_order().blocks().iter();
        let phis: Vec<(Block, usize, Value)> = blocks
            .flat_map(|&b| body.arguments(b).iter().enumerate().map(move |(i, &v)| (b, i, v)))
            .filter(|&(_, _, v)| body.is_phi(v) && cx.ownership().value(v) == Some(Ownership::Guaranteed))
            .filter(|&(_, _, v)| !body.users(v).any(|i| is_borrowed_of(cx, i, v)))
            .collect();
        let mut enclosing: FxHashMap<Value, Vec<Value>> = phis.iter().map(|p| (p.2, Vec::new())).collect();
        let mut implied = InferredEnclosing::default();
        for _ in 0..ROUNDS {
            let mut has_grown = false;
            for &(block, index, phi) in &phis {
                for edge in body.incoming(block) {
                    let Some(incoming) = body.edge_operand(edge, index) else { continue };
                    let branch = body.operand(incoming).user;
                    let of_phi = |p| enclosing.get(&p).cloned().unwrap_or_else(|| listed_for(cx, p));
                    let values = enclosing_values(cx, body.operand(incoming).value, &of_phi);
                    for value in values.unwrap_or_default() {
                        let value = in_successor(cx, branch, block, value);
                        let known = enclosing.entry(phi).or_default();
                        if value != phi && !known.contains(&value) {
                            known.push(value);
                            implied.0.entry(value).or_default().push(PhiIncoming { phi, incoming });
                            has_grown = true;
                        }
                    }
                }
            }
            if !has_grown {
                break;
            }
        }
        implied
    }
}

fn is_borrowed_of(cx: &FunctionVerifier<'_>, inst: Inst, phi: Value) -> bool {
    cx.body.inst(inst).opcode == Opcode::BorrowedFrom && cx.body.operand_value(inst, 0) == phi
}
