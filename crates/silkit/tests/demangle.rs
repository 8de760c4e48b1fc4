//! Every symbol of the examples and of the shared suite, against the reference's demangler where it is installed.

use silkit::demangle::{Style, demangle};
use silkit_testkit::{or_skip, shared};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn sil_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sil_files(&path, into);
        } else if path.extension().is_some_and(|e| e == "sil") {
            into.push(path);
        }
    }
}

/// The words of a file that begin as symbols do.
fn symbols(text: &str, into: &mut BTreeSet<String>) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    for word in text.split(|c| !is_part(c)).filter(|w| w.starts_with("$s") || w.starts_with("$S")) {
        into.insert(word.to_string());
    }
}

#[test]
fn symbols_read_as_the_reference_reads_them() {
    let reference = or_skip!(shared::ReferenceTools::find());
    let mut files = Vec::new();
    sil_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut files);
    if let Ok(suite) = shared::folder("conformance/suite") {
        sil_files(&suite, &mut files);
    }
    let mut found = BTreeSet::new();
    for file in &files {
        symbols(&std::fs::read_to_string(file).unwrap_or_default(), &mut found);
    }
    assert!(found.len() > 100, "only {} symbols", found.len());
    for (option, style) in [("-compact", Style::Full), ("-simplified", Style::Simplified)] {
        let mut child = reference
            .command("swift-demangle")
            .arg(option)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the reference's demangler starts");
        let mut input = child.stdin.take().expect("a pipe");
        let lines = found.iter().map(|s| format!("{s}\n")).collect::<String>();
        let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
        let output = child.wait_with_output().expect("output");
        writer.join().expect("a writer").expect("input is taken");
        let expected = String::from_utf8_lossy(&output.stdout);
        for (symbol, expected) in found.iter().zip(expected.lines()) {
            let ours = demangle(symbol, style).unwrap_or_else(|| symbol.clone());
            assert_eq!(ours.trim_end(), expected.trim_end(), "{symbol}");
        }
    }
}
