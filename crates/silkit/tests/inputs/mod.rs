//! Inputs of tests: the shipped examples, and the smaller files of the corpus where it is there.

use silkit_testkit::shared;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the text of a file, compressed or not.
fn read(path: &Path) -> Option<String> {
    if path.extension().is_some_and(|e| e == "zst") {
        let output = Command::new("zstd").args(["-q", "-d", "-c", "--long=27"]).arg(path).output().ok()?;
        return output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned());
    }
    std::fs::read_to_string(path).ok()
}

fn sil_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.retain(|p| p.to_string_lossy().contains(".sil"));
    files.sort();
    files
}

/// Names and texts of the examples, and of those files of the corpus that have at most so many bytes.
pub(crate) fn all(most: u64) -> impl Iterator<Item = (String, String)> {
    let mut files = sil_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"));
    for folder in ["corpus/packages", "corpus/stdlib", "corpus/swift-6.0"] {
        match shared::folder(folder) {
            Ok(folder) => files.extend(
                sil_files(&folder).into_iter().filter(|p| p.metadata().is_ok_and(|m| m.len() < most)),
            ),
            Err(skip) => eprintln!("{folder}: {skip}"),
        }
    }
    files.into_iter().filter_map(|p| Some((p.display().to_string(), read(&p)?)))
}
