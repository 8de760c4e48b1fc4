//! Vtables: which classes have one, and which functions their entries name.

use super::place;
use super::tables::{class_name, with_declaration};
use crate::context::{ModuleVerifier, Owner};
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::attributes::EntryKind;
use silkit_ir::{ClassRef, VTableEntry, VTableId};
use silkit_text::SourceEntity;
use silkit_types::decl::{Lookup, MAX_SUPERCLASSES};
use silkit_types::{Convention, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&VTABLE_OF_CLASS, &ENTRY_OF_CLASS];

static VTABLE_OF_CLASS: Rule = Rule {
    id: RuleId::new("SIL0613"),
    name: "VTableOfClass",
    severity: Severity::Error,
    summary: "A vtable belongs to a class",
    details: "\
Only methods of classes are called through a vtable; other types have no subclasses that could override
them. `sil_vtable $C<Int>` is the table of a specialized generic class.",
    failing: "\
struct S {}
sil_vtable S {
}
",
    corrected: "\
class S {}
sil_vtable S {
}
",
    check: Check::Module(vtable_of_class),
};

fn vtable_of_class(cx: &ModuleVerifier<'_>) {
    for (index, table) in cx.module.vtables.iter() {
        let decl = match table.class {
            ClassRef::Name(name) => {
                match cx.declarations.lookup_nominal(table.class_path().unwrap_or(name)) {
                    Lookup::Known(decl) => Some(decl),
                    _ => None,
                }
            }
            ClassRef::Type(ty) => {
                let known = cx.declarations.nominal_of(ty.ty());
                known.filter(|decl| !cx.declarations.may_be_another(decl))
            }
        };
        let Some(decl) = decl else { continue };
        let place = place::entity(cx, SourceEntity::VTable(index));
        if !decl.is_class() {
            let message = format!("`{}` has a vtable, but is not a class", class_name(table));
            cx.report(cx.finding(&VTABLE_OF_CLASS, Owner::Module, place, message));
        } else if let ClassRef::Type(ty) = table.class
            && !is_bound(ty.ty())
        {
            let message = format!("`{ty}` has the vtable of a specialized class, but no generic arguments");
            // The reference does not check it.
            cx.report(cx.finding(&VTABLE_OF_CLASS, Owner::Module, place, message).warning());
        }
    }
}

/// Returns true if a nominal type, or a type that it is declared in, has generic arguments.
fn is_bound(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Named(named) => !named.args.is_empty() || named.parent.is_some_and(is_bound),
        _ => true,
    }
}

static ENTRY_OF_CLASS: Rule = Rule {
    id: RuleId::new("SIL0614"),
    name: "EntryOfClass",
    severity: Severity::Error,
    summary: "A vtable has entries for methods of its class and of its superclasses",
    details: "\
An entry names the method where it was first declared: the one of the superclass, where the class
overrides it. Its function takes as `self` an instance of the class or of a superclass; in the table of
a specialized class, `sil_vtable $C<Int>`, one with the same generic arguments.",
    failing: "\
class C {
  func m()
}
class D {
}
sil @m : $@convention(method) (@guaranteed D) -> ()
sil_vtable D {
  #C.m: (C) -> () -> () : @m
}
",
    corrected: "\
class C {
  func m()
}
class D : C {
}
sil @m : $@convention(method) (@guaranteed D) -> ()
sil_vtable D {
  #C.m: (C) -> () -> () : @m
}
",
    check: Check::Module(entry_of_class),
};

