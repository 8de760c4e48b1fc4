//! The command as a process: what it prints, what it refuses, and how it ends.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The data of this crate's tests; the rest is the library's.
fn own_data() -> PathBuf {
    root().join("crates/silkit-cli/tests/data")
}

fn silkit() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_silkit"));
    command.current_dir(root()).stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    silkit().args(args).output().expect("the command starts")
}

fn run_with(args: &[&str], input: &[u8]) -> Output {
    let mut child = silkit()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // The command may end before it has read all.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the command ends");
    let _ = writer.join();
    output
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a command complains of, whether that is its result or not.
fn complaints(output: &Output) -> String {
    stderr(output) + &stdout(output)
}

/// A folder of this test alone.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}

/// The commands that read modules, with what else they need.
const READERS: &[&[&str]] = &[
    &["opt"],
    &["stats"],
    &["nm"],
    &["fmt", "--check"],
    &["extract", "-func", "f"],
    &["graph", "classes"],
    &["verify"],
];

#[test]
fn what_cannot_be_read_is_named_with_advice() {
    let folder = scratch("unreadable");
    let junk = folder.join("junk.sil");
    std::fs::write(&junk, [0x7f, b'E', b'L', b'f', 0, 0, 1]).expect("written");
    let latin = folder.join("latin.sil");
    std::fs::write(&latin, b"sil_stage raw\n// \xe9t\xe9\n").expect("written");
    let path = |p: &Path| p.display().to_string();
    let cases = [
        (path(&folder.join("jnk.sil")), "there is no such file", "did you mean"),
        (path(&folder.join("absent-altogether.sil")), "there is no such file", "check the path"),
        (path(&folder), "it is a folder", "name the files in it"),
        (path(&junk), "is a binary file: it has a zero byte at offset 4", "SIL is UTF-8 text"),
        (path(&latin), "is no UTF-8 text: line 2 has the byte 0xE9 at offset 17", "SIL is UTF-8 text"),
    ];
    for reader in READERS {
        for (path, what, advice) in &cases {
            let output = run(&[reader, &[path.as_str()][..]].concat());
            let told = complaints(&output);
            assert_eq!(output.status.code(), Some(1), "{reader:?} {path}: {told}");
            assert!(told.contains(what) && told.contains(advice), "{reader:?} {path}: {told}");
        }
    }
}

#[test]
fn bad_text_ends_with_errors_and_status_1() {
    let deep =
        format!("sil @f : $@convention(thin) ({}Int{}) -> ()\n", "[".repeat(50_000), "]".repeat(50_000));
    let body = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %9\n}\n";
    for reader in READERS {
        for bad in
            [deep.as_str(), body, "sil @f", "sil_stage rwa\n", "sil @f : $@convention(thin) () -> () {"]
        {
            let output = run_with(&[reader, &["-"][..]].concat(), bad.as_bytes());
            let told = complaints(&output);
            assert_eq!(output.status.code(), Some(1), "{reader:?}: {told}");
            assert!(told.contains("-:1:") || told.contains("-:4:"), "{reader:?}: {told}");
            assert!(!told.contains("panicked"), "{told}");
        }
    }
}

#[test]
fn one_very_long_line_is_read_or_refused() {
    let comment = format!("// {}\nsil_stage raw\n", "x".repeat(20_000_000));
    let junk = "x".repeat(20_000_000);
    for reader in READERS {
        let output = run_with(reader, comment.as_bytes());
        assert!(!stderr(&output).contains("panicked"), "{reader:?}");
        assert!(output.status.success() || reader.contains(&"--check"), "{reader:?}");
        assert_ne!(run_with(reader, junk.as_bytes()).status.code(), None, "{reader:?}");
    }
}

