//! Spellings of other compilers than Swift 6.2, each with what it prints as (docs/dialects.md).

use silkit_text::{PrintOptions, parse_module, print_module};

/// The text that a module prints as, without the comments behind code.
fn printed(text: &str) -> String {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?} in\n{text}", parsed.errors);
    let printed = print_module(&parsed.module, &PrintOptions::default(), &|_| None);
    let again = print_module(&parse_module(&printed).module, &PrintOptions::default(), &|_| None);
    assert_eq!(printed, again);
    printed
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim_end().to_owned() + "\n")
        .collect()
}

/// Checks that a text, which has these lines, prints with these lines instead.
fn check(text: &str, lines: &[&str]) {
    let printed = printed(text);
    for line in lines {
        assert!(printed.contains(&format!("{line}\n")), "no {line:?} in\n{printed}");
    }
}

#[test]
fn end_apply_without_a_type() {
    let function = |end: &str| {
        format!(
            "sil @g : $@yield_once @convention(thin) () -> @yields Builtin.Int1\n\
             sil @f : $@convention(thin) () -> () {{\n\
             bb0:\n\
             \x20 %0 = function_ref @g : $@yield_once @convention(thin) () -> @yields Builtin.Int1\n\
             \x20 (%1, %2) = begin_apply %0() : $@yield_once @convention(thin) () -> @yields Builtin.Int1\n\
             \x20 {end}\n\
             \x20 %4 = tuple ()\n\
             \x20 return %4 : $()\n}}\n"
        )
    };
    check(&function("end_apply %2"), &["  end_apply %2"]);
    check(&function("end_apply %2 : $Builtin.SILToken"), &["  end_apply %2"]);
    check(&function("%3 = end_apply %2 as $()"), &["  %3 = end_apply %2 as $()"]);
    // With a result it is that of a newer compiler.
    check(&function("%3 = end_apply %2"), &["  %3 = end_apply %2 as $()"]);
}

#[test]
fn dependent_conformances_without_a_type() {
    let text = "protocol P {\n  associatedtype A : P\n}\n\
        struct S<T> {\n}\n\
        sil_witness_table <T where T : P> S<T>: P module main {\n\
        \x20 associated_type_protocol (A: P): dependent\n\
        \x20 associated_type A: T\n\
        \x20 conditional_conformance (T: P): dependent\n\
        \x20 conditional_conformance (T: P): dependent T\n}\n";
    check(
        text,
        &[
            "  associated_type_protocol (A: P): dependent",
            "  associated_type A: T",
            "  conditional_conformance (T: P): dependent",
            "  conditional_conformance (T: P): dependent T",
        ],
    );
}
