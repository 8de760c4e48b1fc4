//! Messages for memory lifetime findings.

use super::check::Origin;
use super::ops::{Op, Reason};
use super::rules::{
    ARGUMENT_IS_FULL, ARGUMENT_IS_LEFT_EMPTY, FREED_EMPTY, INITIALIZED_ONCE, PATHS_AGREE, PAYLOAD_IS_THERE,
    USED_INITIALIZED, YIELD_IS_TAKEN,
};
use crate::context::FunctionVerifier;
use crate::finding::{Finding, Place};
use crate::reference_message::{MemoryFault, MemoryFaultKind, ReferenceMessage};
use silkit_analysis::memory::{LocationRoot, Locations, RequiredState, RootKind};
use silkit_ir::{Inst, Opcode};
use silkit_types::TypeKind;

/// A violation of memory lifetime.
pub(super) enum Violation<'o> {
    /// The requirement of an operation is violated.
    Op {
        /// The operation.
        op: &'o Op,
        /// The location of the first violating leaf.
        leaf: u32,
        /// The origin of its state.
        origin: Origin,
    },
    /// Paths to a join disagree.
    Disagreement {
        /// The location of the leaf.
        leaf: u32,
        /// The terminator of a predecessor in which the leaf is initialized.
        from: Inst,
        /// The terminator of a predecessor in which the leaf is uninitialized.
        other: Inst,
        /// The origin of the initialized state.
        stored: Origin,
        /// The origin of the uninitialized state.
        taken: Origin,
    },
}

pub(super) fn report(cx: &FunctionVerifier<'_>, locations: &Locations, violation: &Violation<'_>) {
    cx.report(match violation {
        Violation::Op { op, leaf, origin } => of_op(cx, locations, op, *leaf, origin),
        Violation::Disagreement { leaf, from, other, stored, taken } => {
            let root = locations.root_of(*leaf);
            let message = format!(
                "{} is initialized on one path and uninitialized on another",
                name(cx, locations, *leaf)
            );
            let finding = cx
                .finding(&PATHS_AGREE, Place::Inst(*from), message)
                .label("initialized on the path from here")
                .also(Place::Inst(*other), "uninitialized on the path from here");
            let finding = with_origin(cx, finding, root, stored, "stored here", &[*from, *other]);
            let finding = match taken.inst {
                Some(inst) if inst != *other && inst != *from => {
                    finding.also(Place::Inst(inst), "taken or destroyed here")
                }
                _ => finding,
            };
            fault(cx, finding, locations, *leaf, MemoryFaultKind::PathsDisagree, *from)
        }
    });
}

