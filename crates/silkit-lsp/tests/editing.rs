//! A long session of random edits: nothing fails, and memory does not grow.

use lsp_types::Range;
use serde_json::{Value, json};
use silkit_lsp::{Connection, Ended, Files, Identity, serve};
use silkit_testkit::generate;
use silkit_testkit::random::Random;
use std::io;
use std::path::Path;
use std::time::Duration;

const URI: &str = "file:///tmp/silkit/edited.sil";
/// The number of edits.
const EDITS: usize = 5_000;
/// The most bytes by which the resident memory may grow after the first edits. The caches of the parser, which are bounded
/// for each thread, fill meanwhile.
const GROWTH: usize = 100 << 20;

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }
}

/// Returns the resident memory of this process, where the system tells it.
fn resident() -> Option<usize> {
    let pages: usize = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

fn send(client: &Connection, content: Value) {
    client.sender.send(serde_json::from_value(content).expect("a message")).expect("a server");
}

/// Waits for the answer to a request. Returns its error code, or 0.
fn answer(client: &Connection, id: usize) -> i64 {
    loop {
        let message = client.receiver.recv_timeout(Duration::from_secs(60)).expect("an answer");
        let content = serde_json::to_value(&message).expect("JSON");
        if content["id"] == id {
            return content["error"]["code"].as_i64().unwrap_or(0);
        }
    }
}

/// Returns the position of a byte in ASCII text.
fn position(text: &str, at: usize) -> Value {
    let line = text[..at].matches('\n').count();
    json!({"line": line, "character": at - text[..at].rfind('\n').map_or(0, |at| at + 1)})
}

/// Makes a random edit: what people and their editors do to a line, and worse.
fn edit(random: &mut Random, text: &mut String, original: &str) -> Value {
    let at = random.below(text.len() + 1);
    let line_start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let words = [
        "%", "bb", "@", "$", "{", "}", "(", ")", "\n", "\"", "/*", " load ", "%0", ": $Int", "sil ", "`",
        ",", "#",
    ];
    let (from, to, new) = match random.below(8) {
        0 => (line_start, line_end, String::new()),
        1 => (at, at, text[line_start..line_end].to_owned() + "\n"),
        2 => (at, (at + random.below(40)).min(text.len()), String::new()),
        3 => (at, text.len(), String::new()),
        4 | 5 => (0, text.len(), original.to_owned()),
        _ => (at, at, words[random.below(words.len())].to_owned()),
    };
    let range = json!({"start": position(text, from), "end": position(text, to)});
    text.replace_range(from..to, &new);
    json!({"range": range, "text": new})
}

#[test]
fn thousands_of_edits_are_survived() {
    let original = generate::generate(7, &generate::Profile::of_seed(7).sized(12));
    assert!(original.is_ascii() && original.len() > 2_000);
    let (server, client) = Connection::memory();
    let ended = std::thread::scope(|scope| {
        // Dropped when an assertion fails, so that the server ends too.
        let client = client;
        let served = scope.spawn(move || serve(&server, &NoFiles, Identity { name: "silkit", version: "0" }));
        send(&client, json!({"id": 0, "method": "initialize", "params": {"capabilities": {}}}));
        answer(&client, 0);
        send(&client, json!({"method": "initialized", "params": {}}));
        let document = json!({"uri": URI, "languageId": "sil", "version": 0, "text": original});
        send(&client, json!({"method": "textDocument/didOpen", "params": {"textDocument": document}}));
        let mut random = Random::new(1);
        let mut text = original.clone();
        let mut before = None;
        let mut codes = Vec::new();
        let methods = [
            "textDocument/hover",
            "textDocument/definition",
            "textDocument/completion",
            "textDocument/codeAction",
            "textDocument/documentSymbol",
            "textDocument/inlayHint",
            "textDocument/foldingRange",
            "textDocument/formatting",
            "textDocument/semanticTokens/range",
            "textDocument/documentHighlight",
            "textDocument/codeLens",
            "sil/controlFlow",
        ];
        for number in 1..=EDITS {
            if number == EDITS / 10 {
                before = resident();
            }
            let change = edit(&mut random, &mut text, &original);
            send(
                &client,
                json!({"method": "textDocument/didChange", "params": {
                    "textDocument": {"uri": URI, "version": number}, "contentChanges": [change],
                }}),
            );
            let at = position(&text, random.below(text.len() + 1));
            send(
                &client,
                json!({"id": number, "method": methods[number % methods.len()], "params": {
                    "textDocument": {"uri": URI}, "position": at, "context": {"diagnostics": [], "triggerKind": 1},
                    "range": Range::default(), "options": {"tabSize": 2, "insertSpaces": true},
                }}),
            );
            codes.push(answer(&client, number));
        }
        let failed: Vec<_> = codes.iter().enumerate().filter(|(_, code)| **code != 0).collect();
        assert!(failed.is_empty(), "{failed:?}");
        if let (Some(before), Some(after)) = (before, resident()) {
            let growth = after.saturating_sub(before);
            eprintln!("{} KiB after {EDITS} edits, grown by {} KiB", after >> 10, growth >> 10);
            assert!(growth <= GROWTH, "{before} → {after}");
        }
        send(&client, json!({"id": EDITS + 1, "method": "shutdown"}));
        answer(&client, EDITS + 1);
        send(&client, json!({"method": "exit"}));
        served.join().expect("no panic").expect("a session")
    });
    assert_eq!(ended, Ended::Orderly);
}
