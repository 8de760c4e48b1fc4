//! The best result so far of a reduction: it is kept in the output file, so that an interrupted run leaves it there, and
//! it is the result if a step takes longer than the time limit.

use crate::output;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The minimum time between two writes of the output file.
const PAUSE: Duration = Duration::from_secs(1);

/// The time after the deadline in which a reduction should end by itself, between two candidates.
const GRACE: Duration = Duration::from_secs(2);

/// The smallest module so far, shared by the threads that check candidates.
pub(super) struct Best {
    /// The output file; `None` for standard output.
    file: Option<PathBuf>,
    state: Mutex<State>,
}

/// The state of a running reduction.
#[derive(Default)]
pub(super) struct State {
    /// The text of the smallest module that fails; empty before the first check.
    pub(super) text: String,
    /// The number of runs of the command.
    pub(super) checks: usize,
    /// The number of candidates for which the command did not run.
    pub(super) invalid: usize,
    written: Option<Instant>,
    is_done: bool,
}

impl Best {
    pub(super) fn new(output: &Path) -> Arc<Self> {
        let file = (!output::is_standard(output)).then(|| output.to_owned());
        Arc::new(Self { file, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the numbers of candidates.
    pub(super) fn count(&self, checks: usize, invalid: usize) {
        let mut state = self.state();
        (state.checks, state.invalid) = (checks, invalid);
    }

    /// Keeps a text that fails if it is the smallest, and writes it to the output file from time to time.
    pub(super) fn offer(&self, text: &str) {
        let mut state = self.state();
        let is_first = state.text.is_empty();
        if state.is_done || !is_first && state.text.len() <= text.len() {
            return;
        }
        text.clone_into(&mut state.text);
        // The first text is the input.
        if let Some(file) = &self.file
            && !is_first
            && state.written.is_none_or(|at| at.elapsed() >= PAUSE)
        {
            // A failure is reported when the result is written.
            let _ = output::write(file, text.as_bytes());
            state.written = Some(Instant::now());
        }
    }

    /// Ends the watch over the deadline: the reduction has a result.
    pub(super) fn finish(&self) {
        self.state().is_done = true;
    }

    /// Starts a thread that ends the process if the reduction goes on for long after the deadline, which a single step
    /// on a large module may do. `end` gets the best result and returns the exit status.
    pub(super) fn watch(
        self: &Arc<Self>,
        deadline: Instant,
        end: impl FnOnce(&State) -> u8 + Send + 'static,
    ) {
        let this = Arc::clone(self);
        std::thread::spawn(move || {
            std::thread::sleep(deadline.saturating_duration_since(Instant::now()) + GRACE);
            // The lock is held until the process ends, so that there is one result.
            let state = this.state();
            if !state.is_done && !state.text.is_empty() {
                std::process::exit(i32::from(end(&state)));
            }
        });
    }
}
