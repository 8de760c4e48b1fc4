//! Captured values of a closure, for direct calls of its function.

use silkit_analysis::ossa::{Liveness, UseKind};
use silkit_ir::instructions::{CopyAddr, PartialApply};
use silkit_ir::{Inst, Opcode, Point, Value, substituted};
use silkit_transform::closures::copied_to_stack;
use silkit_transform::counting::Counting;
use silkit_transform::patterns::Rewriter;
use silkit_types::{ParamConvention, SilType};

/// The captured values of a closure, with their conventions.
pub(super) struct Captures {
    all: Vec<(Value, ParamConvention)>,
    is_on_stack: bool,
}

impl Captures {
    /// Returns the captures of a closure; `None` if they are not known, or if a heap closure owns one that cannot be copied.
    pub(super) fn of(rw: &Rewriter<'_, '_>, inst: Inst) -> Option<Self> {
        let PartialApply { callee, subs, args, on_stack, .. } = rw.body().view_as(inst)?;
        let types: Vec<_> = subs.iter().collect();
        let function = substituted(rw.ty(callee).ty().as_function()?, &types, rw.declarations())?;
        let values: Vec<Value> = args.iter().collect();
        let first = function.params.len().checked_sub(values.len())?;
        let conventions = function.params[first..].iter().map(|param| param.convention);
        let all: Vec<(Value, ParamConvention)> = values.into_iter().zip(conventions).collect();
        let is_move_only = |&(value, _): &(Value, ParamConvention)| {
            rw.declarations().is_move_only(rw.ty(value).ty(), rw.view().signature()) == Some(true)
        };
        (on_stack || !all.iter().any(is_move_only)).then_some(Self { all, is_on_stack: on_stack })
    }

    /// Returns the captured values that a heap closure owns.
    pub(super) fn owned(&self, rw: &Rewriter<'_, '_>) -> Vec<Value> {
        let is_owned = |&&(value, convention): &&(Value, ParamConvention)| {
            !is_variable(convention) && !rw.is_trivial(rw.ty(value))
        };
        self.all.iter().filter(is_owned).map(|capture| capture.0).collect()
    }

    /// Copies the captures that a heap closure consumes, up to the last of its users. Returns the values to pass.
    pub(super) fn keep(&self, rw: &mut Rewriter<'_, '_>, inst: Inst, users: &[Inst]) -> Vec<Value> {
        if self.is_on_stack {
            return self.all.iter().map(|capture| capture.0).collect();
        }
        let ends = last_points(rw, inst, users);
        let keep = |&(value, convention): &(Value, ParamConvention)| {
            let ty = rw.ty(value);
            if ty.is_address() {
                return if is_variable(convention) { value } else { copy_memory(rw, inst, value, &ends) };
            }
            if rw.is_trivial(ty) {
                return value;
            }
            let copy = copy(rw, Point::Before(inst), value);
            for &end in &ends {
                destroy(rw, end, copy);
            }
            copy
        };
        self.all.iter().map(keep).collect()
    }

    /// Returns the arguments for a call. Arguments that the function consumes are copied.
    pub(super) fn pass(&self, rw: &mut Rewriter<'_, '_>, call: Inst, values: &[Value]) -> PassedValues {
        let mut passed = PassedValues::default();
        for (&value, &(_, convention)) in values.iter().zip(&self.all) {
            let is_trivial = rw.is_trivial(rw.ty(value));
            passed.arguments.push(match convention {
                ParamConvention::In if rw.ty(value).is_address() => {
                    let memory = copied_to_stack(&mut rw.before(call), value, false);
                    passed.memory.push(memory);
                    memory
                }
                ParamConvention::Owned if !is_trivial => copy(rw, Point::Before(call), value),
                _ => value,
            });
        }
        passed
    }
}

