//! Colored output, controlled by `--color auto|always|never`, `NO_COLOR` and terminal detection.

use crate::shown::shown;
use silkit::diag::render::printable;
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

/// Returns a unified difference with colored lines if output to `stream` is colored, escaped if it is colored or a terminal.
pub(crate) fn difference(text: &str, stream: &impl IsTerminal) -> String {
    if is_on(stream) { colored(&printable(text)) } else { shown(text, stream).into_owned() }
}

fn colored(text: &str) -> String {
    let line = |line: &str| {
        let color = match line.as_bytes().first() {
            Some(b'-') => "31",
            Some(b'+') => "32",
            Some(b'@') => "36",
            _ => return line.to_owned(),
        };
        let (content, end) = line.strip_suffix('\n').map_or((line, ""), |content| (content, "\n"));
        format!("\x1b[{color}m{content}\x1b[0m{end}")
    };
    text.split_inclusive('\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::colored;

    #[test]
    fn lines_of_a_difference_are_colored() {
        let text = " same\n-old\n+new\n@@ f";
        let expected = " same\n\x1b[31m-old\x1b[0m\n\x1b[32m+new\x1b[0m\n\x1b[36m@@ f\x1b[0m";
        assert_eq!(colored(text), expected);
    }
}
