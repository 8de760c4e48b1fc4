//! `silkit alias`: tells whether two values may alias, and which rule decided.

use crate::extent::Extent;
use crate::session::{Format, Session};
use crate::shown;
use crate::wrap;
use serde_json::{Value as Json, json};
use silkit::analysis::alias::{AccessBase, Aliases, Relation};
use silkit::analysis::{ProgramFacts, ProgramView};
use silkit::diag::{Diagnostic, Severity};
use silkit::ir::{Body, FunctionId, Module, Value};
use silkit::text::Dump;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Values are numbered as `silkit opt` prints them; without values, all pairs of addresses are
listed. The effects of calls are known if the file states them: `silkit opt
-compute-escape-effects -compute-side-effects` adds them.

Examples:
  silkit alias examples/shapes.raw.sil --function main
  silkit alias examples/shapes.raw.sil --function main %3 %40
  silkit alias examples/shapes.raw.sil --function main --format json";

/// Tell whether two values may alias, and which rule decided
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// File, `-` is standard input, and optionally two values, such as `%5 %7`
    #[arg(value_name = "FILE] [%A %B", num_args = 0..=3, value_hint = clap::ValueHint::FilePath)]
    what: Vec<OsString>,
    /// Function, by mangled or demangled name or a unique part, where the file has several
    #[arg(long, short, value_name = "NAME")]
    function: Option<String>,
    /// Treat the file as the whole module: internal functions have no other callers
    #[arg(long)]
    wmo: bool,
    #[command(flatten)]
    extent: Extent,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The maximum number of addresses to compare with each other; the output grows quadratically.
const MOST_ADDRESSES: usize = 1000;

/// The alias results for all pairs of the queried values.
struct Answers {
    /// The queried values.
    values: Vec<Query>,
    /// The relation of each pair, as indices into `values`.
    pairs: Vec<(usize, usize, Relation)>,
}

