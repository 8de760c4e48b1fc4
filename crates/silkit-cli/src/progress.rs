//! A progress bar on standard error: on a terminal only, and only when a run takes longer than a
//! second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(1);

/// The progress of a run, shown on a terminal only.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Creates a bar that appears after a second.
    pub(crate) fn start() -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { bar: None };
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        let style =
            ProgressStyle::with_template("{spinner} {bytes}/{total_bytes} {wide_bar} {elapsed} {msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        let shown = bar.clone();
        let begin = Instant::now();
        // Ends with the process, or as soon as the bar is finished.
        std::thread::spawn(move || {
            while begin.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(50));
                if shown.is_finished() {
                    return;
                }
            }
            shown.set_draw_target(ProgressDrawTarget::stderr());
            shown.enable_steady_tick(Duration::from_millis(120));
        });
        Self { bar: Some(bar) }
    }

    /// Announces bytes to come.
    pub(crate) fn expect(&self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.inc_length(bytes);
        }
    }

    /// A file is begun.
    pub(crate) fn begin(&self, name: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(name.chars().filter(|c| !c.is_control()).take(60).collect::<String>());
        }
    }

    /// Bytes are done.
    pub(crate) fn done(&self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(bytes);
        }
    }

    /// Takes the bar away.
    pub(crate) fn stop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
