//! The interface that rules use to change code: the function, and the instructions to revisit.

use silkit_base::EntitySet;
use silkit_ir::{Body, Builder, DeclRef, Inst, Loc, Opcode, Operand, Ownership, Point, Value};
use silkit_pass::FunctionContext;
use silkit_transform::forwarded_ownership;
use silkit_types::SilType;
use std::ops::{Deref, DerefMut};

/// The pipeline stage of a simplification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Among the mandatory passes: debug info is kept.
    Onone,
    /// At the end of unoptimized builds.
    LateOnone,
    /// In optimized builds.
    Full,
}

/// A function that is being simplified. Instructions that its methods change are revisited; instructions that a rule
/// creates with a builder are found by their index.
pub(crate) struct Rewriter<'c, 'a> {
    /// The function.
    pub(crate) cx: &'c mut FunctionContext<'a>,
    mode: Mode,
    changed: Worklist,
    /// True if stack allocations may no longer be properly nested.
    pub(crate) needs_nesting: bool,
    /// True if the instructions that a rule has created are not to be visited.
    pub(crate) has_hidden_insts: bool,
    /// A value without pointer escapes, and the number of transformations after which this holds.
    without_escape: Option<(Value, usize)>,
}

impl<'a> Deref for Rewriter<'_, 'a> {
    type Target = FunctionContext<'a>;

    fn deref(&self) -> &FunctionContext<'a> {
        self.cx
    }
}

impl DerefMut for Rewriter<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.cx
    }
}

/// The instructions to visit, last first, without duplicates.
#[derive(Default)]
pub(super) struct Worklist {
    stack: Vec<Inst>,
    members: EntitySet<Inst>,
}

impl Worklist {
    /// Adds an instruction unless it is present.
    pub(super) fn push(&mut self, inst: Inst) {
        if self.members.insert(inst) {
            self.stack.push(inst);
        }
    }

    /// Removes and returns the instruction that was added last.
    pub(super) fn pop(&mut self) -> Option<Inst> {
        let inst = self.stack.pop()?;
        self.members.remove(inst);
        Some(inst)
    }

    /// Returns true if the worklist is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
}

impl<'c, 'a> Rewriter<'c, 'a> {
    /// Creates a rewriter with an empty worklist.
    pub(crate) fn new(cx: &'c mut FunctionContext<'a>, mode: Mode) -> Self {
        Self {
            cx,
            mode,
            changed: Worklist::default(),
            needs_nesting: false,
            has_hidden_insts: false,
            without_escape: None,
        }
    }

    /// Returns the worklist.
    pub(super) fn worklist(&mut self) -> &mut Worklist {
        &mut self.changed
    }

    /// Returns true if debug variables and steps must be kept for the debugger.
    pub(crate) fn keeps_debug_info(&self) -> bool {
        self.mode != Mode::Full
    }

    /// Returns the pipeline stage.
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the type of a value.
    pub(crate) fn ty(&self, value: Value) -> SilType {
        self.cx.body().value(value).ty
    }

    /// Returns true if a type is known to be trivial.
    pub(crate) fn is_trivial(&self, ty: SilType) -> bool {
        self.cx.declarations().is_trivial(ty.ty(), self.cx.view().signature()) == Some(true)
    }

    /// Records that a value has no pointer escapes, until the next transformation.
    pub(crate) fn keep_without_escape(&mut self, value: Value) {
        self.without_escape = Some((value, self.cx.change_count()));
    }

    /// Returns true if this was recorded for a value and still holds.
    pub(crate) fn is_without_escape(&self, value: Value) -> bool {
        self.without_escape == Some((value, self.cx.change_count()))
    }

    /// Adds an instruction to the worklist again.
    pub(crate) fn revisit(&mut self, inst: Inst) {
        self.changed.push(inst);
    }

    /// Sets the value of an operand.
    pub(crate) fn set_operand(&mut self, operand: Operand, value: Value) {
        self.cx.edit().set_operand(operand, value);
        let user = self.cx.body().operand(operand).user;
        self.changed.push(user);
    }

