//! Rule: the operand of the end of a scope is directly the result of its begin.

use super::kinds::{ACCESS, APPLY, CONTINUATION, Kind, STORE_BORROW, begun};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode, Value, ValueDef};

pub(super) const RULES: &[&Rule] = &[
    &DEALLOCATES_ALLOCATION,
    &END_NAMES_BEGINNING,
    &ABORTED_ACCESS,
    &STORED_BORROW_IS_USED_AS_SUCH,
    &BORROW_IS_STORED_TO_ALLOCATION,
];

static DEALLOCATES_ALLOCATION: Rule = Rule {
    id: RuleId::new("SIL0205"),
    name: "DeallocatesAllocation",
    severity: Severity::Error,
    summary: "A stack deallocation names the allocation itself",
    details: "\
The operand is the result of the allocation, not an address derived from it, a cast, or an argument of a
block. Which instruction deallocates depends on which allocates: `dealloc_stack` for `alloc_stack` and
closures on the stack, `dealloc_stack_ref` for `alloc_ref [stack]`, `dealloc_pack` for `alloc_pack`.
Name the allocation.",
    failing: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $(Builtin.Int64, Builtin.Int64)
  %1 = tuple_element_addr %0 : $*(Builtin.Int64, Builtin.Int64), 0
  dealloc_stack %1 : $*Builtin.Int64
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $(Builtin.Int64, Builtin.Int64)
  dealloc_stack %0 : $*(Builtin.Int64, Builtin.Int64)
  unreachable
}
",
    check: Check::Inst(
        &[
            Opcode::DeallocStack,
            Opcode::DeallocPack,
            Opcode::DeallocPackMetadata,
            Opcode::DeallocStackRef,
            Opcode::Builtin,
        ],
        deallocates_allocation,
    ),
};

fn deallocates_allocation(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(value) = cx.body.stack_deallocated(inst) else { return };
    if matches!(cx.body.def(value), ValueDef::Undef | ValueDef::Pending) {
        return;
    }
    let opcode = cx.body.inst(inst).opcode;
    let name = cx.body.info(inst).name;
    let fits = |alloc: Inst| {
        let alloc = cx.body.inst(alloc).opcode;
        match opcode {
            Opcode::DeallocStack => {
                matches!(alloc, Opcode::AllocStack | Opcode::PartialApply | Opcode::BeginApply)
            }
            Opcode::DeallocPack => alloc == Opcode::AllocPack,
            Opcode::DeallocPackMetadata => alloc == Opcode::AllocPackMetadata,
            Opcode::DeallocStackRef => matches!(alloc, Opcode::AllocRef | Opcode::AllocRefDynamic),
            _ => alloc == Opcode::Builtin,
        }
    };
    // In OSSA, an on-stack closure is not an allocation yet, but may be the operand.
    let is_closure = opcode == Opcode::DeallocStack
        && definition(cx, value).is_some_and(|i| {
            cx.body.inst(i).opcode == Opcode::PartialApply && cx.body.has_flag(i, "on_stack")
        });
    if is_closure || cx.body.paired_allocation(inst, cx.is_ossa()).is_some_and(fits) {
        return;
    }
    let message = format!("the operand of `{name}` is not a stack allocation that it can deallocate");
    let operand = cx.body.operand_id(inst, 0);
    let finding = cx
        .finding(&DEALLOCATES_ALLOCATION, Place::Operand(operand), message)
        .label(format!("`{}` is none", cx.value(value)))
        .also(Place::Value(value), "defined here")
        .reference_message(NOT_THE_LAST);
    cx.report(match opcode {
        Opcode::DeallocPackMetadata => finding.reference_message("Must have alloc_pack_metadata operand"),
        _ => finding,
    });
}

/// The message of the reference for a deallocation of anything but the last allocation.
pub(super) const NOT_THE_LAST: &str =
    "stack dealloc does not match most recent stack alloc: op == state.Stack.back()";

fn definition(cx: &FunctionVerifier<'_>, value: Value) -> Option<Inst> {
    match cx.body.def(value) {
        ValueDef::Result(inst, _) => Some(inst),
        _ => None,
    }
}

