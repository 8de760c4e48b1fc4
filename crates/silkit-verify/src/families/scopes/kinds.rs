//! The kinds of scopes, with their begins and ends.

use crate::context::FunctionVerifier;
use silkit_analysis::Coherence;
use silkit_ir::info::{ScopeEdge, StackEffect};
use silkit_ir::{Inst, Opcode, ScopeKind, Value, ValueDef};

/// A kind of scope with a begin and ends that jointly post-dominate it.
#[derive(Debug)]
pub(super) struct Kind {
    /// The name for messages.
    pub(super) name: &'static str,
    /// The participle of its end, for messages.
    pub(super) ended: &'static str,
    /// Whether paths to a dead-end block must agree on whether the scope is open.
    pub(super) coherence: Coherence,
    /// The messages of the reference.
    pub(super) reference_words: &'static ReferenceWords,
}

/// The messages of the reference about scopes of some kinds. The text after the colon is the condition that it
/// checks.
#[derive(Debug)]
pub(super) struct ReferenceWords {
    /// For a scope that is open at a function exit.
    pub(super) at_exit: &'static str,
    /// For an edge into a block that another edge enters with other scopes open.
    pub(super) at_edge: &'static str,
    /// For an end of a scope that has already ended.
    pub(super) at_end: &'static str,
}

static OF_STACK: ReferenceWords = ReferenceWords {
    at_exit: "return with stack allocs that haven't been deallocated: state.Stack.empty()",
    at_edge: "inconsistent stack heights entering basic block: state.Stack == foundState.Stack || isUnreachable()",
    at_end: "stack dealloc with empty stack",
};

static OF_OPERATIONS: ReferenceWords = ReferenceWords {
    at_exit: "return with operations still active: state.ActiveOps.empty()",
    at_edge: "inconsistent active-operations sets entering basic block: \
              state.ActiveOps == foundState.ActiveOps || isUnreachable()",
    at_end: "operation has already been ended",
};

pub(super) static STACK: Kind = Kind {
    name: "stack allocation",
    ended: "deallocated",
    coherence: Coherence::NotRequired,
    reference_words: &OF_STACK,
};
/// Stack allocations that may be deallocated in any order (`[non_nested]`, since Swift 6.3).
pub(super) static NON_NESTED: Kind = Kind {
    name: "stack allocation",
    ended: "deallocated",
    coherence: Coherence::NotRequired,
    reference_words: &OF_OPERATIONS,
};
pub(super) static ACCESS: Kind = Kind {
    name: "access",
    ended: "ended",
    coherence: Coherence::NotRequired,
    reference_words: &OF_OPERATIONS,
};
pub(super) static APPLY: Kind = Kind {
    name: "suspended coroutine",
    ended: "resumed or aborted",
    coherence: Coherence::NotRequired,
    reference_words: &OF_OPERATIONS,
};
pub(super) static STORE_BORROW: Kind = Kind {
    name: "stored borrow",
    ended: "ended",
    coherence: Coherence::NotRequired,
    reference_words: &OF_OPERATIONS,
};
pub(super) static CONTINUATION: Kind = Kind {
    name: "continuation",
    ended: "awaited",
    coherence: Coherence::Required,
    reference_words: &OF_OPERATIONS,
};

/// Returns the messages for a scope kind of the instruction table. For borrows they refer to memory.
fn of(kind: ScopeKind) -> &'static Kind {
    match kind {
        ScopeKind::Access => &ACCESS,
        ScopeKind::Apply => &APPLY,
        ScopeKind::Borrow => &STORE_BORROW,
        ScopeKind::Continuation => &CONTINUATION,
    }
}

