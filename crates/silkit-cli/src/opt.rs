//! `silkit opt`: reads SIL and prints it again, with the options of `sil-opt`.

use crate::input::Input;
use crate::opt_options::{self, Argument};
use crate::passes::{self, Passes};
use crate::printers::{PRINTERS, Printer, Seen};
use crate::session::{Report, Session};
use crate::verify::Checking;
use crate::{output, refuse, use_threads};
use clap::ValueEnum;
use silkit::ir::Module;
use silkit::ir::conventions::Addresses;
use silkit::reference::Part;
use silkit::text::{PrintOptions, print_module};
use silkit::types::decl::Declarations;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
Reads SIL and prints it again, with the options of sil-opt

Usage: silkit opt [OPTIONS] [FILES]...

Options:
  -o FILE                    writes there instead of to standard output; a folder for several files
  -emit-sib                  writes the binary form, which every command reads in place of text
  -sil-print-types           prints the type of every operand
  -sil-print-debuginfo       prints locations and scopes
  -emit-sorted-sil           sorts functions, users and predecessors
  -verify                    compares errors with the file's `// expected-error {{…}}`
  -verify-additional-prefix P
                             reads `// expected-Perror {{…}}` too
  -format text|json|sarif    how errors are shown
  -sil-verify-none           does not verify what was read
  -verify-continue-on-failure
                             says what is wrong in the words of sil-opt, and prints the module
  -ownership-dumper          prints how instructions use their operands
  -ownership-verifier-textual-error-dumper
                             prints errors of ownership in the words of sil-opt
  -TAG                       runs the pass with this tag; several run in order
  --passes 'function(a,b*)'  runs a pipeline; `*` repeats a pass until it changes nothing more,
                             and the name of one that `silkit pipelines` lists stands for its passes
  --list                     lists the passes
  --print-before TAG, --print-after TAG, --print-all
                             prints functions before or after passes
  -sil-print-before PART, -sil-print-after PART, -sil-print-around PART
                             the same for all passes whose tags contain this
  -sil-print-function NAME, -sil-print-functions PART
                             prints only functions with this name, or this in it
  -sil-print-pass-name       names each run of a pass before it begins
  -sil-print-last            prints before and after the last run of -sil-opt-pass-count
  -sil-disable-pass PART     leaves out passes whose tags contain this
  --print-changed=diff       prints what each pass changed
  --verify-each              verifies after each pass, and stops at the first error
  --time-passes, --stats     tells how long passes took, and what they counted
  -sil-opt-pass-count N.M    stops after N runs of passes, the last after M transformations
  -j N                       uses N threads (default: all cores)
  -help                      prints this

`-Xllvm` may stand before an option. Further options of sil-opt that tests use, and that mean nothing here,
are accepted.

Examples:
  silkit opt examples/shapes.raw.sil
  silkit opt -sil-print-types examples/shapes.raw.sil -o typed.sil
  swiftc -emit-silgen a.swift | silkit opt -emit-sorted-sil -
";

struct Options {
    /// Whether the passes are to be listed, and nothing else is to be done.
    lists: bool,
    inputs: Vec<String>,
    output: String,
    print: PrintOptions,
    binary: bool,
    report: Report,
    threads: usize,
    verify: bool,
    checking: Checking,
    /// What prints before the module, in the order in which it was asked for.
    printers: Vec<&'static Printer>,
    passes: Passes,
    /// The module that is built, where it is named.
    module_name: Option<String>,
    /// Whether the files say what is wrong with them, and the prefixes with which they may.
    expects: bool,
    prefixes: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let mut options = match opt_options::parse(args).and_then(|arguments| meaning(&arguments)) {
        Ok(Some(options)) if !options.lists => options,
        Ok(None) => {
            output::say(HELP);
            return ExitCode::SUCCESS;
        }
        Ok(Some(_)) => {
            output::say(&passes::list());
            return ExitCode::SUCCESS;
        }
        Err((message, hint)) => return refuse(&message, &hint),
    };
    if options.binary && options.output == "-" && std::io::stdout().is_terminal() {
        return refuse(
            "`-emit-sib` writes no text, and a terminal shows nothing else",
            "name a file: `-o FILE.sib`",
        );
    }
    use_threads(options.threads);
    let mut session = Session::new(options.report);
    session.first_errors_only = options.expects;
    session.reading.opaque_values = options.checking.addresses == Addresses::Opaque;
    let inputs = session.inputs(&options.inputs);
    let folder = (inputs.len() > 1 && options.output != "-").then(|| Path::new(&options.output));
    if folder.is_some_and(|f| !f.is_dir()) {
        let message = format!("`{}` is no folder, and there are several files", options.output);
        return refuse(&message, "make the folder first, or name one file");
    }
    for path in &inputs {
        let path = path.as_str();
        let Some(mut input) = session.load(path) else { continue };
        if !worked_on(&mut session, path, &mut input, &options) {
            continue;
        }
        if options.print.debug_info || options.print.verbose {
            options.print.source = input.source_file();
        }
        let Some(output) = output_of(&input.module, &options, &mut session, &input.source) else { continue };
        let target = match (folder, Path::new(path).file_name()) {
            (Some(folder), Some(name)) => folder.join(name).display().to_string(),
            _ => options.output.clone(),
        };
        session.write(&target, &output);
        // The system takes the memory back faster than we can give it.
        std::mem::forget(input);
    }
    if options.expects {
        session.expect(&inputs, &options.prefixes);
    }
    session.finish()
}

