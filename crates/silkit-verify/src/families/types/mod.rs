//! Types: the operands and results of every instruction against its declaration.
//!
//! What is regular stands in the instruction table and is checked by one function (`operands.rs`); the rest are
//! small checks of some kinds of instructions each.

mod aggregates;
mod arguments;
mod builtins;
mod calls;
mod cases;
mod casts;
mod exits;
mod facts;
mod functions;
mod kinds;
pub(crate) mod methods;
mod operands;
mod packs;
mod references;

use super::Family;

/// The family.
pub(crate) const FAMILY: Family = Family {
    name: "types",
    rules: &[
        operands::RULES,
        calls::RULES,
        arguments::RULES,
        exits::RULES,
        aggregates::RULES,
        cases::RULES,
        references::RULES,
        casts::RULES,
        functions::RULES,
        methods::RULES,
        packs::RULES,
        builtins::RULES,
    ],
};
