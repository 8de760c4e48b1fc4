//! Scopes and stack: joint post-dominance, stack discipline, coroutines, continuations, immutable memory.

mod coroutine;
pub(super) mod derived;
pub(super) mod immutable;
mod inside;
pub(in crate::families) mod joint;
mod kinds;
mod nesting;
mod operands;
mod stack;

use super::Family;

/// The rule family.
pub(crate) const FAMILY: Family = Family {
    name: "scopes and stack",
    rules: &[
        joint::RULES,
        operands::RULES,
        inside::RULES,
        nesting::RULES,
        coroutine::RULES,
        immutable::RULES,
    ],
};
