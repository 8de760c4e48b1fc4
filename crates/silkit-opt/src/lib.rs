//! The optimization passes, in folders by family. [`PASSES`] is the registry of all passes; `silkit-pass` runs them.
//!
//! # Costs
//!
//! Each counted transformation leaves valid SIL behind (`crates/silkit/tests/transformations.rs`), and the cost of passes
//! is linear in their input (`crates/silkit-opt/tests/growth.rs`). Dominance frontiers, whose size can be quadratic, are
//! never materialized: `Joins` and the control dependence of `dce` compute each edge on demand, once.
//!
//! # Simplification
//!
//! Local rewrites are named patterns for an opcode, in ordered lists that one engine applies
//! (`silkit_transform::patterns`). Simplification (`silkit-opt/src/simplify/`) is such a list, with the pipelines of each
//! pattern.

mod access;
mod arc;
mod calls;
mod cfg;
mod debug_info;
mod loops;
mod lowering;
mod mandatory;
mod memory;
mod ownership;
mod program;
mod scalar;
mod simplify;
#[cfg(test)]
mod testing;

pub use calls::prove;

use silkit_pass::Registry;

/// All optimization passes.
pub const PASSES: Registry = Registry::new(&[
    access::PASSES,
    arc::PASSES,
    calls::PASSES,
    cfg::PASSES,
    debug_info::PASSES,
    loops::PASSES,
    lowering::PASSES,
    mandatory::PASSES,
    memory::PASSES,
    ownership::PASSES,
    program::PASSES,
    scalar::PASSES,
    simplify::PASSES,
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_unique_and_summaries_are_phrases() {
        silkit_pass::testing::assert_well_named(PASSES.iter());
    }
}
