//! The instruction table as it is written in `crates/silkit-ir/table/*.toml`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The families in the order of the table.
pub(crate) const FAMILIES: &[&str] = &[
    "alloc",
    "address",
    "literal",
    "method",
    "cast",
    "ownership",
    "refcount",
    "memory",
    "aggregate",
    "existential",
    "pack",
    "block",
    "apply",
    "differentiable",
    "concurrency",
    "debug",
    "control",
];

/// One instruction as declared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// Its name as a type.
    pub(crate) class: String,
    /// Its text form.
    pub(crate) form: String,
    /// The rule for the types of its results.
    pub(crate) result: String,
    /// The requirements on the types of its operands and attributes.
    #[serde(default)]
    pub(crate) types: String,
    /// The number of its results.
    pub(crate) results: String,
    /// True if opened types in it make its instruction use the values that opened them.
    #[serde(default)]
    pub(crate) type_dependent: bool,
    /// The part that it plays: a kind, and where that has one the operand that it is about.
    #[serde(default)]
    pub(crate) role: Option<String>,
    /// The kind of apply site that it is.
    #[serde(default)]
    pub(crate) apply: Option<String>,
    /// The ownership constraint of every operand.
    #[serde(default)]
    pub(crate) operand_ownership: Option<String>,
    /// The effect on the memory at each operand that can be an address.
    #[serde(default)]
    pub(crate) address_use: String,
    /// The ownership of its results.
    #[serde(default)]
    pub(crate) value_ownership: Option<String>,
    /// Its memory behavior.
    pub(crate) memory: String,
    /// True if that depends on the instance.
    #[serde(default)]
    pub(crate) memory_depends_on_instance: bool,
    /// True if it may release a reference.
    #[serde(default)]
    pub(crate) may_release: bool,
    /// True if it may trap.
    #[serde(default)]
    pub(crate) may_trap: bool,
    /// The runtime effects that it may have: names with spaces between.
    #[serde(default)]
    pub(crate) runtime: String,
    /// The only stage that allows it.
    #[serde(default)]
    pub(crate) stage: Option<String>,
    /// Its effect on the stack.
    #[serde(default)]
    pub(crate) stack: Option<String>,
    /// The scope that it begins or ends.
    #[serde(default)]
    pub(crate) scope: Option<String>,
    /// One line that says what it does.
    #[serde(default)]
    pub(crate) summary: String,
    /// The reference text.
    #[serde(default)]
    pub(crate) details: String,
    /// An example.
    #[serde(default)]
    pub(crate) example: String,
    /// Related instructions.
    #[serde(default)]
    pub(crate) see: Vec<String>,
}

/// One instruction with its name and family.
pub(crate) struct Entry {
    /// The name in the text form.
    pub(crate) name: String,
    /// The file that declares it.
    pub(crate) family: &'static str,
    /// The declared row.
    pub(crate) row: Row,
}

/// Reads the whole table.
pub(crate) fn read(root: &Path) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    for &family in FAMILIES {
        let path = root.join("crates/silkit-ir/table").join(format!("{family}.toml"));
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let table: toml::Table = text.parse().map_err(|e| format!("{}: {e}", path.display()))?;
        for (name, value) in table {
            let row = value.try_into().map_err(|e| format!("{}: [{name}]: {e}", path.display()))?;
            entries.push(Entry { name, family, row });
        }
    }
    Ok(entries)
}

/// One builtin as declared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Builtin {
    /// The name in the reference.
    pub(crate) id: String,
    /// The types that may end its name.
    #[serde(default = "any_types")]
    pub(crate) types: String,
    /// True if it may touch memory.
    pub(crate) reads_and_writes: bool,
    /// The ownership constraint of its operands.
    pub(crate) operands: String,
    /// The ownership constraint of the last operand, if it differs.
    pub(crate) last: Option<String>,
    /// The ownership constraints at positions that differ.
    #[serde(default)]
    pub(crate) at: Vec<(usize, String)>,
    /// The ownership of its result.
    pub(crate) result: Option<String>,
    /// The runtime effects that it may have: names with spaces between.
    #[serde(default)]
    pub(crate) runtime: String,
}

fn any_types() -> String {
    "Any".into()
}

/// Reads the table of builtins, sorted by name.
pub(crate) fn read_builtins(root: &Path) -> Result<BTreeMap<String, Builtin>, String> {
    let path = root.join("crates/silkit-ir/table/builtins.toml");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// One closed set of keywords as declared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Keywords {
    /// The words, between bars.
    pub(crate) words: String,
    /// One line that says what they are for.
    pub(crate) summary: String,
}

/// Reads the sets of keywords.
pub(crate) fn read_keywords(root: &Path) -> Result<BTreeMap<String, Keywords>, String> {
    let path = root.join("crates/silkit-ir/table/keywords.toml");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}
