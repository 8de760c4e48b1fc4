//! Rules for pack indices, by structural type matching.

use super::facts::{declared, operand, params_may_meet, resolved, same, sil_type};
use super::generic::pattern;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::instructions::OpenPackElement;
use silkit_ir::{Inst, Opcode, ValueDef};
use silkit_types::{GenericSig, RequirementKind, SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&PACK_INDEX, &PACK_ELEMENT];

static PACK_INDEX: Rule = Rule {
    id: RuleId::new("SIL0350"),
    name: "PackIndex",
    severity: Severity::Error,
    summary: "A pack index has the shape of the packs that it indexes",
    details: "\
`scalar_pack_index` names one element that is no expansion, `pack_pack_index` a slice of the same shape
as its inner pack, `dynamic_pack_index` an element that is known at run time. Two packs have the same
shape if they have expansions at the same positions, and these expand parameters that a requirement of
the signature gives the same length. Indices are not checked at run time.",
    failing: "\
sil @f : $@convention(thin) (@pack_guaranteed Pack{Builtin.Int64, Builtin.Int32}) -> () {
bb0(%0 : $*Pack{Builtin.Int64, Builtin.Int32}):
  %1 = scalar_pack_index 2 of $Pack{Builtin.Int64, Builtin.Int32}
  %2 = pack_element_get %1 of %0 : $*Pack{Builtin.Int64, Builtin.Int32} as $*Builtin.Int32
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) (@pack_guaranteed Pack{Builtin.Int64, Builtin.Int32}) -> () {
bb0(%0 : $*Pack{Builtin.Int64, Builtin.Int32}):
  %1 = scalar_pack_index 1 of $Pack{Builtin.Int64, Builtin.Int32}
  %2 = pack_element_get %1 of %0 : $*Pack{Builtin.Int64, Builtin.Int32} as $*Builtin.Int32
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Inst(
        &[
            Opcode::PackElementGet,
            Opcode::PackElementSet,
            Opcode::TuplePackElementAddr,
            Opcode::TuplePackExtract,
            Opcode::ScalarPackIndex,
            Opcode::PackPackIndex,
            Opcode::OpenPackElement,
        ],
        pack_index,
    ),
};

static PACK_ELEMENT: Rule = Rule {
    id: RuleId::new("SIL0351"),
    name: "PackElement",
    severity: Severity::Error,
    summary: "A projected element has the type of the pack at the index",
    details: "\
It is an address where the pack is indirect, as packs are unless they are `@direct`. With a dynamic
index, every element that it may select must have the type.",
    failing: "\
sil @f : $@convention(thin) (@pack_guaranteed Pack{Builtin.Int64, Builtin.Int32}) -> () {
bb0(%0 : $*Pack{Builtin.Int64, Builtin.Int32}):
  %1 = scalar_pack_index 0 of $Pack{Builtin.Int64, Builtin.Int32}
  %2 = pack_element_get %1 of %0 : $*Pack{Builtin.Int64, Builtin.Int32} as $*Builtin.Int32
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) (@pack_guaranteed Pack{Builtin.Int64, Builtin.Int32}) -> () {
bb0(%0 : $*Pack{Builtin.Int64, Builtin.Int32}):
  %1 = scalar_pack_index 0 of $Pack{Builtin.Int64, Builtin.Int32}
  %2 = pack_element_get %1 of %0 : $*Pack{Builtin.Int64, Builtin.Int32} as $*Builtin.Int64
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::With(&["SIL0350"]),
};

fn pack_index(cx: &FunctionVerifier<'_>, inst: Inst) {
    match cx.body.inst(inst).opcode {
        Opcode::ScalarPackIndex => scalar(cx, inst),
        Opcode::PackPackIndex => {
            index_is_made(cx, inst, 0);
            slice(cx, inst);
        }
        Opcode::OpenPackElement => {
            index_is_made(cx, inst, 0);
            opened_shape(cx, inst);
        }
        _ => projection(cx, inst),
    }
}

/// Reports an operand that is not the result of a pack indexing instruction.
fn index_is_made(cx: &FunctionVerifier<'_>, inst: Inst, operand: usize) {
    let is_index = |inst: Inst| {
        let opcode = cx.body.inst(inst).opcode;
        matches!(opcode, Opcode::ScalarPackIndex | Opcode::PackPackIndex | Opcode::DynamicPackIndex)
    };
    let value = cx.body.operand_value(inst, operand);
    if !cx.body.defining_inst(value).is_some_and(is_index) {
        let place = Place::Operand(cx.body.operand_id(inst, operand));
        let message = format!("`{}` is not made by a pack indexing instruction", cx.value(value));
        cx.report(cx.finding(&PACK_INDEX, place, message).also(Place::Value(value), "created here"));
    }
}

