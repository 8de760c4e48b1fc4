//! Lexical values, whose lifetime must not end before deinit barriers.

use silkit_base::FxHashSet;
use silkit_ir::instructions::{BeginBorrow, MoveValue};
use silkit_ir::{ArgFlags, Body, Opcode, Value, ValueDef};

/// The lexical values of a body.
#[derive(Clone, Debug, Default)]
pub struct LexicalValues {
    /// The phis that a lexical value is passed to, directly or through other phis.
    phis: FxHashSet<Value>,
}

impl LexicalValues {
    /// Computes the lexical values of a body.
    pub fn of(body: &Body) -> Self {
        let mut this = Self::default();
        let entry = body.entry_block();
        let arguments = entry.into_iter().flat_map(|block| body.arguments(block)).copied();
        let results = body
            .insts()
            .filter(|&inst| matches!(body.inst(inst).opcode, Opcode::MoveValue | Opcode::BeginBorrow));
        for value in arguments.chain(results.flat_map(|inst| body.results(inst))) {
            this.spread(body, value);
        }
        this
    }

    /// Returns true if an owned value has a lexical lifetime.
    pub fn contains(&self, body: &Body, value: Value) -> bool {
        is_lexical_itself(body, value) || self.phis.contains(&value)
    }

    /// Records that a value is now passed to other phis.
    pub fn spread(&mut self, body: &Body, value: Value) {
        if self.contains(body, value) {
            let taking: Vec<Value> = body.uses(value).filter_map(|operand| body.passed_to(operand)).collect();
            taking.into_iter().for_each(|phi| self.add(body, phi));
        }
    }

    fn add(&mut self, body: &Body, phi: Value) {
        let mut work = vec![phi];
        while let Some(phi) = work.pop() {
            if self.phis.insert(phi) {
                work.extend(body.uses(phi).filter_map(|operand| body.passed_to(operand)));
            }
        }
    }
}

fn is_lexical_itself(body: &Body, value: Value) -> bool {
    match body.def(value) {
        ValueDef::Argument(block, _) => {
            body.is_entry_block(block) && !body.value(value).arg_flags.contains(ArgFlags::EAGER_MOVE)
        }
        _ => {
            body.def_as::<MoveValue>(value).is_some_and(|m| m.lexical)
                || body.def_as::<BeginBorrow>(value).is_some_and(|b| b.lexical)
        }
    }
}
