//! The TextMate grammar of `editors/textmate`: the names of instructions and attributes come from the instruction table.

use crate::table::Entry;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The words that begin an entity.
const ENTITIES: &[&str] = &[
    "sil",
    "sil_coverage_map",
    "sil_default_override_table",
    "sil_default_witness_table",
    "sil_differentiability_witness",
    "sil_global",
    "sil_moveonlydeinit",
    "sil_property",
    "sil_scope",
    "sil_stage",
    "sil_vtable",
    "sil_witness_table",
];

/// Returns the names of all instructions as the text spells them, sorted.
fn names(entries: &[Entry]) -> BTreeSet<&str> {
    entries.iter().map(|entry| entry.row.spelling.as_deref().unwrap_or(&entry.name)).collect()
}

/// Returns the grammar.
pub(crate) fn textmate(entries: &[Entry]) -> Result<String, String> {
    let names: Vec<&str> = names(entries).into_iter().collect();
    let rule = |name: &str, pattern: &str| json!({"name": format!("{name}.sil"), "match": pattern});
    let include = |name: &str| json!({"include": format!("#{name}")});
    let all = [
        "comments",
        "strings",
        "labels",
        "entities",
        "attributes",
        "symbols",
        "members",
        "values",
        "types",
        "locations",
        "instructions",
        "blocks",
        "keywords",
        "numbers",
    ];
    let patterns: Vec<Value> = all.iter().map(|name| include(name)).collect();
    let instructions = format!("(?:(?<=^  )|(?<== )|(?<=^    ))({})(?=[ \\t]|$)", names.join("|"));
    let entities = format!("^({})\\b", ENTITIES.join("|"));
    let repository = json!({
        "comments": {"patterns": [
            {"name": "comment.line.double-slash.sil", "begin": "//", "end": "$", "patterns": [
                {"name": "variable.other.value.sil", "match": "%[A-Za-z0-9_]+"},
                {"name": "entity.name.label.sil", "match": "\\bbb[0-9]+\\b"},
            ]},
            {"name": "comment.block.sil", "begin": "/\\*", "end": "\\*/"},
        ]},
        "strings": {"patterns": [{
            "name": "string.quoted.double.sil", "begin": "(?<!@)\"", "end": "\"|$",
            "patterns": [{"name": "constant.character.escape.sil", "match": "\\\\."}],
        }]},
        // Labels begin at the margin; all other names of blocks are targets.
        "labels": {"patterns": [{
            "match": "^([A-Za-z_][A-Za-z0-9_]*)(?=\\(%|:)",
            "captures": {"1": {"name": "entity.name.label.sil"}},
        }]},
        "entities": {"patterns": [
            {"match": entities, "captures": {"1": {"name": "keyword.declaration.sil"}}},
            {"match": "^(?:@\\w+(?:\\([^)]*\\))?\\s+)*((?:public|internal|private|fileprivate|open|final|indirect|package)\\s+)*(import|class|struct|enum|protocol|extension|typealias|func|var|let|actor)\\b",
             "captures": {"2": {"name": "keyword.declaration.sil"}}},
            {"match": "^\\s+(?:@\\w+(?:\\([^)]*\\))?\\s+)*(?:(?:public|internal|private|fileprivate|open|final|indirect|package|override|mutating|static|class)\\s+)*(class|struct|enum|func|var|let|case|init|deinit|subscript|associatedtype)\\b(?=[^:]*[{(:A-Za-z])",
             "captures": {"1": {"name": "keyword.declaration.sil"}}},
        ]},
        "attributes": {"patterns": [{
            "match": "(\\[)(!?[a-z_][A-Za-z0-9_]*)",
            "captures": {"2": {"name": "storage.modifier.sil"}},
        }, rule("storage.modifier", "(?<=[ (<$])@[a-z_][A-Za-z_]*(?=[ (])")]},
        "symbols": {"patterns": [
            rule("entity.name.function", "@\"(?:[^\"\\\\]|\\\\.)*\""),
            rule("entity.name.function", "@[A-Za-z_$][A-Za-z0-9_$.]*"),
        ]},
        "members": {"patterns": [rule("variable.other.member", "#[A-Za-z_$`][A-Za-z0-9_$.`]*(?:![A-Za-z0-9_.]+)*")]},
        "values": {"patterns": [rule("variable.other.value", "%[A-Za-z0-9_]+"), rule("constant.language", "\\bundef\\b")]},
        "types": {"patterns": [
            {"name": "keyword.operator.type.sil", "match": "\\$\\*?(?=[A-Za-z@(<\\[{`τ])"},
            rule("entity.name.type", "\\b[A-Z][A-Za-z0-9_]*\\b"),
            rule("entity.name.type.parameter", "τ_[0-9]+_[0-9]+"),
        ]},
        "locations": {"patterns": [{
            "match": "\\b(loc|scope)\\b(?= [\\*\"0-9])", "captures": {"1": {"name": "keyword.other.sil"}},
        }]},
        "instructions": {"patterns": [{"name": "keyword.control.instruction.sil", "match": instructions}]},
        "blocks": {"patterns": [rule("entity.name.label", "\\bbb[0-9]+\\b")]},
        "keywords": {"patterns": [rule(
            "storage.modifier",
            "\\b(public|hidden|shared|private|package|public_external|hidden_external|public_non_abi|raw|canonical|lowered|any|some|in|inout|to|as|case|default|normal|error|where|for|self)\\b",
        )]},
        "numbers": {"patterns": [rule("constant.numeric", "(?<![A-Za-z0-9_%])-?(?:0x[0-9A-Fa-f]+|[0-9]+)\\b")]},
    });
    let grammar = json!({
        "information_for_contributors": ["Generated from the instruction table by `cargo xtask generate`; do not edit."],
        "name": "SIL",
        "scopeName": "source.sil",
        "fileTypes": ["sil"],
        "patterns": patterns,
        "repository": repository,
    });
    Ok(format!("{grammar:#}\n"))
}

/// Returns the names of instructions for the tree-sitter grammar, as a module of JavaScript.
pub(crate) fn tree_sitter(entries: &[Entry]) -> Result<String, String> {
    let names: Vec<String> = names(entries).into_iter().map(|name| format!("  \"{name}\",\n")).collect();
    let head = "// The names of instructions. Generated from the instruction table by `cargo xtask generate`; do not edit.";
    Ok(format!("{head}\n\nmodule.exports = [\n{}];\n", names.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_grammars_know_each_instruction() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
        let entries = crate::table::read(root).expect("the table");
        let (grammar, list) =
            (textmate(&entries).expect("a grammar"), tree_sitter(&entries).expect("a list"));
        let grammar: Value = serde_json::from_str(&grammar).expect("JSON");
        let pattern =
            grammar["repository"]["instructions"]["patterns"][0]["match"].as_str().expect("a pattern");
        let known: BTreeSet<&str> = pattern.split(['(', '|', ')']).collect();
        for name in names(&entries) {
            assert!(known.contains(name) && list.contains(&format!("\"{name}\"")), "{name}");
        }
        assert!(names(&entries).len() > 200);
    }
}
