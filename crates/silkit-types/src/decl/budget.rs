//! A bound on the work of one question, since declarations may go in circles.
//!
//! Questions call each other: resolving a name asks for conformances, which resolve names. So the
//! bound belongs to the outermost question of a thread, and all that it asks shares it.

use std::cell::Cell;

/// How many steps one question may take.
const FUEL: u32 = 50_000;

/// How many steps may be inside of each other.
const MAX_DEPTH: u32 = 128;

thread_local! {
    /// The steps that are open and those that are left.
    static STATE: Cell<(u32, u32)> = const { Cell::new((0, FUEL)) };
}

/// One step of a question, until it is dropped.
pub(super) struct Step(());

impl Step {
    /// Begins a step; `None` where the question has used up what it may.
    pub(super) fn begin() -> Option<Self> {
        STATE.with(|state| {
            let (depth, fuel) = state.get();
            if depth >= MAX_DEPTH || fuel == 0 {
                return None;
            }
            state.set((depth + 1, fuel - 1));
            Some(Self(()))
        })
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        STATE.with(|state| {
            let (depth, fuel) = state.get();
            state.set((depth - 1, if depth == 1 { FUEL } else { fuel }));
        });
    }
}
