//! The known uses that a value's lifetime must cover.

use super::borrows::Borrows;
use super::liveness::{Liveness, UseKind};
use silkit_base::FxHashSet;
use silkit_ir::info::OperandOwnership;
use silkit_ir::{AddressUse, Body, Opcode, Operand, Ownership, Value};

/// The reason why computed liveness may be incomplete.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Incomplete {
    /// It is complete.
    #[default]
    Complete,
    /// An inner scope is reborrowed.
    Reborrowed,
    /// A pointer escape.
    Escaping,
    /// An address use is not known.
    Unknown,
}

/// Returns the address of the same memory that a use of an address derives.
pub fn projected_address(body: &Body, operand: Operand) -> Option<Value> {
    let user = body.operand(operand).user;
    match body.address_use(operand) {
        // These are not followed: a binding is a separate variable, and so is a value without its deinitializer.
        _ if matches!(
            body.inst(user).opcode,
            Opcode::MarkUnresolvedReferenceBinding | Opcode::DropDeinit
        ) =>
        {
            None
        }
        AddressUse::Project
        | AddressUse::ProjectContent
        | AddressUse::ProjectToInitialize
        | AddressUse::Access
        | AddressUse::Lend => body.first_result(user).filter(|&v| body.value(v).ty.is_address()),
        _ => None,
    }
}

impl Borrows<'_> {
    /// Adds to a liveness the uses of one of its definitions, including those of values that it is forwarded to
    /// without ending its lifetime and the ends of scopes that borrow it.
    pub fn add_simple_uses(&self, liveness: &mut Liveness, value: Value) -> Incomplete {
        let mut walk =
            SimpleUses { borrows: *self, liveness, seen: FxHashSet::default(), found: Incomplete::Complete };
        walk.value(value);
        walk.found
    }

    /// Adds to a liveness the uses that end a value's lifetime or, if there are none, those that extend it.
    pub fn add_linear_uses(&self, liveness: &mut Liveness, value: Value) {
        for operand in self.body.uses(value) {
            let user = self.body.operand(operand).user;
            let extends = self.body.inst(user).opcode == Opcode::ExtendLifetime;
            if self.ends_lifetime(operand) {
                liveness.use_at(self.body, user, UseKind::Ending);
            } else if extends {
                liveness.use_at(self.body, user, UseKind::Regular);
            }
        }
    }

    /// Adds to a liveness the uses of an address, of derived addresses, and of values borrowed from there.
    pub fn add_address_uses(&self, liveness: &mut Liveness, address: Value) -> Incomplete {
        let mut walk =
            SimpleUses { borrows: *self, liveness, seen: FxHashSet::default(), found: Incomplete::Complete };
        walk.address(address);
        walk.found
    }

    /// Returns the roots of an enclosing value: its introducers, or the value itself.
    pub(super) fn roots(&self, value: Value) -> Vec<Value> {
        let of = self.body.look_through_borrowed_from(value);
        let mut roots = vec![value, of];
        if !self.introduces_borrow(of) && !self.has(of, Ownership::Owned) {
            roots.extend(self.introducers(value));
        }
        roots
    }

    /// Returns true if the lifetime of a phi depends only on these roots.
    pub(super) fn is_enclosed_by(&self, phi: Value, roots: &[Value]) -> bool {
        self.listed(phi).iter().any(|value| roots.contains(&self.body.look_through_borrowed_from(*value)))
    }
}

struct SimpleUses<'w, 'a> {
    borrows: Borrows<'a>,
    liveness: &'w mut Liveness,
    seen: FxHashSet<Value>,
    found: Incomplete,
}

impl SimpleUses<'_, '_> {
    fn body(&self) -> &Body {
        self.borrows.body
    }

    fn found(&mut self, found: Incomplete) {
        self.found = self.found.max(found);
    }

    fn use_at(&mut self, operand: Operand, kind: UseKind) {
        let user = self.borrows.body.operand(operand).user;
        self.liveness.use_at(self.borrows.body, user, kind);
    }

