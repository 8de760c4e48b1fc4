//! The rules of memory lifetime. One check finds violations of all of them.

use super::check::check;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};

pub(super) const RULES: &[&Rule] = &[
    &USED_INITIALIZED,
    &INITIALIZED_ONCE,
    &FREED_EMPTY,
    &ARGUMENT_IS_LEFT_EMPTY,
    &ARGUMENT_IS_FULL,
    &PATHS_AGREE,
    &PAYLOAD_IS_THERE,
    &YIELD_IS_TAKEN,
];

pub(super) static USED_INITIALIZED: Rule = Rule {
    id: RuleId::new("SIL0501"),
    name: "UsedInitialized",
    severity: Severity::Error,
    summary: "Memory holds a value when it is read, taken, destroyed or assigned",
    details: "\
Memory is initialized by `store [init]`, `copy_addr … to [init]`, or a call that returns through it, and
becomes uninitialized again when its value is taken or destroyed. A read of uninitialized memory is
undefined, and destroying it destroys a value twice. A struct or tuple holds a value when all its parts
do. This is checked for memory that can be uniquely identified: stack allocations, indirect arguments,
yielded addresses. Store a value on the path that is shown, or use the memory before its value is taken.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@in Builtin.NativeObject) -> () {
bb0(%0 : $*Builtin.NativeObject):
  destroy_addr %0 : $*Builtin.NativeObject
  destroy_addr %0 : $*Builtin.NativeObject
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@in Builtin.NativeObject) -> () {
bb0(%0 : $*Builtin.NativeObject):
  destroy_addr %0 : $*Builtin.NativeObject
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::Paths(check),
};

pub(super) static INITIALIZED_ONCE: Rule = Rule {
    id: RuleId::new("SIL0502"),
    name: "InitializedOnce",
    severity: Severity::Error,
    summary: "Memory that holds a value which must be destroyed is not initialized",
    details: "\
`[init]` treats the memory as uninitialized, so the old value is never destroyed. Use `store [assign]`
or `copy_addr` without `[init]` to replace a value, or destroy the old one first. An enum that is known
to hold a case without an owned payload may be initialized again.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@inout Builtin.NativeObject, @owned Builtin.NativeObject) -> () {
bb0(%0 : $*Builtin.NativeObject, %1 : @owned $Builtin.NativeObject):
  store %1 to [init] %0 : $*Builtin.NativeObject
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@inout Builtin.NativeObject, @owned Builtin.NativeObject) -> () {
bb0(%0 : $*Builtin.NativeObject, %1 : @owned $Builtin.NativeObject):
  store %1 to [assign] %0 : $*Builtin.NativeObject
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::With(&["SIL0501"]),
};

pub(super) static FREED_EMPTY: Rule = Rule {
    id: RuleId::new("SIL0503"),
    name: "FreedEmpty",
    severity: Severity::Error,
    summary: "A stack allocation holds no value that must be destroyed when it is deallocated",
    details: "\
`dealloc_stack` frees the memory without destroying the value in it, so the value is leaked. Destroy or
take the value, with all its parts, on every path to the end. A path into a dead end need not, nor one
on which an enum is known to hold a case without an owned payload: after `store [trivial]`, an
`inject_enum_addr` of such a case, or after a switch that found one.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  %1 = alloc_stack $Builtin.NativeObject
  store %0 to [init] %1 : $*Builtin.NativeObject
  dealloc_stack %1 : $*Builtin.NativeObject
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject):
  %1 = alloc_stack $Builtin.NativeObject
  store %0 to [init] %1 : $*Builtin.NativeObject
  destroy_addr %1 : $*Builtin.NativeObject
  dealloc_stack %1 : $*Builtin.NativeObject
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::With(&["SIL0501"]),
};

pub(super) static ARGUMENT_IS_LEFT_EMPTY: Rule = Rule {
    id: RuleId::new("SIL0504"),
    name: "ArgumentIsLeftEmpty",
    severity: Severity::Error,
    summary: "A function takes or destroys its `@in` arguments, and leaves its results uninitialized if it throws",
    details: "\
The function owns the value of an `@in` argument, so the value must be consumed where the function
returns, throws or unwinds. Likewise the memory of an `@out` result must be uninitialized at `throw`,
and that of an indirect error at `return`. Destroy the value on the path that is shown.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@in Builtin.NativeObject) -> () {
bb0(%0 : $*Builtin.NativeObject):
  %1 = tuple ()
  return %1 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@in Builtin.NativeObject) -> () {
bb0(%0 : $*Builtin.NativeObject):
  destroy_addr %0 : $*Builtin.NativeObject
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::With(&["SIL0501"]),
};

