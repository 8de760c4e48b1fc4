//! The attributes of functions, globals and tables: what they are as data, and how they print.

use silkit_ir::attributes::*;
use silkit_ir::{ClassRef, Function, Module};
use silkit_text::{parse_module, print_module};

fn module(text: &str) -> Module {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{text}: {:?}", parsed.errors);
    parsed.module
}

fn function_text(attributes: &str) -> String {
    format!("sil {attributes} @f : $@convention(thin) () -> () {{\nbb0:\n  %0 = tuple ()\n  return %0\n}}\n")
}

fn function(attributes: &str) -> Function {
    let module = module(&function_text(attributes));
    module.functions.values().next().expect("a function").clone()
}

/// Returns what stands between two words of the printed module.
fn printed(text: &str, from: &str, to: &str) -> String {
    let text = print_module(&module(text), &Default::default(), &|_| None);
    let line = text.lines().find_map(|line| line.strip_prefix(from)).expect("the line");
    line.split(to).next().unwrap_or_default().trim().to_owned()
}

/// Spellings that the reference accepts, with what it prints.
#[test]
fn attributes_of_functions_print_in_one_order() {
    for (spelled, expected) in [
        ("", ""),
        ("[ transparent ]", "[transparent]"),
        ("[transparent] [transparent]", "[transparent]"),
        ("[ossa][transparent]", "[transparent] [ossa]"),
        ("[serialized] [serialized_for_package]", "[serialized_for_package]"),
        ("[thunk] [signature_optimized_thunk]", "[signature_optimized_thunk]"),
        (
            "[reabstraction_thunk] [without_actually_escaping]",
            "[reabstraction_thunk] [without_actually_escaping]",
        ),
        ("[back_deployed_thunk]", "[back_deployed_thunk]"),
        ("[global_init] [lazy_getter]", "[lazy_getter]"),
        ("[global_init_once_fn]", "[global_init_once_fn]"),
        ("[noinline] [always_inline]", "[always_inline]"),
        ("[Onone] [Ospeed] [Osize]", "[Osize]"),
        ("[readnone] [readonly]", "[readonly]"),
        ("[stack_protection] [releasenone]", "[releasenone] [stack_protection]"),
        (
            "[ossa] [stack_protection] [_semantics \"a\"] [used] [Onone]",
            "[Onone] [_semantics \"a\"] [used] [ossa] [stack_protection]",
        ),
        ("[no_allocation] [no_locks]", "[no_locks]"),
        ("[no_existentials] [perf_constraint]", "[no_existentials] [perf_constraint]"),
        ("[available 010.01]", "[available 10.1]"),
        ("[available 10]", "[available 10]"),
        ("[available 10.0.3]", "[available 10.0.3]"),
        ("[_semantics  \"a\" ]", "[_semantics \"a\"]"),
        ("[_semantics \"a\"] [_semantics \"b\"] [_semantics \"a\"]", "[_semantics \"a\"] [_semantics \"b\"]"),
        ("[_semantics \"a b\\\"c]\"]", "[_semantics \"a b\\\"c]\"]"),
        ("[dynamic_replacement_for \"g\"]", "[dynamic_replacement_for \"g\"]"),
        ("[objc_replacement_for \"m\"]", "[objc_replacement_for \"m\"]"),
        ("[ref_adhoc_requirement_witness \"g\"]", "[ref_adhoc_requirement_witness \"g\"]"),
        ("[used] [section \"s\"] [asmname \"n\"]", "[used] [section \"s\"] [asmname \"n\"]"),
        ("[clang a.b ]", "[clang a.b]"),
        ("[heuristic_always_inline]", "[heuristic_always_inline]"),
        ("[manual_ownership]", "[manual_ownership]"),
        (
            "[clang a] [used] [asmname \"n\"] [section \"s\"] [_semantics \"a\"] [no_locks] [always_inline]",
            "[always_inline] [no_locks] [_semantics \"a\"] [used] [section \"s\"] [asmname \"n\"] [clang a]",
        ),
    ] {
        assert_eq!(printed(&function_text(spelled), "sil ", "@f"), expected, "{spelled}");
    }
}

