//! The changes for one object: which writes initialize it, and which releases are divided.

use super::accessors::AccessorCall;
use super::control::ControlVariable;
use super::diagnose::{InitError, conditional_lifetime, errors};
use super::object::{Object, Storage};
use super::releases::Release;
use super::states::{ElementState, State, compute, success};
use super::uses::{Use, UseKind, Uses, collect};
use super::writes;
use silkit_analysis::dataflow::{ControlFlow, Region};
use silkit_analysis::{BodyView, Joins};
use silkit_ir::{Inst, Opcode, Point, Value};
use silkit_pass::FunctionContext;
use std::ops::Range;

/// The maximum number of bits of a control variable.
const MOST_BITS: usize = 126;

/// What a write does to the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// It initializes all of its elements.
    Initialize,
    /// It replaces all of its elements.
    Reassign,
    /// It sets the wrapped value of a property.
    SetWrapped,
    /// Elements may be initialized: the control variable tells which. They are destroyed first.
    Replace,
}

impl Write {
    /// Returns true if the elements are not initialized before the write.
    pub(super) fn initializes(self) -> bool {
        matches!(self, Self::Initialize | Self::Replace)
    }
}

/// What follows from the uses of an object.
pub(super) struct Outcome {
    /// The errors and warnings in the program.
    pub(super) errors: Vec<InitError>,
    /// The changes. Memory with errors is left as it is.
    pub(super) plan: Option<Plan>,
}

impl Outcome {
    /// Analyzes the memory that an instruction marks. Returns `None` if it or a use of it is not understood.
    pub(super) fn of(
        view: &BodyView<'_>,
        region: &mut Region<'_>,
        flow: ControlFlow<'_>,
        joins: &mut Joins,
        mark: Inst,
    ) -> Option<Self> {
        let object = Object::new(view, mark)?;
        let found = collect(view, &object)?;
        let states = compute(region, flow, joins, &object, &found.uses)?;
        let mut errors = errors(view, &object, &found.uses, &states);
        let is_blocked = errors.iter().any(InitError::is_blocking);
        let plan = if is_blocked { None } else { Plan::of(view, object, found, states) };
        if let Some(plan) = plan.as_ref().filter(|plan| plan.is_conditional) {
            let memory = view.body.defining_inst(plan.base()).unwrap_or(plan.object.mark);
            errors.extend(conditional_lifetime(view, &plan.object, memory));
        }
        Some(Self { errors, plan })
    }
}

/// The changes for an object.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) object: Object,
    /// The address of the memory in a box.
    pub(super) projection: Option<Value>,
    /// The writes, with their elements.
    writes: Vec<(Inst, Write, Range<u32>)>,
    /// The trivial stores to initialized properties of an object. As in the reference, they destroy the old value if a
    /// control variable is needed and says that there is one.
    overwrites: Vec<(Inst, Range<u32>)>,
    /// The writes on the first edge of a terminator.
    edge_writes: Vec<(Inst, Range<u32>)>,
    /// The assignments by `init` accessors or setters.
    accessors: Vec<AccessorCall>,
    /// The releases of memory that is not initialized, with the state of its elements.
    releases: Vec<(Inst, State)>,
    /// The calls of the superclass's initializer, and the stores of what they return.
    delegations: Vec<(Inst, Range<u32>)>,
    restores: Vec<(Inst, Range<u32>)>,
    /// True if a control variable is needed.
    is_conditional: bool,
    /// True if a release depends on whether another initializer took or returned `self`.
    depends_on_initializer: bool,
}

