//! Def-use and use-def walks along projection paths.
//!
//! A walk tracks with each value the projection path to the part that is followed: `struct` adds a component,
//! `struct_extract` removes one. [`Walk`] handles the instructions that forward values; a [`Walker`] handles the
//! others, and may redirect the walk. Pending tasks are kept on a stack, so that deep bodies need no recursion; they
//! are processed in the order of a recursive walk.

mod down;
mod path;
mod up;

pub use path::{AnyPath, WalkPath};

use crate::BodyView;
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::{Operand, Value};
use std::ops::ControlFlow;

/// The decision at a use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtUse {
    /// Continue the walk.
    Follow,
    /// Skip this use.
    Skip,
    /// End the walk.
    Abort,
}

/// The decision at a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtDef {
    /// Continue to its operands.
    Follow,
    /// Continue to its uses instead.
    Down,
    /// Skip this definition.
    Skip,
    /// End the walk.
    Abort,
}

/// The callbacks of a walk.
pub trait Walker<P: WalkPath> {
    /// Decides how the walk continues at a use.
    fn at_use(&mut self, walk: &mut Walk<'_, P>, operand: Operand, path: P) -> AtUse {
        let _ = (walk, operand, path);
        AtUse::Follow
    }

    /// Decides how the walk continues at a definition.
    fn at_def(&mut self, walk: &mut Walk<'_, P>, value: Value, path: P) -> AtDef {
        let _ = (walk, value, path);
        AtDef::Follow
    }

    /// Decides whether the walk continues after a use by an instruction that [`Walk`] does not handle.
    fn at_leaf(&mut self, walk: &mut Walk<'_, P>, operand: Operand, path: P) -> ControlFlow<()> {
        let _ = (walk, operand, path);
        ControlFlow::Continue(())
    }

    /// Decides whether the walk continues after a definition that [`Walk`] does not handle.
    fn at_root(&mut self, walk: &mut Walk<'_, P>, value: Value, path: P) -> ControlFlow<()> {
        let _ = (walk, value, path);
        ControlFlow::Continue(())
    }
}

#[derive(Clone, Copy)]
enum Task<P> {
    Use(Operand, P),
    Down { value: Value, path: P, is_once: bool },
    Up { value: Value, path: P, is_once: bool },
}

/// The direction of a walk.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Direction {
    Down,
    Up,
}

/// The number of values that a walk may visit before it records visited values. Most walks are much shorter and need
/// no record. The number of paths through values that are destructured and rebuilt is exponential, and definitions in
/// unreachable code may be cyclic.
const SHORT: u32 = 256;

/// The number of steps after which all paths at a value are merged. In unreachable blocks, an address may be an element
/// at an index from itself, which has a new path in every round.
const LONG: u32 = 1 << 16;

/// A walk: the pending tasks and the visited values.
pub struct Walk<'a, P> {
    /// The view of the body.
    pub view: BodyView<'a>,
    stack: Vec<Task<P>>,
    /// The tasks that the current step adds, in order.
    next: Vec<Task<P>>,
    down: FxHashMap<Value, P>,
    up: FxHashMap<Value, P>,
    /// The number of visited values.
    steps: u32,
    /// The visited values since the walk exceeded [`SHORT`].
    been: FxHashSet<(Direction, Value, P)>,
}

impl<P> std::fmt::Debug for Walk<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Walk({} tasks)", self.stack.len() + self.next.len())
    }
}

/// Returns the path to continue with, or `None` if the value was already reached with it.
fn unseen<P: WalkPath>(seen: &mut FxHashMap<Value, P>, value: Value, path: P) -> Option<P> {
    let known = seen.entry(value);
    let is_new = matches!(known, std::collections::hash_map::Entry::Vacant(_));
    let known = known.or_insert(path);
    let merged = if is_new { path } else { known.merge(path) };
    let has_changed = is_new || merged != *known;
    *known = merged;
    has_changed.then_some(merged)
}

