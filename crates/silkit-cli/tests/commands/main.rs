//! The command as a process: what it prints, what it refuses, and how it ends.

mod alias;
mod answers;
mod check_passes;
mod cost;
mod extent;
mod extract;
mod files;
mod fmt;
mod library;
mod lsp;
mod mutate;
mod opt;
mod reduce;
mod run;
mod statuses;
mod swift_lines;
mod terminal;
mod timeline;
mod usage;
mod verify;

use std::io::Write;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::process::{Command, Output, Stdio};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the data of this crate's tests; the rest is the library's.
pub(crate) fn own_data() -> PathBuf {
    root().join("crates/silkit-cli/tests/data")
}

pub(crate) fn silkit() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_silkit"));
    command.current_dir(root()).stdin(Stdio::null());
    command
}

pub(crate) fn run(args: &[&str]) -> Output {
    silkit().args(args).output().expect("the command starts")
}

pub(crate) fn run_with(args: &[&str], input: &[u8]) -> Output {
    let mut child = silkit()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // The command may end before it has read all.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the command ends");
    let _ = writer.join();
    output
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns what a command complains of, whether that is its result or not.
pub(crate) fn complaints(output: &Output) -> String {
    stderr(output) + &stdout(output)
}

/// Returns a folder of this test alone.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

pub(crate) fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}

/// The commands that read modules, with what else they need.
pub(crate) const READERS: &[&[&str]] = &[
    &["opt"],
    &["stats"],
    &["nm"],
    &["fmt", "--check"],
    &["extract", "-invert"],
    &["graph", "classes"],
    &["verify"],
];

/// Returns what `opt` prints, without the path of its input at the end.
pub(crate) fn without_file_ids(text: &str) -> &str {
    text.split_once("\n\n// Mappings from '#fileID'").map_or(text, |(text, _)| text)
}

/// A critical edge, and a use that its definition does not dominate.
pub(crate) const WRONG: &str = "sil [ossa] @f : $@convention(thin) (Builtin.Int1) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1, bb2
bb1:
  %2 = integer_literal $Builtin.Int64, 1
  br bb2
bb2:
  return %2
}
";
