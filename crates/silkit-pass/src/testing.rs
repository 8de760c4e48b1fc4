//! Helpers for tests of passes: run a pipeline on SIL text, compare the output.

use crate::{Pass, PassOptions, PassOutcome, PipelineStep, Problem, Runner, Stream, parse_pipeline};
use silkit_ir::Module;
use silkit_text::{PrintOptions, parse_module, print_module};

/// Runs a pipeline on a file with the given switches. `find` looks up passes by tag.
///
/// # Panics
/// Panics if the input or the pipeline has errors, or a pass reports one.
pub fn run(
    find: impl Fn(&str) -> Option<Pass<'static>>,
    pipeline: &str,
    switches: &[&str],
    text: &str,
) -> (Module, PassOutcome) {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "the input has errors: {:?}", parsed.errors);
    let mut module = parsed.module;
    let declarations = silkit_text::decl::declarations(&module);
    let mut options = PassOptions::default();
    for option in switches {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        options.set(name, value);
    }
    let steps = parse_pipeline(pipeline, find).expect("the pipeline is valid");
    let outcome = Runner::new().options(options).source_map(Some(&parsed.source_map)).run(
        &mut module,
        &declarations,
        &steps,
    );
    assert!(!outcome.problems.iter().any(Problem::is_error), "problems: {:?}", outcome.problems);
    (module, outcome)
}

/// Returns the output of the passes of a pipeline to one stream.
pub fn printed(
    find: impl Fn(&str) -> Option<Pass<'static>>,
    pipeline: &str,
    stream: Stream,
    text: &str,
) -> String {
    run(find, pipeline, &[], text).1.output.text(stream)
}

/// Returns the printed module after a pipeline, without comments and empty lines.
pub fn changed(
    find: impl Fn(&str) -> Option<Pass<'static>>,
    pipeline: &str,
    switches: &[&str],
    text: &str,
) -> String {
    code(&run(find, pipeline, switches, text).0)
}

/// Returns the printed module, without comments and empty lines.
pub fn code(module: &Module) -> String {
    let printed = print_module(module, &PrintOptions::default(), &|_| None);
    let code = |line: &str| line.split("//").next().unwrap_or_default().trim_end().to_owned();
    let lines: Vec<String> = printed.lines().map(code).filter(|l| !l.is_empty()).collect();
    lines.join("\n") + "\n"
}

/// Runs the passes listed in the first line of a text, with its options: `// dce mem2reg -wmo -opt-mode=none`.
///
/// # Panics
/// Panics if the text has errors, or names a pass that `find` does not find.
pub fn run_named(find: impl Fn(&str) -> Option<Pass<'static>>, text: &str) -> (Module, PassOutcome) {
    let mut options = PassOptions::default();
    let mut steps: Vec<PipelineStep<'_>> = Vec::new();
    for word in text.lines().next().unwrap_or_default().trim_start_matches('/').split_whitespace() {
        match word.strip_prefix('-') {
            Some(option) => {
                let (name, value) = option.split_once('=').unwrap_or((option, ""));
                options.set(name, value);
            }
            None => steps.push(find(word).unwrap_or_else(|| panic!("a pass named {word}")).into()),
        }
    }
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "the input has errors: {:?}", parsed.errors);
    let mut module = parsed.module;
    let declarations = silkit_text::decl::declarations(&module);
    let outcome = Runner::new().options(options).run(&mut module, &declarations, &steps);
    (module, outcome)
}

/// Returns the global variables, functions and tables of a module after the passes listed in the first line of a
/// text, as the reference prints them, without comments.
///
/// # Panics
/// Panics if the text has errors or names an unknown pass, or a pass reports a problem.
pub fn changed_by_named(find: impl Fn(&str) -> Option<Pass<'static>>, text: &str) -> String {
    let (mut module, outcome) = run_named(find, text);
    assert!(outcome.problems.is_empty(), "{:?}", outcome.problems);
    module.swift.clear();
    let is_header = |line: &&str| !line.starts_with("sil ") && !line.starts_with("sil_global");
    code(&module).lines().skip_while(is_header).collect::<Vec<_>>().join("\n")
}

/// Runs the passes listed in the first line of a text. Returns their standard output, followed by the effects of
/// functions.
///
/// # Panics
/// Panics if the text has errors, or names a pass that `find` does not find.
pub fn printed_and_effects(find: impl Fn(&str) -> Option<Pass<'static>>, text: &str) -> String {
    let (module, outcome) = run_named(find, text);
    let mut shown = outcome.output.text(Stream::Out);
    for function in module.functions.values() {
        let effects: String =
            silkit_text::effect_texts(&function.effects).iter().map(|e| format!(" [{e}]")).collect();
        if !effects.is_empty() {
            shown.push_str(&format!("@{}:{effects}\n", function.name));
        }
    }
    shown
}

/// Asserts that all passes have different tags and well-formed summaries.
///
/// # Panics
/// Panics if two passes share a tag or a summary is malformed.
pub fn assert_well_named(passes: impl IntoIterator<Item = Pass<'static>>) {
    let mut all: Vec<Pass<'static>> = passes.into_iter().collect();
    all.sort_by_key(|pass| pass.tag);
    for pair in all.windows(2) {
        assert!(pair[0].tag < pair[1].tag, "two passes have the tag `{}`", pair[0].tag);
    }
    for pass in all {
        let is_phrase = !pass.summary.is_empty() && !pass.summary.ends_with('.');
        assert!(is_phrase, "`{}`: the summary is not a phrase", pass.tag);
    }
}
