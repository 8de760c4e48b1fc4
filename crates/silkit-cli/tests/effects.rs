//! `silkit effects`: what functions may do, and the calls that prove it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const OWN: &str = "crates/silkit-cli/tests/data/effects.sil";
const SWIFT: &str = "crates/silkit-cli/tests/data/effects-of-swift.sil";

fn run(args: &[&str]) -> Output {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_silkit"));
    command.arg("effects").args(args).current_dir(root).output().expect("silkit runs")
}

fn stdout(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(&[args, &["--format", "json"]].concat())).expect("JSON")
}

/// Returns the answers of the table for a function: `yes`, `?` or `-` for each effect.
fn row(table: &str, function: &str) -> String {
    let mut rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let found = rows.find(|words| words.len() > 8 && words[8..].join(" ") == function);
    found.map(|words| words[..8].join(" ")).unwrap_or_default()
}

#[test]
fn the_table_tells_what_is_proved_from_what_is_not_excluded() {
    let table = stdout(&[OWN]);
    let head = table.lines().next();
    assert_eq!(head, Some("allocate  release  count  lock  trap  read  write  unknown  function"));
    let rows = [
        ("nothing", "- - - - - - - -"),
        ("far", "yes yes yes ? ? ? ? yes"),
        ("near", "yes yes yes ? ? ? ? yes"),
        ("on_stack", "- - - - - - - -"),
        ("closes", "yes - - - - - - -"),
        ("sets", "- - - - - - yes -"),
        // Nobody sees the local variable.
        ("sets_local", "- - - - - - - -"),
        ("sets_global", "- - - - - - yes -"),
        ("checks", "- - - - yes yes - -"),
        ("casts", "- - - yes yes - - -"),
        ("traps", "- - - - yes - - -"),
        ("ends", "- - - - yes yes - -"),
        ("calls_outside", "? ? ? ? ? ? ? yes"),
        // What is promised is believed.
        ("calls_pure", "? - ? ? ? - - -"),
        ("calls_looks", "? - ? ? ? ? - -"),
        ("calls_keeps", "? - ? ? ? ? ? -"),
        ("promises", "- - - - - - - -"),
        ("even", "- - - - yes - - -"),
        // Recursion alone proves nothing.
        ("recurs", "- - - - - - - -"),
    ];
    for (function, answers) in rows {
        assert_eq!(row(&table, function), answers, "{function}\n{table}");
    }
    let may = stdout(&[OWN, "--may", "allocate", "--may", "trap"]);
    assert!(row(&may, "closes").is_empty() && !row(&may, "far").is_empty(), "{may}");
}

#[test]
fn the_shortest_way_is_shown() {
    let far = stdout(&[OWN, "far"]);
    let way: Vec<&str> = far
        .lines()
        .skip_while(|line| *line != "may allocate memory on the heap")
        .take_while(|line| !line.is_empty())
        .map(|line| line.trim_start_matches(|c: char| c != ':' || !c.is_ascii()).trim())
        .collect();
    assert_eq!(way.len(), 4, "{far}");
    assert!(far.contains(": in near: %1 = alloc_box ${ var Builtin.Int64 }\n  allocates memory on the heap"));
    assert!(!far.contains("in middle"), "{far}");
    let global = stdout(&[OWN, "sets_global"]);
    assert!(global.contains("may write memory that is not derived from an argument"), "{global}");
    assert!(global.contains(": in sets: store %1 to %0"), "{global}");
    assert!(global.ends_with("\ndoes not allocate, release, count, lock, trap, read, run unknown code\n"));
    let traps = stdout(&[OWN, "traps"]);
    assert!(traps.contains("cond_fail %0 : $Builtin.Int1, \"a // b\"\n"), "{traps}");
    let outside = stdout(&[OWN, "calls_outside"]);
    assert!(outside.contains("may do anything: calls outside, which has no body in this file"), "{outside}");
    let pure = stdout(&[OWN, "calls_pure"]);
    assert!(
        pure.contains("calls pure, which has no body in this file; [readnone] does not exclude it"),
        "{pure}"
    );
}

/// Checks that the shown reads and writes of each argument are those that the passes found; fewer only for recursion,
/// and for objects that a function allocates and ends itself.
#[test]
fn memory_is_that_of_the_side_effects() {
    let files = [OWN, SWIFT, "examples/shapes.raw.sil", "examples/generic.canonical.sil"];
    let (mut same, mut all_functions) = (0, 0);
    for file in files {
        let all = json(&[file]);
        let functions = all["functions"].as_array().expect("functions");
        assert!(!functions.is_empty());
        for function in functions {
            let texts = function["side_effects"].as_array().expect("texts");
            let mut written = Vec::new();
            for text in texts.iter().filter_map(Value::as_str) {
                let (subject, effects) = text.split_once(':').expect("a subject");
                let argument = subject.strip_prefix('%').and_then(|n| n.parse::<u64>().ok());
                let names = effects.split(',').filter_map(|effect| effect.split_whitespace().next());
                let memory = names.filter(|name| matches!(*name, "read" | "write"));
                written.extend(memory.map(|name| (name.to_owned(), argument)));
            }
            // Where none were computed there is nothing to compare.
            if !texts.iter().any(|text| text.as_str().is_some_and(|t| t.starts_with("global"))) {
                continue;
            }
            let effects = function["effects"].as_array().expect("effects");
            let memory = effects.iter().filter(|e| e["effect"] == "read" || e["effect"] == "write");
            let mut shown: Vec<_> = memory
                .map(|e| (e["effect"].as_str().unwrap_or_default().to_owned(), e["argument"].as_u64()))
                .collect();
            written.sort();
            shown.sort();
            assert!(shown.iter().all(|effect| written.contains(effect)), "{file}: {}", function["function"]);
            (same, all_functions) = (same + usize::from(shown == written), all_functions + 1);
        }
    }
    assert!(same * 10 > all_functions * 8, "{same} of {all_functions}");
}

