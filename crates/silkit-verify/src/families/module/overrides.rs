//! The functions in vtables compared with the functions that they override.

use super::place;
use crate::context::{ModuleVerifier, Owner};
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::attributes::EntryKind;
use silkit_ir::{DeclRef, VTable, VTableEntry, VTableId};
use silkit_text::SourceEntity;
use silkit_types::decl::{DeclFlags, Lookup, Member, NominalDecl};
use silkit_types::{FunctionType, Type};

pub(super) const RULES: &[&Rule] = &[&OVERRIDE_IS_COMPATIBLE, &ENTRY_SAYS_OVERRIDE];

static OVERRIDE_IS_COMPATIBLE: Rule = Rule {
    id: RuleId::new("SIL0618"),
    name: "OverrideIsCompatible",
    severity: Severity::Error,
    summary: "A function that overrides another one in a vtable has a compatible type",
    details: "\
A caller may call the override with the type of the superclass's method. If the override has other
conventions, the vtable entry is a thunk.",
    failing: "\
struct S {
  @_hasStorage var object: Builtin.NativeObject
}
class C {
  func m(_ s: S)
}
class D : C {
  override func m(_ s: S)
}
sil @c : $@convention(method) (@guaranteed S, @guaranteed C) -> ()
sil @d : $@convention(method) (@owned S, @guaranteed D) -> ()
sil_vtable C {
  #C.m: (C) -> (S) -> () : @c
}
sil_vtable D {
  #C.m: (C) -> (S) -> () : @d [override]
}
",
    corrected: "\
struct S {
  @_hasStorage var object: Builtin.NativeObject
}
class C {
  func m(_ s: S)
}
class D : C {
  override func m(_ s: S)
}
sil @c : $@convention(method) (@guaranteed S, @guaranteed C) -> ()
sil @d : $@convention(method) (@guaranteed S, @guaranteed D) -> ()
sil_vtable C {
  #C.m: (C) -> (S) -> () : @c
}
sil_vtable D {
  #C.m: (C) -> (S) -> () : @d [override]
}
",
    check: Check::Module(override_is_compatible),
};

fn override_is_compatible(cx: &ModuleVerifier<'_>) {
    // Overloads have the same name and are distinguished by their formal types.
    let mut first: FxHashMap<(DeclRef, Option<Type>), Symbol> = FxHashMap::default();
    for table in cx.module.vtables.values() {
        let Some(class) = table.class_path() else { continue };
        for entry in &table.entries {
            if matches!(&*entry.method.data().path, [owner, _] if *owner == class) {
                first.entry((entry.method, entry.formal)).or_insert(entry.function);
            }
        }
    }
    for (index, table) in cx.module.vtables.iter() {
        for entry in table.entries.iter().filter(|e| e.attributes.kind == EntryKind::Override) {
            let Some(&overridden) = first.get(&(entry.method, entry.formal)) else { continue };
            let ids = (cx.program.function_id(overridden), cx.program.function_id(entry.function));
            let (Some(base), Some(own)) = ids else { continue };
            let ty = |id| cx.module.functions[id].ty.ty();
            let types = (ty(base).as_function(), ty(own).as_function());
            let (Some(base_type), Some(own_type)) = types else { continue };
            if let Some(why) = difference(base_type, own_type) {
                let message = format!("`@{}` overrides `@{overridden}`, but {why} differ", entry.function);
                let place = place::entry(cx, SourceEntity::VTable(index), entry.function.as_str());
                cx.report(
                    cx.finding(&OVERRIDE_IS_COMPATIBLE, Owner::Module, place, message)
                        .also(Place::Function(own), "the override")
                        .also(Place::Function(base), "the overridden function"),
                );
            }
        }
    }
}

/// Returns a definite difference between the calling conventions of two functions, if there is one.
fn difference(base: &FunctionType, own: &FunctionType) -> Option<&'static str> {
    if base.params.len() != own.params.len() {
        return Some("the numbers of parameters");
    }
    if base.params.iter().zip(&own.params).any(|(p, q)| p.convention != q.convention) {
        return Some("the conventions of parameters");
    }
    if base.results.len() != own.results.len() {
        return Some("the numbers of results");
    }
    if base.results.iter().zip(&own.results).any(|(r, s)| r.convention != s.convention) {
        return Some("the conventions of results");
    }
    if base.is_coroutine() != own.is_coroutine() || base.is_async() != own.is_async() {
        return Some("their kinds");
    }
    None
}

