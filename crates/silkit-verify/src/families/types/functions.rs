//! Rules for function conversions, which preserve the calling convention.

use super::facts::{at_operand, declared, operand, resolved, same, sil_type};
use crate::context::FunctionVerifier;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode};
use silkit_types::decl::NominalKind;
use silkit_types::{CalleeConvention, Convention, FnFlags, FunctionType, MetatypeRepr, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&FUNCTION_CONVERSION];

static FUNCTION_CONVERSION: Rule = Rule {
    id: RuleId::new("SIL0342"),
    name: "FunctionConversion",
    severity: Severity::Error,
    summary: "A function conversion does not change the calling convention",
    details: "\
It generates no code. So the numbers and conventions of parameters and results stay, and their types
change at most to ABI-compatible ones. Use a thunk for other changes.",
    failing: "\
sil @f : $@convention(thin) (@guaranteed @callee_guaranteed (Builtin.Int64) -> ()) -> () {
bb0(%0 : $@callee_guaranteed (Builtin.Int64) -> ()):
  %1 = convert_escape_to_noescape %0 : $@callee_guaranteed (Builtin.Int64) -> () to $@noescape @callee_guaranteed () -> ()
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) (@guaranteed @callee_guaranteed (Builtin.Int64) -> ()) -> () {
bb0(%0 : $@callee_guaranteed (Builtin.Int64) -> ()):
  %1 = convert_escape_to_noescape %0 : $@callee_guaranteed (Builtin.Int64) -> () to $@noescape @callee_guaranteed (Builtin.Int64) -> ()
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::Inst(
        &[Opcode::ConvertFunction, Opcode::ConvertEscapeToNoEscape, Opcode::ThinToThickFunction],
        function_conversion,
    ),
};

fn function_conversion(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(to) = sil_type(cx, inst, "type").and_then(|t| t.ty().as_function()) else { return };
    let Some(from) = operand(cx, inst, 0).ty().as_function() else { return };
    let opcode = cx.body.inst(inst).opcode;
    // Thunks that drop an error are not followed.
    let is_thunk = opcode == Opcode::ThinToThickFunction && from.error.is_some();
    let why = of_kind(opcode, from, to).or_else(|| if is_thunk { None } else { change_of_abi(cx, from, to) });
    let name = cx.body.info(inst).name;
    if let Some(why) = why {
        cx.report(at_operand(cx, &FUNCTION_CONVERSION, inst, 0, format!("`{name}` of a function: {why}")));
    } else if cx.body.has_flag(inst, "without_actually_escaping") && to.flags.contains(FnFlags::NOESCAPE) {
        let message = format!("`{name} [without_actually_escaping]` to a function that may not escape");
        // The reference does not check it.
        cx.report(at_operand(cx, &FUNCTION_CONVERSION, inst, 0, message).warning());
    }
}

/// Returns a difference between two types that this kind of conversion does not allow.
fn of_kind(opcode: Opcode, from: &FunctionType, to: &FunctionType) -> Option<&'static str> {
    let is_noescape = |f: &FunctionType| f.flags.contains(FnFlags::NOESCAPE);
    let is_async = |f: &FunctionType| f.flags.contains(FnFlags::ASYNC);
    let is_generic = |f: &FunctionType| f.sig.is_some();
    match opcode {
        Opcode::ConvertFunction if representation(from.convention) != representation(to.convention) => {
            Some("its representation changes")
        }
        Opcode::ConvertFunction
            if !is_generic(from) && !is_generic(to) && is_async(from) && !is_async(to) =>
        {
            Some("an async function cannot become one that is not async")
        }
        // A block may be converted to an escaping type.
        Opcode::ConvertFunction
            if is_noescape(from) != is_noescape(to) && from.convention != Convention::Block =>
        {
            Some("whether the function may escape changes")
        }
        Opcode::ConvertEscapeToNoEscape if !has_context(from.convention) => {
            Some("it has no context, so it is converted by `thin_to_thick_function`")
        }
        Opcode::ConvertEscapeToNoEscape if is_noescape(from) => Some("it is already `@noescape`"),
        Opcode::ConvertEscapeToNoEscape if !is_noescape(to) => Some("the result is not `@noescape`"),
        Opcode::ThinToThickFunction if has_context(from.convention) => Some("it already has a context"),
        Opcode::ThinToThickFunction if !has_context(to.convention) => Some("the result is not thick"),
        Opcode::ThinToThickFunction
            if from.callee == CalleeConvention::Unowned && is_generic(from) != is_generic(to) =>
        {
            Some("only one of the two is generic")
        }
        _ => None,
    }
}

