//! The instruction table as declared in `crates/silkit-ir/table/*.toml`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The instruction families in table order.
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

/// An instruction as declared in the table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// The Rust type name.
    pub(crate) class: String,
    /// The word in the text form, if it is not the name.
    #[serde(default)]
    pub(crate) spelling: Option<String>,
    /// The text form.
    pub(crate) form: String,
    /// The rule for the result types.
    pub(crate) result: String,
    /// The type requirements of the operands and attributes.
    #[serde(default)]
    pub(crate) types: String,
    /// The number of results.
    pub(crate) results: String,
    /// True if opened types in the instruction are uses of the values that opened them.
    #[serde(default)]
    pub(crate) type_dependent: bool,
    /// The role of the instruction: a kind and, for some kinds, the operand that the role refers to.
    #[serde(default)]
    pub(crate) role: Option<String>,
    /// The kind of apply site.
    #[serde(default)]
    pub(crate) apply: Option<String>,
    /// The ownership constraints of the operands.
    #[serde(default)]
    pub(crate) operand_ownership: Option<String>,
    /// The memory effect at each operand that can be an address.
    #[serde(default)]
    pub(crate) address_use: String,
    /// The ownership of the results.
    #[serde(default)]
    pub(crate) value_ownership: Option<String>,
    /// The memory behavior.
    pub(crate) memory: String,
    /// True if the memory behavior depends on the instance.
    #[serde(default)]
    pub(crate) memory_depends_on_instance: bool,
    /// True if the instruction may release a reference.
    #[serde(default)]
    pub(crate) may_release: bool,
    /// True if the instruction may trap.
    #[serde(default)]
    pub(crate) may_trap: bool,
    /// The possible runtime effects: a space-separated list of names.
    #[serde(default)]
    pub(crate) runtime: String,
    /// The only SIL stage in which the instruction is allowed.
    #[serde(default)]
    pub(crate) stage: Option<String>,
    /// The stack effect.
    #[serde(default)]
    pub(crate) stack: Option<String>,
    /// The scope that the instruction begins or ends.
    #[serde(default)]
    pub(crate) scope: Option<String>,
    /// The first release of Swift that has the instruction, if it is newer than 6.2.
    #[serde(default)]
    pub(crate) since: Option<String>,
    /// The last release of Swift that has the instruction.
    #[serde(default)]
    pub(crate) until: Option<String>,
    /// The first releases of the flags that are newer than the instruction.
    #[serde(default)]
    pub(crate) flags_since: BTreeMap<String, String>,
    /// A one-line summary.
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

/// An instruction with its name and family.
pub(crate) struct Entry {
    /// The name in the text form.
    pub(crate) name: String,
    /// The file that declares the instruction.
    pub(crate) family: &'static str,
    /// The declared row.
    pub(crate) row: Row,
}

/// Reads the complete instruction table.
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

/// A builtin as declared in the table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Builtin {
    /// The name in the reference.
    pub(crate) id: String,
    /// The types that can be suffixes of the name.
    #[serde(default = "any_types")]
    pub(crate) types: String,
    /// The effect on the stack.
    pub(crate) stack: Option<String>,
    /// True if the builtin may access memory.
    pub(crate) reads_and_writes: bool,
    /// The ownership constraint of the operands.
    pub(crate) operands: String,
    /// The ownership constraint of the last operand, if different.
    pub(crate) last: Option<String>,
    /// The ownership constraints of operands that differ, by index.
    #[serde(default)]
    pub(crate) at: Vec<(usize, String)>,
    /// The ownership of the result.
    pub(crate) result: Option<String>,
    /// The possible runtime effects: a space-separated list of names.
    #[serde(default)]
    pub(crate) runtime: String,
    /// The first release of Swift that has the builtin, if it is newer than 6.2.
    #[serde(default)]
    pub(crate) since: Option<String>,
    /// The last release of Swift that has the builtin.
    #[serde(default)]
    pub(crate) until: Option<String>,
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

/// A closed keyword set as declared in the table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Keywords {
    /// The keywords, separated by `|`.
    pub(crate) words: String,
    /// A one-line summary.
    pub(crate) summary: String,
}

/// Reads the keyword sets.
pub(crate) fn read_keywords(root: &Path) -> Result<BTreeMap<String, Keywords>, String> {
    let path = root.join("crates/silkit-ir/table/keywords.toml");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}
