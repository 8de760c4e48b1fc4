//! `silkit opt`: reads SIL and prints it again, with the options of `sil-opt`.

use crate::opt_options::{self, Argument};
use crate::session::{Report, Session};
use crate::{output, refuse, use_threads};
use clap::ValueEnum;
use silkit::text::{PrintOptions, print_module};
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
Reads SIL and prints it again, with the options of sil-opt

Usage: silkit opt [OPTIONS] [FILES]...

Options:
  -o FILE                    writes there instead of to standard output; a folder for several files
  -sil-print-types           prints the type of every operand
  -sil-print-debuginfo       prints locations and scopes
  -emit-sorted-sil           sorts functions, users and predecessors
  -format text|json|sarif    how errors are shown
  -j N                       uses N threads (default: all cores)
  -help                      prints this

Other options of sil-opt that run no pass are accepted.

Examples:
  silkit opt examples/shapes.raw.sil
  silkit opt -sil-print-types examples/shapes.raw.sil -o typed.sil
  swiftc -emit-silgen a.swift | silkit opt -emit-sorted-sil -
";

struct Options {
    inputs: Vec<String>,
    output: String,
    print: PrintOptions,
    report: Report,
    threads: usize,
}

/// Runs the command.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let options = match opt_options::parse(args).and_then(|arguments| meaning(&arguments)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            output::say(HELP);
            return ExitCode::SUCCESS;
        }
        Err((message, hint)) => return refuse(&message, &hint),
    };
    use_threads(options.threads);
    let mut session = Session::new(options.report);
    let inputs = session.inputs(&options.inputs);
    let folder = (inputs.len() > 1 && options.output != "-").then(|| Path::new(&options.output));
    if folder.is_some_and(|f| !f.is_dir()) {
        let message = format!("`{}` is no folder, and there are several files", options.output);
        return refuse(&message, "make the folder first, or name one file");
    }
    for path in inputs {
        let Some(input) = session.load(&path) else { continue };
        let printed = print_module(&input.module, &options.print, &|_| None);
        let target = match (folder, Path::new(&path).file_name()) {
            (Some(folder), Some(name)) => folder.join(name).display().to_string(),
            _ => options.output.clone(),
        };
        session.write(&target, printed.as_bytes());
        // The system takes the memory back faster than we can give it.
        std::mem::forget(input);
    }
    session.finish()
}

/// What the arguments ask for; `None` is the help.
fn meaning(arguments: &[Argument]) -> Result<Option<Options>, (String, String)> {
    let mut options = Options {
        inputs: Vec::new(),
        output: "-".into(),
        print: PrintOptions::default(),
        report: Report::Text,
        threads: 0,
    };
    for argument in arguments {
        match argument {
            Argument::File(path) => options.inputs.push(path.clone()),
            Argument::Flag("sil-print-types", on) => options.print.types = *on,
            Argument::Flag("sil-print-debuginfo", on) => options.print.debug_info = *on,
            Argument::Flag("emit-sorted-sil", on) => options.print.sorted = *on,
            Argument::Flag("help" | "h", true) => return Ok(None),
            Argument::Flag(..) => {}
            Argument::Value("o", path) => options.output.clone_from(path),
            Argument::Value("j", number) => {
                options.threads = number
                    .parse()
                    .map_err(|_| (format!("`-j {number}` is no number"), "try `-j 4`".to_owned()))?;
            }
            Argument::Value("format", word) => {
                options.report = Report::from_str(word, false).map_err(|_| {
                    (format!("`-format {word}` is none"), "it is `text`, `json` or `sarif`".to_owned())
                })?;
            }
            Argument::Value(..) => {}
        }
    }
    Ok(Some(options))
}
