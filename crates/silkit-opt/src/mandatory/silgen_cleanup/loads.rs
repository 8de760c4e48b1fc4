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
use silkit_ir::{Body, DebugExpr, DebugVarData, DeclRef, Inst, Opcode, Point, Value};
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
    let is_kept = uses.extracts.is_empty() && (!uses.borrows.is_empty() || cx.view().program.module.is_raw());
    if is_kept || !cx.may_change() {
        return Vec::new();
    }
    let source = cx.body().defining_inst(address);
    let parts = parts(cx, address, &uses);
    let loads = parts.into_iter().map(|part| load_part(cx, load, address, part, &uses)).collect();
    if keeps_variables {
        uses.variables.iter().for_each(|&variable| keep(cx, load, address, variable));
    }
    let doomed = uses.variables.iter().chain(&uses.ends).chain(uses.borrows.iter().rev()).chain([&load]);
    let doomed: Vec<Inst> = doomed.copied().collect();
    let mut editor = cx.edit();
    doomed.into_iter().for_each(|inst| editor.remove(inst));
    remove_source(cx, source, keeps_variables);
    cx.count("loads split", 1);
    loads
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
    let mut work: Vec<Value> = body.results(load).collect();
    while let Some(value) = work.pop() {
        for user in body.users(value) {
            match body.view(user) {
                AnyInst::StructExtract(StructExtract { field, .. }) => {
                    uses.extracts.push((Part::Property(field), user));
                }
                AnyInst::TupleExtract(TupleExtract { field, .. }) => {
                    uses.extracts.push((Part::Element(field), user));
                }
                AnyInst::DebugValue(_) if body.defining_inst(value) == Some(load) => {
                    uses.variables.push(user)
                }
                AnyInst::BeginBorrow(_) => {
                    uses.borrows.push(user);
                    work.extend(body.results(user));
                }
                AnyInst::EndBorrow(_)
                    if uses.borrows.iter().any(|&b| body.first_result(b) == Some(value)) =>
                {
                    uses.borrows.push(user);
                }
                AnyInst::EndBorrow(_) | AnyInst::DestroyValue(_) => uses.ends.push(user),
                _ => return None,
            }
        }
    }
    Some(uses)
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

/// Loads one part, ends its lifetime at the ends of the aggregate, and replaces the extracted values.
fn load_part(cx: &mut FunctionContext<'_>, load: Inst, address: Value, part: Part, uses: &Uses) -> Inst {
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
    for &(_, extract) in uses.extracts.iter().filter(|(of, _)| *of == part) {
        builder.replace(extract, value);
    }
    builder.body().defining_inst(value).expect("invariant: a load")
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
