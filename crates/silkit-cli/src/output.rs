//! Output: `-` is standard output, files are written completely or not at all, and a closed pipe is not an error.

use crate::progress;
pub(crate) use silkit::diag::grouped;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

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
        let mut out = io::stdout();
        return match content(&mut out).and_then(|()| out.flush()) {
            // The reader closed the pipe because it needs no more output.
            Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
            other => other,
        };
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

/// Returns true for `-`, which denotes standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn temporary_beside(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    target.with_file_name(name)
}

/// Writes to standard error, and ignores failures because they cannot be reported.
pub(crate) fn complain(text: &str) {
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

/// Formats words as a list of alternatives: "`a`, `b` or `c`".
pub(crate) fn either(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
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
        assert_eq!(counted(1, "block"), "1 block");
        assert_eq!(counted(1_234_567, "block"), "1,234,567 blocks");
        assert_eq!(grouped(100), "100");
    }
}
