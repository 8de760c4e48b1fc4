//! Import of modules from an installed toolchain, whose `sil-opt` prints the SIL in a `.swiftmodule`.

use crate::output::reason;
use silkit::ir::{Module, SilStage};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The modules that programs import implicitly, or that belong to the standard library.
pub(super) const USUAL: [&str; 6] =
    ["Swift", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing", "Synchronization", "Observation"];

/// The directories of a toolchain that may contain `bin` and `lib`.
const ROOTS: [&str; 4] = ["", "usr", "usr/libexec/swift", "libexec/swift"];

/// The subdirectories of `lib/swift` that contain modules, by platform.
const PLATFORMS: [&str; 2] = ["linux", "macosx"];

/// The reason why modules cannot be imported, and a hint.
pub(super) type Unusable = (String, String);

/// An installed toolchain.
pub(super) struct Toolchain {
    tool: PathBuf,
    modules: PathBuf,
}

impl Toolchain {
    /// Finds the tool and the modules in a toolchain directory.
    pub(super) fn find(folder: &Path) -> Result<Self, Unusable> {
        let hint = "name the directory that contains `usr/bin/swiftc`; without a toolchain, `silkit library add` adds SIL \
                    that was printed elsewhere";
        let roots = || ROOTS.iter().map(|root| folder.join(root));
        let tool = roots().flat_map(|root| [root.join("bin/sil-opt"), root.join("bin/swift-frontend")]);
        let Some(tool) = { tool }.find(|path| path.is_file()) else {
            let message =
                format!("`{}` is not a Swift toolchain: it has no `usr/bin/sil-opt`", folder.display());
            return Err((message, hint.to_owned()));
        };
        let of_root = |root: PathBuf| PLATFORMS.map(|platform| root.join("lib/swift").join(platform));
        match roots().flat_map(of_root).find(|path| path.join("Swift.swiftmodule").exists()) {
            Some(modules) => Ok(Self { tool, modules }),
            None => {
                let message =
                    format!("`{}` has no `usr/lib/swift/linux/Swift.swiftmodule`", folder.display());
                Err((message, hint.to_owned()))
            }
        }
    }

    /// Returns true if the toolchain contains a module with the given name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.file(name).is_some()
    }

    /// Returns the file of a module, preferably the one for the architecture of this machine.
    fn file(&self, name: &str) -> Option<PathBuf> {
        let path = self.modules.join(format!("{name}.swiftmodule"));
        if path.is_file() {
            return Some(path);
        }
        let entries = std::fs::read_dir(&path).ok()?;
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "swiftmodule"));
        files.sort();
        let is_here = |file: &&PathBuf| {
            file.file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| name.starts_with(std::env::consts::ARCH))
        };
        files.iter().find(is_here).or(files.first()).cloned()
    }

    /// Reads the SIL in a module of the toolchain.
    pub(super) fn module(&self, name: &str) -> Result<Module, Unusable> {
        let Some(file) = self.file(name) else {
            let message = format!("`{}` has no module `{name}`", self.modules.display());
            return Err((message, format!("`ls {}` shows them", self.modules.display())));
        };
        let mut command = Command::new(&self.tool);
        as_sil_opt(&mut command);
        let output = command.arg(&file).args(["-module-name", name]).output().map_err(|error| {
            let message = format!("cannot run `{}`: {}", self.tool.display(), reason(&error));
            (message, "check that the toolchain is for this machine".to_owned())
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing").to_owned();
            let message = format!("`{}` cannot print the module `{name}`", self.tool.display());
            return Err((message, format!("it says: {first}")));
        }
        let parsed = silkit::text::parse_module(&String::from_utf8_lossy(&output.stdout));
        match parsed.errors.first() {
            Some(error) => {
                let message =
                    format!("the SIL that `{}` prints for `{name}` cannot be read", self.tool.display());
                Err((message, format!("{}; the toolchain may be newer than 6.2", error.message)))
            }
            None => {
                let mut module = parsed.module;
                // SIL in a module file is canonical; the stage that the tool prints for it is not reliable.
                module.stage = Some(SilStage::Canonical);
                Ok(module)
            }
        }
    }
}

/// Makes the frontend act as `sil-opt`, for toolchains that do not install it as a separate tool.
#[cfg(unix)]
fn as_sil_opt(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.arg0("sil-opt");
}

#[cfg(not(unix))]
fn as_sil_opt(_: &mut Command) {}
