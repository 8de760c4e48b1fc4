//! References by name from the parts of a module.

use crate::info::AttrKind;
use crate::{Body, Inst, KeyPath, KeyPathComponent, KeyPathData, KeyPathId};
use silkit_base::Symbol;

/// Calls `f` with the name of each function and global variable that an instruction names.
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

/// Calls `f` with the name of each function that a component of a key path names.
pub fn of_component(component: &KeyPathComponent, f: &mut impl FnMut(Symbol)) {
    let KeyPathComponent::Computed { id, getter, setter, equals, hash, .. } = component else { return };
    if let KeyPathId::Function(name, _) = id {
        f(*name);
    }
    for (name, _) in [getter, setter, equals, hash].into_iter().flatten() {
        f(*name);
    }
}

/// Calls `f` with the name of each function and global variable that a body names, as often as it does.
pub fn of_body(body: &Body, f: &mut impl FnMut(Symbol)) {
    for inst in body.insts() {
        of_inst(body, inst, f);
    }
}
