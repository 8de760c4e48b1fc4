//! Conformances that Swift declarations state: the type declares what the protocol requires.

use super::associated::{Binding, Bindings};
use super::declarations::report;
use super::library_protocols;
use super::seen_from::{labels_match, mentions, self_type};
use super::witness_fit::{Candidate, Fit, Witness};
use crate::context::ModuleVerifier;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_text::decl::member_signature;
use silkit_types::decl::{
    AssociatedType, DeclBody, DeclEntry, DeclFlags, MAX_SUPERCLASSES, Member, MemberKind, NominalDecl,
    NominalKind, join,
};
use silkit_types::{Requirement, RequirementKind, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&REQUIREMENT_IS_WITNESSED];

static REQUIREMENT_IS_WITNESSED: Rule = Rule {
    id: RuleId::new("SIL0645"),
    name: "RequirementIsWitnessed",
    severity: Severity::Warning,
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
        let has_default = |name: &str| {
            let name = Symbol::new(name);
            defaults.members.contains_key(&name) || own.top_level.iter().any(|member| member.name == name)
        };
        let message =
            conforming.violation().or_else(|| library_protocols::violation(cx, entry, decl, &has_default));
        if let Some(message) = message {
            report(cx, &REQUIREMENT_IS_WITNESSED, decl.name, format!("`{path}` {message}"));
        }
    }
}

