//! Each transformation on files of cases, `tests/cases/*.txt`: one case for each arm that it has.
//!
//! Comment lines at the start of an input say what to do in its last function: blocks are `bb1`, values `%2` (arguments and
//! results are numbered in the order of the text), instructions `bb1.0`. The output is what the transformation says, the
//! function afterwards, and the rules that it breaks. `UPDATE_EXPECT=1` writes the outputs into the files.

mod support;

use support::{blocks, calls, lifetimes, values};

silkit_testkit::case_files! {
    "tests/cases":
    borrowed_copies: lifetimes::borrowed_copies;
    borrowed_from: lifetimes::borrowed_from;
    callee: calls::callee;
    canonical_lifetime: lifetimes::canonical_lifetime;
    closures: calls::closures;
    counting: values::counting;
    critical_edges: blocks::critical_edges;
    dead_end_lifetimes: lifetimes::dead_end_lifetimes;
    delete: values::delete;
    destroy: values::destroy;
    devirtualize: calls::devirtualize;
    inliner: blocks::inliner;
    inst_simplify: values::inst_simplify;
    lexical: calls::lexical;
    lexical_destroy_folding: lifetimes::lexical_destroy_folding;
    lifetime_completion: lifetimes::lifetime_completion;
    merge_blocks: blocks::merge_blocks;
    redundant_borrow: calls::redundant_borrow;
    replace_borrowed: lifetimes::replace_borrowed;
    shrink_borrow_scope: lifetimes::shrink_borrow_scope;
    ssa_updater: values::ssa_updater;
    stack_nesting: blocks::stack_nesting;
    unreachable: blocks::unreachable;
    variable_names: values::variable_names;
    variables: values::variables;
}
