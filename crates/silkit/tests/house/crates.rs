//! The crates: their layers, and the table in ARCHITECTURE.md of what each of them uses.

use std::collections::BTreeMap;

use super::root;

fn architecture() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

/// Returns the name of the package that ARCHITECTURE.md calls `name`.
fn package(name: &str) -> String {
    match name.trim() {
        name @ ("silkit" | "xtask") => name.to_owned(),
        name => format!("silkit-{name}"),
    }
}

/// Returns the layers of ARCHITECTURE.md, lowest first: the line that begins with `    base`.
fn layers(architecture: &str) -> Vec<Vec<String>> {
    let line = architecture.lines().find(|l| l.starts_with("    base")).expect("the line of layers");
    line.split('→').map(|layer| layer.split(',').map(package).collect()).collect()
}

/// Returns the crates that each row of the table of crates allows its crate to use, sorted.
fn table(architecture: &str) -> BTreeMap<String, Vec<String>> {
    let rows = architecture.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, used] = cells[..] else { panic!("not a row of three cells: {row}") };
        let mut used: Vec<String> = used.split(',').filter(|used| *used != "–").map(package).collect();
        used.sort();
        (name.trim_matches('`').to_owned(), used)
    })
    .collect()
}

/// Returns the crates of this workspace that a manifest names as dependencies: those that the crate uses, and those that
/// only its tests use. Both are sorted.
fn dependencies(manifest: &str) -> (Vec<String>, Vec<String>) {
    let (mut used, mut in_tests) = (Vec::new(), Vec::new());
    for section in manifest.split("\n[") {
        let (head, lines) = section.split_once('\n').unwrap_or((section, ""));
        let list = match head.trim_end_matches(']') {
            "dependencies" | "build-dependencies" => &mut used,
            "dev-dependencies" => &mut in_tests,
            _ => continue,
        };
        let names = lines.lines().filter(|line| line.contains('='));
        let names = names.filter_map(|line| line.trim_start().split([' ', '.', '=']).next());
        let names = names.filter(|name| *name == "silkit" || name.starts_with("silkit-"));
        list.extend(names.map(str::to_owned));
    }
    used.sort();
    in_tests.sort();
    (used, in_tests)
}

/// Returns the manifests of the crates in `crates`, and that of `xtask`, by the name of the folder.
fn manifests() -> BTreeMap<String, String> {
    let folders = std::fs::read_dir(root().join("crates")).expect("crates");
    let folders = folders.map(|entry| entry.expect("entry").path()).chain([root().join("xtask")]);
    let manifests = folders.filter_map(|folder| {
        let name = folder.file_name()?.to_str().expect("UTF-8").to_owned();
        Some((name, std::fs::read_to_string(folder.join("Cargo.toml")).ok()?))
    });
    manifests.collect()
}

#[test]
fn arrows_point_down() {
    let layers = layers(&architecture());
    let layer = |name: &str| layers.iter().position(|layer| layer.iter().any(|l| l == name));
    let manifests = manifests();
    for (name, manifest) in manifests.iter().filter(|(name, _)| *name != "xtask") {
        let own = layer(name).unwrap_or_else(|| panic!("ARCHITECTURE.md has no layer for {name}"));
        let (used, in_tests) = dependencies(manifest);
        for used in used.iter().chain(&in_tests) {
            let below = layer(used).unwrap_or_else(|| panic!("{name} uses {used}, which has no layer"));
            assert!(below < own, "{name} uses {used}, which is not below it");
        }
    }
    assert!(manifests.len() > 10, "{} crates", manifests.len());
}

#[test]
fn crates_use_what_the_table_allows() {
    let used: BTreeMap<_, _> =
        manifests().into_iter().map(|(name, manifest)| (name, dependencies(&manifest).0)).collect();
    let table = table(&architecture());
    for (name, used) in &used {
        let allowed = table.get(name).unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for {name}"));
        assert_eq!(
            allowed, used,
            "`may use` of {name} (left) and the dependencies of its Cargo.toml (right)"
        );
    }
    assert_eq!(table.len(), used.len(), "rows of the table and crates");
}

#[test]
fn rows_and_manifests_are_read() {
    let rows = "| crate | contents | may use |\n|---|---|---|\n| `silkit-x` | text | ir, base |\n| `xtask` | y | – |\n\n| z |";
    let rows = table(rows);
    assert_eq!(rows["silkit-x"], ["silkit-base", "silkit-ir"]);
    assert!(rows["xtask"].is_empty() && rows.len() == 2);
    let manifest = "[package]\nname = \"silkit-x\"\n\n[dependencies]\nrayon.workspace = true\nsilkit-ir = { workspace = true }\n\
        silkit-base.workspace = true\n\n[dev-dependencies]\nsilkit.workspace = true\n";
    let (used, in_tests) = dependencies(manifest);
    assert_eq!(used, ["silkit-base", "silkit-ir"]);
    assert_eq!(in_tests, ["silkit"]);
}

#[test]
fn versions_stand_in_one_place() {
    for manifest in manifests().values() {
        let sections = manifest.split("\n[").filter(|section| {
            section.lines().next().is_some_and(|head| head.trim_end_matches(']').ends_with("dependencies"))
        });
        for line in sections.flat_map(|s| s.lines().skip(1)).filter(|l| l.contains('=')) {
            assert!(line.contains("workspace = true"), "not from [workspace.dependencies]: {line}");
        }
    }
}
