//! What reaches a terminal: control characters of the input are escaped, and commands say that all is well.
#![cfg(target_os = "linux")]

use crate::*;
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::Read;

/// Runs the command with a terminal as standard output and error. Returns what the terminal gets, with `\n` as line ends.
fn on_terminal(args: &[&str]) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
    grantpt(&terminal).expect("access");
    unlockpt(&terminal).expect("access");
    let name = ptsname(&terminal, Vec::new()).expect("a name");
    let side = open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("a terminal");
    let mut command = silkit();
    command.args(args).env_remove("NO_COLOR").env("TERM", "xterm").env("LC_ALL", "C.UTF-8");
    command.stdout(side.try_clone().expect("a handle")).stderr(side);
    let mut child = command.spawn().expect("the command starts");
    drop(command);
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // The end of a terminal without writers is an error.
        let _ = File::from(terminal).read_to_end(&mut bytes);
        bytes
    });
    child.wait().expect("the command ends");
    String::from_utf8(reader.join().expect("a text")).expect("UTF-8").replace("\r\n", "\n")
}

/// A program with control characters in names, in a string literal and in a comment: it clears the screen, changes the
/// title of the window, and writes backwards.
fn hostile() -> String {
    "sil_stage canonical\n\nimport Builtin\n\n// \u{1b}[2J\u{9b}2J\n\
     sil @\"f\u{1b}]0;title\u{7}\u{9b}31m\u{202e}\" : $@convention(thin) () -> () {\nbb0:\n\
     \x20 %0 = string_literal utf8 \"a\u{1b}[31mb\u{9b}1mc\u{8}\"\n\
     \x20 %1 = alloc_stack $Builtin.Int64, var, name \"v\u{1b}[2J\"\n  dealloc_stack %1\n\
     \x20 %3 = tuple ()\n  return %3\n}\n\n\
     sil @main : $@convention(c) (Builtin.Int32, Builtin.RawPointer) -> Builtin.Int32 {\n\
     bb0(%0 : $Builtin.Int32, %1 : $Builtin.RawPointer):\n\
     \x20 %2 = function_ref @\"f\u{1b}]0;title\u{7}\u{9b}31m\u{202e}\" : $@convention(thin) () -> ()\n\
     \x20 %3 = apply %2() : $@convention(thin) () -> ()\n\
     \x20 %4 = integer_literal $Builtin.Int32, 0\n  return %4\n}\n"
        .to_owned()
}

