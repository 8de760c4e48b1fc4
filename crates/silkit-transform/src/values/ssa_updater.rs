//! SSA update for a variable with several definitions: each use gets its reaching definition, and phis are inserted where
//! different definitions meet.
//!
//! The uses of `%0` become uses of a variable that the literals define:
//!
//! ```text
//! bb1:
//!   %2 = integer_literal $Builtin.Int64, 2
//!   debug_value %0, let, name "two"
//!   %3 = integer_literal $Builtin.Int64, 3
//!   br bb3
//! bb2:
//!   debug_value %0, let, name "still one"
//!   br bb3
//! bb3:
//!   debug_value %0, let, name "three or one"
//! ---
//! bb1:
//!   %5 = integer_literal $Builtin.Int64, 2
//!   debug_value %5, let, name "two"
//!   %7 = integer_literal $Builtin.Int64, 3
//!   br bb3(%7)
//! bb2:
//!   debug_value %2, let, name "still one"
//!   br bb3(%2)
//! bb3(%11 : $Builtin.Int64):
//!   debug_value %11, let, name "three or one"
//! ```
//!
//! Phis are created only if they are used, if different values meet, and if no existing block argument has the same
//! incoming values. The cost is proportional to the number of blocks in which the variable is live.

use silkit_analysis::dataflow::{ReachingBlock, ReachingBlocks};
use silkit_analysis::{Dominators, Joins};
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::{ArgFlags, Block, Body, Edge, Opcode, Operand, Ownership, Value, ValueDef};
use silkit_types::SilType;

/// A variable and its definitions.
#[derive(Clone, Debug)]
pub struct SsaUpdater {
    ty: SilType,
    ownership: Ownership,
    definitions: FxHashMap<Block, Vec<Value>>,
    /// Whether definitions take effect at the end of their blocks only.
    defines_at_ends: bool,
}

/// An error: a phi is needed in a block with an incoming edge whose terminator cannot pass values. Such edges must be
/// split first ([`crate::critical_edges`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CannotPass(pub Block);

/// The reaching definition at a point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Reaching {
    /// A value of the body.
    Known(Value),
    /// A phi, by index.
    Phi(usize),
    /// No definition.
    Nothing,
}

/// A phi that may be created.
#[derive(Debug)]
struct Phi {
    block: Block,
    incoming: Vec<(Edge, Reaching)>,
    /// The value that replaces it if it is not needed.
    is: Option<Reaching>,
}

impl SsaUpdater {
    /// Creates an updater for a variable of a type. Its phis have this ownership; guaranteed phis need a `borrowed …
    /// from` afterwards ([`crate::borrowed_from::complete`]).
    pub fn new(ty: SilType, ownership: Ownership) -> Self {
        Self { ty, ownership, definitions: FxHashMap::default(), defines_at_ends: false }
    }

    /// Lets definitions take effect at the end of their blocks only: a use in such a block gets the value at the start
    /// of the block, and the last definition of a block counts.
    #[must_use]
    pub fn defining_at_ends(self) -> Self {
        Self { defines_at_ends: true, ..self }
    }

    /// Adds a definition of the variable. If the value is defined in the same block, the variable has it from there
    /// on; otherwise only at the end of the block.
    pub fn define(&mut self, block: Block, value: Value) {
        self.definitions.entry(block).or_default().push(value);
    }

