//! Replaces loads of constant memory by copies of the static initializer: `let` global variables, and the fields and
//! tail elements of static objects.
//!
//! ```text
//! sil_global [let] @g : $Int = {
//!   %0 = integer_literal $Builtin.Int64, 10
//!   %initval = struct $Int (%0)
//! }
//! %0 = global_addr @g : $*Int
//! %1 = load %0
//! ---
//! %1 = integer_literal $Builtin.Int64, 10
//! %2 = struct $Int (%1)
//! ```

use super::lazy;
use silkit_analysis::access::GlobalInitializer;
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::instructions::{
    AnyInst, Apply, BeginAccess, FunctionRef, GlobalValue, IntegerLiteral, Object, RefTailAddr, Struct, Tuple,
};
use silkit_ir::{Body, Cloner, DeclRef, Global, Inst, Opcode, Point, Value};
use silkit_transform::patterns::Rewriter;

/// The depth of projections that are looked through. Unreachable code may define addresses in terms of each other.
const MAX_PROJECTIONS: u32 = 64;

/// A value of a static initializer.
#[derive(Clone, Copy)]
pub(super) struct Constant<'a> {
    pub(super) body: &'a Body,
    pub(super) value: Value,
}

/// Replaces a load of constant memory by a copy of its value.
pub(super) fn fold(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let address = rw.body().operand_value(inst, 0);
    let Some(loaded) = rw.body().first_result(inst) else { return };
    let Some(constant) = content(rw, address, MAX_PROJECTIONS) else { return };
    let has_type = constant.body.value(constant.value).ty == rw.ty(loaded);
    if !has_type || !can_copy(constant) || !rw.may_change() {
        return;
    }
    let copy = copy_before(rw, inst, constant);
    rw.replace_all_uses(loaded, copy);
    remove_with_address(rw, inst);
}

/// Returns the value that memory always holds, looking through a number of projections.
fn content<'a>(rw: &Rewriter<'_, 'a>, address: Value, limit: u32) -> Option<Constant<'a>> {
    let body = rw.body();
    let limit = limit.checked_sub(1)?;
    match body.view(body.defining_inst(address)?) {
        AnyInst::GlobalAddr(global) => {
            let variable = variable(rw, global.global)?;
            initial_value(variable).or_else(|| lazy::initial_value(rw, variable.name, global.token?))
        }
        AnyInst::PointerToAddress(cast) => initial_value(variable(rw, addressed(rw, cast.operand)?)?),
        AnyInst::BeginAccess(BeginAccess { address, .. }) => content(rw, address, limit),
        AnyInst::StructElementAddr(part) => {
            let Constant { body, value } = content(rw, part.operand, limit)?;
            let value = body
                .def_as::<Struct>(value)?
                .elements
                .iter()
                .nth(rw.field_index(part.operand, part.field)?)?;
            Some(Constant { body, value })
        }
        AnyInst::TupleElementAddr(part) => {
            let Constant { body, value } = content(rw, part.operand, limit)?;
            let value = body.def_as::<Tuple>(value)?.elements.iter().nth(part.field as usize)?;
            Some(Constant { body, value })
        }
        AnyInst::RefElementAddr(part) => field(rw, part.operand, part.field),
        AnyInst::RefTailAddr(tail) => tail_element(rw, tail.operand, 0),
        AnyInst::IndexAddr(element) => {
            let IntegerLiteral { value: index, .. } = body.def_as(element.index)?;
            let RefTailAddr { operand, .. } = body.def_as(element.base)?;
            tail_element(rw, operand, index.as_str().parse().ok()?)
        }
        _ => None,
    }
}

/// Returns a `let` global variable.
fn variable<'a>(rw: &Rewriter<'_, 'a>, name: Symbol) -> Option<&'a Global> {
    rw.program().module.globals.by_key(&name).filter(|global| global.attributes.is_let)
}

/// Returns the value of a static initializer.
fn initial_value(global: &Global) -> Option<Constant<'_>> {
    let body = global.initializer.as_ref()?;
    let value = body.first_result(body.last_inst(body.entry_block()?)?)?;
    Some(Constant { body, value })
}

/// Returns the global variable whose addressor returned a pointer.
fn addressed(rw: &Rewriter<'_, '_>, pointer: Value) -> Option<Symbol> {
    let Apply { callee, .. } = rw.body().def_as(pointer)?;
    let FunctionRef { function, .. } = rw.body().def_as(callee)?;
    match rw.program().global_initializer(function) {
        GlobalInitializer::Of(global) => Some(global),
        _ => None,
    }
}

