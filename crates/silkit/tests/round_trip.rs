//! Printing what was read gives the same SIL: on the shipped examples, on damaged copies of them,
//! and on the compiler output of `../shared/corpus` where it is present.

use silkit::text::{PrintOptions, parse_module, print_module};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn print(text: &str) -> String {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors.first());
    print_module(&parsed.module, &PrintOptions::default(), &|_| None)
}

/// Returns the lines without comments, white space at line ends and empty lines.
fn bare(text: &str) -> Vec<String> {
    let text = text.split("\n\n// Mappings from").next().unwrap_or_default();
    let strip = |line: &str| {
        let (mut quoted, mut escaped, mut previous) = (false, false, ' ');
        for (i, c) in line.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                '/' if previous == '/' && !quoted => return line[..i - 1].trim_end().to_string(),
                _ => {}
            }
            previous = c;
        }
        line.trim_end().to_string()
    };
    // Block comments stand on lines of their own.
    let mut in_comment = false;
    let mut outside = |line: &&str| {
        let inside = in_comment || line.starts_with("/*");
        in_comment = inside && !line.contains("*/");
        !inside
    };
    text.lines().filter(&mut outside).map(strip).filter(|l| !l.is_empty()).collect()
}

fn check(name: &str, text: &str) {
    let once = print(text);
    let (want, got) = (bare(text), bare(&once));
    for (i, (w, g)) in want.iter().zip(&got).enumerate() {
        assert_eq!(w, g, "{name}: statement {i} differs");
    }
    assert_eq!(want.len(), got.len(), "{name}: number of lines");
    assert_eq!(once, print(&once), "{name}: printing again changes bytes");
}

fn examples() -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = std::fs::read_dir(root().join("examples"))
        .expect("examples")
        .map(|e| e.expect("entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "sil"))
        // Debug info is printed on request only.
        .filter(|p| !p.to_string_lossy().ends_with(".debug.sil"))
        .map(|p| (p.display().to_string(), std::fs::read_to_string(&p).expect("text")))
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

#[test]
fn examples_print_as_they_were_read() {
    for (name, text) in examples() {
        check(&name, &text);
    }
}

#[test]
fn value_names_do_not_matter() {
    for (name, text) in examples() {
        // Only bodies name values; `%$0` of key paths and strings stay.
        let renamed: String = text
            .lines()
            .map(|l| {
                let code =
                    if l.starts_with('[') || l.contains('"') { l.to_string() } else { l.replace('%', "%v") };
                code + "\n"
            })
            .collect();
        if text.lines().any(|l| l.contains('"') && l.contains('%')) {
            // Names in lines with strings cannot be told apart by this simple means.
            continue;
        }
        assert_eq!(print(&text), print(&renamed), "{name}");
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let (_, text) = examples().pop().expect("an example");
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("pool");
    assert_eq!(pool(1).install(|| print(&text)), pool(4).install(|| print(&text)));
}

#[test]
fn damaged_text_is_reported_and_never_panics() {
    let (_, text) = examples().swap_remove(0);
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let start = text.find("\nsil ").expect("a function");
    for _ in 0..300 {
        let mut bytes = text.as_bytes()[start..(start + 6000).min(text.len())].to_vec();
        for _ in 0..1 + random(8) {
            if bytes.is_empty() {
                break;
            }
            let at = random(bytes.len());
            match random(4) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = b"{}()<>[]@$%#!,:\"/*\n0a"[random(21)],
                2 => _ = bytes.remove(at),
                _ => bytes.insert(at, b"{}()<>[]@$%#!,:\"/*\n0a"[random(21)]),
            }
        }
        let damaged = String::from_utf8_lossy(&bytes);
        let parsed = parse_module(&damaged);
        let _ = print_module(&parsed.module, &PrintOptions::default(), &|_| None);
    }
}

#[test]
fn corpus_prints_as_it_was_read() {
    let folder = std::env::var_os("SILKIT_SHARED")
        .map_or_else(|| root().join("../shared"), PathBuf::from)
        .join("corpus/packages");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: {} is not there", folder.display());
        return;
    };
    for entry in entries {
        let path = entry.expect("entry").path();
        let output = match Command::new("zstd").args(["-q", "-d", "-c", "--long=27"]).arg(&path).output() {
            Ok(output) if output.status.success() => output.stdout,
            _ => {
                eprintln!("skipped: zstd is not installed");
                return;
            }
        };
        check(&path.display().to_string(), &String::from_utf8_lossy(&output));
    }
}

#[test]
fn white_space_of_every_kind_between_entities_is_no_declaration() {
    let text = "sil_stage raw\n\nsil @f : $@convention(thin) () -> ()\n\u{b}\u{c}\r\n// free text\n// more\n";
    let once = print(text);
    assert!(!once.contains("free text"), "{once}");
    assert_eq!(print(&once), once);
}
