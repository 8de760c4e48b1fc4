//! Walks from values to their uses and to their definitions, along a path of projections.
//!
//! A walk keeps with each value a path that says where in it the thing is that is followed: after `struct` it is one
//! component deeper, after `struct_extract` one component less deep. [`Walk`] knows the instructions through which
//! things pass; a [`Walker`] says what happens at the others, and may redirect the walk anywhere. Tasks are kept on a
//! stack, so bodies may be as deep as they like; they are done in the order in which a recursive walk would.

mod down;
mod path;
mod up;

pub use path::{AnyPath, WalkPath};

use crate::BodyView;
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::{Operand, Value};
use std::ops::ControlFlow;

/// The action at a use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtUse {
    /// Walk on.
    Follow,
    /// Leave this one out.
    Skip,
    /// End the walk.
    Abort,
}

/// The action at a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtDef {
    /// Walk on to what it is made of.
    Follow,
    /// Walk to its uses instead.
    Down,
    /// Leave this one out.
    Skip,
    /// End the walk.
    Abort,
}

/// The callbacks of a walk.
pub trait Walker<P: WalkPath> {
    /// Decides how the walk goes on at a use.
    fn at_use(&mut self, walk: &mut Walk<'_, P>, operand: Operand, path: P) -> AtUse {
        let _ = (walk, operand, path);
        AtUse::Follow
    }

    /// Decides how the walk goes on at a definition.
    fn at_def(&mut self, walk: &mut Walk<'_, P>, value: Value, path: P) -> AtDef {
        let _ = (walk, value, path);
        AtDef::Follow
    }

    /// Decides whether the walk goes on after a use that it knows no way through.
    fn at_leaf(&mut self, walk: &mut Walk<'_, P>, operand: Operand, path: P) -> ControlFlow<()> {
        let _ = (walk, operand, path);
        ControlFlow::Continue(())
    }

    /// Decides whether the walk goes on after a definition that it knows no way through.
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

/// The way that a walk goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Direction {
    Down,
    Up,
}

/// The number of values that a walk may visit before it records visited values. Most walks are much shorter and need
/// no records; but the paths through values that are taken apart and rebuilt are exponentially many, and unreachable
/// values may be made of themselves.
const SHORT: u32 = 256;

/// A walk: what is still to be done, and where it was.
pub struct Walk<'a, P> {
    /// The body, and what is known about the types in it.
    pub view: BodyView<'a>,
    stack: Vec<Task<P>>,
    /// The tasks that the present step adds, in order.
    next: Vec<Task<P>>,
    down: FxHashMap<Value, P>,
    up: FxHashMap<Value, P>,
    /// The number of visited values.
    steps: u32,
    /// The visited values, since the walk exceeded [`SHORT`].
    been: FxHashSet<(Direction, Value, P)>,
}

impl<P> std::fmt::Debug for Walk<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Walk({} tasks)", self.stack.len() + self.next.len())
    }
}

/// Returns the path to walk on with, unless a value was reached with it before.
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
    /// Creates a walk in a body that has not begun.
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

    /// Walks to the uses of a value, after all that was asked for before.
    pub fn down(&mut self, value: Value, path: P) {
        self.next.push(Task::Down { value, path, is_once: false });
    }

    /// Walks to the uses of a value, unless that was done with this path or one that stands for it.
    pub fn down_once(&mut self, value: Value, path: P) {
        self.next.push(Task::Down { value, path, is_once: true });
    }

    /// Walks to the definition of a value.
    pub fn up(&mut self, value: Value, path: P) {
        self.next.push(Task::Up { value, path, is_once: false });
    }

    /// Walks to the definition of a value, unless that was done with this path or one that stands for it.
    pub fn up_once(&mut self, value: Value, path: P) {
        self.next.push(Task::Up { value, path, is_once: true });
    }

    fn uses(&mut self, value: Value, path: P, keeps: impl Fn(silkit_ir::Inst) -> bool) {
        let body = self.view.body;
        for operand in body.uses(value) {
            let user = body.operand(operand).user;
            // A lookup names the value that opened its type, and does nothing with it.
            let is_type = body.inst(user).opcode == silkit_ir::Opcode::WitnessMethod
                || body.operand_index(operand) + body.type_operands(user).len() >= body.operands(user).len();
            if !is_type && keeps(user) {
                self.next.push(Task::Use(operand, path));
            }
        }
    }

    /// Does all that was asked for, and all that comes of it. Breaks where the walker does.
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

    /// Returns the path to walk on with from a value, unless nothing new can come of it.
    fn enter(&mut self, way: Direction, value: Value, path: P, is_once: bool) -> Option<P> {
        if is_once {
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
