//! What protocols of the standard library require of the types of a file that conform to them.
//!
//! ```swift
//! struct S : CustomStringConvertible {}      // declares no `description`
//! class C : Equatable {}                     // the compiler derives `==` only for structs and enums
//! ```

use crate::context::ModuleVerifier;
use crate::families::types::conformance::conforms;
use silkit_base::Symbol;
use silkit_types::decl::{DeclBody, DeclEntry, DeclFlags, NominalDecl, NominalKind};
use silkit_types::{Type, TypeKind};

/// A protocol, and names of which a conforming type declares each one; alternatives are separated by `|`.
const REQUIRED: &[(&str, &[&str])] = &[
    ("CustomDebugStringConvertible", &["debugDescription"]),
    ("CustomReflectable", &["customMirror"]),
    ("CustomStringConvertible", &["description"]),
    ("ExpressibleByBooleanLiteral", &["init"]),
    ("ExpressibleByIntegerLiteral", &["init"]),
    ("ExpressibleByNilLiteral", &["init"]),
    ("ExpressibleByStringLiteral", &["init"]),
    ("GlobalActor", &["shared"]),
    ("Identifiable", &["id"]),
    ("IteratorProtocol", &["next"]),
    ("LosslessStringConvertible", &["description", "init"]),
    ("RawRepresentable", &["rawValue", "init"]),
    ("Sequence", &["makeIterator|next"]),
    ("Strideable", &["advanced", "distance"]),
    ("Collection", &["startIndex", "endIndex", "subscript"]),
    ("TextOutputStream", &["write"]),
];

/// Protocols that declare no default implementations of requirements of others.
const WITHOUT_DEFAULTS: &[&str] = &[
    "AnyObject",
    "BitwiseCopyable",
    "CaseIterable",
    "Codable",
    "Comparable",
    "Copyable",
    "Decodable",
    "Encodable",
    "Equatable",
    "Error",
    "Escapable",
    "Hashable",
    "Sendable",
];

/// Returns an error about a protocol of the standard library that a type conforms to without declaring what it requires.
/// `has_default` tells whether an extension of a protocol, or a function of the file, has a name.
pub(super) fn violation(
    cx: &ModuleVerifier<'_>,
    entry: &DeclEntry,
    decl: &NominalDecl,
    has_default: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let own = cx.declarations.own();
    let bodies: Vec<&DeclBody> =
        std::iter::once(&decl.body).chain(entry.extensions.iter().map(|e| &e.body)).collect();
    let mut names = Vec::new();
    for &ty in decl.inherited.iter().chain(entry.extensions.iter().flat_map(|e| &*e.inherited)) {
        match ty.kind() {
            TypeKind::Inverse(_) => continue,
            TypeKind::Named(named) if named.parent.is_none() && named.args.is_empty() => {
                let above = own.get(named.name).and_then(|entry| entry.nominal.as_ref());
                match above {
                    // The raw type of an enum, and a protocol of the file, may bring anything with them.
                    Some(_) => return None,
                    None => names.push(named.name),
                }
            }
            _ => return None,
        }
    }
    let is_library = |name: &&Symbol| {
        let nominal = cx.declarations.nominal_of(Type::nominal(name.as_str()));
        nominal.is_some_and(|d| d.kind == NominalKind::Protocol && !cx.declarations.may_be_another(d))
            || matches!(name.as_str(), "AnyObject" | "Codable")
    };
    if !names.iter().all(|name| is_library(&name)) || !own.imports.iter().any(|module| *module == "Swift") {
        return None;
    }
    let declares = |name: &str| {
        let symbol = Symbol::new(name);
        bodies.iter().any(|body| {
            body.fields.named(symbol).is_some()
                || body.members.named(symbol).is_some()
                || body.cases.named(symbol).is_some()
        }) || has_default(name)
    };
    let is_alone = |protocol: &Symbol| {
        names.iter().all(|name| name == protocol || WITHOUT_DEFAULTS.contains(&name.as_str()))
    };
    for protocol in &names {
        let row = REQUIRED.iter().find(|(name, _)| *protocol == *name).filter(|_| is_alone(protocol));
        let missing = row.and_then(|(_, wanted)| {
            wanted.iter().find(|alternatives| !alternatives.split('|').any(declares))
        });
        if let Some(missing) = missing
            && !(*protocol == "Identifiable" && decl.is_class())
        {
            let name = missing.split('|').next().unwrap_or_default();
            return Some(format!("conforms to `{protocol}`, but does not declare `{name}`"));
        }
        let is_plain = names.iter().all(|name| WITHOUT_DEFAULTS.contains(&name.as_str()));
        if is_plain && let Some(message) = derived(cx, decl, protocol.as_str(), &declares) {
            return Some(message);
        }
    }
    None
}

