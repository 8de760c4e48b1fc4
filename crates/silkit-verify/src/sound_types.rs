//! The types that are known to have no problem.

use silkit_base::FxHashSet;
use silkit_types::{GenericSig, Type};
use std::hash::Hash;
use std::sync::{PoisonError, RwLock};

/// The types that the bodies of a module spell and that have no problem, with all their parts. Most bodies spell the same
/// types, so that each is checked once for all bodies, on all threads.
#[derive(Debug, Default)]
pub(crate) struct SoundTypes {
    /// Well-formed types, with the signature if they name generic parameters.
    pub(crate) formed: Known<(Type, Option<GenericSig>)>,
    /// Types that name only declared types.
    pub(crate) declared: Known<Type>,
    /// Pairs of signatures of which none requires a conformance that the other surely does not.
    pub(crate) alike: Known<(GenericSig, GenericSig)>,
}

/// A set that all threads share.
#[derive(Debug)]
pub(crate) struct Known<T>(RwLock<FxHashSet<T>>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T: Eq + Hash> Known<T> {
    /// Returns true if an element was added.
    pub(crate) fn contains(&self, element: T) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains(&element)
    }

    /// Adds elements.
    pub(crate) fn extend(&self, elements: impl IntoIterator<Item = T>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).extend(elements);
    }
}
