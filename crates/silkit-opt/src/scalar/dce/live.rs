//! Liveness of instructions: those with side effects, and everything that they depend on.

use super::control::Control;
use super::kept::KeptValues;
use silkit_analysis::BodyView;
use silkit_analysis::ossa::Borrows;
use silkit_base::Entity;
use silkit_ir::info::Role;
use silkit_ir::instructions::LoadQualifier;
use silkit_ir::instructions::{self as inst};
use silkit_ir::ownership::BodyOwnership;
use silkit_ir::{ArgFlags, Behavior, Block, Body, Inst, Opcode, Ownership, Release, Value, ValueDef, chain};

/// The live instructions and arguments of a body.
pub(super) struct Live<'a> {
    body: &'a Body,
    insts: Vec<bool>,
    args: Vec<bool>,
    /// The number of live instructions in each block.
    count: Vec<u32>,
    work: Vec<Work>,
}

/// An entity that became live and whose dependences must be marked.
enum Work {
    Inst(Inst),
    Argument(Value),
    /// A block with its first live instruction.
    Block(Block),
}

impl<'a> Live<'a> {
    pub(super) fn of(
        view: &BodyView<'a>,
        control: &mut Control,
        ownership: Option<&'a BodyOwnership<'a>>,
    ) -> Self {
        let body = view.body;
        let mut live = Self {
            body,
            insts: vec![false; body.inst_bound()],
            args: vec![false; body.value_bound()],
            count: vec![0; body.block_bound()],
            work: Vec::new(),
        };
        let behavior = view.behavior();
        let mut kept = ownership.map(|ownership| KeptValues::new(body, ownership));
        for inst in body.insts() {
            if is_root(view, &behavior, kept.as_mut(), inst) {
                live.mark(inst);
            } else if kept.as_mut().is_some_and(|kept| kept.keeps_block(inst)) {
                live.count_in_block(inst);
            }
        }
        if let Some(ownership) = ownership {
            if view.program.release() >= Release::V6_3 {
                live.keep_leaked(ownership);
            }
            live.keep_outer_borrows(&Borrows::new(body, ownership));
        }
        let mut controlling = Vec::new();
        while let Some(work) = live.work.pop() {
            match work {
                Work::Inst(inst) => live.propagate(inst),
                Work::Argument(arg) => live.propagate_argument(arg),
                Work::Block(block) => {
                    control.controlling(block, &mut controlling);
                    for terminator in controlling.drain(..).filter_map(|b| body.terminator(b)) {
                        live.mark(terminator);
                    }
                }
            }
        }
        live
    }

    /// Keeps the owned values that nothing ends, as before a dead end (since Swift 6.3; Swift 6.2 destroys what they were
    /// made of).
    fn keep_leaked(&mut self, ownership: &BodyOwnership<'_>) {
        let body = self.body;
        let arguments = body.blocks().flat_map(|block| body.arguments(block).iter().copied());
        let results = body.insts().flat_map(|inst| body.results(inst));
        let ends = |operand| ownership.operand(operand).is_none_or(|using| using.ends_lifetime());
        for value in arguments.chain(results) {
            if ownership.value(value) == Some(Ownership::Owned) && !body.uses(value).any(ends) {
                self.mark_value(value);
            }
        }
    }

    /// Keeps borrow scopes that contain another borrow which is passed to a phi: if the phi was removed, the end of
    /// the outer scope would not be known.
    fn keep_outer_borrows(&mut self, borrows: &Borrows<'_>) {
        let body = self.body;
        let is_reborrow = |&arg: &Value| body.value(arg).arg_flags.contains(ArgFlags::REBORROW);
        let is_borrow = |value: &Value| {
            let opcode = body.defining_inst(*value).map(|def| body.inst(def).opcode);
            matches!(opcode, Some(Opcode::BeginBorrow | Opcode::LoadBorrow | Opcode::BorrowedFrom))
        };
        let may_reborrow =
            |&inst: &Inst| matches!(body.inst(inst).opcode, Opcode::BeginBorrow | Opcode::LoadBorrow);
        for inst in body.insts().filter(may_reborrow) {
            let mut passed = body.results(inst).flat_map(|r| body.uses(r)).filter_map(|o| body.passed_to(o));
            if !passed.any(|arg| is_reborrow(&arg)) {
                continue;
            }
            let Some(borrowed) = borrowed_value(body, inst) else { continue };
            let mut work = if is_borrow(&borrowed) { vec![borrowed] } else { borrows.introducers(borrowed) };
            work.retain(is_borrow);
            while let Some(value) = work.pop() {
                self.mark_value(value);
                for arg in body.uses(value).filter_map(|o| body.passed_to(o)).filter(is_reborrow) {
                    if !self.argument(arg) {
                        self.mark_value(arg);
                        let borrowed = body.users(arg).filter(|&user| is_borrowed_phi(body, user, arg));
                        work.extend(borrowed.flat_map(|user| body.results(user)));
                    }
                }
            }
        }
    }