/// What `opt` prints, without the path of its input at the end.
fn without_file_ids(text: &str) -> &str {
    text.split_once("\n\n// Mappings from '#fileID'").map_or(text, |(text, _)| text)
}

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
fn an_output_is_written_whole_or_not_at_all() {
    let folder = scratch("output");
    let target = folder.join("out.sil");
    std::fs::write(&target, "before").expect("written");
    let target_name = target.display().to_string();
    assert_eq!(run_with(&["opt", "-o", &target_name], b"sil @f").status.code(), Some(1));
    assert_eq!(text(&target), "before");
    assert!(run_with(&["opt", "-o", &target_name], b"sil_stage canonical\n").status.success());
    assert_eq!(without_file_ids(&text(&target)), "sil_stage canonical\n\n");
    assert_eq!(std::fs::read_dir(&folder).expect("folder").count(), 1, "something is left over");

    let nowhere = folder.join("no/such/place.sil").display().to_string();
    let output = run_with(&["opt", "-o", &nowhere], b"sil_stage canonical\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("make the folder first"), "{}", stderr(&output));
    if Path::new("/dev/full").exists() {
        let output = run_with(&["opt", "-o", "/dev/full"], b"sil_stage canonical\n");
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("no space is left"), "{}", stderr(&output));
    }
}

#[test]
fn who_closes_the_pipe_is_not_told_off() {
    for args in [&["stats", "examples/shapes.raw.sil"][..], &["opt", "examples/shapes.raw.sil"], &["--help"]]
    {
        let mut child = silkit()
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the command ends");
        assert_eq!(stderr(&output), "", "{args:?}");
        assert!(output.status.success(), "{args:?}");
    }
}

#[test]
fn several_files_go_into_a_folder() {
    let folder = scratch("several");
    let name = folder.display().to_string();
    let files = ["examples/shapes.raw.sil", "examples/effects.raw.sil"];
    assert!(run(&["opt", files[0], files[1], "-o", &name]).status.success());
    for file in files {
        let written = text(&folder.join(Path::new(file).file_name().expect("a name")));
        assert_eq!(written, stdout(&run(&["opt", file])));
    }
}

