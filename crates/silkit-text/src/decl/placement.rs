//! Which declarations a scope may contain, and which modifiers a declaration may have.
//!
//! ```swift
//! init()                  // an initializer at file scope
//! struct S {
//!   mutating init()       // a modifier of methods
//! }
//! ```
//!
//! Swift's type checker refuses these, its parser does not. The compiler prints some of them
//! (`@_hasStorage static let` in an extension), so they are recorded and are not errors of the text.

use super::modifiers::Modifiers;
use silkit_base::{FxHashSet, Symbol};
use silkit_types::decl::{AccessLevel, DeclBody, DeclFlags, NominalKind};
use silkit_types::{GenericSig, Type, TypeKind};

/// The scope that contains a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// The file.
    File,
    /// The braces of a type.
    Type(NominalKind),
    /// The braces of an extension of a type of this kind, if the type precedes it.
    Extension(Option<NominalKind>),
}

impl Scope {
    /// Returns the kind of the type whose members are declared here, if known.
    fn kind(self) -> Option<NominalKind> {
        match self {
            Scope::File => None,
            Scope::Type(kind) => Some(kind),
            Scope::Extension(kind) => kind,
        }
    }

    /// Returns true if the members are those of a class, false if they are not, and nothing if the type is unknown.
    fn is_of_class(self) -> Option<bool> {
        let is_class = |kind| matches!(kind, NominalKind::Class | NominalKind::Actor);
        if self == Scope::File { Some(false) } else { self.kind().map(is_class) }
    }

    /// Returns the scope in the words of a message.
    fn name(self) -> &'static str {
        match self {
            Scope::File => "at file scope",
            Scope::Type(NominalKind::Struct) => "in a struct",
            Scope::Type(NominalKind::Class) => "in a class",
            Scope::Type(NominalKind::Actor) => "in an actor",
            Scope::Type(NominalKind::Enum) => "in an enum",
            Scope::Type(NominalKind::Protocol) => "in a protocol",
            Scope::Extension(_) => "in an extension",
        }
    }
}

/// Returns what is wrong with a declaration that begins with these modifiers and this keyword, in this scope.
pub(super) fn problem(keyword: &str, m: &Modifiers, scope: Scope) -> Option<String> {
    if m.is_repeated {
        return Some("a modifier is repeated".to_owned());
    }
    if m.has_wrong_argument {
        return Some("the argument of `unowned` is `safe` or `unsafe`".to_owned());
    }
    if m.has_access && scope == Scope::Type(NominalKind::Protocol) {
        return Some("a requirement of a protocol has no access level of its own".to_owned());
    }
    if is_misplaced(keyword, scope) {
        return Some(format!("`{keyword}` is not allowed {}", scope.name()));
    }
    let (modifier, why) = wrong_modifier(keyword, m, scope)?;
    let place = if scope == Scope::File { " at file scope" } else { "" };
    Some(format!("`{modifier}` is not allowed on this `{keyword}`{place}: {why}"))
}

fn is_misplaced(keyword: &str, scope: Scope) -> bool {
    use NominalKind as K;
    let is_of_protocol = scope.kind() == Some(K::Protocol);
    match keyword {
        "init" | "subscript" => scope == Scope::File,
        "deinit" => matches!(scope, Scope::File | Scope::Extension(_) | Scope::Type(K::Protocol)),
        "associatedtype" => scope != Scope::Type(K::Protocol),
        "let" => scope == Scope::Type(K::Protocol),
        "struct" | "class" | "enum" | "actor" => is_of_protocol,
        "operator" | "precedencegroup" => scope != Scope::File,
        _ => false,
    }
}

