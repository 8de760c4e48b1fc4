//! The types and conformances that tables name, and the order of the entities of a file.

use super::place;
use super::tables::class_name;
use crate::context::{ModuleVerifier, Owner};
use crate::families::types::conformance::conforms;
use crate::families::types::written::problems;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{ClassRef, Conformance, WitnessEntry, WitnessTable, WitnessTableOf, references};
use silkit_text::SourceEntity;
use silkit_types::decl::{DeclEntry, Lookup};
use silkit_types::{GenericSig, RequirementKind, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&TABLE_TYPES, &DECLARED_BEFORE];

static TABLE_TYPES: Rule = Rule {
    id: RuleId::new("SIL0646"),
    name: "TableTypes",
    severity: Severity::Warning,
    summary: "The types, protocols and conformances that a table names are declared",
    details: "\
An entry for an inherited protocol or an associated type names a conformance of a type that has it, and a conformance of a generic type
with one argument for each of its parameters. The type stands before its conformance. The class of a vtable or of a default override
table is declared at file scope, and a class has one default override table. Nothing is reported of what a compiler printed.",
    failing: "\
protocol Q {}
protocol P : Q {}
struct S : P {}
struct T {}
sil_witness_table S: P module main {
  base_protocol Q: T: Q module main
}
",
    corrected: "\
protocol Q {}
protocol P : Q {}
struct S : P {}
sil_witness_table S: P module main {
  base_protocol Q: S: Q module main
}
",
    check: Check::Module(table_types),
};

fn table_types(cx: &ModuleVerifier<'_>) {
    if cx.declarations.own().is_printed_by_compiler {
        return;
    }
    let report = |entity: SourceEntity, message: String| {
        cx.report(cx.finding(&TABLE_TYPES, Owner::Module, place::entity(cx, entity), message));
    };
    let tables = cx.module.witness_tables.iter().map(|(i, t)| (SourceEntity::WitnessTable(i), t));
    let defaults = cx.module.default_witness_tables.iter();
    let defaults = defaults.map(|(i, t)| (SourceEntity::DefaultWitnessTable(i), t));
    for (entity, table) in tables.chain(defaults) {
        if let Some(message) = witness_table(cx, table) {
            report(entity, message);
        }
    }
    for (index, witness) in cx.module.differentiability_witnesses.iter().enumerate() {
        if let Some(message) = witness.sig.and_then(|sig| signature(cx, sig)) {
            report(SourceEntity::DifferentiabilityWitness(index), message);
        }
    }
    for (index, table) in cx.module.vtables.iter() {
        if matches!(table.class, ClassRef::Name(name) if is_nested(cx, name)) {
            let message = format!("the vtable names `{}`, which is not at file scope", class_name(table));
            report(SourceEntity::VTable(index), message);
        }
    }
    let mut seen = FxHashSet::default();
    for (index, table) in cx.module.default_override_tables.iter().enumerate() {
        let name = table.class;
        let what = match cx.declarations.lookup_nominal(name) {
            Lookup::Known(decl) if !decl.is_class() => "is not a class",
            Lookup::Absent if is_absent(cx, name) => "is not declared",
            _ if is_nested(cx, name) => "is not at file scope",
            _ if !seen.insert(name) => "has another one",
            _ => continue,
        };
        let message = format!("`{name}` has a default override table, but {what}");
        report(SourceEntity::DefaultOverrideTable(index), message);
    }
}

/// Returns true if no visible module declares a type at file scope with this name.
fn is_absent(cx: &ModuleVerifier<'_>, name: Symbol) -> bool {
    cx.declarations.sees_known_modules_only()
        && !name.as_str().starts_with('_')
        && cx.declarations.alias(name).is_none()
}

