//! Canonicalization of the copies of a guaranteed function argument: uses of a copy become uses of the argument, and
//! copies remain only where an owned value is consumed, immediately before.
//!
//! ```text
//! bb0(%0 : @guaranteed $D):
//!   %1 = copy_value %0
//!   %2 = upcast %1 to $C
//!   %o = function_ref @own : $@convention(thin) (@owned C) -> ()
//!   apply %o(%2) : $@convention(thin) (@owned C) -> ()
//! ---
//! bb0(%0 : @guaranteed $D):
//!   %1 = upcast %0 to $C
//!   %2 = function_ref @own : $@convention(thin) (@owned C) -> ()
//!   %3 = copy_value %1
//!   %4 = apply %2(%3) : $@convention(thin) (@owned C) -> ()
//! ```
//!
//! Values that instructions with one operand forward from a copy become parts of the argument, and copies of values
//! that such instructions forward from the argument are treated like copies of the argument. A copy whose forwarded
//! value is not copyable and is consumed is not changed. The cost is proportional to the number of uses.

use silkit_analysis::ossa::Borrows;
use silkit_base::{FxHashMap, Worklist};
use silkit_ir::ownership::forwarded_operands;
use silkit_ir::{Body, Inst, Opcode, Operand, Ownership, Point, Value, ValueDef};
use silkit_pass::FunctionContext;

/// The uses of a copy and of the values that are forwarded from it.
#[derive(Debug, Default)]
struct CopyUses {
    /// The values: the copy first, then forwarded values after the values that they come from.
    values: Vec<Value>,
    /// Uses that consume a value, which need a copy of their own.
    consumed: Vec<Operand>,
    /// Uses of instructions that forward a value.
    forwarded: Vec<Operand>,
    /// Copies of the values.
    copied: Vec<Operand>,
    /// All other uses that do not end a lifetime.
    others: Vec<Operand>,
    debug: Vec<Operand>,
    destroys: Vec<Inst>,
}

impl CopyUses {
    /// Returns the use that consumes the copy itself in its block, if there are no further copies: the copy is not moved.
    fn in_place(&self, body: &Body, copy: Inst) -> Option<Operand> {
        let is_in_place = |operand: &Operand| {
            let data = body.operand(*operand);
            data.value == self.values[0] && body.inst_block(data.user) == body.inst_block(copy)
        };
        self.consumed.iter().copied().find(|operand| self.copied.is_empty() && is_in_place(operand))
    }
}

/// The place of a copy that is consumed in its own block, besides other uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyPlace {
    /// Before the consuming use.
    AtUse,
    /// At its present position.
    InPlace,
}

/// Canonicalizes the copies of a function argument. Returns true if something changed. Arguments that are not guaranteed
/// are not changed.
pub fn canonicalize_argument(cx: &mut FunctionContext<'_>, argument: Value, place: CopyPlace) -> bool {
    let body = cx.body();
    let is_argument =
        matches!(body.def(argument), ValueDef::Argument(block, _) if body.is_entry_block(block));
    if !is_argument || cx.ownership().value(argument) != Some(Ownership::Guaranteed) {
        return false;
    }
    let mut copies: Vec<Inst> = copies_of(cx, argument);
    let mut has_changed = false;
    while let Some(copy) = copies.pop() {
        if is_in_place(cx, copy) {
            continue;
        }
        let Some(uses) = uses_of(cx, copy) else { continue };
        if !cx.may_change() {
            return has_changed;
        }
        has_changed = true;
        let reused = uses.in_place(cx.body(), copy).filter(|_| place == CopyPlace::InPlace);
        copies.extend(rewrite(cx, copy, &uses, reused));
    }
    has_changed
}

/// Returns the function argument that a guaranteed value is, or is forwarded from.
pub fn borrowed_argument(cx: &FunctionContext<'_>, value: Value) -> Option<Value> {
    let body = cx.body();
    let at = Some(value).filter(|&value| cx.ownership().value(value) == Some(Ownership::Guaranteed))?;
    let step = |inst| {
        let operand =
            forwarded_operands(body, inst).next().filter(|&operand| is_kept_borrowed(cx, operand))?;
        Some(body.operand(operand).value)
    };
    let root = body.chain(at, step).last()?;
    matches!(body.def(root), ValueDef::Argument(block, _) if body.is_entry_block(block)).then_some(root)
}

/// Returns the copies of a value and of the values that are forwarded from it.
fn copies_of(cx: &FunctionContext<'_>, value: Value) -> Vec<Inst> {
    let body = cx.body();
    let mut values = Worklist::new();
    values.push(value);
    let mut copies = Vec::new();
    while let Some(value) = values.pop() {
        for operand in body.uses(value) {
            let user = body.operand(operand).user;
            if body.inst(user).opcode == Opcode::CopyValue {
                copies.push(user);
            } else if is_kept_borrowed(cx, operand) {
                body.results(user).for_each(|result| _ = values.push(result));
            }
        }
    }
    copies
}