impl Plan {
    /// Returns the changes for an object whose uses have no errors; `None` if a use of it is not understood.
    fn of(view: &BodyView<'_>, object: Object, found: Uses, states: Vec<State>) -> Option<Self> {
        // Several projections would need the one that dominates all releases.
        if found.has_more_projections {
            return None;
        }
        let is_trivial = object.trivial.iter().all(|&is_trivial| is_trivial)
            && object.storage != Storage::Object
            && view.declarations().is_trivial(object.ty, view.signature()) == Some(true);
        let mut plan = Self {
            object,
            projection: found.projection,
            writes: Vec::new(),
            overwrites: Vec::new(),
            edge_writes: Vec::new(),
            accessors: Vec::new(),
            releases: Vec::new(),
            delegations: Vec::new(),
            restores: Vec::new(),
            is_conditional: false,
            depends_on_initializer: false,
        };
        for (using, state) in found.uses.iter().zip(states) {
            plan.add(view, using, state, is_trivial)?;
        }
        let is_whole = !plan.is_conditional || plan.object.elements.len() <= MOST_BITS;
        is_whole.then_some(plan)
    }

    /// Adds the change of a use.
    fn add(&mut self, view: &BodyView<'_>, using: &Use, state: State, is_trivial: bool) -> Option<()> {
        use ElementState as E;
        let elements = using.elements.clone();
        let is = |expected| state.all_are(elements.clone(), expected);
        match using.kind {
            UseKind::Unknown => return None,
            UseKind::Needs(_) | UseKind::AssignsPart => {
                let is_understood = is(E::Initialized);
                if is_understood && using.kind == UseKind::AssignsPart {
                    self.writes.push((using.inst, Write::Reassign, elements));
                }
                return is_understood.then_some(());
            }
            UseKind::Initializes => self.add_initialization(view, using.inst, elements.clone(), &state)?,
            UseKind::InitializesOnSuccess if is(E::Uninitialized) => {
                self.edge_writes.push((using.inst, elements));
            }
            UseKind::InitializesOnSuccess => return None,
            UseKind::Assigns if is(E::Uninitialized) => {
                self.writes.push((using.inst, Write::Initialize, elements));
            }
            UseKind::Assigns if is(E::Initialized) => {
                self.writes.push((using.inst, Write::Reassign, elements));
            }
            // The control variable does not describe trivial elements of values.
            UseKind::Assigns if self.is_untracked(elements.clone()) => {}
            UseKind::Assigns => {
                self.is_conditional = true;
                self.writes.push((using.inst, Write::Replace, elements));
            }
            UseKind::AssignsWrapped => {
                let write = match () {
                    () if is(E::Uninitialized) => Write::Initialize,
                    () if state.all_are(self.object.all(), E::Initialized) => Write::SetWrapped,
                    () if is(E::Initialized) => Write::Reassign,
                    () => Write::Replace,
                };
                self.is_conditional |= write == Write::Replace;
                self.writes.push((using.inst, write, elements));
            }
            UseKind::AssignsByAccessor => {
                let is_complete = state.all_are(self.object.all(), E::Initialized);
                self.accessors.push(AccessorCall::new(using.inst, is_complete));
            }
            UseKind::InitializesByAccessor => {
                let call = self.accessors.last_mut().filter(|call| call.inst == using.inst)?;
                self.is_conditional |= call.add(&state, elements);
            }
            UseKind::Delegates => {
                let stored = self.object.stored();
                let is_first = state.of(stored.end) == E::Uninitialized;
                if !is_first || !state.all_are(stored, E::Initialized) {
                    return None;
                }
                self.delegations.push((using.inst, elements));
            }
            UseKind::Restores => self.restores.push((using.inst, elements)),
            UseKind::Destroys if is_trivial || is(E::Initialized) => {}
            UseKind::Destroys if elements != self.object.all() => return None,
            UseKind::Destroys => {
                let is_conditional = |element| state.of(element) == E::Conditional;
                self.is_conditional |= elements.clone().any(is_conditional);
                self.depends_on_initializer |=
                    self.object.is_derived && (self.object.stored().end..elements.end).any(is_conditional);
                self.releases.push((using.inst, state));
            }
        }
        Some(())
    }

