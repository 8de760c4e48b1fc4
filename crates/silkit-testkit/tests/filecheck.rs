//! FileCheck's verdicts, one corner a row, each compared with LLVM's tool where that is installed.
//!
//! The tool is looked for as `FileCheck` (or the name in the environment variable `FILECHECK`).

use std::fs;
use std::process::Command;

use silkit_testkit::filecheck::{FileCheck, FileCheckOptions};

/// Check file, input, options, exit status. Lines are parted by `|` where it stands alone.
type Row = (&'static str, &'static str, &'static [&'static str], i32);

const ROWS: &[Row] = &[
    // Text.
    ("CHECK: a b", "x a   b y", &[], 0),
    ("CHECK: a b", "a  b", &["--strict-whitespace"], 1),
    ("CHECK: A", "a", &["--ignore-case"], 0),
    ("CHECK:   ", "a", &[], 2),
    ("no directive", "a", &[], 2),
    ("CHECK{LITERAL}: [[a]]{{", "[[a]]{{", &[], 0),
    ("CHECK: [[[X:a]]", "[a", &[], 0),
    ("CHECK: a | CHECK: b", "b | a", &[], 1),
    // Regular expressions.
    ("CHECK: {{a|ab}}c", "abc", &[], 0),
    ("CHECK: {{a|ab}} | CHECK-SAME: {{^}}c", "abc", &[], 0),
    ("CHECK: x{{\\d}}", "xd", &[], 0),
    ("CHECK: a{{[0-9]{2}}}", "a12", &[], 2),
    ("CHECK: {{[]a]+}}b", "]ab", &[], 0),
    ("CHECK: {{a**}}", "a", &[], 2),
    ("CHECK: {{a", "a", &[], 2),
    ("CHECK: {{(.)\\1}}b", "aab", &[], 0),
    ("CHECK: [[X:.]]{{(.)\\1}}b", "zaab", &[], 1),
    ("CHECK: a{{..}}b", "a\u{e9}b", &[], 0),
    // Variables.
    ("CHECK: [[X:%[0-9]+]] = | CHECK: use [[X]]{{$}}", "%12 = | use %12", &[], 0),
    ("CHECK: [[X:%[0-9]+]] = | CHECK: use [[X]]{{$}}", "%12 = | use %1", &[], 1),
    ("CHECK: [[X:.+]] [[X]]{{$}}", "a b b", &[], 0),
    ("CHECK: [[X:a|ab]][[Y:c|bcd]] | CHECK: [[X]],[[Y]]", "abcd | ab,c", &[], 1),
    ("CHECK: [[X]]", "a", &[], 1),
    ("CHECK: [[X]]", "a.b", &["-DX=a.b"], 0),
    ("CHECK: [[X]]", "aab", &["-DX=a.b"], 1),
    ("CHECK: <[[X]]>", "<>", &["-DX="], 0),
    ("CHECK: [[X]]", "a", &["-DX="], 1),
    ("CHECK: [[X:a]] | CHECK-LABEL: l | CHECK: [[X]]", "a | l | a", &["--enable-var-scope"], 1),
    ("CHECK: [[$X:a]] | CHECK-LABEL: l | CHECK: [[$X]]", "a | l | a", &["--enable-var-scope"], 0),
    // Numbers.
    ("CHECK: [[#X:]] | CHECK: [[#X+1]]", "9 | 10", &[], 0),
    ("CHECK: [[#%x,X:]] | CHECK: [[#%#.8X,X+1]]", "ff | 0x00000100", &[], 0),
    ("CHECK: [[#X:]] | CHECK: [[#X-10]]", "5 | -5", &[], 1),
    ("CHECK: [[#X:]] [[#X]]", "1 1", &[], 2),
    ("CHECK: [[#mul(3,max(2,4))]]", "12", &[], 0),
    ("CHECK: [[@LINE]] | CHECK: [[@LINE-1]]", "1 | 1", &[], 0),
    ("CHECK: [[#X]]", "ff", &["-D#%x,X=0xfe+1"], 0),
    ("CHECK: [[X:a]] | CHECK: [[#X:]]", "a | 1", &[], 2),
    // Kinds.
    ("CHECK: a | CHECK-NEXT: b", "a | x | b", &[], 1),
    ("CHECK: a | CHECK-NEXT: b", "a | b", &[], 0),
    ("CHECK-NEXT: b", "b", &[], 2),
    ("CHECK: a | CHECK-SAME: b", "a b", &[], 0),
    ("CHECK: a | CHECK-SAME: b", "a | b", &[], 1),
    ("CHECK: a | CHECK-EMPTY: | CHECK-NEXT: b", "a |  | b", &[], 0),
    ("CHECK: a | CHECK-EMPTY: | CHECK-NEXT: b", "a | b", &[], 1),
    ("CHECK: a | CHECK-NOT: x | CHECK: b", "a | x | b", &[], 1),
    ("CHECK: a | CHECK-NOT: x", "a | b", &[], 0),
    ("CHECK-NOT: [[X]]", "a", &[], 1),
    ("CHECK-DAG: a | CHECK-DAG: b | CHECK: c", "b | a | c", &[], 0),
    ("CHECK-DAG: a | CHECK-DAG: a", "a", &[], 1),
    ("CHECK-DAG: {{.}} | CHECK-DAG: {{.}} | CHECK-NOT: c | CHECK-DAG: d", "ab | c | d", &[], 1),
    ("CHECK-COUNT-2: a | CHECK-NOT: a", "a | a", &[], 0),
    ("CHECK-COUNT-2: a", "a", &[], 1),
    ("CHECK-COUNT-0: a", "a", &[], 2),
    ("CHECK-LABEL: f | CHECK: x | CHECK-LABEL: g | CHECK: y", "f | g | x | y", &[], 1),
    ("CHECK-LABEL: f | CHECK: x | CHECK-LABEL: g | CHECK: y", "f | x | g | y", &[], 0),
    ("CHECK-LABEL: [[X:f]]", "f", &[], 2),
    ("CHECK-DAG-NOT: a", "b", &[], 2),
    ("CHECK: a | CHECK_NEXT: b", "a | b", &[], 2),
    ("COM: CHECK: z | CHECK: a", "a", &[], 0),
    // Options.
    ("A: a | AB: b", "a | b", &["--check-prefixes=A,AB"], 0),
    ("A: a", "a", &["--check-prefixes=A,B"], 2),
    ("A: a", "a", &["--check-prefixes=A,B", "--allow-unused-prefixes"], 0),
    ("A: a", "a", &["-check-prefix", "A", "--check-prefix=A"], 2),
    ("CHECK: a", "xa", &["--match-full-lines"], 1),
    ("CHECK: a b", "  a   b  ", &["--match-full-lines"], 0),
    ("CHECK: a b", "a b ", &["--match-full-lines", "--strict-whitespace"], 1),
    ("CHECK: a | CHECK: b", "a | warning | b", &["--implicit-check-not=warn"], 1),
    ("CHECK: a", "", &[], 2),
    ("CHECK-NOT: a", "", &["--allow-empty"], 0),
];