impl<'a, P: WalkPath> Walk<'a, P> {
    /// Creates a walk without tasks.
    pub fn new(view: BodyView<'a>) -> Self {
        Self {
            view,
            stack: Vec::new(),
            next: Vec::new(),
            down: FxHashMap::default(),
            up: FxHashMap::default(),
            steps: 0,
            been: FxHashSet::default(),
        }
    }

    /// Adds a walk to the uses of a value, after all pending tasks.
    pub fn down(&mut self, value: Value, path: P) {
        self.next.push(Task::Down { value, path, is_once: false });
    }

    /// Adds a walk to the uses of a value, unless it was already walked with this path or a more general one.
    pub fn down_once(&mut self, value: Value, path: P) {
        self.next.push(Task::Down { value, path, is_once: true });
    }

    /// Adds a walk to the definition of a value.
    pub fn up(&mut self, value: Value, path: P) {
        self.next.push(Task::Up { value, path, is_once: false });
    }

    /// Adds a walk to the definition of a value, unless it was already walked with this path or a more general one.
    pub fn up_once(&mut self, value: Value, path: P) {
        self.next.push(Task::Up { value, path, is_once: true });
    }

    fn uses(&mut self, value: Value, path: P, keeps: impl Fn(silkit_ir::Inst) -> bool) {
        let body = self.view.body;
        for operand in body.uses(value) {
            let user = body.operand(operand).user;
            // A method lookup has a type-dependent operand, which it does not use otherwise.
            let is_type = body.inst(user).opcode == silkit_ir::Opcode::WitnessMethod
                || body.operand_index(operand) + body.type_operands(user).len() >= body.operands(user).len();
            if !is_type && keeps(user) {
                self.next.push(Task::Use(operand, path));
            }
        }
    }

    /// Processes all tasks, including those that they add. Breaks if the walker breaks.
    pub fn run(&mut self, walker: &mut impl Walker<P>) -> ControlFlow<()> {
        loop {
            self.stack.extend(self.next.drain(..).rev());
            let Some(task) = self.stack.pop() else { return ControlFlow::Continue(()) };
            let flow = self.step(task, walker);
            if flow.is_break() {
                self.stack.clear();
                self.next.clear();
                return flow;
            }
        }
    }

    /// Returns the path to continue with from a value, or `None` if nothing new can be reached.
    fn enter(&mut self, way: Direction, value: Value, path: P, is_once: bool) -> Option<P> {
        if is_once || self.steps > LONG {
            let seen = match way {
                Direction::Down => &mut self.down,
                Direction::Up => &mut self.up,
            };
            return unseen(seen, value, path);
        }
        self.steps = self.steps.saturating_add(1);
        (self.steps <= SHORT || self.been.insert((way, value, path))).then_some(path)
    }

    fn step(&mut self, task: Task<P>, walker: &mut impl Walker<P>) -> ControlFlow<()> {
        match task {
            Task::Down { value, path, is_once } => {
                if let Some(path) = self.enter(Direction::Down, value, path, is_once) {
                    self.uses(value, path, |_| true);
                }
                ControlFlow::Continue(())
            }
            Task::Use(operand, path) => match walker.at_use(self, operand, path) {
                AtUse::Abort => ControlFlow::Break(()),
                AtUse::Skip => ControlFlow::Continue(()),
                AtUse::Follow if self.through_use(operand, path) => ControlFlow::Continue(()),
                AtUse::Follow => walker.at_leaf(self, operand, path),
            },
            Task::Up { value, path, is_once } => {
                let Some(path) = self.enter(Direction::Up, value, path, is_once) else {
                    return ControlFlow::Continue(());
                };
                match walker.at_def(self, value, path) {
                    AtDef::Abort => ControlFlow::Break(()),
                    AtDef::Skip => ControlFlow::Continue(()),
                    AtDef::Down => {
                        self.down_once(value, path);
                        ControlFlow::Continue(())
                    }
                    AtDef::Follow if self.through_def(value, path) => ControlFlow::Continue(()),
                    AtDef::Follow => walker.at_root(self, value, path),
                }
            }
        }
    }
}
