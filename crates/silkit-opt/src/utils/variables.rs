//! Keeping what instructions say about variables when they go.

use silkit_ir::instructions::{AllocStack, DebugValue};
use silkit_ir::{Body, DebugExpr, DebugVar, DebugVarData, Inst, Loc, LocData, Point, SourceLoc, Value};
use silkit_types::decl::Declarations;

/// The location of an instruction as that of something that the compiler made there.
pub fn auto_generated(body: &mut Body, inst: Inst) -> Loc {
    let loc = body.inst(inst).loc;
    let Some(data) = body.loc(loc) else { return loc };
    let source = data.source.map(|source| SourceLoc { is_auto: true, ..source });
    if source == data.source {
        return loc;
    }
    body.edit().new_loc(LocData { source, ..data })
}

/// Says at a store to memory that all variables there have the stored value from here on, as the store does by being
/// there: the variable of the allocation, and those that use the address.
pub fn keep_stored(body: &mut Body, declarations: &Declarations, store: Inst, source: Value, memory: Inst) {
    let mut found: Vec<(Loc, DebugValue)> = Vec::new();
    if let Some(AllocStack { var: Some(var), moveable_value_debuginfo, .. }) = body.view_as(memory) {
        let debug_value = DebugValue { var: Some(var), moveable_value_debuginfo, ..DebugValue::new(source) };
        // Arguments have one place; so has what the compiler stored.
        let loc = body.inst(store).loc;
        let is_auto = body.loc(loc).and_then(|l| l.source).is_some_and(|s| s.is_auto);
        let is_fixed = is_auto || DebugVarData::of(var).argno.is_some();
        found.push((if is_fixed { body.inst(memory).loc } else { loc }, debug_value));
    }
    for address in body.results(memory).chain(body.results(store)) {
        for user in body.users(address) {
            let Some(variable) = body.view_as::<DebugValue>(user) else { continue };
            let var = variable.var.map(without_dereference);
            found.push((body.inst(user).loc, DebugValue { var, operand: source, trace: false, ..variable }));
        }
    }
    let mut builder = body.builder(declarations);
    for (loc, variable) in found {
        builder.move_to(Point::Before(store));
        builder.set_default_loc(loc);
        builder.build(variable);
    }
}

/// A variable that is where an address leads, as one that is a value.
fn without_dereference(var: DebugVar) -> DebugVar {
    let data = DebugVarData::of(var);
    match data.expr.split_first() {
        Some((DebugExpr::Op(first), rest)) if *first == "op_deref" => {
            DebugVarData { expr: rest.into(), ..data.clone() }.intern()
        }
        _ => var,
    }
}
