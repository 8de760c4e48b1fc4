//! Vtables, witness tables and similar tables compared with classes, conformances and functions.

use super::place;
use super::requirements::are_different;
use crate::context::{ModuleVerifier, Owner};
use crate::families::types::conformance::conforms;
use crate::finding::Finding;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{
    ClassRef, Conformance, DeclRef, Function, Linkage, Serialized, VTable, VTableId, WitnessEntry,
    WitnessTable, WitnessTableId, WitnessTableOf,
};
use silkit_text::SourceEntity;
use silkit_types::decl::{DeclFlags, NominalDecl, NominalKind};
use silkit_types::{Convention, FunctionType, Type};

pub(super) const RULES: &[&Rule] =
    &[&TABLE_ONCE, &ENTRY_ONCE, &ENTRY_CONVENTION, &TABLE_OF_CONFORMANCE, &SERIALIZED_TABLE, &ENTRY_DECLARED];

static TABLE_ONCE: Rule = Rule {
    id: RuleId::new("SIL0610"),
    name: "TableOnce",
    severity: Severity::Error,
    summary: "A class has one vtable, a conformance one witness table",
    details: "\
Otherwise the callee of a call through the table would be ambiguous. Merge the tables.",
    failing: "\
class C {
  func m()
}
sil @m : $@convention(method) (@guaranteed C) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @m
}
sil_vtable C {
  #C.m: (C) -> () -> () : @m
}
",
    corrected: "\
class C {
  func m()
}
sil @m : $@convention(method) (@guaranteed C) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @m
}
",
    check: Check::Module(table_once),
};

fn table_once(cx: &ModuleVerifier<'_>) {
    let mut seen: FxHashMap<(String, Vec<Symbol>), VTableId> = FxHashMap::default();
    for (index, table) in cx.module.vtables.iter() {
        // Local classes of several functions may have the same name; their methods are different functions.
        let functions: Vec<Symbol> = table.entries.iter().map(|e| e.function).collect();
        let name = class_name(table);
        let is_declared = cx.declarations.own().get(Symbol::new(&name)).is_some_and(|e| e.nominal.is_some());
        if (is_declared || !functions.is_empty())
            && let Some(first) = seen.insert((name.clone(), functions), index)
        {
            second(cx, [first, index].map(SourceEntity::VTable), format!("`{name}` has two vtables"));
        }
    }
    let mut seen: FxHashMap<(&Conformance, Vec<Symbol>), WitnessTableId> = FxHashMap::default();
    for (index, table) in cx.module.witness_tables.iter() {
        let WitnessTableOf::Conformance(conformance) = &table.of else { continue };
        let functions: Vec<Symbol> = methods(table).filter_map(|(_, f)| f).collect();
        let is_closed = !cx.declarations.own().is_printed_by_compiler && table.entries.is_some();
        if (is_closed || !functions.is_empty())
            && let Some(first) =
                seen.insert((conformance, if is_closed { Vec::new() } else { functions }), index)
        {
            let message = "the conformance has two witness tables".to_owned();
            second(cx, [first, index].map(SourceEntity::WitnessTable), message);
        }
    }
    inherited_once(cx);
}

/// Reports witness tables of classes whose superclass has one for the same protocol: the conformance is inherited.
fn inherited_once(cx: &ModuleVerifier<'_>) {
    let path = |ty| cx.declarations.path_of(ty);
    let conformances = || {
        cx.module.witness_tables.iter().filter_map(|(index, table)| match &table.of {
            WitnessTableOf::Conformance(Conformance::Normal { ty, protocol, .. })
                if table.entries.is_some() =>
            {
                Some((index, *ty, path(*protocol)?))
            }
            _ => None,
        })
    };
    let tables: FxHashMap<_, WitnessTableId> =
        conformances().filter_map(|(index, ty, protocol)| Some(((path(ty)?, protocol), index))).collect();
    for (index, ty, protocol) in conformances() {
        for class in cx.declarations.superclasses(ty) {
            let Some(&first) = path(class).and_then(|class| tables.get(&(class, protocol))) else { continue };
            let message = format!("the conformance to `{protocol}` is inherited from `{class}`");
            second(cx, [first, index].map(SourceEntity::WitnessTable), message);
            break;
        }
    }
}

