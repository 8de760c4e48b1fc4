//! Files under `outputs`: passes are run on each, and what they print to standard output is in the `.out` beside it.
//! The reference printed the same.

use silkit::pass::{Runner, Stream};
use silkit::passes;
use std::path::Path;

/// Returns what the passes print that the first line names after `// passes:`.
fn printed(path: &Path) -> String {
    let bytes = std::fs::read(path).expect("the file can be read");
    let text = String::from_utf8_lossy(&bytes);
    let tags =
        text.lines().next().and_then(|line| line.strip_prefix("// passes:")).expect("passes are named");
    let steps: Vec<_> =
        tags.split_whitespace().map(|tag| passes::find(tag).expect("the pass exists").into()).collect();
    let parsed = silkit::text::parse_module(&text);
    assert_eq!(parsed.errors, [], "{}", path.display());
    let (mut module, map) = (parsed.module, parsed.source_map);
    let declarations = silkit::declarations(&module);
    let outcome = Runner::new().source_map(Some(&map)).run(&mut module, &declarations, &steps);
    assert!(outcome.problems.is_empty(), "{}: {:?}", path.display(), outcome.problems);
    outcome.output.text(Stream::Out)
}

#[test]
fn outputs_are_those_of_the_reference() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outputs");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("the folder can be read").path();
        if path.extension().is_some_and(|e| e == "sil") {
            let expected =
                std::fs::read_to_string(path.with_extension("out")).expect("an output is expected");
            assert_eq!(printed(&path), expected, "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 0, "there are files");
}
