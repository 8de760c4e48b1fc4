//! Passes and printers about effects, on files of cases. The first line of an input names the passes: `// dce mem2reg`.
//! The expected output is what they print, then the effects of the functions that have some.

use silkit_pass::{Runner, Step, Stream};
use silkit_testkit::cases;
use silkit_text::parse_module;
use std::path::Path;

fn run(input: &str) -> String {
    let tags = input.lines().next().unwrap_or_default().trim_start_matches('/');
    let steps: Vec<Step<'_>> = tags
        .split_whitespace()
        .map(|tag| {
            silkit_debug_passes::PASSES
                .find(tag)
                .or_else(|| silkit_opt::PASSES.find(tag))
                .unwrap_or_else(|| panic!("a pass named {tag}"))
                .into()
        })
        .collect();
    let parsed = parse_module(input);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let mut module = parsed.module;
    let declarations = silkit_text::decl::declarations(&module);
    let outcome = Runner::new().run(&mut module, &declarations, &steps);
    let mut text = outcome.output.text(Stream::Out);
    for function in module.functions.values() {
        let texts = silkit_text::effect_texts(&function.effects);
        let effects: String = texts.iter().map(|e| format!(" [{e}]")).collect();
        if !effects.is_empty() {
            text.push_str(&format!("@{}:{effects}\n", function.name));
        }
    }
    text
}

macro_rules! cases {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let file = format!("tests/effects/{}.txt", stringify!($name));
                if let Err(message) = cases::check(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file), run) {
                    panic!("{message}");
                }
            }
        )*
    };
}

cases! { escape instruction_properties memory_behavior side_effects }
