//! Rendering never fails and stays bounded: any bytes, any spans, any edits, endless lines.

use std::time::{Duration, Instant};

use silkit_diag::render::{Terminal, Tool, json_lines, sarif, short};
use silkit_diag::{Diagnostic, FileId, RuleId, SourceMap, Span};

const RULE: RuleId = RuleId::new("SIL0001");

/// A small generator of numbers (the SplitMix64 sequence): the same for every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n.max(1)
    }

    fn text(&mut self, len: u64) -> Vec<u8> {
        let pieces: [&[u8]; 14] = [
            b"%1",
            b" ",
            b"\n",
            b"\r\n",
            b"\t",
            b"\xff",
            b"\xe2\x82",
            "é".as_bytes(),
            "世".as_bytes(),
            b"\0",
            b"\x1b[31m",
            "\u{202e}".as_bytes(),
            "\u{9b}".as_bytes(),
            b"struct",
        ];
        let mut out = Vec::new();
        for _ in 0..self.below(len) {
            out.extend_from_slice(pieces[self.below(pieces.len() as u64) as usize]);
        }
        out
    }

    fn span(&mut self, file: FileId, len: usize) -> Span {
        let at = |n: &mut Self| n.below(len as u64 + 8) as u32;
        let start = at(self);
        let far = self.below(4) == 0;
        let end = if far { at(self) } else { start + self.below(6) as u32 };
        Span::new(file, start, end)
    }
}

fn render_all(d: &Diagnostic, sources: &SourceMap<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for colors in [false, true] {
        for unicode in [false, true] {
            for width in [0, 80, 1_000_000] {
                out.push(Terminal { colors, unicode, width }.render(d, sources));
            }
        }
    }
    out.push(short([d], sources));
    out.push(json_lines([d], sources));
    out.push(sarif([d], sources, Tool { name: "t", version: "0", rules: &[] }, &[]));
    out
}

#[test]
fn any_bytes_and_spans() {
    let mut n = Numbers(1);
    for round in 0..600 {
        let mut sources = SourceMap::new();
        let sizes = [n.below(40), n.below(4000)];
        let texts: Vec<Vec<u8>> = sizes.iter().map(|&s| n.text(s)).collect();
        let files: Vec<FileId> =
            texts.iter().map(|t| sources.add("a\n\x1b.sil", t.as_slice()).expect("short")).collect();
        let unknown = n.below(20) == 0;
        let place = |n: &mut Numbers| {
            let i = n.below(2) as usize;
            let span = n.span(files[i], texts[i].len());
            if unknown { Span { file: FileId::new(9), ..span } } else { span }
        };
        let message = |n: &mut Numbers| String::from_utf8_lossy(&n.text(8)).into_owned();
        let mut d = Diagnostic::error(RULE, message(&mut n));
        for _ in 0..n.below(5) {
            d = d.label(place(&mut n), message(&mut n)).secondary(place(&mut n), message(&mut n));
        }
        for _ in 0..n.below(3) {
            d = d.note(message(&mut n)).note_at(place(&mut n), message(&mut n));
        }
        if n.below(2) == 0 {
            d = d.suggest(message(&mut n), place(&mut n), message(&mut n));
            for _ in 0..n.below(3) {
                let more = Diagnostic::error(RULE, "").suggest("", place(&mut n), message(&mut n));
                let edits = more.suggestion.expect("just set").edits;
                d.suggestion.as_mut().expect("just set").edits.extend(edits);
            }
        }
        let rendered = render_all(&d, &sources);
        let plain = &rendered[0];
        assert!(!plain.contains(['\x1b', '\0', '\u{202e}', '\u{9b}', '\r']), "round {round}:\n{plain:?}");
        assert!(plain.starts_with("error[SIL0001]: ") && plain.ends_with('\n'));
    }
}

#[test]
fn a_line_of_100_megabytes() {
    let mut text = vec![b'x'; 100 << 20];
    let middle = text.len() / 2;
    text[middle..middle + 6].copy_from_slice(b"needle");
    let mut sources = SourceMap::new();
    let file = sources.add("long.sil", text).expect("below 4 GiB");
    let at = middle as u32;
    let d = Diagnostic::error(RULE, "found it")
        .label(Span::new(file, at, at + 6), "here")
        .secondary(Span::new(file, 0, 100 << 20), "all of it")
        .note_at(Span::at(file, 100 << 20), "the end")
        .suggest("replace", Span::new(file, at, at + 6), "pin");
    let start = Instant::now();
    for _ in 0..200 {
        for text in render_all(&d, &sources) {
            assert!(text.len() < 20_000, "{}", text.len());
        }
    }
    // Generous: without the table of characters this takes minutes.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    assert!(short([&d], &sources).starts_with("long.sil:1:52428801: error: found it ["));
}
