//! A bound on the work of one query, since declarations may be circular or grow without end.
//!
//! Questions lead to others: a name is looked up in the protocols that a type conforms to, and whether it
//! conforms hangs on what other names mean. All that one question leads to shares its [`Query`]. A query
//! remembers nothing of other queries, so what it answers does not depend on their order.

use super::properties::TypeProperties;
use super::query::Declarations;
use super::table::FxMap;
use crate::GenericSig;
use crate::kind::Type;
use silkit_base::Symbol;
use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::sync::atomic::Ordering;

/// The number of steps that one query may take: types and declarations visited.
pub const MAX_STEPS: u32 = 1 << 14;

/// The maximum nesting of steps.
const MAX_DEPTH: u32 = 160;

/// One question, with all that it leads to.
pub(crate) struct Query<'a> {
    decls: &'a Declarations,
    steps: Cell<u32>,
    depth: Cell<u32>,
    /// Answers that may be asked for again; unknown while they are worked on.
    pub(super) properties: RefCell<FxMap<(Type, Option<GenericSig>), TypeProperties>>,
    pub(super) conformances: RefCell<FxMap<(Type, Symbol), Option<bool>>>,
    pub(super) inherited: RefCell<FxMap<(Type, Symbol), Option<Type>>>,
}

impl Deref for Query<'_> {
    type Target = Declarations;

    fn deref(&self) -> &Declarations {
        self.decls
    }
}

impl Query<'_> {
    /// Begins a step, which is over when the level is dropped; `None` where the question may take no more.
    pub(crate) fn step(&self) -> Option<Level<'_>> {
        self.spend(1)?;
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            return None;
        }
        self.depth.set(depth + 1);
        Some(Level(&self.depth))
    }

    /// Takes steps that lead no deeper.
    pub(super) fn spend(&self, steps: usize) -> Option<()> {
        let steps = self.steps.get().saturating_add(u32::try_from(steps).unwrap_or(u32::MAX));
        self.steps.set(steps);
        (steps <= MAX_STEPS).then_some(())
    }
}

/// A step that is not over.
pub(crate) struct Level<'a>(&'a Cell<u32>);

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Declarations {
    /// Asks one question; `unknown` is the answer where it takes too many steps.
    pub(crate) fn ask<T>(&self, unknown: T, question: impl FnOnce(&Query<'_>) -> T) -> T {
        let query = Query {
            decls: self,
            steps: Cell::new(0),
            depth: Cell::new(0),
            properties: RefCell::default(),
            conformances: RefCell::default(),
            inherited: RefCell::default(),
        };
        let answer = question(&query);
        let steps = query.steps.get().min(MAX_STEPS + 1);
        if steps > self.most_steps.load(Ordering::Relaxed) {
            self.most_steps.fetch_max(steps, Ordering::Relaxed);
        }
        if steps > MAX_STEPS { unknown } else { answer }
    }

    /// Returns the most steps that a question took until now; one more than [`MAX_STEPS`] where one was given up.
    pub fn most_steps(&self) -> u32 {
        self.most_steps.load(Ordering::Relaxed)
    }
}
