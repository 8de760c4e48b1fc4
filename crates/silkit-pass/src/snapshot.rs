//! Snapshots of a module before a module pass, to detect changes.

use silkit_base::KeyedVec;
use silkit_ir::{
    Body, CoverageMap, DefaultOverrideTable, DifferentiabilityWitness, Epoch, Function, Global, Module,
    MoveOnlyDeinit, Property, Scope, VTable, VTableId, WitnessTable, WitnessTableId,
};

/// The headers, tables and global variables of a module, and the epochs of its bodies.
#[derive(Debug)]
pub(crate) struct Snapshot {
    functions: Vec<(Function, Option<Epoch>)>,
    globals: Vec<(Global, Option<Epoch>)>,
    vtables: KeyedVec<VTableId, VTable>,
    witness_tables: KeyedVec<WitnessTableId, WitnessTable>,
    default_witness_tables: KeyedVec<WitnessTableId, WitnessTable>,
    default_override_tables: Vec<DefaultOverrideTable>,
    differentiability_witnesses: Vec<DifferentiabilityWitness>,
    properties: Vec<Property>,
    coverage_maps: Vec<CoverageMap>,
    deinits: Vec<MoveOnlyDeinit>,
    scopes: Vec<Scope>,
}

impl Snapshot {
    /// Takes a snapshot of a module.
    pub(crate) fn new(module: &Module) -> Self {
        Self {
            functions: module
                .functions
                .values()
                .map(|f| (f.header(), f.body.as_ref().map(Body::epoch)))
                .collect(),
            globals: module
                .globals
                .values()
                .map(|g| (header(g), g.initializer.as_ref().map(Body::epoch)))
                .collect(),
            vtables: module.vtables.clone(),
            witness_tables: module.witness_tables.clone(),
            default_witness_tables: module.default_witness_tables.clone(),
            default_override_tables: module.default_override_tables.clone(),
            differentiability_witnesses: module.differentiability_witnesses.clone(),
            properties: module.properties.clone(),
            coverage_maps: module.coverage_maps.clone(),
            deinits: module.deinits.clone(),
            scopes: module.scopes.clone(),
        }
    }

    /// Returns true if a module differs from the snapshot.
    pub(crate) fn differs(&self, module: &Module) -> bool {
        let same_function = |(old, epoch): &(Function, Option<Epoch>), new: &Function| {
            old.has_same_header(new) && *epoch == new.body.as_ref().map(Body::epoch)
        };
        let same_global = |(old, epoch): &(Global, Option<Epoch>), new: &Global| {
            (old.name, old.linkage, old.ty) == (new.name, new.linkage, new.ty)
                && old.attributes == new.attributes
                && *epoch == new.initializer.as_ref().map(Body::epoch)
        };
        self.functions.len() != module.functions.len()
            || !self.functions.iter().zip(module.functions.values()).all(|(old, new)| same_function(old, new))
            || self.globals.len() != module.globals.len()
            || !self.globals.iter().zip(module.globals.values()).all(|(old, new)| same_global(old, new))
            || self.vtables != module.vtables
            || self.witness_tables != module.witness_tables
            || self.default_witness_tables != module.default_witness_tables
            || self.default_override_tables != module.default_override_tables
            || self.differentiability_witnesses != module.differentiability_witnesses
            || self.properties != module.properties
            || self.coverage_maps != module.coverage_maps
            || self.deinits != module.deinits
            || self.scopes != module.scopes
    }
}

/// Returns a global variable without its initializer.
fn header(global: &Global) -> Global {
    Global { attributes: global.attributes.clone(), initializer: None, ..*global }
}
