//! Each analysis on files of cases, `tests/cases/*.txt`: one case for each arm that an analysis has.
//!
//! Comment lines at the start of an input ask: about blocks (`bb1`), values (`%2`: arguments and results are numbered in the
//! order of the text) and instructions (`bb1.0`). `UPDATE_EXPECT=1` writes the answers into the files.

mod support;

use support::{control, memory, program, values};

silkit_testkit::case_files! {
    "tests/cases":
    blocks: control::blocks;
    questions: control::questions;
    loops: control::loops;
    regions: control::regions;
    ranges: control::ranges;
    cold_blocks: control::cold_blocks;
    induction: values::induction;
    rc_identity: values::rc_identity;
    epilogue: values::epilogue;
    array_calls: values::array_calls;
    types: values::types;
    type_rules: values::type_rules;
    liveness: values::liveness;
    borrows: values::borrows;
    interior: values::interior;
    variables: values::variables;
    fields: values::fields;
    address_use: memory::address_use;
    alias: memory::alias;
    access: memory::access;
    locations: memory::locations;
    escape: memory::escape;
    live_range: memory::live_range;
    effects: program::effects_of;
    calls: program::calls;
    classes: program::classes;
    formal: program::formal;
    proofs: program::proofs;
}
