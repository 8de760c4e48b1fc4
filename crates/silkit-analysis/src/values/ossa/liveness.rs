//! Pruned liveness: the blocks and instructions in which a value is live, computed from its definitions and uses. The
//! cost is proportional to the number of live blocks, not to the size of the body.

use crate::DeadEnds;
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::{Block, Body, Inst, Operand, Value, ValueDef};

/// The liveness of a value in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BlockLiveness {
    /// Not live.
    #[default]
    Dead,
    /// Live inside the block, but not at its end.
    Within,
    /// Live at the end of the block.
    Out,
}

/// The effect of a use on liveness.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum UseKind {
    /// Extends the lifetime without being a use.
    NonUse,
    /// Uses the value and ends its lifetime, unless the same instruction also has a regular use.
    Ending,
    /// Uses the value.
    Regular,
}

/// A definition of a live value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Def {
    /// An instruction, after which the value is live.
    Inst(Inst),
    /// A block argument, which is live from the start of its block.
    Argument(Value),
}

impl Def {
    /// Returns the definition of a value; `None` for `undef`.
    pub fn of(body: &Body, value: Value) -> Option<Self> {
        match body.def(value) {
            ValueDef::Result(inst, _) => Some(Self::Inst(inst)),
            ValueDef::Argument(..) => Some(Self::Argument(value)),
            ValueDef::Undef | ValueDef::Pending => None,
        }
    }

    fn block(self, body: &Body) -> Option<Block> {
        match self {
            Self::Inst(inst) => Some(body.inst_block(inst)),
            Self::Argument(value) => match body.def(value) {
                ValueDef::Argument(block, _) => Some(block),
                _ => None,
            },
        }
    }
}

/// The liveness of a value.
#[derive(Clone, Debug, Default)]
pub struct Liveness {
    defs: Vec<Def>,
    def_blocks: FxHashSet<Block>,
    /// True if the single definition dominates all uses.
    is_ssa: bool,
    blocks: FxHashMap<Block, BlockLiveness>,
    /// The live blocks in discovery order.
    found: Vec<Block>,
    users: Vec<(Inst, UseKind)>,
    positions: FxHashMap<Inst, usize>,
}

/// The boundary of a live range.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Boundary {
    /// The last users on their paths.
    pub last_users: Vec<Inst>,
    /// Boundary blocks: the value is live on entry and not live inside.
    pub edges: Vec<Block>,
    /// Definitions without uses.
    pub dead_defs: Vec<Def>,
}

impl Liveness {
    /// Creates the liveness of a value, which dominates its uses.
    pub fn of_value(body: &Body, value: Value) -> Self {
        let mut liveness = Self::of_dominating();
        if let Some(def) = Def::of(body, value) {
            liveness.define(body, def);
        }
        liveness
    }

    /// Creates the liveness of a value with one definition, to be added later, that dominates all uses.
    pub(super) fn of_dominating() -> Self {
        Self { is_ssa: true, ..Self::default() }
    }

    /// Creates the liveness of a value with several definitions, to be added before the uses.
    pub fn of_several() -> Self {
        Self::default()
    }

    /// Adds a definition.
    pub fn define(&mut self, body: &Body, def: Def) {
        let Some(block) = def.block(body) else { return };
        self.defs.push(def);
        self.def_blocks.insert(block);
        if self.block(block) == BlockLiveness::Dead {
            self.mark(block, BlockLiveness::Within);
        }
    }

    /// Returns the definitions.
    pub fn defs(&self) -> &[Def] {
        &self.defs
    }

    fn is_def(&self, def: Def) -> bool {
        // A linear search suffices unless a set was built.
        self.defs.contains(&def)
    }

    /// Adds a use.
    pub fn use_at(&mut self, body: &Body, user: Inst, kind: UseKind) {
        let block = body.inst_block(user);
        let is_live = self.block(block) != BlockLiveness::Dead;
        if !is_live {
            self.mark(block, BlockLiveness::Within);
        }
        if !is_live || (!self.is_ssa && self.is_before_defs(body, user)) {
            self.spread(body, block);
        }
        match self.positions.get(&user) {
            Some(&at) => self.users[at].1 = self.users[at].1.max(kind),
            None => {
                self.positions.insert(user, self.users.len());
                self.users.push((user, kind));
            }
        }
    }

    fn mark(&mut self, block: Block, liveness: BlockLiveness) {
        if self.blocks.insert(block, liveness).is_none() {
            self.found.push(block);
        }
    }

