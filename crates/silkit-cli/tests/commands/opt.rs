//! `silkit opt`, `pipelines` and `bisect`.

use crate::*;

#[test]
fn opt_says_which_file_it_read() {
    let printed = stdout(&run(&["opt", "-module-name", "Shapes", "examples/shapes.raw.sil"]));
    assert!(printed.ends_with("\n\n// Mappings from '#fileID' to '#filePath':\n//   'Shapes/shapes.raw.sil' => 'examples/shapes.raw.sil'\n\n\n"));
}

#[test]
fn printers_show_locations_and_names_for_people() {
    let input = "sil_stage canonical
sil [ossa] @$s4main5greet4nameS2S_tF : $@convention(thin) () -> ()
sil [ossa] @caller : $@convention(thin) () -> () {
bb0:
  %f = function_ref @$s4main5greet4nameS2S_tF : $@convention(thin) () -> ()
  %1 = apply %f() : $@convention(thin) () -> (), loc \"a.swift\":3:4
  %2 = tuple ()
  return %2
}
";
    let scratch = scratch("printers");
    let none = scratch.join("none").display().to_string();
    let shown = |options: &[&str]| {
        let args = [&["opt", "-basic-callee-printer", "-o", &none], options].concat();
        let printed = stdout(&run_with(&args, input.as_bytes()));
        printed.lines().skip(1).take(3).map(str::to_owned).collect::<Vec<_>>()
    };
    let plain = shown(&[]);
    assert_eq!(plain[0], "  // function_ref greet(name:)");
    assert!(plain[1].ends_with(" -> () // user: %1"), "{}", plain[1]);
    assert_eq!(plain[2], "  %1 = apply %0() : $@convention(thin) () -> ()");
    let located = shown(&["-sil-print-debuginfo"]);
    assert_eq!(located[0], plain[0]);
    assert!(located[1].ends_with(":5:8, scope 0 // user: %1"), "{}", located[1]);
    assert!(located[2].ends_with(", loc \"a.swift\":3:4, scope 0"), "{}", located[2]);
}

#[test]
fn errors_as_json_and_sarif() {
    let bad = b"sil_stage rwa\n";
    let json = stderr(&run_with(&["opt", "-format", "json"], bad));
    let json: serde_json::Value = serde_json::from_str(json.trim()).expect("JSON");
    assert_eq!(json["place"]["start"]["line"], 1);
    let sarif = stderr(&run_with(&["opt", "-format=sarif"], bad));
    let sarif: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "error");
}

#[test]
fn opt_verifies_what_it_reads() {
    let output = run_with(&["opt", "-enable-sil-verify-all", "-"], WRONG.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).is_empty() && stderr(&output).contains("-:8:10: error"), "{}", stderr(&output));
    assert!(run_with(&["opt", "-sil-verify-none", "-"], WRONG.as_bytes()).status.success());
}

#[test]
fn opt_tells_errors_as_sil_opt_does_where_it_is_asked_to() {
    let data = |name: &str| root().join("crates/silkit/tests/data").join(name).display().to_string();
    let (input, expected) = (data("lifetimes.sil"), text(Path::new(&data("lifetimes.errors"))));
    let quiet = ["opt", "-disable-swift-verification", "-sil-ownership-verifier-enable-testing", &input];
    let dumped = run(&[&quiet[..], &["-ownership-verifier-textual-error-dumper"]].concat());
    assert!(dumped.status.success() && stdout(&dumped).contains("sil [ossa] @used_after"));
    assert_eq!(stderr(&dumped), expected);
    // Failures alone are told, and the module is printed; an error of ownership is the end.
    let on = run_with(&["opt", "-verify-continue-on-failure", "-"], WRONG.as_bytes());
    assert!(on.status.success() && !stdout(&on).is_empty());
    assert!(stderr(&on).starts_with("Begin Error in function "), "{}", stderr(&on));
    let ends = run(&["opt", "-verify-continue-on-failure", &input]);
    assert_eq!(ends.status.code(), Some(1));
    assert!(stdout(&ends).is_empty() && stderr(&ends).contains("\nBegin Error in Function: 'used_after'\n"));
    // So is one of memory, unless it is let pass.
    let (input, expected) = (data("memory.sil"), text(Path::new(&data("memory.errors"))));
    let ends = run(&["opt", "-verify-continue-on-failure", &input]);
    assert_eq!((ends.status.code(), stdout(&ends)), (Some(1), String::new()));
    assert!(stderr(&ends).ends_with(&expected), "{}", stderr(&ends));
    let on = run(&["opt", "-verify-continue-on-failure", "-dont-abort-on-memory-lifetime-errors", &input]);
    assert!(on.status.success() && !stdout(&on).is_empty());
    // What is read is verified, and what is printed.
    assert_eq!(stderr(&on), expected.repeat(2));
}

