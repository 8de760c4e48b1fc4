//! `cse`, `high-level-cse`: replaces a computation by an identical one that dominates it.
//!
//! ```text
//! sil @f : $@convention(thin) (Int) -> Builtin.Int64 {
//! bb0(%0 : $Int):
//!   %1 = struct_extract %0, #Int._value
//!   %2 = struct_extract %0, #Int._value
//!   %3 = builtin "add_Int64"(%1, %2) : $Builtin.Int64
//!   return %3
//! }
//! ---
//! sil @f : $@convention(thin) (Int) -> Builtin.Int64 {
//! bb0(%0 : $Int):
//!   %1 = struct_extract %0, #Int._value
//!   %2 = builtin "add_Int64"(%1, %1) : $Builtin.Int64
//!   return %2
//! }
//! ```
//!
//! The blocks are visited in preorder of the dominator tree. Instructions that are dead, or equal to an existing value, are
//! removed; each other one is looked up by its shape and operands. Calls are included if the callee has no side effects,
//! or if it is the getter of a lazy property; in high-level SIL, also array queries.

mod existential_calls;
mod lazy_getters;
mod redundancy;
mod replacement;

use redundancy::Redundancy;
use replacement::Replacement;
use silkit_analysis::{ArrayCall, ArrayCallKind, BodyView, Dominators, side_effects};
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::conventions::ArgumentConvention;
use silkit_ir::effects::Effects;
use silkit_ir::instructions::{Builtin, MarkDependence};
use silkit_ir::{Body, Inst, InstShape, Opcode, Ownership, SpecialPurpose, Value, with_opened_id};
use silkit_pass::{FunctionContext, Pass};
use silkit_transform::{replace_borrowed, replace_owned};
use silkit_types::TypeKind;

pub(super) const PASS: Pass<'static> = Pass::function("cse", "Eliminates common subexpressions", &low_level);

/// The same pass, for use before calls with semantics are inlined.
pub(super) const HIGH_LEVEL: Pass<'static> = Pass::function(
    "high-level-cse",
    "Eliminates common subexpressions and redundant array semantics calls",
    &high_level,
);

fn low_level(cx: &mut FunctionContext<'_>) {
    run(cx, false);
}

fn high_level(cx: &mut FunctionContext<'_>) {
    run(cx, true);
}

type Key = (InstShape, Box<[Value]>);

fn run(cx: &mut FunctionContext<'_>, is_high_level: bool) {
    // The control flow does not change, so that the tree stays valid.
    let dominators = cx.get::<Dominators>().detach(cx.body());
    let mut available: FxHashMap<Key, Vec<Inst>> = FxHashMap::default();
    let mut getters = Vec::new();
    for block in dominators.preorder() {
        let mut next = cx.body().first_inst(block);
        while let Some(inst) = next {
            next = following(cx.body(), inst);
            if let Some(redundancy) = Redundancy::of(&cx.view(), inst) {
                if !cx.may_change() {
                    return;
                }
                redundancy.remove(cx, inst);
            } else if is_handled(&cx.view(), inst, is_high_level) {
                let known = available.entry(key(&cx.view(), inst)).or_default();
                // In preorder, a block that does not dominate this block dominates no later block.
                while known
                    .last()
                    .is_some_and(|&other| !dominators.dominates(cx.body().inst_block(other), block))
                {
                    known.pop();
                }
                match known.last() {
                    None => known.push(inst),
                    Some(_) if !is_high_level && lazy_getters::getter(&cx.view(), inst).is_some() => {
                        getters.push(inst);
                    }
                    Some(&other) => replace(cx, inst, other),
                }
            }
        }
    }
    existential_calls::run(cx, &dominators);
    // Inlining changes the control flow.
    lazy_getters::inline(cx, getters);
}

/// Returns the next instruction that does not only name a result of an instruction or end its access: it may be removed
/// with it.
fn following(body: &Body, inst: Inst) -> Option<Inst> {
    let is_own = |&next: &Inst| {
        matches!(body.inst(next).opcode, Opcode::DebugValue | Opcode::EndAccess)
            && body.defining_inst(body.operand_value(next, 0)) == Some(inst)
    };
    std::iter::successors(body.next_inst(inst), |&next| body.next_inst(next)).find(|next| !is_own(next))
}

