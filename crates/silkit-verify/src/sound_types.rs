//! The types that are known to have no problem.

use silkit_base::FxHashSet;
use silkit_types::{GenericSig, Type};
use std::sync::{PoisonError, RwLock};

/// The types that the bodies of a module spell and that have no problem, with the signature if they name generic
/// parameters. Most bodies spell the same types, so that each is checked once for all bodies, on all threads.
#[derive(Debug, Default)]
pub(crate) struct SoundTypes(RwLock<FxHashSet<(Type, Option<GenericSig>)>>);

impl SoundTypes {
    /// Returns true if the type was added.
    pub(crate) fn contains(&self, ty: (Type, Option<GenericSig>)) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains(&ty)
    }

    /// Adds a type.
    pub(crate) fn insert(&self, ty: (Type, Option<GenericSig>)) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(ty);
    }
}
