//! Renderer for JSON lines: one object for each diagnostic.

use serde_json::{Map, Value, json};

use super::text::printable_json;
use crate::{Diagnostic, OriginFrame, SourceMap, Span};

/// Returns one line for each diagnostic, each line a JSON object.
///
/// | key | value |
/// |---|---|
/// | `severity` | `"error"`, `"warning"`, `"note"` or `"help"` |
/// | `rule` | stable id, or null |
/// | `message` | text |
/// | `place` | *place* of the finding, or null |
/// | `labels` | array of `{"place": place, "text": text, "primary": bool}` |
/// | `notes` | array of `{"message": text, "place": place or null}` |
/// | `suggestion` | `{"message": text, "edits": [{"place": place, "replacement": text}]}`, or null |
/// | `entity` | `{"kind": "function", "global", "table" or "declaration", "name": text, "part": text or null, "title": the name for people or null, "origin": place in the source such as `a.swift:3:4`, or null, "stack": array of *frames*}`, or null |
///
/// A *place* is `{"file": text or null, "start": position, "end": position}`; a *position* is
/// `{"offset": n, "line": n, "column": n, "byte_column": n}` with `offset` from 0, in bytes, and the
/// others from 1; `column` counts characters, `byte_column` bytes. `end` is after the last byte.
/// A *frame* is `{"function": the name for people or null, "file": path, "line": n, "column": n}`: a position in the
/// source, the innermost one first; the others are those of calls that were inlined.
/// If the file is unknown, a position has only `offset`. Future versions may add keys, but never change or remove
/// keys.
pub fn json_lines<'d>(
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
    sources: &SourceMap<'_>,
) -> String {
    let mut out = String::new();
    for d in diagnostics {
        out.push_str(&printable_json(&object(d, sources).to_string()));
        out.push('\n');
    }
    out
}

fn object(d: &Diagnostic, sources: &SourceMap<'_>) -> Value {
    let labels: Vec<Value> = d
        .labels
        .iter()
        .map(|l| json!({"place": place(l.span, sources), "text": *l.text, "primary": l.is_primary}))
        .collect();
    let notes: Vec<Value> = d
        .notes
        .iter()
        .map(|n| json!({"message": *n.message, "place": n.span.map(|s| place(s, sources))}))
        .collect();
    let suggestion = d.suggestion.as_ref().map(|s| {
        let edits: Vec<Value> = s
            .edits
            .iter()
            .map(|e| json!({"place": place(e.span, sources), "replacement": *e.replacement}))
            .collect();
        json!({"message": *s.message, "edits": edits})
    });
    let entity = d.entity.as_ref().map(|e| {
        json!({"kind": e.kind.as_str(), "name": *e.name, "part": e.part.as_deref(),
            "title": e.title.as_deref(), "origin": e.origin.first().map(OriginFrame::short),
            "stack": e.origin.iter().map(frame).collect::<Vec<_>>()})
    });
    json!({
        "severity": d.severity.as_str(),
        "rule": d.rule.map(|r| r.as_str()),
        "message": *d.message,
        "place": d.primary().map(|l| place(l.span, sources)),
        "labels": labels,
        "notes": notes,
        "suggestion": suggestion,
        "entity": entity,
    })
}

fn frame(frame: &OriginFrame) -> Value {
    json!({"function": frame.function.as_deref(), "file": *frame.file, "line": frame.line, "column": frame.column})
}

fn place(span: Span, sources: &SourceMap<'_>) -> Value {
    let file = sources.file(span.file);
    let position = |offset: u32| {
        let mut object = Map::new();
        object.insert("offset".to_owned(), offset.into());
        if let Some(file) = file {
            let at = file.line_column(offset);
            object.insert("line".to_owned(), at.line.into());
            object.insert("column".to_owned(), at.column.into());
            object.insert("byte_column".to_owned(), at.byte_column.into());
        }
        Value::Object(object)
    };
    json!({"file": file.map(|f| f.name()), "start": position(span.start), "end": position(span.end)})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DiagnosedEntity, FileId, RuleId};

    #[test]
    fn one_line_each() {
        let mut sources = SourceMap::new();
        let file = sources.add("a\".sil", "é\nx").unwrap();
        let d = Diagnostic::error(RuleId::new("SIL1"), "m\n\"")
            .label(Span::new(file, 3, 4), "l")
            .note("n")
            .suggest("s", Span::at(FileId::new(9), 5), "r")
            .entity(DiagnosedEntity::function("f"));
        let text = json_lines([&d, &d], &sources);
        assert_eq!(text.lines().count(), 2);
        let v: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(v["severity"], "error");
        assert_eq!(v["rule"], "SIL1");
        assert_eq!(v["message"], "m\n\"");
        assert_eq!(v["place"]["file"], "a\".sil");
        assert_eq!(v["place"]["start"], json!({"offset": 3, "line": 2, "column": 1, "byte_column": 1}));
        assert_eq!(v["labels"][0]["primary"], true);
        assert_eq!(v["notes"][0], json!({"message": "n", "place": null}));
        assert_eq!(v["suggestion"]["edits"][0]["place"]["start"], json!({"offset": 5}));
        assert_eq!(
            v["entity"],
            json!({"kind": "function", "name": "f", "part": null, "title": null, "origin": null, "stack": []})
        );
    }
}
