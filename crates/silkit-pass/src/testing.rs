//! Helpers for tests of passes: run a pipeline on SIL text, compare what is printed.

use crate::{Options, Outcome, Pass, Problem, Runner, Stream, parse_pipeline};
use silkit_ir::Module;
use silkit_text::{PrintOptions, parse_module, print_module};

/// Runs a pipeline on a file, with the given switches on. `find` finds passes by tag.
///
/// # Panics
/// Where the input or the pipeline has errors, or a pass reports one.
pub fn run(
    find: impl Fn(&str) -> Option<Pass<'static>>,
    pipeline: &str,
    switches: &[&str],
    text: &str,
) -> (Module, Outcome) {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "the input has errors: {:?}", parsed.errors);
    let mut module = parsed.module;
    let declarations = silkit_text::decl::declarations(&module);
    let mut options = Options::default();
    switches.iter().for_each(|&switch| options.set(switch, ""));
    let steps = parse_pipeline(pipeline, find).expect("the pipeline is valid");
    let outcome = Runner::new().options(options).source_map(Some(&parsed.source_map)).run(
        &mut module,
        &declarations,
        &steps,
    );
    assert!(!outcome.problems.iter().any(Problem::is_error), "problems: {:?}", outcome.problems);
    (module, outcome)
}

/// Returns what the passes of a pipeline print to one stream.
pub fn printed(
    find: impl Fn(&str) -> Option<Pass<'static>>,
    pipeline: &str,
    stream: Stream,
    text: &str,
) -> String {
    run(find, pipeline, &[], text).1.output.text(stream)
}

/// Returns the module as it prints after a pipeline, without comments and empty lines.
pub fn changed(
    find: impl Fn(&str) -> Option<Pass<'static>>,
    pipeline: &str,
    switches: &[&str],
    text: &str,
) -> String {
    code(&run(find, pipeline, switches, text).0)
}

/// Returns a module as it prints, without comments and empty lines.
pub fn code(module: &Module) -> String {
    let printed = print_module(module, &PrintOptions::default(), &|_| None);
    let code = |line: &str| line.split("//").next().unwrap_or_default().trim_end().to_owned();
    let lines: Vec<String> = printed.lines().map(code).filter(|l| !l.is_empty()).collect();
    lines.join("\n") + "\n"
}
