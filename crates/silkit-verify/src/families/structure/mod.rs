//! Structure and SSA: blocks, edges, dominance, stages.

mod blocks;
mod dominance;
mod edges;
mod packs;
pub(crate) mod stages;
mod stated;

use super::Family;

/// The rule family.
pub(crate) const FAMILY: Family = Family {
    name: "structure and SSA",
    rules: &[blocks::RULES, edges::RULES, dominance::RULES, stated::RULES, stages::RULES, packs::RULES],
    checks_initializers: false,
};
