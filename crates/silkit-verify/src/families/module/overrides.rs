//! The functions in vtables compared with the functions that they override.

use super::place;
use crate::context::{ModuleVerifier, Owner};
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_diag::RuleId;
use silkit_ir::attributes::EntryKind;
use silkit_ir::{ClassRef, DeclRef};
use silkit_text::SourceEntity;
use silkit_types::decl::Lookup;
use silkit_types::{FunctionType, Type};

pub(super) const RULES: &[&Rule] = &[&OVERRIDE_IS_COMPATIBLE, &ENTRY_SAYS_OVERRIDE];

static OVERRIDE_IS_COMPATIBLE: Rule = Rule {
    id: RuleId::new("SIL0618"),
    name: "OverrideIsCompatible",
    summary: "A function that overrides another one in a vtable has a compatible type",
    details: "\
A caller may call the override with the type of the superclass's method. If the override has other
conventions, the vtable entry is a thunk.",
    failing: "\
class C {
  func m()
}
class D : C {
  override func m()
}
sil @c : $@convention(method) (@guaranteed C) -> ()
sil @d : $@convention(method) (@owned D) -> ()
sil_vtable C {
  #C.m: (C) -> () -> () : @c
}
sil_vtable D {
  #C.m: (C) -> () -> () : @d [override]
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
    check: Check::Module(override_is_compatible),
};

fn override_is_compatible(cx: &ModuleVerifier<'_>) {
    // Overloads have the same name and are distinguished by their formal types.
    let mut first: FxHashMap<(DeclRef, Option<Type>), Symbol> = FxHashMap::default();
    for table in cx.module.vtables.values() {
        let ClassRef::Name(class) = table.class else { continue };
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
    summary: "A vtable entry states whether it overrides or inherits the entry of the superclass",
    details: "\
Passes rely on the entry alone to tell whether a superclass has one for the same method: `[override]`
replaces its function, `[inherited]` repeats it. An entry without either introduces a method; a class
without superclass has only such entries.",
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
        if let ClassRef::Name(class) = table.class
            && let Lookup::Known(decl) = cx.declarations.lookup_nominal(class)
        {
            tables.entry(decl.path).or_insert(table);
        }
    }
    // The entries that each table introduces or passes on to the tables of subclasses.
    let mut entries: FxHashMap<Symbol, FxHashSet<(DeclRef, Option<Type>)>> = FxHashMap::default();
    for (index, table) in cx.module.vtables.iter() {
        let ClassRef::Name(class) = table.class else { continue };
        let Lookup::Known(decl) = cx.declarations.lookup_nominal(class) else { continue };
        let superclass = cx.declarations.superclass(Type::nominal(class.as_str()));
        let above = superclass.and_then(|ty| cx.declarations.nominal_of(ty));
        let above = above.and_then(|d| Some((d.path, *tables.get(&d.path)?)));
        let is_root = superclass.is_none() && decl.is_class() && decl.inherited.is_empty();
        for entry in &table.entries {
            let says = match entry.attributes.kind {
                EntryKind::Normal => None,
                EntryKind::Override => Some("override"),
                EntryKind::Inherited => Some("inherited"),
            };
            let message = match (says, above) {
                (Some(says), _) if is_root => {
                    format!("`{}` is `[{says}]` in a class without superclass", entry.method)
                }
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
                _ => continue,
            };
            let place = place::entry(cx, SourceEntity::VTable(index), entry.function.as_str());
            cx.report(cx.finding(&ENTRY_SAYS_OVERRIDE, Owner::Module, place, message));
        }
    }
}
