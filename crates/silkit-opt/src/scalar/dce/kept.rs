//! Values that are kept since pointers to them may be used as long as they live: phis with lexical or escaping incoming
//! values, and escaping values that are consumed in another block, where their lifetime cannot be ended earlier.

use silkit_analysis::ossa::Borrows;
use silkit_base::{Entity, FxHashSet};
use silkit_ir::info::OperandOwnership;
use silkit_ir::instructions as inst;
use silkit_ir::ownership::BodyOwnership;
use silkit_ir::{ArgFlags, Body, Inst, Opcode, Ownership, Value, ValueDef};

/// The values of a body that are kept, computed on demand.
pub(super) struct KeptValues<'a> {
    body: &'a Body,
    ownership: &'a BodyOwnership<'a>,
    found: Option<Found>,
}

struct Found {
    /// The phis with lexical or escaping incoming values.
    phis: FxHashSet<Value>,
    /// Which values have a pointer escape.
    escaping: Vec<bool>,
    /// The phis with incoming values that have a pointer escape.
    escaping_phis: FxHashSet<Value>,
}

impl<'a> KeptValues<'a> {
    pub(super) fn new(body: &'a Body, ownership: &'a BodyOwnership<'a>) -> Self {
        Self { body, ownership, found: None }
    }

    fn found(&mut self) -> &Found {
        self.found.get_or_insert_with(|| {
            let (body, ownership) = (self.body, self.ownership);
            let forwarded = escaping(body, ownership, OperandOwnership::is_forwarding);
            let phis = phis(body, &|value| forwarded[value.index()] || is_lexical(body, value));
            let has_escape = escaping(body, ownership, |how| how == OperandOwnership::GuaranteedForwarding);
            let escaping_phis = self::phis(body, &|value| has_escape[value.index()]);
            Found { phis, escaping: has_escape, escaping_phis }
        })
    }

    /// Returns true if a lifetime end is of a phi that is kept, directly or through a borrow.
    pub(super) fn is_ended(&mut self, value: Value) -> bool {
        let phi = self.body.def_as::<inst::BorrowedFrom>(value).map_or(value, |b| b.value);
        self.body.is_phi(phi) && self.found().phis.contains(&phi)
    }

    /// Returns true if an instruction must be kept since it consumes a value of another block that has a pointer escape.
    pub(super) fn keeps(&mut self, inst: Inst) -> bool {
        !forwards_to_phi(self.body, inst) && self.consumes_escaping(inst)
    }

    /// Returns true if an instruction that forwards such a value to a phi need not be kept, but its block, in which the
    /// value is ended. The reference makes this difference.
    pub(super) fn keeps_block(&mut self, inst: Inst) -> bool {
        forwards_to_phi(self.body, inst) && self.consumes_escaping(inst)
    }

    /// Returns true if an instruction consumes a value of another block that has a pointer escape.
    fn consumes_escaping(&mut self, inst: Inst) -> bool {
        let (body, ownership) = (self.body, self.ownership);
        let block = Some(body.inst_block(inst));
        let ends = |operand| ownership.operand(operand).is_some_and(OperandOwnership::ends_lifetime);
        let consumed = body.operand_ids(inst).filter(|&operand| ends(operand));
        let values = consumed.map(|operand| body.operand(operand).value);
        let mut outer =
            values.filter(|&value| body.defining_block(value).is_some_and(|home| Some(home) != block));
        outer.any(|value| {
            let found = self.found();
            found.escaping[value.index()] || found.escaping_phis.contains(&value)
        })
    }
}

/// Returns true if an instruction forwards a value, and a branch passes it on.
fn forwards_to_phi(body: &Body, inst: Inst) -> bool {
    let forwards = body.is_forwarding(inst) || body.inst(inst).opcode == Opcode::MoveValue;
    forwards
        && body.results(inst).any(|value| body.uses(value).any(|operand| body.passed_to(operand).is_some()))
}

/// Returns the phis that are sources or have incoming values that are, directly or through other phis.
fn phis(body: &Body, is_source: &dyn Fn(Value) -> bool) -> FxHashSet<Value> {
    let arguments = body.blocks().flat_map(|block| body.arguments(block)).copied();
    let results = body.insts().flat_map(|inst| body.results(inst));
    let mut work: Vec<Value> = arguments.chain(results).filter(|&value| is_source(value)).collect();
    let mut found: FxHashSet<Value> = work.iter().copied().filter(|&value| body.is_phi(value)).collect();
    while let Some(value) = work.pop() {
        for phi in body.uses(value).filter_map(|operand| body.passed_to(operand)) {
            if body.is_phi(phi) && found.insert(phi) {
                work.push(phi);
            }
        }
    }
    found
}

/// Returns the values with pointer escapes, and values that are passed to such phis, borrowed by such values, or forwarded
/// to them by operands with some ownership.
fn escaping(
    body: &Body,
    ownership: &BodyOwnership<'_>,
    forwards: impl Fn(OperandOwnership) -> bool,
) -> Vec<bool> {
    let mut found = vec![false; body.value_bound()];
    let mut work: Vec<Value> = Vec::new();
    let borrows = Borrows::new(body, ownership);
    for operand in body.insts().flat_map(|inst| body.operand_ids(inst)) {
        let escapes = match ownership.operand(operand) {
            Some(OperandOwnership::PointerEscape | OperandOwnership::ForwardingUnowned) => true,
            Some(OperandOwnership::InteriorPointer) => borrows.interior_escapes(operand),
            _ => false,
        };
        if escapes {
            work.push(body.operand(operand).value);
        }
    }
    let arguments = body.blocks().flat_map(|block| body.arguments(block)).copied();
    work.extend(arguments.filter(|&arg| body.value(arg).arg_flags.contains(ArgFlags::POINTER_ESCAPE)));
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut found[value.index()], true) {
            continue;
        }
        let is_forwarded = |&operand: &_| ownership.operand(operand).is_some_and(&forwards);
        let is_passed =
            |&operand: &_| ownership.operand(operand).is_some_and(OperandOwnership::is_forwarding);
        match body.def(value) {
            ValueDef::Result(def, _)
                if matches!(body.inst(def).opcode, Opcode::BeginBorrow | Opcode::BorrowedFrom) =>
            {
                work.extend(body.operands(def).iter().map(|operand| operand.value));
            }
            ValueDef::Result(def, _) => {
                work.extend(body.operand_ids(def).filter(is_forwarded).map(|o| body.operand(o).value));
            }
            ValueDef::Argument(block, index) => {
                let passed = body.incoming(block).filter_map(|edge| body.edge_operand(edge, index.into()));
                work.extend(passed.filter(is_passed).map(|o| body.operand(o).value));
            }
            ValueDef::Undef | ValueDef::Pending => {}
        }
    }
    found
}

/// Returns true if a value has a lexical lifetime.
fn is_lexical(body: &Body, value: Value) -> bool {
    match body.def(value) {
        ValueDef::Argument(block, _) if body.is_entry_block(block) => {
            let data = body.value(value);
            data.ownership != Ownership::None && !data.arg_flags.contains(ArgFlags::EAGER_MOVE)
        }
        ValueDef::Argument(..) => body.value(value).arg_flags.contains(ArgFlags::LEXICAL),
        ValueDef::Result(def, _) => {
            matches!(body.inst(def).opcode, Opcode::MoveValue | Opcode::BeginBorrow)
                && body.has_flag(def, "lexical")
        }
        ValueDef::Undef | ValueDef::Pending => false,
    }
}