/// Checks that the packs that are substituted for the shape, and for parameters of the same shape, have the shape of the
/// index.
fn opened_shape(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(view) = cx.body.view_as::<OpenPackElement<'_>>(inst) else { return };
    let Some((index, _, indexed)) = index_of(cx, inst, 0) else { return };
    let (Some(sig), TypeKind::PackElement(shape) | TypeKind::Paren(shape)) = (view.sig, view.shape.kind())
    else {
        return;
    };
    let TypeKind::Param { name, .. } = shape.kind() else { return };
    let Some(at) = sig.data().params.iter().position(|p| p.name == *name) else { return };
    let classes = ShapeClasses::new(sig, Mentions::OfTheExpansion);
    for (param, substituted) in view.subs.iter().enumerate().take(sig.data().params.len()) {
        if param != at && !classes.are_equal(param, at) {
            continue;
        }
        let Some(parts) = elements(substituted) else { continue };
        if !same_shape(cx, &parts, &indexed) {
            let name = sig.data().params[param].name;
            let message = format!(
                "the pack that is substituted for `{name}` has another shape than the pack of the index"
            );
            let made = cx.body.results(index).next().map_or(Place::Inst(index), Place::Value);
            cx.report(
                cx.finding(&PACK_INDEX, Place::Inst(inst), message).also(made, "the index is created here"),
            );
            return;
        }
    }
}

/// Returns the elements of a pack or of a tuple.
fn elements(ty: Type) -> Option<Vec<Type>> {
    match ty.kind() {
        TypeKind::Pack { elements, .. } => Some(elements.to_vec()),
        TypeKind::Tuple(elements) => Some(elements.iter().map(|e| e.ty).collect()),
        TypeKind::Paren(element) if is_expansion(*element) => Some(vec![*element]),
        _ => None,
    }
}

fn is_expansion(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::PackExpansion(_))
}

/// Returns true if two packs may have the same shape: they have equal lengths, with expansions at the same positions that
/// do not definitely expand parameters of different lengths.
fn same_shape(cx: &FunctionVerifier<'_>, a: &[Type], b: &[Type]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(&x, &y)| {
            x == y
                || match (x.kind(), y.kind()) {
                    (TypeKind::PackExpansion(x), TypeKind::PackExpansion(y)) => same_length(cx, *x, *y),
                    _ => is_expansion(x) == is_expansion(y),
                }
        })
}

/// Returns true if the expansions of two patterns may have the same length.
fn same_length(cx: &FunctionVerifier<'_>, a: Type, b: Type) -> bool {
    let Some(sig) = cx.signature().filter(|sig| !sig.params_hide()) else { return true };
    let classes = cx.cached(|| ShapeClasses::new(sig, Mentions::All));
    let (Some(a), Some(b)) = (expanded(sig, a), expanded(sig, b)) else { return true };
    a.is_empty() || b.is_empty() || a.iter().any(|&x| b.iter().any(|&y| classes.are_equal(x, y)))
}

/// Returns the parameters of a signature that a pattern expands; `None` if one of them is of another signature.
fn expanded(sig: GenericSig, pattern: Type) -> Option<Vec<usize>> {
    let params = &sig.data().params;
    // A pattern without packs has a comment that gives its shape.
    if let TypeKind::Attributed(shape, _) = pattern.kind() {
        let name = shape.as_str().strip_prefix("/* shape: each ")?.strip_suffix(" */")?;
        return Some(vec![params.iter().rposition(|p| p.name.as_str() == name)?]);
    }
    let mut found = Vec::new();
    let mut are_known = true;
    each_pack_param(pattern, Mentions::OfTheExpansion, &mut |param| match position(sig, param) {
        Some(at) => found.push(at),
        None => are_known = false,
    });
    are_known.then_some(found)
}

/// Returns the position of a parameter in its signature.
fn position(sig: GenericSig, param: Type) -> Option<usize> {
    let TypeKind::Param { depth, index, .. } = param.kind() else { return None };
    sig.data().params.iter().position(|p| p.depth == *depth && p.index == *index)
}

/// The pack parameters of a pattern that are collected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mentions {
    /// All parameters that the pattern mentions.
    All,
    /// The parameters that the expansion of the pattern expands, not those of expansions inside of it.
    OfTheExpansion,
}

