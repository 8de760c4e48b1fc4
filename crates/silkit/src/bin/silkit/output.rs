//! Reading input and writing output: `-` is standard input or output, and a file is written whole
//! or not at all.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &str) -> io::Result<Vec<u8>> {
    if path != "-" {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes to a file, or to standard output for `-`.
pub(crate) fn write(path: &str, bytes: &[u8]) -> io::Result<()> {
    if path == "-" {
        let mut out = io::stdout().lock();
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            // Who closed the pipe has seen enough.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        };
    }
    let target = Path::new(path);
    // A device or a pipe cannot be replaced by a rename.
    if target.metadata().is_ok_and(|m| !m.is_file()) {
        return std::fs::write(target, bytes);
    }
    let temporary = temporary_beside(target);
    let written = std::fs::write(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, target));
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
