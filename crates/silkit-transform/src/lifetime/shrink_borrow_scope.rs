//! Shrinking of borrow scopes: the ends of a `begin_borrow` are hoisted to its last uses.
//!
//! ```text
//!   %1 = begin_borrow %0
//!   fix_lifetime %1
//!   %3 = integer_literal $Builtin.Int64, 1
//!   %4 = copy_value %1
//!   end_borrow %1
//! ---
//!   %1 = begin_borrow %0
//!   fix_lifetime %1
//!   end_borrow %1
//!   %4 = integer_literal $Builtin.Int64, 1
//!   %5 = copy_value %0
//! ```
//!
//! An end is not hoisted over a use of the borrow or of its copies, over a deinit barrier, or into an access that
//! contains one of these. It is hoisted over a copy, which then copies the borrowed value. In a block, it is
//! hoisted to the predecessors only if that shortens the scope in all of them.
//!
//! Each pass over the scope is linear in its size; another pass follows where ends of accesses become barriers.

use crate::variables;
use silkit_analysis::BodyView;
use silkit_analysis::ossa::{Borrows, Extent, Interior};
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::instructions::{BeginAccess, BeginBorrow, CopyValue};
use silkit_ir::{Block, Body, Inst, Opcode, Point, Value};
use silkit_pass::FunctionContext;

/// The changes to a borrow scope.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shrunk {
    /// The ends of the scope that other ends replace: they have to be removed.
    pub replaced: Vec<Inst>,
    /// The copies of the borrow that are now copies of the borrowed value.
    pub copies: Vec<Inst>,
}

impl Shrunk {
    /// Returns true if anything changed.
    pub fn has_changes(&self) -> bool {
        !self.replaced.is_empty() || !self.copies.is_empty()
    }
}

/// Hoists the ends of a borrow scope. The caller removes the ends that are replaced. Nothing changes if a pointer to
/// the value may escape, or if the scope is passed to a phi.
pub fn shrink(cx: &mut FunctionContext<'_>, borrow: Inst) -> Shrunk {
    let Some(begin) = cx.body().view_as::<BeginBorrow>(borrow) else { return Shrunk::default() };
    let base = begin.operand;
    let Some(scope) = Scope::of(&cx.view(), borrow) else { return Shrunk::default() };
    let plan = {
        let view = cx.view();
        Plan::of(&view, &scope)
    };
    let mut changes = Shrunk { copies: plan.copies, ..Shrunk::default() };
    if (plan.ends.is_empty() && changes.copies.is_empty()) || !cx.may_change() {
        return Shrunk::default();
    }
    for &copy in &changes.copies {
        let operand = cx.body().operand_id(copy, 0);
        cx.edit().set_operand(operand, base);
    }
    let mut kept = FxHashSet::default();
    for next in plan.ends {
        match existing_end(cx.body(), &scope, next) {
            Some(end) => _ = kept.insert(end),
            None => {
                let loc = variables::auto_generated(cx.body_mut(), next);
                let mut builder = cx.at(Point::Before(next));
                builder.set_default_loc(loc);
                builder.end_borrow(scope.borrow);
            }
        }
    }
    changes.replaced = scope.ends.into_iter().filter(|end| !kept.contains(end)).collect();
    changes
}

/// Returns the end of the scope that follows a point with only copies of the borrow before it.
fn existing_end(body: &Body, scope: &Scope, next: Inst) -> Option<Inst> {
    let mut following = std::iter::successors(Some(next), |&inst| body.next_inst(inst));
    following
        .find(|inst| !scope.copies.contains(inst))
        .filter(|inst| scope.ends.contains(inst) && body.operand_value(*inst, 0) == scope.borrow)
}

/// A borrow scope that can be shrunk.
struct Scope {
    /// The instruction that begins it.
    begin: Inst,
    /// The borrow.
    borrow: Value,
    /// The instructions that end it.
    ends: Vec<Inst>,
    /// The uses of the borrow, of values that are forwarded from it, and of their copies.
    users: FxHashSet<Inst>,
    /// The copies of the borrow, and the copies of these.
    copies: FxHashSet<Inst>,
}

