//! Relations between instructions: allocations and deallocations, scopes and their ends, projections, casts, markers,
//! forwarding. All answers come from columns of the instruction table; apply sites are in [`crate::conventions`],
//! successors with the control flow of the body.

use crate::body::{Body, Inst, Operand, Value, ValueDef};
use crate::generated::{Opcode, ScopeKind};
use crate::info::{Results, Role, ScopeEdge};

/// The origin of an address or a value after looking through projections and casts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The value that is no projection, cast or marker itself.
    pub root: Value,
    /// The instructions on the way, outermost part first: from the root to the value.
    pub path: Vec<Inst>,
}

impl Body {
    /// Returns the part that an instruction plays.
    pub fn role(&self, inst: Inst) -> Role {
        self.info(inst).role
    }

    /// Returns the value that the role of an instruction is about: what is projected, cast, marked, freed.
    pub fn role_operand(&self, inst: Inst) -> Option<Value> {
        let range = self.operand_range(inst, self.role(inst).operand()?);
        self.operands(inst).get(range.start).map(|o| o.value)
    }

    /// Returns true if it makes the address of a part from the address of the whole.
    pub fn is_address_projection(&self, inst: Inst) -> bool {
        self.projects(inst) == Some((true, true))
    }

    /// Returns true if it makes the address of a part from a reference to the whole, such as a class or a box.
    pub fn is_interior_pointer(&self, inst: Inst) -> bool {
        self.projects(inst) == Some((false, true))
    }

    /// Returns whether the whole and the part of a projection are addresses.
    fn projects(&self, inst: Inst) -> Option<(bool, bool)> {
        let Role::Projection(_) = self.role(inst) else { return None };
        let part = self.first_result(inst)?;
        Some((self.value(self.role_operand(inst)?).ty.is_address(), self.value(part).ty.is_address()))
    }

    /// Returns the origin of a value: the value that it is a part of, a cast of, or another name of.
    ///
    /// `follows` says which roles are followed: for the accessed memory of an address
    /// [`Role::Projection`], [`Role::Cast`] and [`Role::Marker`].
    pub fn origin(&self, value: Value, follows: impl Fn(Role) -> bool) -> Origin {
        let mut origin = Origin { root: value, path: Vec::new() };
        // A body that is wrong may define values by each other.
        while origin.path.len() < self.inst_bound()
            && let Some(inst) = self.defining_inst(origin.root)
            && follows(self.role(inst))
            && let Some(whole) = self.role_operand(inst)
        {
            origin.path.push(inst);
            origin.root = whole;
        }
        origin.path.reverse();
        origin
    }

    /// Returns true if it passes the ownership of an operand on (Ownership.md, "Forwarding").
    pub fn is_forwarding(&self, inst: Inst) -> bool {
        self.info(inst).operands.iter().any(|o| o.is_forwarded())
    }

    /// Returns the kind of scope that it begins.
    pub fn begins_scope(&self, inst: Inst) -> Option<ScopeKind> {
        match self.info(inst).scope {
            Some(ScopeEdge::Begins(kind)) => Some(kind),
            _ => None,
        }
    }

    /// Returns the kind of scope that it ends.
    pub fn ends_scope(&self, inst: Inst) -> Option<ScopeKind> {
        match self.info(inst).scope {
            Some(ScopeEdge::Ends(kind)) => Some(kind),
            _ => None,
        }
    }

    /// Returns true if it begins a borrow.
    pub fn begins_borrow(&self, inst: Inst) -> bool {
        self.begins_scope(inst) == Some(ScopeKind::Borrow)
    }

    /// Returns the instructions that end the scope that an instruction begins. Those that end it for a value it
    /// was forwarded to or reborrowed as are not among them.
    pub fn scope_ends(&self, inst: Inst) -> impl Iterator<Item = Inst> + '_ {
        let kind = self.begins_scope(inst);
        self.results(inst)
            .filter(move |_| kind.is_some())
            .flat_map(|v| self.users(v))
            .filter(move |&user| self.ends_scope(user) == kind)
    }

    /// Returns the instruction whose scope an instruction ends, where that is in plain sight.
    pub fn scope_begin(&self, inst: Inst) -> Option<Inst> {
        let kind = self.ends_scope(inst)?;
        let begin = self.defining_inst(self.operands(inst).first()?.value)?;
        (self.begins_scope(begin) == Some(kind)).then_some(begin)
    }

    /// Returns true if it makes memory.
    pub fn is_allocation(&self, inst: Inst) -> bool {
        self.role(inst) == Role::Allocation
    }

    /// Returns true if it gives memory back.
    pub fn is_deallocation(&self, inst: Inst) -> bool {
        matches!(self.role(inst), Role::Deallocation(_))
    }

    /// Returns the instructions that give back what an instruction allocates.
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

    /// Returns true if this very instruction allocates on the stack (`alloc_ref [stack]`, …).
    pub fn is_stack_allocation(&self, inst: Inst) -> bool {
        self.stack_allocated(inst, false).is_some()
    }

    /// Returns true if this very instruction gives memory of the stack back.
    pub fn is_stack_deallocation(&self, inst: Inst) -> bool {
        self.stack_deallocated(inst).is_some()
    }

    /// Returns true if it ends a block.
    pub fn is_terminator(&self, inst: Inst) -> bool {
        self.info(inst).results == Results::Terminator
    }

    /// Returns true if it leaves the function: a terminator without successors that is no `unreachable`.
    pub fn is_function_exit(&self, inst: Inst) -> bool {
        self.is_terminator(inst)
            && self.inst(inst).opcode != Opcode::Unreachable
            && self.successors(inst).len() == 0
    }

    /// Returns true if a value is an argument that edges pass, as opposed to one of the entry or of a terminator.
    pub fn is_phi(&self, value: Value) -> bool {
        let ValueDef::Argument(block, index) = self.def(value) else { return false };
        !self.is_entry_block(block)
            && self.incoming(block).next().is_some()
            && self.incoming(block).all(|edge| self.edge_operand(edge, index.into()).is_some())
    }

    /// Returns the values that edges pass for an argument, newest edge first.
    pub fn phi_values(&self, value: Value) -> Vec<Value> {
        let ValueDef::Argument(block, index) = self.def(value) else { return Vec::new() };
        let operands = self.incoming(block).filter_map(|edge| self.edge_operand(edge, index.into()));
        operands.map(|operand| self.operand(operand).value).collect()
    }

    /// Returns the argument for which a terminator passes an operand (`br`, `cond_br`).
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
