//! `--limit`, `--stat` and `--quiet`: how much commands print.

use crate::*;

const RAW: &str = "examples/shapes.raw.sil";
const CANONICAL: &str = "examples/shapes.canonical.sil";

fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&stdout(&run(args))).expect("JSON")
}

#[test]
fn effects_of_some_functions_and_their_number() {
    let all = run(&["effects", RAW]);
    let some = run(&["effects", "--limit", "3", RAW]);
    // The head of the table, and three functions.
    assert_eq!(stdout(&some).lines().count(), 4);
    assert_eq!(stderr(&some), "note: 10 more functions are not shown; `--limit 0` shows all\n");
    assert_eq!(stdout(&run(&["effects", "--limit", "0", RAW])), stdout(&all));
    assert_eq!(stderr(&run(&["effects", "--limit", "3", "--quiet", RAW])), "");
    let shown = json(&["effects", "--limit", "3", "--format", "json", RAW]);
    assert_eq!((shown["functions"].as_array().map(Vec::len), &shown["omitted"]), (Some(3), &10.into()));
    let stat = stdout(&run(&["effects", "--stat", RAW]));
    assert!(stat.ends_with("\n13 functions\n") && stat.lines().count() == 10, "{stat}");
    for row in json(&["effects", "--stat", "--format", "json", RAW])["effects"].as_array().expect("rows") {
        let sum: u64 = ["proven", "possible", "excluded"].iter().filter_map(|key| row[key].as_u64()).sum();
        assert_eq!(sum, 13, "{row}");
    }
    assert_eq!(run(&["effects", "--stat", "--limit", "3", RAW]).status.code(), Some(2));
}

#[test]
fn differences_and_their_number() {
    let some = run(&["diff", "--limit", "1", RAW, CANONICAL]);
    assert_eq!(some.status.code(), Some(1));
    assert_eq!(stdout(&some).lines().filter(|line| line.starts_with("@@")).count(), 1);
    assert!(stderr(&some).ends_with("; `--limit 0` shows all\n"), "{}", stderr(&some));
    let stat = run(&["diff", "--stat", RAW, CANONICAL]);
    let rows = json(&["diff", "--stat", "--format", "json", RAW, CANONICAL]);
    let rows = rows["differences"].as_array().expect("rows").clone();
    assert_eq!((stat.status.code(), stdout(&stat).lines().count()), (Some(1), rows.len() + 1));
    // The numbers are those of the lines that are shown.
    let whole = stdout(&run(&["diff", RAW, CANONICAL]));
    let added = whole.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++")).count();
    assert_eq!(rows.iter().filter_map(|row| row["added"].as_u64()).sum::<u64>(), added as u64);
    assert_eq!(run(&["diff", "--stat", RAW, RAW]).status.code(), Some(0));
}

#[test]
fn findings_by_rule() {
    let stat = run(&["verify", "--stat", "docs/mistakes/leak.sil", "docs/mistakes/consumed-twice.sil"]);
    assert_eq!(stat.status.code(), Some(1));
    let text = stdout(&stat);
    assert!(text.contains("  SIL0402  ") && text.contains("  SIL0403  "), "{text}");
    assert!(text.lines().last().is_some_and(|line| line.contains("error")), "{text}");
    let counts = json(&["verify", "--stat", "--format", "json", "docs/mistakes/leak.sil"]);
    assert_eq!(counts["rules"][0]["rule"], "SIL0402");
    assert_eq!(counts["rules"][0]["count"], counts["errors"]);
    assert_eq!(stdout(&run(&["verify", "--stat", RAW])), "");
    assert_eq!(run(&["verify", "--stat", "--format", "sarif", RAW]).status.code(), Some(2));
}

#[test]
fn mutants_and_checks() {
    let hello = "examples/run/hello.sil";
    let all = json(&["mutate", "--no-libraries", "--format", "json", hello]);
    let all = all["mutants"].as_array().expect("mutants").len();
    let some = json(&["mutate", "--no-libraries", "--limit", "2", "--format", "json", hello]);
    assert_eq!((some["mutants"].as_array().map(Vec::len), &some["omitted"]), (Some(2), &(all - 2).into()));
    let stat = stdout(&run(&["mutate", "--no-libraries", "--all", "--stat", hello]));
    assert!(!stat.contains("hello.sil:") && stat.contains(" mutants found: "), "{stat}");
    let listed = stdout(&run(&["mutate", "--no-libraries", "--all", "--limit", "1", hello]));
    assert_eq!(listed.lines().filter(|line| line.starts_with(hello)).count(), 1, "{listed}");
    let check = stdout(&run(&["check-passes", "--no-libraries", "--stat", "-p", "dce", hello]));
    assert!(check.starts_with("1 check: 1 same") && check.lines().count() == 1, "{check}");
    let counts = json(&["check-passes", "--no-libraries", "--stat", "--format", "json", "-p", "dce", hello]);
    assert_eq!((&counts["same"], &counts["different"]), (&1.into(), &0.into()));
}

#[test]
fn symbols_and_pairs() {
    assert_eq!(stdout(&run(&["nm", "--limit", "5", RAW])).lines().count(), 5);
    let stat = stdout(&run(&["nm", "--stat", RAW]));
    assert!(stat.contains("function             13 defined       11 declared\n"), "{stat}");
    let pairs = run(&["alias", "--limit", "2", RAW, "--function", "main"]);
    assert_eq!(stdout(&pairs).lines().count(), 2);
    let all = stdout(&run(&["alias", RAW, "--function", "main"])).lines().count();
    let stat = stdout(&run(&["alias", "--stat", RAW, "--function", "main"]));
    let counted = stat.lines().filter_map(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    assert_eq!(counted.sum::<usize>(), all, "{stat}");
}

#[test]
fn a_pipeline_without_some_passes_takes_one_line() {
    let output = run(&["opt", "--passes", "performance", "examples/run/hello.sil", "-o", "/dev/null"]);
    let note = stderr(&output);
    assert_eq!(note.lines().count(), 1, "{note}");
    assert!(note.starts_with("note: ") && note.contains("`silkit pipelines --status"), "{note}");
    assert!(note.len() < 300, "{note}");
    for quiet in [&["--quiet"][..], &["-q"]] {
        let args = ["opt", "--passes", "performance", "examples/run/hello.sil", "-o", "/dev/null"];
        assert_eq!(stderr(&run(&[&args[..], quiet].concat())), "");
    }
}
