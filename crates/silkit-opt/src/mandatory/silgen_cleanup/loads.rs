//! Splitting of loads of which only parts are used.
//!
//! ```text
//! %1 = load [trivial] %0           →  %1 = struct_element_addr %0, #S.x
//! %2 = struct_extract %1, #S.x        %2 = load [trivial] %1
//! ```

use super::unused::remove_source;
use silkit_base::Symbol;
use silkit_ir::instructions::{
    AnyInst, DebugValue, Load, LoadBorrow, LoadQualifier, StructExtract, TupleExtract,
};
use silkit_ir::{Body, Builder, DebugExpr, DebugVarData, DeclRef, Inst, Opcode, Point, Value};
use silkit_pass::FunctionContext;

/// A part of an aggregate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Property(DeclRef),
    Element(u32),
}

/// The uses of a loaded aggregate.
#[derive(Default)]
struct Uses {
    /// The extracted parts, in use order, each with the instruction that extracts it.
    extracts: Vec<(Part, Inst)>,
    /// Borrows of a copy, and their ends.
    borrows: Vec<Inst>,
    /// The ends of the lifetime of the loaded value.
    ends: Vec<Inst>,
    variables: Vec<Inst>,
}

/// Replaces a load by loads of the used parts, if the aggregate has no other uses. Raw SIL keeps a load of which no part is
/// used: diagnostic passes look at it. Returns the new loads in their order.
pub(super) fn split(cx: &mut FunctionContext<'_>, load: Inst, keeps_variables: bool) -> Vec<Inst> {
    let body = cx.body();
    let Some(address) = loaded_address(body, load) else { return Vec::new() };
    let Some(uses) = uses(body, load) else { return Vec::new() };
    let is_kept = uses.extracts.is_empty() && cx.view().program.module.is_raw();
    if is_kept || !cx.may_change() {
        return Vec::new();
    }
    let source = cx.body().defining_inst(address);
    let parts = parts(cx, address, &uses);
    let made: Vec<Inst> =
        parts.into_iter().flat_map(|part| load_part(cx, load, address, part, &uses)).collect();
    if keeps_variables {
        uses.variables.iter().for_each(|&variable| keep(cx, load, address, variable));
    }
    let to_remove = uses.variables.iter().chain(&uses.ends).chain(uses.borrows.iter().rev()).chain([&load]);
    let to_remove: Vec<Inst> = to_remove.copied().collect();
    let mut editor = cx.edit();
    to_remove.into_iter().for_each(|inst| editor.remove(inst));
    remove_source(cx, source, keeps_variables);
    cx.count("loads split", 1);
    made
}

fn loaded_address(body: &Body, load: Inst) -> Option<Value> {
    match body.view(load) {
        AnyInst::Load(load) if load.qualifier != Some(LoadQualifier::Take) => Some(load.address),
        AnyInst::LoadBorrow(load) => Some(load.address),
        _ => None,
    }
}

/// Returns the uses of a loaded value; `None` if it is used as a whole.
fn uses(body: &Body, load: Inst) -> Option<Uses> {
    let mut uses = Uses::default();
    let value = body.first_result(load)?;
    let is_copy = is_copy(body, load);
    for user in body.users(value) {
        match body.view(user) {
            AnyInst::StructExtract(_) | AnyInst::TupleExtract(_) if !is_copy => {
                uses.extracts.push((extracted(body, user)?, user));
            }
            AnyInst::BeginBorrow(_) if is_copy => borrowed(body, user, &mut uses)?,
            AnyInst::DebugValue(_) => uses.variables.push(user),
            AnyInst::EndBorrow(_) | AnyInst::DestroyValue(_) => uses.ends.push(user),
            _ => return None,
        }
    }
    Some(uses)
}

/// Adds a borrow of a copy. As in the reference, a part must be extracted from it, and nothing else.
fn borrowed(body: &Body, borrow: Inst, uses: &mut Uses) -> Option<()> {
    let mut extract = None;
    uses.borrows.push(borrow);
    for user in body.users(body.first_result(borrow)?) {
        match body.view(user) {
            AnyInst::EndBorrow(_) => uses.borrows.push(user),
            _ if extract.is_some() => return None,
            _ => extract = Some((extracted(body, user)?, user)),
        }
    }
    uses.extracts.push(extract?);
    Some(())
}

/// Returns the part that an instruction extracts.
fn extracted(body: &Body, inst: Inst) -> Option<Part> {
    match body.view(inst) {
        AnyInst::StructExtract(StructExtract { field, .. }) => Some(Part::Property(field)),
        AnyInst::TupleExtract(TupleExtract { field, .. }) => Some(Part::Element(field)),
        _ => None,
    }
}

