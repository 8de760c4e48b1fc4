//! Rewriting of the uses of an allocation.

use super::uses::is_projection;
use silkit_ir::instructions::{
    AllocStack, BeginBorrow, Load, LoadQualifier, MoveValue, StoreBorrow, StructElementAddr,
    TupleElementAddr, UncheckedAddrCast,
};
use silkit_ir::{ArgFlags, Body, Inst, Opcode, Ownership, Point, Value, ValueDef};
use silkit_pass::FunctionContext;
use silkit_pass::options;
use silkit_transform::{destroy, forwarded_ownership, variables};
use silkit_types::{GenericSig, SilType};

/// An allocation that is being promoted.
pub(super) struct Slot {
    pub(super) allocation: Inst,
    /// Its address.
    pub(super) address: Value,
    /// The type of its values.
    pub(super) ty: SilType,
    pub(super) sig: Option<GenericSig>,
    pub(super) has_ossa: bool,
    is_lexical: bool,
    is_dynamic: bool,
    /// True if its values are trivial; `None` if it is not known.
    pub(super) is_trivial: Option<bool>,
    /// True if stored values must have a lexical lifetime.
    pub(super) has_lifetime: bool,
}

/// The content of an allocation at a point.
#[derive(Clone, Copy)]
pub(super) struct Content {
    /// The stored value.
    pub(super) stored: Option<Value>,
    /// The value that replaces it, if different: one with a lexical lifetime, or the result of a load.
    scope: Option<Value>,
}

impl Content {
    /// Creates the content for a value without a replacement.
    pub(super) fn as_is(value: Value) -> Self {
        Self { stored: None, scope: Some(value) }
    }

    /// Returns the content with another stored value.
    pub(super) fn with_stored(self, stored: Value) -> Self {
        Self { stored: self.stored.map(|_| stored), ..self }
    }

    /// Returns the value that replaces loads.
    pub(super) fn value(self) -> Option<Value> {
        self.scope.or(self.stored)
    }

    /// Returns the borrow that was created for a lexical lifetime.
    pub(super) fn borrow(self) -> Option<Value> {
        self.scope.filter(|_| self.stored.is_some())
    }
}

impl Slot {
    pub(super) fn new(cx: &FunctionContext<'_>, allocation: Inst) -> Self {
        let body = cx.body();
        let sig = cx.function().ty.ty().as_function().and_then(|f| f.sig);
        let (address, ty, is_lexical, is_dynamic) = match body.view_as::<AllocStack>(allocation) {
            Some(alloc) => {
                let address = body.first_result(allocation).unwrap_or(Value::NONE);
                (address, alloc.ty.to_object(), alloc.lexical, alloc.dynamic_lifetime)
            }
            None => (Value::NONE, SilType::unknown(), false, false),
        };
        let has_ossa = cx.function().has_ossa();
        let is_trivial = cx.declarations().is_trivial(ty.ty(), sig);
        let has_lifetime = has_ossa && is_lexical && is_trivial != Some(true);
        Self { allocation, address, ty, sig, has_ossa, is_lexical, is_dynamic, is_trivial, has_lifetime }
    }

    /// Returns true if the type is address-only.
    pub(super) fn is_address_only(&self, cx: &FunctionContext<'_>) -> bool {
        cx.declarations().is_address_only(self.ty.ty(), self.sig) == Some(true)
    }

    /// Returns true if this kind of memory can be promoted: values that are initialized on some paths only stay in
    /// memory.
    pub(super) fn may_be_promoted(&self, _: &FunctionContext<'_>) -> bool {
        self.address.is_some() && !(self.is_dynamic && self.has_ossa && self.is_trivial != Some(true))
    }

    /// Returns true if a stored value gets a lexical lifetime.
    fn gives_lifetime(&self, cx: &FunctionContext<'_>, value: Value) -> bool {
        self.has_lifetime && ownership(cx, value) != Some(Ownership::None)
    }
}

/// Returns the current ownership of a value.
pub(super) fn ownership(cx: &FunctionContext<'_>, value: Value) -> Option<Ownership> {
    cx.ownership().value(value)
}

