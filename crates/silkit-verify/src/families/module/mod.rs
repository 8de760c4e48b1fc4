//! Modules: linkage, tables, global variables, debug scopes, and undeclared references.

mod attributes;
mod callables;
mod declarations;
mod declared_names;
mod deinits;
mod derivatives;
mod differentiability;
mod functions;
mod globals;
mod inheritance;
pub(crate) mod linked;
pub(crate) mod members;
pub(crate) mod method_abi;
mod operators;
mod overrides;
mod overriding;
mod place;
mod properties;
mod references;
mod requirements;
mod scopes;
mod signatures;
pub(crate) mod stated_types;
mod table_types;
mod tables;
mod vtables;
mod witnesses;

use super::Family;

/// The rule family.
pub(crate) const FAMILY: Family = Family {
    name: "module",
    rules: &[
        functions::RULES,
        attributes::RULES,
        references::RULES,
        globals::RULES,
        tables::RULES,
        table_types::RULES,
        vtables::RULES,
        members::RULES,
        properties::RULES,
        signatures::RULES,
        declarations::RULES,
        operators::RULES,
        witnesses::RULES,
        requirements::RULES,
        deinits::RULES,
        differentiability::RULES,
        derivatives::RULES,
        overrides::RULES,
        scopes::RULES,
        linked::RULES,
    ],
};
