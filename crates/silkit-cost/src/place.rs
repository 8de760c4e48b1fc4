//! Swift positions of instructions: their own, those of the calls that they were inlined from, or found by data flow.
//!
//! Optimized SIL names a Swift line for few reference-counting instructions: the optimizer moves, merges and creates them, and they have a
//! compiler-generated location then. The value that they count was created and is used by instructions with lines.

use crate::consumers::{Consumer, Consumers, MAX_USES};
use silkit::analysis::{BodyView, Dominators};
use silkit::base::Entity;
use silkit::ir::info::Role;
use silkit::ir::{Block, Body, InlineStacks, Inst, LocData, Opcode, SwiftPosition, Value, ValueDef};
use std::collections::VecDeque;

/// How the Swift position of an instruction was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Way {
    /// The location of the instruction is in the source.
    Location,
    /// A call that was inlined is in the source, directly or through further calls.
    Inlined,
    /// The instruction that defines or uses the same reference is in the source.
    DataFlow,
    /// It is the position of the nearest instruction before, on every path.
    Nearby,
    /// It is the position of a call of the function.
    Caller,
    /// It is the position of the enclosing statement or declaration.
    Declaration,
}

impl Way {
    /// All ways, in the order in which they are tried.
    pub const ALL: [Self; 6] =
        [Self::Location, Self::Inlined, Self::DataFlow, Self::Nearby, Self::Caller, Self::Declaration];

    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Location => "location",
            Self::Inlined => "inlined",
            Self::DataFlow => "data flow",
            Self::Nearby => "nearby",
            Self::Caller => "caller",
            Self::Declaration => "declaration",
        }
    }
}

/// A Swift position and how it was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The position.
    pub position: SwiftPosition,
    /// How it was found.
    pub way: Way,
}

/// The maximum number of values that a search along definitions visits.
const MAX_VALUES: usize = 64;

/// The positions of the instructions of a body.
pub(crate) struct BodyPlaces<'a> {
    body: &'a Body,
    stacks: &'a InlineStacks<'a>,
    consumers: Consumers<'a>,
    /// The positions that locations and inlined calls give, by instruction.
    direct: Vec<Option<Place>>,
    /// The nearest instruction with a direct position before each instruction of its block.
    before: Vec<Option<Inst>>,
    /// The nearest instruction with a direct position on all paths to the end of each block.
    at_end: Vec<Option<Inst>>,
    /// The first position of the function itself, not of inlined calls.
    own: Option<SwiftPosition>,
}

impl<'a> BodyPlaces<'a> {
    /// Collects the direct positions of a body.
    pub(crate) fn new(view: &BodyView<'a>, stacks: &'a InlineStacks<'a>, dominators: &'a Dominators) -> Self {
        let body = view.body;
        let mut this = Self {
            body,
            stacks,
            consumers: Consumers::new(view, dominators),
            direct: vec![None; body.inst_bound()],
            before: vec![None; body.inst_bound()],
            at_end: vec![None; body.block_bound()],
            own: None,
        };
        for block in body.reverse_postorder() {
            let mut last =
                dominators.immediate(block).filter(|&d| d != block).and_then(|d| this.at_end[d.index()]);
            for inst in body.block_insts(block) {
                this.before[inst.index()] = last;
                let Some(loc) = body.loc(body.inst(inst).loc) else { continue };
                let place = this.located(loc);
                this.direct[inst.index()] = place;
                // A position of the compiler's own, such as that of a whole function, is no neighbor.
                if place.is_some() {
                    last = Some(inst);
                }
            }
            this.at_end[block.index()] = last;
        }
        this
    }

    /// Returns the position that a location or the calls that it was inlined from give. A position that the compiler
    /// marks as its own gives way to that of a call: an allocation in an initializer belongs to the call of it.
    fn located(&mut self, loc: LocData) -> Option<Place> {
        let is_auto = loc.source.is_some_and(|source| source.is_auto);
        let mut generated = None;
        let mut found = None;
        for (depth, frame) in self.stacks.frames(loc).enumerate() {
            let Some(position) = frame.position else { continue };
            let way = if depth == 0 { Way::Location } else { Way::Inlined };
            let place = Place { position, way };
            match depth == 0 && is_auto {
                true => generated = Some(place),
                false => found = found.or(Some(place)),
            }
        }
        if self.own.is_none() {
            self.own = self.stacks.frames(loc).last().and_then(|frame| frame.position);
        }
        found.or(generated)
    }

