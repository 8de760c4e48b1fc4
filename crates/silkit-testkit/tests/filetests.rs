//! The runner on files of its own: `cargo test --test filetests`.

use std::path::Path;
use std::process::ExitCode;

use silkit_testkit::lit::{LitSetup, harness};

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let setup = LitSetup::new()
        .command("rev", |call| {
            let text = String::from_utf8_lossy(&call.stdin).into_owned();
            let reversed: Vec<String> = text.lines().map(|line| line.chars().rev().collect()).collect();
            call.stdout = (reversed.join("\n") + "\n").into_bytes();
            0
        })
        .command("crash", |_| panic!("as asked for"))
        .substitution("%reverse", "rev")
        .feature("always");
    harness(&folder, &["txt"], setup)
}
