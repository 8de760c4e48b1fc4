//! Devirtualization of class methods: the object is allocated here, its class is final, there is only one
//! implementation in the class and its subclasses, or the method is that of the superclass (`super_method`).

use super::{MethodTarget, generic_arguments};
use crate::calls::abi_cast::AbiCast;
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::conventions::ApplySite;
use silkit_ir::instructions::{AnyInst, CheckedCastBranch, ClassMethod};
use silkit_ir::{Body, ClassRef, DeclRef, Inst, Opcode, VTable, Value, ValueDef, chain};
use silkit_pass::FunctionContext;
use silkit_types::decl::DeclFlags;
use silkit_types::{Type, TypeKind};

pub(super) fn target(cx: &FunctionContext<'_>, site: &ApplySite<'_>, lookup: Inst) -> Option<MethodTarget> {
    // As in the reference, closures of class methods are not changed.
    if !site.is_full() {
        return None;
    }
    let (class, function, member) = match cx.body().view(lookup) {
        AnyInst::ClassMethod(method) => {
            let (class, function) = of_object(cx, method)?;
            (class, function, method.member)
        }
        AnyInst::SuperMethod(method) => {
            let class = instance(cx.body().value(site.arguments().last()?).ty.ty());
            (class, implementation(cx, class, method.member)?, method.member)
        }
        _ => return None,
    };
    let is_optimized = |id| cx.program().module.functions[id].is_optimized();
    if !cx.program().function_id(function).is_some_and(is_optimized) {
        return None;
    }
    let substitutions = substitutions(cx, site, class, member, function)?;
    let target = MethodTarget::new(cx, site, function, substitutions)?;
    let wanted = match target.arguments.last() {
        Some(AbiCast::Downcast(ty) | AbiCast::MetatypeDowncast(ty)) => instance(ty.ty()),
        _ => return Some(target),
    };
    // The operand's type does not show that it is an instance of the method's class.
    let is_object = wanted.desugared() == class.desugared() || cx.declarations().is_subclass(class, wanted);
    is_object.then_some(target)
}

/// Returns the class of the object of a class method, exact if it is known, and the implementation of the method.
fn of_object(cx: &FunctionContext<'_>, method: ClassMethod) -> Option<(Type, Symbol)> {
    let ClassMethod { operand, member, formal, .. } = method;
    let object = without_upcasts(cx.body(), operand);
    let class = instance(cx.body().value(object).ty.ty());
    let decl = cx.declarations().nominal_of(class).filter(|decl| decl.is_class())?;
    let is_final = decl.flags.contains(DeclFlags::FINAL);
    let exact = is_final
        .then_some(class)
        .or_else(|| exact_class(cx.body(), operand))
        .or_else(|| final_class(cx, operand));
    let class = exact.unwrap_or(class);
    let own = implementation(cx, class, member)?;
    let is_only = || is_only_implementation(cx, class, own, member, formal);
    (exact.is_some() || is_only()).then_some((class, own))
}

/// Returns the generic arguments of an implementation: those of the class that declares it, as a superclass of the known
/// class, and those of the method.
fn substitutions(
    cx: &FunctionContext<'_>,
    site: &ApplySite<'_>,
    class: Type,
    member: DeclRef,
    function: Symbol,
) -> Option<Vec<Type>> {
    let declarations = cx.declarations();
    let path = |ty: Type| declarations.nominal_of(ty).map(|decl| decl.path);
    let given = site.substitutions();
    let declaring = cx.program().function(function)?.ty.ty().as_function()?.params.last()?;
    let (Some(declaring), Some(owner)) = (path(instance(declaring.ty)), member.owner_path()) else {
        return Some(given);
    };
    let called =
        site.callee_type().ty().as_function()?.params.last().and_then(|param| path(instance(param.ty)));
    if called == Some(declaring) {
        return Some(given);
    }
    let generics = |class: Type| {
        let mut types = Vec::new();
        generic_arguments(class, &mut types);
        types
    };
    let find = |wanted: Symbol| {
        std::iter::once(class)
            .chain(declarations.superclasses(class))
            .find(|&class| path(class) == Some(wanted))
    };
    let of_called = find(called.unwrap_or(owner)).map_or(0, |class| generics(class).len());
    let Some(class) = find(declaring) else { return Some(given) };
    let of_method = given.get(of_called..)?;
    Some(generics(class).into_iter().chain(of_method.iter().copied()).collect())
}