/// Returns the first control character that is no line end, tab, or part of a color.
fn control_character(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some(at) = rest
        .find(|c: char| c.is_control() && !matches!(c, '\n' | '\t') || ('\u{202a}'..='\u{202e}').contains(&c))
    {
        let (before, from) = rest.split_at(at);
        let color = from
            .strip_prefix("\x1b[")
            .map(|codes| codes.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
        // The codes of the input, in which a color hides text, would be unescaped.
        let is_own = color.is_some_and(|rest| rest.starts_with('m')) && !before.ends_with(['a', 'b']);
        match color.filter(|_| is_own) {
            Some(after) => rest = &after[1..],
            None => return Some(from.chars().take(40).collect()),
        }
    }
    None
}

#[test]
fn control_characters_of_the_input_never_reach_a_terminal() {
    let folder = scratch("terminal");
    let (path, other) = (folder.join("a\u{1b}[2J.sil"), folder.join("b.sil"));
    std::fs::write(&path, hostile()).expect("a file");
    std::fs::write(&other, hostile().replace("i = 0", "").replace("Int32, 0\n", "Int32, 1\n"))
        .expect("a file");
    // The mistake is in a line that has such characters.
    let wrong = folder.join("wrong.sil");
    std::fs::write(&wrong, hostile().replace("string_literal utf8", "strin_literal utf8")).expect("a file");
    let invalid = folder.join("invalid.sil");
    std::fs::write(&invalid, hostile().replace("  dealloc_stack %1\n", "")).expect("a file");
    let paths = [&path, &other, &wrong, &invalid].map(|path| path.to_str().expect("a name").to_owned());
    let [file, other, wrong, invalid] = paths.each_ref().map(String::as_str);
    let commands: &[&[&str]] = &[
        &["opt", file],
        &["opt", "-sil-print-debuginfo", file],
        &["opt", "-dce", "-sil-print-all", file],
        &["opt", "-dce", "--print-changed=diff", file, "-o", "/dev/null"],
        &["opt", "-sil-print-types", "-ownership-dumper", file],
        &["opt", invalid],
        &["opt", wrong],
        &["opt", "-verify-continue-on-failure", invalid],
        &["verify", file],
        &["verify", invalid, wrong, file],
        &["verify", "--format", "json", invalid],
        &["verify", "--format", "sarif", invalid],
        &["verify", "--stat", invalid],
        &["verify", "--link", file, other],
        &["fmt", file],
        &["fmt", "--check", file],
        &["fmt", "--check", "--format", "json", file],
        &["nm", file],
        &["nm", "--demangle", file, other],
        &["nm", "--format", "json", file],
        &["demangle", "$s4main\u{1b}[2J"],
        &["demangle", "--format", "json", "$s4main\u{1b}[2J"],
        &["extract", "-func", "main", file],
        &["graph", "--function", "f*", file],
        &["graph", "calls", file],
        &["graph", "calls", "--format", "json", file],
        &["graph", "calls", "--format", "svg", file],
        &["graph", "classes", file],
        &["alias", file, "--function", "f*"],
        &["alias", "--format", "json", file, "--function", "f*"],
        &["effects", file],
        &["effects", file, "f*"],
        &["effects", "--format", "json", file],
        &["stats", file],
        &["stats", "--format", "json", file],
        &["diff", file, other],
        &["diff", "--stat", file, invalid],
        &["diff", "--format", "json", file, invalid],
        &["diff", file, invalid],
        &["bisect", "--check", "! grep -q string_literal", "-p", "dce", file],
        &["bisect", "--check", "grep -q string_literal", "-p", "dce", file],
        &["reduce", "--check", "! grep -q string_literal", file],
        &["run", "--no-libraries", file],
        &["run", "--no-libraries", "--trace", "--profile", "--coverage", file],
        &["run", "--no-libraries", "--entry", "g\u{1b}[2J", file],
        &["run", "--no-libraries", "--format", "json", invalid],
        &["run", "--no-libraries", invalid],
        &["check-passes", "--no-libraries", "-p", "dce", file],
        &["check-passes", "--no-libraries", "-p", "dce", "--format", "json", file],
        &["mutate", "--no-libraries", "--generated", "--all", file],
        &["mutate", "--no-libraries", "--generated", "--format", "json", file],
        &["interface", file],
        &["library", "add", "--name", "x\u{1b}[2J", file],
        &["explain", "\u{1b}[2J"],
        &["pipelines", "\u{1b}[2J"],
        &["verify", "--limit", "\u{1b}[2J"],
        &["complete", "3", "silkit", "extract", "-func", "", file],
    ];
    for command in commands {
        let text = on_terminal(command);
        assert_eq!(control_character(&text), None, "{command:?}: {text:?}");
    }
    // The test finds what it looks for: a pipe gets the bytes as they are.
    let piped = stdout(&run(&["opt", file]));
    assert!(control_character(&piped).is_some() && piped.contains("a\u{1b}[31mb"), "{piped}");
    assert!(on_terminal(&["opt", file]).contains("a\\u{1b}[31mb"));
    // JSON reads the same wherever it goes.
    let json = stdout(&run(&["nm", "--format", "json", file]));
    assert_eq!(control_character(&json), None, "{json:?}");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let names: Vec<&str> =
        json.as_array().expect("a list").iter().filter_map(|row| row["name"].as_str()).collect();
    assert!(names.contains(&"f\u{1b}]0;title\u{7}\u{9b}31m\u{202e}"), "{names:?}");
}

#[test]
fn verify_says_on_a_terminal_that_nothing_was_found() {
    let file = "examples/shapes.raw.sil";
    assert_eq!(on_terminal(&["verify", file]), "no findings: 13 functions verified\n");
    let two = on_terminal(&["verify", file, "examples/shapes.canonical.sil"]);
    assert!(two.starts_with("no findings: ") && two.ends_with(" in 2 files verified\n"), "{two}");
    assert_eq!(on_terminal(&["verify", "--quiet", file]), "");
    assert_eq!(on_terminal(&["verify", "--format", "json", file]), "");
    assert_eq!(complaints(&run(&["verify", file])), "");
    let found = on_terminal(&["verify", "docs/mistakes/leak.sil"]);
    assert!(!found.contains("no findings"), "{found}");
    assert!(!on_terminal(&["verify", "missing.sil"]).contains("no findings"));
}