/// Every proof is a way: each step but the last is a call, and the last stands where the one before it leads.
#[test]
fn proofs_name_their_instructions() {
    for file in [OWN, SWIFT, "examples/effects.optimized.sil"] {
        let all = json(&[file]);
        for function in all["functions"].as_array().expect("functions") {
            for effect in function["effects"].as_array().expect("effects") {
                let steps = effect["steps"].as_array().expect("steps");
                assert_eq!(steps.first().map(|s| &s["function"]), Some(&function["function"]), "{effect}");
                let (_, calls) = steps.split_last().expect("a step");
                for call in calls {
                    let text = call["instruction"].as_str().unwrap_or_default();
                    assert!(call["line"].is_u64() && !text.is_empty(), "{effect}");
                }
                assert!(effect["reason"].as_str().is_some_and(|r| !r.is_empty()));
            }
        }
    }
}

#[test]
fn what_the_compiler_made_is_understood() {
    let table = stdout(&[SWIFT]);
    let rows = [
        ("wraps(_:_:)", "- - - - - - - -"),
        ("adds(_:_:)", "- - - - yes - - -"),
        ("adder(_:)", "yes - - - - - - -"),
        ("fill(_:)", "yes - - - yes yes yes -"),
    ];
    for (function, answers) in rows {
        assert_eq!(row(&table, function), answers, "{function}\n{table}");
    }
    // By each of its names.
    let names = ["$s5cargo4fillyyAA5StackVzF", "cargo.fill(inout cargo.Stack) -> ()", "fill(_:)"];
    let texts = names.map(|name| stdout(&[SWIFT, name]));
    assert!(texts[0].contains("in Stack.push(_:)") || texts[0].contains("alloc_ref $Node"), "{}", texts[0]);
    assert!(texts.iter().all(|text| *text == texts[0]));
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let file = "examples/effects.optimized.sil";
    assert_eq!(stdout(&[file, "--format", "json", "-j1"]), stdout(&[file, "--format", "json", "-j4"]));
}

#[test]
fn what_is_not_there_is_refused() {
    let cases: [(&[&str], &str, &str); 4] = [
        (&[OWN, "neer"], "unknown function `neer`", "did you mean `near`?"),
        (&[SWIFT, "fil(_:)"], "unknown function `fil(_:)`", "did you mean `fill(_:)`?"),
        (&[OWN, "outside"], "the function `outside` has no body in this file", "name the file"),
        (&["nowhere.sil"], "cannot read `nowhere.sil`", "check the path"),
    ];
    for (args, what, advice) in cases {
        let output = run(args);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains(what) && told.contains(advice), "{args:?}: {told}");
    }
}

/// Calls the command on a text and returns the row of a function.
fn row_of(text: &str, function: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("effects-{function}.sil"));
    std::fs::write(&path, text).expect("written");
    row(&stdout(&[&path.display().to_string()]), function)
}

#[test]
fn own_memory_does_not_count() {
    let body = |end: &str| {
        format!(
            "import Builtin\nsil [ossa] @own : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {{\nbb0(%0 : $Builtin.Int64):\n  \
             %1 = alloc_box ${{ var Builtin.Int64 }}\n  %2 = project_box %1, 0\n  store %0 to [trivial] %2\n  \
             %4 = load [trivial] %2\n  {end} %1\n  return %4\n}}\n"
        )
    };
    assert_eq!(row_of(&body("dealloc_box"), "own"), "yes - - - - - - -");
    // Releasing a box of trivial values runs no deinitializer.
    assert_eq!(row_of(&body("destroy_value"), "own"), "yes - yes - - - - -");
}

#[test]
fn recursion_alone_is_not_unknown() {
    let call = |callee: &str| {
        format!(
            "bb0(%0 : $Builtin.RawPointer):\n  %1 = function_ref @{callee} : $@convention(thin) (Builtin.RawPointer) -> ()\n  \
             %2 = apply %1(%0) : $@convention(thin) (Builtin.RawPointer) -> ()\n"
        )
    };
    let head = |name: &str| format!("sil @{name} : $@convention(thin) (Builtin.RawPointer) -> () {{\n");
    let write = "  %3 = pointer_to_address %0 to [strict] $*Builtin.Int64\n  %4 = integer_literal $Builtin.Int64, 1\n  \
                 store %4 to %3\n";
    let text = |inside: &str| {
        format!(
            "import Builtin\n{}{}  return %2\n}}\n{}{}{inside}  return %2\n}}\n",
            head("ping"),
            call("pong"),
            head("pong"),
            call("ping")
        )
    };
    assert_eq!(row_of(&text(""), "ping"), "- - - - - - - -");
    assert_eq!(row_of(&text(write), "ping"), "- - - - - - yes -");
}