fn without_upcasts(body: &Body, value: Value) -> Value {
    body.look_through(value, |opcode| opcode == Opcode::Upcast)
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
    let source = without_casts(body, object);
    allocated_class(body, source)
        .or_else(|| exact_cast(body, source).map(instance))
        .or_else(|| exact_class_of_phi(body, without_ownership(body, object)))
}

/// Returns the class of an object behind casts if it is final.
fn final_class(cx: &FunctionContext<'_>, object: Value) -> Option<Type> {
    let source = without_casts(cx.body(), object);
    let class = instance(cx.body().value(source).ty.ty());
    let decl = cx.declarations().nominal_of(class).filter(|decl| decl.is_class())?;
    decl.flags.contains(DeclFlags::FINAL).then_some(class)
}

/// Returns the class of an object that an instruction allocates, or of a metatype, unless it is that of a dynamic `Self`.
fn allocated_class(body: &Body, object: Value) -> Option<Type> {
    let inst = body.defining_inst(object)?;
    let ty = body.value(object).ty.ty();
    let is_dynamic =
        matches!(ty.kind(), TypeKind::Metatype(_, ty) if matches!(ty.kind(), TypeKind::DynamicSelf(_)));
    let is_exact = matches!(body.inst(inst).opcode, Opcode::AllocRef | Opcode::Metatype) && !is_dynamic;
    is_exact.then(|| instance(ty))
}

/// Returns the class of a phi of objects of one class. As in the reference, casts of its values are not followed.
fn exact_class_of_phi(body: &Body, phi: Value) -> Option<Type> {
    let mut class: Option<Type> = None;
    let mut work = vec![phi];
    let mut seen = FxHashSet::default();
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        if body.is_phi(value) {
            work.extend(body.phi_values(value).into_iter().map(|value| without_ownership(body, value)));
            continue;
        }
        let found = allocated_class(body, value).or_else(|| exact_cast(body, value).map(instance))?;
        if *class.get_or_insert(found) != found {
            return None;
        }
    }
    class
}

/// Returns true for moves, copies and borrows.
fn is_ownership(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(opcode, O::MoveValue | O::CopyValue | O::BeginBorrow | O::BorrowedFrom)
}

/// Returns the value behind moves, copies and borrows.
fn without_ownership(body: &Body, value: Value) -> Value {
    body.look_through(value, is_ownership)
}

/// Returns the reference behind casts, moves, copies, borrows and phis of one value. As in the reference, borrowed phis
/// are not followed.
pub fn without_casts(body: &Body, value: Value) -> Value {
    use Opcode as O;
    let forwards = |opcode| {
        matches!(
            opcode,
            O::MoveValue
                | O::CopyValue
                | O::BeginBorrow
                | O::Upcast
                | O::UncheckedRefCast
                | O::UnconditionalCheckedCast
                | O::RefToBridgeObject
                | O::BridgeObjectToRef
                | O::EndInitLetRef
                | O::EndCOWMutation
                | O::BeginDeallocRef
                | O::MarkDependence
        )
    };
    let step = |value| match body.defining_inst(value) {
        Some(inst) => forwards(body.inst(inst).opcode).then(|| body.operand_value(inst, 0)),
        None if body.is_phi(value) => {
            <[Value; 1]>::try_from(body.phi_values(value)).ok().map(|[passed]| passed)
        }
        None => None,
    };
    chain(value, step).last().unwrap_or(value)
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
    // The tables of a class and of a nested class with its name have the same key.
    if table.class_path() != Some(path) {
        return None;
    }
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

/// Returns true if a class and all its subclasses have the same implementation of a method.
fn is_only_implementation(
    cx: &FunctionContext<'_>,
    class: Type,
    own: Symbol,
    method: DeclRef,
    formal: Option<Type>,
) -> bool {
    let callees = cx.callees().of_method(method, formal);
    if !callees.is_complete || callees.known.len() < 2 {
        return callees.is_complete && callees.known.len() == 1;
    }
    let declarations = cx.declarations();
    let path = |ty: Type| declarations.nominal_of(ty).map(|decl| decl.path);
    let base = path(class);
    let overrides = |table: &VTable| {
        let ClassRef::Name(name) = table.class else { return false };
        let subclass = Type::nominal(name.as_str());
        declarations.superclasses(subclass).any(|class| path(class) == base)
            && implementation(cx, subclass, method) != Some(own)
    };
    !cx.program().module.vtables.values().any(overrides)
}
