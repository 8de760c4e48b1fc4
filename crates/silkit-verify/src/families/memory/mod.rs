//! Memory lifetime: initialized and uninitialized memory on every path (SIL.md, "Memory Lifetime").
//!
//! `silkit_analysis::memory` finds the memory that can be uniquely identified. `ops` says in what order things happen
//! to it, `flow` what all paths together bring to each block, `sparse` at which blocks that changes, `check` compares
//! the two. Ids `SIL05xx`.

mod check;
mod effects;
mod flow;
mod ops;
mod report;
mod rules;
mod sparse;
mod stored_borrow;

use super::Family;

pub(super) const FAMILY: Family =
    Family { name: "memory lifetime", rules: &[rules::RULES, stored_borrow::RULES] };