/// Returns a protocol that a type and one of its unconstrained extensions, or two of these, conform to.
fn conforms_twice(entry: &DeclEntry, decl: &NominalDecl) -> Option<Type> {
    let mut seen: Vec<Type> = decl.inherited.to_vec();
    for extension in &entry.extensions {
        let own = &extension.inherited;
        let repeated = (0..own.len()).find(|&at| seen.contains(&own[at]) || own[..at].contains(&own[at]));
        if let Some(at) = repeated {
            return Some(own[at]);
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

/// The contents of the braces of the type, an extension or a superclass.
#[derive(Clone, Copy)]
struct Body<'a> {
    body: &'a DeclBody,
    /// The type from which its types are seen; nothing in a constrained extension.
    base: Option<Type>,
}

/// A protocol of the file that a type conforms to.
#[derive(Clone, Copy)]
struct Protocol<'a> {
    decl: &'a NominalDecl,
    /// True if the conformance has conditions.
    is_conditional: bool,
}

impl<'a> Conforming<'a> {
    fn violation(&self) -> Option<String> {
        let bodies = self.bodies()?;
        let (protocols, others) = self.protocols();
        let is_actor = |ty: &Type| {
            matches!(ty.kind(), TypeKind::Named(n) if n.parent.is_none() && n.name == "Actor")
                && self.cx.declarations.own().get(Symbol::new("Actor")).is_none()
        };
        if self.decl.kind != NominalKind::Actor && !protocols.is_empty() && others.iter().any(is_actor) {
            return Some("is not an actor, but conforms to a protocol that requires one".to_owned());
        }
        if let Some(message) = protocols.iter().find_map(|protocol| self.of_kind(protocol.decl)) {
            return Some(message);
        }
        let self_type = self_type(self.cx.declarations, self.decl.path);
        let mut bindings = Bindings::new(
            self.cx.declarations,
            self_type.unwrap_or_else(|| Type::nominal(self.decl.path.as_str())),
        );
        let is_closed = self_type.is_some() && others.is_empty();
        if self.decl.requirements.is_empty()
            && let Some(sig) = self.decl.sig.filter(|sig| sig.data().requirements.is_empty())
        {
            let params = sig.data().params.iter().filter(|param| param.bound.is_none());
            bindings.unconstrained = params.map(|param| param.name).collect();
        }
        self.bind_types(&protocols, &bodies, is_closed, &mut bindings);
        if is_closed {
            self.infer(&protocols, &bodies, &mut bindings);
        }
        for protocol in &protocols {
            let name = protocol.decl.name;
            let missing = protocol.decl.body.members.iter().find_map(|required| {
                let missing = self.lacks(required, &bodies, is_closed.then_some(&bindings))?;
                Some(format!("conforms to `{name}`, but does not declare {missing}"))
            });
            let untyped = || {
                let associated = protocol.decl.body.associated.iter();
                let lacks = associated.into_iter().find(|required| {
                    !bindings_are_fixed(required.name, &protocols)
                        && self.lacks_type(required, protocol.decl, &bodies)
                })?;
                Some(format!("conforms to `{name}`, but does not declare the type `{}`", lacks.name))
            };
            let unfit = || {
                let why =
                    bindings.violation(protocol.decl).filter(|_| is_closed && !protocol.is_conditional)?;
                Some(format!("conforms to `{name}`, but {why}"))
            };
            if let Some(message) = missing.or_else(untyped).or_else(unfit) {
                return Some(message);
            }
        }
        let (name, first, second) = bindings.conflict.filter(|_| is_closed)?;
        Some(format!(
            "has members that say that `{name}` is `{first}`, and others that say that it is `{second}`"
        ))
    }

    /// Returns the protocols of the file that the type conforms to, and the other ones, which may have default
    /// implementations.
    fn protocols(&self) -> (Vec<Protocol<'a>>, Vec<Type>) {
        let of_type = self.decl.inherited.iter().map(|&ty| (ty, false));
        let of_extensions = self
            .entry
            .extensions
            .iter()
            .flat_map(|e| e.inherited.iter().map(|&ty| (ty, !e.requirements.is_empty())));
        let mut work: Vec<(Type, bool)> = of_type.chain(of_extensions).collect();
        let (mut found, mut others): (Vec<Protocol<'a>>, Vec<Type>) = (Vec::new(), Vec::new());
        while let Some((ty, is_conditional)) = work.pop() {
            let Some(decl) = self.protocol(ty) else {
                others.extend((!self.has_no_members(ty)).then_some(ty));
                continue;
            };
            if found.iter().all(|protocol| protocol.decl.path != decl.path) {
                work.extend(decl.inherited.iter().map(|&ty| (ty, is_conditional)));
                found.push(Protocol { decl, is_conditional });
            }
        }
        (found, others)
    }

    /// Returns true for an inherited type that declares no default implementation: a superclass of the file, whose members
    /// are known, and protocols without extensions.
    fn has_no_members(&self, ty: Type) -> bool {
        let TypeKind::Named(named) = ty.kind() else { return matches!(ty.kind(), TypeKind::Inverse(_)) };
        let is_bare = named.parent.is_none()
            && matches!(
                named.name.as_str(),
                "AnyObject" | "Sendable" | "Copyable" | "Escapable" | "BitwiseCopyable" | "Error"
            );
        is_bare || self.cx.declarations.own_nominal_of(ty).is_some_and(NominalDecl::is_class)
    }

    /// Returns a protocol of the file whose requirements Swift code implements.
    fn protocol(&self, ty: Type) -> Option<&'a NominalDecl> {
        let decl = self.cx.declarations.own_nominal_of(ty)?;
        let is_plain = decl.kind == NominalKind::Protocol
            && !decl.flags.intersects(DeclFlags::AMBIGUOUS | DeclFlags::OBJC | DeclFlags::MARKER);
        is_plain.then_some(decl)
    }

    /// Returns the bodies that may declare members of the type; `None` if a superclass is not of the file.
    fn bodies(&self) -> Option<Vec<Body<'a>>> {
        let own = self.cx.declarations.own();
        let mut found = Vec::new();
        let mut add = |entry: &'a DeclEntry, base: Option<Type>| {
            found.extend(entry.nominal.iter().map(|decl| Body { body: &decl.body, base }));
            found.extend(entry.extensions.iter().map(|extension| Body {
                body: &extension.body,
                base: base.filter(|_| extension.requirements.is_empty()),
            }));
        };
        let self_type = self_type(self.cx.declarations, self.decl.path);
        add(self.entry, self_type);
        if self.decl.is_class() {
            let mut class = self_type.unwrap_or_else(|| Type::nominal(self.decl.path.as_str()));
            for _ in 0..MAX_SUPERCLASSES {
                let Some(superclass) = self.cx.declarations.known_superclass(class)? else { break };
                let base = Some(superclass).filter(|_| self_type.is_some());
                add(own.get(self.cx.declarations.path_of(superclass)?)?, base);
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
    fn lacks(
        &self,
        required: &Member,
        bodies: &[Body<'a>],
        bindings: Option<&Bindings<'a>>,
    ) -> Option<String> {
        let name = required.name;
        // An operator may be a function of the file.
        let is_operator = !name.as_str().starts_with(|c: char| c.is_alphabetic() || c == '_');
        let is_checked = matches!(
            required.kind,
            MemberKind::Function | MemberKind::Initializer | MemberKind::Subscript | MemberKind::Property
        );
        let own = self.cx.declarations.own();
        let top = |kind: MemberKind| own.top_level.iter().any(|m| m.kind == kind && m.name == name);
        // Operators of the library may have default implementations, and functions of the file may meet the requirement.
        let is_unclear = is_operator && (!top(MemberKind::Operator) || top(MemberKind::Function));
        if is_unclear || !is_checked {
            return None;
        }
        let label = || match required.kind {
            MemberKind::Property => format!("the property `{name}`"),
            MemberKind::Function => format!("the method `{name}`"),
            _ => format!("`{name}`"),
        };
        let own = self.witnesses(name, bodies);
        let defaults = self.defaults.members.get(&name).into_iter().flatten();
        let defaults = defaults.map(|&member| Witness { candidate: Candidate::Member(member), base: None });
        let all: Vec<Witness<'a>> = own.iter().copied().chain(defaults).collect();
        if all.is_empty() {
            let is_implicit = required.kind == MemberKind::Initializer && self.has_implicit_init(required);
            return (!is_implicit).then(label);
        }
        let fit =
            Fit { declarations: self.cx.declarations, text: self.text, decl: self.decl, bindings: bindings? };
        let fits: Vec<&Witness<'a>> =
            all.iter().filter(|&&witness| fit.may_witness(witness, required)).collect();
        if fits.is_empty() {
            return Some(label());
        }
        let is_open = self.decl.kind == NominalKind::Class && !self.decl.flags.contains(DeclFlags::FINAL);
        let is_optional = |witness: &Witness<'_>| match witness.candidate {
            Candidate::Member(member) => !member.flags.contains(DeclFlags::REQUIRED),
            _ => false,
        };
        let mut own = fits.iter().filter(|witness| witness.base.is_some()).peekable();
        let lacks_required = is_open
            && required.kind == MemberKind::Initializer
            && own.peek().is_some()
            && own.all(|witness| is_optional(witness));
        lacks_required.then(|| format!("`{name}` as `required`"))
    }

    /// Returns the declarations of the type with a name.
    fn witnesses(&self, name: Symbol, bodies: &[Body<'a>]) -> Vec<Witness<'a>> {
        let mut found = Vec::new();
        for &Body { body, base } in bodies {
            let fields = body.fields.all_named(name).map(Candidate::Field);
            let cases = body.cases.all_named(name).map(Candidate::Case);
            let members = body.members.all_named(name).map(Candidate::Member);
            found.extend(fields.chain(cases).chain(members).map(|candidate| Witness { candidate, base }));
        }
        found
    }

    /// Finds out what the associated types are that the type declares.
    fn bind_types(
        &self,
        protocols: &[Protocol<'a>],
        bodies: &[Body<'a>],
        is_closed: bool,
        bindings: &mut Bindings<'a>,
    ) {
        let free = if is_closed { Binding::Free } else { Binding::Opaque };
        for associated in protocols.iter().flat_map(|protocol| &protocol.decl.body.associated) {
            let name = associated.name;
            if bindings.contains(name) {
                continue;
            }
            let binding = match self.stated_type(name, bodies) {
                Some(binding) => binding,
                None if self.defaults.aliases.contains(&name) => Binding::Opaque,
                None => free,
            };
            bindings.bind(name, binding);
        }
        // What a requirement fixes need not be inferred.
        for requirement in requirements(protocols).filter(|r| r.kind == RequirementKind::SameType) {
            for (a, b) in
                [(requirement.subject, requirement.constraint), (requirement.constraint, requirement.subject)]
            {
                if let Some(name) = bindings.name_of(a).filter(|&name| bindings.is_free(name)) {
                    let other = bindings.seen(b);
                    let is_known = self.cx.declarations.nominal_of(other).is_some();
                    bindings.bind(name, if is_known { Binding::Inferred(other) } else { Binding::Opaque });
                }
            }
        }
    }

    /// Returns what the type says about an associated type.
    fn stated_type(&self, name: Symbol, bodies: &[Body<'a>]) -> Option<Binding> {
        let declarations = self.cx.declarations;
        let mut outer = self.decl.path.as_str();
        let mut is_param = false;
        while let Some((path, _)) = outer.rsplit_once('.') {
            let decl = declarations.own().get(Symbol::new(path)).and_then(|entry| entry.nominal.as_ref());
            is_param |= decl.is_none_or(|decl| decl.param_index(name).is_some());
            outer = path;
        }
        if is_param {
            return Some(Binding::Opaque);
        }
        let aliases = bodies.iter().filter_map(|body| Some((body.body.alias(name)?, body.base)));
        let aliases: Vec<_> = aliases.collect();
        if let [(alias, base)] = &*aliases {
            let target = base.filter(|_| alias.sig.is_none());
            let target = target.map(|base| declarations.resolve_in(alias.target, base));
            return Some(target.map_or(Binding::Opaque, Binding::Stated));
        }
        if !aliases.is_empty() {
            return Some(Binding::Opaque);
        }
        let nested =
            declarations.own().get(join(self.decl.path, name)).and_then(|entry| entry.nominal.as_ref());
        if let Some(nested) = nested {
            let base = self_type(declarations, self.decl.path).filter(|_| nested.sig.is_none());
            let ty = base.map(|base| Type::named(Some(base), name, Box::default()));
            return Some(ty.map_or(Binding::Opaque, Binding::Stated));
        }
        if let Some(index) = self.decl.param_index(name) {
            let base = self_type(declarations, self.decl.path)?;
            let TypeKind::Named(named) = base.kind() else { return None };
            return named.args.get(index).copied().map(Binding::Stated);
        }
        // A superclass may declare it as well, as a nested type or as a parameter.
        (self.decl.is_class() && bodies.iter().any(|body| body.base != bodies[0].base))
            .then_some(Binding::Opaque)
    }

    /// Infers associated types from the members that alone can meet a requirement.
    fn infer(&self, protocols: &[Protocol<'a>], bodies: &[Body<'a>], bindings: &mut Bindings<'a>) {
        for required in protocols.iter().flat_map(|protocol| &*protocol.decl.body.members) {
            let own = self.witnesses(required.name, bodies);
            let [Witness { candidate, base: Some(base) }] = &*own else { continue };
            if self.defaults.members.contains_key(&required.name) {
                continue;
            }
            let seen = |ty: Type| self.cx.declarations.resolve_in(ty, *base);
            match candidate {
                Candidate::Field(field) if required.kind == MemberKind::Property => {
                    required.ty.into_iter().for_each(|ty| bindings.learn(ty, seen(field.ty)));
                }
                Candidate::Member(member) if member.kind == required.kind => {
                    if required.kind == MemberKind::Property {
                        required.ty.zip(member.ty).into_iter().for_each(|(r, f)| bindings.learn(r, seen(f)));
                        continue;
                    }
                    let signature = |member: &Member| {
                        member_signature(self.text, member.signature).filter(|s| s.sig.is_none())
                    };
                    let (Some(wanted), Some(found)) = (signature(required), signature(member)) else {
                        continue;
                    };
                    if labels_match(&wanted, &found) {
                        wanted
                            .params
                            .iter()
                            .zip(&found.params)
                            .for_each(|(r, f)| bindings.learn(r.1, seen(f.1)));
                        let results = wanted.result.zip(found.result);
                        results.into_iter().for_each(|(r, f)| bindings.learn(r, seen(f)));
                    }
                }
                _ => {}
            }
        }
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
            NominalKind::Class if !self.decl.flags.contains(DeclFlags::FINAL) => {
                // Only a `required` initializer is that of all subclasses.
                false
            }
            _ => signature.params.is_empty(),
        }
    }

    /// Returns true if the type surely does not say what an associated type is.
    fn lacks_type(&self, required: &AssociatedType, protocol: &NominalDecl, bodies: &[Body<'a>]) -> bool {
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
        let declares = |body: &Body<'_>| body.body.alias(name).is_some();
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

/// Returns the requirements that protocols state about their associated types.
fn requirements<'a>(protocols: &[Protocol<'a>]) -> impl Iterator<Item = &'a Requirement> {
    protocols.iter().flat_map(|protocol| {
        let of_types = protocol.decl.body.associated.iter().flat_map(|associated| &*associated.requirements);
        of_types.chain(&*protocol.decl.requirements)
    })
}

/// Returns true if a requirement of one of the protocols mentions an associated type, and so may tell what it is.
fn bindings_are_fixed(name: Symbol, protocols: &[Protocol<'_>]) -> bool {
    requirements(protocols).any(|requirement| {
        let names = |found: Symbol| found == name;
        requirement.kind == RequirementKind::SameType
            && (mentions(requirement.subject, &names) || mentions(requirement.constraint, &names))
    })
}
