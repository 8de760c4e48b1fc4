//! The attributes of functions and globals (FunctionAttributes.md, and those that it leaves out).

use crate::module::Attribute;

/// The attributes of functions, in the order in which they are printed.
pub const FUNCTION_ATTRIBUTES: &[&str] = &[
    "transparent",
    "serialized",
    "serialized_for_package",
    "thunk",
    "signature_optimized_thunk",
    "reabstraction_thunk",
    "back_deployed_thunk",
    "without_actually_escaping",
    "dynamically_replacable",
    "distributed",
    "runtime_accessible",
    "lexical_lifetimes",
    "no_onstack_pack_metadata",
    "unsafe_nonescapable_result",
    "exact_self_class",
    "global_init",
    "global_init_once_fn",
    "lazy_getter",
    "weak_imported",
    "available",
    "noinline",
    "always_inline",
    "Onone",
    "Ospeed",
    "Osize",
    "stack_protection",
    "used",
    "section",
    "asmname",
    "extern",
    "isolation",
    "no_locks",
    "no_allocation",
    "no_runtime",
    "no_existentials",
    "no_objc_bridging",
    "perf_constraint",
    "readnone",
    "readonly",
    "readwrite",
    "releasenone",
    "clang",
    "dynamic_replacement_for",
    "ref_adhoc_requirement_witness",
    "objc_replacement_for",
    "_semantics",
    "_specialize",
    "canonical",
    "ossa",
];

/// The attributes of global variables, in the order in which they are printed.
pub const GLOBAL_ATTRIBUTES: &[&str] =
    &["serialized", "serialized_for_package", "let", "used", "section", "asmname"];

/// Puts attributes into the order in which they are printed; several of a kind keep theirs.
pub fn order_attributes(attributes: &mut [Attribute], known: &[&str]) {
    let rank = |a: &Attribute| known.iter().position(|k| a.key == *k).unwrap_or(known.len());
    if !attributes.is_sorted_by_key(rank) {
        attributes.sort_by_key(rank);
    }
}
