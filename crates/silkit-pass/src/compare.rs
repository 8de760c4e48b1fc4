//! Structural comparison of SIL texts: renumbered values and blocks and comments are ignored.
//!
//! The lines of a function are aligned without the numbers of values and blocks. Values that aligned lines define are
//! identified and get the name of the second text; aligned lines that then use different values are reported as a
//! difference.
//!
//! ```
//! use silkit_pass::compare::compare;
//! let before = "sil @f : $() -> () {\nbb0:\n  %0 = dead ()\n  %1 = tuple () // user: %2\n  return %1\n} // end sil function 'f'\n";
//! let after = "sil @f : $() -> () {\nbb0:\n  %0 = tuple () // user: %1\n  return %0\n} // end sil function 'f'\n";
//! let comparison = compare(before, after);
//! assert_eq!(comparison.unified("a", "b"), "--- a\n+++ b\n@@ @f\n sil @f : $() -> () {\n bb0:\n-  %0 = dead ()\n   %0 = tuple ()\n   return %0\n }\n");
//! assert!(compare(after, after).is_same());
//! ```

use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::{HashMap, HashSet};
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
    /// The text. Values and blocks in both texts have the names of the second text.
    pub text: String,
}

/// A function with differences, or the text outside of functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The function's name including `@`; empty for the text outside of functions.
    pub name: String,
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
        if self.is_same() {
            return String::new();
        }
        let mut out = format!("--- {before}\n+++ {after}\n");
        for difference in &self.differences {
            difference.unified(&mut out);
        }
        out
    }
}

impl Difference {
    fn unified(&self, out: &mut String) {
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
                let _ = writeln!(out, "@@{}{}", if self.name.is_empty() { "" } else { " " }, self.name);
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

/// Compares two texts.
pub fn compare(before: &str, after: &str) -> Comparison {
    let (old, new) = (chunks(before), chunks(after));
    let by_name: HashMap<&str, &Chunk<'_>> = old.iter().map(|chunk| (chunk.name, chunk)).collect();
    let empty = Chunk { name: "", lines: Vec::new() };
    let mut differences = Vec::new();
    for chunk in &new {
        let lines = align(by_name.get(chunk.name).unwrap_or(&&empty), chunk);
        differences.push(Difference { name: chunk.name.to_owned(), lines });
    }
    let names: HashSet<&str> = new.iter().map(|chunk| chunk.name).collect();
    for chunk in old.iter().filter(|chunk| !names.contains(chunk.name)) {
        differences.push(Difference { name: chunk.name.to_owned(), lines: align(chunk, &empty) });
    }
    differences.retain(|difference| difference.lines.iter().any(|line| line.side != Side::Both));
    Comparison { differences }
}

/// The lines of a function, or the lines outside of functions.
struct Chunk<'t> {
    name: &'t str,
    lines: Vec<&'t str>,
}

/// Splits a text into functions and the rest, which comes first.
fn chunks(text: &str) -> Vec<Chunk<'_>> {
    let mut all = vec![Chunk { name: "", lines: Vec::new() }];
    let mut within = 0;
    for line in text.lines() {
        let line = code(line);
        if line.trim().is_empty() {
            continue;
        }
        if let Some(name) = function_name(line) {
            all.push(Chunk { name, lines: Vec::new() });
            within = all.len() - 1;
        }
        all[within].lines.push(line);
        if line == "}" || within > 0 && all[within].lines.len() == 1 && !line.ends_with('{') {
            within = 0;
        }
    }
    all
}

/// Returns the name of the function if the line is a function header.
fn function_name(line: &str) -> Option<&str> {
    line.strip_prefix("sil ")?;
    let start = line.find(" @")? + 1;
    Some(line[start..].split(" : ").next().unwrap_or_default())
}

/// Returns a line without comments; the empty string for a line that is a comment.
fn code(line: &str) -> &str {
    if line.trim_start().starts_with("//") { "" } else { silkit_text::without_printed_comment(line) }
}

/// Splits a line into names of values and blocks and the text between them.
fn parts(line: &str) -> Vec<(bool, &str)> {
    let bytes = line.as_bytes();
    let (mut all, mut start, mut at) = (Vec::new(), 0, 0);
    let mut in_string = false;
    while at < bytes.len() {
        if bytes[at] == b'"' && (at == 0 || bytes[at - 1] != b'\\') {
            in_string = !in_string;
        }
        let is_word_before =
            at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || b"_$@.".contains(&bytes[at - 1]));
        let prefix = match &bytes[at..] {
            [b'%', b'0'..=b'9', ..] => 1,
            [b'b', b'b', b'0'..=b'9', ..] if !is_word_before => 2,
            _ => 0,
        };
        if prefix == 0 || in_string {
            at += 1;
            continue;
        }
        let digits = bytes[at + prefix..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        all.push((false, &line[start..at]));
        all.push((true, &line[at..at + prefix + digits]));
        at += prefix + digits;
        start = at;
    }
    all.push((false, &line[start..]));
    all
}

