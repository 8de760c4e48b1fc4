//! What verifying costs grows as the module does: many classes, tables and conformances.

use silkit_testkit::growth::{Scenario, check};
use silkit_text::decl::declarations;
use silkit_text::parse_module;
use silkit_verify::{VerifyOptions, verify};
use std::fmt::Write;
use std::hint::black_box;

/// Returns the verification of a text of so many pieces, which have no errors.
fn pieces(n: usize, piece: impl Fn(usize) -> String) -> Box<dyn FnOnce()> {
    let mut text = String::from("sil_stage canonical\nimport Builtin\nimport Swift\n");
    (0..n).for_each(|i| _ = writeln!(text, "{}", piece(i)));
    let parsed = parse_module(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors.first());
    let declarations = declarations(&parsed.module);
    Box::new(move || {
        let report =
            verify(&parsed.module, &declarations, Some(parsed.source(&text)), &VerifyOptions::default());
        assert!(report.findings.is_empty(), "{:?}", report.findings.first());
        black_box(report);
    })
}

const METHOD: &str = "sil @f# : $@convention(method) (@guaranteed C#) -> () {\nbb0(%0 : $C#):\n  %1 = tuple ()\n  return %1\n}";

/// Returns a function with `n` values that live across `n` branches.
fn long_lifetimes(n: usize) -> String {
    let mut text = "class C {}\nsil [ossa] @f : $@convention(thin) (Builtin.Int1, @guaranteed C) -> () {\n\
                    bb0(%0 : $Builtin.Int1, %1 : @guaranteed $C):\n"
        .to_owned();
    for i in 0..n {
        _ = writeln!(text, "  %v{i} = copy_value %1");
    }
    for i in 0..n {
        _ = writeln!(text, "  cond_br %0, t{i}, e{i}\nt{i}:\n  br j{i}\ne{i}:\n  br j{i}\nj{i}:");
    }
    for i in 0..n {
        _ = writeln!(text, "  destroy_value %v{i}");
    }
    text + "  %r = tuple ()\n  return %r\n}"
}

/// Returns an enum of `n` cases and functions that switch over them, with and without binding the payloads.
fn switches(n: usize) -> String {
    let mut text = String::from("enum E {\n");
    (0..n).for_each(|i| _ = writeln!(text, "  case c{i}(Builtin.Int64)"));
    text += "}\nenum F {\n";
    (0..n).for_each(|i| _ = writeln!(text, "  case c{i}"));
    text += "}\n";
    for (ty, payload) in [("E", "(%p# : $Builtin.Int64)"), ("F", "")] {
        let cases: String = (0..n).map(|i| format!(", case #{ty}.c{i}!enumelt: b{i}")).collect();
        _ = writeln!(text, "sil [ossa] @{ty} : $@convention(thin) ({ty}) -> () {{\nbb0(%0 : ${ty}):");
        _ = writeln!(text, "  switch_enum %0{cases}");
        for i in 0..n {
            _ = writeln!(text, "b{i}{}:\n  br end", payload.replace('#', &i.to_string()));
        }
        text += "end:\n  %r = tuple ()\n  return %r\n}\n";
    }
    text
}

fn scenarios() -> Vec<(&'static str, Scenario)> {
    vec![
        ("values that live across branches", |n| pieces(1, |_| long_lifetimes(n))),
        ("cases of an enum", |n| pieces(1, |_| switches(4 * n))),
        ("a chain of classes", |n| {
            pieces(n, |i| {
                let inherits = if i == 0 { String::new() } else { format!(" : C{}", i - 1) };
                format!("class C{i}{inherits} {{}}\n{}", METHOD.replace('#', &i.to_string()))
            })
        }),
        ("calls of an inherited method in a chain of classes", |n| {
            pieces(n, |i| {
                let (class, entry) = match i {
                    0 => ("class C0 { func m() }".to_owned(), ""),
                    _ => (format!("class C{i} : C{} {{ override func m() }}", i - 1), " [override]"),
                };
                let method = METHOD.replace('#', &i.to_string());
                let ty = format!("$@convention(method) (@guaranteed C{i}) -> ()");
                format!(
                    "{class}\n{method}\nsil_vtable C{i} {{\n  #C0.m: (C0) -> () -> () : @f{i}{entry}\n}}\n\
                     sil @g{i} : $@convention(thin) (@guaranteed C{i}) -> () {{\nbb0(%0 : $C{i}):\n  \
                     %1 = class_method %0, #C{i}.m : (C{i}) -> () -> (), {ty}\n  \
                     %2 = apply %1(%0) : {ty}\n  return %2\n}}"
                )
            })
        }),
        ("vtables", |n| {
            pieces(n, |i| {
                let function = METHOD.replace('#', &i.to_string());
                format!(
                    "class C{i} {{ func m() }}\n{function}\nsil_vtable C{i} {{\n  #C{i}.m: (C{i}) -> () -> () : @f{i}\n}}"
                )
            })
        }),
        ("conformances", |n| {
            pieces(n, |i| {
                format!(
                    "protocol P{i} {{}}\nstruct S{i} : P{i} {{}}\nsil_witness_table S{i}: P{i} module m {{\n}}"
                )
            })
        }),
    ]
}

// One test: what runs at once would be measured, too.
#[test]
fn costs_grow_as_the_module() {
    let mut wrong = Vec::new();
    for (name, scenario) in scenarios() {
        if let Err(times) = check(500, scenario) {
            wrong.push(format!("{name}: {times:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
