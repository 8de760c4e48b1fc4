//! Sizes of files, and no circles of files across folders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::root;

pub(crate) fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
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
        assert!(lines <= 600, "{} has {lines} lines", file.display());
    }
}

/// Returns the path of the module that a file of a `src` folder holds.
fn module_path(src: &Path, file: &Path) -> Vec<String> {
    let relative = file.strip_prefix(src).expect("below src").with_extension("");
    let mut path: Vec<String> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if matches!(path.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        path.pop();
    }
    path
}

/// Returns the modules that a text names in paths which begin with `crate` or `super`.
fn named_modules(text: &str, own: &[String]) -> Vec<Vec<String>> {
    let mut named = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let code: String = text.lines().flat_map(|line| line.split("//").next()).collect();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            if code[..at].ends_with(|c| is_word(c) || c == ':') {
                continue;
            }
            let path = code[at..].split(|c| !is_word(c) && c != ':').next().unwrap_or_default();
            let ups = path.split("::").take_while(|&segment| segment == "super").count();
            let base = if ups == 0 { &[] } else { &own[..own.len().saturating_sub(ups)] };
            let rest = path.split("::").skip(ups.max(1)).filter(|segment| !segment.is_empty());
            let whole: Vec<String> = base.iter().cloned().chain(rest.map(str::to_owned)).collect();
            let list = code[at + path.len()..].strip_prefix('{').map(|list| list.split(';').next());
            // Each name of `use crate::{a, b}` may be a module.
            for item in list.flatten().unwrap_or_default().split([',', '{', '}']) {
                let head = item.trim().split(':').next().unwrap_or_default();
                named.push(whole.iter().cloned().chain([head.to_owned()]).collect());
            }
        }
    }
    named
}

/// Returns all nodes that can be reached from a node.
fn reachable<'a>(
    edges: &'a BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    from: &'a PathBuf,
) -> BTreeSet<&'a PathBuf> {
    let mut found = BTreeSet::new();
    let mut worklist = vec![from];
    while let Some(file) = worklist.pop() {
        worklist.extend(edges[file].iter().filter(|&next| found.insert(next)));
    }
    found
}

/// Returns the imports between files of one crate, generated code aside.
fn imports(src: &Path) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
    let mut files = Vec::new();
    rust_files(src, &mut files);
    files.retain(|file| !file.components().any(|part| part.as_os_str() == "generated"));
    let modules: BTreeMap<_, _> = files.iter().map(|file| (module_path(src, file), file)).collect();
    let mut edges = BTreeMap::new();
    for file in &files {
        let own = module_path(src, file);
        let text = std::fs::read_to_string(file).expect("text");
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let mut used = BTreeSet::new();
        for mut path in named_modules(code, &own) {
            while !path.is_empty() && !modules.contains_key(&path) {
                path.pop();
            }
            if !path.is_empty() && path != own {
                used.insert(modules[&path].clone());
            }
        }
        edges.insert(file.clone(), used);
    }
    edges
}

#[test]
fn no_circle_of_files_crosses_folders() {
    let mut arrows = 0;
    for entry in std::fs::read_dir(root().join("crates")).expect("crates") {
        let src = entry.expect("entry").path().join("src");
        if !src.is_dir() {
            continue;
        }
        let edges = imports(&src);
        arrows += edges.values().map(BTreeSet::len).sum::<usize>();
        let reach: BTreeMap<_, _> = edges.keys().map(|file| (file, reachable(&edges, file))).collect();
        for (file, used) in &edges {
            for other in used.iter().filter(|other| other.parent() != file.parent()) {
                let (from, to) = (file.display(), other.display());
                assert!(!reach[other].contains(file), "{from} uses {to}, which comes back to it");
            }
        }
    }
    assert!(arrows > 500, "{arrows} arrows between files");
}
