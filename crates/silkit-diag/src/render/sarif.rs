//! Renderer for SARIF 2.1.0, the format in which code hosts and editors import tool findings.

use std::fmt::Write;

use serde_json::{Value, json};

use super::text::printable_json;
use crate::{Diagnostic, OriginFrame, RuleId, RuleInfo, Severity, SourceMap, Span};

/// The description of the tool in a SARIF document.
#[derive(Clone, Copy, Debug)]
pub struct Tool<'r> {
    /// The name, for example `silkit`.
    pub name: &'r str,
    /// The version, for example `0.1.0`.
    pub version: &'r str,
    /// The published rules; other rules appear only by id.
    pub rules: &'r [RuleInfo],
}

/// Returns a complete SARIF document with one run. Columns count characters. `help` has no SARIF equivalent and becomes
/// `note`. `notices` are messages about the run itself, such as the number of findings that the document omits; if one
/// is an error, the run was not successful, and an empty list of results does not mean that there are no findings.
///
/// ```
/// use silkit_diag::{Diagnostic, RuleInfo, RuleId, SourceMap, render::{Tool, sarif}};
/// const R: RuleId = RuleId::new("SIL0101");
/// let rules = [RuleInfo { id: R, name: "UnknownInstruction", summary: "The instruction exists." }];
/// let tool = Tool { name: "silkit", version: "0.1.0", rules: &rules };
/// let text = sarif([&Diagnostic::error(R, "unknown instruction")], &SourceMap::new(), tool, &[]);
/// assert!(text.contains("\"version\": \"2.1.0\""));
/// ```
pub fn sarif<'d>(
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
    sources: &SourceMap<'_>,
    tool: Tool<'_>,
    notices: &[&Diagnostic],
) -> String {
    let mut rules: Vec<RuleId> = Vec::new();
    let results: Vec<Value> = diagnostics
        .into_iter()
        .map(|d| {
            let index = d.rule.map(|rule| {
                rules.iter().position(|&r| r == rule).unwrap_or_else(|| {
                    rules.push(rule);
                    rules.len() - 1
                })
            });
            result(d, sources, index)
        })
        .collect();
    let rules: Vec<Value> = rules.iter().map(|&id| descriptor(id, tool.rules)).collect();
    let mut document = document(tool, &rules);
    document["runs"][0]["columnKind"] = "unicodeCodePoints".into();
    document["runs"][0]["results"] = results.into();
    if !notices.is_empty() {
        let is_successful = notices.iter().all(|notice| notice.severity != Severity::Error);
        let notifications: Vec<Value> = notices.iter().map(|notice| notification(notice)).collect();
        let invocation =
            json!({"executionSuccessful": is_successful, "toolExecutionNotifications": notifications});
        document["runs"][0]["invocations"] = json!([invocation]);
    }
    printable_json(&format!("{document:#}\n")).into_owned()
}

/// Returns a SARIF document with the published rules of a tool. It has no list of results, because nothing was checked.
pub fn sarif_rules(tool: Tool<'_>) -> String {
    let rules: Vec<Value> = tool.rules.iter().map(|rule| descriptor(rule.id, tool.rules)).collect();
    format!("{:#}\n", document(tool, &rules))
}

/// Returns a document with a run that has no results yet.
fn document(tool: Tool<'_>, rules: &[Value]) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": tool.name, "version": tool.version, "rules": rules}}}],
    })
}

/// Returns the notification for a message about the run itself.
fn notification(notice: &Diagnostic) -> Value {
    let notes = notice.notes.iter().map(|note| format!("; {}", note.message));
    let text: String = std::iter::once(notice.message.to_string()).chain(notes).collect();
    let mut value = json!({"level": level(notice.severity), "message": {"text": text}});
    if let Some(rule) = notice.rule {
        value["descriptor"] = json!({"id": rule.as_str()});
    }
    value
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note | Severity::Help => "note",
    }
}

fn descriptor(id: RuleId, rules: &[RuleInfo]) -> Value {
    match rules.iter().find(|r| r.id == id) {
        Some(r) => {
            json!({"id": id.as_str(), "name": r.name, "shortDescription": {"text": r.summary}})
        }
        None => json!({"id": id.as_str()}),
    }
}