/// Returns a modifier that the declaration may not have, and why.
fn wrong_modifier(keyword: &str, m: &Modifiers, scope: Scope) -> Option<(&'static str, &'static str)> {
    let has = |flag| m.flags.contains(flag);
    let is_type = matches!(keyword, "struct" | "class" | "enum" | "actor" | "protocol");
    let is_variable = matches!(keyword, "var" | "let");
    let of_class = scope.is_of_class();
    let mutating = if has(DeclFlags::NONMUTATING) { "nonmutating" } else { "mutating" };
    if m.flags.intersects(DeclFlags::MUTATING | DeclFlags::NONMUTATING) {
        let why = match () {
            () if keyword != "func" => Some("it is for methods"),
            () if scope == Scope::File => Some("it is for methods"),
            () if of_class == Some(true) => Some("methods of classes never mutate `self`"),
            () if has(DeclFlags::STATIC) => Some("it is for methods of instances"),
            () if has(DeclFlags::MUTATING | DeclFlags::NONMUTATING) => Some("it is also `mutating`"),
            () => None,
        };
        if let Some(why) = why {
            return Some((mutating, why));
        }
    }
    if m.flags.intersects(DeclFlags::CONSUMING | DeclFlags::BORROWING) && scope == Scope::File {
        let modifier = if has(DeclFlags::CONSUMING) { "consuming" } else { "borrowing" };
        return Some((modifier, "it is for methods"));
    }
    let ownership = ownership_modifiers(m);
    if let [first, second, ..] = *ownership {
        return Some((
            if first == "mutating" { second } else { first },
            "a method has one modifier of this kind",
        ));
    }
    if let Some(modifier) = ownership.first().filter(|_| has(DeclFlags::STATIC)) {
        return Some((modifier, "it is for methods of instances"));
    }
    if let Some(modifier) = modifier_for_subclasses(m).filter(|_| scope == Scope::Type(NominalKind::Actor)) {
        return Some((modifier, "actors have no subclasses"));
    }
    if has(DeclFlags::STATIC) {
        let modifier = if has(DeclFlags::CLASS_MEMBER) { "class" } else { "static" };
        let is_member = is_variable || matches!(keyword, "func" | "subscript");
        if !is_member || scope == Scope::File {
            return Some((modifier, "it is for methods, properties and subscripts of types"));
        }
        if has(DeclFlags::CLASS_MEMBER) && of_class == Some(false) {
            return Some((modifier, "only classes have class members"));
        }
        if !has(DeclFlags::CLASS_MEMBER) && has(DeclFlags::FINAL) && of_class == Some(true) {
            return Some(("final", "`static` members are final already"));
        }
    }
    if has(DeclFlags::FINAL) {
        let is_wrong = match keyword {
            "class" | "actor" => false,
            "init" | "deinit" => true,
            _ if is_type => true,
            "func" | "var" | "let" | "subscript" => of_class == Some(false),
            _ => false,
        };
        if is_wrong {
            return Some(("final", "it is for classes and their methods and properties"));
        }
        if m.access == AccessLevel::Open {
            return Some(("open", "it is also `final`"));
        }
    }
    if has(DeclFlags::NONISOLATED) && matches!(keyword, "typealias" | "case" | "associatedtype" | "import") {
        return Some(("nonisolated", "it is for types, functions and properties"));
    }
    let is_protocol_member = scope.kind() == Some(NominalKind::Protocol);
    if has(DeclFlags::OVERRIDE)
        && (is_type || keyword == "deinit" || of_class == Some(false) && !is_protocol_member)
    {
        return Some(("override", "it is for members of classes"));
    }
    if has(DeclFlags::REQUIRED) && (keyword != "init" || of_class == Some(false)) {
        return Some(("required", "it is for initializers of classes"));
    }
    if has(DeclFlags::CONVENIENCE) && (keyword != "init" || of_class == Some(false)) {
        return Some(("convenience", "it is for initializers of classes"));
    }
    if has(DeclFlags::INDIRECT) && !matches!(keyword, "enum" | "case") {
        return Some(("indirect", "it is for enums and their cases"));
    }
    if has(DeclFlags::LAZY) && (keyword != "var" || matches!(scope, Scope::File | Scope::Extension(_))) {
        return Some(("lazy", "it is for stored properties that are `var`"));
    }
    if m.flags.intersects(DeclFlags::WEAK | DeclFlags::UNOWNED | DeclFlags::UNMANAGED) && !is_variable {
        let modifier = if has(DeclFlags::WEAK) { "weak" } else { "unowned" };
        return Some((modifier, "it is for variables"));
    }
    if m.access == AccessLevel::Open && keyword != "class" && of_class == Some(false) {
        return Some(("open", "it is for classes and their members"));
    }
    None
}

