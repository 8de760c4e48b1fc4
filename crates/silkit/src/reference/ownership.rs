//! Errors of the ownership verifier, with the values and users.

use super::ReferenceRenderer;
use silkit_analysis::DeadEnds;
use silkit_base::FxHashSet;
use silkit_ir::ownership::OwnershipConstraint;
use silkit_ir::{Block, Body, FunctionId, Inst, Module, Opcode, Ownership, Value, ValueDef};
use silkit_text::Dump;
use silkit_verify::{Finding, OwnershipError, ReferenceMessage};

/// The layout of a sequence of errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    /// The layout of the verifier, which stops at the first error.
    Plain,
    /// The layout of the verifier's test mode: numbered in each function.
    Numbered,
}

/// Returns the errors of one function in value order.
pub(super) fn errors(module: &Module, id: FunctionId, findings: &[Finding], layout: Layout) -> String {
    let function = &module.functions[id];
    let Some(body) = &function.body else { return String::new() };
    let dump = ReferenceRenderer::new(module).dump(body);
    let mut told: Vec<(Value, &OwnershipError)> = findings
        .iter()
        .flat_map(|f| &f.reference_messages)
        .filter_map(|t| {
            if let ReferenceMessage::Ownership(value, error) = t { Some((*value, error)) } else { None }
        })
        .collect();
    // After an incompatible use, no further errors are reported for a value.
    let is_incompatible = |e: &OwnershipError| matches!(e, OwnershipError::Incompatible { .. });
    let unfit: FxHashSet<Value> = told.iter().filter(|(_, e)| is_incompatible(e)).map(|t| t.0).collect();
    told.retain(|(value, error)| is_incompatible(error) || !unfit.contains(value));
    told.sort_by_key(|(value, _)| dump.value_number(*value));
    let name = function.name.as_str();
    let mut out = String::new();
    for (number, (value, error)) in told.into_iter().enumerate() {
        let number = if layout == Layout::Numbered { format!("Error#: {number}. ") } else { String::new() };
        let teller = Teller { name, body, dump: &dump, layout, value };
        let text = teller.tell(error);
        out += &format!("{number}Begin Error in Function: '{name}'\n{text}");
        out += &format!("{number}End Error in Function: '{name}'\n");
    }
    out
}

struct Teller<'t, 'a> {
    name: &'t str,
    body: &'a Body,
    dump: &'t Dump<'a>,
    layout: Layout,
    value: Value,
}

impl Teller<'_, '_> {
    fn tell(&self, error: &OwnershipError) -> String {
        match error {
            OwnershipError::Incompatible { operand, ownership, wanted } => {
                let data = self.body.operand(*operand);
                let (number, has) = (self.body.operand_index(*operand), kind(*ownership));
                let constraint = constraint(*wanted);
                if self.layout == Layout::Plain {
                    let context = self.dump.value(data.value, "   ") + &self.dump.inst(data.user, "-> ");
                    return format!(
                        "Found an operand with a value that is not compatible with the operand's operand \
                         ownership kind map.\n{}Value Ownership Kind: {has}\nInstruction:\n{context}\
                         Constraint: {constraint}\n",
                        self.value()
                    );
                }
                let user = self.inst("User: ", data.user);
                format!(
                    "Have operand with incompatible ownership?!\n{}{user}Operand Number: {number}\n\
                     Conv: {has}\nConstraint:\n{constraint}\n",
                    self.value()
                )
            }
            OwnershipError::Leaked { ends } if ends.is_empty() => self.never_ended(),
            OwnershipError::Leaked { ends } => {
                let blocks: String = leaking(self.body, self.value, ends)
                    .into_iter()
                    .map(|block| format!(" {}\n", self.dump.block(block)))
                    .collect();
                format!(
                    "Error! Found a leak due to a consuming post-dominance failure!\n{}\
                     Post Dominating Failure Blocks:\n{blocks}",
                    self.value()
                )
            }
            OwnershipError::EndedTwice { first, second, path, ends } => {
                self.ended_twice(*first, *second, path, ends)
            }
            OwnershipError::UsedOutside { user, end: Some(end) } => {
                let block = self.dump.block(self.body.inst_block(*user));
                let (end, user) =
                    (self.inst("Consuming User: ", *end), self.inst("Non Consuming User: ", *user));
                format!("Found outside of lifetime use?!\n{}{end}{user}Block: {block}\n\n", self.value())
            }
            OwnershipError::UsedOutside { user, end: None } if self.is_reborrowed() => {
                let block = self.dump.block(self.body.inst_block(*user));
                let user = self.inst("User:", *user);
                format!("Found outside of lifetime use!\n{}{user}Block: {block}\n", self.value())
            }
            OwnershipError::UsedOutside { user, end: None } => {
                let user = self.inst("User: ", *user);
                let name = self.name;
                format!(
                    "Function: '{name}'\nFound non consuming use outside of the lifetime being verified.\n{}{user}",
                    self.value()
                )
            }
            OwnershipError::NotABorrow { end } => {
                let value = self.dump.value(self.value, "");
                format!("Invalid End Borrow!\nOriginal Value: {value}{}\n", self.inst("End Borrow: ", *end))
            }
            OwnershipError::MixedPhi => {
                let phi = self.dump.value(self.value, "");
                format!(
                    "Malformed @guaranteed phi!\nPhi: {phi}Guaranteed forwarding operands not found on all paths!\n"
                )
            }
        }
    }

