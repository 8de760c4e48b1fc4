//! `--limit` and `--stat`: how much of an answer that grows with the input is shown.

use crate::output::{self, counted};

/// The options of commands whose answers grow with the input.
#[derive(clap::Args)]
pub(crate) struct Extent {
    /// Show at most N entries; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    limit: usize,
    /// Show only numbers: a summary instead of the entries
    #[arg(long, conflicts_with = "limit")]
    pub(crate) stat: bool,
}

impl Extent {
    /// Returns how many of `all` entries are shown.
    pub(crate) fn of(&self, all: usize) -> usize {
        if self.limit == 0 { all } else { self.limit.min(all) }
    }

    /// Returns the number of entries that are not shown.
    pub(crate) fn omitted(&self, all: usize) -> usize {
        all - self.of(all)
    }

    /// Says on standard error how many entries are not shown.
    pub(crate) fn note_omitted(&self, all: usize, noun: &str) {
        let omitted = self.omitted(all);
        if omitted > 0 {
            let are = if omitted == 1 { "is" } else { "are" };
            output::note(&format!(
                "{} {are} not shown; `--limit 0` shows all",
                counted(omitted, &format!("more {noun}"))
            ));
        }
    }
}
