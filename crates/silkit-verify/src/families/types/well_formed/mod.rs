//! Rules for spelled types: which parts, conventions and constraints go together.
//!
//! The reference checks them when it resolves or creates a type, so a violation is an error wherever the type is spelled.

mod direct;
mod functions;
mod names;
mod signatures;

use super::conformance::conforms;
use crate::finding::Finding;
use crate::rule::{Check, Rule};
use crate::sound_types::Known;
use silkit_base::{FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_types::decl::{Declarations, NominalKind};
use silkit_types::{GenericParamDecl, GenericSig, MetatypeRepr, RefStorage, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&TYPE_IS_WELL_FORMED];

pub(crate) static TYPE_IS_WELL_FORMED: Rule = Rule {
    id: RuleId::new("SIL0373"),
    name: "TypeIsWellFormed",
    severity: Severity::Error,
    summary: "The parts of a type fit together: conventions, packs, storage, existentials, generic arguments",
    details: "\
A parameter or result is passed by a pack convention exactly if it is a pack, packs are not nested nor
parts of tuples, an `@pack_inout` or `@pack_out` pack holds addresses, and a parameter or result of type `each T` is in an expansion. An autoreleased
result is a reference and the only direct result, an `@objc_metatype` is that of a class, a yield of trivial type is unowned, and only a
function with a native convention has an error result. A `@noescape` closure is not returned. `@isolated(any)` is for thick functions, and at most one
parameter, an actor, is `@sil_isolated`. `@sil_weak` storage holds an optional reference,
`@sil_unowned` and `@sil_unmanaged` storage a reference. An existential consists of protocols and at
most one class. Generic arguments satisfy the requirements of the declaration, and a generic signature
does not contradict itself. The last parameter of a `@convention(witness_method: P)` function conforms to `P`.",
    failing: "\
sil @f : $@convention(thin) <each T> (@in Pack{repeat each T}) -> ()
",
    corrected: "\
sil @f : $@convention(thin) <each T> (@pack_owned Pack{repeat each T}) -> ()
",
    check: Check::With(&["SIL0363"]),
};

/// A violation of the rule by a type.
pub(crate) struct Violation {
    /// The message.
    pub(crate) message: String,
    /// True if the reference rejects the type, and not for its Swift declarations.
    is_error: bool,
}

impl Violation {
    fn error(message: String) -> Self {
        Self { message, is_error: true }
    }

    /// Returns a finding for the violation with its severity.
    pub(crate) fn graded(&self, finding: Finding) -> Finding {
        if self.is_error { finding } else { finding.warning() }
    }
}

/// Checks the types of a module or of a body, each once.
pub(crate) struct TypeChecker<'a> {
    declarations: &'a Declarations,
    is_printed_by_compiler: bool,
    seen: FxHashSet<Visit>,
    /// The types to visit, empty between visits.
    work: Vec<Visit>,
    /// Types that are known to be well-formed, with their parts.
    known: Option<&'a Known<Visit>>,
}

/// A type to visit, and the generic signature that its parameters belong to; `None` if it has none or this is not known.
type Visit = (Type, Option<GenericSig>);

fn visit(ty: Type, sig: Option<GenericSig>) -> Visit {
    (ty, sig.filter(|_| ty.holds_parameter()))
}

/// Returns true for a name without arguments and qualifier, which is always well-formed. Most types are such names.
fn is_short_name(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Named(n) if n.args.is_empty() && n.parent.is_none())
}

impl<'a> TypeChecker<'a> {
    pub(crate) fn new(declarations: &'a Declarations, is_printed_by_compiler: bool) -> Self {
        Self {
            declarations,
            is_printed_by_compiler,
            seen: FxHashSet::default(),
            work: Vec::new(),
            known: None,
        }
    }

    /// Leaves out types that are known to be well-formed.
    pub(crate) fn except(self, known: &'a Known<Visit>) -> Self {
        Self { known: Some(known), ..self }
    }

    /// Returns true if a type is known to be well-formed in a signature.
    pub(crate) fn is_known(&self, ty: Type, sig: Option<GenericSig>) -> bool {
        is_short_name(ty) || self.known.is_some_and(|known| known.contains(visit(ty, sig)))
    }

    /// Adds the checked types to those that are known to be well-formed. To be called if there was no violation.
    pub(crate) fn add_known(self) {
        if let Some(known) = self.known.filter(|_| !self.seen.is_empty()) {
            known.extend(self.seen);
        }
    }