static END_NAMES_BEGINNING: Rule = Rule {
    id: RuleId::new("SIL0206"),
    name: "EndNamesBeginning",
    severity: Severity::Error,
    summary: "The end of a scope names the result of the instruction that begins it",
    details: "\
`end_access` names a `begin_access`, `end_apply` and `abort_apply` the token of a `begin_apply`,
`end_borrow` of an address a `store_borrow`, `await_async_continuation` a `get_async_continuation`. No
other value may stand between the two, so that it is clear which scope ends.",
    failing: "\
sil @f : $@convention(thin) (@inout Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  end_access %0 : $*Builtin.Int64
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (@inout Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = begin_access [read] [static] %0 : $*Builtin.Int64
  end_access %1 : $*Builtin.Int64
  unreachable
}
",
    check: Check::Inst(
        &[
            Opcode::EndAccess,
            Opcode::EndApply,
            Opcode::AbortApply,
            Opcode::EndBorrow,
            Opcode::AwaitAsyncContinuation,
        ],
        end_names_beginning,
    ),
};

fn end_names_beginning(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(value) = cx.body.operands(inst).first().map(|o| o.value) else { return };
    let wanted: (&Kind, &str, &str) = match cx.body.inst(inst).opcode {
        Opcode::EndAccess => (&ACCESS, "`begin_access`", "operand of end_access must be a begin_access"),
        Opcode::EndApply => {
            (&APPLY, "the token of a `begin_apply`", "operand of end_apply must be a begin_apply")
        }
        Opcode::AbortApply => {
            (&APPLY, "the token of a `begin_apply`", "operand of abort_apply must be a begin_apply")
        }
        Opcode::AwaitAsyncContinuation => {
            (&CONTINUATION, "`get_async_continuation`", "can only await a continuation that was gotten here")
        }
        _ if cx.body.value(value).ty.is_address() => {
            (&STORE_BORROW, "`store_borrow`", "end_borrow of an address not produced by store_borrow")
        }
        _ => return,
    };
    if matches!(cx.body.def(value), ValueDef::Undef | ValueDef::Pending) {
        return;
    }
    let begun = definition(cx, value).and_then(|def| begun(cx, def));
    if begun.is_some_and(|(kind, of)| of == value && std::ptr::eq(kind, wanted.0)) {
        return;
    }
    let message =
        format!("`{}` names `{}`, which is not {}", cx.body.info(inst).name, cx.value(value), wanted.1);
    let operand = cx.body.operand_id(inst, 0);
    cx.report(
        cx.finding(&END_NAMES_BEGINNING, Place::Operand(operand), message)
            .label(format!("must be {}", wanted.1))
            .also(Place::Value(value), "defined here")
            .reference_message(wanted.2),
    );
}

static ABORTED_ACCESS: Rule = Rule {
    id: RuleId::new("SIL0207"),
    name: "AbortedAccess",
    severity: Severity::Error,
    summary: "Only an access that initializes or deinitializes is aborted",
    details: "\
`end_access [abort]` means that the purpose of the access did not happen: memory was not initialized, or
not deinitialized. An access that reads or modifies has nothing to abort. Leave `[abort]` out.",
    failing: "\
sil @f : $@convention(thin) (@inout Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = begin_access [read] [static] %0 : $*Builtin.Int64
  end_access [abort] %1 : $*Builtin.Int64
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (@inout Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = begin_access [read] [static] %0 : $*Builtin.Int64
  end_access %1 : $*Builtin.Int64
  unreachable
}
",
    check: Check::Inst(&[Opcode::EndAccess], aborted_access),
};

fn aborted_access(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(begin) = cx.body.operands(inst).first().and_then(|o| definition(cx, o.value)) else { return };
    if !cx.body.has_flag(inst, "abort") || cx.body.inst(begin).opcode != Opcode::BeginAccess {
        return;
    }
    if let Some(kind @ ("read" | "modify")) = cx.body.keyword(begin, "kind") {
        cx.report(
            cx.finding(
                &ABORTED_ACCESS,
                Place::Inst(inst),
                format!("an access that is `[{kind}]` is aborted"),
            )
            .also(Place::Inst(begin), "the access begins here"),
        );
    }
}

