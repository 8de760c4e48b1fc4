//! Writing: `-` is standard output, a file is written whole or not at all, and who closes a pipe
//! early is not told off.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes to a file, or to standard output for `-`.
pub(crate) fn write(path: &str, bytes: &[u8]) -> io::Result<()> {
    if path == "-" {
        let mut out = io::stdout().lock();
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            // Who closed the pipe has seen enough.
            Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
            other => other,
        };
    }
    let target = Path::new(path);
    let existing = target.metadata().ok();
    // A device or a pipe cannot be replaced by a rename.
    if existing.as_ref().is_some_and(|m| !m.is_file()) {
        return std::fs::write(target, bytes);
    }
    // Through a link, the file that it leads to is replaced, not the link.
    let target = target.canonicalize().unwrap_or_else(|_| target.to_path_buf());
    if existing.as_ref().is_some_and(|m| m.permissions().readonly()) {
        return Err(ErrorKind::PermissionDenied.into());
    }
    let temporary = temporary_beside(&target);
    let written = std::fs::write(&temporary, bytes).and_then(|()| {
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

fn temporary_beside(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    target.with_file_name(name)
}

/// Writes to standard output; where that fails, there is nobody left to tell.
pub(crate) fn say(text: &str) {
    let _ = write("-", text.as_bytes());
}

/// Writes to standard error; where that fails, there is nobody left to tell.
pub(crate) fn complain(text: &str) {
    let mut err = io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// What went wrong, in words without the system's numbers.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        ErrorKind::StorageFull => "no space is left on the device".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_lowercase()
        }
    }
}

/// What to try.
pub(crate) fn hint(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "make the folder first, or check the path",
        ErrorKind::PermissionDenied => "check the permissions of the file and its folder",
        ErrorKind::IsADirectory => "name a file in it",
        ErrorKind::StorageFull => "make room, or choose another place with `-o`",
        _ => "check the path and the device",
    }
    .to_owned()
}
