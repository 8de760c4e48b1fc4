//! A folder of test files as the tests of a cargo test target.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};

use super::{LitSetup, TestOutcome};

/// Runs every file below `folder` with one of these extensions as a test named after its path. The
/// command line is that of `cargo test`: filters, `--list`, `--test-threads`, `--nocapture`. Files
/// in folders named `Inputs` are not tests.
pub fn harness(folder: &Path, extensions: &[&str], setup: LitSetup) -> ExitCode {
    let arguments = Arguments::from_args();
    let setup = Arc::new(setup);
    let mut files = Vec::new();
    if let Err(error) = collect(folder, extensions, &mut files) {
        eprintln!("{}: {error}", folder.display());
        return ExitCode::FAILURE;
    }
    files.sort();
    let trials = files.into_iter().map(|file| trial(folder, file, &setup)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(folder: &Path, file: PathBuf, setup: &Arc<LitSetup>) -> Trial {
    let name = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().replace('\\', "/");
    let skip = setup.skips(&file);
    let setup = Arc::clone(setup);
    let trial = Trial::test(name, move || match setup.run(&file) {
        TestOutcome::Passed | TestOutcome::Skipped(_) => Ok(()),
        TestOutcome::Failed(message) => Err(Failed::from(message)),
    });
    match skip {
        Some(reason) => trial.with_kind(reason).with_ignored_flag(true),
        None => trial,
    }
}

fn collect(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            if path.file_name().is_some_and(|name| name != "Inputs") {
                collect(&path, extensions, files)?;
            }
        } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
            files.push(path);
        }
    }
    Ok(())
}
