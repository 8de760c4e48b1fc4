//! Prints functions before and after passes, and what passes changed.

use crate::output::{Output, Stream};
use crate::runner::{At, Observer};
use silkit_text::{print_function, print_module};
use similar::TextDiff;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Which passes and functions are meant.
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

/// `--print-before`, `--print-after`, `--print-all`.
#[derive(Clone, Debug, Default)]
pub struct Printer {
    /// The passes before which is printed.
    pub before: Selection,
    /// The passes after which is printed; for all of them, where they changed something.
    pub after: Selection,
    /// The functions that are printed, by name; all where none is named.
    pub functions: Vec<String>,
}

impl Printer {
    fn print(&self, selection: &Selection, word: &str, at: &At<'_>, output: &mut Output) {
        if selection.has(at.pass.tag)
            && let Some(text) = text_of(at, &self.functions)
        {
            let of = at.function.map_or(String::new(), |f| format!(" on @{}", f.name));
            output.print(
                Stream::Err,
                &format!("  *** SIL {word} #{}: {}{of} ***\n{text}", at.number, at.pass.tag),
            );
        }
    }
}

impl Observer for Printer {
    fn before(&self, at: &At<'_>, output: &mut Output) {
        self.print(&self.before, "before", at, output);
    }

    fn after(&self, at: &At<'_>, has_changed: bool, output: &mut Output) {
        // Where all passes are meant, what stays as it was was printed before.
        if has_changed || !self.after.all || self.after.tags.iter().any(|tag| tag == at.pass.tag) {
            self.print(&self.after, "after", at, output);
        }
    }
}

/// `--print-changed=diff`: what each run changed.
#[derive(Debug, Default)]
pub struct ChangePrinter {
    /// The functions that are printed, by name; all where none is named.
    pub functions: Vec<String>,
    before: Mutex<HashMap<usize, String>>,
}

impl ChangePrinter {
    /// Prints what changes in these functions, or in all where none is named.
    pub fn new(functions: Vec<String>) -> Self {
        Self { functions, before: Mutex::default() }
    }
}

impl Observer for ChangePrinter {
    fn before(&self, at: &At<'_>, _: &mut Output) {
        if let Some(text) = text_of(at, &self.functions) {
            self.before.lock().unwrap_or_else(PoisonError::into_inner).insert(at.number, text);
        }
    }

    fn after(&self, at: &At<'_>, _: bool, output: &mut Output) {
        let before = self.before.lock().unwrap_or_else(PoisonError::into_inner).remove(&at.number);
        let (Some(before), Some(after)) = (before, text_of(at, &self.functions)) else { return };
        if before != after {
            let of = at.function.map_or(String::new(), |f| format!(" on @{}", f.name));
            let title = format!("#{}: {}{of}", at.number, at.pass.tag);
            let diff = TextDiff::from_lines(&before, &after);
            let text = diff.unified_diff().context_radius(3).header(&title, &title).to_string();
            output.print(Stream::Err, &text);
        }
    }
}

/// The function that is worked on, or the module, as text; `None` where it was not asked for.
fn text_of(at: &At<'_>, functions: &[String]) -> Option<String> {
    let (options, demangle) = (&at.printing.options, at.printing.demangle);
    match at.function {
        Some(function) if functions.is_empty() || functions.iter().any(|f| function.name == f.as_str()) => {
            Some(print_function(at.module, function, options, demangle))
        }
        Some(_) => None,
        None if functions.is_empty() => Some(print_module(at.module, options, demangle)),
        None => Some(of_names(at, functions)),
    }
}

fn of_names(at: &At<'_>, names: &[String]) -> String {
    let wanted = |name: &silkit_base::Symbol| names.iter().any(|n| *name == n.as_str());
    let functions = at.module.functions.values().filter(|f| wanted(&f.name));
    let printed = functions.map(|f| print_function(at.module, f, &at.printing.options, at.printing.demangle));
    printed.collect()
}
