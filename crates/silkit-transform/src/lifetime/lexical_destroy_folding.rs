//! Folding of lexical borrow scopes into calls: a call that consumes a copy at the end of a lexical borrow scope
//! consumes the borrowed value itself, whose destroy follows.
//!
//! ```text
//!   %2 = begin_borrow [lexical] %0
//!   fix_lifetime %2
//!   %4 = copy_value %2
//!   %5 = apply %1(%4) : $@convention(thin) (@owned Node) -> ()
//!   end_borrow %2
//!   destroy_value %0
//! ---
//!   %2 = move_value [lexical] %0
//!   %3 = begin_borrow [lexical] %2
//!   fix_lifetime %3
//!   end_borrow %3
//!   %6 = apply %1(%2) : $@convention(thin) (@owned Node) -> ()
//! ```
//!
//! In the scope, the value has no other uses than the borrow, so its lifetime can be a lexical one of its own. At
//! every end of the scope, its destroy follows, and at one or more of them, such a call precedes.
//!
//! The cost is linear in the size of the scope.

use crate::lifetime::canonical_lifetime::destroy_after;
use crate::variables;
use silkit_analysis::ossa::{Borrows, Extent, Interior};
use silkit_base::FxHashSet;
use silkit_ir::instructions::{BeginBorrow, CopyValue, DestroyValue, MoveValue};
use silkit_ir::ownership::BodyOwnership;
use silkit_ir::{Block, Body, Inst, Opcode, Operand, Ownership, Point, Value, chain};
use silkit_pass::FunctionContext;

/// Folds the calls at the ends of a lexical borrow scope. Returns true if at least one was folded.
pub fn fold(cx: &mut FunctionContext<'_>, borrow: Inst) -> bool {
    let Some(scope) = Scope::of(cx, borrow) else { return false };
    if !cx.may_change() {
        return false;
    }
    let removable = scope.removable_copies(cx.body());
    let lifetime = begin_lifetime(cx, &scope);
    for end in &scope.ends {
        let Some(call) = &end.call else {
            let destroyed = cx.body().operand_id(end.destroy, 0);
            cx.edit().set_operand(destroyed, lifetime);
            continue;
        };
        let apply = cx.body().operand(call.consumed).user;
        let copy = cx.body().operand(call.consumed).value;
        cx.edit().set_operand(call.consumed, lifetime);
        for &operand in &call.others {
            let copied = cx.body().defining_inst(cx.body().operand(operand).value);
            if let Some(copied) = copied {
                let source = cx.body().operand_id(copied, 0);
                cx.edit().set_operand(source, lifetime);
            }
        }
        let borrow = cx.body().operand_value(end.end, 0);
        let loc = variables::auto_generated(cx.body_mut(), apply);
        let mut builder = cx.at(Point::Before(apply));
        builder.set_default_loc(loc);
        if !removable.contains(&copy) {
            builder.destroy_value(copy);
        }
        builder.end_borrow(borrow);
        cx.edit().remove(end.end);
        cx.edit().remove(end.destroy);
    }
    for copy in removable {
        let users: Vec<Inst> = cx.body().users(copy).collect();
        users.into_iter().for_each(|user| cx.edit().remove(user));
        if let Some(inst) = cx.body().defining_inst(copy) {
            cx.edit().remove(inst);
        }
    }
    true
}

/// Moves the borrowed value to a lexical lifetime, which is borrowed instead. Returns the moved value.
fn begin_lifetime(cx: &mut FunctionContext<'_>, scope: &Scope) -> Value {
    let loc = variables::auto_generated(cx.body_mut(), scope.begin);
    let mut builder = cx.at(Point::Before(scope.begin));
    builder.set_default_loc(loc);
    let lifetime = builder.build(MoveValue { lexical: true, ..MoveValue::new(scope.base) });
    let borrowed = cx.body().operand_id(scope.begin, 0);
    cx.edit().set_operand(borrowed, lifetime);
    lifetime
}

/// A lexical borrow scope with calls that can be folded.
struct Scope {
    /// The instruction that begins it.
    begin: Inst,
    /// The borrowed value.
    base: Value,
    ends: Vec<End>,
}

/// An end of a borrow scope, after which the borrowed value is destroyed.
struct End {
    end: Inst,
    destroy: Inst,
    /// The call before it, if it can be folded.
    call: Option<Call>,
}

/// A call that consumes copies of the borrow.
struct Call {
    /// The operand that will be the borrowed value itself.
    consumed: Operand,
    /// Other consumed copies. They will be copies of the borrowed value, since the borrow ends before the call.
    others: Vec<Operand>,
}

