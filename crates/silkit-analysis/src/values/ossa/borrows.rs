//! Borrow scopes: their introducers, ends and enclosing values.

use super::liveness::{Def, Liveness, UseKind};
use silkit_base::FxHashSet;
use silkit_ir::info::OperandOwnership;
use silkit_ir::ownership::{BodyOwnership, forwarded_operands};
use silkit_ir::{ArgFlags, Body, Inst, Opcode, Operand, Ownership, Value, ValueDef};

/// The borrows of a body.
#[derive(Clone, Copy, Debug)]
pub struct Borrows<'a> {
    /// The body.
    pub body: &'a Body,
    /// The ownership of its values.
    pub ownership: &'a BodyOwnership<'a>,
    /// True if phis without the reborrow flag count as reborrows if a scope is passed to them.
    takes_unmarked: bool,
}

/// The ends of the scope for which an operand borrows its value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScopeEnds {
    /// The uses that end the scope. At a reborrow, the scope continues in the phi.
    pub ends: Vec<Operand>,
    /// True if the scope has a use that could end it elsewhere.
    pub escapes: bool,
}

impl<'a> Borrows<'a> {
    /// Creates the borrows of a body whose values have this ownership.
    pub fn new(body: &'a Body, ownership: &'a BodyOwnership<'a>) -> Self {
        Self { body, ownership, takes_unmarked: false }
    }

    /// Returns borrows in which phis that scopes are passed to are reborrows even without the flag, as for a scope
    /// that is never ended.
    pub fn with_unmarked_reborrows(self) -> Self {
        Self { takes_unmarked: true, ..self }
    }

    /// Returns true if a value has this ownership.
    pub fn has(&self, value: Value, ownership: Ownership) -> bool {
        self.ownership.value(value) == Some(ownership)
    }

    /// Returns the operand ownership of an operand, or `None` if it is not known.
    pub fn using(&self, operand: Operand) -> Option<OperandOwnership> {
        self.ownership.operand(operand)
    }

    /// Returns true if an operand ends the lifetime of its value.
    pub fn ends_lifetime(&self, operand: Operand) -> bool {
        self.using(operand).is_some_and(OperandOwnership::ends_lifetime)
    }

    /// Returns true if a value is a phi: a block argument whose values branches pass, as opposed to an argument of
    /// the entry block or one that a terminator defines. Unreachable blocks may have phis without incoming values.
    pub fn is_phi_or_unreachable(&self, value: Value) -> bool {
        let ValueDef::Argument(block, index) = self.body.def(value) else { return false };
        !self.body.is_entry_block(block)
            && self.body.incoming(block).all(|edge| self.body.edge_operand(edge, index.into()).is_some())
    }

    /// Returns true if a value is a reborrow: a phi that ends the incoming borrow scopes and begins a new one.
    pub fn is_reborrow(&self, value: Value) -> bool {
        let is_marked = self.body.value(value).arg_flags.contains(ArgFlags::REBORROW);
        self.is_phi_or_unreachable(value) && (is_marked || (self.takes_unmarked && self.takes_scope(value)))
    }

    /// Returns true if a scope is passed to a phi, directly or through other phis.
    fn takes_scope(&self, phi: Value) -> bool {
        let mut seen = FxHashSet::default();
        let mut work = vec![phi];
        while let Some(phi) = work.pop() {
            if !seen.insert(phi) {
                continue;
            }
            for value in self.body.phi_values(phi) {
                let value = self.body.look_through_borrowed_from(value);
                if self.is_phi_or_unreachable(value) {
                    work.push(value);
                } else if self.introduces_borrow(value) {
                    return true;
                }
            }
        }
        false
    }

    /// Returns true if a branch ends the lifetime of an operand by passing it to the block argument.
    pub(super) fn is_passed_on(&self, operand: Operand) -> bool {
        self.ends_lifetime(operand)
            || (self.takes_unmarked
                && self.introduces_borrow(
                    self.body.look_through_borrowed_from(self.body.operand(operand).value),
                ))
    }

    /// Returns the `borrowed … from` of a phi.
    pub fn borrowed_from(&self, phi: Value) -> Option<Inst> {
        let is_of_phi = |i: &Inst| {
            self.body.inst(*i).opcode == Opcode::BorrowedFrom && self.body.operand_value(*i, 0) == phi
        };
        self.body.users(phi).find(is_of_phi)
    }

    /// Returns the enclosing values that the `borrowed … from` of a phi lists.
    pub fn listed(&self, phi: Value) -> Vec<Value> {
        let operands = self.borrowed_from(phi).map_or(&[][..], |inst| self.body.operands(inst));
        operands.iter().skip(1).map(|o| o.value).collect()
    }

    /// Returns true if a guaranteed value begins a borrow scope or is borrowed by the caller. A phi does if it is a
    /// reborrow.
    pub fn introduces_borrow(&self, value: Value) -> bool {
        if !self.has(value, Ownership::Guaranteed) {
            return false;
        }
        match self.body.def(value) {
            ValueDef::Argument(block, _) => self.body.is_entry_block(block) || self.is_reborrow(value),
            ValueDef::Result(inst, _) => match self.body.inst(inst).opcode {
                Opcode::BeginBorrow
                | Opcode::LoadBorrow
                | Opcode::BeginApply
                | Opcode::UncheckedOwnershipConversion => true,
                // No possible incoming value has ownership.
                _ => false,
            },
            ValueDef::Undef | ValueDef::Pending => false,
        }
    }

