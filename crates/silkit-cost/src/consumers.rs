//! The uses that take over the count that a retain adds.
//!
//! Outside OSSA, a retain does not say what it is for: a reference is retained some time before it is stored, passed, returned or captured, and the
//! optimizer moves retains of one reference next to each other, and behind stores. Retains and such uses are matched in their order, as in a
//! queue: the first use takes the count that the reference is created with, if there is one, and the next ones the counts of the retains.

use silkit::analysis::{BodyView, Dominators, RcIdentity};
use silkit::ir::conventions::Conventions;
use silkit::ir::info::Role;
use silkit::ir::{Block, Body, Inst, Opcode, Operand, Value, ValueDef};
use std::collections::VecDeque;

/// The maximum number of values that are followed from a retained one.
const MAX_VALUES: usize = 32;

/// The maximum number of uses of a value that are looked at.
pub(crate) const MAX_USES: usize = 256;

/// What happens to the count of a retain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Consumer {
    /// An operand takes it over: a store, a return, an owned argument, a captured value.
    Operand(Operand),
    /// A release of the same reference ends it.
    Release,
}

/// Finds consumers in one body.
pub(crate) struct Consumers<'a> {
    pub(crate) view: BodyView<'a>,
    pub(crate) dominators: &'a Dominators,
    pub(crate) identity: RcIdentity<'a>,
}

impl<'a> Consumers<'a> {
    pub(crate) fn new(view: &BodyView<'a>, dominators: &'a Dominators) -> Self {
        Self { view: *view, dominators, identity: RcIdentity::new(view, dominators) }
    }

    fn body(&self) -> &'a Body {
        self.view.body
    }

    /// Returns the consumer of the count that an instruction adds to a value; for a copy, the value is its result.
    pub(crate) fn of(&self, inst: Inst, value: Value) -> Option<Consumer> {
        let body = self.body();
        let home = body.inst_block(inst);
        let mut retains = Vec::new();
        let mut consumers = Vec::new();
        for value in self.same_reference(value) {
            for operand in body.uses(value).take(MAX_USES) {
                let user = body.operand(operand).user;
                let consumer = match body.role(user) {
                    Role::Retain(_) => {
                        if body.inst_block(user) == home && !retains.contains(&user) {
                            retains.push(user);
                        }
                        continue;
                    }
                    Role::Release(_) | Role::Destruction(_) => Consumer::Release,
                    _ if self.consumes(operand) => Consumer::Operand(operand),
                    _ => continue,
                };
                if self.may_follow(user, home) {
                    consumers.push((user, consumer));
                }
            }
        }
        if !retains.contains(&inst) {
            retains.push(inst);
        }
        retains.sort_by_key(|&retain| body.layout_key(retain));
        consumers.sort_by_key(|&(user, _)| (body.inst_block(user) != home, body.layout_key(user)));
        self.matched(inst, value, &retains, &consumers)
    }

    /// Matches retains in the block of an instruction with consumers, both in their order, and returns the one of the instruction.
    fn matched(
        &self,
        inst: Inst,
        value: Value,
        retains: &[Inst],
        consumers: &[(Inst, Consumer)],
    ) -> Option<Consumer> {
        let body = self.body();
        let home = body.inst_block(inst);
        // The counts that are open, `None` for the one that the reference is created with, and the consumers without a count.
        let mut open: VecDeque<Option<Inst>> = VecDeque::new();
        let mut waiting: VecDeque<Consumer> = VecDeque::new();
        if self.is_created_owned(value) {
            open.push_back(None);
        }
        let mut retains = retains.iter().copied().peekable();
        for &(user, consumer) in consumers {
            let is_before =
                |retain: &Inst| body.inst_block(user) != home || body.inst_precedes(*retain, user);
            while let Some(retain) = retains.next_if(is_before) {
                match waiting.pop_front() {
                    Some(consumer) if retain == inst => return Some(consumer),
                    Some(_) => {}
                    None => open.push_back(Some(retain)),
                }
            }
            match open.pop_front() {
                Some(count) if count == Some(inst) => return Some(consumer),
                Some(_) => {}
                None => waiting.push_back(consumer),
            }
        }
        // Retains behind all consumers.
        retains.find_map(|retain| waiting.pop_front().filter(|_| retain == inst))
    }

    /// Returns true if the reference of a value is created with a count that this function owns.
    fn is_created_owned(&self, value: Value) -> bool {
        let body = self.body();
        let root = self.identity.root(value);
        match body.def(root) {
            ValueDef::Result(inst, _) => body.is_allocation(inst) || body.info(inst).apply.is_some(),
            ValueDef::Argument(block, index) if body.is_entry_block(block) => {
                let conventions = Conventions::of(self.view.function, self.view.addresses());
                let convention = conventions.and_then(|c| c.convention(index.into()));
                convention.is_some_and(|convention| convention.is_consumed())
            }
            ValueDef::Argument(..) | ValueDef::Undef | ValueDef::Pending => false,
        }
    }

    fn may_follow(&self, user: Inst, home: Block) -> bool {
        let block = self.body().inst_block(user);
        block == home || self.dominators.dominates(home, block)
    }

    /// Returns the values that hold the same reference: the root, and what it is forwarded to.
    fn same_reference(&self, value: Value) -> Vec<Value> {
        let body = self.body();
        let root = self.identity.root(value);
        let mut values = vec![root];
        if value != root {
            values.push(value);
        }
        let mut next = 0;
        while let Some(&value) = values.get(next) {
            next += 1;
            for operand in body.uses(value).take(MAX_USES) {
                let user = body.operand(operand).user;
                let forwards = body.is_forwarding(user) && !body.is_terminator(user)
                    || matches!(body.role(user), Role::Cast(_) | Role::Marker(_));
                let results = body.results(user).filter(|_| forwards);
                for more in results.chain(body.passed_to(operand)) {
                    if values.len() < MAX_VALUES && !values.contains(&more) {
                        values.push(more);
                    }
                }
            }
        }
        values
    }

    /// Returns true if an operand takes over a count.
    fn consumes(&self, operand: Operand) -> bool {
        let body = self.body();
        let user = body.operand(operand).user;
        let index = body.operand_index(operand);
        match body.inst(user).opcode {
            Opcode::Store => index == 0,
            Opcode::Return | Opcode::Throw => true,
            Opcode::PartialApply => !body.is_stack_allocation(user),
            _ => self.view.apply_site(user).is_some_and(|site| {
                site.is_full()
                    && index != site.callee_operand()
                    && site.convention_of_operand(index).is_some_and(|convention| convention.is_consumed())
            }),
        }
    }
}
