//! `silkit cost`: reports, explanations, budgets and comparisons.

use super::*;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/inventory.debug.sil");

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn lines_are_listed_and_explained() {
    let table = stdout(&run(&["cost", EXAMPLE]));
    assert!(table.lines().next().is_some_and(|head| head.ends_with("line")), "{table}");
    assert!(table.contains("inventory.swift:30  Inventory.add(_:)"), "{table}");
    assert!(table.contains("100.0 % of "), "{table}");
    let quiet = stdout(&run(&["cost", EXAMPLE, "--quiet", "--limit", "2"]));
    assert_eq!(quiet.lines().count(), 3, "{quiet}");
    assert_eq!(table, stdout(&run(&["cost", EXAMPLE, "-j", "1"])));
    let why = stdout(&run(&["cost", EXAMPLE, "--why", "inventory.swift:29"]));
    assert!(why.contains("retain: second owner: stored to property `Inventory.newest`"), "{why}");
    let report = json(&stdout(&run(&["cost", EXAMPLE, "--why", "29", "--format", "json"])));
    assert_eq!(report["places"][0]["stack"].as_array().map(Vec::len), Some(0), "{report}");
    assert_eq!(report["source"], "inventory.swift");
    let report = json(&stdout(&run(&["cost", EXAMPLE, "--format", "json", "--by", "place"])));
    assert_eq!(report["attribution"]["none"], 0);
    assert!(report["places"].as_array().is_some_and(|places| places.len() > 50));
    for (arguments, hint) in [
        (vec!["--why", "x"], "expected a file and a line"),
        (vec!["--why", "other.swift:3"], "`silkit cost FILE --limit 0` lists"),
        (vec!["--format", "sarif"], "use `text` or `json`"),
        (vec!["--check", "nothing.toml"], "nothing.toml"),
    ] {
        let output = run(&[&["cost", EXAMPLE], arguments.as_slice()].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(hint), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn regressions_are_reported_in_each_format() {
    let folder = scratch("cost-budget");
    let budget = folder.join("budget.toml").display().to_string();
    assert!(run(&["cost", EXAMPLE, "--write-budget", &budget]).status.success());
    let within = run(&["cost", EXAMPLE, "--check", &budget]);
    assert!(within.status.success() && stdout(&within).contains("functions within the budget"));
    let text = std::fs::read_to_string(&budget).expect("the budget");
    // The closest thing to a new box: the limit is lowered, and its place removed.
    let less = text.replacen("box = 1\n", "", 1);
    let less: String =
        less.lines().filter(|line| !line.contains("\"box: ")).map(|line| line.to_owned() + "\n").collect();
    std::fs::write(&budget, less).expect("a budget");
    let worse = run(&["cost", EXAMPLE, "--check", &budget]);
    assert_eq!(worse.status.code(), Some(1));
    let report = stdout(&worse);
    assert!(
        report.contains("inventory.swift:44:7: error: 1 box in `makeCounter()`, budget 0 (+1)"),
        "{report}"
    );
    let sarif = json(&stdout(&run(&["cost", EXAMPLE, "--check", &budget, "--format", "sarif"])));
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 44, "{sarif}");
    let annotations = stdout(&run(&["cost", EXAMPLE, "--check", &budget, "--format", "github"]));
    assert!(annotations.starts_with("::error file=inventory.swift,line=44,col=7,"), "{annotations}");
    let report = json(&stdout(&run(&["cost", EXAMPLE, "--check", &budget, "--format", "json"])));
    assert_eq!(report["regressions"][0]["new"][0]["source"]["line"], 44);
}

#[test]
fn two_files_are_compared_in_markdown() {
    let folder = scratch("cost-compare");
    let text = std::fs::read_to_string(EXAMPLE).expect("the example");
    let retain =
        text.lines().find(|line| line.trim_start().starts_with("strong_retain %0, loc")).expect("a retain");
    let more = folder.join("more.sil").display().to_string();
    std::fs::write(&more, text.replacen(retain, &format!("{retain}\n{retain}"), 1)).expect("a file");
    let markdown = stdout(&run(&["cost", "--compare", EXAMPLE, &more]));
    assert!(
        markdown.contains("| retain | ") && markdown.contains("- `Inventory.add(_:)`: retain "),
        "{markdown}"
    );
    let same = stdout(&run(&["cost", "--compare", EXAMPLE, EXAMPLE]));
    assert_eq!(same, "### Costs\n\nNo function has other costs than before.\n");
}
