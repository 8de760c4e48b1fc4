//! Operations through an address and the addresses derived from it.

use crate::context::FunctionContext;
use silkit_analysis::ossa::projected_address;
use silkit_base::FxHashSet;
use silkit_ir::{Operand, Value};

/// The continuation that a visitor of uses requests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::families) enum Next {
    /// All other uses, also those of an address that this use derives.
    Follow,
    /// All other uses, but none of an address that this use derives.
    Skip,
    /// Stop the visit.
    Stop,
}

/// Returns all uses of an address and of those derived from it, until the visitor has seen enough.
pub(in crate::families) fn each_use(
    cx: &FunctionContext<'_>,
    root: Value,
    mut visit: impl FnMut(Operand) -> Next,
) {
    // Not a dense set: it would cost what the body has before, for every root.
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
