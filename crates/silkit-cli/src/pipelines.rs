//! `silkit pipelines`: lists and prints the pass pipelines of the reference.

use crate::output::counted;
use crate::session::{Format, Session};
use crate::shown;
use crate::wrap;
use serde_json::{Value, json};
use silkit::diag::nearest;
use silkit::ir::Release;
use silkit::pass::reference_pipelines::{
    PIPELINE_SEQUENCES, ReferencePipeline, find, find_sequence, of_release,
};
use silkit::passes;
use std::fmt::Write;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  silkit pipelines
  silkit pipelines Performance
  silkit pipelines --status onone
  silkit pipelines --dialect 6.3 Diagnostic
  silkit pipelines --format json | jq -r '.[].name'";

/// List the pipelines of the Swift compiler, or print one as YAML
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Pipeline, or a sequence of pipelines from raw SIL: `diagnostics`, `onone` or `performance` [default: list all]
    name: Option<String>,
    /// Mark each pass as implemented (`x`) or not (`-`)
    #[arg(long)]
    status: bool,
    /// Release of Swift whose pipelines are meant
    #[arg(long, value_name = "RELEASE", default_value_t)]
    dialect: Release,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(args.format.into());
    let wanted: Vec<&ReferencePipeline> = match &args.name {
        None => of_release(args.dialect).collect(),
        Some(name) => match named(name, args.dialect) {
            Some(pipelines) => pipelines,
            None => {
                let names = of_release(args.dialect)
                    .map(|p| p.name)
                    .chain(PIPELINE_SEQUENCES.iter().map(|way| way.name));
                let near = nearest(name, names);
                let hint = near.map_or("`silkit pipelines` lists the pipelines".to_owned(), |near| {
                    format!("did you mean `{near}`?")
                });
                session.refuse(format!("unknown pipeline `{name}`"), hint);
                return session.finish();
            }
        },
    };
    let text = match args.format {
        Format::Json => shown::json(&Value::from_iter(wanted.iter().map(|p| as_json(p)))),
        Format::Text if args.status => wanted.iter().map(|p| status(p)).collect::<Vec<_>>().join("\n"),
        Format::Text if args.name.is_some() => wanted.iter().map(|p| p.to_yaml()).collect(),
        Format::Text => list(&wanted),
    };
    session.answer(&text);
    session.finish()
}

/// Returns the pipeline with the given name, or the pipelines of the sequence with that name.
fn named(name: &str, release: Release) -> Option<Vec<&'static ReferencePipeline>> {
    let of_way = || {
        find_sequence(name).map(|way| way.pipelines.iter().filter_map(|name| find(name, release)).collect())
    };
    find(name, release).map(|pipeline| vec![pipeline]).or_else(of_way)
}

fn is_built(tag: &str) -> bool {
    passes::find(tag).is_some()
}

/// Returns the number of pass runs in a pipeline, and how many of them are of implemented passes.
fn counts(pipeline: &ReferencePipeline) -> (usize, usize) {
    let tags = || pipeline.groups.iter().flat_map(|group| &group.passes);
    (tags().count(), tags().filter(|tag| is_built(tag)).count())
}

fn list(pipelines: &[&ReferencePipeline]) -> String {
    let summary = |pipeline: &ReferencePipeline| {
        let (all, built) = counts(pipeline);
        let groups = counted(pipeline.groups.len(), "group");
        format!("{groups}, {all} passes, {built} of them implemented")
    };
    let rows: Vec<(&str, String)> = pipelines.iter().map(|p| (p.name, summary(p))).collect();
    wrap::listing(rows.iter().map(|(name, summary)| (*name, summary.as_str())))
}

fn status(pipeline: &ReferencePipeline) -> String {
    let (all, built) = counts(pipeline);
    let width = wrap::terminal_width();
    let mut text =
        wrap::fitted(&format!("{}: {built} of {all} passes are implemented\n", pipeline.name), width);
    for group in &pipeline.groups {
        text += &wrap::fitted(&format!("\n{}\n", group.name), width);
        for tag in &group.passes {
            let _ = writeln!(text, "  {}  {tag}", if is_built(tag) { 'x' } else { '-' });
        }
    }
    text
}

fn as_json(pipeline: &ReferencePipeline) -> Value {
    let groups = pipeline.groups.iter().map(|group| {
        let passes = group.passes.iter().map(|tag| json!({"tag": tag, "built": is_built(tag)}));
        json!({"name": group.name, "passes": Value::from_iter(passes)})
    });
    json!({"name": pipeline.name, "groups": Value::from_iter(groups)})
}
