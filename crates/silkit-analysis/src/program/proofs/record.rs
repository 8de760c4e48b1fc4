//! Effect records of one body: the effects of its instructions, and the effects that follow from callees.

use super::{Fact, Reason, UnknownCode};
use crate::BodyView;
use crate::ProgramView;
use crate::side_effects::{Cause, EffectSink, Subject, declared_effects, has_computed_effects};
use silkit_ir::effects::{Effects, SideEffects};
use silkit_ir::info::{ApplyKind, Role};
use silkit_ir::{Body, Function, FunctionId, Inst, Opcode, RuntimeEffects, Value};

/// The instruction at the end of a proof.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub(super) inst: Option<Inst>,
    pub(super) reason: Reason,
}

/// A fact about a callee that implies a fact about the caller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) callee: FunctionId,
    pub(super) callee_fact: u32,
    pub(super) fact: u32,
    /// The call; `None` if a fact about a function follows from another fact about the same function.
    pub(super) inst: Option<Inst>,
}

/// The records of one body.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// For each fact, the first instruction that proves it and the first that does not exclude it.
    pub(super) leaves: Vec<[Option<Leaf>; 2]>,
    pub(super) edges: Vec<Edge>,
}

/// Records the effects of a body while its side effects are computed.
#[derive(Debug)]
pub struct EffectRecorder<'a> {
    id: FunctionId,
    view: BodyView<'a>,
    program: &'a ProgramView<'a>,
    /// The effects that the function's attributes do not exclude.
    allowed: Effects,
    records: Records,
}

impl<'a> EffectRecorder<'a> {
    /// Creates a recorder for a function with a body and records the runtime effects of its instructions.
    pub fn new(id: FunctionId, view: BodyView<'a>) -> Self {
        let program = view.program;
        let function = view.function;
        let is_promised = function.attributes.effects.is_some();
        let allowed = if is_promised { declared_effects(function) } else { Effects::all() };
        let arguments = view.body.entry_arguments().len();
        let records = Records { leaves: vec![[None; 2]; Fact::count(arguments)], edges: Vec::new() };
        let mut this = Self { id, view, program, allowed, records };
        view.body.insts().for_each(|inst| this.runtime(inst, view.runtime(inst)));
        this
    }

    /// Returns the records.
    pub fn finish(self) -> Records {
        self.records
    }

    /// Returns true if the function's attributes do not exclude a fact.
    fn is_allowed(&self, fact: Fact) -> bool {
        self.allowed.contains(match fact {
            Fact::Read(_) => Effects::READ,
            Fact::Write(_) => Effects::WRITE,
            Fact::Release => Effects::DESTROY,
            _ => return true,
        })
    }

    fn leaf(&mut self, fact: Fact, inst: Option<Inst>, reason: Reason) {
        let is_proof = reason.is_proof() || fact == Fact::Unknown;
        if self.is_allowed(fact)
            && let Some(leaves) = self.records.leaves.get_mut(fact.index())
        {
            leaves[usize::from(!is_proof)].get_or_insert(Leaf { inst, reason });
        }
    }

    fn edge(&mut self, fact: Fact, inst: Option<Inst>, callee: FunctionId, callee_fact: Fact) {
        if self.is_allowed(fact) {
            let (fact, callee_fact) = (fact.index() as u32, callee_fact.index() as u32);
            self.records.edges.push(Edge { callee, callee_fact, fact, inst });
        }
    }

    /// Records the runtime effects of an instruction itself.
    fn runtime(&mut self, inst: Inst, mut effects: RuntimeEffects) {
        use RuntimeEffects as R;
        if effects.contains(R::RELEASE) && self.ends_own_memory(inst) {
            effects -= R::RELEASE;
        }
        let kinds = [
            (R::ALLOCATE, Fact::Allocate),
            (R::COUNT, Fact::Count),
            (R::RELEASE, Fact::Release),
            (R::LOCK, Fact::Lock),
            // An access that conflicts with another one terminates the program.
            (R::TRAP | R::EXCLUSIVITY, Fact::Trap),
        ];
        for (kind, fact) in kinds {
            let why = effects & kind;
            if !why.is_empty() {
                self.leaf(fact, Some(inst), Reason::Runtime(why));
            }
        }
    }

