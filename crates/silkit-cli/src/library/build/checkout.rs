//! Checkouts of Swift's repositories: their version, and the sources of modules.

use super::Obstacle;
use super::compiler::Version;
use super::recipe::{Platform, Recipe, Repository};
use crate::output;
use std::path::{Path, PathBuf};

/// The name of the repository of regular expressions, which the tools of Swift check out beside `swift`.
pub(super) const STRING_PROCESSING: &str = "swift-experimental-string-processing";

/// The checkouts that modules are built from.
#[derive(Debug)]
pub(super) struct Checkouts {
    /// The checkout of the compiler and the standard library.
    pub(super) swift: PathBuf,
    pub(super) version: Version,
    string_processing: Option<PathBuf>,
}

/// The sources of a module.
#[derive(Debug)]
pub(super) struct Sources {
    /// The directory.
    pub(super) folder: PathBuf,
    /// The files, relative to the directory, in the order in which they are compiled.
    pub(super) files: Vec<String>,
    /// Options that enable language features, as the build files of the checkout do.
    pub(super) features: Vec<String>,
}

impl Checkouts {
    /// Finds the checkouts in the directories that `--sources` names, and beside them.
    pub(super) fn find(folders: &[PathBuf]) -> Result<Self, Obstacle> {
        let places = |name: &'static str, marker: &'static str| {
            let inside = folders.iter().flat_map(move |folder| [folder.clone(), folder.join(name)]);
            let beside = folders.iter().map(move |folder| folder.join("..").join(name));
            inside.chain(beside).find(|place| place.join(marker).is_dir())
        };
        let Some(swift) = places("swift", "stdlib/public/core") else {
            let shown: Vec<String> = folders.iter().map(|f| format!("`{}`", f.display())).collect();
            let message =
                format!("{} is not a checkout of Swift: it has no `stdlib/public/core`", shown.join(", "));
            return Err(Obstacle::new(
                message,
                "name the directory that `git clone` made of https://github.com/swiftlang/swift",
            ));
        };
        let string_processing = places(STRING_PROCESSING, "Sources/_StringProcessing");
        let version = version_of(&swift).ok_or_else(|| {
            let message = format!("the version of the checkout `{}` is unknown", swift.display());
            Obstacle::new(message, "check that `utils/build_swift/build_swift/defaults.py` is there")
        })?;
        Ok(Self { swift, version, string_processing })
    }

    /// Returns the sources of a module, or `None` if they are not there.
    pub(super) fn sources(&self, recipe: &Recipe, platform: Platform) -> Result<Option<Sources>, Obstacle> {
        let root = match recipe.repository {
            Repository::Swift => Some(&self.swift),
            Repository::StringProcessing => self.string_processing.as_ref(),
        };
        let Some(folder) = root.map(|root| root.join(recipe.folder)).filter(|folder| folder.is_dir()) else {
            return Ok(None);
        };
        let read = |path: &Path| {
            std::fs::read_to_string(path).map_err(|error| {
                let message = format!("cannot read `{}`: {}", path.display(), output::reason(&error));
                Obstacle::new(message, "check that the checkout is complete")
            })
        };
        let common = read(&self.swift.join("stdlib/cmake/modules/SwiftSource.cmake"))?;
        let mut features = features(&common);
        let files = match recipe.repository {
            Repository::Swift => {
                let list = read(&folder.join("CMakeLists.txt"))?;
                features.extend(self::features(&list));
                listed(&list)
            }
            Repository::StringProcessing => all_in(&folder).map_err(|error| {
                let message = format!("cannot read `{}`: {}", folder.display(), output::reason(&error));
                Obstacle::new(message, output::hint(&error))
            })?,
        };
        let is_source = |file: &String| recipe.contains(file, platform) && folder.join(file).is_file();
        let files: Vec<String> = files.into_iter().filter(is_source).collect();
        Ok((!files.is_empty()).then_some(Sources { folder, files, features }))
    }
}

/// Returns the version of the compiler that a checkout of Swift contains.
fn version_of(swift: &Path) -> Option<Version> {
    let text = std::fs::read_to_string(swift.join("utils/build_swift/build_swift/defaults.py")).ok()?;
    let (_, rest) = text.split_once("SWIFT_USER_VISIBLE_VERSION")?;
    Version::parse(rest.trim_start_matches(|c: char| !c.is_ascii_digit()))
}

/// Returns the words of a CMake file without its comments.
fn words(list: &str) -> impl Iterator<Item = &str> {
    let lines = list.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines
        .flat_map(|line| line.split(|c: char| c.is_whitespace() || "\"();".contains(c)))
        .filter(|word| !word.is_empty())
}

/// Returns the Swift sources that a CMake file lists, each of them once. Their order matters to the compiler.
fn listed(list: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for word in words(list).filter(|word| is_swift(word)) {
        if !files.iter().any(|file| file == word) {
            files.push(word.to_owned());
        }
    }
    files
}

/// Returns the options of a CMake file that enable language features, except Embedded Swift, which is another library.
fn features(list: &str) -> Vec<String> {
    let all: Vec<&str> = words(list).collect();
    let is_option = |word: &str| matches!(word, "-enable-experimental-feature" | "-enable-upcoming-feature");
    let pairs = all.windows(2).filter(|pair| is_option(pair[0]) && pair[1] != "Embedded");
    pairs.flatten().map(|&word| word.to_owned()).collect()
}

fn is_swift(name: &str) -> bool {
    name.ends_with(".swift") || name.ends_with(".swift.gyb")
}

/// Returns all Swift sources in a directory and its subdirectories, sorted.
fn all_in(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut files = Vec::new();
    let mut work = vec![String::new()];
    while let Some(below) = work.pop() {
        for entry in std::fs::read_dir(folder.join(&below))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            if entry.file_type()?.is_dir() {
                work.push(path);
            } else if is_swift(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::{features, listed};

    #[test]
    fn sources_and_features_are_read_from_build_files() {
        let list = "set(SOURCES\n  EMBEDDED A.swift # B.swift\n  NORMAL \"C/D.swift\")\n\
                    GYB_SOURCES E.swift.gyb A.swift f.cpp)\n\
                    list(APPEND flags \"-enable-experimental-feature\" \"Extern\")\n\
                    \"-enable-upcoming-feature\" \"F\" -enable-experimental-feature Embedded\n";
        assert_eq!(listed(list), ["A.swift", "C/D.swift", "E.swift.gyb"]);
        let enabled = ["-enable-experimental-feature", "Extern", "-enable-upcoming-feature", "F"];
        assert_eq!(features(list), enabled);
    }
}