fn second(cx: &ModuleVerifier<'_>, [first, second]: [SourceEntity; 2], message: String) {
    cx.report(
        cx.finding(&TABLE_ONCE, Owner::Module, place::entity(cx, second), message)
            .also(place::entity(cx, first), "the first is here"),
    );
}

pub(super) fn class_name(table: &VTable) -> String {
    match &table.class {
        ClassRef::Name(name) => name.to_string(),
        ClassRef::Type(ty) => ty.to_string(),
    }
}

/// Returns the methods of a witness table with their functions, if any.
fn methods(table: &WitnessTable) -> impl Iterator<Item = (DeclRef, Option<Symbol>)> + '_ {
    table.entries.iter().flatten().filter_map(|entry| match entry {
        WitnessEntry::Method(method, _, function) => Some((*method, *function)),
        _ => None,
    })
}

/// Returns all witness tables, including default witness tables.
fn witness_tables<'a>(cx: &ModuleVerifier<'a>) -> impl Iterator<Item = (SourceEntity, &'a WitnessTable)> {
    let tables = cx.module.witness_tables.iter().map(|(i, t)| (SourceEntity::WitnessTable(i), t));
    let defaults = cx.module.default_witness_tables.iter();
    tables.chain(defaults.map(|(i, t)| (SourceEntity::DefaultWitnessTable(i), t)))
}

static ENTRY_ONCE: Rule = Rule {
    id: RuleId::new("SIL0611"),
    name: "EntryOnce",
    severity: Severity::Error,
    summary: "A table has one entry for each method and associated type",
    details: "\
A call of the method must go to one function, and an associated type is one type. Remove one of the entries.",
    failing: "\
class C {
  func m()
}
sil @m : $@convention(method) (@guaranteed C) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @m
  #C.m: (C) -> () -> () : @m
}
",
    corrected: "\
class C {
  func m()
}
sil @m : $@convention(method) (@guaranteed C) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @m
}
",
    check: Check::Module(entry_once),
};

fn entry_once(cx: &ModuleVerifier<'_>) {
    for (index, table) in cx.module.vtables.iter() {
        let entity = SourceEntity::VTable(index);
        let mut seen: FxHashMap<_, Symbol> = FxHashMap::default();
        for entry in &table.entries {
            let Some(first) = seen.insert((entry.method, entry.formal), entry.function) else { continue };
            // Overloads have the same name and formal type, and are distinguished by their functions.
            if first == entry.function || is_single(cx, entry.method) {
                let message =
                    format!("the vtable of `{}` has two entries for `{}`", class_name(table), entry.method);
                let place = place::entry(cx, entity, entry.function.as_str());
                cx.report(cx.finding(&ENTRY_ONCE, Owner::Module, place, message));
            }
        }
    }
    for (entity, table) in witness_tables(cx) {
        // The reference does not check these.
        let report = |what: String| {
            let message = format!("the witness table has two entries for {what}");
            let place = place::entity(cx, entity);
            cx.report(cx.finding(&ENTRY_ONCE, Owner::Module, place, message).warning());
        };
        let (mut methods, mut others) = (FxHashSet::default(), FxHashSet::default());
        for entry in table.entries.iter().flatten() {
            match entry {
                WitnessEntry::Method(method, formal, _)
                    if !methods.insert((*method, *formal)) && is_single(cx, *method) =>
                {
                    report(format!("`{method}`"));
                }
                WitnessEntry::AssociatedType(name, _) if !others.insert((*name, Type::unknown())) => {
                    report(format!("the associated type `{name}`"));
                }
                WitnessEntry::Base(protocol, _) if !others.insert((Symbol::new(""), *protocol)) => {
                    report(format!("the base protocol `{protocol}`"));
                }
                _ => {}
            }
        }
    }
}

