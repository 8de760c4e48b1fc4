//! Progress display on standard error: only on a terminal, and only if a run takes longer than a second.

use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use silkit::diag::render::printable;
use std::cell::RefCell;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(1);

/// The progress line that is shown.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Writes to standard error while no progress line is in the way.
pub(crate) fn suspended(write: impl FnOnce()) {
    let shown = SHOWN.lock().ok().and_then(|shown| shown.clone());
    match shown.filter(|bar| !bar.is_finished()) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// The progress line of a run: the elapsed time, the current activity and the file.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    /// The current file and its index among the input files.
    file: RefCell<Option<File>>,
    files: usize,
}

#[derive(Clone)]
struct File {
    name: String,
    index: usize,
}

impl Progress {
    /// Creates a progress line that appears after a second.
    pub(crate) fn start() -> Self {
        let silent = Self { bar: None, file: RefCell::default(), files: 0 };
        if !std::io::stderr().is_terminal() || output::is_quiet() {
            return silent;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        // The message is truncated to the remaining width of the line, so that it does not wrap.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:>4} {wide_msg}") {
            bar.set_style(style);
        }
        let shown = bar.clone();
        let begin = Instant::now();
        // The thread ends with the process, or when the progress line is finished.
        std::thread::spawn(move || {
            while begin.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(50));
                if shown.is_finished() {
                    return;
                }
            }
            if let Ok(mut place) = SHOWN.lock() {
                *place = Some(shown.clone());
            }
            shown.set_draw_target(ProgressDrawTarget::stderr());
            shown.enable_steady_tick(Duration::from_millis(120));
        });
        Self { bar: Some(bar), ..silent }
    }

    /// Sets the number of files to read from now on.
    pub(crate) fn expect(&mut self, files: usize) {
        self.file.take();
        self.files = files;
    }

    /// Shows that a file is being read.
    pub(crate) fn begin(&self, name: &str) {
        if self.bar.is_some() {
            let mut file = self.file.borrow_mut();
            let index = file.as_ref().map_or(0, |file| file.index) + 1;
            *file = Some(File { name: name.to_owned(), index });
        }
        self.phase("reading");
    }

    /// Shows the activity on the current file, such as `verifying`.
    pub(crate) fn phase(&self, activity: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(line(activity, self.file.borrow().as_ref(), self.files));
        }
    }

    /// Returns a function that removes the progress line, for another thread.
    pub(crate) fn stopper(&self) -> impl FnOnce() + Send + 'static {
        let bar = self.bar.clone();
        move || {
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        }
    }

    /// Removes the progress line.
    pub(crate) fn stop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Returns the text of the line, which is to fit narrow terminals: `verifying b.sil (2 of 5)` for the path `a/b.sil`.
fn line(activity: &str, file: Option<&File>, files: usize) -> String {
    let Some(file) = file else { return activity.to_owned() };
    let last = file.name.rsplit('/').next().filter(|last| !last.is_empty());
    let name = if file.name == "-" { "standard input" } else { last.unwrap_or(&file.name) };
    let name = printable(name).replace('\n', "\\n");
    match files {
        0 | 1 => format!("{activity} {name}"),
        _ => format!("{activity} {name} ({} of {files})", file.index),
    }
}

#[cfg(test)]
mod tests {
    use super::{File, line};

    #[test]
    fn the_line_names_the_file_and_its_place_among_several() {
        let file = File { name: "a/b\n.sil".to_owned(), index: 2 };
        assert_eq!(line("verifying", Some(&file), 5), "verifying b\\n.sil (2 of 5)");
        assert_eq!(line("verifying", Some(&file), 1), "verifying b\\n.sil");
        assert_eq!(line("reducing", None, 0), "reducing");
        let standard = File { name: "-".to_owned(), index: 1 };
        assert_eq!(line("reading", Some(&standard), 1), "reading standard input");
    }
}
