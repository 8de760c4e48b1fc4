//! The examples in the heads of passes are what the passes do: SIL before `---`, and after it.

use silkit_opt::PASSES;
use silkit_pass::testing;
use std::path::{Path, PathBuf};

/// Returns the Rust files of a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut found: Vec<PathBuf> = Vec::new();
    for path in entries {
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.extend(path.extension().is_some_and(|e| e == "rs").then_some(path)),
        }
    }
    found.sort();
    found
}

/// Returns the text between the fences of a file's head, before and after the rule.
fn example(text: &str) -> Option<(String, String)> {
    let head: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let lines = head.iter().skip_while(|line| line.trim() != "```text").skip(1);
    let lines: Vec<&str> =
        lines.take_while(|line| line.trim() != "```").map(|line| line.trim_end()).collect();
    let rule = lines.iter().position(|line| line.trim() == "---")?;
    let code = |lines: &[&str]| {
        let lines = lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line));
        lines.filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect::<String>()
    };
    Some((code(&lines[..rule]), code(&lines[rule + 1..])))
}

#[test]
fn examples_are_what_passes_do() {
    let mut checked = Vec::new();
    for file in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = std::fs::read_to_string(&file).expect("text");
        let Some((before, after)) = example(&text) else { continue };
        // Some show instructions alone.
        if !before.contains("bb0") {
            continue;
        }
        // The first tag that the file declares.
        let mut quoted = text.split('"').skip(1).step_by(2);
        let pass = quoted.find_map(|tag| PASSES.find(tag)).expect("a pass in the file");
        let module = format!("sil_stage canonical\nimport Builtin\nimport Swift\n{before}");
        let printed = testing::changed(|tag| PASSES.find(tag), pass.tag, &[], &module);
        let start = printed.find("\nsil ").expect("a function") + 1;
        assert_eq!(printed[start..].trim_end(), after.trim_end(), "{}", file.display());
        checked.push(pass.tag);
    }
    assert!(checked.len() >= 10, "{checked:?}");
}
