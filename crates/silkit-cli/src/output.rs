//! Output: `-` is standard output, files are written completely or not at all, and a closed pipe is not an error.

use crate::{progress, shown, wrap};
pub(crate) use silkit::diag::grouped;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes to a file, or to standard output for `-`.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_with(path, |out| out.write_all(bytes))
}

/// Writes the output of `content` to a file, or to standard output for `-`.
pub(crate) fn write_with(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    if is_standard(path) {
        let mut out = shown::standard_output();
        return unless_closed(content(&mut *out).and_then(|()| out.flush()));
    }
    let existing = path.metadata().ok();
    // A device or a pipe cannot be replaced by a rename.
    if existing.as_ref().is_some_and(|m| !m.is_file()) {
        return content(&mut File::create(path)?);
    }
    // If the path is a symbolic link, its target is replaced, not the link.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if existing.as_ref().is_some_and(|m| m.permissions().readonly()) {
        return Err(ErrorKind::PermissionDenied.into());
    }
    let temporary = temporary_beside(&target);
    let written = File::create(&temporary).and_then(|mut file| content(&mut file)).and_then(|()| {
        if let Some(existing) = &existing {
            std::fs::set_permissions(&temporary, existing.permissions())?;
        }
        std::fs::rename(&temporary, &target)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// Writes text with colors to standard output. The parts of it that come from the input were escaped before.
pub(crate) fn write_styled(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    unless_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Ignores that the reader closed the pipe: it needs no more output.
fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Returns true for `-`, which denotes standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn temporary_beside(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    target.with_file_name(name)
}

/// True if notes, summaries and the progress are not shown.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Sets whether notes, summaries and the progress are left out.
pub(crate) fn set_quiet(is_quiet: bool) {
    QUIET.store(is_quiet, Ordering::Relaxed);
}

/// Returns true if notes, summaries and the progress are left out.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes a note to standard error, in lines of the width of a terminal, unless `--quiet` is given.
pub(crate) fn note(text: &str) {
    if !is_quiet() {
        complain(&wrap::fitted(&format!("note: {text}\n"), wrap::error_width()));
    }
}

/// Writes to standard error, escaped on a terminal. Failures are ignored because they cannot be reported.
pub(crate) fn complain(text: &str) {
    complain_styled(&shown::shown(text, &io::stderr()));
}

/// Writes text with colors to standard error. The parts of it that come from the input were escaped before.
pub(crate) fn complain_styled(text: &str) {
    progress::suspended(|| {
        let mut err = io::stderr().lock();
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    });
}

/// Returns the message of an I/O error, without the system's error number.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file or directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "is a directory".to_owned(),
        ErrorKind::StorageFull => "no space is left on the device".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_lowercase()
        }
    }
}

/// Returns a hint for an I/O error.
pub(crate) fn hint(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "create the directory first, or check the path",
        ErrorKind::PermissionDenied => "check the permissions of the file and its directory",
        ErrorKind::IsADirectory => "name a file in it",
        ErrorKind::StorageFull => "free some space, or choose another place with `-o`",
        _ => "check the path and the device",
    }
    .to_owned()
}

/// Formats words as a list: "`a`, `b` and `c`".
pub(crate) fn listed(words: &[&str]) -> String {
    joined(words, "and")
}

/// Formats words as a list of alternatives: "`a`, `b` or `c`".
pub(crate) fn either(words: &[&str]) -> String {
    joined(words, "or")
}

fn joined(words: &[&str], conjunction: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} {conjunction} {last}", first.join(", ")),
    }
}

/// Returns the message for a word that is none of `words`, with the nearest one.
pub(crate) fn expected_one_of(name: &str, words: &[&str]) -> String {
    let near = silkit::diag::nearest(name, words.iter().copied());
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    format!("{near}expected one of {}", words.join(", "))
}

/// Formats a number with its noun: "1 function", "2,345 functions".
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers() {
        assert_eq!(either(&["a"]), "`a`");
        assert_eq!(either(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(listed(&["a", "b"]), "`a` and `b`");
        assert_eq!(counted(1, "block"), "1 block");
        assert_eq!(counted(1_234_567, "block"), "1,234,567 blocks");
        assert_eq!(grouped(100), "100");
    }
}