static ENTRY_SAYS_OVERRIDE: Rule = Rule {
    id: RuleId::new("SIL0619"),
    name: "EntrySaysOverride",
    severity: Severity::Error,
    summary: "A vtable entry states whether it overrides or inherits the entry of the superclass",
    details: "\
Passes rely on the entry alone to tell whether a superclass has one for the same method: `[override]`
replaces its function, `[inherited]` repeats it; both name the method where it was first declared. An
entry without either introduces a method; a class without superclass has only such entries.",
    failing: "\
class C {
  func m()
}
class D : C {
  override func m()
}
sil @c : $@convention(method) (@guaranteed C) -> ()
sil @d : $@convention(method) (@guaranteed D) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @c
}
sil_vtable D {
  #C.m: (C) -> () -> () : @d
}
",
    corrected: "\
class C {
  func m()
}
class D : C {
  override func m()
}
sil @c : $@convention(method) (@guaranteed C) -> ()
sil @d : $@convention(method) (@guaranteed D) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @c
}
sil_vtable D {
  #C.m: (C) -> () -> () : @d [override]
}
",
    check: Check::Module(entry_says_override),
};

fn entry_says_override(cx: &ModuleVerifier<'_>) {
    let mut tables = FxHashMap::default();
    for table in cx.module.vtables.values() {
        if let Some(class) = table.class_path()
            && let Lookup::Known(decl) = cx.declarations.lookup_nominal(class)
        {
            tables.entry(decl.path).or_insert(table);
        }
    }
    // The optimizer removes the entries of functions that are never called, from each table for itself.
    let may_be_pruned = cx.declarations.own().is_printed_by_compiler && !cx.module.is_raw();
    // The entries that each table introduces or passes on to the tables of subclasses.
    let mut entries: FxHashMap<Symbol, FxHashSet<(DeclRef, Option<Type>)>> = FxHashMap::default();
    for (index, table) in cx.module.vtables.iter() {
        let Some(class) = table.class_path() else { continue };
        let Lookup::Known(decl) = cx.declarations.lookup_nominal(class) else { continue };
        let superclass = cx.declarations.superclass(Type::nominal(class.as_str()));
        let above = superclass.and_then(|ty| cx.declarations.nominal_of(ty));
        let above = above.and_then(|d| Some((d.path, *tables.get(&d.path)?)));
        let is_root = superclass.is_none() && decl.is_class() && decl.inherited.is_empty();
        // Nor does a serialized table keep the entries of functions that its module does not export.
        let is_serialized = cx.declarations.own().is_printed_by_compiler
            && table.attributes.serialized != silkit_ir::Serialized::No;
        if let Some((_, above)) = above.filter(|_| !may_be_pruned && !is_serialized) {
            missing_entry(cx, index, table, above);
        }
        for entry in &table.entries {
            if let Some(message) = nonoverridden(entry, above.map(|(_, table)| table)) {
                let place = place::entry(cx, SourceEntity::VTable(index), entry.function.as_str());
                cx.report(cx.finding(&ENTRY_SAYS_OVERRIDE, Owner::Module, place, message));
                continue;
            }
            let says = match entry.attributes.kind {
                EntryKind::Normal => None,
                EntryKind::Override => Some("override"),
                EntryKind::Inherited => Some("inherited"),
            };
            let message = match (says, above) {
                (Some(says), _) if is_root => {
                    format!("`{}` is `[{says}]` in a class without superclass", entry.method)
                }
                (Some(says), _) if entry.method.owner_path() == Some(decl.path) => {
                    let message = format!(
                        "`{}` is `[{says}]`, but the vtable of no superclass has an entry for a method of `{class}`",
                        entry.method
                    );
                    // The reference does not check it.
                    let place = place::entry(cx, SourceEntity::VTable(index), entry.function.as_str());
                    cx.report(cx.finding(&ENTRY_SAYS_OVERRIDE, Owner::Module, place, message).warning());
                    continue;
                }
                (None, Some((_, table))) if let Some(method) = overridden(cx, table, decl, entry) => format!(
                    "`{}` overrides `{method}`, whose entry in the vtable of the superclass serves for both",
                    entry.method
                ),
                (None, Some((path, table))) => {
                    let known = entries
                        .entry(path)
                        .or_insert_with(|| table.entries.iter().map(|e| (e.method, e.formal)).collect());
                    if !known.contains(&(entry.method, entry.formal)) {
                        continue;
                    }
                    format!(
                        "`{}` is also in the vtable of the superclass, but is neither `[override]` nor `[inherited]`",
                        entry.method
                    )
                }
                (None, None) if let Some(message) = overrides_declared(cx, decl, entry) => {
                    // The reference does not check it.
                    let place = place::entry(cx, SourceEntity::VTable(index), entry.function.as_str());
                    cx.report(cx.finding(&ENTRY_SAYS_OVERRIDE, Owner::Module, place, message).warning());
                    continue;
                }
                _ => continue,
            };
            let place = place::entry(cx, SourceEntity::VTable(index), entry.function.as_str());
            cx.report(cx.finding(&ENTRY_SAYS_OVERRIDE, Owner::Module, place, message));
        }
    }
}

