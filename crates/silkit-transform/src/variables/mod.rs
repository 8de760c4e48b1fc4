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

pub mod variable_names;

use crate::values::destroy::field_ref;
use silkit_base::Symbol;
use silkit_ir::instructions::{AllocStack, AnyInst, DebugValue};
use silkit_ir::{
    Body, DebugExpr, DebugVar, DebugVarData, DeclRef, Inst, Loc, LocData, NONE, Point, SourceLoc, Value,
};
use silkit_pass::FunctionContext;
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

/// Returns a compiler-generated location in the debug scope of an instruction.
pub fn compiler_generated(body: &mut Body, inst: Inst) -> Loc {
    match body.loc(body.inst(inst).loc) {
        Some(LocData { scope, .. }) => {
            body.edit().new_loc(LocData { source: Some(SourceLoc::NOWHERE), scope })
        }
        None => Loc::NONE,
    }
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
    // Only variables with names have types.
    let ty = old.ty.or(old.name.map(|_| whole));
    DebugVarData { ty, expr: expr.into(), ..old.clone() }.intern()
}

/// Describes the variables that have the value of a struct, a tuple or a literal without it, before the instruction that
/// makes it is removed.
///
/// ```text
/// %1 = struct $S (%0)
/// debug_value %1, let, name "x"  →  debug_value %0, let, name "x", type $S, expr op_fragment:#S.i
/// ```
///
/// ```text
/// %0 = integer_literal $Builtin.Int64, 4
/// debug_value %0, let, name "x"  →  debug_value undef : $Builtin.Int64, let, name "x", expr op_constu:4
/// ```
pub fn keep_value(cx: &mut FunctionContext<'_>, inst: Inst) {
    let body = cx.body();
    let Some(result) = body.first_result(inst) else { return };
    let whole = body.value(result).ty;
    let variables: Vec<(Loc, DebugValue)> = body
        .users(result)
        .filter_map(|user| Some((body.inst(user).loc, body.view_as::<DebugValue>(user)?)))
        .filter(|(_, variable)| variable.var.is_some())
        .collect();
    if variables.is_empty() {
        return;
    }
    let operands = body.operands(inst).iter().map(|operand| operand.value);
    let described: Vec<(Value, Description)> = match body.view(inst) {
        AnyInst::Struct(_) => {
            let declarations = cx.declarations();
            let Some(decl) = declarations.nominal_of(whole.ty()) else { return };
            let fields = decl.body.fields.iter().map(|field| field_ref(declarations, whole.ty(), field.name));
            operands.zip(fields.map(|field| Description::Part(VariablePart::Field(field)))).collect()
        }
        AnyInst::Tuple(_) => operands
            .enumerate()
            .map(|(index, value)| (value, Description::Part(VariablePart::Element(index))))
            .collect(),
        AnyInst::IntegerLiteral(literal) => {
            let number = whole.integer_width().and_then(|bits| constant(literal.value, bits));
            number.map(|expr| (Value::NONE, Description::Constant(expr))).into_iter().collect()
        }
        _ => return,
    };
    let mut builder = cx.at(Point::Before(inst));
    for (loc, variable) in variables {
        builder.set_default_loc(loc);
        for (value, description) in &described {
            let var = variable.var.map(|var| match description {
                Description::Part(of) => part(var, whole, of),
                Description::Constant(number) => {
                    let old = DebugVarData::of(var);
                    let expr = number.iter().chain(old.expr.iter()).copied().collect();
                    DebugVarData { expr, ..old.clone() }.intern()
                }
            });
            let operand = if value.is_some() { *value } else { builder.undef(whole) };
            builder.build(DebugValue { operand, var, ..variable });
        }
    }
}

/// How a variable is described by a value that is not its whole value.
enum Description {
    Part(VariablePart),
    Constant([DebugExpr; 2]),
}

/// Returns the expression of a number with this many bits, if debug information can express it. As in the reference, the
/// operand of `op_consts` has no more bits than the number: `op_consts:255` is -1 of `Builtin.Int8`.
fn constant(number: Symbol, bits: u32) -> Option<[DebugExpr; 2]> {
    let number: i128 = number.as_str().parse().ok()?;
    let (op, number) = match number < 0 {
        true if bits > 64 => return None,
        true => ("op_consts", i128::from((number & ((1 << bits) - 1)) as i64)),
        false => ("op_constu", i128::from(u64::try_from(number).ok()?)),
    };
    Some([DebugExpr::Op(Symbol::new(op)), DebugExpr::Int(Symbol::new(&number.to_string()))])
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