/// Replaces an instruction by an identical one.
fn replace(cx: &mut FunctionContext<'_>, inst: Inst, other: Inst) {
    let Some(replacement) = Replacement::of(&cx.view(), inst, other) else { return };
    if !cx.may_change() {
        return;
    }
    match (cx.body().first_result(inst), cx.body().first_result(other)) {
        _ if cx.body().inst(inst).opcode == Opcode::OpenExistentialRef => {
            let mut editor = cx.edit();
            editor.merge_opened(inst, other);
            editor.remove(inst);
        }
        (Some(_), Some(value)) if replacement == Replacement::Borrowed => {
            replace_borrowed::replace(cx, inst, value);
        }
        (Some(_), Some(value)) if replacement == Replacement::Copied => {
            replace_owned::replace(cx, inst, value);
        }
        (Some(_), Some(value)) => cx.edit().replace(inst, value),
        _ => cx.edit().remove(inst),
    }
    cx.count("computations replaced", 1);
}

/// Returns the hash key of an instruction. The message of a `cond_fail` is ignored, the id of an opened type, promises
/// about the alignment of memory and that it does not change, and borrows, copies and moves of the operands of queries.
fn key(view: &BodyView<'_>, inst: Inst) -> Key {
    let body = view.body;
    let shape = || body.shape(inst).without_flags(&["immutable", "invariant"]);
    let operands = body.operands(inst).iter().map(|operand| operand.value);
    match body.inst(inst).opcode {
        Opcode::CondFail | Opcode::PointerToAddress => (shape().without_attributes(), operands.collect()),
        Opcode::OpenExistentialRef => {
            let without_id = |ty| match body.opened_id(inst) {
                Some(id) => with_opened_id(ty, id, Symbol::new("")),
                None => ty,
            };
            let shape = body.shape(inst).without_attributes().with_result_types(without_id);
            (shape, operands.collect())
        }
        // As in the reference, the base only counts by its owner if nothing escapes.
        Opcode::MarkDependence if may_escape(body, inst) => {
            let value = body.look_through_ownership(body.operand_value(inst, 0));
            (body.shape(inst), std::iter::once(value).chain(operands.skip(1)).collect())
        }
        opcode if is_owning(opcode) || looks_through(opcode) => {
            (shape(), operands.map(|value| body.look_through_ownership(value)).collect())
        }
        _ => (shape(), operands.collect()),
    }
}

/// Returns true if values derived from the result of a `mark_dependence` may escape.
fn may_escape(body: &Body, inst: Inst) -> bool {
    body.view_as::<MarkDependence>(inst).is_some_and(|dependence| dependence.kind.is_none())
}

/// Returns true if instructions with one owner of their operands are identical, although the operands are different
/// borrows or copies.
fn looks_through(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Apply
            | Opcode::ClassifyBridgeObject
            | Opcode::ExistentialMetatype
            | Opcode::RefElementAddr
            | Opcode::RefTailAddr
            | Opcode::SelectEnum
            | Opcode::StructExtract
            | Opcode::TupleExtract
            | Opcode::ValueMetatype
    )
}

/// Returns true if an instruction can be replaced by an identical one although its result is owned.
fn is_owning(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::BridgeObjectToRef
            | Opcode::Enum
            | Opcode::MarkDependence
            | Opcode::RefToBridgeObject
            | Opcode::Struct
            | Opcode::Tuple
            | Opcode::UncheckedEnumData
            | Opcode::UncheckedRefCast
            | Opcode::Upcast
    )
}

