//! Pages of passes, from their tags, options and the pipelines that run them.

use crate::opt;
use crate::wrap::{self, prose};
use serde_json::{Value, json};
use silkit::pass::{Pass, reference_pipelines};

/// Returns the names of the compiler's pipelines that run the pass with this tag.
fn pipelines(tag: &str) -> Vec<&'static str> {
    let all = reference_pipelines::all().iter();
    let runs = |pipeline: &&reference_pipelines::ReferencePipeline| {
        pipeline.groups.iter().any(|group| group.passes.contains(&tag))
    };
    let mut names: Vec<&str> = all.filter(runs).map(|pipeline| pipeline.name).collect();
    names.dedup();
    names
}

/// Returns the options of `silkit opt` that a pass reads.
fn options(pass: &Pass<'_>) -> Vec<String> {
    pass.options.iter().map(|option| format!("-{}", option.name)).collect()
}

/// Returns the page of a pass.
pub(super) fn page(pass: &Pass<'_>, bold: bool) -> String {
    let (on, off) = if bold { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let (tag, width) = (pass.tag, wrap::terminal_width());
    let mut out = prose(&format!("{on}{tag}{off} – {}", pass.summary)) + "\n\n";
    let all = if pass.is_mandatory { ", also those that must not be optimized" } else { "" };
    let runs = match opt::kind(pass) {
        "function" => format!("each function{all}"),
        kind => format!("the {kind}"),
    };
    for (name, value) in
        [("runs on", runs), ("pipelines", pipelines(tag).join(", ")), ("options", options(pass).join(", "))]
    {
        if !value.is_empty() {
            out += &wrap::fitted(&format!("{name:<18} {value}\n"), width);
        }
    }
    out + &wrap::fitted(&format!("\n{on}Try{off}\n  silkit opt -{tag} --print-changed=diff FILE\n"), width)
}

/// Returns the page of a pass as JSON.
pub(super) fn as_json(pass: &Pass<'_>) -> Value {
    json!({
        "tag": pass.tag, "kind": opt::kind(pass), "summary": pass.summary, "is_mandatory": pass.is_mandatory,
        "pipelines": pipelines(pass.tag), "options": options(pass),
    })
}

/// Returns a hint for the name of a pass that is not implemented.
pub(super) fn unimplemented(name: &str) -> Option<String> {
    let pipeline = *pipelines(name).first()?;
    Some(format!(
        "`{name}` is a pass of the pipeline `{pipeline}` that is not implemented; `silkit pipelines --status {pipeline}` \
         lists all"
    ))
}
