//! Pack indices against packs, by structural type matching.

use super::facts::{is_settled, operand, same, sil_type};
use crate::context::FunctionContext;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::RuleId;
use silkit_ir::{Inst, Opcode, ValueDef};
use silkit_types::{SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&PACK_INDEX, &PACK_ELEMENT];

static PACK_INDEX: Rule = Rule {
    id: RuleId::new("SIL0350"),
    name: "PackIndex",
    summary: "A pack index is made for packs of the shape that it is used with",
    details: "\
`scalar_pack_index` names one element that is no expansion, `pack_pack_index` a slice of the same shape as its inner pack,
`dynamic_pack_index` an element that is known at run time. Nothing checks an index when the program runs.",
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
        ],
        pack_index,
    ),
};

static PACK_ELEMENT: Rule = Rule {
    id: RuleId::new("SIL0351"),
    name: "PackElement",
    summary: "A projected element has the type of the pack at the index",
    details: "\
It is an address where the pack is indirect, as packs are unless they are `@direct`. Under a dynamic index every element
that may be meant must have the type.",
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
    check: Check::With("SIL0350"),
};

fn pack_index(cx: &FunctionContext<'_>, inst: Inst) {
    match cx.body.inst(inst).opcode {
        Opcode::ScalarPackIndex => scalar(cx, inst),
        Opcode::PackPackIndex => slice(cx, inst),
        _ => projection(cx, inst),
    }
}

/// Returns the elements of a pack or of a tuple.
fn elements(ty: Type) -> Option<Vec<Type>> {
    match ty.kind() {
        TypeKind::Pack { elements, .. } => Some(elements.to_vec()),
        TypeKind::Tuple(elements) => Some(elements.iter().map(|e| e.ty).collect()),
        _ => None,
    }
}

fn is_expansion(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::PackExpansion(_))
}

/// Returns true if two packs have as many elements, expansions at the same places.
fn same_shape(a: &[Type], b: &[Type]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&x, &y)| is_expansion(x) == is_expansion(y))
}

/// Returns the instruction that makes an index, with the elements of the pack that it indexes.
fn index_of(cx: &FunctionContext<'_>, inst: Inst, operand: usize) -> Option<(Inst, Opcode, Vec<Type>)> {
    let value = cx.body.operands(inst).get(operand)?.value;
    let ValueDef::Result(index, _) = cx.body.def(value) else { return None };
    Some((index, cx.body.inst(index).opcode, elements(sil_type(cx, index, "type")?.ty())?))
}

/// The element that an instruction projects has the type that the pack has there.
fn projection(cx: &FunctionContext<'_>, inst: Inst) {
    // `pack_element_set` names the element before the index, the others the index first.
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
        let is_index = |inst: Inst| {
            let opcode = cx.body.inst(inst).opcode;
            matches!(opcode, Opcode::ScalarPackIndex | Opcode::PackPackIndex | Opcode::DynamicPackIndex)
        };
        if cx.body.defining_inst(value).is_some_and(|at| !is_index(at)) {
            let message = format!("`{}` is not made by a pack indexing instruction", cx.value(value));
            cx.report(cx.finding(&PACK_INDEX, at_index, message).also(Place::Value(value), "created here"));
        }
        return;
    };
    if !same_shape(&parts, &indexed) {
        let message = format!("`{}` is an index for packs of another shape than `{pack}`", cx.value(value));
        cx.report(
            cx.finding(&PACK_INDEX, at_index, message).also(Place::Value(value), "the index is made here"),
        );
        return;
    }
    matches_at(cx, inst, (index, opcode), &parts, element);
}

/// Slices of slices go less deep.
const MAX_SLICES: usize = 64;

/// Follows the index to the element of the pack.
fn matches_at(
    cx: &FunctionContext<'_>,
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
                            .also(Place::Inst(index), "the index is made here"),
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
            _ => return at_any(cx, inst, parts, element),
        }
    }
}

/// Under a dynamic index all elements must have the projected type, but for what was opened.
fn at_any(cx: &FunctionContext<'_>, inst: Inst, parts: &[Type], element: SilType) {
    if !is_settled(cx, element.ty()) {
        cx.unknown(&PACK_ELEMENT, Place::Inst(inst), || format!("`{element}` is an opened element"));
        return;
    }
    let differs = |p: &&Type| !is_expansion(**p) && same(cx, **p, element.ty()) == Some(false);
    if let Some(part) = parts.iter().find(differs) {
        let message = format!("a dynamic index may reach `{part}`, but `{}` is projected", element.ty());
        cx.report(cx.finding(&PACK_ELEMENT, Place::Inst(inst), message));
    }
}

/// `scalar_pack_index` names an element that is there and no expansion.
fn scalar(cx: &FunctionContext<'_>, inst: Inst) {
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

/// `pack_pack_index` names a slice of the same shape as the pack of the index in it.
fn slice(cx: &FunctionContext<'_>, inst: Inst) {
    let (Some(ty), Some(start)) = (sil_type(cx, inst, "type"), cx.body.word(inst, "start")) else { return };
    let Some(parts) = elements(ty.ty()) else { return };
    let Some((inner, _, slice)) = index_of(cx, inst, 0) else { return };
    let start = start as usize;
    if parts.get(start..start + slice.len()).is_some_and(|rest| same_shape(rest, &slice)) {
        return;
    }
    let message =
        format!("`{ty}` has no slice of {} elements at {start} in the shape of the inner index", slice.len());
    cx.report(
        cx.finding(&PACK_INDEX, Place::Inst(inst), message)
            .also(Place::Inst(inner), "the inner index is made here"),
    );
}
