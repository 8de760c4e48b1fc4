//! The alignment of the lines of two functions.

use super::{ComparedLine, Comparison, Difference, Side};
use rayon::prelude::*;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Compares two texts.
pub fn compare(before: &str, after: &str) -> Comparison {
    let (old, new) = (chunks(before), chunks(after));
    let by_name: HashMap<&str, &Chunk<'_>> = old.iter().map(|chunk| (chunk.name, chunk)).collect();
    let empty = Chunk { name: "", lines: Vec::new() };
    let difference = |chunk: &Chunk<'_>| {
        let (other, side) = match by_name.get(chunk.name) {
            Some(other) => (*other, Side::Both),
            None => (&empty, Side::After),
        };
        // Lines that are the same need no alignment.
        (other.lines != chunk.lines).then(|| Difference {
            name: chunk.name.to_owned(),
            side,
            lines: align(other, chunk),
        })
    };
    let mut differences: Vec<Difference> = new.par_iter().filter_map(difference).collect();
    let names: HashSet<&str> = new.iter().map(|chunk| chunk.name).collect();
    for chunk in old.iter().filter(|chunk| !names.contains(chunk.name)) {
        let lines =
            chunk.lines.iter().map(|line| ComparedLine { side: Side::Before, text: (*line).to_owned() });
        differences.push(Difference {
            name: chunk.name.to_owned(),
            side: Side::Before,
            lines: lines.collect(),
        });
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

/// Returns the name of the function, with `@` and quotes, if the line is the first one of a function in SIL.
///
/// Attributes are skipped: a requirement such as `[_specialize where @_noMetadata T : P]` contains `@` as well.
pub fn function_name(line: &str) -> Option<&str> {
    let header = line.strip_prefix("sil ")?;
    let (mut depth, mut in_string, mut before) = (0usize, false, b' ');
    for (at, byte) in header.bytes().enumerate() {
        match byte {
            b'"' if before != b'\\' => in_string = !in_string,
            _ if in_string => {}
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b'@' if depth == 0 && before == b' ' => return Some(symbol_at(&header[at..])),
            _ => {}
        }
        before = byte;
    }
    None
}

/// Returns the name that a text begins with: `@name` or `@"quoted name"`.
fn symbol_at(text: &str) -> &str {
    let is_quoted = text[1..].starts_with('"');
    let end = if is_quoted { text[2..].find('"').map(|at| at + 3) } else { text.find(' ') };
    &text[..end.unwrap_or(text.len())]
}

/// Returns a line without comments; the empty string for a line that is a comment.
fn code(line: &str) -> &str {
    if line.trim_start().starts_with("//") { "" } else { silkit_text::without_printed_comment(line) }
}

/// The texts before the UUID of an opened type or a pack element.
const BEFORE_UUIDS: [&[u8]; 3] = [b"@opened(", b"@pack_element(", b" uuid "];

/// Returns the length of the quoted UUID at a position, 0 if there is none.
fn uuid_at(bytes: &[u8], at: usize) -> usize {
    let is_uuid = bytes[at..].first() == Some(&b'"')
        && bytes.get(at + 37) == Some(&b'"')
        && bytes[at + 1..at + 37].iter().all(|&byte| byte.is_ascii_hexdigit() || byte == b'-')
        && BEFORE_UUIDS.iter().any(|before| bytes[..at].ends_with(before));
    if is_uuid { 38 } else { 0 }
}

/// Splits a line into names of values, blocks and opened types, and the text between them.
fn parts(line: &str) -> Vec<(bool, &str)> {
    let bytes = line.as_bytes();
    let (mut all, mut start, mut at) = (Vec::new(), 0, 0);
    let mut in_string = false;
    while at < bytes.len() {
        let uuid = if in_string { 0 } else { uuid_at(bytes, at) };
        if uuid > 0 {
            all.push((false, &line[start..at]));
            all.push((true, &line[at..at + uuid]));
            at += uuid;
            start = at;
            continue;
        }
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

/// Returns a line without the numbers of values and blocks; a block in `blocks` has its position there.
fn key(line: &str, blocks: &HashMap<&str, usize>) -> String {
    let mut key = String::new();
    for (is_name, text) in parts(line) {
        key += if is_name { &text[..1] } else { text };
        if let Some(position) = blocks.get(text).filter(|_| is_name) {
            // Writing to a string cannot fail.
            let _ = write!(key, "{position}");
        }
    }
    key
}

/// Returns the blocks of a function, with their positions.
fn blocks<'t>(chunk: &Chunk<'t>) -> HashMap<&'t str, usize> {
    let headers = chunk.lines.iter().filter(|line| line.starts_with("bb"));
    headers.filter_map(|line| names(line).first().copied()).zip(0..).collect()
}

/// Returns the names that a line defines: results and the type that it opens, a block and its arguments.
fn defined(line: &str) -> Vec<&str> {
    match line.split_once(" = ") {
        Some((results, rest)) if line.starts_with("  ") => {
            let before = if rest.starts_with("open_pack_element") { " uuid " } else { " to " };
            // Opened types of the operand stand before it.
            let opened = rest.find(before).filter(|_| rest.starts_with("open_"));
            let opened = opened.and_then(|at| names_of(&rest[at..]).find(|name| name.starts_with('"')));
            names_of(results).chain(opened).collect()
        }
        _ if line.starts_with("bb") => names_of(line).filter(|name| !name.starts_with('"')).collect(),
        _ => Vec::new(),
    }
}

fn names_of(line: &str) -> impl Iterator<Item = &str> {
    parts(line).into_iter().filter(|part| part.0).map(|part| part.1)
}

fn names(line: &str) -> Vec<&str> {
    names_of(line).collect()
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

/// Returns the name of a value or block that is only in the first text, which no name of the second text equals.
fn marked_old(name: &str) -> String {
    if name.starts_with('"') {
        return name.to_owned();
    }
    let number = name.trim_start_matches(['%', 'b']);
    format!("{}old{number}", &name[..name.len() - number.len()])
}

fn align(old: &Chunk<'_>, new: &Chunk<'_>) -> Vec<ComparedLine> {
    let (mut old_blocks, mut new_blocks) = (blocks(old), blocks(new));
    if old_blocks.len() != new_blocks.len() {
        // Blocks were added or removed, so positions do not tell which ones correspond.
        (old_blocks, new_blocks) = Default::default();
    }
    let keys =
        |chunk: &Chunk<'_>, blocks| chunk.lines.iter().map(|line| key(line, blocks)).collect::<Vec<_>>();
    let (old_keys, new_keys) = (keys(old, &old_blocks), keys(new, &new_blocks));
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
        renamed.extend(defined(a).into_iter().zip(defined(b)));
    }
    for (a, b) in pairs.iter().filter_map(|pair| Some((pair.0?, pair.1?))) {
        renamed.extend(defined(old.lines[a]).into_iter().zip(defined(new.lines[b])));
    }
    let removed: HashSet<&str> =
        old.lines.iter().flat_map(|line| defined(line)).filter(|name| !renamed.contains_key(name)).collect();
    let rename = |line: &str| -> String {
        let name = |(is_name, text)| match renamed.get(text) {
            Some(name) if is_name => (*name).to_owned(),
            None if is_name && removed.contains(text) => marked_old(text),
            _ => text.to_owned(),
        };
        parts(line).into_iter().map(name).collect()
    };
    let same = |a: &str, b: &str| {
        names(a).iter().zip(names(b)).all(|(a, b)| match renamed.get(a) {
            Some(a) => *a == b,
            None => *a == b && !removed.contains(a),
        })
    };
    let (mut lines, mut changes) = (Vec::new(), Vec::new());
    let line = |side, text: String| ComparedLine { side, text };
    for (a, b) in pairs {
        match (a.map(|at| old.lines[at]), b.map(|at| new.lines[at])) {
            (Some(a), Some(b)) if same(a, b) => {
                lines.extend(without_kept(std::mem::take(&mut changes)));
                lines.push(line(Side::Both, b.to_owned()));
            }
            (a, b) => {
                changes.extend(a.map(|a| line(Side::Before, rename(a))));
                changes.extend(b.map(|b| line(Side::After, b.to_owned())));
            }
        }
    }
    lines.extend(without_kept(changes));
    lines
}

/// Finds the lines among consecutive changes that both texts have: the names were not known when lines were aligned, so
/// that a line may have been aligned with one for another value. All other lines keep their order.
fn without_kept(changes: Vec<ComparedLine>) -> Vec<ComparedLine> {
    let of = |side: Side| (0..changes.len()).filter(|&at| changes[at].side == side).collect::<Vec<_>>();
    let (old, new) = (of(Side::Before), of(Side::After));
    let text = |at: &usize| changes[*at].text.as_str();
    let (old_texts, new_texts): (Vec<&str>, Vec<&str>) =
        (old.iter().map(text).collect(), new.iter().map(text).collect());
    let mut kept: Vec<(usize, usize)> = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &old_texts, &new_texts) {
        let (tag, old_range, new_range) = operation.as_tag_tuple();
        if tag == DiffTag::Equal {
            kept.extend(old_range.zip(new_range));
        }
    }
    let (mut lines, mut next_old, mut next_new) = (Vec::new(), 0, 0);
    for (kept_old, kept_new) in kept.into_iter().chain([(old.len(), new.len())]) {
        while next_old < kept_old || next_new < kept_new {
            let is_old = next_new == kept_new || next_old < kept_old && old[next_old] < new[next_new];
            let (list, next) = if is_old { (&old, &mut next_old) } else { (&new, &mut next_new) };
            lines.push(changes[list[*next]].clone());
            *next += 1;
        }
        if let Some(&at) = new.get(kept_new) {
            lines.push(ComparedLine { side: Side::Both, text: changes[at].text.clone() });
            (next_old, next_new) = (kept_old + 1, kept_new + 1);
        }
    }
    lines
}

#[cfg(test)]
mod tests;