/// Calls a function with the pack parameters in a pattern.
fn each_pack_param(pattern: Type, mentions: Mentions, each: &mut dyn FnMut(Type)) {
    match pattern.kind() {
        TypeKind::PackElement(inner) => each_param(*inner, each),
        TypeKind::PackExpansion(_) if mentions == Mentions::OfTheExpansion => {}
        _ => pattern.kind().for_each_part(&mut |part| each_pack_param(part, mentions, each)),
    }
}

fn each_param(ty: Type, each: &mut dyn FnMut(Type)) {
    match ty.kind() {
        TypeKind::Param { .. } => each(ty),
        _ => ty.kind().for_each_part(&mut |part| each_param(part, each)),
    }
}

/// The classes of the parameters of a signature that have the same shape: for each parameter the first one of its class.
pub(super) struct ShapeClasses(Vec<usize>);

impl ShapeClasses {
    /// Computes the classes: the pack parameters in one requirement have the same shape.
    pub(super) fn new(sig: GenericSig, mentions: Mentions) -> Self {
        let data = sig.data();
        let mut classes: Vec<usize> = (0..data.params.len()).collect();
        for requirement in &data.requirements {
            let mut first = None;
            for side in [requirement.subject, requirement.constraint] {
                // A requirement of only the shape is spelled `(repeat (each T, each U)) : Any`.
                let pattern = elements(side).filter(|e| e.len() == 1).map_or(side, |e| pattern(e[0]));
                each_pack_param(pattern, mentions, &mut |param| {
                    let Some(at) = position(sig, param) else { return };
                    let (from, to) = (classes[at], classes[*first.get_or_insert(at)]);
                    classes.iter_mut().filter(|class| **class == from).for_each(|class| *class = to);
                });
            }
        }
        Self(classes)
    }

    /// Returns true if two parameters have the same shape.
    pub(super) fn are_equal(&self, a: usize, b: usize) -> bool {
        self.0[a] == self.0[b]
    }
}

/// Returns the instruction that computes an index, with the elements of the indexed pack.
fn index_of(cx: &FunctionVerifier<'_>, inst: Inst, operand: usize) -> Option<(Inst, Opcode, Vec<Type>)> {
    let value = cx.body.operands(inst).get(operand)?.value;
    let ValueDef::Result(index, _) = cx.body.def(value) else { return None };
    Some((index, cx.body.inst(index).opcode, elements(sil_type(cx, index, "type")?.ty())?))
}

/// Checks that a projected element has the type of the pack element.
fn projection(cx: &FunctionVerifier<'_>, inst: Inst) {
    // The index is the second operand of `pack_element_set` and the first operand of the others.
    let is_set = cx.body.inst(inst).opcode == Opcode::PackElementSet;
    let [index_spec, pack_spec] = if is_set { [1, 2] } else { [0, 1] };
    let index_at = cx.body.operand_range(inst, index_spec).start;
    let pack = operand(cx, inst, cx.body.operand_range(inst, pack_spec).start);
    let element = if is_set { Some(operand(cx, inst, 0)) } else { sil_type(cx, inst, "type") };
    let Some(element) = element.filter(|e| !e.is_unknown() && !pack.is_unknown()) else { return };
    let Some(parts) = elements(pack.ty()) else { return };
    if let TypeKind::Pack { direct, .. } = pack.ty().kind()
        && *direct == element.is_address()
    {
        let wanted = if *direct { "objects" } else { "addresses" };
        let message = format!("the elements of `{pack}` are {wanted}, but this one is `{element}`");
        cx.report(cx.finding(&PACK_ELEMENT, Place::Inst(inst), message));
        return;
    }
    let at_index = Place::Operand(cx.body.operand_id(inst, index_at));
    let value = cx.body.operand_value(inst, index_at);
    let Some((index, opcode, indexed)) = index_of(cx, inst, index_at) else {
        index_is_made(cx, inst, index_at);
        return;
    };
    if !same_shape(cx, &parts, &indexed) {
        let message =
            format!("`{}` is an index for packs with a different shape than `{pack}`", cx.value(value));
        cx.report(
            cx.finding(&PACK_INDEX, at_index, message).also(Place::Value(value), "the index is created here"),
        );
        return;
    }
    matches_at(cx, inst, (index, opcode), &parts, element);
}

/// The maximum nesting of pack slices.
const MAX_SLICES: usize = 64;

