//! Rules for debug variables that several instructions describe, and for debug expressions.

use super::facts::{operand, same};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, FxHashSet, Interned};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::AttrKind;
use silkit_ir::{DebugExpr, DebugVarData, Inst, NONE, Opcode};
use silkit_types::{Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&DEBUG_ARGUMENT, &DEBUG_EXPRESSION];

static DEBUG_ARGUMENT: Rule = Rule {
    id: RuleId::new("SIL0376"),
    name: "DebugArgument",
    severity: Severity::Error,
    summary: "An argument number belongs to one variable of one type",
    details: "\
`argno 1` says that the variable is the first argument of the Swift function. All instructions that
describe it give it the same name and type. Variables of inlined functions are not compared, nor those of
compiler output, which may leave out the scopes that tell inlined code.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int64, Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64, %1 : $Builtin.Int64):
  debug_value %0, let, name \"a\", argno 1
  debug_value %1, let, name \"b\", argno 1
  %4 = tuple ()
  return %4
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int64, Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64, %1 : $Builtin.Int64):
  debug_value %0, let, name \"a\", argno 1
  debug_value %1, let, name \"b\", argno 2
  %4 = tuple ()
  return %4
}
",
    check: Check::Body(debug_argument),
};

/// Returns the variable that an instruction describes.
fn variable<'a>(cx: &FunctionVerifier<'a>, inst: Inst) -> Option<&'a DebugVarData> {
    let at = cx.body.info(inst).attrs.iter().position(|attr| attr.kind == AttrKind::DebugVar)?;
    let word = cx.body.words(inst).get(at).filter(|&&word| word != NONE)?;
    Some(DebugVarData::of(Interned::from_u32(*word)))
}

/// Returns the type of a variable; `None` if it cannot be compared.
fn type_of(cx: &FunctionVerifier<'_>, inst: Inst, variable: &DebugVarData) -> Option<Type> {
    let ty = match variable.ty {
        Some(stated) => stated,
        None if variable.expr.iter().any(|op| !matches!(op, DebugExpr::Op(name) if name == "op_deref")) => {
            return None;
        }
        None => match cx.body.first_result(inst) {
            Some(allocated) => cx.body.value(allocated).ty,
            None => operand(cx, inst, 0),
        },
    };
    match ty.ty().kind() {
        _ if ty.is_unknown() => None,
        TypeKind::MoveOnly(inner) => Some(*inner),
        _ => Some(ty.ty()),
    }
}

fn debug_argument(cx: &FunctionVerifier<'_>) {
    // What a compiler prints without debug scopes does not tell which code was inlined.
    if cx.is_printed_by_compiler() || cx.source().is_none() {
        return;
    }
    let inlined = cx.cached(|| InlinedScopes::new(cx));
    let mut known: FxHashMap<u32, (Inst, &DebugVarData)> = FxHashMap::default();
    for inst in cx.insts_with(&[Opcode::DebugValue, Opcode::AllocStack]) {
        let Some(variable) = variable(cx, inst) else { continue };
        let Some(number) = variable.argno else { continue };
        let scope = cx.body.loc(cx.body.inst(inst).loc).map_or(NONE, |loc| loc.scope);
        if inlined.0.contains(&scope) || variable.scope.is_some_and(|scope| inlined.0.contains(&scope)) {
            continue;
        }
        let &mut (first, other) = known.entry(number).or_insert((inst, variable));
        let message = if first == inst {
            continue;
        } else if let (Some(name), Some(other)) = (variable.name, other.name)
            && name != other
        {
            format!("`{name}` and `{other}` are both argument {number}")
        } else if let (Some(ty), Some(other)) = (type_of(cx, inst, variable), type_of(cx, first, other))
            && same(cx, ty, other) == Some(false)
        {
            format!("argument {number} has the types `{ty}` and `{other}`")
        } else {
            continue;
        };
        let finding = cx.finding(&DEBUG_ARGUMENT, Place::Inst(inst), message);
        cx.report(finding.also(Place::Inst(first), "described here first"));
    }
}

/// The debug scopes of inlined code.
struct InlinedScopes(FxHashSet<u32>);