    /// Records code with unknown effects that is run, or not excluded to be run.
    fn unknown(&mut self, inst: Inst, code: UnknownCode) {
        Fact::FEW.into_iter().for_each(|fact| self.leaf(fact, Some(inst), Reason::Unknown(code)));
    }

    fn declared(&self, id: FunctionId) -> &'a Function {
        &self.program.module.functions[id]
    }

    /// Returns the body of a function. The program does not contain the body that is recorded, which a pass has taken
    /// out of it.
    fn body(&self, id: FunctionId) -> Option<&'a Body> {
        if id == self.id { Some(self.view.body) } else { self.declared(id).body.as_ref() }
    }

    /// Returns true if a function has a body with blocks.
    fn has_blocks(&self, id: FunctionId) -> bool {
        self.body(id).is_some_and(|body| body.entry_block().is_some())
    }

    /// Returns the number of arguments of a function that has a body.
    fn arguments(&self, id: FunctionId) -> usize {
        self.body(id).map_or(0, |body| body.entry_arguments().len())
    }

    /// Records a call of a function.
    fn function(&mut self, inst: Inst, callee: FunctionId) {
        let function = self.declared(callee);
        if self.has_blocks(callee) {
            for fact in Fact::FEW {
                self.edge(fact, Some(inst), callee, fact);
            }
            return;
        }
        if ends_program(function) {
            self.leaf(Fact::Trap, Some(inst), Reason::Terminates(callee));
            return;
        }
        let code = Reason::Unknown(UnknownCode::Function(callee));
        let side = self.view.effects(callee).side.as_ref();
        let is_promised = function.attributes.effects.is_some() || side.is_some();
        let effects = side.map_or_else(|| declared_effects(function), SideEffects::all);
        for fact in Fact::FEW {
            let is_excluded = match fact {
                Fact::Release => !effects.contains(Effects::DESTROY),
                Fact::Unknown => is_promised,
                _ => false,
            };
            if !is_excluded {
                self.leaf(fact, Some(inst), code);
            }
        }
    }

    /// Records an effect of a callee and its source.
    fn called(&mut self, fact: Fact, inst: Option<Inst>, callee: FunctionId, on: Option<Fact>) {
        let function = self.declared(callee);
        let is_computed = self.has_blocks(callee) && has_computed_effects(function, self.program.release());
        match on {
            Some(callee_fact) if is_computed && callee_fact.index() < Fact::count(self.arguments(callee)) => {
                self.edge(fact, inst, callee, callee_fact);
            }
            Some(_) => self.leaf(fact, inst, Reason::Declares(callee)),
            None if is_computed => self.recursion(fact, inst, callee),
            None if ends_program(function) => self.leaf(fact, inst, Reason::Terminates(callee)),
            None => self.leaf(fact, inst, Reason::Unknown(UnknownCode::Function(callee))),
        }
    }

    /// Records a recursive call of a function whose effects are not computed yet: the caller reads or writes whatever
    /// the callee does, through any argument.
    fn recursion(&mut self, fact: Fact, inst: Option<Inst>, callee: FunctionId) {
        let kind: fn(Subject) -> Fact = if matches!(fact, Fact::Read(_)) { Fact::Read } else { Fact::Write };
        self.edge(fact, inst, callee, kind(Subject::Global));
        for index in 0..self.arguments(callee) {
            self.edge(fact, inst, callee, kind(Subject::Argument(index)));
        }
    }

    /// Returns true if an instruction deallocates an object that this function allocated, without running code: the
    /// effect is not visible outside.
    fn ends_own_memory(&self, inst: Inst) -> bool {
        let body = self.view.body;
        let opcode = body.inst(inst).opcode;
        let deallocates = matches!(
            opcode,
            Opcode::DeallocBox
                | Opcode::DeallocRef
                | Opcode::DeallocPartialRef
                | Opcode::DeallocExistentialBox
                | Opcode::DeallocPack
        );
        let releases = matches!(opcode, Opcode::DestroyValue | Opcode::StrongRelease | Opcode::ReleaseValue);
        if !deallocates && !releases {
            return false;
        }
        let same = |role| matches!(role, Role::Cast(_) | Role::Marker(_) | Role::Copy(_));
        let root = body.origin(body.operand_value(inst, 0), same).root;
        let Some(allocation) = body.defining_inst(root).filter(|&inst| body.is_allocation(inst)) else {
            return false;
        };
        deallocates || body.inst(allocation).opcode == Opcode::AllocBox && self.holds_trivial_fields(root)
    }

    /// Returns true if all fields of a box are trivial, so that destroying them is a no-op.
    fn holds_trivial_fields(&self, value: Value) -> bool {
        let body = self.view.body;
        let mut projections = body.users(value).filter(|&user| body.inst(user).opcode == Opcode::ProjectBox);
        let is_trivial = |inst| {
            let address = body.first_result(inst);
            address.is_some_and(|address| self.view.is_trivial(body.value(address).ty) == Some(true))
        };
        let first = projections.next();
        first.is_some_and(is_trivial) && projections.all(is_trivial)
    }

    /// Returns the reason why the effects of an instruction are unknown.
    fn unknown_code(&self, inst: Inst) -> UnknownCode {
        let body = self.view.body;
        let calls = body.info(inst).apply.is_some() || body.inst(inst).opcode == Opcode::Builtin;
        if calls { UnknownCode::Callee } else { UnknownCode::Deinit }
    }
}