    /// Rewrites operands to the reaching definition of the variable and returns the new phis. If a definition is
    /// missing on a path to a use, `undef` is used.
    ///
    /// # Errors
    /// Returns an error, without changing the body, if a phi cannot be created.
    pub fn rewrite(
        &self,
        body: &mut Body,
        dominators: &Dominators,
        joins: &mut Joins,
        uses: &[Operand],
    ) -> Result<Vec<Value>, CannotPass> {
        let (at_end, places) = self.places(body, uses);
        let live_in = live_in(body, &at_end, &places);
        let entry = body.entry_block();
        let defining = at_end.keys().copied();
        let blocks = entry.map_or_else(Vec::new, |entry| {
            joins.iterated(dominators, entry, defining, |block| live_in.contains(&block))
        });
        let mut web = Web::new(body, dominators, &at_end, blocks);
        web.simplify();
        if self.ownership != Ownership::Owned {
            web.reuse(body, self);
        }
        for phi in web.phis.iter().filter(|phi| phi.is.is_none()) {
            if !phi.incoming.iter().all(|&(edge, _)| self.may_pass(body, edge)) {
                return Err(CannotPass(phi.block));
            }
        }
        let starts: Vec<Reaching> = places
            .iter()
            .map(|&(_, place)| match place {
                Place::Value(value) => Reaching::Known(value),
                Place::Start(block) => web.resolved(web.at_start(dominators, &at_end, block)),
            })
            .collect();
        let made = self.make(body, &web);
        for (&(operand, _), reaching) in places.iter().zip(starts) {
            let value = self.value(body, &made, reaching);
            body.edit().set_operand(operand, value);
        }
        // This is done last: a branch that passes an additional value has new operands, and may itself be a use.
        self.pass(body, &web, &made);
        Ok(made.into_iter().flatten().collect())
    }

    /// Returns the value at the end of each defining block, and the source of each use.
    fn places(&self, body: &Body, uses: &[Operand]) -> (FxHashMap<Block, Value>, Vec<(Operand, Place)>) {
        if self.defines_at_ends {
            let start = |&o: &Operand| (o, Place::Start(body.inst_block(body.operand(o).user)));
            let last = |(&block, values): (&Block, &Vec<Value>)| Some((block, *values.last()?));
            return (self.definitions.iter().filter_map(last).collect(), uses.iter().map(start).collect());
        }
        let mut of_block: FxHashMap<Block, FxHashSet<Operand>> = FxHashMap::default();
        let mut places = Vec::with_capacity(uses.len());
        for &operand in uses {
            let block = body.inst_block(body.operand(operand).user);
            if self.definitions.contains_key(&block) {
                of_block.entry(block).or_default().insert(operand);
            } else {
                places.push((operand, Place::Start(block)));
            }
        }
        let mut at_end = FxHashMap::default();
        for (&block, values) in &self.definitions {
            let is_start =
                |value: &&Value| matches!(body.def(**value), ValueDef::Argument(of, _) if of == block);
            let mut now = values.iter().find(is_start).map_or(Place::Start(block), |&v| Place::Value(v));
            let elsewhere = values.iter().copied().rfind(|&value| body.defining_block(value) != Some(block));
            let mut meant = of_block.remove(&block).unwrap_or_default();
            for inst in body.block_insts(block) {
                if let Some(value) = elsewhere.filter(|_| body.is_terminator(inst)) {
                    now = Place::Value(value);
                }
                if !meant.is_empty() {
                    places.extend(body.operand_ids(inst).filter(|o| meant.remove(o)).map(|o| (o, now)));
                }
                if let Some(value) = body.results(inst).find(|result| values.contains(result)) {
                    now = Place::Value(value);
                }
            }
            if let Place::Value(value) = now {
                at_end.insert(block, value);
            }
        }
        // Sort, since the order of a hash table is not deterministic.
        places.sort_unstable_by_key(|&(operand, _)| operand);
        (at_end, places)
    }

    /// Returns true if a value of the variable can be passed along an edge.
    fn may_pass(&self, body: &Body, edge: Edge) -> bool {
        let terminator = body.terminator(body.edge(edge).from);
        match terminator.map(|inst| body.inst(inst).opcode) {
            Some(Opcode::Branch) => true,
            // Values with a lifetime are passed only by `br`.
            Some(Opcode::CondBranch) => self.ownership == Ownership::None,
            _ => false,
        }
    }