impl InlinedScopes {
    fn new(cx: &FunctionVerifier<'_>) -> Self {
        let scopes = cx.module().scopes.iter();
        Self(scopes.filter(|scope| scope.inlined_at.is_some()).map(|scope| scope.id).collect())
    }
}

static DEBUG_EXPRESSION: Rule = Rule {
    id: RuleId::new("SIL0375"),
    name: "DebugExpression",
    severity: Severity::Error,
    summary: "A fragment ends a debug expression and is a part of the variable",
    details: "\
`op_fragment:#S.x` and `op_tuple_fragment:$(A, B):0` say that the value is only a part of the variable:
a property of its type, or an element of its type, a tuple. Only fragments of that part follow.",
    failing: "\
struct S {
  @_hasStorage var x: Builtin.Int64
}
sil @f : $@convention(thin) (Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  debug_value %0, var, name \"s\", type $S, expr op_fragment:#S.x:op_deref
  %2 = tuple ()
  return %2
}
",
    corrected: "\
struct S {
  @_hasStorage var x: Builtin.Int64
}
sil @f : $@convention(thin) (Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  debug_value %0, var, name \"s\", type $S, expr op_fragment:#S.x
  %2 = tuple ()
  return %2
}
",
    check: Check::Inst(&[Opcode::DebugValue, Opcode::AllocStack], debug_expression),
};

fn debug_expression(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(variable) = variable(cx, inst) else { return };
    let mut has_fragment = false;
    let mut at = 0;
    let mut whole = variable.ty.map(|ty| ty.ty());
    while let Some(&DebugExpr::Op(op)) = variable.expr.get(at) {
        let name = op.as_str();
        let is_fragment = matches!(name, "op_fragment" | "op_tuple_fragment");
        if has_fragment && !is_fragment {
            let message = format!("`{name}` follows a fragment in the debug expression");
            cx.report(cx.finding(&DEBUG_EXPRESSION, Place::Inst(inst), message));
            return;
        }
        has_fragment |= is_fragment;
        let problem = match (name, variable.expr.get(at + 1), variable.expr.get(at + 2)) {
            ("op_fragment", Some(DebugExpr::Decl(field)), _) => {
                let is_part = |whole: Type| is_of(cx, field.data().path.first().copied(), whole);
                let found = whole.filter(|&whole| is_part(whole) == Some(false));
                whole = None;
                found.map(|whole| format!("`{field}` is not a property of `{whole}`"))
            }
            ("op_tuple_fragment", Some(DebugExpr::Type(tuple)), Some(DebugExpr::Int(index))) => {
                let other = whole.take().filter(|whole| same(cx, *whole, *tuple) == Some(false));
                let elements = match tuple.kind() {
                    TypeKind::Tuple(elements) => Some(elements.len()),
                    _ => None,
                };
                let index: Option<usize> = index.as_str().parse().ok();
                let is_other =
                    other.map(|whole| format!("`{tuple}` is not the type `{whole}` of the variable"));
                let beyond = elements
                    .zip(index)
                    .filter(|(count, index)| index >= count)
                    .map(|(count, index)| format!("`{tuple}` has {count} elements, not an element {index}"));
                is_other.or(beyond)
            }
            _ => None,
        };
        if let Some(problem) = problem {
            // The reference does not check it.
            cx.report(cx.finding(&DEBUG_EXPRESSION, Place::Inst(inst), problem).warning());
            return;
        }
        at += 1 + variable.expr[at + 1..].iter().take_while(|e| !matches!(e, DebugExpr::Op(_))).count();
    }
}

/// Returns whether a declaration path begins with the name of a type; `None` if the type is not a nominal one or is nested.
fn is_of(cx: &FunctionVerifier<'_>, first: Option<silkit_base::Symbol>, ty: Type) -> Option<bool> {
    let decl = super::facts::declared(cx, ty)?;
    let TypeKind::Named(named) = ty.kind() else { return None };
    let is_nested = named.parent.is_some() || decl.path.as_str().contains('.') || decl.is_class();
    (!is_nested).then_some(Some(named.name) == first)
}
