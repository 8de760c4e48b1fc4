//! Per-thread caches of types by their names, which avoid the lock of the shared table of types.

use crate::generic_env::{ParamPosition, Stamp};
use silkit_base::{FxHashMap, Symbol};
use silkit_types::{Type, TypeKind};
use std::cell::RefCell;
use std::hash::Hash;
use std::thread::LocalKey;

/// The number of types at which a cache is cleared.
const MAX_CACHED: usize = 1 << 14;

type Cache<K> = RefCell<FxHashMap<K, Type>>;

thread_local! {
    /// The types that names without arguments denote if they are not those of parameters.
    static NOMINALS: Cache<(Symbol, Stamp, bool)> = RefCell::default();
    static PARAMS: Cache<(Symbol, ParamPosition)> = RefCell::default();
}

/// Returns the generic parameter with this name.
pub(crate) fn param(name: Symbol, position: ParamPosition) -> Type {
    let (depth, index) = position;
    cached(&PARAMS, (name, position), || Type::new(TypeKind::Param { name, depth, index }))
}

/// Returns the type that a name without arguments denotes, or makes it with `make`. `stamp` and `keeps_c_types` are those
/// of the environment.
pub(crate) fn nominal(name: Symbol, stamp: Stamp, keeps_c_types: bool, make: impl FnOnce() -> Type) -> Type {
    cached(&NOMINALS, (name, stamp, keeps_c_types), make)
}

/// Returns a type from the cache, or makes it with `make`, which may use the cache: the declarations of the standard
/// library are parsed when they are needed.
fn cached<K: Hash + Eq>(cache: &'static LocalKey<Cache<K>>, key: K, make: impl FnOnce() -> Type) -> Type {
    if let Some(ty) = cache.with_borrow(|cache| cache.get(&key).copied()) {
        return ty;
    }
    let ty = make();
    cache.with_borrow_mut(|cache| {
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        cache.insert(key, ty);
    });
    ty
}