    /// Returns the first violation in the type of a function declaration.
    pub(crate) fn function_violation(&mut self, ty: Type) -> Option<Violation> {
        let function = ty.as_function();
        let isolation = function.and_then(|f| functions::isolated(self.declarations, f));
        let unbound = || function.and_then(functions::unbound);
        let lacks_self = || function.and_then(functions::lacks_self);
        isolation
            .or_else(unbound)
            .or_else(lacks_self)
            .map(Violation::error)
            .or_else(|| self.violation(ty, None))
    }

    /// Returns the first violation in a type that was not checked before. `sig` is the signature around the type.
    pub(crate) fn violation(&mut self, ty: Type, sig: Option<GenericSig>) -> Option<Violation> {
        let mut work = std::mem::take(&mut self.work);
        work.clear();
        work.push((ty, sig));
        let mut found = None;
        while let Some((ty, sig)) = work.pop().filter(|_| found.is_none()) {
            if self.is_known(ty, sig) || !self.seen.insert(visit(ty, sig)) {
                continue;
            }
            found = self.violation_of_itself(ty, sig);
            push_parts(ty, sig, &mut work);
        }
        self.work = work;
        found
    }

    /// Returns the violation of a type without its parts.
    fn violation_of_itself(&self, ty: Type, sig: Option<GenericSig>) -> Option<Violation> {
        if let Some(message) = self.own_violation(ty, sig) {
            return Some(Violation::error(message));
        }
        let unsure = self.declared_violation(ty, sig).or_else(|| self.unchecked_violation(ty, sig));
        unsure.map(|message| Violation { message, is_error: false })
    }

    /// Returns the violation of a type itself that the reference rejects, whatever the Swift declarations are.
    fn own_violation(&self, ty: Type, sig: Option<GenericSig>) -> Option<String> {
        match ty.kind() {
            TypeKind::Function(f) => functions::conventions(f)
                .or_else(|| functions::scope(f))
                .or_else(|| direct::violation(self.declarations, f, sig)),
            TypeKind::Box(layout) => layout.fields.iter().find_map(|field| {
                functions::foreign_parameter(field.ty, &[layout.sig]).map(|param| {
                    format!("the layout of a box binds its own parameters, which `{param}` is not")
                })
            }),
            TypeKind::Named(named) => names::lowered_argument(named),
            TypeKind::Builtin(name, args) if !self.is_printed_by_compiler => {
                names::builtin(name.as_str(), args)
            }
            TypeKind::Storage(kind, inner) => self.storage(*kind, *inner, sig),
            TypeKind::Metatype(MetatypeRepr::Thin, instance)
                if matches!(instance.kind(), TypeKind::Any(_)) && self.is_protocol(*instance) =>
            {
                Some(format!("the metatype of an existential is not `@thin`, found `{ty}`"))
            }
            TypeKind::Pack { elements, .. } => {
                let nested = elements.iter().find(|e| matches!(e.kind(), TypeKind::Pack { .. }))?;
                Some(format!("expected a type in a pack, found the pack `{nested}`"))
            }
            TypeKind::PackElement(pack) => {
                let param = parameter_in(sig?, *pack).filter(|param| !param.is_pack)?;
                Some(format!("expected a pack after `each`, found `{}`", param.name))
            }
            TypeKind::PackExpansion(pattern) => {
                let is_plain = !holds_pack(*pattern, sig);
                is_plain.then(|| format!("expected a pack in the expansion, found `{pattern}`"))
            }
            TypeKind::Tuple(elements) => {
                if let Some(pack) = elements.iter().find(|e| matches!(e.ty.kind(), TypeKind::Pack { .. })) {
                    return Some(format!("a tuple does not contain packs, found `{}`", pack.ty));
                }
                let labels = || elements.iter().filter_map(|e| e.label).filter(|label| *label != "_");
                let mut seen = FxHashSet::default();
                let repeated = labels().find(|&label| !seen.insert(label))?;
                Some(format!("the label `{repeated}` of the tuple is repeated"))
            }
            TypeKind::MoveOnly(inner) => {
                let is_move_only = self.declarations.is_move_only(*inner, sig) == Some(true);
                is_move_only.then(|| format!("`@moveOnly` is for copyable types, not for `{inner}`"))
            }
            _ => None,
        }
    }

