//! Rules on the Swift declarations of a file: redeclarations, invalid inheritance and recursive value types.

use super::redeclared::Scope;
use super::{inheritance, overriding, place};
use crate::context::{ModuleVerifier, Owner};
use crate::families::types::written::problems;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{Entity, FxHashMap, FxHashSet, Symbol, entity, strong_components};
use silkit_diag::{RuleId, Severity};
use silkit_text::SourceEntity;
use silkit_types::decl::{DeclEntry, DeclFlags, NominalDecl, NominalKind, join};
use silkit_types::{Type, TypeKind};

pub(super) const RULES: &[&Rule] =
    &[&REDECLARATION, &INHERITANCE, &CONTAINS_ITSELF, &MISPLACED, &COPYABLE_PARTS, &COPYABLE_CLASSES];

static REDECLARATION: Rule = Rule {
    id: RuleId::new("SIL0628"),
    name: "Redeclaration",
    severity: Severity::Warning,
    summary: "A Swift declaration stands once in its scope",
    details: "\
Tables, instructions and types name declarations, so a name says which one is meant: a type, case, property and associated type by its name,
a method by its name, labels and types. Methods that differ in these are different ones. Delete the second declaration or rename it.",
    failing: "\
class C {
  func m()
  func m()
}
",
    corrected: "\
class C {
  func m()
  func m(_ x: Builtin.Int64)
}
",
    check: Check::Module(redeclaration),
};

static INHERITANCE: Rule = Rule {
    id: RuleId::new("SIL0629"),
    name: "Inheritance",
    severity: Severity::Warning,
    summary: "A type inherits from at most one class, which stands first, and never from itself",
    details: "\
Only classes have a superclass: one that is not `final`, and first in the list; all others in the list are protocols, each once. No class is
above itself, and no protocol refines itself. An `override` has a member of a superclass to override, and the raw type
of an enum has literals. A `let` is stored.",
    failing: "\
class A {}
class B {}
class C : A, B {}
",
    corrected: "\
class A {}
class B : A {}
class C : B {}
",
    check: Check::Module(inheritance),
};

static CONTAINS_ITSELF: Rule = Rule {
    id: RuleId::new("SIL0630"),
    name: "ContainsItself",
    severity: Severity::Warning,
    summary: "A value does not contain a value of its own type",
    details: "\
A struct whose stored properties hold the struct again would be infinitely large, and so would an enum with itself in a payload. A reference
breaks the circle: a class, an array, or a case that is `indirect`.",
    failing: "\
enum Tree {
  case leaf
  case node(Tree)
}
",
    corrected: "\
enum Tree {
  case leaf
  indirect case node(Tree)
}
",
    check: Check::Module(contains_itself),
};

static MISPLACED: Rule = Rule {
    id: RuleId::new("SIL0634"),
    name: "Misplaced",
    severity: Severity::Warning,
    summary: "A Swift declaration is in a scope that may contain it, with modifiers that it may have",
    details: "\
Members belong into types: initializers, subscripts and `static` members are not at file scope, stored properties not in
extensions, enums and protocols, a `deinit` only in classes and in types that are not copyable. Modifiers such as `mutating`,
`override` and `convenience` belong to certain members of certain types. What the compiler prints is exempt. Move the declaration
or remove the modifier.",
    failing: "\
enum E {
  case a
  var count: Builtin.Int64
}
",
    corrected: "\
enum E {
  case a
  var count: Builtin.Int64 { get }
}
",
    check: Check::Module(misplaced),
};

/// Reports a problem at the name of a declaration.
pub(super) fn report(cx: &ModuleVerifier<'_>, rule: &'static Rule, name: Symbol, message: String) {
    let names = |text: &str| text.contains(name.as_str());
    let at = cx.module.swift.iter().rposition(|swift| names(&swift.text));
    let place = at.map_or(Place::Whole, |at| place::entity(cx, SourceEntity::Swift(at)));
    cx.report(cx.finding(rule, Owner::Module, place, message));
}