/// Returns the content of an allocation after a `store`.
pub(super) fn after_store(cx: &mut FunctionContext<'_>, slot: &Slot, store: Inst, source: Value) -> Content {
    if !slot.gives_lifetime(cx, source) {
        return Content { stored: Some(source), scope: None };
    }
    let loc = variables::auto_generated(cx.body_mut(), store);
    let mut builder = cx.at(Point::After(store));
    builder.set_default_loc(loc);
    let moved = builder.build(MoveValue { lexical: true, ..MoveValue::new(source) });
    Content { stored: Some(source), scope: Some(moved) }
}

/// Returns the content of an allocation after a `store_borrow`.
pub(super) fn after_store_borrow(
    cx: &mut FunctionContext<'_>,
    slot: &Slot,
    store: Inst,
    source: Value,
) -> Content {
    if !slot.gives_lifetime(cx, source) || is_lexical_borrow(cx, source) {
        return Content { stored: Some(source), scope: None };
    }
    let loc = variables::auto_generated(cx.body_mut(), store);
    let mut builder = cx.at(Point::After(store));
    builder.set_default_loc(loc);
    let borrow = builder.build(BeginBorrow { lexical: true, ..BeginBorrow::new(source) });
    Content { stored: Some(source), scope: Some(borrow) }
}

/// Ends the borrow that a `store_borrow` became, at the end of the stored borrow.
pub(super) fn end_borrow(cx: &mut FunctionContext<'_>, content: Content, end: Inst) {
    let Some(borrow) = content.borrow() else { return };
    let loc = variables::auto_generated(cx.body_mut(), end);
    let mut builder = cx.at(Point::Before(end));
    builder.set_default_loc(loc);
    builder.end_borrow(borrow);
}

/// Returns true if a guaranteed value has a lexical lifetime.
fn is_lexical_borrow(cx: &FunctionContext<'_>, value: Value) -> bool {
    let body = cx.body();
    if ownership(cx, value) != Some(Ownership::Guaranteed) {
        return false;
    }
    match body.def(value) {
        ValueDef::Argument(block, _) if body.is_entry_block(block) => {
            let flags = body.value(value).arg_flags;
            let sig = cx.view().signature();
            let is_lexical = cx.declarations().is_lexical(body.value(value).ty.ty(), sig) != Some(false);
            flags.contains(ArgFlags::LEXICAL) || (is_lexical && !flags.contains(ArgFlags::EAGER_MOVE))
        }
        ValueDef::Argument(..) => body.value(value).arg_flags.contains(ArgFlags::LEXICAL),
        ValueDef::Result(..) => body.def_as::<BeginBorrow>(value).is_some_and(|borrow| borrow.lexical),
        _ => false,
    }
}

/// Returns the address operand of a load, projection or borrow.
fn base(body: &Body, inst: Inst) -> Option<Value> {
    match body.view_as::<StoreBorrow>(inst) {
        Some(store) => Some(store.destination),
        None => body.operands(inst).first().map(|o| o.value),
    }
}

/// Replaces a load from an allocation by its content.
pub(super) fn replace_load(cx: &mut FunctionContext<'_>, slot: &Slot, load: Inst, content: Value) {
    let body = cx.body();
    let mut path = Vec::new();
    let mut at = base(body, load);
    while let Some(address) = at.filter(|&a| a != slot.address) {
        let Some(inst) = body.defining_inst(address) else { break };
        if is_projection(body, inst) {
            path.push(inst);
        }
        at = base(body, inst);
    }
    let mut value = content;
    let mut borrows = Vec::new();
    for projection in path.into_iter().rev() {
        value = project(cx, load, projection, value, &mut borrows);
    }
    let is_copy = match cx.body().view_as::<Load>(load).and_then(|load| load.qualifier) {
        Some(LoadQualifier::Copy) => true,
        // A borrowed value cannot be taken.
        Some(LoadQualifier::Take) => ownership(cx, value) == Some(Ownership::Guaranteed),
        _ => false,
    };
    let result = match cx.body().inst(load).opcode {
        Opcode::LoadBorrow => borrow(cx, slot, load, value),
        _ if is_copy => {
            let mut builder = cx.at(Point::Before(load));
            builder.copy_value(value)
        }
        _ => value,
    };
    let loc = variables::compiler_generated(cx.body_mut(), load);
    let mut builder = cx.at(Point::Before(load));
    builder.set_default_loc(loc);
    for borrow in borrows.into_iter().rev() {
        builder.end_borrow(borrow);
    }
    let address = base(cx.body(), load);
    if let Some(loaded) = cx.body().first_result(load) {
        let context = cx.ownership_context();
        forwarded_ownership::replace_all_uses(&mut cx.edit(), context, loaded, result);
    }
    cx.edit().remove(load);
    remove_dead(cx, slot, address);
}

