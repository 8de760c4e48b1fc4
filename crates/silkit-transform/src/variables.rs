//! Salvaging of debug variables from instructions that are about to be removed.
//!
//! Keeping the variable at a store that will be removed:
//!
//! ```text
//!   %1 = alloc_stack $Builtin.Int64, var, name "x"
//!   store %0 to [trivial] %1
//! ---
//!   %1 = alloc_stack $Builtin.Int64, var, name "x"
//!   debug_value %0, var, name "x"
//!   store %0 to [trivial] %1
//! ```

use silkit_base::Symbol;
use silkit_ir::instructions::{AllocStack, DebugValue};
use silkit_ir::{
    Body, DebugExpr, DebugVar, DebugVarData, DeclRef, Inst, Loc, LocData, NONE, Point, SourceLoc, Value,
};
use silkit_types::SilType;
use silkit_types::decl::Declarations;

/// Returns the location of an instruction, marked as auto-generated.
pub fn auto_generated(body: &mut Body, inst: Inst) -> Loc {
    let loc = body.inst(inst).loc;
    let Some(data) = body.loc(loc) else { return loc };
    let source = data.source.map(|source| SourceLoc { is_auto: true, ..source });
    if source == data.source {
        return loc;
    }
    body.edit().new_loc(LocData { source, ..data })
}

/// A part of the value of a variable.
#[derive(Clone, Copy, Debug)]
pub enum VariablePart {
    /// A stored property of a struct.
    Field(DeclRef),
    /// An element of a tuple.
    Element(usize),
}

/// Returns the debug variable for a part of a variable, whose whole value has the type `whole`.
///
/// | variable | its part |
/// |---|---|
/// | `let, name "x"` | `let, name "x", type $Int, expr op_fragment:#Int._value` |
/// | `var, name "y"` | `var, name "y", type $(Int, Int), expr op_tuple_fragment:$(Int, Int):0` |
pub fn part(var: DebugVar, whole: SilType, part: &VariablePart) -> DebugVar {
    let old = DebugVarData::of(var);
    let whole = whole.to_object();
    let mut expr = old.expr.to_vec();
    match *part {
        VariablePart::Field(field) => {
            expr.extend([DebugExpr::Op(Symbol::new("op_fragment")), DebugExpr::Decl(field)]);
        }
        VariablePart::Element(index) => expr.extend([
            DebugExpr::Op(Symbol::new("op_tuple_fragment")),
            DebugExpr::Type(whole.ty()),
            DebugExpr::Int(Symbol::new(&index.to_string())),
        ]),
    }
    DebugVarData { ty: old.ty.or(Some(whole)), expr: expr.into(), ..old.clone() }.intern()
}

/// The debug variables of an address: those in memory or in a borrow stored to it.
#[derive(Debug, Default)]
pub struct StoredVariables {
    /// The variable of the allocation itself.
    own: Option<(Loc, DebugValue)>,
    others: Vec<(Loc, DebugValue)>,
}

impl StoredVariables {
    /// Returns the variables of an allocation.
    pub fn of(body: &Body, allocation: Inst) -> Self {
        let mut own = None;
        if let Some(AllocStack { var: Some(var), .. }) = body.view_as(allocation) {
            let variable = DebugValue { var: Some(var), ..DebugValue::new(Value::NONE) };
            own = Some((body.inst(allocation).loc, variable));
        }
        let others = body.results(allocation).flat_map(|address| at_address(body, address)).collect();
        Self { own, others }
    }
}

/// Returns the variables of an address, newest use first.
fn at_address(body: &Body, address: Value) -> impl Iterator<Item = (Loc, DebugValue)> + '_ {
    body.users(address).filter_map(|user| {
        let variable = body.view_as::<DebugValue>(user)?;
        Some((body.inst(user).loc, DebugValue { var: variable.var.map(without_dereference), ..variable }))
    })
}

/// Records before a store is removed that all variables of the memory have the stored value from here on. The new
/// instructions have the location of the store; the variables keep their locations and scopes.
pub fn keep_stored(
    body: &mut Body,
    declarations: &Declarations,
    store: Inst,
    source: Value,
    variables: &StoredVariables,
) {
    let mut found: Vec<(Loc, DebugValue)> = variables.own.into_iter().collect();
    let others = variables.others.iter().copied();
    let borrowed = body.results(store).flat_map(|address| at_address(body, address));
    found.extend(others.chain(borrowed).map(|(loc, variable)| {
        (loc, DebugValue { trace: false, moveable_value_debuginfo: false, ..variable })
    }));
    let at = body.loc(body.inst(store).loc);
    let placed: Vec<(LocData, DebugValue)> = found
        .into_iter()
        .map(|(loc, variable)| {
            let own = body.loc(loc);
            let source_loc = at.and_then(|at| at.source);
            let loc = LocData { source: source_loc, scope: own.map_or(NONE, |own| own.scope) };
            let own = own.and_then(|own| own.source).filter(|own| Some(*own) != source_loc);
            let var = variable.var.map(|var| located(var, own));
            (loc, DebugValue { operand: source, var, ..variable })
        })
        .collect();
    for (loc, variable) in placed {
        let loc = body.edit().new_loc(loc);
        let mut builder = body.builder(declarations);
        builder.move_to(Point::Before(store));
        builder.set_default_loc(loc);
        builder.build(variable);
    }
}

/// Returns a variable with a location of its own, unless it has one.
fn located(var: DebugVar, loc: Option<SourceLoc>) -> DebugVar {
    let data = DebugVarData::of(var);
    match loc {
        Some(_) if data.loc.is_none() => DebugVarData { loc, parenthesized: true, ..data.clone() }.intern(),
        _ => var,
    }
}

/// Returns a variable in memory as a variable whose value is the operand.
fn without_dereference(var: DebugVar) -> DebugVar {
    let data = DebugVarData::of(var);
    match data.expr.split_first() {
        Some((DebugExpr::Op(first), rest)) if *first == "op_deref" => {
            DebugVarData { expr: rest.into(), ..data.clone() }.intern()
        }
        _ => var,
    }
}
