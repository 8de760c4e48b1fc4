//! Addresses that are derived from an address, and what is done through them.

use crate::context::FunctionContext;
use silkit_base::FxHashSet;
use silkit_ir::{Opcode, Operand, Value};

/// The address into the same memory that an instruction derives from an operand.
pub(in crate::families) fn derived(cx: &FunctionContext<'_>, operand: Operand) -> Option<Value> {
    let body = cx.body;
    let user = body.operand(operand).user;
    let index = match body.inst(user).opcode {
        Opcode::StructElementAddr
        | Opcode::TupleElementAddr
        | Opcode::IndexAddr
        | Opcode::TailAddr
        | Opcode::UncheckedAddrCast
        | Opcode::InitEnumDataAddr
        | Opcode::UncheckedTakeEnumDataAddr
        | Opcode::InitExistentialAddr
        | Opcode::OpenExistentialAddr
        | Opcode::BeginAccess
        | Opcode::MarkUninitialized
        | Opcode::MarkUnresolvedNonCopyableValue
        | Opcode::MarkDependence
        | Opcode::ProjectBlockStorage
        | Opcode::MoveOnlyWrapperToCopyableAddr
        | Opcode::CopyableToMoveOnlyWrapperAddr => 0,
        Opcode::StoreBorrow | Opcode::TuplePackElementAddr => 1,
        _ => return None,
    };
    let result = body.results(user).next().filter(|&v| body.value(v).ty.is_address());
    if body.operand_index(operand) == index { result } else { None }
}

/// What a visitor of uses wants to see next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::families) enum Next {
    /// All other uses, also those of an address that this use derives.
    Follow,
    /// All other uses, but none of an address that this use derives.
    Skip,
    /// Nothing.
    Stop,
}

/// All uses of an address and of those derived from it, until the visitor has seen enough.
pub(in crate::families) fn each_use(
    cx: &FunctionContext<'_>,
    root: Value,
    mut visit: impl FnMut(Operand) -> Next,
) {
    // Not a dense set: it would cost what the body has before, for every root.
    let mut seen = FxHashSet::default();
    let mut work = vec![root];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        for operand in cx.body.uses(value) {
            match visit(operand) {
                Next::Follow => work.extend(derived(cx, operand)),
                Next::Skip => {}
                Next::Stop => return,
            }
        }
    }
}