static COPYABLE_PARTS: Rule = Rule {
    id: RuleId::new("SIL0640"),
    name: "CopyableParts",
    severity: Severity::Warning,
    summary: "The parts of a copyable value are copyable",
    details: "\
A struct or an enum with a stored property or a payload that is not copyable suppresses `Copyable` itself. A class does not: a copy of the
reference does not copy what it refers to.",
    failing: "\
struct Handle : ~Copyable {}
struct Pair {
  var first: Handle
}
",
    corrected: "\
struct Handle : ~Copyable {}
struct Pair : ~Copyable {
  var first: Handle
}
",
    check: Check::Module(copyable_parts),
};

static COPYABLE_CLASSES: Rule = Rule {
    id: RuleId::new("SIL0641"),
    name: "CopyableClasses",
    severity: Severity::Error,
    summary: "A class does not suppress `Copyable`",
    details: "\
References to objects are copied, so only structs, enums and protocols can be `~Copyable`. The experimental feature `MoveOnlyClasses` also
allows classes: `silkit opt -enable-experimental-feature MoveOnlyClasses`.",
    failing: "\
class Handle : ~Copyable {}
",
    corrected: "\
struct Handle : ~Copyable {}
",
    check: Check::Module(copyable_classes),
};

fn copyable_classes(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    if own.is_printed_by_compiler {
        return;
    }
    let suppresses = |decl: &NominalDecl| decl.inherited.iter().any(|ty| ty.suppresses_copying());
    for decl in own.nominals().filter(|decl| decl.is_class() && suppresses(decl)) {
        let message = format!("the class `{}` cannot suppress `Copyable`", decl.name);
        report(cx, &COPYABLE_CLASSES, decl.name, message);
    }
}

fn copyable_parts(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    if own.is_printed_by_compiler {
        return;
    }
    let is_move_only = |ty: Type| cx.declarations.properties(ty, None).move_only;
    for decl in own.nominals() {
        let is_value = matches!(decl.kind, NominalKind::Struct | NominalKind::Enum);
        let base = Type::nominal(decl.path.as_str());
        if !is_value || decl.sig.is_some() || decl.flags.contains(DeclFlags::AMBIGUOUS) {
            continue;
        }
        if is_move_only(base) != Some(false) {
            continue;
        }
        let fields = decl.body.fields.iter().map(|field| (field.name, field.ty));
        let payloads = decl.body.cases.iter().filter_map(|case| Some((case.name, case.payload?)));
        for (name, ty) in fields.chain(payloads) {
            if is_move_only(cx.declarations.resolve_in(ty, base)) == Some(true) {
                let message = format!("`{}` is copyable, but `{name}` of type `{ty}` is not", decl.path);
                report(cx, &COPYABLE_PARTS, decl.name, message);
            }
        }
    }
}

fn misplaced(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    if own.is_printed_by_compiler || own.misplaced.is_empty() {
        return;
    }
    let parts = place::SwiftParts::new(cx);
    for (range, problem) in &own.misplaced {
        let place = parts.place(cx, range.start as usize);
        cx.report(cx.finding(&MISPLACED, Owner::Module, place, problem.clone()));
    }
}

