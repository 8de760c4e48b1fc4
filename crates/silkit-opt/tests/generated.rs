//! Every pass keeps generated programs valid.
//!
//! `SILKIT_SEEDS=500` runs on so many programs of each profile; the default keeps the test short.

use silkit_opt::PASSES;
use silkit_pass::{Runner, Step};
use silkit_testkit::generate::{Profile, generate};
use silkit_text::{PrintOptions, decl::declarations, parse_module, print_module};
use silkit_verify::{Options, verify};

/// Returns the first finding in a text; the text must have no errors.
fn finding(text: &str) -> Option<String> {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?} in\n{text}", parsed.errors);
    let report =
        verify(&parsed.module, &declarations(&parsed.module), Some(parsed.source(text)), &Options::default());
    report.findings.first().map(|finding| format!("{finding:?}"))
}

/// Returns the text of a program after passes.
fn optimized(text: &str, tags: &[&str]) -> String {
    let mut module = parse_module(text).module;
    let declarations = declarations(&module);
    let find = |tag: &&str| -> Step<'static> { PASSES.find(tag).expect("a pass").into() };
    let steps: Vec<Step<'_>> = tags.iter().map(find).collect();
    let outcome = Runner::new().run(&mut module, &declarations, &steps);
    assert!(outcome.problems.is_empty(), "{tags:?}: {:?}", outcome.problems);
    print_module(&module, &PrintOptions::default(), &|_| None)
}

fn check(profile: &Profile, seeds: u64, pipelines: &[Vec<&str>]) {
    let wanted = std::env::var("SILKIT_SEEDS").ok().and_then(|n| n.parse().ok());
    for seed in 0..wanted.unwrap_or(seeds) {
        let text = generate(seed, profile);
        for tags in pipelines {
            let after = optimized(&text, tags);
            let finding = finding(&after);
            assert!(finding.is_none(), "{tags:?} on seed {seed} of {profile:?}: {finding:?}");
            assert_eq!(after, optimized(&text, tags), "{tags:?} on seed {seed} of {profile:?}");
        }
    }
}

/// Returns each pass alone.
fn each() -> Vec<Vec<&'static str>> {
    PASSES.sorted().iter().map(|pass| vec![pass.tag]).collect()
}

#[test]
fn each_pass_keeps_functions_with_ownership_valid() {
    for profile in [Profile::small(), Profile::control_flow().sized(20), Profile::memory().sized(20)] {
        check(&profile, 8, &each());
    }
}

#[test]
fn each_pass_keeps_functions_without_ownership_valid() {
    for profile in [Profile::small(), Profile::control_flow().sized(20), Profile::memory().sized(20)] {
        check(&profile.lowered(), 8, &each());
    }
}

#[test]
fn passes_keep_programs_valid_one_after_the_other() {
    let before = vec!["mem2reg", "dce", "split-critical-edges", "loop-canonicalizer", "update-borrowed-from"];
    let behind = vec!["ownership-model-eliminator", "stack-nesting", "mem2reg", "merge-cond_fails", "dce"];
    let all = [before.clone(), behind].concat();
    check(&Profile::new(), 12, &[before, all]);
    check(&Profile::ownership(), 12, &[vec!["mem2reg", "dce", "ownership-model-eliminator", "dce"]]);
}
