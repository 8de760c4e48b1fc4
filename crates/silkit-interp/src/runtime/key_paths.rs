//! Key paths.

use super::NativeFn;
use crate::interp::Interp;
use crate::violation::{Run, unsupported};

pub(super) const OVERRIDES: &[(&str, NativeFn)] = &[];

impl Interp<'_> {
    /// Creates a key path.
    pub(crate) fn key_path(&mut self, site: u32) -> Run<()> {
        let class = self.sites.key_paths[site as usize].class;
        unsupported(format!("a key path of type `{class}`"))
    }
}
