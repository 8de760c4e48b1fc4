//! The ends and uses of a lifetime: the uses of a value, and the ends of the scopes that borrow it.

use super::enclosing::InferredEnclosing;
use crate::context::FunctionVerifier;
use silkit_analysis::ossa::projected_address;
use silkit_base::{EntitySet, FxHashSet};
use silkit_ir::info::OperandOwnership;
use silkit_ir::{ArgFlags, Inst, Opcode, Operand, Ownership, Value, ValueDef};
use std::rc::Rc;

/// The relation of a use to a lifetime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UseKind {
    /// Uses the value itself or a forwarded value.
    Value,
    /// Uses memory inside the value.
    Memory,
    /// Ends a scope for which this operand borrows the value.
    EndOf(Operand),
}

/// A use that must be within a lifetime.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// The instruction.
    pub(super) inst: Inst,
    /// The operand; `None` for the end of another scope.
    pub(super) operand: Option<Operand>,
    pub(super) how: UseKind,
}

/// The lifetime of a value.
#[derive(Debug, Default)]
pub(super) struct Lifetime {
    /// The ends; an instruction that ends the lifetime by two operands is listed twice.
    pub(super) ends: Vec<Inst>,
    /// The uses that must be inside the lifetime.
    pub(super) uses: Vec<Use>,
    /// True if an unknown use could end it.
    pub(super) is_unknown: bool,
}

/// A collector of lifetimes, which reuses its memory.
pub(super) struct Collector<'c, 'a> {
    cx: &'c FunctionVerifier<'a>,
    seen: EntitySet<Value>,
    work: Vec<Value>,
    addresses: Vec<Value>,
    found: Lifetime,
    implied: Rc<InferredEnclosing>,
}

impl<'c, 'a> Collector<'c, 'a> {
    pub(super) fn new(cx: &'c FunctionVerifier<'a>) -> Self {
        let (seen, work, addresses) = (EntitySet::new(), Vec::new(), Vec::new());
        let implied = cx.cached(|| InferredEnclosing::compute(cx));
        Self { cx, seen, work, addresses, found: Lifetime::default(), implied }
    }

    /// Returns the lifetime of an owned value.
    pub(super) fn owned(&mut self, value: Value) -> &Lifetime {
        self.start();
        for operand in self.cx.body.uses(value) {
            self.operand(operand, true);
        }
        self.lent_to_implied(value);
        self.follow();
        &self.found
    }

    /// Returns the borrow scope that a value introduces.
    pub(super) fn borrow(&mut self, value: Value) -> &Lifetime {
        self.start();
        self.seen.insert(value);
        // A yielded value is borrowed until the coroutine is resumed, unless an `end_borrow` ends it earlier.
        for operand in self.cx.body.uses(value) {
            self.operand(operand, true);
        }
        if self.found.ends.is_empty()
            && let Some(token) = yielded_with(self.cx, value)
        {
            self.found.ends.extend(self.cx.body.users(token).filter(|&i| ends_coroutine(self.cx, i)));
        }
        self.lent_to_implied(value);
        self.follow();
        &self.found
    }

    fn start(&mut self) {
        self.seen.clear();
        self.work.clear();
        self.found.ends.clear();
        self.found.uses.clear();
        self.found.is_unknown = false;
    }

    /// Follows forwarded values and interior addresses.
    fn follow(&mut self) {
        loop {
            if let Some(value) = self.work.pop() {
                for operand in self.cx.body.uses(value) {
                    self.operand(operand, false);
                }
            } else if let Some(address) = self.addresses.pop() {
                for operand in self.cx.body.uses(address) {
                    self.address_use(operand);
                }
            } else {
                return;
            }
        }
    }

    /// Visits a use of the value or of a value forwarded from it; the latter cannot end the lifetime.
    fn operand(&mut self, operand: Operand, may_end: bool) {
        use OperandOwnership as O;
        let body = self.cx.body;
        let data = body.operand(operand);
        let ownership = self.cx.ownership();
        let (Some(how), Some(of)) = (ownership.operand(operand), ownership.value(data.value)) else {
            self.found.is_unknown = true;
            return;
        };
        let constraint = how.constraint();
        if how == O::NonUse || !constraint.allows(of) {
            return;
        }
        if constraint.ends_lifetime {
            if may_end {
                self.found.ends.push(data.user);
            }
            return;
        }
        self.push(data.user, Some(operand), UseKind::Value);
        match how {
            O::GuaranteedForwarding => self.forward(operand, may_end),
            O::Borrow => self.scope(operand),
            O::InteriorPointer => self.addresses.extend(self.cx.body.address_result(data.user)),
            _ if of != Ownership::Guaranteed => {}
            O::AnyInteriorPointer => self.addresses.extend(self.cx.body.address_result(data.user)),
            _ if body.inst(data.user).opcode == Opcode::ProjectBox => {
                self.addresses.extend(self.cx.body.address_result(data.user));
            }
            _ => {}
        }
        if body.inst(data.user).opcode == Opcode::BorrowedFrom && body.operand_index(operand) > 0 {
            self.lent_to_phi(operand);
        }
    }

    fn push(&mut self, inst: Inst, operand: Option<Operand>, how: UseKind) {
        self.found.uses.push(Use { inst, operand, how });
    }

    /// Follows a guaranteed value to the results and arguments that it is forwarded to. The `borrowed … from` of a
    /// phi lists its enclosing values.
    fn forward(&mut self, operand: Operand, may_end: bool) {
        let body = self.cx.body;
        let user = body.operand(operand).user;
        if body.inst(user).opcode == Opcode::Branch {
            return;
        }
        // The end of the `borrowed` of a reborrow ends the reborrow.
        if body.inst(user).opcode == Opcode::BorrowedFrom && may_end {
            for result in body.results(user).filter(|&v| self.seen.insert(v)).collect::<Vec<_>>() {
                for operand in body.uses(result) {
                    self.operand(operand, true);
                }
            }
            return;
        }
        let arguments = body.successors(user).flat_map(|b| body.arguments(b).iter().copied());
        for value in body.results(user).chain(arguments) {
            if self.cx.ownership().value(value) == Some(Ownership::Guaranteed) && self.seen.insert(value) {
                self.work.push(value);
            }
        }
    }

