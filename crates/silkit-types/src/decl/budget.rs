//! A bound on the work of one query, since declarations may be circular or expand without end.
//!
//! Queries are mutually recursive: name lookup visits the protocols that a type conforms to, and conformance depends
//! on name lookup. All nested steps of a query share one [`Query`], which caches nothing from other queries, so its
//! answer does not depend on their order.

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

/// The state of one query and its nested steps.
pub(crate) struct Query<'a> {
    decls: &'a Declarations,
    steps: Cell<u32>,
    depth: Cell<u32>,
    /// Cached properties. The entry of a type is unknown while the type is being computed.
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
    /// Begins a nested step, which ends when the result is dropped. Returns `None` if the budget is used up.
    pub(crate) fn step(&self) -> Option<Level<'_>> {
        self.spend(1)?;
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            return None;
        }
        self.depth.set(depth + 1);
        Some(Level(&self.depth))
    }

    /// Charges `steps` steps at the current depth. Returns `None` if the budget is used up.
    pub(super) fn spend(&self, steps: usize) -> Option<()> {
        let steps = self.steps.get().saturating_add(u32::try_from(steps).unwrap_or(u32::MAX));
        self.steps.set(steps);
        (steps <= MAX_STEPS).then_some(())
    }
}

/// A step in progress.
pub(crate) struct Level<'a>(&'a Cell<u32>);

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Declarations {
    /// Runs one query. Returns `unknown` if the query exceeds its budget.
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

    /// Returns the largest number of steps that a query has taken, or [`MAX_STEPS`] + 1 if one exceeded its budget.
    pub fn most_steps(&self) -> u32 {
        self.most_steps.load(Ordering::Relaxed)
    }
}