/// Returns the initial value of a stored property of a static object.
fn field<'a>(rw: &Rewriter<'_, 'a>, reference: Value, field: DeclRef) -> Option<Constant<'a>> {
    let index = rw.field_index(reference, field)?;
    let (body, object) = object(rw, reference)?;
    let value = object.elements.iter().take(base_count(&object)).nth(index)?;
    Some(Constant { body, value })
}

/// Returns the initial value of a tail element of a static object.
fn tail_element<'a>(rw: &Rewriter<'_, 'a>, reference: Value, index: usize) -> Option<Constant<'a>> {
    let (body, object) = object(rw, reference)?;
    let value = object.elements.iter().skip(base_count(&object)).nth(index)?;
    Some(Constant { body, value })
}

/// Returns the number of elements of an object that are not tail elements.
fn base_count(object: &Object<'_>) -> usize {
    object.base_count.map_or(object.elements.len(), |count| count as usize)
}

/// Returns the static object that a reference refers to, with its initializer.
fn object<'a>(rw: &Rewriter<'_, 'a>, reference: Value) -> Option<(&'a Body, Object<'a>)> {
    let body = rw.body();
    let is_passed = |opcode| {
        use Opcode as O;
        matches!(opcode, O::Upcast | O::UncheckedRefCast | O::BeginCOWMutation | O::BeginBorrow)
    };
    let reference = body.look_through(reference, is_passed);
    let GlobalValue { global, .. } = body.def_as(reference)?;
    let Constant { body, value } = initial_value(variable(rw, global)?)?;
    Some((body, body.def_as::<Object<'a>>(value)?))
}

/// Returns true if a value of an initializer can be computed by code.
fn can_copy(Constant { body, value }: Constant<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        let Some(inst) = body.defining_inst(value) else { return false };
        let opcode = body.inst(inst).opcode;
        if !may_be_copied(opcode) && opcode != Opcode::BeginAccess {
            return false;
        }
        if seen.insert(inst) {
            work.extend(body.operands(inst).iter().map(|operand| operand.value));
        }
    }
    true
}

/// Returns true if instructions of a kind compute a constant without effects.
pub(super) fn may_be_copied(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::IntegerLiteral
            | O::FloatLiteral
            | O::StringLiteral
            | O::FunctionRef
            | O::GlobalAddr
            | O::GlobalValue
            | O::AddressToPointer
            | O::Struct
            | O::Tuple
            | O::Enum
            | O::Upcast
            | O::UncheckedRefCast
            | O::ConvertFunction
            | O::ThinToThickFunction
            | O::ValueToBridgeObject
            | O::Metatype
    )
}

/// Copies a value of an initializer, with the instructions that it depends on, and returns the copy.
fn copy_before(rw: &mut Rewriter<'_, '_>, before: Inst, constant: Constant<'_>) -> Value {
    let mut cloner = Cloner::of(constant.body);
    copy_value(rw, before, &mut cloner, constant)
}

fn copy_value(
    rw: &mut Rewriter<'_, '_>,
    before: Inst,
    cloner: &mut Cloner<'_>,
    Constant { body, value }: Constant<'_>,
) -> Value {
    if let Some(copy) = cloner.value(value) {
        return copy;
    }
    let inst = body.defining_inst(value).expect("invariant: an initializer has no arguments");
    if let Some(BeginAccess { address, .. }) = body.view_as(inst) {
        return copy_value(rw, before, cloner, Constant { body, value: address });
    }
    for operand in body.operands(inst) {
        let value = operand.value;
        let copy = copy_value(rw, before, cloner, Constant { body, value });
        cloner.map_value(value, copy);
    }
    let loc = rw.body().inst(before).loc;
    let mut editor = rw.edit();
    let copy = cloner.inst_at(&mut editor, inst, Point::Before(before));
    editor.set_loc(copy, loc);
    rw.body().first_result(copy).expect("invariant: the instruction defines a value")
}

/// Removes a load with the address computation that only it used. This includes a lazy initialization: it is known to
/// have no other effects.
fn remove_with_address(rw: &mut Rewriter<'_, '_>, load: Inst) {
    let mut next = Some(load);
    while let Some(inst) = next {
        let mut results = rw.body().results(inst);
        if results.any(|result| rw.body().is_used(result)) {
            return;
        }
        let operands: Vec<Value> = rw.body().operands(inst).iter().map(|operand| operand.value).collect();
        rw.remove(inst);
        next = match operands[..] {
            [operand] => rw.body().defining_inst(operand).filter(|&inst| rw.body().results(inst).len() == 1),
            _ => None,
        };
    }
}
