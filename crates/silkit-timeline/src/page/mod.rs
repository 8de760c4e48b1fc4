//! The page: one HTML file that shows what each pass did, without any other file and without the network.
//!
//! The data are packed: each distinct text is a difference from the text before it, in numbers of distinct lines
//! (`page/lines.rs`), compressed and written in base64. The script (`page/assets/`) unpacks it, and computes differences,
//! graphs and lanes when they are shown. It only sets text, never markup, so names and strings of a program do no harm.

mod lines;

use crate::store::{BodyId, Counts};
use crate::timeline::{NameId, Step, Timeline};
use lines::Lines;
use serde_json::{Value, json};
use silkit::base::{Entity as _, FxHashMap};
use silkit::text::parse_module;
use std::fmt::Write;

const STYLE: &str = include_str!("assets/page.css");
/// The parts of the script, in their order.
const SCRIPT: [&str; 6] = [
    include_str!("assets/data.js"),
    include_str!("assets/diff.js"),
    include_str!("assets/flow.js"),
    include_str!("assets/draw.js"),
    include_str!("assets/panes.js"),
    include_str!("assets/main.js"),
];
/// The structure of the page.
const BODY: &str = include_str!("assets/body.html");
/// What the page may load: nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// What a page shows besides the steps.
#[derive(Clone, Debug, Default)]
pub struct PageOptions {
    /// The title: the name of the log.
    pub title: String,
    /// The functions to show; all if empty.
    pub functions: Vec<NameId>,
    /// Swift source files: name and text.
    pub sources: Vec<(String, String)>,
    /// The function to show first.
    pub first: Option<NameId>,
}

/// Returns a page with the steps of a timeline.
pub fn timeline_page(timeline: &Timeline, options: &PageOptions) -> String {
    let mut pack = Pack::default();
    let mut versions: FxHashMap<NameId, Vec<Value>> = FxHashMap::default();
    let mut order = Vec::new();
    let mut steps = Vec::new();
    for (_, step) in timeline.steps() {
        let index = steps.len();
        let mut is_shown = false;
        for version in timeline.versions(step) {
            let Some(function) = version.function else { continue };
            if !options.functions.is_empty() && !options.functions.contains(&function) {
                continue;
            }
            is_shown = true;
            let shown = versions.entry(function).or_insert_with(|| {
                order.push(function);
                Vec::new()
            });
            let before = version.before.and_then(|body| pack.bodies.get(&body).copied());
            let after = version
                .after
                .map(|body| pack.body(body, before, timeline.counts(body), || timeline.text(body)));
            // A version that does not follow the one before it in the list says what it follows.
            let flag = i64::from(version.is_first);
            shown.push(json!(index));
            shown.push(json!(after.map_or(-1, i64::from)));
            shown.push(json!(flag));
        }
        if is_shown || step.number.is_none() {
            steps.push(step_row(timeline, step));
        }
    }
    let functions: Vec<Value> = order
        .iter()
        .map(|function| {
            let name = timeline.function(*function);
            let shown = silkit::comment_name(name);
            json!([name, shown, versions.remove(function)])
        })
        .collect();
    let others = timeline.other_lines().iter().take(200).map(|line| json!([line.line, line.text]));
    let (lines, bytes) = timeline.size();
    let data = json!({
        "title": options.title,
        "size": [lines, bytes],
        "stages": timeline.stages.values().collect::<Vec<_>>(),
        "passes": timeline.passes().map(|(_, pass)| pass.tag.as_str()).collect::<Vec<_>>(),
        "steps": steps,
        "functions": functions,
        "first": options.first.and_then(|first| order.iter().position(|function| *function == first)),
        "others": others.collect::<Vec<_>>(),
        "sources": options.sources,
        "counts": pack.counts,
    });
    page(&options.title, &data, &pack)
}

/// Returns a page with the functions of a module: name, text in SIL.
pub fn module_page(title: &str, functions: &[(String, String)], sources: Vec<(String, String)>) -> String {
    let mut pack = Pack::default();
    let rows: Vec<Value> = functions
        .iter()
        .zip(0u32..)
        .map(|((name, text), index)| {
            let parsed = parse_module(text).module;
            let counts = parsed.functions.values().find_map(|function| function.body.as_ref());
            let counts = counts.map(|body| Counts::of(body, &parsed)).unwrap_or_default();
            let body = pack.body(BodyId::from_u32(index), None, counts, || text.clone());
            json!([name, silkit::comment_name(name), [0, body, 1]])
        })
        .collect();
    let data = json!({
        "title": title,
        "size": [0, 0],
        "stages": [],
        "passes": [],
        "steps": [[-1, -1, -1, -1, 0, 0, 0, 0]],
        "functions": rows,
        "others": [],
        "sources": sources,
        "counts": pack.counts,
    });
    page(title, &data, &pack)
}

