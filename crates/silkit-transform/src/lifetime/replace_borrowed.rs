//! Replacement of a borrowed value by an identical one that dominates it.
//!
//! The other value is copied, so that it is live at its new uses. Replacing `%5` by `%2`:
//!
//! ```text
//!   %2 = struct_extract %0, #Box.node
//!   %3 = apply %1(%2) : $@convention(thin) (@guaranteed Node) -> ()
//!   debug_value %2, let, name "a"
//!   %5 = struct_extract %0, #Box.node
//!   %6 = apply %1(%5) : $@convention(thin) (@guaranteed Node) -> ()
//!   debug_value %5, let, name "b"
//! ---
//!   %2 = struct_extract %0, #Box.node
//!   %3 = copy_value %2
//!   %4 = apply %1(%2) : $@convention(thin) (@guaranteed Node) -> ()
//!   debug_value %2, let, name "a"
//!   %6 = begin_borrow %3
//!   %7 = apply %1(%6) : $@convention(thin) (@guaranteed Node) -> ()
//!   debug_value %6, let, name "b"
//!   end_borrow %6
//!   destroy_value %3
//! ```

use silkit_analysis::BodyView;
use silkit_analysis::ossa::{Borrows, Liveness, UseKind};
use silkit_base::Worklist;
use silkit_ir::info::OperandOwnership as O;
use silkit_ir::{Inst, Ownership, Point, Value};
use silkit_pass::FunctionContext;

/// Returns true if a borrowed value can be replaced by another one: its uses are known, none derives an interior
/// address, and the other value has no pointer escape. Raw SIL keeps its lifetimes.
pub fn can_be_replaced(view: &BodyView<'_>, value: Value, other: Value) -> bool {
    let ownership = view.ownership();
    let borrows = Borrows::new(view.body, &ownership);
    !view.program.module.is_raw() && !borrows.has_pointer_escape(other) && has_simple_uses(view, value)
}

/// Returns true if the uses of a borrowed or unowned value are known, and none derives an interior address.
pub fn has_simple_uses(view: &BodyView<'_>, value: Value) -> bool {
    let ownership = view.ownership();
    let borrows = Borrows::new(view.body, &ownership);
    let mut work = Worklist::new();
    work.push(value);
    while let Some(value) = work.pop() {
        for operand in view.body.uses(value) {
            match borrows.using(operand) {
                Some(O::GuaranteedForwarding)
                    if !view.body.is_terminator(view.body.operand(operand).user) =>
                {
                    let forwarded = borrows.forwarded_values(operand).into_iter();
                    let owning = forwarded.filter(|&value| ownership.value(value) != Some(Ownership::None));
                    owning.for_each(|value| _ = work.push(value));
                }
                Some(
                    O::NonUse
                    | O::InstantaneousUse
                    | O::UnownedInstantaneousUse
                    | O::BitwiseEscape
                    | O::Borrow,
                ) => {}
                _ => return false,
            }
        }
    }
    true
}

/// Replaces the result of an instruction by a borrow of a copy of an identical value. [`can_be_replaced`] must hold.
///
/// # Panics
/// Panics if the instruction has no result.
pub fn replace(cx: &mut FunctionContext<'_>, old: Inst, new_value: Value) {
    let old_value = cx.body().first_result(old).expect("invariant: a result");
    let point = cx.body().point_after(new_value).unwrap_or(Point::Before(old));
    let copy = cx.at(point).copy_value(new_value);
    let borrow = cx.at(Point::Before(old)).begin_borrow(copy);
    cx.edit().replace(old, borrow);
    debug_assert_ne!(old_value, borrow);
    for point in ends(&cx.view(), borrow) {
        cx.at(Point::Before(point)).end_borrow(borrow);
    }
    for point in ends(&cx.view(), copy) {
        cx.at(Point::Before(point)).destroy_value(copy);
    }
}

/// Replaces the unowned result of an instruction by a copy of an owned value with the same bits, which is destroyed after
/// the last use. [`has_simple_uses`] must hold.
pub fn replace_unowned(cx: &mut FunctionContext<'_>, old: Inst, new_value: Value) {
    let point = cx.body().point_after(new_value).unwrap_or(Point::Before(old));
    let copy = cx.at(point).copy_value(new_value);
    cx.edit().replace(old, copy);
    for point in ends(&cx.view(), copy) {
        cx.at(Point::Before(point)).destroy_value(copy);
    }
}

/// Returns the instructions before which a lifetime must end.
fn ends(view: &BodyView<'_>, value: Value) -> Vec<Inst> {
    let ownership = view.ownership();
    let mut liveness = Liveness::of_value(view.body, value);
    Borrows::new(view.body, &ownership).add_simple_uses(&mut liveness, value);
    for user in view.body.users(value) {
        liveness.use_at(view.body, user, UseKind::Regular);
    }
    liveness.boundary(view.body).insertion_points(view.body)
}