    /// Marks the predecessors of a block as live-out, transitively.
    fn spread(&mut self, body: &Body, block: Block) {
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            for pred in body.predecessors(block) {
                match self.block(pred) {
                    BlockLiveness::Out => continue,
                    BlockLiveness::Within => {}
                    BlockLiveness::Dead => work.push(pred),
                }
                self.mark(pred, BlockLiveness::Out);
            }
        }
    }

    /// Returns true if an instruction comes before all definitions in its block, or is the first of them.
    fn is_before_defs(&self, body: &Body, user: Inst) -> bool {
        let block = body.inst_block(user);
        if !self.def_blocks.contains(&block)
            || body.arguments(block).iter().any(|&v| self.is_def(Def::Argument(v)))
        {
            return false;
        }
        let mut before = std::iter::successors(body.prev_inst(user), |&i| body.prev_inst(i));
        !before.any(|inst| self.is_def(Def::Inst(inst)))
    }

    /// Returns the liveness in a block.
    pub fn block(&self, block: Block) -> BlockLiveness {
        self.blocks.get(&block).copied().unwrap_or_default()
    }

    /// Returns the live blocks in discovery order.
    pub fn blocks(&self) -> &[Block] {
        &self.found
    }

    /// Returns the added uses in insertion order.
    pub fn users(&self) -> &[(Inst, UseKind)] {
        &self.users
    }

    /// Returns the kind of use of an instruction, or `None` if it was not added.
    pub fn user(&self, inst: Inst) -> Option<UseKind> {
        self.positions.get(&inst).map(|&at| self.users[at].1)
    }

    /// Returns the lifetime boundary.
    pub fn boundary(&self, body: &Body) -> Boundary {
        let mut boundary = Boundary::default();
        for &block in &self.found {
            self.boundary_at(body, block, &mut boundary);
        }
        boundary
    }

    /// Adds the part of the boundary in a block and on its outgoing edges.
    pub(super) fn boundary_at(&self, body: &Body, block: Block, boundary: &mut Boundary) {
        match self.block(block) {
            BlockLiveness::Dead => return,
            BlockLiveness::Within => {}
            BlockLiveness::Out => {
                let dead = body.block_successors(block).filter(|&b| self.block(b) == BlockLiveness::Dead);
                dead.for_each(|b| boundary.edges.push(b));
            }
        }
        self.boundary_in(body, block, boundary);
    }

    fn boundary_in(&self, body: &Body, block: Block, boundary: &mut Boundary) {
        let is_out = self.block(block) == BlockLiveness::Out;
        let has_defs = self.def_blocks.contains(&block);
        if is_out && (self.is_ssa || !has_defs) {
            return;
        }
        if let Some(last) = self.last_local_user(body, block) {
            boundary.last_users.push(last);
            return;
        }
        let mut is_live = is_out;
        let insts = std::iter::successors(body.last_inst(block), |&i| body.prev_inst(i));
        for inst in insts {
            // An instruction may be a definition and the last use of another definition.
            if has_defs && self.is_def(Def::Inst(inst)) {
                if !is_live {
                    boundary.dead_defs.push(Def::Inst(inst));
                }
                is_live = false;
                if self.is_ssa {
                    return;
                }
            }
            if !is_live && self.positions.contains_key(&inst) {
                boundary.last_users.push(inst);
                if self.is_ssa || !has_defs {
                    return;
                }
                is_live = true;
            }
        }
        for &argument in body.arguments(block) {
            if has_defs && self.is_def(Def::Argument(argument)) {
                if !is_live {
                    boundary.dead_defs.push(Def::Argument(argument));
                }
                return;
            }
        }
        let before = body.single_predecessor(block).filter(|_| !is_live);
        if before.is_some_and(|pred| self.block(pred) == BlockLiveness::Out) {
            boundary.edges.push(block);
        }
    }

    /// Returns the last user of a value that is defined and used in one block only. It is found from the definition, since
    /// the block may be much longer than the live range.
    fn last_local_user(&self, body: &Body, block: Block) -> Option<Inst> {
        let [Def::Inst(def)] = self.defs[..] else { return None };
        let mut left = self.users.len();
        if left == 0 || !self.is_ssa || self.found != [block] || self.block(block) != BlockLiveness::Within {
            return None;
        }
        std::iter::successors(body.next_inst(def), |&inst| body.next_inst(inst)).find(|inst| {
            left -= usize::from(self.positions.contains_key(inst));
            left == 0
        })
    }

    /// Returns true if an instruction is after a definition and before the last use.
    pub fn contains(&self, body: &Body, inst: Inst) -> bool {
        let block = body.inst_block(inst);
        let liveness = self.block(block);
        let has_defs = self.def_blocks.contains(&block);
        match liveness {
            BlockLiveness::Dead => return false,
            BlockLiveness::Out if !has_defs => return true,
            _ => {}
        }
        if self.is_ssa && self.is_def(Def::Inst(inst)) {
            return false;
        }
        for next in std::iter::successors(body.next_inst(inst), |&i| body.next_inst(i)) {
            if self.positions.contains_key(&next) {
                return true;
            }
            if has_defs && self.is_def(Def::Inst(next)) {
                return false;
            }
        }
        liveness == BlockLiveness::Out
    }

    /// Returns true if all uses are within the lifetime, or in dead-end blocks that the lifetime could be extended
    /// to.
    pub fn contains_uses(&self, body: &Body, dead_ends: &DeadEnds, uses: &[Operand]) -> bool {
        let mut available = None;
        uses.iter().all(|&operand| {
            let user = body.operand(operand).user;
            if self.contains(body, user) {
                return true;
            }
            if !dead_ends.is_dead_end(body.inst_block(user)) {
                return false;
            }
            let region = available.get_or_insert_with(|| DeadEndRegion::of(self, body, dead_ends));
            region.contains(body, user)
        })
    }
}

