//! The environment of a running program.

/// The environment of a program. The crate itself does no input or output.
pub trait Host {
    /// Writes to standard output.
    fn write_stdout(&mut self, bytes: &[u8]);
    /// Writes to standard error.
    fn write_stderr(&mut self, bytes: &[u8]);
    /// Reads a line from standard input, with its line terminator. The result is empty at the end of the input.
    fn read_line(&mut self) -> Vec<u8>;
    /// Returns the arguments of the program. The first one is the program's name.
    fn arguments(&self) -> Vec<String>;
    /// Returns the nanoseconds since an arbitrary fixed point in time.
    fn nanoseconds(&mut self) -> u64;
    /// Writes a line of the trace.
    fn trace(&mut self, line: &str);
    /// Calls a function that has no SIL body and that the runtime does not implement. `arguments` are the arguments of
    /// builtin integer types. Returns the result of the function, if it has one. Called only if
    /// [`crate::RunOptions::foreign`] is set.
    fn call(&mut self, name: &str, arguments: &[u64]) -> u64 {
        let _ = (name, arguments);
        0
    }
}

/// A host that records all output. Its standard input is `stdin`.
#[derive(Clone, Debug, Default)]
pub struct RecordingHost {
    /// The bytes written to standard output.
    pub stdout: Vec<u8>,
    /// The bytes written to standard error.
    pub stderr: Vec<u8>,
    /// The lines of the trace.
    pub trace: Vec<String>,
    /// The bytes of standard input.
    pub stdin: std::collections::VecDeque<u8>,
    /// The calls of unknown functions, with their arguments.
    pub calls: Vec<(String, Vec<u64>)>,
    clock: u64,
}

fn mixed(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

impl Host for RecordingHost {
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

    /// Returns a number that depends on the function, its arguments and the previous calls.
    fn call(&mut self, name: &str, arguments: &[u64]) -> u64 {
        self.calls.push((name.to_owned(), arguments.to_vec()));
        let of_name = name.bytes().fold(self.calls.len() as u64, |hash, byte| mixed(hash, u64::from(byte)));
        arguments.iter().fold(of_name, |hash, argument| mixed(hash, *argument))
    }
}