    fn value(&mut self, root: Value) {
        use OperandOwnership as O;
        let body = self.borrows.body;
        let roots = self.borrows.roots(root);
        // The uses of a value are visited before those of its forwarded values.
        let mut stack: Vec<std::vec::IntoIter<Operand>> = Vec::new();
        let uses = |value: Value| body.uses(value).collect::<Vec<_>>().into_iter();
        self.seen.insert(root);
        stack.push(uses(root));
        while let Some(top) = stack.last_mut() {
            let Some(operand) = top.next() else {
                stack.pop();
                continue;
            };
            match self.borrows.using(operand) {
                None | Some(O::NonUse) => {}
                Some(O::Borrow) => self.scope(operand),
                Some(_) if self.borrows.begins_scope(operand) => self.scope(operand),
                Some(O::PointerEscape) => self.found(Incomplete::Escaping),
                Some(O::InteriorPointer | O::AnyInteriorPointer) => self.interior(operand),
                Some(O::TrivialUse) => self.trivial(operand),
                Some(O::GuaranteedForwarding) => {
                    let forwarded = self.borrows.forwarded_values(operand);
                    let is_branch = body.inst(body.operand(operand).user).opcode == Opcode::Branch;
                    if is_branch && !forwarded.iter().any(|&phi| self.borrows.is_enclosed_by(phi, &roots)) {
                        continue;
                    }
                    self.use_at(operand, UseKind::Regular);
                    for value in forwarded.into_iter().rev() {
                        let has_ownership = self.borrows.ownership.value(value) != Some(Ownership::None);
                        if has_ownership && self.seen.insert(value) {
                            stack.push(uses(value));
                        }
                    }
                }
                Some(how) => {
                    let kind = if how.ends_lifetime() { UseKind::Ending } else { UseKind::Regular };
                    self.use_at(operand, kind);
                }
            }
        }
    }

    /// Adds the ends of a scope as uses.
    fn scope(&mut self, operand: Operand) {
        let ends = self.borrows.scope_ends(operand);
        if ends.ends.is_empty() {
            self.use_at(operand, UseKind::Regular);
        }
        if ends.escapes {
            self.found(Incomplete::Escaping);
        }
        for end in ends.ends {
            if self.borrows.using(end) == Some(OperandOwnership::Reborrow) {
                self.found(Incomplete::Reborrowed);
            }
            self.use_at(end, UseKind::Regular);
        }
    }

    /// Adds a trivial use: a use of an address, which may begin an access.
    fn trivial(&mut self, operand: Operand) {
        let user = self.body().operand(operand).user;
        if let Opcode::BeginAccess | Opcode::StoreBorrow = self.body().inst(user).opcode {
            let body = self.borrows.body;
            body.scope_ends(user).for_each(|end| self.liveness.use_at(body, end, UseKind::Regular));
        }
        self.use_at(operand, UseKind::Regular);
    }

    /// Adds a use that derives an interior address.
    fn interior(&mut self, operand: Operand) {
        let user = self.body().operand(operand).user;
        let Some(address) = self.body().address_result(user) else {
            self.use_at(operand, UseKind::Regular);
            return;
        };
        if !self.address(address) {
            self.use_at(operand, UseKind::Regular);
        }
    }

    /// Adds the uses of an address and of derived addresses, oldest first. Returns true if there is one.
    fn address(&mut self, root: Value) -> bool {
        let body = self.borrows.body;
        let mut any = false;
        let mut seen = FxHashSet::default();
        let root_opcode = body.defining_inst(root).map(|inst| body.inst(inst).opcode);
        let is_scope = matches!(root_opcode, Some(Opcode::BeginAccess | Opcode::StoreBorrow));
        let mut work: Vec<Operand> = body.uses(root).collect();
        while let Some(operand) = work.pop() {
            let user = body.operand(operand).user;
            if body.operand_spec(operand).is_none() {
                continue;
            }
            any = true;
            if let Some(next) = projected_address(body, operand)
                && body.is_used(next)
            {
                if seen.insert(next) {
                    work.extend(body.uses(next));
                }
                continue;
            }
            match body.inst(user).opcode {
                // The scope may be incomplete: uses in it count.
                Opcode::LoadBorrow => work.extend(body.results(user).flat_map(|v| body.uses(v))),
                Opcode::AddressToPointer => {
                    self.found(Incomplete::Escaping);
                    self.use_at(operand, UseKind::Regular);
                }
                Opcode::EndAccess | Opcode::EndBorrow if is_scope && body.operand(operand).value == root => {}
                _ => self.use_at(operand, UseKind::Regular),
            }
        }
        for operand in body.uses(root).filter(|_| is_scope) {
            if matches!(body.inst(body.operand(operand).user).opcode, Opcode::EndAccess | Opcode::EndBorrow) {
                self.use_at(operand, UseKind::Ending);
            }
        }
        any
    }
}