#[test]
fn specializations_print_with_their_defaults() {
    for (spelled, expected) in [
        ("where T == Int", "exported: false, kind: full, where T == Int"),
        ("kind: partial, where T == Int", "exported: false, kind: partial, where T == Int"),
        ("kind: full, exported: true, where T == Int", "exported: true, kind: full, where T == Int"),
        (
            "available: 10.50, target: \"g\", spi: A, spiModule: M, where T == [Int]",
            "exported: false, spi: A, spiModule: M, kind: full, target: \"g\", available: 10.50, where T == [Int]",
        ),
        ("where  @_noMetadata T : _Class", "exported: false, kind: full, where  @_noMetadata T : _Class"),
    ] {
        let text = printed(&function_text(&format!("[_specialize {spelled}]")), "sil ", "@f");
        assert_eq!(text, format!("[_specialize {expected}]"), "{spelled}");
    }
}

#[test]
fn attributes_of_functions_are_data() {
    let f = function(
        "[transparent] [serialized] [thunk] [global_init] [available 9.1] [noinline] [Onone] [no_locks] [readonly] \
         [clang a.b] [dynamic_replacement_for \"g\"] [_semantics \"array.init\"] [_specialize where T == Int] [ossa]",
    );
    let all = &f.attributes;
    assert_eq!(all.flags, FunctionFlags::TRANSPARENT | FunctionFlags::OSSA);
    assert!(f.has_ossa() && !f.is_optimized() && f.has_semantics("array.init") && !f.has_semantics("array"));
    assert_eq!((all.serialized, all.thunk), (Serialized::Fully, Some(ThunkKind::Thunk)));
    assert_eq!((all.purpose, all.inline), (Some(SpecialPurpose::GlobalInit), Some(InlineStrategy::Never)));
    assert_eq!((all.optimization, all.effects), (Some(OptimizationMode::None), Some(EffectsKind::ReadOnly)));
    assert_eq!(all.performance, Some(PerformanceConstraint::NoLocks));
    assert_eq!(all.availability, Some(Version { major: 9, minor: Some(1), patch: None }));
    assert!(all.clang.is_some_and(|c| c == "a.b") && all.dynamic_replacement_for.is_some_and(|g| g == "g"));
    assert!(all.specializations[0].requirements == "T == Int" && all.others.is_empty());
}

#[test]
fn unknown_attributes_stay_in_their_places() {
    for (spelled, expected) in [
        ("[flies  2.0] [ossa]", "[flies  2.0] [ossa]"),
        ("[ossa] [transparent] [flies \"]\"] [ossa]", "[transparent] [flies \"]\"] [ossa]"),
        (
            "[transparent] [flies] [swims [1]] [ossa] [walks]",
            "[transparent] [flies] [swims [1]] [ossa] [walks]",
        ),
    ] {
        assert_eq!(printed(&function_text(spelled), "sil ", "@f"), expected, "{spelled}");
    }
    let global = "sil_global [let] [flies] @g : $Builtin.Int64\n";
    assert_eq!(printed(global, "sil_global ", "@g"), "[let] [flies]");
}

#[test]
fn wrong_attributes_are_errors() {
    for (spelled, place, message, help) in [
        ("[tranparent]", "tranparent", "unknown attribute `[tranparent]`", "did you mean `[transparent]`?"),
        ("[]", "", "expected the name of an attribute", ""),
        ("[thunk foo]", "f", "expected `]`", ""),
        ("[_semantics a]", "a", "expected a string in quotes", ""),
        ("[available]", "]", "expected a version of up to three numbers, such as `10.15`", ""),
        ("[available x]", "x", "expected a version of up to three numbers, such as `10.15`", ""),
        ("[available 1.2.3.4]", ".", "expected `]`", ""),
        ("[section s]", "s", "expected a string in quotes", ""),
        ("[dynamic_replacement_for @g]", "@", "expected a string in quotes", ""),
        ("[clang ]", "]", "expected a name", ""),
        (
            "[_specialize]",
            "]",
            "expected a parameter of `_specialize` or its `where` clause",
            "parameters are",
        ),
        (
            "[_specialize kid: full, where T == Int]",
            "k",
            "expected a parameter of `_specialize` or its `where` clause",
            "did you mean `kind`?",
        ),
        ("[_specialize kind: half, where T == Int]", "h", "expected `partial` or `full`", ""),
        ("[_specialize exported: maybe, where T == Int]", "m", "expected `true` or `false`", ""),
        ("[_specialize exported: true where T == Int]", "w", "expected `,`", ""),
        ("[_specialize where]", "]", "expected the requirements", ""),
    ] {
        let text = function_text(spelled);
        let parsed = parse_module(&text);
        let [error] = &parsed.errors[..] else { panic!("{spelled}: {:?}", parsed.errors) };
        assert_eq!((&text[error.range.as_usize()], &*error.message), (place, message), "{spelled}");
        assert!(error.help.as_deref().unwrap_or_default().starts_with(help), "{spelled}: {:?}", error.help);
        assert_eq!(parsed.module.functions.len(), 1, "{spelled}: the function is read nevertheless");
    }
}

