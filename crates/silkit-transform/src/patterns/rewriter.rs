//! The function that patterns rewrite, and the interface that they use.

use super::{Pattern, Worklist, dead};
use crate::lifetime::forwarded_ownership;
use crate::values::delete;
use crate::values::stack_nesting::fix_stack_nesting;
use silkit_analysis::{Analysis, BodyView, Cached, ProgramView};
use silkit_ir::ownership::BodyOwnership;
use silkit_ir::{
    Behavior, Body, Builder, DeclRef, Editor, Function, Inst, Loc, Opcode, Operand, Ownership, Point, Value,
};
use silkit_pass::{DeclaredOptions, FunctionContext};
use silkit_types::SilType;
use silkit_types::decl::Declarations;

/// A function that patterns rewrite.
pub struct Rewriter<'c, 'a> {
    cx: &'c mut FunctionContext<'a>,
    worklist: Worklist,
    /// The instructions that may be dead.
    candidates: Vec<Inst>,
    /// The name of the pattern that is being applied.
    name: &'static str,
    keeps_debug_info: bool,
    visits_definitions: bool,
    /// True while edits do not cause visits.
    is_unvisited: bool,
    needs_nesting: bool,
}

impl std::fmt::Debug for Rewriter<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rewriter").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The engine's side.
impl<'c, 'a> Rewriter<'c, 'a> {
    /// Creates a rewriter with nothing to visit, and starts the edit log.
    pub(super) fn new(
        cx: &'c mut FunctionContext<'a>,
        keeps_debug_info: bool,
        visits_definitions: bool,
    ) -> Self {
        let worklist = Worklist::of_edits(cx.body_mut());
        Self {
            cx,
            worklist,
            candidates: Vec::new(),
            name: "",
            keeps_debug_info,
            visits_definitions,
            is_unvisited: false,
            needs_nesting: false,
        }
    }

    /// Adds an instruction to visit.
    pub(super) fn push(&mut self, inst: Inst) {
        self.worklist.push(inst);
    }

    /// Removes and returns the next instruction to visit.
    pub(super) fn pop(&mut self) -> Option<Inst> {
        while let Some(inst) = self.worklist.pop() {
            if !self.cx.body().is_removed(inst) {
                return Some(inst);
            }
        }
        None
    }

    /// Returns true if there is nothing to visit.
    pub(super) fn is_done(&self) -> bool {
        self.worklist.is_empty()
    }

    /// Applies a pattern. Returns true if it transformed anything.
    pub(super) fn apply(&mut self, pattern: &Pattern, inst: Inst) -> bool {
        self.name = pattern.name;
        let (before, epoch) = (self.cx.change_count(), self.cx.body().epoch());
        (pattern.apply)(self, inst);
        let has_changed = self.cx.change_count() != before;
        debug_assert!(
            has_changed || self.cx.body().changes_since(epoch).is_empty(),
            "invariant: a pattern asks before it edits: {}",
            pattern.name
        );
        if has_changed {
            self.drain();
        }
        has_changed
    }

    /// Takes the edits since the last call: what they created or changed is visited, what they left unused may be dead.
    pub(super) fn drain(&mut self) {
        let Self { cx, worklist, candidates, visits_definitions, is_unvisited, .. } = self;
        let first = candidates.len();
        if *is_unvisited {
            let log = worklist.skip(cx.body_mut());
            candidates.extend(log.changed().iter().chain(log.fewer_uses()));
        } else {
            candidates.extend(worklist.drain(cx.body_mut()));
            if *visits_definitions {
                candidates[first..].iter().for_each(|&inst| worklist.push(inst));
            }
        }
    }

    /// Removes and returns the instructions that may be dead.
    pub(super) fn take_candidates(&mut self) -> Vec<Inst> {
        std::mem::take(&mut self.candidates)
    }

    /// Adds an instruction to those that may be dead, if it is.
    pub(super) fn consider(&mut self, inst: Inst) {
        if !self.cx.body().is_removed(inst) && dead::is_dead(self, inst) {
            self.candidates.push(inst);
        }
    }

    /// Returns true if one more transformation with this name is allowed.
    pub(super) fn may_apply(&mut self, name: &'static str) -> bool {
        self.cx.may_apply(name)
    }

