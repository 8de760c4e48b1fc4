//! The exit statuses of all commands, as `silkit --help` states them.

use super::*;

/// Commands with `FILE` in place of a file and `GOOD` in place of a program that runs, and their exit statuses for a
/// file with a syntax error and for an empty file.
const COMMANDS: &[(&str, i32, i32)] = &[
    ("opt FILE", 1, 0),
    ("opt -dce --format json FILE", 1, 0),
    ("opt --library FILE GOOD", 1, 0),
    ("verify FILE", 1, 0),
    ("verify --format sarif FILE", 1, 0),
    ("verify --library FILE GOOD", 1, 0),
    ("fmt --check FILE", 2, 0),
    ("fmt FILE", 2, 0),
    ("nm FILE", 1, 0),
    ("extract -func main FILE", 1, 2),
    ("graph -f main FILE", 1, 2),
    ("graph calls FILE", 1, 0),
    ("graph classes FILE", 1, 0),
    ("alias FILE", 1, 2),
    ("effects FILE", 1, 0),
    ("effects FILE main", 1, 2),
    ("cost FILE", 1, 0),
    ("timeline FILE", 2, 2),
    ("cost --compare GOOD FILE", 1, 0),
    ("cost --compare FILE GOOD", 1, 0),
    ("stats FILE", 1, 0),
    ("stats FILE GOOD", 1, 0),
    ("diff FILE GOOD", 2, 1),
    ("diff GOOD FILE", 2, 1),
    ("bisect -p dce --check false FILE", 2, 1),
    ("reduce --check false FILE", 2, 0),
    ("run --no-libraries FILE", 2, 2),
    ("run --no-libraries --library FILE GOOD", 2, 0),
    ("check-passes --no-libraries -p dce FILE", 2, 2),
    ("check-passes --no-libraries -p dce --library FILE GOOD", 2, 0),
    ("mutate --no-libraries --sample 1 FILE", 2, 2),
    ("library add --name empty FILE", 1, 0),
    // An interface without its first line is not one.
    ("interface FILE", 1, 1),
];

/// Commands that read no file.
const OTHERS: &[&str] = &["dump", "lsp", "demangle", "pipelines", "explain", "completions", "man", "help"];

#[test]
fn every_command_has_the_stated_exit_status() {
    let folder = scratch("statuses");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("written");
        path.display().to_string()
    };
    let broken = b"sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tupel ()\n  return %0 : $()\n}\n";
    let empty = file("empty.sil", b"");
    let broken = file("broken.sil", broken);
    let unreadable = [
        file("binary.sil", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0"),
        folder.join("missing.sil").display().to_string(),
        folder.display().to_string(),
    ];
    let status = |command: &str, file: &str| {
        let words = command.split(' ').map(|word| match word {
            "FILE" => file,
            "GOOD" => "examples/run/hello.sil",
            word => word,
        });
        let output = silkit().env("SILKIT_LIBRARY", folder.join("library")).args(words).output();
        let output = output.expect("it starts");
        let is_told = !output.stdout.is_empty() || !output.stderr.is_empty();
        assert!(is_told || output.status.success(), "{command} says nothing about {file}");
        output.status.code()
    };
    for &(command, for_broken, for_empty) in COMMANDS {
        assert_eq!(status(command, &broken), Some(for_broken), "{command}, with a syntax error");
        assert_eq!(status(command, &empty), Some(for_empty), "{command}, with an empty file");
        for file in &unreadable {
            assert_eq!(status(command, file), Some(2), "{command}, with {file}");
        }
    }
    let help = stdout(&run(&["--help"]));
    let listed = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    let names =
        listed.filter_map(|l| l.strip_prefix("  ")?.split(' ').next()).filter(|name| !name.is_empty());
    for name in names {
        let is_tried = COMMANDS.iter().any(|(command, ..)| command.split(' ').next() == Some(name));
        assert!(is_tried || OTHERS.contains(&name), "{name} is not in the table");
    }
    // The rule is stated once.
    let rule = "bisect,\ncheck-passes, diff, fmt, mutate, reduce and run, for which 1 has another meaning";
    assert!(help.contains(rule), "{help}");
    assert!(stdout(&run(&["explain", "SIL0001"])).contains("exit with 2 for"));
}