/// Returns an error about a conformance that the compiler cannot derive.
fn derived(
    cx: &ModuleVerifier<'_>,
    decl: &NominalDecl,
    protocol: &str,
    declares: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let has_payload = decl.body.cases.iter().any(|case| case.payload.is_some());
    let is_enum = decl.kind == NominalKind::Enum;
    let cannot = |what: &str| Some(format!("conforms to `{protocol}`, which cannot be derived for {what}"));
    match protocol {
        "CaseIterable" if !declares("allCases") => match decl.kind {
            NominalKind::Enum if has_payload => cannot("cases with a payload"),
            NominalKind::Enum => None,
            _ => cannot("this kind of type"),
        },
        "Comparable" if !is_enum && !declares("<") => cannot("this kind of type"),
        "Comparable" if !declares("==") && decl.is_class() => cannot("classes without `==`"),
        "Hashable" if decl.is_class() && !declares("hash") && !declares("hashValue") => cannot("classes"),
        "Equatable" | "Hashable" if declares("==") || declares("hash") || declares("hashValue") => None,
        "Equatable" | "Hashable" if decl.is_class() => cannot("classes"),
        "Comparable" if declares("==") => None,
        "Equatable" | "Hashable" | "Comparable" => {
            let wanted = if protocol == "Comparable" { "Equatable" } else { protocol };
            let part = part_without(cx, decl, wanted)?;
            cannot(&format!("a value of type `{part}`"))
        }
        "Decodable" | "Encodable" | "Codable" if decl.kind == NominalKind::Struct => {
            let names = ["init", "encode", "CodingKeys"];
            if names.iter().any(|name| declares(name)) {
                return None;
            }
            let wanted = if protocol == "Codable" { "Decodable" } else { protocol };
            let part = part_without(cx, decl, wanted)?;
            cannot(&format!("a value of type `{part}`"))
        }
        _ => None,
    }
}

/// Returns the type of a stored property or payload that surely does not conform to a protocol.
fn part_without(cx: &ModuleVerifier<'_>, decl: &NominalDecl, protocol: &str) -> Option<Type> {
    let base = super::seen_from::self_type(cx.declarations, decl.path)?;
    let fields = decl.body.fields.iter().map(|field| field.ty);
    let payloads = decl.body.cases.iter().filter_map(|case| case.payload);
    let mut work: Vec<Type> = fields.chain(payloads).collect();
    while let Some(ty) = work.pop() {
        if let TypeKind::Tuple(elements) = ty.kind() {
            // The payload of a case with several values; a stored tuple conforms to nothing.
            work.extend(elements.iter().map(|element| element.ty));
            continue;
        }
        let seen = cx.declarations.resolve_in(ty, base);
        let of_file = cx.declarations.nominal_of(seen).filter(|d| {
            let is_own = cx.declarations.own().get(d.path).is_some_and(|entry| entry.nominal.is_some());
            is_own && d.sig.is_none() && !d.flags.contains(DeclFlags::AMBIGUOUS)
        });
        let Some(of_file) = of_file.filter(|d| d.kind != NominalKind::Protocol) else { continue };
        // Enums without payloads conform without saying so.
        let is_derived =
            of_file.kind == NominalKind::Enum && protocol != "Decodable" && protocol != "Encodable";
        if !is_derived && conforms_to(cx, seen, protocol) == Some(false) {
            return Some(ty);
        }
    }
    None
}

fn conforms_to(cx: &ModuleVerifier<'_>, ty: Type, protocol: &str) -> Option<bool> {
    let protocol = Symbol::new(protocol);
    if let Some(found) = conforms(cx.declarations, ty, protocol, None) {
        return Some(found);
    }
    if cx.declarations.sees_known_modules_only() { cx.declarations.conforms(ty, protocol) } else { None }
}