/// Returns a line without the numbers of values and blocks.
fn key(line: &str) -> String {
    parts(line).into_iter().map(|(is_name, text)| if is_name { &text[..1] } else { text }).collect()
}

/// Returns the number of names that a line defines: results, a block, its arguments.
fn defined(line: &str) -> usize {
    let names = |text: &str| parts(text).iter().filter(|part| part.0).count();
    match line.split_once(" = ") {
        Some((results, _)) if line.starts_with("  ") => names(results),
        _ if line.starts_with("bb") => names(line),
        _ => 0,
    }
}

fn names(line: &str) -> Vec<&str> {
    parts(line).into_iter().filter(|part| part.0).map(|part| part.1).collect()
}

/// Pairs replaced lines that have equivalent definitions: blocks, and results of the same instruction. Uses of their
/// names are not differences.
fn redefined<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(&'t str, &'t str)> {
    let kind = |line: &'t str| match line.split_once(" = ") {
        Some((_, rest)) => rest.split(' ').next().unwrap_or_default(),
        None if line.starts_with("bb") => "bb",
        None => "",
    };
    let mut taken = vec![false; new.len()];
    let mut pairs = Vec::new();
    for &line in old.iter().filter(|line| !kind(line).is_empty()) {
        let other = (0..new.len()).find(|&at| !taken[at] && kind(new[at]) == kind(line));
        if let Some(at) = other {
            taken[at] = true;
            pairs.push((line, new[at]));
        }
    }
    pairs
}

