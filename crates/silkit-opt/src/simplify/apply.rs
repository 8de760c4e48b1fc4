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
//! Method calls with a known target are devirtualized (`silkit_transform::devirtualize`).

use super::rewriter::Rewriter;
use super::{Rule, key_path_access};
use silkit_ir::instructions::{Enum, FunctionRef, ThinToThickFunction};
use silkit_ir::{DeclRef, Inst, Opcode, Value};
use silkit_transform::callee::{self, NewCallee};
use silkit_transform::devirtualize;

pub(super) const APPLY: Rule = Rule::always(Opcode::Apply, apply);
pub(super) const TRY_APPLY: Rule = Rule::always(Opcode::TryApply, call_method);
pub(super) const BEGIN_APPLY: Rule = Rule::always(Opcode::BeginApply, call_method);

fn apply(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if !call_thin_function(rw, inst) && !remove_array_cast(rw, inst) && !key_path_access::project(rw, inst) {
        call_method(rw, inst);
    }
}

/// Replaces a call of a closure without context by a call of its function.
fn call_thin_function(rw: &mut Rewriter<'_, '_>, inst: Inst) -> bool {
    let body = rw.body();
    let closure = body.operand_value(inst, 0);
    let Some(ThinToThickFunction { operand: function, .. }) = body.def_as(closure) else { return false };
    let Some(site) = rw.view().apply_site(inst) else { return false };
    let (arguments, substitutions): (Vec<Value>, _) = (site.arguments().collect(), site.substitutions());
    let ty = rw.ty(function);
    if !rw.may_change() {
        return false;
    }
    let new = NewCallee { callee: function, ty, substitutions: &substitutions, arguments: &arguments };
    callee::change(&mut rw.edit(), inst, &new);
    rw.revisit(inst);
    true
}

/// Removes the conversion of an array to an array of the same type.
fn remove_array_cast(rw: &mut Rewriter<'_, '_>, inst: Inst) -> bool {
    let body = rw.body();
    let Some(FunctionRef { function, .. }) = body.def_as(body.operand_value(inst, 0)) else { return false };
    let is_cast = rw.program().function(function).is_some_and(|f| f.has_semantics("array.conditional_cast"));
    let Some(site) = rw.view().apply_site(inst).filter(|_| is_cast) else { return false };
    let (Some(array), Some(result)) = (site.arguments().next(), body.first_result(inst)) else {
        return false;
    };
    let ty = rw.ty(result);
    let wanted = silkit_types::Type::optional(rw.ty(array).ty());
    if ty.ty().desugared() != wanted.desugared() || !rw.function().has_ossa() || !rw.may_change() {
        return false;
    }
    let element = DeclRef::of(&["Optional", "some"]).with_kind("enumelt");
    let mut builder = rw.before(inst);
    let copy = builder.copy_value(array);
    let value = builder.build(Enum { payload: Some(copy), ..Enum::new(ty, element) });
    rw.replace(inst, value);
    true
}

/// Devirtualizes a method call.
fn call_method(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if let Some(target) = devirtualize::target(rw.cx, inst)
        && rw.may_change()
    {
        target.call(rw.cx, inst);
        rw.revisit(inst);
    }
}