/// Returns true if the file contains the complete declaration of the type that declares a method, and this declares one
/// member with the name.
fn is_single(cx: &ModuleVerifier<'_>, method: DeclRef) -> bool {
    let (Some(owner), Some(name)) = (method.owner_path(), method.name()) else { return false };
    let Some(entry) = cx.declarations.own().get(owner) else { return false };
    let Some(decl) = entry.nominal.as_ref().filter(|d| !d.flags.contains(DeclFlags::AMBIGUOUS)) else {
        return false;
    };
    let bodies = std::iter::once(&decl.body).chain(entry.extensions.iter().map(|e| &e.body));
    let count = bodies.map(|b| b.members.all_named(name).count() + b.fields.all_named(name).count());
    count.sum::<usize>() == 1
}

static ENTRY_CONVENTION: Rule = Rule {
    id: RuleId::new("SIL0612"),
    name: "EntryConvention",
    severity: Severity::Error,
    summary: "Functions in vtables are methods, functions in witness tables are witnesses",
    details: "\
A call through a vtable passes `self` as `@convention(method)` says, one through a witness table passes
`Self` and the table too, as `@convention(witness_method: P)` says. Put a thunk with the right
convention into the table.",
    failing: "\
class C {
  func m()
}
sil @m : $@convention(thin) (@guaranteed C) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @m
}
",
    corrected: "\
class C {
  func m()
}
sil @m : $@convention(method) (@guaranteed C) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @m
}
",
    check: Check::Module(entry_convention),
};

fn entry_convention(cx: &ModuleVerifier<'_>) {
    let convention = |name: Symbol| {
        let function = cx.function(name)?.ty.ty().as_function()?;
        Some(function.convention)
    };
    for (index, table) in cx.module.vtables.iter() {
        for entry in &table.entries {
            let indirect_self =
                |f: &FunctionType| f.params.last().is_some_and(|p| p.convention.is_indirect());
            if cx.function(entry.function).and_then(|f| f.ty.ty().as_function()).is_some_and(indirect_self) {
                let message = format!("`@{}` is in a vtable, but takes `self` by address", entry.function);
                let place = place::entry(cx, SourceEntity::VTable(index), entry.function.as_str());
                let finding = cx.finding(&ENTRY_CONVENTION, Owner::Module, place, message);
                cx.report(with_declaration(cx, finding, entry.function));
                continue;
            }
            let found = convention(entry.function);
            if let Some(Convention::Thin | Convention::Block | Convention::C | Convention::WitnessMethod(_)) =
                found
            {
                let message = format!("`@{}` is in a vtable, but is not a method", entry.function);
                let place = place::entry(cx, SourceEntity::VTable(index), entry.function.as_str());
                let finding = cx.finding(&ENTRY_CONVENTION, Owner::Module, place, message);
                cx.report(
                    with_declaration(cx, finding, entry.function)
                        .note("functions in vtables have `@convention(method)`"),
                );
            }
        }
    }
    for (entity, table) in witness_tables(cx) {
        for name in methods(table).filter_map(|(_, function)| function) {
            let Some(found) = convention(name) else { continue };
            if let Convention::WitnessMethod(found) = found {
                if let Some(message) = witness_of_another(cx, table, found) {
                    let place = place::entry(cx, entity, name.as_str());
                    // The reference does not check it.
                    let finding = cx.finding(&ENTRY_CONVENTION, Owner::Module, place, message).warning();
                    cx.report(with_declaration(cx, finding, name));
                }
                continue;
            }
            let message = format!("`@{name}` is in a witness table, but is not a witness");
            let place = place::entry(cx, entity, name.as_str());
            let finding = cx.finding(&ENTRY_CONVENTION, Owner::Module, place, message);
            cx.report(
                with_declaration(cx, finding, name)
                    .note("functions in witness tables have `@convention(witness_method: P)`"),
            );
        }
    }
}