    /// Returns the consumers of references.
    pub(crate) fn consumers(&self) -> &Consumers<'a> {
        &self.consumers
    }

    /// Returns a position of the function itself: true for the functions of the program, not for those of libraries.
    pub(crate) fn own(&self) -> Option<SwiftPosition> {
        self.own
    }

    /// Returns the position that the location of an instruction, or the calls that it was inlined from, give.
    pub(crate) fn direct(&self, inst: Inst) -> Option<Place> {
        self.direct.get(inst.index()).copied().flatten()
    }

    /// Returns the position of an instruction.
    pub(crate) fn of(&self, inst: Inst) -> Option<Place> {
        self.direct(inst)
            .or_else(|| self.by_data_flow(inst))
            .or_else(|| self.nearby(inst))
            .or_else(|| self.declared(inst))
    }

    fn nearby(&self, inst: Inst) -> Option<Place> {
        let before = self.before[inst.index()];
        let after = || {
            let after = std::iter::successors(self.body.next_inst(inst), |&next| self.body.next_inst(next));
            after.take(MAX_USES).find(|&next| self.direct(next).is_some())
        };
        let found = before.or_else(after)?;
        self.at(found, Way::Nearby)
    }

    fn declared(&self, inst: Inst) -> Option<Place> {
        let position = self.stacks.scope_position(self.body.loc(self.body.inst(inst).loc)?)?;
        Some(Place { position, way: Way::Declaration })
    }

    fn at(&self, inst: Inst, way: Way) -> Option<Place> {
        Some(Place { position: self.direct(inst)?.position, way })
    }

    /// Returns the position of the instruction that explains an instruction best: for a retain the use that the reference is
    /// retained for, for a release the definition of the reference, for an allocation its first use.
    fn by_data_flow(&self, inst: Inst) -> Option<Place> {
        let found = self.related(inst)?;
        self.at(found, Way::DataFlow)
    }

    fn related(&self, inst: Inst) -> Option<Inst> {
        let body = self.body;
        let Some(value) = concerned(body, inst) else {
            return body.first_result(inst).and_then(|result| self.nearest_use(&[result], inst, true));
        };
        if body.defining_inst(value) == Some(inst) {
            return self.nearest_use(&[value], inst, true);
        }
        let (definition, values) = self.definition(value);
        if matches!(body.role(inst), Role::Release(_) | Role::Destruction(_)) {
            return definition.or_else(|| self.nearest_use(&values, inst, false));
        }
        let copied =
            body.first_result(inst).filter(|_| matches!(body.role(inst), Role::Copy(_))).unwrap_or(value);
        let consumer = match self.consumers.of(inst, copied) {
            Some(Consumer::Operand(operand)) => Some(body.operand(operand).user),
            _ => None,
        };
        let consumer = consumer.filter(|&user| self.direct(user).is_some());
        consumer.or(definition).or_else(|| self.nearest_use(&values, inst, true))
    }

    /// Searches along the definitions of a value for one with a position: the one that creates the reference, if it has one. Also returns
    /// the values that were visited.
    fn definition(&self, value: Value) -> (Option<Inst>, Vec<Value>) {
        let mut values: Vec<Value> = self.same_reference(value);
        let creation = values.last().and_then(|&root| self.located_definition(root));
        let mut found = creation.or_else(|| values.iter().find_map(|&value| self.located_definition(value)));
        let mut work: VecDeque<Value> = values.last().copied().into_iter().collect();
        while let Some(value) = work.pop_front().filter(|_| found.is_none()) {
            found = self.located_definition(value);
            for source in self.sources(value) {
                if values.len() < MAX_VALUES && !values.contains(&source) {
                    values.push(source);
                    work.push_back(source);
                }
            }
        }
        (found, values)
    }

    /// Returns a value and what it is forwarded from, up to the instruction that creates the reference.
    fn same_reference(&self, value: Value) -> Vec<Value> {
        let body = self.body;
        let mut values = vec![value];
        while let Some(&value) = values.last().filter(|_| values.len() < MAX_VALUES) {
            let forwarded = || {
                let inst = body.defining_inst(value)?;
                body.role_operand(inst).filter(|_| matches!(body.role(inst), Role::Cast(_) | Role::Marker(_)))
            };
            match self.consumers.identity.source(value).or_else(forwarded) {
                Some(source) if !values.contains(&source) => values.push(source),
                _ => break,
            }
        }
        values
    }

    /// Returns the value that a reference is created as.
    pub(crate) fn creation(&self, value: Value) -> Value {
        self.same_reference(value).last().copied().unwrap_or(value)
    }

    fn located_definition(&self, value: Value) -> Option<Inst> {
        let definition = match self.body.def(value) {
            ValueDef::Result(inst, _) => Some(inst),
            ValueDef::Argument(block, _) => self.passing(block),
            ValueDef::Undef | ValueDef::Pending => None,
        };
        definition.filter(|&inst| self.direct(inst).is_some())
    }

    /// Returns the terminator that defines the arguments of a block: of its only predecessor.
    fn passing(&self, block: Block) -> Option<Inst> {
        let terminator = self.body.terminator(self.body.single_predecessor(block)?)?;
        (self.body.inst(terminator).opcode != Opcode::Branch).then_some(terminator)
    }

    /// Returns the values that a value is derived from.
    fn sources(&self, value: Value) -> Vec<Value> {
        let body = self.body;
        if let Some(source) = self.consumers.identity.source(value) {
            return vec![source];
        }
        match body.def(value) {
            ValueDef::Result(inst, _) => match body.inst(inst).opcode {
                Opcode::Struct | Opcode::Tuple | Opcode::Enum | Opcode::SelectEnum => {
                    body.operands(inst).iter().map(|o| o.value).collect()
                }
                Opcode::Load | Opcode::LoadBorrow | Opcode::MarkDependence => {
                    body.operands(inst).first().map(|o| o.value).into_iter().collect()
                }
                _ => body.role_operand(inst).into_iter().collect(),
            },
            ValueDef::Argument(..) => body.phi_values(value),
            ValueDef::Undef | ValueDef::Pending => Vec::new(),
        }
    }

    fn uses<'s>(&'s self, values: &'s [Value], inst: Inst) -> impl Iterator<Item = Inst> + 's {
        let users = values.iter().flat_map(|&value| self.body.users(value).take(MAX_USES));
        users.filter(move |&user| user != inst && self.direct(user).is_some())
    }

    /// Returns the first use after an instruction in its block.
    fn use_in_block(&self, values: &[Value], inst: Inst) -> Option<Inst> {
        let body = self.body;
        let block = body.inst_block(inst);
        let after =
            self.uses(values, inst).filter(|&u| body.inst_block(u) == block && body.inst_precedes(inst, u));
        after.min_by_key(|&user| body.layout_key(user))
    }

    /// Returns the use that is nearest to an instruction: in its block before or after it, in a block that dominates it, or the first.
    fn nearest_use(&self, values: &[Value], inst: Inst, prefers_later: bool) -> Option<Inst> {
        let body = self.body;
        let block = body.inst_block(inst);
        let later = || self.use_in_block(values, inst);
        let earlier = || {
            let before = self.uses(values, inst).filter(|&user| {
                let home = body.inst_block(user);
                match home == block {
                    true => body.inst_precedes(user, inst),
                    false => self.consumers.dominators.dominates(home, block),
                }
            });
            before.max_by_key(|&user| (body.inst_block(user) == block, body.layout_key(user)))
        };
        let found = if prefers_later { later().or_else(earlier) } else { earlier().or_else(later) };
        found.or_else(|| self.uses(values, inst).min_by_key(|&user| body.layout_key(user)))
    }
}

/// Returns the value that an instruction counts, copies, destroys or casts.
pub(crate) fn concerned(body: &Body, inst: Inst) -> Option<Value> {
    match body.inst(inst).opcode {
        Opcode::Store | Opcode::Assign | Opcode::CopyAddr => body.operands(inst).get(1).map(|o| o.value),
        _ if body.info(inst).apply.is_some() => None,
        _ => body.role_operand(inst).or_else(|| body.operands(inst).first().map(|o| o.value)),
    }
}
