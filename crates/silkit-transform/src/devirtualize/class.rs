//! Devirtualization of class methods: the object is allocated here, its class is final, or there is only one
//! implementation.

use super::MethodTarget;
use crate::abi_cast::AbiCast;
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::conventions::ApplySite;
use silkit_ir::instructions::{CheckedCastBranch, ClassMethod};
use silkit_ir::{Body, ClassRef, DeclRef, Inst, Opcode, Value, ValueDef};
use silkit_pass::FunctionContext;
use silkit_types::decl::DeclFlags;
use silkit_types::{Type, TypeKind};

pub(super) fn target(cx: &FunctionContext<'_>, site: &ApplySite<'_>, lookup: Inst) -> Option<MethodTarget> {
    // As in the reference, closures of class methods are not changed.
    if !site.is_full() {
        return None;
    }
    let ClassMethod { operand, member, formal, .. } = cx.body().view_as(lookup)?;
    let object = without_upcasts(cx.body(), operand);
    let class = instance(cx.body().value(object).ty.ty());
    let decl = cx.declarations().nominal_of(class).filter(|decl| decl.is_class())?;
    let is_final = decl.flags.contains(DeclFlags::FINAL);
    let exact = is_final.then_some(class).or_else(|| exact_class(cx.body(), operand));
    let class = exact.unwrap_or(class);
    let own = implementation(cx, class, member)?;
    let function = if exact.is_some() { own } else { only_implementation(cx, member, formal)? };
    let is_optimized = |id| cx.program().module.functions[id].is_optimized();
    if !cx.program().function_id(function).is_some_and(is_optimized) {
        return None;
    }
    let target = MethodTarget::new(cx, site, function, site.substitutions())?;
    let wanted = match target.arguments.last() {
        Some(AbiCast::Downcast(ty) | AbiCast::MetatypeDowncast(ty)) => instance(ty.ty()),
        _ => return Some(target),
    };
    // The operand's type does not show that it is an instance of the method's class.
    let is_object = wanted.desugared() == class.desugared() || cx.declarations().is_subclass(class, wanted);
    is_object.then_some(target)
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

/// Returns the exact class of an object that is allocated here or was cast with `[exact]`, or of a metatype.
fn exact_class(body: &Body, object: Value) -> Option<Type> {
    let mut class: Option<Type> = None;
    let mut work = vec![object];
    let mut seen = FxHashSet::default();
    while let Some(value) = work.pop() {
        let value = without_casts(body, value);
        if !seen.insert(value) {
            continue;
        }
        let found = match body.defining_inst(value).map(|inst| body.inst(inst).opcode) {
            Some(Opcode::AllocRef | Opcode::Metatype) => body.value(value).ty.ty(),
            Some(_) => return None,
            // As in the reference, casts of phis are not followed.
            None if body.is_phi(value) && (value == object || seen.len() > 1) => {
                work.extend(body.phi_values(value));
                continue;
            }
            None => exact_cast(body, value)?,
        };
        if matches!(found.kind(), TypeKind::Metatype(_, ty) if matches!(ty.kind(), TypeKind::DynamicSelf(_)))
        {
            return None;
        }
        let found = instance(found);
        if *class.get_or_insert(found) != found {
            return None;
        }
    }
    class
}

/// Returns the reference behind casts, moves, copies and borrows.
pub fn without_casts(body: &Body, value: Value) -> Value {
    let mut value = value;
    // Invalid SIL may define values in terms of each other.
    for _ in 0..body.inst_bound() {
        let Some(inst) = body.defining_inst(value) else { break };
        match body.inst(inst).opcode {
            Opcode::Upcast
            | Opcode::UncheckedRefCast
            | Opcode::UnconditionalCheckedCast
            | Opcode::MoveValue
            | Opcode::CopyValue
            | Opcode::BeginBorrow
            | Opcode::EndInitLetRef
            | Opcode::BorrowedFrom => value = body.operand_value(inst, 0),
            _ => break,
        }
    }
    value
}

/// Returns the type of the argument of the success block of an `[exact]` cast.
fn exact_cast(body: &Body, argument: Value) -> Option<Type> {
    let ValueDef::Argument(block, _) = body.def(argument) else { return None };
    let edge = body.incoming(block).next()?;
    let cast: CheckedCastBranch = body.view_as(body.terminator(body.edge(edge).from)?)?;
    (cast.exact && cast.success == block).then(|| body.value(argument).ty.ty())
}

/// Returns the implementation of a method in the vtable of a class. The vtable names the method that others override, so
/// an override is looked up by its name, if only one method of the superclasses has it.
fn implementation(cx: &FunctionContext<'_>, class: Type, method: DeclRef) -> Option<Symbol> {
    let path = cx.declarations().nominal_of(class)?.path;
    let table = cx.program().module.vtables.by_key(&ClassRef::Name(path))?;
    if let Some(entry) = table.entries.iter().find(|entry| entry.method == method) {
        return Some(entry.function);
    }
    let of_owner = |method: DeclRef| (method.name(), method.data().kinds.clone());
    let mut overridden = table.entries.iter().filter(|entry| of_owner(entry.method) == of_owner(method));
    let entry = overridden.next().filter(|_| overridden.next().is_none())?;
    let owner = entry.method.owner_path()?;
    let is_inherited =
        |class: Type| cx.declarations().nominal_of(class).is_some_and(|decl| decl.path == owner);
    let is_override = cx.declarations().superclasses(class).any(is_inherited);
    is_override.then_some(entry.function)
}

/// Returns the only implementation of a method in the whole program.
fn only_implementation(cx: &FunctionContext<'_>, method: DeclRef, formal: Option<Type>) -> Option<Symbol> {
    let callees = cx.callees().of_method(method, formal);
    match (callees.is_complete, &*callees.known) {
        (true, &[function]) => Some(cx.program().module.functions[function].name),
        _ => None,
    }
}