/// Returns an error about a witness whose convention names another protocol than that of its table.
fn witness_of_another(cx: &ModuleVerifier<'_>, table: &WitnessTable, found: Type) -> Option<String> {
    let protocol = match &table.of {
        WitnessTableOf::Conformance(Conformance::Normal { protocol, .. }) => *protocol,
        WitnessTableOf::Conformance(_) => return None,
        WitnessTableOf::Protocol(protocol) => *protocol,
    };
    are_different(cx, protocol, found)?
        .then(|| format!("the table is for `{protocol}`, found a witness for `{found}`"))
}

/// Adds the declaration of a function to a finding.
pub(super) fn with_declaration(cx: &ModuleVerifier<'_>, finding: Finding, name: Symbol) -> Finding {
    match cx.program.function_id(name) {
        Some(function) => finding.also(crate::finding::Place::Function(function), "the function is here"),
        None => finding,
    }
}

static TABLE_OF_CONFORMANCE: Rule = Rule {
    id: RuleId::new("SIL0615"),
    name: "TableOfConformance",
    severity: Severity::Warning,
    summary: "A witness table belongs to a conformance that is declared",
    details: "\
It maps the requirements of a protocol to functions of a type. Without `: P` in the declaration of the
type or of an extension, the table is never used.",
    failing: "\
protocol P {}
struct S {}
sil_witness_table S: P module main {
}
",
    corrected: "\
protocol P {}
struct S : P {}
sil_witness_table S: P module main {
}
",
    check: Check::Module(table_of_conformance),
};

/// Returns the protocols of the module that are declared inside of types and have this name: tables name them without the
/// types around them.
pub(super) fn nested_protocols<'a>(
    cx: &'a ModuleVerifier<'_>,
    name: Symbol,
) -> impl Iterator<Item = Symbol> + 'a {
    let is_meant = move |decl: &&NominalDecl| {
        decl.kind == NominalKind::Protocol && decl.name == name && decl.path != name
    };
    cx.declarations.own().nominals().filter(is_meant).map(|decl| decl.path)
}

fn table_of_conformance(cx: &ModuleVerifier<'_>) {
    // Types of several functions may have one name in what the compiler printed: each has a table.
    let of = |table: &WitnessTable| match &table.of {
        WitnessTableOf::Conformance(Conformance::Normal { ty, .. }) => Some(*ty),
        _ => None,
    };
    let mut seen = FxHashSet::default();
    let mut shared = FxHashSet::default();
    if cx.declarations.own().is_printed_by_compiler {
        for table in cx.module.witness_tables.values() {
            if !seen.insert(&table.of) {
                shared.extend(of(table));
            }
        }
    }
    for (index, table) in cx.module.witness_tables.iter() {
        let WitnessTableOf::Conformance(Conformance::Normal { ty, protocol, .. }) = &table.of else {
            continue;
        };
        let Some(name) = cx.declarations.path_of(*protocol) else { continue };
        let conforms = |path: Symbol| conforms(cx.declarations, *ty, path, None);
        let found = conforms(name);
        if found == Some(true) || shared.contains(ty) {
            continue;
        }
        let mut nested = nested_protocols(cx, name).peekable();
        let is_nested = nested.peek().is_some();
        if nested.all(|path| conforms(path) == Some(false)) && (is_nested || found == Some(false)) {
            let message = format!("`{ty}` does not conform to `{protocol}`");
            let place = place::entity(cx, SourceEntity::WitnessTable(index));
            cx.report(cx.finding(&TABLE_OF_CONFORMANCE, Owner::Module, place, message));
        }
    }
}

