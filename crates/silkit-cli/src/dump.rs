//! `silkit dump`: what a module file of the Swift compiler contains.

use crate::input::name_of;
use crate::session::{Format, Session};
use serde_json::{Value, json};
use silkit::demangle::{Style, demangle};
use silkit::swiftmodule::{Damage, Decoder, Opcodes, SwiftModule};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Without an option, the summary of each file: versions, target, options, imports, counts. The
lines of `--records` are those of `llvm-bcanalyzer -dump`.

Examples:
  silkit dump Swift.swiftmodule
  silkit dump --functions --demangle main.sib
  silkit dump --statistics --format json main.sib
  silkit dump --records main.sib | grep SIL_FUNCTION";

/// Show the contents of Swift's own module files: .swiftmodule and .sib
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Show all blocks and records
    #[arg(long, conflicts_with_all = ["functions", "statistics", "format"])]
    records: bool,
    /// List the SIL functions with their sizes in bytes
    #[arg(long)]
    functions: bool,
    /// Print demangled names of functions
    #[arg(long, requires = "functions")]
    demangle: bool,
    /// Print one function as SIL, by its mangled name, a unique part of it, or its demangled name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["records", "functions", "statistics", "format"])]
    function: Option<String>,
    /// Say why bodies cannot be read, with counts
    #[arg(long, conflicts_with_all = ["records", "functions", "statistics", "format"])]
    refused: bool,
    /// Count records by kind
    #[arg(long)]
    statistics: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(args.format.into());
    let (mut text, mut files) = (String::new(), Vec::new());
    let paths = session.inputs(&args.files);
    for path in &paths {
        let Some(module) = session.swift_module(path) else { continue };
        if args.records {
            session.write_with(Path::new("-"), |out| module.write_records(out));
            continue;
        }
        if let Some(name) = &args.function {
            one_function(&mut session, &module, path, name, &mut text);
            continue;
        }
        if args.refused {
            match refusals(&module) {
                Ok(lines) => text += &lines,
                Err(damage) => session.damaged_module(path, &damage),
            }
            continue;
        }
        match contents(&module, args) {
            Ok(value) if args.format == Format::Json => {
                let mut value = value;
                value["file"] = name_of(path).into();
                files.push(value);
            }
            Ok(value) => {
                if paths.len() > 1 {
                    let _ = writeln!(text, "{}{}:", if text.is_empty() { "" } else { "\n" }, path.display());
                }
                show(&mut text, &value, args);
            }
            Err(damage) => session.damaged_module(path, &damage),
        }
    }
    if args.records {
        return session.finish();
    }
    if args.format == Format::Json {
        text = format!("{:#}\n", Value::from(files));
    }
    session.answer(&text);
    session.finish()
}

/// Appends a function as SIL. Only it is decoded.
fn one_function(session: &mut Session, module: &SwiftModule, path: &Path, name: &str, text: &mut String) {
    let places = match module.functions() {
        Ok(places) => places,
        Err(damage) => return session.damaged_module(path, &damage),
    };
    let exact = places.iter().find(|place| place.name == name);
    let mut similar = places.iter().filter(|place| {
        place.name.contains(name) || demangle(&place.name, Style::Simplified).is_some_and(|n| n == name)
    });
    let found = exact.or_else(|| similar.next().filter(|_| similar.next().is_none()));
    let Some(place) = found else {
        let message = format!("no single function of `{}` is called `{name}`", path.display());
        return session.refuse(message, "`silkit dump --functions` lists them");
    };
    let read = Decoder::new(module).and_then(|mut decoder| decoder.function_at(place));
    match read {
        Ok((function, refused)) => {
            let mut one = silkit::ir::Module::default();
            let _ = one.functions.push(function);
            *text += &silkit::print(&one);
            if let Some(damage) = refused {
                let message = format!("the body of `{}` cannot be read yet: {damage}", place.name);
                session.refuse(message, "`silkit dump --records` shows its records");
            }
        }
        Err(damage) => session.damaged_module(path, &damage),
    }
}

/// Returns the reasons why bodies cannot be read, the most frequent first.
fn refusals(module: &SwiftModule) -> Result<String, Damage> {
    let read = module.module()?;
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for (_, damage) in &read.refused {
        *counts.entry(damage.message()).or_default() += 1;
    }
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let functions = read.module.functions.len();
    let mut text =
        format!("{} of {functions} functions have a body that cannot be read\n", read.refused.len());
    for (reason, count) in rows {
        let _ = writeln!(text, "{count:>10} {}", printable(reason));
    }
    Ok(text)
}

