//! Conformances that Swift declarations state: the type declares what the protocol requires.

use super::declarations::report;
use crate::context::ModuleVerifier;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_diag::RuleId;
use silkit_text::decl::member_signature;
use silkit_types::decl::{
    Accessors, AssociatedType, DeclBody, DeclEntry, DeclFlags, MAX_SUPERCLASSES, Member, MemberKind,
    NominalDecl, NominalKind,
};
use silkit_types::{Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&REQUIREMENT_IS_WITNESSED];

static REQUIREMENT_IS_WITNESSED: Rule = Rule {
    id: RuleId::new("SIL0645"),
    name: "RequirementIsWitnessed",
    summary: "A type declares what the protocols require that it conforms to, and conforms to each once",
    details: "\
A method, property, initializer or associated type of the protocol has a counterpart in the type, in one of its
extensions or superclasses, or in an extension of a protocol. A protocol that requires `AnyObject` or a
class is for classes. Nothing is reported of protocols of other modules, nor of what a compiler printed.",
    failing: "\
protocol P {
  func m()
}
struct S : P {
}
",
    corrected: "\
protocol P {
  func m()
}
struct S : P {
  func m()
}
",
    check: Check::Module(requirement_is_witnessed),
};

fn requirement_is_witnessed(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    if own.is_printed_by_compiler {
        return;
    }
    let defaults = Defaults::new(cx);
    for (path, entry) in own.entries() {
        let Some(decl) = entry.nominal.as_ref() else { continue };
        if decl.kind == NominalKind::Protocol || decl.flags.contains(DeclFlags::AMBIGUOUS) {
            continue;
        }
        if let Some(protocol) = conforms_twice(entry, decl) {
            let message = format!("`{path}` states its conformance to `{protocol}` twice");
            report(cx, &REQUIREMENT_IS_WITNESSED, decl.name, message);
        }
        let conforming = Conforming { cx, text: cx.swift_text(), defaults: &defaults, entry, decl };
        if let Some(message) = conforming.violation() {
            report(cx, &REQUIREMENT_IS_WITNESSED, decl.name, format!("`{path}` {message}"));
        }
    }
}

/// Returns a protocol that a type and one of its unconstrained extensions, or two of these, conform to.
fn conforms_twice(entry: &DeclEntry, decl: &NominalDecl) -> Option<Type> {
    let mut seen: Vec<Type> = decl.inherited.to_vec();
    for extension in &entry.extensions {
        if let Some(again) = extension.inherited.iter().find(|ty| seen.contains(ty)) {
            return Some(*again);
        }
        seen.extend(extension.inherited.iter().filter(|_| extension.requirements.is_empty()));
    }
    None
}

/// The members that extensions of protocols and of types of other modules declare: possible default implementations.
struct Defaults<'a> {
    members: FxHashMap<Symbol, Vec<&'a Member>>,
    aliases: FxHashSet<Symbol>,
}

impl<'a> Defaults<'a> {
    fn new(cx: &'a ModuleVerifier<'a>) -> Self {
        let mut found = Self { members: FxHashMap::default(), aliases: FxHashSet::default() };
        for (_, entry) in cx.declarations.own().entries() {
            if entry.nominal.as_ref().is_some_and(|decl| decl.kind != NominalKind::Protocol) {
                continue;
            }
            for body in entry.extensions.iter().map(|extension| &extension.body) {
                body.members
                    .iter()
                    .for_each(|member| found.members.entry(member.name).or_default().push(member));
                found.aliases.extend(body.aliases.iter().map(|alias| alias.name));
            }
        }
        found
    }
}

/// A type of the file whose conformances are checked.
struct Conforming<'a> {
    cx: &'a ModuleVerifier<'a>,
    text: &'a str,
    defaults: &'a Defaults<'a>,
    entry: &'a DeclEntry,
    decl: &'a NominalDecl,
}

impl<'a> Conforming<'a> {
    fn violation(&self) -> Option<String> {
        let bodies = self.bodies()?;
        let of_extensions = self.entry.extensions.iter().flat_map(|e| &*e.inherited);
        let mut work: Vec<Type> = self.decl.inherited.iter().chain(of_extensions).copied().collect();
        let mut seen: Vec<Symbol> = Vec::new();
        while let Some(ty) = work.pop() {
            let Some(protocol) = self.protocol(ty).filter(|protocol| !seen.contains(&protocol.path)) else {
                continue;
            };
            seen.push(protocol.path);
            work.extend(&protocol.inherited);
            if let Some(message) = self.of_kind(protocol) {
                return Some(message);
            }
            let missing = protocol.body.members.iter().find_map(|required| {
                let name = self.lacks(required, protocol, &bodies)?;
                Some(format!("conforms to `{}`, but does not declare {name}", protocol.name))
            });
            let untyped = || {
                let associated = protocol.body.associated.iter();
                let lacks =
                    associated.into_iter().find(|required| self.lacks_type(required, protocol, &bodies))?;
                Some(format!(
                    "conforms to `{}`, but does not declare the type `{}`",
                    protocol.name, lacks.name
                ))
            };
            if let Some(message) = missing.or_else(untyped) {
                return Some(message);
            }
        }
        None
    }

