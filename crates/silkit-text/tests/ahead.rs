//! Entities that are read ahead in parallel are what one thread reads.

use silkit_text::{ParsedModule, parse_module, print_module};

fn read(text: &str, threads: usize) -> ParsedModule {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| parse_module(text))
}

/// Returns a megabyte of entities of all kinds, with a line of every chunk as `odd` says.
fn text(odd: impl Fn(usize) -> String) -> String {
    let mut text = "sil_stage raw\n\nimport Builtin\n\nprotocol P {\n}\n\nclass C {\n}\n\n".to_owned();
    for n in 0..6000 {
        text += &format!(
            "// f{n}\nsil @f{n} : $@convention(thin) (P) -> () {{\nbb0(%0 : $*P):\n  %1 = tuple ()\n  return %1\n}}\n\n\
             sil_global @g{n} : $C = {{\n  %initval = object $C ()\n}}\n"
        );
        if n % 50 == 0 {
            text += &odd(n);
        }
    }
    for n in 0..200 {
        text += &format!(
            "sil_vtable C{n} {{\n  #C{n}.m: (C{n}) -> () -> () : @f{n}\n}}\n\n\
             sil_witness_table C{n}: P module m {{\n  associated_type A: C\n}}\n\n"
        );
    }
    text
}

#[track_caller]
fn is_the_same(text: &str) -> ParsedModule {
    assert!(text.len() > 1 << 19, "{} bytes are read by one thread", text.len());
    let (one, two) = (read(text, 1), read(text, 2));
    let shown = |parsed: &ParsedModule| print_module(&parsed.module, &Default::default(), &|_| None);
    assert_eq!(one.errors, two.errors);
    assert_eq!(one.source_map.entities(), two.source_map.entities());
    for id in one.module.functions.keys() {
        assert_eq!(one.source_map.function_name(id), two.source_map.function_name(id));
        let body = one.module.functions[id].body.as_ref();
        for inst in body.into_iter().flat_map(|body| body.insts()) {
            let place = |parsed: &ParsedModule| parsed.source_map.function(id).and_then(|map| map.inst(inst));
            assert_eq!(place(&one), place(&two));
        }
    }
    assert!(two.module.is_index_right());
    assert!(shown(&one) == shown(&two), "the texts differ");
    two
}

#[test]
fn entities_of_all_kinds() {
    let parsed = is_the_same(&text(|_| String::new()));
    assert_eq!(parsed.errors, []);
    let m = &parsed.module;
    assert_eq!((m.functions.len(), m.globals.len()), (6000, 6000));
    assert_eq!((m.vtables.len(), m.witness_tables.len()), (200, 200));
    assert!(
        m.functions.values().all(|f| f.body.is_some()) && m.globals.values().all(|g| g.initializer.is_some())
    );
}

#[test]
fn what_looks_like_an_entity_is_none() {
    let hidden = "/*\nsil @hidden : $@convention(thin) () -> ()\n\n".repeat(400);
    let closed = "*/\n".repeat(400);
    let parsed = is_the_same(&text(|n| match n % 1000 {
        0 => format!("{hidden}{closed}"),
        _ => format!(
            "sil [_semantics \"\"\"\nsil @text : $@convention(thin) () -> ()\n\"\"\"] @s{n} : $@convention(thin) () -> ()\n"
        ),
    }));
    assert!(parsed.module.functions.by_key(&"hidden".into()).is_none());
    assert!(parsed.module.functions.by_key(&"text".into()).is_none());
    assert!(parsed.module.functions.by_key(&"s50".into()).is_some());
}

#[test]
fn declarations_between_entities() {
    let parsed = is_the_same(&text(|n| match n % 100 {
        0 => format!(
            "struct S{n} {{\n}}\n\nsil_scope {n} {{ loc \"a.swift\":1:1 parent @f{n} : $@convention(thin) (P) -> () }}\n"
        ),
        _ => format!("protocol Q{n} {{\n}}\nsil @q{n} : $@convention(thin) (Q{n}) -> ()\n"),
    }));
    let function = parsed.module.functions.by_key(&"q50".into()).expect("the function");
    assert_eq!(function.ty.to_string(), "$@convention(thin) (any Q50) -> ()");
}

#[test]
fn errors() {
    let parsed =
        is_the_same(&text(|n| format!("sil @e{n} : () -> ()\nsil @h{n} : $@convention(thin) () -> () {{\n")));
    assert!(!parsed.errors.is_empty());
}
