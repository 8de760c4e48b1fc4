//! Printers about access and aliases, and unit tests, on files whose first line names the pass and its options. What is expected is what the
//! reference prints.

use silkit_debug_passes::PASSES;
use silkit_pass::{PassOptions, Runner, Stream};
use silkit_text::parse_module;

fn run(input: &str) -> String {
    let mut words = input.lines().next().unwrap_or_default().trim_start_matches('/').split_whitespace();
    let pass = words.next().and_then(|tag| PASSES.find(tag)).expect("a pass");
    let mut options = PassOptions::default();
    words.for_each(|option| options.set(option, ""));
    let parsed = parse_module(input);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let mut module = parsed.module;
    let declarations = silkit_text::decl::declarations(&module);
    let outcome = Runner::new().options(options).run(&mut module, &declarations, &[pass.into()]);
    assert_eq!(outcome.output.text(Stream::Err), "");
    outcome.output.text(Stream::Out)
}

macro_rules! cases {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let input = include_str!(concat!("access/", stringify!($name), ".sil"));
                let expected = include_str!(concat!("access/", stringify!($name), ".out"));
                assert_same(&run(input), expected);
            }
        )*
    };
}

/// Shows the lines that differ.
fn assert_same(found: &str, expected: &str) {
    let diff = similar::TextDiff::from_lines(expected, found);
    assert!(found == expected, "{}", diff.unified_diff());
}

cases! { alias_roots alias_types bases captures formal lifetimes memory storage uses }

#[test]
fn both_walks_agree() {
    for input in [include_str!("access/uses.sil"), include_str!("access/storage.sil")] {
        let input = format!("// access-path-verification\n{input}");
        assert_eq!(run(&input), "");
    }
}
