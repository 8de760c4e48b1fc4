//! Colored output, controlled by `--color auto|always|never`, `NO_COLOR` and terminal detection.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// When colours are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The accepted values of `--color`.
pub(crate) const WORDS: &[&str] = &["auto", "always", "never"];

impl Color {
    /// Creates the color mode from its word in [`WORDS`].
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Self::Auto, Self::Always, Self::Never]
            .into_iter()
            .zip(WORDS)
            .find(|(_, w)| **w == word)
            .map(|(c, _)| c)
    }
}

/// Returns the value of the last option `--color` among arguments, after a space or `=`; `None` without a valid one.
///
/// The options are searched before they are parsed, so that help and usage errors have the wanted colors.
pub(crate) fn of_arguments(args: &[OsString]) -> Option<Color> {
    let words: Vec<&str> =
        args.iter().map_while(|arg| (arg != "--").then(|| arg.to_str().unwrap_or_default())).collect();
    let mut chosen = None;
    for (at, word) in words.iter().enumerate() {
        let Some(rest) = word.strip_prefix("--color").or_else(|| word.strip_prefix("-color")) else {
            continue;
        };
        let value = match rest.strip_prefix('=') {
            Some(value) => Some(value),
            None if rest.is_empty() => words.get(at + 1).copied(),
            None => None,
        };
        chosen = value.and_then(Color::from_word).or(chosen);
    }
    chosen
}

static CHOSEN: OnceLock<Color> = OnceLock::new();

/// Sets the color mode of the process. Only the first call has an effect.
pub(crate) fn choose(color: Color) {
    let _ = CHOSEN.set(color);
}

/// Returns true if output is colored wherever it goes, as for a pager behind a pipe.
pub(crate) fn is_always() -> bool {
    CHOSEN.get() == Some(&Color::Always)
}

/// Returns true if output to `stream` is colored.
pub(crate) fn is_on(stream: &impl IsTerminal) -> bool {
    match CHOSEN.get().copied().unwrap_or_default() {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
                || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
            stream.is_terminal() && !refused
        }
    }
}