fn align(old: &Chunk<'_>, new: &Chunk<'_>) -> Vec<ComparedLine> {
    let keys = |chunk: &Chunk<'_>| chunk.lines.iter().map(|line| key(line)).collect::<Vec<_>>();
    let (old_keys, new_keys) = (keys(old), keys(new));
    let operations = capture_diff_slices(Algorithm::Patience, &old_keys, &new_keys);
    let mut pairs: Vec<(Option<usize>, Option<usize>)> = Vec::new();
    let mut replaced: Vec<(&str, &str)> = Vec::new();
    for operation in &operations {
        let (tag, old_range, new_range) = operation.as_tag_tuple();
        if tag == DiffTag::Equal {
            pairs.extend(old_range.zip(new_range).map(|(a, b)| (Some(a), Some(b))));
        } else {
            replaced.extend(redefined(&old.lines[old_range.clone()], &new.lines[new_range.clone()]));
            pairs.extend(old_range.map(|at| (Some(at), None)));
            pairs.extend(new_range.map(|at| (None, Some(at))));
        }
    }
    let mut renamed: HashMap<&str, &str> = HashMap::new();
    for (a, b) in replaced {
        renamed.extend(names(a).into_iter().zip(names(b)).take(defined(a).min(defined(b))));
    }
    for (a, b) in pairs.iter().filter_map(|pair| Some((pair.0?, pair.1?))) {
        let (a, b) = (old.lines[a], new.lines[b]);
        renamed.extend(names(a).into_iter().zip(names(b)).take(defined(b)));
    }
    let rename = |line: &str| -> String {
        let parts = parts(line).into_iter();
        parts
            .map(|(is_name, text)| if is_name { renamed.get(text).copied().unwrap_or(text) } else { text })
            .collect()
    };
    let same = |a: &str, b: &str| {
        names(a).iter().zip(names(b)).all(|(a, b)| renamed.get(a).copied().unwrap_or(*a) == b)
    };
    let mut lines = Vec::new();
    let line = |side, text: String| ComparedLine { side, text };
    for (a, b) in pairs {
        match (a.map(|at| old.lines[at]), b.map(|at| new.lines[at])) {
            (Some(a), Some(b)) if same(a, b) => lines.push(line(Side::Both, b.to_owned())),
            (a, b) => {
                lines.extend(a.map(|a| line(Side::Before, rename(a))));
                lines.extend(b.map(|b| line(Side::After, b.to_owned())));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "\
sil @f : $() -> () {
bb0(%0 : $Int, %1 : $Int):
  %2 = struct_extract %0, #Int._value             // user: %3
  %3 = use %2
  br bb1

bb1:                                              // Preds: bb0
  return %3                                       // id: %4
} // end sil function 'f'
";

    #[test]
    fn renumbering_and_comments_are_no_difference() {
        let after =
            BEFORE.replace("%3", "%9").replace("bb1", "bb7").replace("// Preds: bb0", "// Preds: bb5");
        assert!(compare(BEFORE, &after).is_same());
        assert!(compare(BEFORE, BEFORE).is_same());
    }

    #[test]
    fn another_operand_is_a_difference() {
        let after = BEFORE.replace("struct_extract %0", "struct_extract %1");
        let comparison = compare(BEFORE, &after);
        let lines = &comparison.differences[0].lines;
        let changed: Vec<&str> =
            lines.iter().filter(|l| l.side != Side::Both).map(|l| l.text.as_str()).collect();
        assert_eq!(
            changed,
            ["  %2 = struct_extract %0, #Int._value", "  %2 = struct_extract %1, #Int._value"]
        );
    }

    #[test]
    fn uses_of_what_is_defined_anew_are_no_difference() {
        let after = BEFORE.replace("%0 : $Int", "%0 : @owned $Int");
        let lines = compare(BEFORE, &after).differences.remove(0).lines;
        assert_eq!(lines.iter().filter(|line| line.side != Side::Both).count(), 2, "{lines:?}");
    }

    fn changed(before: &str, after: &str) -> Vec<String> {
        let lines = compare(before, after).differences.into_iter().flat_map(|difference| difference.lines);
        lines.filter(|line| line.side != Side::Both).map(|line| line.text).collect()
    }

    #[test]
    fn a_new_name_of_what_is_defined_anew_is_no_difference() {
        let after = BEFORE.replace("%0", "%7").replace("%7 : $Int", "%7 : @owned $Int");
        assert_eq!(
            changed(BEFORE, &after),
            ["bb0(%7 : $Int, %1 : $Int):", "bb0(%7 : @owned $Int, %1 : $Int):"]
        );
        // The same instruction on something else.
        let after =
            BEFORE.replace("%2 = struct_extract %0", "%8 = struct_extract %1").replace("use %2", "use %8");
        assert_eq!(
            changed(BEFORE, &after),
            ["  %8 = struct_extract %0, #Int._value", "  %8 = struct_extract %1, #Int._value"]
        );
    }

    #[test]
    fn a_block_is_not_paired_with_an_instruction() {
        let before = "sil @f : $() -> () {\nbb0:\n  store undef\nbb1(%0 : $Int):\n  use %0\n}\n";
        let after = "sil @f : $() -> () {\nbb0:\nbb1(%4 : @owned $Int):\n  use %4\n}\n";
        assert_eq!(changed(before, after), ["  store undef", "bb1(%4 : $Int):", "bb1(%4 : @owned $Int):"]);
    }

    #[test]
    fn each_line_is_paired_once() {
        let before = "sil @f : $() -> () {\nbb0:\n  %0 = load a\n  %1 = load b\n  use %0\n  use %1\n}\n";
        let after = "sil @f : $() -> () {\nbb0:\n  %5 = load c\n  %6 = load d\n  use %5\n  use %6\n}\n";
        assert_eq!(
            changed(before, after),
            ["  %5 = load a", "  %6 = load b", "  %5 = load c", "  %6 = load d"]
        );
    }

    #[test]
    fn differences_are_shown_with_three_lines_around_each() {
        let line = |n: usize| format!("  line {n}\n");
        let text = |changed: &[usize]| {
            let lines = (0..24).map(|n| if changed.contains(&n) { "  new\n".to_owned() } else { line(n) });
            format!("sil @f : $() -> () {{\n{}}}\n", lines.collect::<String>())
        };
        let shown = compare(&text(&[]), &text(&[5, 12, 20])).unified("a", "b");
        let shown: Vec<&str> = shown.lines().collect();
        let expected = [
            "--- a",
            "+++ b",
            "@@ @f",
            "   line 2",
            "   line 3",
            "   line 4",
            "-  line 5",
            "+  new",
            "   line 6",
            "   line 7",
            "   line 8",
            "   line 9",
            "   line 10",
            "   line 11",
            "-  line 12",
            "+  new",
            "   line 13",
            "   line 14",
            "   line 15",
            "@@ @f",
            "   line 17",
            "   line 18",
            "   line 19",
            "-  line 20",
            "+  new",
            "   line 21",
            "   line 22",
            "   line 23",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn text_outside_of_functions_is_compared_apart() {
        let before = "sil_stage raw\n// a comment\n\nsil @f : $() -> ()\n\nimport A\nsil @g : $() -> () {\nbb0:\n}\nimport B\n";
        let after = before.replace("import A", "import C");
        let shown = compare(before, &after).unified("a", "b");
        assert_eq!(shown, "--- a\n+++ b\n@@\n sil_stage raw\n-import A\n+import C\n import B\n");
        assert_eq!(compare(before, before).unified("a", "b"), "");
        let shown =
            compare(before, &before.replace("sil @f : $() -> ()", "sil @f : $() -> Int")).unified("a", "b");
        assert_eq!(shown, "--- a\n+++ b\n@@ @f\n-sil @f : $() -> ()\n+sil @f : $() -> Int\n");
    }

    #[test]
    fn functions_are_matched_by_name() {
        let other = BEFORE.replace("@f", "@g");
        let comparison = compare(&format!("{BEFORE}\n{other}"), &format!("{other}\n{BEFORE}"));
        assert!(comparison.is_same(), "{comparison:?}");
        let comparison = compare(BEFORE, &other);
        let names: Vec<&str> = comparison.differences.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["@g", "@f"]);
    }

    #[test]
    fn names_in_strings_and_words_stay() {
        assert_eq!(names("  %1 = string_literal \"bb1 %2\" // x"), ["%1"]);
        assert_eq!(names("  cond_br %1, bb1, bb22(%3)"), ["%1", "bb1", "bb22", "%3"]);
        assert_eq!(names("  function_ref @xbb1"), [""; 0]);
    }
}
