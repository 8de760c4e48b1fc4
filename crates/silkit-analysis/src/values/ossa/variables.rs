//! Local variables: all accesses to the memory of a box, a stack allocation or an argument, and which accesses reach
//! which.

use super::borrows::Borrows;
use super::variable_uses::{Collector, is_single_assignment};
use super::visible_uses::projected_address;
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::conventions::{ArgumentConvention, Conventions};
use silkit_ir::instructions::{AccessKind, BeginAccess};
use silkit_ir::{Block, Body, Inst, Opcode, Operand, Value, ValueDef};

/// The kind of access to a local variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableAccessKind {
    /// The caller passes the initial value.
    IncomingArgument,
    /// The caller reads the final value.
    OutgoingArgument,
    /// Yielded by a coroutine.
    Yield,
    /// The begin of a formal access.
    BeginAccess,
    /// A load.
    Load,
    /// A value depends on the variable.
    DependenceSource,
    /// The variable depends on a value.
    DependenceDest,
    /// A store to, or destruction of, the variable or a part of it.
    Store,
    /// A borrowed value is stored for a scope.
    StoreBorrow,
    /// Passed to a call, or captured by a closure that is called or passed.
    Apply,
    /// An escape: later accesses are not known.
    Escape,
}

impl VariableAccessKind {
    /// Returns the name of the kind, as in the reference.
    pub fn name(self) -> &'static str {
        match self {
            Self::IncomingArgument => "incomingArgument",
            Self::OutgoingArgument => "outgoingArgument",
            Self::Yield => "inoutYield",
            Self::BeginAccess => "beginAccess",
            Self::Load => "load",
            Self::DependenceSource => "dependenceSource",
            Self::DependenceDest => "dependenceDest",
            Self::Store => "store",
            Self::StoreBorrow => "storeBorrow",
            Self::Apply => "apply",
            Self::Escape => "escape",
        }
    }
}

/// An access to a local variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariableAccess {
    /// The kind of access.
    pub kind: VariableAccessKind,
    /// The accessing instruction; `None` for an incoming argument.
    pub inst: Option<Inst>,
    /// True if this access overwrites the whole previous value.
    pub is_assignment: bool,
}

/// An error: the variable may be accessed in unknown ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownAccess;

/// A local variable with all accesses to it.
#[derive(Clone, Debug)]
pub struct Variable {
    allocation: Value,
    /// The convention of an argument.
    convention: Option<ArgumentConvention>,
    accesses: Vec<VariableAccess>,
    /// The access of each instruction, with all its operands combined.
    effects: FxHashMap<Inst, VariableAccess>,
    /// Accesses that may run after an escape that allows others to access the variable at any time.
    escaped: FxHashSet<Inst>,
}

impl Variable {
    /// Creates the variable of an `alloc_box`, an `alloc_stack` or an indirect argument; `None` for other values, and
    /// if a use is not understood.
    pub fn of(
        borrows: &Borrows<'_>,
        conventions: Option<&Conventions<'_>>,
        allocation: Value,
    ) -> Option<Self> {
        let body = borrows.body;
        let convention = match body.def(allocation) {
            ValueDef::Result(inst, _) => match body.inst(inst).opcode {
                Opcode::AllocBox | Opcode::AllocStack => None,
                _ => return None,
            },
            ValueDef::Argument(block, index) if body.is_entry_block(block) => {
                use ArgumentConvention as C;
                let convention = conventions?.convention(index as usize)?;
                if !matches!(convention, C::In | C::Inout | C::InoutAliasable) {
                    return None;
                }
                Some(convention)
            }
            _ => return None,
        };
        let mut collector = Collector::new(borrows);
        collector.allocation(allocation)?;
        let mut variable = Self {
            allocation,
            convention,
            accesses: Vec::with_capacity(collector.found.len()),
            effects: FxHashMap::default(),
            escaped: FxHashSet::default(),
        };
        for (kind, operand) in collector.found {
            variable.add(borrows, kind, operand);
        }
        if body.defining_inst(allocation).is_some_and(|i| body.inst(i).opcode == Opcode::AllocBox) {
            variable.spread_escapes(body);
        }
        Some(variable)
    }

    /// Returns the accesses in use order.
    pub fn accesses(&self) -> &[VariableAccess] {
        &self.accesses
    }

    fn add(&mut self, borrows: &Borrows<'_>, kind: VariableAccessKind, operand: Operand) {
        let inst = borrows.body.operand(operand).user;
        let is_assignment = is_assignment(borrows, kind, operand);
        let access = VariableAccess { kind, inst: Some(inst), is_assignment };
        self.accesses.push(access);
        let known = self.effects.entry(inst).or_insert(access);
        if is_assignment || (!known.is_assignment && kind == VariableAccessKind::Escape) {
            *known = access;
        }
    }

    /// Marks the accesses after an escape of a box, which may be accessed at any time from then on.
    fn spread_escapes(&mut self, body: &Body) {
        let is_escape = |access: &&VariableAccess| access.kind == VariableAccessKind::Escape;
        let escapes: Vec<Inst> = self.accesses.iter().filter(is_escape).filter_map(|a| a.inst).collect();
        let mut work = Vec::new();
        let mut seen = FxHashSet::default();
        for inst in escapes {
            self.mark_escaped(body, body.next_inst(inst));
            work.extend(body.block_successors(body.inst_block(inst)));
        }
        while let Some(block) = work.pop() {
            if seen.insert(block) {
                self.mark_escaped(body, body.first_inst(block));
                work.extend(body.block_successors(block));
            }
        }
    }

    fn mark_escaped(&mut self, body: &Body, first: Option<Inst>) {
        for inst in std::iter::successors(first, |&i| body.next_inst(i)) {
            if self.effects.contains_key(&inst) && !self.escaped.insert(inst) {
                // The rest of the block has already been visited.
                return;
            }
        }
    }

