//! Passes that count their transformations leave legal SIL behind after each of them, so that a bisection may stop anywhere.

mod inputs;

use silkit::ir::Module;
use silkit::pass::{Limit, Runner};
use silkit::passes;
use silkit::text::parse_module;
use silkit::types::decl::Declarations;

fn findings(module: &Module, declarations: &Declarations) -> Vec<String> {
    let report = silkit::verify::verify(module, declarations, None, &Default::default());
    report.findings.iter().map(|f| format!("{f:?}")).collect()
}

/// Returns the module after a pass, and the number of transformations of each of its runs.
fn run(tag: &str, module: &Module, facts: &Declarations, limit: Option<Limit>) -> (Module, Vec<usize>) {
    let mut module = module.clone();
    let pass = passes::find(tag).expect("a pass");
    let outcome = Runner::new().limit(limit).run(&mut module, facts, &[pass.into()]);
    let mut changes = Vec::new();
    for run in &outcome.runs {
        changes.resize(changes.len().max(run.number), 0);
        changes[run.number - 1] = run.changes;
    }
    (module, changes)
}

/// Returns the inputs of the cases of a pass.
fn cases(tag: &str) -> Vec<(String, String)> {
    let file = format!("{}/../silkit-opt/tests/ssa/{tag}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).expect("a file of cases");
    let case = |case: &str| {
        let (name, rest) = case.split_once('\n')?;
        Some((name.to_owned(), rest.split("\n---\n").next()?.to_owned()))
    };
    text.split("\n=== ").skip(1).filter_map(case).collect()
}

/// Runs the passes that the first line of a case names before another one.
fn prepared(text: &str, tag: &str) -> (Module, Declarations) {
    let mut module = parse_module(text).module;
    let facts = silkit::declarations(&module);
    let named = text.lines().next().and_then(|line| line.strip_prefix("// ")).unwrap_or_default();
    let before = named.split_whitespace().take_while(|&word| word != tag);
    let steps: Vec<_> = before.filter_map(passes::find).map(Into::into).collect();
    Runner::new().run(&mut module, &facts, &steps);
    (module, facts)
}

/// Stops a pass after some of its transformations; says how often.
fn check(tag: &str) -> usize {
    let mut tried = 0;
    for (name, text) in cases(tag).into_iter().chain(inputs::all(40_000)) {
        let (module, facts) = prepared(&text, tag);
        let before = findings(&module, &facts).len();
        let (_, all) = run(tag, &module, &facts, None);
        let counted: Vec<(usize, usize)> =
            all.into_iter().enumerate().filter(|&(_, changes)| changes > 0).collect();
        for &(index, changes) in counted.iter().step_by(1 + counted.len() / 10) {
            for changes in (0..changes).step_by(1 + changes / 6) {
                let limit = Limit { runs: index + 1, changes: Some(changes) };
                let (after, done) = run(tag, &module, &facts, Some(limit));
                assert_eq!(done.get(index), Some(&changes), "{name}: {limit:?}");
                let found = findings(&after, &facts);
                assert!(found.len() <= before, "{name}: {limit:?}: {:?}", found.first());
                tried += 1;
            }
        }
    }
    eprintln!("{tag}: {tried} prefixes");
    tried
}

#[test]
fn removals_of_dead_code_are_legal_one_by_one() {
    assert!(check("dce") > 20);
}

#[test]
fn promotions_are_legal_one_by_one() {
    assert!(check("mem2reg") > 5);
}
