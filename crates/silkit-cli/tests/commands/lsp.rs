//! `silkit lsp`: messages over standard input and output.

use crate::*;
use serde_json::{Value, json};

fn message(content: &Value) -> String {
    let content = content.to_string();
    format!("Content-Length: {}\r\n\r\n{content}", content.len())
}

/// Sends requests and notifications, and returns the exit status and all that the server sent.
fn session(messages: &[Value]) -> (Option<i32>, Vec<Value>) {
    let initialize =
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}});
    let initialized = json!({"jsonrpc": "2.0", "method": "initialized", "params": {}});
    let all = [initialize, initialized].into_iter().chain(messages.iter().cloned());
    let input: String = all.map(|content| message(&content)).collect();
    let output = run_with(&["lsp"], input.as_bytes());
    let text = stdout(&output);
    let mut rest = text.as_str();
    let mut answers = Vec::new();
    while let Some((head, after)) = rest.split_once("\r\n\r\n") {
        let length = head.split_once(": ").expect("a length").1.parse().expect("a number");
        let (content, next) = after.split_at(length);
        answers.push(serde_json::from_str(content).expect("JSON"));
        rest = next;
    }
    (output.status.code(), answers)
}

#[test]
fn editors_get_hover_and_definition() {
    let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
    let (uri, place) = ("file:///f.sil", json!({"line": 3, "character": 10}));
    let at = json!({"textDocument": {"uri": uri}, "position": place});
    let document = json!({"uri": uri, "languageId": "sil", "version": 1, "text": text});
    let (status, answers) = session(&[
        json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": at}),
        json!({"jsonrpc": "2.0", "id": "two", "method": "textDocument/definition", "params": at}),
    ]);
    // The editor left without a word: the answers that were ready are sent.
    assert_eq!(status, Some(1));
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "silkit");
    assert_eq!(answers[0]["result"]["capabilities"]["positionEncoding"], "utf-16");
}

#[test]
fn the_status_tells_how_an_editor_left() {
    let shutdown = json!({"jsonrpc": "2.0", "id": 1, "method": "shutdown"});
    let exit = json!({"jsonrpc": "2.0", "method": "exit"});
    assert_eq!(session(&[shutdown, exit.clone()]).0, Some(0));
    assert_eq!(session(&[exit]).0, Some(1));
    let output = run_with(&["lsp"], b"no message\r\n\r\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`silkit lsp` is started by editors"), "{}", stderr(&output));
}
