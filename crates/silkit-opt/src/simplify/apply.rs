//! Simplifies calls whose callee is known.
//!
//! ```text
//! %1 = thin_to_thick_function %0 to $@callee_guaranteed () -> ()
//! %2 = apply %1()
//! ---
//! %2 = apply %0()
//! ```
//!
//! A cast of an array to its own type is replaced by the array:
//!
//! ```text
//! %1 = function_ref @cast : $@convention(thin) (@guaranteed Array<Int>) -> @owned Optional<Array<Int>>
//! %2 = apply %1(%0)    // [_semantics "array.conditional_cast"]
//! ---
//! %1 = copy_value %0
//! %2 = enum $Optional<Array<Int>>, #Optional.some!enumelt, %1
//! ```
//!
//! In optimized code, a generic argument that is an opened type of known content is replaced by its concrete type, if
//! the arguments of that type are addresses or metatypes:
//!
//! ```text
//! %3 = open_existential_metatype %2 to $@thick (@opened("…", any P) Self).Type   // of a metatype of S
//! %4 = init_existential_addr %0, $@opened("…", any P) Self
//! apply %5<@opened("…", any P) Self>(%4, %3)
//! ---
//! %6 = unchecked_addr_cast %4 to $*S
//! %7 = metatype $@thick S.Type
//! apply %5<S>(%6, %7)
//! ```
//!
//! Method calls with a known target are devirtualized (`silkit_transform::devirtualize`).

use super::{always, key_path_access, opened, optimized};
use silkit_ir::instructions::{Enum, FunctionRef, ThinToThickFunction};
use silkit_ir::{Body, DeclRef, Inst, Opcode, Value};
use silkit_transform::callee::{self, NewCallee};
use silkit_transform::devirtualize;
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::{CalleeConvention, FunctionType, MetatypeRepr, SilType, Type, TypeKind};

pub(super) const PATTERNS: &[Pattern] = &[
    always(Opcode::Apply, "apply of function without context", call_thin_function),
    always(Opcode::Apply, "array cast to its own type", remove_array_cast),
    always(Opcode::Apply, "key path access", key_path_access::project),
    always(Opcode::Apply, "apply of known method", call_method),
    optimized(Opcode::Apply, "apply of opened type", substitute_opened_type),
    always(Opcode::TryApply, "try_apply of known method", call_method),
    optimized(Opcode::TryApply, "try_apply of opened type", substitute_opened_type),
    always(Opcode::BeginApply, "begin_apply of known method", call_method),
];

/// Replaces a call of a closure without context by a call of its function.
fn call_thin_function(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let closure = body.operand_value(inst, 0);
    let Some(ThinToThickFunction { operand: function, .. }) = body.def_as(closure) else { return };
    let is_consumed = |ty: &FunctionType| ty.callee == CalleeConvention::Owned;
    if rw.ty(closure).ty().as_function().is_none_or(is_consumed) {
        return;
    }
    let Some(site) = rw.view().apply_site(inst) else { return };
    let (arguments, substitutions): (Vec<Value>, _) = (site.arguments().collect(), site.substitutions());
    let ty = rw.ty(function);
    if !rw.may_change() {
        return;
    }
    let new = NewCallee { callee: function, ty, substitutions: &substitutions, arguments: &arguments };
    callee::change(&mut rw.edit(), inst, &new);
}

/// Removes the conversion of an array to an array of the same type.
fn remove_array_cast(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(FunctionRef { function, .. }) = body.def_as(body.operand_value(inst, 0)) else { return };
    let is_cast = rw.program().function(function).is_some_and(|f| f.has_semantics("array.conditional_cast"));
    let Some(site) = rw.view().apply_site(inst).filter(|_| is_cast) else { return };
    let (Some(array), Some(result)) = (site.arguments().next(), body.first_result(inst)) else {
        return;
    };
    let ty = rw.ty(result);
    let wanted = Type::optional(rw.ty(array).ty());
    if ty.ty().desugared() != wanted.desugared() || !rw.function().has_ossa() || !rw.may_change() {
        return;
    }
    let element = DeclRef::of(&["Optional", "some"]).with_kind("enumelt");
    let mut builder = rw.before(inst);
    let copy = builder.copy_value(array);
    let value = builder.build(Enum { payload: Some(copy), ..Enum::new(ty, element) });
    rw.replace(inst, value);
}

