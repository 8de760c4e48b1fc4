//! Casts that revert other casts, and casts whose result is only retained and released.

use silkit_ir::{Body, Inst, Opcode, Value};

/// Returns true if an instruction retains or releases a reference, whatever its type.
pub(super) fn is_counting(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::StrongRetain | Opcode::StrongRelease)
}

/// Returns the operand of a reference cast or of an `end_cow_mutation` whose result is used, and only by instructions of
/// some kind.
pub(super) fn operand_used_as(body: &Body, inst: Inst, is_use: impl Fn(Opcode) -> bool) -> Option<Value> {
    let is_cast = matches!(
        body.inst(inst).opcode,
        Opcode::EndCOWMutation | Opcode::UncheckedRefCast | Opcode::UnconditionalCheckedCast | Opcode::Upcast
    );
    let result = body.first_result(inst)?;
    let is_used_so = || body.is_used(result) && body.users(result).all(|user| is_use(body.inst(user).opcode));
    (is_cast && is_used_so()).then(|| body.operand_value(inst, 0))
}

/// Returns the original value of a cast that reverts another cast, or the operand of a cast to its own type.
pub(super) fn cast_back(body: &Body, inst: Inst) -> Option<Value> {
    let opcode = body.inst(inst).opcode;
    let inverses: &[Opcode] = match opcode {
        Opcode::Upcast => &[Opcode::UncheckedRefCast],
        Opcode::UnconditionalCheckedCast => &[Opcode::Upcast],
        Opcode::UncheckedRefCast => &[Opcode::Upcast, Opcode::UncheckedRefCast],
        Opcode::UncheckedAddrCast => &[Opcode::UncheckedAddrCast],
        Opcode::UncheckedTrivialBitCast => &[Opcode::UncheckedTrivialBitCast],
        Opcode::UncheckedBitwiseCast => &[Opcode::UncheckedBitwiseCast],
        Opcode::AddressToPointer => &[Opcode::PointerToAddress],
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