/// What a direct call passes for the captured values.
#[derive(Default)]
pub(super) struct PassedValues {
    /// The arguments.
    pub(super) arguments: Vec<Value>,
    /// The memory on the stack that the call takes its arguments from.
    memory: Vec<Value>,
}

impl PassedValues {
    /// Deallocates the memory after the call, from which the function has taken the values.
    pub(super) fn end(&self, rw: &mut Rewriter<'_, '_>, call: Inst) {
        for &memory in &self.memory {
            for point in points_after(rw, call) {
                rw.at(point).dealloc_stack(memory);
            }
        }
    }
}

/// Returns the points after the last users of a closure.
pub(super) fn last_points(rw: &Rewriter<'_, '_>, inst: Inst, users: &[Inst]) -> Vec<Point> {
    let body = rw.body();
    let Some(closure) = body.first_result(inst) else { return Vec::new() };
    let mut liveness = Liveness::of_value(body, closure);
    for &user in users {
        liveness.use_at(body, user, UseKind::Regular);
    }
    liveness.boundary(body).insertion_points(body).into_iter().map(Point::Before).collect()
}

/// Returns true if a captured variable is shared by reference.
pub(super) fn is_variable(convention: ParamConvention) -> bool {
    matches!(convention, ParamConvention::Inout | ParamConvention::InoutAliasable)
}

/// Copies captured memory to the stack, up to these points.
fn copy_memory(rw: &mut Rewriter<'_, '_>, inst: Inst, address: Value, ends: &[Point]) -> Value {
    let copy = copied_to_stack(&mut rw.before(inst), address, false);
    for &end in ends {
        let mut builder = rw.at(end);
        builder.destroy_addr(copy);
        builder.dealloc_stack(copy);
    }
    copy
}

/// Copies a value.
fn copy(rw: &mut Rewriter<'_, '_>, at: Point, value: Value) -> Value {
    if rw.function().has_ossa() {
        return rw.at(at).copy_value(value);
    }
    let counting = counting(rw, value);
    counting.retain(&mut rw.at(at), value);
    value
}

/// Destroys a value, or the value in memory.
pub(super) fn destroy(rw: &mut Rewriter<'_, '_>, at: Point, value: Value) {
    if rw.ty(value).is_address() {
        if !take_instead(rw, at, value) {
            _ = rw.at(at).destroy_addr(value);
        }
    } else if rw.function().has_ossa() {
        _ = rw.at(at).destroy_value(value);
    } else {
        let counting = counting(rw, value);
        counting.release(&mut rw.at(at), value);
    }
}

/// Replaces a copy directly before a point by the value itself, if that is destroyed there.
fn take_instead(rw: &mut Rewriter<'_, '_>, at: Point, address: Value) -> bool {
    let Point::Before(inst) = at else { return false };
    let mut previous = rw.body().prev_inst(inst);
    while let Some(destroy) = previous.filter(|&inst| rw.is(inst, Opcode::DestroyAddr)) {
        previous = rw.body().prev_inst(destroy);
    }
    let Some(copy) = previous else { return false };
    let is_copy =
        rw.body().view_as::<CopyAddr>(copy).is_some_and(|copy| copy.source == address && !copy.take);
    if is_copy {
        rw.edit().set_flag(copy, "take", true);
    }
    is_copy
}

/// Destroys a value after a call.
pub(super) fn destroy_after(rw: &mut Rewriter<'_, '_>, call: Inst, value: Value) {
    for point in points_after(rw, call) {
        destroy(rw, point, value);
    }
}

/// Returns the points after a call.
fn points_after(rw: &Rewriter<'_, '_>, call: Inst) -> Vec<Point> {
    match rw.body().is_terminator(call) {
        true => rw.body().successors(call).map(Point::Start).collect(),
        false => vec![Point::After(call)],
    }
}

fn counting(rw: &Rewriter<'_, '_>, value: Value) -> Counting {
    let ty: SilType = rw.ty(value);
    Counting::of(rw.declarations(), ty, rw.view().signature())
}
