//! Interior uses: all uses that must be within a value's lifetime, including uses of forwarded values, of interior
//! addresses, and the ends of inner borrow scopes. Inner scopes are not entered.

use super::borrows::Borrows;
use super::liveness::{Liveness, UseKind};
use super::visible_uses::{Incomplete, projected_address};
use silkit_base::FxHashSet;
use silkit_ir::info::OperandOwnership;
use silkit_ir::{Inst, Opcode, Operand, Ownership, Value};

/// A scope nested in the lifetime of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InnerScope {
    /// The value of the scope: a borrow, a phi, an access.
    pub value: Value,
    /// The instruction that begins it.
    pub begin: Inst,
    /// True if the scope is an access to memory inside the value.
    pub is_of_memory: bool,
}

/// The extent of a walk to interior uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Enter inner scopes, instead of only visiting their ends.
    pub enters_scopes: bool,
    /// Enter accesses to memory inside the value, instead of only visiting their ends.
    pub enters_accesses: bool,
    /// Follow dependences to other memory; otherwise a dependence is an escape. If set, address projections are uses
    /// as well, and unborrowed closures and boxes are escapes.
    pub follows_dependences: bool,
}

/// An item of the result of a walk to interior uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interior {
    /// A use.
    Use(Inst, UseKind),
    /// An inner scope, whose ends follow.
    Scope(InnerScope),
    /// An inner scope ends at a reborrow.
    PassedOn(Inst),
    /// A pointer escape.
    Escape(Inst),
    /// An inner scope without an end.
    Endless(Inst),
}

impl Borrows<'_> {
    /// Returns the interior uses of a value in discovery order: newest use first, each followed by the uses that it
    /// leads to.
    pub fn interior_uses(&self, value: Value, extent: Extent) -> Vec<Interior> {
        let roots = self.roots(value);
        let mut walk = Walk { borrows: *self, extent, roots, seen: FxHashSet::default(), found: Vec::new() };
        walk.value(value);
        walk.found
    }

    /// Adds interior uses to the liveness of their value.
    pub fn add_interior_uses(&self, liveness: &mut Liveness, uses: &[Interior]) -> Incomplete {
        let mut incomplete = Incomplete::Complete;
        for found in uses {
            match *found {
                Interior::Use(inst, kind) => liveness.use_at(self.body, inst, kind),
                Interior::PassedOn(inst) => liveness.use_at(self.body, inst, UseKind::Regular),
                Interior::Scope(_) => {}
                Interior::Escape(inst) | Interior::Endless(inst) => {
                    liveness.use_at(self.body, inst, UseKind::Regular);
                    incomplete = Incomplete::Escaping;
                }
            }
        }
        incomplete
    }

    /// Adds the uses that end or extend a value's lifetime, and those of the phis that it is passed to, which become
    /// definitions of the liveness.
    pub fn add_extended_uses(&self, liveness: &mut Liveness, value: Value) {
        let mut seen = FxHashSet::default();
        let mut values = vec![value];
        let mut at = 0;
        while let Some(&value) = values.get(at) {
            at += 1;
            for operand in self.body.uses(value) {
                let user = self.body.operand(operand).user;
                let is_branch = self.body.inst(user).opcode == Opcode::Branch;
                let is_borrowed = self.body.inst(user).opcode == Opcode::BorrowedFrom
                    && self.body.operand_index(operand) == 0;
                if (is_branch && self.ends_lifetime(operand)) || is_borrowed {
                    values.extend(self.forwarded_values(operand).into_iter().filter(|&v| seen.insert(v)));
                }
            }
        }
        for &value in values.iter().filter(|&&v| self.borrowed_from(v).is_none()) {
            if let Some(def) = super::liveness::Def::of(self.body, value) {
                liveness.define(self.body, def);
            }
        }
        for &value in &values {
            self.add_linear_uses(liveness, value);
        }
    }

    /// Returns the phis in the same block that a phi encloses.
    pub fn inner_adjacent_phis(&self, phi: Value) -> Vec<Value> {
        let block = match self.body.def(phi) {
            silkit_ir::ValueDef::Argument(block, _) => block,
            _ => return Vec::new(),
        };
        let is_inner = |&v: &Value| v != phi && self.listed(v).contains(&phi);
        self.body.arguments(block).iter().copied().filter(is_inner).collect()
    }
}

struct Walk<'a> {
    borrows: Borrows<'a>,
    extent: Extent,
    roots: Vec<Value>,
    seen: FxHashSet<Value>,
    found: Vec<Interior>,
}

