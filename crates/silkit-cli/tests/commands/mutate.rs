//! `silkit mutate`.

use super::*;

const HELLO: &str = "examples/run/hello.sil";

#[test]
fn mutants_are_found_out() {
    let output = run(&["mutate", "--no-libraries", "--format", "json", HELLO]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let found = |operator: &str, instruction: &str, change: &str| {
        let all = json["mutants"].as_array().expect("mutants").iter();
        let mut meant = all.filter(|m| m["operator"] == operator && m["instruction"] == instruction);
        let mutant =
            meant.find(|m| m["change"].as_str().is_some_and(|c| c.contains(change))).expect("a mutant");
        format!("{}: {}", mutant["result"].as_str().unwrap_or(""), mutant["reason"].as_str().unwrap_or(""))
    };
    assert!(found("removed", "end_access", "removed").starts_with("reported: exclusivity"));
    assert!(found("doubled", "strong_release", "duplicated").starts_with("reported: over-release"));
    assert!(found("removed", "strong_release", "removed").starts_with("reported: leak"));
    assert!(found("doubled", "dealloc_ref", "duplicated").starts_with("reported: double-free"));
    assert_eq!(found("doubled", "store", "duplicated"), "changes nothing: ");
    assert!(found("constant", "integer_literal", "104 → 103").contains("was \"hi\", now it is \"gi\""));
    assert!(found("call", "apply", "removed").starts_with("noticed: "));
    assert_eq!(json["found"], json["ran"]);
}

#[test]
fn mutants_that_live_are_listed_beside_their_lines() {
    let folder = scratch("mutate");
    let file = folder.join("least.sil");
    let text = "sil_stage canonical\nimport Builtin\n
sil @least : $@convention(thin) (Builtin.Int64, Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64, %1 : $Builtin.Int64):
  %2 = builtin \"cmp_slt_Int64\"(%0, %1) : $Builtin.Int1
  cond_br %2, bb1, bb2
bb1:
  br bb3(%0)
bb2:
  br bb3(%1)
bb3(%6 : $Builtin.Int64):
  return %6
}

sil @never : $@convention(thin) () -> () {
bb0:
  %0 = integer_literal $Builtin.Int64, 1
  %1 = tuple ()
  return %1
}
";
    std::fs::write(&file, text).expect("a file");
    let page = folder.join("page.html").display().to_string();
    let file = file.display().to_string();
    let output = run(&["mutate", "--no-libraries", "--entry", "least", "--html", &page, &file]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    // The least of equal numbers is either of them.
    assert!(
        text.contains(
            "least.sil:6: `builtin` in least: relational: cmp_slt_Int64 → cmp_sle_Int64 [survives]"
        ),
        "{text}"
    );
    assert!(text.contains("1 of 2 mutants found: 50.0 %"), "{text}");
    assert!(text.contains("constant            1         0        0         0             1"), "{text}");
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("<span class=\"line survives\"><i>6</i>"), "{page}");
    assert!(page.contains("<span class=\"line found\"><i>7</i>"), "{page}");
}

#[test]
fn a_sample_of_the_mutants_runs() {
    let ran = |sample: &[&str]| {
        let output = run(&[&["mutate", "--no-libraries", "--format", "json", HELLO], sample].concat());
        let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        json["ran"].as_u64().expect("a count")
    };
    assert_eq!(ran(&["--sample", "5"]), 5);
    assert_eq!(ran(&["--sample", "5", "--seed", "9"]), 5);
    assert_eq!(ran(&["--sample", "1000"]), ran(&[]));
}

#[test]
fn a_program_that_fails_its_tests_is_refused() {
    let output = run(&["mutate", "--no-libraries", "--exit-code", "3", HELLO]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("the original program exits with code 0, expected 3"),
        "{}",
        stderr(&output)
    );
    let output = run(&["mutate", "--no-libraries", "--operator", "typo", HELLO]);
    assert!(stderr(&output).contains("expected one of relational, arithmetic"), "{}", stderr(&output));
}
