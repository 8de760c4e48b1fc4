//! `silkit reduce`.

use super::{run, stderr, stdout};

#[test]
fn prints_the_smallest_module_and_what_it_took() {
    let check = format!("{} verify --only SIL0402", env!("CARGO_BIN_EXE_silkit"));
    let output = run(&["reduce", "--check", &check, "docs/mistakes/leak.sil"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("return undef") && !stdout(&output).contains("bb1"),
        "{}",
        stdout(&output)
    );
    assert!(stderr(&output).contains("instructions          6 → 1"), "{}", stderr(&output));
}

#[test]
fn tells_as_json() {
    let output =
        run(&["reduce", "--check", "! grep -q store", "--format", "json", "docs/mistakes/memory.sil"]);
    let summary: serde_json::Value = serde_json::from_str(&stderr(&output)).expect("JSON");
    assert_eq!(summary["complete"], true);
    assert!(summary["after"]["bytes"].as_u64() < summary["before"]["bytes"].as_u64());
}

#[test]
fn a_check_that_succeeds_or_is_not_there_is_refused() {
    let output = run(&["reduce", "--check", "true", "docs/mistakes/leak.sil"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`true` succeeds on the input"), "{}", stderr(&output));
    let output = run(&["reduce", "--check", "no-such-command", "docs/mistakes/leak.sil"]);
    assert!(stderr(&output).contains("cannot run the check `no-such-command`"), "{}", stderr(&output));
}
