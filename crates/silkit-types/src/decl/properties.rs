//! Type properties (trivial, address-only, move-only, …), as three-valued answers.

use super::budget::Query;
use super::conformance::is_suppressed;
use super::dependent::{Bounds, Stated};
use super::model::{DeclFlags, NominalDecl, NominalKind};
use super::query::Declarations;
use super::type_cache::Packed;
use crate::function::Convention;
use crate::kind::{RefStorage, Type, TypeKind};
use crate::{GenericSig, RequirementKind};
use silkit_base::Symbol;

/// The properties of the values of a type. `None` means "not known".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeProperties {
    /// Copying and destroying values are no-ops.
    pub trivial: Option<bool>,
    /// Values exist only in memory.
    pub address_only: Option<bool>,
    /// Values cannot be copied.
    pub move_only: Option<bool>,
    /// Values must not outlive what they depend on (`~Escapable`).
    pub non_escapable: Option<bool>,
    /// The bits may hold a raw pointer.
    pub holds_pointer: Option<bool>,
    /// Values have lexical lifetimes: they live to the end of their scope. At least one part is non-trivial and its
    /// type is not `@_eagerMove`.
    pub lexical: Option<bool>,
}

impl TypeProperties {
    /// The properties of an unknown type.
    pub const UNKNOWN: Self = Self {
        trivial: None,
        address_only: None,
        move_only: None,
        non_escapable: None,
        holds_pointer: None,
        lexical: None,
    };
    /// The properties of trivial types without pointers.
    pub const TRIVIAL: Self = Self {
        trivial: Some(true),
        address_only: Some(false),
        move_only: Some(false),
        non_escapable: Some(false),
        holds_pointer: Some(false),
        lexical: Some(false),
    };
    /// The properties of a raw pointer.
    pub const POINTER: Self = Self { holds_pointer: Some(true), ..Self::TRIVIAL };
    /// The properties of a reference-counted object reference.
    pub const REFERENCE: Self = Self {
        trivial: Some(false),
        address_only: Some(false),
        move_only: Some(false),
        non_escapable: Some(false),
        holds_pointer: Some(false),
        lexical: Some(true),
    };
    /// The properties of a type of unknown size.
    pub const OPAQUE: Self = Self {
        trivial: Some(false),
        address_only: Some(true),
        move_only: Some(false),
        non_escapable: Some(false),
        holds_pointer: Some(false),
        lexical: Some(true),
    };
    /// The properties of a type that is known only when the program runs, which may be a pointer.
    const PARAMETER: Self = Self { holds_pointer: Some(true), ..Self::OPAQUE };

    /// Returns true if all properties are known.
    fn is_complete(self) -> bool {
        let Self { trivial, address_only, move_only, non_escapable, holds_pointer, lexical } = self;
        [trivial, address_only, move_only, non_escapable, holds_pointer, lexical].iter().all(Option::is_some)
    }

    /// Returns the properties of a value whose type is one of the two.
    fn or(self, other: Self) -> Self {
        fn same(a: Option<bool>, b: Option<bool>) -> Option<bool> {
            if a == b { a } else { None }
        }
        Self {
            trivial: same(self.trivial, other.trivial),
            address_only: same(self.address_only, other.address_only),
            move_only: same(self.move_only, other.move_only),
            non_escapable: same(self.non_escapable, other.non_escapable),
            holds_pointer: same(self.holds_pointer, other.holds_pointer),
            lexical: same(self.lexical, other.lexical),
        }
    }

    /// Returns the properties of a value that contains both.
    fn and(self, other: Self) -> Self {
        Self {
            trivial: all(self.trivial, other.trivial),
            address_only: any(self.address_only, other.address_only),
            move_only: any(self.move_only, other.move_only),
            non_escapable: any(self.non_escapable, other.non_escapable),
            holds_pointer: any(self.holds_pointer, other.holds_pointer),
            lexical: any(self.lexical, other.lexical),
        }
    }
}

