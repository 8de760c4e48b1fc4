//! The registry of all built-in passes: optimizations, and printers for tests.

use silkit_pass::Pass;
use std::sync::LazyLock;

static ALL: LazyLock<Vec<Pass<'static>>> = LazyLock::new(|| {
    let mut all: Vec<_> = silkit_opt::PASSES.iter().chain(silkit_debug_passes::PASSES.iter()).collect();
    all.sort_by_key(|pass| pass.tag);
    all
});

/// Returns all passes sorted by tag.
pub fn all() -> &'static [Pass<'static>] {
    &ALL
}

/// Returns the pass with this tag.
pub fn find(tag: &str) -> Option<Pass<'static>> {
    ALL.binary_search_by_key(&tag, |pass| pass.tag).ok().map(|at| ALL[at])
}