/// Returns the difference between the calling conventions of two functions.
fn change_of_abi(cx: &FunctionVerifier<'_>, from: &FunctionType, to: &FunctionType) -> Option<&'static str> {
    if from.params.len() != to.params.len() {
        return Some("the numbers of parameters differ");
    }
    if from.results.len() != to.results.len() {
        return Some("the numbers of results differ");
    }
    // The types of generic functions and of abstraction patterns are not followed.
    let is_plain = [from, to].iter().all(|f| f.sig.is_none() && f.pattern_sig.is_none());
    if is_plain && from.error.is_some() && to.error.is_none() {
        return Some("a function that throws cannot become one that does not");
    }
    if from.is_coroutine() != to.is_coroutine() {
        return Some("only one of the two is a coroutine");
    }
    for (p, q) in from.params.iter().zip(&to.params) {
        if p.convention != q.convention {
            return Some("the conventions of a parameter differ");
        }
        if is_plain && !p.convention.is_indirect() && incompatible(cx, p.ty, q.ty) {
            return Some("the types of a parameter are not ABI-compatible");
        }
    }
    for (r, s) in from.results.iter().zip(&to.results) {
        if r.convention != s.convention {
            return Some("the conventions of a result differ");
        }
        if is_plain && !r.convention.is_indirect() && incompatible(cx, r.ty, s.ty) {
            return Some("the types of a result are not ABI-compatible");
        }
    }
    None
}

/// The representation of a direct value, as far as conversions of functions distinguish it.
#[derive(PartialEq, Eq)]
enum Representation {
    /// A reference to an object of a class.
    Reference,
    /// A metatype.
    Metatype(MetatypeRepr),
    /// A function.
    Function,
    /// A tuple.
    Tuple,
    /// A struct, an enum or a builtin value, each of which has its own representation.
    Value,
}

/// Returns true if values of two types definitely have different representations.
fn incompatible(cx: &FunctionVerifier<'_>, a: Type, b: Type) -> bool {
    let (a, b) = (resolved(cx, a), resolved(cx, b));
    if same(cx, a, b) != Some(false) {
        return false;
    }
    if let (TypeKind::Tuple(es), TypeKind::Tuple(fs)) = (a.kind(), b.kind()) {
        return es.len() != fs.len() || es.iter().zip(fs).any(|(e, f)| incompatible(cx, e.ty, f.ty));
    }
    match (value_representation(cx, a), value_representation(cx, b)) {
        (Some(Representation::Value), Some(Representation::Value)) => !may_be_spelled_differently(a, b),
        (Some(a), Some(b)) => a != b,
        _ => false,
    }
}

/// Returns the representation of a type; `None` if it is not known. An optional reference is a reference.
fn value_representation(cx: &FunctionVerifier<'_>, ty: Type) -> Option<Representation> {
    use Representation as R;
    if let Some(payload) = cx.declarations().optional_payload(ty) {
        let is_nested = cx.declarations().optional_payload(payload).is_some();
        return value_representation(cx, resolved(cx, payload))
            .map(|payload| if is_nested || payload == R::Tuple { R::Value } else { payload });
    }
    match ty.kind() {
        TypeKind::Builtin(..) => Some(R::Value),
        TypeKind::Tuple(_) => Some(R::Tuple),
        TypeKind::Function(_) => Some(R::Function),
        TypeKind::Metatype(repr, _) => Some(R::Metatype(*repr)),
        TypeKind::Named(_) => match declared(cx, ty)?.kind {
            NominalKind::Struct | NominalKind::Enum => Some(R::Value),
            NominalKind::Class | NominalKind::Actor => Some(R::Reference),
            _ => None,
        },
        _ => None,
    }
}

/// Returns true if generic arguments of two types may be one type with other labels, attributes or constraints.
fn may_be_spelled_differently(a: Type, b: Type) -> bool {
    let is_structural = |ty: Type| {
        matches!(
            ty.kind(),
            TypeKind::Tuple(_) | TypeKind::Function(_) | TypeKind::Any(_) | TypeKind::Metatype(..)
        )
    };
    a.any_part(&is_structural) && b.any_part(&is_structural)
}

fn has_context(convention: Convention) -> bool {
    use Convention as C;
    matches!(convention, C::Thick | C::ExplicitThick | C::Swift | C::Block)
}

/// Returns a number that is equal for conventions with the same representation.
fn representation(convention: Convention) -> u8 {
    match convention {
        Convention::Thick | Convention::ExplicitThick | Convention::Swift => 0,
        Convention::Block => 1,
        Convention::C => 2,
        Convention::ObjCMethod => 3,
        Convention::Method => 4,
        Convention::WitnessMethod(_) => 5,
        Convention::Closure => 6,
        Convention::CxxMethod => 7,
        Convention::Thin => 8,
        Convention::KeyPathGetter => 9,
        Convention::KeyPathSetter => 10,
        Convention::KeyPathEquals => 11,
        Convention::KeyPathHash => 12,
        Convention::ComMethod => 13,
    }
}