/// Two bits a property.
impl Packed for TypeProperties {
    fn pack(self) -> u32 {
        let Self { trivial, address_only, move_only, non_escapable, holds_pointer, lexical } = self;
        let all = [trivial, address_only, move_only, non_escapable, holds_pointer, lexical];
        all.into_iter().fold(0, |bits, property| bits << 2 | property.pack())
    }

    fn unpack(bits: u32) -> Self {
        let property = |at: u32| Option::<bool>::unpack(bits >> (2 * at) & 3);
        Self {
            trivial: property(5),
            address_only: property(4),
            move_only: property(3),
            non_escapable: property(2),
            holds_pointer: property(1),
            lexical: property(0),
        }
    }
}

/// Returns true if only a signature tells what a type stands for.
fn is_dependent(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Param { .. } | TypeKind::Member(..))
}

fn all(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    any(a.map(|v| !v), b.map(|v| !v)).map(|v| !v)
}

fn any(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

impl Declarations {
    /// Returns the properties of `ty`; `sig` gives the constraints on its generic parameters.
    pub fn properties(&self, ty: Type, sig: Option<GenericSig>) -> TypeProperties {
        // A type without parameters has the same properties under all signatures, and so has a type whose parts decide all
        // of them whatever its parameters stand for: `Array<T>`.
        let general = match is_dependent(ty) {
            true => TypeProperties::UNKNOWN,
            false => self.general.get_or_compute(ty, || self.query_properties(ty, None)),
        };
        let Some(sig) = sig.filter(|_| ty.holds_parameter() && !general.is_complete()) else {
            return general;
        };
        self.properties.get_or_compute((ty, sig), || match is_dependent(ty) {
            true => self.parameter(ty, sig),
            false => self.query_properties(ty, Some(sig)),
        })
    }

    fn query_properties(&self, ty: Type, sig: Option<GenericSig>) -> TypeProperties {
        self.ask(TypeProperties::UNKNOWN, |q| q.properties(ty, sig))
    }

    /// Returns the properties of a generic parameter or a dependent member type.
    fn parameter(&self, ty: Type, sig: GenericSig) -> TypeProperties {
        if self.hides_type(sig) {
            return TypeProperties::UNKNOWN;
        }
        let stated = Stated::new(ty.canonical(), sig).of_first_parameter();
        let find = || self.ask(TypeProperties::UNKNOWN, |q| q.bounded(&q.bounds(&stated)));
        let found = self.bounded.get_or_compute(stated.clone(), find);
        // In a body the compiler spells a `T1` that hides an outer `T` as `T`.
        match sig.hidden_by(ty) {
            Some(other) => found.or(self.parameter(other, sig)),
            None => found,
        }
    }

    /// Returns the class from which all types inherit that a generic parameter stands for; `Some(None)` where there is none.
    pub fn superclass_bound(&self, param: Type, sig: GenericSig) -> Option<Option<Type>> {
        self.ask(None, |q| q.superclass_bound(param, sig))
    }

    /// Returns whether copying and destroying values of `ty` are no-ops.
    pub fn is_trivial(&self, ty: Type, sig: Option<GenericSig>) -> Option<bool> {
        self.properties(ty, sig).trivial
    }

    /// Returns whether `ty` is trivial and its values contain no raw pointer.
    pub fn is_trivial_non_pointer(&self, ty: Type, sig: Option<GenericSig>) -> Option<bool> {
        let found = self.properties(ty, sig);
        all(found.trivial, found.holds_pointer.map(|h| !h))
    }

    /// Returns whether values of `ty` exist only in memory.
    pub fn is_address_only(&self, ty: Type, sig: Option<GenericSig>) -> Option<bool> {
        self.properties(ty, sig).address_only
    }

    /// Returns whether `ty` is loadable: its values can be held in registers.
    pub fn is_loadable(&self, ty: Type, sig: Option<GenericSig>) -> Option<bool> {
        self.is_address_only(ty, sig).map(|a| !a)
    }

    /// Returns whether values of `ty` have lexical lifetimes. Values of `@_eagerMove` types do not.
    pub fn is_lexical(&self, ty: Type, sig: Option<GenericSig>) -> Option<bool> {
        self.properties(ty, sig).lexical
    }

    /// Returns whether values of `ty` cannot be copied.
    pub fn is_move_only(&self, ty: Type, sig: Option<GenericSig>) -> Option<bool> {
        self.properties(ty, sig).move_only
    }
}

impl Query<'_> {
    pub(crate) fn properties(&self, ty: Type, sig: Option<GenericSig>) -> TypeProperties {
        let Some(_level) = self.step() else { return TypeProperties::UNKNOWN };
        let sig = sig.filter(|_| ty.holds_parameter());
        if let Some(found) = self.properties.borrow().get(&(ty, sig)) {
            return *found;
        }
        // The properties of a type that contains itself are not known.
        self.properties.borrow_mut().insert((ty, sig), TypeProperties::UNKNOWN);
        let found = self.find_properties(ty, sig);
        self.properties.borrow_mut().insert((ty, sig), found);
        found
    }

    fn find_properties(&self, ty: Type, sig: Option<GenericSig>) -> TypeProperties {
        let inner = |t: Type| self.properties(t, sig);
        match ty.kind() {
            TypeKind::Builtin(name, args) => builtin(*name, || args.last().map(|&t| inner(t))),
            TypeKind::Named(_)
            | TypeKind::Optional(_)
            | TypeKind::ImplicitlyUnwrapped(_)
            | TypeKind::Array(_)
            | TypeKind::Dictionary(..)
            | TypeKind::InlineArray(..) => self.nominal_properties(self.desugared(ty), sig),
            // Many types have the same parameter as a part, so that this is a query of its own.
            TypeKind::Param { .. } | TypeKind::Member(..) => Declarations::properties(self, ty, sig),
            TypeKind::Tuple(elements) => {
                elements.iter().fold(TypeProperties::TRIVIAL, |p, e| p.and(inner(e.ty)))
            }
            TypeKind::Function(f) => match f.convention {
                Convention::Thick | Convention::Block => TypeProperties::REFERENCE,
                _ => TypeProperties::TRIVIAL,
            },
            TypeKind::Metatype(..) | TypeKind::ProtocolMetatype(..) => TypeProperties::TRIVIAL,
            TypeKind::Any(t) if is_metatype(*t) => TypeProperties::TRIVIAL,
            TypeKind::Any(t) => self.existential(*t),
            TypeKind::Composition(_) => self.existential(ty),
            TypeKind::Opened { existential, interface, .. } => match (existential.kind(), interface.kind()) {
                (TypeKind::Any(t), TypeKind::Member(..)) => self.bounded(&self.opened_bounds(*interface, *t)),
                (_, TypeKind::Member(..)) => self.bounded(&self.opened_bounds(*interface, *existential)),
                (TypeKind::Any(t), _) => self.opened(*t),
                _ => self.opened(*existential),
            },
            TypeKind::PackExpansion(pattern) => {
                let is_trivial = inner(*pattern).trivial == Some(true);
                TypeProperties { move_only: None, trivial: Some(is_trivial), ..TypeProperties::PARAMETER }
            }
            TypeKind::OpenedElement { .. } | TypeKind::PackElement(_) => {
                TypeProperties { move_only: None, ..TypeProperties::PARAMETER }
            }
            TypeKind::OpaqueResult { .. } | TypeKind::Some(_) | TypeKind::Unknown | TypeKind::Integer(_) => {
                TypeProperties::UNKNOWN
            }
            TypeKind::Box(_) => TypeProperties::REFERENCE,
            TypeKind::Pack { .. } => TypeProperties::PARAMETER,
            TypeKind::BlockStorage(_) | TypeKind::Storage(RefStorage::Weak, _) => TypeProperties::OPAQUE,
            TypeKind::Storage(RefStorage::Unowned, _) => TypeProperties::REFERENCE,
            TypeKind::Storage(RefStorage::Unmanaged, _) => TypeProperties::TRIVIAL,
            TypeKind::MoveOnly(t) => {
                TypeProperties { trivial: Some(false), move_only: Some(true), ..inner(*t) }
            }
            TypeKind::Paren(t) | TypeKind::DynamicSelf(t) | TypeKind::Attributed(_, t) => inner(*t),
            TypeKind::Inverse(_) => TypeProperties::UNKNOWN,
        }
    }

    fn nominal_properties(&self, ty: Type, sig: Option<GenericSig>) -> TypeProperties {
        let TypeKind::Named(named) = ty.kind() else {
            return self.properties(ty, sig);
        };
        if named.parent.is_none() && matches!(named.name.as_str(), "Any" | "AnyObject") {
            return self.existential(ty);
        }
        let Some(decl) = self.nominal_of(ty) else { return TypeProperties::UNKNOWN };
        let mut found = match decl.kind {
            NominalKind::Class | NominalKind::Actor => {
                let lexical = Some(!decl.flags.contains(DeclFlags::EAGER_MOVE));
                return TypeProperties { lexical, ..TypeProperties::REFERENCE };
            }
            NominalKind::Protocol => return self.existential(ty),
            NominalKind::Struct | NominalKind::Enum if !decl.has_known_layout() => {
                let trivial = self.conforms(ty, Symbol::new("BitwiseCopyable")) == Some(true);
                TypeProperties { trivial: Some(trivial), ..TypeProperties::OPAQUE }
            }
            NominalKind::Struct if decl.flags.contains(DeclFlags::RAW_LAYOUT) => TypeProperties::OPAQUE,
            NominalKind::Struct => decl.body.fields.iter().fold(TypeProperties::TRIVIAL, |p, field| {
                p.and(self.part(self.resolve_in(field.ty, ty), sig))
            }),
            NominalKind::Enum => self.cases(decl, ty, sig),
        };
        found.move_only = self.lacks(decl, ty, sig, "Copyable", |p| p.move_only);
        found.non_escapable = self.lacks(decl, ty, sig, "Escapable", |p| p.non_escapable);
        // A non-copyable value has a lexical lifetime even if its parts have none.
        if decl.flags.intersects(DeclFlags::EAGER_MOVE | DeclFlags::NO_EAGER_MOVE) {
            found.lexical = Some(decl.flags.contains(DeclFlags::NO_EAGER_MOVE));
        } else {
            found.lexical = any(found.lexical, found.move_only);
        }
        // Neither kind of value is trivial: copies and destroys have an effect.
        match any(found.move_only, found.non_escapable) {
            Some(true) => found.trivial = Some(false),
            None if found.trivial == Some(true) => found.trivial = None,
            _ => {}
        }
        found
    }

    /// Returns the properties that a stored property or a payload adds to the enclosing type. The compiler queries
    /// the type of a part without the signature's requirements, so the whole is not trivial even if a part is a
    /// generic parameter with a trivial bound.
    fn part(&self, ty: Type, sig: Option<GenericSig>) -> TypeProperties {
        let mut found = self.properties(ty, sig);
        if is_dependent(ty) && found.trivial == Some(true) && found.address_only == Some(true) {
            found.trivial = Some(false);
        }
        found
    }

    fn cases(&self, decl: &NominalDecl, ty: Type, sig: Option<GenericSig>) -> TypeProperties {
        decl.body.cases.iter().fold(TypeProperties::TRIVIAL, |p, case| match case.payload {
            Some(_) if case.indirect => p.and(TypeProperties::REFERENCE),
            Some(payload) => p.and(self.part(self.resolve_in(payload, ty), sig)),
            None => p,
        })
    }

    /// Returns whether `~Copyable` (or `~Escapable`) is stated, and no conditional conformance restores the
    /// conformance.
    fn lacks(
        &self,
        decl: &NominalDecl,
        ty: Type,
        sig: Option<GenericSig>,
        protocol: &str,
        lacks: fn(TypeProperties) -> Option<bool>,
    ) -> Option<bool> {
        let protocol = Symbol::new(protocol);
        if !is_suppressed(&decl.inherited, protocol) {
            return Some(false);
        }
        let mut answer = Some(true);
        for extension in self.extensions(decl.path) {
            if !extension.inherited.iter().any(|t| self.path_of(*t) == Some(protocol)) {
                continue;
            }
            let mut is_missing = Some(false);
            for r in extension.requirements.iter() {
                // The type has the conformance if all constrained arguments have it.
                if r.kind == RequirementKind::Conforms && self.path_of(r.constraint) == Some(protocol) {
                    let subject = self.resolve_in(r.subject, ty);
                    is_missing = any(is_missing, lacks(self.properties(subject, sig)));
                }
            }
            answer = all(answer, is_missing);
        }
        answer
    }

    fn existential(&self, constraint: Type) -> TypeProperties {
        if self.path_of(constraint).is_some_and(|p| p == "Error") {
            return TypeProperties::REFERENCE;
        }
        let inverse = matches!(constraint.kind(), TypeKind::Inverse(_))
            || matches!(constraint.kind(), TypeKind::Composition(parts) if is_suppressed(parts, Symbol::new("Copyable")));
        match self.is_class_bound(constraint, &mut Vec::new()) {
            Some(true) => TypeProperties::REFERENCE,
            Some(false) => TypeProperties { move_only: Some(inverse), ..TypeProperties::OPAQUE },
            None => TypeProperties { address_only: None, move_only: Some(inverse), ..TypeProperties::OPAQUE },
        }
    }

    fn superclass_bound(&self, param: Type, sig: GenericSig) -> Option<Option<Type>> {
        let bounds = self.bounds(&Stated::new(param.canonical(), sig));
        if bounds.concrete.is_some() || !bounds.is_complete || sig.hidden_by(param).is_some() {
            return None;
        }
        let class = |t: &&Type| self.nominal_of(**t).is_some_and(NominalDecl::is_class);
        Some(bounds.constraints.iter().find(class).copied())
    }

    fn opened(&self, constraint: Type) -> TypeProperties {
        match self.is_class_bound(constraint, &mut Vec::new()) {
            Some(true) => TypeProperties::REFERENCE,
            Some(false) => TypeProperties::PARAMETER,
            None => TypeProperties::UNKNOWN,
        }
    }

    /// Returns whether a protocol, class or composition is class-bound: only references satisfy it.
    ///
    /// Protocols in `seen` were visited before and are skipped.
    fn is_class_bound(&self, constraint: Type, seen: &mut Vec<Symbol>) -> Option<bool> {
        let _level = self.step()?;
        match constraint.kind() {
            TypeKind::Composition(parts) => {
                parts.iter().map(|&t| self.is_class_bound(t, seen)).fold(Some(false), any)
            }
            TypeKind::Inverse(_) => Some(false),
            TypeKind::Any(t) | TypeKind::Paren(t) => self.is_class_bound(*t, seen),
            TypeKind::Named(_) => {
                let path = self.path_of(constraint)?;
                if path == "AnyObject" {
                    return Some(true);
                }
                if matches!(path.as_str(), "Any" | "Sendable" | "Copyable" | "Escapable") {
                    return Some(false);
                }
                let resolved = self.desugared(constraint);
                let Some(decl) = self.nominal_of(resolved) else {
                    return if resolved == constraint { None } else { self.is_class_bound(resolved, seen) };
                };
                if decl.kind != NominalKind::Protocol {
                    return Some(decl.is_class());
                }
                // Objective-C messages are sent to references only.
                if decl.flags.contains(DeclFlags::OBJC) {
                    return Some(true);
                }
                if seen.contains(&decl.path) {
                    return Some(false);
                }
                self.spend(seen.len() / 16)?;
                seen.push(decl.path);
                // `protocol P where Self : C` is class-bound as well.
                let on_self = decl.requirements.iter().filter(|r| {
                    r.kind == RequirementKind::Conforms
                        && self.path_of(r.subject).is_some_and(|p| p == "Self")
                });
                let bounds = decl.inherited.iter().copied().chain(on_self.map(|r| r.constraint));
                bounds.map(|t| self.is_class_bound(t, seen)).fold(Some(false), any)
            }
            _ => None,
        }
    }

    /// Returns the properties of a type that is known only by its constraints.
    fn bounded(&self, bounds: &Bounds) -> TypeProperties {
        if let Some(concrete) = bounds.concrete {
            return self.properties(concrete, None);
        }
        let mut found = match bounds.is_complete {
            true => TypeProperties::PARAMETER,
            false => TypeProperties {
                trivial: None,
                address_only: None,
                lexical: None,
                ..TypeProperties::PARAMETER
            },
        };
        for &constraint in &bounds.constraints {
            match self.layout(constraint) {
                Layout::Reference => return TypeProperties::REFERENCE,
                Layout::Trivial => return TypeProperties::TRIVIAL,
                Layout::Bits => found.trivial = Some(true),
                Layout::MoveOnly => found.move_only = Some(true),
                Layout::NonEscapable => found.non_escapable = Some(true),
                Layout::Any => {}
            }
        }
        if found.move_only == Some(true) || found.non_escapable == Some(true) {
            found.trivial = Some(false);
        }
        found
    }

    fn layout(&self, constraint: Type) -> Layout {
        if let TypeKind::Composition(parts) = constraint.kind() {
            let all: Vec<_> = parts.iter().map(|&t| self.layout(t)).collect();
            return all.iter().copied().find(|l| *l != Layout::Any).unwrap_or(Layout::Any);
        }
        if let TypeKind::Inverse(t) = constraint.kind() {
            return match self.path_of(*t).map_or("", Symbol::as_str) {
                "Copyable" => Layout::MoveOnly,
                "Escapable" => Layout::NonEscapable,
                _ => Layout::Any,
            };
        }
        let path = self.path_of(constraint).map_or("", Symbol::as_str);
        match path.split('(').next().unwrap_or_default() {
            "_Trivial" | "_TrivialAtMost" => Layout::Trivial,
            "BitwiseCopyable" | "_BitwiseCopyable" | "_TrivialStride" => Layout::Bits,
            "_RefCountedObject" | "_NativeRefCountedObject" | "_Class" | "_NativeClass" | "_BridgeObject" => {
                Layout::Reference
            }
            _ if self.is_class_bound(constraint, &mut Vec::new()) == Some(true) => Layout::Reference,
            _ if self.conforms(constraint, Symbol::new("BitwiseCopyable")) == Some(true) => Layout::Bits,
            _ => Layout::Any,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Any,
    Reference,
    Trivial,
    Bits,
    MoveOnly,
    NonEscapable,
}

fn is_metatype(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Metatype(..) => true,
        TypeKind::Paren(t) => is_metatype(*t),
        _ => false,
    }
}

fn builtin(name: Symbol, element: impl FnOnce() -> Option<TypeProperties>) -> TypeProperties {
    match name.as_str() {
        "NativeObject" | "UnknownObject" | "BridgeObject" | "AnyObject" | "ImplicitActor" => {
            TypeProperties::REFERENCE
        }
        "RawPointer" => TypeProperties::POINTER,
        "UnsafeValueBuffer" => TypeProperties::OPAQUE,
        "DefaultActorStorage" | "NonDefaultDistributedActorStorage" => TypeProperties::UNKNOWN,
        "FixedArray" => element().unwrap_or(TypeProperties::UNKNOWN),
        _ => TypeProperties::TRIVIAL,
    }
}

#[cfg(test)]
mod tests {
    use super::{Packed, TypeProperties};

    #[test]
    fn packed_properties_are_read_back() {
        let answers = [None, Some(false), Some(true)];
        for at in 0..6 {
            for answer in answers {
                let mut of = answers.map(|other| [other; 6]);
                of.iter_mut().for_each(|of| of[at] = answer);
                for [trivial, address_only, move_only, non_escapable, holds_pointer, lexical] in of {
                    let found = TypeProperties {
                        trivial,
                        address_only,
                        move_only,
                        non_escapable,
                        holds_pointer,
                        lexical,
                    };
                    assert_eq!(TypeProperties::unpack(found.pack()), found);
                }
            }
        }
    }
}