pub(super) static ARGUMENT_IS_FULL: Rule = Rule {
    id: RuleId::new("SIL0505"),
    name: "ArgumentIsFull",
    severity: Severity::Error,
    summary: "Indirect results, `@inout` and `@in_guaranteed` arguments are initialized at the end of the function",
    details: "\
The caller uses the memory of `@out` results after a return, and that of `@inout` and `@in_guaranteed`
arguments always. A value that is taken from them must be replaced on every path to an exit of the
function; a result must be stored on every path to a return.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@inout Builtin.NativeObject) -> @owned Builtin.NativeObject {
bb0(%0 : $*Builtin.NativeObject):
  %1 = load [take] %0 : $*Builtin.NativeObject
  return %1 : $Builtin.NativeObject
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@inout Builtin.NativeObject) -> @owned Builtin.NativeObject {
bb0(%0 : $*Builtin.NativeObject):
  %1 = load [copy] %0 : $*Builtin.NativeObject
  return %1 : $Builtin.NativeObject
}
",
    check: Check::With(&["SIL0501"]),
};

pub(super) static PATHS_AGREE: Rule = Rule {
    id: RuleId::new("SIL0506"),
    name: "PathsAgreeAboutMemory",
    severity: Severity::Error,
    summary: "Paths that meet agree on which memory is initialized",
    details: "\
After the paths meet it is unknown whether there is a value to destroy. Destroy it before they meet, on
the path that has it. An enum that is known to hold a case without an owned payload counts as both. If
the initialization depends on a run-time condition, mark the allocation `[dynamic_lifetime]`.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@in Builtin.NativeObject, Builtin.Int1) -> () {
bb0(%0 : $*Builtin.NativeObject, %1 : $Builtin.Int1):
  cond_br %1, bb1, bb2
bb1:
  destroy_addr %0 : $*Builtin.NativeObject
  br bb3
bb2:
  br bb3
bb3:
  %6 = tuple ()
  return %6 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@in Builtin.NativeObject, Builtin.Int1) -> () {
bb0(%0 : $*Builtin.NativeObject, %1 : $Builtin.Int1):
  cond_br %1, bb1, bb2
bb1:
  destroy_addr %0 : $*Builtin.NativeObject
  br bb3
bb2:
  destroy_addr %0 : $*Builtin.NativeObject
  br bb3
bb3:
  %7 = tuple ()
  return %7 : $()
}
",
    check: Check::With(&["SIL0501"]),
};

pub(super) static PAYLOAD_IS_THERE: Rule = Rule {
    id: RuleId::new("SIL0507"),
    name: "PayloadIsThere",
    severity: Severity::Error,
    summary: "The payload of a case is stored before `inject_enum_addr` completes the enum",
    details: "\
An enum in memory is initialized in two steps: the payload is stored through `init_enum_data_addr`, then
`inject_enum_addr` writes which case it is. A case without a payload needs only the second step. Store
the payload before it, on every path.",
    failing: "\
sil [ossa] @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $Optional<Builtin.NativeObject>
  %1 = init_enum_data_addr %0 : $*Optional<Builtin.NativeObject>, #Optional.some!enumelt
  inject_enum_addr %0 : $*Optional<Builtin.NativeObject>, #Optional.some!enumelt
  dealloc_stack %0 : $*Optional<Builtin.NativeObject>
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $Optional<Builtin.NativeObject>
  inject_enum_addr %0 : $*Optional<Builtin.NativeObject>, #Optional.none!enumelt
  dealloc_stack %0 : $*Optional<Builtin.NativeObject>
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::With(&["SIL0501"]),
};

pub(super) static YIELD_IS_TAKEN: Rule = Rule {
    id: RuleId::new("SIL0508"),
    name: "YieldIsTaken",
    severity: Severity::Error,
    summary: "A value that a coroutine yields as `@in` is taken or destroyed before the coroutine ends",
    details: "\
A coroutine that yields memory as `@in` transfers ownership of the value: the caller must take or
destroy it before `end_apply` or `abort_apply`, after which the coroutine uses the memory again.",
    failing: "\
sil @g : $@yield_once @convention(thin) () -> @yields @in Builtin.NativeObject
sil [ossa] @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @g : $@yield_once @convention(thin) () -> @yields @in Builtin.NativeObject
  (%1, %2) = begin_apply %0() : $@yield_once @convention(thin) () -> @yields @in Builtin.NativeObject
  %3 = end_apply %2 as $()
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
sil @g : $@yield_once @convention(thin) () -> @yields @in Builtin.NativeObject
sil [ossa] @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @g : $@yield_once @convention(thin) () -> @yields @in Builtin.NativeObject
  (%1, %2) = begin_apply %0() : $@yield_once @convention(thin) () -> @yields @in Builtin.NativeObject
  destroy_addr %1 : $*Builtin.NativeObject
  %4 = end_apply %2 as $()
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::With(&["SIL0501"]),
};
