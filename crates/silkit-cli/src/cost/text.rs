//! Tables of costs.

use crate::findings::readable;
use crate::output::counted;
use silkit::diag::render::one_line;
use silkit::ir::{FunctionId, Module};
use silkit_cost::{CostKinds, CostReport, Counts, Operation, Way};
use std::fmt::Write;

/// The columns of tables: the head, and the kinds that are summed up. A column without costs is left out.
const COLUMNS: &[(&str, CostKinds)] = &[
    ("retain", CostKinds::RETAIN),
    ("release", CostKinds::RELEASE),
    ("copy", CostKinds::COPY),
    ("destroy", CostKinds::DESTROY),
    ("alloc", CostKinds::ALLOCATION),
    ("lock", CostKinds::LOCK),
    ("excl", CostKinds::EXCLUSIVITY),
    ("class", CostKinds::CLASS_CALL),
    ("witness", CostKinds::WITNESS_CALL),
    ("value", CostKinds::VALUE_CALL),
    ("cast", CostKinds::CAST),
    ("meta", CostKinds::METADATA),
    ("once", CostKinds::ONCE),
];

/// A report as a table.
pub(super) struct Table<'a> {
    pub(super) module: &'a Module,
    pub(super) report: &'a CostReport,
    pub(super) limit: usize,
    pub(super) quiet: bool,
}

struct Row {
    counts: Counts,
    name: String,
}

impl Table<'_> {
    /// Returns the table with a row for each Swift line.
    pub(super) fn by_line(&self) -> String {
        let lines = self.report.lines();
        let rows = lines.iter().take(self.limit).map(|line| {
            let file = line.file.rsplit(['/', '\\']).next().unwrap_or(line.file);
            Row {
                counts: line.counts,
                name: format!("{file}:{}  {}", line.line, self.names(&line.functions)),
            }
        });
        let mut text = self.rows(&rows.collect::<Vec<_>>(), "line");
        text += &self.more(lines.len(), "line");
        if !self.quiet {
            text += &self.attribution();
        }
        text
    }

    /// Returns the table with a row for each function.
    pub(super) fn by_function(&self) -> String {
        let functions = self.report.functions();
        let rows = functions
            .iter()
            .take(self.limit)
            .map(|costs| Row { counts: costs.counts, name: self.name(costs.function) });
        let text = self.rows(&rows.collect::<Vec<_>>(), "function");
        text + &self.more(functions.len(), "function")
    }

    /// Returns the table with a row for each instruction.
    pub(super) fn by_place(&self) -> String {
        let operations = &self.report.operations;
        let row = |operation: &Operation| {
            let function = &self.module.functions[operation.function];
            let inst = function.body.as_ref().map_or("", |body| body.info(operation.inst).name);
            let line = operation.place.map_or(String::new(), |place| place.position.short() + "  ");
            Row {
                counts: Counts::of(operation),
                name: format!("{}{inst} in {}", one_line(&line), self.name(operation.function)),
            }
        };
        let rows: Vec<Row> = operations.iter().take(self.limit).map(row).collect();
        self.rows(&rows, "instruction") + &self.more(operations.len(), "instruction")
    }

    /// Returns the names of the functions on a line: the first one, and the number of the others.
    fn names(&self, functions: &[FunctionId]) -> String {
        let first = functions.first().map_or(String::new(), |&first| self.name(first));
        match functions.len() {
            0 | 1 => first,
            number => format!("{first} and {}", counted(number - 1, "more function")),
        }
    }

    fn name(&self, function: FunctionId) -> String {
        one_line(&readable(self.module.functions[function].name.as_str())).into_owned()
    }

    fn rows(&self, rows: &[Row], head: &str) -> String {
        let total = self.report.total();
        let columns: Vec<_> = COLUMNS.iter().filter(|(_, kinds)| total.total(*kinds) > 0).collect();
        if columns.is_empty() {
            return "no costs\n".to_owned();
        }
        let mut text = String::new();
        for (name, _) in &columns {
            text += &format!("{name:>7} ");
        }
        let _ = writeln!(text, " {head}");
        let mut put = |counts: &Counts, name: &str| {
            for (_, kinds) in &columns {
                let mark = if counts.total_in_loops(*kinds) > 0 { '*' } else { ' ' };
                match counts.total(*kinds) {
                    0 => text += "      - ",
                    number => text += &format!("{number:>7}{mark}"),
                }
            }
            // Writing to a string cannot fail.
            let _ = writeln!(text, " {name}");
        };
        rows.iter().for_each(|row| put(&row.counts, &row.name));
        if !self.quiet {
            put(&total, "all");
        }
        text
    }

    /// Returns a line that says how many rows are not shown.
    fn more(&self, all: usize, what: &str) -> String {
        match all.saturating_sub(self.limit) {
            0 => String::new(),
            _ if self.quiet => String::new(),
            left => format!("{}: `--limit 0` shows all\n", counted(left, &format!("more {what}"))),
        }
    }

    /// Returns how the lines of the program's own costs were found.
    fn attribution(&self) -> String {
        let (ways, without) = self.report.ways();
        let all: usize = ways.iter().sum::<usize>() + without;
        if all == 0 {
            return String::new();
        }
        let share = |number: usize| format!("{:.1} %", 100.0 * number as f64 / all as f64);
        let parts = Way::ALL.iter().zip(ways).filter(|(_, number)| *number > 0);
        let parts: Vec<String> = parts.map(|(way, n)| format!("{} {}", way.name(), share(n))).collect();
        format!(
            "\n{} of {} in {} of the program have a Swift line: {}\n",
            share(all - without),
            counted(all, "counting or allocating place"),
            counted(self.report.own_functions.len(), "function"),
            parts.join(", ")
        )
    }
}
