//! What tests of passes share.

use crate::passes::find;
use crate::{Options, Outcome, Runner, Stream, parse_pipeline};
use silkit_ir::Module;
use silkit_text::{PrintOptions, parse_module, print_module};

/// Runs a pipeline on a file, with switches that are on.
pub(crate) fn run(pipeline: &str, switches: &[&str], text: &str) -> (Module, Outcome) {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "the input has errors: {:?}", parsed.errors);
    let mut module = parsed.module;
    let declarations = silkit_text::decl::declarations(&module);
    let mut options = Options::default();
    switches.iter().for_each(|&switch| options.set(switch, ""));
    let steps = parse_pipeline(pipeline, find).expect("the pipeline is one");
    let outcome = Runner::new().options(options).run(&mut module, &declarations, &steps);
    assert!(outcome.problems.is_empty(), "problems: {:?}", outcome.problems);
    (module, outcome)
}

/// What a printer prints to one stream about a file.
pub(crate) fn printed(pipeline: &str, stream: Stream, text: &str) -> String {
    run(pipeline, &[], text).1.output.text(stream)
}

/// The bodies of a file after a pipeline, without comments.
pub(crate) fn changed(pipeline: &str, switches: &[&str], text: &str) -> String {
    let (module, _) = run(pipeline, switches, text);
    let printed = print_module(&module, &PrintOptions::default(), &|_| None);
    let code = |line: &str| line.split("//").next().unwrap_or_default().trim_end().to_owned();
    let lines: Vec<String> = printed.lines().map(code).filter(|l| !l.is_empty()).collect();
    lines.join("\n") + "\n"
}
