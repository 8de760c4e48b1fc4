//! Documents: every path that they name exists.
//!
//! A path in a code span may omit leading folders (`tests/growth.rs`). A word that begins with a folder of the root or with the
//! name of a crate (`silkit-ir/table`) is a path wherever it stands. `*` stands for any text within a name, and so do `NAME`,
//! `FOLDER` and `FAMILY`.

use std::collections::BTreeSet;
use std::path::Path;

use super::files::rust_files;
use super::root;

/// The folders of the root that documents name files of.
const FOLDERS: &[&str] = &[".cargo", ".ci", "crates", "docs", "examples", "fuzz", "xtask"];

/// The extensions of files that a code span may name without a folder.
const EXTENSIONS: &[&str] = &["rs", "md", "toml"];

/// The names that stand for any name.
const PLACEHOLDERS: &[&str] = &["FAMILY", "FOLDER", "NAME"];

/// The files and folders of the repository, and every end of their paths that begins with a whole name.
struct Tree(BTreeSet<String>);

impl Tree {
    fn new(paths: impl IntoIterator<Item = String>) -> Tree {
        let mut ends = BTreeSet::new();
        for path in paths {
            let starts = path.match_indices('/').map(|(at, _)| at + 1);
            ends.extend([0].into_iter().chain(starts).map(|start| path[start..].to_owned()));
        }
        Tree(ends)
    }

    /// Reads the repository without what is built.
    fn read() -> Tree {
        let (root, mut paths) = (root(), Vec::new());
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("folder") {
                let path = entry.expect("entry").path();
                let relative = path.strip_prefix(&root).expect("below the root").to_str().expect("UTF-8");
                if path.file_name().is_some_and(|name| name == "target" || name == ".git") {
                    continue;
                }
                paths.push(relative.replace('\\', "/"));
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        Tree::new(paths)
    }

    /// Returns true if a path that a document names exists.
    fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let names =
            path.split('/').map(|name| match PLACEHOLDERS.iter().find_map(|p| name.strip_prefix(p)) {
                Some(extension) if extension.is_empty() || extension.starts_with('.') => {
                    format!("*{extension}")
                }
                _ => name.to_owned(),
            });
        let patterns: Vec<String> = names.collect();
        let fits_all = |end: &String| {
            end.split('/').count() == patterns.len()
                && end.split('/').zip(&patterns).all(|(name, p)| fits(p, name))
        };
        self.0.contains(path) || patterns.iter().any(|p| p.contains('*')) && self.0.iter().any(fits_all)
    }
}

/// Returns true if a name fits a pattern, in which `*` stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    pattern.split_once('*').map_or(pattern == name, |(before, after)| {
        name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
    })
}

fn is_path_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '*' | '/' | '-')
}

/// Returns the words of a line that can only be paths.
fn anchored(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c| !is_path_char(c)).map(|word| word.trim_end_matches('.'));
    words.filter(|word| {
        let (first, rest) = word.split_once('/').unwrap_or((word, ""));
        !rest.is_empty() && (FOLDERS.contains(&first) || first.starts_with("silkit-"))
    })
}

/// Returns the contents of the code spans of a line.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2).filter(|span| !span.is_empty())
}

/// Returns the paths in the code spans of a line, of files with one of the extensions or, in prose, of any file in a folder.
fn in_code_spans(line: &str, is_prose: bool) -> impl Iterator<Item = &str> {
    code_spans(line).filter(move |span| {
        let extension = Path::new(span).extension().and_then(|extension| extension.to_str());
        let has_folder = is_prose && span.contains('/') && !span.starts_with('/');
        span.chars().all(is_path_char) && (has_folder || extension.is_some_and(|e| EXTENSIONS.contains(&e)))
    })
}

/// Returns the targets of the links of a line to files, relative to the document.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

/// Returns the paths that numbered lines name and the tree does not have.
fn missing<'a>(
    lines: impl Iterator<Item = (&'a str, usize)>,
    tree: &Tree,
    is_prose: bool,
) -> Vec<(usize, String)> {
    let named = lines.flat_map(|(line, number)| {
        anchored(line).chain(in_code_spans(line, is_prose)).map(move |path| (number, path.to_owned()))
    });
    named.filter(|(_, path)| !tree.has(path)).collect()
}

