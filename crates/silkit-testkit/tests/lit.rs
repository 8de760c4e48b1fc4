//! What the runner says when a test does not go as it should.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use silkit_testkit::lit::{LitSetup, TestOutcome};

fn setup() -> LitSetup {
    LitSetup::new()
        .command("fail", |call| {
            call.stderr.extend_from_slice(b"because\n");
            3
        })
        .command("crash", |_| panic!("invariant broken"))
        .command("both", |call| {
            call.stdout = b"out\n".to_vec();
            call.stderr = b"err\n".to_vec();
            0
        })
        .command("variables", |call| {
            call.stdout = format!("{:?}", call.env).into_bytes();
            0
        })
        .command("hang", |_| {
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        })
        .timeout(Duration::from_secs(20))
}

fn run_with(setup: &LitSetup, name: &str, text: &str) -> TestOutcome {
    let dir = std::env::temp_dir().join(format!("silkit-lit-{}-{name} x", std::process::id()));
    fs::create_dir_all(&dir).expect("a temporary folder");
    let file: PathBuf = dir.join("test.sil");
    fs::write(&file, text).expect("a temporary file");
    let outcome = setup.run(&file);
    fs::remove_dir_all(&dir).expect("the temporary folder is there");
    outcome
}

fn failure(name: &str, text: &str) -> String {
    match run_with(&setup(), name, text) {
        TestOutcome::Failed(message) => message,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn statuses() {
    let message = failure("status", "x\nRUN: fail -a 'b c'\n");
    assert!(message.contains("test.sil:2: RUN: fail -a 'b c'"), "{message}");
    assert!(message.contains("`fail -a b c` exited with status 3\n--- stderr\nbecause"), "{message}");
    assert!(failure("pipe", "RUN: fail | cat\n").contains("`fail` exited with status 3"));
    assert!(failure("not", "RUN: not true\n").contains("`not true` exited with status 1"));
    assert!(failure("xfail", "RUN: true\nXFAIL: *\n").contains("marked as failing"));
}

#[test]
fn crashes_and_hangs() {
    let message = failure("crash", "RUN: not crash\n");
    assert!(message.contains("status 134\n--- stderr\npanicked: invariant broken"), "{message}");
    let setup = setup().timeout(Duration::from_millis(50));
    let TestOutcome::Failed(message) = run_with(&setup, "hang", "RUN: hang\n") else { panic!("it hangs") };
    assert!(message.contains("not done after 50ms"), "{message}");
}

#[test]
fn malformed_tests() {
    assert!(failure("none", "nothing\n").contains("there is no RUN line"));
    assert!(failure("unknown", "RUN: sed x\n").contains("unknown command `sed`; known are both, "));
    assert!(failure("substitution", "RUN: echo %foo\n").contains("unknown substitution `%foo`"));
    assert!(failure("quote", "RUN: echo 'a\n").contains("a single quote is not closed"));
    assert!(failure("condition", "RUN: true\nREQUIRES: a b\n").contains("unexpected `b`"));
}

#[test]
fn file_check_in_a_pipe() {
    let text = "RUN: echo abc: 1 | FileCheck %s\n\nCHECK: {{^}}abc: 2\n";
    let message = failure("filecheck", text);
    assert!(message.contains("test.sil:3:8: error: CHECK: expected string not found in input"), "{message}");
    assert!(message.contains("<stdin>:1: note: possibly intended match here\n     1 | abc: 1"), "{message}");
}

#[test]
fn streams() {
    let text = "RUN: both > o 2> e && cat e o | FileCheck %s\n\
                RUN: both 2>&1 | FileCheck %s\n\
                RUN: both 2>&1 > /dev/null < /dev/null | FileCheck --check-prefix ERR %s\n\
 RUN: env A=b C= variables > v && not env fail\n\
 RUN: both &> b; FileCheck %s < b\n\
                RUN: both 2>&1 > o2 | FileCheck --check-prefix ERR %s\n\
                RUN: both 1>&2 2> f | FileCheck --allow-empty --implicit-check-not=o %s --check-prefix NONE\n\
                CHECK: err\nCHECK-NEXT: out\nERR: err\nERR-NOT: out\nNONE-NOT: err\n";
    assert_eq!(run_with(&setup(), "streams", text), TestOutcome::Passed);
}

#[test]
fn skipped() {
    let outcome = run_with(&setup(), "skip", "RUN: false\nUNSUPPORTED: a, true\n");
    assert_eq!(outcome, TestOutcome::Skipped("unsupported with true".to_owned()));
}
