//! Printing of functions before and after passes, and of changes by passes.

use crate::output::{Output, Stream};
use crate::runner::{Observer, RunPosition};
use silkit_diff::compare;
use silkit_text::{print_function, print_module};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A selection of passes and functions.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Every pass.
    pub all: bool,
    /// Passes by tag.
    pub tags: Vec<String>,
}

impl Selection {
    fn has(&self, tag: &str) -> bool {
        self.all || self.tags.iter().any(|t| t == tag)
    }
}

/// A selection of functions; empty for all.
#[derive(Clone, Debug, Default)]
pub struct FunctionSelection {
    /// Functions by name.
    pub names: Vec<String>,
    /// Substrings of function names.
    pub parts: Vec<String>,
}

impl FunctionSelection {
    fn are_all(&self) -> bool {
        self.names.is_empty() && self.parts.is_empty()
    }

    fn have(&self, name: &str) -> bool {
        self.names.iter().any(|n| n == name) || self.parts.iter().any(|part| name.contains(part.as_str()))
    }
}

/// Prints functions before and after passes: `--print-before`, `--print-after`, `--print-all`.
#[derive(Clone, Debug, Default)]
pub struct Printer {
    /// The passes to print before.
    pub before: Selection,
    /// The passes to print after; for `all`, only if they changed something.
    pub after: Selection,
    /// The number of the run to print before and after.
    pub run: Option<usize>,
    /// True if each run is announced before it begins.
    pub names_runs: bool,
    /// The functions to print.
    pub functions: FunctionSelection,
}

impl Printer {
    fn print(&self, word: &str, at: &RunPosition<'_>, output: &mut Output) {
        if let Some(text) = text_of(at, &self.functions) {
            output.print(Stream::Err, &format!("  *** SIL {word} {} ***\n{text}", title(at)));
        }
    }
}

/// Returns a title with the run, its pass and its function.
fn title(at: &RunPosition<'_>) -> String {
    let of = at.function.map_or(String::new(), |f| format!(" on @{}", f.name));
    format!("#{}: {}{of}", at.number, at.pass.tag)
}

impl Observer for Printer {
    fn before(&self, at: &RunPosition<'_>, output: &mut Output) {
        if self.names_runs {
            output.print(Stream::Err, &format!("  Run {}\n", title(at)));
        }
        if self.before.has(at.pass.tag) || self.run == Some(at.number) {
            self.print("before", at, output);
        }
    }

    fn after(&self, at: &RunPosition<'_>, has_changed: bool, output: &mut Output) {
        // If all passes are selected, an unchanged function was already printed.
        let is_named = self.after.tags.iter().any(|tag| tag == at.pass.tag);
        if is_named || self.after.all && has_changed || self.run == Some(at.number) {
            self.print("after", at, output);
        }
    }
}

/// Prints what each run changed: `--print-changed=diff`.
#[derive(Debug, Default)]
pub struct ChangePrinter {
    /// The functions to print.
    pub functions: FunctionSelection,
    before: Mutex<HashMap<usize, String>>,
}

impl ChangePrinter {
    /// Creates a printer of the changes of these functions.
    pub fn new(functions: FunctionSelection) -> Self {
        Self { functions, before: Mutex::default() }
    }
}

impl Observer for ChangePrinter {
    fn before(&self, at: &RunPosition<'_>, _: &mut Output) {
        if let Some(text) = text_of(at, &self.functions) {
            self.before.lock().unwrap_or_else(PoisonError::into_inner).insert(at.number, text);
        }
    }

    fn after(&self, at: &RunPosition<'_>, _: bool, output: &mut Output) {
        let before = self.before.lock().unwrap_or_else(PoisonError::into_inner).remove(&at.number);
        let (Some(before), Some(after)) = (before, text_of(at, &self.functions)) else { return };
        if before != after {
            let title = title(at);
            let text = compare(&before, &after).unified(&title, &title);
            output.print(Stream::Err, &text);
        }
    }
}

/// Returns the current function, or the module, as text; `None` if it is not selected.
fn text_of(at: &RunPosition<'_>, functions: &FunctionSelection) -> Option<String> {
    let (options, demangle) = (&at.printing.options, at.printing.demangle);
    match at.function {
        Some(function) if functions.are_all() || functions.have(function.name.as_str()) => {
            Some(print_function(at.module, function, options, demangle))
        }
        Some(_) => None,
        None if functions.are_all() => Some(print_module(at.module, options, demangle)),
        None => {
            let meant = at.module.functions.values().filter(|f| functions.have(f.name.as_str()));
            Some(meant.map(|f| print_function(at.module, f, options, demangle)).collect())
        }
    }
}
