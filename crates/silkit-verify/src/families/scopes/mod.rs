//! Scopes and stack: joint post-dominance, stack discipline, coroutines, continuations, immutable memory.

mod after_end;
mod continuation;
mod coroutine;
mod coroutine_token;
mod dependence;
pub(super) mod derived;
pub(super) mod immutable;
mod inside;
pub(in crate::families) mod joint;
mod kinds;
mod nested;
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
        after_end::RULES,
        nesting::RULES,
        coroutine::RULES,
        coroutine_token::RULES,
        continuation::RULES,
        nested::RULES,
        dependence::RULES,
        immutable::RULES,
    ],
    checks_initializers: false,
};
