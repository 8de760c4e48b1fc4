//! `silkit alias`.

use crate::*;

/// Returns the rows of the table that `alias` prints: two values, the answer and the rule.
fn alias_rows(args: &[&str]) -> Vec<[String; 4]> {
    let output = run(&[&["alias"], args].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let words = |line: &str| -> Option<[String; 4]> {
        let words: Vec<String> = line.split_whitespace().take(4).map(str::to_owned).collect();
        words.try_into().ok()
    };
    stdout(&output).lines().filter_map(words).collect()
}

#[test]
fn aliases_are_told_with_the_rule_that_decided() {
    let file = "crates/silkit-cli/tests/data/alias.sil";
    let rows = alias_rows(&[file, "--function", "rules"]);
    let cases = [
        ("%6", "%7", "no", "class-tbaa"),
        ("%6", "%8", "may", "unknown"),
        ("%6", "%9", "no", "distinct-fields"),
        ("%6", "%10", "no", "distinct-kinds"),
        ("%6", "%17", "no", "typed-access-tbaa"),
        ("%6", "%18", "may", "unknown"),
        ("%3", "%12", "no", "older-argument"),
        ("%4", "%6", "no", "exclusive-argument"),
        ("%10", "%11", "no", "distinct-globals"),
        ("%11", "%28", "may", "overlap"),
        ("%12", "%15", "no", "distinct-allocations"),
        ("%12", "%13", "may", "overlap"),
        ("%13", "%14", "no", "projection-paths"),
        ("%13", "%22", "may", "overlap"),
        ("%13", "%16", "no", "no-escape"),
        ("%15", "%16", "may", "unknown"),
    ];
    for (a, b, answer, rule) in cases {
        let row = rows.iter().find(|row| row[0] == a && row[1] == b).expect("a row");
        assert_eq!((row[2].as_str(), row[3].as_str()), (answer, rule), "{a} {b}");
        // The same two, alone and the other way around.
        let json = stdout(&run(&["alias", file, "-f", "rules", b, a, "--format", "json"]));
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["pairs"][0]["rule"], rule, "{b} {a}");
        assert_eq!(json["pairs"][0]["may_alias"], answer == "may", "{b} {a}");
    }
    let told = stdout(&run(&["alias", file, "-f", "rules", "%13", "%14"]));
    let first = "%13 and %14 do not alias: disjoint projection paths from the same base: s0 and s1 (projection-paths)";
    assert_eq!(told.lines().next(), Some(first));
    assert!(told.contains("\n  memory: stack, from %12, path s0\n"), "{told}");
    // An address that nothing uses is of some memory all the same.
    let text = "sil @f : $@convention(thin) (Builtin.Int64) -> () {\nbb0(%0 : $Builtin.Int64):\n  %1 = alloc_stack $(Builtin.Int64, Builtin.Int64)\n  %2 = tuple_element_addr %1, 0\n  store %0 to %2\n  %4 = tuple_element_addr %1, 0\n  dealloc_stack %1\n  return undef : $()\n}\n";
    let unused = stdout(&run_with(&["alias", "-", "%2", "%4"], text.as_bytes()));
    assert!(unused.starts_with("%2 and %4 may alias: one of them is unused"), "{unused}");
    let lent = stdout(&run(&["alias", file, "-f", "rules", "%4", "%27"]));
    assert!(lent.contains("(no-pointer)") && lent.contains("  immutable: not written"), "{lent}");
}

#[test]
fn aliases_of_what_is_not_there_are_refused() {
    let file = "crates/silkit-cli/tests/data/alias.sil";
    let cases: [(&[&str], &str, &str); 5] = [
        (&["examples/shapes.raw.sil"], "has 13 functions with bodies", "name one"),
        (&[file, "-f", "rulez"], "unknown function `rulez`", "did you mean `rules`?"),
        (&[file, "%6", "%99"], "has no value `%99`", "numbered as `silkit opt` prints"),
        (&[file, "%6", "%x"], "has no value `%x`", "numbered as `silkit opt` prints"),
        (&[file, "%6"], "two values or none", "name values"),
    ];
    for (args, what, advice) in cases {
        let output = run(&[&["alias"], args].concat());
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains(what) && told.contains(advice), "{args:?}: {told}");
    }
}

#[test]
fn a_function_without_two_addresses_is_told() {
    let text = "sil_stage canonical\n\nsil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
    let output = run_with(&["alias", "-"], text.as_bytes());
    assert!(output.status.success() && stdout(&output).is_empty());
    assert!(stderr(&output).contains("fewer than two addresses"), "{}", stderr(&output));
}