#[test]
fn passes_are_watched_as_by_the_reference() {
    let text = "sil_stage canonical\nimport Builtin\n\
        sil @first : $@convention(thin) () -> () {\nbb0:\n  %0 = alloc_stack $Builtin.Int64\n  dealloc_stack %0\n  \
        %1 = tuple ()\n  return %1\n}\n\
        sil @second : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
    let shown = |options: &str| {
        let mut args = vec!["opt", "-mem2reg", "-dce", "-", "-o", "/dev/null"];
        args.extend(options.split(' '));
        let output = run_with(&args, text.as_bytes());
        stderr(&output).lines().filter(|l| l.contains('#')).map(str::trim).collect::<Vec<_>>().join("\n")
    };
    // The compiler hands the tool's options over behind `-Xllvm`; passes are named by a part of their tags.
    assert_eq!(
        shown("-Xllvm -sil-print-around=Mem -Xllvm -sil-print-functions=fir"),
        "*** SIL before #1: mem2reg on @first ***\n*** SIL after #1: mem2reg on @first ***"
    );
    assert_eq!(
        shown("-sil-print-last -sil-opt-pass-count 3"),
        "*** SIL before #3: mem2reg on @second ***\n*** SIL after #3: mem2reg on @second ***"
    );
    assert_eq!(
        shown("-sil-disable-pass=mem2 -sil-print-pass-name"),
        "Run #1: dce on @first\nRun #2: dce on @second"
    );
    assert_eq!(shown("-sil-print-all"), "*** SIL after #1: mem2reg on @first ***");
    for wrong in ["--print-changed=words", "-sil-print-after=none-such", "-passes=Onon", "-Xllvm"] {
        let output = run_with(&["opt", "-mem2reg", "-", wrong], text.as_bytes());
        assert!(!output.status.success() && stderr(&output).contains("note: "), "{wrong}");
    }
}