/// A queried value and the known facts about its memory.
struct Query {
    /// The number of the value, with the `%`.
    name: String,
    /// The defining instruction or argument, on one line.
    definition: String,
    /// The base of an address: the kind of memory, the base value or variable, and the projection path from it.
    base: Option<(&'static str, String, String)>,
    /// The reason why the memory at an address is immutable.
    immutable: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(args.format.into());
    let (names, paths): (Vec<&OsString>, Vec<&OsString>) =
        args.what.iter().partition(|word| word.as_encoded_bytes().starts_with(b"%"));
    let names: Vec<&str> = names.into_iter().filter_map(|name| name.to_str()).collect();
    let path = paths.first().map_or(Path::new("-"), |path| Path::new(path));
    if paths.len() > 1 || !matches!(names.len(), 0 | 2) {
        session.refuse("expected one file, and two values or none", "name values by number, such as `%5 %7`");
        return session.finish();
    }
    session.inputs(&[path.to_owned()]);
    let Some(input) = session.load(path) else { return session.finish() };
    let module = &input.module;
    let Some(id) = choose(&mut session, module, path, args.function.as_deref()) else {
        return session.finish();
    };
    let declarations = silkit::declarations(module);
    let facts = ProgramFacts::new(args.wmo);
    let program = ProgramView::new(module, &declarations, &facts);
    let answers = program.body_view(id).and_then(|view| {
        let dump = Dump::new(module, view.body, &|_| None);
        let values = values_to_ask(&mut session, view.body, &dump, &names)?;
        Some(ask(view.body, &view.aliases(), &dump, &values))
    });
    if let Some(mut answers) = answers {
        let (all, extent) = (answers.pairs.len(), &args.extent);
        answers.pairs.truncate(if extent.stat { all } else { extent.of(all) });
        if answers.pairs.is_empty() {
            let message = "the function has fewer than two addresses: there is no pair to compare";
            session.push(Diagnostic::new(Severity::Help, message));
        }
        let text = match args.format {
            Format::Json if extent.stat => shown::json(&json!(answers.counts())),
            Format::Text if extent.stat => {
                answers.counts().iter().map(|(rule, count)| format!("{count:>8}  {rule}\n")).collect()
            }
            Format::Json => answers.as_json(module.functions[id].name.as_str()),
            Format::Text if names.is_empty() => wrap::fitted(&answers.as_table(), wrap::terminal_width()),
            Format::Text => wrap::fitted(&answers.as_text(), wrap::terminal_width()),
        };
        session.answer(&text);
        if !extent.stat {
            extent.note_omitted(all, "pair");
        }
    }
    session.finish()
}

/// Returns the function with the given name, or the only function without one.
fn choose(session: &mut Session, module: &Module, path: &Path, name: Option<&str>) -> Option<FunctionId> {
    if let Some(name) = name {
        return session.body_named(module, path, name);
    }
    session.only_body(module, path)
}

/// Returns the values with the given names, or all addresses if `names` is empty. Errors are recorded in the session.
fn values_to_ask(session: &mut Session, body: &Body, dump: &Dump<'_>, names: &[&str]) -> Option<Vec<Value>> {
    let all = body.blocks().flat_map(|block| {
        let results = body.block_insts(block).flat_map(|inst| body.results(inst));
        body.arguments(block).iter().copied().chain(results)
    });
    if names.is_empty() {
        let addresses: Vec<Value> = all.filter(|&v| body.value(v).ty.is_address()).collect();
        if addresses.len() > MOST_ADDRESSES {
            let message =
                format!("the function has {} addresses, too many to list all pairs", addresses.len());
            session.refuse(message, "name two values, such as `%5 %7`");
            return None;
        }
        return Some(addresses);
    }
    let all: Vec<Value> = all.collect();
    let mut values = Vec::new();
    for name in names {
        let number = name[1..].parse::<u32>().ok();
        let Some(&value) = all.iter().find(|&&v| Some(dump.value_number(v)) == number) else {
            session.refuse(
                format!("the function has no value `{name}`"),
                "values are numbered as `silkit opt` prints them; an instruction without a result has an id but no value",
            );
            return None;
        };
        values.push(value);
    }
    Some(values)
}

fn ask(body: &Body, aliases: &Aliases<'_>, dump: &Dump<'_>, values: &[Value]) -> Answers {
    let mut pairs = Vec::new();
    for (i, &a) in values.iter().enumerate() {
        for (j, &b) in values.iter().enumerate().skip(i + 1) {
            pairs.push((i, j, aliases.relation(a, b)));
        }
    }
    Answers { values: values.iter().map(|&v| describe(body, aliases, dump, v)).collect(), pairs }
}

fn describe(body: &Body, aliases: &Aliases<'_>, dump: &Dump<'_>, value: Value) -> Query {
    let number = |value| format!("%{}", dump.value_number(value));
    let definition = dump.value(value, "");
    let definition = definition.split("//").next().unwrap_or_default().trim().to_owned();
    let is_address = body.value(value).ty.is_address();
    let base = is_address.then(|| {
        let found = aliases.base_path(value);
        let begin = match found.base {
            AccessBase::Global(name) => format!("@{name}"),
            AccessBase::Box(v)
            | AccessBase::Stack(v)
            | AccessBase::Class(v)
            | AccessBase::Tail(v)
            | AccessBase::Argument(v)
            | AccessBase::Yield(v)
            | AccessBase::StoreBorrow(v)
            | AccessBase::Pointer(v)
            | AccessBase::Unidentified(v) => number(v),
        };
        (found.base.kind_name(), begin, found.path.to_string())
    });
    let immutable = if is_address { aliases.immutability(value).map(|i| i.to_string()) } else { None };
    Query { name: number(value), definition, base, immutable }
}

/// Returns true if two values may alias. [`Relation::Unused`] counts as aliasing: an unused value has no conflicting
/// accesses, but it may still refer to the same memory.
fn may_alias(relation: Relation) -> bool {
    relation.may_alias() || relation == Relation::Unused
}

impl Answers {
    /// Returns the results as text: each pair, with the known facts about both values.
    fn as_text(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        for &(a, b, relation) in &self.pairs {
            let (a, b) = (&self.values[a], &self.values[b]);
            let answer = if may_alias(relation) { "may alias" } else { "do not alias" };
            let _ = writeln!(out, "{} and {} {answer}: {relation} ({})", a.name, b.name, relation.rule());
        }
        for value in &self.values {
            let _ = writeln!(out, "\n{}", value.definition);
            if let Some((kind, begin, path)) = &value.base {
                let path = if path.is_empty() { "" } else { &format!(", path {path}") };
                let _ = writeln!(out, "  memory: {kind}, from {begin}{path}");
            }
            if let Some(immutable) = &value.immutable {
                let _ = writeln!(out, "  immutable: {immutable}");
            }
        }
        out
    }

    /// Returns the results as a table with one line for each pair.
    /// Returns how many pairs each rule decided: `may` or `no`, and the rule.
    fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for &(_, _, relation) in &self.pairs {
            let answer = if may_alias(relation) { "may" } else { "no" };
            *counts.entry(format!("{answer:<4} {}", relation.rule())).or_default() += 1;
        }
        counts
    }

    fn as_table(&self) -> String {
        let mut out = String::new();
        for &(a, b, relation) in &self.pairs {
            let answer = if may_alias(relation) { "may" } else { "no" };
            let (a, b) = (&self.values[a].name, &self.values[b].name);
            let _ = writeln!(out, "{a:<5} {b:<5} {answer:<4} {:<20}  {relation}", relation.rule());
        }
        out
    }

    fn as_json(&self, function: &str) -> String {
        let pairs: Vec<Json> = self
            .pairs
            .iter()
            .map(|&(a, b, relation)| {
                json!({
                    "a": self.values[a].name,
                    "b": self.values[b].name,
                    "may_alias": may_alias(relation),
                    "rule": relation.rule(),
                    "reason": relation.to_string(),
                })
            })
            .collect();
        let values: Vec<Json> = self.values.iter().map(Query::as_json).collect();
        shown::json(&json!({"function": function, "values": values, "pairs": pairs}))
    }
}

impl Query {
    fn as_json(&self) -> Json {
        let memory =
            self.base.as_ref().map(|(kind, begin, path)| json!({"kind": kind, "begin": begin, "path": path}));
        json!({
            "value": self.name,
            "definition": self.definition,
            "memory": memory,
            "immutable": self.immutable,
        })
    }
}
