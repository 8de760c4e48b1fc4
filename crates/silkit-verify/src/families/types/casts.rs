//! Rules for casts of classes and metatypes.

use super::facts::{at_operand, declared, is_settled, lowered_types, operand, resolved, same, sil_type};
use super::kinds::{holds, metatype};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::FxHashSet;
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::TypePredicate;
use silkit_ir::{Inst, Opcode};
use silkit_types::decl::{MAX_SUPERCLASSES, NominalKind};
use silkit_types::{Convention, MetatypeRepr, SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&UPCAST, &REFERENCE_CAST, &METATYPE, &LOWERED_METATYPE];

static UPCAST: Rule = Rule {
    id: RuleId::new("SIL0341"),
    name: "Upcast",
    severity: Severity::Error,
    summary: "`upcast` converts to a superclass",
    details: "\
An instance of a class is one of its superclasses' without any check; the same goes for metatypes, and
for optionals of both. Other casts are checked when the program runs: `unconditional_checked_cast`,
`checked_cast_br`.",
    failing: "\
class A {}
class B : A {}
class C {}
sil @f : $@convention(thin) (@guaranteed B) -> () {
bb0(%0 : $B):
  %1 = upcast %0 : $B to $C
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
class A {}
class B : A {}
class C {}
sil @f : $@convention(thin) (@guaranteed B) -> () {
bb0(%0 : $B):
  %1 = upcast %0 : $B to $A
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::Inst(&[Opcode::Upcast], upcast),
};

fn upcast(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(to) = sil_type(cx, inst, "type") else { return };
    let from = operand(cx, inst, 0);
    if from.is_unknown() {
        return;
    }
    if from.is_address() != to.is_address() {
        let message = format!("`upcast` cannot convert `{from}` to `{to}`: only one of them is an address");
        cx.report(at_operand(cx, &UPCAST, inst, 0, message));
        return;
    }
    if from.ty() == to.ty() {
        let message = format!("`upcast` converts `{from}` to the same type `{to}`");
        cx.report(at_operand(cx, &UPCAST, inst, 0, message));
        return;
    }
    let (mut a, mut b) = (resolved(cx, from.ty()), resolved(cx, to.ty()));
    // No cast has deeper nested optionals and metatypes.
    for _ in 0..4 {
        match (a.kind(), b.kind()) {
            (TypeKind::Metatype(r, x), TypeKind::Metatype(s, y)) if r == s => {
                (a, b) = (resolved(cx, *x), resolved(cx, *y));
            }
            (TypeKind::Named(n), TypeKind::Named(m))
                if n.name == "Optional" && m.name == "Optional" && n.args.len() == 1 && m.args.len() == 1 =>
            {
                (a, b) = (resolved(cx, n.args[0]), resolved(cx, m.args[0]));
            }
            _ => break,
        }
    }
    let is_metatype = |ty: Type| matches!(ty.kind(), TypeKind::Metatype(..));
    let is_instance = |ty: Type| declared(cx, ty).is_some();
    if is_metatype(a) && is_instance(b) || is_instance(a) && is_metatype(b) {
        let message = format!("`upcast` cannot convert `{from}` to `{to}`: only one of them is a metatype");
        cx.report(at_operand(cx, &UPCAST, inst, 0, message));
        return;
    }
    let is_parameter = matches!(b.kind(), TypeKind::Param { .. }) && is_settled(cx, b);
    match inherits(cx, a, b).or(is_parameter.then_some(false)) {
        Some(false) => {
            let message = format!("`upcast` expects a superclass of `{from}`, found `{to}`");
            cx.report(at_operand(cx, &UPCAST, inst, 0, message));
        }
        None => cx.unknown(&UPCAST, Place::Inst(inst), || {
            format!("it is unknown whether `{to}` is a superclass of `{from}`")
        }),
        Some(true) => {}
    }
}

/// Returns whether `b` is `a` or one of its superclasses.
pub(super) fn inherits(cx: &FunctionVerifier<'_>, a: Type, b: Type) -> Option<bool> {
    let is_class = holds(cx, b, TypePredicate::Class);
    if is_class != Some(true) || !matches!(b.kind(), TypeKind::Named(_)) {
        return match (is_class, b.kind()) {
            (Some(false), TypeKind::Builtin(..) | TypeKind::Tuple(_) | TypeKind::Named(_)) => Some(false),
            _ => None,
        };
    }
    let facts = cx.declarations();
    let target = facts.nominal_of(b)?;
    let mut at = match a.kind() {
        TypeKind::Named(_) => a,
        TypeKind::Builtin(..) | TypeKind::Tuple(_) => return Some(false),
        TypeKind::Param { .. } => match facts.superclass_bound(a, cx.signature()?)? {
            None => return Some(false),
            // Of a generic class only the name is known.
            Some(class) if facts.nominal_of(class)?.sig.is_none() => class,
            Some(_) => return None,
        },
        _ => return None,
    };
    for _ in 0..MAX_SUPERCLASSES {
        let decl = facts.nominal_of(at)?;
        if decl.path == target.path {
            return match same(cx, at, b) {
                // What is known of a superclass in a clause may lack its generic arguments.
                None if at != a => Some(true),
                is_same => is_same,
            };
        }
        if !decl.is_class() {
            return Some(false);
        }
        match facts.known_superclass(at)? {
            Some(superclass) => at = superclass,
            None => return Some(false),
        }
    }
    None
}

static REFERENCE_CAST: Rule = Rule {
    id: RuleId::new("SIL0345"),
    name: "ReferenceCast",
    severity: Severity::Error,
    summary: "A cast or conversion of references works on references",
    details: "\
Both types are references, or optionals of references: classes, boxes, existentials of classes. A thick
function is two pointers; only `is_unique` and marks work on it as on a reference. For values of other types there are `unchecked_trivial_bit_cast` and
`unchecked_bitwise_cast`.",
    failing: "\
class C {}
sil @f : $@convention(thin) (Builtin.RawPointer) -> () {
bb0(%0 : $Builtin.RawPointer):
  %1 = unchecked_ref_cast %0 : $Builtin.RawPointer to $C
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
class C {}
sil @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : $Builtin.NativeObject):
  %1 = unchecked_ref_cast %0 : $Builtin.NativeObject to $C
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::Inst(
        &[
            Opcode::UncheckedRefCast,
            Opcode::RefToUnowned,
            Opcode::RefToUnmanaged,
            Opcode::BeginCOWMutation,
            Opcode::EndCOWMutation,
            Opcode::MarkUninitialized,
            Opcode::IsUnique,
            Opcode::UncheckedRefCastAddr,
            Opcode::RefToRawPointer,
            Opcode::RawPointerToRef,
            Opcode::RefToBridgeObject,
            Opcode::BridgeObjectToRef,
        ],
        reference_cast,
    ),
};

fn reference_cast(cx: &FunctionVerifier<'_>, inst: Inst) {
    let (name, opcode) = (cx.body.info(inst).name, cx.body.inst(inst).opcode);
    let is_reference = |ty: Type| {
        let ty = resolved(cx, ty);
        let ty = match ty.kind() {
            TypeKind::Named(n) if n.name == "Optional" && n.args.len() == 1 => resolved(cx, n.args[0]),
            _ => ty,
        };
        // A metatype may be a pointer to an object.
        if matches!(ty.kind(), TypeKind::Metatype(..) | TypeKind::ProtocolMetatype(..)) {
            return None;
        }
        holds(cx, ty, TypePredicate::Reference)
    };
    let from = operand(cx, inst, 0);
    let is_of_one_pointer = matches!(
        opcode,
        Opcode::UncheckedRefCast
            | Opcode::RefToRawPointer
            | Opcode::RawPointerToRef
            | Opcode::RefToBridgeObject
            | Opcode::BridgeObjectToRef
    );
    if is_of_one_pointer {
        let to = sil_type(cx, inst, "type").unwrap_or(SilType::unknown());
        let is_function = |ty: &SilType| match opcode {
            Opcode::UncheckedRefCast => is_swift_function(ty.ty()),
            _ => ty.ty().as_function().is_some(),
        };
        if let Some(function) = [from, to].into_iter().find(is_function) {
            let message =
                format!("`{name}` expects a reference to an object, found the function `{function}`");
            cx.report(cx.finding(&REFERENCE_CAST, Place::Inst(inst), message));
            return;
        }
        // The table states the other types.
        if opcode != Opcode::UncheckedRefCast {
            return;
        }
    }
    // In raw SIL, an address may be marked as uninitialized as well.
    if opcode == Opcode::MarkUninitialized && from.is_address() {
        return;
    }
    // A buffer may be a struct around the reference, as the arrays of the library are.
    let is_buffer = matches!(opcode, Opcode::BeginCOWMutation | Opcode::EndCOWMutation);
    if is_buffer && holds(cx, from.ty(), TypePredicate::Trivial) == Some(false) {
        return;
    }
    // The reference does not check these.
    let is_lenient = is_buffer || matches!(opcode, Opcode::IsUnique | Opcode::UncheckedRefCastAddr);
    for index in 0..if opcode == Opcode::UncheckedRefCastAddr { 2 } else { 1 } {
        let ty = operand(cx, inst, index);
        // The library asks for references in memory of any type.
        let may_be_any =
            is_lenient && matches!(ty.ty().kind(), TypeKind::Param { .. } | TypeKind::Member(..));
        if !ty.is_unknown() && !may_be_any && is_reference(ty.ty()) == Some(false) {
            let message = format!("`{name}` expects a reference, found `{ty}`");
            let finding = at_operand(cx, &REFERENCE_CAST, inst, index, message);
            cx.report(if is_lenient { finding.warning() } else { finding });
            return;
        }
    }
    let to = match opcode {
        Opcode::UncheckedRefCast => sil_type(cx, inst, "type").map(SilType::ty),
        _ => None,
    };
    if let Some(to) = to.filter(|to| is_reference(*to) == Some(false)) {
        let message = format!("`{name}` expects a reference as its result, found `${to}`");
        cx.report(cx.finding(&REFERENCE_CAST, Place::Inst(inst), message));
    }
}

/// Returns true for a function type that is not an Objective-C block, which is an object.
fn is_swift_function(ty: Type) -> bool {
    let ty = match ty.kind() {
        TypeKind::Named(n) if n.name == "Optional" && n.args.len() == 1 => n.args[0],
        _ => ty,
    };
    ty.as_function().is_some_and(|f| f.convention != Convention::Block)
}

pub(crate) static LOWERED_METATYPE: Rule = Rule {
    id: RuleId::new("SIL0348"),
    name: "LoweredMetatype",
    severity: Severity::Error,
    summary: "A metatype in a lowered type states its representation",
    details: "\
Values, parameters and results have lowered types: `$@thick C.Type` or `$@thin S.Type`, not `$C.Type`,
which is the type before lowering. Generic arguments are not lowered, but for that of an optional.",
    failing: "\
class C {}
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = metatype $@thick C.Type
  br bb1(%0 : $@thick C.Type)
bb1(%2 : $C.Type):
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
class C {}
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = metatype $@thick C.Type
  br bb1(%0 : $@thick C.Type)
bb1(%2 : $@thick C.Type):
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Body(lowered_metatype),
};

pub(crate) const HOW_TO_LOWER: &str = "write `@thin`, `@thick` or `@objc_metatype`";

pub(crate) fn formal_metatype_message(formal: Type) -> String {
    format!("the metatype `{formal}` does not state its representation")
}

fn lowered_metatype(cx: &FunctionVerifier<'_>) {
    let mut seen = FxHashSet::default();
    let mut check = |ty: Type, place: Place| {
        if ty.holds_formal_metatype()
            && seen.insert(ty)
            && let Some(formal) = formal_metatype(ty)
        {
            let finding = cx.finding(&LOWERED_METATYPE, place, formal_metatype_message(formal));
            cx.report(finding.note(HOW_TO_LOWER));
        }
    };
    check(cx.function.ty.ty(), Place::Whole);
    for block in cx.body.blocks() {
        for &argument in cx.body.arguments(block) {
            check(cx.body.value(argument).ty.ty(), Place::Value(argument));
        }
    }
    for inst in cx.insts() {
        for (attr, ty) in lowered_types(cx, inst) {
            if !cx.body.info(inst).is_formal(attr) {
                check(ty.ty(), Place::Inst(inst));
            }
        }
    }
}

/// Returns a metatype without representation in a lowered type, which is invalid. Generic arguments are never
/// lowered, except those of optionals.
pub(crate) fn formal_metatype(ty: Type) -> Option<Type> {
    match ty.kind() {
        TypeKind::Metatype(MetatypeRepr::Formal, _) | TypeKind::ProtocolMetatype(MetatypeRepr::Formal, _) => {
            Some(ty)
        }
        TypeKind::Any(inner) => {
            matches!(inner.kind(), TypeKind::Metatype(MetatypeRepr::Formal, _)).then_some(ty)
        }
        TypeKind::Tuple(elements) => elements.iter().find_map(|e| formal_metatype(e.ty)),
        TypeKind::Optional(payload) | TypeKind::Paren(payload) => formal_metatype(*payload),
        TypeKind::Named(n) if n.parent.is_none() && n.name == "Optional" && n.args.len() == 1 => {
            formal_metatype(n.args[0])
        }
        TypeKind::Function(f) => f.component_types().find_map(formal_metatype),
        TypeKind::Pack { elements, .. } => elements.iter().find_map(|&ty| formal_metatype(ty)),
        TypeKind::PackExpansion(pattern) => formal_metatype(*pattern),
        TypeKind::Box(layout) => {
            let fields = layout.fields.iter().map(|field| field.ty);
            fields.chain(layout.args.iter().copied()).find_map(formal_metatype)
        }
        _ => None,
    }
}

static METATYPE: Rule = Rule {
    id: RuleId::new("SIL0343"),
    name: "MetatypeRepresentation",
    severity: Severity::Error,
    summary: "A metatype states its representation, and a dynamic one is not thin",
    details: "\
A `@thin` metatype is no value at run time, a `@thick` one is a pointer to metadata, `@objc_metatype` is
an Objective-C class. The dynamic type of a value is only known at run time.",
    failing: "\
class C {}
sil @f : $@convention(thin) (@guaranteed C) -> () {
bb0(%0 : $C):
  %1 = value_metatype $@thin C.Type, %0 : $C
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
class C {}
sil @f : $@convention(thin) (@guaranteed C) -> () {
bb0(%0 : $C):
  %1 = value_metatype $@thick C.Type, %0 : $C
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::Inst(
        &[
            Opcode::Metatype,
            Opcode::ValueMetatype,
            Opcode::ExistentialMetatype,
            Opcode::ThickToObjCMetatype,
            Opcode::ObjCToThickMetatype,
        ],
        metatype_representation,
    ),
};

/// Returns true if this is the metatype of an existential, which holds the metatypes of conforming types.
fn is_existential(metatype: Type) -> bool {
    matches!(metatype.kind(), TypeKind::Metatype(_, instance) if matches!(instance.kind(), TypeKind::Any(_)))
}

/// Returns true if a metatype's instance type definitely has no Objective-C class.
fn is_of_no_class(cx: &FunctionVerifier<'_>, metatype: Type) -> bool {
    let instance = match metatype.kind() {
        TypeKind::Metatype(_, instance) | TypeKind::ProtocolMetatype(_, instance) => *instance,
        TypeKind::Any(inner) => match inner.kind() {
            TypeKind::Metatype(_, instance) => Type::new(TypeKind::Any(*instance)),
            _ => return false,
        },
        _ => return false,
    };
    let instance = resolved(cx, instance);
    match instance.kind() {
        TypeKind::Any(_) | TypeKind::Composition(_) => {
            cx.declarations().properties(instance, cx.signature()).address_only == Some(true)
        }
        TypeKind::Named(n) if n.name == "AnyObject" => false,
        TypeKind::Named(_) => {
            declared(cx, instance).is_some_and(|decl| !decl.is_class() && decl.kind != NominalKind::Protocol)
        }
        _ => false,
    }
}

fn metatype_representation(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(to) = sil_type(cx, inst, "type") else { return };
    let name = cx.body.info(inst).name;
    let opcode = cx.body.inst(inst).opcode;
    if matches!(opcode, Opcode::ThickToObjCMetatype | Opcode::ObjCToThickMetatype) {
        let from = operand(cx, inst, 0);
        if let (TypeKind::Metatype(_, a), TypeKind::Metatype(_, b)) = (from.ty().kind(), to.ty().kind())
            && same(cx, *a, *b) == Some(false)
        {
            let message = format!("`{name}` converts `{from}` to the metatype of another type, `{to}`");
            cx.report(at_operand(cx, &METATYPE, inst, 0, message));
        } else if is_of_no_class(cx, from.ty()) {
            let message = format!("`{name}` expects the metatype of a class, found `{from}`");
            cx.report(at_operand(cx, &METATYPE, inst, 0, message));
        }
        return;
    }
    if opcode == Opcode::Metatype && is_existential(to.ty()) {
        let message = format!("`{name}` returns the metatype of one type, but `{to}` may hold any type");
        cx.report(cx.finding(&METATYPE, Place::Inst(inst), message));
        return;
    }
    match metatype(cx, to.ty()).flatten() {
        Some(MetatypeRepr::Formal) => {
            let message = format!("the metatype `{to}` does not state its representation");
            cx.report(
                cx.finding(&METATYPE, Place::Inst(inst), message)
                    .note("write `@thin`, `@thick` or `@objc_metatype`"),
            );
        }
        Some(MetatypeRepr::Thin) if opcode != Opcode::Metatype => {
            let message = format!("`{name}` returns a dynamic type, which is never `@thin`");
            cx.report(
                cx.finding(&METATYPE, Place::Inst(inst), message)
                    .note("use `metatype` for a statically known type"),
            );
        }
        _ if opcode == Opcode::ValueMetatype && is_existential(to.ty()) => {
            let message = format!("`{name}` returns the type of a value, but `{to}` may hold any type");
            cx.report(cx.finding(&METATYPE, Place::Inst(inst), message).note("use `existential_metatype`"));
        }
        _ if opcode == Opcode::ValueMetatype => {
            let from = operand(cx, inst, 0);
            if let TypeKind::Metatype(_, instance) = to.ty().kind()
                && !from.is_unknown()
                && same(cx, *instance, from.ty()) == Some(false)
                && matches!(
                    from.ty().kind(),
                    TypeKind::Named(_)
                        | TypeKind::Param { .. }
                        | TypeKind::Builtin(..)
                        | TypeKind::Opened { .. }
                )
            {
                let message = format!("the type of `{from}` is not `{to}`");
                cx.report(at_operand(cx, &METATYPE, inst, 0, message));
            }
        }
        _ => {}
    }
}
