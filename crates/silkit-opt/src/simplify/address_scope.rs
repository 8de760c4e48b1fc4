//! Scope check for replacing a pointer by its address: the owner must keep the memory alive at all uses.
//!
//! ```text
//! %1 = begin_borrow %0
//! %2 = ref_element_addr %1, #C.x
//! %3 = address_to_pointer %2 to $Builtin.RawPointer
//! end_borrow %1
//! %5 = pointer_to_address %3 to [strict] $*Int    // must not become %2
//! ```

use silkit_analysis::alias::{AccessBase, base_path};
use silkit_analysis::ossa::{AddressLiveRange, Borrows};
use silkit_base::FxHashSet;
use silkit_ir::conventions::Conventions;
use silkit_ir::info::Role;
use silkit_ir::{Block, Body, Inst, Opcode, Value};
use silkit_transform::patterns::Rewriter;

/// Returns true if all uses of the address that an instruction results in can use another address. The memory of
/// arguments, global variables and pointers has no scope, nor has an object in non-OSSA functions. The scope of yielded
/// and unidentified memory is not known.
pub(super) fn covers_uses(rw: &Rewriter<'_, '_>, address: Value, inst: Inst) -> bool {
    let (body, view) = (rw.body(), rw.view());
    match base_path(&view, address).base {
        AccessBase::Stack(memory) | AccessBase::StoreBorrow(memory) => {
            are_in_scope(body, memory, &address_users(body, inst))
        }
        AccessBase::Argument(_) | AccessBase::Global(_) | AccessBase::Pointer(_) => true,
        AccessBase::Yield(_) | AccessBase::Unidentified(_) => false,
        _ if !rw.function().has_ossa() => true,
        base @ (AccessBase::Box(_) | AccessBase::Class(_) | AccessBase::Tail(_)) => {
            let ownership = view.ownership();
            let borrows = Borrows::new(body, &ownership);
            let conventions = Conventions::of(rw.function(), view.addresses());
            let range = AddressLiveRange::of(&borrows, conventions.as_ref(), base, inst);
            range.is_none_or(|range| address_users(body, inst).into_iter().all(|user| range.covers(user)))
        }
    }
}

/// Returns the users of the address that an instruction results in, and of addresses derived from it.
pub(crate) fn address_users(body: &Body, inst: Inst) -> Vec<Inst> {
    let mut found = Vec::new();
    let mut work: Vec<Value> = body.results(inst).collect();
    while let Some(value) = work.pop() {
        for user in body.users(value) {
            found.push(user);
            let leads_on = matches!(body.role(user), Role::Projection(_) | Role::Cast(_) | Role::Marker(_));
            if leads_on || body.begins_scope(user).is_some() {
                work.extend(body.results(user).filter(|&result| body.value(result).ty.is_address()));
            }
        }
    }
    found
}

/// Returns true if all instructions are reached before the memory is freed or its borrow ends.
fn are_in_scope(body: &Body, memory: Value, insts: &[Inst]) -> bool {
    let mut left: FxHashSet<Inst> = insts.iter().copied().collect();
    let is_end = |&user: &Inst| matches!(body.inst(user).opcode, Opcode::DeallocStack | Opcode::EndBorrow);
    let ends: FxHashSet<Inst> = body.users(memory).filter(is_end).collect();
    let mut seen: FxHashSet<Block> = FxHashSet::default();
    let mut work: Vec<Inst> = body.defining_inst(memory).into_iter().collect();
    while let Some(first) = work.pop() {
        let here = std::iter::successors(Some(first), |&inst| body.next_inst(inst));
        for inst in here.take_while(|&inst| !ends.contains(&inst)) {
            left.remove(&inst);
            let next = body.successors(inst).filter(|&block| seen.insert(block));
            work.extend(next.filter_map(|block| body.first_inst(block)));
        }
    }
    left.is_empty()
}