impl Scope {
    /// Returns the scope of a borrow if it can be folded.
    fn of(cx: &FunctionContext<'_>, begin: Inst) -> Option<Self> {
        let body = cx.body();
        let view = body.view_as::<BeginBorrow>(begin).filter(|borrow| borrow.lexical)?;
        let (base, borrow) = (view.operand, body.first_result(begin)?);
        let ownership = cx.ownership();
        let borrows = Borrows::new(body, &ownership);
        if ownership.value(base) != Some(Ownership::Owned)
            || borrows.has_pointer_escape(base)
            || is_used_inside(body, begin, base)
        {
            return None;
        }
        let mut users = FxHashSet::default();
        for used in borrows.interior_uses(borrow, Extent::default()) {
            match used {
                Interior::Use(user, _) if body.inst(user).opcode == Opcode::Branch => return None,
                Interior::Use(user, _) => _ = users.insert(user),
                Interior::Scope(_) => {}
                Interior::PassedOn(_) | Interior::Escape(_) | Interior::Endless(_) => return None,
            }
        }
        let is_end = |&inst: &Inst| body.inst(inst).opcode == Opcode::EndBorrow;
        let ends = body.users(borrow).filter(is_end).map(|end| {
            let is_destroy =
                |inst| body.view_as::<DestroyValue>(inst).is_some_and(|destroy| destroy.operand == base);
            let destroy = destroy_after(body, end, is_destroy)?;
            let apply = body.prev_inst(end).filter(|apply| !users.contains(apply));
            let call = apply.and_then(|apply| Call::of(body, &ownership, apply, borrow));
            Some(End { end, destroy, call })
        });
        let ends: Vec<End> = ends.collect::<Option<_>>()?;
        ends.iter().any(|end| end.call.is_some()).then_some(Self { begin, base, ends })
    }

    /// Returns the copies of the borrow that are only described and destroyed once their calls are folded.
    fn removable_copies(&self, body: &Body) -> FxHashSet<Value> {
        let calls = || self.ends.iter().filter_map(|end| end.call.as_ref());
        let consumed: FxHashSet<Operand> = calls().map(|call| call.consumed).collect();
        let is_removable = |copy: &Value| {
            body.uses(*copy).all(|operand| {
                let opcode = body.inst(body.operand(operand).user).opcode;
                matches!(opcode, Opcode::DebugValue | Opcode::DestroyValue) || consumed.contains(&operand)
            })
        };
        consumed.iter().map(|&operand| body.operand(operand).value).filter(is_removable).collect()
    }
}

impl Call {
    /// Returns the call if it consumes a copy of a borrow.
    fn of(body: &Body, ownership: &BodyOwnership<'_>, apply: Inst, borrow: Value) -> Option<Self> {
        if body.inst(apply).opcode != Opcode::Apply {
            return None;
        }
        // The first operand is the callee.
        let arguments = body.operand_range(apply, 1).map(|index| body.operand_id(apply, index));
        let mut consumed = arguments.filter(|&operand| {
            let ends =
                ownership.operand(operand).is_some_and(silkit_ir::info::OperandOwnership::ends_lifetime);
            ends && is_copy(body, body.operand(operand).value, borrow)
        });
        Some(Self { consumed: consumed.next()?, others: consumed.collect() })
    }
}

/// Returns true if a value is a copy of another one, or a copy of such a copy.
fn is_copy(body: &Body, value: Value, of: Value) -> bool {
    let copied = |value| body.def_as::<CopyValue>(value).map(|copy| copy.operand);
    chain(value, copied).any(|value| copied(value) == Some(of))
}

/// Returns true if a value has uses after an instruction other than the destroys at which it ends.
fn is_used_inside(body: &Body, begin: Inst, value: Value) -> bool {
    let users: FxHashSet<Inst> = body.users(value).collect();
    let home = body.inst_block(begin);
    let mut seen: FxHashSet<Block> = FxHashSet::default();
    let mut work = vec![body.next_inst(begin)];
    while let Some(start) = work.pop() {
        let Some(start) = start else { continue };
        let mut following = std::iter::successors(Some(start), |&inst| body.next_inst(inst));
        match following.find(|inst| users.contains(inst)) {
            Some(user) if body.inst(user).opcode == Opcode::DestroyValue => {}
            Some(_) => return true,
            None => {
                let successors = body.terminator(body.inst_block(start)).into_iter();
                let successors = successors.flat_map(|inst| body.successors(inst));
                work.extend(successors.filter(|&s| s != home && seen.insert(s)).map(|s| body.first_inst(s)));
            }
        }
    }
    false
}