fn result(d: &Diagnostic, sources: &SourceMap<'_>, rule_index: Option<usize>) -> Value {
    let mut value = json!({"level": level(d.severity), "message": {"text": *d.message}});
    if let (Some(rule), Some(index)) = (d.rule, rule_index) {
        value["ruleId"] = rule.as_str().into();
        value["ruleIndex"] = index.into();
    }
    let mut location = json!({});
    if let Some(label) = d.primary() {
        location = located(label.span, &label.text, sources).unwrap_or(location);
    }
    // A finding about Swift code that is in no file of the tool is located there.
    let in_source =
        d.entity.as_ref().and_then(|entity| entity.origin.first()).filter(|_| d.primary().is_none());
    if let Some(frame) = in_source {
        location["physicalLocation"] = origin((0, frame))["physicalLocation"].take();
    }
    if let Some(entity) = &d.entity {
        let full = match &entity.part {
            Some(part) => format!("{}/{part}", entity.name),
            None => entity.name.to_string(),
        };
        location["logicalLocations"] = json!([{"name": entity.title.as_deref().unwrap_or(&entity.name), "fullyQualifiedName": full,
                "decoratedName": *entity.name, "kind": entity.kind.as_str()}]);
    }
    if location.as_object().is_some_and(|o| !o.is_empty()) {
        value["locations"] = json!([location]);
    }
    let places = d.others().map(|l| (Some(l.span), &l.text));
    let notes = d.notes.iter().map(|n| (n.span, &n.message));
    let related: Vec<Value> = places
        .chain(notes)
        .filter_map(|(span, text)| match span {
            Some(span) => located(span, text, sources),
            None => Some(json!({"message": {"text": **text}})),
        })
        .chain(d.entity.iter().flat_map(|entity| &entity.origin).enumerate().map(origin))
        .collect();
    if !related.is_empty() {
        value["relatedLocations"] = related.into();
    }
    if let Some(fix) = fix(d, sources) {
        value["fixes"] = json!([fix]);
    }
    value
}

/// Returns the location of a source position that the code was compiled from.
fn origin((index, frame): (usize, &OriginFrame)) -> Value {
    let function = frame.function.as_deref().map_or(String::new(), |name| format!(" in `{name}`"));
    let text = format!("{}{function}", if index == 0 { "compiled from here" } else { "inlined here" });
    let mut region = json!({"startLine": frame.line});
    if frame.column > 0 {
        region["startColumn"] = frame.column.into();
    }
    json!({
        "physicalLocation": {"artifactLocation": {"uri": uri(&frame.file)}, "region": region},
        "message": {"text": text},
    })
}

fn located(span: Span, text: &str, sources: &SourceMap<'_>) -> Option<Value> {
    let (artifact, region) = physical(span, sources)?;
    let mut value = json!({"physicalLocation": {"artifactLocation": artifact, "region": region}});
    if !text.is_empty() {
        value["message"] = json!({"text": text});
    }
    Some(value)
}

/// Returns the fix of a diagnostic, or `None` if the file of one of its edits is unknown.
fn fix(d: &Diagnostic, sources: &SourceMap<'_>) -> Option<Value> {
    let suggestion = d.suggestion.as_ref().filter(|s| !s.edits.is_empty())?;
    let mut files = Vec::new();
    for edit in &suggestion.edits {
        if !files.contains(&edit.span.file) {
            files.push(edit.span.file);
        }
    }
    let mut changes = Vec::new();
    for file in files {
        let mut artifact = Value::Null;
        let mut replacements = Vec::new();
        for edit in suggestion.edits.iter().filter(|e| e.span.file == file) {
            let (location, region) = physical(edit.span, sources)?;
            artifact = location;
            let content = json!({"text": *edit.replacement});
            replacements.push(json!({"deletedRegion": region, "insertedContent": content}));
        }
        changes.push(json!({"artifactLocation": artifact, "replacements": replacements}));
    }
    Some(json!({"description": {"text": *suggestion.message}, "artifactChanges": changes}))
}

fn physical(span: Span, sources: &SourceMap<'_>) -> Option<(Value, Value)> {
    let file = sources.file(span.file)?;
    let (start, end) = (file.line_column(span.start), file.line_column(span.end));
    let region = json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
        "byteOffset": span.start,
        "byteLength": span.len(),
    });
    Some((json!({"uri": uri(file.name())}), region))
}

