//! The rules of the house (ARCHITECTURE.md): layers, sizes of files.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the layers of ARCHITECTURE.md, lowest first: the line that begins with `    base`.
fn layers() -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let line = text.lines().find(|l| l.starts_with("    base")).expect("the line of layers");
    let package = |name: &str| match name.trim() {
        "silkit" => "silkit".to_owned(),
        name => format!("silkit-{name}"),
    };
    line.split('→').map(|layer| layer.split(',').map(package).collect()).collect()
}

/// Returns the crates of this workspace that a manifest names as dependencies of any kind.
fn dependencies(manifest: &str) -> Vec<&str> {
    let lines = manifest.lines().map(str::trim_start);
    let names = lines.filter_map(|l| l.split([' ', '.', '=']).next().filter(|_| l.contains('=')));
    names.filter(|name| *name == "silkit" || name.starts_with("silkit-")).collect()
}

#[test]
fn arrows_point_down() {
    let layers = layers();
    let layer = |name: &str| layers.iter().position(|layer| layer.iter().any(|l| l == name));
    let mut crates = 0;
    for entry in std::fs::read_dir(root().join("crates")).expect("crates") {
        let folder = entry.expect("entry");
        let name = folder.file_name().into_string().expect("UTF-8");
        let Ok(manifest) = std::fs::read_to_string(folder.path().join("Cargo.toml")) else { continue };
        crates += 1;
        let own = layer(&name).unwrap_or_else(|| panic!("ARCHITECTURE.md has no layer for {name}"));
        for used in dependencies(&manifest) {
            let below = layer(used).unwrap_or_else(|| panic!("{name} uses {used}, which has no layer"));
            assert!(below < own, "{name} uses {used}, which is not below it");
        }
    }
    assert!(crates > 10, "{crates} crates");
}

#[test]
fn versions_stand_in_one_place() {
    for entry in std::fs::read_dir(root().join("crates")).expect("crates") {
        let Ok(manifest) = std::fs::read_to_string(entry.expect("entry").path().join("Cargo.toml")) else {
            continue;
        };
        let sections = manifest.split("\n[").filter(|section| {
            section.lines().next().is_some_and(|head| head.trim_end_matches(']').ends_with("dependencies"))
        });
        for line in sections.flat_map(|s| s.lines().skip(1)).filter(|l| l.contains('=')) {
            assert!(line.contains("workspace = true"), "not from [workspace.dependencies]: {line}");
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