#[test]
fn pipelines_are_listed_and_printed_as_the_reference_prints_them() {
    let listed = stdout(&run(&["pipelines"]));
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(
        names,
        ["Diagnostic", "IRGenPrepare", "Onone", "OwnershipEliminator", "Performance", "SILGen"]
    );
    let expected = "\
---
name:            IRGen Preparation
passes:          [ \"alloc-stack-hoisting\", \"loadable-address\", \"pack-metadata-marker-inserter\" ]
...

";
    assert_eq!(stdout(&run(&["pipelines", "IRGenPrepare"])), expected);
    let status = stdout(&run(&["pipelines", "--status", "OwnershipEliminator"]));
    assert!(status.contains("\n  -  address-lowering\n  x  ownership-model-eliminator\n"), "{status}");
    let json = stdout(&run(&["pipelines", "--format", "json", "Onone"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json[0]["groups"][1]["name"], "Serialization");
    assert_eq!(json[0]["groups"][1]["passes"][2]["built"], true);
    let unknown = run(&["pipelines", "Onon"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("did you mean `Onone`?"));
}

#[cfg(unix)]
#[test]
fn bisect_finds_run_function_and_transformation() {
    let folder = scratch("bisect");
    let file = folder.join("slots.sil").display().to_string();
    let input = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) (Builtin.Int1, Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1, %1 : $Builtin.Int1):
  %2 = alloc_stack $Builtin.Int1
  %3 = alloc_stack $Builtin.Int1
  store %0 to %2
  store %1 to %3
  %6 = load %2
  cond_fail %6, \"one\"
  %8 = load %3
  cond_fail %8, \"two\"
  dealloc_stack %3
  dealloc_stack %2
  %12 = tuple ()
  return %12
}
";
    std::fs::write(&file, input).expect("written");
    let bisect = |check: &str, more: &[&str]| {
        run(&[&["bisect", "--check", check, "-p", "split-critical-edges", "-p", "mem2reg"], more, &[&file]]
            .concat())
    };
    // Allocations go from the last one on: with the second, the first one in the file is gone.
    let found = bisect("grep -q 'store %0'", &[]);
    let told = stdout(&found);
    assert!(found.status.success(), "{told}{}", stderr(&found));
    assert!(told.starts_with("run 2 of 2: mem2reg on @f, transformation 2 of 2\n"), "{told}");
    assert!(told.contains("\n-  store %0 to %old2") && told.contains("\n+  cond_fail %0, \"one\""), "{told}");
    let json = bisect("grep -q 'load' {} && true", &["--format", "json", "-j2"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!((&json["result"], &json["pass"]), (&"found".into(), &"mem2reg".into()));
    assert_eq!((&json["run"], &json["limit"]), (&2.into(), &"2.2".into()));
    assert_eq!((&json["transformation"], &json["name"]), (&2.into(), &serde_json::Value::Null));
    for (check, what) in [("true", "never fails"), ("false", "already fails on the input")] {
        let output = bisect(check, &[]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stdout(&output).contains(what), "{}", stdout(&output));
    }
    // Passes of a named pipeline that are not implemented are left out, as in `silkit opt`.
    let named = run(&["bisect", "--check", "true", "--passes", "onone", &file]);
    assert_eq!(stdout(&named), "`true` never fails: it succeeds after all passes\n");
    assert!(stderr(&named).contains(" unimplemented passes left out (of SILGen, "), "{}", stderr(&named));
    let unknown = bisect("no-such-command-anywhere", &[]);
    assert!(stderr(&unknown).contains("cannot run `no-such-command-anywhere "), "{}", stderr(&unknown));
    let unknown = run(&["bisect", "--check", "true", "-p", "mem2re", &file]);
    assert!(stderr(&unknown).contains("did you mean `mem2reg`?"), "{}", stderr(&unknown));
}

#[cfg(unix)]
#[test]
fn bisect_names_the_transformation() {
    let file = scratch("bisect-named").join("check.sil").display().to_string();
    let input = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = integer_literal $Builtin.Int1, 0
  cond_fail %0, \"never\"
  %2 = tuple ()
  return %2
}
";
    std::fs::write(&file, input).expect("written");
    let bisect = |more: &[&str]| {
        run(&[&["bisect", "--check", "grep -q never", "-p", "simplification"], more, &[&file]].concat())
    };
    let told = stdout(&bisect(&[]));
    let expected = "run 1 of 1: simplification on @f, transformation 1 of 2: cond_fail of false\n";
    assert!(told.starts_with(expected), "{told}");
    let json: serde_json::Value =
        serde_json::from_slice(&bisect(&["--format", "json"]).stdout).expect("JSON");
    assert_eq!(json["name"], "cond_fail of false");
}

#[test]
fn opt_says_how_to_go_on_where_the_input_has_errors() {
    let output = run(&["opt", "docs/mistakes/leak.sil"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("`-sil-verify-none` skips verification"), "{}", stderr(&output));
    let output = run(&["opt", "-sil-verify-none", "docs/mistakes/leak.sil"]);
    assert!(output.status.success() && stderr(&output).is_empty());
}

#[test]
fn opt_repeats_the_words_of_the_reference() {
    let cases = [
        ("leak", "sil-opt says: Error! Found a leak due to a consuming post-dominance failure!"),
        ("consumed-twice", "sil-opt says: Found over consume?!"),
        ("borrow", "sil-opt says: Error! Found a leak due to a consuming post-dominance failure!"),
        ("memory", "sil-opt says: SIL memory lifetime failure in @load: "),
        (
            "stack",
            "sil-opt says: SIL verification failed: stack dealloc does not match most recent stack alloc",
        ),
    ];
    for (name, words) in cases {
        let output = run(&["opt", &format!("docs/mistakes/{name}.sil")]);
        assert!(stderr(&output).contains(words), "{name}: {}", stderr(&output));
    }
}

/// A call that does not return, with something behind it.
const AFTER_EXIT: &str = "sil_stage raw
import Swift
sil @exit : $@convention(thin) () -> Never
sil [ossa] @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @exit : $@convention(thin) () -> Never
  %1 = apply %0() : $@convention(thin) () -> Never
  %2 = tuple ()
  return %2
}
";

#[test]
fn warnings_of_passes_have_notes_and_stop_nothing() {
    let output =
        run_with(&["opt", "-noreturn-folding", "-lower-tuple-addr-constructor"], AFTER_EXIT.as_bytes());
    assert!(output.status.success() && stdout(&output).contains("unreachable"));
    let told = stderr(&output);
    assert!(told.contains("-:8:8: warning: will never be executed"), "{told}");
    assert!(told.contains("-:7:8: note: a call to a never-returning function"), "{told}");
    let json = stderr(&run_with(&["opt", "-noreturn-folding", "-format", "json"], AFTER_EXIT.as_bytes()));
    assert!(json.contains("\"SIL0900\""), "{json}");
}

#[test]
fn verify_knows_the_notes_of_passes() {
    let scratch = scratch("notes");
    let file = scratch.join("exit.sil");
    let expect = |note: &str| {
        let text = AFTER_EXIT.replace(
            "  %2 = tuple ()\n",
            &format!("{note}  %2 = tuple () // expected-warning {{{{never be executed}}}}\n"),
        );
        std::fs::write(&file, text).expect("a file");
        let path = file.display().to_string();
        run(&["opt", "-noreturn-folding", "-verify", &path, "-o", "/dev/null"]).status.code()
    };
    assert_eq!(expect("  // expected-note @-1 {{a call to a never-returning function}}\n"), Some(0));
    assert_eq!(expect("  // nothing is expected\n"), Some(1));
}

/// A function that uses memory too early, and one that does not.
const INITIALIZERS: &str = "sil_stage raw
import Builtin
struct P { var a: Builtin.Int64
  let b: Builtin.Int64 } // expected-note {{'self.b' not initialized}}
sil [ossa] @early : $@convention(thin) (Builtin.Int64) -> P {
bb0(%0 : $Builtin.Int64):
  %1 = alloc_stack $P
  %2 = mark_uninitialized [rootself] %1
  %3 = struct_element_addr %2, #P.a
  assign %0 to %3
  %5 = load [trivial] %2 // expected-error {{return from initializer without initializing all stored properties}}
  dealloc_stack %1
  return %5
}
sil [ossa] @late : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64):
  %1 = alloc_stack $Builtin.Int64
  %2 = mark_uninitialized [var] %1
  assign %0 to %2
  %4 = load [trivial] %2
  dealloc_stack %1
  return %4
}
";

#[test]
fn errors_of_passes_stop_the_passes_unless_they_are_expected() {
    let passes = ["opt", "-definite-init", "-raw-sil-inst-lowering"];
    let output = run_with(&passes, INITIALIZERS.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(told.contains("-:11:8: error: return from initializer"), "{told}");
    assert!(told.contains("-:4:7: note: 'self.b' not initialized"), "{told}");
    assert!(!stdout(&output).contains("@late"), "{}", stdout(&output));

    let file = scratch("initializers").join("initializers.sil");
    std::fs::write(&file, INITIALIZERS).expect("a file");
    let output = run(&[&passes[..], &["-verify", &file.display().to_string()]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    // The memory of the first function is not verified: the error said what is wrong with it.
    assert!(stdout(&output).contains("store %0 to [trivial] %1"), "{}", stdout(&output));
    let is_marked = "sil [_semantics \"sil.optimizer.moveonly.diagnostic.ignore\"] [ossa] @early";
    assert!(stdout(&output).contains(is_marked), "{}", stdout(&output));

    // Declarations with other line ends have other offsets, and the note has no location.
    let output = run_with(&passes, INITIALIZERS.replace('\n', "\r\n").as_bytes());
    assert!(stderr(&output).contains("note: 'self.b' not initialized"), "{}", stderr(&output));
}

#[test]
fn pipelines_of_the_compiler_run_as_far_as_they_are_built() {
    let output = run_with(&["opt", "-diagnostics", "-opt-mode=none"], AFTER_EXIT.as_bytes());
    let (printed, told) = (stdout(&output), stderr(&output));
    assert!(output.status.success(), "{told}");
    // What passes were left out of is not canonical.
    assert!(
        told.contains("left out (of SILGen, Diagnostic)") && printed.starts_with("sil_stage raw\n"),
        "{told}"
    );
    assert!(printed.contains("unreachable"), "{printed}");
    assert!(told.contains("warning: will never be executed"), "{told}");
    let canonical = AFTER_EXIT.replace("sil_stage raw", "sil_stage canonical");
    let again = run_with(&["opt", "-diagnostics"], canonical.as_bytes());
    assert!(stdout(&again).contains("return"), "{}", stdout(&again));
    for option in ["-Onone-performance", "-O", "--pipeline=onone", "--pipeline=performance"] {
        let output = run_with(&["opt", option, "-sil-verify-none"], AFTER_EXIT.as_bytes());
        assert!(output.status.success(), "{option}: {}", stderr(&output));
    }
}

#[test]
fn the_order_of_the_text_is_not_checked_after_passes() {
    let text = "sil_stage canonical\nimport Builtin
sil private @unused : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}
sil_global @g : $Builtin.Int64
sil @user : $@convention(thin) () -> Builtin.Int64 {
bb0:\n  %0 = global_addr @g : $*Builtin.Int64\n  %1 = load %0\n  return %1\n}\n";
    let output = run_with(&["opt", "-sil-deadfuncelim"], text.as_bytes());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!stdout(&output).contains("@unused"));
}

#[test]
fn pipelines_refuse_modules_that_need_a_missing_pass() {
    let text = "sil_stage raw\nimport Builtin\nstruct File : ~Copyable { var fd: Builtin.Int32 }
sil [ossa] @use : $@convention(thin) (@owned File) -> () {
bb0(%0 : @owned $File):
  %1 = mark_unresolved_non_copyable_value [consumable_and_assignable] %0
  destroy_value %1
  %3 = tuple ()
  return %3
}
";
    let output = run_with(&["opt", "--pipeline=onone"], text.as_bytes());
    let told = stderr(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("the pipeline leaves out `sil-move-only-checker`"), "{told}");
    assert!(told.contains("`mark_unresolved_non_copyable_value` in @use"), "{told}");
    assert!(stdout(&output).is_empty());
    // Only raw SIL has the mark, and passes by name are run as asked.
    for arguments in [["opt", "--pipeline=SILGen"], ["opt", "-dce"]] {
        let output = run_with(&arguments, text.as_bytes());
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn pipelines_say_what_they_leave_out() {
    let told = stderr(&run_with(&["opt", "--pipeline=IRGenPrepare"], AFTER_EXIT.as_bytes()));
    let note = "note: 3 unimplemented passes left out (of IRGenPrepare); \
                `silkit pipelines --status IRGenPrepare` lists them\n";
    assert_eq!(told, note);
    let strict = run_with(&["opt", "--pipeline=IRGenPrepare", "--strict-pipeline"], AFTER_EXIT.as_bytes());
    assert_eq!(strict.status.code(), Some(2));
    let told = stderr(&strict);
    assert!(told.contains("`IRGenPrepare` has passes that are not implemented yet"), "{told}");
}

#[test]
fn the_status_of_a_way_is_that_of_its_pipelines() {
    let status = stdout(&run(&["pipelines", "--status", "onone"]));
    let names: Vec<&str> = status.lines().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
    assert_eq!(names, ["SILGen", "Diagnostic", "Onone"]);
    assert!(status.contains("\n  x  noreturn-folding\n"), "{status}");
}

#[test]
fn functions_for_clients_need_no_bodies_for_them_after_serialization() {
    let input = b"sil_stage canonical
sil non_abi [serialized] @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0
}
";
    let output = run_with(&["opt", "--verify-each", "-serialize-sil"], input);
    assert!(output.status.success() && stdout(&output).contains("sil non_abi @f"), "{}", stderr(&output));
    // The text does not say that serialization is over.
    let again = run_with(&["opt"], &output.stdout);
    assert!(stderr(&again).contains("but not serialized"), "{}", stderr(&again));
}

#[test]
fn what_is_verified_after_passes_is_verified_as_the_input() {
    let input = b"sil_stage canonical
import Builtin
import Swift
class C : ~Copyable {
}
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0
}
";
    let options = ["opt", "--verify-each", "-dce", "-enable-experimental-feature", "MoveOnlyClasses"];
    let output = run_with(&options, input);
    assert!(output.status.success(), "{}", stderr(&output));
    let without = run_with(&["opt", "--verify-each", "-dce"], input);
    assert!(stderr(&without).contains("SIL0641"), "{}", stderr(&without));

    let opaque = b"sil_stage canonical
import Builtin
sil [ossa] @f : $@convention(thin) <T> (@in T) -> @out T {
bb0(%0 : @owned $T):
  return %0
}
";
    let output = run_with(&["opt", "--verify-each", "-dce", "-enable-sil-opaque-values"], opaque);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn the_list_of_passes_as_json() {
    let listed = stdout(&run(&["opt", "--list", "--format", "json"]));
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    let all = listed.as_array().expect("passes");
    assert_eq!(all.len(), silkit::passes::all().len());
    let pass = all.iter().find(|pass| pass["tag"] == "mandatory-inlining").expect("the pass");
    assert_eq!(pass["kind"], "module");
    assert!(all.iter().all(|pass| pass["summary"].as_str().is_some_and(|text| !text.is_empty())));
}

#[test]
fn a_warning_about_a_function_that_a_later_pass_removes_is_shown_where_it_was() {
    let input = "sil_stage raw
import Swift
sil @stop : $@convention(thin) () -> Never
sil private [ossa] @unused : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @stop : $@convention(thin) () -> Never
  %1 = apply %0() : $@convention(thin) () -> Never
  %2 = tuple ()
  return %2
}
";
    let output = run_with(&["opt", "-noreturn-folding", "-sil-deadfuncelim", "-"], input.as_bytes());
    assert!(output.status.success() && !stdout(&output).contains("@unused"));
    let warning = stderr(&output);
    assert!(
        warning.contains("-:8:8: warning: will never be executed") && warning.contains("`unused`"),
        "{warning}"
    );
}

#[test]
fn any_number_of_threads_is_taken() {
    let input = b"sil_stage raw\n\nsil @f : $@convention(thin) () -> ()\n";
    for threads in ["0", "1", "100000", "18446744073709551615"] {
        assert!(run_with(&["opt", "-j", threads, "-"], input).status.success(), "{threads}");
    }
}
