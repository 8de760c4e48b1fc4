//! A per-thread cache of symbols, which avoids the lock of the shared table.

use hashbrown::HashTable;
use silkit_base::{FxHasher, Symbol};
use std::cell::RefCell;
use std::hash::{Hash, Hasher};

thread_local! {
    static CACHE: RefCell<HashTable<(u64, Symbol)>> = const { RefCell::new(HashTable::new()) };
}

/// Returns the symbol of a text.
pub(crate) fn symbol(text: &str) -> Symbol {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    let hash = hasher.finish();
    CACHE.with_borrow_mut(|cache| {
        if let Some(&(_, symbol)) = cache.find(hash, |(h, s)| *h == hash && s.as_str() == text) {
            return symbol;
        }
        let symbol = Symbol::new(text);
        cache.insert_unique(hash, (hash, symbol), |(h, _)| *h);
        symbol
    })
}