/// Returns a modifier that only members of classes with subclasses have.
fn modifier_for_subclasses(m: &Modifiers) -> Option<&'static str> {
    let flags = [(DeclFlags::REQUIRED, "required"), (DeclFlags::CLASS_MEMBER, "class")];
    let found = flags.into_iter().find(|(flag, _)| m.flags.contains(*flag)).map(|(_, word)| word);
    found.or_else(|| (m.access == AccessLevel::Open).then_some("open"))
}

/// Returns the modifiers that say what a method does with `self`.
fn ownership_modifiers(m: &Modifiers) -> Vec<&'static str> {
    let all = [
        (DeclFlags::MUTATING, "mutating"),
        (DeclFlags::NONMUTATING, "nonmutating"),
        (DeclFlags::CONSUMING, "consuming"),
        (DeclFlags::BORROWING, "borrowing"),
    ];
    all.into_iter().filter(|(flag, _)| m.flags.contains(*flag)).map(|(_, word)| word).collect()
}

/// Returns what is wrong with a type that inherits from these types and has these members.
pub(super) fn problem_of_body(
    kind: NominalKind,
    flags: DeclFlags,
    sig: Option<GenericSig>,
    inherited: &[Type],
    body: &DeclBody,
) -> Option<String> {
    if !flags.contains(DeclFlags::DISTRIBUTED)
        && let Some(member) = body.members.iter().find(|m| m.flags.contains(DeclFlags::DISTRIBUTED))
    {
        return Some(format!("is not a `distributed actor`, but `{}` is `distributed`", member.name));
    }
    let is_raw = inherited.first().is_some_and(|ty| is_raw_type(*ty));
    if kind == NominalKind::Enum && is_raw && inherited.iter().any(|ty| ty.suppresses_copying()) {
        return Some("has a raw type, but is not copyable".to_owned());
    }
    let packs = sig.map_or(0, |sig| sig.data().params.iter().filter(|param| param.is_pack).count());
    if packs > 1 || packs > 0 && kind == NominalKind::Enum {
        return Some("has more packs as generic parameters than this kind of type may have".to_owned());
    }
    if kind == NominalKind::Enum && inherited.iter().filter(|ty| is_raw_type(**ty)).count() > 1 {
        return Some("has two raw types".to_owned());
    }
    if let Some(name) = sig.filter(|_| kind == NominalKind::Protocol).and_then(repeated_name) {
        return Some(format!("names its primary associated type `{name}` twice"));
    }
    match kind {
        NominalKind::Protocol if inherited.is_empty() => {
            let params = sig.iter().flat_map(|sig| &sig.data().params);
            let absent =
                params.map(|p| p.name).find(|name| body.associated.iter().all(|a| a.name != *name))?;
            Some(format!("does not declare its primary associated type `{absent}`"))
        }
        NominalKind::Class | NominalKind::Actor if inherited.is_empty() => {
            let overrides = |flags: DeclFlags| flags.contains(DeclFlags::OVERRIDE);
            let fields = body.fields.iter().filter(|f| overrides(f.flags)).map(|f| f.name);
            let members = body.members.iter().filter(|m| overrides(m.flags)).map(|m| m.name);
            let name = fields.chain(members).next()?;
            Some(format!("has no superclass whose `{name}` could be overridden"))
        }
        NominalKind::Enum if inherited.first().is_some_and(|ty| is_raw_type(*ty)) => {
            let with_payload = body.cases.iter().find(|case| case.payload.is_some());
            match with_payload {
                Some(case) => Some(format!("has raw values, but the case `{}` has a payload", case.name)),
                None if body.cases.is_empty() => Some("has a raw type, but no cases".to_owned()),
                None => None,
            }
        }
        _ => None,
    }
}

