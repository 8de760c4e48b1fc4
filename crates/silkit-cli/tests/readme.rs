//! Checks that the commands in the README and in `docs/costs.md` print what they show.

use std::path::Path;
use std::process::Command;

/// Runs every `$ …` line of ```` ```text ```` blocks in a shell at the root.
#[cfg(unix)]
#[test]
fn the_tour_is_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("a document");
    let documents = read("README.md") + &read("docs/costs.md");
    let bin = Path::new(env!("CARGO_BIN_EXE_silkit")).parent().expect("a folder").display().to_string();
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap_or_default());
    let mut seen = 0;
    for block in documents.split("```text\n").skip(1).filter_map(|b| b.split("```").next()) {
        let marked = format!("\n{block}");
        for shown in marked.split("\n$ ").skip(1) {
            let (command, want) = shown.split_once('\n').expect("a line");
            let output = Command::new("sh")
                .args(["-c", command])
                .current_dir(&root)
                .env("PATH", &path)
                .output()
                .expect("a shell");
            let got = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            assert_eq!(got.trim_end(), want.trim_end(), "{command}");
            seen += 1;
        }
    }
    assert!(seen >= 6, "the documents show {seen} commands");
}

#[test]
fn the_program_is_the_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let shown = readme.split("```rust\n").nth(1).and_then(|b| b.split("```").next()).expect("a program");
    let example = include_str!("../../silkit/examples/count_retains.rs");
    let (_, program) = example.split_once("\n\n").expect("a line that says what it is");
    assert_eq!(shown, program);
    let guide = std::fs::read_to_string(root.join("docs/add-a-pass.md")).expect("docs/add-a-pass.md");
    let shown = guide.split("```rust\n").nth(1).and_then(|b| b.split("```").next()).expect("a pass");
    let pass = include_str!("../../silkit/examples/remove_calls.rs");
    assert_eq!(shown, pass.split_once("\n\n").expect("a line that says what it is").1);
    assert!(pass.lines().count() < 60, "a pass that is short");
    for example in [example, include_str!("../../silkit/examples/trace_entries.rs")] {
        assert!(example.lines().count() <= 30, "a program that is short");
    }
}
