//! What a constraint states about the constrained type: the protocols that it inherits from, and the requirements on
//! `Self` and the associated types.
//!
//! All of it follows from the declaration of the constraint. It is computed once, with a placeholder for the constrained
//! type.

use super::dependent::{is_layout, members, root};
use super::model::{NominalDecl, NominalKind};
use super::query::{Declarations, join};
use crate::kind::{NamedType, Type, TypeKind};
use crate::{GenericSig, Requirement, RequirementKind};
use silkit_base::{FxHashSet, Symbol};
use std::sync::{Arc, LazyLock};

/// The placeholder for the constrained type. It differs from `Self` as a declaration spells it.
pub(super) static CONSTRAINED: LazyLock<Type> = LazyLock::new(|| {
    Type::new(TypeKind::Param { name: Symbol::new("Self"), depth: u16::MAX, index: u16::MAX })
});

/// The meaning of a constraint.
#[derive(Debug)]
pub(super) enum Meaning {
    /// All of several constraints.
    All(Box<[Type]>),
    /// A constraint from which no other one follows.
    Single(Type),
    /// A protocol.
    Protocol(ProtocolMeaning),
    /// A name without a known nominal declaration. It may be an alias.
    Undeclared(Type),
    /// A type that cannot name a constraint.
    Unnamed,
}

/// The meaning of the conformance to a protocol.
#[derive(Debug)]
pub(super) struct ProtocolMeaning {
    /// The protocol without arguments.
    pub(super) plain: Type,
    /// The path of the declaration.
    pub(super) path: Symbol,
    /// The primary associated types.
    pub(super) primary: Option<GenericSig>,
    /// The inherited constraints.
    pub(super) inherited: Box<[Type]>,
    /// The requirements on the constrained type and its members, in order.
    pub(super) implied: Box<[Implied]>,
}

/// A requirement of a protocol, with a base type in place of `Self`.
#[derive(Debug)]
pub(super) struct Implied {
    /// The constrained type; `None` if a name in it is not known.
    pub(super) subject: Option<Type>,
    /// The number of members after the root of the subject.
    pub(super) members: usize,
    /// True if the subject is the base or a dependent member of it.
    pub(super) is_of_base: bool,
    /// True if the constraint is a type that the subject is equal to.
    pub(super) is_same_type: bool,
    /// The constraint as spelled, or the equal type; `None` if a name in the equal type is not known.
    pub(super) constraint: Option<Type>,
}

impl Implied {
    fn new(subject: Option<Type>, base: Type, is_same_type: bool, constraint: Option<Type>) -> Self {
        Self {
            subject,
            members: subject.map_or(0, members),
            is_of_base: subject.is_some_and(|subject| root(subject) == root(base)),
            is_same_type,
            constraint,
        }
    }
}

impl Declarations {
    /// Returns the meaning of a constraint, cached by the constraint.
    pub(super) fn meaning(&self, constraint: Type) -> Arc<Meaning> {
        self.meanings.get_or_compute(constraint, || Arc::new(self.find_meaning(constraint)))
    }

    fn find_meaning(&self, constraint: Type) -> Meaning {
        let plain = match constraint.kind() {
            TypeKind::Composition(parts) => return Meaning::All(parts.clone()),
            TypeKind::Any(inner) | TypeKind::Paren(inner) => return Meaning::All([*inner].into()),
            TypeKind::Inverse(_) => return Meaning::Single(constraint),
            TypeKind::Named(n) if !n.args.is_empty() => Type::named(n.parent, n.name, Box::new([])),
            _ => constraint,
        };
        let Some(path) = self.path_of(plain) else { return Meaning::Unnamed };
        if is_layout(path) || matches!(path.as_str(), "Any" | "AnyObject") {
            return Meaning::Single(plain);
        }
        match self.nominal_at(path) {
            None => Meaning::Undeclared(plain),
            Some(decl) if decl.kind != NominalKind::Protocol => Meaning::Single(plain),
            Some(decl) => {
                // A protocol without `Copyable` does not suppress `Copyable` for the conforming types.
                let inherited = decl.inherited.iter().filter(|t| !matches!(t.kind(), TypeKind::Inverse(_)));
                Meaning::Protocol(ProtocolMeaning {
                    plain,
                    path,
                    primary: decl.sig,
                    inherited: inherited.copied().collect(),
                    implied: self.implied(decl, *CONSTRAINED).into(),
                })
            }
        }
    }

