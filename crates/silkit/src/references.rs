//! What the parts of a module refer to by name.

use silkit_base::Symbol;
use silkit_ir::info::AttrKind;
use silkit_ir::{Body, Inst, KeyPathComponent, KeyPathData, KeyPathId};

/// Calls `f` with the name of each function and global variable that an instruction names.
///
/// ```
/// let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = function_ref @g : $@convention(thin) () -> ()\n  return %0\n}\nsil @g : $@convention(thin) () -> ()\n";
/// let module = silkit::text::parse_module(text).module;
/// let body = module.functions.values().next().unwrap().body.as_ref().unwrap();
/// let mut names = Vec::new();
/// for inst in body.block_order().iter().flat_map(|&b| body.block_insts(b)) {
///     silkit::references::of_inst(body, inst, &mut |name| names.push(name));
/// }
/// assert_eq!(names, ["g"]);
/// ```
pub fn of_inst(body: &Body, inst: Inst, f: &mut impl FnMut(Symbol)) {
    for (attr, &word) in body.info(inst).attrs.iter().zip(body.words(inst)) {
        match attr.kind {
            AttrKind::Function | AttrKind::Global => Body::symbol(word).into_iter().for_each(&mut *f),
            AttrKind::KeyPath => {
                for component in &KeyPathData::of(silkit_ir::KeyPath::from_u32(word)).components {
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
    for inst in body.block_order().iter().flat_map(|&block| body.block_insts(block)) {
        of_inst(body, inst, f);
    }
}
