//! Memory lifetime: initialized and uninitialized memory on every path (SIL.md, "Memory Lifetime").
//!
//! `silkit_analysis::memory` finds the uniquely identified memory locations. `ops` lists the operations on them in
//! execution order, `flow` computes the states on all paths to each block, and `check` compares operations with states. Ids `SIL05xx`.

pub(super) mod before;
mod boxes;
mod check;
mod effects;
mod flow;
mod memory_values;
mod ops;
mod report;
mod rules;
mod stored_borrow;

use super::Family;

pub(super) const FAMILY: Family = Family {
    name: "memory lifetime",
    rules: &[rules::RULES, stored_borrow::RULES, memory_values::RULES, boxes::RULES],
    checks_initializers: false,
};
