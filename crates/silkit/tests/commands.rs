//! The command as a process: what it prints, what it refuses, and how it ends.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
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
const READERS: &[&[&str]] =
    &[&["opt"], &["stats"], &["nm"], &["fmt", "--check"], &["extract", "-func", "f"], &["graph", "classes"]];

#[test]
fn what_cannot_be_read_is_named_with_advice() {
    let folder = scratch("unreadable");
    let junk = folder.join("junk.sil");
    std::fs::write(&junk, [0x7f, b'E', b'L', b'F', 0, 0, 1]).expect("written");
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
            let told = stderr(&output);
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
            let told = stderr(&output);
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
    assert_eq!(text(&target), "sil_stage canonical\n\n");
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
    assert_eq!(stdout(&output), stdout(&run(&["opt", "examples/shapes.raw.sil"])));
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
    assert_eq!(listed, text(&root().join("crates/silkit/tests/data/tables.nm")));
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
    let want = text(&data.join("comments.formatted.sil"));
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
    assert_eq!(text(&one), text(&data.join("comments.formatted.sil")));
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
        let bodies = stdout(&part).matches("\n} // end sil function").count();
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
