//! Traversal of the direct parts of a type.

use crate::function::FunctionType;
use crate::generics::GenericSig;
use crate::kind::{Type, TypeKind};

impl Type {
    /// Returns true if this type, or a type inside of it, satisfies a condition.
    pub fn any_part(self, is: &dyn Fn(Type) -> bool) -> bool {
        let mut found = is(self);
        self.kind().for_each_part(&mut |part| found = found || part.any_part(is));
        found
    }
}

impl TypeKind {
    /// Calls `each` with every type that this type directly contains, including types in generic signatures.
    pub fn for_each_part(&self, each: &mut dyn FnMut(Type)) {
        use TypeKind as K;
        match self {
            K::Unknown | K::Param { .. } | K::Integer(_) => {}
            K::Builtin(_, parts) | K::Composition(parts) | K::Pack { elements: parts, .. } => {
                parts.iter().copied().for_each(each);
            }
            K::Named(n) => n.parent.iter().chain(&n.args).copied().for_each(each),
            K::Tuple(elements) => elements.iter().for_each(|e| each(e.ty)),
            K::Function(f) => f.for_each_part(each),
            K::Dictionary(a, b) | K::InlineArray(a, b) | K::Opened { existential: a, interface: b, .. } => {
                each(*a);
                each(*b);
            }
            K::Box(b) => {
                sig_parts(b.sig, each);
                b.fields.iter().for_each(|f| each(f.ty));
                b.args.iter().copied().for_each(each);
            }
            K::Member(t, _)
            | K::Metatype(_, t)
            | K::ProtocolMetatype(_, t)
            | K::Any(t)
            | K::Some(t)
            | K::Inverse(t)
            | K::Optional(t)
            | K::ImplicitlyUnwrapped(t)
            | K::Array(t)
            | K::Paren(t)
            | K::PackExpansion(t)
            | K::PackElement(t)
            | K::OpenedElement { interface: t, .. }
            | K::OpaqueResult { interface: t, .. }
            | K::Storage(_, t)
            | K::BlockStorage(t)
            | K::MoveOnly(t)
            | K::DynamicSelf(t)
            | K::Attributed(_, t) => each(*t),
        }
    }
}

impl FunctionType {
    fn for_each_part(&self, each: &mut dyn FnMut(Type)) {
        sig_parts(self.sig, each);
        sig_parts(self.pattern_sig, each);
        self.global_actor.iter().chain(&self.pattern_args).for_each(|&t| each(t));
        self.component_types().for_each(each);
    }
}

fn sig_parts(sig: Option<GenericSig>, each: &mut dyn FnMut(Type)) {
    let Some(sig) = sig else { return };
    let data = sig.data();
    data.params.iter().flat_map(|p| p.value_type.into_iter().chain(p.bound)).for_each(&mut *each);
    data.requirements.iter().flat_map(|r| [r.subject, r.constraint]).for_each(each);
}
