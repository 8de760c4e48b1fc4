//! Verification of several modules together, and findings about two of them.

use crate::context::Owner;
use crate::finding::Finding;
use silkit_base::Symbol;
use silkit_ir::Module;
use silkit_types::decl::Declarations;

/// One of several modules that are verified together.
#[derive(Clone, Copy, Debug)]
pub struct LinkedModule<'a> {
    /// The SIL module.
    pub module: &'a Module,
    /// The declarations visible to it.
    pub declarations: &'a Declarations,
    /// The name of the Swift module that it belongs to.
    pub name: Symbol,
    /// The package of that Swift module.
    pub package: Option<Symbol>,
}

/// A violation by objects of two modules.
#[derive(Clone, Debug)]
pub struct LinkedFinding {
    /// The index of the module of the finding.
    pub module: usize,
    /// The finding.
    pub finding: Finding,
    /// The index of the other module, and the linked object in it.
    pub other: (usize, Owner),
    /// The role of the other object in the violation.
    pub label: String,
}
