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

use crate::values::counting::Counting;
use crate::{lifetime::replace_borrowed, lifetime::replace_owned};
use casts::cast_back;
use silkit_analysis::BodyView;
use silkit_base::Symbol;
use silkit_ir::instructions::{
    AnyInst, BeginAccess, Enum, IntegerLiteral, RawPointerToRef, Struct, StructExtract, SwitchEnum, Tuple,
    TupleExtract, UncheckedEnumData,
};
use silkit_ir::{Body, DeclRef, Inst, Opcode, Ownership, Value, ValueDef};
use silkit_pass::FunctionContext;

/// An existing value that can replace the result of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simplified {
    /// It is equal and lives as long, or only its type differs and the result is only counted.
    Value(Value),
    /// It is equal to the borrowed result, but may end earlier.
    Borrowed(Value),
    /// It is equal to the owned result, or the operand of a cast that is only destroyed, but may be consumed earlier.
    Owned(Value),
    /// It is the owned value whose bits the unowned result copies. It may be consumed earlier.
    Unowned(Value),
}

impl Simplified {
    /// Returns the value that can replace the result of an instruction, if the lifetimes allow the replacement.
    pub fn of(view: &BodyView<'_>, inst: Inst) -> Option<Self> {
        let result = view.body.first_result(inst)?;
        simplified(view, inst).filter(|simplified| match *simplified {
            Self::Value(_) => true,
            Self::Borrowed(value) => replace_borrowed::can_be_replaced(view, result, value),
            Self::Unowned(_) => replace_borrowed::has_simple_uses(view, result),
            Self::Owned(value) => replace_owned::can_be_replaced(view, result, value),
        })
    }

    /// Replaces the instruction. A value that may end earlier is copied.
    pub fn replace(self, cx: &mut FunctionContext<'_>, inst: Inst) {
        match self {
            Self::Value(value) => cx.edit().replace(inst, value),
            Self::Borrowed(value) => replace_borrowed::replace(cx, inst, value),
            Self::Owned(value) => replace_owned::replace(cx, inst, value),
            Self::Unowned(value) => replace_borrowed::replace_unowned(cx, inst, value),
        }
    }
}

/// Returns an existing value that can replace the result of an instruction. In OSSA, values without ownership replace each
/// other and, in canonical SIL, a guaranteed argument of the function replaces borrowed values.
pub fn simplified(view: &BodyView<'_>, inst: Inst) -> Option<Simplified> {
    let body = view.body;
    let result = body.first_result(inst)?;
    let is_same = |value: &Value| *value != result && body.value(*value).ty == body.value(result).ty;
    let same = || same_value(view, inst).filter(is_same);
    if !view.function.has_ossa() {
        let is_reference = |&value: &Value| {
            Counting::of(view.declarations(), body.value(value).ty, view.signature()) == Counting::Strong
        };
        let counted = || casts::operand_used_as(body, inst, casts::is_counting).filter(is_reference);
        return same().or_else(counted).map(Simplified::Value);
    }
    let ownership = view.ownership();
    let of_result = ownership.value(result)?;
    let value = match of_result {
        Ownership::Owned => {
            same().or_else(|| casts::operand_used_as(body, inst, |opcode| opcode == Opcode::DestroyValue))
        }
        _ => same(),
    }?;
    match (of_result, ownership.value(value)?) {
        (Ownership::None, Ownership::None) => Some(Simplified::Value(value)),
        (Ownership::Unowned, Ownership::Unowned) => Some(Simplified::Value(value)),
        (Ownership::Unowned, Ownership::Guaranteed) if body.entry_arguments().contains(&value) => {
            Some(Simplified::Value(value))
        }
        (Ownership::Unowned, Ownership::Owned) => {
            (!view.program.module.is_raw()).then_some(Simplified::Unowned(value))
        }
        (Ownership::Guaranteed, Ownership::Guaranteed) if body.entry_arguments().contains(&value) => {
            (!view.program.module.is_raw()).then_some(Simplified::Value(value))
        }
        (Ownership::Guaranteed, Ownership::Guaranteed | Ownership::Owned) => {
            Some(Simplified::Borrowed(value))
        }
        (Ownership::Owned, Ownership::Owned | Ownership::Guaranteed) => Some(Simplified::Owned(value)),
        _ => None,
    }
}

/// Returns the base of an access that only begins and ends.
pub fn base_of_dead_access(body: &Body, inst: Inst) -> Option<Value> {
    let access: BeginAccess = body.view_as(inst)?;
    let is_end = |user: Inst| {
        matches!(body.inst(user).opcode, Opcode::EndAccess | Opcode::DebugValue | Opcode::FixLifetime)
    };
    body.users(body.first_result(inst)?).all(is_end).then_some(access.address)
}

/// Returns true if an instruction does nothing: a `cond_fail` that never fails, or the end of a value without ownership.
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
        // A borrow that was stored to memory ends through its address, and an abandoned coroutine by its token.
        AnyInst::EndBorrow(end) => {
            let is_token = || {
                let def = body.defining_inst(end.operand);
                def.is_some_and(|def| body.inst(def).opcode == Opcode::BeginApply)
            };
            view.ownership().value(end.operand) == Some(Ownership::None)
                && !view.ty(end.operand).is_address()
                && !is_token()
        }
        _ => false,
    }
}

fn is_literal(body: &Body, value: Value, number: &str) -> bool {
    body.def_as::<IntegerLiteral>(value).is_some_and(|literal| literal.value == number)
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
            view.declarations().only_other_case(body.value(switch.operand).ty.ty(), &listed)?
        }
        _ => return None,
    };
    (made.element.name() == Some(case) && to_block.next().is_none()).then_some(switch.operand)
}
