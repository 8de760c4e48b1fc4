//! `silkit check-passes`.

use super::*;

#[test]
fn a_program_is_compared() {
    let output =
        run(&["check-passes", "--no-libraries", "--passes", "performance", "examples/run/hello.sil"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.contains("hello.sil: same behavior after ") && text.contains("of which changed the SIL"),
        "{text}"
    );
    assert!(text.ends_with("1 check: 1 same (1 with changed SIL), 0 different, 0 not run\n"), "{text}");
}

#[test]
fn each_pass_is_checked_alone() {
    let arguments = ["check-passes", "--no-libraries", "--each", "-p", "mem2reg", "-p", "dce", "-p", "dce"];
    // A program that ends with a violation is expected to go on doing so.
    let output = run(&[&arguments[..], &["--format", "json", "examples/run/dangling.sil"]].concat());
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let passes: Vec<_> = json[0]["checks"].as_array().expect("checks").iter().map(|c| &c["passes"]).collect();
    assert_eq!(passes, ["mem2reg", "dce"]);
    assert_eq!(json[0]["checks"][0]["result"], "same");
}

#[test]
fn functions_get_inputs() {
    let folder = scratch("check_passes");
    let file = folder.join("max.sil");
    let text = "sil_stage canonical\nimport Builtin\n
sil @tell : $@convention(thin) (Builtin.Int64) -> ()
sil @most : $@convention(thin) (Builtin.Int64, Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64, %1 : $Builtin.Int64):
  %2 = alloc_stack $Builtin.Int64
  store %0 to %2
  %4 = builtin \"cmp_slt_Int64\"(%0, %1) : $Builtin.Int1
  cond_br %4, bb1, bb2
bb1:
  store %1 to %2
  br bb2
bb2:
  %8 = load %2
  %9 = function_ref @tell : $@convention(thin) (Builtin.Int64) -> ()
  %10 = apply %9(%8) : $@convention(thin) (Builtin.Int64) -> ()
  dealloc_stack %2
  return %8
}
";
    std::fs::write(&file, text).expect("a file");
    let file = file.display().to_string();
    let output = run(&["check-passes", "--no-libraries", "--entry", "most", "-p", "mem2reg", &file]);
    assert!(stdout(&output).contains("same behavior after 1 pass run, 1 of which"), "{}", stdout(&output));
    let output = run(&["check-passes", "--no-libraries", "-p", "mem2reg", &file]);
    let told = stdout(&output);
    assert!(told.contains("not checked: unknown function `main`; name the function to start with"), "{told}");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("nothing was checked: no program could run [CLI0003]"), "{output:?}");
    // One that ran is enough.
    let both = ["check-passes", "--no-libraries", "-p", "mem2reg", &file, "examples/run/hello.sil"];
    let output = run(&both);
    assert!(output.status.success() && stdout(&output).ends_with("1 not run\n"), "{output:?}");
    let output = run(&["check-passes", "--no-libraries", "-p", "mem2", &file]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn random_sequences_depend_on_the_seed_alone() {
    let of_seed = |seed: &str| {
        let arguments = ["check-passes", "--no-libraries", "--random", "5", "--seed", seed];
        run(&[&arguments[..], &["--format", "json", "examples/run/hello.sil"]].concat())
    };
    let output = of_seed("3");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let checks = json[0]["checks"].as_array().expect("checks");
    assert_eq!(checks.len(), 5);
    assert!(checks.iter().all(|check| check["result"] == "same"), "{json}");
    assert_eq!(stdout(&of_seed("3")), stdout(&output));
    let both = run(&["check-passes", "--random", "5", "--each", "examples/run/hello.sil"]);
    assert!(stderr(&both).contains("cannot be used with"), "{}", stderr(&both));
}
