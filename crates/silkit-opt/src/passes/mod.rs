//! The passes that are built in, one file each.

use crate::pass::Pass;
use crate::printers::*;

mod compute_effects;
mod dce;
mod loop_canonicalizer;
mod mem2reg;
mod merge_cond_fails;
mod ownership_model_eliminator;
mod simplify_unreachable_containing_blocks;
mod split_critical_edges;
mod stack_nesting;
mod strip_debug_info;
mod update_borrowed_from;

/// All of them, by tag.
pub const ALL: &[Pass<'static>] = &[
    access_path_verification::PASS,
    access_storage_analysis_dump::PASS,
    access_storage_dump::PASS,
    access_summary_dump::PASS,
    callees::PASS,
    basic_instruction_property_dump::PASS,
    callers::PASS,
    compute::DOMINANCE,
    compute_effects::ESCAPES,
    compute::LOOPS,
    compute_effects::SIDES,
    dce::PASS,
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
    loop_canonicalizer::PASS,
    loop_info::PASS,
    loop_regions::PASS,
    mem2reg::PASS,
    merge_cond_fails::PASS,
    ownership_model_eliminator::NON_TRANSPARENT,
    ownership_model_eliminator::PASS,
    rc_identity::PASS,
    unit_tests::PASS,
    epilogue::FLOW,
    epilogue::MATCHING,
    simplify_unreachable_containing_blocks::PASS,
    split_critical_edges::PASS,
    split_critical_edges::NON_COND_BR,
    stack_nesting::PASS,
    strip_debug_info::PASS,
    crate::test_runner::PASS,
    update_borrowed_from::PASS,
];

/// The pass with a tag.
pub fn find(tag: &str) -> Option<Pass<'static>> {
    ALL.iter().find(|pass| pass.tag == tag).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_sorted_and_told_apart() {
        assert!(ALL.windows(2).all(|pair| pair[0].tag < pair[1].tag));
        assert!(ALL.iter().all(|pass| !pass.summary.is_empty() && !pass.summary.ends_with('.')));
    }
}
