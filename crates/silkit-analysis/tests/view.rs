//! What a view of a program knows, and when it forgets it.

use silkit_analysis::access::GlobalInitializer;
use silkit_analysis::{AnalysisCache, BodyView, Definition, Dominators, ProgramFacts, ProgramView};
use silkit_base::Symbol;
use silkit_ir::conventions::Addresses;
use silkit_ir::{FunctionId, Module, Ownership};
use silkit_types::decl::Declarations;

const TEXT: &str = "sil_stage canonical
import Builtin
import Swift
class C { func f()
 init() }
sil_global @g : $Builtin.Int64
sil_scope 1 { loc \"a.swift\":1:1 parent @first : $@convention(thin) (@owned C) -> () }
sil [ossa] @first : $@convention(thin) (@owned C) -> () {
[%0: noescape **]
bb0(%0 : @owned $C):
  destroy_value %0
  %2 = tuple ()
  return %2
}
sil [global_init] @addressor : $@convention(thin) () -> Builtin.RawPointer {
bb0:
  %0 = global_addr @g : $*Builtin.Int64
  %1 = address_to_pointer %0 to $Builtin.RawPointer
  return %1
}
sil [global_init] @declared_addressor : $@convention(thin) () -> Builtin.RawPointer
sil @declared : $@convention(thin) () -> ()
sil @generic : $@convention(thin) <T> (@in_guaranteed T) -> () {
bb0(%0 : $*T):
  %1 = tuple ()
  return %1
}
sil @impl : $@convention(method) (@guaranteed C) -> () {
bb0(%0 : $C):
  %1 = class_method %0, #C.f : (C) -> () -> (), $@convention(method) (@guaranteed C) -> ()
  %2 = apply %1(%0) : $@convention(method) (@guaranteed C) -> ()
  return %2
}
sil_vtable C {
  #C.f: (C) -> () -> () : @impl
}
";

fn module() -> (Module, Declarations) {
    let parsed = silkit_text::parse_module(TEXT);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let declarations = silkit_text::decl::declarations(&parsed.module);
    (parsed.module, declarations)
}

fn id(module: &Module, name: &str) -> FunctionId {
    module.functions.find(&Symbol::new(name)).expect("a function")
}

#[test]
fn definitions_are_bodies_declarations_or_busy() {
    let (module, declarations) = module();
    let mut facts = ProgramFacts::new(false);
    let (first, declared) = (id(&module, "first"), id(&module, "declared"));
    let shown = |facts: &ProgramFacts, function| {
        let program = ProgramView::new(&module, &declarations, facts);
        let definition = program.definition(function);
        assert_eq!(definition.body().is_some(), matches!(definition, Definition::Body(_)));
        assert_eq!(program.body_view(function).is_some(), definition.body().is_some());
        match definition {
            Definition::Body(_) => "body",
            Definition::Busy => "busy",
            Definition::Declared => "declared",
        }
    };
    assert_eq!((shown(&facts, first), shown(&facts, declared)), ("body", "declared"));
    facts.begin_step([first, declared]);
    assert_eq!((shown(&facts, first), shown(&facts, declared)), ("busy", "declared"));
    facts.end_step([first, declared]);
    assert_eq!(shown(&facts, first), "body");
}

#[test]
fn epochs_grow_with_what_others_see() {
    let mut facts = ProgramFacts::new(false);
    let mut epochs = vec![facts.epoch()];
    facts.begin_step([]);
    epochs.push(facts.epoch());
    facts.end_step([]);
    epochs.push(facts.epoch());
    facts.functions_changed();
    epochs.push(facts.epoch());
    assert!(epochs.windows(2).all(|pair| pair[0] < pair[1]), "{epochs:?}");
    facts.scopes_changed();
    assert_eq!(Some(&facts.epoch()), epochs.last());
    let (module, declarations) = module();
    assert_eq!(ProgramView::new(&module, &declarations, &facts).epoch(), facts.epoch());
}

#[test]
fn functions_are_found_by_name() {
    let (module, declarations) = module();
    let facts = ProgramFacts::new(true);
    let program = ProgramView::new(&module, &declarations, &facts);
    let first = program.function_id(Symbol::new("first"));
    assert_eq!(first, Some(id(&module, "first")));
    assert_eq!(program.function(Symbol::new("first")).map(|f| f.name), Some(Symbol::new("first")));
    assert!(program.function_id(Symbol::new("second")).is_none());
    assert!(program.is_whole_module() && program.addresses() == Addresses::Lowered);
    let facts = ProgramFacts::new(false).with_opaque_values(true);
    let program = ProgramView::new(&module, &declarations, &facts);
    assert!(!program.is_whole_module() && program.addresses() == Addresses::Opaque);
    assert_eq!(program.body_view(id(&module, "first")).expect("a body").addresses(), Addresses::Opaque);
}

#[test]
fn tables_of_callees_are_kept_until_functions_change() {
    let (mut module, declarations) = module();
    let mut facts = ProgramFacts::new(true);
    let implementation = id(&module, "impl");
    let callees = |module: &Module, facts: &ProgramFacts| {
        let program = ProgramView::new(module, &declarations, facts);
        let view = program.body_view(implementation).expect("a body");
        let method =
            view.body.insts().next().and_then(|inst| view.body.first_result(inst)).expect("a method");
        program.callees(view.body, method).map(|callees| callees.to_vec())
    };
    assert_eq!(callees(&module, &facts), Some(vec![implementation]));
    module.vtables.values_mut().for_each(|table| table.entries.clear());
    assert_eq!(callees(&module, &facts), Some(vec![implementation]));
    facts.functions_changed();
    assert_ne!(callees(&module, &facts), Some(vec![implementation]));
}

#[test]
fn scopes_are_kept_until_they_change() {
    let (mut module, declarations) = module();
    let mut facts = ProgramFacts::new(false);
    let next = |module: &Module, facts: &ProgramFacts| {
        ProgramView::new(module, &declarations, facts).scope_index().next()
    };
    assert_eq!(next(&module, &facts), 2);
    let mut scope = module.scopes[0].clone();
    scope.id = 7;
    module.scopes.push(scope);
    assert_eq!(next(&module, &facts), 2);
    facts.scopes_changed();
    assert_eq!(next(&module, &facts), 8);
    module.scopes.pop();
    facts.functions_changed();
    assert_eq!(next(&module, &facts), 2);
}

#[test]
fn initializers_of_globals_are_known_by_their_bodies() {
    let (module, declarations) = module();
    let mut facts = ProgramFacts::new(false);
    let of = |facts: &ProgramFacts, name: &str| {
        ProgramView::new(&module, &declarations, facts).global_initializer(Symbol::new(name))
    };
    assert_eq!(of(&facts, "addressor"), GlobalInitializer::Of(Symbol::new("g")));
    assert_eq!(of(&facts, "first"), GlobalInitializer::No);
    assert_eq!(of(&facts, "nobody"), GlobalInitializer::No);
    let declared = of(&facts, "declared_addressor");
    assert_ne!(declared, GlobalInitializer::No);
    facts.begin_step([id(&module, "addressor")]);
    assert_eq!(of(&facts, "addressor"), declared, "what is worked on is as unknown as what is declared");
}

#[test]
fn a_view_knows_its_function() {
    let (module, declarations) = module();
    let facts = ProgramFacts::new(false);
    let program = ProgramView::new(&module, &declarations, &facts);
    let view = program.body_view(id(&module, "generic")).expect("a body");
    assert!(view.signature().is_some() && view.function_type().is_some());
    assert!(view.ty(view.body.entry_arguments()[0]).is_address());
    let first = id(&module, "first");
    let view = program.body_view(first).expect("a body");
    assert!(view.signature().is_none());
    let argument = view.body.entry_arguments()[0];
    assert_eq!(view.ownership().value(argument), Some(Ownership::Owned));
    assert_eq!(view.all_ownership().value(argument), Some(Ownership::Owned));
    assert_eq!(view.aliases().function_name(), Symbol::new("first"));
    assert_eq!(view.effects(first).escapes.len(), 1);
    assert!(view.effects(id(&module, "declared")).escapes.is_empty());
    // Of the function itself the effects are those that it has now.
    let mut changed = module.functions[first].clone();
    changed.effects.escapes.clear();
    let body = changed.body.as_ref().expect("a body");
    assert!(BodyView::new(&program, &changed, body).effects(first).escapes.is_empty());
    let call = program.body_view(id(&module, "impl")).expect("a body");
    let sites = call.body.insts().filter(|&inst| call.apply_site(inst).is_some());
    assert_eq!(sites.count(), 1);
}

#[test]
fn analyses_come_from_the_cache_of_a_view() {
    let (module, declarations) = module();
    let facts = ProgramFacts::new(false);
    let program = ProgramView::new(&module, &declarations, &facts);
    let view = program.body_view(id(&module, "first")).expect("a body");
    let cache = AnalysisCache::default();
    let cached = view.with_cache(&cache);
    let is_same = |view: &BodyView<'_>| {
        let (a, b) = (view.get::<Dominators>(), view.get::<Dominators>());
        std::ptr::eq(a.of(view.body), b.of(view.body))
    };
    assert!(is_same(&cached));
    assert!(!is_same(&view));
}
