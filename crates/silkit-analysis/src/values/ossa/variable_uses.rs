//! The uses of a local variable's memory, through its box, derived addresses and on-stack closures.

use super::borrows::Borrows;
use super::variables::VariableAccessKind as Kind;
use super::visible_uses::projected_address;
use silkit_base::FxHashSet;
use silkit_ir::conventions::{ApplySite, ArgumentConvention};
use silkit_ir::instructions::{DependenceKind, MarkDependence};
use silkit_ir::{AddressUse, Body, Inst, Opcode, Operand, Value};

/// The effect of a use of an address.
enum VariableUse {
    /// No effect.
    None,
    /// Accesses the memory.
    Access(Kind),
    /// Derives an address of the same memory.
    Projection(Value),
    /// Derives an address of the same memory with a dependence on another value.
    Dependent(Value),
    /// Captured by a non-escaping closure.
    Closure,
    /// An unknown effect.
    Unknown,
}

fn of_address(body: &Body, operand: Operand) -> VariableUse {
    let user = body.operand(operand).user;
    let index = body.operand_index(operand);
    let result = body.first_result(user);
    match body.inst(user).opcode {
        Opcode::MarkDependence => {
            return match result {
                Some(v) if index == 0 => VariableUse::Dependent(v),
                Some(v) if body.value(v).ty.is_address() => VariableUse::Access(Kind::DependenceSource),
                _ if is_non_escaping(body, user) => VariableUse::None,
                _ => VariableUse::Access(Kind::Escape),
            };
        }
        // Definite initialization has not yet decided whether it calls a setter.
        Opcode::AssignOrInit if index == 1 => return VariableUse::Access(Kind::Store),
        Opcode::TupleAddrConstructor if index > 0 => return VariableUse::Unknown,
        Opcode::MergeIsolationRegion => return VariableUse::Unknown,
        _ => {}
    }
    let using = body.address_use(operand);
    match using {
        AddressUse::Mention | AddressUse::KeepAlive | AddressUse::Forget | AddressUse::Deallocate => {
            VariableUse::None
        }
        AddressUse::Access => VariableUse::Access(Kind::BeginAccess),
        AddressUse::Lend => VariableUse::Access(Kind::StoreBorrow),
        AddressUse::ReadType | AddressUse::ReadTag | AddressUse::TakeOnSuccess => {
            VariableUse::Access(Kind::Load)
        }
        _ if using.loads() => VariableUse::Access(Kind::Load),
        AddressUse::InitializeOnSuccess
        | AddressUse::Destroy
        | AddressUse::Deinitialize
        | AddressUse::WritePart => VariableUse::Access(Kind::Store),
        _ if using.stores() => VariableUse::Access(Kind::Store),
        AddressUse::Depend => VariableUse::Access(Kind::DependenceDest),
        AddressUse::DependOn => VariableUse::Access(Kind::DependenceSource),
        AddressUse::Yield => VariableUse::Access(Kind::Yield),
        AddressUse::Capture if body.has_flag(user, "on_stack") => VariableUse::Closure,
        AddressUse::Capture | AddressUse::Escape => VariableUse::Access(Kind::Escape),
        AddressUse::Call => VariableUse::Access(Kind::Apply),
        _ => projected_address(body, operand).map_or(VariableUse::Unknown, VariableUse::Projection),
    }
}

fn is_non_escaping(body: &Body, inst: Inst) -> bool {
    let dependence = body.view_as::<MarkDependence>(inst);
    dependence.is_some_and(|d| d.kind == Some(DependenceKind::Nonescaping))
}

/// Returns true if an instruction stores its operand.
pub(super) fn stores(body: &Body, inst: Inst) -> bool {
    let is_store = |using: AddressUse| {
        using.stores() || matches!(using, AddressUse::InitializeOnSuccess | AddressUse::Lend)
    };
    match body.inst(inst).opcode {
        // Definite initialization has not yet decided whether it calls a setter.
        Opcode::AssignOrInit => true,
        // It stores the elements of the tuple one by one.
        Opcode::TupleAddrConstructor => false,
        _ => body.uses_address(inst, is_store),
    }
}

/// Returns true if an operand is the address of a whole variable. The address of an argument is only queried for
/// formal accesses.
pub(super) fn is_base(body: &Body, operand: Operand) -> bool {
    use Opcode as O;
    let is_mark = |opcode| {
        matches!(opcode, O::MarkDependence | O::MarkUninitialized | O::MarkUnresolvedNonCopyableValue)
    };
    let root = body.defining_inst(body.look_through(body.operand(operand).value, is_mark));
    root.is_some_and(|inst| matches!(body.inst(inst).opcode, O::AllocStack | O::ProjectBox | O::BeginAccess))
}

/// Returns the convention of an operand that is passed to a function.
pub(super) fn applied(borrows: &Borrows<'_>, operand: Operand) -> Option<ArgumentConvention> {
    let site = ApplySite::of_operand(borrows.body, operand, borrows.ownership.addresses())?;
    site.convention_of_operand(borrows.body.operand_index(operand))
}

