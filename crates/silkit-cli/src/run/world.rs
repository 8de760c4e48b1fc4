//! The environment of a running program: the standard streams, the clock and the command line arguments.

use crate::shown::shown;
use silkit_interp::Host;
use std::io::{self, BufRead, BufWriter, IsTerminal, Stdout, Write};
use std::path::Path;
use std::time::Instant;

/// The environment that the current process provides to a program.
pub(crate) struct World {
    out: BufWriter<Stdout>,
    /// True if standard output is a terminal, so that each line is flushed.
    is_terminal: bool,
    arguments: Vec<String>,
    /// The first error of writing to standard output.
    error: Option<io::Error>,
    start: Instant,
}

impl World {
    /// Creates the environment of a program with the given arguments.
    pub(crate) fn new(program: &Path, arguments: &[String]) -> Self {
        let mut all = vec![program.display().to_string()];
        all.extend(arguments.iter().cloned());
        Self {
            out: BufWriter::new(io::stdout()),
            is_terminal: io::stdout().is_terminal(),
            arguments: all,
            error: None,
            start: Instant::now(),
        }
    }

    /// Flushes buffered output.
    pub(crate) fn flush(&mut self) {
        let flushed = self.out.flush();
        self.note(flushed);
    }

    /// Returns the first error of writing to standard output.
    pub(crate) fn unwritten(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Records an error of writing. A closed pipe is not an error: its reader needs no more output.
    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            self.error.get_or_insert(error);
        }
    }
}

impl Host for World {
    fn write_stdout(&mut self, bytes: &[u8]) {
        let written = self.out.write_all(bytes);
        self.note(written);
        if self.is_terminal && bytes.contains(&b'\n') {
            self.flush();
        }
    }

    fn write_stderr(&mut self, bytes: &[u8]) {
        self.flush();
        let _ = io::stderr().write_all(bytes);
    }

    fn read_line(&mut self) -> Vec<u8> {
        self.flush();
        let mut line = Vec::new();
        let _ = io::stdin().lock().read_until(b'\n', &mut line);
        line
    }

    fn arguments(&self) -> Vec<String> {
        self.arguments.clone()
    }

    fn nanoseconds(&mut self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn trace(&mut self, line: &str) {
        self.flush();
        let _ = writeln!(io::stderr(), "{}", shown(line, &io::stderr()));
    }
}
