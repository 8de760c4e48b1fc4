//! Rules for key paths: the pattern leads from the root type to the value type of the key path object.

use super::accessors;
use super::facts::{declared, formal_type, resolved, same};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, KeyPath, KeyPathComponent, KeyPathData, NONE, Opcode};
use silkit_types::{Substitution, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&KEY_PATH_TYPES];

static KEY_PATH_TYPES: Rule = Rule {
    id: RuleId::new("SIL0371"),
    name: "KeyPathTypes",
    severity: Severity::Error,
    summary: "The pattern of a key path leads from its root type to its value type, property by property",
    details: "\
`KeyPath<Root, Value>` has a pattern whose root is `Root` and whose last component has the type `Value`.
A stored property belongs to the type before it and has the declared type; `tuple_element` names an
element of a tuple, `optional_chain` and `optional_force` follow an optional. A generic pattern is instantiated with the types in angle brackets after it. A getter takes the base
by address and returns the value by address; a setter takes the new value and the base by address.",
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
    let Some(root) = pattern.root else { return };
    let report = |message: String| cx.report(cx.finding(&KEY_PATH_TYPES, Place::Inst(inst), message));
    let TypeKind::Named(object) = resolved(cx, ty).kind() else { return };
    let ends = match (object.name.as_str(), &*object.args) {
        ("KeyPath" | "WritableKeyPath" | "ReferenceWritableKeyPath", [root, value]) => Some((*root, *value)),
        ("PartialKeyPath", [root]) => Some((*root, Type::unknown())),
        _ if declared(cx, ty).is_some_and(|decl| !decl.path.as_str().ends_with("KeyPath")) => {
            return report(format!("`keypath` expects the type of a key path, found `{ty}`"));
        }
        _ => None,
    };
    let substituted = |ty: Type| substitute(cx, inst, pattern, ty);
    let is_generic = pattern.sig.is_some();
    let differ = |a: Type, b: Type| !a.is_unknown() && !b.is_unknown() && same(cx, a, b) == Some(false);
    let has_arguments = !cx.body.list(cx.body.word(inst, "subs").unwrap_or(NONE)).is_empty();
    if pattern.sig.is_some_and(|sig| !sig.data().params.is_empty()) && !has_arguments {
        return report("the generic pattern has no arguments".to_owned());
    }
    let of_pattern = substituted(root);
    if let Some((wanted, _)) = ends.filter(|(wanted, _)| differ(*wanted, of_pattern)) {
        return report(format!(
            "the root of the pattern is `{of_pattern}`, but the root type of `{ty}` is `{wanted}`"
        ));
    }
    let mut at = root;
    for component in &pattern.components {
        if let Some(message) =
            accessors::violation((cx.declarations(), cx.signature()), component, at, is_generic)
        {
            return report(message);
        }
        match component {
            // The parameters of a generic pattern are not those of the function.
            _ if is_generic => at = type_of(component),
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
            KeyPathComponent::Optional { kind, ty } => {
                let (optional, payload) = if *kind == "optional_wrap" { (*ty, at) } else { (at, *ty) };
                if let Some(message) = not_optional_of(cx, optional, payload) {
                    return report(format!("`{kind}`: {message}"));
                }
                at = *ty;
            }
            KeyPathComponent::Computed { ty, .. } => at = *ty,
        }
    }
    let at = substituted(at);
    if let Some((_, wanted)) = ends.filter(|(_, wanted)| differ(*wanted, at)) {
        report(format!("the pattern ends in `{at}`, but the value type of `{ty}` is `{wanted}`"));
    }
}

/// Returns an error if a type is known not to be an optional of another.
fn not_optional_of(cx: &FunctionVerifier<'_>, optional: Type, payload: Type) -> Option<String> {
    let optional = resolved(cx, optional);
    match cx.declarations().optional_payload(optional) {
        Some(found) => {
            (same(cx, found, payload) == Some(false)).then(|| format!("`{optional}` holds no `{payload}`"))
        }
        None => {
            let is_other = matches!(optional.kind(), TypeKind::Tuple(_) | TypeKind::Builtin(..))
                || declared(cx, optional).is_some();
            is_other.then(|| format!("`{optional}` is not an optional"))
        }
    }
}

/// Returns a type of a pattern with the pattern's arguments for its parameters; unknown if their numbers differ.
fn substitute(cx: &FunctionVerifier<'_>, inst: Inst, pattern: &KeyPathData, ty: Type) -> Type {
    let Some(sig) = pattern.sig else { return ty };
    let words = cx.body.list(cx.body.word(inst, "subs").unwrap_or(NONE));
    let args: Vec<Type> = words.iter().map(|&word| Type::from_u32(word)).collect();
    if args.len() != sig.data().params.len() {
        return Type::unknown();
    }
    ty.substitute(Substitution { sig, args: &args }, &|base, name| cx.declarations().member_type(base, name))
}

fn type_of(component: &KeyPathComponent) -> Type {
    match component {
        KeyPathComponent::Stored { ty, .. }
        | KeyPathComponent::Computed { ty, .. }
        | KeyPathComponent::Tuple { ty, .. }
        | KeyPathComponent::Optional { ty, .. } => *ty,
    }
}
