//! Embeds the commit that the binary is built from, if it is built in a repository.

use std::process::Command;

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let head = git(&["symbolic-ref", "-q", "HEAD"]);
    let files = ["HEAD"].into_iter().chain(head.as_deref());
    for path in files.filter_map(|file| git(&["rev-parse", "--git-path", file])) {
        println!("cargo:rerun-if-changed={path}");
    }
    if let Some(commit) = git(&["rev-parse", "--short=10", "HEAD"]) {
        println!("cargo:rustc-env=SILKIT_COMMIT={commit}");
    }
}