/// Returns what the options ask for, as JSON: the text is made from it, so that both say the same.
fn contents(module: &SwiftModule, args: &Args) -> Result<Value, Damage> {
    let functions = module.functions()?;
    if args.functions {
        let rows = functions.iter().map(|f| {
            json!({ "name": f.name, "demangled": demangle(&f.name, Style::Full), "bytes": f.bits.div_ceil(8) })
        });
        return Ok(json!({ "functions": rows.collect::<Vec<_>>() }));
    }
    if args.statistics {
        let found = module.statistics();
        let rows = found.kinds.iter().map(|kind| {
            json!({
                "block": kind.block, "record": kind.record, "count": kind.count, "bytes": kind.bits.div_ceil(8)
            })
        });
        let mut value = json!({ "records": rows.collect::<Vec<_>>() });
        if let Some(damage) = &found.damage {
            value["damage"] = damage.to_string().into();
        }
        return Ok(value);
    }
    let control = &module.control;
    let options = control
        .options
        .iter()
        .map(|(name, fields, text)| json!({ "name": name, "fields": fields, "text": text }));
    let imports = module.imports.iter().map(|import| json!({ "module": import.path, "kind": import.kind }));
    let dependencies = module
        .dependencies
        .iter()
        .map(|found| json!({ "kind": found.kind, "text": found.text, "fields": found.fields }));
    let symbols = |table: &str| module.names_in(table);
    Ok(json!({
        "module": control.name,
        "kind": if control.is_sib() { "sib" } else { "swiftmodule" },
        "format": { "major": control.format.0, "minor": control.format.1 },
        "format_known": control.format.0 == 0 && Opcodes::of(control.format.1).is_some(),
        "swift": control.swift,
        "compiler": control.compiler,
        "target": control.target,
        "options": options.collect::<Vec<_>>(),
        "imports": imports.collect::<Vec<_>>(),
        "dependencies": dependencies.collect::<Vec<_>>(),
        "functions": functions.len(),
        "globals": symbols("SIL_GLOBALVAR_NAMES")?,
        "vtables": symbols("SIL_VTABLE_NAMES")?,
        "deinits": symbols("SIL_MOVEONLYDEINIT_NAMES")?,
        "tables": module.tables().map(|(name, size)| (name.to_owned(), size.into())).collect::<serde_json::Map<_, _>>(),
    }))
}

/// Appends what [`contents`] returned as text for humans.
fn show(text: &mut String, value: &Value, args: &Args) {
    if args.functions {
        for row in rows(value, "functions") {
            let name = if args.demangle { row["demangled"].as_str() } else { None };
            let name = name.or(row["name"].as_str()).unwrap_or_default();
            let _ = writeln!(text, "{:>10} {}", row["bytes"].as_u64().unwrap_or(0), printable(name));
        }
        return;
    }
    if args.statistics {
        let _ = writeln!(text, "     count      bytes record");
        for row in rows(value, "records") {
            let (block, record) = (row["block"].as_str(), row["record"].as_str());
            let _ = writeln!(
                text,
                "{:>10} {:>10} {}: {}",
                row["count"].as_u64().unwrap_or(0),
                row["bytes"].as_u64().unwrap_or(0),
                printable(block.unwrap_or_default()),
                printable(record.unwrap_or_default()),
            );
        }
        if let Some(damage) = value["damage"].as_str() {
            let _ = writeln!(text, "damaged: {damage}");
        }
        return;
    }
    let word = |key: &str| printable(value[key].as_str().unwrap_or_default());
    let _ = writeln!(text, "module: {} ({})", word("module"), word("kind"));
    let known = if value["format_known"] == true { "" } else { ", which this silkit does not know" };
    let _ = writeln!(text, "format: {}.{}{known}", value["format"]["major"], value["format"]["minor"]);
    let _ = writeln!(text, "swift: {}", word("swift"));
    let _ = writeln!(text, "compiler: {}", word("compiler"));
    let _ = writeln!(text, "target: {}", word("target"));
    for option in rows(value, "options") {
        let fields: String = rows(option, "fields").map(|field| format!(" {field}")).collect();
        let (name, value) = (option["name"].as_str(), option["text"].as_str().unwrap_or_default());
        let space = if value.is_empty() { "" } else { " " };
        let name = printable(name.unwrap_or_default());
        let _ = writeln!(text, "option: {name}{fields}{space}{}", printable(value));
    }
    for import in rows(value, "imports") {
        let (module, kind) = (import["module"].as_str(), import["kind"].as_str());
        let _ = writeln!(
            text,
            "import: {} ({})",
            printable(module.unwrap_or_default()),
            kind.unwrap_or_default()
        );
    }
    for found in rows(value, "dependencies") {
        let (kind, name) = (found["kind"].as_str(), found["text"].as_str());
        let kind = printable(kind.unwrap_or_default());
        let _ = writeln!(text, "dependency: {kind} {}", printable(name.unwrap_or_default()));
    }
    for (one, many) in [("global", "globals"), ("vtable", "vtables"), ("deinit", "deinits")] {
        for symbol in rows(value, many) {
            let _ = writeln!(text, "{one}: {}", printable(symbol.as_str().unwrap_or_default()));
        }
    }
    let _ = writeln!(text, "functions: {}", value["functions"]);
    if let Some(tables) = value["tables"].as_object() {
        for (name, size) in tables {
            let _ = writeln!(text, "table: {} {size}", printable(name));
        }
    }
}

fn rows<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

/// Returns a text of the file without control characters.
fn printable(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_debug().collect() } else { vec![c] }).collect()
}
