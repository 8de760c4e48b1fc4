//! Dynamic casts whose result is known when compiling.

use super::model::{AccessLevel, DeclFlags, NominalDecl, NominalKind};
use super::query::Declarations;
use crate::kind::{Type, TypeKind};
use silkit_base::Symbol;

impl Declarations {
    /// Returns true if a dynamic cast from one type to another fails for every value. Types are compared as formal types.
    pub fn cast_always_fails(&self, source: Type, target: Type) -> bool {
        match (self.optional_payload(source), self.optional_payload(target)) {
            // `nil` is a value of both.
            (Some(_), Some(_)) => return false,
            (Some(payload), None) => {
                return self.protocol(target).is_none() && self.cast_always_fails(payload, target);
            }
            (None, Some(payload)) => return self.cast_always_fails(source, payload),
            (None, None) => {}
        }
        let (source, target) = (self.resolve(source), self.resolve(target));
        if let Some(protocol) = self.protocol(target) {
            return self.never_conforms(source, protocol);
        }
        match (self.shape_for_casts(source), self.shape_for_casts(target)) {
            (Some(from), Some(to)) => self.shapes_exclude(&from, &to, (source, target)),
            _ => false,
        }
    }

    /// Returns the protocol of an existential type with one protocol.
    fn protocol(&self, ty: Type) -> Option<&NominalDecl> {
        let TypeKind::Any(constraint) = ty.kind() else { return None };
        self.nominal_of(*constraint).filter(|decl| decl.kind == NominalKind::Protocol)
    }

    /// Returns true if a type does not conform to a protocol, and no other file can add the conformance: it sees only one
    /// of both. The superclasses of a class may conform as well.
    fn never_conforms(&self, source: Type, protocol: &NominalDecl) -> bool {
        let is_private = |decl: &NominalDecl| decl.access <= AccessLevel::FilePrivate;
        let Some(CastShape::Class(decl) | CastShape::Value(decl)) = self.shape_for_casts(source) else {
            return false;
        };
        let is_closed = match decl.is_class() {
            true => {
                let mut superclasses = self.superclasses(source);
                decl.flags.contains(DeclFlags::FINAL)
                    && is_private(decl)
                    && superclasses.all(|class| self.nominal_of(class).is_some_and(is_private))
            }
            false => is_private(decl) || is_private(protocol),
        };
        // The conformance of an enum without payloads is not declared.
        let is_derived =
            decl.kind == NominalKind::Enum && (protocol.path == "Hashable" || protocol.path == "Equatable");
        is_closed && !is_derived && self.conforms(source, protocol.path) == Some(false)
    }

    fn shape_for_casts(&self, ty: Type) -> Option<CastShape<'_>> {
        match ty.kind() {
            TypeKind::Tuple(elements) => Some(CastShape::Tuple(elements.iter().map(|e| e.ty).collect())),
            TypeKind::Function(_) => Some(CastShape::Function),
            TypeKind::Metatype(_, instance) => Some(CastShape::Metatype(*instance)),
            TypeKind::Builtin(..) => Some(CastShape::Builtin),
            TypeKind::Named(_) => {
                let decl = self.nominal_of(ty)?;
                match decl.kind {
                    NominalKind::Protocol => None,
                    // It contains a value of any hashable type.
                    _ if decl.path == "AnyHashable" => None,
                    _ if decl.is_class() => Some(CastShape::Class(decl)),
                    _ => Some(CastShape::Value(decl)),
                }
            }
            _ => None,
        }
    }

    fn shapes_exclude(&self, from: &CastShape<'_>, to: &CastShape<'_>, types: (Type, Type)) -> bool {
        match (from, to) {
            (CastShape::Tuple(from), CastShape::Tuple(to)) => {
                from.len() != to.len() || from.iter().zip(to).any(|(&a, &b)| self.cast_always_fails(a, b))
            }
            (CastShape::Function, CastShape::Function) => false,
            (CastShape::Class(from), CastShape::Class(to)) => {
                let is_related = |class, other: Symbol| {
                    self.superclasses(class).any(|superclass| self.path_of(superclass) == Some(other))
                };
                match from.path == to.path || is_related(types.0, to.path) || is_related(types.1, from.path) {
                    true => {
                        self.instances_differ(types.0, types.1) || self.instances_differ(types.1, types.0)
                    }
                    false => true,
                }
            }
            (CastShape::Metatype(from), CastShape::Metatype(to)) => {
                let is_class = |ty: Type| self.nominal_of(ty).map(NominalDecl::is_class);
                is_class(*from) == is_class(*to) && self.cast_always_fails(*from, *to)
            }
            (CastShape::Builtin, CastShape::Class(_)) | (CastShape::Class(_), CastShape::Builtin) => false,
            (CastShape::Builtin, CastShape::Builtin) => types.0.desugared() != types.1.desugared(),
            // Collections convert their elements.
            (CastShape::Value(from), CastShape::Value(to)) if from.path == to.path => {
                !matches!(from.path.as_str(), "Array" | "Dictionary" | "Set")
                    && self.arguments_differ(types.0, types.1)
            }
            // A value type of another module may be bridged to a class.
            (CastShape::Class(_), CastShape::Value(value)) => self.is_never_bridged(value, types.1),
            (CastShape::Value(value), CastShape::Class(_)) => self.is_never_bridged(value, types.0),
            _ => true,
        }
    }

    /// Returns true if a value type is declared in the module, and is not bridged to a class.
    fn is_never_bridged(&self, decl: &NominalDecl, ty: Type) -> bool {
        self.own().get(decl.path).is_some()
            && self.conforms(ty, Symbol::new("_ObjectiveCBridgeable")) == Some(false)
    }

    /// Returns true if a class or one of its superclasses is another instance of the generic class `other`.
    fn instances_differ(&self, class: Type, other: Type) -> bool {
        let path = self.path_of(other);
        let mut classes = std::iter::once(class).chain(self.superclasses(class));
        classes.any(|class| self.path_of(class) == path && self.arguments_differ(class, other))
    }

    /// Returns true if the generic arguments of two instances of one type are concrete and differ.
    fn arguments_differ(&self, a: Type, b: Type) -> bool {
        let is_concrete = |ty: Type| !ty.holds_parameter() && !ty.holds_opened();
        is_concrete(a) && is_concrete(b) && self.same_type(a, b, None) == Some(false)
    }
}

/// What the result of a cast depends on.
enum CastShape<'a> {
    Class(&'a NominalDecl),
    /// A struct or an enum.
    Value(&'a NominalDecl),
    Tuple(Vec<Type>),
    Function,
    /// A metatype, with its instance type.
    Metatype(Type),
    Builtin,
}