    /// Adds a write that can only initialize.
    fn add_initialization(
        &mut self,
        view: &BodyView<'_>,
        inst: Inst,
        elements: Range<u32>,
        state: &State,
    ) -> Option<()> {
        let is_trivial_store = view.body.inst(inst).opcode == Opcode::Store
            && view.body.keyword(inst, "qualifier") == Some("trivial");
        let is_object = self.object.storage == Storage::Object;
        if state.all_are(elements.clone(), ElementState::Initialized) && !elements.is_empty() {
            if is_trivial_store && is_object {
                self.overwrites.push((inst, elements));
            }
            return Some(());
        }
        // As in the reference, initialized elements of a tuple are overwritten without being destroyed.
        if elements.clone().any(|element| state.of(element) == ElementState::Conditional) {
            return None;
        }
        // As in the reference, a trivial store to a property of an object destroys the old value if the control
        // variable says that there is one.
        let write = match is_trivial_store && is_object {
            true => Write::Replace,
            false => Write::Initialize,
        };
        self.writes.push((inst, write, elements));
        Some(())
    }

    /// Returns true if the control variable has no bits that describe these elements.
    fn is_untracked(&self, elements: Range<u32>) -> bool {
        let elements = elements.start as usize..elements.end as usize;
        self.object.storage != Storage::Object
            && self.object.trivial[elements].iter().all(|&is_trivial| is_trivial)
    }

    /// Returns the address of the memory, or the object.
    pub(super) fn base(&self) -> Value {
        self.projection.unwrap_or(self.object.value)
    }

    /// Returns the number of bits of the control variable. There is a bit for the return of `self` if it matters.
    pub(super) fn bits(&self) -> u32 {
        let count = self.object.elements.len() as u32;
        if self.object.is_derived && !self.depends_on_initializer { count - 1 } else { count }
    }

    /// Returns true if the plan changes anything.
    pub(super) fn has_changes(&self) -> bool {
        !self.writes.is_empty() || !self.accessors.is_empty() || !self.releases.is_empty()
    }

    /// Performs the changes. `exits` are the instructions at which the function is left.
    pub(super) fn perform(&self, cx: &mut FunctionContext<'_>, exits: &[Inst]) {
        let control = self.is_conditional.then(|| ControlVariable::insert(cx, self, exits));
        let control = control.as_ref();
        for (inst, write, elements) in &self.writes {
            let is_wrapped = cx.body().inst(*inst).opcode == Opcode::AssignByWrapper;
            if let Some(control) = control.filter(|_| is_wrapped || !self.is_untracked(elements.clone())) {
                control.record_write(cx, self, *inst, *write, elements.clone());
            }
            writes::rewrite(cx, *inst, *write);
        }
        if let Some(control) = control {
            for (inst, elements) in &self.overwrites {
                control.record_write(cx, self, *inst, Write::Replace, elements.clone());
            }
        }
        for call in &self.accessors {
            call.perform(cx, self, control);
        }
        for (inst, elements) in &self.edge_writes {
            let target = success(cx.body(), *inst);
            if let (Some(control), Some(target)) = (control, target)
                && !self.is_untracked(elements.clone())
            {
                control.set(&mut cx.at(Point::Start(target)), elements.clone());
            }
        }
        if let Some(control) = control {
            for (inst, elements) in &self.delegations {
                control.set(&mut cx.at(Point::Before(*inst)), elements.clone());
            }
            if self.depends_on_initializer {
                for (inst, elements) in &self.restores {
                    let point = self.place_of_restore(cx, *inst);
                    control.set(&mut cx.at(point), elements.clone());
                }
            }
        }
        for (inst, state) in &self.releases {
            Release { plan: self, control, state }.divide(cx, *inst);
        }
    }

    /// Returns the place at which the control variable records that `self` is back in memory: as in the reference, the
    /// start of the block.
    fn place_of_restore(&self, cx: &FunctionContext<'_>, inst: Inst) -> Point {
        let block = cx.body().inst_block(inst);
        match block == cx.body().inst_block(self.object.mark) {
            true => Point::Before(inst),
            false => Point::Start(block),
        }
    }
}
