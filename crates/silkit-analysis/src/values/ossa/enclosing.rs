//! The enclosing values of guaranteed phis, computed from their edges: the operands of their `borrowed … from`
//! instructions.

use super::borrows::{Borrows, Introducer};
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::{Edge, Ownership, Value, ValueDef};

/// A guaranteed phi with its enclosing values, in discovery order: newest edge first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnclosedPhi {
    /// The phi.
    pub phi: Value,
    /// The enclosing values: values that dominate it, and arguments of its block.
    pub enclosing: Vec<Value>,
    /// The number of rounds that found a new enclosing value. The reference recreates the instruction in each of
    /// them, which reverses the order of its uses.
    pub rounds: usize,
}

/// The incoming value of an edge.
struct Incoming {
    edge: Edge,
    /// The values that enclose it, as seen after the edge.
    values: Vec<Value>,
    /// Phis, by their positions in the list, whose enclosing values also enclose this one, as seen after the edge.
    phis: Vec<usize>,
}

/// Returns the guaranteed phis of a body in layout order.
pub fn guaranteed_phis(borrows: &Borrows<'_>) -> Vec<Value> {
    let body = borrows.body;
    let arguments = body.blocks().flat_map(|b| body.arguments(b)).copied();
    arguments.filter(|&v| borrows.has(v, Ownership::Guaranteed) && borrows.is_phi_or_unreachable(v)).collect()
}

/// Computes the enclosing values of the guaranteed phis of a body from their edges, ignoring existing `borrowed …
/// from` instructions.
///
/// Phis may be passed to other phis, so that the computation runs to a fixpoint. Each round visits, in order, the
/// phis whose incoming phis changed.
pub fn enclosed_phis(borrows: &Borrows<'_>) -> Vec<EnclosedPhi> {
    let phis = guaranteed_phis(borrows);
    let mut known: Vec<Vec<Value>> = vec![Vec::new(); phis.len()];
    let positions: FxHashMap<Value, usize> = phis.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let incoming: Vec<Vec<Incoming>> =
        phis.iter().map(|&phi| incoming_at(borrows, phi, &positions)).collect();
    let mut tells: Vec<Vec<usize>> = vec![Vec::new(); phis.len()];
    for (to, edges) in incoming.iter().enumerate() {
        edges.iter().flat_map(|edge| &edge.phis).for_each(|&from| tells[from].push(to));
    }
    let mut rounds = vec![0; phis.len()];
    let mut round: Vec<usize> = (0..phis.len()).collect();
    while !round.is_empty() {
        let mut is_next = FxHashSet::default();
        let mut next = Vec::new();
        for &at in &round {
            let mut new = Vec::new();
            for edge in &incoming[at] {
                new.extend_from_slice(&edge.values);
                let incoming = edge.phis.iter().flat_map(|&from| known[from].iter().rev());
                new.extend(incoming.map(|&value| value_after_edge(borrows, edge.edge, value)));
            }
            let before = known[at].len();
            for value in new {
                if value != phis[at] && !known[at].contains(&value) {
                    known[at].push(value);
                }
            }
            if known[at].len() > before {
                rounds[at] += 1;
                for &to in &tells[at] {
                    if is_next.insert(to) {
                        next.push(to);
                    }
                }
            }
        }
        next.sort_unstable();
        round = next;
    }
    let all = phis.into_iter().zip(known).zip(rounds);
    all.map(|((phi, enclosing), rounds)| EnclosedPhi { phi, enclosing, rounds }).collect()
}

fn incoming_at(borrows: &Borrows<'_>, phi: Value, positions: &FxHashMap<Value, usize>) -> Vec<Incoming> {
    let ValueDef::Argument(block, index) = borrows.body.def(phi) else { return Vec::new() };
    let body = borrows.body;
    let mut all = Vec::new();
    for edge in body.incoming(block) {
        let Some(operand) = body.edge_operand(edge, index.into()) else { continue };
        let mut found = Incoming { edge, values: Vec::new(), phis: Vec::new() };
        let mut add = |introducer| match introducer {
            Introducer::Value(value) => found.values.push(value_after_edge(borrows, edge, value)),
            Introducer::Phi(phi) => found.phis.extend(positions.get(&phi)),
        };
        let value = borrows.body.look_through_borrowed_from(body.operand(operand).value);
        if positions.contains_key(&value) {
            add(Introducer::Phi(value));
        } else {
            match borrows.scope_base(value) {
                Some(Some(base)) => borrows.each_introducer(base, add),
                Some(None) => {}
                None => borrows.each_introducer(value, add),
            }
        }
        all.push(found);
    }
    all
}

/// Returns the value that encloses another value after an edge: the block argument that it is passed to with its
/// lifetime, or the value itself.
pub(super) fn value_after_edge(borrows: &Borrows<'_>, edge: Edge, value: Value) -> Value {
    let body = borrows.body;
    let to = body.edge(edge).to;
    let value = borrows.body.look_through_borrowed_from(value);
    let passed = |&index: &usize| {
        body.edge_operand(edge, index).is_some_and(|operand| {
            borrows.body.look_through_borrowed_from(body.operand(operand).value) == value
                && borrows.is_passed_on(operand)
        })
    };
    (0..body.arguments(to).len()).find(passed).map_or(value, |index| body.arguments(to)[index])
}