/// Devirtualizes a method call.
fn call_method(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(target) = devirtualize::target(rw.context(), inst).filter(|_| rw.may_change()) else { return };
    // As in the reference, the conversions of arguments and results are not simplified in the same run.
    rw.unvisited(|rw| target.call(rw.context(), inst));
}

/// Replaces the only opened type among the generic arguments of a call by its concrete type, if that is known.
fn substitute_opened_type(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let [type_operand] = body.type_operands(inst) else { return };
    let Some(site) = rw.view().apply_site(inst) else { return };
    let substitutions = site.substitutions();
    let Some(opened) = substitutions.iter().copied().find(|ty| is_opened_by(body, *ty, type_operand.value))
    else {
        return;
    };
    let Some(concrete) = opened::concrete_type(body, opened) else { return };
    let arguments: Vec<Value> = site.arguments().collect();
    let replaced = |&value: &Value| Replaced::of(rw.ty(value), opened);
    let (Some(replaced), false) =
        (arguments.iter().map(replaced).collect::<Option<Vec<_>>>(), returns_opened(rw, inst))
    else {
        return;
    };
    // Another generic argument may contain the opened type.
    let callee = body.operand_value(inst, 0);
    let ty = rw.ty(callee);
    if substitutions.iter().any(|&ty| ty != opened && ty.holds_opened()) || !rw.may_change() {
        return;
    }
    let substitutions: Vec<Type> =
        substitutions.iter().map(|&ty| if ty == opened { concrete } else { ty }).collect();
    let arguments: Vec<Value> = arguments
        .into_iter()
        .zip(replaced)
        .map(|(value, how)| {
            let mut builder = rw.before(inst);
            match how {
                Replaced::Kept => value,
                Replaced::Address => builder.unchecked_addr_cast(value, SilType::address(concrete)),
                Replaced::Metatype(repr) => {
                    builder.metatype(SilType::object(Type::metatype_of(repr, concrete)))
                }
            }
        })
        .collect();
    let new = NewCallee { callee, ty, substitutions: &substitutions, arguments: &arguments };
    callee::change(&mut rw.edit(), inst, &new);
}

/// What becomes of an argument when an opened type is replaced by its concrete type.
enum Replaced {
    /// Its type does not contain the opened type.
    Kept,
    /// It is the address of a value of the opened type.
    Address,
    /// It is the metatype of the opened type.
    Metatype(MetatypeRepr),
}

impl Replaced {
    /// Returns `None` for an argument that would need a conversion of its value.
    fn of(ty: SilType, opened: Type) -> Option<Self> {
        match ty.ty().kind() {
            _ if !ty.ty().holds_opened() => Some(Self::Kept),
            _ if ty.is_address() && ty.ty().desugared() == opened.desugared() => Some(Self::Address),
            TypeKind::Metatype(repr, instance) if instance.desugared() == opened.desugared() => {
                Some(Self::Metatype(*repr))
            }
            _ => None,
        }
    }
}

/// Returns true if a type is opened by the instruction that defines a value.
fn is_opened_by(body: &Body, ty: Type, opener: Value) -> bool {
    matches!(ty.kind(), TypeKind::Opened { id, .. } if body.opened_value(*id) == Some(opener))
}

/// Returns true if a result or an error of a call contains an opened type.
fn returns_opened(rw: &Rewriter<'_, '_>, inst: Inst) -> bool {
    let body = rw.body();
    let holds = |value: Value| rw.ty(value).ty().holds_opened();
    let arguments = body.successors(inst).flat_map(|block| body.arguments(block));
    body.results(inst).any(holds) || arguments.copied().any(holds)
}
