//! Relations between instructions: allocations and deallocations, scopes and their ends, projections, casts, markers,
//! forwarding. All answers come from columns of the instruction table; apply sites are in [`crate::semantics::conventions`],
//! successors with the control flow of the body.

use crate::body::{Body, Inst, Operand, Value, ValueDef};
use crate::generated::{Opcode, ScopeKind};
use crate::info::{Results, Role, ScopeEdge};

/// The origin of an address or a value, found by looking through projections and casts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The value that is not itself a projection, cast or marker.
    pub root: Value,
    /// The instructions on the path, from the root to the value.
    pub path: Vec<Inst>,
}

impl Body {
    /// Returns the role of an instruction.
    pub fn role(&self, inst: Inst) -> Role {
        self.info(inst).role
    }

    /// Returns the operand value that the role of an instruction concerns: the projected, cast, marked or deallocated
    /// value.
    pub fn role_operand(&self, inst: Inst) -> Option<Value> {
        let range = self.operand_range(inst, self.role(inst).operand()?);
        self.operands(inst).get(range.start).map(|o| o.value)
    }

    /// Returns true if an instruction projects the address of a part from the address of the whole.
    pub fn is_address_projection(&self, inst: Inst) -> bool {
        self.projects(inst) == Some((true, true))
    }

    /// Returns true if an instruction projects the address of a part from a reference, such as to a class instance or
    /// a box.
    pub fn is_interior_pointer(&self, inst: Inst) -> bool {
        self.projects(inst) == Some((false, true))
    }

    /// Returns whether the whole and the part of a projection are addresses.
    fn projects(&self, inst: Inst) -> Option<(bool, bool)> {
        let Role::Projection(_) = self.role(inst) else { return None };
        let part = self.first_result(inst)?;
        Some((self.value(self.role_operand(inst)?).ty.is_address(), self.value(part).ty.is_address()))
    }

    /// Returns the origin of a value: the root of the projections, casts and markers that it is derived by.
    ///
    /// `follows` selects the roles to look through: for the accessed memory of an address [`Role::Projection`],
    /// [`Role::Cast`] and [`Role::Marker`].
    pub fn origin(&self, value: Value, follows: impl Fn(Role) -> bool) -> Origin {
        let step = |inst| self.role_operand(inst).filter(|_| follows(self.role(inst)));
        let values: Vec<Value> = self.chain(value, step).collect();
        let root = values.last().copied().unwrap_or(value);
        let path = values.iter().rev().skip(1).filter_map(|&value| self.defining_inst(value)).collect();
        Origin { root, path }
    }

    /// Returns true if an instruction forwards the ownership of an operand (Ownership.md, "Forwarding").
    pub fn is_forwarding(&self, inst: Inst) -> bool {
        self.info(inst).operands.iter().any(|o| o.is_forwarded())
    }

    /// Returns the kind of scope that an instruction begins.
    pub fn begins_scope(&self, inst: Inst) -> Option<ScopeKind> {
        match self.info(inst).scope {
            Some(ScopeEdge::Begins(kind)) => Some(kind),
            _ => None,
        }
    }

    /// Returns the kind of scope that an instruction ends.
    pub fn ends_scope(&self, inst: Inst) -> Option<ScopeKind> {
        match self.info(inst).scope {
            Some(ScopeEdge::Ends(kind)) => Some(kind),
            _ => None,
        }
    }

    /// Returns true if an instruction begins a borrow scope.
    pub fn begins_borrow(&self, inst: Inst) -> bool {
        self.begins_scope(inst) == Some(ScopeKind::Borrow)
    }