#[test]
fn wrong_effects_do_not_hide_the_function() {
    let text = "\
sil @f : $@convention(thin) (Builtin.NativeObject) -> () {
[%0: frobnicate v**]
[global: raed]
bb0(%0 : $Builtin.NativeObject):
  %1 = tuple ()
  return %1
}
";
    let parsed = parse_module(text);
    let errors: Vec<_> = parsed.errors.iter().map(|e| (&text[e.range.as_usize()], &*e.message)).collect();
    assert_eq!(errors, [("frobnicate", "unknown effect `frobnicate`"), ("raed", "unknown effect `raed`")]);
    assert!(parsed.module.functions.values().all(|f| f.body.is_some()));
}

#[test]
fn attributes_of_tables_are_data() {
    let global = "sil_global [let] [serialized] [let] @g : $Builtin.Int64\n";
    assert_eq!(printed(global, "sil_global ", "@g"), "[serialized] [let]");
    let all = &module(global).globals.values().next().expect("a variable").attributes.clone();
    assert!(all.is_let && all.serialized == Serialized::Fully);

    let table = "class C {}\nsil_vtable [serialized_for_package] C {\n  #C.m: () -> () : @f [override] [nonoverridden]\n  #C.n: () -> () : @g [inherited]\n}\n";
    assert_eq!(printed(table, "sil_vtable ", "C {"), "[serialized_for_package]");
    let module_with_table = module(table);
    let table = module_with_table.vtables.by_key(&ClassRef::Name("C".into())).expect("found by its class");
    assert_eq!(table.attributes.serialized, Serialized::ForPackage);
    let entries: Vec<_> =
        table.entries.iter().map(|e| (e.attributes.kind, e.attributes.is_nonoverridden)).collect();
    assert_eq!(entries, [(EntryKind::Override, true), (EntryKind::Inherited, false)]);

    let witness = "sil_differentiability_witness hidden [reverse] [serialized] [parameters 0 2] [results 1] @f : $@convention(thin) () -> ()\n";
    let expected = "hidden [serialized] [reverse] [parameters 0 2] [results 1]";
    assert_eq!(printed(witness, "sil_differentiability_witness ", "@f"), expected);
    let all = &module(witness).differentiability_witnesses[0].attributes;
    assert_eq!(
        (all.kind, &*all.parameters, &*all.results),
        (Some(DifferentiabilityKind::Reverse), &[0, 2][..], &[1][..])
    );
}

#[test]
fn misspelled_words_are_marked_and_corrected() {
    let body = |argument: &str, load: &str| {
        format!(
            "sil [ossa] @f : $@convention(thin) (@in Builtin.Int1) -> () {{\nbb0(%0 : {argument}$*Builtin.Int1):\n  %1 = load {load}%0\n  unreachable\n}}\n"
        )
    };
    for (text, place, help) in [
        ("sil @f : $@convention(thni) () -> ()\n".to_owned(), "thni", "`thin`"),
        ("sil @f : $@convention(thin) (@ownd Builtin.Int1) -> ()\n".to_owned(), "@ownd", "`@owned`"),
        ("sil @f : $@convention(thin) () -> @guarantd C\n".to_owned(), "@guarantd", "`@guaranteed`"),
        ("sil hiden @f : $@convention(thin) () -> ()\n".to_owned(), "hiden", "`hidden`"),
        (body("@ownd ", ""), "@ownd", "`@owned`"),
        (body("", "[tkae] "), "[tkae]", "`[take]`"),
    ] {
        let errors = parse_module(&text).errors;
        let [error, ..] = &errors[..] else { panic!("{text}: no error") };
        assert_eq!(&text[error.range.as_usize()], place, "{text}");
        assert_eq!(error.help, Some(format!("did you mean {help}?")), "{text}");
    }
}