    /// Returns the requirements of a protocol on its associated types and on `Self`, with `base` in place of `Self`.
    pub(super) fn implied(&self, decl: &NominalDecl, base: Type) -> Vec<Implied> {
        let mut implied = Vec::new();
        implied.extend(decl.requirements.iter().map(|r| self.seen_requirement(base, decl, r)));
        for associated in &decl.body.associated {
            implied.extend(associated.requirements.iter().map(|r| self.seen_requirement(base, decl, r)));
            let member = Type::new(TypeKind::Member(base, associated.name));
            let inherited = associated.inherited.iter();
            implied.extend(inherited.map(|&t| Implied::new(Some(member), base, false, Some(t))));
        }
        implied
    }

    fn seen_requirement(&self, base: Type, decl: &NominalDecl, requirement: &Requirement) -> Implied {
        let subject = self.seen_from(base, decl, requirement.subject);
        let is_same_type = requirement.kind == RequirementKind::SameType;
        let constraint = match is_same_type {
            true => self.seen_from(base, decl, requirement.constraint),
            false => Some(requirement.constraint),
        };
        Implied::new(subject, base, is_same_type, constraint)
    }

    /// Returns a type that is spelled in a protocol, with `subject` in place of `Self`.
    fn seen_from(&self, subject: Type, decl: &NominalDecl, ty: Type) -> Option<Type> {
        match ty.kind() {
            TypeKind::Named(NamedType { parent: None, name, args }) if args.is_empty() => {
                if *name == "Self" {
                    return Some(subject);
                }
                if self.has_associated(decl.path, *name) {
                    return Some(Type::new(TypeKind::Member(subject, *name)));
                }
                self.nominal_at(*name).map(|_| ty)
            }
            TypeKind::Param { name, .. } if *name == "Self" => Some(subject),
            TypeKind::Named(NamedType { parent: Some(parent), name, args }) if args.is_empty() => {
                let base = self.seen_from(subject, decl, *parent)?;
                match super::dependent::is_root(root(base)) {
                    true => Some(Type::new(TypeKind::Member(base, *name))),
                    false => self.nominal_at(join(self.path_of(base)?, *name)).map(|_| ty),
                }
            }
            TypeKind::Member(parent, name) => {
                Some(Type::new(TypeKind::Member(self.seen_from(subject, decl, *parent)?, *name)))
            }
            _ => {
                let mut is_known = true;
                let found = ty.map(&mut |part| {
                    self.seen_from(subject, decl, part).unwrap_or_else(|| {
                        is_known = false;
                        part
                    })
                });
                is_known.then_some(found)
            }
        }
    }