/// Returns true if an instruction forwards its only operand, and would forward an owned value as well. An extraction
/// needs a borrowed aggregate.
fn is_kept_borrowed(cx: &FunctionContext<'_>, operand: Operand) -> bool {
    let opcode = cx.body().inst(cx.body().operand(operand).user).opcode;
    !matches!(opcode, Opcode::MoveValue | Opcode::StructExtract | Opcode::TupleExtract)
        && is_looked_through(cx, operand)
}

/// Returns true if the only use of a copy consumes it in the same block and forwards it nowhere: the copy is needed, and
/// is not moved.
fn is_in_place(cx: &FunctionContext<'_>, copy: Inst) -> bool {
    let (body, ownership) = (cx.body(), cx.ownership());
    let Some(value) = body.first_result(copy) else { return true };
    let mut uses = body.uses(value);
    let (Some(only), None) = (uses.next(), uses.next()) else { return false };
    let user = body.operand(only).user;
    Borrows::new(body, &ownership).ends_lifetime(only)
        && body.inst_block(user) == body.inst_block(copy)
        && body.inst(user).opcode != Opcode::DestroyValue
        && !is_looked_through(cx, only)
}

/// Returns true if an operand is the only one of a move, or of an instruction that forwards values of any ownership.
fn is_looked_through(cx: &FunctionContext<'_>, operand: Operand) -> bool {
    let body = cx.body();
    let user = body.operand(operand).user;
    if body.inst(user).opcode == Opcode::MoveValue {
        return true;
    }
    !body.is_terminator(user)
        && body.operands(user).len() == 1
        && forwarded_operands(body, user).eq([operand])
        && !matches!(
            body.inst(user).opcode,
            Opcode::MarkDependence | Opcode::MarkUnresolvedNonCopyableValue | Opcode::DropDeinit
        )
}

/// Returns the uses of a copy; `None` if a value that is consumed cannot be copied.
fn uses_of(cx: &FunctionContext<'_>, copy: Inst) -> Option<CopyUses> {
    let (body, ownership) = (cx.body(), cx.ownership());
    let borrows = Borrows::new(body, &ownership);
    let mut found = CopyUses { values: vec![body.first_result(copy)?], ..CopyUses::default() };
    let mut at = 0;
    while let Some(&value) = found.values.get(at) {
        at += 1;
        for operand in body.uses(value) {
            let user = body.operand(operand).user;
            match body.inst(user).opcode {
                Opcode::CopyValue => found.copied.push(operand),
                Opcode::DestroyValue => found.destroys.push(user),
                Opcode::DebugValue => found.debug.push(operand),
                _ if !borrows.ends_lifetime(operand) => found.others.push(operand),
                _ if is_looked_through(cx, operand) => {
                    found.forwarded.push(operand);
                    found.values.extend(body.results(user).filter(|&v| !borrows.has(v, Ownership::None)));
                }
                _ => {
                    let function = cx.function().ty.ty().as_function();
                    let ty = body.value(value).ty.ty();
                    if cx.declarations().is_move_only(ty, function.and_then(|f| f.sig)) != Some(false) {
                        return None;
                    }
                    found.consumed.push(operand);
                }
            }
        }
    }
    Some(found)
}

/// Replaces the uses of a copy, except for the one for which the copy is kept. Returns the copies of its values, which
/// became copies of borrowed values.
fn rewrite(cx: &mut FunctionContext<'_>, copy: Inst, uses: &CopyUses, reused: Option<Operand>) -> Vec<Inst> {
    let base = cx.body().operand_value(copy, 0);
    let mut borrowed: FxHashMap<Value, Value> = FxHashMap::default();
    borrowed.insert(uses.values[0], base);
    let mut moves = Vec::new();
    for &operand in &uses.forwarded {
        let body = cx.body();
        let user = body.operand(operand).user;
        let source = borrowed[&body.operand(operand).value];
        let is_move = body.inst(user).opcode == Opcode::MoveValue;
        let results: Vec<Value> = body.results(user).collect();
        borrowed.extend(results.into_iter().map(|result| (result, if is_move { source } else { result })));
        if is_move {
            moves.push(user);
        } else {
            cx.edit().set_operand(operand, source);
        }
    }
    uses.destroys.iter().for_each(|&destroy| cx.edit().remove(destroy));
    for &operand in &uses.debug {
        let value = cx.body().operand(operand).value;
        let user = cx.body().operand(operand).user;
        // The variable would outlive the value that is consumed.
        match uses.consumed.iter().any(|&other| cx.body().operand(other).value == value) {
            true => cx.edit().remove(user),
            false => cx.edit().set_operand(operand, borrowed[&value]),
        }
    }
    for &operand in uses.others.iter().chain(&uses.copied) {
        let source = borrowed[&cx.body().operand(operand).value];
        cx.edit().set_operand(operand, source);
    }
    for &operand in uses.consumed.iter().filter(|&&operand| Some(operand) != reused) {
        let data = cx.body().operand(operand);
        let (user, source) = (data.user, borrowed[&data.value]);
        let new = cx.at(Point::Before(user)).copy_value(source);
        cx.edit().set_operand(operand, new);
    }
    moves.into_iter().rev().for_each(|inst| cx.edit().remove(inst));
    if reused.is_none() {
        cx.edit().remove(copy);
    }
    uses.copied.iter().map(|&operand| cx.body().operand(operand).user).collect()
}
