//! The memory of the demangler, which each thread keeps from one symbol to the next.

use crate::node::Tree;
use crate::parse::{self, Lists};
use crate::print::{self, Style};
use std::cell::Cell;

/// The maximum capacity of memory that is kept, in elements: that of a huge symbol is freed.
const MOST_KEPT: usize = 1 << 14;

thread_local! {
    static KEPT: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// The memory that demangling takes.
#[derive(Default)]
pub(crate) struct Scratch {
    tree: Tree,
    pub(crate) lists: Lists,
    text: String,
}

impl Scratch {
    /// Calls a function with the memory of this thread. A call inside another one, for a symbol in a symbol, gets
    /// new memory.
    pub(crate) fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        let mut scratch = KEPT.take().unwrap_or_default();
        let result = work(&mut scratch);
        let capacity = scratch.tree.capacity().max(scratch.lists.capacity()).max(scratch.text.capacity());
        if capacity <= MOST_KEPT {
            KEPT.set(Some(scratch));
        }
        result
    }

    /// Returns the text of a symbol, or `None` if it is not a valid mangled name.
    pub(crate) fn demangle(&mut self, symbol: &str, style: Style, sugar: bool) -> Option<&str> {
        parse::symbol(symbol, &mut self.tree, &mut self.lists)?;
        self.text.clear();
        self.text = print::text(&self.tree, style, sugar, std::mem::take(&mut self.text));
        Some(&self.text)
    }
}
