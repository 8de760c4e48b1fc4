//! What verifying costs grows as the module does: many classes, tables and conformances; memory and branches in one
//! function.

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

/// Returns a function with a condition `%c` and the address of an object `%in`, which it destroys before it returns.
fn with_object(body: &str) -> String {
    format!(
        "class Node {{}}\nsil [ossa] @f : $@convention(thin) (Builtin.Int1, @in Node) -> () {{\n\
         bb0(%c : $Builtin.Int1, %in : $*Node):\n{body}}}\n"
    )
}

const RETURN: &str = "destroy_addr %in : $*Node\n%r = tuple ()\nreturn %r : $()\n";

/// Returns an allocation `%a` with a number, and its initialization.
fn object(number: usize) -> String {
    format!("%a{number} = alloc_stack $Node\ncopy_addr %in to [init] %a{number} : $*Node\n")
}

/// Returns what ends [`object`].
fn end(number: usize) -> String {
    format!("destroy_addr %a{number} : $*Node\ndealloc_stack %a{number} : $*Node\n")
}

fn objects(n: usize) -> String {
    let begin: String = (0..n).map(object).collect();
    let end: String = (0..n).rev().map(end).collect();
    with_object(&format!("{begin}br bb1\nbb1:\n{end}{RETURN}"))
}

/// Returns `n` allocations in a row, each of which is initialized on one of two paths.
fn objects_in_branches(n: usize) -> String {
    let part = |i: usize| {
        format!(
            "%a{i} = alloc_stack $Node\ncond_br %c, t{i}, e{i}\n\
             t{i}:\ncopy_addr %in to [init] %a{i} : $*Node\ndestroy_addr %a{i} : $*Node\nbr j{i}\n\
             e{i}:\nbr j{i}\nj{i}:\ndealloc_stack %a{i} : $*Node\n"
        )
    };
    with_object(&format!("{}{RETURN}", (0..n).map(part).collect::<String>()))
}

fn nested_objects(n: usize) -> String {
    let begin: String = (0..n).map(|i| format!("{}br bb{i}in\nbb{i}in:\n", object(i))).collect();
    let end: String = (0..n).rev().map(|i| format!("{}br bb{i}out\nbb{i}out:\n", end(i))).collect();
    with_object(&format!("{begin}{end}{RETURN}"))
}

/// Returns allocations around each other, each of which is initialized on one of two paths.
fn objects_in_nested_branches(n: usize) -> String {
    let begin = |i: usize| {
        format!(
            "%a{i} = alloc_stack $Node\ncond_br %c, bb{i}in, bb{i}else\n\
             bb{i}in:\ncopy_addr %in to [init] %a{i} : $*Node\n"
        )
    };
    let end = |i: usize| {
        format!(
            "destroy_addr %a{i} : $*Node\nbr bb{i}out\nbb{i}else:\nbr bb{i}out\n\
             bb{i}out:\ndealloc_stack %a{i} : $*Node\n"
        )
    };
    let (begin, end): (String, String) = ((0..n).map(begin).collect(), (0..n).rev().map(end).collect());
    with_object(&format!("{begin}{end}{RETURN}"))
}

/// Returns allocations around each other whose ends are reached early from each of them, and that may trap.
fn cleanups(n: usize) -> String {
    let begin = |i: usize| {
        let go = format!("bb{i}in:\ncond_br %c, bb{i}go, bb{i}trap\nbb{i}go:\n");
        format!("{}cond_br %c, bb{i}in, bb{i}leave\n{go}", object(i))
    };
    let cleanup = |i: usize| {
        let next = if i == 0 { "last".to_owned() } else { format!("bb{}clean", i - 1) };
        let clean = format!("bb{i}leave:\nbr bb{i}clean\nbb{i}clean:\n{}br {next}\n", end(i));
        format!("bb{i}trap:\nbr trap\n{clean}")
    };
    let begin: String = (0..n).map(begin).collect();
    let ends: String = (0..n).rev().map(end).collect();
    let cleanups: String = (0..n).rev().map(cleanup).collect();
    with_object(&format!("{begin}{ends}br last\n{cleanups}last:\n{RETURN}trap:\nunreachable\n"))
}

fn scenarios() -> Vec<(&'static str, Scenario)> {
    vec![
        ("allocations", |n| pieces(1, |_| objects(4 * n))),
        ("allocations in branches", |n| pieces(1, |_| objects_in_branches(4 * n))),
        ("nested allocations", |n| pieces(1, |_| nested_objects(4 * n))),
        ("nested allocations in branches", |n| pieces(1, |_| objects_in_nested_branches(4 * n))),
        ("cleanups", |n| pieces(1, |_| cleanups(4 * n))),
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
