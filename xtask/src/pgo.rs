//! `cargo xtask pgo FILE...`: builds the command with profile-guided optimization.
//!
//! The command is built with counters, run on the SIL files, and built again with what was counted. It needs
//! `llvm-profdata` of LLVM 19 or newer: `rustup component add llvm-tools`, the variable `LLVM_PROFDATA`, or one on the path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is run on each file: the options before it, and those after it.
const RUNS: &[(&[&str], &[&str])] = &[
    (&["opt", "-j1"], &["-o", "/dev/null"]),
    (&["verify", "-j1"], &[]),
    (&["nm", "-j1"], &[]),
    (
        &["opt", "-j1", "-sil-verify-none", "-mem2reg", "-dce", "-cse", "-simplification"],
        &["-o", "/dev/null"],
    ),
    (&["opt", "-j1", "-emit-sib"], &["-o", "/dev/null"]),
];

/// Builds the command, and prints where it is.
pub(crate) fn run(files: &[&str], features: Option<&str>) -> Result<(), String> {
    if files.is_empty() {
        return Err("name SIL files to run the command on, such as dumps of your own modules".into());
    }
    let merge = profdata()?;
    let target =
        PathBuf::from(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into())).join("pgo");
    std::fs::create_dir_all(&target).map_err(|error| format!("{}: {error}", target.display()))?;
    let target = target.canonicalize().map_err(|error| error.to_string())?;
    let (counts, profile) = (target.join("counts"), target.join("silkit.profdata"));
    let _ = std::fs::remove_dir_all(&counts);
    let silkit = build(&target, &format!("-Cprofile-generate={}", counts.display()), features)?;
    for file in files {
        for (before, after) in RUNS {
            let mut command = Command::new(&silkit);
            command.args(*before).arg(file).args(*after).stdout(std::process::Stdio::null());
            let status = command.status().map_err(|error| error.to_string())?;
            // Findings in the file are no reason to stop.
            if status.code().is_none_or(|code| code > 1) {
                return Err(format!("`silkit {} {file}` failed", before.join(" ")));
            }
        }
    }
    checked(Command::new(merge).args(["merge", "-o"]).args([&profile, &counts]))?;
    let silkit = build(&target, &format!("-Cprofile-use={}", profile.display()), features)?;
    println!("{}", silkit.display());
    Ok(())
}

/// Builds the command with an additional flag of the compiler. Returns its path.
fn build(target: &Path, flag: &str, features: Option<&str>) -> Result<PathBuf, String> {
    let mut flags = std::env::var_os("RUSTFLAGS").unwrap_or_default();
    flags.push(" ");
    flags.push(flag);
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--profile", "dist", "--package", "silkit-cli"]);
    command.args(features.map(|features| format!("--features={features}")));
    if features.is_some_and(|features| features.contains("mimalloc")) {
        // The kernel clears few large pages faster than many small ones.
        let mut flags = std::env::var_os("CFLAGS").unwrap_or_default();
        flags.push(" -DMI_DEFAULT_ALLOW_LARGE_OS_PAGES=1");
        command.env("CFLAGS", flags);
    }
    checked(command.env("RUSTFLAGS", flags).env("CARGO_TARGET_DIR", target))?;
    Ok(target.join("dist/silkit"))
}

fn checked(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{name}` failed: {status}")),
        Err(error) => Err(format!("`{name}`: {error}")),
    }
}

/// Returns a program that merges counts.
fn profdata() -> Result<OsString, String> {
    if let Some(named) = std::env::var_os("LLVM_PROFDATA") {
        return Ok(named);
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "target-libdir"]).output();
    let folder = output.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let own = folder.ok().and_then(|folder| Some(folder.parent()?.join("bin/llvm-profdata")));
    let on_path = || {
        let names = (19..40).rev().map(|version| format!("llvm-profdata-{version}"));
        names.chain(["llvm-profdata".to_owned()]).find(|name| {
            Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
        })
    };
    own.filter(|own| own.exists()).map(Into::into).or_else(|| on_path().map(Into::into)).ok_or_else(|| {
        "`llvm-profdata` is missing: `rustup component add llvm-tools`, or set LLVM_PROFDATA to its path"
            .into()
    })
}
