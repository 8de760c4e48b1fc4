//! Captured values for direct calls of a closure's function: they are copied, since the closure owns them and may be
//! destroyed before the call.
//!
//! ```text
//!   %2 = partial_apply [callee_guaranteed] %1(%0)
//!   %3 = apply %2()
//! ---
//!   %2 = copy_value %0
//!   %3 = begin_borrow %2
//!   %4 = partial_apply [callee_guaranteed] %1(%0)
//!   %5 = apply %1(%3)
//!   end_borrow %3
//!   destroy_value %2
//! ```

use super::dead::destroy;
use super::known::KnownCallee;
use crate::values::counting::Counting;
use crate::variables::auto_generated;
use silkit_analysis::ossa::{Boundary, Liveness, UseKind};
use silkit_ir::conventions::ArgumentConvention;
use silkit_ir::instructions::CopyAddr;
use silkit_ir::{Block, Body, Builder, Inst, Loc, Opcode, Ownership, Point, Value};
use silkit_pass::FunctionContext;
use silkit_types::CalleeConvention;

/// Copies the captured values for a call through a heap closure, and destroys the closure after the call if the call
/// consumed it.
pub fn keep_alive(cx: &mut FunctionContext<'_>, call: Inst, callee: &mut KnownCallee) {
    let Some(closure) = callee.heap_closure(cx.body()) else { return };
    let has_ossa = cx.function().has_ossa();
    let captures = callee.captures.clone();
    for (value, convention) in callee.captured_mut().iter_mut().zip(captures) {
        let ty = cx.body().value(*value).ty;
        let is_trivial = match has_ossa && !ty.is_address() {
            true => cx.ownership().value(*value) == Some(Ownership::None),
            false => cx.declarations().is_trivial(ty.ty(), cx.view().signature()) == Some(true),
        };
        if is_trivial {
            continue;
        }
        if ty.is_address() {
            if convention == ArgumentConvention::InGuaranteed {
                *value = lend_memory(cx, closure, call, *value);
            }
            continue;
        }
        *value = match convention {
            ArgumentConvention::Guaranteed => lend(cx, closure, call, *value, has_ossa),
            ArgumentConvention::Unowned => {
                let copy = copy(cx, closure, *value, Point::Before(closure), has_ossa);
                end_after(cx, closure, call, copy, None, has_ossa);
                copy
            }
            ArgumentConvention::Owned => own(cx, closure, call, *value, has_ossa),
            _ => continue,
        };
    }
    let consumes = cx
        .body()
        .first_result(closure)
        .and_then(|value| cx.body().value(value).ty.ty().as_function())
        .is_some_and(|ty| ty.callee != CalleeConvention::Guaranteed);
    if consumes && let Some(site) = cx.view().apply_site(call) {
        let value = site.callee();
        for point in after_call(cx.body(), call) {
            destroy(cx, value, point, has_ossa);
        }
    }
}

/// Copies a value before the closure captures it, and borrows the copy until the end of the call.
fn lend(cx: &mut FunctionContext<'_>, closure: Inst, call: Inst, value: Value, has_ossa: bool) -> Value {
    let copy = copy(cx, closure, value, Point::Before(closure), has_ossa);
    if !has_ossa {
        end_after(cx, closure, call, copy, None, has_ossa);
        return copy;
    }
    let loc = auto_generated(cx.body_mut(), closure);
    let mut builder = cx.at(Point::Before(closure));
    builder.set_default_loc(loc);
    let borrow = builder.begin_borrow(copy);
    end_after(cx, closure, call, copy, Some(borrow), has_ossa);
    borrow
}

/// Copies a value for a call that consumes it.
fn own(cx: &mut FunctionContext<'_>, closure: Inst, call: Inst, value: Value, has_ossa: bool) -> Value {
    let kept = copy(cx, closure, value, Point::Before(closure), has_ossa);
    if loop_exits(cx.body(), closure, call).is_none() {
        for block in edges_elsewhere(cx.body(), closure, call) {
            end(cx, call, kept, None, Point::Start(block), has_ossa);
        }
        return kept;
    }
    end_after(cx, closure, call, kept, None, has_ossa);
    copy(cx, closure, kept, Point::Before(call), has_ossa)
}

/// Copies or takes a value in memory to a new stack location.
pub fn copied_to_stack(builder: &mut Builder<'_>, address: Value, take: bool) -> Value {
    let copy = builder.alloc_stack(builder.value(address).ty.to_object());
    builder.build(CopyAddr { take, init: true, ..CopyAddr::new(address, copy) });
    copy
}