impl EffectSink for EffectRecorder<'_> {
    fn effect(&mut self, inst: Option<Inst>, effects: Effects, on: Subject, cause: Cause) {
        type Make = fn(Subject) -> Fact;
        let kinds: [(Effects, Make, Reason); 2] =
            [(Effects::READ, Fact::Read, Reason::Reads), (Effects::WRITE, Fact::Write, Reason::Writes)];
        if inst.is_some_and(|inst| self.ends_own_memory(inst)) {
            return;
        }
        for (_, make, does) in kinds.into_iter().filter(|(effect, ..)| effects.contains(*effect)) {
            let fact = make(on);
            match (cause, inst) {
                (Cause::Instruction, Some(_)) => self.leaf(fact, inst, does),
                (Cause::Instruction, None) => self.leaf(fact, None, Reason::ConsumesArgument),
                (Cause::Callee(callee, of), _) => self.called(fact, inst, callee, Some(make(of))),
                (Cause::Declared(callee), _) => self.called(fact, inst, callee, None),
                (Cause::Unknown, Some(at)) => {
                    self.leaf(fact, inst, Reason::Unknown(self.unknown_code(at)));
                }
                (Cause::Unknown | Cause::Everything, _) => {
                    self.edge(fact, None, self.id, make(Subject::Global));
                }
            }
        }
    }

    fn call(&mut self, inst: Inst, callees: Option<&[FunctionId]>) {
        if let Some(callees) = callees {
            callees.iter().for_each(|&callee| self.function(inst, callee));
            return;
        }
        if self.ends_own_memory(inst) {
            return;
        }
        self.unknown(inst, self.unknown_code(inst));
        // The known callees may be called in any case.
        if self.view.body.info(inst).apply == Some(ApplyKind::Full) {
            let known = self.program.callee_analysis().of_site(self.view.body, inst).known;
            known.iter().for_each(|&callee| self.function(inst, callee));
        }
    }
}

/// Returns the number of arguments of a function that has a body.
pub(super) fn arguments(function: &Function) -> usize {
    let entry = function.body.as_ref().map(|body| body.entry_arguments());
    entry.map_or(0, <[_]>::len)
}

fn ends_program(function: &Function) -> bool {
    function.has_semantics("programtermination_point")
}
