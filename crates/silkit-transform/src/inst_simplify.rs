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

use silkit_analysis::BodyView;
use silkit_ir::instructions::{
    AnyInst, Builtin, Enum, IntegerLiteral, RawPointerToRef, Struct, StructExtract, SwitchEnum, Tuple,
    TupleExtract, UncheckedEnumData,
};
use silkit_ir::{Body, DeclRef, Inst, Opcode, Ownership, Value, ValueDef};

/// Returns an existing value of the same type that is equal to the result of an instruction. In OSSA, only values
/// without ownership are considered.
pub fn simplified(view: &BodyView<'_>, inst: Inst) -> Option<Value> {
    let body = view.body;
    let result = body.first_result(inst)?;
    let is_free = |value| !view.function.has_ossa() || view.ownership().value(value) == Some(Ownership::None);
    // A pointer may be used after the end of the scope that the address belongs to.
    let is_pointee = view.function.has_ossa() && body.inst(inst).opcode == Opcode::PointerToAddress;
    if is_pointee || !is_free(result) {
        return None;
    }
    let value = same_value(view, inst).filter(|&value| is_free(value))?;
    (value != result && body.value(value).ty == body.value(result).ty).then_some(value)
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
    let value = same_value(view, inst).filter(is_same).or_else(|| operand_of_dead_cast(body, inst))?;
    matches!(ownership.value(value), Some(Ownership::Owned | Ownership::Guaranteed)).then_some(value)
}

/// Returns the operand of a cast whose result is only destroyed.
fn operand_of_dead_cast(body: &Body, inst: Inst) -> Option<Value> {
    let is_cast = matches!(
        body.inst(inst).opcode,
        Opcode::UncheckedRefCast | Opcode::UnconditionalCheckedCast | Opcode::Upcast
    );
    let is_destroy = |user: Inst| body.inst(user).opcode == Opcode::DestroyValue;
    (is_cast && body.users(body.first_result(inst)?).all(is_destroy)).then(|| body.operand_value(inst, 0))
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
            let whole: Struct = body.def_as(owner(body, extract.operand))?;
            let ty = body.value(extract.operand).ty.ty();
            let index = view.declarations().field_index(ty, extract.field.name()?)?;
            whole.elements.iter().nth(index as usize)
        }
        AnyInst::TupleExtract(extract) => match body.def_as::<Tuple>(owner(body, extract.operand)) {
            Some(whole) => whole.elements.iter().nth(extract.field as usize),
            None if extract.field == 0 => neutral(body, extract.operand),
            None => None,
        },
        AnyInst::Enum(made) => enumeration(body, inst, made),
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
        _ => cast_back(body, inst),
    }
}

/// Returns the value before copies, borrows and moves.
pub fn owner(body: &Body, value: Value) -> Value {
    let mut value = value;
    while let Some(inst) = body.defining_inst(value)
        && matches!(body.inst(inst).opcode, Opcode::BeginBorrow | Opcode::CopyValue | Opcode::MoveValue)
    {
        value = body.operand_value(inst, 0);
    }
    value
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
/// to the block of the payload, or of the instruction, for the same case.
fn enumeration(body: &Body, inst: Inst, made: Enum) -> Option<Value> {
    let block = match (made.payload, made.payload.map(|payload| body.def(payload))) {
        (Some(_), Some(ValueDef::Argument(block, _))) => block,
        (Some(payload), _) => {
            let data: UncheckedEnumData = body.def_as(payload)?;
            return (data.element == made.element).then_some(data.operand);
        }
        _ => body.inst_block(inst),
    };
    let terminator = body.terminator(body.single_predecessor(block)?)?;
    let switch: SwitchEnum<'_> = body.view_as(terminator)?;
    let mut cases = switch.cases.iter().filter(|&(_, to)| to == block);
    let is_only = cases.next().is_some_and(|(case, _)| case == made.element)
        && cases.next().is_none()
        && switch.default_target != Some(block);
    is_only.then_some(switch.operand)
}

/// Returns the operand that is equal to a sum, difference or product because the other operand is zero or one.
fn neutral(body: &Body, sum: Value) -> Option<Value> {
    let builtin: Builtin<'_> = body.def_as(sum)?;
    let (operation, _) = builtin.name.as_str().split_once("_with_overflow")?;
    let mut operands = builtin.args.iter();
    let (first, second) = (operands.next()?, operands.next()?);
    let (neutral, is_commutative) = match operation {
        "sadd" | "uadd" => ("0", true),
        "ssub" | "usub" => ("0", false),
        "smul" | "umul" => ("1", true),
        _ => return None,
    };
    let is_neutral =
        |value| body.def_as::<IntegerLiteral>(value).is_some_and(|literal| literal.value == neutral);
    match (is_neutral(first), is_neutral(second)) {
        (_, true) => Some(first),
        (true, _) if is_commutative => Some(second),
        _ => None,
    }
}

/// Returns the original value of a cast that reverts another cast, or the operand of a cast to its own type.
fn cast_back(body: &Body, inst: Inst) -> Option<Value> {
    let opcode = body.inst(inst).opcode;
    let inverses: &[Opcode] = match opcode {
        Opcode::Upcast => &[Opcode::UncheckedRefCast],
        Opcode::UncheckedRefCast => &[Opcode::Upcast, Opcode::UncheckedRefCast],
        Opcode::UncheckedAddrCast => &[Opcode::UncheckedAddrCast],
        Opcode::UncheckedTrivialBitCast => &[Opcode::UncheckedTrivialBitCast],
        Opcode::UncheckedBitwiseCast => &[Opcode::UncheckedBitwiseCast],
        Opcode::AddressToPointer => &[Opcode::PointerToAddress],
        Opcode::PointerToAddress => &[Opcode::AddressToPointer],
        Opcode::RefToUnowned => &[Opcode::UnownedToRef],
        Opcode::UnownedToRef => &[Opcode::RefToUnowned],
        Opcode::RefToUnmanaged => &[Opcode::UnmanagedToRef],
        Opcode::UnmanagedToRef => &[Opcode::RefToUnmanaged],
        Opcode::ThickToObjCMetatype => &[Opcode::ObjCToThickMetatype],
        Opcode::ObjCToThickMetatype => &[Opcode::ThickToObjCMetatype],
        _ => return None,
    };
    let operand = body.operand_value(inst, 0);
    let ty = body.value(body.first_result(inst)?).ty;
    if inverses.contains(&opcode) && body.value(operand).ty == ty {
        return Some(operand);
    }
    let other = body.defining_inst(operand).filter(|&other| inverses.contains(&body.inst(other).opcode))?;
    Some(body.operand_value(other, 0)).filter(|&value| body.value(value).ty == ty)
}