fn lines(text: &str) -> String {
    let text: Vec<&str> = text.split(" | ").map(|l| l.strip_prefix("| ").unwrap_or(l)).collect();
    if text == [""] { String::new() } else { text.join("\n") + "\n" }
}

fn verdict(checks: &str, input: &str, options: &[&str]) -> (i32, String) {
    let checked = FileCheckOptions::parse(options)
        .and_then(|options| FileCheck::parse(options, "checks", checks))
        .and_then(|program| program.verify("input", input));
    checked.map_or_else(|failure| (failure.status(), failure.message), |()| (0, String::new()))
}

#[test]
fn verdicts() {
    for (checks, input, options, expected) in ROWS {
        let (status, message) = verdict(&lines(checks), &lines(input), options);
        assert_eq!(status, *expected, "{checks:?} on {input:?} with {options:?}\n{message}");
    }
}

#[test]
fn verdicts_of_llvm() {
    let tool = std::env::var("FILECHECK").unwrap_or_else(|_| "FileCheck".to_owned());
    if Command::new(&tool).arg("--version").output().is_err() {
        eprintln!("skipped because `{tool}` is not installed");
        return;
    }
    let dir = std::env::temp_dir().join(format!("silkit-filecheck-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("a temporary folder");
    for (checks, input, options, expected) in ROWS {
        fs::write(dir.join("checks"), lines(checks)).expect("a temporary file");
        fs::write(dir.join("input"), lines(input)).expect("a temporary file");
        let output = Command::new(&tool)
            .args(*options)
            .args(["checks", "--input-file", "input", "--dump-input=never"])
            .current_dir(&dir)
            .output()
            .expect("the tool is there");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(*expected),
            "{checks:?} on {input:?} with {options:?}\n{message}"
        );
    }
    fs::remove_dir_all(&dir).expect("the temporary folder is there");
}

#[test]
fn messages() {
    let checks = "CHECK: [[X:%[0-9]+]] = load\nCHECK-NEXT: return [[X]] : $Int\n";
    let (_, message) = verdict(checks, "bb0:\n  %7 = load %0\n  return %0 : $Int\n", &[]);
    let expected = "\
checks:2:13: error: CHECK-NEXT: expected string not found in input
    CHECK-NEXT: return [[X]] : $Int
    with X = %7
input:2: note: searched from here
     1 | bb0:
>    2 |  %7 = load %0
     3 |  return %0 : $Int
     4 | 
input:3: note: possibly intended match here
     3 |  return %0 : $Int
";
    assert_eq!(message, expected);
}

#[test]
fn all_blocks_are_reported() {
    let checks = "CHECK-LABEL: f\nCHECK: x\nCHECK-LABEL: g\nCHECK: y\n";
    let (_, message) = verdict(checks, "f\ng\n", &[]);
    assert_eq!(message.matches("error: CHECK: expected").count(), 2, "{message}");
}

#[test]
fn any_bytes() {
    use silkit_testkit::mutate::mutate_bytes;
    let checks = b"// CHECK-LABEL: f {{a|b}}\n// CHECK-DAG: [[X:.*]] [[#N:]]\n// CHECK: [[X]] [[#N+1]]\n";
    for seed in 0..3000 {
        let checks = mutate_bytes(checks, b"CHECK-NOT: {{(a*)*}}[[@LINE]]", seed).text;
        if let Ok(program) = FileCheck::parse(FileCheckOptions::default(), "checks", &checks) {
            let input = mutate_bytes(b"f a\nx 1\nx 2\n\xff\n", b"f b", seed).text;
            // Any verdict will do.
            let _ = program.verify("input", &input);
        }
    }
}
