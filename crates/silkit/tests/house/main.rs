//! The structure of the source tree: what ARCHITECTURE.md says of crates and files, and what documents name.

mod crates;
mod documents;
mod files;

use std::path::{Path, PathBuf};

/// Returns the root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
