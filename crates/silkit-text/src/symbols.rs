//! A per-thread cache of symbols, which avoids the lock of the shared table.

use hashbrown::HashTable;
use silkit_base::{FxHasher, Symbol};
use std::cell::RefCell;
use std::hash::{Hash, Hasher};

/// A symbol with its text, which would be a further access to memory.
struct Known {
    hash: u64,
    text: &'static str,
    symbol: Symbol,
}

thread_local! {
    static CACHE: RefCell<HashTable<Known>> = const { RefCell::new(HashTable::new()) };
}

/// Returns the symbol of a text.
pub(crate) fn symbol(text: &str) -> Symbol {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    let hash = hasher.finish();
    CACHE.with_borrow_mut(|cache| {
        if let Some(known) = cache.find(hash, |known| known.hash == hash && known.text == text) {
            return known.symbol;
        }
        let symbol = Symbol::new(text);
        cache.insert_unique(hash, Known { hash, text: symbol.as_str(), symbol }, |known| known.hash);
        symbol
    })
}
