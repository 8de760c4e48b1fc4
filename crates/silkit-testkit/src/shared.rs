//! Lookup of the shared test material and the reference tools, which are present only on some machines.
//!
//! Most tests contain their inputs. Tests that compare with the corpus or with the reference compiler look them up
//! here, and are skipped with a reason if they are absent:
//!
//! ```
//! use silkit_testkit::shared;
//! match shared::folder("corpus/packages") {
//!     Ok(folder) => assert!(folder.is_dir()),
//!     Err(skip) => eprintln!("{skip}"),
//! }
//! ```

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The environment variable for the folder of the shared material, if it is not beside the workspace.
pub const SHARED_VARIABLE: &str = "SILKIT_SHARED";
/// The environment variable for the folder of the reference toolchain, if it is not in the default place.
pub const REFERENCE_VARIABLE: &str = "SIL_REFERENCE_ROOT";

/// The reason why a test is skipped, shown as `skipped because …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip(String);

impl Skip {
    /// Creates a reason, as a phrase that follows `because`.
    pub fn because(reason: impl Into<String>) -> Skip {
        Skip(reason.into())
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "skipped because {}", self.0)
    }
}

impl std::error::Error for Skip {}

/// Unwraps a `Result<_, Skip>`, or prints the reason and returns from the test.
///
/// ```
/// fn compares_with_the_corpus() {
///     let corpus = silkit_testkit::or_skip!(silkit_testkit::shared::folder("corpus"));
///     assert!(corpus.is_dir());
/// }
/// compares_with_the_corpus();
/// ```
#[macro_export]
macro_rules! or_skip {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(skip) => {
                eprintln!("{}: {skip}", module_path!());
                return;
            }
        }
    };
}

/// Returns the folder of the shared material: the value of the environment variable `SILKIT_SHARED`, or the folder
/// `shared` beside the workspace.
pub fn root() -> Result<PathBuf, Skip> {
    let named = std::env::var_os(SHARED_VARIABLE).map(PathBuf::from);
    let start = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let start = start.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    find_root(named, &start)
}

fn find_root(named: Option<PathBuf>, start: &Path) -> Result<PathBuf, Skip> {
    if let Some(named) = named {
        let reason =
            || Skip(format!("{SHARED_VARIABLE} names `{}`, which is not a directory", named.display()));
        return if named.is_dir() { Ok(named) } else { Err(reason()) };
    }
    // The index file distinguishes the folder from other folders with the same name.
    let found = start.ancestors().map(|folder| folder.join("shared")).find(|f| f.join("README.md").is_file());
    found.ok_or_else(|| {
        Skip(format!("there is no folder `shared` beside the workspace, and {SHARED_VARIABLE} is not set"))
    })
}

/// Returns a folder of the shared material.
pub fn folder(path: &str) -> Result<PathBuf, Skip> {
    let found = root()?.join(path);
    if found.is_dir() { Ok(found) } else { Err(Skip(format!("there is no folder `{}`", found.display()))) }
}

/// Returns a file of the shared material.
pub fn file(path: &str) -> Result<PathBuf, Skip> {
    let found = root()?.join(path);
    if found.is_file() { Ok(found) } else { Err(Skip(format!("there is no file `{}`", found.display()))) }
}

/// The tools of the reference compiler.
#[derive(Clone, Debug)]
pub struct ReferenceTools {
    program: PathBuf,
}

impl ReferenceTools {
    /// Finds the tools, and checks that one of them can read a file of the temporary folder: an incomplete
    /// installation, or one without access to this machine's files, is not used.
    pub fn find() -> Result<ReferenceTools, Skip> {
        static FOUND: OnceLock<Result<ReferenceTools, Skip>> = OnceLock::new();
        FOUND.get_or_init(ReferenceTools::try_tools).clone()
    }

    fn try_tools() -> Result<ReferenceTools, Skip> {
        let program = file("oracle/ref")?;
        let named = std::env::var_os(REFERENCE_VARIABLE).map(PathBuf::from);
        let toolchain = named.unwrap_or_else(|| PathBuf::from("/opt/sil-reference"));
        if !toolchain.is_dir() {
            let reason = format!("the reference tools are not installed at `{}`", toolchain.display());
            return Err(Skip(reason));
        }
        let found = ReferenceTools { program };
        let fails = |why: &dyn fmt::Display| Skip(format!("the reference tools do not work here: {why}"));
        let input = std::env::temp_dir().join(format!("silkit-reference-{}.sil", std::process::id()));
        std::fs::write(&input, "sil_stage canonical\n").map_err(|error| fails(&error))?;
        let output = found.command("sil-opt").arg(&input).output();
        // A leftover file does no harm.
        let _ = std::fs::remove_file(&input);
        match output.map_err(|error| fails(&error))? {
            output if output.status.success() => Ok(found),
            output => Err(fails(&String::from_utf8_lossy(&output.stderr).trim())),
        }
    }

    /// Creates a command for a tool, such as `sil-opt`. Its files must be accessible to the tool: below the home
    /// folder, the temporary folder or the workspace.
    pub fn command(&self, tool: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(tool);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_wins() {
        let dir = std::env::temp_dir();
        assert_eq!(find_root(Some(dir.clone()), Path::new("/")), Ok(dir));
        let skip = find_root(Some(PathBuf::from("/no/such/folder")), Path::new("/")).unwrap_err();
        assert!(skip.to_string().starts_with("skipped because SILKIT_SHARED names"), "{skip}");
    }

    #[test]
    fn walks_up() {
        let dir = std::env::temp_dir().join(format!("silkit-shared-{}", std::process::id()));
        let inner = dir.join("main/crates/x");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::create_dir_all(dir.join("shared")).unwrap();
        assert!(find_root(None, &inner).is_err());
        std::fs::write(dir.join("shared/README.md"), "").unwrap();
        assert_eq!(find_root(None, &inner), Ok(dir.join("shared")));
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
