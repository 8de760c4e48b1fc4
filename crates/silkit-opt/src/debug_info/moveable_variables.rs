//! Moveable variables and coroutine split points: the code after a split point becomes a separate function, in which
//! the locations of the variables must be described again.

use silkit_analysis::BodyView;
use silkit_base::FxHashMap;
use silkit_ir::instructions::{AllocStack, AnyInst, DebugValue};
use silkit_ir::{Body, DebugVar, Inst, Loc, LocData, Point, Value};
use silkit_pass::FunctionContext;

/// The index of a variable in [`Variables`].
pub(super) type Variable = usize;

/// The identity of a variable: its debug variable and, if that has no location, the location of the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    var: DebugVar,
    place: Option<LocData>,
    /// The instruction, if the location is not known: then each instruction describes a different variable.
    inst: Option<Inst>,
}

/// The moveable variables of a body and the instructions that describe their locations.
pub(super) struct Variables {
    numbers: FxHashMap<Inst, Variable>,
    count: usize,
}

impl Variables {
    /// Collects all moveable variables of a body.
    pub(super) fn of(view: &BodyView<'_>) -> Self {
        let body = view.body;
        let mut known: FxHashMap<Key, Variable> = FxHashMap::default();
        let mut numbers = FxHashMap::default();
        for inst in body.insts() {
            let Some(var) = moveable(view, inst) else { continue };
            let place = body.loc(body.inst(inst).loc).filter(|loc| loc.source.is_some());
            let has_place = silkit_ir::DebugVarData::of(var).loc.is_some();
            let key = Key {
                var,
                place: place.filter(|_| !has_place),
                inst: Some(inst).filter(|_| place.is_none() && !has_place),
            };
            let next = known.len();
            numbers.insert(inst, *known.entry(key).or_insert(next));
        }
        Self { numbers, count: known.len() }
    }

    /// Returns the number of variables.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the variable whose location an instruction describes.
    pub(super) fn described_by(&self, inst: Inst) -> Option<Variable> {
        self.numbers.get(&inst).copied()
    }
}

/// Returns the variable whose location an instruction describes if it is moveable, as are the variables of
/// non-copyable values.
fn moveable(view: &BodyView<'_>, inst: Inst) -> Option<DebugVar> {
    let (var, is_marked, ty) = match view.body.view(inst) {
        AnyInst::DebugValue(value) => {
            (value.var?, value.moveable_value_debuginfo, view.body.value(value.operand).ty)
        }
        AnyInst::AllocStack(stack) => (stack.var?, stack.moveable_value_debuginfo, stack.ty),
        _ => return None,
    };
    let is_move_only = || view.declarations().properties(ty.ty(), view.signature()).move_only == Some(true);
    (is_marked || is_move_only()).then_some(var)
}

/// Returns true if an instruction is a coroutine split point: calls of coroutines and async functions, executor hops,
/// and yields.
pub(super) fn is_boundary(body: &Body, inst: Inst) -> bool {
    let calls_async = |ty: silkit_types::SilType| {
        ty.ty().as_function().is_some_and(|ty| ty.flags.contains(silkit_types::FnFlags::ASYNC))
    };
    match body.view(inst) {
        AnyInst::BeginApply(_) | AnyInst::EndApply(_) | AnyInst::AbortApply(_) => true,
        AnyInst::HopToExecutor(_) | AnyInst::Yield(_) => true,
        AnyInst::Apply(call) => calls_async(call.ty),
        AnyInst::TryApply(call) => calls_async(call.ty),
        _ => false,
    }
}

/// Returns the insertion points after a split point.
pub(super) fn points_after(body: &Body, boundary: Inst) -> Vec<Point> {
    match body.is_terminator(boundary) {
        true => body.block_successors(body.inst_block(boundary)).map(Point::Start).collect(),
        false => vec![Point::After(boundary)],
    }
}

/// Repeats the description of a variable at a point, with `undef` if the location is no longer known.
pub(super) fn repeat_description(
    cx: &mut FunctionContext<'_>,
    description: Inst,
    point: Point,
    is_known: bool,
) {
    let body = cx.body();
    let loc: Loc = body.inst(description).loc;
    let variable = match body.view(description) {
        AnyInst::DebugValue(value) => value,
        AnyInst::AllocStack(AllocStack { var, .. }) => {
            let address = body.first_result(description).unwrap_or(Value::NONE);
            DebugValue { var, moveable_value_debuginfo: true, ..DebugValue::new(address) }
        }
        _ => return,
    };
    let ty = body.value(variable.operand).ty;
    let operand = if is_known { variable.operand } else { cx.edit().undef(ty) };
    let mut builder = cx.at(point);
    builder.set_default_loc(loc);
    builder.build(DebugValue { operand, ..variable });
}

#[cfg(test)]
pub(super) mod tests {
    use crate::testing::changed;

    /// A description of the variable `x`.
    pub(in super::super) const X: &str =
        "debug_value [moveable_value_debuginfo] %0, let, (name \"x\", loc \"a.swift\":1:1)\n";
    /// A description of the variable `x` without a location.
    pub(in super::super) const NO_X: &str = "debug_value [moveable_value_debuginfo] undef : $Builtin.Int64, let, (name \"x\", loc \"a.swift\":1:1)\n";
    /// A coroutine split point.
    pub(in super::super) const HOP: &str = "hop_to_executor %2\n";
    pub(in super::super) const END: &str = "%r = tuple ()\nreturn %r";

    /// Returns the body of an async function after a pass.
    pub(in super::super) fn body_after(pass: &str, insts: &str) -> String {
        let text = format!(
            "sil_stage canonical\nimport Builtin\nimport Swift\n\
             sil @f : $@convention(thin) @async (Builtin.Int64, Builtin.Int1, Builtin.Executor) -> () {{\n\
             bb0(%0 : $Builtin.Int64, %1 : $Builtin.Int1, %2 : $Builtin.Executor):\n{insts}\n}}\n"
        );
        let text = changed(pass, &[], &text);
        text[text.find("bb0(").expect("a body")..].to_owned()
    }
}