fn redeclaration(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    // Compiler output joins several files, whose private declarations may share names.
    let is_printed = own.is_printed_by_compiler;
    let twice = |name: Symbol, what: &str| {
        report(cx, &REDECLARATION, name, format!("{what} is declared twice"));
    };
    let mut top_level = Scope::new(cx.swift_text());
    if !is_printed {
        top_level.members(&own.top_level, &mut |name| twice(name, &format!("`{name}`")));
        own.repeated_aliases.iter().for_each(|&name| twice(name, &format!("the alias `{name}`")));
    }
    for (path, entry) in own.entries() {
        let Some(nominal) = &entry.nominal else { continue };
        if entry.alias.is_some() && !is_printed && !path.as_str().contains('.') {
            twice(path, &format!("the type `{path}`"));
            continue;
        }
        if nominal.flags.contains(DeclFlags::AMBIGUOUS) {
            if !is_printed {
                twice(path, &format!("the type `{path}`"));
            }
            continue;
        }
        if let Some(param) = inheritance::repeated_parameter(nominal) {
            twice(nominal.name, &format!("the parameter `{param}` of `{path}`"));
        }
        let mut scope = Scope::new(cx.swift_text());
        let mut member = |name: Symbol| twice(nominal.name, &format!("`{path}.{name}`"));
        // A serialized module does not say which parameters are variadic: `f(_: [Int])` may also be `f(_: Int...)`.
        if !is_printed {
            scope.body(&nominal.body, &mut member);
        }
        let bodies = std::iter::once(&nominal.body).chain(entry.extensions.iter().map(|e| &e.body));
        let mut aliases = bodies.flat_map(|body| &body.aliases).filter(|alias| alias.implements.is_none());
        let is_nested = |name: Symbol| own.get(join(path, name)).is_some_and(|entry| entry.nominal.is_some());
        if let Some(alias) = aliases.find(|alias| !is_printed && is_nested(alias.name)) {
            member(alias.name);
        }
        // An extension of a protocol declares default implementations of its requirements.
        if nominal.kind == NominalKind::Protocol {
            scope = Scope::new(cx.swift_text());
        }
        // A member of a constrained extension is no redeclaration of an unconstrained one.
        for extension in entry.extensions.iter().filter(|e| !is_printed && e.requirements.is_empty()) {
            scope.body(&extension.body, &mut member);
        }
    }
}

entity! {
    /// A nominal type of the file.
    Nominal, "nominal"
}

fn inheritance(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    let is_printed = own.is_printed_by_compiler;
    let circular = circular(cx);
    let wrong_member = |decl: &NominalDecl| {
        if is_printed {
            return None;
        }
        overriding::violation(cx, decl, cx.swift_text())
            .or_else(|| inheritance::lacks_required(cx, decl, cx.swift_text()))
            .or_else(|| inheritance::computed_let(decl))
    };
    let scopes: FxHashSet<&str> = own.nominals().flat_map(|decl| enclosing(decl.path)).collect();
    for (path, entry) in own.entries() {
        if !is_printed && let Some(message) = extends_unknown(cx, path, entry) {
            report(cx, &INHERITANCE, path, message);
        }
        let Some(decl) = entry.nominal.as_ref().filter(|d| !d.flags.contains(DeclFlags::AMBIGUOUS)) else {
            continue;
        };
        let wrong = wrong_parent(cx, decl)
            .or_else(|| circular.contains(&decl.path).then(|| "inherits from itself".to_owned()))
            .or_else(|| inheritance::raw_type(cx, decl))
            .or_else(|| wrong_member(decl))
            .or_else(|| undeclared(cx, is_printed || scopes.contains(path.as_str()), entry, decl));
        if let Some(message) = wrong {
            report(cx, &INHERITANCE, decl.name, format!("`{path}` {message}"));
        }
    }
}

/// Returns an error about an extension of a type that nothing declares.
fn extends_unknown(cx: &ModuleVerifier<'_>, path: Symbol, entry: &DeclEntry) -> Option<String> {
    let is_absent = entry.nominal.is_none()
        && entry.alias.is_none()
        && !entry.extensions.is_empty()
        && !path.as_str().contains('.');
    if !is_absent || !cx.declarations.sees_known_modules_only() {
        return None;
    }
    let mut seen = FxHashSet::default();
    let wrong = problems(cx.declarations, false, Type::nominal(path.as_str()), &mut seen).pop();
    wrong.map(|(_, message)| format!("an extension names an unknown type: {message}"))
}

/// Returns the paths of the types that enclose the type with this path.
fn enclosing(path: Symbol) -> impl Iterator<Item = &'static str> {
    let path = path.as_str();
    path.match_indices('.').map(move |(dot, _)| &path[..dot])
}