    /// Returns the values that the lifetime of a value depends on: an owned value on itself, a guaranteed one on the
    /// borrow introducers that it is forwarded from. The order is that of a walk that visits the last operand first.
    pub fn introducers(&self, value: Value) -> Vec<Value> {
        let mut found = Vec::new();
        self.each_introducer(value, |introducer| match introducer {
            Introducer::Value(value) => push_new(&mut found, value),
            Introducer::Phi(phi) => self.listed(phi).into_iter().for_each(|v| push_new(&mut found, v)),
        });
        found
    }

    /// Calls a function with each of the [introducers](Self::introducers), stopping at phis instead of continuing to
    /// their enclosing values.
    pub(super) fn each_introducer(&self, value: Value, mut found: impl FnMut(Introducer)) {
        let mut seen = FxHashSet::default();
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            let phi = self.body.look_through_borrowed_from(value);
            match self.ownership.value(phi) {
                Some(Ownership::Guaranteed) => {}
                Some(Ownership::Owned) if seen.insert(value) => {
                    found(Introducer::Value(value));
                    continue;
                }
                _ => continue,
            }
            if !seen.insert(phi) {
                continue;
            }
            if self.introduces_borrow(phi) {
                found(Introducer::Value(phi));
            } else if self.is_phi_or_unreachable(phi) {
                found(Introducer::Phi(phi));
            } else {
                work.extend(self.forwarding_operands(phi).map(|o| self.body.operand(o).value));
            }
        }
    }

    /// Returns the operands that a value, which is not a phi, is forwarded from.
    pub fn forwarding_operands(&self, value: Value) -> impl Iterator<Item = Operand> + 'a {
        let body = self.body;
        let inst = match body.def(value) {
            ValueDef::Argument(block, _) => body.single_predecessor(block).and_then(|b| body.terminator(b)),
            ValueDef::Result(inst, _) => Some(inst),
            ValueDef::Undef | ValueDef::Pending => None,
        };
        inst.into_iter().flat_map(move |inst| forwarded_operands(body, inst))
    }

    /// Returns the values with ownership that a value is forwarded from, following forwarding instructions as far as
    /// possible. The order is that of a walk that visits the last operand first.
    pub fn origins(&self, value: Value) -> Vec<Value> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            if self.has(value, Ownership::None) || !seen.insert(value) {
                continue;
            }
            let before = work.len();
            if self.is_phi_or_unreachable(value) {
                work.extend(self.body.phi_values(value));
            } else if !self.introduces_borrow(value) {
                work.extend(self.forwarding_operands(value).map(|o| self.body.operand(o).value));
            }
            if work.len() == before {
                found.push(value);
            }
        }
        found
    }

    /// Returns the uses that end the lifetime of an on-stack closure, its copies and its forwarded values: of several
    /// on a path, the last. There its captures are no longer borrowed.
    pub fn closure_ends(&self, closure: Inst) -> Vec<Operand> {
        let body = self.body;
        let mut ends = Vec::new();
        let mut seen = FxHashSet::default();
        let mut is_copied = false;
        let mut work: Vec<Value> = body.results(closure).collect();
        while let Some(value) = work.pop() {
            if !seen.insert(value) {
                continue;
            }
            for operand in body.uses(value) {
                let user = body.operand(operand).user;
                if body.inst(user).opcode == Opcode::CopyValue {
                    is_copied = true;
                    work.extend(body.results(user));
                } else if self.ends_lifetime(operand) {
                    let forwards = self.using(operand).is_some_and(|how| how.is_forwarding())
                        || body.inst(user).opcode == Opcode::MoveValue;
                    let forwarded = if forwards { self.forwarded_values(operand) } else { Vec::new() };
                    match forwarded.is_empty() {
                        true => ends.push(operand),
                        false => work.extend(forwarded),
                    }
                }
            }
        }
        if is_copied {
            self.keep_last(closure, &mut ends);
        }
        ends
    }

    /// Removes the ends of a closure after which a copy is live.
    fn keep_last(&self, closure: Inst, ends: &mut Vec<Operand>) {
        let mut liveness = Liveness::of_dominating();
        liveness.define(self.body, Def::Inst(closure));
        let user = |end: Operand| self.body.operand(end).user;
        for &end in ends.iter() {
            liveness.use_at(self.body, user(end), UseKind::Ending);
        }
        let last: FxHashSet<Inst> = liveness.boundary(self.body).last_users.into_iter().collect();
        ends.retain(|&end| last.contains(&user(end)));
    }

    /// Returns the values to which an operand is forwarded: results, or arguments of the successors.
    pub fn forwarded_values(&self, operand: Operand) -> Vec<Value> {
        let body = self.body;
        let user = body.operand(operand).user;
        if body.inst(user).opcode == Opcode::Branch {
            let index = body.operand_index(operand);
            let target = body.successors(user).next();
            return target.and_then(|b| body.arguments(b).get(index)).copied().into_iter().collect();
        }
        let arguments = body.successors(user).flat_map(|b| body.arguments(b).iter().copied());
        body.results(user).chain(arguments).collect()
    }

    /// Returns the values that enclose a guaranteed value: for a borrow introducer the values outside its scope, for
    /// a forwarded value its introducers. Other values have none.
    pub fn enclosing(&self, value: Value) -> Vec<Value> {
        let phi = self.body.look_through_borrowed_from(value);
        if !self.has(phi, Ownership::Guaranteed) {
            return Vec::new();
        }
        if self.is_phi_or_unreachable(phi) {
            let mut listed = self.listed(phi);
            listed.reverse();
            return listed;
        }
        match self.scope_base(phi) {
            Some(Some(base)) => self.introducers(base),
            Some(None) => Vec::new(),
            None => self.introducers(phi),
        }
    }

    /// Returns the base value of the scope that a value begins, if the base is a value; `None` if it begins no scope.
    pub(super) fn scope_base(&self, value: Value) -> Option<Option<Value>> {
        if !self.introduces_borrow(value) {
            return None;
        }
        let begin = self.body.defining_inst(value);
        let begin = begin.filter(|&i| self.body.inst(i).opcode == Opcode::BeginBorrow);
        Some(begin.map(|i| self.body.operand_value(i, 0)))
    }

    /// Returns true if an operand borrows its value for a scope.
    pub fn begins_scope(&self, operand: Operand) -> bool {
        if self.using(operand) == Some(OperandOwnership::Borrow) {
            return true;
        }
        let user = self.body.operand(operand).user;
        self.body.inst(user).opcode == Opcode::BorrowedFrom
            && self.body.operand_index(operand) > 0
            && self.is_reborrow(self.body.operand_value(user, 0))
    }

    /// Returns the ends of the scope for which an operand borrows its value.
    pub fn scope_ends(&self, operand: Operand) -> ScopeEnds {
        let body = self.body;
        let user = body.operand(operand).user;
        let mut found = ScopeEnds::default();
        match body.inst(user).opcode {
            Opcode::BeginBorrow | Opcode::LoadBorrow | Opcode::BorrowedFrom => {
                let ends = body.results(user).flat_map(|v| body.uses(v)).filter(|&o| self.ends_lifetime(o));
                found.ends.extend(ends);
            }
            Opcode::StoreBorrow => {
                let uses = body.results(user).flat_map(|v| body.uses(v));
                found.ends.extend(uses.filter(|&o| self.is_by(o, Opcode::EndBorrow)));
            }
            Opcode::BeginApply => found.ends.extend(self.coroutine_ends(user)),
            // The end of an `async let` uses its result.
            Opcode::Builtin => found.ends.extend(body.results(user).take(1).flat_map(|v| body.uses(v))),
            Opcode::PartialApply => found.ends.extend(self.closure_ends(user)),
            Opcode::MarkDependence => self.extended_ends(user, &mut found),
            _ => found.escapes = true,
        }
        found
    }

    fn is_by(&self, operand: Operand, opcode: Opcode) -> bool {
        self.body.inst(self.body.operand(operand).user).opcode == opcode
    }

    /// Returns the uses that end the coroutine call of a `begin_apply`.
    pub fn coroutine_ends(&self, begin: Inst) -> impl Iterator<Item = Operand> + '_ {
        self.body
            .results(begin)
            .flat_map(|v| self.body.uses(v))
            .filter(|&o| self.is_by(o, Opcode::EndApply) || self.is_by(o, Opcode::AbortApply))
    }

    /// Adds the ends of the forward-extended lifetime of the owned result of an instruction.
    fn extended_ends(&self, inst: Inst, found: &mut ScopeEnds) {
        let is_owned = |v: &Value| self.has(*v, Ownership::Owned);
        let mut seen = FxHashSet::default();
        let mut work: Vec<Value> = self.body.results(inst).filter(is_owned).collect();
        while let Some(value) = work.pop() {
            if !seen.insert(value) {
                continue;
            }
            for operand in self.body.uses(value).filter(|&o| self.ends_lifetime(o)) {
                let user = self.body.operand(operand).user;
                let before = work.len();
                let forwards = self.using(operand) == Some(OperandOwnership::ForwardingConsume);
                if (forwards && self.body.is_forwarding(user))
                    || self.body.inst(user).opcode == Opcode::MoveValue
                {
                    work.extend(self.forwarded_values(operand).into_iter().filter(is_owned));
                }
                if work.len() == before {
                    found.ends.push(operand);
                }
            }
        }
    }
}

/// A value that the walk to the introducers ends at.
pub(super) enum Introducer {
    /// An owned value, or one that begins a scope.
    Value(Value),
    /// A phi that is not a reborrow, which belongs to its enclosing values.
    Phi(Value),
}

/// Adds a value to a list unless it is present. Lists of enclosing values are short.
fn push_new(list: &mut Vec<Value>, value: Value) {
    if !list.contains(&value) {
        list.push(value);
    }
}
