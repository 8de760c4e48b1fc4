//! Output of instruction execution counts, as an annotated program listing or as JSON.

use crate::listing::Listing;
use crate::output::complain;
use crate::session::Session;
use crate::shown;
use crate::swift;
use serde_json::{Value, json};
use silkit::ir::{FunctionId, Inst};
use silkit_interp::{Coverage, Runs};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Writes the execution counts of instructions to a file, or to standard error for `-`.
pub(super) fn write(session: &mut Session, to: &Path, listing: &Listing, coverage: &Coverage) {
    let runs = own(coverage);
    if crate::output::is_standard(to) {
        complain(&as_text(listing, &runs));
    } else if to.extension().is_some_and(|extension| extension == "json") {
        session.write(to, shown::json(&as_json(listing, &runs)).as_bytes());
    } else {
        session.write(to, as_text(listing, &runs).as_bytes());
    }
}

/// Returns the execution counts as JSON.
pub(super) fn json(listing: &Listing, coverage: &Coverage) -> Value {
    as_json(listing, &own(coverage))
}

/// Returns the execution counts of the program itself, which is the first module.
fn own(coverage: &Coverage) -> AllRuns {
    let own = coverage.runs.iter().filter(|((at, _), _)| at.module.0 == 0);
    own.map(|((at, inst), runs)| ((at.function, *inst), *runs)).collect()
}

type AllRuns = BTreeMap<(FunctionId, Inst), Runs>;

fn as_text(listing: &Listing, runs: &AllRuns) -> String {
    let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
    let (mut all, mut executed) = (0, 0);
    for (id, function) in listing.module.functions.iter() {
        for inst in function.body.iter().flat_map(|body| body.insts()) {
            let count = runs.get(&(id, inst)).map_or(0, |runs| runs.count);
            all += 1;
            executed += usize::from(count > 0);
            if let Some(line) = listing.line(id, inst) {
                let of_line = counts.entry(line).or_default();
                *of_line = count.max(*of_line);
            }
        }
    }
    let mut text = String::new();
    for (number, line) in listing.text.lines().enumerate() {
        // Writing to a string cannot fail.
        let _ = match counts.get(&number) {
            Some(count) => writeln!(text, "{count:>10}| {line}"),
            None => writeln!(text, "{:>10}| {line}", ""),
        };
    }
    let _ = writeln!(text, "\n{executed} of {all} instructions of {} were executed", listing.name);
    text
}

fn as_json(listing: &Listing, runs: &AllRuns) -> Value {
    let stacks = listing.stacks();
    let functions = listing.module.functions.iter().filter_map(|(id, function)| {
        let body = function.body.as_ref()?;
        let instructions = body.insts().enumerate().map(|(index, inst)| {
            let origin = listing.origin(&stacks, id, inst);
            json!({
                "index": index,
                "instruction": body.info(inst).name,
                "line": listing.line(id, inst).map(|line| line + 1),
                "source": swift::position_json(&origin),
                "count": runs.get(&(id, inst)).map_or(0, |runs| runs.count),
            })
        });
        Some(json!({ "name": function.name.as_str(), "instructions": Value::from_iter(instructions) }))
    });
    json!({ "file": listing.name, "functions": Value::from_iter(functions) })
}
