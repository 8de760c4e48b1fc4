//! Uses of an address and of derived addresses.

use crate::context::FunctionVerifier;
use silkit_analysis::ossa::projected_address;
use silkit_base::FxHashSet;
use silkit_ir::{Operand, Value};

/// The decision of a visitor of uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::families) enum Next {
    /// Visit all other uses, including those of an address that this use derives.
    Follow,
    /// Visit all other uses, except those of an address that this use derives.
    Skip,
    /// Stop the visit.
    Stop,
}

/// Visits all uses of an address and of derived addresses until the visitor stops.
pub(in crate::families) fn each_use(
    cx: &FunctionVerifier<'_>,
    root: Value,
    mut visit: impl FnMut(Operand) -> Next,
) {
    // A dense set would cost time proportional to the body for every root.
    let mut seen = FxHashSet::default();
    let mut work = vec![root];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        for operand in cx.body.uses(value) {
            match visit(operand) {
                Next::Follow => work.extend(projected_address(cx.body, operand)),
                Next::Skip => {}
                Next::Stop => return,
            }
        }
    }
}
