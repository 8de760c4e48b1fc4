//! Three-valued queries of the type rules about a body and the declarations visible to it.

use crate::context::FunctionVerifier;
use crate::finding::{Finding, Place};
use crate::rule::Rule;
use silkit_ir::conventions::Addresses;
use silkit_ir::info::{AttrKind, AttrSpec};
use silkit_ir::{DeclRef, Inst, NONE, Opcode, Value, ValueDef};
use silkit_types::decl::NominalDecl;
use silkit_types::{FunctionType, GenericSig, SilType, TupleElement, Type, TypeKind};
use std::ops::Deref;
use std::rc::Rc;
use std::sync::LazyLock;

/// Returns the type of an operand; the unknown type if there is none.
pub(super) fn operand(cx: &FunctionVerifier<'_>, inst: Inst, index: usize) -> SilType {
    cx.body.operands(inst).get(index).map_or_else(SilType::unknown, |o| value(cx, o.value))
}

/// Returns the type of a value. With opaque values, the results of calls are parsed as if they were lowered, so that
/// types that depend on them are unknown.
pub(super) fn value(cx: &FunctionVerifier<'_>, value: Value) -> SilType {
    match cx.body.def(value) {
        // An instruction without operands, such as a literal, has the type that it spells.
        ValueDef::Result(inst, _) if !lowers_addresses(cx) && !cx.body.operands(inst).is_empty() => {
            SilType::unknown()
        }
        _ => cx.body.value(value).ty,
    }
}

/// Returns the lowered type in an attribute.
pub(super) fn sil_type(cx: &FunctionVerifier<'_>, inst: Inst, name: &str) -> Option<SilType> {
    cx.body.word(inst, name).map(SilType::from_u32).filter(|t| !t.is_unknown())
}

/// Returns the type in an attribute, whatever its category.
pub(super) fn formal_type(cx: &FunctionVerifier<'_>, inst: Inst, name: &str) -> Option<Type> {
    let at = cx.body.info(inst).attr(name)?;
    let is_lowered = matches!(cx.body.info(inst).attrs[at].kind, AttrKind::SilType | AttrKind::OptSilType);
    let word = cx.body.word(inst, name)?;
    let ty = if is_lowered { SilType::from_u32(word).ty() } else { Type::from_u32(word) };
    Some(ty).filter(|t| !t.is_unknown())
}

/// Returns the declaration in an attribute.
pub(super) fn decl(cx: &FunctionVerifier<'_>, inst: Inst, name: &str) -> Option<DeclRef> {
    cx.body.word(inst, name).map(DeclRef::from_u32)
}

/// Returns whether two types are the same in this function.
pub(super) fn same(cx: &FunctionVerifier<'_>, a: Type, b: Type) -> Option<bool> {
    cx.declarations().same_type(a, b, cx.signature())
}

/// Returns true if addresses are lowered, that is, the module has no opaque values.
pub(super) fn lowers_addresses(cx: &FunctionVerifier<'_>) -> bool {
    cx.addresses() == Addresses::Lowered
}

/// Returns true if two types definitely differ, or one is an address and the other is not.
pub(super) fn differ(cx: &FunctionVerifier<'_>, a: SilType, b: SilType) -> bool {
    a != b
        && !a.is_unknown()
        && !b.is_unknown()
        && ((lowers_addresses(cx) && a.is_address() != b.is_address()) || !may_be_same(cx, a.ty(), b.ty()))
}

/// Returns true if two lowered types are the same or not known to differ. The labels of tuples and the wrapper
/// `@moveOnly` are parts of a lowered type.
pub(in crate::families) fn may_be_same(cx: &FunctionVerifier<'_>, a: Type, b: Type) -> bool {
    a == b || same_lowered(cx, a, b) != Some(false)
}

/// Returns whether two lowered types are the same in this function, including labels and wrappers.
pub(super) fn same_lowered(cx: &FunctionVerifier<'_>, a: Type, b: Type) -> Option<bool> {
    same(cx, a, b).or_else(|| differ_in_form(cx, a, b).then_some(false))
}

