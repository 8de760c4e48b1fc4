//! Rules for the opening of pack elements: the signature of the elements, and the types that are opened.

use super::facts::{at_operand, has_types, operand};
use super::generic::{misfit, unmet_requirement};
use super::packs::{Mentions, Openings, ShapeClasses, opened_param};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::AttrKind;
use silkit_ir::instructions::OpenPackElement;
use silkit_ir::{Inst, NONE, Opcode};
use silkit_types::{GenericSig, SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&PACK_OPENING, &OPENED_PACK_PARAMETER, &PACK_IS_NOT_COPIED];

static PACK_OPENING: Rule = Rule {
    id: RuleId::new("SIL0357"),
    name: "PackOpening",
    severity: Severity::Error,
    summary: "`open_pack_element` has an argument for each parameter of its signature, and its shape is a pack parameter",
    details: "\
The arguments are those of a call: a pack for `each T`, another type for `T`, and types that meet the
requirements of the signature. The shape names a parameter `each T` of the signature.",
    failing: "\
sil @f : $@convention(thin) <each T> (Builtin.Word) -> () {
bb0(%0 : $Builtin.Word):
  %1 = dynamic_pack_index %0 of $Pack{repeat each T}
  %2 = open_pack_element %1 of <each U> at <Builtin.Int64>, shape $each U, uuid \"01234567-89AB-CDEF-0123-000000000000\"
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) <each T> (Builtin.Word) -> () {
bb0(%0 : $Builtin.Word):
  %1 = dynamic_pack_index %0 of $Pack{repeat each T}
  %2 = open_pack_element %1 of <each U> at <Pack{repeat each T}>, shape $each U, uuid \"01234567-89AB-CDEF-0123-000000000000\"
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Inst(&[Opcode::OpenPackElement], pack_opening),
};

fn pack_opening(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(view) = cx.body.view_as::<OpenPackElement<'_>>(inst) else { return };
    let Some(sig) = view.sig else { return };
    let arguments: Vec<Type> = view.subs.iter().collect();
    let wanted = sig.data().params.len();
    let message = if arguments.len() != wanted {
        let found = arguments.len();
        Some(format!("the signature has {wanted} generic parameters, but {found} arguments are given"))
    } else {
        misfit(sig, &arguments).or_else(|| shape(sig, view.shape))
    };
    if let Some(message) = message {
        cx.report(cx.finding(&PACK_OPENING, Place::Inst(inst), message));
    } else if let Some(unmet) = unmet_requirement(cx, sig, &arguments) {
        let message = format!("{}, which the signature requires", unmet.message);
        let finding = cx.finding(&PACK_OPENING, Place::Inst(inst), message);
        cx.report(if unmet.is_unchecked { finding.warning() } else { finding });
    }
}

/// Returns the message about a shape that is not a pack parameter of the signature.
fn shape(sig: GenericSig, shape: Type) -> Option<String> {
    let mut param = shape;
    while let TypeKind::PackElement(inner) | TypeKind::Paren(inner) = param.kind() {
        param = *inner;
    }
    if param.is_unknown() {
        return None;
    }
    let is_pack = opened_param(sig, param).is_some_and(|at| sig.data().params[at].is_pack);
    (!is_pack).then(|| format!("expected a pack parameter of the signature as the shape, found `{shape}`"))
}