fn entry_of_class(cx: &ModuleVerifier<'_>) {
    let mut named: FxHashMap<Symbol, usize> = FxHashMap::default();
    for nominal in cx.declarations.own().nominals() {
        *named.entry(nominal.name).or_default() += 1;
    }
    for (index, table) in cx.module.vtables.iter() {
        let ClassRef::Name(class) = table.class else { continue };
        let Some(ancestors) = ancestors(cx, class, &named) else { continue };
        for entry in &table.entries {
            // The name of a nested class may be ambiguous.
            let [owner, _] = &*entry.method.data().path else { continue };
            let Lookup::Known(owner) = cx.declarations.lookup_nominal(*owner) else { continue };
            if !ancestors.contains(&owner.path) {
                let message = format!("`{}` is not a method of `{class}` or a superclass", entry.method);
                let place = place::entry(cx, SourceEntity::VTable(index), entry.function.as_str());
                cx.report(cx.finding(&ENTRY_OF_CLASS, Owner::Module, place, message));
                continue;
            }
            // What a class inherits was checked in the table of the superclass.
            if entry.attributes.kind != EntryKind::Inherited
                && let Some(this) = instance_of_self(cx, entry.function)
                && let Some(decl) = cx.declarations.nominal_of(this)
                && decl.is_class()
                && !cx.declarations.may_be_another(decl)
                && !ancestors.contains(&decl.path)
            {
                other_self(cx, index, entry, this, class.as_str());
            }
        }
    }
    for (index, table) in cx.module.vtables.iter() {
        let ClassRef::Type(class) = table.class else { continue };
        if cx.declarations.is_class(class.ty()) != Some(true) {
            continue;
        }
        for entry in &table.entries {
            let Some(this) = instance_of_self(cx, entry.function) else { continue };
            let is_other = cx.declarations.is_class(this) == Some(true)
                && is_superclass(cx, class.ty(), this) == Some(false);
            if is_other {
                other_self(cx, index, entry, this, &class.ty().to_string());
            }
        }
    }
}

/// Reports that the function of a vtable entry takes a `self` that the class is not.
fn other_self(cx: &ModuleVerifier<'_>, table: VTableId, entry: &VTableEntry, this: Type, class: &str) {
    let message =
        format!("`@{}` takes `{this}` as `self`, which is not `{class}` or a superclass", entry.function);
    let place = place::entry(cx, SourceEntity::VTable(table), entry.function.as_str());
    // The reference does not check it.
    let finding = cx.finding(&ENTRY_OF_CLASS, Owner::Module, place, message).warning();
    cx.report(with_declaration(cx, finding, entry.function));
}

/// Returns the nominal type of the last parameter of a method, or its instance type if it is a metatype.
fn instance_of_self(cx: &ModuleVerifier<'_>, function: Symbol) -> Option<Type> {
    let function = cx.function(function)?.ty.ty().as_function()?;
    if function.convention != Convention::Method || function.pattern_sig.is_some() {
        return None;
    }
    let mut this = function.params.last()?.ty;
    while let TypeKind::Metatype(_, instance) | TypeKind::DynamicSelf(instance) = this.kind() {
        this = *instance;
    }
    matches!(this.kind(), TypeKind::Named(_)).then_some(this)
}

/// Returns whether a type is a class or one of its superclasses, with the same generic arguments.
fn is_superclass(cx: &ModuleVerifier<'_>, class: Type, superclass: Type) -> Option<bool> {
    let target = cx.declarations.nominal_of(superclass)?;
    let mut at = class;
    for _ in 0..MAX_SUPERCLASSES {
        if cx.declarations.nominal_of(at)?.path == target.path {
            return cx.declarations.same_type(at, superclass, None);
        }
        match cx.declarations.known_superclass(at)? {
            Some(above) => at = above,
            None => return Some(cx.declarations.may_be_another(target)).filter(|may| !may),
        }
    }
    None
}

/// Returns a class and its superclasses if all are known; `named` maps a name to the number of types in the module
/// with that name.
fn ancestors(
    cx: &ModuleVerifier<'_>,
    class: Symbol,
    named: &FxHashMap<Symbol, usize>,
) -> Option<FxHashSet<Symbol>> {
    let mut found = FxHashSet::default();
    let Lookup::Known(decl) = cx.declarations.lookup_nominal(class) else { return None };
    let only = named.get(&decl.name).is_none_or(|&count| count < 2);
    if !only || !decl.is_class() {
        return None;
    }
    found.insert(decl.path);
    let mut at = Type::nominal(class.as_str());
    for _ in 0..MAX_SUPERCLASSES {
        match cx.declarations.known_superclass(at)? {
            Some(superclass) => at = superclass,
            None => return Some(found),
        }
        found.insert(cx.declarations.nominal_of(at)?.path);
    }
    None
}
