//! `silkit opt`: reads SIL, runs passes on it, and prints it, with the options of `sil-opt`.

mod options;
mod passes;
mod printers;
mod refusal;
mod request;

pub(crate) use options::{KnownWord, known_words, manual_arguments};
pub(crate) use passes::{kind, known, refused_pipeline, tell_left_out};

use crate::findings::Checking;
use crate::input::Input;
use crate::session::{Report, Session};
use crate::{answer, output, refuse, threads};
use passes::RunResult;
use printers::PrinterInput;
use request::Request;
use silkit::diag::{Diagnostic, Severity};
use silkit::ir::Release;
use silkit::ir::conventions::Addresses;
use silkit::library::Library;
use silkit::reference::VerifierPart;
use silkit::text::write_module;
use silkit::types::decl::Declarations;
use std::cell::OnceCell;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

/// Runs the command.
pub(crate) fn run(args: &[OsString]) -> ExitCode {
    let mut request = match options::parse(args) {
        Ok(request) => request,
        Err((message, hint)) => return refuse(&message, &hint),
    };
    if request.helps {
        return answer(&options::help(request.shows_hidden));
    }
    if request.shows_version {
        return answer(&crate::version::long());
    }
    if request.lists && request.report == Report::Sarif {
        return refuse("`--list` has no format `sarif`: passes are not rules", "expected `text` or `json`");
    }
    if request.lists {
        return answer(&passes::list(request.report));
    }
    if request.binary && output::is_standard(&request.output) && std::io::stdout().is_terminal() {
        return refuse(
            "`-emit-sib` writes binary data, and standard output is a terminal",
            "name a file: `-o FILE.sib`",
        );
    }
    threads::choose(request.threads);
    let mut session = Session::new(request.report);
    session.first_errors_only = request.expects;
    session.reading.opaque_values = request.checking.addresses == Addresses::Opaque;
    let inputs = session.inputs(&request.inputs);
    threads::start(&inputs);
    let folder = match folder(&request, inputs.len()) {
        Ok(folder) => folder,
        Err((message, hint)) => return refuse(&message, hint),
    };
    let Some(library) = session.library(&request.passes.libraries) else { return session.finish() };
    session.progress.expect(inputs.len());
    for path in &inputs {
        let Some(mut input) = session.load(path) else { continue };
        if request.print.debug_info || request.print.verbose {
            request.print.locations = input.locate_in_file();
        }
        let declarations = OnceCell::new();
        if !worked_on(&mut session, path, &mut input, (&declarations, &library), &request) {
            continue;
        }
        if let Some(dialect) = request.dialect
            && !is_converted(&mut session, path, &mut input, dialect)
        {
            continue;
        }
        session.progress.phase("printing");
        let target = match (&folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => request.output.clone(),
        };
        // Another module name changes what is declared.
        let visible = declarations.get().filter(|_| request.module_name.is_none());
        write_output(&input, visible, &request, &mut session, &target);
        // The operating system reclaims the memory at exit faster than running the destructors.
        std::mem::forget((input, declarations));
    }
    if request.expects {
        session.expect(&inputs, &request.prefixes);
    }
    session.finish()
}

/// Returns the output directory for several input files: concatenated modules could not be parsed again.
fn folder(request: &Request, inputs: usize) -> Result<Option<std::path::PathBuf>, (String, &'static str)> {
    if inputs < 2 || request.output.as_os_str() == "/dev/null" {
        return Ok(None);
    }
    let hint = "write to a directory, `-o DIR`, or run the command once for each file";
    if output::is_standard(&request.output) {
        return Err((format!("{inputs} files cannot be written to standard output as one module"), hint));
    }
    match request.output.is_dir() {
        true => Ok(Some(request.output.clone())),
        false => Err((
            format!("`{}` is not a directory, and there are {inputs} files", request.output.display()),
            hint,
        )),
    }
}