/// Returns the types on a cycle of inheritance between types of the same kind.
fn circular(cx: &ModuleVerifier<'_>) -> FxHashSet<Symbol> {
    let all: Vec<&NominalDecl> = cx.declarations.own().nominals().collect();
    let numbers: FxHashMap<Symbol, Nominal> =
        all.iter().enumerate().map(|(i, decl)| (decl.path, Nominal::from_index(i))).collect();
    let parents: Vec<Vec<Nominal>> = all
        .iter()
        .map(|decl| {
            let above = decl.inherited.iter().filter_map(|&ty| cx.declarations.nominal_of(ty));
            above.filter(|a| a.kind == decl.kind).filter_map(|a| numbers.get(&a.path).copied()).collect()
        })
        .collect();
    let mut found = FxHashSet::default();
    let roots = (0..all.len()).map(Nominal::from_index);
    let parents_of = |node: Nominal| parents[node.index()].iter().copied();
    strong_components(all.len(), roots, parents_of, |component| {
        if component.len() > 1 || parents[component[0].index()].contains(&component[0]) {
            found.extend(component.iter().map(|node| all[node.index()].path));
        }
    });
    found
}

/// Returns the errors in the inheritance clause of a type.
fn wrong_parent(cx: &ModuleVerifier<'_>, decl: &NominalDecl) -> Option<String> {
    for (index, parent) in decl.inherited.iter().enumerate() {
        if decl.inherited[..index].contains(parent) {
            return Some(format!("inherits from `{parent}` twice"));
        }
        if let TypeKind::Inverse(suppressed) = parent.kind() {
            if decl.inherited.contains(suppressed) {
                return Some(format!("conforms to `{suppressed}` and suppresses it"));
            }
            if is_not_suppressible(cx, *suppressed) {
                return Some(format!("suppresses `{suppressed}`, which types do not conform to implicitly"));
            }
        }
        let TypeKind::Named(named) = parent.kind() else { continue };
        if let Some(message) = inheritance::actor_protocol(cx, decl, named) {
            return Some(message);
        }
        let resolved = if named.args.is_empty() { cx.declarations.resolve(*parent) } else { *parent };
        let is_alias = cx.declarations.alias(named.name).is_some();
        let Some(above) = cx.declarations.nominal_of(if is_alias { resolved } else { *parent }) else {
            continue;
        };
        let is_concrete = !matches!(decl.kind, NominalKind::Protocol);
        if above.kind == NominalKind::Protocol && is_concrete && !named.args.is_empty() {
            return Some(format!("inherits from the constrained protocol `{parent}`"));
        }
        let is_own = cx.declarations.own().get(above.path).is_some();
        if !is_own && (cx.declarations.own().is_printed_by_compiler || cx.declarations.may_be_another(above))
        {
            continue;
        }
        let is_class = above.is_class();
        let is_value = matches!(above.kind, NominalKind::Struct | NominalKind::Enum);
        match decl.kind {
            NominalKind::Actor if is_class => {
                return Some(format!("inherits from the class `{parent}`, but is an actor"));
            }
            NominalKind::Class | NominalKind::Actor | NominalKind::Protocol if is_value => {
                return Some(format!("inherits from `{parent}`, which is neither a protocol nor a class"));
            }
            NominalKind::Class | NominalKind::Actor if is_class => {
                if index > 0 {
                    return Some(format!("inherits from the class `{parent}`, which does not stand first"));
                }
                if above.flags.contains(DeclFlags::FINAL) {
                    return Some(format!("inherits from the final class `{parent}`"));
                }
            }
            NominalKind::Struct if above.kind != NominalKind::Protocol => {
                return Some(format!("inherits from `{parent}`, which is not a protocol"));
            }
            _ => {}
        }
    }
    None
}

/// Returns true for a protocol that a type does not conform to unless it says so.
fn is_not_suppressible(cx: &ModuleVerifier<'_>, protocol: Type) -> bool {
    const IMPLICIT: &[&str] = &["Copyable", "Escapable", "BitwiseCopyable", "Sendable"];
    !cx.declarations.own().is_printed_by_compiler
        && matches!(protocol.kind(), TypeKind::Named(n) if !IMPLICIT.contains(&n.name.as_str()))
        && cx.declarations.nominal_of(protocol).is_some()
}