    fn escapes_at(&self, access: &VariableAccess) -> bool {
        access.kind == VariableAccessKind::Escape || access.inst.is_some_and(|i| self.escaped.contains(&i))
    }

    /// Returns the accesses that may observe the value that a modification leaves: up to the next assignments of the
    /// whole variable, and the return if the caller reads the value.
    pub fn uses_after(&self, body: &Body, modification: Inst) -> Result<Vec<VariableAccess>, UnknownAccess> {
        if self.convention == Some(ArgumentConvention::InoutAliasable)
            || !self.effects.contains_key(&modification)
        {
            return Err(UnknownAccess);
        }
        let mut found = Vec::new();
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let mut work = Vec::new();
        let mut next = Some((body.inst_block(modification), body.next_inst(modification)));
        while let Some((block, first)) = next {
            if !self.scan(body, first, &mut found)? {
                let exit = body.last_inst(block).filter(|&i| body.is_function_exit(i));
                match exit {
                    Some(exit) if self.convention.is_some() => found.push(VariableAccess {
                        kind: VariableAccessKind::OutgoingArgument,
                        inst: Some(exit),
                        is_assignment: false,
                    }),
                    _ => work.extend(body.block_successors(block).filter(|&b| seen.insert(b))),
                }
            }
            next = work.pop().map(|block| (block, body.first_inst(block)));
        }
        Ok(found)
    }

    /// Returns the instructions that use the value of an assignment, or the initial value if `assignment` is `None`,
    /// up to those that replace it or exit the function. Escapes and concurrent accesses by others are ignored.
    pub(super) fn lifetime_uses(&self, body: &Body, assignment: Option<Inst>) -> Vec<Inst> {
        let mut found = Vec::new();
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let mut work = Vec::new();
        let entry = body.entry_block();
        let mut next = match assignment {
            Some(inst) => Some((body.inst_block(inst), body.next_inst(inst))),
            None => entry.map(|block| (block, body.first_inst(block))),
        };
        while let Some((block, first)) = next {
            let mut is_replaced = false;
            for inst in std::iter::successors(first, |&i| body.next_inst(i)) {
                let Some(access) = self.effects.get(&inst) else { continue };
                found.push(inst);
                if access.is_assignment {
                    is_replaced = true;
                    break;
                }
            }
            if !is_replaced {
                let is_end = |inst: &Inst| {
                    body.inst(*inst).opcode == Opcode::Unreachable
                        || (self.convention.is_some() && body.is_function_exit(*inst))
                };
                found.extend(body.last_inst(block).filter(is_end));
                work.extend(body.block_successors(block).filter(|&b| seen.insert(b)));
            }
            next = work.pop().map(|block| (block, body.first_inst(block)));
        }
        found
    }

    /// Adds the accesses up to an assignment. Returns true if there is one.
    fn scan(
        &self,
        body: &Body,
        first: Option<Inst>,
        found: &mut Vec<VariableAccess>,
    ) -> Result<bool, UnknownAccess> {
        for inst in std::iter::successors(first, |&i| body.next_inst(i)) {
            let Some(access) = self.effects.get(&inst) else { continue };
            if access.is_assignment {
                return Ok(true);
            }
            if self.escapes_at(access) {
                return Err(UnknownAccess);
            }
            found.push(*access);
        }
        Ok(false)
    }

    /// Returns the assignments of the whole variable whose value may reach an instruction. Partial modifications are
    /// not included.
    pub fn assignments_before(&self, body: &Body, inst: Inst) -> Result<Vec<VariableAccess>, UnknownAccess> {
        let beginning = body.defining_block(self.allocation);
        let mut found = Vec::new();
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let mut work = Vec::new();
        let mut next = Some((body.inst_block(inst), body.prev_inst(inst)));
        while let Some((block, last)) = next {
            match self.last_assignment(body, last)? {
                Some(access) => found.push(access),
                None if Some(block) != beginning => {
                    work.extend(body.predecessors(block).filter(|&b| seen.insert(b)));
                }
                None if self.convention.is_some() => found.push(VariableAccess {
                    kind: VariableAccessKind::IncomingArgument,
                    inst: None,
                    is_assignment: true,
                }),
                None => {}
            }
            next = work.pop().map(|block| (block, body.last_inst(block)));
        }
        Ok(found)
    }

    fn last_assignment(
        &self,
        body: &Body,
        last: Option<Inst>,
    ) -> Result<Option<VariableAccess>, UnknownAccess> {
        for inst in std::iter::successors(last, |&i| body.prev_inst(i)) {
            let Some(access) = self.effects.get(&inst) else { continue };
            if access.is_assignment {
                return Ok(Some(*access));
            }
            if self.escapes_at(access) {
                return Err(UnknownAccess);
            }
        }
        Ok(None)
    }
}

/// Returns true if an access assigns the whole variable.
fn is_assignment(borrows: &Borrows<'_>, kind: VariableAccessKind, operand: Operand) -> bool {
    use VariableAccessKind as K;
    let body = borrows.body;
    let inst = body.operand(operand).user;
    match kind {
        K::BeginAccess => {
            let access = body.view_as::<BeginAccess>(inst);
            let changes = access.is_some_and(|a| matches!(a.kind, AccessKind::Init | AccessKind::Modify));
            changes && projected_address(body, operand).is_some_and(|v| is_single_assignment(borrows, v))
        }
        K::Store | K::StoreBorrow => {
            !super::variable_uses::stores(body, inst) || super::variable_uses::is_base(body, operand)
        }
        K::Apply => {
            super::variable_uses::applied(borrows, operand).is_some_and(|c| c == ArgumentConvention::Out)
        }
        _ => false,
    }
}
