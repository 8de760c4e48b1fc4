//! Comments of bodies: at instructions and at the labels of blocks.

use super::comments::{self, Comment};
use super::{Formatter, put_back};
use silkit_ir::{Body, NONE};

/// Writes a printed function or global variable with the comments that stand in its body.
pub(super) fn weave(
    formatter: &Formatter<'_>,
    body: &Body,
    (start, end): (usize, usize),
    inside: &[Comment],
    printed: &str,
) -> String {
    if inside.is_empty() {
        return printed.to_owned();
    }
    let starts = code_starts(formatter, body, start);
    let (attached, last) = formatter.attach(&starts, inside, end);
    // Lines of code are those between the header, which ends with a brace, and the closing brace.
    let (mut is_inside, mut is_over) = (false, false);
    put_back(printed, &attached, &last, |line| {
        let (code, _) = comments::split_line(line);
        if !is_inside {
            is_inside = code.ends_with('{');
            return false;
        }
        is_over |= code == "}";
        !is_over && !code.is_empty() && !line.starts_with('[')
    })
}

/// Where labels and instructions start, in the order in which they are printed.
fn code_starts(formatter: &Formatter<'_>, body: &Body, start: usize) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut previous = start;
    for block in body.blocks() {
        for (i, inst) in body.block_insts(block).enumerate() {
            let pos = body.inst(inst).pos;
            let pos = if pos == NONE { previous } else { pos as usize };
            if i == 0 && !is_initializer(formatter, start) {
                starts.push(label_start(formatter, previous, pos).unwrap_or(pos));
            }
            starts.push(pos);
            previous = pos;
        }
    }
    starts
}

/// Static initializers have no labels.
fn is_initializer(formatter: &Formatter<'_>, start: usize) -> bool {
    formatter.text[start..].starts_with("sil_global")
}

/// Where the label of a block starts: the last `name:` or `name(…):` before its first instruction.
fn label_start(formatter: &Formatter<'_>, from: usize, to: usize) -> Option<usize> {
    let code = formatter.without_comments(from, to.max(from));
    let head = code.trim_end().strip_suffix(':')?.trim_end();
    let head = match head.strip_suffix(')') {
        None => head,
        Some(arguments) => {
            let mut depth = 1usize;
            let open = arguments.char_indices().rev().find(|(_, c)| {
                match c {
                    ')' => depth += 1,
                    '(' => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            arguments[..open?.0].trim_end()
        }
    };
    let name = head
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .map_or(0, |at| at + head[at..].chars().next().map_or(1, char::len_utf8));
    (name < head.len()).then_some(from + name)
}