static SERIALIZED_TABLE: Rule = Rule {
    id: RuleId::new("SIL0616"),
    name: "SerializedTable",
    severity: Severity::Error,
    summary: "A serialized witness table names functions that are visible to other modules",
    details: "\
Other modules read it to call the witnesses directly, so they must be able to refer to them. Make the
witnesses public or serialized, or remove `[serialized]`.",
    failing: "\
public protocol P {
  func r()
}
public struct S : P {
  func r()
}
sil private @r : $@convention(witness_method: P) (@in_guaranteed S) -> () {
bb0(%0 : $*S):
  %1 = tuple ()
  return %1 : $()
}
sil_witness_table [serialized] S: P module main {
  method #P.r: <Self where Self : P> (Self) -> () -> () : @r
}
",
    corrected: "\
public protocol P {
  func r()
}
public struct S : P {
  func r()
}
sil shared [serialized] @r : $@convention(witness_method: P) (@in_guaranteed S) -> () {
bb0(%0 : $*S):
  %1 = tuple ()
  return %1 : $()
}
sil_witness_table [serialized] S: P module main {
  method #P.r: <Self where Self : P> (Self) -> () -> () : @r
}
",
    check: Check::Module(serialized_table),
};

fn serialized_table(cx: &ModuleVerifier<'_>) {
    let is_unseen = |f: &Function| {
        matches!(f.linkage, Linkage::Private | Linkage::Hidden) && !super::functions::is_serialized(f)
    };
    for (index, table) in cx.module.witness_tables.iter() {
        if table.attributes.serialized != Serialized::Fully {
            continue;
        }
        for name in methods(table).filter_map(|(_, function)| function) {
            if cx.function(name).is_some_and(is_unseen) {
                let message =
                    format!("the table is serialized, but `@{name}` is not visible to other modules");
                let place = place::entry(cx, SourceEntity::WitnessTable(index), name.as_str());
                let finding = cx.finding(&SERIALIZED_TABLE, Owner::Module, place, message);
                cx.report(with_declaration(cx, finding, name));
            }
        }
    }
}

static ENTRY_DECLARED: Rule = Rule {
    id: RuleId::new("SIL0617"),
    name: "EntryDeclared",
    severity: Severity::Error,
    summary: "Functions in tables are declared",
    details: "\
Without a declaration their type is unknown. A declaration is a definition without its body: `sil @f :
$…`.",
    failing: "\
class C {
  func m()
}
sil_vtable C {
  #C.m: (C) -> () -> () : @m
}
",
    corrected: "\
class C {
  func m()
}
sil @m : $@convention(method) (@guaranteed C) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @m
}
",
    check: Check::Module(entry_declared),
};

fn entry_declared(cx: &ModuleVerifier<'_>) {
    let check = |entity: SourceEntity, name: Symbol| {
        if cx.function(name).is_none() {
            let place = place::entry(cx, entity, name.as_str());
            let message = format!("`@{name}` is not declared");
            cx.report(cx.finding(&ENTRY_DECLARED, Owner::Module, place, message));
        }
    };
    for (index, table) in cx.module.vtables.iter() {
        table.entries.iter().for_each(|e| check(SourceEntity::VTable(index), e.function));
    }
    for (entity, table) in witness_tables(cx) {
        methods(table).filter_map(|(_, f)| f).for_each(|f| check(entity, f));
    }
    for (index, table) in cx.module.default_override_tables.iter().enumerate() {
        table.entries.iter().for_each(|(_, _, _, f)| check(SourceEntity::DefaultOverrideTable(index), *f));
    }
    for (index, deinit) in cx.module.deinits.iter().enumerate() {
        check(SourceEntity::Deinit(index), deinit.function);
    }
    for (index, witness) in cx.module.differentiability_witnesses.iter().enumerate() {
        let derivatives = witness.derivatives.iter().flatten().map(|(_, function, _)| *function);
        for function in derivatives.chain([witness.function]) {
            check(SourceEntity::DifferentiabilityWitness(index), function);
        }
    }
}