impl Scope {
    /// Returns the scope of a borrow; `None` if it may have uses that are not known.
    fn of(view: &BodyView<'_>, begin: Inst) -> Option<Self> {
        let body = view.body;
        let borrow = body.first_result(begin)?;
        let ownership = view.ownership();
        let borrows = Borrows::new(body, &ownership);
        let mut this = Self {
            begin,
            borrow,
            ends: Vec::new(),
            users: FxHashSet::default(),
            copies: FxHashSet::default(),
        };
        for user in body.users(borrow) {
            match body.inst(user).opcode {
                Opcode::EndBorrow => this.ends.push(user),
                Opcode::CopyValue => _ = this.copies.insert(user),
                _ => {}
            }
        }
        let mut work = vec![borrow];
        while let Some(value) = work.pop() {
            for used in borrows.interior_uses(value, Extent::default()) {
                let user = match used {
                    Interior::Use(user, _) => user,
                    Interior::Scope(_) => continue,
                    Interior::PassedOn(_) | Interior::Escape(_) | Interior::Endless(_) => return None,
                };
                let copy = body.view_as::<CopyValue>(user);
                // A phi continues the scope, or the lifetime of a copy.
                if body.inst(user).opcode == Opcode::Branch {
                    return None;
                }
                let Some(copy) = copy else {
                    this.users.insert(user);
                    continue;
                };
                let of = body.defining_inst(copy.operand);
                if copy.operand == borrow || of.is_some_and(|of| this.copies.contains(&of)) {
                    this.copies.insert(user);
                } else {
                    this.users.insert(user);
                }
                work.extend(body.first_result(user));
            }
        }
        for end in &this.ends {
            this.users.remove(end);
        }
        (!this.ends.is_empty()).then_some(this)
    }
}

/// A walk backward in one block.
struct Walk {
    /// The instruction that ends the scope in the block; otherwise the walk begins at the terminator.
    end: Option<Inst>,
    /// The barrier that the walk stops at; otherwise it reaches the start of the block.
    barrier: Option<Inst>,
    /// True if the scope ends in all predecessors of the block, which the walk goes on to.
    hoists: bool,
}

/// Where a scope will end.
struct Plan {
    /// The instructions before which it ends.
    ends: Vec<Inst>,
    /// The copies that are no longer in the scope.
    copies: Vec<Inst>,
}

impl Plan {
    fn of(view: &BodyView<'_>, scope: &Scope) -> Self {
        let mut region = Region {
            view,
            scope,
            barred: FxHashSet::default(),
            blocks: Vec::new(),
            walks: FxHashMap::default(),
        };
        loop {
            region.walk();
            region.limit();
            if !region.bar_accesses() {
                return region.plan();
            }
        }
    }
}

/// The instructions that the ends of a scope are hoisted over.
struct Region<'a> {
    view: &'a BodyView<'a>,
    scope: &'a Scope,
    /// The accesses that contain barriers.
    barred: FxHashSet<Inst>,
    /// The visited blocks, in the order of the visit.
    blocks: Vec<Block>,
    walks: FxHashMap<Block, Walk>,
}