impl Walk<'_> {
    fn use_by(&mut self, operand: Operand) {
        let user = self.borrows.body.operand(operand).user;
        self.found.push(Interior::Use(user, UseKind::Regular));
    }

    fn value(&mut self, root: Value) {
        use OperandOwnership as O;
        let body = self.borrows.body;
        let mut stack: Vec<std::vec::IntoIter<Operand>> = Vec::new();
        let uses = |value: Value| body.uses(value).collect::<Vec<_>>().into_iter();
        self.seen.insert(root);
        stack.push(uses(root));
        while let Some(top) = stack.last_mut() {
            let Some(operand) = top.next() else {
                stack.pop();
                continue;
            };
            let user = body.operand(operand).user;
            match self.borrows.using(operand) {
                None | Some(O::NonUse) => {}
                Some(O::PointerEscape)
                    if body.inst(user).opcode == Opcode::ProjectBox
                        && (!self.extent.follows_dependences
                            || self.borrows.has(body.operand(operand).value, Ownership::Guaranteed)) =>
                {
                    self.use_by(operand);
                    if let Some(address) = body.address_result(user) {
                        self.address(address);
                    }
                }
                Some(O::PointerEscape) => self.found.push(Interior::Escape(user)),
                Some(O::InteriorPointer | O::AnyInteriorPointer) => {
                    self.use_by(operand);
                    if let Some(address) = body.address_result(user) {
                        self.address(address);
                    }
                }
                Some(how) if how == O::Borrow || self.borrows.begins_scope(operand) => {
                    if let Some(value) = self.scope(operand) {
                        // Dependent values come after all parts of the value.
                        let is_late = self.extent.follows_dependences
                            && body.inst(user).opcode == Opcode::MarkDependence;
                        stack.insert(if is_late { 0 } else { stack.len() }, uses(value));
                    }
                }
                Some(O::GuaranteedForwarding) => {
                    let is_branch = body.inst(user).opcode == Opcode::Branch;
                    for value in self.forwarded(operand, is_branch).into_iter().rev() {
                        stack.push(uses(value));
                    }
                }
                Some(_) if self.encloses(operand) => {
                    self.use_by(operand);
                    let new: Vec<Value> = body.results(user).filter(|&v| self.seen.insert(v)).collect();
                    new.into_iter().for_each(|value| stack.push(uses(value)));
                }
                Some(how) => {
                    let kind = if how.ends_lifetime() { UseKind::Ending } else { UseKind::Regular };
                    self.found.push(Interior::Use(user, kind));
                }
            }
        }
    }

    /// Returns true if a `borrowed … from` of a phi that is not a reborrow lists an operand as enclosing value.
    fn encloses(&self, operand: Operand) -> bool {
        let user = self.borrows.body.operand(operand).user;
        self.borrows.body.inst(user).opcode == Opcode::BorrowedFrom
            && self.borrows.body.operand_index(operand) > 0
    }

    /// Returns the values that an operand is forwarded to and whose uses are to be visited.
    fn forwarded(&mut self, operand: Operand, is_branch: bool) -> Vec<Value> {
        let forwarded = self.borrows.forwarded_values(operand);
        if is_branch {
            if forwarded.iter().any(|&phi| self.borrows.is_enclosed_by(phi, &self.roots)) {
                self.use_by(operand);
            }
            return Vec::new();
        }
        self.use_by(operand);
        let has_ownership = |v: &Value| self.borrows.ownership.value(*v) != Some(Ownership::None);
        let owned: Vec<Value> = forwarded.into_iter().filter(has_ownership).collect();
        owned.into_iter().filter(|&v| self.seen.insert(v)).collect()
    }

    /// Visits an inner scope. A borrow without an explicit scope ends immediately.
    fn scope(&mut self, operand: Operand) -> Option<Value> {
        let (borrows, body) = (self.borrows, self.borrows.body);
        let user = body.operand(operand).user;
        let result = body.first_result(user);
        if body.inst(user).opcode == Opcode::MarkDependence {
            let result = result?;
            if borrows.has(result, Ownership::Guaranteed) {
                self.use_by(operand);
                return Some(result).filter(|&v| self.seen.insert(v));
            }
            let ty = body.value(result).ty;
            if borrows.ownership.is_non_escapable(ty) != Some(false) {
                self.found.push(Interior::Escape(user));
                return None;
            }
        }
        let value = match body.inst(user).opcode {
            Opcode::BorrowedFrom => Some(body.operand_value(user, 0)),
            Opcode::BeginBorrow | Opcode::StoreBorrow | Opcode::MarkDependence | Opcode::PartialApply => {
                result
            }
            // The token of the coroutine.
            Opcode::BeginApply => body.results(user).last(),
            _ => None,
        };
        if let Some(value) = value {
            self.found.push(Interior::Scope(InnerScope { value, begin: user, is_of_memory: false }));
        }
        self.ends(operand);
        let entered = result.filter(|_| self.extent.enters_scopes);
        entered.filter(|&v| self.seen.insert(v))
    }

    /// Visits the ends of a scope.
    fn ends(&mut self, operand: Operand) {
        let (borrows, body) = (self.borrows, self.borrows.body);
        let ends = borrows.scope_ends(operand);
        if ends.ends.is_empty() {
            self.found.push(Interior::Endless(body.operand(operand).user));
        }
        for end in ends.ends {
            let inst = body.operand(end).user;
            if borrows.using(end) == Some(OperandOwnership::Reborrow) {
                let phis = borrows.forwarded_values(end);
                if phis.iter().any(|&phi| borrows.is_enclosed_by(phi, &self.roots)) {
                    self.found.push(Interior::PassedOn(inst));
                }
            } else {
                self.found.push(Interior::Use(inst, UseKind::Regular));
            }
        }
    }

    /// Pushes the uses of an address so that the oldest is visited first; with dependences, the newest.
    fn push_uses(&self, work: &mut Vec<Operand>, address: Value) {
        let before = work.len();
        work.extend(self.borrows.body.uses(address));
        if self.extent.follows_dependences {
            work[before..].reverse();
        }
    }

    /// Visits the uses of an address and of derived addresses.
    fn address(&mut self, root: Value) {
        let body = self.borrows.body;
        let mut work: Vec<Operand> = Vec::new();
        self.push_uses(&mut work, root);
        while let Some(operand) = work.pop() {
            let user = body.operand(operand).user;
            let opcode = body.inst(user).opcode;
            if body.operand_spec(operand).is_none() {
                continue;
            }
            if let Some(next) = projected_address(body, operand) {
                if opcode == Opcode::BeginAccess {
                    let scope = InnerScope { value: next, begin: user, is_of_memory: true };
                    self.found.push(Interior::Scope(scope));
                    if !self.extent.enters_accesses {
                        let ends = body.scope_ends(user).map(|end| Interior::Use(end, UseKind::Regular));
                        self.found.extend(ends);
                        continue;
                    }
                } else if self.extent.follows_dependences || body.uses(next).next().is_none() {
                    self.use_by(operand);
                }
                if self.seen.insert(next) {
                    self.push_uses(&mut work, next);
                }
                continue;
            }
            self.address_use(operand, &mut work);
        }
    }

    /// Visits a use of an address that derives no address.
    fn address_use(&mut self, operand: Operand, work: &mut Vec<Operand>) {
        let body = self.borrows.body;
        let user = body.operand(operand).user;
        match body.inst(user).opcode {
            Opcode::LoadBorrow => {
                if let Some(value) = body.first_result(user) {
                    let scope = InnerScope { value, begin: user, is_of_memory: true };
                    self.found.push(Interior::Scope(scope));
                }
                match self.extent.enters_accesses {
                    true => body.results(user).for_each(|v| self.push_uses(work, v)),
                    false => self.ends(operand),
                }
            }
            Opcode::BeginApply if self.extent.follows_dependences => {
                if let Some(value) = body.results(user).last() {
                    let scope = InnerScope { value, begin: user, is_of_memory: true };
                    self.found.push(Interior::Scope(scope));
                }
                let ends = self.borrows.coroutine_ends(user);
                self.found.extend(ends.map(|end| Interior::Use(body.operand(end).user, UseKind::Regular)));
            }
            Opcode::MarkDependence if self.extent.follows_dependences => {
                let next = body.address_result(user);
                match next {
                    Some(next) => {
                        self.use_by(operand);
                        if self.seen.insert(next) {
                            self.push_uses(work, next);
                        }
                    }
                    None => self.found.push(Interior::Escape(user)),
                }
            }
            Opcode::AddressToPointer | Opcode::MarkDependence => self.found.push(Interior::Escape(user)),
            Opcode::PartialApply if self.extent.follows_dependences || !body.has_flag(user, "on_stack") => {
                self.found.push(Interior::Escape(user));
            }
            _ => self.use_by(operand),
        }
    }
}