    /// Returns the violation of what Swift declarations say about a type itself.
    fn declared_violation(&self, ty: Type, sig: Option<GenericSig>) -> Option<String> {
        match ty.kind() {
            TypeKind::Function(f) => functions::witness_protocol(self.declarations, f, sig)
                .or_else(|| {
                    let is_closed = !self.is_printed_by_compiler;
                    if is_closed { functions::derivative_import(self.declarations, f) } else { None }
                })
                .or_else(|| f.sig.and_then(|sig| signatures::violation(self.declarations, sig, f.lowered)))
                .or_else(|| {
                    f.pattern_sig.and_then(|sig| signatures::violation(self.declarations, sig, false))
                }),
            TypeKind::Named(named) => {
                names::arguments(self.declarations, ty, named, sig).or_else(|| self.qualified(ty))
            }
            TypeKind::Member(base, name) => {
                let is_missing = signatures::has_member(self.declarations, sig?, *base, *name) == Some(false);
                is_missing.then(|| format!("`{name}` is not an associated type of `{base}`"))
            }
            TypeKind::Any(inner) => self.existential(*inner),
            TypeKind::Composition(parts) => self.composition(parts),
            TypeKind::Some(inner) => {
                let decl = self.declarations.nominal_of(*inner)?;
                let is_value = matches!(decl.kind, NominalKind::Struct | NominalKind::Enum);
                (is_value && !self.declarations.may_be_another(decl))
                    .then(|| format!("expected a protocol or a class after `some`, found `{inner}`"))
            }
            TypeKind::Dictionary(key, _) => {
                let path = Symbol::new("Hashable");
                (conforms(self.declarations, *key, path, sig) == Some(false))
                    .then(|| format!("`{key}` does not conform to `Hashable`, which `Dictionary` requires"))
            }
            TypeKind::Array(element) => {
                let is_move_only = self.declarations.is_move_only(*element, sig) == Some(true);
                is_move_only.then(|| format!("`{element}` is not copyable, which `Array` requires"))
            }
            _ => None,
        }
    }

    /// Returns the violation of a type itself that the reference does not check.
    fn unchecked_violation(&self, ty: Type, sig: Option<GenericSig>) -> Option<String> {
        match ty.kind() {
            TypeKind::Function(f) => direct::autoreleased_value(self.declarations, f, sig),
            TypeKind::Metatype(MetatypeRepr::ObjC, instance) => {
                let is_value = matches!(instance.kind(), TypeKind::Tuple(_) | TypeKind::Function(_))
                    || self.declarations.nominal_of(*instance).is_some_and(|decl| {
                        matches!(decl.kind, NominalKind::Struct | NominalKind::Enum)
                            && !self.declarations.may_be_another(decl)
                    });
                is_value
                    .then(|| format!("an Objective-C metatype is that of a class, which `{instance}` is not"))
            }
            _ => None,
        }
    }

    /// Returns the violation of a name with a qualifier.
    fn qualified(&self, ty: Type) -> Option<String> {
        if self.is_printed_by_compiler { None } else { names::qualified(self.declarations, ty) }
    }

    fn storage(&self, kind: RefStorage, inner: Type, sig: Option<GenericSig>) -> Option<String> {
        let attribute = match kind {
            RefStorage::Weak => "@sil_weak",
            RefStorage::Unowned => "@sil_unowned",
            RefStorage::Unmanaged => "@sil_unmanaged",
        };
        let payload = self.declarations.optional_payload(inner);
        if kind == RefStorage::Weak && payload.is_none() {
            let is_known = names::is_reference(self.declarations, inner, sig).is_some();
            return is_known.then(|| format!("`{attribute}` storage holds an optional, not `{inner}`"));
        }
        let referent = payload.unwrap_or(inner);
        let is_value = names::is_reference(self.declarations, referent, sig) == Some(false);
        is_value.then(|| format!("`{attribute}` storage holds a reference, which `{referent}` is not"))
    }

    fn existential(&self, inner: Type) -> Option<String> {
        match inner.kind() {
            TypeKind::Param { .. } => Some(format!("expected a protocol after `any`, found `{inner}`")),
            TypeKind::Named(named) => {
                let decl = self.declarations.nominal_of(inner)?;
                if decl.kind != NominalKind::Protocol {
                    let is_certain = !self.declarations.may_be_another(decl);
                    return is_certain.then(|| format!("expected a protocol after `any`, found `{inner}`"));
                }
                let wanted = decl.sig.map_or(0, |sig| sig.data().params.len());
                let is_wrong = named.args.len() > wanted;
                is_wrong.then(|| {
                    let found = named.args.len();
                    format!("`{}` has {wanted} primary associated types, found {found} arguments", named.name)
                })
            }
            _ => None,
        }
    }

