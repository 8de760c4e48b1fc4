//! The runner on the compiler's own tests, with the reference tools: all of them pass there.

use std::process::{Command, Stdio};

use silkit_testkit::lit::{Invocation, LitSetup, TestOutcome};
use silkit_testkit::shared::{ReferenceTools, folder};

/// Features that the reference tools have.
const FEATURES: &[&str] = &[
    "asserts",
    "swift_in_compiler",
    "shell",
    "CPU=x86_64",
    "PTRSIZE=64",
    "OS=linux-gnu",
    "concurrency",
    "optimized_stdlib",
    "no_asan",
];

fn external(mut command: Command, call: &mut Invocation) -> i32 {
    use std::io::Write;
    command.args(&call.args).envs(call.env.iter().cloned()).current_dir(&call.dir);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            call.stderr = error.to_string().into_bytes();
            return 127;
        }
    };
    let (mut pipe, text) = (child.stdin.take().expect("it is piped"), std::mem::take(&mut call.stdin));
    // A tool that does not read its input closes the pipe, which is fine.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&text)));
    let output = child.wait_with_output().expect("the child was started");
    writer.join().expect("the writer does not panic");
    call.stdout = output.stdout;
    call.stderr = output.stderr;
    output.status.code().unwrap_or(134)
}

#[test]
#[ignore = "takes half a minute; run it with --ignored"]
fn the_reference_passes_its_own_tests() {
    let suite = silkit_testkit::or_skip!(folder("conformance/suite"));
    let reference = silkit_testkit::or_skip!(ReferenceTools::find());
    let target = "-target x86_64-pc-linux-gnu";
    let mut setup = LitSetup::new()
        .substitution("%target-sil-opt", &format!("sil-opt {target}"))
        .substitution("%sil-opt", &format!("sil-opt {target}"))
        .substitution("%target-swift-frontend", &format!("swift-frontend {target}"))
        .substitution("%target-swift-emit-silgen", &format!("swift-frontend {target} -emit-silgen"))
        .substitution("%FileCheck", "FileCheck --allow-unused-prefixes");
    for tool in ["sil-opt", "swift-frontend"] {
        let reference = reference.clone();
        setup = setup.command(tool, move |call| external(reference.command(tool), call));
    }
    setup = setup.command("sed", |call| external(Command::new("sed"), call));
    let mut files = Vec::new();
    let mut folders = vec![suite];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the suite is readable") {
            let path = entry.expect("the suite is readable").path();
            if path.is_dir() && path.file_name().is_some_and(|n| n != "Inputs") {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "sil") {
                files.push(path);
            }
        }
    }
    files.sort();
    for line in files.iter().filter_map(|f| std::fs::read_to_string(f).ok()).flat_map(|t| features(&t)) {
        setup = setup.feature(&line);
    }
    setup = FEATURES.iter().fold(setup, |setup, feature| setup.feature(feature));
    let failed: Vec<String> = files
        .iter()
        .filter_map(|file| match setup.run(file) {
            TestOutcome::Passed => None,
            TestOutcome::Failed(message) => Some(message),
            TestOutcome::Skipped(reason) => Some(format!("{}: skipped: {reason}", file.display())),
        })
        .collect();
    println!("{} of {} passed", files.len() - failed.len(), files.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Returns the language features that a test requires: the reference compiler has all of them.
fn features(text: &str) -> Vec<String> {
    let words = text.lines().filter_map(|l| l.split_once("REQUIRES:")).flat_map(|(_, l)| l.split([' ', ',']));
    words.filter(|w| w.starts_with("swift_feature_")).map(str::to_owned).collect()
}
