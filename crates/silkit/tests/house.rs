//! The rules of the house (ARCHITECTURE.md): layers, sizes of files.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What each crate may use of the others.
const LAYERS: &[(&str, &[&str])] = &[
    ("silkit-base", &[]),
    ("silkit-diag", &["silkit-base"]),
    ("silkit-demangle", &[]),
    ("silkit-types", &["silkit-base"]),
    ("silkit-ir", &["silkit-base", "silkit-types"]),
    ("silkit-text", &["silkit-base", "silkit-diag", "silkit-ir", "silkit-types"]),
    ("silkit-binary", &["silkit-base", "silkit-ir", "silkit-types"]),
    ("silkit-analysis", &["silkit-base", "silkit-ir", "silkit-types", "silkit-testkit", "silkit-text"]),
    (
        "silkit-verify",
        &[
            "silkit-analysis",
            "silkit-base",
            "silkit-diag",
            "silkit-ir",
            "silkit-types",
            // For its tests alone.
            "silkit-testkit",
            "silkit-text",
        ],
    ),
    (
        "silkit-opt",
        &[
            "silkit-analysis",
            "silkit-base",
            "silkit-demangle",
            "silkit-ir",
            "silkit-text",
            "silkit-types",
            // For its tests alone.
            "silkit-testkit",
        ],
    ),
    ("silkit-testkit", &["silkit-base"]),
];

#[test]
fn arrows_point_down() {
    for (name, allowed) in LAYERS {
        let manifest = root().join("crates").join(name).join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).expect("manifest");
        let used =
            text.lines().filter(|l| l.starts_with("silkit-")).filter_map(|l| l.split([' ', '.']).next());
        for used in used {
            assert!(allowed.contains(&used), "{name} uses {used}");
        }
    }
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn files_are_small() {
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    for file in files.iter().filter(|f| !f.components().any(|c| c.as_os_str() == "generated")) {
        let lines = std::fs::read_to_string(file).expect("text").lines().count();
        assert!(lines <= 1000, "{} has {lines} lines", file.display());
    }
}