/// Returns true if the memory of a formal access is stored to once, as a whole, and otherwise only read and
/// destroyed.
pub(super) fn is_single_assignment(borrows: &Borrows<'_>, address: Value) -> bool {
    let body = borrows.body;
    let mut stores_of_all = 0;
    let mut work = vec![address];
    while let Some(value) = work.pop() {
        for operand in body.uses(value) {
            let user = body.operand(operand).user;
            match of_address(body, operand) {
                VariableUse::None | VariableUse::Access(Kind::DependenceDest) => {}
                VariableUse::Access(Kind::Load) if body.inst(user).opcode != Opcode::LoadBorrow => {}
                VariableUse::Access(Kind::BeginAccess) => work.extend(body.results(user)),
                VariableUse::Access(Kind::Store) => {
                    stores_of_all += usize::from(stores(body, user) && is_base(body, operand));
                }
                VariableUse::Access(Kind::Apply) => match applied(borrows, operand) {
                    Some(ArgumentConvention::Out) => stores_of_all += usize::from(is_base(body, operand)),
                    Some(ArgumentConvention::In | ArgumentConvention::InGuaranteed) => {}
                    _ => return false,
                },
                VariableUse::Projection(v) | VariableUse::Dependent(v) => work.push(v),
                _ => return false,
            }
        }
    }
    stores_of_all == 1
}

/// The kind of value whose uses are visited.
#[derive(Clone, Copy)]
enum Holder {
    Address,
    Box,
    Closure,
}

/// A walk to all accesses of a variable.
pub(super) struct Collector<'b, 'a> {
    borrows: &'b Borrows<'a>,
    /// The accesses in use order, each followed by the accesses that it leads to.
    pub(super) found: Vec<(Kind, Operand)>,
    stack: Vec<(Holder, std::vec::IntoIter<Operand>)>,
    seen: FxHashSet<Value>,
}

impl<'b, 'a> Collector<'b, 'a> {
    pub(super) fn new(borrows: &'b Borrows<'a>) -> Self {
        Self { borrows, found: Vec::new(), stack: Vec::new(), seen: FxHashSet::default() }
    }

    /// Collects the accesses to a variable; `None` if a use is not understood.
    pub(super) fn allocation(&mut self, allocation: Value) -> Option<()> {
        let is_address = self.borrows.body.value(allocation).ty.is_address();
        self.walk(if is_address { Holder::Address } else { Holder::Box }, allocation);
        while let Some((holder, uses)) = self.stack.last_mut() {
            let holder = *holder;
            let Some(operand) = uses.next() else {
                self.stack.pop();
                continue;
            };
            match holder {
                Holder::Address => self.address(operand)?,
                Holder::Box => self.reference(operand),
                Holder::Closure => self.closure(operand),
            }
        }
        Some(())
    }

    fn walk(&mut self, holder: Holder, value: Value) {
        if self.seen.insert(value) {
            let uses: Vec<Operand> = self.borrows.body.uses(value).collect();
            self.stack.push((holder, uses.into_iter()));
        }
    }

    fn walk_results(&mut self, holder: Holder, inst: Inst) {
        self.borrows.body.results(inst).for_each(|value| self.walk(holder, value));
    }

    fn address(&mut self, operand: Operand) -> Option<()> {
        match of_address(self.borrows.body, operand) {
            VariableUse::None => {}
            VariableUse::Access(kind) => self.found.push((kind, operand)),
            VariableUse::Projection(value) => self.walk(Holder::Address, value),
            VariableUse::Dependent(value) => {
                self.found.push((Kind::DependenceDest, operand));
                self.walk(Holder::Address, value);
            }
            VariableUse::Closure => {
                self.walk_results(Holder::Closure, self.borrows.body.operand(operand).user);
            }
            VariableUse::Unknown => return None,
        }
        Some(())
    }

    fn reference(&mut self, operand: Operand) {
        let body = self.borrows.body;
        let user = body.operand(operand).user;
        match body.inst(user).opcode {
            Opcode::ProjectBox => self.walk_results(Holder::Address, user),
            Opcode::CopyValue | Opcode::BeginBorrow | Opcode::MoveValue | Opcode::MarkUninitialized => {
                self.walk_results(Holder::Box, user);
            }
            Opcode::Branch => {
                for value in self.borrows.forwarded_values(operand) {
                    self.walk(Holder::Box, value);
                }
            }
            Opcode::DestroyValue => self.found.push((Kind::Store, operand)),
            Opcode::DeallocBox
            | Opcode::EndBorrow
            | Opcode::DebugValue
            | Opcode::FixLifetime
            | Opcode::EndLifetime => {}
            _ => self.found.push((Kind::Escape, operand)),
        }
    }

    /// Visits the calls of a non-escaping closure, which accesses its captures there.
    fn closure(&mut self, operand: Operand) {
        let body = self.borrows.body;
        let user = body.operand(operand).user;
        match body.inst(user).opcode {
            Opcode::CopyValue
            | Opcode::BeginBorrow
            | Opcode::MoveValue
            | Opcode::ConvertFunction
            | Opcode::MarkDependence => self.walk_results(Holder::Closure, user),
            Opcode::PartialApply if body.has_flag(user, "on_stack") => {
                self.walk_results(Holder::Closure, user);
            }
            Opcode::PartialApply => self.found.push((Kind::Escape, operand)),
            Opcode::DestroyValue | Opcode::EndBorrow | Opcode::DeallocStack | Opcode::DebugValue => {}
            _ if body.info(user).apply.is_some() => self.found.push((Kind::Apply, operand)),
            _ => self.found.push((Kind::Escape, operand)),
        }
    }
}