    /// Returns a protocol of the file whose requirements Swift code implements.
    fn protocol(&self, ty: Type) -> Option<&'a NominalDecl> {
        let decl = self.cx.declarations.own_nominal_of(ty)?;
        let is_plain = decl.kind == NominalKind::Protocol
            && !decl.flags.intersects(DeclFlags::AMBIGUOUS | DeclFlags::OBJC | DeclFlags::MARKER);
        is_plain.then_some(decl)
    }

    /// Returns the bodies that may declare members of the type; `None` if a superclass is not of the file.
    fn bodies(&self) -> Option<Vec<&'a DeclBody>> {
        let own = self.cx.declarations.own();
        let mut found = Vec::new();
        let mut add = |entry: &'a DeclEntry| {
            found.extend(entry.nominal.iter().map(|decl| &decl.body));
            found.extend(entry.extensions.iter().map(|extension| &extension.body));
        };
        add(self.entry);
        if self.decl.is_class() {
            let mut class = Type::nominal(self.decl.path.as_str());
            for _ in 0..MAX_SUPERCLASSES {
                let Some(superclass) = self.cx.declarations.known_superclass(class)? else { break };
                add(own.get(self.cx.declarations.path_of(superclass)?)?);
                class = superclass;
            }
        }
        Some(found)
    }

    /// Returns an error about a value type that conforms to a protocol of classes, or one that requires `Copyable`.
    fn of_kind(&self, protocol: &NominalDecl) -> Option<String> {
        let requires_class = protocol
            .inherited
            .iter()
            .any(|ty| matches!(ty.kind(), TypeKind::Named(n) if n.parent.is_none() && n.name == "AnyObject"));
        if requires_class && !self.decl.is_class() {
            return Some(format!("is not a class, which `{}` requires", protocol.name));
        }
        let superclass = protocol.inherited.iter().find_map(|&ty| {
            let above = self.cx.declarations.own_nominal_of(ty)?;
            above.is_class().then_some(above)
        });
        if let Some(superclass) = superclass {
            let mut class = Type::nominal(self.decl.path.as_str());
            for _ in 0..MAX_SUPERCLASSES {
                if self.cx.declarations.path_of(class) == Some(superclass.path) {
                    return None;
                }
                match self.cx.declarations.known_superclass(class) {
                    Some(Some(above)) if self.decl.is_class() => class = above,
                    None if self.decl.is_class() => return None,
                    _ => break,
                }
            }
            return Some(format!(
                "does not inherit from `{}`, which `{}` requires",
                superclass.name, protocol.name
            ));
        }
        let suppresses = |decl: &NominalDecl| decl.inherited.iter().any(|ty| ty.suppresses_copying());
        (suppresses(self.decl) && !suppresses(protocol) && protocol.inherited.is_empty())
            .then(|| format!("is not copyable, which `{}` requires", protocol.name))
    }

    /// Returns the name of a requirement that no body meets.
    fn lacks(&self, required: &Member, protocol: &NominalDecl, bodies: &[&DeclBody]) -> Option<String> {
        let name = required.name;
        let is_property = required.kind == MemberKind::Property;
        // An operator may be a function of the file.
        let is_operator = !name.as_str().starts_with(|c: char| c.is_alphabetic() || c == '_');
        if is_operator {
            return None;
        }
        if !is_property
            && !matches!(
                required.kind,
                MemberKind::Function | MemberKind::Initializer | MemberKind::Subscript
            )
        {
            return None;
        }
        let label = || match required.kind {
            MemberKind::Property => format!("the property `{name}`"),
            MemberKind::Function => format!("the method `{name}`"),
            _ => format!("`{name}`"),
        };
        let fields: Vec<_> = bodies.iter().flat_map(|body| body.fields.all_named(name)).collect();
        let has_case = bodies.iter().any(|body| body.cases.iter().any(|case| case.name == name));
        let defaults = self.defaults.members.get(&name).into_iter().flatten().copied();
        let members: Vec<&Member> =
            bodies.iter().flat_map(|body| body.members.all_named(name)).chain(defaults).collect();
        if fields.is_empty() && members.is_empty() && !has_case {
            if required.kind == MemberKind::Initializer {
                return if self.has_implicit_init(required) { None } else { Some(label()) };
            }
            return Some(label());
        }
        // `Self`, associated types and generic parameters stand for other types in the type.
        let is_plain =
            protocol.body.associated.is_empty() && protocol.inherited.is_empty() && self.decl.sig.is_none();
        if has_case || !is_plain {
            return None;
        }
        if is_property {
            let sets = required.accessors.contains(Accessors::SET);
            let is_let = |flags: DeclFlags| flags.contains(DeclFlags::LET);
            let fits_field = fields.iter().any(|field| !(sets && is_let(field.flags)));
            let is_static = required.flags.contains(DeclFlags::STATIC);
            let fits_member = |member: &&Member| {
                let changes = !is_let(member.flags) && (member.accessors != Accessors::GET);
                member.kind == MemberKind::Property
                    && member.flags.contains(DeclFlags::STATIC) == is_static
                    && (!sets || changes)
            };
            let is_met = fits_field && !is_static || members.iter().any(fits_member);
            return (!is_met).then(label);
        }
        let is_met = members.iter().any(|member| self.may_witness(member, required));
        (!is_met).then(label)
    }

    /// Returns false if a member surely does not meet a requirement with its name.
    fn may_witness(&self, member: &Member, required: &Member) -> bool {
        if member.kind != required.kind {
            return member.kind == MemberKind::Property;
        }
        let is_static = |member: &Member| member.flags.contains(DeclFlags::STATIC);
        if is_static(member) != is_static(required) {
            return false;
        }
        let signature = |member: &Member| member_signature(self.text, member.signature);
        let (Some(found), Some(wanted)) = (signature(member), signature(required)) else { return true };
        if found.sig.is_some() || wanted.sig.is_some() {
            return true;
        }
        let differ = |a: Type, b: Type| {
            let is_named =
                |ty: Type| matches!(ty.kind(), TypeKind::Named(n) if n.name != "Self" && n.args.is_empty());
            is_named(a) && is_named(b) && self.cx.declarations.same_type(a, b, None) == Some(false)
        };
        let params = found.params.iter().zip(&wanted.params);
        found.params.len() == wanted.params.len()
            && params.clone().all(|(a, b)| a.0 == b.0 && !differ(a.1, b.1))
            && found.result.is_some() == wanted.result.is_some()
            && !found.result.zip(wanted.result).is_some_and(|(a, b)| differ(a, b))
    }

    /// Returns true if the type may have an initializer that it does not declare, with the labels that are required.
    fn has_implicit_init(&self, required: &Member) -> bool {
        let Some(signature) = member_signature(self.text, required.signature) else { return true };
        match self.decl.kind {
            NominalKind::Struct => {
                let count = signature.params.len();
                count == 0 || count == self.decl.body.fields.len()
            }
            NominalKind::Enum => self.decl.inherited.iter().any(|&ty| self.protocol(ty).is_none()),
            _ => signature.params.is_empty(),
        }
    }

    /// Returns true if the type surely does not say what an associated type is.
    fn lacks_type(&self, required: &AssociatedType, protocol: &NominalDecl, bodies: &[&DeclBody]) -> bool {
        let name = required.name;
        let is_named = |text: &str| {
            text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name.as_str())
        };
        // A witness of a requirement that names the type tells what it is.
        let mentions = |member: &Member| {
            let is_named_there = self.text.get(member.signature.as_usize()).is_none_or(is_named);
            is_named_there || member.ty.is_some_and(|ty| is_named(&ty.to_string()))
        };
        let own = self.cx.declarations.own();
        let is_param = self.decl.sig.is_some_and(|sig| sig.data().params.iter().any(|p| p.name == name));
        let nested = Symbol::new(&format!("{}.{name}", self.decl.path));
        let declares = |body: &&DeclBody| body.alias(name).is_some();
        let is_elsewhere = protocol
            .inherited
            .iter()
            .any(|ty| self.protocol(*ty).is_none_or(|p| !p.body.associated.is_empty()));
        required.default.is_none()
            && required.requirements.is_empty()
            && protocol.requirements.is_empty()
            && !is_elsewhere
            && !is_param
            && own.get(nested).is_none()
            && !bodies.iter().any(declares)
            && !self.defaults.aliases.contains(&name)
            && !protocol.body.members.iter().any(mentions)
            && !self.decl.is_class()
    }
}
