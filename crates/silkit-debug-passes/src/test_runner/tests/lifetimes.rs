//! Tests of utilities that shorten lifetimes.

use super::{Test, TestFn};
use crate::test_runner::arguments::Argument;
use silkit_analysis::{DeadEnds, Dominators};
use silkit_transform::borrowed_copies::{CopyPlace, canonicalize_argument};
use silkit_transform::canonical_lifetime::{self, LexicalValues, LifetimeFacts, Limits};

pub(super) const TESTS: &[(&str, TestFn)] = &[
    ("canonicalize_function_argument", canonicalize_function_argument),
    ("canonicalize_ossa_lifetime", canonicalize_ossa_lifetime),
];

/// Runs the utility. The arguments select whether debug values are pruned (they always are), whether the lifetime is
/// kept as long as possible, and whether ends of accesses are respected; then follow the value and the allowed ends.
fn canonicalize_ossa_lifetime(test: &mut Test<'_, '_>) -> Result<(), String> {
    let (_prunes, is_longest) = (test.arguments.bool()?, test.arguments.bool()?);
    let respects_accesses = test.arguments.bool()?;
    let value = test.value()?;
    let mut ends = Vec::new();
    while test.arguments.has_more() {
        ends.push(test.instruction()?);
    }
    test.with_context(|cx| {
        let (dominators, dead_ends) = (cx.get::<Dominators>(), cx.get::<DeadEnds>());
        let lexical = LexicalValues::of(cx.body());
        let mut known = LifetimeFacts { dominators, dead_ends, has_accesses: respects_accesses, lexical };
        canonical_lifetime::canonicalize_to(cx, value, &mut known, Limits { is_longest, ends: &ends });
    });
    test.print_function();
    Ok(())
}

/// Canonicalizes the copies of a function argument, and prints the function.
fn canonicalize_function_argument(test: &mut Test<'_, '_>) -> Result<(), String> {
    if !test.arguments.next_is(|argument| matches!(argument, Argument::Passed(..))) {
        return Err("the test expects a block argument".to_owned());
    }
    let argument = test.value()?;
    test.with_context(|cx| canonicalize_argument(cx, argument, CopyPlace::AtUse));
    test.print_function();
    Ok(())
}