fn of_op(cx: &FunctionVerifier<'_>, locations: &Locations, op: &Op, leaf: u32, origin: &Origin) -> Finding {
    use MemoryFaultKind as K;
    let root = locations.root_of(op.location);
    let user = cx.body.info(op.inst).name;
    let what = name(cx, locations, leaf);
    let place = match op.why {
        Reason::Use(operand) => Place::Operand(operand),
        _ => Place::Inst(op.inst),
    };
    let opcode = cx.body.inst(op.inst).opcode;
    let (rule, message, label, kind) = match (op.needs, op.why) {
        (RequiredState::Empty, Reason::Exit) => {
            let message = format!("{what} is still initialized at `{user}`");
            (
                &ARGUMENT_IS_LEFT_EMPTY,
                message,
                "neither destroyed nor taken on the path to here",
                K::InitializedAtExit,
            )
        }
        (RequiredState::Empty, Reason::EndOfCoroutine) => {
            let message = format!("{what} still holds the value that the coroutine yielded");
            (&YIELD_IS_TAKEN, message, "the coroutine ends here", K::Initialized)
        }
        (RequiredState::Empty, _) if opcode == Opcode::DeallocStack => {
            let message = format!("{what} is still initialized when it is deallocated");
            (&FREED_EMPTY, message, "deallocated here", K::Initialized)
        }
        (RequiredState::Empty, _) => {
            let message = format!("`{user}` initializes {what}, which is already initialized");
            (&INITIALIZED_ONCE, message, "initialized here", K::Initialized)
        }
        (_, Reason::Exit) => {
            let message = format!("{what} is not initialized at `{user}`");
            (&ARGUMENT_IS_FULL, message, "the caller expects one", K::NotAliveAtExit)
        }
        (_, Reason::EndOfCoroutine) => {
            let message = format!("{what} is not initialized when the coroutine that yielded it ends");
            (&USED_INITIALIZED, message, "the coroutine ends here", K::NotInitialized)
        }
        (_, Reason::EndOfBorrow) => {
            let message = format!("{what} is not initialized when its borrow ends");
            (&USED_INITIALIZED, message, "the borrow ends here", K::NotInitialized)
        }
        _ if opcode == Opcode::InjectEnumAddr => {
            let message = format!("`{user}` completes {what}, whose payload was not stored");
            (&PAYLOAD_IS_THERE, message, "expected an initialized payload", K::NotInitialized)
        }
        _ => {
            let message = format!("`{user}` uses {what}, which is not initialized");
            (&USED_INITIALIZED, message, "used here", K::NotInitialized)
        }
    };
    let made = if op.needs == RequiredState::Empty { "stored here" } else { "taken or destroyed here" };
    let finding = cx.finding(rule, place, message).label(label);
    let finding = with_origin(cx, finding, root, origin, made, &[op.inst]);
    fault(cx, finding, locations, leaf, kind, op.inst)
}

/// Adds the origin of the memory or of its value, unless it is already reported.
fn with_origin(
    cx: &FunctionVerifier<'_>,
    finding: Finding,
    root: &LocationRoot,
    origin: &Origin,
    made: &str,
    reported: &[Inst],
) -> Finding {
    let begin = match root.kind {
        RootKind::Allocation(_) => "allocated here",
        RootKind::Argument(..) => "passed here",
        RootKind::Yielded(..) => "yielded here",
    };
    let from = cx.body.defining_inst(root.value);
    let finding = match origin.inst {
        Some(inst) if reported.contains(&inst) || Some(inst) == from => finding,
        Some(inst) if cx.body.inst(inst).opcode == Opcode::DeallocStack => {
            finding.also(Place::Inst(inst), "deallocated here")
        }
        Some(inst) => finding.also(Place::Inst(inst), made),
        None => finding,
    };
    finding.also(Place::Value(root.value), begin).path(origin.path.clone())
}

fn fault(
    cx: &FunctionVerifier<'_>,
    mut finding: Finding,
    locations: &Locations,
    leaf: u32,
    kind: MemoryFaultKind,
    inst: Inst,
) -> Finding {
    let address = locations.locations[leaf as usize].value;
    let root = locations.root_of(leaf);
    let is_followed =
        (matches!(root.kind, RootKind::Allocation(_)) || !root.holds_weak_storage) && !root.receives_result;
    if !is_followed || matches!(cx.body.value(address).ty.ty().kind(), TypeKind::Storage(..)) {
        // The reference does not follow weak and unowned references in memory, and memory of continuations.
        return finding.warning();
    }
    let location = Some(address);
    finding.reference_messages.push(ReferenceMessage::Memory(MemoryFault { location, kind, inst }));
    finding
}

/// Returns a readable name of a location: an argument, an allocation, or a part of them.
fn name(cx: &FunctionVerifier<'_>, locations: &Locations, location: u32) -> String {
    let root = locations.root_of(location);
    let value = locations.locations[location as usize].value;
    let whole = cx.value(root.value);
    if value != root.value {
        return format!("`{}` in `{whole}`", cx.value(value));
    }
    match root.kind {
        RootKind::Allocation(_) => format!("`{whole}`"),
        RootKind::Argument(..) => format!("the argument `{whole}`"),
        RootKind::Yielded(..) => format!("the yielded `{whole}`"),
    }
}
