//! The statically known callee of a call, directly or through one closure.
//!
//! ```text
//!   %1 = function_ref @closure : $@convention(thin) (Int, @guaranteed C) -> ()
//!   %2 = partial_apply [callee_guaranteed] [on_stack] %1(%0)
//!   %3 = mark_dependence %2 on %0
//!   %4 = apply %3(%5)
//! ```
//!
//! calls `@closure` with `%5, %0`.

use silkit_ir::conventions::{ApplySite, ArgumentConvention};
use silkit_ir::instructions::{FunctionRef, PartialApply};
use silkit_ir::{Body, FunctionId, Inst, Opcode, Value};
use silkit_pass::FunctionContext;
use silkit_types::{Convention, FnFlags, SilType, Type, TypeKind};

/// The known callee of a call, with its arguments.
#[derive(Clone, Debug)]
pub struct KnownCallee {
    /// The function.
    pub function: FunctionId,
    /// The arguments of its entry block: the arguments of the call, followed by the captures.
    pub arguments: Vec<Value>,
    /// The replacements of its generic parameters.
    pub substitutions: Vec<Type>,
    /// The `partial_apply` that the call goes through.
    pub closure: Option<Inst>,
    /// The conventions of the captured arguments, which come last.
    pub captures: Vec<ArgumentConvention>,
}

impl KnownCallee {
    /// Returns the known callee of a call.
    pub fn of(cx: &FunctionContext<'_>, call: Inst) -> Option<Self> {
        let site = cx.view().apply_site(call).filter(ApplySite::is_full)?;
        let body = cx.body();
        let mut callee = skip_conversions(body, loaded(body, site.callee())?);
        let mut known_callee = Self {
            function: FunctionId::NONE,
            arguments: site.arguments().collect(),
            substitutions: site.substitutions(),
            closure: None,
            captures: Vec::new(),
        };
        if let Some(inst) = body.defining_inst(callee) {
            match body.inst(inst).opcode {
                Opcode::PartialApply => {
                    let closure = cx.view().apply_site(inst)?;
                    known_callee.arguments.extend(closure.arguments());
                    known_callee.captures = (0..closure.applied_count())
                        .map(|index| closure.convention_of_applied(index))
                        .collect::<Option<_>>()?;
                    known_callee.substitutions = closure.substitutions();
                    known_callee.closure = Some(inst);
                    callee = skip_conversions(body, closure.callee());
                }
                Opcode::ThinToThickFunction => {
                    callee = skip_conversions(body, body.operand_value(inst, 0));
                }
                _ => {}
            }
        }
        let name = body.def_as::<FunctionRef>(callee)?.function;
        known_callee.function = cx.program().function_id(name)?;
        let function = &cx.program().module.functions[known_callee.function];
        let is_swift =
            |convention| !matches!(convention, Convention::C | Convention::ObjCMethod | Convention::Block);
        function.ty.ty().as_function().filter(|ty| is_swift(ty.convention))?;
        Some(known_callee)
    }

    /// Returns the values that the closure captured.
    pub fn captured(&self) -> &[Value] {
        &self.arguments[self.arguments.len() - self.captures.len()..]
    }

    /// Returns true if a heap closure captures a value in memory, which a call would have to load.
    pub fn takes_memory(&self, body: &Body) -> bool {
        self.heap_closure(body).is_some()
            && self.captures.iter().any(|convention| convention.is_indirect() && convention.is_consumed())
    }

    /// Returns the captured values mutably.
    pub fn captured_mut(&mut self) -> &mut [Value] {
        let first = self.arguments.len() - self.captures.len();
        &mut self.arguments[first..]
    }

    /// Returns the `partial_apply` of the call if it is a heap closure.
    pub fn heap_closure(&self, body: &Body) -> Option<Inst> {
        let is_on_stack = |inst| body.view_as::<PartialApply<'_>>(inst).is_some_and(|p| p.on_stack);
        self.closure.filter(|&inst| !is_on_stack(inst))
    }
}

/// A function that is stored once to a box and otherwise only loaded.
pub(super) struct BoxedFunction {
    pub(super) alloc: Inst,
    pub(super) project: Inst,
    pub(super) store: Inst,
    pub(super) stored: Value,
    /// The deallocation or release of the box.
    pub(super) end: Option<Inst>,
}

impl BoxedFunction {
    /// Returns the boxed function that a load reads.
    pub(super) fn of(body: &Body, load: Inst) -> Option<Self> {
        let defined_by =
            |value: Value, opcode| body.defining_inst(value).filter(|&inst| body.inst(inst).opcode == opcode);
        let project = defined_by(body.operand_value(load, 0), Opcode::ProjectBox)?;
        let alloc = defined_by(body.operand_value(project, 0), Opcode::AllocBox)?;
        let is_end = |user| matches!(body.inst(user).opcode, Opcode::DestroyValue | Opcode::StrongRelease);
        let mut end = None;
        for user in body.users(body.first_result(alloc)?).filter(|&user| user != project) {
            let is_only_end = is_end(user) && end.is_none();
            end = Some(is_only_end.then_some(user)?);
        }
        let mut store = None;
        for user in body.users(body.first_result(project)?).filter(|&user| user != load) {
            let is_only_store = body.inst(user).opcode == Opcode::Store && store.is_none();
            store = Some(is_only_store.then_some(user)?);
        }
        let stored = body.operand_value(store?, 0);
        Some(Self { alloc, project, store: store?, stored, end })
    }
}

/// Returns the value itself or, if it is loaded from a box, the only value that is stored there; `None` if it is
/// loaded from other memory.
fn loaded(body: &Body, callee: Value) -> Option<Value> {
    match body.defining_inst(callee).filter(|&inst| body.inst(inst).opcode == Opcode::Load) {
        Some(load) => BoxedFunction::of(body, load).map(|boxed| boxed.stored),
        None => Some(callee),
    }
}

/// Returns the function before copies, dependences, and conversions that only add `@noescape`.
fn skip_conversions(body: &Body, callee: Value) -> Value {
    let callee = body.look_through_ownership(callee);
    let Some(inst) = body.defining_inst(callee) else { return callee };
    let source = || body.operand_value(inst, 0);
    match body.inst(inst).opcode {
        Opcode::MarkDependence => {
            let is_passed = |opcode| {
                use Opcode as O;
                matches!(opcode, O::MarkDependence | O::CopyValue | O::BeginBorrow | O::MoveValue)
            };
            body.look_through(callee, is_passed)
        }
        Opcode::ConvertFunction
            if is_thin(body.value(source()).ty) && only_stops_escaping(body, source(), callee) =>
        {
            body.look_through_ownership(source())
        }
        Opcode::ConvertEscapeToNoEscape if only_stops_escaping(body, source(), callee) => {
            body.look_through_ownership(source())
        }
        _ => callee,
    }
}

fn is_thin(ty: SilType) -> bool {
    !ty.ty().as_function().is_none_or(|ty| ty.convention == Convention::Thick)
}

/// Returns true if a conversion only adds `@noescape` to the type of its operand.
fn only_stops_escaping(body: &Body, from: Value, to: Value) -> bool {
    let (from, to) = (body.value(from).ty, body.value(to).ty);
    let Some(target) = to.ty().as_function() else { return false };
    let mut escaping = target.clone();
    escaping.flags.remove(FnFlags::NOESCAPE);
    from.ty() == Type::new(TypeKind::Function(Box::new(escaping)))
}