#[test]
fn stats_of_several_files_add_up() {
    let output = run(&["stats", "--format", "json", "examples/shapes.raw.sil", "examples/effects.raw.sil"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let files = value["files"].as_array().expect("files");
    for key in ["bytes", "functions", "instructions"] {
        let sum: u64 = files.iter().map(|f| f[key].as_u64().expect("a number")).sum();
        assert_eq!(value[key], sum, "{key}");
    }
    let kinds = value["kinds"].as_object().expect("kinds");
    let of_kinds: u64 = kinds.values().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(value["instructions"], of_kinds);
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
    assert!(told.contains("\n-  store %0 to %2") && told.contains("\n+  cond_fail %0, \"one\""), "{told}");
    let json = bisect("grep -q 'load' {} && true", &["--format", "json", "-j2"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!((&json["result"], &json["pass"]), (&"found".into(), &"mem2reg".into()));
    assert_eq!((&json["run"], &json["limit"]), (&2.into(), &"2.2".into()));
    for (check, what) in [("true", "never fails"), ("false", "fails on the input already")] {
        let output = bisect(check, &[]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stdout(&output).contains(what), "{}", stdout(&output));
    }
    let unknown = bisect("no-such-command-anywhere", &[]);
    assert!(stderr(&unknown).contains("cannot be run"), "{}", stderr(&unknown));
    let unknown = run(&["bisect", "--check", "true", "-p", "mem2re", &file]);
    assert!(stderr(&unknown).contains("did you mean `mem2reg`?"), "{}", stderr(&unknown));
}

#[test]
fn pipelines_are_listed_and_printed_as_the_reference_prints_them() {
    let listed = stdout(&run(&["pipelines"]));
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["Diagnostic", "IRGenPrepare", "Onone", "OwnershipEliminator", "Performance"]);
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
    assert_eq!(unknown.status.code(), Some(1));
    assert!(stderr(&unknown).contains("did you mean `Onone`?"));
}

#[test]
fn explain_shows_a_page_or_the_nearest_name() {
    let page = stdout(&run(&["explain", "struct_extract"]));
    assert!(page.starts_with("struct_extract – ") && page.contains("\nExample\n"), "{page}");
    let output = run(&["explain", "struct_extrakt"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("did you mean `struct_extract`?"));
    assert_eq!(stdout(&run(&["explain", "--list"])).lines().count(), silkit::ir::Opcode::ALL.len());
    let json = stdout(&run(&["explain", "--format", "json", "load", "store"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json[1]["name"], "store");
}

#[test]
fn every_command_has_a_help_with_examples() {
    let help = stdout(&run(&["--help"]));
    let commands = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    let mut seen = 0;
    for command in commands.filter_map(|l| l.strip_prefix("  ")?.split(' ').next()).filter(|c| !c.is_empty())
    {
        let help = run(&[command, "--help"]);
        assert!(help.status.success(), "{command}");
        assert!(stdout(&help).contains("Examples:\n  silkit "), "{command}: {}", stdout(&help));
        seen += 1;
    }
    assert!(seen >= 4, "{help}");
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(&["completions", shell]);
        assert!(output.status.success() && stdout(&output).contains("stats"), "{shell}");
    }
}

#[test]
fn usage_errors_have_status_1() {
    for args in [&["opt", "-sil-print-type"][..], &["stat"], &["stats", "--formt", "json"], &[]] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
    assert!(stderr(&run(&["opt", "-sil-print-type"])).contains("did you mean `-sil-print-types`?"));
}

#[cfg(unix)]
#[test]
fn links_stand_for_commands() {
    let link = scratch("links").join("sil-opt");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_silkit"), &link).expect("a link");
    let file = root().join("examples/shapes.raw.sil");
    let output = Command::new(&link).arg("-sil-verify-none").arg(&file).output().expect("it starts");
    let plain = stdout(&run(&["opt", "examples/shapes.raw.sil"]));
    assert_eq!(without_file_ids(&stdout(&output)), without_file_ids(&plain));
    let link = link.with_file_name("sil-func-extractor");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_silkit"), &link).expect("a link");
    let output =
        Command::new(&link).args(["-func=main", "-sdk", "any"]).arg(&file).output().expect("it starts");
    assert_eq!(stdout(&output), stdout(&run(&["extract", "-func", "main", "examples/shapes.raw.sil"])));
    let link = link.with_file_name("sil-nm");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_silkit"), &link).expect("a link");
    let output = Command::new(&link).args(["-target", "any", "-I."]).arg(&file).output().expect("it starts");
    assert_eq!(stdout(&output), stdout(&run(&["nm", "examples/shapes.raw.sil"])));
}

#[test]
fn nm_names_tables_as_the_reference_does() {
    let listed = stdout(&run(&["nm", "crates/silkit/tests/data/tables.sil"]));
    assert_eq!(listed, text(&root().join("crates/silkit-cli/tests/data/tables.nm")));
    let json = stdout(&run(&["nm", "--format", "json", "crates/silkit/tests/data/tables.sil"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json.as_array().expect("rows").len(), listed.lines().count());
}

#[test]
fn nm_of_several_files_names_each() {
    let listed = stdout(&run(&["nm", "examples/shapes.raw.sil", "examples/effects.raw.sil"]));
    assert!(listed.starts_with("examples/shapes.raw.sil:\nF "), "{listed}");
    assert!(listed.contains("\n\nexamples/effects.raw.sil:\nF "), "{listed}");
}

#[test]
fn fmt_keeps_comments_and_order() {
    let data = root().join("crates/silkit/tests/data");
    let want = text(&own_data().join("comments.formatted.sil"));
    let source = text(&data.join("comments.sil"));
    assert_eq!(stdout(&run_with(&["fmt", "-"], source.as_bytes())), want);
    assert_eq!(stdout(&run_with(&["fmt"], want.as_bytes())), want, "printing again changes bytes");
    let (before, after) = (run_with(&["opt"], source.as_bytes()), run_with(&["opt"], want.as_bytes()));
    assert_eq!(stdout(&before), stdout(&after));
}

#[test]
fn fmt_rewrites_files_and_checks_them() {
    let folder = scratch("fmt");
    let (one, two) = (folder.join("one.sil"), folder.join("two.sil"));
    let data = root().join("crates/silkit/tests/data");
    for path in [&one, &two] {
        std::fs::copy(data.join("comments.sil"), path).expect("copied");
    }
    let names = [one.display().to_string(), two.display().to_string()];
    let check = run(&["fmt", "--check", &names[0], &names[1]]);
    assert_eq!(check.status.code(), Some(1));
    assert!(names.iter().all(|n| stdout(&check).contains(n.as_str())), "{}", stdout(&check));
    assert!(stderr(&check).contains("2 files are not in canonical form"), "{}", stderr(&check));
    assert!(run(&["fmt", &names[0], &names[1]]).status.success());
    assert_eq!(text(&one), text(&own_data().join("comments.formatted.sil")));
    let check = run(&["fmt", "--check", &names[0], &names[1]]);
    assert!(check.status.success() && stdout(&check).is_empty());
}

#[test]
fn extract_takes_functions_with_declarations_of_what_they_need() {
    let whole = "examples/shapes.raw.sil";
    let listed = stdout(&run(&["nm", whole]));
    let names: Vec<&str> = listed.lines().filter_map(|l| l.strip_prefix("F ")).collect();
    for name in names {
        let part = run(&["extract", "-func", name, whole]);
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
    assert!(output.status.success());
    assert!(stdout(&output).contains("// end sil function 'main'"));
    assert!(
        stderr(&output).contains("no function `mian`") && stderr(&output).contains("did you mean `main`?")
    );
    let output = run(&["extract", "examples/shapes.raw.sil"]);
    assert!(stderr(&output).contains("no function is named"), "{}", stderr(&output));
}

#[test]
fn graphs_in_every_form() {
    let file = "examples/shapes.raw.sil";
    let dot = stdout(&run(&["graph", "--function", "main", file]));
    assert!(dot.starts_with("digraph {") && dot.contains("\"bb0\""), "{dot}");
    let json = stdout(&run(&["graph", "calls", "--format", "json", file]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert!(json["edges"].as_array().is_some_and(|e| !e.is_empty()));
    let target = scratch("graph").join("classes.svg");
    let output = run(&["graph", "classes", file, "--format", "svg", "-o", &target.display().to_string()]);
    assert!(output.status.success() && text(&target).ends_with("</svg>\n"));
    let output = run(&["graph", file]);
    assert!(stderr(&output).contains("has several functions"), "{}", stderr(&output));
    let output = run(&["graph", "-f", "mian", file]);
    assert!(stderr(&output).contains("did you mean `main`?"), "{}", stderr(&output));
}

/// The rows of the table that `alias` prints: two values, the answer and the rule.
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
    let first =
        "%13 and %14 do not alias: they are different parts of the same memory: s0 and s1 (projection-paths)";
    assert_eq!(told.lines().next(), Some(first));
    assert!(told.contains("\n  memory: stack, from %12, path s0\n"), "{told}");
    let lent = stdout(&run(&["alias", file, "-f", "rules", "%4", "%27"]));
    assert!(lent.contains("(no-pointer)") && lent.contains("  immutable: nobody writes to it"), "{lent}");
}

#[test]
fn aliases_of_what_is_not_there_are_refused() {
    let file = "crates/silkit-cli/tests/data/alias.sil";
    let cases: [(&[&str], &str, &str); 5] = [
        (&["examples/shapes.raw.sil"], "has several functions", "name one"),
        (&[file, "-f", "rulez"], "there is no function `rulez`", "did you mean `rules`?"),
        (&[file, "%6", "%99"], "has no value `%99`", "the numbers that `silkit opt` prints"),
        (&[file, "%6", "%x"], "has no value `%x`", "the numbers that `silkit opt` prints"),
        (&[file, "%6"], "two values or none", "name values"),
    ];
    for (args, what, advice) in cases {
        let output = run(&[&["alias"], args].concat());
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {told}");
        assert!(told.contains(what) && told.contains(advice), "{args:?}: {told}");
    }
}

/// The interface files of the standard library, decompressed, in the order of the shipped facts.
fn interfaces() -> Option<Vec<PathBuf>> {
    let shared = std::env::var_os("SILKIT_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let folder = shared.join("corpus/interfaces");
    let target = scratch("interfaces");
    let header = silkit::types::stdlib::SWIFT.lines().next()?;
    let names = header.split(' ').skip(2);
    names
        .map(|name| {
            let packed = folder.join(format!("{name}.swiftinterface.zst"));
            let path = target.join(format!("{name}.swiftinterface"));
            let done = Command::new("zstd")
                .args(["-q", "-d", "--long=27"])
                .arg(packed)
                .arg("-o")
                .arg(&path)
                .status();
            done.is_ok_and(|s| s.success()).then_some(path)
        })
        .collect()
}

#[test]
fn the_shipped_facts_are_those_of_the_interfaces() {
    let Some(files) = interfaces() else {
        eprintln!("skipped: the interface files or zstd are not there");
        return;
    };
    let output = silkit().args(["interface", "--facts"]).args(files).output().expect("the command starts");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output) == silkit::types::stdlib::SWIFT,
        "swift.facts is stale: `silkit interface --facts`"
    );
}

#[test]
fn interface_shows_what_is_declared() {
    let text =
        b"// swift-module-flags: -module-name Geo\n@frozen public struct P {\n  public var x: Swift.Int\n}\n";
    let output = run_with(&["interface"], text);
    assert_eq!(stdout(&output), "// module Geo\n@frozen struct P { var x: Int }\n");
    assert_eq!(run_with(&["interface"], b"struct S {}").status.code(), Some(1));
}

/// A critical edge, and a use that its definition does not dominate.
const WRONG: &str = "sil [ossa] @f : $@convention(thin) (Builtin.Int1) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1, bb2
bb1:
  %2 = integer_literal $Builtin.Int64, 1
  br bb2
bb2:
  return %2
}
";

#[test]
fn verify_finds_all_and_ends_with_status_1() {
    let all = run_with(&["verify", "-"], WRONG.as_bytes());
    assert_eq!(all.status.code(), Some(1));
    let told = stdout(&all);
    assert!(told.contains("-:3:3: error: the edge from `bb0` to `bb2` is critical"), "{told}");
    assert!(told.contains("-:8:10: note: the path is bb0 → bb2"), "{told}");
    let few = stdout(&run_with(&["verify", "--max-errors", "1", "-"], WRONG.as_bytes()));
    assert!(few.contains("is critical") && !few.contains("-:8:10"), "{few}");
    let only = stdout(&run_with(&["verify", "--only", "SIL0120", "-"], WRONG.as_bytes()));
    assert!(!only.contains("is critical") && only.contains("-:8:10"), "{only}");
    let allow = ["verify", "--allow", "sil0120", "--allow", "NoCriticalEdge", "-"];
    assert!(run_with(&allow, WRONG.as_bytes()).status.success());
    let unknown = run_with(&["verify", "--only", "NoCriticalEdges", "-"], WRONG.as_bytes());
    assert_eq!(unknown.status.code(), Some(1));
    assert!(stdout(&unknown).contains("did you mean `NoCriticalEdge`?"));
    let sarif = stdout(&run_with(&["verify", "--format", "sarif", "-"], WRONG.as_bytes()));
    let sarif: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][1]["ruleId"], "SIL0120");
    assert!(run(&["verify", "examples/shapes.raw.sil"]).status.success());
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
fn every_command_reads_the_binary_form_in_place_of_text() {
    let folder = scratch("binary");
    let (text, file) = ("examples/shapes.raw.sil", folder.join("shapes.sib").display().to_string());
    assert!(run(&["opt", "-emit-sib", text, "-o", &file]).status.success());
    let bytes = std::fs::read(&file).expect("a file");
    assert!(silkit::binary::is_binary(&bytes));
    let function = "$s6shapes6CircleV4areaSdvg";
    let commands: [&[&str]; 7] = [
        &["opt"],
        &["opt", "-sil-print-types"],
        &["opt", "-emit-sorted-sil"],
        &["opt", "-emit-sib"],
        &["nm"],
        &["extract", "-func", function],
        &["graph", "classes"],
    ];
    for command in commands {
        let from_text = run(&[command, &[text]].concat());
        let from_file = run(&[command, &[file.as_str()]].concat());
        let from_input = run_with(&[command, &["-"]].concat(), &bytes);
        assert!(from_text.status.success() && !from_text.stdout.is_empty(), "{command:?}");
        for output in [from_file, from_input] {
            assert!(output.status.success(), "{command:?}: {}", stderr(&output));
            assert!(output.stdout == from_text.stdout, "{command:?}");
        }
    }
    let counted = |path: &str| {
        let told = stdout(&run(&["stats", "--format", "json", path]));
        let mut counts: serde_json::Value = serde_json::from_str(&told).expect("JSON");
        remove(&mut counts, "bytes");
        remove(&mut counts, "file");
        counts
    };
    assert_eq!(counted(text), counted(&file));

    let part = folder.join("part.sib").display().to_string();
    assert!(run(&["extract", "-func", function, "-emit-sib", "-o", &part, &file]).status.success());
    let opened = stdout(&run(&["opt", &part]));
    assert_eq!(without_file_ids(&opened), stdout(&run(&["extract", "-func", function, text])));

    let refused = run(&["fmt", &file]);
    assert!(!refused.status.success());
    assert!(stderr(&refused).contains("needs the text") && stderr(&refused).contains("silkit opt"));
    assert_eq!(std::fs::read(&file).expect("a file"), bytes);
}

/// Takes a key out of objects at any level.
fn remove(value: &mut serde_json::Value, key: &str) {
    match value {
        serde_json::Value::Object(map) => {
            map.remove(key);
            map.values_mut().for_each(|v| remove(v, key));
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(|v| remove(v, key)),
        _ => {}
    }
}

#[test]
fn a_damaged_or_foreign_binary_file_is_refused_by_every_command() {
    let folder = scratch("damaged");
    let good = folder.join("good.sib").display().to_string();
    assert!(run(&["opt", "-emit-sib", "examples/shapes.raw.sil", "-o", &good]).status.success());
    let bytes = std::fs::read(&good).expect("a file");
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    let mut newer = bytes.clone();
    newer[8] += 1;
    let cases: [(&[u8], &str, &str); 5] = [
        (&bytes[..bytes.len() / 2], "the file ends in the middle of", "write it again"),
        (&flipped, "do not match their checksum", "write it again"),
        (&newer, "version 2 of the format", "newer Silkit"),
        (&[0xE2, 0x9C, 0xA8, 0x0E, 1, 8, 0, 0], "`.swiftmodule` or `.sib`", "sil-opt FILE.sib"),
        (b"\x7FELF\x02", "ELF", "-emit-sil"),
    ];
    for (bytes, what, advice) in cases {
        let path = folder.join("bad.sib").display().to_string();
        std::fs::write(&path, bytes).expect("written");
        for reader in READERS.iter().filter(|reader| reader[0] != "fmt") {
            let output = run(&[reader, &[path.as_str()][..]].concat());
            // Findings are what `verify` prints.
            let told = stdout(&output) + &stderr(&output);
            assert_eq!(output.status.code(), Some(1), "{reader:?}: {told}");
            assert!(
                told.contains(what) && told.contains(advice) && told.contains(&path),
                "{reader:?}: {told}"
            );
            assert!(output.stdout.is_empty() || reader[0] == "verify", "{reader:?}");
        }
    }
}

#[test]
fn verify_names_the_binary_file() {
    let folder = scratch("binary-findings");
    let file = folder.join("wrong.sib").display().to_string();
    let args = ["opt", "-sil-verify-none", "-emit-sib", "-o", &file];
    assert!(run_with(&args, WRONG.as_bytes()).status.success());
    let told = stdout(&run(&["verify", &file]));
    assert!(told.contains("the edge from `bb0` to `bb2` is critical") && told.contains(&file), "{told}");
}

#[test]
fn verify_compares_what_modules_share() {
    let folder = scratch("linked");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, format!("sil_stage canonical\n\nimport Builtin\n\n{text}")).expect("written");
        path.display().to_string()
    };
    const BODY: &str = " {\nbb0:\n  %0 = tuple ()\n  return %0 : $()\n}\n";
    let defined = format!(
        "sil @g : $@convention(thin) () -> (){BODY}sil package @h : $@convention(thin) () -> (){BODY}"
    );
    let one = file("One.raw.sil", &defined);
    let two = file("Two.sil", "sil @g : $@convention(thin) (Builtin.Int64) -> ()\n");
    let three = file("Three.sil", &format!("sil package @h : $@convention(thin) () -> (){BODY}"));
    let linked =
        |more: &[&str]| stdout(&run(&[&["verify", "--link", &one, &two, &three][..], more].concat()));
    let plain = linked(&[]);
    assert!(plain.contains("Two.sil:5:5: error: `@g` has type"), "{plain}");
    assert!(plain.contains("another one in module `One` [SIL0631]"), "{plain}");
    assert!(plain.contains("One.raw.sil:5:5: note: has type `$@convention(thin) () -> ()`"), "{plain}");
    assert!(!plain.contains("SIL0633"), "packages are not known: {plain}");
    let in_package = linked(&["--package-name", "tools"]);
    assert!(in_package.contains("`@h` is defined here and in module `One` [SIL0633]"), "{in_package}");
    let in_module = linked(&["--module-name", &format!("{three}=One")]);
    assert!(in_module.contains("SIL0633"), "{in_module}");
    let separate = stdout(&run(&["verify", &one, &two, &three]));
    assert_eq!(separate, "");
    let absent = run(&["verify", "--link", &one, "--module-name", "absent.sil=One"]);
    assert!(
        complaints(&absent).contains("names no file that is verified")
            || stdout(&absent).contains("names no file")
    );
}

#[test]
fn demangle_takes_symbols_and_text() {
    let symbol = "$s4main5greet4nameS2S_tF";
    let told = stdout(&run(&["demangle", symbol, "main"]));
    let want = format!("{symbol} ---> main.greet(name: Swift.String) -> Swift.String\nmain ---> main\n");
    assert_eq!(told, want);
    assert_eq!(stdout(&run(&["demangle", "-compact", "-simplified", symbol])), "greet(name:)\n");
    let log = b"at $s4main5greet4nameS2S_tF + 12\n\xff\n";
    let copied = run_with(&["demangle", "--simplified"], log);
    assert_eq!(copied.stdout, b"at greet(name:) + 12\n\xff\n");
    let object = stdout(&run(&["demangle", "--format", "json", symbol, "x"]));
    let rows: Vec<serde_json::Value> =
        object.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert_eq!(rows[0]["simplified"], "greet(name:)");
    assert!(rows[1]["demangled"].is_null());
}

#[test]
fn nm_demangles() {
    let listed = stdout(&run(&["nm", "-demangle", "examples/shapes.raw.sil"]));
    assert!(listed.contains("F shapes.Canvas.total() -> Swift.Double\n"), "{listed}");
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
    for wrong in ["--print-changed=words", "-sil-print-after=none-such", "-passes=Onone", "-Xllvm"] {
        let output = run_with(&["opt", "-mem2reg", "-", wrong], text.as_bytes());
        assert!(!output.status.success() && stderr(&output).contains("note: "), "{wrong}");
    }
}