/// Returns the part of a value that corresponds to an address projection.
fn project(
    cx: &mut FunctionContext<'_>,
    load: Inst,
    projection: Inst,
    whole: Value,
    borrows: &mut Vec<Value>,
) -> Value {
    let mut whole = whole;
    let is_cast = cx.body().inst(projection).opcode == Opcode::UncheckedAddrCast;
    let has_ossa = cx.function().has_ossa();
    if !is_cast && has_ossa && ownership(cx, whole) == Some(Ownership::Owned) {
        let mut builder = cx.at(Point::Before(load));
        whole = builder.begin_borrow(whole);
        borrows.push(whole);
    }
    let body = cx.body();
    let field = body.view_as::<StructElementAddr>(projection).map(|p| p.field);
    let index = body.view_as::<TupleElementAddr>(projection).map(|p| p.field);
    let cast = body.view_as::<UncheckedAddrCast>(projection).map(|p| p.ty.to_object());
    let part = body.first_result(projection).map(|v| body.value(v).ty.to_object());
    let mut builder = cx.at(Point::Before(load));
    let result = match (field, index, cast) {
        (Some(field), ..) => builder.struct_extract(whole, field),
        (_, Some(index), _) => builder.tuple_extract(whole, index),
        (.., Some(ty)) => builder.unchecked_bitwise_cast(whole, ty),
        _ => whole,
    };
    if let Some(ty) = part.filter(|_| builder.value(result).ty.is_unknown()) {
        builder.set_type(result, ty);
    }
    result
}

/// Returns the value that replaces a `load_borrow`. Its ends are kept or removed with it.
fn borrow(cx: &mut FunctionContext<'_>, slot: &Slot, load: Inst, value: Value) -> Value {
    let is_lent = ownership(cx, value) == Some(Ownership::Guaranteed);
    if slot.has_lifetime && is_lent {
        let ends: Vec<Inst> = cx.body().scope_ends(load).collect();
        for end in ends {
            cx.edit().remove(end);
        }
        return value;
    }
    let mut builder = cx.at(Point::Before(load));
    builder.build(BeginBorrow { lexical: slot.is_lexical, ..BeginBorrow::new(value) })
}

/// Removes projections that became unused, up to the allocation.
pub(super) fn remove_dead(cx: &mut FunctionContext<'_>, slot: &Slot, address: Option<Value>) {
    let mut at = address;
    while let Some(address) = at.filter(|&a| a != slot.address && !cx.body().is_used(a)) {
        let Some(inst) = cx.body().defining_inst(address) else { return };
        if !is_projection(cx.body(), inst) {
            return;
        }
        at = base(cx.body(), inst);
        cx.edit().remove(inst);
    }
}

/// Replaces a `destroy_addr` of an allocation by a destroy of its content.
pub(super) fn replace_destroy(cx: &mut FunctionContext<'_>, slot: &Slot, destroy: Inst, content: Value) {
    let declarations = cx.declarations();
    let ty = slot.ty.ty();
    let is_expanded = destroy::is_expanded(declarations, ty, slot.sig)
        && !(cx.options().is_on(options::LIBRARY_EVOLUTION) && destroy::is_hidden(declarations, ty));
    let (sig, has_ossa) = (slot.sig, slot.has_ossa);
    let mut builder = cx.at(Point::Before(destroy));
    destroy::destroy(&mut builder, content, declarations, sig, has_ossa, is_expanded);
    cx.edit().remove(destroy);
}
