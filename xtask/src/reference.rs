//! Generates the instruction reference from the instruction table: `docs/instructions.md` for readers and
//! `instructions.json` for tools.

use crate::form::Form;
use crate::syntax::{LEGEND, syntax};
use crate::table::Entry;
use serde_json::{Value, json};
use std::fmt::Write;

/// Returns the Markdown reference.
pub(crate) fn markdown(entries: &[Entry]) -> Result<String, String> {
    let mut page = format!(
        "# SIL instructions\n\nAll {} instructions, by family. Generated from `crates/silkit-ir/table` by \
         `cargo xtask generate`; do not edit.\n\n{LEGEND}\n",
        entries.len()
    );
    let mut family = "";
    for e in entries {
        if e.family != family {
            family = e.family;
            put(&mut page, format_args!("\n## {family}\n"))?;
        }
        section(&mut page, e)?;
    }
    Ok(page)
}

fn put(page: &mut String, text: std::fmt::Arguments<'_>) -> Result<(), String> {
    page.write_fmt(text).map_err(|e| e.to_string())
}

fn section(page: &mut String, e: &Entry) -> Result<(), String> {
    let row = &e.row;
    put(page, format_args!("\n### `{}`\n\n", e.name))?;
    if !row.summary.is_empty() {
        put(page, format_args!("{}\n\n", row.summary))?;
    }
    put(page, format_args!("Syntax: `{} {}`\n\n", e.name, syntax(&row.form)?))?;
    if !row.details.trim().is_empty() {
        put(page, format_args!("{}\n\n", row.details.trim()))?;
    }
    put(page, format_args!("| | |\n|---|---|\n"))?;
    put(page, format_args!("| results | {} |\n", row.results))?;
    put(page, format_args!("| operand ownership | {} |\n", row.operand_ownership.as_deref().unwrap_or("–")))?;
    if !row.address_use.is_empty() {
        put(page, format_args!("| addresses | {} |\n", row.address_use))?;
    }
    let memory = if row.memory_depends_on_instance { " (depends on the instance)" } else { "" };
    put(page, format_args!("| memory | {}{memory} |\n", row.memory))?;
    put(page, format_args!("| may release | {} |\n| may trap | {} |\n", row.may_release, row.may_trap))?;
    if !row.runtime.is_empty() {
        put(page, format_args!("| runtime | {} |\n", row.runtime))?;
    }
    for (name, value) in
        [("role", &row.role), ("stage", &row.stage), ("stack", &row.stack), ("scope", &row.scope)]
    {
        if let Some(value) = value {
            put(page, format_args!("| {name} | {value} |\n"))?;
        }
    }
    if !row.example.trim().is_empty() {
        put(page, format_args!("\n```sil\n{}\n```\n", row.example.trim()))?;
    }
    if !row.see.is_empty() {
        let links: Vec<String> = row.see.iter().map(|s| format!("[`{s}`](#{s})")).collect();
        put(page, format_args!("\nSee {}.\n", links.join(", ")))?;
    }
    Ok(())
}

/// Returns the JSON reference.
pub(crate) fn json_table(entries: &[Entry]) -> Result<String, String> {
    let mut rows = Vec::new();
    for e in entries {
        let form = Form::parse(&e.row.form)?;
        let row = &e.row;
        let operands: Vec<Value> = form
            .operands
            .iter()
            .map(|(name, arity)| json!({ "name": name, "arity": arity.to_lowercase() }))
            .collect();
        let attributes: Vec<&String> = form.attrs.iter().map(|(name, _)| name).collect();
        rows.push(json!({
            "name": e.name, "class": row.class, "family": e.family, "syntax": syntax(&row.form)?, "form": row.form, "summary": row.summary,
            "operands": operands, "attributes": attributes, "flags": form.flags, "results": row.results,
            "result_type": row.result, "operand_ownership": row.operand_ownership,
            "address_use": row.address_use,
            "value_ownership": row.value_ownership, "memory": row.memory,
            "memory_depends_on_instance": row.memory_depends_on_instance, "may_release": row.may_release,
            "may_trap": row.may_trap, "runtime": row.runtime, "stage": row.stage, "role": row.role, "stack": row.stack, "scope": row.scope,
        }));
    }
    let text = serde_json::to_string_pretty(&Value::Array(rows)).map_err(|e| e.to_string())?;
    Ok(text + "\n")
}
