//! Comments in bodies: at instructions and at block labels.

use super::comments::{self, Comment};
use super::{Formatter, put_back};
use crate::source_map::BodySourceMap;
use silkit_ir::Body;

/// Writes a printed function or global variable with the comments of its body.
pub(super) fn weave(
    formatter: &Formatter<'_>,
    (body, map): (&Body, &BodySourceMap),
    (start, end): (usize, usize),
    inside: &[Comment],
    printed: &str,
) -> String {
    if inside.is_empty() {
        return printed.to_owned();
    }
    // Static initializers have no labels.
    let has_labels = !formatter.text[start..].starts_with("sil_global");
    let starts = code_starts(body, map, has_labels);
    let (attached, last) = formatter.attach(&starts, inside, end);
    // Code lines are between the header, which ends with a brace, and the closing brace.
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

/// Returns the offsets of labels and instructions, in print order.
fn code_starts(body: &Body, map: &BodySourceMap, has_labels: bool) -> Vec<usize> {
    let mut starts = Vec::new();
    for block in body.blocks() {
        let mut label = Some(map.block(block)).filter(|_| has_labels);
        for inst in body.block_insts(block) {
            let start = map.inst(inst).unwrap_or(0);
            // The label of the entry may be omitted.
            starts.extend(label.take().map(|label| label.unwrap_or(start) as usize));
            starts.push(start as usize);
        }
    }
    starts
}
