//! Uses of an address and of derived addresses.

use crate::context::FunctionVerifier;
use silkit_analysis::ossa::projected_address;
use silkit_base::FxHashSet;
use silkit_ir::{AddressUse, Opcode, Operand, Value};

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
    // A dense set would cost time proportional to the body for every root. Most roots have no derived addresses.
    let mut derived = FxHashSet::default();
    let mut work = Vec::new();
    let mut next = Some(root);
    while let Some(value) = next {
        for operand in cx.body.uses(value) {
            match visit(operand) {
                Next::Follow => {
                    let address = projected_address(cx.body, operand);
                    work.extend(address.filter(|&address| address != root && derived.insert(address)));
                }
                Next::Skip => {}
                Next::Stop => return,
            }
        }
        next = work.pop();
    }
}

/// Returns true if an operand reads, writes or deallocates the memory at its address. Calls may do so too.
pub(in crate::families) fn touches_memory(cx: &FunctionVerifier<'_>, operand: Operand) -> bool {
    use AddressUse as U;
    let user = cx.body.operand(operand).user;
    let is_marker = matches!(cx.body.inst(user).opcode, Opcode::DebugValue | Opcode::EndAccess);
    !is_marker
        && !matches!(
            cx.body.address_use(operand),
            U::Unknown
                | U::Mention
                | U::KeepAlive
                | U::EndLend
                | U::Project
                | U::ProjectContent
                | U::ProjectToInitialize
                | U::Access
                | U::Depend
                | U::DependOn
                | U::Escape
        )
}

/// Returns true if an operand passes its address to other code.
pub(in crate::families) fn is_passed(cx: &FunctionVerifier<'_>, operand: Operand) -> bool {
    matches!(cx.body.address_use(operand), AddressUse::Call | AddressUse::Capture | AddressUse::Yield)
}
