//! Modules: linkage, tables, global variables, debug scopes, and undeclared references.

mod declarations;
mod differentiability;
mod functions;
mod globals;
pub(crate) mod linked;
pub(crate) mod members;
mod overrides;
mod place;
mod references;
mod requirements;
mod scopes;
mod signatures;
mod tables;

use super::Family;
use silkit_ir::Linkage;

/// The rule family.
pub(crate) const FAMILY: Family = Family {
    name: "module",
    rules: &[
        functions::RULES,
        references::RULES,
        globals::RULES,
        tables::RULES,
        members::RULES,
        signatures::RULES,
        declarations::RULES,
        requirements::RULES,
        differentiability::RULES,
        overrides::RULES,
        scopes::RULES,
        linked::RULES,
    ],
};

/// Returns true if this linkage is for entities that are declared here and defined elsewhere.
fn is_external(linkage: Linkage) -> bool {
    use Linkage as L;
    matches!(linkage, L::PublicExternal | L::PackageExternal | L::HiddenExternal | L::SharedExternal)
}