/// Returns the paths that a document names and the tree does not have.
fn missing_in_document(text: &str, tree: &Tree) -> Vec<(usize, String)> {
    missing(text.lines().zip(1..), tree, true)
}

/// Returns the paths that the comments of a Rust file name and the tree does not have.
fn missing_in_comments(text: &str, tree: &Tree) -> Vec<(usize, String)> {
    let lines = text.lines().zip(1..);
    missing(lines.filter(|(line, _)| line.trim_start().starts_with("//")), tree, false)
}

/// Returns the documents in Markdown, relative to the root.
fn documents() -> Vec<String> {
    let mut documents = Vec::new();
    for folder in ["", "docs/", "docs/mistakes/", "examples/"] {
        for entry in std::fs::read_dir(root().join(folder)).expect("folder") {
            let name = entry.expect("entry").file_name().into_string().expect("UTF-8");
            if name.ends_with(".md") {
                documents.push(format!("{folder}{name}"));
            }
        }
    }
    documents
}

#[test]
fn paths_in_documents_exist() {
    let tree = Tree::read();
    let documents = documents();
    assert!(documents.len() > 10, "{documents:?}");
    for document in documents {
        let text = std::fs::read_to_string(root().join(&document)).expect("text");
        assert_eq!(missing_in_document(&text, &tree), [], "{document}");
        let folder = root().join(&document).parent().expect("a folder").to_owned();
        for link in text.lines().flat_map(links) {
            assert!(folder.join(link).exists(), "{document} links to {link}");
        }
    }
}

#[test]
fn documents_are_short() {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).expect("text");
    let bytes = read("ARCHITECTURE.md").len();
    assert!(
        bytes <= 13_000,
        "ARCHITECTURE.md has {bytes} bytes: the design of a crate is in its documentation"
    );
    let changelog = read("CHANGELOG.md");
    let lines = changelog.lines().count();
    assert!(lines <= 80, "CHANGELOG.md has {lines} lines: it says what users see, the history has the rest");
    let longest = changelog.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(140), "CHANGELOG.md has a line of {longest:?} characters");
}

#[test]
fn paths_in_comments_exist() {
    let tree = Tree::read();
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    rust_files(&root().join("xtask"), &mut files);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("text");
        assert_eq!(missing_in_comments(&text, &tree), [], "{}", file.display());
    }
}

#[test]
fn missing_paths_are_noticed() {
    let tree = ["docs/run.md", "crates/silkit-ir/src/body/list.rs", "crates/silkit-ir/src/body", "crates"];
    let tree = Tree::new(tree.map(str::to_owned));
    let text = "`body/list.rs` and `list.rs`, `body/*.rs`, `src/FOLDER/list.rs`, `NAME.md`, `body/*`, and/or.\nrun docs/run.md or silkit-ir/src/body.";
    assert_eq!(missing_in_document(text, &tree), []);
    let text = "`list.toml`, `src/list.rs`,\nfrom crates/silkit-ir/src/list.rs, silkit-text/src\n`body/*.md` `lines/*.rs` `dy/list.rs`";
    let named = ["silkit-text/src", "crates/silkit-ir/src/list.rs", "list.toml", "src/list.rs"];
    let named = named.into_iter().chain(["body/*.md", "lines/*.rs", "dy/list.rs"]);
    let found: BTreeSet<_> = missing_in_document(text, &tree).into_iter().map(|(_, path)| path).collect();
    assert_eq!(found, named.map(str::to_owned).collect());
    assert_eq!(missing_in_comments("let x = `a.rs`;\n    // `a.rs`, `a/b`", &tree), [(2, "a.rs".to_owned())]);
    assert_eq!(links("see [a](../b.md#c) and [d](#e), [f](https://g.h)").collect::<Vec<_>>(), ["../b.md"]);
}