static OPENED_PACK_PARAMETER: Rule = Rule {
    id: RuleId::new("SIL0358"),
    name: "OpenedPackParameter",
    severity: Severity::Error,
    summary: "An opened pack element names a pack parameter that has the opened shape",
    details: "\
`@pack_element(\"…\") each T` is the element of the pack that the `open_pack_element` with this id gives to its
parameter `T`. The index selects an element only of packs that have the shape of the instruction: those of its shape
parameter and of parameters that a requirement gives the same length.",
    failing: "\
sil @f : $@convention(thin) <each T> (Builtin.Word) -> () {
bb0(%0 : $Builtin.Word):
  %1 = dynamic_pack_index %0 of $Pack{repeat each T}
  %2 = open_pack_element %1 of <each U, V> at <Pack{repeat each T}, Builtin.Int64>, shape $each U, uuid \"01234567-89AB-CDEF-0123-000000000000\"
  %3 = metatype $@thick (@pack_element(\"01234567-89AB-CDEF-0123-000000000000\") each V).Type
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) <each T> (Builtin.Word) -> () {
bb0(%0 : $Builtin.Word):
  %1 = dynamic_pack_index %0 of $Pack{repeat each T}
  %2 = open_pack_element %1 of <each U, V> at <Pack{repeat each T}, Builtin.Int64>, shape $each U, uuid \"01234567-89AB-CDEF-0123-000000000000\"
  %3 = metatype $@thick (@pack_element(\"01234567-89AB-CDEF-0123-000000000000\") each U).Type
  %4 = tuple ()
  return %4 : $()
}
",
    check: Check::Body(opened_pack_parameters),
};

static PACK_IS_NOT_COPIED: Rule = Rule {
    id: RuleId::new("SIL0359"),
    name: "PackIsNotCopied",
    severity: Severity::Error,
    summary: "A pack is copied and moved element by element",
    details: "\
A pack holds the addresses of its elements, which belong to the function that made it. Get each element with
`pack_element_get`, and copy it.",
    failing: "\
sil @f : $@convention(thin) (@pack_guaranteed Pack{Builtin.Int64}, @pack_inout Pack{Builtin.Int64}) -> () {
bb0(%0 : $*Pack{Builtin.Int64}, %1 : $*Pack{Builtin.Int64}):
  copy_addr %0 to %1 : $*Pack{Builtin.Int64}
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) (@pack_guaranteed Pack{Builtin.Int64}, @pack_inout Pack{Builtin.Int64}) -> () {
bb0(%0 : $*Pack{Builtin.Int64}, %1 : $*Pack{Builtin.Int64}):
  %2 = scalar_pack_index 0 of $Pack{Builtin.Int64}
  %3 = pack_element_get %2 of %0 : $*Pack{Builtin.Int64} as $*Builtin.Int64
  %4 = pack_element_get %2 of %1 : $*Pack{Builtin.Int64} as $*Builtin.Int64
  copy_addr %3 to %4 : $*Builtin.Int64
  %6 = tuple ()
  return %6 : $()
}
",
    check: Check::Inst(&[Opcode::CopyAddr, Opcode::ExplicitCopyAddr], pack_is_not_copied),
};

fn pack_is_not_copied(cx: &FunctionVerifier<'_>, inst: Inst) {
    let ty = operand(cx, inst, 0);
    if matches!(ty.ty().kind(), TypeKind::Pack { .. }) {
        let message = format!("`{}` of the pack `{ty}`", cx.body.info(inst).name);
        // The reference does not check it.
        cx.report(at_operand(cx, &PACK_IS_NOT_COPIED, inst, 0, message).warning());
    }
}

fn opened_pack_parameters(cx: &FunctionVerifier<'_>) {
    // Almost no function opens packs.
    if cx.insts_with(&[Opcode::OpenPackElement]).next().is_none() {
        return;
    }
    let mut seen = FxHashSet::default();
    for inst in cx.insts() {
        let body = cx.body;
        let mut types: Vec<Type> = body.results(inst).map(|value| body.value(value).ty.ty()).collect();
        if has_types(cx, inst) {
            types.extend(attribute_types(cx, inst));
        }
        for ty in types {
            if !seen.insert(ty) {
                continue;
            }
            let mut message = None;
            each_opened_element(ty, &mut |id, element| {
                message = message.take().or_else(|| wrong_element(cx, id, element));
            });
            if let Some(message) = message {
                cx.report(cx.finding(&OPENED_PACK_PARAMETER, Place::Inst(inst), message));
            }
        }
    }
}

/// Returns the types among the attributes of an instruction, without those of its signature.
fn attribute_types(cx: &FunctionVerifier<'_>, inst: Inst) -> Vec<Type> {
    let mut types = Vec::new();
    for (attr, &word) in cx.body.info(inst).attrs.iter().zip(cx.body.words(inst)) {
        match attr.kind {
            _ if word == NONE => {}
            AttrKind::SilType | AttrKind::OptSilType => types.push(SilType::from_u32(word).ty()),
            AttrKind::Type | AttrKind::OptType => types.push(Type::from_u32(word)),
            AttrKind::ListType => types.extend(cx.body.type_list(word)),
            _ => {}
        }
    }
    types
}

/// Calls a function with the id and the parameter of each opened element in a type.
fn each_opened_element(ty: Type, each: &mut dyn FnMut(Symbol, Type)) {
    match ty.kind() {
        TypeKind::OpenedElement { id, interface } => each(*id, *interface),
        kind => kind.for_each_part(&mut |part| each_opened_element(part, each)),
    }
}

/// Returns the message about an opened element that is not that of a pack with the opened shape.
fn wrong_element(cx: &FunctionVerifier<'_>, id: Symbol, element: Type) -> Option<String> {
    let opening = *cx.cached(|| Openings::new(cx)).0.get(&id)?;
    let view = cx.body.view_as::<OpenPackElement<'_>>(opening)?;
    let sig = view.sig?;
    let param = root(element);
    if !matches!(param.kind(), TypeKind::Param { .. }) {
        return None;
    }
    let at = opened_param(sig, param);
    let Some(at) = at.filter(|&at| sig.data().params[at].is_pack) else {
        return Some(format!("expected a pack parameter that \"{id}\" opens, found `{param}`"));
    };
    let shape = opened_param(sig, root(view.shape))?;
    let classes = ShapeClasses::new(sig, Mentions::OfTheExpansion);
    (!classes.are_equal(at, shape)).then(|| {
        let shape = sig.data().params[shape].name;
        format!("the pack `{param}` does not have the shape of `{shape}`, which \"{id}\" opens")
    })
}

/// Returns the parameter that a type begins with.
fn root(mut ty: Type) -> Type {
    while let TypeKind::PackElement(inner) | TypeKind::Paren(inner) | TypeKind::Member(inner, _) = ty.kind() {
        ty = *inner;
    }
    ty
}
