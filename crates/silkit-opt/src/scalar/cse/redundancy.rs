//! Instructions that are dead or equal to an existing value, whatever else the function computes.
//!
//! ```text
//!   %1 = begin_access [read] [dynamic] %0
//!   end_access %1
//!   %3 = struct $Int (%2)
//!   %4 = struct_extract %3, #Int._value
//!   fix_lifetime %4
//! ---
//!   %1 = struct $Int (%2)
//!   fix_lifetime %2
//! ```

use silkit_analysis::BodyView;
use silkit_ir::{Inst, Opcode, Value};
use silkit_pass::FunctionContext;
use silkit_transform::{delete, inst_simplify, replace_borrowed, replace_owned};

/// Why an instruction is not needed.
pub(super) enum Redundancy {
    /// It does nothing, or its results are not used.
    Dead,
    /// It begins an access to this address that only begins and ends.
    Access(Value),
    /// Its result is equal to this value.
    Value(Value),
    /// Its borrowed result is equal to this value, which may end earlier.
    Borrowed(Value),
    /// Its owned result is equal to this value, which may be consumed earlier.
    Owned(Value),
}

impl Redundancy {
    /// Returns why an instruction is not needed; `None` if it is, as far as its operands show.
    pub(super) fn of(view: &BodyView<'_>, inst: Inst) -> Option<Self> {
        if delete::is_trivially_dead(view, inst) || inst_simplify::does_nothing(view, inst) {
            return Some(Self::Dead);
        }
        let access = inst_simplify::base_of_dead_access(view.body, inst).map(Self::Access);
        access
            .or_else(|| inst_simplify::simplified(view, inst).map(Self::Value))
            .or_else(|| borrowed_equal(view, inst).map(Self::Borrowed))
            .or_else(|| owned_equal(view, inst).map(Self::Owned))
    }

    /// Removes the instruction.
    pub(super) fn remove(self, cx: &mut FunctionContext<'_>, inst: Inst) {
        match self {
            Self::Dead => delete::with_debug_uses(cx, inst),
            Self::Access(base) => remove_access(cx, inst, base),
            Self::Value(value) => cx.edit().replace(inst, value),
            Self::Borrowed(value) => replace_borrowed::replace(cx, inst, value),
            Self::Owned(value) => replace_owned::replace(cx, inst, value),
        }
        let what = match self {
            Self::Dead => "dead instructions",
            Self::Access(_) => "dead accesses",
            Self::Value(_) | Self::Borrowed(_) | Self::Owned(_) => "instructions simplified",
        };
        cx.count(what, 1);
    }
}

/// Removes an access whose address is not used, and its ends.
fn remove_access(cx: &mut FunctionContext<'_>, begin: Inst, base: Value) {
    let body = cx.body();
    let users = body.results(begin).flat_map(|value| body.users(value));
    let ends: Vec<Inst> = users.filter(|&user| body.inst(user).opcode == Opcode::EndAccess).collect();
    let mut editor = cx.edit();
    ends.into_iter().for_each(|end| editor.remove(end));
    editor.replace(begin, base);
}

/// Returns a value that can replace the equal borrowed result of an instruction.
fn borrowed_equal(view: &BodyView<'_>, inst: Inst) -> Option<Value> {
    let value = inst_simplify::simplified_borrow(view, inst)?;
    let result = view.body.first_result(inst)?;
    replace_borrowed::can_be_replaced(view, result, value).then_some(value)
}

/// Returns a value that can replace the owned result of an instruction.
fn owned_equal(view: &BodyView<'_>, inst: Inst) -> Option<Value> {
    let value = inst_simplify::simplified_owned(view, inst)?;
    let result = view.body.first_result(inst)?;
    replace_owned::can_be_replaced(view, result, value).then_some(value)
}