/// Returns true if a tuple contains a pack expansion, so that its elements have no fixed numbers.
pub(super) fn has_expansion(elements: &[TupleElement]) -> bool {
    elements.iter().any(|element| matches!(element.ty.kind(), TypeKind::PackExpansion(_)))
}

/// Returns true if two types of equal parts have other labels, or only one of them has the wrapper `@moveOnly` or an
/// abstraction pattern, `@substituted`.
fn differ_in_form(cx: &FunctionVerifier<'_>, a: Type, b: Type) -> bool {
    let (a, b) = (resolved(cx, a), resolved(cx, b));
    match (a.kind(), b.kind()) {
        (TypeKind::MoveOnly(t), TypeKind::MoveOnly(u)) => differ_in_form(cx, *t, *u),
        (TypeKind::MoveOnly(t), _) => same(cx, *t, b) == Some(true),
        (_, TypeKind::MoveOnly(t)) => same(cx, a, *t) == Some(true),
        (TypeKind::Function(f), TypeKind::Function(g)) => {
            f.lowered && g.lowered && f.pattern_sig.is_some() != g.pattern_sig.is_some()
        }
        (TypeKind::Tuple(es), TypeKind::Tuple(fs)) if es.len() > 1 && es.len() == fs.len() => {
            if has_expansion(es) || has_expansion(fs) {
                return false;
            }
            let label = |e: &TupleElement| e.label.filter(|label| *label != "_");
            es.iter().zip(fs).any(|(e, f)| label(e) != label(f))
                || es.iter().zip(fs).any(|(e, f)| e.ty != f.ty && differ_in_form(cx, e.ty, f.ty))
        }
        _ => false,
    }
}

/// Returns a type without aliases and sugar.
pub(super) fn resolved(cx: &FunctionVerifier<'_>, ty: Type) -> Type {
    use TypeKind as K;
    match ty.kind() {
        K::Builtin(_, args) if args.is_empty() => ty,
        K::Param { .. } | K::Opened { .. } | K::Function(_) | K::Tuple(_) => ty,
        K::Named(_) if cx.declarations().nominal_of(ty).is_some() => ty,
        _ => cx.declarations().resolve(ty).without_sugar(),
    }
}

/// Returns the declaration of a nominal type, unless an unknown module may declare another type with the same name.
pub(super) fn declared<'a>(cx: &FunctionVerifier<'a>, ty: Type) -> Option<&'a NominalDecl> {
    cx.declarations().nominal_of(ty).filter(|decl| !cx.declarations().may_be_another(decl))
}

/// Returns true if a same-type requirement may equate two different parameters.
pub(super) fn params_may_meet(cx: &FunctionVerifier<'_>) -> bool {
    cx.signature().is_none_or(GenericSig::params_may_meet)
}

/// Returns true if the kind of this type is known.
pub(super) fn is_definite(cx: &FunctionVerifier<'_>, ty: Type) -> bool {
    use TypeKind as K;
    match ty.kind() {
        K::Builtin(..)
        | K::Tuple(_)
        | K::Function(_)
        | K::Metatype(..)
        | K::ProtocolMetatype(..)
        | K::Box(_)
        | K::Pack { .. }
        | K::Storage(..)
        | K::BlockStorage(_)
        | K::Any(_)
        | K::Optional(_)
        | K::Array(_)
        | K::Dictionary(..) => true,
        K::Named(_) => cx.declarations().nominal_of(ty).is_some(),
        K::Param { .. } => !params_may_meet(cx),
        _ => false,
    }
}

/// The depth to which types are inspected for [`is_settled`].
const SETTLED_DEPTH: u32 = 16;

/// Returns true if no requirement of the signature can make a part of this type equal to another type.
pub(super) fn is_settled(cx: &FunctionVerifier<'_>, ty: Type) -> bool {
    settled(cx, ty, 0)
}

fn settled(cx: &FunctionVerifier<'_>, ty: Type, depth: u32) -> bool {
    use TypeKind as K;
    match ty.kind() {
        K::Unknown
        | K::Member(..)
        | K::OpenedElement { .. }
        | K::PackElement(_)
        | K::Some(_)
        | K::OpaqueResult { .. } => false,
        K::Opened { interface, .. } => !matches!(interface.kind(), K::Member(..)),
        K::Param { .. } => !params_may_meet(cx),
        _ if depth > SETTLED_DEPTH => false,
        _ => {
            let mut found = true;
            ty.map(&mut |t| {
                found &= settled(cx, t, depth + 1);
                t
            });
            found
        }
    }
}

