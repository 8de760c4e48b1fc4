//! Rule: an owned value is consumed once on every path and not used afterwards.

use super::borrow::BORROW_IS_ENCLOSED;
use super::lifetime::{Checker, Kind};
use super::lifetime_uses::Collector;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Block, Ownership, Value};

pub(super) const RULES: &[&Rule] = &[&CONSUMED, &CONSUMED_ONCE, &NOT_USED_AFTER_CONSUME];

static CONSUMED: Rule = Rule {
    id: RuleId::new("SIL0402"),
    name: "OwnedValueIsConsumed",
    severity: Severity::Error,
    summary: "An owned value is consumed on every path to an exit",
    details: "\
An owned value that a path to `return`, `throw` or `unwind` does not consume is leaked: its memory is
never freed. A path into a dead end, such as `unreachable`, need not consume it. Add a `destroy_value`
on the path that is shown, or pass the value on there.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject, Builtin.Int1) -> () {
bb0(%0 : @owned $Builtin.NativeObject, %1 : $Builtin.Int1):
  cond_br %1, bb1, bb2
bb1:
  destroy_value %0 : $Builtin.NativeObject
  br bb3
bb2:
  br bb3
bb3:
  %6 = tuple ()
  return %6 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject, Builtin.Int1) -> () {
bb0(%0 : @owned $Builtin.NativeObject, %1 : $Builtin.Int1):
  cond_br %1, bb1, bb2
bb1:
  destroy_value %0 : $Builtin.NativeObject
  br bb3
bb2:
  destroy_value %0 : $Builtin.NativeObject
  br bb3
bb3:
  %7 = tuple ()
  return %7 : $()
}
",
    check: Check::Paths(check),
};

static CONSUMED_ONCE: Rule = Rule {
    id: RuleId::new("SIL0403"),
    name: "ConsumedOnce",
    severity: Severity::Error,
    summary: "No path consumes an owned value twice",
    details: "\
The first consume ends the lifetime: the value is destroyed or has another owner. The second one would
free its memory twice. Consume a `copy_value` of it first, or remove one of the two.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> @owned Builtin.NativeObject {
bb0(%0 : @owned $Builtin.NativeObject):
  destroy_value %0 : $Builtin.NativeObject
  return %0 : $Builtin.NativeObject
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> @owned Builtin.NativeObject {
bb0(%0 : @owned $Builtin.NativeObject):
  %1 = copy_value %0 : $Builtin.NativeObject
  destroy_value %0 : $Builtin.NativeObject
  return %1 : $Builtin.NativeObject
}
",
    check: Check::With(&["SIL0402"]),
};

static NOT_USED_AFTER_CONSUME: Rule = Rule {
    id: RuleId::new("SIL0404"),
    name: "NotUsedAfterConsume",
    severity: Severity::Error,
    summary: "An owned value is not used after it was consumed",
    details: "\
After the consume the value may be destroyed, so a use may read freed memory. An instruction that
consumes a value may not use it with another operand either. Move the use before the consume, or consume
a `copy_value`.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  destroy_value %0 : $Builtin.NativeObject
  fix_lifetime %0 : $Builtin.NativeObject
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  fix_lifetime %0 : $Builtin.NativeObject
  destroy_value %0 : $Builtin.NativeObject
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::With(&["SIL0402"]),
};

static OWNED: Kind = Kind {
    ends: &CONSUMED,
    ends_once: &CONSUMED_ONCE,
    holds_uses: &NOT_USED_AFTER_CONSUME,
    holds_scopes: &BORROW_IS_ENCLOSED,
    name: "the owned value",
    ended: "consumed",
};

fn check(cx: &FunctionVerifier<'_>) {
    if !cx.is_ossa() {
        return;
    }
    let mut tools = None;
    each_value(cx, |value| match cx.ownership().value(value) {
        Some(Ownership::Owned) => {
            let (collector, checker) = tools.get_or_insert_with(|| (Collector::new(cx), Checker::new(cx)));
            let lifetime = collector.owned(value);
            if lifetime.is_unknown {
                cx.unknown(&CONSUMED, Place::Value(value), || "the ownership of some of its uses".into());
            } else {
                checker.check(&OWNED, value, lifetime);
            }
        }
        None => cx.unknown(&CONSUMED, Place::Value(value), || {
            format!("the ownership of `{}`: whether its type is trivial", cx.value(value))
        }),
        _ => {}
    });
    let is_unreachable = |b: &Block| !cx.block_order().is_reachable(*b);
    for value in cx.body.blocks().filter(is_unreachable).flat_map(|block| defined_values(cx, block)) {
        if cx.ownership().value(value) != Some(Ownership::Owned) {
            continue;
        }
        let (collector, checker) = tools.get_or_insert_with(|| (Collector::new(cx), Checker::new(cx)));
        let lifetime = collector.owned(value);
        if !lifetime.is_unknown {
            checker.check_unreachable(&OWNED, value, lifetime);
        }
    }
}

/// Visits all values that reachable blocks define.
pub(super) fn each_value(cx: &FunctionVerifier<'_>, mut visit: impl FnMut(Value)) {
    let is_reachable = |b: &Block| cx.block_order().is_reachable(*b);
    for block in cx.body.blocks().filter(is_reachable) {
        defined_values(cx, block).for_each(&mut visit);
    }
}

/// Returns the arguments of a block and the results of its instructions.
fn defined_values(cx: &FunctionVerifier<'_>, block: Block) -> impl Iterator<Item = Value> {
    let results = cx.body.block_insts(block).flat_map(|inst| cx.body.results(inst));
    cx.body.arguments(block).iter().copied().chain(results)
}
