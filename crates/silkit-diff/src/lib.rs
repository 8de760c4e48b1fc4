//! Structural comparison of SIL, of texts ([`compare`]) or modules ([`compare_modules`]): renumbered values and blocks and
//! comments are ignored.
//!
//! The lines of a function are aligned without the numbers of values and blocks. Values that aligned lines define are
//! identified and get the name of the second text; aligned lines that then use different values are reported as a
//! difference. Values and blocks that are only in the first text are called `%old1` and `bbold1`, so that no name
//! stands for two values. The UUIDs of opened types and pack elements are numbers too: each run of the compiler has
//! others.
//!
//! ```
//! use silkit_diff::compare;
//! let before = "sil @f : $() -> () {\nbb0:\n  %0 = dead ()\n  %1 = tuple () // user: %2\n  return %1\n} // end sil function 'f'\n";
//! let after = "sil @f : $() -> () {\nbb0:\n  %0 = tuple () // user: %1\n  return %0\n} // end sil function 'f'\n";
//! let comparison = compare(before, after);
//! assert_eq!(comparison.unified("a", "b"), "--- a\n+++ b\n@@ @f\n sil @f : $() -> () {\n bb0:\n-  %old0 = dead ()\n   %0 = tuple ()\n   return %0\n }\n");
//! assert!(compare(after, after).is_same());
//! ```

mod align;

pub use align::{compare, function_name};

use silkit_ir::{FunctionId, Module};
use silkit_text::{Demangle, PrintOptions, print_function, print_module};
use std::fmt::Write;

/// The text that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// In both texts.
    Both,
    /// Only in the first text.
    Before,
    /// Only in the second text.
    After,
}

/// A line of a comparison, without generated comments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComparedLine {
    /// The text it belongs to.
    pub side: Side,
    /// The text. Values and blocks in both texts have the names of the second text; those of a changed function that
    /// are only in the first text have `old` before their number.
    pub text: String,
}

/// A function with differences, or the text outside of functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The function's name including `@`; empty for the text outside of functions.
    pub name: String,
    /// The texts that contain the function.
    pub side: Side,
    /// All lines.
    pub lines: Vec<ComparedLine>,
}

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// The differences, in the order of the second text, followed by entities that are only in the first.
    pub differences: Vec<Difference>,
}

/// The number of context lines around a difference.
const CONTEXT: usize = 3;

impl Comparison {
    /// Returns true if there is no difference.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty()
    }

    /// Returns the differences with context lines in the format of `diff -u`.
    pub fn unified(&self, before: &str, after: &str) -> String {
        self.unified_with(before, after, &|_| None)
    }

    /// Returns the differences with context lines in the format of `diff -u`, and the demangled names of functions.
    pub fn unified_with(
        &self,
        before: &str,
        after: &str,
        demangle: &dyn Fn(&str) -> Option<String>,
    ) -> String {
        if self.is_same() {
            return String::new();
        }
        let mut out = format!("--- {before}\n+++ {after}\n");
        for difference in &self.differences {
            difference.unified(&difference.header(demangle), &mut out);
        }
        out
    }

    /// Returns the lines of the differing functions in two columns, together at most `width` wide, with the demangled names of
    /// functions. `|` is between lines that replace each other, `<` after removed and `>` before added lines.
    pub fn side_by_side(&self, width: usize, demangle: &dyn Fn(&str) -> Option<String>) -> String {
        let column = width.saturating_sub(3) / 2;
        let cut = |text: &str| -> String { text.chars().take(column).collect() };
        let mut out = String::new();
        for difference in &self.differences {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{}", difference.header(demangle));
            let mut lines = difference.lines.iter().peekable();
            while let Some(line) = lines.next() {
                let (left, sign, right) = match line.side {
                    Side::Both => (line.text.as_str(), ' ', line.text.as_str()),
                    Side::After => ("", '>', line.text.as_str()),
                    Side::Before => match lines.next_if(|next| next.side == Side::After) {
                        Some(next) => (line.text.as_str(), '|', next.text.as_str()),
                        None => (line.text.as_str(), '<', ""),
                    },
                };
                let _ = writeln!(out, "{:column$} {sign} {}", cut(left), cut(right));
            }
        }
        out
    }

    /// Returns the number of functions with differences that are in the given texts.
    pub fn function_count(&self, side: Side) -> usize {
        self.differences.iter().filter(|d| d.symbol().is_some() && d.side == side).count()
    }
}

impl Difference {
    /// Returns the function's name without `@` and quotes; `None` for the text outside of functions.
    pub fn symbol(&self) -> Option<&str> {
        let name = self.name.strip_prefix('@')?;
        Some(name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name))
    }

    /// Returns the line before the lines of a difference: `@@ @$s1a1fyyF (f())`.
    pub fn header(&self, demangle: &dyn Fn(&str) -> Option<String>) -> String {
        match (self.symbol(), self.symbol().and_then(demangle)) {
            (None, _) => "@@".to_owned(),
            (Some(_), None) => format!("@@ {}", self.name),
            (Some(_), Some(title)) => format!("@@ {} ({title})", self.name),
        }
    }

    fn unified(&self, header: &str, out: &mut String) {
        let changed: Vec<usize> =
            (0..self.lines.len()).filter(|&at| self.lines[at].side != Side::Both).collect();
        let is_shown = |at: usize| {
            let next = changed.partition_point(|&change| change + CONTEXT < at);
            changed.get(next).is_some_and(|&change| change <= at + CONTEXT)
        };
        let mut was_shown = false;
        for (at, line) in self.lines.iter().enumerate() {
            let shows = is_shown(at);
            if shows && !was_shown {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "{header}");
            }
            was_shown = shows;
            if shows {
                let sign = match line.side {
                    Side::Both => ' ',
                    Side::Before => '-',
                    Side::After => '+',
                };
                let _ = writeln!(out, "{sign}{}", line.text);
            }
        }
    }
}

/// Compares two modules.
pub fn compare_modules(before: &Module, after: &Module, demangle: &Demangle) -> Comparison {
    let text = |module| print_module(module, &PrintOptions::default(), demangle);
    compare(&text(before), &text(after))
}

/// Compares functions of two modules by name, without what is outside of functions.
pub fn compare_functions(
    (before, old): (&Module, &[FunctionId]),
    (after, new): (&Module, &[FunctionId]),
    demangle: &Demangle,
) -> Comparison {
    let text = |module: &Module, functions: &[FunctionId]| -> String {
        let functions = functions.iter().map(|&id| &module.functions[id]);
        functions
            .map(|function| print_function(module, function, &PrintOptions::default(), demangle))
            .collect()
    };
    compare(&text(before, old), &text(after, new))
}
