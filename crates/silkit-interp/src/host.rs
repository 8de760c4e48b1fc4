//! The environment of a running program.

/// The world around a program. The crate itself does no input or output.
pub trait Host {
    /// Writes to standard output.
    fn write_stdout(&mut self, bytes: &[u8]);
    /// Writes to standard error.
    fn write_stderr(&mut self, bytes: &[u8]);
    /// Reads a line from standard input with its end; empty at the end of the input.
    fn read_line(&mut self) -> Vec<u8>;
    /// Returns the arguments of the program, its name first.
    fn arguments(&self) -> Vec<String>;
    /// Returns the nanoseconds since some point in time.
    fn nanoseconds(&mut self) -> u64;
    /// Shows a line of the trace.
    fn trace(&mut self, line: &str);
}

/// A world without input that keeps what is written.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// The bytes written to standard output.
    pub stdout: Vec<u8>,
    /// The bytes written to standard error.
    pub stderr: Vec<u8>,
    /// The lines of the trace.
    pub trace: Vec<String>,
    /// The bytes of standard input.
    pub stdin: std::collections::VecDeque<u8>,
    clock: u64,
}

impl Host for Recorder {
    fn write_stdout(&mut self, bytes: &[u8]) {
        self.stdout.extend_from_slice(bytes);
    }

    fn write_stderr(&mut self, bytes: &[u8]) {
        self.stderr.extend_from_slice(bytes);
    }

    fn read_line(&mut self) -> Vec<u8> {
        let end = self.stdin.iter().position(|&b| b == b'\n').map_or(self.stdin.len(), |i| i + 1);
        self.stdin.drain(..end).collect()
    }

    fn arguments(&self) -> Vec<String> {
        vec!["main".to_owned()]
    }

    fn nanoseconds(&mut self) -> u64 {
        self.clock += 1000;
        self.clock
    }

    fn trace(&mut self, line: &str) {
        self.trace.push(line.to_owned());
    }
}
