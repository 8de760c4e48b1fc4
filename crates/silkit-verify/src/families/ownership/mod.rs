//! Ownership: owned values are consumed once, and borrow scopes end once and within the lifetime of their base.
//! Applies only to functions in OSSA.

mod arguments;
mod borrow;
mod enclosing;
mod ends;
mod forwarding;
mod lifetime;
mod lifetime_uses;
mod loads;
mod operands;
mod owned;
mod phis;

use super::Family;

/// The rule family.
pub(crate) const FAMILY: Family = Family {
    name: "ownership",
    rules: &[
        operands::RULES,
        owned::RULES,
        borrow::RULES,
        phis::RULES,
        forwarding::RULES,
        ends::RULES,
        arguments::RULES,
        loads::RULES,
    ],
    checks_initializers: false,
};
