//! Swift lines in reports on SIL with debug info: `half` is inlined into `add`, which `main` calls.

use super::*;

/// `main` calls `add`, whose inlined `half` divides by zero.
const PROGRAM: &str = "sil_stage canonical
import Builtin

sil_scope 1 { loc \"app/main.swift\":1:1 parent @main : $@convention(c) (Builtin.Int32, Builtin.RawPointer) -> Builtin.Int32 }
sil_scope 2 { loc \"app/add.swift\":7:6 parent @$s4main3addyS2iF : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 }
sil_scope 3 { loc \"app/add.swift\":9:12 parent 2 }
sil_scope 4 { loc \"app/half.swift\":2:6 parent @$s4main4halfyS2iF : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 inlined_at 3 }

sil hidden @$s4main3addyS2iF : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64):
  %1 = integer_literal $Builtin.Int64, 0, loc * \"<compiler-generated>\":0:0, scope 2
  %2 = builtin \"cmp_eq_Int64\"(%0, %1) : $Builtin.Int1, loc \"app/half.swift\":3:14, scope 4
  cond_fail %2, \"Division by zero\", loc \"app/half.swift\":3:14, scope 4
  return %0, loc \"app/add.swift\":9:3, scope 2
}

sil @main : $@convention(c) (Builtin.Int32, Builtin.RawPointer) -> Builtin.Int32 {
bb0(%0 : $Builtin.Int32, %1 : $Builtin.RawPointer):
  %2 = integer_literal $Builtin.Int64, 0, loc \"app/main.swift\":4:9, scope 1
  %3 = function_ref @$s4main3addyS2iF : $@convention(thin) (Builtin.Int64) -> Builtin.Int64, loc \"app/main.swift\":4:5, scope 1
  %4 = apply %3(%2) : $@convention(thin) (Builtin.Int64) -> Builtin.Int64, loc \"app/main.swift\":4:5, scope 1
  %5 = integer_literal $Builtin.Int32, 0, scope 1
  return %5, scope 1
}
";

const INLINED: &str = "half.swift:3:14 in `half(_:)`, inlined at add.swift:9:12";

fn program(name: &str, text: &str) -> String {
    let file = scratch(name).join("main.sil");
    std::fs::write(&file, text).expect("a file");
    file.display().to_string()
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn traps_have_a_call_stack() {
    let file = program("swift-trap", PROGRAM);
    let output = run(&["run", "--no-libraries", &file]);
    assert_eq!(output.status.code(), Some(132));
    let told = stderr(&output);
    assert!(told.contains("Division by zero (exit code 132)"), "{told}");
    assert!(told.contains(&format!("note: at `cond_fail` in add(_:) ({INLINED}; {file}:13)\n")), "{told}");
    assert!(
        told.contains(&format!("note: called from `apply` in main (main.swift:4:5; {file}:21)\n")),
        "{told}"
    );
    let report = json(&stderr(&run(&["run", "--no-libraries", "--format", "json", &file])));
    let place = &report["place"];
    assert_eq!((&place["file"], &place["line"]), (&"app/half.swift".into(), &3.into()));
    assert_eq!(place["stack"][1]["line"], 9);
    assert_eq!((&report["calls"][0]["demangled"], &report["calls"][0]["line"]), (&"main".into(), &4.into()));
}

#[test]
fn findings_name_the_inlined_calls() {
    let wrong = PROGRAM.replace("cond_fail %2", "cond_fail %0");
    let file = program("swift-verify", &wrong);
    let told = stdout(&run(&["verify", &file]));
    assert!(told.contains(&format!("note: in function `add(_:)`, {INLINED}\n")), "{told}");
    let finding = stdout(&run(&["verify", "--format", "json", &file]));
    let entity = &json(finding.lines().next().unwrap_or_default())["entity"];
    assert_eq!(entity["origin"], "half.swift:3:14");
    let frames: Vec<_> = entity["stack"].as_array().expect("frames").iter().collect();
    assert_eq!((&frames[0]["function"], &frames[1]["line"]), (&"half(_:)".into(), &9.into()));
    let sarif = json(&stdout(&run(&["verify", "--format", "sarif", &file])));
    let related = sarif["runs"][0]["results"][0]["relatedLocations"].as_array().expect("places").clone();
    let at = |uri: &str| related.iter().any(|r| r["physicalLocation"]["artifactLocation"]["uri"] == uri);
    assert!(at("app/half.swift") && at("app/add.swift"), "{related:?}");
}

#[test]
fn proofs_of_effects_have_swift_lines() {
    let file = program("swift-effects", PROGRAM);
    let told = stdout(&run(&["effects", &file, "main"]));
    assert!(told.contains(&format!("{file}:21: in main (main.swift:4:5): ")), "{told}");
    assert!(told.contains(&format!("in add(_:) ({INLINED}): cond_fail")), "{told}");
    let report = json(&stdout(&run(&["effects", "--format", "json", &file, "main"])));
    let steps = &report["functions"][0]["effects"][0]["steps"];
    assert_eq!((&steps[0]["source"]["line"], &steps[1]["stack"][1]["line"]), (&4.into(), &9.into()));
}

#[test]
fn mutants_have_swift_lines_and_generated_code_is_left_out() {
    let file =
        program("swift-mutate", &PROGRAM.replace("Int64, 0, loc \"app/main", "Int64, 5, loc \"app/main"));
    let arguments = ["mutate", "--no-libraries", "--all", &file];
    let told = stdout(&run(&arguments));
    assert!(
        told.contains(&format!(
            "{file}:12: `builtin` in add(_:) ({INLINED}): relational: cmp_eq_Int64 → cmp_ne_Int64 [noticed"
        )),
        "{told}"
    );
    assert!(told.contains("(main.swift:4:9): constant: 5 → 6"), "{told}");
    assert!(told.contains("2 changes of what the compiler made left out; --generated makes them"), "{told}");
    assert!(!told.contains(":11: "), "{told}");
    let told = stdout(&run(&[&arguments[..], &["--generated"]].concat()));
    assert!(told.contains(":11: `integer_literal` in add(_:): constant: 0 → 1"), "{told}");
    assert!(!told.contains("left out"), "{told}");
    let report = json(&stdout(&run(&[&arguments[..], &["--format", "json"]].concat())));
    assert_eq!((&report["left_out"], &report["mutants"][0]["source"]["line"]), (&2.into(), &3.into()));
}