/// Returns a path as a URI reference. A path with a drive letter gets the `file` scheme, because the drive letter would
/// be parsed as a scheme.
fn uri(path: &str) -> String {
    let bytes = path.as_bytes();
    let has_drive = bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    let mut out = String::from(if has_drive { "file:///" } else { "" });
    for &b in bytes {
        match b {
            b'\\' if has_drive => out.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' | b'@' => {
                out.push(char::from(b));
            }
            b':' if has_drive => out.push(':'),
            // Writing to a string cannot fail.
            _ => drop(write!(out, "%{b:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DiagnosedEntity, FileId};

    #[test]
    fn uris() {
        assert_eq!(uri("a/b c.sil"), "a/b%20c.sil");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
        assert_eq!(uri(r"C:\x\y.sil"), "file:///C:/x/y.sil");
        assert_eq!(uri("/tmp/é"), "/tmp/%C3%A9");
    }

    #[test]
    fn document() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.sil", "one\ntwo\n").unwrap();
        let (a, b) = (RuleId::new("A"), RuleId::new("B"));
        let found = [
            Diagnostic::error(b, "x").at(Span::new(file, 4, 7)).secondary(Span::at(file, 0), "s"),
            Diagnostic::warning(a, "y").suggest("f", Span::new(file, 0, 3), "1").note("n"),
            Diagnostic::error(b, "z").entity(DiagnosedEntity::function("f").value("%1").origin(vec![
                OriginFrame { function: Some("g()".into()), file: "x/a.swift".into(), line: 3, column: 4 },
                OriginFrame { function: None, file: "b.swift".into(), line: 5, column: 0 },
            ])),
            Diagnostic::new(Severity::Help, "h").at(Span::at(FileId::new(3), 0)),
        ];
        let rules = [RuleInfo { id: b, name: "Bee", summary: "S." }];
        let text = sarif(&found, &sources, Tool { name: "t", version: "1", rules: &rules }, &[]);
        let v: Value = serde_json::from_str(&text).unwrap();
        let run = &v["runs"][0];
        let described = json!({"id": "B", "name": "Bee", "shortDescription": {"text": "S."}});
        assert_eq!(run["tool"]["driver"]["rules"], json!([described, {"id": "A"}]));
        let results = run["results"].as_array().unwrap();
        assert_eq!((&results[2]["ruleId"], &results[2]["ruleIndex"]), (&json!("B"), &json!(0)));
        assert_eq!(results[1]["ruleIndex"], 1);
        let region = &results[0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!((&region["startLine"], &region["endColumn"]), (&json!(2), &json!(4)));
        assert_eq!(results[0]["relatedLocations"][0]["message"]["text"], "s");
        let change = &results[1]["fixes"][0]["artifactChanges"][0];
        assert_eq!(change["replacements"][0]["insertedContent"]["text"], "1");
        let logical = &results[2]["locations"][0]["logicalLocations"][0];
        assert_eq!(logical["fullyQualifiedName"], "f/%1");
        let related = &results[2]["relatedLocations"];
        assert_eq!(related[0]["physicalLocation"]["artifactLocation"]["uri"], "x/a.swift");
        let region = |n: usize| related[n]["physicalLocation"]["region"].clone();
        assert_eq!(
            (region(0), region(1)),
            (json!({"startLine": 3, "startColumn": 4}), json!({"startLine": 5}))
        );
        let message = |n: usize| related[n]["message"]["text"].clone();
        assert_eq!((message(0), message(1)), (json!("compiled from here in `g()`"), json!("inlined here")));
        assert_eq!(results[3].get("locations"), None);
        assert_eq!(run.get("invocations"), None);
    }

    #[test]
    fn a_failed_run_is_not_clean() {
        let tool = Tool { name: "t", version: "1", rules: &[] };
        let invocation = |notices: &[&Diagnostic]| {
            let v: Value = serde_json::from_str(&sarif([], &SourceMap::new(), tool, notices)).unwrap();
            v["runs"][0]["invocations"][0].clone()
        };
        let hidden = Diagnostic::new(Severity::Note, "2 more");
        let failure = Diagnostic::error(RuleId::new("CLI0001"), "cannot read").note("check");
        assert_eq!(invocation(&[&hidden])["executionSuccessful"], true);
        let failed = invocation(&[&hidden, &failure]);
        assert_eq!(failed["executionSuccessful"], false);
        let notification = &failed["toolExecutionNotifications"][1];
        assert_eq!(notification["message"]["text"], "cannot read; check");
        assert_eq!(
            (&notification["level"], &notification["descriptor"]["id"]),
            (&json!("error"), &json!("CLI0001"))
        );
    }
}