/// Returns a name that a list of generic parameters contains twice.
fn repeated_name(sig: GenericSig) -> Option<Symbol> {
    let params = &sig.data().params;
    (1..params.len())
        .find(|&at| params[..at].iter().any(|p| p.name == params[at].name))
        .map(|at| params[at].name)
}

/// Returns true for types of the standard library that enums have as raw types.
fn is_raw_type(ty: Type) -> bool {
    let TypeKind::Named(named) = ty.kind() else { return false };
    let name = named.name.as_str();
    let digits = name.strip_prefix('U').unwrap_or(name).strip_prefix("Int");
    let is_integer = digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    named.parent.is_none() && (is_integer || matches!(name, "String" | "Character" | "Double" | "Float"))
}

/// Returns the parameters between the parentheses of a function, without the empty one after a comma at the end.
fn parameters(text: &str) -> Option<Vec<(&str, Option<&str>)>> {
    let mut parts = parts(text)?;
    if parts.last().is_some_and(|(names, ty)| names.is_empty() && ty.is_none()) {
        parts.pop();
    }
    Some(parts)
}

/// Returns the number of parameters in the text between the parentheses of a function.
pub(super) fn count_of_parameters(text: &str) -> Option<usize> {
    parameters(text).map(|found| found.len())
}

/// Returns what is wrong with the text between the parentheses of a function: each parameter has one or two names and
/// a type, and the last names differ.
pub(super) fn problem_of_parameters(text: &str) -> Option<&'static str> {
    let mut seen = FxHashSet::default();
    for (names, ty) in parameters(text)? {
        let name = names.split_whitespace().last().unwrap_or("_");
        if name != "_" && !names.contains('@') && !seen.insert(name) {
            return Some("two parameters have the same name");
        }
        let words = ty.unwrap_or_default().split_whitespace();
        let is_specifier = |word: &&str| matches!(*word, "inout" | "borrowing" | "consuming");
        if words.take_while(is_specifier).count() > 1 {
            return Some("a parameter has two specifiers of its ownership");
        }
        let count = names.split_whitespace().count();
        match ty {
            _ if names.contains('@') || names.contains('(') => {}
            None if count == 0 => return Some("a parameter is empty"),
            None => return Some("a parameter has no type"),
            Some(ty) if ty.is_empty() || ty.starts_with('=') => return Some("a parameter has no type"),
            Some(_) if count == 0 || count > 2 => return Some("a parameter has one or two names"),
            Some(_) => {}
        }
    }
    None
}

/// Returns the parameters: the names, and the type with the default value if there is a colon. Nothing if the text has
/// brackets that do not match, or strings.
fn parts(text: &str) -> Option<Vec<(&str, Option<&str>)>> {
    let mut found = Vec::new();
    let (mut depth, mut start, mut colon) = (0_usize, 0, None);
    let part = |start: usize, colon: Option<usize>, end: usize| match colon {
        Some(colon) => (text[start..colon].trim(), Some(text[colon + 1..end].trim())),
        None => (text[start..end].trim(), None),
    };
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '"' | '/' => return None,
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if before == '-' => {}
            ')' | ']' | '}' | '>' => depth = depth.checked_sub(1)?,
            ':' if depth == 0 && colon.is_none() => colon = Some(at),
            ',' if depth == 0 => {
                found.push(part(start, colon, at));
                (start, colon) = (at + 1, None);
            }
            _ => {}
        }
        before = c;
    }
    found.push(part(start, colon, text.len()));
    (depth == 0).then_some(found)
}
