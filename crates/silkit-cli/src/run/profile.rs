//! Output of execution profiles, as a table, JSON or a flame graph.

use crate::output::{complain, counted};
use crate::session::Session;
use crate::shown;
use crate::wrap;
use serde_json::{Value, json};
use silkit_interp::ProfileNode;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The maximum number of functions in the table on standard error.
const SHOWN: usize = 30;

/// The width of the table in columns, with some for the names.
const TABLE: usize = 100;

/// The cost of a function, over all its callers.
#[derive(Default)]
struct Cost {
    calls: u64,
    instructions: u64,
    /// The number of instructions, including those of callees.
    total: u64,
    allocations: u64,
    bytes: u64,
    retains: u64,
    releases: u64,
}

/// Writes a profile to a file, or a table to standard error for `-`.
pub(super) fn write(session: &mut Session, to: &Path, nodes: &[ProfileNode]) {
    let costs = costs(nodes);
    match to.extension().and_then(|extension| extension.to_str()) {
        _ if crate::output::is_standard(to) => complain(&match wrap::error_width() {
            Some(width) if width < TABLE => list(&costs, SHOWN, width),
            _ => table(&costs, SHOWN),
        }),
        Some("svg") => match flame_graph(nodes) {
            Ok(picture) => session.write(to, &picture),
            Err(reason) => session.refuse(
                format!("cannot draw `{}`: {reason}", to.display()),
                "a program that runs no instruction has no flame graph; `--profile=FILE.json` writes the data",
            ),
        },
        Some("json") => session.write(to, shown::json(&as_json(&costs, nodes)).as_bytes()),
        _ => session.write(to, table(&costs, usize::MAX).as_bytes()),
    }
}

/// Returns a profile as JSON.
pub(super) fn json(nodes: &[ProfileNode]) -> Value {
    as_json(&costs(nodes), nodes)
}

/// Returns the cost of each function, the most expensive first.
fn costs(nodes: &[ProfileNode]) -> Vec<(&str, Cost)> {
    let mut totals: Vec<u64> = nodes.iter().map(|node| node.instructions).collect();
    // Parents precede their children in `nodes`.
    for (at, node) in nodes.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            totals[parent as usize] += totals[at];
        }
    }
    let mut costs: BTreeMap<&str, Cost> = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        let mut callers = std::iter::successors(node.parent, |&parent| nodes[parent as usize].parent);
        // The outermost call already includes the cost of recursive calls.
        let is_inner = callers.any(|caller| nodes[caller as usize].name == node.name);
        let cost = costs.entry(&node.name).or_default();
        cost.calls += node.calls;
        cost.instructions += node.instructions;
        cost.total += if is_inner { 0 } else { totals[at] };
        cost.allocations += node.allocations;
        cost.bytes += node.bytes;
        cost.retains += node.retains;
        cost.releases += node.releases;
    }
    let mut costs: Vec<_> = costs.into_iter().collect();
    costs.sort_by_key(|(_, cost)| std::cmp::Reverse(cost.instructions));
    costs
}

fn table(costs: &[(&str, Cost)], most: usize) -> String {
    let mut text = format!(
        "{:>10} {:>13} {:>13} {:>11} {:>12} {:>10} {:>10}  function\n",
        "calls", "instructions", "with callees", "allocations", "bytes", "retains", "releases"
    );
    for (name, cost) in costs.iter().take(most) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:>10} {:>13} {:>13} {:>11} {:>12} {:>10} {:>10}  {name}",
            cost.calls,
            cost.instructions,
            cost.total,
            cost.allocations,
            cost.bytes,
            cost.retains,
            cost.releases
        );
    }
    text + &more(costs.len(), most)
}

/// Returns the costs of functions below their names, for narrow terminals.
fn list(costs: &[(&str, Cost)], most: usize, width: usize) -> String {
    let mut text = String::new();
    for (name, cost) in costs.iter().take(most) {
        let all = [
            counted(cost.calls as usize, "call"),
            format!("{} ({} with callees)", counted(cost.instructions as usize, "instruction"), cost.total),
            format!(
                "{} of {}",
                counted(cost.allocations as usize, "allocation"),
                counted(cost.bytes as usize, "byte")
            ),
            counted(cost.retains as usize, "retain"),
            counted(cost.releases as usize, "release"),
        ];
        text += &format!("{name}\n{}\n", wrap::indented(&all.join(", "), width));
    }
    text + &more(costs.len(), most)
}

/// Returns a line that says how many functions are not shown.
fn more(all: usize, most: usize) -> String {
    match all.saturating_sub(most) {
        0 => String::new(),
        left => format!("{}: `--profile=FILE` writes all\n", counted(left, "more function")),
    }
}

/// Draws a flame graph: the width of a call is the number of instructions that it executes, including callees.
fn flame_graph(nodes: &[ProfileNode]) -> Result<Vec<u8>, String> {
    let mut stacks: Vec<String> = Vec::with_capacity(nodes.len());
    let mut lines = Vec::new();
    for node in nodes {
        // `;` and the newline are separators in the input format of flame graphs.
        let name = node.name.replace(';', ",").replace('\n', " ");
        let stack = node.parent.map_or(name.clone(), |parent| format!("{};{name}", stacks[parent as usize]));
        if node.instructions > 0 {
            lines.push(format!("{stack} {}", node.instructions));
        }
        stacks.push(stack);
    }
    let mut options = inferno::flamegraph::Options::default();
    options.title = "Instructions by call stack".to_owned();
    options.count_name = "instructions".to_owned();
    options.hash = true;
    options.no_sort = false;
    let mut picture = Vec::new();
    let drawn = inferno::flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut picture);
    drawn.map(|()| picture).map_err(|error| error.to_string())
}

fn as_json(costs: &[(&str, Cost)], nodes: &[ProfileNode]) -> Value {
    let functions = costs.iter().map(|(name, cost)| {
        json!({
            "name": name,
            "calls": cost.calls,
            "instructions": cost.instructions,
            "instructions_with_callees": cost.total,
            "allocations": cost.allocations,
            "bytes": cost.bytes,
            "retains": cost.retains,
            "releases": cost.releases,
        })
    });
    let tree = nodes.iter().map(|node| {
        json!({
            "parent": node.parent,
            "name": node.name,
            "symbol": node.function.as_str(),
            "calls": node.calls,
            "instructions": node.instructions,
            "allocations": node.allocations,
            "bytes": node.bytes,
            "retains": node.retains,
            "releases": node.releases,
        })
    });
    json!({ "functions": Value::from_iter(functions), "calls": Value::from_iter(tree) })
}
