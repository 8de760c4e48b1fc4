//! References by name from the parts of a module.

use crate::info::AttrKind;
use crate::{Body, Function, Inst, KeyPath, KeyPathComponent, KeyPathData, KeyPathId, Module, WitnessEntry};
use silkit_base::{FxHashMap, Symbol};

/// Calls `f` with the name of each function and global variable that an instruction references.
pub fn of_inst(body: &Body, inst: Inst, f: &mut impl FnMut(Symbol)) {
    for (attr, &word) in body.info(inst).attrs.iter().zip(body.words(inst)) {
        match attr.kind {
            AttrKind::Function | AttrKind::Global => Body::symbol(word).into_iter().for_each(&mut *f),
            AttrKind::KeyPath => {
                for component in &KeyPathData::of(KeyPath::from_u32(word)).components {
                    of_component(component, f);
                }
            }
            _ => {}
        }
    }
}

/// Calls `f` with the name of each function that a key path component references.
pub fn of_component(component: &KeyPathComponent, f: &mut impl FnMut(Symbol)) {
    let KeyPathComponent::Computed { id, getter, setter, equals, hash, .. } = component else { return };
    if let KeyPathId::Function(name, _) = id {
        f(*name);
    }
    for (name, _) in [getter, setter, equals, hash].into_iter().flatten() {
        f(*name);
    }
}

/// Calls `f` with the name of each function and global variable that a body references, once per reference.
pub fn of_body(body: &Body, f: &mut impl FnMut(Symbol)) {
    for inst in body.insts() {
        of_inst(body, inst, f);
    }
}

/// Calls `f` with the name of each function and global variable that is referenced outside of functions: by tables,
/// initializers of global variables, property descriptors and deinits.
pub fn of_tables(module: &Module, f: &mut impl FnMut(Symbol)) {
    module
        .globals
        .values()
        .filter_map(|global| global.initializer.as_ref())
        .for_each(|body| of_body(body, f));
    module.vtables.values().flat_map(|table| &table.entries).for_each(|entry| f(entry.function));
    for table in module.witness_tables.values().chain(module.default_witness_tables.values()) {
        for entry in table.entries.iter().flatten() {
            if let WitnessEntry::Method(_, _, Some(function)) = entry {
                f(*function);
            }
        }
    }
    module.default_override_tables.iter().flat_map(|table| &table.entries).for_each(|entry| f(entry.3));
    for witness in &module.differentiability_witnesses {
        f(witness.function);
        witness.derivatives.iter().flatten().for_each(|derivative| f(derivative.1));
    }
    module.properties.iter().filter_map(|p| p.component.as_ref()).for_each(|c| of_component(c, f));
    module.deinits.iter().for_each(|deinit| f(deinit.function));
}

/// Calls `f` with the name of each function that the header of a function references.
pub fn of_header(function: &Function, f: &mut impl FnMut(Symbol)) {
    let attributes = &function.attributes;
    let named = [attributes.dynamic_replacement_for, attributes.ref_adhoc_requirement_witness];
    named.into_iter().flatten().for_each(f);
}

/// Returns the number of references to each function and global variable of a module.
pub fn counts(module: &Module) -> FxHashMap<Symbol, usize> {
    let mut counts: FxHashMap<Symbol, usize> = FxHashMap::default();
    let mut add = |name: Symbol| *counts.entry(name).or_default() += 1;
    of_tables(module, &mut add);
    for function in module.functions.values() {
        of_header(function, &mut add);
        function.body.iter().for_each(|body| of_body(body, &mut add));
    }
    counts
}
