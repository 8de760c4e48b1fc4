//! The timeline of a run of our own passes: what they print is read as the log of a compiler.

use silkit::ir::Module;
use silkit::pass::{Observer, Output, RunPosition};
use silkit::text::{PrintOptions, print_function, print_module};
use silkit_timeline::{PageOptions, Reader, Timeline, timeline_page};
use std::sync::{Mutex, PoisonError};

/// An observer that keeps the text after each run that changes something.
pub(crate) struct Recorder {
    before: String,
    runs: Mutex<Vec<(usize, String)>>,
}

impl Recorder {
    /// Creates a recorder for a module before its passes.
    pub(crate) fn new(module: &Module, options: &PrintOptions) -> Self {
        let text = print_module(module, options, &silkit::comment_name);
        let before = format!("*** SIL module before passes ***\n{text}\n");
        Self { before, runs: Mutex::default() }
    }

    /// Returns the page that shows the runs.
    pub(crate) fn page(self, title: &str) -> String {
        let options = PageOptions { title: title.to_owned(), ..PageOptions::default() };
        timeline_page(&self.timeline(), &options)
    }

    fn timeline(self) -> Timeline {
        let mut runs = self.runs.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Functions are worked on in parallel.
        runs.sort_by_key(|run| run.0);
        let mut reader = Reader::new();
        reader.feed(self.before.as_bytes());
        for (_, text) in runs {
            reader.feed(text.as_bytes());
        }
        reader.finish()
    }
}

impl Observer for Recorder {
    fn after(&self, at: &RunPosition<'_>, has_changed: bool, _: &mut Output) {
        if !has_changed {
            return;
        }
        let (options, demangle) = (&at.printing.options, at.printing.demangle);
        let (what, text) = match at.function {
            Some(function) => ("function", print_function(at.module, function, options, demangle)),
            None => ("module", print_module(at.module, options, demangle)),
        };
        // Our runs are numbered from 1, those of the compiler from 0.
        let (number, tag) = (at.number.saturating_sub(1), at.pass.tag);
        let text = format!("  *** SIL {what} after  #{number}, stage passes, pass: {tag} ({tag})\n{text}\n");
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).push((at.number, text));
    }
}
