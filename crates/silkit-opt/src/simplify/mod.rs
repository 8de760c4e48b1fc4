//! Instruction simplification: peephole rewrites, one file for each kind of instruction.
//!
//! Each file declares the patterns for its kinds of instructions; [`PATTERNS`] lists every file once. The engine
//! ([`silkit_transform::patterns`]) applies the patterns of a pipeline until none applies.

mod address_scope;
mod alloc_ref_dynamic;
mod alloc_stack;
mod apply;
mod begin_borrow;
mod begin_cow_mutation;
mod branch;
mod bridge_object;
mod builtin;
mod checked_cast_addr_br;
mod checked_cast_br;
mod cond_br;
mod cond_fail;
mod convert_escape_to_noescape;
mod copy_value;
mod counting;
mod debug_step;
mod destroy_value;
mod destructure;
mod driver;
mod empty_collection;
mod fix_lifetime;
mod forwarding;
mod global_value;
mod init_enum_data_addr;
mod key_path;
mod key_path_access;
mod load;
mod load_borrow;
mod opened;
mod partial_apply;
mod pointer_to_address;
mod struct_extract;
mod switch_enum;
mod tuple_extract;
mod type_value;
mod unchecked_enum_data;
mod unchecked_ref_cast;
mod unconditional_checked_cast;
mod witness_method;

pub(crate) use address_scope::address_users;
use silkit_ir::{Inst, Opcode};
use silkit_pass::Pass;
use silkit_transform::patterns::{Pattern, Rewriter};

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[driver::ONONE, driver::LATE_ONONE, driver::FULL];

/// The pipelines of the passes.
pub(crate) mod pipelines {
    use silkit_transform::patterns::Pipelines;

    /// `onone-simplification`.
    pub(crate) const ONONE: Pipelines = Pipelines::nth(0);
    /// `late-onone-simplification`.
    pub(crate) const LATE_ONONE: Pipelines = Pipelines::nth(1);
    /// `simplification`.
    pub(crate) const FULL: Pipelines = Pipelines::nth(2);
    /// All of them.
    pub(crate) const ALL: Pipelines = ONONE.or(LATE_ONONE).or(FULL);
}

/// Creates a pattern that applies in all pipelines.
const fn always(opcode: Opcode, name: &'static str, apply: fn(&mut Rewriter<'_, '_>, Inst)) -> Pattern {
    Pattern { opcode, name, pipelines: pipelines::ALL, apply }
}

/// Creates a pattern for optimized code only.
const fn optimized(opcode: Opcode, name: &'static str, apply: fn(&mut Rewriter<'_, '_>, Inst)) -> Pattern {
    Pattern { opcode, name, pipelines: pipelines::FULL, apply }
}

/// All patterns. Those for one kind of instruction are in one list, in the order in which they are tried.
const PATTERNS: &[&[Pattern]] = &[
    alloc_ref_dynamic::PATTERNS,
    alloc_stack::PATTERNS,
    apply::PATTERNS,
    begin_borrow::PATTERNS,
    begin_cow_mutation::PATTERNS,
    branch::PATTERNS,
    bridge_object::PATTERNS,
    builtin::PATTERNS,
    checked_cast_addr_br::PATTERNS,
    checked_cast_br::PATTERNS,
    cond_br::PATTERNS,
    cond_fail::PATTERNS,
    convert_escape_to_noescape::PATTERNS,
    copy_value::PATTERNS,
    counting::PATTERNS,
    debug_step::PATTERNS,
    destroy_value::PATTERNS,
    destructure::PATTERNS,
    fix_lifetime::PATTERNS,
    global_value::PATTERNS,
    init_enum_data_addr::PATTERNS,
    key_path::PATTERNS,
    load::PATTERNS,
    load_borrow::PATTERNS,
    partial_apply::PATTERNS,
    pointer_to_address::PATTERNS,
    struct_extract::PATTERNS,
    switch_enum::PATTERNS,
    tuple_extract::PATTERNS,
    type_value::PATTERNS,
    unchecked_enum_data::PATTERNS,
    unchecked_ref_cast::PATTERNS,
    unconditional_checked_cast::PATTERNS,
    witness_method::PATTERNS,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_kinds_are_in_one_list() {
        let (mut names, mut kinds) = (BTreeSet::new(), BTreeSet::new());
        for list in PATTERNS {
            let own: BTreeSet<usize> = list.iter().map(|pattern| pattern.opcode as usize).collect();
            assert!(own.iter().all(|&opcode| kinds.insert(opcode)), "{own:?}");
            assert!(list.iter().all(|pattern| names.insert(pattern.name)), "{list:?}");
        }
    }

    /// The cases of simplification, `tests/ssa/simplify_*.txt`, cover the patterns.
    #[test]
    fn every_pattern_applies() {
        let mut left: BTreeSet<&str> =
            PATTERNS.iter().copied().flatten().map(|pattern| pattern.name).collect();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ssa");
        for entry in std::fs::read_dir(folder).expect("cases") {
            let path = entry.expect("an entry").path();
            if !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("simplify_")) {
                continue;
            }
            let text = std::fs::read_to_string(path).expect("text");
            for case in text.split("=== ").skip(1) {
                let input =
                    case.split_once('\n').and_then(|(_, rest)| rest.split_once("\n---\n")).expect("a case").0;
                let find = |tag: &str| crate::PASSES.find(tag);
                let (_, outcome) = silkit_pass::testing::run_named(find, input);
                outcome.counts.keys().for_each(|(_, name)| _ = left.remove(name));
            }
        }
        assert!(left.is_empty(), "without a case: {left:?}");
    }
}