    /// Creates the required phis, by index.
    fn make(&self, body: &mut Body, web: &Web) -> Vec<Option<Value>> {
        let make = |phi: &Phi| {
            let is_made = phi.is.is_none();
            is_made.then(|| body.edit().add_argument(phi.block, self.ty, self.ownership, ArgFlags::empty()))
        };
        web.phis.iter().map(make).collect()
    }

    /// Passes the incoming values to the new phis.
    fn pass(&self, body: &mut Body, web: &Web, made: &[Option<Value>]) {
        for phi in web.phis.iter().filter(|phi| phi.is.is_none()) {
            for &(edge, reaching) in &phi.incoming {
                let value = self.value(body, made, web.resolved(reaching));
                let index = body.edge_index(edge);
                let Some(terminator) = body.terminator(body.edge(edge).from) else { continue };
                let mut args: Vec<Value> = body.edge_args(terminator, index).collect();
                args.push(value);
                body.edit().set_edge_args(terminator, index, &args);
            }
        }
    }

    fn value(&self, body: &mut Body, made: &[Option<Value>], reaching: Reaching) -> Value {
        let known = match reaching {
            Reaching::Known(value) => Some(value),
            Reaching::Phi(number) => made[number],
            Reaching::Nothing => None,
        };
        known.unwrap_or_else(|| body.edit().undef(self.ty))
    }
}

/// The source of the value of a use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// A definition in the same block.
    Value(Value),
    /// The value at the start of a block.
    Start(Block),
}

/// Returns the blocks at whose start the variable is live.
fn live_in(body: &Body, at_end: &FxHashMap<Block, Value>, places: &[(Operand, Place)]) -> FxHashSet<Block> {
    let start = |&(_, place): &(Operand, Place)| match place {
        Place::Start(block) => Some(block),
        Place::Value(_) => None,
    };
    let mut work: Vec<Block> = places.iter().filter_map(start).collect();
    let mut live = FxHashSet::default();
    while let Some(block) = work.pop() {
        if live.insert(block) {
            work.extend(body.predecessors(block).filter(|from| !at_end.contains_key(from)));
        }
    }
    live
}

/// The phis of a variable before they are created.
struct Web {
    phis: Vec<Phi>,
    number: FxHashMap<Block, usize>,
    blocks: ReachingBlocks,
}

impl Web {
    fn new(
        body: &Body,
        dominators: &Dominators,
        at_end: &FxHashMap<Block, Value>,
        blocks: Vec<Block>,
    ) -> Self {
        let mut reaching = ReachingBlocks::new(dominators);
        at_end.keys().for_each(|&block| reaching.define(dominators, block));
        blocks.iter().for_each(|&block| reaching.add_phi(dominators, block));
        let number = blocks.iter().enumerate().map(|(number, &block)| (block, number)).collect();
        let mut this = Self { phis: Vec::with_capacity(blocks.len()), number, blocks: reaching };
        for block in blocks {
            let reaching = |edge| (edge, this.at_end(dominators, at_end, body.edge(edge).from));
            let incoming = body.incoming(block).map(reaching).collect();
            this.phis.push(Phi { block, incoming, is: None });
        }
        this
    }

    fn at_end(&self, dominators: &Dominators, at_end: &FxHashMap<Block, Value>, block: Block) -> Reaching {
        self.reaching(at_end, self.blocks.at_end(dominators, block))
    }

    fn at_start(&self, dominators: &Dominators, at_end: &FxHashMap<Block, Value>, block: Block) -> Reaching {
        self.reaching(at_end, self.blocks.at_start(dominators, block))
    }

    fn reaching(&self, at_end: &FxHashMap<Block, Value>, block: Option<ReachingBlock>) -> Reaching {
        match block {
            Some(ReachingBlock::Definition(block)) => Reaching::Known(at_end[&block]),
            Some(ReachingBlock::Phi(block)) => Reaching::Phi(self.number[&block]),
            None => Reaching::Nothing,
        }
    }

