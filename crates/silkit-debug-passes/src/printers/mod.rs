//! Test passes that print the results of analyses without changing code.

pub(crate) mod access_dump;
pub(crate) mod access_path_verification;
pub(crate) mod access_storage_analysis_dump;
pub(crate) mod access_storage_dump;
pub(crate) mod access_summary_dump;
pub(crate) mod alias_info;
pub(crate) mod basic_instruction_property_dump;
pub(crate) mod callees;
pub(crate) mod callers;
pub(crate) mod compute;
pub(crate) mod dead_ends;
pub(crate) mod epilogue;
pub(crate) mod escape_info;
pub(crate) mod function_order;
pub(crate) mod function_uses;
pub(crate) mod induction;
pub(crate) mod loop_info;
pub(crate) mod loop_regions;
pub(crate) mod ranges;
pub(crate) mod rc_identity;
pub(crate) mod storage;
pub(crate) mod unit_tests;

use silkit_pass::Pass;

/// All printers.
pub(crate) const PASSES: &[Pass<'static>] = &[
    access_path_verification::PASS,
    access_storage_analysis_dump::PASS,
    access_storage_dump::PASS,
    access_summary_dump::PASS,
    callees::PASS,
    basic_instruction_property_dump::PASS,
    callers::PASS,
    compute::DOMINANCE,
    compute::LOOPS,
    access_dump::PASS,
    escape_info::ADDRESSES,
    alias_info::ALIASES,
    dead_ends::PASS,
    escape_info::OBJECTS,
    function_uses::PASS,
    alias_info::MEMORY,
    ranges::PASS,
    function_order::PASS,
    induction::PASS,
    loop_info::PASS,
    loop_regions::PASS,
    rc_identity::PASS,
    unit_tests::PASS,
    epilogue::FLOW,
    epilogue::MATCHING,
];
