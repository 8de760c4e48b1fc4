//! The Swift compiler that builds modules, and its version.

use super::recipe::Platform;
use super::{Obstacle, first_error};
use crate::output;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of a compiler or of a checkout, such as 6.2.3.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Version {
    /// The version as it is spelled; releases without a patch number have two components.
    text: String,
    is_development: bool,
}

impl Version {
    /// Parses a version at the beginning of a text.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        let number = number.trim_end_matches('.');
        let is_version = number.contains('.') && number.split('.').all(|part| !part.is_empty());
        is_version.then(|| Self { text: number.to_owned(), is_development: rest.starts_with("-dev") })
    }

    /// Returns the components: major, minor and patch.
    fn numbers(&self) -> [u32; 3] {
        let mut parts = self.text.split('.').map(|part| part.parse().unwrap_or_default());
        [(); 3].map(|()| parts.next().unwrap_or_default())
    }

    /// Returns true if sources of `other` can be expected to compile: the releases differ at most in the patch.
    pub(super) fn is_compatible(&self, other: &Self) -> bool {
        self.numbers()[..2] == other.numbers()[..2]
    }

    /// Returns true if the versions are of the same release.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.numbers() == other.numbers()
    }

    /// Returns the name of the tag or branch with the sources of this version, in the repositories of Swift.
    pub(super) fn branch(&self) -> String {
        let [major, minor, _] = self.numbers();
        match self.is_development {
            true => format!("release/{major}.{minor}"),
            false => format!("swift-{}-RELEASE", self.text),
        }
    }

    /// Returns the command that clones a repository of Swift at this version.
    pub(super) fn clone_command(&self, repository: &str) -> String {
        format!("git clone --depth 1 --branch {} https://github.com/swiftlang/{repository}", self.branch())
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// A Swift compiler.
#[derive(Debug)]
pub(super) struct Compiler {
    path: PathBuf,
    pub(super) version: Version,
    pub(super) platform: Platform,
    /// All that the compiler prints about its version.
    pub(super) description: String,
}

impl Compiler {
    /// Asks a compiler for its version and its platform.
    pub(super) fn ask(path: &Path) -> Result<Self, Obstacle> {
        let shown = path.display();
        let output = Command::new(path).arg("--version").output().map_err(|error| {
            let message = format!("cannot run `{shown}`: {}", output::reason(&error));
            let hint =
                "install Swift (https://www.swift.org/install), or name its compiler with `--swiftc PATH`";
            Obstacle::new(message, hint)
        })?;
        // The driver prints its own version to standard error.
        let description = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let version = description.split_once("Swift version ").and_then(|(_, rest)| Version::parse(rest));
        let Some(version) = version.filter(|_| output.status.success()) else {
            let message = format!("`{shown}` is not a Swift compiler: `--version` prints no version");
            let said = first_error(&String::from_utf8_lossy(&output.stderr));
            return Err(Obstacle::new(
                message,
                said.map_or("name `swiftc` of a toolchain".to_owned(), |said| format!("it says: {said}")),
            ));
        };
        let target = description.split_once("Target: ").map_or("", |(_, rest)| rest);
        let target = target.split_whitespace().next().unwrap_or_default();
        let platform = match () {
            () if target.contains("-linux") => Platform::Linux,
            () if target.contains("-apple-macos") => Platform::MacOs,
            () => {
                let message = format!("the standard library cannot be built for the target `{target}`");
                return Err(Obstacle::new(
                    message,
                    "build it on Linux or macOS, and copy the library directory",
                ));
            }
        };
        Ok(Self { path: path.to_owned(), version, platform, description })
    }

    /// Compiles sources, and returns the SIL that the compiler writes to a file. The error is the first one of the
    /// compiler.
    ///
    /// Standard output does not serve: drivers that run the compiler as another process print its output to standard
    /// error.
    pub(super) fn sil(
        &self,
        options: &[String],
        sources: &[PathBuf],
        file: &Path,
    ) -> Result<Vec<u8>, String> {
        let output =
            Command::new(&self.path).args(options).args(sources).arg("-o").arg(file).output().map_err(
                |error| format!("cannot run `{}`: {}", self.path.display(), output::reason(&error)),
            )?;
        if output.status.success() {
            return std::fs::read(file)
                .map_err(|error| format!("cannot read `{}`: {}", file.display(), output::reason(&error)));
        }
        let said = first_error(&String::from_utf8_lossy(&output.stderr));
        Err(said.unwrap_or_else(|| format!("`{}` ends with {}", self.path.display(), output.status)))
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_name_the_sources() {
        let of = |text: &str| Version::parse(text).expect("a version");
        assert_eq!(of("6.2.3 (swift-6.2.3-RELEASE)").branch(), "swift-6.2.3-RELEASE");
        assert_eq!(of("6.2 (swiftlang-6.2.0.19.9 clang)").branch(), "swift-6.2-RELEASE");
        assert_eq!(of("6.3-dev (LLVM 1, Swift 2)").branch(), "release/6.3");
        assert!(of("6.2").is_compatible(&of("6.2.3")) && !of("6.2").is_same(&of("6.2.3")));
        assert!(of("6.2.0").is_same(&of("6.2")) && !of("6.1.2").is_compatible(&of("6.2.2")));
        for text in ["", "six", "6", ".6", "6..2"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