    fn composition(&self, parts: &[Type]) -> Option<String> {
        let mut class: Option<Type> = None;
        let copyable = Type::nominal("Copyable");
        let inverse = parts.iter().find(|part| matches!(part.kind(), TypeKind::Inverse(t) if *t == copyable));
        if let Some(inverse) = inverse {
            let is_copyable = |part: &&Type| {
                let decl = self.declarations.nominal_of(**part);
                decl.is_some_and(|decl| self.declarations.own().get(decl.path).is_some())
                    && self.declarations.conforms(**part, Symbol::new("Copyable")) == Some(true)
            };
            if let Some(part) = parts.iter().find(is_copyable) {
                return Some(format!("`{part}` requires `Copyable`, which `{inverse}` suppresses"));
            }
        }
        for &part in parts {
            let kind = match part.kind() {
                TypeKind::Param { .. } => None,
                TypeKind::Optional(_) | TypeKind::Tuple(_) | TypeKind::Function(_) => None,
                TypeKind::Named(n) if matches!(n.name.as_str(), "Any" | "AnyObject") => continue,
                _ => match self.declarations.nominal_of(part) {
                    Some(decl) if !self.declarations.may_be_another(decl) => Some(decl.kind),
                    _ => continue,
                },
            };
            match kind {
                Some(NominalKind::Protocol) => {}
                Some(NominalKind::Class | NominalKind::Actor) => {
                    if let Some(first) = class {
                        return Some(format!(
                            "an existential has at most one class, found `{first}` and `{part}`"
                        ));
                    }
                    class = Some(part);
                }
                _ => return Some(format!("an existential consists of protocols, which `{part}` is not")),
            }
        }
        None
    }

    /// Returns true if the type is a protocol, or an existential of one.
    fn is_protocol(&self, ty: Type) -> bool {
        match ty.kind() {
            TypeKind::Any(inner) => self.is_protocol(*inner),
            TypeKind::Composition(_) => true,
            TypeKind::Named(named)
                if named.parent.is_none() && matches!(named.name.as_str(), "Any" | "AnyObject") =>
            {
                true
            }
            TypeKind::Named(_) => {
                self.declarations.nominal_of(ty).is_some_and(|decl| decl.kind == NominalKind::Protocol)
            }
            _ => false,
        }
    }
}

/// Adds the parts of a type to the work list, each with the signature that its parameters belong to.
fn push_parts(ty: Type, sig: Option<GenericSig>, work: &mut Vec<Visit>) {
    match ty.kind() {
        TypeKind::Function(f) => {
            let own = f.sig.or(sig);
            let inner = f.pattern_sig.or(own);
            work.extend(f.component_types().map(|ty| (ty, inner)));
            work.extend(f.pattern_args.iter().map(|&ty| (ty, own)));
        }
        TypeKind::Box(layout) => {
            work.extend(layout.fields.iter().map(|f| (f.ty, layout.sig)));
            work.extend(layout.args.iter().map(|&ty| (ty, sig)));
        }
        // Their parts refer to other signatures.
        TypeKind::Opened { .. } | TypeKind::OpenedElement { .. } | TypeKind::OpaqueResult { .. } => {}
        TypeKind::Attributed(..) | TypeKind::Unknown => {}
        // The protocols of an existential have constraints as arguments.
        TypeKind::Any(inner) => match inner.kind() {
            TypeKind::Named(n) => work.extend(n.args.iter().map(|&ty| (ty, sig))),
            _ => work.push((*inner, sig)),
        },
        TypeKind::Composition(_) | TypeKind::Inverse(_) | TypeKind::Member(..) => {}
        kind => kind.for_each_part(&mut |part| work.push((part, sig))),
    }
}

/// Returns the declaration of a parameter in a signature.
fn parameter_in(sig: GenericSig, param: Type) -> Option<&'static GenericParamDecl> {
    let TypeKind::Param { depth, index, .. } = param.kind() else { return None };
    sig.data().params.iter().find(|p| p.depth == *depth && p.index == *index)
}

/// Returns true if a type contains a pack, or may contain one.
fn holds_pack(ty: Type, sig: Option<GenericSig>) -> bool {
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        match ty.kind() {
            TypeKind::PackElement(_)
            | TypeKind::OpenedElement { .. }
            | TypeKind::Attributed(..)
            | TypeKind::Unknown
            | TypeKind::OpaqueResult { .. } => return true,
            TypeKind::Param { .. } => {
                if sig.and_then(|sig| parameter_in(sig, ty)).is_none_or(|param| param.is_pack) {
                    return true;
                }
            }
            kind => kind.for_each_part(&mut |part| work.push(part)),
        }
    }
    false
}
