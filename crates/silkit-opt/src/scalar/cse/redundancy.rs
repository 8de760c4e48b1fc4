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
use silkit_transform::delete;
use silkit_transform::inst_simplify::{self, Simplified};

/// Why an instruction is not needed.
pub(super) enum Redundancy {
    /// It does nothing, or its results are not used.
    Dead,
    /// It begins an access to this address that only begins and ends.
    Access(Value),
    /// An existing value can replace its result.
    Value(Simplified),
}

impl Redundancy {
    /// Returns why an instruction is not needed; `None` if it is, as far as its operands show.
    pub(super) fn of(view: &BodyView<'_>, inst: Inst) -> Option<Self> {
        // Before an endless loop or `unreachable`, a move may have no end.
        let is_dead_move =
            || view.body.inst(inst).opcode == Opcode::MoveValue && delete::is_without_effect(view, inst);
        if delete::is_trivially_dead(view, inst) || is_dead_move() || inst_simplify::does_nothing(view, inst)
        {
            return Some(Self::Dead);
        }
        let access = inst_simplify::base_of_dead_access(view.body, inst).map(Self::Access);
        access.or_else(|| Simplified::of(view, inst).map(Self::Value))
    }

    /// Removes the instruction.
    pub(super) fn remove(self, cx: &mut FunctionContext<'_>, inst: Inst) {
        let what = match self {
            Self::Dead => {
                delete::with_debug_uses(cx, inst);
                "dead instructions"
            }
            Self::Access(base) => {
                delete::access(&mut cx.edit(), inst, base);
                "dead accesses"
            }
            Self::Value(simplified) => {
                simplified.replace(cx, inst);
                "instructions simplified"
            }
        };
        cx.count(what, 1);
    }
}