    /// Adds to a counter of the pass.
    pub(super) fn count(&mut self, what: &'static str, number: u64) {
        self.cx.count(what, number);
    }

    /// Stops the edit log, and nests stack allocations if patterns requested that.
    pub(super) fn finish(self) {
        let has_ossa = self.cx.function().has_ossa();
        self.cx.body_mut().stop_edit_log();
        if self.needs_nesting {
            // If nesting cannot be corrected, the input was not properly nested either; the verifier reports that.
            _ = fix_stack_nesting(self.cx.body_mut(), has_ossa);
        }
    }
}

/// The function and its program.
impl<'a> Rewriter<'_, 'a> {
    /// Returns the function.
    pub fn function(&self) -> &Function {
        self.cx.function()
    }

    /// Returns the body.
    pub fn body(&self) -> &Body {
        self.cx.body()
    }

    /// Returns the view of the body in its program.
    pub fn view(&self) -> BodyView<'_> {
        self.cx.view()
    }

    /// Returns the program.
    pub fn program(&self) -> &'a ProgramView<'a> {
        self.cx.program()
    }

    /// Returns the Swift declarations visible to the module.
    pub fn declarations(&self) -> &'a Declarations {
        self.cx.declarations()
    }

    /// Returns the options that the pass declares.
    pub fn options(&self) -> DeclaredOptions<'a> {
        self.cx.options()
    }

    /// Returns an analysis of the body.
    pub fn get<A: Analysis>(&self) -> Cached<A> {
        self.cx.get()
    }

    /// Returns the ownership of values, computed on demand.
    pub fn ownership(&self) -> BodyOwnership<'_> {
        self.cx.ownership()
    }

    /// Returns the memory and reference-count behavior of instructions.
    pub fn behavior(&self) -> Behavior<'_> {
        self.cx.behavior()
    }

    /// Returns true if debug variables and steps must be kept for the debugger.
    pub fn keeps_debug_info(&self) -> bool {
        self.keeps_debug_info
    }

    /// Returns the type of a value.
    pub fn ty(&self, value: Value) -> SilType {
        self.cx.body().value(value).ty
    }

    /// Returns true if a type is known to be trivial.
    pub fn is_trivial(&self, ty: SilType) -> bool {
        self.cx.declarations().is_trivial(ty.ty(), self.cx.view().signature()) == Some(true)
    }

    /// Returns true if an instruction has this kind.
    pub fn is(&self, inst: Inst, opcode: Opcode) -> bool {
        self.cx.body().inst(inst).opcode == opcode
    }

    /// Returns the index of a stored property of a struct.
    pub fn field_index(&self, whole: Value, field: DeclRef) -> Option<usize> {
        let index = self.cx.declarations().field_index(self.ty(whole).ty(), field.name()?)?;
        usize::try_from(index).ok()
    }

    /// Returns the uses of a value, without debug variables unless debug info is kept.
    pub fn counted_uses(&self, value: Value) -> impl Iterator<Item = Operand> + '_ {
        let body = self.cx.body();
        let counts = |user: Inst| self.keeps_debug_info || body.inst(user).opcode != Opcode::DebugValue;
        body.uses(value).filter(move |&operand| counts(body.operand(operand).user))
    }

    /// Returns true if an instruction is the only user of a value, and uses it once, ignoring debug variables unless
    /// debug info is kept.
    pub fn is_only_user(&self, value: Value, user: Inst) -> bool {
        let mut uses = self.counted_uses(value);
        let first = uses.next();
        first.is_some_and(|operand| self.cx.body().operand(operand).user == user) && uses.next().is_none()
    }

    /// Returns the ownership of a value; none in non-OSSA functions.
    pub fn ownership_of(&self, value: Value) -> Ownership {
        match self.cx.function().has_ossa() {
            true => self.cx.ownership().value(value).unwrap_or(Ownership::Unowned),
            false => Ownership::None,
        }
    }

    /// Returns true if a value is owned.
    pub fn is_owned(&self, value: Value) -> bool {
        self.ownership_of(value) == Ownership::Owned
    }
}

