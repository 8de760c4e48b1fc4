//! Rule: a borrow scope ends once on every path, contains its uses, and is nested in the lifetime of its base.

use super::lifetime::{Checker, Kind};
use super::lifetime_uses::{Collector, yielded_with};
use super::owned::each_value;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{ArgFlags, Opcode, Ownership, Value, ValueDef};

pub(super) const RULES: &[&Rule] = &[&BORROW_ENDS, &BORROW_ENDS_ONCE, &USED_INSIDE, &BORROW_IS_ENCLOSED];

static BORROW_ENDS: Rule = Rule {
    id: RuleId::new("SIL0405"),
    name: "BorrowEnds",
    severity: Severity::Error,
    summary: "A borrow scope ends on every path to an exit",
    details: "\
The scope of a `begin_borrow`, `load_borrow`, reborrow or ownership conversion ends with an `end_borrow`
or a `br` to a reborrow on every path to `return`, `throw` or `unwind`. Otherwise the extent of the
borrow is unknown. A path into a dead end need not end it. Add an `end_borrow` on the path that is
shown.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = begin_borrow %0 : $Builtin.NativeObject
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = begin_borrow %0 : $Builtin.NativeObject
  end_borrow %1 : $Builtin.NativeObject
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Paths(check),
};

static BORROW_ENDS_ONCE: Rule = Rule {
    id: RuleId::new("SIL0406"),
    name: "BorrowEndsOnce",
    severity: Severity::Error,
    summary: "No path ends a borrow scope twice",
    details: "\
After a scope has ended, a path must pass its beginning again before it may end it again. Remove one of
the ends, or move it to the paths on which the other is not passed.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = begin_borrow %0 : $Builtin.NativeObject
  end_borrow %1 : $Builtin.NativeObject
  end_borrow %1 : $Builtin.NativeObject
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = begin_borrow %0 : $Builtin.NativeObject
  end_borrow %1 : $Builtin.NativeObject
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::With(&["SIL0405"]),
};

static USED_INSIDE: Rule = Rule {
    id: RuleId::new("SIL0407"),
    name: "BorrowIsUsedInside",
    severity: Severity::Error,
    summary: "A borrowed value, its projections and interior addresses are used inside the borrow scope",
    details: "\
After the scope has ended the base may be destroyed. This also holds for values that it is forwarded to
by casts, `struct_extract`, `switch_enum` and similar instructions, for interior addresses such as those
of `ref_element_addr`, and for the yields of a coroutine until it is resumed. Move the use before the
end of the scope, or the end after the use.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = begin_borrow %0 : $Builtin.NativeObject
  end_borrow %1 : $Builtin.NativeObject
  fix_lifetime %1 : $Builtin.NativeObject
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = begin_borrow %0 : $Builtin.NativeObject
  fix_lifetime %1 : $Builtin.NativeObject
  end_borrow %1 : $Builtin.NativeObject
  %4 = tuple ()
  return %4 : $()
}
",
    check: Check::With(&["SIL0405"]),
};

pub(super) static BORROW_IS_ENCLOSED: Rule = Rule {
    id: RuleId::new("SIL0408"),
    name: "BorrowIsEnclosed",
    severity: Severity::Error,
    summary: "A scope that borrows a value ends while the value is alive",
    details: "\
A value must be alive until all scopes that borrow it have ended: those of `begin_borrow`,
`store_borrow` and reborrows, coroutines that it is passed to, `[on_stack]` closures that capture it,
and values that depend on it. Consume the value, or end the outer scope, after them.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  %1 = begin_borrow %0 : $Builtin.NativeObject
  destroy_value %0 : $Builtin.NativeObject
  end_borrow %1 : $Builtin.NativeObject
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  %1 = begin_borrow %0 : $Builtin.NativeObject
  end_borrow %1 : $Builtin.NativeObject
  destroy_value %0 : $Builtin.NativeObject
  %4 = tuple ()
  return %4 : $()
}
",
    check: Check::With(&["SIL0402", "SIL0405"]),
};

static BORROW: Kind = Kind {
    ends: &BORROW_ENDS,
    ends_once: &BORROW_ENDS_ONCE,
    holds_uses: &USED_INSIDE,
    holds_scopes: &BORROW_IS_ENCLOSED,
    name: "the borrow",
    ended: "ended",
};

/// Returns true if a guaranteed value begins a borrow scope that ends in the function.
pub(super) fn introduces_borrow(cx: &FunctionVerifier<'_>, value: Value) -> bool {
    let body = cx.body;
    match body.def(value) {
        ValueDef::Argument(..) => body.value(value).arg_flags.contains(ArgFlags::REBORROW),
        ValueDef::Result(inst, _) => match body.inst(inst).opcode {
            Opcode::BeginBorrow | Opcode::LoadBorrow | Opcode::UncheckedOwnershipConversion => true,
            Opcode::BeginApply => yielded_with(cx, value).is_some(),
            _ => false,
        },
        ValueDef::Undef | ValueDef::Pending => false,
    }
}

fn check(cx: &FunctionVerifier<'_>) {
    if !cx.is_ossa() {
        return;
    }
    let mut tools = None;
    each_value(cx, |value| {
        if cx.ownership().value(value) != Some(Ownership::Guaranteed) || !introduces_borrow(cx, value) {
            return;
        }
        let (collector, checker) = tools.get_or_insert_with(|| (Collector::new(cx), Checker::new(cx)));
        let lifetime = collector.borrow(value);
        if lifetime.is_unknown {
            cx.unknown(&BORROW_ENDS, Place::Value(value), || "the ownership of some of its uses".into());
        } else {
            checker.check(&BORROW, value, lifetime);
        }
    });
}
