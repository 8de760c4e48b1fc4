//! Repeated calls of a method of an existential argument.
//!
//! An existential that is passed in memory contains the same value until it is destroyed. A call that opens it uses the value and the method
//! of a dominating `open_existential_addr` instead:
//!
//! ```text
//!   %1 = open_existential_addr immutable_access %0 to $*@opened("1", any P) Self
//!   %2 = witness_method $@opened("1", any P) Self, #P.m
//!   %4 = open_existential_addr immutable_access %0 to $*@opened("2", any P) Self
//!   %5 = witness_method $@opened("2", any P) Self, #P.m
//!   %6 = apply %5<@opened("2", any P) Self>(%4)
//! ---
//!   %6 = apply %2<@opened("1", any P) Self>(%1)
//! ```

use silkit_analysis::{BodyView, Dominators, value_dominates};
use silkit_base::FxHashMap;
use silkit_ir::conventions::{ArgumentConvention, Conventions};
use silkit_ir::instructions::WitnessMethod;
use silkit_ir::opened::opened_in;
use silkit_ir::{Block, Body, DeclRef, Inst, Opcode, Value};
use silkit_pass::FunctionContext;
use std::cmp::Ordering;

/// Replaces the callees of repeated calls.
pub(super) fn run(cx: &mut FunctionContext<'_>, dominators: &Dominators) {
    for argument in arguments(&cx.view()) {
        for (first, others) in opens(&cx.view(), dominators, argument) {
            let methods = methods(cx.body(), first);
            for open in others {
                replace_call(cx, dominators, open, first, &methods);
            }
        }
    }
}

/// Returns the arguments in memory that the caller does not share.
fn arguments(view: &BodyView<'_>) -> Vec<Value> {
    use ArgumentConvention::{In, InGuaranteed};
    let Some(conventions) = Conventions::of(view.function, view.addresses()) else { return Vec::new() };
    let is_constant = |index: usize| matches!(conventions.convention(index), Some(In | InGuaranteed));
    let arguments = view.body.entry_arguments().iter().enumerate();
    arguments.filter(|&(index, _)| is_constant(index)).map(|(_, &argument)| argument).collect()
}

/// Returns the instructions that open an existential, each first one with those that it dominates. Returns nothing if the
/// existential has uses that are not understood.
fn opens(view: &BodyView<'_>, dominators: &Dominators, existential: Value) -> Vec<(Inst, Vec<Inst>)> {
    let body = view.body;
    let mut opens: FxHashMap<Block, Vec<Inst>> = FxHashMap::default();
    for user in body.users(existential) {
        match body.inst(user).opcode {
            Opcode::OpenExistentialAddr => opens.entry(body.inst_block(user)).or_default().push(user),
            Opcode::WitnessMethod | Opcode::DestroyAddr | Opcode::DebugValue => {}
            _ => return Vec::new(),
        }
    }
    let mut groups: Vec<(Inst, Vec<Inst>)> = Vec::new();
    // In preorder, a block that does not dominate this block dominates no later block.
    for block in dominators.preorder() {
        let Some(mut here) = opens.remove(&block) else { continue };
        here.sort_by(|&a, &b| match body.inst_precedes(a, b) {
            _ if a == b => Ordering::Equal,
            true => Ordering::Less,
            false => Ordering::Greater,
        });
        for open in here {
            match groups.last_mut() {
                Some((first, others)) if dominators.dominates(body.inst_block(*first), block) => {
                    others.push(open);
                }
                _ => groups.push((open, Vec::new())),
            }
        }
    }
    groups
}

/// Returns the methods that are looked up in the type of an opened value.
fn methods(body: &Body, open: Inst) -> FxHashMap<DeclRef, Vec<Value>> {
    let mut methods: FxHashMap<DeclRef, Vec<Value>> = FxHashMap::default();
    for user in body.results(open).flat_map(|value| body.users(value)) {
        if let (Some(lookup), Some(method)) = (body.view_as::<WitnessMethod>(user), body.first_result(user)) {
            methods.entry(lookup.member).or_default().push(method);
        }
    }
    methods
}

/// Replaces the callee of a call with the value of `open` by that with the value of `first`.
fn replace_call(
    cx: &mut FunctionContext<'_>,
    dominators: &Dominators,
    open: Inst,
    first: Inst,
    methods: &FxHashMap<DeclRef, Vec<Value>>,
) {
    let body = cx.body();
    let (Some(old), Some(new)) = (body.opened_id(open), body.opened_id(first)) else { return };
    let (Some(from), Some(to)) = (body.first_result(open), body.first_result(first)) else { return };
    let Some(call) = only_call(body, from) else { return };
    let callee = body.operand_value(call, 0);
    // The reference makes invalid SIL of a call that passes other memory of the opened type.
    let mut others = body.operands(call).iter().map(|operand| operand.value).chain(body.results(call));
    let holds_opened = |value: Value| opened_in(body.value(value).ty.ty()).contains(&old);
    if others.any(|value| value != callee && value != from && holds_opened(value)) {
        return;
    }
    let Some(lookup) = body.def_as::<WitnessMethod>(callee) else { return };
    let mut same = methods.get(&lookup.member).into_iter().flatten();
    let method = same.find(|&&method| value_dominates(body, dominators, method, call));
    let Some(&method) = method.filter(|_| cx.may_change()) else { return };
    let mut editor = cx.edit();
    editor.rename_opened(call, old, new);
    for index in 0..editor.operands(call).len() {
        let value = editor.operands(call)[index].value;
        let other = if value == callee { method } else { to };
        if value == callee || value == from {
            let operand = editor.operand_id(call, index);
            editor.set_operand(operand, other);
        }
    }
    cx.count("calls of methods replaced", 1);
}

/// Returns the only call that uses an opened value, if there are no other uses than it and lookups of methods.
fn only_call(body: &Body, opened: Value) -> Option<Inst> {
    let mut users = body
        .users(opened)
        .filter(|&user| !matches!(body.inst(user).opcode, Opcode::WitnessMethod | Opcode::DebugValue));
    let call = users.next().filter(|&user| body.inst(user).opcode == Opcode::Apply)?;
    users.all(|user| user == call).then_some(call)
}
