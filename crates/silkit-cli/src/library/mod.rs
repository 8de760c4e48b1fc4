//! `silkit library`: manages the modules that `silkit run` links programs with.

mod build;
mod directory;
mod import;

pub(crate) use build::{HOW_TO_BUILD, is_buildable};
pub(crate) use directory::{Directory, module_name};

use crate::codes::{UNREADABLE, UNWRITABLE};
use crate::output;
use crate::session::{Format, Report, Session};
use crate::shown;
use clap::Subcommand;
use serde_json::{Value, json};
use silkit::diag::{Diagnostic, nearest};
use silkit::ir::Module;
use silkit_interp::ProgramModule;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
The library directory is $SILKIT_LIBRARY if that is set, otherwise `silkit/library` in
$XDG_DATA_HOME or in `~/.local/share`. Modules are stored in binary form, named as in symbols.

Examples:
  silkit library build --sources swift   # a checkout of the sources of your Swift version
  silkit library add Shapes.sil          # from: swiftc -emit-sil -module-name Shapes shapes.swift
  silkit library import --toolchain /opt/swift
  silkit library import --toolchain /opt/swift --module Swift --module Glibc
  silkit library list
  silkit library remove Shapes";

/// Manage the modules that `silkit run` links programs with
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Add modules to the library directory
    #[command(after_help = "Examples:\n  silkit library add examples/shapes.canonical.sil")]
    Add {
        /// Files of SIL, as text or in binary form
        #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
        files: Vec<PathBuf>,
        /// Name of the module, if its symbols do not tell it
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Build the modules of the standard library from the sources of Swift
    ///
    /// The installed compiler compiles the sources of its own version. All functions get SIL, so that ordinary programs
    /// run. A module that was built before is skipped if nothing has changed.
    #[command(after_help = build::EXAMPLES)]
    Build(build::Args),
    /// Add the SIL in the modules of an installed Swift toolchain
    ///
    /// A module has the SIL of the functions that clients may inline or specialize, not of all functions. A program that
    /// calls one of the others stops with an error that names it.
    #[command(after_help = "Examples:\n  silkit library import --toolchain /opt/swift")]
    Import {
        /// Directory of the toolchain, which contains `usr/bin/swiftc`
        #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
        toolchain: PathBuf,
        /// Module to import; may be repeated [default: the modules of the standard library]
        #[arg(long, value_name = "NAME")]
        module: Vec<String>,
    },
    /// List the modules in the library directory
    #[command(after_help = "Examples:\n  silkit library list\n  silkit library list --format json")]
    List {
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Remove modules from the library directory
    #[command(after_help = "Examples:\n  silkit library remove shapes")]
    Remove {
        /// Modules, as `silkit library list` names them
        #[arg(required = true, value_name = "MODULE")]
        modules: Vec<String>,
    },
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(Report::Text);
    let Some(folder) = Directory::of_user() else {
        session.refuse(
            "the library directory is unknown: neither SILKIT_LIBRARY nor HOME is set",
            "set SILKIT_LIBRARY to a path",
        );
        return session.finish();
    };
    match &args.task {
        Task::Add { files, name } => add(&mut session, &folder, files, name.as_deref()),
        Task::Build(args) => build::run(&mut session, &folder, args),
        Task::Import { toolchain, module } => import(&mut session, &folder, toolchain, module),
        Task::List { format } => list(&mut session, &folder, *format),
        Task::Remove { modules } => remove(&mut session, &folder, modules),
    }
    session.finish()
}

fn add(session: &mut Session, folder: &Directory, files: &[PathBuf], name: Option<&str>) {
    if name.is_some() && files.len() > 1 {
        session.refuse("`--name` is given for several files", "add them one by one");
        return;
    }
    let mut text = String::new();
    for path in files {
        let Some(input) = session.load(path) else { continue };
        let guessed = || ProgramModule::guess_name(&input.module);
        if output::is_standard(path) && name.is_none() && guessed().is_none() {
            session.refuse("the name of the module on standard input is unknown", "name it with `--name`");
            return;
        }
        let name = name.map_or_else(|| module_name(&input.module, path), str::to_owned);
        match store(session, folder, &name, &input.module, &input.source) {
            Some(line) => text += &line,
            None => return,
        }
    }
    session.answer(&text);
}

/// Writes a module to the library directory, and returns a line that reports it. Records errors, and returns `None` for
/// them.
fn store(
    session: &mut Session,
    folder: &Directory,
    name: &str,
    module: &Module,
    source: &str,
) -> Option<String> {
    let Some(to) = folder.file(name) else {
        let shown: String = name.chars().flat_map(char::escape_debug).collect();
        session.refuse(
            format!("`{shown}` is not the name of a module: it is not an identifier"),
            "name the module with `--name NAME`",
        );
        return None;
    };
    let bytes = session.binary_form(module, source)?;
    write(session, folder, &to, &bytes)?;
    Some(format!("{name}: {}\n", to.display()))
}

/// Writes a file of the library directory. Records an error and returns `None` if that is not possible.
fn write(session: &mut Session, folder: &Directory, to: &Path, bytes: &[u8]) -> Option<()> {
    let written = folder.write(to, bytes);
    written
        .map_err(|error| {
            let message = format!("cannot write `{}`: {}", to.display(), output::reason(&error));
            let hint = "check the permissions of the directory, or set SILKIT_LIBRARY to another path";
            session.push(Diagnostic::error(UNWRITABLE, message).note(hint));
        })
        .ok()
}

fn import(session: &mut Session, folder: &Directory, toolchain: &Path, names: &[String]) {
    let found = match import::Toolchain::find(toolchain) {
        Ok(found) => found,
        Err((message, hint)) => return session.refuse(message, hint),
    };
    let usual = import::USUAL.iter().filter(|name| found.has(name)).map(|name| (*name).to_owned());
    let names = if names.is_empty() { usual.collect() } else { names.to_vec() };
    let mut text = String::new();
    for name in &names {
        session.progress.begin(name);
        match found.module(name) {
            Ok(module) => match store(session, folder, name, &module, name) {
                Some(line) => text += &line,
                None => return,
            },
            Err((message, hint)) => session.refuse(message, hint),
        }
    }
    session.answer(&text);
}

/// Removes modules, or none of them if one is not there.
fn remove(session: &mut Session, folder: &Directory, modules: &[String]) {
    let Some(names) = names_or_error(session, folder) else { return };
    for module in modules.iter().filter(|module| !names.contains(module)) {
        let near = nearest(module, names.iter().map(String::as_str));
        let hint = near.map_or_else(
            || "`silkit library list` lists the modules".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        session.refuse(format!("`{}` has no module `{module}`", folder.path().display()), hint);
    }
    if session.has_errors() {
        return;
    }
    let mut text = String::new();
    let mut removed: Vec<&str> = Vec::new();
    for module in modules {
        if removed.contains(&module.as_str()) {
            continue;
        }
        removed.push(module);
        let Some(path) = folder.file(module) else { continue };
        let _ = folder.stamp(module).map(std::fs::remove_file);
        match std::fs::remove_file(&path) {
            Ok(()) => text += &format!("{module}: removed {}\n", path.display()),
            Err(error) => {
                let message = format!("cannot remove `{}`: {}", path.display(), output::reason(&error));
                session.push(Diagnostic::error(UNWRITABLE, message).note(output::hint(&error)));
            }
        }
    }
    session.answer(&text);
}

/// Returns the names of the modules in the library directory. Records an error and returns `None` if it is unreadable.
fn names_or_error(session: &mut Session, folder: &Directory) -> Option<Vec<String>> {
    let found = folder.names();
    found
        .map_err(|error| {
            let message = format!("cannot read `{}`: {}", folder.path().display(), output::reason(&error));
            let hint = "SILKIT_LIBRARY names the library directory";
            session.push(Diagnostic::error(UNREADABLE, message).note(hint));
        })
        .ok()
}

fn list(session: &mut Session, folder: &Directory, format: Format) {
    let Some(names) = names_or_error(session, folder) else { return };
    if names.is_empty() && format == Format::Text {
        output::note(&format!(
            "`{}` has no modules; `silkit library add FILE` adds one",
            folder.path().display()
        ));
    }
    session.answer(&match format {
        Format::Text => names.iter().map(|name| format!("{name}\n")).collect(),
        Format::Json => {
            let path = |name: &String| folder.file(name).map(|file| file.display().to_string());
            let modules: Vec<_> =
                names.iter().map(|name| json!({"module": name, "file": path(name)})).collect();
            shown::json(&Value::from(modules))
        }
    });
}