    /// Returns true if a protocol or one that it inherits from has an associated type of this name.
    fn has_associated(&self, protocol: Symbol, name: Symbol) -> bool {
        let mut seen = FxHashSet::from_iter([protocol]);
        let mut work = vec![protocol];
        while let Some(decl) = work.pop().map(|path| self.nominal_at(path)) {
            let Some(decl) = decl else { continue };
            if decl.body.associated.iter().any(|a| a.name == name) {
                return true;
            }
            let inherited = decl.inherited.iter().filter_map(|&t| self.path_of(t));
            work.extend(inherited.filter(|&path| seen.insert(path)));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::{CONSTRAINED, Implied, Meaning};
    use crate::decl::dependent::{Stated, with_parameter};
    use crate::decl::{
        AccessLevel, AssociatedType, DeclBody, DeclFlags, DeclTable, Declarations, NominalDecl, NominalKind,
        TypeProperties,
    };
    use crate::kind::{Type, TypeKind};
    use crate::{GenericParamDecl, GenericSig, Requirement, RequirementKind, SigData};
    use silkit_base::{Symbol, TextRange};

    fn named(name: &str) -> Type {
        Type::nominal(name)
    }

    fn member(base: Type, name: &str) -> Type {
        Type::new(TypeKind::Member(base, Symbol::new(name)))
    }

    /// Returns the type `A.B` as a declaration spells it.
    fn spelled(base: Type, name: &str) -> Type {
        Type::named(Some(base), Symbol::new(name), [].into())
    }

    fn array_of(ty: Type) -> Type {
        Type::named(None, Symbol::new("Array"), [ty].into())
    }

    fn requirement(kind: RequirementKind, subject: Type, constraint: Type) -> Requirement {
        Requirement { kind, depth: 0, is_repeat: false, subject, constraint }
    }

    fn conforms(subject: Type, constraint: Type) -> Requirement {
        requirement(RequirementKind::Conforms, subject, constraint)
    }

    fn same(subject: Type, constraint: Type) -> Requirement {
        requirement(RequirementKind::SameType, subject, constraint)
    }

    fn associated(name: &str, inherited: &[Type], requirements: &[Requirement]) -> AssociatedType {
        let default = inherited.is_empty().then(|| named("Int"));
        AssociatedType {
            name: Symbol::new(name),
            inherited: inherited.into(),
            default,
            requirements: requirements.into(),
        }
    }

    fn nominal(kind: NominalKind, name: &str, inherited: &[Type]) -> NominalDecl {
        NominalDecl {
            path: Symbol::new(name),
            name: Symbol::new(name.rsplit('.').next().unwrap_or(name)),
            kind,
            access: AccessLevel::Public,
            flags: DeclFlags::empty(),
            sig: None,
            inherited: inherited.into(),
            isolated: [].into(),
            requirements: [].into(),
            body: DeclBody::default(),
            range: TextRange::default(),
        }
    }

    fn protocol(
        name: &str,
        inherited: &[Type],
        requirements: &[Requirement],
        associated: Vec<AssociatedType>,
    ) -> NominalDecl {
        let body = DeclBody { associated, ..DeclBody::default() };
        NominalDecl {
            requirements: requirements.into(),
            body,
            ..nominal(NominalKind::Protocol, name, inherited)
        }
    }

    fn params(names: &[&str]) -> GenericSig {
        let param = |(index, name): (usize, &&str)| GenericParamDecl {
            name: Symbol::new(name),
            depth: 0,
            index: index as u16,
            is_pack: false,
            value_type: None,
            bound: None,
            attribute: None,
        };
        GenericSig::new(SigData {
            params: names.iter().enumerate().map(param).collect(),
            requirements: [].into(),
        })
    }

    /// Protocols as in the standard library, and some with unusual requirements.
    fn declarations() -> Declarations {
        let this = Type::new(TypeKind::Param { name: Symbol::new("Self"), depth: 0, index: 0 });
        let element = named("Element");
        let mut table = DeclTable::new();
        for (kind, name) in [
            (NominalKind::Struct, "Int"),
            (NominalKind::Struct, "Array"),
            (NominalKind::Struct, "Array.Element"),
            (NominalKind::Class, "Class"),
            (NominalKind::Protocol, "Equal"),
        ] {
            table.add_nominal(nominal(kind, name, &[]));
        }
        let mut sequence = protocol(
            "Sequence",
            &[named("Base"), Type::new(TypeKind::Inverse(named("Copyable")))],
            &[],
            vec![
                associated("Element", &[], &[]),
                associated(
                    "Iterator",
                    &[named("IteratorProtocol")],
                    &[same(spelled(named("Iterator"), "Element"), element)],
                ),
            ],
        );
        sequence.sig = Some(params(&["Element"]));
        table.add_nominal(sequence);
        table.add_nominal(protocol("Base", &[], &[], Vec::new()));
        let elements = vec![associated("Element", &[named("Equal")], &[])];
        table.add_nominal(protocol("IteratorProtocol", &[], &[], elements));
        table.add_nominal(protocol(
            "Collection",
            &[named("Sequence")],
            &[conforms(named("Self"), named("Equal")), conforms(spelled(this, "Element"), named("Base"))],
            vec![
                associated(
                    "Slice",
                    &[named("Collection")],
                    &[same(spelled(named("Slice"), "Slice"), named("Slice"))],
                ),
                associated("Index", &[], &[same(named("Index"), member(this, "Place"))]),
                associated("Place", &[named("Hidden"), named("Base")], &[]),
            ],
        ));
        // A cycle of inheritance and of associated types.
        let inner = vec![associated("Inner", &[named("Cycle")], &[same(named("Inner"), named("Self"))])];
        table.add_nominal(protocol("Cycle", &[named("Other")], &[], inner));
        table.add_nominal(protocol(
            "Other",
            &[named("Cycle")],
            &[conforms(this, named("Class"))],
            Vec::new(),
        ));
        table.add_nominal(protocol(
            "Odd",
            &[],
            &[
                same(spelled(array_of(this), "Element"), element),
                same(named("Inside"), array_of(spelled(this, "Inside"))),
                same(named("Inside"), array_of(named("Undeclared"))),
                conforms(named("Undeclared"), named("Equal")),
                conforms(named("Int"), named("Equal")),
                conforms(Type::tuple(&[this, named("Inside")]), named("Equal")),
            ],
            vec![associated("Inside", &[], &[])],
        ));
        Declarations::new(table, Vec::new())
    }

    const PROTOCOLS: [&str; 8] =
        ["Base", "Sequence", "IteratorProtocol", "Collection", "Cycle", "Other", "Odd", "Equal"];

    #[test]
    fn requirements_with_a_placeholder_are_those_of_each_subject() {
        let decls = declarations();
        let param = Type::param(0, 0);
        let subjects = [
            param,
            Type::param(1, 2),
            named("Self"),
            member(param, "Element"),
            member(member(named("Self"), "Slice"), "Element"),
        ];
        let mut compared = 0;
        for name in PROTOCOLS {
            let Meaning::Protocol(meaning) = &*decls.meaning(named(name)) else {
                panic!("{name} is a protocol")
            };
            let decl = decls.nominal_at(meaning.path).expect("declared");
            for subject in subjects {
                let direct = decls.implied(decl, subject);
                assert_eq!(direct.len(), meaning.implied.len());
                let with_subject = |ty: Type| with_parameter(ty, *CONSTRAINED, subject);
                for (one, other) in direct.iter().zip(&meaning.implied) {
                    let Implied { subject: constrained, members, is_of_base, is_same_type, constraint } =
                        *other;
                    let more = if is_of_base { super::members(subject) } else { 0 };
                    assert_eq!(one.subject, constrained.map(with_subject), "{name}");
                    assert_eq!((one.members, one.is_same_type), (members + more, is_same_type), "{name}");
                    assert_eq!(one.constraint, constraint.map(with_subject), "{name}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 80, "{compared}");
    }

    /// Returns the constraints on a type, its concrete type, and whether they are complete, for a signature
    /// `<T where T : constraint>`.
    fn bounds(decls: &Declarations, subject: Type, constraint: Type) -> (Vec<String>, Option<Type>, bool) {
        let sig = SigData {
            params: params(&["T"]).data().params.clone(),
            requirements: [conforms(Type::param(0, 0), constraint)].into(),
        };
        let stated = Stated::new(subject, GenericSig::new(sig));
        let found = decls.ask(None, |q| Some(q.bounds(&stated))).expect("within the budget");
        let mut constraints: Vec<_> = found.constraints.iter().map(ToString::to_string).collect();
        constraints.sort();
        (constraints, found.concrete, found.is_complete)
    }

    #[test]
    fn constraints_follow_from_protocols() {
        let decls = declarations();
        let t = Type::param(0, 0);
        let all = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let found = |subject, name: &str| bounds(&decls, subject, named(name));
        // Inherited protocols; an inherited `~Copyable` does not hold for the conforming type.
        assert_eq!(found(t, "Sequence"), (all(&["Base", "Sequence"]), None, true));
        assert_eq!(found(t, "Collection"), (all(&["Base", "Collection", "Equal", "Sequence"]), None, true));
        // The iterator states more about the element, which is the same type.
        assert_eq!(found(member(t, "Element"), "Sequence"), (all(&["Equal"]), None, true));
        assert_eq!(found(member(t, "Element"), "Collection"), (all(&["Base", "Equal"]), None, true));
        let slice = found(member(member(t, "Slice"), "Slice"), "Collection");
        assert_eq!(slice, (all(&["Base", "Collection", "Equal", "Sequence"]), None, true));
        // A protocol that is not known leaves the constraints open, also those of an equal type.
        assert_eq!(found(member(t, "Index"), "Collection"), (all(&["Base"]), None, false));
        assert_eq!(found(t, "Hidden"), (all(&[]), None, false));
        for subject in [t, member(t, "Inner"), member(member(t, "Inner"), "Inner")] {
            assert_eq!(found(subject, "Cycle").0, all(&["Class", "Cycle", "Other"]), "{subject}");
        }
        // A type that is not known is constrained.
        assert!(!found(t, "Odd").2);
        let both = Type::new(TypeKind::Any(Type::new(TypeKind::Composition(
            [named("Equal"), named("Class")].into(),
        ))));
        assert_eq!(bounds(&decls, t, both), (all(&["Class", "Equal"]), None, true));
    }

    #[test]
    fn members_of_equal_types_are_equal() {
        let decls = declarations();
        let (t, u) = (Type::param(0, 0), Type::param(0, 1));
        let of_int = Type::named(None, Symbol::new("Sequence"), [named("Int")].into());
        let slice = member(t, "Slice");
        let requirements = [conforms(t, named("Base")), same(slice, u), conforms(u, of_int)].into();
        let params = params(&["T", "U"]).data().params.clone();
        let sig = GenericSig::new(SigData { params, requirements });
        let concrete = |subject| {
            let stated = Stated::new(subject, sig);
            decls.ask(None, |q| q.bounds(&stated).concrete)
        };
        assert_eq!(concrete(member(slice, "Element")), Some(named("Int")));
        assert_eq!(concrete(member(member(slice, "Iterator"), "Element")), Some(named("Int")));
        assert_eq!(concrete(slice), None);
    }

    #[test]
    fn arguments_state_the_primary_associated_types() {
        let decls = declarations();
        let of_int = Type::named(None, Symbol::new("Sequence"), [named("Int")].into());
        let t = Type::param(0, 0);
        assert_eq!(bounds(&decls, member(t, "Element"), of_int).1, Some(named("Int")));
        assert_eq!(bounds(&decls, member(member(t, "Iterator"), "Element"), of_int).1, Some(named("Int")));
        let of_opened = |name, constraint| {
            decls.ask(None, |q| q.opened_bounds(member(named("Self"), name), constraint).concrete)
        };
        assert_eq!(of_opened("Element", of_int), Some(named("Int")));
        assert_eq!(of_opened("Element", named("Sequence")), None);
    }

    #[test]
    fn properties_are_those_of_the_bounds() {
        let decls = declarations();
        let sig = |constraint| {
            let requirements = [conforms(Type::param(0, 0), constraint)].into();
            Some(GenericSig::new(SigData { params: params(&["T"]).data().params.clone(), requirements }))
        };
        let t = Type::param(0, 0);
        // The second answer comes from the caches.
        for _ in 0..2 {
            assert_eq!(decls.properties(t, sig(named("Cycle"))), TypeProperties::REFERENCE);
            assert_eq!(decls.properties(t, sig(named("Equal"))).address_only, Some(true));
            assert_eq!(decls.properties(t, None), TypeProperties::UNKNOWN);
            assert_eq!(decls.properties(Type::tuple(&[t, t]), None), TypeProperties::UNKNOWN);
            assert_eq!(
                decls.properties(Type::tuple(&[t, t]), sig(named("Cycle"))),
                TypeProperties::REFERENCE
            );
            assert_eq!(decls.properties(named("Int"), sig(named("Cycle"))), TypeProperties::TRIVIAL);
            assert_eq!(decls.properties(named("Class"), None), TypeProperties::REFERENCE);
        }
    }
}
