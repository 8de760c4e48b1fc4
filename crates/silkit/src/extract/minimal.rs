//! Minimal extraction: the smallest part of a module that contains some functions and can be parsed and verified.

use super::{keep_functions, keep_scopes, named_by_functions, swift};
use crate::references;
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::{Module, ScopeParent};
use silkit_text::{PrintOptions, print_module};

/// Keeps the selected functions with their bodies and only what they depend on: declarations of referenced functions
/// and globals, and the Swift declarations that these mention, transitively.
///
/// Vtables, witness tables, property descriptors and coverage maps are dropped.
///
/// ```
/// let text = "struct Used { var x: Int }\nstruct Unused {}\nsil @f : $@convention(thin) (Used) -> () {\nbb0(%0 : $Used):\n  return undef : $()\n}\nsil_vtable C {\n}\nclass C {}\n";
/// let module = silkit::text::parse_module(text).module;
/// let part = silkit::extract::extract_minimal(module, |name| name == "f");
/// let text = silkit::print(&part);
/// assert!(text.contains("struct Used") && !text.contains("Unused") && !text.contains("class C"), "{text}");
/// ```
pub fn extract_minimal(mut module: Module, is_selected: impl Fn(&str) -> bool) -> Module {
    for function in module.functions.values_mut() {
        if !is_selected(function.name.as_str()) && function.body.is_some() {
            function.remove_body();
        }
    }
    keep_scopes(&mut module);
    module.vtables.take();
    module.witness_tables.take();
    module.default_witness_tables.take();
    module.default_override_tables.clear();
    module.properties.clear();
    module.coverage_maps.clear();
    let mut kept: FxHashSet<Symbol> = FxHashSet::default();
    named_by_functions(&module, &is_selected, &mut |name| _ = kept.insert(name));
    for scope in &module.scopes {
        if let Some(ScopeParent::Function(name, _)) = &scope.parent {
            kept.insert(*name);
        }
    }
    keep_globals(&mut module, &mut kept);
    module.differentiability_witnesses.retain(|witness| kept.contains(&witness.function));
    for witness in &mut module.differentiability_witnesses {
        kept.extend(witness.derivatives.iter().flatten().map(|(_, name, _)| *name));
    }
    keep_functions(&mut module, &kept, &is_selected);
    keep_swift(&mut module);
    module
}

/// Keeps the referenced globals, and adds the references of their initializers.
fn keep_globals(module: &mut Module, kept: &mut FxHashSet<Symbol>) {
    let mut names: Vec<Symbol> = kept.iter().copied().collect();
    while let Some(name) = names.pop() {
        let global = module.globals.by_key(&name);
        if let Some(body) = global.and_then(|global| global.initializer.as_ref()) {
            references::of_body(body, &mut |name| {
                if kept.insert(name) {
                    names.push(name);
                }
            });
        }
    }
    module.globals.retain(|global| kept.contains(&global.name));
}

/// Keeps the Swift declarations that the rest of the module mentions, and the deinitializers of kept types.
pub(crate) fn keep_swift(module: &mut Module) {
    let declarations = silkit_text::decl::declarations(module);
    let declared = std::mem::take(&mut module.swift);
    let deinits = std::mem::take(&mut module.deinits);
    // Print with the types of operands, so that every type is mentioned.
    let options = PrintOptions { types: true, ..PrintOptions::default() };
    let mut mentioned = swift::MentionedWords::default();
    mentioned.add_sil(&print_module(module, &options, &|_| None));
    module.swift = swift::keep(declared, &mut mentioned, &declarations);
    module.deinits = deinits;
    let last_name = |name: Symbol| name.as_str().rsplit('.').next().unwrap_or_default().to_owned();
    module.deinits.retain(|deinit| deinit.nominal().is_none_or(|name| mentioned.contains(&last_name(name))));
    let functions: FxHashSet<Symbol> = module.functions.values().map(|function| function.name).collect();
    module.deinits.retain(|deinit| functions.contains(&deinit.function));
}
