//! `silkit nm`: lists the symbols of a module, like `sil-nm`.

use crate::extent::Extent;
use crate::frontend::FrontEnd;
use crate::input::name_of;
use crate::session::{Format, Session};
use crate::shown;
use crate::threads;
use serde_json::{Value, json};
use silkit::demangle::{Style, demangle};
use silkit::ir::{ClassRef, Conformance, Linkage, Module, WitnessTable, WitnessTableOf};
use silkit::mangle::{self, Naming};
use silkit::types::TypeKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Letters: F functions, G global variables, V vtables, W witness tables.

Examples:
  silkit nm examples/shapes.raw.sil
  silkit nm --demangle examples/shapes.raw.sil
  silkit nm -g --defined-only examples/effects.raw.sil
  silkit nm --format json examples/*.sil";

/// List functions, global variables, vtables and witness tables
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Print demangled names
    #[arg(long)]
    demangle: bool,
    /// List only symbols with public or package linkage, which other modules can refer to
    #[arg(short = 'g', long)]
    extern_only: bool,
    /// List only symbols that the file defines
    #[arg(long)]
    defined_only: bool,
    #[command(flatten)]
    extent: Extent,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    front_end: FrontEnd,
}

/// The letter of a symbol kind in text output, and its name in JSON.
type Kind = (char, &'static str);
const FUNCTION: Kind = ('F', "function");
const GLOBAL: Kind = ('G', "global");
const VTABLE: Kind = ('V', "vtable");
const WITNESS_TABLE: Kind = ('W', "witness_table");

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(args.format.into());
    let (mut text, mut rows) = (String::new(), Vec::new());
    let mut all = 0;
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let paths = session.inputs(&args.files);
    threads::start(&paths);
    for path in &paths {
        let Some(input) = session.load(path) else { continue };
        if paths.len() > 1 && !args.extent.stat && args.format == Format::Text {
            text += &format!("{}{}:\n", if text.is_empty() { "" } else { "\n" }, path.display());
        }
        let is_listed = |symbol: &SymbolEntry| {
            (symbol.is_external || !args.extern_only) && (symbol.is_defined || !args.defined_only)
        };
        for symbol in symbols(&input.module, path).into_iter().filter(is_listed) {
            let SymbolEntry { kind: (letter, kind), name, .. } = symbol;
            all += 1;
            counts.entry(kind).or_default()[usize::from(symbol.is_defined)] += 1;
            if args.extent.stat || all > args.extent.of(all) {
                continue;
            }
            match args.format {
                Format::Text if args.demangle => {
                    text += &format!("{letter} {}\n", demangle(&name, Style::Full).unwrap_or(name));
                }
                Format::Text => text += &format!("{letter} {name}\n"),
                Format::Json => rows.push(json!({
                    "file": name_of(path), "kind": kind, "demangled": demangle(&name, Style::Full), "name": name,
                    "external": symbol.is_external, "defined": symbol.is_defined,
                })),
            }
        }
    }
    if args.format == Format::Json {
        text = shown::json(&Value::from(rows));
    }
    if args.extent.stat {
        let row =
            |(kind, [declared, defined]): (&str, [usize; 2])| (kind.replace('_', " "), defined, declared);
        let rows: Vec<_> = counts.into_iter().map(row).collect();
        text = match args.format {
            Format::Json => shown::json(&Value::from_iter(rows.iter().map(
                |(kind, defined, declared)| json!({"kind": kind, "defined": defined, "declared": declared}),
            ))),
            Format::Text => rows
                .iter()
                .map(|(kind, defined, declared)| {
                    format!("{kind:14}{defined:>9} defined{declared:>9} declared\n")
                })
                .collect(),
        };
    }
    session.answer(&text);
    if !args.extent.stat {
        args.extent.note_omitted(all, "symbol");
    }
    session.finish()
}

/// A symbol of a module.
struct SymbolEntry {
    kind: Kind,
    name: String,
    /// True if other modules can refer to it.
    is_external: bool,
    /// True if the module defines it.
    is_defined: bool,
}

impl SymbolEntry {
    fn new(kind: Kind, name: impl Into<String>, linkage: Linkage, is_defined: bool) -> Self {
        let is_external = matches!(
            linkage,
            Linkage::Default
                | Linkage::Public
                | Linkage::PublicNonAbi
                | Linkage::PublicExternal
                | Linkage::Package
                | Linkage::PackageNonAbi
                | Linkage::PackageExternal
        );
        Self { kind, name: name.into(), is_external, is_defined }
    }
}

/// Returns all symbols: grouped by kind in the order of the reference, and sorted by name in each group.
fn symbols(module: &Module, path: &Path) -> Vec<SymbolEntry> {
    let functions = module.functions.values();
    let mut all: Vec<SymbolEntry> =
        functions.map(|f| SymbolEntry::new(FUNCTION, f.name.as_str(), f.linkage, f.body.is_some())).collect();
    let globals = module.globals.values();
    all.extend(
        globals.map(|g| SymbolEntry::new(GLOBAL, g.name.as_str(), g.linkage, !g.linkage.is_external())),
    );
    all.extend(module.vtables.values().map(|table| {
        let name = match &table.class {
            ClassRef::Name(name) => name.as_str(),
            // A specialized class is listed under the name of its declaration.
            ClassRef::Type(ty) => match ty.ty().kind() {
                TypeKind::Named(named) => named.name.as_str(),
                _ => "",
            },
        };
        // Vtables are found through their classes, not by a symbol.
        SymbolEntry::new(VTABLE, name, Linkage::Private, true)
    }));
    if !module.witness_tables.is_empty() {
        let declarations = silkit::declarations(module);
        let file = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        let naming = Naming { file, ..Naming::default() };
        all.extend(module.witness_tables.values().map(|table| {
            let name = mangle::witness_table(table, &declarations, &naming).unwrap_or_else(|| title(table));
            SymbolEntry::new(WITNESS_TABLE, name, table.linkage, table.entries.is_some())
        }));
    }
    let order = |kind: Kind| [FUNCTION, GLOBAL, WITNESS_TABLE, VTABLE].iter().position(|k| *k == kind);
    all.sort_by(|a, b| (order(a.kind), &a.name).cmp(&(order(b.kind), &b.name)));
    all
}

/// Returns the conformance as text, for a witness table whose mangled name cannot be computed.
fn title(table: &WitnessTable) -> String {
    let mut conformance = match &table.of {
        WitnessTableOf::Conformance(conformance) => conformance,
        WitnessTableOf::Protocol(protocol) => return protocol.to_string(),
    };
    loop {
        match conformance {
            Conformance::Normal { ty, protocol, module, .. } => {
                return format!("{ty}: {protocol} module {module}");
            }
            Conformance::Abstract { ty, protocol } => return format!("{ty}: {protocol}"),
            Conformance::Dependent(ty) => {
                return ty.map_or("dependent".to_owned(), |t| format!("dependent {t}"));
            }
            Conformance::Specialized { inner, .. } | Conformance::Inherited { inner, .. } => {
                conformance = inner
            }
        }
    }
}