/// Checks the element that the index refers to.
fn matches_at(
    cx: &FunctionVerifier<'_>,
    inst: Inst,
    (mut index, mut opcode): (Inst, Opcode),
    mut parts: &[Type],
    element: SilType,
) {
    for _ in 0..MAX_SLICES {
        match opcode {
            Opcode::ScalarPackIndex => {
                let part = cx.body.word(index, "index").and_then(|i| parts.get(i as usize));
                let Some(&part) = part.filter(|p| !is_expansion(**p)) else { return };
                if same(cx, part, element.ty()) == Some(false) {
                    let message =
                        format!("the element of the pack is `{part}`, but `{}` is projected", element.ty());
                    cx.report(
                        cx.finding(&PACK_ELEMENT, Place::Inst(inst), message)
                            .also(Place::Inst(index), "the index is created here"),
                    );
                }
                return;
            }
            Opcode::PackPackIndex => {
                let Some(start) = cx.body.word(index, "start").map(|s| s as usize) else { return };
                let Some((inner, inner_opcode, slice)) = index_of(cx, index, 0) else { return };
                let Some(rest) = parts.get(start..start + slice.len()) else { return };
                (index, opcode, parts) = (inner, inner_opcode, rest);
            }
            _ => return at_any(cx, (inst, index), parts, element),
        }
    }
}

/// Checks a dynamic index: each element of the pack has the projected type, with opened elements replaced by the
/// elements of their packs at the same position. An element that another index opened is a type of its own.
fn at_any(cx: &FunctionVerifier<'_>, (inst, index): (Inst, Inst), parts: &[Type], element: SilType) {
    if let Some((part, opening)) = opened_by_another(cx, index, parts, element.ty()) {
        let message = format!("a dynamic index may reach `{part}`, but `{element}` is projected");
        cx.report(
            cx.finding(&PACK_ELEMENT, Place::Inst(inst), message)
                .label("has the type of an element at another index")
                .also(Place::Inst(opening), "opened here")
                .also(Place::Inst(index), "the index is created here"),
        );
        return;
    }
    for (lane, &part) in parts.iter().enumerate() {
        let part = pattern(part);
        let Some(projected) = in_lane(cx, element.ty(), parts.len(), lane) else {
            cx.unknown(&PACK_ELEMENT, Place::Inst(inst), || format!("`{element}` is an opened element"));
            return;
        };
        if are_different(cx, part, projected) {
            let message = format!("a dynamic index may reach `{part}`, but `{projected}` is projected");
            cx.report(cx.finding(&PACK_ELEMENT, Place::Inst(inst), message));
            return;
        }
    }
}

/// Returns the first part of a pack that cannot be the projected element type, which is an element that was opened at
/// another index, and the instruction that opened it.
fn opened_by_another(
    cx: &FunctionVerifier<'_>,
    index: Inst,
    parts: &[Type],
    element: Type,
) -> Option<(Type, Inst)> {
    let TypeKind::OpenedElement { id, interface } = element.kind() else { return None };
    let opening = *cx.cached(|| Openings::new(cx)).0.get(id)?;
    let view = cx.body.view_as::<OpenPackElement<'_>>(opening)?;
    // A requirement may say what an opened type is.
    let is_free = view.sig.is_some_and(|sig| {
        !sig.data().requirements.iter().any(|r| r.kind == RequirementKind::SameType)
            && !matches!(interface.kind(), TypeKind::Member(..))
    });
    if !is_free || dynamic_index(cx, opening) == Some(index) {
        return None;
    }
    let part = parts.iter().copied().find(|&part| !mentions_opened(part))?;
    Some((part, opening))
}

/// Returns the dynamic index that an index operand, the first operand, comes from through slices.
fn dynamic_index(cx: &FunctionVerifier<'_>, mut inst: Inst) -> Option<Inst> {
    for _ in 0..MAX_SLICES {
        inst = cx.body.defining_inst(cx.body.operands(inst).first()?.value)?;
        match cx.body.inst(inst).opcode {
            Opcode::PackPackIndex => {}
            Opcode::DynamicPackIndex => return Some(inst),
            _ => return None,
        }
    }
    None
}

/// Returns true if a type has a part that an instruction opened, or that is not known.
fn mentions_opened(ty: Type) -> bool {
    if matches!(ty.kind(), TypeKind::OpenedElement { .. } | TypeKind::Opened { .. } | TypeKind::Unknown) {
        return true;
    }
    let mut found = false;
    ty.kind().for_each_part(&mut |part| found |= mentions_opened(part));
    found
}

/// The instructions that open pack elements, by id.
pub(super) struct Openings(pub(super) FxHashMap<Symbol, Inst>);

