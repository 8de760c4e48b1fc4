//! The library directory: one file in binary form for each module, named after the module.
//!
//! Names of modules come from symbols, from `import` declarations and from options. Only names that are identifiers
//! become file names, so that no name leads out of the directory. Files are written beside their place and then renamed
//! to it, which replaces a symbolic link instead of writing to its target.

use silkit::ir::Module;
use silkit_interp::ProgramModule;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The extension of the file of a module.
const MODULE: &str = "sib";

/// A directory of modules.
#[derive(Clone, Debug)]
pub(crate) struct Directory(PathBuf);

impl Directory {
    /// Returns the library directory of the user, or `None` if the environment does not tell it.
    pub(crate) fn of_user() -> Option<Self> {
        let of = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let data = || of("XDG_DATA_HOME").or_else(|| Some(of("HOME")?.join(".local/share")));
        of("SILKIT_LIBRARY").or_else(|| Some(data()?.join("silkit/library"))).map(Self)
    }

    /// Returns the path of the directory.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the file of a module, or `None` if the name is not the name of a module.
    pub(crate) fn file(&self, module: &str) -> Option<PathBuf> {
        is_module_name(module).then(|| self.0.join(format!("{module}.{MODULE}")))
    }

    /// Returns the file beside a module that records what it was built from.
    pub(super) fn stamp(&self, module: &str) -> Option<PathBuf> {
        is_module_name(module).then(|| self.0.join(format!("{module}.built")))
    }

    /// Returns the names of the modules in the directory, sorted.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let entries = match std::fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?.flatten(),
        };
        let paths = entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == MODULE));
        let mut names: Vec<String> = paths
            .filter_map(|p| Some(p.file_stem()?.to_str()?.to_owned()))
            .filter(|n| is_module_name(n))
            .collect();
        names.sort();
        Ok(names)
    }

    /// Writes a file of the directory completely or not at all, and creates the directory if it does not exist.
    pub(super) fn write(&self, to: &Path, bytes: &[u8]) -> io::Result<()> {
        std::fs::create_dir_all(&self.0)?;
        let mut name = std::ffi::OsString::from(".");
        name.push(to.file_name().unwrap_or_default());
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = self.0.join(name);
        let written = created(&temporary).and_then(|mut file| file.write_all(bytes));
        let written = written.and_then(|()| std::fs::rename(&temporary, to));
        if written.is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
        written
    }
}

/// Creates a new file. A file of this name that an interrupted process left is removed first; a symbolic link is never
/// followed.
fn created(path: &Path) -> io::Result<File> {
    let create = || OpenOptions::new().write(true).create_new(true).open(path);
    match create() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(path)?;
            create()
        }
        file => file,
    }
}

/// Returns true if a name can be the name of a Swift module: an identifier.
fn is_module_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// Returns the name of the Swift module that SIL belongs to, from its symbols or else from its file name.
pub(crate) fn module_name(module: &Module, path: &Path) -> String {
    let stem = || path.file_name().and_then(|n| n.to_str()).and_then(|n| n.split('.').next());
    ProgramModule::guess_name(module).unwrap_or_else(|| stem().unwrap_or("main").to_owned())
}

#[cfg(test)]
mod tests {
    use super::is_module_name;

    #[test]
    fn names_of_modules_are_identifiers() {
        for name in ["Swift", "_Concurrency", "a1", "Größe"] {
            assert!(is_module_name(name), "{name}");
        }
        for name in ["", "1a", "..", "../x", "a/b", "a\\b", "a.b", "a b", "a\0", "-", "a-b", "C:x"] {
            assert!(!is_module_name(name), "{name}");
        }
    }
}
