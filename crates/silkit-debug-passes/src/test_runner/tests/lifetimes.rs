//! Tests of utilities that shorten lifetimes.

use super::{Test, TestFn};
use crate::test_runner::arguments::Argument;
use silkit_analysis::{DeadEnds, Dominators};
use silkit_ir::{Inst, Opcode};
use silkit_transform::borrowed_copies::{CopyPlace, canonicalize_argument};
use silkit_transform::canonical_lifetime::{self, LexicalValues, LifetimeFacts, Limits};
use silkit_transform::{lexical_destroy_folding, shrink_borrow_scope};

pub(super) const TESTS: &[(&str, TestFn)] = &[
    ("canonicalize_function_argument", canonicalize_function_argument),
    ("canonicalize_ossa_lifetime", canonicalize_ossa_lifetime),
    ("lexical_destroy_folding", lexical_destroy_folding),
    ("shrink_borrow_scope", shrink_borrow_scope),
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
        let mut facts = LifetimeFacts { dominators, dead_ends, has_accesses: respects_accesses, lexical };
        canonical_lifetime::canonicalize_to(cx, value, &mut facts, Limits { is_longest, ends: &ends });
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

/// Folds the calls at the ends of a borrow scope, and prints the function.
fn lexical_destroy_folding(test: &mut Test<'_, '_>) -> Result<(), String> {
    let borrow = test.begin_borrow()?;
    test.with_context(|cx| lexical_destroy_folding::fold(cx, borrow));
    test.print_function();
    Ok(())
}

/// Shrinks the scope of a borrow; prints what is removed, whether the scope changed, and the rewritten copies.
fn shrink_borrow_scope(test: &mut Test<'_, '_>) -> Result<(), String> {
    let borrow = test.begin_borrow()?;
    let shrunk = test.with_context(|cx| shrink_borrow_scope::shrink(cx, borrow));
    let result = if shrunk.has_changes() { "shrunk" } else { "did not shrink" };
    for end in shrunk.replaced {
        // The operand is dropped before the instruction is printed.
        let text = test.dump().inst(end, "");
        let comment = text.split_once("//").map_or("", |(_, comment)| comment.trim());
        test.print(format!("DELETED:\n{:<50}// {comment}\n", "  end_borrow <<NULL OPERAND>>"));
        test.with_context(|cx| cx.edit().remove(end));
    }
    test.print(format!("Result: {result}\nRewrote the following copies:\n"));
    for copy in shrunk.copies {
        let text = test.dump().inst(copy, "");
        test.print(text);
    }
    Ok(())
}

impl Test<'_, '_> {
    /// Returns the next argument, which must be a `begin_borrow`.
    fn begin_borrow(&mut self) -> Result<Inst, String> {
        let inst = self.instruction()?;
        let is_borrow = self.body().inst(inst).opcode == Opcode::BeginBorrow;
        is_borrow.then_some(inst).ok_or_else(|| "the test expects a `begin_borrow`".to_owned())
    }
}
