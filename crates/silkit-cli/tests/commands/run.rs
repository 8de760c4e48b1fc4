//! `silkit run` and `silkit library`.

use super::*;

const HELLO: &str = "examples/run/hello.sil";
const DANGLING: &str = "examples/run/dangling.sil";

#[test]
fn a_program_runs() {
    let output = run(&["run", "--no-libraries", "--leaks", HELLO]);
    assert_eq!(stdout(&output), "hi\n");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn undefined_behaviour_is_reported() {
    let output = run(&["run", "--no-libraries", DANGLING]);
    assert_eq!(output.status.code(), Some(1));
    let report = stderr(&output);
    for part in [
        "RUN0001",
        "use-after-free",
        "`load` in letter(of:)",
        "`strong_release`",
        "called from `apply` in main",
    ] {
        assert!(report.contains(part), "{part} in {report}");
    }
    let report = stderr(&run(&["run", "--no-libraries", "--format", "json", DANGLING]));
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["stop"], "violation");
    assert_eq!(report["violations"][0]["kind"], "use-after-free");
    assert_eq!(report["violations"][0]["place"]["instruction"], "load");
}

#[test]
fn limits_end_a_run() {
    let output = run(&["run", "--no-libraries", "--steps", "5", HELLO]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--steps STEPS"), "{}", stderr(&output));
    let output = run(&["run", "--no-libraries", "--memory", "8", HELLO]);
    assert!(stderr(&output).contains("--memory BYTES"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn calls_are_shown() {
    let all = stderr(&run(&["run", "--no-libraries", "--trace", HELLO]));
    assert!(all.lines().count() > 4, "{all}");
    let some = stderr(&run(&["run", "--no-libraries", "--trace=say", HELLO]));
    assert_eq!(some.lines().count(), 3, "{some}");
    assert!(some.lines().all(|l| l.contains("Greeting.say()")), "{some}");
}

#[test]
fn a_library_is_kept_and_linked() {
    let folder = scratch("library");
    let library = folder.join("letters.sil");
    let text = "sil_stage canonical\nimport Builtin\n
sil @$s7letters5firstBi32_yF : $@convention(thin) () -> Builtin.Int32 {
bb0:
  %0 = integer_literal $Builtin.Int32, 7
  return %0 : $Builtin.Int32
}\n";
    std::fs::write(&library, text).expect("a file");
    let program = folder.join("main.sil");
    let text = "sil_stage canonical\nimport Builtin\nimport letters\n
struct Int32 { @_hasStorage var _value: Builtin.Int32 { get set } }
sil @$s7letters5firstBi32_yF : $@convention(thin) () -> Builtin.Int32
sil @main : $@convention(c) () -> Int32 {
bb0:
  %0 = function_ref @$s7letters5firstBi32_yF : $@convention(thin) () -> Builtin.Int32
  %1 = apply %0() : $@convention(thin) () -> Builtin.Int32
  %2 = struct $Int32 (%1 : $Builtin.Int32)
  return %2 : $Int32
}\n";
    std::fs::write(&program, text).expect("a file");
    let path = program.to_str().expect("UTF-8");
    let command = |args: &[&str]| {
        silkit().args(args).env("SILKIT_LIBRARY", folder.join("kept")).output().expect("the command starts")
    };
    let missing = command(&["run", path]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("needs the module `letters`"), "{}", stderr(&missing));
    assert!(stderr(&command(&["library", "list"])).contains("has no modules"));
    let named = library.to_str().expect("UTF-8");
    assert_eq!(command(&["run", "--library", named, path]).status.code(), Some(7));
    let added = command(&["library", "add", named]);
    assert!(stdout(&added).starts_with("letters: "), "{}", complaints(&added));
    assert_eq!(stdout(&command(&["library", "list"])), "letters\n");
    assert_eq!(command(&["run", path]).status.code(), Some(7));
    assert_eq!(command(&["run", "--no-libraries", path]).status.code(), Some(2));
}

#[test]
fn costs_and_coverage_are_written() {
    let folder = scratch("profile");
    let path = |name: &str| folder.join(name).display().to_string();
    let table = stderr(&run(&["run", "--no-libraries", "--profile", HELLO]));
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0][..2], ["calls", "instructions"]);
    assert!(rows.contains(&vec!["3", "27", "63", "6", "132", "0", "6", "greet(_:)"]), "{table}");
    let (svg, json) = (path("a.svg"), path("a.json"));
    let (text, counts) = (path("a.txt"), path("counts.json"));
    let options = [
        format!("--profile={svg}"),
        format!("--profile={json}"),
        format!("--coverage={text}"),
        format!("--coverage={counts}"),
    ];
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let output = run(&[&["run", "--no-libraries"][..], &options, &[HELLO]].concat());
    assert_eq!((stdout(&output).as_str(), stderr(&output).as_str()), ("hi\n", ""));
    let read = |path: &str| std::fs::read_to_string(path).expect("a file");
    assert!(read(&svg).contains("Greeting.say()"));
    let json: serde_json::Value = serde_json::from_str(&read(&json)).expect("JSON");
    assert_eq!(json["calls"][0]["name"], "main");
    assert_eq!(json["calls"][1]["parent"], 0);
    assert!(read(&text).contains("         3|   %7 = apply %6(%5)"), "{}", read(&text));
    assert!(read(&text).contains("31 of 31 instructions of "), "{}", read(&text));
    let counts: serde_json::Value = serde_json::from_str(&read(&counts)).expect("JSON");
    assert_eq!(counts["functions"][0]["instructions"][3]["count"], 3);
    assert_eq!(counts["functions"][0]["instructions"][3]["line"], 25);
}

#[test]
fn a_folder_without_a_toolchain_is_refused() {
    let folder = scratch("no_toolchain").display().to_string();
    let output = run(&["library", "import", "--toolchain", &folder]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("is not a Swift toolchain: it has no `usr/bin/sil-opt`"),
        "{}",
        stderr(&output)
    );
    assert!(stderr(&output).contains("`silkit library add`"), "{}", stderr(&output));
}

/// A toolchain whose `sil-opt` is a script that prints a module, or fails.
#[cfg(unix)]
#[test]
fn modules_of_a_toolchain_are_imported() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = scratch("toolchain");
    let (bin, modules) = (folder.join("usr/bin"), folder.join("usr/lib/swift/linux"));
    std::fs::create_dir_all(&bin).expect("a folder");
    for name in ["Swift", "Odd"] {
        let module = modules.join(format!("{name}.swiftmodule"));
        std::fs::create_dir_all(&module).expect("a folder");
        std::fs::write(module.join("x86_64-unknown-linux-gnu.swiftmodule"), "").expect("a file");
    }
    let script = "#!/bin/sh\ncase $3 in Odd) echo 'error: it is odd' >&2; exit 1;; esac\n\
                  printf 'sil_stage raw\\n\\nimport Builtin\\n\\nsil @f : $@convention(thin) () -> () {\\nbb0:\\n  %%0 = tuple ()\\n  return %%0\\n}\\n'\n";
    std::fs::write(bin.join("sil-opt"), script).expect("a file");
    std::fs::set_permissions(bin.join("sil-opt"), std::fs::Permissions::from_mode(0o755)).expect("allowed");
    let library = folder.join("library");
    let toolchain = folder.display().to_string();
    let import = |more: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_silkit"));
        command
            .env("SILKIT_LIBRARY", &library)
            .args(["library", "import", "--toolchain", &toolchain])
            .args(more);
        command.output().expect("the command")
    };
    let output = import(&[]);
    assert_eq!(
        stdout(&output),
        format!("Swift: {}\n", library.join("Swift.sib").display()),
        "{}",
        stderr(&output)
    );
    let printed = stdout(&run(&["opt", &library.join("Swift.sib").display().to_string()]));
    assert!(printed.starts_with("sil_stage canonical\n") && printed.contains("sil @f"), "{printed}");
    let output = import(&["--module", "Odd"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("it says: error: it is odd"), "{}", stderr(&output));
    let output = import(&["--module", "Nope"]);
    assert!(stderr(&output).contains("has no module `Nope`"), "{}", stderr(&output));
}

#[test]
fn the_entry_is_named_as_other_functions_are() {
    let entry = |name: &str| run(&["run", "--no-libraries", "--entry", name, "--steps", "1", HELLO]);
    let told = stderr(&entry("Greeting.say"));
    assert!(told.contains("`Greeting.say()` cannot start a program: it has a parameter"), "{told}");
    assert!(stderr(&entry("mai*")).contains("--steps STEPS"), "{}", stderr(&entry("mai*")));
    let output = entry("Greeting.sya()");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `Greeting.say()`?"), "{}", stderr(&output));
}

#[test]
fn reports_name_lines_and_are_one_document() {
    let dangling = "examples/run/dangling.sil";
    let told = stderr(&run(&["run", "--no-libraries", dangling]));
    assert!(told.contains(&format!("note: at `load` in letter(of:) ({dangling}:34)\n")), "{told}");
    assert!(told.contains(&format!(
        "was freed at `dealloc_ref` in Greeting.__deallocating_deinit ({dangling}:20)\n"
    )));
    assert!(told.contains(&format!("note: called from `apply` in main ({dangling}:46)\n")), "{told}");
    let output = run(&["run", "--no-libraries", "--format", "json", "--profile", "--coverage", dangling]);
    let json: serde_json::Value = serde_json::from_slice(&output.stderr).expect("one document");
    assert_eq!(json["violations"][0]["place"]["sil_line"], 34);
    assert_eq!(json["violations"][0]["calls"][0]["sil_line"], 46);
    assert!(json["profile"].is_object() && json["coverage"]["functions"].is_array(), "{json}");
    // The binary form has no lines.
    let file = scratch("no-lines").join("dangling.sib").display().to_string();
    assert!(run(&["opt", "-emit-sib", "-o", &file, dangling]).status.success());
    let told = stderr(&run(&["run", "--no-libraries", &file]));
    assert!(told.contains("note: at `load` in letter(of:) (instruction 2)\n"), "{told}");
}

#[test]
fn a_module_on_standard_input_needs_a_name() {
    let folder = scratch("library-of-input");
    let add = |args: &[&str]| {
        let mut command = silkit();
        command.args(["library", "add"]).args(args).env("SILKIT_LIBRARY", &folder);
        command.output().expect("the command starts")
    };
    let output = add(&["-"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("name it with `--name`"), "{}", stderr(&output));
    assert!(add(&["--name", "Empty", "-"]).status.success());
    let list = silkit()
        .args(["library", "list"])
        .env("SILKIT_LIBRARY", &folder)
        .output()
        .expect("the command starts");
    assert_eq!(stdout(&list), "Empty\n");
}

#[test]
fn a_program_without_main_is_told_how_to_start() {
    let text = b"sil @f : $@convention(thin) () -> () {\nbb0:\n  unreachable\n}\n";
    let output = run_with(&["run", "--no-libraries", "-"], text);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("standard input: unknown function `main`"), "{}", stderr(&output));
    assert!(stderr(&output).contains("`--entry NAME`"), "{}", stderr(&output));
    let output = run_with(&["mutate", "--no-libraries", "-"], text);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`--entry NAME`"), "{}", stderr(&output));
}

#[test]
fn a_program_starts_with_a_function_without_parameters() {
    let text = b"sil_stage canonical\nimport Builtin\n\
        sil @one : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {\nbb0(%0 : $Builtin.Int64):\n  return %0\n}\n\
        sil @two : $@convention(thin) (Builtin.Int64, Builtin.RawPointer) -> () {\nbb0(%0 : $Builtin.Int64, %1 : $Builtin.RawPointer):\n  unreachable\n}\n\
        sil @out : $@convention(thin) () -> @out Builtin.Int64 {\nbb0(%0 : $*Builtin.Int64):\n  unreachable\n}\n\
        sil @c : $@convention(c) (Builtin.Int32, Builtin.RawPointer) -> Builtin.Int32 {\nbb0(%0 : $Builtin.Int32, %1 : $Builtin.RawPointer):\n  return %0\n}\n";
    let start =
        |command: &str, name: &str| run_with(&[command, "--no-libraries", "--entry", name, "-"], text);
    for (name, why) in [
        ("one", "it has a parameter"),
        ("two", "it has 2 parameters"),
        ("out", "it writes its result to memory"),
    ] {
        let output = start("run", name);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(
            stderr(&output).contains(&format!("standard input: `{name}` cannot start a program: {why}")),
            "{name}"
        );
    }
    // The number of arguments, which is the name of the program alone.
    assert_eq!(start("run", "c").status.code(), Some(1));
    let output = start("mutate", "two");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("or with integers as parameters"), "{}", stderr(&output));
    assert_eq!(start("mutate", "one").status.code(), Some(0));
}

#[test]
fn a_profile_that_cannot_be_written_is_an_error() {
    for option in ["--profile", "--coverage"] {
        let output =
            run(&["run", "--no-libraries", &format!("{option}=README.md/x"), "examples/run/hello.sil"]);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), "hi\n"), "{option}");
        assert!(stderr(&output).contains("cannot write `README.md/x`"), "{}", stderr(&output));
    }
}