impl Region<'_> {
    /// Walks backward from the ends, to all predecessors that could be reached.
    fn walk(&mut self) {
        let body = self.view.body;
        self.blocks.clear();
        self.walks.clear();
        for &end in &self.scope.ends {
            self.visit(body.inst_block(end), Some(end));
        }
        let mut next = 0;
        while let Some(&block) = self.blocks.get(next) {
            next += 1;
            if self.walks[&block].barrier.is_none() {
                for predecessor in body.predecessors(block) {
                    self.visit(predecessor, None);
                }
            }
        }
    }

    fn visit(&mut self, block: Block, end: Option<Inst>) {
        let body = self.view.body;
        if self.walks.contains_key(&block) {
            return;
        }
        let barrier = self.visited(block, end).find(|&inst| self.is_barrier(inst));
        let hoists = barrier.is_none() && !body.is_entry_block(block);
        self.walks.insert(block, Walk { end, barrier, hoists });
        self.blocks.push(block);
    }

    /// Returns the instructions before an end, or all but the terminator, from the last to the first one.
    fn visited(&self, block: Block, end: Option<Inst>) -> impl Iterator<Item = Inst> + '_ {
        let body = self.view.body;
        let last = end.or_else(|| body.terminator(block));
        std::iter::successors(last, |&inst| body.prev_inst(inst)).skip(1)
    }

    fn is_barrier(&self, inst: Inst) -> bool {
        if inst == self.scope.begin || self.scope.users.contains(&inst) {
            return true;
        }
        if self.scope.copies.contains(&inst) {
            return false;
        }
        accessed(self.view.body, inst).is_some_and(|access| self.barred.contains(&access))
            || self.view.is_deinit_barrier(inst)
    }

    /// Returns true if the scope could end before the terminator of a block instead of in its successors.
    fn can_enter(&self, block: Block) -> bool {
        let body = self.view.body;
        let walk = self.walks.get(&block);
        let Some(terminator) = body.terminator(block) else { return false };
        walk.is_some_and(|walk| walk.end.is_none())
            && !self.is_barrier(terminator)
            && body.successors(terminator).all(|s| self.walks.get(&s).is_some_and(|walk| walk.hoists))
    }

    /// Limits hoisting to where all predecessors of a block can be entered.
    fn limit(&mut self) {
        let body = self.view.body;
        let mut work = self.blocks.clone();
        while let Some(block) = work.pop() {
            let walk = &self.walks[&block];
            let is_walked = walk.end.is_some() || self.can_enter(block);
            if !walk.hoists || (is_walked && body.predecessors(block).all(|p| self.can_enter(p))) {
                continue;
            }
            if let Some(walk) = self.walks.get_mut(&block) {
                walk.hoists = false;
            }
            for predecessor in body.predecessors(block) {
                work.push(predecessor);
                let siblings = body.terminator(predecessor).into_iter().flat_map(|t| body.successors(t));
                work.extend(siblings);
            }
            work.retain(|block| self.walks.contains_key(block));
        }
    }

    /// Returns the instructions that the ends are hoisted over in a block.
    fn hoisted_over(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        let walk = &self.walks[&block];
        let is_walked = walk.end.is_some() || self.can_enter(block);
        let visited = self.visited(block, walk.end).take_while(|&inst| Some(inst) != walk.barrier);
        visited.take(if is_walked { usize::MAX } else { 0 })
    }

    /// Finds accesses in which the hoisted ends would be: their own ends are barriers. Returns true if there are new
    /// ones.
    fn bar_accesses(&mut self) -> bool {
        let body = self.view.body;
        let over = || self.blocks.iter().flat_map(|&block| self.hoisted_over(block));
        let begun: FxHashSet<Inst> =
            over().filter(|&inst| body.inst(inst).opcode == Opcode::BeginAccess).collect();
        let entered: Vec<Inst> =
            over().filter_map(|inst| accessed(body, inst)).filter(|access| !begun.contains(access)).collect();
        let before = self.barred.len();
        self.barred.extend(entered);
        self.barred.len() > before
    }

    fn plan(&self) -> Plan {
        let body = self.view.body;
        let mut plan = Plan { ends: Vec::new(), copies: Vec::new() };
        for &block in &self.blocks {
            let walk = &self.walks[&block];
            if walk.end.is_none() && !self.can_enter(block) {
                continue;
            }
            plan.copies.extend(self.hoisted_over(block).filter(|inst| self.scope.copies.contains(inst)));
            let next = match walk.barrier {
                Some(barrier) => body.next_inst(barrier),
                None if walk.hoists => None,
                None => body.first_inst(block),
            };
            plan.ends.extend(next);
        }
        plan
    }
}

/// Returns the access that an instruction ends.
fn accessed(body: &Body, inst: Inst) -> Option<Inst> {
    if body.inst(inst).opcode != Opcode::EndAccess {
        return None;
    }
    let access = body.defining_inst(body.operand_value(inst, 0))?;
    body.view_as::<BeginAccess>(access).map(|_| access)
}