/// Copies a value in memory before the closure captures it, until the end of the call.
fn lend_memory(cx: &mut FunctionContext<'_>, closure: Inst, call: Inst, address: Value) -> Value {
    let loc = auto_generated(cx.body_mut(), closure);
    let mut builder = cx.at(Point::Before(closure));
    builder.set_default_loc(loc);
    let copy = copied_to_stack(&mut builder, address, false);
    for point in ends(cx.body(), closure, call) {
        let loc = auto_generated(cx.body_mut(), call);
        let mut builder = cx.at(point);
        builder.set_default_loc(loc);
        builder.destroy_addr(copy);
        builder.dealloc_stack(copy);
    }
    copy
}

fn copy(cx: &mut FunctionContext<'_>, closure: Inst, value: Value, at: Point, has_ossa: bool) -> Value {
    let (ty, sig) = (cx.body().value(value).ty, cx.view().signature());
    let declarations = cx.declarations();
    let loc = auto_generated(cx.body_mut(), closure);
    let mut builder = cx.at(at);
    builder.set_default_loc(loc);
    match has_ossa {
        true => builder.copy_value(value),
        false => {
            Counting::of(declarations, ty, sig).retain(&mut builder, value);
            value
        }
    }
}

/// Destroys a copy after the call, or after the loop in which the call repeats, and on paths from the closure that do
/// not reach the call.
fn end_after(
    cx: &mut FunctionContext<'_>,
    closure: Inst,
    call: Inst,
    copy: Value,
    borrow: Option<Value>,
    has_ossa: bool,
) {
    for point in ends(cx.body(), closure, call) {
        end(cx, call, copy, borrow, point, has_ossa);
    }
}

/// Returns the points at which a copy that lives from the closure until the call ends.
fn ends(body: &Body, closure: Inst, call: Inst) -> Vec<Point> {
    let (edges, after) = match loop_exits(body, closure, call) {
        Some(exits) => (exits, Vec::new()),
        None => (edges_elsewhere(body, closure, call), after_call(body, call)),
    };
    edges.into_iter().map(Point::Start).chain(after).collect()
}

/// Returns the blocks at which paths from the closure leave the paths to the call.
fn edges_elsewhere(body: &Body, closure: Inst, call: Inst) -> Vec<Block> {
    boundary(body, closure, call, UseKind::Ending).map_or(Vec::new(), |boundary| boundary.edges)
}

/// Returns the blocks at which paths from the closure leave the loop that repeats the call; `None` if the call is in no
/// loop that the closure is not in.
fn loop_exits(body: &Body, closure: Inst, call: Inst) -> Option<Vec<Block>> {
    boundary(body, closure, call, UseKind::Regular)
        .filter(|boundary| !boundary.last_users.contains(&call))
        .map(|boundary| boundary.edges)
}

/// Returns the ends of the paths from a closure to a call; `None` if both are in one block.
fn boundary(body: &Body, closure: Inst, call: Inst, kind: UseKind) -> Option<Boundary> {
    if body.inst_block(closure) == body.inst_block(call) {
        return None;
    }
    let mut liveness = Liveness::of_value(body, body.first_result(closure)?);
    liveness.use_at(body, call, kind);
    Some(liveness.boundary(body))
}

fn end(
    cx: &mut FunctionContext<'_>,
    call: Inst,
    copy: Value,
    borrow: Option<Value>,
    point: Point,
    has_ossa: bool,
) {
    let loc: Loc = auto_generated(cx.body_mut(), call);
    if let Some(borrow) = borrow {
        let mut builder = cx.at(point);
        builder.set_default_loc(loc);
        builder.end_borrow(borrow);
        let next = match point {
            Point::Start(block) => cx.body().first_inst(block).map(Point::After),
            Point::After(inst) => cx.body().next_inst(inst).map(Point::After),
            _ => None,
        };
        destroy(cx, copy, next.unwrap_or(point), has_ossa);
        return;
    }
    destroy(cx, copy, point, has_ossa);
}

/// Returns the points directly after a call on all its paths.
pub fn after_call(body: &Body, call: Inst) -> Vec<Point> {
    match body.inst(call).opcode {
        Opcode::Apply => vec![Point::After(call)],
        Opcode::BeginApply => {
            let token = body.results(call).flat_map(|value| body.users(value));
            let is_end =
                |&user: &Inst| matches!(body.inst(user).opcode, Opcode::EndApply | Opcode::AbortApply);
            token.filter(is_end).map(Point::After).collect()
        }
        _ => body.block_successors(body.inst_block(call)).map(|block: Block| Point::Start(block)).collect(),
    }
}