static STORED_BORROW_IS_USED_AS_SUCH: Rule = Rule {
    id: RuleId::new("SIL0208"),
    name: "StoredBorrowIsUsedAsSuch",
    severity: Severity::Error,
    summary: "An allocation with a stored borrow is used through the result of `store_borrow`",
    details: "\
The borrowed value lives in the allocation for the scope of the `store_borrow` alone, so all its uses
use the result. The allocation itself may only be borrowed into again and deallocated.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = alloc_stack $Builtin.NativeObject
  %2 = store_borrow %0 to %1 : $*Builtin.NativeObject
  fix_lifetime %1 : $*Builtin.NativeObject
  end_borrow %2 : $*Builtin.NativeObject
  unreachable
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = alloc_stack $Builtin.NativeObject
  %2 = store_borrow %0 to %1 : $*Builtin.NativeObject
  fix_lifetime %2 : $*Builtin.NativeObject
  end_borrow %2 : $*Builtin.NativeObject
  unreachable
}
",
    check: Check::Inst(&[Opcode::StoreBorrow], stored_borrow_is_used_as_such),
};

/// The message of the reference for a direct use of memory with a stored borrow.
const USED_BESIDE: &str = "A store_borrow destination can be used only via its return address: \
                           user == SI || isa<StoreBorrowInst>(user) || isa<DeallocStackInst>(user)";

static BORROW_IS_STORED_TO_ALLOCATION: Rule = Rule {
    id: RuleId::new("SIL0215"),
    name: "BorrowIsStoredToAllocation",
    severity: Severity::Error,
    summary: "A borrow is stored to an `alloc_stack` itself",
    details: "\
`store_borrow` gives memory to a borrowed value for as long as the borrow lasts. The memory is a stack
allocation of its own: not a field of one, and not memory with another owner, such as an argument or a
box. Allocate it with `alloc_stack`.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = alloc_stack $(Builtin.NativeObject, Builtin.Int64)
  %2 = tuple_element_addr %1 : $*(Builtin.NativeObject, Builtin.Int64), 0
  %3 = store_borrow %0 to %2 : $*Builtin.NativeObject
  end_borrow %3 : $*Builtin.NativeObject
  unreachable
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = alloc_stack $Builtin.NativeObject
  %2 = store_borrow %0 to %1 : $*Builtin.NativeObject
  end_borrow %2 : $*Builtin.NativeObject
  unreachable
}
",
    check: Check::With(&["SIL0208"]),
};

fn stored_borrow_is_used_as_such(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(destination) = cx.body.operands(inst).get(1).map(|o| o.value) else { return };
    if matches!(cx.body.def(destination), ValueDef::Undef | ValueDef::Pending) {
        return;
    }
    let alloc = definition(cx, destination).map(|alloc| cx.body.inst(alloc).opcode);
    // The move checker looks through the mark.
    if alloc == Some(Opcode::MarkUnresolvedNonCopyableValue) {
        return;
    }
    if alloc != Some(Opcode::AllocStack) {
        let message =
            format!("a borrow is stored to `{}`, which is not an `alloc_stack`", cx.value(destination));
        cx.report(
            cx.finding(&BORROW_IS_STORED_TO_ALLOCATION, Place::Inst(inst), message)
                .also(Place::Value(destination), "created here")
                .reference_message(
                    "store_borrow destination can only be an alloc_stack: isLegal(SI->getDest())",
                ),
        );
        return;
    }
    // If several borrows are stored to one allocation, only the first one is reported.
    let borrows = |user: &Inst| cx.body.inst(*user).opcode == Opcode::StoreBorrow;
    if cx.body.users(destination).filter(borrows).last() != Some(inst) {
        return;
    }
    for operand in cx.body.uses(destination) {
        let user = cx.body.operand(operand).user;
        if matches!(
            cx.body.inst(user).opcode,
            Opcode::StoreBorrow | Opcode::DeallocStack | Opcode::DebugValue
        ) {
            continue;
        }
        let message = format!("`{}` is used directly while a borrow is stored in it", cx.value(destination));
        cx.report(
            cx.finding(&STORED_BORROW_IS_USED_AS_SUCH, Place::Operand(operand), message)
                .label("must use the result of `store_borrow`")
                .also(Place::Inst(inst), "the borrow is stored here")
                .reference_message_at(Place::Inst(inst), USED_BESIDE),
        );
    }
}
