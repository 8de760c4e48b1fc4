//! Rules for types: the operands and results of every instruction.
//!
//! Regular requirements are declared in the instruction table and checked by one function (`operands.rs`); the other
//! files contain the checks of specific kinds of instructions.

pub(crate) mod accessors;
mod aggregates;
mod arguments;
mod blocks;
mod builtin_types;
mod builtins;
mod calls;
pub(crate) mod cases;
pub(crate) mod casts;
mod checked_casts;
mod concurrency;
pub(crate) mod conformance;
mod copies;
mod debug_arguments;
mod debug_variables;
mod existentials;
mod exits;
pub(crate) mod facts;
mod functions;
pub(crate) mod generic;
mod keypaths;
pub(crate) mod kinds;
mod marks;
pub(crate) mod member_types;
mod methods;
mod objects;
mod open_packs;
mod opened;
mod operands;
mod packs;
mod references;
pub(crate) mod well_formed;
pub(crate) mod written;

use super::Family;

/// The rule family.
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
        checked_casts::RULES,
        functions::RULES,
        methods::RULES,
        packs::RULES,
        open_packs::RULES,
        builtins::RULES,
        builtin_types::RULES,
        objects::RULES,
        existentials::RULES,
        opened::RULES,
        blocks::RULES,
        concurrency::RULES,
        copies::RULES,
        marks::RULES,
        keypaths::RULES,
        debug_variables::RULES,
        debug_arguments::RULES,
        written::RULES,
        well_formed::RULES,
    ],
    checks_initializers: true,
};
