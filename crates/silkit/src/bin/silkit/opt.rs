//! `silkit opt`: reads SIL and prints it again, with the options of `sil-opt`.

use crate::output;
use silkit::diag::{Diagnostic, Diagnostics, RuleId, SourceMap, Span, nearest, render};
use silkit::text::{PrintOptions, parse_module, print_module};
use std::process::ExitCode;

const SYNTAX: RuleId = RuleId::new("SIL0001");

const HELP: &str = "\
silkit opt: reads SIL and prints it again

USAGE: silkit opt [OPTIONS] FILE.sil

OPTIONS:
  -o FILE                 writes there instead of to standard output
  -sil-print-types        prints the type of every operand
  -sil-print-debuginfo    prints locations and scopes
  -emit-sorted-sil        sorts functions, users and predecessors
  -j N                    uses N threads (default: all cores)

Options of sil-opt that change nothing here are accepted. Example:
  silkit opt -sil-print-types examples/hello.sil -o -";

/// Options that take no value and change nothing here.
const IGNORED: &[&str] = &[
    "enable-library-evolution",
    "strict-implicit-module-context",
    "disable-sil-ownership-verifier",
    "enable-ossa-complete-lifetimes",
    "enable-ossa-verify-complete",
    "enable-objc-interop",
    "disable-objc-interop",
    "disable-implicit-swift-modules",
    "enable-experimental-concurrency",
    "enable-experimental-move-only",
    "enable-pack-metadata-stack-promotion",
    "enable-experimental-distributed",
    "enable-verify-exclusivity",
    "enable-spec-devirt",
    "enable-async-demotion",
    "enable-throws-prediction",
    "enable-noreturn-prediction",
    "enable-move-inout-stack-protector",
    "enable-ossa-modules",
    "print-stats",
    "enable-sil-verify-all",
    "sil-verify-all",
    "sil-verify-none",
    "enable-ast-verifier",
    "disable-ast-verifier",
    "remove-runtime-asserts",
    "emit-verbose-sil",
    "serialize",
    "sil-disable-ast-dump",
    "wmo",
    "enable-experimental-static-assert",
    "enable-experimental-differentiable-programming",
    "enable-experimental-cxx-interop",
    "ignore-always-inline",
    "bypass-resilience-checks",
    "debug-diagnostic-names",
    "enable-address-dependencies",
    "enable-callee-allocated-coro-abi",
    "disable-callee-allocated-coro-abi",
    "mergeable-traps",
    "enable-sil-opaque-values",
    "parse-serialized-sil",
];

/// Options that take a value and change nothing here.
const IGNORED_WITH_VALUE: &[&str] = &[
    "I",
    "F",
    "vfsoverlay",
    "module-name",
    "explicit-swift-module-map-file",
    "enable-experimental-feature",
    "enable-upcoming-feature",
    "enforce-exclusivity",
    "resource-dir",
    "sdk",
    "target",
    "opt-mode",
    "irgen-debuginfo-level",
    "assert-conf-id",
    "sil-inline-threshold",
    "module-cache-path",
    "sil-remarks",
    "sil-remarks-missed",
    "save-optimization-record-path",
    "save-optimization-record-passes",
    "save-optimization-record-format",
    "strict-concurrency",
    "enable-copy-propagation",
    "unavailable-decl-optimization",
    "Xcc",
    "swift-version",
    "enable-lexical-lifetimes",
    "Xllvm",
];

/// Options that change what is done.
const KNOWN: &[&str] = &["o", "sil-print-types", "sil-print-debuginfo", "emit-sorted-sil", "j", "help"];

struct Options {
    input: Option<String>,
    output: String,
    print: PrintOptions,
    threads: usize,
    help: bool,
}

/// Runs the command.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let options = match parse(args) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::FAILURE;
        }
    };
    if options.help {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    if options.threads > 0 {
        // Only the first call in a process can set it, and this is the first.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build_global();
    }
    match process(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn parse(args: &[String]) -> Result<Options, String> {
    let mut options =
        Options { input: None, output: "-".into(), print: PrintOptions::default(), threads: 0, help: false };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let Some(name) = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-')).filter(|n| !n.is_empty())
        else {
            if options.input.replace(arg.clone()).is_some() {
                return Err(format!("`{arg}` is a second input file; sil-opt takes one"));
            }
            continue;
        };
        let (name, inline) = name.split_once('=').map_or((name, None), |(n, v)| (n, Some(v.to_string())));
        let mut value =
            || inline.clone().or_else(|| args.next().cloned()).ok_or(format!("`-{name}` needs a value"));
        match name {
            "o" => options.output = value()?,
            "j" => options.threads = value()?.parse().map_err(|_| "`-j` takes a number".to_string())?,
            "sil-print-types" => options.print.types = true,
            "sil-print-debuginfo" => options.print.debug_info = true,
            "emit-sorted-sil" => options.print.sorted = true,
            "help" | "h" => options.help = true,
            _ if IGNORED.contains(&name) => {}
            _ if IGNORED_WITH_VALUE.contains(&name) => _ = value()?,
            _ if name.starts_with('I') || name.starts_with('F') => {}
            _ => {
                let all = KNOWN.iter().chain(IGNORED).chain(IGNORED_WITH_VALUE).copied();
                let hint = nearest(name, all).map_or(String::new(), |n| format!("; did you mean `-{n}`?"));
                return Err(format!("unknown option `{arg}`{hint}"));
            }
        }
    }
    Ok(options)
}

fn process(options: &Options) -> Result<bool, String> {
    let input = options.input.as_deref().unwrap_or("-");
    let bytes = output::read(input).map_err(|e| format!("cannot read `{input}`: {e}"))?;
    let text = String::from_utf8(bytes)
        .map_err(|e| format!("`{input}` is no text: byte {} is not UTF-8", e.utf8_error().valid_up_to()))?;
    if u32::try_from(text.len()).is_err() {
        return Err(format!("`{input}` is larger than 4 GiB"));
    }
    let parsed = parse_module(&text);
    if !parsed.errors.is_empty() {
        let mut sources = SourceMap::new();
        let file = sources.add(input, text).map_err(|e| e.to_string())?;
        let mut found = Diagnostics::new();
        for error in &parsed.errors {
            let span = Span::new(file, error.range.start, error.range.end);
            let mut diagnostic = Diagnostic::error(SYNTAX, error.message.to_string()).at(span);
            if let Some(help) = &error.help {
                diagnostic = diagnostic.note(help.clone());
            }
            found.push(diagnostic);
        }
        eprint!("{}", render::short(found.sorted(), &sources));
        return Ok(false);
    }
    let printed = print_module(&parsed.module, &options.print, &|_| None);
    output::write(&options.output, printed.as_bytes())
        .map_err(|e| format!("cannot write `{}`: {e}", options.output))?;
    // The system takes the memory back faster than we can give it.
    std::mem::forget(parsed);
    Ok(true)
}