    /// Returns true if an instruction is live.
    pub(super) fn inst(&self, inst: Inst) -> bool {
        self.insts[inst.index()]
    }

    /// Returns true if a block argument is live.
    pub(super) fn argument(&self, arg: Value) -> bool {
        self.args[arg.index()]
    }

    /// Returns true if a value is live.
    pub(super) fn value(&self, value: Value) -> bool {
        match self.body.def(value) {
            ValueDef::Result(inst, _) => self.inst(inst),
            ValueDef::Argument(..) => self.argument(value),
            ValueDef::Undef | ValueDef::Pending => false,
        }
    }

    /// Returns true if a block has a live instruction.
    pub(super) fn block(&self, block: Block) -> bool {
        self.count[block.index()] > 0
    }

    fn mark(&mut self, inst: Inst) {
        if std::mem::replace(&mut self.insts[inst.index()], true) {
            return;
        }
        self.work.push(Work::Inst(inst));
        self.count_in_block(inst);
    }

    /// Counts an instruction as a live one of its block.
    fn count_in_block(&mut self, inst: Inst) {
        let block = self.body.inst_block(inst);
        self.count[block.index()] += 1;
        if self.count[block.index()] == 1 {
            self.work.push(Work::Block(block));
        }
    }

    fn mark_value(&mut self, value: Value) {
        match self.body.def(value) {
            ValueDef::Result(inst, _) => self.mark(inst),
            ValueDef::Argument(..) => {
                if !std::mem::replace(&mut self.args[value.index()], true) {
                    self.work.push(Work::Argument(value));
                }
            }
            ValueDef::Undef | ValueDef::Pending => {}
        }
    }

    fn propagate_argument(&mut self, arg: Value) {
        let ValueDef::Argument(block, index) = self.body.def(arg) else { return };
        self.mark_dependents(arg);
        for edge in self.body.incoming(block) {
            // The terminator that passes the argument must be kept.
            let from = self.body.edge(edge).from;
            if let Some(terminator) = self.body.terminator(from) {
                self.mark(terminator);
            }
            if let Some(operand) = self.body.edge_operand(edge, index.into()) {
                self.mark_value(self.body.operand(operand).value);
            }
        }
    }

    /// Marks the users that only serve a value: they are live if and only if the value is.
    fn mark_dependents(&mut self, value: Value) {
        let body = self.body;
        for user in body.users(value) {
            if is_dependent(body.inst(user).opcode) && body.operand_value(user, 0) == value {
                self.mark(user);
            }
        }
    }

    fn propagate(&mut self, inst: Inst) {
        let body = self.body;
        match body.inst(inst).opcode {
            // Their operands are live if the block arguments are.
            Opcode::Branch => return,
            Opcode::CondBranch => return self.mark_value(body.operand_value(inst, 0)),
            _ => {}
        }
        for operand in body.operands(inst) {
            self.mark_value(operand.value);
        }
        for result in body.results(inst) {
            self.mark_dependents(result);
        }
        if body.inst(inst).opcode == Opcode::Builtin {
            for check in checks(body, inst) {
                self.mark(check);
            }
        }
    }
}

/// Returns the value that an instruction borrows, or of which it borrows a part in memory.
fn borrowed_value(body: &Body, borrow: Inst) -> Option<Value> {
    let is_address = |value: &Value| body.value(*value).ty.is_address();
    let base = |address| {
        let inst = body.defining_inst(address).filter(|_| is_address(&address))?;
        let is_projection = matches!(body.role(inst), Role::Projection(_));
        is_projection.then(|| body.operand_value(inst, 0))
    };
    chain(body.operand_value(borrow, 0), base).last().filter(|value| !is_address(value))
}

/// Returns true if an instruction is the `borrowed … from` of a phi.
fn is_borrowed_phi(body: &Body, inst: Inst, phi: Value) -> bool {
    body.view_as::<inst::BorrowedFrom>(inst).is_some_and(|borrowed| borrowed.value == phi)
}

