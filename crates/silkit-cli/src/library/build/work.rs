//! The temporary directory of a build, with the sources that templates expand to.

use super::checkout::Sources;
use super::{Obstacle, first_error};
use crate::output;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A temporary directory, which is removed at the end.
#[derive(Debug)]
pub(super) struct WorkFolder(PathBuf);

impl WorkFolder {
    /// Creates a directory that did not exist.
    pub(super) fn new() -> Result<Self, Obstacle> {
        let base = std::env::temp_dir();
        let names = (0..100).map(|n| base.join(format!("silkit-build-{}-{n}", std::process::id())));
        let mut last = None;
        for path in names {
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => last = Some(error),
                Err(error) => {
                    last = Some(error);
                    break;
                }
            }
        }
        let reason = last.as_ref().map(output::reason).unwrap_or_default();
        let message = format!("cannot create a directory in `{}`: {reason}", base.display());
        Err(Obstacle::new(message, "set TMPDIR to a directory with 100 MB of space"))
    }

    /// Returns the path of the file for the SIL of a module.
    pub(super) fn file(&self, module: &str) -> PathBuf {
        self.0.join(format!("{module}.sil"))
    }

    /// Returns the paths of the sources. Templates (`.gyb`) are expanded by the tool of the checkout.
    pub(super) fn expanded(&self, sources: &Sources, swift: &Path) -> Result<Vec<PathBuf>, Obstacle> {
        let path = |file: &String| {
            let from = sources.folder.join(file);
            match file.strip_suffix(".gyb") {
                None => Ok(from),
                Some(name) => self.expand(&from, &name.replace('/', "_"), swift),
            }
        };
        sources.files.iter().map(path).collect()
    }

    fn expand(&self, template: &Path, name: &str, swift: &Path) -> Result<PathBuf, Obstacle> {
        let to = self.0.join(name);
        let output = Command::new("python3")
            .arg(swift.join("utils/gyb.py"))
            // Without directives, the compiler names the expanded file.
            .args(["--line-directive", "", "-DCMAKE_SIZEOF_VOID_P=8", "-o"])
            .arg(&to)
            .arg(template)
            // The checkout stays unchanged.
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output();
        let output = output.map_err(|error| {
            let message = format!(
                "cannot run `python3`, which expands `{}`: {}",
                template.display(),
                output::reason(&error)
            );
            Obstacle::new(message, "install Python 3, and check that `python3` is in PATH")
        })?;
        if output.status.success() {
            return Ok(to);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        // The last line of a Python backtrace is the error.
        let last = said.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned);
        let message = format!("`python3` cannot expand `{}`", template.display());
        let hint = last.or_else(|| first_error(&said)).unwrap_or_else(|| output.status.to_string());
        Err(Obstacle::new(message, format!("it says: {hint}")))
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