/// A function type without generic parameters and substitutions: the stated type, or a new one.
#[derive(Clone)]
pub(crate) enum ResolvedType {
    Stated(&'static FunctionType),
    Substituted(Rc<FunctionType>),
}

impl Deref for ResolvedType {
    type Target = FunctionType;

    fn deref(&self) -> &FunctionType {
        match self {
            Self::Stated(ty) => ty,
            Self::Substituted(ty) => ty,
        }
    }
}

/// The opcodes of instructions with types among their attributes, lists of types included.
static HAVE_TYPES: LazyLock<Vec<bool>> = LazyLock::new(|| {
    use AttrKind as K;
    let is_type = |attr: &AttrSpec| {
        matches!(attr.kind, K::SilType | K::OptSilType | K::Type | K::OptType | K::ListType | K::ListSilType)
    };
    Opcode::ALL.iter().map(|opcode| opcode.info().attrs.iter().any(is_type)).collect()
});

/// Returns true if the instruction has types among its attributes.
pub(super) fn has_types(cx: &FunctionVerifier<'_>, inst: Inst) -> bool {
    HAVE_TYPES[cx.body.inst(inst).opcode as usize]
}

/// An attribute and its index.
type IndexedAttr = (usize, &'static AttrSpec);

/// For each opcode, the lowered types among its attributes.
static LOWERED_TYPES: LazyLock<Vec<Box<[IndexedAttr]>>> = LazyLock::new(|| {
    let is_lowered = |(_, attr): &IndexedAttr| matches!(attr.kind, AttrKind::SilType | AttrKind::OptSilType);
    Opcode::ALL
        .iter()
        .map(|opcode| opcode.info().attrs.iter().enumerate().filter(is_lowered).collect())
        .collect()
});

/// Returns the lowered types among the attributes of an instruction, with the attributes.
pub(super) fn lowered_types<'c>(
    cx: &'c FunctionVerifier<'_>,
    inst: Inst,
) -> impl Iterator<Item = (&'static AttrSpec, SilType)> + 'c {
    let words = cx.body.words(inst);
    LOWERED_TYPES[cx.body.inst(inst).opcode as usize]
        .iter()
        .filter(|&&(index, _)| words[index] != NONE)
        .map(|&(index, attr)| (attr, SilType::from_u32(words[index])))
}

/// Returns the type of the function as seen in its own body, where `@substituted` is resolved and its generic parameters
/// are not substituted.
pub(crate) fn own_type(cx: &FunctionVerifier<'_>) -> Option<ResolvedType> {
    let own = cx.function.ty.ty().as_function()?;
    if own.pattern_sig.is_none() {
        return Some(ResolvedType::Stated(own));
    }
    let make = || {
        let own = FunctionType { sig: None, ..own.clone() };
        let own = silkit_ir::substituted(&own, &[], cx.declarations())?;
        Some(ResolvedType::Substituted(Rc::new(own)))
    };
    cx.cached(|| OwnType(make())).0.clone()
}

struct OwnType(Option<ResolvedType>);

/// Creates a finding at an operand, labelled with its type.
pub(super) fn at_operand(
    cx: &FunctionVerifier<'_>,
    rule: &'static Rule,
    inst: Inst,
    index: usize,
    message: String,
) -> Finding {
    let place = Place::Operand(cx.body.operand_id(inst, index));
    cx.finding(rule, place, message).label(format!("has type `{}`", operand(cx, inst, index)))
}

/// Checks the type of one operand.
pub(super) fn expect(
    cx: &FunctionVerifier<'_>,
    rule: &'static Rule,
    inst: Inst,
    index: usize,
    wanted: SilType,
    what: &str,
) {
    let actual = operand(cx, inst, index);
    if differ(cx, actual, wanted) {
        let name = cx.value(cx.body.operand_value(inst, index));
        let message = format!("{what} `{wanted}`, but `{name}` has type `{actual}`");
        cx.report(at_operand(cx, rule, inst, index, message));
    }
}
