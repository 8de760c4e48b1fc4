//! Budgets: files with the numbers of places that each function may have, in TOML.
//!
//! ```toml
//! version = 1
//!
//! [functions."$s4main2goyyF"]
//! name = "go()"
//! retain = 2
//! release = 3
//! in_loops = { retain = 1 }
//! places = [
//!     "retain: stored to property `Node.next`",
//! ]
//! ```
//!
//! The numbers are limits, which may be edited. `places` tells which places are new when a limit is exceeded.

use crate::kind::{CostKinds, KIND_NAMES};
use crate::snapshot::{FunctionSnapshot, Snapshot, SnapshotPlace};
use std::fmt::Write;
use toml::{Table, Value};

/// The version of the format.
const VERSION: i64 = 1;

/// A text that is not a budget, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadBudget(pub String);

impl std::fmt::Display for BadBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadBudget {}

/// Returns a snapshot as a budget. The same costs give the same bytes.
pub fn write_budget(snapshot: &Snapshot) -> String {
    let mut text = format!(
        "# The costs that each function may have. Written by `silkit cost --write-budget`, checked by `silkit cost --check`.\n\
         # The numbers are limits and may be edited; `places` tells which places are new when a limit is exceeded.\n\
         version = {VERSION}\n"
    );
    for (symbol, function) in &snapshot.functions {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n[functions.{}]\nname = {}", quoted(symbol), quoted(&function.name));
        let counts = |of: &[u32; KIND_NAMES.len()]| -> Vec<String> {
            let some = KIND_NAMES.iter().zip(of).filter(|(_, number)| **number > 0);
            some.map(|(name, number)| format!("{name} = {number}")).collect()
        };
        counts(&function.counts.all).iter().for_each(|line| text += &format!("{line}\n"));
        let in_loops = counts(&function.counts.in_loops);
        if !in_loops.is_empty() {
            let _ = writeln!(text, "in_loops = {{ {} }}", in_loops.join(", "));
        }
        if !function.places.is_empty() {
            text += "places = [\n";
            for place in &function.places {
                let _ =
                    writeln!(text, "    {},", quoted(&format!("{}: {}", place.kind_name(), place.reason)));
            }
            text += "]\n";
        }
    }
    text
}

/// Returns a text as a basic string of TOML.
fn quoted(text: &str) -> String {
    Value::String(text.replace(char::is_control, " ")).to_string()
}

/// Reads a budget.
///
/// # Errors
/// Returns an error if the text is not TOML, or not a budget of this version.
pub fn read_budget(text: &str) -> Result<Snapshot, BadBudget> {
    let table: Table =
        text.parse().map_err(|error: toml::de::Error| BadBudget(error.message().to_owned()))?;
    match table.get("version").and_then(Value::as_integer) {
        Some(VERSION) => {}
        Some(other) => {
            return Err(BadBudget(format!("version {other} is not supported; expected {VERSION}")));
        }
        None => return Err(BadBudget("`version` is missing".to_owned())),
    }
    let mut snapshot = Snapshot::default();
    let Some(functions) = table.get("functions") else { return Ok(snapshot) };
    let functions = functions.as_table().ok_or_else(|| BadBudget("`functions` is not a table".to_owned()))?;
    for (symbol, value) in functions {
        let function =
            function(value).map_err(|reason| BadBudget(format!("function `{symbol}`: {reason}")))?;
        snapshot.functions.insert(symbol.clone(), function);
    }
    Ok(snapshot)
}

fn function(value: &Value) -> Result<FunctionSnapshot, String> {
    let table = value.as_table().ok_or("is not a table")?;
    let mut function = FunctionSnapshot::default();
    for (key, value) in table {
        match key.as_str() {
            "name" => function.name = value.as_str().ok_or("`name` is not a string")?.to_owned(),
            "in_loops" => {
                let kinds = value.as_table().ok_or("`in_loops` is not a table")?;
                for (key, value) in kinds {
                    function.counts.in_loops[kind(key)?] = number(key, value)?;
                }
            }
            "places" => {
                let places = value.as_array().ok_or("`places` is not an array")?;
                function.places = places.iter().map(place).collect::<Result<_, _>>()?;
            }
            key => function.counts.all[kind(key)?] = number(key, value)?,
        }
    }
    Ok(function)
}

fn place(value: &Value) -> Result<SnapshotPlace, String> {
    let parts = value.as_str().and_then(|text| text.split_once(": "));
    let (name, reason) = parts.ok_or("a place is not `KIND: REASON`")?;
    Ok(SnapshotPlace { kind: kind(name)?, reason: reason.to_owned(), position: None })
}

fn kind(name: &str) -> Result<usize, String> {
    let kind = CostKinds::named(name).ok_or_else(|| {
        format!("unknown kind `{}`; expected one of {}", name.escape_debug(), KIND_NAMES.join(", "))
    })?;
    kind.indices().next().ok_or_else(|| "unknown kind".to_owned())
}

fn number(key: &str, value: &Value) -> Result<u32, String> {
    let number = value.as_integer().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| format!("`{key}` is not a number of places"))
}