/// Returns true if a name denotes a type only inside of another type.
fn is_nested(cx: &ModuleVerifier<'_>, name: Symbol) -> bool {
    let own = cx.declarations.own();
    let suffix = format!(".{name}");
    let is_declared = |entry: &DeclEntry| entry.nominal.is_some() || entry.alias.is_some();
    name.as_str().contains('.')
        || !own.get(name).is_some_and(is_declared)
            && matches!(cx.declarations.lookup_nominal(name), Lookup::Absent)
            && own.entries().any(|(path, entry)| is_declared(entry) && path.as_str().ends_with(&suffix))
}

fn witness_table(cx: &ModuleVerifier<'_>, table: &WitnessTable) -> Option<String> {
    if let WitnessTableOf::Conformance(Conformance::Normal { sig: Some(sig), .. }) = &table.of
        && let Some(message) = signature(cx, *sig)
    {
        return Some(message);
    }
    table.entries.iter().flatten().find_map(|entry| match entry {
        WitnessEntry::AssociatedType(_, ty) => undeclared(cx, *ty),
        WitnessEntry::Base(protocol, found) => {
            undeclared(cx, *protocol).or_else(|| conformance(cx, found, false))
        }
        WitnessEntry::AssociatedConformance { protocol, conformance: found, .. } => {
            undeclared(cx, *protocol).or_else(|| conformance(cx, found, true))
        }
        WitnessEntry::Conditional(ty, protocol, found) => {
            undeclared(cx, *ty).or_else(|| undeclared(cx, *protocol)).or_else(|| conformance(cx, found, true))
        }
        _ => None,
    })
}

/// Returns an error about a type that the requirements of a signature name.
fn signature(cx: &ModuleVerifier<'_>, sig: GenericSig) -> Option<String> {
    let requirements = sig.data().requirements.iter().filter(|r| r.kind != RequirementKind::Layout);
    requirements.flat_map(|r| [r.subject, r.constraint]).find_map(|ty| undeclared(cx, ty))
}

/// Returns an error about a conformance. That of a type parameter is allowed if `may_depend` is true.
fn conformance(cx: &ModuleVerifier<'_>, found: &Conformance, may_depend: bool) -> Option<String> {
    let untyped = || Some("a conformance does not name the conforming type".to_owned());
    match found {
        Conformance::Normal { ty, protocol, .. } => {
            let message = undeclared(cx, *ty).or_else(|| undeclared(cx, *protocol));
            if message.is_some() {
                return message;
            }
            let path = cx.declarations.path_of(*protocol)?;
            (conforms(cx.declarations, *ty, path, None) == Some(false))
                .then(|| format!("`{ty}` does not conform to `{protocol}`"))
        }
        Conformance::Specialized { ty: None, .. } | Conformance::Inherited { ty: None, .. } => untyped(),
        Conformance::Dependent(ty) if ty.is_none() || !may_depend => untyped(),
        Conformance::Dependent(_) => None,
        Conformance::Abstract { ty, protocol } => undeclared(cx, *ty).or_else(|| undeclared(cx, *protocol)),
        Conformance::Inherited { ty: Some(ty), inner } => {
            undeclared(cx, *ty).or_else(|| conformance(cx, inner, false))
        }
        Conformance::Specialized { ty: Some(ty), args, inner } => {
            let wrong = args.iter().chain([ty]).find_map(|&ty| undeclared(cx, ty));
            wrong.or_else(|| arguments(cx, args, inner)).or_else(|| conformance(cx, inner, false))
        }
    }
}

/// Returns an error about the number of arguments of a specialized conformance.
fn arguments(cx: &ModuleVerifier<'_>, args: &[Type], inner: &Conformance) -> Option<String> {
    let Conformance::Normal { sig, ty, .. } = inner else { return None };
    let decl = cx.declarations.nominal_of(*ty).filter(|decl| !cx.declarations.may_be_another(decl))?;
    let is_plain = matches!(ty.kind(), TypeKind::Named(named) if named.parent.is_none());
    let has_pack = decl.sig.is_some_and(|sig| sig.data().params.iter().any(|p| p.is_pack));
    let wanted = sig.map_or(decl.param_count(), |sig| sig.data().params.len());
    (is_plain && !has_pack && args.len() != wanted).then(|| {
        format!("the conformance of `{ty}` has {wanted} generic parameters, found {} arguments", args.len())
    })
}