/// Returns an error about an entry that overrides one without overrides, or claims to be both.
fn nonoverridden(entry: &VTableEntry, above: Option<&VTable>) -> Option<String> {
    if entry.attributes.kind != EntryKind::Override {
        return None;
    }
    if entry.attributes.is_nonoverridden {
        return Some(format!("`{}` is `[override]` and `[nonoverridden]`", entry.method));
    }
    let overridden = above?.entries.iter().find(|e| e.method == entry.method && e.formal == entry.formal)?;
    overridden.attributes.is_nonoverridden.then(|| {
        format!("`{}` overrides the entry of the superclass, which is `[nonoverridden]`", entry.method)
    })
}

/// Returns an error about an entry that names an override, if the file declares both methods with the same signature.
fn overrides_declared(cx: &ModuleVerifier<'_>, class: &NominalDecl, entry: &VTableEntry) -> Option<String> {
    let (kinds, name) = (&entry.method.data().kinds, entry.method.name()?);
    let is_plain = matches!(&**kinds, []) || matches!(&**kinds, [k] if *k == "getter" || *k == "setter");
    let is_own = entry.method.owner_path()? == class.path && !cx.declarations.own().is_printed_by_compiler;
    let own = only_member(class, name).filter(|m| m.flags.contains(DeclFlags::OVERRIDE))?;
    let superclass = cx.declarations.superclass(Type::nominal(class.path.as_str()))?;
    let above =
        cx.declarations.own_nominal_of(superclass).filter(|d| d.sig.is_none() && class.sig.is_none())?;
    let overridden = only_member(above, name)?;
    let text = cx.swift_text();
    let signature = |member: &Member| text.get(member.signature.as_usize()).map(str::trim);
    let is_same = signature(own) == signature(overridden)
        && (own.access, class.access) == (overridden.access, above.access)
        && !overridden.flags.contains(DeclFlags::OVERRIDE);
    (is_plain && is_own && is_same)
        .then(|| format!("`{}` overrides `#{}.{name}`, which the entry names", entry.method, above.path))
}

/// Reports the first method in the vtable of the superclass without an entry in the vtable of the class.
fn missing_entry(cx: &ModuleVerifier<'_>, index: VTableId, table: &VTable, superclass: &VTable) {
    let own: FxHashSet<DeclRef> = table.entries.iter().map(|e| e.method).collect();
    let is_passed_on = |method: DeclRef| {
        let is_deinit = method.name().is_some_and(|name| name == "deinit");
        !is_deinit && method.data().kinds.iter().all(|kind| *kind != "ivardestroyer")
    };
    let missing = superclass.entries.iter().find(|e| is_passed_on(e.method) && !own.contains(&e.method));
    if let Some(entry) = missing {
        let message =
            format!("the vtable has no entry for `{}`, which that of the superclass has", entry.method);
        let place = place::entity(cx, SourceEntity::VTable(index));
        // The reference does not check it.
        cx.report(cx.finding(&ENTRY_SAYS_OVERRIDE, Owner::Module, place, message).warning());
    }
}

/// Returns the method that an entry's method overrides, if the vtable of the superclass has it and it surely serves for
/// both: the override has the same formal type and is not visible to more callers.
fn overridden(
    cx: &ModuleVerifier<'_>,
    superclass: &VTable,
    class: &NominalDecl,
    entry: &VTableEntry,
) -> Option<DeclRef> {
    let inner = |formal: Option<Type>| Some(formal?.as_function()?.results.first()?.ty);
    let (kinds, name) = (&entry.method.data().kinds, entry.method.name()?);
    let is_plain = matches!(&**kinds, []) || matches!(&**kinds, [k] if *k == "getter" || *k == "setter");
    let own = only_member(class, name).filter(|m| m.flags.contains(DeclFlags::OVERRIDE))?;
    if !is_plain || class.sig.is_some() || entry.method.owner_path()? != class.path {
        return None;
    }
    let found = superclass.entries.iter().find(|e| {
        let is_same_name = e.method.name() == Some(name);
        is_same_name && e.method.data().kinds == *kinds
    })?;
    let method = found.method;
    let Lookup::Known(above) = cx.declarations.lookup_nominal(method.owner_path()?) else { return None };
    let is_as_visible = (only_member(above, name)?.access, above.access) == (own.access, class.access);
    let is_same = inner(found.formal)? == inner(entry.formal)?;
    (is_as_visible && is_same && above.sig.is_none()).then_some(method)
}

/// Returns the member with a name, if the type declares one only.
fn only_member(decl: &NominalDecl, name: Symbol) -> Option<&Member> {
    let mut found = decl.body.members.all_named(name);
    found.next().filter(|_| found.next().is_none())
}
