//! Debug scopes: declared once, before they are used, and used only in the function that they belong to.

use super::place;
use crate::context::{ModuleVerifier, Owner};
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{NONE, Scope, ScopeParent};
use silkit_text::SourceEntity;
use silkit_types::SilType;

pub(super) const RULES: &[&Rule] = &[&SCOPE_DECLARED, &SCOPE_OF_FUNCTION, &SCOPE_ONCE, &SCOPE_FUNCTION_TYPE];

static SCOPE_DECLARED: Rule = Rule {
    id: RuleId::new("SIL0621"),
    name: "ScopeDeclared",
    severity: Severity::Error,
    summary: "A debug scope is declared before it is used",
    details: "\
`sil_scope 1 { … }` states the source location of a scope and its parent. Parents come before their
children, and all before the functions that use them.",
    failing: "\
sil_scope 1 { loc \"a.swift\":1:1 parent 7 }
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    corrected: "\
sil_scope 1 { loc \"a.swift\":1:1 parent @f : $@convention(thin) () -> () }
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    check: Check::Module(scopes),
};

static SCOPE_OF_FUNCTION: Rule = Rule {
    id: RuleId::new("SIL0622"),
    name: "ScopeOfFunction",
    severity: Severity::Error,
    summary: "The debug scope of an instruction belongs to its function, or is inlined there",
    details: "\
A debugger shows the instruction in the function that its scope is part of. The scope of an inlined
instruction has an `inlined_at`.",
    failing: "\
sil_scope 1 { loc \"a.swift\":1:1 parent @g : $@convention(thin) () -> () }
sil @g : $@convention(thin) () -> ()
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple (), loc \"a.swift\":1:2, scope 1
  return %0 : $(), loc \"a.swift\":1:3, scope 1
}
",
    corrected: "\
sil_scope 1 { loc \"a.swift\":1:1 parent @f : $@convention(thin) () -> () }
sil @g : $@convention(thin) () -> ()
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple (), loc \"a.swift\":1:2, scope 1
  return %0 : $(), loc \"a.swift\":1:3, scope 1
}
",
    check: Check::With(&["SIL0621"]),
};

static SCOPE_ONCE: Rule = Rule {
    id: RuleId::new("SIL0623"),
    name: "ScopeOnce",
    severity: Severity::Error,
    summary: "A debug scope is declared once",
    details: "\
Its number identifies one scope. Renumber the second one.",
    failing: "\
sil_scope 1 { loc \"a.swift\":1:1 parent @f : $@convention(thin) () -> () }
sil_scope 1 { loc \"a.swift\":2:1 parent @f : $@convention(thin) () -> () }
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    corrected: "\
sil_scope 1 { loc \"a.swift\":1:1 parent @f : $@convention(thin) () -> () }
sil_scope 2 { loc \"a.swift\":2:1 parent @f : $@convention(thin) () -> () }
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    check: Check::With(&["SIL0621"]),
};

static SCOPE_FUNCTION_TYPE: Rule = Rule {
    id: RuleId::new("SIL0639"),
    name: "ScopeFunctionType",
    severity: Severity::Error,
    summary: "A debug scope gives its function the type of its declaration",
    details: "\
A scope whose parent is a function states the type of the function. It may be a function that was inlined and of which nothing else is left.",
    failing: "\
sil_scope 1 { loc \"a.swift\":1:1 parent @f : $@convention(thin) (Builtin.Int1) -> () }
sil @f : $@convention(thin) () -> ()
",
    corrected: "\
sil_scope 1 { loc \"a.swift\":1:1 parent @f : $@convention(thin) () -> () }
sil @f : $@convention(thin) () -> ()
",
    check: Check::With(&["SIL0621"]),
};

/// Reports that a scope gives its function another type than its declaration.
fn function_type(cx: &ModuleVerifier<'_>, index: usize, name: Symbol, ty: SilType) {
    let Some(declared) = cx.function(name).map(|f| f.ty) else { return };
    if ty != declared
        && !ty.is_unknown()
        && cx.declarations.same_type(ty.ty(), declared.ty(), None) == Some(false)
    {
        let message = format!("the scope gives `@{name}` the type `{ty}`, but its type is `{declared}`");
        let place = place::entity(cx, SourceEntity::Scope(index));
        cx.report(cx.finding(&SCOPE_FUNCTION_TYPE, Owner::Module, place, message));
    }
}

fn scopes(cx: &ModuleVerifier<'_>) {
    let mut known: FxHashMap<u32, usize> = FxHashMap::default();
    let mut owners: FxHashMap<u32, Symbol> = FxHashMap::default();
    for (index, scope) in cx.module.scopes.iter().enumerate() {
        let place = || place::entity(cx, SourceEntity::Scope(index));
        if let Some(ScopeParent::Function(name, ty)) = scope.parent {
            function_type(cx, index, name, ty);
        }
        let parent = match scope.parent {
            Some(ScopeParent::Scope(parent)) => Some(parent),
            _ => None,
        };
        for used in parent.into_iter().chain(scope.inlined_at).filter(|s| !known.contains_key(s)) {
            let message = format!("scope {} is in scope {used}, which is not declared before it", scope.id);
            cx.report(cx.finding(&SCOPE_DECLARED, Owner::Module, place(), message));
        }
        if let Some(first) = known.insert(scope.id, index) {
            let message = format!("scope {} is declared twice", scope.id);
            cx.report(
                cx.finding(&SCOPE_ONCE, Owner::Module, place(), message)
                    .also(place::entity(cx, SourceEntity::Scope(first)), "first declared here"),
            );
        } else if let Some(owner) = owner(scope, &owners) {
            owners.insert(scope.id, owner);
        }
    }
    uses(cx, &known, &owners);
}

/// Checks the scopes of instructions.
fn uses(cx: &ModuleVerifier<'_>, known: &FxHashMap<u32, usize>, owners: &FxHashMap<u32, Symbol>) {
    for (id, function) in cx.module.functions.iter() {
        let Some(body) = &function.body else { continue };
        let mut seen = FxHashSet::default();
        let mut last = NONE;
        for inst in body.insts() {
            let Some(loc) = body.loc(body.inst(inst).loc) else { continue };
            if loc.scope == NONE || loc.scope == last || !seen.insert(loc.scope) {
                continue;
            }
            last = loc.scope;
            let Some(&declared) = known.get(&loc.scope) else {
                let message = format!("scope {} is not declared", loc.scope);
                cx.report(cx.finding(&SCOPE_DECLARED, Owner::Function(id), Place::Inst(inst), message));
                continue;
            };
            if let Some(owner) = owners.get(&loc.scope).filter(|o| **o != function.name) {
                let message = format!("scope {} belongs to `@{owner}`", loc.scope);
                cx.report(
                    cx.finding(&SCOPE_OF_FUNCTION, Owner::Function(id), Place::Inst(inst), message)
                        .also(place::entity(cx, SourceEntity::Scope(declared)), "the scope is declared here")
                        .note("an instruction that was inlined has a scope that says so: `inlined_at`"),
                );
            }
        }
    }
}

/// Returns the function that a scope belongs to: that of the call site if it was inlined, otherwise its own.
fn owner(scope: &Scope, owners: &FxHashMap<u32, Symbol>) -> Option<Symbol> {
    match (scope.inlined_at, &scope.parent) {
        (Some(site), _) => owners.get(&site).copied(),
        (None, Some(ScopeParent::Scope(parent))) => owners.get(parent).copied(),
        (None, Some(ScopeParent::Function(name, _))) => Some(*name),
        (None, None) => None,
    }
}
