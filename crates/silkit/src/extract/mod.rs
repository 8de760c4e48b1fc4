//! Extraction of a self-contained part of a module: some functions, with declarations of their dependences.

mod members;
mod minimal;
mod swift;

pub use minimal::extract_minimal;
pub(crate) use minimal::keep_swift;
pub(crate) use swift::{declarations_besides_imports, map_declarations, without_inherited_types};

use crate::references;
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::{Function, Linkage, Module, ScopeParent, WitnessEntry};

/// Keeps the selected functions with their bodies.
///
/// Other functions are kept as declarations if a kept entity references them. Tables are kept completely; global
/// variables are kept if they are visible outside or referenced.
///
/// ```
/// let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = function_ref @g : $@convention(thin) () -> ()\n  return %0\n}\nsil hidden @g : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\nsil @h : $@convention(thin) () -> ()\n";
/// let module = silkit::text::parse_module(text).module;
/// let part = silkit::extract::extract(module, |name| name == "f");
/// let names: Vec<&str> = part.functions.values().map(|f| f.name.as_str()).collect();
/// assert_eq!(names, ["f", "g"]);
/// assert!(part.functions.values().last().unwrap().body.is_none());
/// ```
pub fn extract(mut module: Module, is_selected: impl Fn(&str) -> bool) -> Module {
    for function in module.functions.values_mut() {
        if !is_selected(function.name.as_str()) && function.body.is_some() {
            function.remove_body();
        }
    }
    keep_scopes(&mut module);
    let kept = needed(&module, &is_selected);
    module.globals.retain(|g| is_visible(g.linkage) || kept.contains(&g.name));
    keep_functions(&mut module, &kept, &is_selected);
    module
}

/// Keeps the selected functions, and those with the kept names.
fn keep_functions(module: &mut Module, kept: &FxHashSet<Symbol>, is_selected: &impl Fn(&str) -> bool) {
    let is_defined = |f: &Function| f.body.is_some() && is_selected(f.name.as_str());
    module.functions.retain(|f| kept.contains(&f.name) || is_defined(f));
}

fn is_visible(linkage: Linkage) -> bool {
    matches!(
        linkage,
        Linkage::Default
            | Linkage::Public
            | Linkage::PublicNonAbi
            | Linkage::Package
            | Linkage::PackageNonAbi
    )
}

/// Collects the names that selected functions reference.
fn named_by_functions(module: &Module, is_selected: impl Fn(&str) -> bool, keep: &mut impl FnMut(Symbol)) {
    for function in module.functions.values().filter(|f| f.body.is_some() && is_selected(f.name.as_str())) {
        if let Some(body) = &function.body {
            references::of_body(body, keep);
        }
        let attributes = &function.attributes;
        let named = [attributes.dynamic_replacement_for, attributes.ref_adhoc_requirement_witness];
        let targets = attributes.specializations.iter().filter_map(|s| s.target);
        named.into_iter().flatten().chain(targets).for_each(&mut *keep);
    }
}

/// Returns the names that kept entities reference.
fn needed(module: &Module, is_selected: impl Fn(&str) -> bool) -> FxHashSet<Symbol> {
    let mut kept: FxHashSet<Symbol> = FxHashSet::default();
    let mut keep = |name: Symbol| _ = kept.insert(name);
    named_by_functions(module, is_selected, &mut keep);
    module.vtables.values().flat_map(|t| &t.entries).for_each(|e| keep(e.function));
    for table in module.witness_tables.values().chain(module.default_witness_tables.values()) {
        for entry in table.entries.iter().flatten() {
            if let WitnessEntry::Method(_, _, Some(function)) = entry {
                keep(*function);
            }
        }
    }
    module.default_override_tables.iter().flat_map(|t| &t.entries).for_each(|e| keep(e.3));
    for witness in &module.differentiability_witnesses {
        keep(witness.function);
        witness.derivatives.iter().flatten().for_each(|d| keep(d.1));
    }
    let components = module.properties.iter().filter_map(|p| p.component.as_ref());
    components.for_each(|c| references::of_component(c, &mut keep));
    module.deinits.iter().for_each(|d| keep(d.function));
    for scope in &module.scopes {
        if let Some(ScopeParent::Function(name, _)) = &scope.parent {
            keep(*name);
        }
    }
    keep_globals(module, &mut kept);
    kept
}

/// Adds the references in the initializers of kept globals.
fn keep_globals(module: &Module, kept: &mut FxHashSet<Symbol>) {
    let mut waiting: Vec<_> = module.globals.values().collect();
    loop {
        let stays = |name, linkage| is_visible(linkage) || kept.contains(&name);
        let (staying, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|g| stays(g.name, g.linkage));
        if staying.is_empty() {
            return;
        }
        for body in staying.iter().filter_map(|g| g.initializer.as_ref()) {
            references::of_body(body, &mut |name| _ = kept.insert(name));
        }
        waiting = rest;
    }
}

/// Drops unused debug scopes.
fn keep_scopes(module: &mut Module) {
    if module.scopes.is_empty() {
        return;
    }
    let mut used: FxHashSet<u32> = FxHashSet::default();
    for body in module.functions.values().filter_map(|f| f.body.as_ref()) {
        used.extend(body.used_scopes());
    }
    // The parents of a scope are declared before it.
    for scope in module.scopes.iter().rev() {
        if used.contains(&scope.id) {
            used.extend(scope.inlined_at);
            if let Some(ScopeParent::Scope(parent)) = scope.parent {
                used.insert(parent);
            }
        }
    }
    module.scopes.retain(|s| used.contains(&s.id));
}
