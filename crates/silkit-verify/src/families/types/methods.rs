//! Rules for method lookup: in a class, in a superclass, in a witness table.

use super::aggregates::{names_member, owner_of as owner};
use super::conformance;
use super::facts::{at_operand, decl, declared, formal_type, operand, resolved, sil_type};
use super::generic::{admits_noncopyable, is_noncopyable};
use crate::context::FunctionVerifier;
use crate::families::module::members;
use crate::families::module::method_abi::{self, Called};
use crate::families::module::stated_types;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_ir::{DeclRef, Inst, Opcode};
use silkit_types::decl::{Lookup, NominalDecl, NominalKind};
use silkit_types::{Convention, SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] =
    &[&METHOD_OF_TYPE, &METHOD_CONVENTION, &CONFORMANCE, &OBJC_METHOD_IS_CALLED];

static METHOD_OF_TYPE: Rule = Rule {
    id: RuleId::new("SIL0344"),
    name: "MethodOfType",
    severity: Severity::Error,
    summary: "A looked-up method is a member of the class or protocol",
    details: "\
`class_method` looks into the vtable of the object's class, so the method is one of this class or of a
superclass; `super_method` starts at the superclass; `witness_method` looks into a witness table, so the method is a requirement
of a protocol, which its convention names.",
    failing: "\
class C {
  func m()
}
class D {
  func m()
}
sil @f : $@convention(thin) (@guaranteed C) -> () {
bb0(%0 : $C):
  %1 = class_method %0 : $C, #D.m : (D) -> () -> (), $@convention(method) (@guaranteed D) -> ()
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
class C {
  func m()
}
class D {
  func m()
}
sil @f : $@convention(thin) (@guaranteed C) -> () {
bb0(%0 : $C):
  %1 = class_method %0 : $C, #C.m : (C) -> () -> (), $@convention(method) (@guaranteed C) -> ()
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::Inst(
        &[
            Opcode::ClassMethod,
            Opcode::SuperMethod,
            Opcode::ObjCMethod,
            Opcode::ObjCSuperMethod,
            Opcode::WitnessMethod,
        ],
        method_of_type,
    ),
};

fn method_of_type(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(method) = decl(cx, inst, "member") else { return };
    let name = cx.body.info(inst).name;
    let opcode = cx.body.inst(inst).opcode;
    if method.data().path.len() < 2 {
        let message = format!("`{method}` is not a method");
        cx.report(
            cx.finding(&METHOD_OF_TYPE, Place::Inst(inst), message)
                .note("a method is named with its type: `#C.m`"),
        );
        return;
    }
    let Some(owner) = owner(cx, method) else {
        if is_undeclared(cx, method) {
            let message = format!("the type of `{method}` is not declared, here or in an imported module");
            cx.report(cx.finding(&METHOD_OF_TYPE, Place::Inst(inst), message));
            return;
        }
        cx.unknown(&METHOD_OF_TYPE, Place::Inst(inst), || format!("`{method}` is unknown"));
        return;
    };
    if members::has_member(cx.declarations(), method) == Some(false) {
        let message = format!("`{method}` is not declared");
        cx.report(cx.finding(&METHOD_OF_TYPE, Place::Inst(inst), message));
        return;
    }
    let is_dispatched = matches!(opcode, Opcode::ClassMethod | Opcode::SuperMethod | Opcode::WitnessMethod);
    let wrong = || members::wrong_part(method, opcode == Opcode::WitnessMethod);
    if let Some(message) = is_dispatched.then(wrong).flatten() {
        cx.report(cx.finding(&METHOD_OF_TYPE, Place::Inst(inst), message));
        return;
    }
    if is_dispatched && !method.is_foreign() && members::is_property(cx.declarations(), method) {
        let message = format!("`{method}` is a property, and not a method");
        let finding = cx.finding(&METHOD_OF_TYPE, Place::Inst(inst), message);
        cx.report(finding.note(format!("its getter is `{method}!getter`")));
        return;
    }
    let (fits, wanted) = match opcode {
        Opcode::WitnessMethod => (owner.kind == NominalKind::Protocol, "a protocol"),
        Opcode::ClassMethod | Opcode::SuperMethod => (owner.is_class(), "a class"),
        _ => (owner.is_class() || owner.kind == NominalKind::Protocol, "a class or protocol"),
    };
    if !fits {
        let message = format!("`{name}` expects a method of {wanted}, found one of `{}`", owner.path);
        cx.report(cx.finding(&METHOD_OF_TYPE, Place::Inst(inst), message));
        return;
    }
    if opcode == Opcode::ClassMethod
        && !method.is_foreign()
        && let Some(reason) = members::is_not_in_vtable(cx.declarations(), method)
    {
        let message = format!("`{method}` {reason}, so no vtable has an entry for it");
        let finding = cx.finding(&METHOD_OF_TYPE, Place::Inst(inst), message);
        cx.report(finding.note("reference its function directly, with `function_ref`"));
        return;
    }
    if opcode == Opcode::WitnessMethod {
        return of_convention(cx, inst, method, owner);
    }
    let base = operand(cx, inst, 0);
    let mut class = resolved(cx, base.ty());
    if let TypeKind::Metatype(_, instance) = class.kind() {
        class = resolved(cx, *instance);
    }
    if !matches!(opcode, Opcode::ClassMethod | Opcode::SuperMethod) {
        if opcode != Opcode::DynamicMethodBranch && is_value_type(cx, class) {
            let message = format!("`{name}` expects an instance of a class or its metatype, found `{base}`");
            cx.report(at_operand(cx, &METHOD_OF_TYPE, inst, 0, message));
        }
        return;
    }
    let is_root = opcode == Opcode::SuperMethod
        && declared(cx, class).is_some_and(|decl| decl.is_class() && decl.inherited.is_empty());
    if !base.is_unknown() && is_root {
        let message = format!("`{name}` expects an instance of a class with a superclass, found `{base}`");
        cx.report(at_operand(cx, &METHOD_OF_TYPE, inst, 0, message));
        return;
    }
    if !base.is_unknown() && names_member(cx, method, class) == Some(false) {
        let message = format!("`{method}` is not a method of `{base}`");
        cx.report(at_operand(cx, &METHOD_OF_TYPE, inst, 0, message));
    } else if opcode == Opcode::SuperMethod && declared(cx, class).is_some_and(|d| d.path == owner.path) {
        let message = format!("`{name}` expects a method of a superclass of `{base}`, found `{method}`");
        // The reference does not check it.
        cx.report(at_operand(cx, &METHOD_OF_TYPE, inst, 0, message).warning());
    }
}

/// Returns true if a type is known to have no methods of a class.
fn is_value_type(cx: &FunctionVerifier<'_>, ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Tuple(_) | TypeKind::Function(_) | TypeKind::Builtin(..))
        || declared(cx, ty).is_some_and(|decl| matches!(decl.kind, NominalKind::Struct | NominalKind::Enum))
}

/// Returns true if no module that the file sees can declare the type of a method. A compiler omits local types.
fn is_undeclared(cx: &FunctionVerifier<'_>, method: DeclRef) -> bool {
    let Some(path) = method.owner_path() else { return false };
    !cx.is_printed_by_compiler()
        && !path.as_str().contains(['.', '<', '_'])
        && cx.declarations().alias(path).is_none()
        && matches!(cx.declarations().lookup_nominal(path), Lookup::Absent)
}

/// Reports a witness whose convention names another protocol than that of the requirement.
fn of_convention(cx: &FunctionVerifier<'_>, inst: Inst, method: DeclRef, owner: &NominalDecl) {
    let Some(f) = sil_type(cx, inst, "type").and_then(|t| t.ty().as_function()) else { return };
    let Convention::WitnessMethod(protocol) = f.convention else { return };
    let Some(named) = declared(cx, resolved(cx, protocol)) else { return };
    if named.path != owner.path && !cx.declarations().may_be_another(owner) {
        let message = format!("`{method}` is not a requirement of `{protocol}`, which the convention names");
        cx.report(cx.finding(&METHOD_OF_TYPE, Place::Inst(inst), message));
    }
}

static METHOD_CONVENTION: Rule = Rule {
    id: RuleId::new("SIL0346"),
    name: "MethodConvention",
    severity: Severity::Error,
    summary: "A looked-up method has the convention of its table",
    details: "\
Functions in vtables have `@convention(method)`, those in witness tables `@convention(witness_method:
P)`, methods of Objective-C `@convention(objc_method)`. Only a `!foreign` declaration is called as
Objective-C does; it does not own `self`, unless it is an initializer. `dynamic_method_br` looks up a method that is
declared `@objc`. The formal type of a method is that of its declaration: its `self` is an instance of the type that
declares it.",
    failing: "\
class C {
  func m()
}
sil @f : $@convention(thin) (@guaranteed C) -> () {
bb0(%0 : $C):
  %1 = class_method %0 : $C, #C.m : (C) -> () -> (), $@convention(thin) (@guaranteed C) -> ()
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
class C {
  func m()
}
sil @f : $@convention(thin) (@guaranteed C) -> () {
bb0(%0 : $C):
  %1 = class_method %0 : $C, #C.m : (C) -> () -> (), $@convention(method) (@guaranteed C) -> ()
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::Inst(
        &[
            Opcode::ClassMethod,
            Opcode::SuperMethod,
            Opcode::ObjCMethod,
            Opcode::ObjCSuperMethod,
            Opcode::WitnessMethod,
            Opcode::DynamicMethodBranch,
        ],
        method_convention,
    ),
};

/// Reports a method that an object cannot be asked for at run time.
fn dynamic_method(cx: &FunctionVerifier<'_>, inst: Inst, method: DeclRef) {
    let argument = cx.body.successors(inst).next().and_then(|block| cx.body.arguments(block).first());
    let called = argument.and_then(|&argument| cx.body.value(argument).ty.ty().as_function());
    let message = if !method.is_foreign() {
        format!("`dynamic_method_br` does not look up `{method}`, which is not a `!foreign` method")
    } else if members::is_objc(cx.declarations(), method) == Some(false) {
        format!("`dynamic_method_br` does not look up `{method}`, which is not `@objc`")
    } else if called.is_some_and(|f| f.convention != Convention::ObjCMethod) {
        "`dynamic_method_br` returns a function of `@convention(objc_method)`".to_owned()
    } else {
        return;
    };
    cx.report(cx.finding(&METHOD_CONVENTION, Place::Inst(inst), message));
}

/// Returns an error about a lookup that states another type than the declarations of the method have.
fn misdeclared(cx: &FunctionVerifier<'_>, method: DeclRef, formal: Option<Type>) -> Option<String> {
    if cx.is_printed_by_compiler() {
        return None;
    }
    stated_types::violation(cx.declarations(), cx.swift_text(), method, formal)
}

fn method_convention(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(method) = decl(cx, inst, "member") else { return };
    if cx.body.inst(inst).opcode == Opcode::DynamicMethodBranch {
        return dynamic_method(cx, inst, method);
    }
    let Some(f) = sil_type(cx, inst, "type").and_then(|t| t.ty().as_function()) else { return };
    let formal = formal_type(cx, inst, "formal");
    let name = cx.body.info(inst).name;
    let is_foreign = method.is_foreign();
    let (is_objc, fits, wanted) = match cx.body.inst(inst).opcode {
        Opcode::WitnessMethod => {
            (None, matches!(f.convention, Convention::WitnessMethod(_)), "witness_method: …")
        }
        Opcode::ClassMethod => (Some(false), f.convention == Convention::Method, "method"),
        Opcode::SuperMethod => (Some(false), f.convention == Convention::Method, "method"),
        _ => (Some(true), f.convention == Convention::ObjCMethod, "objc_method"),
    };
    if is_objc.is_some_and(|is_objc| is_objc != is_foreign) {
        let kind = if is_foreign { "an Objective-C method" } else { "no `!foreign` method" };
        let message = format!("`{name}` does not look up `{method}`, which is {kind}");
        cx.report(cx.finding(&METHOD_CONVENTION, Place::Inst(inst), message));
    } else if !fits {
        let message = format!("`{name}` returns a function of `@convention({wanted})`");
        cx.report(cx.finding(&METHOD_CONVENTION, Place::Inst(inst), message));
    } else if let Some(why) =
        members::misstated(cx.declarations(), method, formal).or_else(|| misdeclared(cx, method, formal))
    {
        cx.report(cx.finding(&METHOD_CONVENTION, Place::Inst(inst), why));
    } else if let Some(why) = match cx.body.inst(inst).opcode {
        Opcode::ClassMethod | Opcode::SuperMethod => members::misfit(cx.declarations(), method, formal, f)
            .or_else(|| method_abi::violation(cx.declarations(), method, formal, f, Called::ByClass)),
        // Hand-written files leave out the arguments, or pass `self` by other conventions, without harm.
        Opcode::WitnessMethod => method_abi::result_violation(cx.declarations(), method, formal, f),
        Opcode::ObjCMethod => members::objc_misfit(cx.declarations(), method, formal, f),
        _ => None,
    } {
        let message = format!("`{method}` has another type: {why}");
        cx.report(cx.finding(&METHOD_CONVENTION, Place::Inst(inst), message));
    }
}

static OBJC_METHOD_IS_CALLED: Rule = Rule {
    id: RuleId::new("SIL0390"),
    name: "ObjCMethodIsCalled",
    severity: Severity::Error,
    summary: "The result of `objc_method` and `objc_super_method` is only called or partially applied",
    details: "\
It stands for a message that is sent, and not for a function with an address: it cannot be stored,
passed as an argument or compared. Capture the receiver with `partial_apply` to get a function value.",
    failing: "\
@objc class C {
  @objc func m()
}
sil @f : $@convention(thin) (@guaranteed C) -> () {
bb0(%0 : $C):
  %1 = objc_method %0 : $C, #C.m!foreign : (C) -> () -> (), $@convention(objc_method) (C) -> ()
  %2 = alloc_stack $@convention(objc_method) (C) -> ()
  store %1 to %2 : $*@convention(objc_method) (C) -> ()
  dealloc_stack %2 : $*@convention(objc_method) (C) -> ()
  %5 = tuple ()
  return %5 : $()
}
",
    corrected: "\
@objc class C {
  @objc func m()
}
sil @f : $@convention(thin) (@guaranteed C) -> () {
bb0(%0 : $C):
  %1 = objc_method %0 : $C, #C.m!foreign : (C) -> () -> (), $@convention(objc_method) (C) -> ()
  %2 = apply %1(%0) : $@convention(objc_method) (C) -> ()
  return %2 : $()
}
",
    check: Check::Inst(&[Opcode::ObjCMethod, Opcode::ObjCSuperMethod], objc_method_is_called),
};

fn objc_method_is_called(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(method) = cx.body.first_result(inst) else { return };
    for operand in cx.body.uses(method) {
        let user = cx.body.operand(operand).user;
        let (name, is_first) = (cx.body.info(user).name, cx.body.operand_id(user, 0) == operand);
        let message = match cx.body.inst(user).opcode {
            Opcode::Apply
            | Opcode::TryApply
            | Opcode::BeginApply
            | Opcode::PartialApply
            | Opcode::DebugValue
                if is_first =>
            {
                continue;
            }
            Opcode::Apply | Opcode::TryApply | Opcode::BeginApply | Opcode::PartialApply => {
                format!(
                    "a method of Objective-C is called, but `{}` is passed as an argument",
                    cx.value(method)
                )
            }
            Opcode::Store | Opcode::Struct | Opcode::Tuple | Opcode::Enum => {
                format!("a method of Objective-C is called, but `{name}` stores `{}`", cx.value(method))
            }
            _ => continue,
        };
        // The reference does not check it.
        let finding = cx.finding(&OBJC_METHOD_IS_CALLED, Place::Operand(operand), message).warning();
        cx.report(finding.also(Place::Inst(inst), "it is looked up here"));
    }
}

static CONFORMANCE: Rule = Rule {
    id: RuleId::new("SIL0347"),
    name: "TypeConforms",
    severity: Severity::Warning,
    summary: "A type that is put into an existential, or whose witness is looked up, conforms to the protocol",
    details: "\
The witness table of the conformance has the witnesses of the requirements; without a conformance it
does not exist. Declare it (`extension S : P {}`), or use a type that conforms.",
    failing: "\
protocol P {
  func r()
}
struct S {
  func r()
}
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $any P
  %1 = init_existential_addr %0 : $*any P, $S
  deinit_existential_addr %0 : $*any P
  dealloc_stack %0 : $*any P
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
protocol P {
  func r()
}
struct S : P {
  func r()
}
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $any P
  %1 = init_existential_addr %0 : $*any P, $S
  deinit_existential_addr %0 : $*any P
  dealloc_stack %0 : $*any P
  %4 = tuple ()
  return %4 : $()
}
",
    check: Check::Inst(
        &[
            Opcode::InitExistentialAddr,
            Opcode::InitExistentialRef,
            Opcode::InitExistentialValue,
            Opcode::InitExistentialMetatype,
            Opcode::AllocExistentialBox,
            Opcode::WitnessMethod,
        ],
        type_conforms,
    ),
};

fn type_conforms(cx: &FunctionVerifier<'_>, inst: Inst) {
    let existential = |ty: Option<SilType>| ty.map_or_else(Vec::new, |ty| protocols(cx, ty.ty()));
    let (ty, protocols) = match cx.body.inst(inst).opcode {
        Opcode::WitnessMethod => {
            let protocol = decl(cx, inst, "member").and_then(|m| owner(cx, m));
            (formal_type(cx, inst, "lookup"), protocol.map(|p| p.path).into_iter().collect())
        }
        Opcode::InitExistentialAddr => {
            (formal_type(cx, inst, "concrete"), existential(Some(operand(cx, inst, 0))))
        }
        Opcode::InitExistentialMetatype => {
            let instance = match operand(cx, inst, 0).ty().kind() {
                TypeKind::Metatype(_, instance) => Some(*instance),
                _ => None,
            };
            (instance, existential(sil_type(cx, inst, "type")))
        }
        _ => (formal_type(cx, inst, "concrete"), existential(sil_type(cx, inst, "type"))),
    };
    let Some(ty) = ty else { return };
    let made = match cx.body.inst(inst).opcode {
        Opcode::WitnessMethod => None,
        Opcode::InitExistentialAddr => Some(operand(cx, inst, 0)),
        _ => sil_type(cx, inst, "type"),
    };
    if let Some(existential) = made
        && !existential.is_unknown()
        && !admits_noncopyable(existential.ty())
        && is_noncopyable(cx, ty)
    {
        let message =
            format!("`{ty}` does not conform to `Copyable`, but values of `{existential}` are copied");
        cx.report(cx.finding(&CONFORMANCE, Place::Inst(inst), message));
    }
    for protocol in protocols {
        if conformance::conforms(cx.declarations(), ty, protocol, cx.signature()) == Some(false) {
            let message = format!("`{ty}` does not conform to `{protocol}`");
            cx.report(cx.finding(&CONFORMANCE, Place::Inst(inst), message));
        }
    }
}

/// Returns the known protocols of an existential type or existential metatype.
fn protocols(cx: &FunctionVerifier<'_>, existential: Type) -> Vec<Symbol> {
    let mut ty = existential;
    while let TypeKind::Any(inner) | TypeKind::Metatype(_, inner) | TypeKind::Paren(inner) = ty.kind() {
        ty = *inner;
    }
    conformance::protocols(cx.declarations(), ty)
}
