//! Functions and variables that are loaded from a library: linkage, attributes, effects and locations.

use silkit_base::Symbol;
use silkit_ir::{Linkage, Module};
use silkit_link::{ModuleLibrary, library};
use silkit_text::PrintOptions;
use silkit_types::decl::Declarations;

fn library_of(linkage: &str) -> Module {
    let text = format!(
        "sil_stage canonical\n\
         sil_global {linkage} [serialized] @global : $Int\n\
         sil {linkage} [serialized] [ossa] @loaded : $@convention(thin) () -> () {{\n\
         bb0:\n  %0 = function_ref @other : $@convention(thin) () -> ()\n  \
         %1 = global_addr @global : $*Int\n  %2 = tuple (), loc \"b.swift\":1:1\n  return %2\n}}\n\
         sil {linkage} [ossa] @other : $@convention(thin) () -> () {{\nbb0:\n  %0 = tuple ()\n  return %0\n}}\n"
    );
    let parsed = silkit_text::parse_module(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    parsed.module
}

#[test]
fn what_is_loaded_gets_the_linkage_of_something_external() {
    for (linkage, loaded, declared, global) in [
        ("", Linkage::PublicExternal, Linkage::Default, Linkage::PublicExternal),
        ("hidden", Linkage::HiddenExternal, Linkage::Default, Linkage::PublicExternal),
        ("package", Linkage::PackageExternal, Linkage::Default, Linkage::PublicExternal),
        ("non_abi", Linkage::Shared, Linkage::HiddenExternal, Linkage::PublicExternal),
        ("package_non_abi", Linkage::Shared, Linkage::Default, Linkage::PublicExternal),
        ("shared", Linkage::Shared, Linkage::HiddenExternal, Linkage::Shared),
        ("private", Linkage::PublicExternal, Linkage::Default, Linkage::PublicExternal),
    ] {
        let library = library_of(linkage);
        let library = ModuleLibrary::new(&library, Declarations::default());
        let mut module = silkit_text::parse_module("sil_stage canonical\n").module;
        let id = library::load(&mut module, &Declarations::default(), &library, Symbol::new("loaded"))
            .expect("it is loaded");
        assert_eq!(module.functions[id].linkage, loaded, "{linkage}");
        let other = module.functions.by_key(&Symbol::new("other")).expect("it is declared");
        assert!(other.body.is_none() && !other.has_ossa(), "{linkage}");
        assert_eq!(other.linkage, declared, "{linkage}");
        let found = module.globals.by_key(&Symbol::new("global")).expect("it is declared");
        assert_eq!(found.linkage, global, "{linkage}");
        assert_eq!(found.attributes.serialized, silkit_ir::Serialized::No, "{linkage}");
        assert!(module.functions[id].has_ossa());
        // A second time there is nothing to load.
        assert_eq!(
            library::load(&mut module, &Declarations::default(), &library, Symbol::new("loaded")),
            None
        );
        assert_eq!(
            library::load(&mut module, &Declarations::default(), &library, Symbol::new("nowhere")),
            None
        );
        assert_eq!(library::declare(&mut module, &library, Symbol::new("loaded")), Some(id));
        assert_eq!(library::declare(&mut module, &library, Symbol::new("nowhere")), None);
    }
}

#[test]
fn a_declaration_keeps_its_attributes_and_effects() {
    let text = "sil_stage raw\n\
                sil [noinline] @loaded : $@convention(thin) () -> () {\n[global: read]\n}\n";
    let mut module = silkit_text::parse_module(text).module;
    let library = library_of("");
    let library = ModuleLibrary::new(&library, Declarations::default());
    let id = library::load(&mut module, &Declarations::default(), &library, Symbol::new("loaded"))
        .expect("it is loaded");
    let code = silkit_text::print_module(&module, &PrintOptions::default(), &|_| None);
    let head = code.lines().find(|line| line.contains("@loaded")).expect("a function");
    assert_eq!(
        head,
        "sil public_external [serialized] [noinline] [canonical] [ossa] @loaded : $@convention(thin) () -> () {"
    );
    assert!(code.contains("[global: read]"), "{code}");
    let body = module.functions[id].body.as_ref().expect("a body");
    let is_elsewhere =
        |inst| body.loc(body.inst(inst).loc).and_then(|at| at.source) == Some(silkit_ir::SourceLoc::NOWHERE);
    assert!(body.insts().all(is_elsewhere));
}

/// Loads a function with this head into a raw module. Returns its new head, if it is loaded.
fn loaded(head: &str, object: &str) -> Option<String> {
    let text = format!(
        "sil_stage canonical\nsil {head} @f : $@convention(thin) (@in_guaranteed {object}) -> () {{\n\
         bb0(%0 : $*{object}):\n  %1 = load %0\n  %2 = tuple ()\n  return %2\n}}\n"
    );
    let library = silkit_text::parse_module(&text).module;
    let library = ModuleLibrary::new(&library, Declarations::default());
    let mut module = silkit_text::parse_module("sil_stage raw\n").module;
    library::load(&mut module, &Declarations::default(), &library, Symbol::new("f"))?;
    let code = silkit_text::print_module(&module, &PrintOptions::default(), &|_| None);
    let head = code.lines().find(|line| line.contains("@f")).expect("a function");
    Some(head.split(" @f").next().expect("a head").to_owned())
}

#[test]
fn bodies_are_taken_as_far_as_they_are_valid_in_other_modules() {
    let int = "Builtin.Int64";
    for (head, printed) in [
        ("", Some("sil public_external [canonical]")),
        ("[serialized]", Some("sil public_external [serialized] [canonical]")),
        ("hidden", None),
        ("private", None),
        ("hidden [serialized]", Some("sil hidden_external [serialized] [canonical]")),
        // Its clients emit it, so that it was serialized.
        ("shared", Some("sil shared [serialized] [canonical]")),
        ("non_abi", Some("sil shared [serialized] [canonical]")),
    ] {
        assert_eq!(loaded(head, int).as_deref(), printed, "{head}");
    }
    // Elsewhere there is no object of this type.
    assert_eq!(loaded("", "Any"), None);
    assert!(loaded("[serialized]", "Any").is_some());
}
