//! Sets of passes with lookup by tag.

use crate::pass::Pass;

/// A set of passes, composed of the lists that the folders declare.
///
/// ```
/// use silkit_pass::{FunctionContext, Pass, Registry};
/// fn nothing(_: &mut FunctionContext<'_>) {}
/// const PASSES: &[Pass<'static>] = &[Pass::function("nothing", "Changes nothing", &nothing)];
/// const REGISTRY: Registry = Registry::new(&[PASSES]);
/// assert!(REGISTRY.find("nothing").is_some() && REGISTRY.find("something").is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Registry {
    lists: &'static [&'static [Pass<'static>]],
}

impl Registry {
    /// Creates a registry of several lists.
    pub const fn new(lists: &'static [&'static [Pass<'static>]]) -> Self {
        Self { lists }
    }

    /// Returns the pass with this tag.
    pub fn find(self, tag: &str) -> Option<Pass<'static>> {
        self.iter().find(|pass| pass.tag == tag)
    }

    /// Returns all passes, list by list.
    pub fn iter(self) -> impl Iterator<Item = Pass<'static>> {
        self.lists.iter().flat_map(|list| list.iter()).copied()
    }

    /// Returns all passes sorted by tag.
    pub fn sorted(self) -> Vec<Pass<'static>> {
        let mut all: Vec<_> = self.iter().collect();
        all.sort_by_key(|pass| pass.tag);
        all
    }
}
