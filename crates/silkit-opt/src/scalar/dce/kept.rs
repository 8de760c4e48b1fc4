//! Phis whose lifetime ends are kept: those with lexical or escaping incoming values.

use silkit_base::{Entity, FxHashSet};
use silkit_ir::info::OperandOwnership;
use silkit_ir::instructions as inst;
use silkit_ir::ownership::BodyOwnership;
use silkit_ir::{ArgFlags, Body, Opcode, Ownership, Value, ValueDef};

/// The phis of a body that are kept, computed on demand.
#[derive(Default)]
pub(super) struct KeptPhis {
    phis: Option<FxHashSet<Value>>,
}

impl KeptPhis {
    /// Returns true if a lifetime end is of a phi that is kept, directly or through a borrow.
    pub(super) fn is_ended(&mut self, body: &Body, ownership: &BodyOwnership<'_>, value: Value) -> bool {
        let phi = body.def_as::<inst::BorrowedFrom>(value).map_or(value, |b| b.value);
        body.is_phi(phi) && self.phis.get_or_insert_with(|| kept(body, ownership)).contains(&phi)
    }
}

/// Returns the phis with lexical or escaping incoming values, directly or through other phis.
fn kept(body: &Body, ownership: &BodyOwnership<'_>) -> FxHashSet<Value> {
    let escaping = escaping(body, ownership);
    let is_source = |&value: &Value| escaping[value.index()] || is_lexical(body, value);
    let arguments = body.blocks().flat_map(|block| body.arguments(block)).copied();
    let results = body.insts().flat_map(|inst| body.results(inst));
    let mut work: Vec<Value> = arguments.chain(results).filter(is_source).collect();
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

/// Returns the values with pointer escapes, and values forwarded to such values.
fn escaping(body: &Body, ownership: &BodyOwnership<'_>) -> Vec<bool> {
    let mut found = vec![false; body.value_bound()];
    let mut work: Vec<Value> = Vec::new();
    for operand in body.insts().flat_map(|inst| body.operand_ids(inst)) {
        if ownership.operand(operand) == Some(OperandOwnership::PointerEscape) {
            work.push(body.operand(operand).value);
        }
    }
    let arguments = body.blocks().flat_map(|block| body.arguments(block)).copied();
    work.extend(arguments.filter(|&arg| body.value(arg).arg_flags.contains(ArgFlags::POINTER_ESCAPE)));
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut found[value.index()], true) {
            continue;
        }
        let forwards = |&operand: &_| ownership.operand(operand).is_some_and(OperandOwnership::is_forwarding);
        match body.def(value) {
            ValueDef::Result(def, _) => {
                work.extend(body.operand_ids(def).filter(forwards).map(|o| body.operand(o).value));
            }
            ValueDef::Argument(block, index) => {
                let passed = body.incoming(block).filter_map(|edge| body.edge_operand(edge, index.into()));
                work.extend(passed.filter(forwards).map(|o| body.operand(o).value));
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
