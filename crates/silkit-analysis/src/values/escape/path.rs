//! The state of escape analysis at a value.

use crate::walk::WalkPath;
use crate::{Component, Indexed, ProjectionPath};
use silkit_types::SilType;

/// The position of the tracked value in another value, and how it was reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EscapePath {
    /// The position in the value.
    pub path: ProjectionPath,
    /// True if the walk also follows stores to the same memory. Initially it does not, since other values in the
    /// memory do not affect where the tracked value goes. After walking up from a load, any stored value may be the
    /// tracked one.
    pub follows_stores: bool,
    /// True if an address was stored as a raw pointer, so that loads may return it.
    pub is_address_stored: bool,
    /// The exact class of the value, if known, which determines the deinitializer.
    pub exact_type: Option<SilType>,
}

impl EscapePath {
    pub(super) fn new(path: ProjectionPath) -> Self {
        Self { path, follows_stores: false, is_address_stored: false, exact_type: None }
    }

    pub(super) fn of_any_type(self) -> Self {
        Self { exact_type: None, ..self }
    }

    fn at(self, path: ProjectionPath) -> Self {
        Self { path, ..self }
    }
}

impl WalkPath for EscapePath {
    fn merge(self, other: Self) -> Self {
        Self {
            path: self.path.merge(other.path),
            follows_stores: self.follows_stores || other.follows_stores,
            is_address_stored: self.is_address_stored || other.is_address_stored,
            exact_type: match (self.exact_type, other.exact_type) {
                (Some(a), Some(b)) if a != b => None,
                (a, b) => a.or(b),
            },
        }
    }

    fn pop_exactly(self, kind: Indexed) -> Option<(u32, Self)> {
        self.path.pop_exactly(kind).map(|(index, path)| (index, self.at(path)))
    }

    fn pop_if_matches(self, component: Component) -> Option<Self> {
        self.path.pop_if_matches(component).map(|path| self.at(path))
    }

    fn push(self, component: Component) -> Self {
        self.at(self.path.push(component))
    }

    fn anything(self) -> Self {
        self.at(ProjectionPath::of(Component::Anything))
    }
}
