//! Assignments by `init` accessors.
//!
//! ```text
//!   assign_or_init #S.pair, self %1, value %2, init %3, set %4    // `init` initializes `a` and `b`, `b` is initialized
//! ---
//!   assign_or_init [init] [assign=1] #S.pair, self %1, value %2, init %3, set %4
//! ```
//!
//! When all of `self` is initialized, the setter is called: `[set]`.

use super::control::ControlVariable;
use super::plan::{Plan, Write};
use super::states::{ElementState, State};
use silkit_ir::Inst;
use silkit_ir::instructions::AssignOrInitMode;
use silkit_pass::FunctionContext;
use std::ops::Range;

/// An assignment by an `init` accessor or a setter.
#[derive(Debug)]
pub(super) struct AccessorCall {
    /// The `assign_or_init`.
    pub(super) inst: Inst,
    /// True if all of `self` is initialized before.
    is_complete: bool,
    /// What the `init` accessor does to the elements of each property that it initializes.
    properties: Vec<(Write, Range<u32>)>,
}

impl AccessorCall {
    pub(super) fn new(inst: Inst, is_complete: bool) -> Self {
        Self { inst, is_complete, properties: Vec::new() }
    }

    /// Adds the elements of the next property that the `init` accessor initializes, which are in a state before the
    /// assignment. Returns true if this needs a control variable.
    pub(super) fn add(&mut self, state: &State, elements: Range<u32>) -> bool {
        let is = |expected| state.all_are(elements.clone(), expected);
        let write = match () {
            () if is(ElementState::Initialized) => Write::Reassign,
            () if is(ElementState::Uninitialized) => Write::Initialize,
            () => Write::Replace,
        };
        self.properties.push((write, elements));
        write == Write::Replace
    }

    /// Sets the mode of the assignment, and records what it initializes.
    pub(super) fn perform(
        &self,
        cx: &mut FunctionContext<'_>,
        plan: &Plan,
        control: Option<&ControlVariable>,
    ) {
        if self.is_complete {
            return cx.edit().set_attr(self.inst, "mode", AssignOrInitMode::Set as u32);
        }
        let mut assigned = Vec::new();
        for (number, (write, elements)) in (0u32..).zip(&self.properties) {
            match control {
                _ if *write == Write::Reassign => assigned.push(number),
                Some(control) => control.record_write(cx, plan, self.inst, *write, elements.clone()),
                None => {}
            }
        }
        cx.edit().set_attr(self.inst, "mode", AssignOrInitMode::Init as u32);
        if !assigned.is_empty() {
            let list = cx.edit().new_list(&assigned);
            cx.edit().set_attr(self.inst, "assigned", list);
        }
    }
}
