//! Liveness by definition: a path to a user.

use silkit_analysis::ossa::{Borrows, Liveness};
use silkit_analysis::{BodyView, Dominators};
use silkit_ir::{Block, Body, Inst};
use std::collections::BTreeSet;

/// An argument is live where a path leads on to a user of it.
pub(crate) fn arguments_live_where_a_user_comes(view: &BodyView<'_>) {
    let body = view.body;
    let ownership = view.all_ownership();
    let borrows = Borrows::new(body, &ownership);
    let dominators = Dominators::compute(body);
    for block in body.blocks() {
        for &value in body.arguments(block) {
            let mut liveness = Liveness::of_value(body, value);
            borrows.add_simple_uses(&mut liveness, value);
            for inst in body.insts().filter(|&i| dominators.dominates(block, body.inst_block(i))) {
                // A value that is defined again on the way is another one.
                let is_inside = comes_to_user(body, &dominators, block, inst, &liveness);
                assert_eq!(liveness.contains(body, inst), is_inside);
            }
        }
    }
}

/// Returns true if a path leads from behind an instruction to a user without coming to the block of the definition again.
fn comes_to_user(body: &Body, dominators: &Dominators, home: Block, inst: Inst, liveness: &Liveness) -> bool {
    let is_user = |i: Inst| liveness.user(i).is_some();
    if !dominators.is_reachable(home) {
        return liveness.contains(body, inst);
    }
    let mut seen = BTreeSet::from([home]);
    let mut work = vec![(body.inst_block(inst), body.next_inst(inst))];
    while let Some((block, first)) = work.pop() {
        if std::iter::successors(first, |&i| body.next_inst(i)).any(is_user) {
            return true;
        }
        for next in body.block_successors(block).filter(|&b| seen.insert(b)) {
            work.push((next, body.first_inst(next)));
        }
    }
    false
}
