//! `-module-name`: sets the module that the declarations of a file belong to.

use crate::ir::{Conformance, Module, WitnessEntry, WitnessTableOf};
use crate::types::decl::{DeclEntry, Declarations};
use crate::types::{Type, TypeKind};
use silkit_base::Symbol;

/// Sets the module of each conformance that the file declares.
///
/// ```
/// let text = "sil_stage raw\nprotocol P {}\nstruct S : P {}\nsil_witness_table S: P module other {\n}\n";
/// let mut module = silkit::read("a.sil", text.as_bytes())?;
/// let declarations = silkit::declarations(&module);
/// silkit::set_module_name(&mut module, &declarations, "geo");
/// assert!(silkit::print(&module).contains("S: P module geo"));
/// # Ok::<(), silkit::Unreadable>(())
/// ```
pub fn set_module_name(module: &mut Module, declarations: &Declarations, name: &str) {
    let name = Symbol::new(name);
    for id in module.witness_tables.keys() {
        module.witness_tables.rekey(id, |table| {
            if let WitnessTableOf::Conformance(conformance) = &mut table.of {
                rename(conformance, name, declarations);
            }
        });
    }
    for table in module.witness_tables.values_mut().chain(module.default_witness_tables.values_mut()) {
        for entry in table.entries.iter_mut().flatten() {
            match entry {
                WitnessEntry::Base(_, conformance)
                | WitnessEntry::AssociatedConformance { conformance, .. }
                | WitnessEntry::Conditional(_, _, conformance) => rename(conformance, name, declarations),
                WitnessEntry::Method(..) | WitnessEntry::AssociatedType(..) | WitnessEntry::NoDefault => {}
            }
        }
    }
}

fn rename(conformance: &mut Conformance, name: Symbol, declarations: &Declarations) {
    match conformance {
        Conformance::Normal { ty, protocol, module, .. } => {
            if is_declared_here(*ty, *protocol, declarations) {
                *module = name;
            }
        }
        Conformance::Specialized { inner, .. } | Conformance::Inherited { inner, .. } => {
            rename(inner, name, declarations);
        }
        Conformance::Dependent(_) | Conformance::Abstract { .. } => {}
    }
}

/// Returns true if the file declares the type, or a conformance of the type to the protocol.
fn is_declared_here(ty: Type, protocol: Type, declarations: &Declarations) -> bool {
    let Some(path) = declarations.path_of(ty) else { return false };
    let Some(DeclEntry { nominal, extensions, .. }) = declarations.own().get(path) else { return false };
    let adds = |inherited: &[Type]| inherited.iter().any(|t| last_name(*t) == last_name(protocol));
    nominal.is_some() || extensions.iter().any(|e| adds(&e.inherited))
}

fn last_name(ty: Type) -> Option<Symbol> {
    match ty.kind() {
        TypeKind::Named(named) => Some(named.name),
        _ => None,
    }
}
