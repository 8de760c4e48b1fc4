//! Modules: linkage, tables, global variables, debug scopes, and undeclared references.

mod associated;
mod attributes;
mod callables;
mod declarations;
mod declared_names;
mod deinits;
mod derivatives;
mod differentiability;
mod extensions;
mod functions;
mod generic_scope;
mod globals;
mod imports;
mod inheritance;
mod library_protocols;
pub(crate) mod linked;
pub(crate) mod members;
pub(crate) mod method_abi;
mod operators;
mod overrides;
mod overriding;
mod place;
mod properties;
mod redeclared;
mod references;
mod requirements;
mod scopes;
mod seen_from;
mod signatures;
pub(crate) mod stated_types;
mod suppressed;
mod table_types;
mod tables;
mod type_attributes;
mod vtables;
mod witness_fit;
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
        type_attributes::RULES,
        suppressed::RULES,
        extensions::RULES,
        imports::RULES,
        witnesses::RULES,
        requirements::RULES,
        deinits::RULES,
        differentiability::RULES,
        derivatives::RULES,
        overrides::RULES,
        scopes::RULES,
        linked::RULES,
    ],
    checks_initializers: false,
};
