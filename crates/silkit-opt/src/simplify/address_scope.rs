//! Scope check for replacing a pointer by its address: the owner must keep the memory alive at all uses.
//!
//! ```text
//! %1 = begin_borrow %0
//! %2 = ref_element_addr %1, #C.x
//! %3 = address_to_pointer %2 to $Builtin.RawPointer
//! end_borrow %1
//! %5 = pointer_to_address %3 to [strict] $*Int    // must not become %2
//! ```

use super::rewriter::Rewriter;
use silkit_analysis::alias::base_path;
use silkit_analysis::ossa::{AddressLiveRange, Borrows};
use silkit_ir::conventions::Conventions;
use silkit_ir::info::Role;
use silkit_ir::{Inst, Value};

/// Returns true if all uses of the address that an instruction results in can use another address. Memory with an
/// unknown owner has no scope.
pub(super) fn covers_uses(rw: &Rewriter<'_, '_>, address: Value, inst: Inst) -> bool {
    let (body, view) = (rw.body(), rw.view());
    let ownership = view.ownership();
    let borrows = Borrows::new(body, &ownership);
    let conventions = Conventions::of(rw.function(), view.addresses());
    let base = base_path(&view, address).base;
    let Some(range) = AddressLiveRange::of(&borrows, conventions.as_ref(), base, inst) else { return true };
    let mut work: Vec<Value> = body.results(inst).collect();
    while let Some(value) = work.pop() {
        for user in body.users(value) {
            if !range.covers(user) {
                return false;
            }
            let leads_on = matches!(body.role(user), Role::Projection(_) | Role::Cast(_) | Role::Marker(_));
            if leads_on || body.begins_scope(user).is_some() {
                work.extend(body.results(user).filter(|&result| body.value(result).ty.is_address()));
            }
        }
    }
    true
}