/// The dead-end region that a live range could be extended into after its non-consuming ends.
struct DeadEndRegion {
    /// The points where the lifetime ends, by block.
    starts: FxHashMap<Block, Option<Inst>>,
    /// The blocks at whose start the value could be live.
    entered: FxHashSet<Block>,
}

impl DeadEndRegion {
    fn of(liveness: &Liveness, body: &Body, dead_ends: &DeadEnds) -> Self {
        let boundary = liveness.boundary(body);
        let mut starts = FxHashMap::default();
        let mut entered = FxHashSet::default();
        for inst in boundary.last_users {
            let block = body.inst_block(inst);
            if dead_ends.is_dead_end(block) && liveness.user(inst) != Some(UseKind::Ending) {
                starts.insert(block, Some(inst));
            }
        }
        for def in boundary.dead_defs {
            let (block, inst) = match def {
                Def::Inst(inst) => (Some(body.inst_block(inst)), Some(inst)),
                Def::Argument(_) => (def.block(body), None),
            };
            if let Some(block) = block.filter(|&b| dead_ends.is_dead_end(b)) {
                starts.insert(block, inst);
            }
        }
        let edges = boundary.edges.into_iter().filter(|&b| dead_ends.is_dead_end(b));
        let mut work: Vec<Block> = edges.clone().collect();
        work.extend(starts.keys().flat_map(|&b| body.block_successors(b)));
        while let Some(block) = work.pop() {
            if liveness.block(block) == BlockLiveness::Dead && entered.insert(block) {
                work.extend(body.block_successors(block));
            }
        }
        // If the value is not live on one incoming edge, it is not live after the block's start.
        let brings = |entered: &FxHashSet<Block>, pred: Block| {
            entered.contains(&pred)
                || starts.contains_key(&pred)
                || liveness.block(pred) == BlockLiveness::Out
        };
        let mut lost: Vec<Block> = entered
            .iter()
            .copied()
            .filter(|&b| !body.predecessors(b).all(|pred| brings(&entered, pred)))
            .collect();
        while let Some(block) = lost.pop() {
            if entered.remove(&block) {
                lost.extend(body.block_successors(block));
            }
        }
        Self { starts, entered }
    }

    fn contains(&self, body: &Body, inst: Inst) -> bool {
        let block = body.inst_block(inst);
        match self.starts.get(&block) {
            Some(None) => true,
            Some(&Some(start)) => start == inst || body.inst_precedes(start, inst),
            None => self.entered.contains(&block),
        }
    }
}

impl Boundary {
    /// Returns the insertion points right after the lifetime: before these instructions.
    pub fn insertion_points(&self, body: &Body) -> Vec<Inst> {
        let mut points = Vec::new();
        let mut starts = FxHashSet::default();
        let mut start = |points: &mut Vec<Inst>, block: Block| {
            if starts.insert(block) {
                points.extend(body.first_inst(block));
            }
        };
        for &user in &self.last_users {
            match body.next_inst(user) {
                Some(next) => points.push(next),
                None => body.successors(user).for_each(|block| start(&mut points, block)),
            }
        }
        self.edges.iter().for_each(|&block| start(&mut points, block));
        for def in &self.dead_defs {
            match *def {
                Def::Inst(inst) => points.extend(body.next_inst(inst)),
                Def::Argument(_) => def.block(body).into_iter().for_each(|block| start(&mut points, block)),
            }
        }
        points
    }
}
