//! Devirtualization of class methods: the object is allocated here, its class is final, or there is only one
//! implementation.

use super::MethodTarget;
use silkit_base::Symbol;
use silkit_ir::conventions::ApplySite;
use silkit_ir::instructions::ClassMethod;
use silkit_ir::{Body, ClassRef, DeclRef, Inst, Opcode, Value};
use silkit_pass::FunctionContext;
use silkit_types::decl::DeclFlags;
use silkit_types::{Type, TypeKind};

pub(super) fn target(cx: &FunctionContext<'_>, site: &ApplySite<'_>, lookup: Inst) -> Option<MethodTarget> {
    let ClassMethod { operand, member, formal, .. } = cx.body().view_as(lookup)?;
    let object = without_upcasts(cx.body(), operand);
    let class = instance(cx.body().value(object).ty.ty());
    cx.declarations().nominal_of(class).filter(|decl| decl.is_class())?;
    let function = match is_exact(cx, object, class) {
        true => implementation(cx, class, member)?,
        false => only_implementation(cx, member, formal)?,
    };
    let target = MethodTarget::new(cx, site, function, site.substitutions())?;
    let Some((_, ty)) = target.cast else { return Some(target) };
    if is_subclass(cx, instance(cx.body().value(operand).ty.ty()), ty.ty()) {
        return Some(target);
    }
    // The operand's type does not show that it is an instance of the method's class.
    let is_object = ty.ty().desugared() == class.desugared() || is_subclass(cx, class, ty.ty());
    is_object.then_some(MethodTarget { is_downcast: true, ..target })
}

fn without_upcasts(body: &Body, value: Value) -> Value {
    let mut value = value;
    while let Some(inst) = body.defining_inst(value)
        && body.inst(inst).opcode == Opcode::Upcast
    {
        value = body.operand_value(inst, 0);
    }
    value
}

/// Returns the class of an object or metatype type.
fn instance(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Metatype(_, instance) => instance_of_self(*instance),
        _ => ty,
    }
}

fn instance_of_self(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::DynamicSelf(class) => *class,
        _ => ty,
    }
}

/// Returns true if a value is an instance of exactly this class, or its metatype.
fn is_exact(cx: &FunctionContext<'_>, object: Value, class: Type) -> bool {
    let decl = cx.declarations().nominal_of(class);
    let is_final = decl.is_some_and(|decl| decl.is_class() && decl.flags.contains(DeclFlags::FINAL));
    let is_dynamic = matches!(
        cx.body().value(object).ty.ty().kind(),
        TypeKind::Metatype(_, instance) if matches!(instance.kind(), TypeKind::DynamicSelf(_))
    );
    let made = cx.body().defining_inst(object).map(|inst| cx.body().inst(inst).opcode);
    is_final || !is_dynamic && matches!(made, Some(Opcode::AllocRef | Opcode::Metatype))
}

/// Returns the implementation of a method in the vtable of a class.
fn implementation(cx: &FunctionContext<'_>, class: Type, method: DeclRef) -> Option<Symbol> {
    let path = cx.declarations().nominal_of(class)?.path;
    let table = cx.program().module.vtables.by_key(&ClassRef::Name(path))?;
    table.entries.iter().find(|entry| entry.method == method).map(|entry| entry.function)
}

/// Returns the only implementation of a method in the whole program.
fn only_implementation(cx: &FunctionContext<'_>, method: DeclRef, formal: Option<Type>) -> Option<Symbol> {
    let callees = cx.callees().of_method(method, formal);
    match (callees.is_complete, &*callees.known) {
        (true, &[function]) => Some(cx.program().module.functions[function].name),
        _ => None,
    }
}

fn is_subclass(cx: &FunctionContext<'_>, class: Type, superclass: Type) -> bool {
    let mut class = class;
    for _ in 0..64 {
        match cx.declarations().superclass(class) {
            Some(next) if next.desugared() == superclass.desugared() => return true,
            Some(next) => class = next,
            None => return false,
        }
    }
    false
}
