//! Simplification of instructions to existing values.
//!
//! `%2` is equal to `%0`:
//!
//! ```text
//!   %1 = struct $Int (%0)
//!   %2 = struct_extract %1, #Int._value
//! ---
//! bb0.1:struct_extract is %0
//! ```

mod builtins;
mod casts;

use crate::counting::Counting;
use casts::cast_back;
use silkit_analysis::BodyView;
use silkit_base::Symbol;
use silkit_ir::instructions::{
    AnyInst, BeginAccess, Enum, IntegerLiteral, RawPointerToRef, Struct, StructExtract, SwitchEnum, Tuple,
    TupleExtract, UncheckedEnumData,
};
use silkit_ir::{Body, DeclRef, Inst, Opcode, Ownership, Value, ValueDef};

/// Returns an existing value that can replace the result of an instruction: an equal value of the same type, or the
/// operand of a cast whose result is only retained and released. In OSSA, only values without ownership and, in canonical
/// SIL, guaranteed values with the scope of the result are considered.
pub fn simplified(view: &BodyView<'_>, inst: Inst) -> Option<Value> {
    let body = view.body;
    let result = body.first_result(inst)?;
    let is_same = |value: &Value| *value != result && body.value(*value).ty == body.value(result).ty;
    if !view.function.has_ossa() {
        let is_reference = |&value: &Value| {
            Counting::of(view.declarations(), body.value(value).ty, view.signature()) == Counting::Strong
        };
        return same_value(view, inst)
            .filter(is_same)
            .or_else(|| casts::operand_used_as(body, inst, casts::is_counting).filter(is_reference));
    }
    let ownership = view.ownership();
    let value = same_value(view, inst).filter(is_same)?;
    let can_replace = match ownership.value(result)? {
        Ownership::None => ownership.value(value) == Some(Ownership::None),
        Ownership::Guaranteed => {
            !view.program.module.is_raw()
                && ownership.value(value) == Some(Ownership::Guaranteed)
                && is_forwarded(body, inst)
        }
        _ => false,
    };
    can_replace.then_some(value)
}

/// Returns true if no borrow or copy separates the operand of an instruction from its definition.
fn is_forwarded(body: &Body, inst: Inst) -> bool {
    body.operands(inst)
        .first()
        .is_none_or(|operand| body.look_through_ownership(operand.value) == operand.value)
}

/// Returns the base of an access that only begins and ends.
pub fn base_of_dead_access(body: &Body, inst: Inst) -> Option<Value> {
    let access: BeginAccess = body.view_as(inst)?;
    let is_end = |user: Inst| {
        matches!(body.inst(user).opcode, Opcode::EndAccess | Opcode::DebugValue | Opcode::FixLifetime)
    };
    body.users(body.first_result(inst)?).all(is_end).then_some(access.address)
}

/// Returns true if an instruction does nothing: a `cond_fail` that never fails, or a destroy of a value without ownership.
pub fn does_nothing(view: &BodyView<'_>, inst: Inst) -> bool {
    let body = view.body;
    match body.view(inst) {
        AnyInst::CondFail(check) => is_literal(body, check.condition, "0"),
        // The deinitializer of a noncopyable value runs even if its parts have no ownership.
        AnyInst::DestroyValue(destroy) => {
            view.ownership().value(destroy.operand) == Some(Ownership::None)
                && view.declarations().is_move_only(view.ty(destroy.operand).ty(), view.signature())
                    == Some(false)
        }
        _ => false,
    }
}

fn is_literal(body: &Body, value: Value, number: &str) -> bool {
    body.def_as::<IntegerLiteral>(value).is_some_and(|literal| literal.value == number)
}

/// Returns an existing value of the same type that is equal to the borrowed result of an instruction, but may end
/// earlier.
pub fn simplified_borrow(view: &BodyView<'_>, inst: Inst) -> Option<Value> {
    let body = view.body;
    let result = body.first_result(inst)?;
    if !view.function.has_ossa() || view.ownership().value(result) != Some(Ownership::Guaranteed) {
        return None;
    }
    let value = same_value(view, inst)?;
    let is_same = value != result && body.value(value).ty == body.value(result).ty;
    (is_same && view.ownership().value(value) == Some(Ownership::Owned)).then_some(value)
}