    /// Replaces all uses of a value by another one.
    pub(crate) fn replace_all_uses(&mut self, old: Value, new: Value) {
        let users: Vec<Inst> = self.cx.body().users(old).collect();
        users.into_iter().for_each(|user| self.changed.push(user));
        let context = self.cx.ownership_context();
        forwarded_ownership::replace_all_uses(&mut self.cx.edit(), context, old, new);
    }

    /// Removes an instruction with one result, replacing the uses of the result.
    pub(crate) fn replace(&mut self, inst: Inst, value: Value) {
        if let Some(result) = self.cx.body().first_result(inst) {
            self.replace_all_uses(result, value);
        }
        self.cx.edit().remove(inst);
    }

    /// Removes an unused instruction.
    pub(crate) fn remove(&mut self, inst: Inst) {
        self.cx.edit().remove(inst);
    }

    /// Removes an instruction with all direct and indirect users of its results.
    pub(crate) fn remove_with_users(&mut self, inst: Inst) {
        let mut stack = vec![inst];
        while let Some(&top) = stack.last() {
            let body = self.cx.body();
            match body.results(top).find_map(|result| body.users(result).next()) {
                Some(user) if user != top => stack.push(user),
                _ => {
                    self.cx.edit().remove(top);
                    stack.pop();
                }
            }
        }
    }

    /// Returns the uses of a value, without debug instructions unless debug info is kept.
    pub(crate) fn counted_uses(&self, value: Value) -> impl Iterator<Item = Operand> + '_ {
        let body = self.cx.body();
        let counts = |user: Inst| self.keeps_debug_info() || body.inst(user).opcode != Opcode::DebugValue;
        body.uses(value).filter(move |&operand| counts(body.operand(operand).user))
    }

    /// Returns true if an instruction is the only user of a value, and uses it once, ignoring debug instructions
    /// unless debug info is kept.
    pub(crate) fn is_only_user(&self, value: Value, user: Inst) -> bool {
        let mut uses = self.counted_uses(value);
        let first = uses.next();
        first.is_some_and(|operand| self.cx.body().operand(operand).user == user) && uses.next().is_none()
    }

    /// Returns the ownership of a value; none in non-OSSA functions.
    pub(crate) fn ownership_of(&self, value: Value) -> Ownership {
        match self.cx.function().has_ossa() {
            true => self.cx.ownership().value(value).unwrap_or(Ownership::Unowned),
            false => Ownership::None,
        }
    }

    /// Folds two instructions that cancel out: uses of `second`, which extracts what `first` combines, are replaced
    /// by `value`. Does nothing if that would need a copy.
    pub(crate) fn fold_pair(&mut self, first: Inst, second: Inst, value: Value) {
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

    /// Returns true if a value is owned.
    pub(crate) fn is_owned(&self, value: Value) -> bool {
        self.ownership_of(value) == Ownership::Owned
    }

    /// Returns the index of a stored property of a struct.
    pub(crate) fn field_index(&self, whole: Value, field: DeclRef) -> Option<usize> {
        let index = self.cx.declarations().field_index(self.ty(whole).ty(), field.name()?)?;
        usize::try_from(index).ok()
    }

    /// Returns a builder before an instruction. New instructions get the location of the next instruction that
    /// generates code.
    pub(crate) fn before(&mut self, inst: Inst) -> Builder<'_> {
        let loc = loc_of_next_code(self.cx.body(), inst);
        let mut builder = self.cx.at(Point::Before(inst));
        builder.set_default_loc(loc);
        builder
    }

    /// Returns true if an instruction has this kind.
    pub(crate) fn is(&self, inst: Inst, opcode: Opcode) -> bool {
        self.cx.body().inst(inst).opcode == opcode
    }
}

/// Returns the location of an instruction, or of the next one if it only describes a variable or its memory.
fn loc_of_next_code(body: &Body, inst: Inst) -> Loc {
    let generates_code =
        |&inst: &Inst| !matches!(body.inst(inst).opcode, Opcode::AllocStack | Opcode::DebugValue);
    let next = std::iter::successors(Some(inst), |&inst| body.next_inst(inst)).find(generates_code);
    body.inst(next.unwrap_or(inst)).loc
}