/// Processes a module as requested before output. Returns true if the module may be used. Sets its declarations if they
/// are needed.
fn worked_on(
    session: &mut Session,
    path: &Path,
    input: &mut Input,
    (declarations, library): (&OnceCell<Declarations>, &Library<'_>),
    options: &Request,
) -> bool {
    let dumps = options.verify || !options.printers.is_empty();
    let passes = !options.passes.is_empty();
    if !dumps && !passes && options.module_name.is_none() {
        return true;
    }
    let declarations = declarations.get_or_init(|| input.declarations(&[]));
    if dumps && !verified_and_dumped(session, path, input, declarations, options)
        || passes && !optimized(session, path, input, (declarations, library), options)
    {
        return false;
    }
    if let Some(name) = &options.module_name {
        silkit::set_module_name(&mut input.module, declarations, name);
    }
    true
}

/// Verifies a module and prints the requested information about it. Returns true if the module may be used.
fn verified_and_dumped(
    session: &mut Session,
    path: &Path,
    input: &Input,
    declarations: &Declarations,
    options: &Request,
) -> bool {
    let addresses = options.checking.addresses;
    session.progress.phase("verifying");
    let findings = crate::findings::errors(input, declarations, &options.checking);
    let mut checking = options.checking.clone();
    if !options.passes.is_empty() {
        // Passes may repair errors of this part of the reference's verifier, so it only checks their output.
        checking.skipped.push(VerifierPart::Swift);
    }
    if options.verify && !crate::findings::check(session, path, input, &findings, &checking) {
        suggest_output(session);
        return false;
    }
    let seen = PrinterInput { module: &input.module, declarations, addresses, findings: &findings };
    options.printers.iter().for_each(|printer| output::complain(&(printer.print)(&seen)));
    // The reference verifies the module after parsing and again before printing; tests expect each error twice.
    let tells_on = options.checking.continues_after_errors || options.checking.tells_memory;
    !(options.verify && tells_on)
        || crate::findings::check(session, path, input, &findings, &options.checking)
}

/// Adds a remark, once, on how to get the output of a module with errors.
fn suggest_output(session: &mut Session) {
    let message = "nothing is written because the module has errors; `-sil-verify-none` skips verification";
    session.push_once(Diagnostic::new(Severity::Help, message));
}

/// Runs the passes on a module and verifies the result. Returns true if the module may be used.
fn optimized(
    session: &mut Session,
    path: &Path,
    input: &mut Input,
    (declarations, library): (&Declarations, &Library<'_>),
    options: &Request,
) -> bool {
    let result = options.passes.run(session, path, input, (declarations, library), options);
    if result == RunResult::Stopped {
        return false;
    }
    session.progress.phase("verifying the output of passes on");
    if !options.verify {
        return true;
    }
    let mut checking = Checking { is_output: true, ..options.checking.clone() };
    if result == RunResult::FoundErrors {
        // Memory that the program uses too early stays uninitialized. The reference does not check it after errors
        // either.
        checking.skipped.push(VerifierPart::Memory);
    }
    let findings = crate::findings::errors(input, declarations, &checking);
    crate::findings::check(session, path, input, &findings, &checking)
}

/// Converts a module to the forms of a release of Swift. Returns false, and reports them, if forms have no equal there.
fn is_converted(session: &mut Session, path: &Path, input: &mut Input, dialect: Release) -> bool {
    let left = silkit::text::dialect::convert(&mut input.module, dialect);
    for found in &left {
        let message = match found.owner.as_str() {
            "" => format!("Swift {dialect} has no equal of {}", found.form),
            owner => format!("Swift {dialect} has no equal of {}, which `{owner}` has", found.form),
        };
        session.refuse(
            format!("cannot write `{}`: {message}", path.display()),
            "leave out `--dialect` to keep the forms that were read; docs/dialects.md lists the forms of each release",
        );
    }
    left.is_empty()
}

/// Writes a module in text or binary form.
fn write_output(
    input: &Input,
    declarations: Option<&Declarations>,
    options: &Request,
    session: &mut Session,
    target: &Path,
) {
    if options.binary {
        if let Some(bytes) = session.binary_form(&input.module, &input.source) {
            session.write(target, &bytes);
        }
        return;
    }
    session.write_with(target, |out| {
        write_module(&input.module, declarations, &options.print, &silkit::comment_name, &mut |piece| {
            out.write_all(piece.as_bytes())
        })?;
        let ids = file_ids(options.module_name.as_deref().unwrap_or("main"), &input.source);
        out.write_all(ids.as_bytes())
    });
}

/// Returns the trailing comment that maps `#fileID` to `#filePath`.
fn file_ids(module: &str, path: &str) -> String {
    let path = if path == "-" { "<stdin>" } else { path };
    let name = Path::new(path).file_name().map_or_else(|| path.into(), |n| n.to_string_lossy());
    format!("\n\n// Mappings from '#fileID' to '#filePath':\n//   '{module}/{name}' => '{path}'\n\n\n")
}