    /// Returns the instructions that directly end the scope that an instruction begins, excluding ends of forwarded
    /// values and reborrows.
    pub fn scope_ends(&self, inst: Inst) -> impl Iterator<Item = Inst> + '_ {
        let kind = self.begins_scope(inst);
        self.results(inst)
            .filter(move |_| kind.is_some())
            .flat_map(|v| self.users(v))
            .filter(move |&user| self.ends_scope(user) == kind)
    }

    /// Returns the instruction that begins the scope that an instruction ends, if it defines the operand directly.
    pub fn scope_begin(&self, inst: Inst) -> Option<Inst> {
        let kind = self.ends_scope(inst)?;
        let begin = self.defining_inst(self.operands(inst).first()?.value)?;
        (self.begins_scope(begin) == Some(kind)).then_some(begin)
    }

    /// Returns true if an instruction allocates memory.
    pub fn is_allocation(&self, inst: Inst) -> bool {
        self.role(inst) == Role::Allocation
    }

    /// Returns true if an instruction deallocates memory.
    pub fn is_deallocation(&self, inst: Inst) -> bool {
        matches!(self.role(inst), Role::Deallocation(_))
    }

    /// Returns the deallocations of an allocation.
    pub fn deallocations(&self, inst: Inst) -> impl Iterator<Item = Inst> + '_ {
        self.results(inst).flat_map(|v| self.users(v)).filter(move |&user| self.deallocates(user, inst))
    }

    fn deallocates(&self, user: Inst, allocation: Inst) -> bool {
        let is_result = |value| self.defining_inst(value) == Some(allocation);
        match self.role(user) {
            Role::Deallocation(_) => self.role_operand(user).is_some_and(is_result),
            _ => self.is_stack_deallocation(user) && self.operands(user).iter().any(|o| is_result(o.value)),
        }
    }

    /// Returns true if this instance allocates on the stack (`alloc_ref [stack]`, …).
    pub fn is_stack_allocation(&self, inst: Inst) -> bool {
        self.stack_allocated(inst, false).is_some()
    }

    /// Returns true if this instance deallocates stack memory.
    pub fn is_stack_deallocation(&self, inst: Inst) -> bool {
        self.stack_deallocated(inst).is_some()
    }

    /// Returns true if an instruction is a terminator.
    pub fn is_terminator(&self, inst: Inst) -> bool {
        self.info(inst).results == Results::Terminator
    }

    /// Returns true if an instruction exits the function: a terminator without successors other than `unreachable`.
    pub fn is_function_exit(&self, inst: Inst) -> bool {
        self.is_terminator(inst)
            && self.inst(inst).opcode != Opcode::Unreachable
            && self.successors(inst).len() == 0
    }

    /// Returns true if a value is a phi: a block argument whose values branches pass, as opposed to an argument of
    /// the entry block or one that a terminator defines.
    pub fn is_phi(&self, value: Value) -> bool {
        let ValueDef::Argument(block, index) = self.def(value) else { return false };
        !self.is_entry_block(block)
            && self.incoming(block).next().is_some()
            && self.incoming(block).all(|edge| self.edge_operand(edge, index.into()).is_some())
    }

    /// Returns the incoming values of a phi, newest edge first.
    pub fn phi_values(&self, value: Value) -> Vec<Value> {
        let ValueDef::Argument(block, index) = self.def(value) else { return Vec::new() };
        let operands = self.incoming(block).filter_map(|edge| self.edge_operand(edge, index.into()));
        operands.map(|operand| self.operand(operand).value).collect()
    }

    /// Returns the block argument that an operand of a terminator is passed to (`br`, `cond_br`).
    pub fn passed_to(&self, operand: Operand) -> Option<Value> {
        let terminator = self.operand(operand).user;
        let block = self.inst_block(terminator).some().filter(|_| self.is_terminator(terminator))?;
        let at = self.operand_index(operand);
        self.outgoing(block).enumerate().find_map(|(index, edge)| {
            let passed = self.operand_range(terminator, self.edge_operands(terminator, index)?);
            self.arguments(self.edge(edge).to)
                .get(at.checked_sub(passed.start)?)
                .copied()
                .filter(|_| at < passed.end)
        })
    }
}