fn is_copy(body: &Body, load: Inst) -> bool {
    body.view_as::<Load>(load).is_some_and(|load| load.qualifier == Some(LoadQualifier::Copy))
}

/// Returns the used parts without duplicates, in declaration order.
fn parts(cx: &FunctionContext<'_>, address: Value, uses: &Uses) -> Vec<Part> {
    let ty = cx.body().value(address).ty.ty();
    let mut parts: Vec<Part> = Vec::new();
    for &(part, _) in &uses.extracts {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.sort_by_key(|part| match *part {
        Part::Property(field) => {
            field.name().and_then(|name| cx.declarations().field_index(ty, name)).unwrap_or(0)
        }
        Part::Element(index) => index,
    });
    parts
}

/// Loads one part, ends its lifetime at the ends of the aggregate, and replaces the extracted values. Returns the load and
/// the borrows of a copy.
fn load_part(cx: &mut FunctionContext<'_>, load: Inst, address: Value, part: Part, uses: &Uses) -> Vec<Inst> {
    let is_borrow = cx.body().inst(load).opcode == Opcode::LoadBorrow;
    let sig = cx.view().signature();
    let has_ossa = cx.function().has_ossa();
    let declarations = cx.declarations();
    let mut builder = cx.at(Point::Before(load));
    let place = match part {
        Part::Property(field) => builder.struct_element_addr(address, field),
        Part::Element(index) => builder.tuple_element_addr(address, index),
    };
    let is_trivial = declarations.is_trivial(builder.value(place).ty.ty(), sig) == Some(true);
    let value = match (is_trivial, is_borrow) {
        _ if !has_ossa => builder.build(Load::new(place)),
        (true, _) => builder.build(Load { qualifier: Some(LoadQualifier::Trivial), ..Load::new(place) }),
        (_, true) => builder.build(LoadBorrow::new(place)),
        (..) => builder.build(Load { qualifier: Some(LoadQualifier::Copy), ..Load::new(place) }),
    };
    if !is_trivial {
        for &end in &uses.ends {
            builder.move_to(Point::Before(end));
            match is_borrow {
                true => _ = builder.end_borrow(value),
                false => _ = builder.destroy_value(value),
            }
        }
    }
    let mut made = vec![value];
    for &(_, extract) in uses.extracts.iter().filter(|(of, _)| *of == part) {
        let replacement = match is_trivial || uses.borrows.is_empty() {
            true => value,
            false => borrow_part(&mut builder, extract, value),
        };
        if replacement != value {
            made.push(replacement);
        }
        builder.replace(extract, replacement);
    }
    made.into_iter().filter_map(|value| builder.body().defining_inst(value)).collect()
}

/// Borrows the copy of a part where the aggregate was borrowed to extract it.
fn borrow_part(builder: &mut Builder<'_>, extract: Inst, part: Value) -> Value {
    let body = builder.body();
    let aggregate = body.operand_value(extract, 0);
    let Some(borrow) = body.defining_inst(aggregate) else { return part };
    let is_end = |&user: &Inst| body.inst(user).opcode == Opcode::EndBorrow;
    let ends: Vec<Inst> = body.users(aggregate).filter(is_end).collect();
    builder.move_to(Point::Before(borrow));
    let borrowed = builder.begin_borrow(part);
    for end in ends {
        builder.move_to(Point::Before(end));
        builder.end_borrow(borrowed);
    }
    borrowed
}

/// Changes a debug variable to refer to the memory that the aggregate was loaded from.
fn keep(cx: &mut FunctionContext<'_>, load: Inst, address: Value, variable: Inst) {
    let Some(value) = cx.body().view_as::<DebugValue>(variable) else { return };
    let loc = cx.body().inst(variable).loc;
    let is_stack = cx
        .body()
        .defining_inst(address)
        .is_some_and(|inst| cx.body().inst(inst).opcode == Opcode::AllocStack);
    let var = match is_stack {
        true => value.var,
        false => {
            let data = value.var.map(|var| DebugVarData::of(var).clone()).unwrap_or_default();
            let deref = DebugExpr::Op(Symbol::new("op_deref"));
            let expr = std::iter::once(deref).chain(data.expr.iter().copied()).collect();
            Some(DebugVarData { expr, ..data }.intern())
        }
    };
    let mut builder = cx.at(Point::Before(load));
    builder.set_default_loc(loc);
    // An address is not poisoned.
    builder.build(DebugValue { operand: address, var, poison: false, ..value });
}
