//! The examples in the heads of utilities, here and in `silkit-pass`, are excerpts of their cases: SIL before `---`, and after
//! it.

use std::path::Path;

/// Returns the lines between the fences of a file's head, before and after the rule.
fn example(text: &str) -> Option<(String, String)> {
    let head = text.lines().map_while(|line| line.strip_prefix("//!"));
    let mut lines = head.skip_while(|line| line.trim() != "```text").skip(1);
    let code = |line: &str| format!("{}\n", line.strip_prefix(' ').unwrap_or(line));
    let before: String = lines.by_ref().take_while(|line| line.trim() != "---").map(code).collect();
    let after: String = lines.take_while(|line| line.trim() != "```").map(code).collect();
    (!before.is_empty()).then_some((before, after))
}

#[test]
fn examples_are_cases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut checked = 0;
    for entry in std::fs::read_dir(root.join("tests/cases")).expect("cases") {
        let cases = entry.expect("entry").path();
        let name = cases.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut files = vec![format!("../silkit-pass/src/{name}.rs"), format!("src/{name}/mod.rs")];
        for folder in ["calls", "cfg", "lifetime", "values", "variables"] {
            files.extend([format!("src/{folder}/{name}.rs"), format!("src/{folder}/{name}/mod.rs")]);
        }
        let source = files.iter().find_map(|file| std::fs::read_to_string(root.join(file)).ok());
        let source = source.unwrap_or_else(|| panic!("no source of {name}"));
        let Some((before, after)) = example(&source) else { continue };
        let cases = std::fs::read_to_string(&cases).expect("text");
        let is_shown = cases.split("=== ").any(|case| {
            let sides = case.split_once("---\n");
            sides.is_some_and(|(input, output)| input.contains(&before) && output.contains(&after))
        });
        assert!(is_shown, "no case of {name} has this input and output:\n{before}---\n{after}");
        checked += 1;
    }
    assert!(checked >= 12, "{checked} examples");
}