/// Returns an existing value that can replace the owned result of an instruction, but may be consumed earlier: an equal
/// value, or the operand of a cast whose result is only destroyed.
pub fn simplified_owned(view: &BodyView<'_>, inst: Inst) -> Option<Value> {
    let body = view.body;
    let result = body.first_result(inst)?;
    let ownership = view.ownership();
    if !view.function.has_ossa() || ownership.value(result) != Some(Ownership::Owned) {
        return None;
    }
    let is_same = |value: &Value| *value != result && body.value(*value).ty == body.value(result).ty;
    let is_destroy = |opcode| opcode == Opcode::DestroyValue;
    let value =
        same_value(view, inst).filter(is_same).or_else(|| casts::operand_used_as(body, inst, is_destroy))?;
    matches!(ownership.value(value), Some(Ownership::Owned | Ownership::Guaranteed)).then_some(value)
}

fn same_value(view: &BodyView<'_>, inst: Inst) -> Option<Value> {
    let body = view.body;
    match body.view(inst) {
        AnyInst::Struct(whole) => same_parts(body, inst, whole.elements.iter(), |part, index| {
            let extract: StructExtract = body.def_as(part)?;
            let at = view
                .declarations()
                .field_index(body.value(extract.operand).ty.ty(), extract.field.name()?)?;
            (at as usize == index).then_some(extract.operand)
        }),
        AnyInst::Tuple(whole) => same_parts(body, inst, whole.elements.iter(), |part, index| {
            let extract: TupleExtract = body.def_as(part)?;
            (extract.field as usize == index).then_some(extract.operand)
        }),
        AnyInst::StructExtract(extract) => {
            let whole: Struct = body.def_as(body.look_through_ownership(extract.operand))?;
            let ty = body.value(extract.operand).ty.ty();
            let index = view.declarations().field_index(ty, extract.field.name()?)?;
            whole.elements.iter().nth(index as usize)
        }
        AnyInst::TupleExtract(extract) => {
            match body.def_as::<Tuple>(body.look_through_ownership(extract.operand)) {
                Some(whole) => whole.elements.iter().nth(extract.field as usize),
                None if extract.field == 0 => builtins::known_result(body, extract.operand),
                None => None,
            }
        }
        AnyInst::Enum(made) => enumeration(view, inst, made),
        AnyInst::SelectEnum(select) => {
            let made: Enum = body.def_as(select.operand)?;
            // The default has no case.
            let is_it = |case: &Option<DeclRef>| case.is_none_or(|case| case == made.element);
            let position = select.cases.iter().position(|case| is_it(&case))?;
            select.values.iter().nth(position)
        }
        AnyInst::RefToRawPointer(cast) => {
            body.def_as::<RawPointerToRef>(cast.operand).map(|from| from.operand)
        }
        AnyInst::Builtin(_) => builtins::same_value(body, inst),
        _ => cast_back(body, inst),
    }
}

/// Returns the aggregate whose parts an instruction recombines in their original order.
fn same_parts(
    body: &Body,
    inst: Inst,
    parts: impl ExactSizeIterator<Item = Value>,
    whole_of: impl Fn(Value, usize) -> Option<Value>,
) -> Option<Value> {
    let ty = body.value(body.first_result(inst)?).ty;
    let mut whole = None;
    for (index, part) in parts.enumerate() {
        let of = whole_of(part, index).filter(|&of| body.value(of).ty == ty)?;
        if whole.is_some_and(|known| known != of) {
            return None;
        }
        whole = Some(of);
    }
    whole
}

/// Returns the enum that an instruction recreates: the payload was extracted from it, or a `switch_enum` on it leads
/// to the block of the instruction for the same case, with the payload as argument.
fn enumeration(view: &BodyView<'_>, inst: Inst, made: Enum) -> Option<Value> {
    let body = view.body;
    let block = body.inst_block(inst);
    if let Some(payload) = made.payload
        && !matches!(body.def(payload), ValueDef::Argument(of, _) if of == block)
    {
        let data: UncheckedEnumData = body.def_as(payload)?;
        return (data.element == made.element).then_some(data.operand);
    }
    let terminator = body.terminator(body.single_predecessor(block)?)?;
    let switch: SwitchEnum<'_> = body.view_as(terminator)?;
    let mut to_block = switch.cases.iter().filter(|&(_, to)| to == block).map(|(case, _)| case.name());
    let case = match (to_block.next(), switch.default_target == Some(block)) {
        (Some(case), false) => case?,
        (None, true) => {
            let listed: Vec<Symbol> = switch.cases.iter().filter_map(|(case, _)| case.name()).collect();
            let cases = view.declarations().enum_cases(body.value(switch.operand).ty.ty())?;
            let mut others = cases.iter().map(|case| case.name).filter(|name| !listed.contains(name));
            others.next().filter(|_| others.next().is_none())?
        }
        _ => return None,
    };
    (made.element.name() == Some(case) && to_block.next().is_none()).then_some(switch.operand)
}