fn step_row(timeline: &Timeline, step: &Step) -> Value {
    let index = |index: Option<usize>| index.map_or(-1, |index| index as i64);
    json!([
        step.number.map_or(-1, i64::from),
        step.transformation.map_or(-1, i64::from),
        index(step.stage.map(|stage| stage.index())),
        index(step.pass.map(|pass| pass.index())),
        u8::from(step.kind.is_result()),
        step.line,
        u8::from(step.is_mandatory),
        timeline.milliseconds(step).map_or(0.0, f64::from),
    ])
}

/// The texts of a page.
#[derive(Debug, Default)]
struct Pack {
    lines: Lines,
    /// The index of each text in the page.
    bodies: FxHashMap<BodyId, u32>,
    /// The ids of the lines of each text.
    ids: Vec<Vec<u32>>,
    /// The number of lines so far.
    known: u32,
    /// All texts, as differences.
    stream: Vec<u8>,
    /// The counts of all texts.
    counts: Vec<i64>,
}

impl Pack {
    /// Adds a text that follows another, and returns its index in the page.
    fn body(
        &mut self,
        id: BodyId,
        before: Option<u32>,
        counts: Counts,
        text: impl FnOnce() -> String,
    ) -> u32 {
        if let Some(&index) = self.bodies.get(&id) {
            return index;
        }
        let index = self.ids.len() as u32;
        self.bodies.insert(id, index);
        let lines = self.lines.of_body(&text());
        let c = counts;
        self.counts.extend([c.insts, c.retains, c.releases, c.calls, c.allocations, c.blocks]);
        number(&mut self.stream, before.map_or(0, |before| index - before));
        let empty = Vec::new();
        let base = before.map_or(&empty, |before| &self.ids[before as usize]);
        let mut places: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (id, at) in base.iter().zip(0..) {
            places.entry(*id).or_default().push(at);
        }
        // Each piece is a copy of lines of the text before, and new lines after it.
        let (mut at, mut from) = (0, 0);
        number(&mut self.stream, lines.len() as u32);
        while at < lines.len() {
            let copied = lines[at..].iter().zip(&base[from..]).take_while(|(a, b)| a == b).count();
            number(&mut self.stream, from as u32);
            number(&mut self.stream, copied as u32);
            at += copied;
            let next = |id: &u32| {
                let places = places.get(id)?;
                let first = places.partition_point(|&place| (place as usize) < from + copied);
                places.get(first).map(|&place| place as usize)
            };
            let added = lines[at..].iter().take_while(|id| next(id).is_none()).count();
            number(&mut self.stream, added as u32);
            for &id in &lines[at..at + added] {
                let is_new = id >= self.known;
                self.known = self.known.max(id + 1);
                number(&mut self.stream, if is_new { 0 } else { id + 1 });
            }
            at += added;
            from = lines.get(at).and_then(next).unwrap_or(from);
        }
        self.ids.push(lines);
        index
    }
}

/// Appends a number in seven bits a byte.
fn number(out: &mut Vec<u8>, mut number: u32) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn page(title: &str, data: &Value, pack: &Pack) -> String {
    let json = data.to_string();
    let mut bytes = Vec::new();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json.as_bytes());
    bytes.extend((pack.stream.len() as u32).to_le_bytes());
    bytes.extend(&pack.stream);
    bytes.extend(pack.lines.text.as_bytes());
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&bytes, 9);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<title>{}</title>\n<style>\n{STYLE}</style></head>\n{BODY}",
        silkit::diag::render::escape_html(title)
    );
    out += "<script type=\"text/plain\" id=\"data\">";
    base64(&packed, &mut out);
    out += "</script>\n<script>\n\"use strict\";\n";
    for part in SCRIPT {
        out += part;
    }
    out += "</script>\n</body></html>\n";
    out
}

/// Appends bytes in base64.
fn base64(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.reserve(bytes.len() / 3 * 4 + 4);
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at)) as usize & 63];
            out.push(if at <= three.len() { digit as char } else { '=' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_all_lengths() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            let mut out = String::new();
            base64(bytes.as_bytes(), &mut out);
            assert_eq!(out, text);
        }
    }
}