    /// Adds a phi that encloses the value: a reborrow with its scope, a forwarded value with its uses.
    fn lent_to_phi(&mut self, operand: Operand) {
        let body = self.cx.body;
        let user = body.operand(operand).user;
        let phi = body.operand_value(user, 0);
        for result in body.results(user).collect::<Vec<_>>() {
            if body.value(phi).arg_flags.contains(ArgFlags::REBORROW) {
                self.scope(operand);
            } else if self.seen.insert(result) {
                self.work.push(result);
            }
        }
    }

    /// Adds the enclosed phis without `borrowed … from` as if they had one.
    fn lent_to_implied(&mut self, value: Value) {
        let body = self.cx.body;
        let implied = self.implied.clone();
        for lent in implied.of(value) {
            if body.value(lent.phi).arg_flags.contains(ArgFlags::REBORROW) {
                let ends = body.uses(lent.phi).filter(|&o| ends_lifetime(self.cx, o));
                for end in ends.collect::<Vec<_>>() {
                    self.push(body.operand(end).user, None, UseKind::EndOf(lent.incoming));
                }
            } else if self.seen.insert(lent.phi) {
                self.work.push(lent.phi);
            }
        }
    }

    /// Adds the ends of the scope for which an operand borrows its value.
    fn scope(&mut self, operand: Operand) {
        let mut ends = Vec::new();
        scope_ends(self.cx, operand, &mut ends);
        for inst in ends {
            self.push(inst, None, UseKind::EndOf(operand));
        }
    }

    fn address_use(&mut self, operand: Operand) {
        let body = self.cx.body;
        let user = body.operand(operand).user;
        // A method lookup uses the opened type and not the memory.
        if body.operand_spec(operand).is_none() || body.inst(user).opcode == Opcode::WitnessMethod {
            return;
        }
        self.push(user, Some(operand), UseKind::Memory);
        if let Some(address) = projected_address(self.cx.body, operand)
            && self.seen.insert(address)
        {
            self.addresses.push(address);
        }
        if matches!(body.inst(user).opcode, Opcode::LoadBorrow | Opcode::BeginApply) {
            self.scope(operand);
        }
    }
}

/// Returns the token of the coroutine that yielded a value.
pub(super) fn yielded_with(cx: &FunctionVerifier<'_>, value: Value) -> Option<Value> {
    let ValueDef::Result(inst, _) = cx.body.def(value) else { return None };
    if cx.body.inst(inst).opcode == Opcode::BeginApply { token(cx, inst) } else { None }
}

fn token(cx: &FunctionVerifier<'_>, begin: Inst) -> Option<Value> {
    // None of its other results has an end.
    cx.body.results(begin).find(|&v| cx.body.users(v).any(|i| ends_coroutine(cx, i)))
}

fn ends_coroutine(cx: &FunctionVerifier<'_>, inst: Inst) -> bool {
    matches!(cx.body.inst(inst).opcode, Opcode::EndApply | Opcode::AbortApply)
}

/// Adds the ends of the scope for which an operand borrows its value.
fn scope_ends(cx: &FunctionVerifier<'_>, operand: Operand, ends: &mut Vec<Inst>) {
    let body = cx.body;
    let user = body.operand(operand).user;
    let mut results = body.results(user);
    match body.inst(user).opcode {
        Opcode::BeginBorrow | Opcode::LoadBorrow | Opcode::BorrowedFrom => {
            for value in results {
                ends.extend(body.uses(value).filter(|&o| ends_lifetime(cx, o)).map(|o| body.operand(o).user));
            }
        }
        Opcode::StoreBorrow => {
            let is_end = |i: &Inst| body.inst(*i).opcode == Opcode::EndBorrow;
            ends.extend(results.flat_map(|v| body.users(v)).filter(is_end));
        }
        Opcode::BeginApply => {
            let token = token(cx, user);
            ends.extend(token.into_iter().flat_map(|v| body.users(v)).filter(|&i| ends_coroutine(cx, i)));
        }
        Opcode::Builtin => {
            // The end of an `async let` uses its result.
            ends.extend(results.next().into_iter().flat_map(|v| body.users(v)));
        }
        Opcode::PartialApply | Opcode::MarkDependence => extended_ends(cx, user, ends),
        _ => {}
    }
}

/// Adds the ends of the forward-extended lifetime of the owned result of an instruction.
fn extended_ends(cx: &FunctionVerifier<'_>, inst: Inst, ends: &mut Vec<Inst>) {
    let body = cx.body;
    let is_owned = |v: &Value| cx.ownership().value(*v) == Some(Ownership::Owned);
    let mut seen = FxHashSet::default();
    let mut work: Vec<Value> = body.results(inst).filter(is_owned).collect();
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        for operand in body.uses(value).filter(|&o| ends_lifetime(cx, o)) {
            let user = body.operand(operand).user;
            let before = work.len();
            if body.is_forwarding(user) || body.inst(user).opcode == Opcode::MoveValue {
                work.extend(body.results(user).filter(is_owned));
            }
            if work.len() == before {
                ends.push(user);
            }
        }
    }
}

fn ends_lifetime(cx: &FunctionVerifier<'_>, operand: Operand) -> bool {
    cx.ownership().operand(operand).is_some_and(OperandOwnership::ends_lifetime)
}