    fn never_ended(&self) -> String {
        let body = self.body;
        let is_entry = |block| body.is_entry_block(block);
        let what = match body.def(self.value) {
            ValueDef::Argument(block, _) if is_entry(block) => {
                "Owned function parameter without lifetime ending uses!"
            }
            ValueDef::Result(inst, _) if body.inst(inst).opcode == Opcode::BeginApply => {
                "Owned yield without lifetime ending uses!"
            }
            ValueDef::Result(..) if self.begins_borrow() => {
                "Non trivial values, non address values, and non guaranteed function args must have at least one \
                 lifetime ending use?!"
            }
            _ => "Error! Found a leaked owned value that was never consumed.",
        };
        format!("{what}\n{}\n", self.value())
    }

    /// Returns the reference's message about a value that is consumed twice. The reference visits ends in the order of the
    /// uses, and those of borrows in reverse. It names the later end if both are in one block or in adjacent blocks, and
    /// none if the path between them is longer.
    fn ended_twice(&self, first: Inst, second: Inst, path: &[Block], ends: &[Inst]) -> String {
        let body = self.body;
        let mut ends = ends.to_vec();
        if self.begins_borrow() {
            ends.reverse();
        }
        let block = self.dump.block(body.inst_block(first));
        let user = match path.len() {
            0 | 1 => ends.iter().rev().copied().find(|&i| i == first || i == second),
            2 => Some(second),
            _ => None,
        };
        let user = user.map(|user| self.inst("User: ", user)).unwrap_or_default();
        let all: String = ends.into_iter().map(|inst| self.dump.inst(inst, "")).collect();
        format!("Found over consume?!\n{}{user}Block: {block}\nConsuming Users:\n{all}\n", self.value())
    }

    /// Returns true if the value begins a borrow scope.
    fn begins_borrow(&self) -> bool {
        let opcode = self.body.defining_inst(self.value).map(|i| self.body.inst(i).opcode);
        matches!(opcode, Some(Opcode::BeginBorrow | Opcode::LoadBorrow))
    }

    /// Returns true if a branch ends the borrow and begins a new one.
    fn is_reborrowed(&self) -> bool {
        let body = self.body;
        self.begins_borrow() && body.users(self.value).any(|i| body.inst(i).opcode == Opcode::Branch)
    }

    fn value(&self) -> String {
        format!("Value: {}", self.dump.value(self.value, ""))
    }

    fn inst(&self, what: &str, inst: Inst) -> String {
        format!("{what}{}", self.dump.inst(inst, ""))
    }
}

/// Returns the blocks in which a leak of a value is first detected: no end is reachable, but one was reachable from a
/// predecessor.
fn leaking(body: &Body, value: Value, ends: &[Inst]) -> Vec<Block> {
    let begin = match body.def(value) {
        ValueDef::Argument(block, _) => block,
        ValueDef::Result(inst, _) => body.inst_block(inst),
        ValueDef::Undef | ValueDef::Pending => return Vec::new(),
    };
    let mut alive = FxHashSet::default();
    let ending: FxHashSet<Block> = ends.iter().map(|&end| body.inst_block(end)).collect();
    let mut work: Vec<Block> = ending.iter().copied().collect();
    while let Some(block) = work.pop() {
        if alive.insert(block) && block != begin {
            work.extend(body.predecessors(block));
        }
    }
    let dead_ends = DeadEnds::compute(body);
    let mut found = Vec::new();
    for block in body.blocks().filter(|b| alive.contains(b) && !ending.contains(b)) {
        for next in body.terminator(block).into_iter().flat_map(|inst| body.successors(inst)) {
            if !alive.contains(&next) && !dead_ends.is_dead_end(next) && !found.contains(&next) {
                found.push(next);
            }
        }
    }
    found
}

/// Returns the reference's spelling of an ownership.
pub(super) fn kind(ownership: Ownership) -> &'static str {
    match ownership {
        Ownership::None => "none",
        Ownership::Owned => "owned",
        Ownership::Guaranteed => "guaranteed",
        Ownership::Unowned => "unowned",
    }
}

/// Returns the reference's spelling of an ownership constraint.
pub(super) fn constraint(wanted: OwnershipConstraint) -> String {
    let lifetime = if wanted.ends_lifetime { "LifetimeEnding" } else { "NonLifetimeEnding" };
    format!("<Constraint Kind:{} LifetimeConstraint:{lifetime}>", wanted.ownership.map_or("any", kind))
}
