//! Snapshots of the costs of a program, which can be compared with others: keyed by function, independent of the numbers of values and of the
//! order of functions.

use crate::kind::KIND_NAMES;
use crate::report::{CostReport, Operation};
use crate::table::Counts;
use crate::why::{Demangle, explain};
use silkit::ir::Module;
use silkit::types::decl::Declarations;
use std::collections::BTreeMap;

/// A position in a Swift file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SourcePosition {
    /// The path of the file, as the compiler was called with it.
    pub file: String,
    /// The line, starting at 1.
    pub line: u32,
    /// The column, starting at 1; 0 if unknown.
    pub column: u32,
}

/// A place with a cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SnapshotPlace {
    /// The index of the kind in [`KIND_NAMES`].
    pub kind: usize,
    /// Why the cost exists.
    pub reason: String,
    /// The Swift position; `None` without debug information and in budgets, which lines that move do not change.
    pub position: Option<SourcePosition>,
}

/// The costs of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionSnapshot {
    /// The readable name.
    pub name: String,
    /// The numbers of places; in budgets the numbers that are allowed.
    pub counts: Counts,
    /// The places in the order of their positions.
    pub places: Vec<SnapshotPlace>,
}

/// The costs of the functions of a program, by symbol.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Snapshot {
    /// The functions with a body that belong to the program.
    pub functions: BTreeMap<String, FunctionSnapshot>,
}

impl Snapshot {
    /// Takes a snapshot of a report: of the functions of the program itself, or of all functions if there is no debug information.
    pub fn new(
        module: &Module,
        declarations: &Declarations,
        report: &CostReport,
        demangle: Demangle<'_>,
    ) -> Self {
        let mut functions = BTreeMap::new();
        let has_own = !report.own_functions.is_empty();
        for (id, function) in module.functions.iter().filter(|(_, function)| function.body.is_some()) {
            if !has_own || report.is_own(id) {
                let symbol = function.name.as_str();
                let empty = FunctionSnapshot { name: demangle(symbol), ..FunctionSnapshot::default() };
                functions.insert(symbol.to_owned(), empty);
            }
        }
        let causes = explain(module, declarations, &report.operations, demangle);
        for (operation, causes) in report.operations.iter().zip(causes) {
            let symbol = module.functions[operation.function].name.as_str();
            let Some(function) = functions.get_mut(symbol) else { continue };
            function.counts.add(operation);
            let position = position(operation);
            for cause in causes {
                function.places.extend(cause.kinds.indices().map(|kind| SnapshotPlace {
                    kind,
                    reason: cause.text.clone(),
                    position: position.clone(),
                }));
            }
        }
        for function in functions.values_mut() {
            function
                .places
                .sort_by(|a, b| (&a.position, a.kind, &a.reason).cmp(&(&b.position, b.kind, &b.reason)));
        }
        Self { functions }
    }
}

fn position(operation: &Operation) -> Option<SourcePosition> {
    let position = operation.place?.position;
    Some(SourcePosition { file: position.file.to_owned(), line: position.line, column: position.column })
}

impl SnapshotPlace {
    /// Returns the name of its kind.
    pub fn kind_name(&self) -> &'static str {
        KIND_NAMES.get(self.kind).copied().unwrap_or_default()
    }
}