impl Openings {
    pub(super) fn new(cx: &FunctionVerifier<'_>) -> Self {
        let id = |inst| cx.body.view_as::<OpenPackElement<'_>>(inst).map(|open| (open.id, inst));
        Self(cx.insts_with(&[Opcode::OpenPackElement]).filter_map(id).collect())
    }
}

/// Returns the position of the parameter that an opened element names in the signature of the instruction that opens it.
/// The text has only the name.
pub(super) fn opened_param(sig: GenericSig, param: Type) -> Option<usize> {
    let TypeKind::Param { name, .. } = param.kind() else { return None };
    let named = sig.data().params.iter().position(|p| p.name == *name);
    named.or_else(|| if name.as_str().starts_with('τ') { position(sig, param) } else { None })
}

/// Returns a type with opened elements replaced by the pack elements at a position; `None` if it is not known.
fn in_lane(cx: &FunctionVerifier<'_>, ty: Type, lanes: usize, lane: usize) -> Option<Type> {
    if let TypeKind::OpenedElement { id, interface } = ty.kind() {
        let opening = *cx.cached(|| Openings::new(cx)).0.get(id)?;
        let opening = cx.body.view_as::<OpenPackElement<'_>>(opening)?;
        let param = match interface.kind() {
            TypeKind::PackElement(param) => *param,
            _ => return None,
        };
        let at = opened_param(opening.sig?, param)?;
        let argument = opening.subs.iter().nth(at)?;
        let elements = elements(argument).filter(|elements| elements.len() == lanes)?;
        return elements.get(lane).map(|&element| pattern(element));
    }
    let mut is_known = true;
    let ty = ty.map(&mut |part| {
        in_lane(cx, part, lanes, lane).unwrap_or_else(|| {
            is_known = false;
            part
        })
    });
    is_known.then_some(ty)
}

/// Returns true if two types definitely differ, such as a declared type and a pack element.
fn are_different(cx: &FunctionVerifier<'_>, a: Type, b: Type) -> bool {
    let (a, b) = (resolved(cx, a), resolved(cx, b));
    let is_declared = |ty: Type| declared(cx, ty).is_some();
    match (a.kind(), b.kind()) {
        (TypeKind::PackElement(x), TypeKind::PackElement(y)) => x != y && !params_may_meet(cx),
        (TypeKind::PackElement(_), TypeKind::Named(_)) => is_declared(b) && !params_may_meet(cx),
        (TypeKind::Named(_), TypeKind::PackElement(_)) => is_declared(a) && !params_may_meet(cx),
        (TypeKind::Named(x), TypeKind::Named(y))
            if x.name == y.name && x.parent == y.parent && x.args.len() == y.args.len() =>
        {
            is_declared(a) && x.args.iter().zip(&y.args).any(|(&x, &y)| are_different(cx, x, y))
        }
        _ => same(cx, a, b) == Some(false),
    }
}

/// Checks that the index of a `scalar_pack_index` refers to an existing element that is not an expansion.
fn scalar(cx: &FunctionVerifier<'_>, inst: Inst) {
    let (Some(ty), Some(index)) = (sil_type(cx, inst, "type"), cx.body.word(inst, "index")) else { return };
    let Some(parts) = elements(ty.ty()) else { return };
    let (message, help) = match parts.get(index as usize) {
        None => (format!("`{ty}` has {} elements, and no element {index}", parts.len()), None),
        Some(part) if is_expansion(*part) => (
            format!("element {index} of `{ty}` is an expansion"),
            Some("index it with `pack_pack_index` and `dynamic_pack_index`"),
        ),
        Some(_) => return,
    };
    let finding = cx.finding(&PACK_INDEX, Place::Inst(inst), message);
    cx.report(match help {
        Some(help) => finding.note(help),
        None => finding,
    });
}

/// Checks that a `pack_pack_index` refers to a slice with the same shape as the inner index's pack.
fn slice(cx: &FunctionVerifier<'_>, inst: Inst) {
    let (Some(ty), Some(start)) = (sil_type(cx, inst, "type"), cx.body.word(inst, "start")) else { return };
    let Some(parts) = elements(ty.ty()) else { return };
    let Some((inner, _, slice)) = index_of(cx, inst, 0) else { return };
    let start = start as usize;
    if parts.get(start..start + slice.len()).is_some_and(|rest| same_shape(cx, rest, &slice)) {
        return;
    }
    let message =
        format!("`{ty}` has no slice of {} elements at {start} in the shape of the inner index", slice.len());
    cx.report(
        cx.finding(&PACK_INDEX, Place::Inst(inst), message)
            .also(Place::Inst(inner), "the inner index is created here"),
    );
}
