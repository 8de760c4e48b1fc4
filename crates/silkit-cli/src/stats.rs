//! `silkit stats`: counts the contents of a module, by kind of instruction.

use crate::input::{Input, name_of};
use crate::session::{Report, Session};
use crate::shown;
use crate::threads;
use serde_json::{Map, Value, json};
use silkit::ir::{FunctionId, Module, Opcode};
use std::fmt::Write;
use std::ops::AddAssign;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  silkit stats examples/shapes.raw.sil
  silkit stats examples/*.sil | head
  silkit stats --function '*Canvas*' examples/shapes.raw.sil
  silkit stats --format json examples/*.sil | jq '.files[] | {file, instructions}'";

/// Count functions, blocks and instructions, by kind
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Count only these functions, by mangled or demangled name, a unique part, or a pattern with `*`
    #[arg(long, short, value_name = "NAME")]
    function: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    /// Tables for humans
    #[default]
    #[value(name = "text", alias = "table")]
    Table,
    /// JSON
    Json,
}

/// The counts of a module. Counts that are not per instruction kind have separate names.
#[derive(Clone)]
struct Counts {
    entities: [(&'static str, usize); ENTITIES],
    kinds: Vec<usize>,
}

const ENTITIES: usize = 9;

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(if args.format == Format::Json { Report::Json } else { Report::Text });
    let mut files: Vec<(String, Counts)> = Vec::new();
    let paths = session.inputs(&args.files);
    threads::start(&paths);
    for path in paths {
        // The files are processed in sequence, so that only one is in memory.
        let Some(input) = session.load(&path) else { continue };
        let functions = match args.function.as_slice() {
            [] => Some(input.module.functions.keys().collect()),
            names => session.bodies_named(&input.module, &path, names),
        };
        if let Some(functions) = functions {
            files.push((name_of(&path), count(&input, &functions, args.function.is_empty())));
        }
    }
    let Some((_, first)) = files.first() else { return session.finish() };
    let mut total = first.clone();
    for (_, counts) in &files[1..] {
        total += counts;
    }
    let text = match args.format {
        Format::Table => as_table(&files, &total),
        Format::Json => as_json(&files, &total),
    };
    session.answer(&text);
    session.finish()
}

/// Counts the contents of the given functions, and with `is_whole` the rest of the module too.
fn count(input: &Input, functions: &[FunctionId], is_whole: bool) -> Counts {
    let module: &Module = &input.module;
    let bodies_of = || functions.iter().filter_map(|&id| module.functions[id].body.as_ref());
    let others = |count: usize| if is_whole { count } else { 0 };
    let mut kinds = vec![0; Opcode::ALL.len()];
    let (mut blocks, mut bodies) = (0, 0);
    let initializers = module.globals.values().filter_map(|g| g.initializer.as_ref()).filter(|_| is_whole);
    for body in bodies_of() {
        bodies += 1;
        blocks += body.block_count();
    }
    for body in bodies_of().chain(initializers) {
        for inst in body.insts() {
            kinds[body.inst(inst).opcode as usize] += 1;
        }
    }
    let entities = [
        ("bytes", others(input.size)),
        ("functions", functions.len()),
        ("bodies", bodies),
        ("blocks", blocks),
        ("instructions", kinds.iter().sum()),
        ("globals", others(module.globals.len())),
        ("vtables", others(module.vtables.len())),
        ("witness_tables", others(module.witness_tables.len() + module.default_witness_tables.len())),
        ("scopes", others(module.scopes.len())),
    ];
    Counts { entities, kinds }
}

impl AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, other: &Counts) {
        self.entities.iter_mut().zip(&other.entities).for_each(|(a, b)| a.1 += b.1);
        self.kinds.iter_mut().zip(&other.kinds).for_each(|(a, b)| *a += b);
    }
}

impl Counts {
    fn get(&self, name: &str) -> usize {
        self.entities.iter().find(|e| e.0 == name).map_or(0, |e| e.1)
    }

    /// Returns the instruction kinds that occur, most frequent first.
    fn ranked(&self) -> Vec<(&'static str, usize)> {
        let all = Opcode::ALL.iter().map(|&o| (o.info().name, self.kinds[o as usize]));
        let mut rows: Vec<_> = all.filter(|r| r.1 > 0).collect();
        rows.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        rows
    }

    fn json(&self) -> Map<String, Value> {
        let mut object: Map<String, Value> =
            self.entities.iter().map(|(name, n)| ((*name).to_owned(), json!(n))).collect();
        let kinds: Map<String, Value> =
            self.ranked().into_iter().map(|(name, n)| (name.to_owned(), json!(n))).collect();
        object.insert("kinds".to_owned(), kinds.into());
        object
    }
}

fn as_table(files: &[(String, Counts)], total: &Counts) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    if files.len() > 1 {
        let _ = writeln!(out, "{:>10} {:>10} {:>12}", "bytes", "functions", "instructions");
        for (name, c) in files {
            let (bytes, functions, insts) = (c.get("bytes"), c.get("functions"), c.get("instructions"));
            let _ = writeln!(out, "{bytes:>10} {functions:>10} {insts:>12}  {name}");
        }
        out.push('\n');
    }
    for (name, n) in total.entities {
        let _ = match name {
            "functions" => {
                writeln!(out, "{n:>10} {}, {} with a body", noun(n, "functions"), total.get("bodies"))
            }
            "bodies" => Ok(()),
            _ if n == 0 && !matches!(name, "blocks" | "instructions") => Ok(()),
            _ => writeln!(out, "{n:>10} {}", noun(n, name)),
        };
    }
    let all = total.get("instructions").max(1) as f64;
    let rows = total.ranked();
    out.push_str(if rows.is_empty() { "" } else { "\n" });
    for (name, n) in rows {
        let _ = writeln!(out, "{n:>10} {:>5.1} %  {name}", n as f64 * 100.0 / all);
    }
    out
}

/// Returns the name of a count, in the singular for one.
fn noun(count: usize, plural: &str) -> String {
    let noun = if count == 1 { plural.trim_end_matches('s') } else { plural };
    noun.replace('_', " ")
}

fn as_json(files: &[(String, Counts)], total: &Counts) -> String {
    let files: Vec<Value> = files
        .iter()
        .map(|(name, counts)| {
            let mut file = counts.json();
            file.insert("file".to_owned(), name.as_str().into());
            file.into()
        })
        .collect();
    shown::json(&json!({"files": files, "total": total.json()}))
}