/// Returns an error if a type refers to an undeclared type. Types printed by the compiler, and types that enclose others
/// (`is_unclear`), may use unqualified names of declarations that are not in the text.
fn undeclared(
    cx: &ModuleVerifier<'_>,
    is_unclear: bool,
    entry: &DeclEntry,
    decl: &NominalDecl,
) -> Option<String> {
    // Types nested in enclosing scopes, superclasses, the type itself and its extensions can be named without qualification.
    let has_own_names = decl.path.as_str().contains('.')
        || decl.sig.is_some()
        || decl.kind == NominalKind::Protocol
        || !decl.body.aliases.is_empty()
        || entry.extensions.iter().any(|e| !e.body.aliases.is_empty());
    if is_unclear || has_own_names || !cx.declarations.sees_known_modules_only() {
        return None;
    }
    let mut types: Vec<Type> = decl.inherited.to_vec();
    if decl.inherited.is_empty() {
        types.extend(decl.body.fields.iter().map(|field| field.ty));
        types.extend(decl.body.cases.iter().filter_map(|case| case.payload));
    }
    let mut seen = FxHashSet::default();
    let wrong = types.into_iter().find_map(|ty| problems(cx.declarations, false, ty, &mut seen).pop());
    wrong.map(|(_, message)| format!("names an unknown type: {message}"))
}

/// The maximum nesting depth of values in the search for recursive value types.
const MAX_DEPTH: usize = 64;

fn contains_itself(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    for (path, entry) in own.entries().filter(|_| !own.is_printed_by_compiler) {
        if let Some(alias) = entry.alias.as_ref().filter(|alias| inheritance::is_circular(cx, entry, alias)) {
            report(cx, &CONTAINS_ITSELF, alias.name, format!("the alias `{path}` stands for itself"));
        }
    }
    let mut done = FxHashSet::default();
    for decl in cx.declarations.own().nominals() {
        let mut around = Vec::new();
        if let Some(name) = circle(cx, decl, &mut around, &mut done) {
            let message = format!("a value of `{}` contains another one", decl.path);
            report(cx, &CONTAINS_ITSELF, name, message);
        }
    }
}

/// Returns the name of a recursive value type contained in `decl`. Types without one are added to `done`.
fn circle(
    cx: &ModuleVerifier<'_>,
    decl: &NominalDecl,
    around: &mut Vec<Symbol>,
    done: &mut FxHashSet<Symbol>,
) -> Option<Symbol> {
    let is_value = matches!(decl.kind, NominalKind::Struct | NominalKind::Enum);
    if !is_value || done.contains(&decl.path) || decl.flags.contains(DeclFlags::AMBIGUOUS) {
        return None;
    }
    if around.contains(&decl.path) {
        return Some(decl.name);
    }
    if around.len() < MAX_DEPTH && decl.sig.is_none() {
        around.push(decl.path);
        let base = Type::nominal(decl.path.as_str());
        let fields = decl.body.fields.iter().map(|field| field.ty);
        let payloads = decl.body.cases.iter().filter(|case| !case.indirect).filter_map(|case| case.payload);
        let mut work: Vec<Type> =
            fields.chain(payloads).map(|ty| cx.declarations.resolve_in(ty, base)).collect();
        while let Some(ty) = work.pop() {
            match ty.kind() {
                TypeKind::Tuple(_) | TypeKind::Paren(_) | TypeKind::Optional(_) => {
                    ty.kind().for_each_part(&mut |part| work.push(part));
                }
                TypeKind::Named(named) if named.name == "Optional" => work.extend(&named.args),
                TypeKind::Named(_) => {
                    let inner = cx.declarations.nominal_of(ty);
                    let own = inner.filter(|inner| cx.declarations.own().get(inner.path).is_some());
                    if let Some(name) = own.and_then(|inner| circle(cx, inner, around, done)) {
                        return Some(name);
                    }
                }
                _ => {}
            }
        }
        around.pop();
    }
    done.insert(decl.path);
    None
}