/// Edits.
impl<'a> Rewriter<'_, 'a> {
    /// Returns true if one more transformation is allowed, and counts it under the name of the pattern. Nothing is edited
    /// before.
    pub fn may_change(&mut self) -> bool {
        self.may_apply(self.name)
    }

    /// Returns an editor of the body.
    pub fn edit(&mut self) -> Editor<'_> {
        self.cx.edit()
    }

    /// Returns the body mutably, for helpers that edit it.
    pub fn body_mut(&mut self) -> &mut Body {
        self.cx.body_mut()
    }

    /// Returns the context of the pass, for helpers that edit the body.
    pub fn context(&mut self) -> &mut FunctionContext<'a> {
        self.cx
    }

    /// Returns a builder at a point. New instructions get the location of the instruction there.
    pub fn at(&mut self, point: Point) -> Builder<'_> {
        self.cx.at(point)
    }

    /// Returns a builder before an instruction. New instructions get the location of the next instruction that
    /// generates code.
    pub fn before(&mut self, inst: Inst) -> Builder<'_> {
        let loc = loc_of_next_code(self.cx.body(), inst);
        let mut builder = self.cx.at(Point::Before(inst));
        builder.set_default_loc(loc);
        builder
    }

    /// Visits an instruction again that is not edited.
    pub fn revisit(&mut self, inst: Inst) {
        // After what was edited before.
        self.drain();
        self.worklist.push(inst);
    }

    /// Calls a function whose edits do not cause visits, since the reference does not see what it creates in the same run.
    pub fn unvisited<R>(&mut self, edit: impl FnOnce(&mut Self) -> R) -> R {
        self.drain();
        let was_unvisited = std::mem::replace(&mut self.is_unvisited, true);
        let result = edit(self);
        self.drain();
        self.is_unvisited = was_unvisited;
        result
    }

    /// Requests that stack allocations are properly nested after all patterns.
    pub fn nest_stack(&mut self) {
        self.needs_nesting = true;
    }

    /// Sets the value of an operand.
    pub fn set_operand(&mut self, operand: Operand, value: Value) {
        self.cx.edit().set_operand(operand, value);
    }

    /// Replaces all uses of a value, whose definition will be removed, by another one.
    pub fn replace_all_uses(&mut self, old: Value, new: Value) {
        let new = self.cx.edit().replacement(old, new);
        let context = self.cx.ownership_context();
        forwarded_ownership::replace_all_uses(&mut self.cx.edit(), context, old, new);
    }

    /// Removes an instruction with one result, replacing the uses of the result.
    pub fn replace(&mut self, inst: Inst, value: Value) {
        if let Some(result) = self.cx.body().first_result(inst) {
            self.replace_all_uses(result, value);
        }
        self.cx.edit().remove(inst);
    }

    /// Removes an unused instruction.
    pub fn remove(&mut self, inst: Inst) {
        self.cx.edit().remove(inst);
    }

    /// Removes an instruction with all direct and indirect users of its results.
    pub fn remove_with_users(&mut self, inst: Inst) {
        delete::with_users(self.cx.body_mut(), inst);
    }

    /// Folds two instructions that cancel out: uses of `second`, which extracts what `first` combines, are replaced
    /// by `value`. Does nothing if that would need a copy.
    pub fn fold_pair(&mut self, first: Inst, second: Inst, value: Value) {
        let Some(made) = self.cx.body().first_result(first) else { return };
        let is_only_use = self.is_only_user(made, second);
        if !is_only_use && (self.is_owned(value) || self.is_owned(made)) || !self.may_change() {
            return;
        }
        self.replace(second, value);
        if is_only_use {
            self.remove_with_users(first);
        }
    }
}

/// Returns the location of an instruction, or of the next one if it only describes a variable or its memory.
fn loc_of_next_code(body: &Body, inst: Inst) -> Loc {
    let generates_code =
        |&inst: &Inst| !matches!(body.inst(inst).opcode, Opcode::AllocStack | Opcode::DebugValue);
    let next = std::iter::successors(Some(inst), |&inst| body.next_inst(inst)).find(generates_code);
    body.inst(next.unwrap_or(inst)).loc
}
