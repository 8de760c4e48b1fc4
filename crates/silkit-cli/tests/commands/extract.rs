//! `silkit extract`.

use crate::*;

#[test]
fn extract_takes_functions_with_declarations_of_what_they_need() {
    let whole = "examples/shapes.raw.sil";
    let listed = stdout(&run(&["nm", whole]));
    let names: Vec<&str> = listed.lines().filter_map(|l| l.strip_prefix("F ")).collect();
    for name in names {
        let part = run(&["extract", "-func", name, whole]);
        if stderr(&part).contains("has no body in this file") {
            assert_eq!(part.status.code(), Some(2));
            continue;
        }
        assert!(part.status.success(), "{}", stderr(&part));
        // What was taken out stands on its own, and taking it out again changes nothing.
        let again = run_with(&["extract", &format!("-func={name}"), "-"], &part.stdout);
        assert_eq!(stdout(&part), stdout(&again), "{name}");
        let bodies = stdout(&part).matches("\nbb0").count();
        assert!(bodies <= 1, "{name}: {bodies} bodies");
    }
    let all = run(&["extract", "-invert", whole]);
    assert_eq!(stdout(&all).matches("// end sil function").count(), 15);
}

#[test]
fn extract_knows_its_names_from_a_file_and_says_which_are_missing() {
    let folder = scratch("extract");
    let names = folder.join("names.txt");
    std::fs::write(&names, "main\n\nmian\n").expect("written");
    let output = run(&["extract", "-func-file", &names.display().to_string(), "examples/shapes.raw.sil"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).is_empty());
    let told = stderr(&output);
    assert!(told.contains("unknown function `mian`") && told.contains("did you mean `main`?"), "{told}");
    let output = run(&["extract", "examples/shapes.raw.sil"]);
    assert!(stderr(&output).contains("no function is selected"), "{}", stderr(&output));
}

#[test]
fn extract_takes_only_what_is_needed_unless_told_otherwise() {
    let file = "examples/shapes.raw.sil";
    let minimal = stdout(&run(&["extract", "-func", "Canvas.total()", file]));
    assert!(minimal.contains("// end sil function '$s6shapes6CanvasC5totalSdyF'"), "{minimal}");
    assert!(!minimal.contains("sil_vtable") && !minimal.contains("final func add"), "{minimal}");
    let whole = stdout(&run(&["extract", "--whole", "-func", "Canvas.total()", file]));
    assert!(whole.contains("sil_vtable Canvas") && whole.contains("final func add"), "{whole}");
    let several = stdout(&run(&["extract", "-func", "*Canvas*", file]));
    assert!(several.matches("// end sil function").count() > 3);
    // What was taken out is read, verified and typed as before.
    for name in ["main", "Canvas.total()", "Canvas.add(_:)", "Shape.area.getter"] {
        let part = run(&["extract", "-func", name, file]);
        let verified = run_with(&["verify", "-"], &part.stdout);
        assert!(verified.status.success(), "{name}: {}", stdout(&verified));
        let typed = stdout(&run_with(&["opt", "-sil-print-types", "-"], &part.stdout));
        assert!(!typed.contains("SILUnknown"), "{name}: {typed}");
    }
}
