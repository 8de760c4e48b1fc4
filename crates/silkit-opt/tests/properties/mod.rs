//! What holds of passes for every valid program: they leave a valid program behind, the same one each time. Tests check it on
//! generated programs; the fuzz target `passes` includes this file and does the same with seeds of its own.

use silkit_opt::PASSES;
use silkit_pass::{PipelineStep, Runner};
use silkit_testkit::generate::{Profile, generate, shuffle};
use silkit_text::{PrintOptions, decl::declarations, parse_module, print_module};
use silkit_verify::{VerifyOptions, verify};

/// Returns the first finding in a text; the text must have no errors.
fn finding(text: &str) -> Option<String> {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?} in\n{text}", parsed.errors);
    let report = verify(
        &parsed.module,
        &declarations(&parsed.module),
        Some(parsed.source(text)),
        &VerifyOptions::default(),
    );
    report.findings.first().map(|finding| format!("{finding:?}"))
}

/// Returns the text of a program after passes.
fn optimized(text: &str, tags: &[&str]) -> String {
    optimized_by(Runner::new(), text, tags)
}

/// Returns the text of a program after a runner ran passes.
fn optimized_by(runner: Runner<'_>, text: &str, tags: &[&str]) -> String {
    let mut module = parse_module(text).module;
    let declarations = declarations(&module);
    let find = |tag: &&str| -> PipelineStep<'static> { PASSES.find(tag).expect("a pass").into() };
    let steps: Vec<PipelineStep<'_>> = tags.iter().map(find).collect();
    let outcome = runner.run(&mut module, &declarations, &steps);
    assert!(outcome.problems.is_empty(), "{tags:?}: {:?}", outcome.problems);
    print_module(&module, &PrintOptions::default(), &|_| None)
}

/// Runs passes on the program of a seed: it stays valid, and comes out the same a second time.
pub(crate) fn keep_valid(seed: u64, profile: &Profile, tags: &[&str]) {
    let text = generate(seed, profile);
    let after = optimized(&text, tags);
    let finding = finding(&after);
    assert!(finding.is_none(), "{tags:?} on seed {seed} of {profile:?}: {finding:?}");
    assert_eq!(after, optimized(&text, tags), "{tags:?} on seed {seed} of {profile:?}");
}

/// Returns the tags of all passes.
pub(crate) fn all_tags() -> Vec<&'static str> {
    PASSES.sorted().iter().map(|pass| pass.tag).collect()
}

/// Runs on the program of a seed, whose profile the seed says, each pass alone and then some passes one after the other.
pub(crate) fn check_seed(seed: u64) {
    let profile = Profile::of_seed(seed);
    let all = all_tags();
    all.iter().for_each(|tag| keep_valid(seed, &profile, &[tag]));
    // Any order must do: the seed picks one.
    let mut order = all;
    shuffle(&mut order, seed);
    keep_valid(seed, &profile, &order);
    // A pass without work left is skipped, which nobody sees.
    let again = order.repeat(2);
    let text = generate(seed, &profile);
    let all_runs = optimized_by(Runner::new().repeats_settled(true), &text, &again);
    assert_eq!(optimized(&text, &again), all_runs, "{again:?} on seed {seed} of {profile:?}");
}