/// Does with a module what was asked for before it is written. Whether it may be used.
fn worked_on(session: &mut Session, path: &str, input: &mut Input, options: &Options) -> bool {
    let dumps = options.verify || !options.printers.is_empty();
    let passes = !options.passes.is_empty();
    if !dumps && !passes && options.module_name.is_none() {
        return true;
    }
    let declarations = silkit::declarations(&input.module);
    if dumps && !verified_and_dumped(session, path, input, &declarations, options)
        || passes && !optimized(session, path, input, &declarations, options)
    {
        return false;
    }
    if let Some(name) = &options.module_name {
        silkit::set_module_name(&mut input.module, &declarations, name);
    }
    true
}

/// Verifies a module and prints what was asked for about it. Whether it may be used.
fn verified_and_dumped(
    session: &mut Session,
    path: &str,
    input: &Input,
    declarations: &Declarations,
    options: &Options,
) -> bool {
    let addresses = options.checking.addresses;
    let findings = crate::verify::errors(input, declarations, addresses);
    let mut checking = options.checking.clone();
    if !options.passes.is_empty() {
        // What this part of the reference's verifier looks at may be repaired by passes: it sees their output alone.
        checking.skipped.push(Part::Swift);
    }
    if options.verify && !crate::verify::check(session, path, input, &findings, &checking) {
        return false;
    }
    let seen = Seen { module: &input.module, declarations, addresses, findings: &findings };
    options.printers.iter().for_each(|printer| output::complain(&(printer.print)(&seen)));
    // The reference verifies what it has read, and again what it will print; tests count on being told twice.
    let tells_on = options.checking.goes_on || options.checking.tells_memory;
    !(options.verify && tells_on) || crate::verify::check(session, path, input, &findings, &options.checking)
}

/// Runs the passes on a module, and verifies what comes out. Whether it may be used.
fn optimized(
    session: &mut Session,
    path: &str,
    input: &mut Input,
    declarations: &Declarations,
    options: &Options,
) -> bool {
    if !options.passes.run(session, path, input, declarations, &options.print) {
        return false;
    }
    let addresses = options.checking.addresses;
    !options.verify || {
        let findings = crate::verify::errors(input, declarations, addresses);
        crate::verify::check(session, path, input, &findings, &options.checking)
    }
}

/// The text or the binary form of a module.
fn output_of(module: &Module, options: &Options, session: &mut Session, path: &str) -> Option<Vec<u8>> {
    if !options.binary {
        let mut printed = print_module(module, &options.print, &silkit::comment_name);
        printed.push_str(&file_ids(options.module_name.as_deref().unwrap_or("main"), path));
        return Some(printed.into_bytes());
    }
    session.binary_form(module, path)
}

/// The comment at the end that says which file a `#fileID` means.
fn file_ids(module: &str, path: &str) -> String {
    let path = if path == "-" { "<stdin>" } else { path };
    let name = Path::new(path).file_name().map_or_else(|| path.into(), |n| n.to_string_lossy());
    format!("\n\n// Mappings from '#fileID' to '#filePath':\n//   '{module}/{name}' => '{path}'\n\n\n")
}

/// What the arguments ask for; `None` is the help.
fn meaning(arguments: &[Argument]) -> Result<Option<Options>, (String, String)> {
    let mut options = Options {
        lists: false,
        inputs: Vec::new(),
        output: "-".into(),
        print: PrintOptions::default(),
        binary: false,
        report: Report::Text,
        threads: 0,
        verify: true,
        checking: Checking::default(),
        printers: Vec::new(),
        passes: Passes::default(),
        module_name: None,
        expects: false,
        prefixes: Vec::new(),
    };
    opt_options::check_features(arguments)?;
    for argument in arguments {
        if options.passes.take(argument)? {
            continue;
        }
        match argument {
            Argument::File(path) => options.inputs.push(path.clone()),
            Argument::Flag("emit-sib" | "serialize", on) => options.binary = *on,
            Argument::Flag("sil-print-types", on) => {
                options.print.types = *on;
                options.passes.set("sil-print-types", *on);
            }
            Argument::Flag("sil-print-debuginfo", on) => options.print.debug_info = *on,
            Argument::Flag("emit-verbose-sil", on) => options.print.verbose = *on,
            Argument::Flag("emit-sorted-sil", on) => options.print.sorted = *on,
            Argument::Flag("sil-verify-none", on) => options.verify = !on,
            Argument::Flag("enable-sil-opaque-values", true) => {
                options.checking.addresses = Addresses::Opaque;
                options.passes.set("enable-sil-opaque-values", true);
            }
            Argument::Flag("verify-continue-on-failure", on) => options.checking.goes_on = *on,
            Argument::Flag("dont-abort-on-memory-lifetime-errors", on) => options.checking.tells_memory = *on,
            Argument::Flag("disable-swift-verification", true) => options.checking.skipped.push(Part::Swift),
            Argument::Flag(
                "sil-ownership-verifier-enable-testing" | "disable-sil-ownership-verifier",
                true,
            ) => {
                options.checking.skipped.push(Part::Ownership);
            }
            Argument::Flag("list", on) => options.lists = *on,
            Argument::Flag("help" | "h", true) => return Ok(None),
            Argument::Flag("sil-disable-input-verify", true) => options.verify = false,
            Argument::Flag("verify", on) => options.expects = *on,
            Argument::Flag(name, true) => {
                options.printers.extend(PRINTERS.iter().filter(|p| p.name == *name))
            }
            Argument::Flag(..) => {}
            Argument::Value("verify-additional-prefix", prefix) => options.prefixes.push(prefix.clone()),
            Argument::Value("module-name", name) => options.module_name = Some(name.clone()),
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
