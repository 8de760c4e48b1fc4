//! The built-in commands of tests.

use std::fs;
use std::io;
use std::path::Path;

use super::Invocation;
use crate::filecheck::{FileCheck, FileCheckOptions};

/// Returns the built-in command with this name.
pub(super) fn find(name: &str) -> Option<fn(&mut Invocation) -> i32> {
    Some(match name {
        "FileCheck" => file_check,
        "cat" => cat,
        "echo" => echo,
        "cp" => |call| files(call, copy),
        "mkdir" => |call| files(call, make_folder),
        "rm" => |call| files(call, remove),
        "touch" => |call| files(call, touch),
        "diff" | "cmp" => diff,
        "count" => count,
        "true" => |_| 0,
        "false" => |_| 1,
        "empty-directory" => |call| files(call, empty_folder),
        _ => return None,
    })
}

/// The names of the built-in commands, for messages.
pub(super) const NAMES: [&str; 13] =
    ["FileCheck", "not", "env", "cat", "echo", "cp", "mkdir", "rm", "touch", "diff", "cmp", "count", "true"];

fn fail(call: &mut Invocation, message: &str) -> i32 {
    call.stderr.extend_from_slice(message.trim_end().as_bytes());
    call.stderr.push(b'\n');
    1
}

fn file_check(call: &mut Invocation) -> i32 {
    let checked = || -> Result<(), (i32, String)> {
        let usage = |text: String| (2, text);
        let options = FileCheckOptions::parse(&call.args).map_err(|e| (e.status(), e.to_string()))?;
        let name = options.check_file.clone().ok_or_else(|| usage("no check file is given".into()))?;
        let read = |name: &str| {
            fs::read(call.path(name)).map_err(|error| usage(format!("cannot read `{name}`: {error}")))
        };
        let checks = read(&name)?;
        let input = options.input_file.clone().filter(|name| name != "-");
        let (input_name, text) = match input {
            Some(input) => (input.clone(), read(&input)?),
            None => ("<stdin>".to_owned(), call.stdin.clone()),
        };
        let verdict =
            FileCheck::parse(options, name, checks).and_then(|program| program.verify(&input_name, text));
        verdict.map_err(|e| (e.status(), e.to_string()))
    };
    match checked() {
        Ok(()) => 0,
        Err((status, message)) => {
            fail(call, &message);
            status
        }
    }
}

fn cat(call: &mut Invocation) -> i32 {
    if call.args.is_empty() {
        call.args.push("-".to_owned());
    }
    for name in call.args.clone() {
        if name == "-" {
            call.stdout.append(&mut call.stdin);
            continue;
        }
        match fs::read(call.path(&name)) {
            Ok(text) => call.stdout.extend(text),
            Err(error) => return fail(call, &format!("cat: {name}: {error}")),
        }
    }
    0
}

fn echo(call: &mut Invocation) -> i32 {
    call.stdout = call.args.join(" ").into_bytes();
    call.stdout.push(b'\n');
    0
}

/// Runs a file operation with the non-option arguments.
fn files(call: &mut Invocation, operation: fn(&[&Path]) -> io::Result<()>) -> i32 {
    let names: Vec<_> = call.args.iter().filter(|a| !a.starts_with('-')).map(|a| call.path(a)).collect();
    let paths: Vec<&Path> = names.iter().map(|n| n.as_path()).collect();
    match operation(&paths) {
        Ok(()) => 0,
        Err(error) => {
            let list: Vec<String> = names.iter().map(|n| n.display().to_string()).collect();
            fail(call, &format!("{}: {error}", list.join(" ")))
        }
    }
}

fn copy(paths: &[&Path]) -> io::Result<()> {
    let [from, to] = paths else {
        return Err(io::Error::other("copies one file to one place"));
    };
    let file = from.file_name().unwrap_or_default();
    let to = if to.is_dir() { to.join(file) } else { to.to_path_buf() };
    fs::copy(from, to).map(|_| ())
}

fn make_folder(paths: &[&Path]) -> io::Result<()> {
    paths.iter().try_for_each(fs::create_dir_all)
}

fn remove(paths: &[&Path]) -> io::Result<()> {
    paths.iter().try_for_each(|path| {
        if path.is_dir() {
            fs::remove_dir_all(path)
        } else if path.exists() {
            fs::remove_file(path)
        } else {
            Ok(())
        }
    })
}

fn touch(paths: &[&Path]) -> io::Result<()> {
    paths.iter().try_for_each(|p| fs::OpenOptions::new().create(true).append(true).open(p).map(|_| ()))
}

fn empty_folder(paths: &[&Path]) -> io::Result<()> {
    remove(paths)?;
    make_folder(paths)
}

fn diff(call: &mut Invocation) -> i32 {
    let names: Vec<String> = call.args.iter().filter(|a| *a == "-" || !a.starts_with('-')).cloned().collect();
    let [old, new] = names.as_slice() else {
        fail(call, "diff: two files are compared");
        return 2;
    };
    let mut texts = Vec::new();
    for name in [old, new] {
        match if name == "-" { Ok(call.stdin.clone()) } else { fs::read(call.path(name)) } {
            Ok(text) => texts.push(text),
            Err(error) => {
                fail(call, &format!("diff: {name}: {error}"));
                return 2;
            }
        }
    }
    if texts[0] == texts[1] {
        return 0;
    }
    let shown = crate::difference(&texts[0], &texts[1], (old, new));
    call.stdout.extend_from_slice(shown.as_bytes());
    1
}

/// `count 3`: checks that the input has three lines.
fn count(call: &mut Invocation) -> i32 {
    let lines = call.stdin.split_inclusive(|&c| c == b'\n').count();
    match call.args.first().and_then(|n| n.parse::<usize>().ok()) {
        Some(expected) if expected == lines => 0,
        Some(expected) => fail(call, &format!("expected {expected} lines, got {lines}")),
        None => fail(call, "count: how many lines?"),
    }
}
