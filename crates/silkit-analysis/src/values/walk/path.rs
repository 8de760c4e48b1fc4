//! The state of a walk at a value.

use crate::{Component, Indexed, ProjectionPath};
use std::hash::Hash;

/// A projection path, possibly with additional state.
pub trait WalkPath: Copy + Eq + Hash {
    /// Returns the merge of two paths.
    #[must_use]
    fn merge(self, other: Self) -> Self;

    /// Like [`ProjectionPath::pop_exactly`].
    fn pop_exactly(self, kind: Indexed) -> Option<(u32, Self)>;

    /// Like [`ProjectionPath::pop_if_matches`].
    fn pop_if_matches(self, component: Component) -> Option<Self>;

    /// Like [`ProjectionPath::push`].
    #[must_use]
    fn push(self, component: Component) -> Self;

    /// Returns the path `**`, for an unknown component.
    #[must_use]
    fn anything(self) -> Self;
}

impl WalkPath for ProjectionPath {
    fn merge(self, other: Self) -> Self {
        self.merge(other)
    }

    fn pop_exactly(self, kind: Indexed) -> Option<(u32, Self)> {
        self.pop_exactly(kind)
    }

    fn pop_if_matches(self, component: Component) -> Option<Self> {
        self.pop_if_matches(component)
    }

    fn push(self, component: Component) -> Self {
        self.push(component)
    }

    fn anything(self) -> Self {
        Self::of(Component::Anything)
    }
}

/// A path that matches everything: the walk visits all operands and aggregates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AnyPath;

impl WalkPath for AnyPath {
    fn merge(self, _: Self) -> Self {
        self
    }

    fn pop_exactly(self, _: Indexed) -> Option<(u32, Self)> {
        None
    }

    fn pop_if_matches(self, _: Component) -> Option<Self> {
        Some(self)
    }

    fn push(self, _: Component) -> Self {
        self
    }

    fn anything(self) -> Self {
        self
    }
}
