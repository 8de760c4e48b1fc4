//! Rules for key paths: the pattern leads from the root type to the value type of the key path object.

use super::facts::{formal_type, resolved, same};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::RuleId;
use silkit_ir::{Inst, KeyPath, KeyPathComponent, KeyPathData, NONE, Opcode};
use silkit_types::{Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&KEY_PATH_TYPES];

static KEY_PATH_TYPES: Rule = Rule {
    id: RuleId::new("SIL0371"),
    name: "KeyPathTypes",
    summary: "The pattern of a key path leads from its root type to its value type, property by property",
    details: "\
`KeyPath<Root, Value>` has a pattern whose root is `Root` and whose last component has the type `Value`.
A stored property belongs to the type before it and has the declared type; `tuple_element` names an
element of a tuple.",
    failing: "\
import Swift

struct S {
  @_hasStorage var x: Int
}
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = keypath $KeyPath<S, Bool>, (root $S; stored_property #S.x : $Int)
  unreachable
}
",
    corrected: "\
import Swift

struct S {
  @_hasStorage var x: Int
}
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = keypath $KeyPath<S, Int>, (root $S; stored_property #S.x : $Int)
  unreachable
}
",
    check: Check::Inst(&[Opcode::KeyPath], key_path_types),
};

fn key_path_types(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(ty) = formal_type(cx, inst, "type") else { return };
    let Some(word) = cx.body.word(inst, "pattern").filter(|&word| word != NONE) else { return };
    let pattern = KeyPathData::of(KeyPath::from_u32(word));
    // A generic pattern has its own parameters.
    let Some(root) = pattern.root.filter(|_| pattern.sig.is_none()) else { return };
    let report = |message: String| cx.report(cx.finding(&KEY_PATH_TYPES, Place::Inst(inst), message));
    let TypeKind::Named(object) = resolved(cx, ty).kind() else { return };
    let ends = match (object.name.as_str(), &*object.args) {
        ("KeyPath" | "WritableKeyPath" | "ReferenceWritableKeyPath", [root, value]) => Some((*root, *value)),
        ("PartialKeyPath", [root]) => Some((*root, Type::unknown())),
        _ => None,
    };
    let differ = |a: Type, b: Type| !a.is_unknown() && !b.is_unknown() && same(cx, a, b) == Some(false);
    if let Some((wanted, _)) = ends.filter(|(wanted, _)| differ(*wanted, root)) {
        return report(format!(
            "the root of the pattern is `{root}`, but the root type of `{ty}` is `{wanted}`"
        ));
    }
    let mut at = root;
    for component in &pattern.components {
        match component {
            KeyPathComponent::Stored { property, ty } => {
                let found = property.name().and_then(|name| cx.declarations().stored_field(at, name));
                if let Some(found) = found.filter(|found| differ(*found, *ty)) {
                    return report(format!("`{property}` has type `{found}`, not `{ty}`"));
                }
                if super::aggregates::names_member(cx, *property, at) == Some(false) {
                    return report(format!("`{property}` is not a property of `{at}`"));
                }
                at = *ty;
            }
            KeyPathComponent::Tuple { index, ty } => {
                if let TypeKind::Tuple(elements) = resolved(cx, at).kind() {
                    match elements.get(*index as usize) {
                        None => return report(format!("`{at}` has no element {index}")),
                        Some(element) if differ(element.ty, *ty) => {
                            return report(format!("element {index} of `{at}` is not `{ty}`"));
                        }
                        Some(_) => {}
                    }
                }
                at = *ty;
            }
            KeyPathComponent::Computed { ty, getter, setter, .. } => {
                let mut accessors = getter.iter().chain(setter);
                if let Some((name, found)) = accessors.find(|(_, ty)| ty.ty().as_function().is_none()) {
                    return report(format!("`@{name}` is a function, and cannot have the type `{found}`"));
                }
                at = *ty;
            }
            KeyPathComponent::Optional { ty, .. } => at = *ty,
        }
    }
    if let Some((_, wanted)) = ends.filter(|(_, wanted)| differ(*wanted, at)) {
        report(format!("the pattern ends in `{at}`, but the value type of `{ty}` is `{wanted}`"));
    }
}