/// Returns true if an instruction can be replaced by an identical one with the same operands.
fn is_handled(view: &BodyView<'_>, inst: Inst, is_high_level: bool) -> bool {
    let body = view.body;
    match body.inst(inst).opcode {
        Opcode::Apply if is_high_level => {
            !view.behavior().may_read_or_write(inst) || is_array_query(view, inst)
        }
        Opcode::Apply => {
            is_known_call(view, inst)
                || is_pure_call(view, inst)
                || lazy_getters::getter(view, inst).is_some()
        }
        Opcode::Builtin if body.view_as::<Builtin<'_>>(inst).is_some_and(|b| b.name == "once") => true,
        Opcode::Builtin if body.results(inst).all(|value| matches!(body.value(value).ty.ty().kind(), TypeKind::Tuple(elements) if elements.is_empty())) => false,
        Opcode::Builtin => {
            let behavior = view.behavior();
            !behavior.may_read_or_write(inst) && !behavior.may_have_side_effects(inst)
        }
        Opcode::CondFail => true,
        Opcode::OpenExistentialRef => !view.function.has_ossa(),
        Opcode::ExistentialMetatype => !body.value(body.operand_value(inst, 0)).ty.is_address(),
        Opcode::BridgeObjectToRef
        | Opcode::BridgeObjectToWord
        | Opcode::ClassMethod
        | Opcode::ClassifyBridgeObject
        | Opcode::FunctionRef
        | Opcode::AddressToPointer
        | Opcode::Enum
        | Opcode::FloatLiteral
        | Opcode::GlobalAddr
        | Opcode::IndexAddr
        | Opcode::IndexRawPointer
        | Opcode::InitExistentialMetatype
        | Opcode::IntegerLiteral
        | Opcode::MarkDependence
        | Opcode::Metatype
        | Opcode::ObjCMethod
        | Opcode::ObjCProtocol
        | Opcode::ObjCSuperMethod
        | Opcode::ObjCToThickMetatype
        | Opcode::ObjCMetatypeToObject
        | Opcode::ObjCExistentialMetatypeToObject
        | Opcode::OpenExistentialMetatype
        | Opcode::PointerToAddress
        | Opcode::ProjectBox
        | Opcode::RawPointerToRef
        | Opcode::RefElementAddr
        | Opcode::RefTailAddr
        | Opcode::RefToBridgeObject
        | Opcode::RefToRawPointer
        | Opcode::RefToUnmanaged
        | Opcode::RefToUnowned
        | Opcode::ScalarPackIndex
        | Opcode::SelectEnum
        | Opcode::StringLiteral
        | Opcode::Struct
        | Opcode::StructElementAddr
        | Opcode::StructExtract
        | Opcode::SuperMethod
        | Opcode::ThickToObjCMetatype
        | Opcode::Tuple
        | Opcode::TupleElementAddr
        | Opcode::TupleExtract
        | Opcode::TypeValue
        | Opcode::UncheckedAddrCast
        | Opcode::UncheckedBitwiseCast
        | Opcode::UncheckedEnumData
        | Opcode::UncheckedRefCast
        | Opcode::UncheckedTrivialBitCast
        | Opcode::UnmanagedToRef
        | Opcode::UnownedToRef
        | Opcode::Upcast
        | Opcode::ValueMetatype
        | Opcode::ValueToBridgeObject
        | Opcode::WitnessMethod => is_owning(body.inst(inst).opcode) || !is_owned(view, inst),
        _ => false,
    }
}

/// Returns true if the result of an instruction is owned, so that it has one lifetime end.
fn is_owned(view: &BodyView<'_>, inst: Inst) -> bool {
    let ownership = view.ownership();
    view.function.has_ossa()
        && view.body.results(inst).any(|value| ownership.value(value) == Some(Ownership::Owned))
}

/// Returns true if repeated calls of a callee are known to return the same: by an attribute, or because it is an
/// addressor.
fn is_known_call(view: &BodyView<'_>, call: Inst) -> bool {
    let callee = view.body.called_function(call).and_then(|name| view.program.function(name));
    let is_addressor =
        callee.is_some_and(|callee| callee.attributes.purpose == Some(SpecialPurpose::GlobalInit));
    is_addressor || !view.behavior().may_read_or_write(call)
}

/// Returns true if a call has no side effects, by the computed effects of all possible callees, and no owned results.
fn is_pure_call(view: &BodyView<'_>, call: Inst) -> bool {
    let body = view.body;
    let Some(site) = view.apply_site(call) else { return false };
    let owns = |value: Value| {
        view.declarations().is_trivial(body.value(value).ty.ty(), view.signature()) != Some(true)
    };
    let is_result = |index: usize| {
        matches!(
            site.convention_of_applied(index),
            Some(ArgumentConvention::Out | ArgumentConvention::PackOut)
        )
    };
    let Some(callees) = view.program.callees(body, site.callee()) else { return false };
    let changes = Effects::MEMORY | Effects::DESTROY | Effects::ALLOCATE;
    let effects = |&callee: &_| {
        let declared = side_effects::declared_effects(&view.program.module.functions[callee]);
        view.effects(callee).side.as_ref().map_or(declared, |side| side.all())
    };
    !body.results(call).any(owns)
        && !(0..site.applied_count()).any(is_result)
        && callees.iter().all(|callee| !effects(callee).intersects(changes))
}

/// Returns true if a call queries an immutable property of an array that it only borrows.
fn is_array_query(view: &BodyView<'_>, call: Inst) -> bool {
    use ArrayCallKind as K;
    let Some(query) = ArrayCall::of(view, call) else { return false };
    matches!(query.kind, K::GetCount | K::GetCapacity | K::CheckIndex | K::CheckSubscript)
        && query.borrows_array(view)
}