    /// Returns the value after removal of unneeded phis.
    fn resolved(&self, reaching: Reaching) -> Reaching {
        let mut at = reaching;
        while let Reaching::Phi(number) = at
            && let Some(is) = self.phis[number].is
        {
            at = is;
        }
        at
    }

    /// Removes phis with the same value on all edges.
    fn simplify(&mut self) {
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.phis.len()];
        for (number, phi) in self.phis.iter().enumerate() {
            for &(_, reaching) in &phi.incoming {
                if let Reaching::Phi(other) = reaching {
                    users[other].push(number);
                }
            }
        }
        let mut work: Vec<usize> = (0..self.phis.len()).rev().collect();
        while let Some(number) = work.pop() {
            if self.phis[number].is.is_some() {
                continue;
            }
            let mut others = self.phis[number]
                .incoming
                .iter()
                .map(|&(_, reaching)| self.resolved(reaching))
                .filter(|&reaching| reaching != Reaching::Phi(number));
            let first = others.next().unwrap_or(Reaching::Nothing);
            if !others.all(|other| other == first) {
                continue;
            }
            self.phis[number].is = Some(first);
            let mut users_of = std::mem::take(&mut users[number]);
            work.extend(users_of.iter().copied().filter(|&user| user != number));
            if let Reaching::Phi(instead) = first {
                users[instead].append(&mut users_of);
            }
        }
    }

    /// Replaces phis by existing block arguments with the same incoming values.
    ///
    /// Optimistically assumes that every pair of a phi and an argument of its block is equal, until an edge
    /// distinguishes them; then dependent pairs are distinguished as well.
    fn reuse(&mut self, body: &Body, variable: &SsaUpdater) {
        let fits = |&arg: &Value| {
            let data = body.value(arg);
            data.ty == variable.ty
                && data.ownership == variable.ownership
                && !data.arg_flags.contains(ArgFlags::REBORROW)
                && body.is_phi(arg)
        };
        // For each phi, the candidate arguments.
        let mut equal: Vec<Vec<Value>> = self
            .phis
            .iter()
            .map(|phi| match phi.is {
                None => body.arguments(phi.block).iter().copied().filter(fits).collect(),
                Some(_) => Vec::new(),
            })
            .collect();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.phis.len()];
        for (number, phi) in self.phis.iter().enumerate().filter(|(_, phi)| phi.is.is_none()) {
            for &(_, reaching) in &phi.incoming {
                if let Reaching::Phi(other) = self.resolved(reaching) {
                    users[other].push(number);
                }
            }
        }
        let mut work: Vec<usize> = (0..self.phis.len()).filter(|&number| !equal[number].is_empty()).collect();
        while let Some(number) = work.pop() {
            let left: Vec<Value> =
                equal[number].iter().copied().filter(|&arg| self.may_be(body, &equal, number, arg)).collect();
            if left.len() < equal[number].len() {
                equal[number] = left;
                work.extend(&users[number]);
            }
        }
        for (number, arguments) in equal.into_iter().enumerate() {
            if let Some(&argument) = arguments.first() {
                self.phis[number].is = Some(Reaching::Known(argument));
            }
        }
    }

    /// Returns true if an argument and a phi are not known to differ on any edge.
    fn may_be(&self, body: &Body, equal: &[Vec<Value>], number: usize, arg: Value) -> bool {
        let ValueDef::Argument(_, index) = body.def(arg) else { return false };
        self.phis[number].incoming.iter().all(|&(edge, reaching)| {
            let passed = body.edge_operand(edge, index.into()).map(|operand| body.operand(operand).value);
            match (self.resolved(reaching), passed) {
                (Reaching::Known(value), Some(passed)) => value == passed,
                (Reaching::Phi(other), Some(passed)) => equal[other].contains(&passed),
                _ => false,
            }
        })
    }
}
