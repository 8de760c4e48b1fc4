//! Every type of a corpus of SIL files reads and prints as it was written.
//!
//! The corpus is found by the environment variable `SILKIT_SHARED` (a directory with SIL files, at
//! any depth) or at `../shared` beside the workspace; without it the test says so and passes.

use silkit_text::{Cursor, GenericEnv, parse_sil_type};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn corpus() -> Option<PathBuf> {
    let root = std::env::var_os("SILKIT_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    root.is_dir().then_some(root)
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(t) if t.is_dir() => collect(&path, files),
            Ok(t) if t.is_file() && path.extension().is_some_and(|e| e == "sil") => files.push(path),
            _ => {}
        }
    }
}

/// Returns the offsets in a line at which a type with `$` begins: outside strings, after a space or bracket.
fn type_starts(line: &str) -> Vec<usize> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    let mut in_string = false;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b'/' if !in_string && bytes.get(at + 1) == Some(&b'/') => break,
            // `func $main()` and `{ $0.first }` stand in the text of declarations.
            b'$' if !in_string
                && at > 0
                && matches!(bytes[at - 1], b' ' | b'(' | b'[')
                && !bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
                && !line[..at].ends_with("func ") =>
            {
                found.push(at);
            }
            _ => {}
        }
        at += 1;
    }
    found
}

#[derive(Default)]
struct Outcome {
    types: usize,
    bytes: usize,
    time: Duration,
    failures: Vec<String>,
    failed: usize,
    loose: usize,
}

impl Outcome {
    fn failure(&mut self, file: &Path, number: usize, text: &str, what: &str) {
        self.failed += 1;
        if self.failures.len() < 100 {
            self.failures.push(format!("{}:{}: {what}\n    {text}", file.display(), number + 1));
        }
    }

    fn file(&mut self, file: &Path, text: &str) {
        for (number, line) in text.lines().enumerate() {
            if line.starts_with("sil") || line.starts_with(' ') || line.starts_with("bb") {
                for start in type_starts(line) {
                    self.one(file, number, &line[start..]);
                }
            }
        }
    }

    fn one(&mut self, file: &Path, number: usize, rest: &str) {
        let mut cur = Cursor::new(rest);
        let mut env = GenericEnv::new();
        let began = Instant::now();
        let parsed = parse_sil_type(&mut cur, &mut env);
        self.time += began.elapsed();
        let ty = match parsed {
            Ok(ty) => ty,
            Err(error) => {
                return self.failure(
                    file,
                    number,
                    rest,
                    &format!("{}: {}", error.range.start, error.message),
                );
            }
        };
        self.types += 1;
        self.bytes += cur.pos();
        // The reader may stand behind the white space and the comment after the type.
        let taken = &rest[..cur.pos()];
        let written = taken.find(" //").map_or(taken, |at| &taken[..at]).trim_end();
        let printed = ty.to_string();
        if printed != written {
            let squeeze = |s: &str| s.split_whitespace().collect::<String>();
            if squeeze(&printed) == squeeze(written) {
                self.loose += 1;
            } else {
                self.failure(file, number, rest, &format!("prints as {printed}"));
            }
        }
        let next = &rest[written.len()..];
        if !next.is_empty() && !next.starts_with([' ', ',', '(', ')', ']', ':', ';', '\t', '}']) {
            self.failure(file, number, rest, &format!("ends before `{next}`"));
        }
    }
}

#[test]
fn types_of_the_corpus_print_as_written() {
    let Some(root) = corpus() else {
        eprintln!("skipped: no corpus at SILKIT_SHARED or ../shared");
        return;
    };
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut outcome = Outcome::default();
    for file in &files {
        if let Ok(text) = std::fs::read_to_string(file) {
            outcome.file(file, &text);
        }
    }
    let speed = outcome.bytes as f64 / outcome.time.as_secs_f64().max(1e-9) / 1e6;
    eprintln!(
        "{} files, {} types, {} bytes of types, {speed:.0} MB/s with the timer; {} failed, {} differ in white space",
        files.len(),
        outcome.types,
        outcome.bytes,
        outcome.failed,
        outcome.loose
    );
    for failure in &outcome.failures {
        eprintln!("{failure}");
    }
    assert!(outcome.failed * 100 <= outcome.types, "{} of {} types failed", outcome.failed, outcome.types);
}
