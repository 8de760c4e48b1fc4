//! Costs as JSON.

use crate::findings::readable;
use serde_json::{Map, Value, json};
use silkit::ir::{FunctionId, Module};
use silkit_cost::{CostReport, Counts, KIND_NAMES, Way};
use std::io::{self, Write};

/// Returns a report as JSON.
pub(super) fn report(module: &Module, report: &CostReport, file: &str, with_places: bool) -> Value {
    let (ways, without) = report.ways();
    let mut attribution: Map<String, Value> = Way::ALL
        .iter()
        .zip(ways)
        .map(|(way, number)| (way.name().replace(' ', "_"), number.into()))
        .collect();
    attribution.insert("none".to_owned(), without.into());
    let symbol = |function: FunctionId| module.functions[function].name.as_str();
    let lines = report.lines().into_iter().map(|line| {
        json!({
            "file": line.file,
            "line": line.line,
            "score": rounded(line.score),
            "loop_depth": line.loop_depth,
            "costs": counts(&line.counts.all),
            "in_loops": counts(&line.counts.in_loops),
            "functions": Value::from_iter(line.functions.iter().map(|&f| symbol(f))),
        })
    });
    let functions = report.functions().into_iter().map(|costs| {
        json!({
            "function": symbol(costs.function),
            "demangled": readable(symbol(costs.function)),
            "is_own": report.is_own(costs.function),
            "score": rounded(costs.score),
            "loop_depth": costs.loop_depth,
            "costs": counts(&costs.counts.all),
            "in_loops": counts(&costs.counts.in_loops),
        })
    });
    let mut value = json!({
        "file": file,
        "costs": total(&report.total()),
        "attribution": attribution,
        "lines": Value::from_iter(lines),
        "functions": Value::from_iter(functions),
    });
    if with_places {
        value["places"] = places(module, report);
    }
    value
}

/// Returns each instruction with costs, with its index among the instructions of its function, as `run --coverage` numbers them.
fn places(module: &Module, report: &CostReport) -> Value {
    let mut all = Vec::with_capacity(report.operations.len());
    for of_function in report.operations.chunk_by(|a, b| a.function == b.function) {
        let Some(function) = of_function.first().map(|first| &module.functions[first.function]) else {
            continue;
        };
        let Some(body) = &function.body else { continue };
        let mut operations = of_function.iter().peekable();
        for (index, inst) in body.insts().enumerate() {
            let Some(operation) = operations.next_if(|operation| operation.inst == inst) else { continue };
            let place = operation.place;
            all.push(json!({
                "function": function.name.as_str(),
                "index": index,
                "instruction": body.info(inst).name,
                "costs": Value::from_iter(operation.kinds.indices().map(|kind| KIND_NAMES[kind])),
                "loop_depth": operation.loop_depth,
                "frequency": rounded(operation.frequency),
                "file": place.map(|place| place.position.file),
                "line": place.map(|place| place.position.line),
                "column": place.map(|place| place.position.column),
                "found_by": place.map(|place| place.way.name()),
            }));
        }
    }
    all.into()
}

/// Returns an estimate with three decimals.
fn rounded(estimate: f64) -> f64 {
    (estimate * 1000.0).round() / 1000.0
}

fn total(all: &Counts) -> Value {
    counts(&all.all)
}

/// Returns the counts that are not zero.
fn counts(of: &[u32; KIND_NAMES.len()]) -> Value {
    let kinds = KIND_NAMES.iter().zip(of).filter(|(_, number)| **number > 0);
    Value::Object(kinds.map(|(name, number)| ((*name).to_owned(), (*number).into())).collect())
}

/// Writes a value with a line feed at the end.
pub(super) fn write(value: &Value, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    out.write_all(b"\n")
}