/// Returns an error about a type that names an unknown one.
fn undeclared(cx: &ModuleVerifier<'_>, ty: Type) -> Option<String> {
    if !cx.declarations.sees_known_modules_only() {
        return None;
    }
    let mut seen = FxHashSet::default();
    problems(cx.declarations, false, ty, &mut seen).pop().map(|(_, message)| message)
}

static DECLARED_BEFORE: Rule = Rule {
    id: RuleId::new("SIL0647"),
    name: "DeclaredBefore",
    severity: Severity::Error,
    summary: "A global variable stands before the functions that use it, and a function before the tables and attributes that name it",
    details: "\
Calls may refer to functions further down, but a file is read once from its beginning to its end. Move the variable or the function up,
or declare the function above. Nothing is reported of what a compiler printed.",
    failing: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = global_addr @g : $*Builtin.Int64
  %1 = tuple ()
  return %1
}
sil_global @g : $Builtin.Int64
",
    corrected: "\
sil_global @g : $Builtin.Int64
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = global_addr @g : $*Builtin.Int64
  %1 = tuple ()
  return %1
}
",
    check: Check::Module(declared_before),
};

fn declared_before(cx: &ModuleVerifier<'_>) {
    if cx.source.is_none() || cx.declarations.own().is_printed_by_compiler {
        return;
    }
    let mut order = Order { cx, firsts: FxHashMap::default() };
    for (id, function) in cx.module.functions.iter() {
        order.add(function.name, SourceEntity::Function(id));
    }
    for (id, global) in cx.module.globals.iter() {
        order.add(global.name, SourceEntity::Global(id));
    }
    for (id, function) in cx.module.functions.iter() {
        let entity = SourceEntity::Function(id);
        let attributes = &function.attributes;
        let named = attributes.dynamic_replacement_for.into_iter();
        named.chain(attributes.ref_adhoc_requirement_witness).for_each(|name| order.check(name, entity));
        if let Some(body) = &function.body {
            let is_global = |name: &Symbol| cx.module.globals.by_key(name).is_some();
            references::of_body(body, &mut |name| {
                if is_global(&name) {
                    order.check(name, entity);
                }
            });
        }
    }
    for (index, table) in cx.module.vtables.iter() {
        table.entries.iter().for_each(|e| order.check(e.function, SourceEntity::VTable(index)));
    }
    let witness = |entity, table: &WitnessTable| {
        for entry in table.entries.iter().flatten() {
            if let WitnessEntry::Method(_, _, Some(function)) = entry {
                order.check(*function, entity);
            }
        }
    };
    cx.module.witness_tables.iter().for_each(|(i, t)| witness(SourceEntity::WitnessTable(i), t));
    cx.module
        .default_witness_tables
        .iter()
        .for_each(|(i, t)| witness(SourceEntity::DefaultWitnessTable(i), t));
    for (index, deinit) in cx.module.deinits.iter().enumerate() {
        order.check(deinit.function, SourceEntity::Deinit(index));
    }
}

/// The positions of the first declarations of functions and global variables.
struct Order<'a> {
    cx: &'a ModuleVerifier<'a>,
    firsts: FxHashMap<Symbol, u32>,
}

impl Order<'_> {
    fn add(&mut self, name: Symbol, entity: SourceEntity) {
        let Some(range) = self.cx.place(entity) else { return };
        let first = self.firsts.entry(name).or_insert(range.start);
        *first = (*first).min(range.start);
    }

    /// Reports an entity that stands before what it names.
    fn check(&self, name: Symbol, entity: SourceEntity) {
        let Some((first, range)) = self.firsts.get(&name).zip(self.cx.place(entity)) else { return };
        if range.end <= *first {
            let message = format!("`@{name}` is declared after what names it");
            let place = place::entity(self.cx, entity);
            self.cx.report(self.cx.finding(&DECLARED_BEFORE, Owner::Module, place, message));
        }
    }
}