/// Returns the kind of a stack allocation.
fn of_allocation(cx: &FunctionVerifier<'_>, alloc: Inst) -> &'static Kind {
    if cx.body.has_flag(alloc, "non_nested") { &NON_NESTED } else { &STACK }
}

/// All kinds.
pub(super) static ALL: [&Kind; 6] = [&STACK, &NON_NESTED, &ACCESS, &APPLY, &STORE_BORROW, &CONTINUATION];

/// Returns true if some instruction with this opcode begins a scope.
pub(super) fn may_begin(opcode: Opcode) -> bool {
    let info = opcode.info();
    matches!(info.scope, Some(ScopeEdge::Begins(_)))
        || matches!(info.stack, StackEffect::Allocates | StackEffect::MayAllocate)
}

/// Returns true if some instruction with this opcode begins or ends a scope.
pub(super) fn may_matter(opcode: Opcode) -> bool {
    let info = opcode.info();
    info.scope.is_some() || info.stack != StackEffect::None || opcode == Opcode::Builtin
}

/// Returns the scope that an instruction begins, and the value that its ends use. Borrows of values are checked by
/// the ownership rules.
pub(super) fn begun(cx: &FunctionVerifier<'_>, inst: Inst) -> Option<(&'static Kind, Value)> {
    let body = cx.body;
    let result = body.first_result(inst);
    match body.begins_scope(inst) {
        Some(ScopeKind::Apply) => Some((&APPLY, token(cx, inst)?)),
        Some(ScopeKind::Borrow) if !body.value(result?).ty.is_address() => None,
        Some(kind) => Some((of(kind), result?)),
        None => allocated(cx, inst).map(|value| (of_allocation(cx, inst), value)),
    }
}

/// Returns the instructions that end the scope of a kind that a value represents.
pub(super) fn ends(cx: &FunctionVerifier<'_>, kind: &Kind, value: Value) -> Vec<Inst> {
    let body = cx.body;
    let ends = |inst: &Inst| match body.ends_scope(*inst) {
        Some(ended) => std::ptr::eq(kind, of(ended)),
        None => is_stack(kind) && body.stack_deallocated(*inst).is_some(),
    };
    let mut found: Vec<Inst> = body.users(value).filter(ends).collect();
    if let ValueDef::Result(def, _) = body.def(value)
        && body.inst(def).opcode == Opcode::Builtin
    {
        let mut work: Vec<Inst> = body.users(value).collect();
        while let Some(inst) = work.pop() {
            if body.inst(inst).opcode == Opcode::MoveValue {
                let moved = body.results(inst).flat_map(|v| body.users(v));
                let before = work.len();
                work.extend(moved);
                found.extend(work[before..].iter().copied().filter(ends));
            }
        }
    }
    found
}

fn is_stack(kind: &Kind) -> bool {
    std::ptr::eq(kind, &STACK) || std::ptr::eq(kind, &NON_NESTED)
}

/// Returns true if an instruction begins a scope of a kind.
pub(super) fn begins(cx: &FunctionVerifier<'_>, kind: &Kind, inst: Inst) -> bool {
    if is_stack(kind) {
        return allocated(cx, inst).is_some() && std::ptr::eq(of_allocation(cx, inst), kind);
    }
    begun(cx, inst).is_some_and(|(of, _)| std::ptr::eq(of, kind))
}

/// Returns the begin of the scope of a kind that an instruction ends.
pub(super) fn begun_by(cx: &FunctionVerifier<'_>, kind: &Kind, end: Inst) -> Option<Inst> {
    if is_stack(kind) {
        let alloc = cx.body.paired_allocation(end, cx.is_ossa())?;
        return std::ptr::eq(of_allocation(cx, alloc), kind).then_some(alloc);
    }
    let ended = of(cx.body.ends_scope(end)?);
    let ValueDef::Result(def, _) = cx.body.def(cx.body.operands(end).first()?.value) else { return None };
    (std::ptr::eq(kind, ended) && begins(cx, kind, def)).then_some(def)
}

/// Returns the result of a stack allocation that deallocations use.
pub(super) fn allocated(cx: &FunctionVerifier<'_>, inst: Inst) -> Option<Value> {
    cx.body.stack_allocated(inst, cx.is_ossa())
}

/// Returns the token of a `begin_apply`, which follows the yielded values.
fn token(cx: &FunctionVerifier<'_>, inst: Inst) -> Option<Value> {
    let mut results = cx.body.results(inst);
    let behind = if cx.body.allocates_in_callee(inst) { 2 } else { 1 };
    results.len().checked_sub(behind).and_then(|at| results.nth(at))
}