/// Returns true for opcodes that only inspect their operand or end its lifetime.
fn is_dependent(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::DebugValue
            // A live phi is still borrowed.
            | Opcode::BorrowedFrom
            | Opcode::EndAccess
            | Opcode::FixLifetime
            | Opcode::DestroyValue
            | Opcode::EndBorrow
            | Opcode::EndLifetime
    )
}

/// Returns the overflow checks of a builtin: `cond_fail` of a part of its result.
fn checks(body: &Body, builtin: Inst) -> impl Iterator<Item = Inst> + '_ {
    let parts = body.results(builtin).flat_map(|r| body.users(r));
    let parts = parts.filter(|&user| body.inst(user).opcode == Opcode::TupleExtract);
    parts
        .flat_map(|part| body.results(part).flat_map(|r| body.users(r)))
        .filter(|&user| body.inst(user).opcode == Opcode::CondFail)
}

/// Returns true if an instruction is live even if its results are unused.
fn is_root(
    view: &BodyView<'_>,
    behavior: &Behavior<'_>,
    kept: Option<&mut KeptValues<'_>>,
    inst: Inst,
) -> bool {
    let body = view.body;
    match body.inst(inst).opcode {
        Opcode::CondFail => !checks_builtin(body, inst),
        Opcode::EndAccess => false,
        // These end the lifetime of a value in memory.
        Opcode::EndLifetime if body.value(body.operand_value(inst, 0)).ty.is_address() => true,
        Opcode::DestroyValue | Opcode::EndBorrow | Opcode::EndLifetime => {
            kept.is_some_and(|kept| kept.is_ended(body.operand_value(inst, 0)))
        }
        Opcode::BeginAccess | Opcode::BeginBorrow | Opcode::CopyValue => false,
        // As in the reference, an unused cast is deleted even if it may trap.
        Opcode::UnconditionalCheckedCast => false,
        Opcode::MoveValue => body.has_flag(inst, "lexical") || kept.is_some_and(|kept| kept.keeps(inst)),
        // An undecided move initializes memory.
        Opcode::AllocRef
        | Opcode::AllocRefDynamic
        | Opcode::EndInitLetRef
        | Opcode::MarkUnresolvedMoveAddr => true,
        // A trivial value has no lifetime, but memory has.
        Opcode::FixLifetime => {
            let ty = body.value(body.operand_value(inst, 0)).ty;
            ty.is_address() || view.declarations().properties(ty.ty(), None).trivial != Some(true)
        }
        Opcode::Load => {
            body.view_as::<inst::Load>(inst).is_some_and(|l| l.qualifier == Some(LoadQualifier::Take))
        }
        // Nothing else would keep debug values of arguments and of `undef`.
        Opcode::DebugValue => match body.def(body.operand_value(inst, 0)) {
            ValueDef::Argument(block, _) => body.is_entry_block(block),
            ValueDef::Undef => true,
            _ => false,
        },
        Opcode::Unreachable => true,
        _ if body.is_function_exit(inst) => true,
        Opcode::Builtin if is_kept_builtin(body, inst) => true,
        Opcode::Apply if makes_string(view, inst) => false,
        Opcode::Branch => kept.is_some_and(|kept| kept.keeps(inst)),
        _ => behavior.may_have_side_effects(inst) || kept.is_some_and(|kept| kept.keeps(inst)),
    }
}

fn checks_builtin(body: &Body, check: Inst) -> bool {
    let part = body.defining_inst(body.operand_value(check, 0));
    let part = part.filter(|&p| body.inst(p).opcode == Opcode::TupleExtract);
    part.and_then(|p| body.defining_inst(body.operand_value(p, 0)))
        .is_some_and(|whole| body.inst(whole).opcode == Opcode::Builtin)
}

/// Returns true if a builtin without side effects is a marker for its position.
fn is_kept_builtin(body: &Body, inst: Inst) -> bool {
    let name = body.word(inst, "name").and_then(Body::symbol);
    name.is_some_and(|name| matches!(name.as_str(), "onFastPath" | "willThrow"))
}

/// Returns true if an instruction creates a string from a literal, which has no side effects, and passes it to a phi. As in
/// the reference, a string that only destroys use is kept.
fn makes_string(view: &BodyView<'_>, inst: Inst) -> bool {
    let body = view.body;
    let is_passed = |value| body.uses(value).any(|operand| body.passed_to(operand).is_some());
    let callee = body.called_function(inst).and_then(|name| view.program.function(name));
    callee.is_some_and(|f| f.has_semantics("string.makeUTF8")) && body.results(inst).any(is_passed)
}
