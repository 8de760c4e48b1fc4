//! Sessions with scripts: a client in the same process, over the protocol's messages.

use crate::{Connection, Ended, Files, Identity, serve};
use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::time::Duration;

const TEXT: &str = "\
sil_stage canonical

import Builtin
import Swift

class C {}

sil [ossa] @main : $@convention(thin) (@owned C) -> () {
bb0(%0 : @owned $C):
  %1 = tuple ()
  br bb1

bb1:
  return %1 : $()
}
";

const URI: &str = "file:///tmp/silkit/a.sil";

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match path.ends_with("big.sil") {
            true => Ok(TEXT.replace("import Swift\n", "import Swift\n\nsil @no : $() -> ()\n").into_bytes()),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        path == Path::new("/tmp/main.swift")
    }
}

struct Client {
    connection: Connection,
    next: i32,
    version: i32,
    /// Notifications that arrived while an answer was awaited.
    notified: Vec<Notification>,
}

impl Client {
    fn send(&mut self, method: &str, params: Value) -> i32 {
        self.next += 1;
        let request = Request { id: self.next.into(), method: method.to_owned(), params };
        self.connection.sender.send(request.into()).unwrap();
        self.next
    }

    fn notify(&self, method: &str, params: Value) {
        let notification = Notification { method: method.to_owned(), params };
        self.connection.sender.send(notification.into()).unwrap();
    }

    fn receive(&self) -> Message {
        self.connection.receiver.recv_timeout(Duration::from_secs(30)).expect("a message")
    }

    fn response(&mut self, id: i32) -> Response {
        loop {
            match self.receive() {
                Message::Response(response) if response.id == id.into() => return response,
                Message::Notification(notification) => self.notified.push(notification),
                other => panic!("unexpected {other:?}"),
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.response(id).response_result.unwrap_or_else(|error| panic!("{method}: {error:?}"))
    }

    fn refused(&mut self, method: &str, params: Value) -> (i32, String) {
        let id = self.send(method, params);
        let error = self.response(id).response_result.expect_err(method);
        (error.code, error.message)
    }

    fn open(&mut self, text: &str) {
        self.version = 1;
        self.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": URI, "languageId": "sil", "version": 1, "text": text}}),
        );
    }

    fn change(&mut self, changes: Value) {
        self.version += 1;
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": URI, "version": self.version}, "contentChanges": changes}),
        );
    }

    /// Waits for the findings of the newest version.
    fn findings(&mut self) -> Value {
        loop {
            let next = match self.notified.is_empty() {
                true => self.receive(),
                false => self.notified.remove(0).into(),
            };
            let Message::Notification(notification) = next else { panic!("unexpected {next:?}") };
            assert_eq!(notification.method, "textDocument/publishDiagnostics");
            if notification.params["version"] == self.version {
                return notification.params["diagnostics"].clone();
            }
        }
    }
}

fn session(options: Value, script: impl FnOnce(&mut Client) + Send) -> Ended {
    let (server, connection) = Connection::memory();
    std::thread::scope(|scope| {
        let served = scope.spawn(move || serve(&server, &NoFiles, Identity { name: "silkit", version: "0" }));
        let mut client = Client { connection, next: 0, version: 0, notified: Vec::new() };
        let capabilities = client.ask(
            "initialize",
            json!({"capabilities": {"general": {"positionEncodings": ["utf-16", "utf-8"]}}, "initializationOptions": options}),
        );
        assert_eq!(capabilities["capabilities"]["positionEncoding"], "utf-8");
        assert_eq!(capabilities["capabilities"]["semanticTokensProvider"]["range"], true);
        assert_eq!(capabilities["capabilities"]["semanticTokensProvider"].get("full"), None);
        client.notify("initialized", json!({}));
        script(&mut client);
        drop(client);
        served.join().unwrap().unwrap()
    })
}

fn end(client: &mut Client) {
    assert_eq!(client.ask("shutdown", Value::Null), Value::Null);
    assert_eq!(client.refused("textDocument/hover", place(0, 0)).0, ErrorCode::InvalidRequest as i32);
    client.notify("exit", Value::Null);
}

fn place(line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}})
}

/// Returns the position of the first place of `part`.
fn at(part: &str) -> Value {
    let offset = TEXT.find(part).unwrap();
    let line = TEXT[..offset].matches('\n').count();
    let column = offset - TEXT[..offset].rfind('\n').map_or(0, |at| at + 1);
    place(line as u32, column as u32)
}

fn with(mut params: Value, key: &str, value: Value) -> Value {
    params[key] = value;
    params
}

#[test]
fn a_session_from_start_to_end() {
    let ended = session(json!({"commands": ["sil.showGraph", "sil.run"]}), |client| {
        client.open(TEXT);
        let found = client.findings();
        assert_eq!(found.as_array().unwrap().len(), 1, "{found:#}");
        assert_eq!(found[0]["code"], "SIL0402");
        assert_eq!(found[0]["range"]["start"], json!({"line": 13, "character": 2}));
        let related = &found[0]["relatedInformation"];
        assert_eq!(related[0]["message"], "created here");
        assert_eq!(related[0]["location"]["range"]["start"], json!({"line": 8, "character": 4}));
        assert!(found[0]["message"].as_str().unwrap().contains("\nthe path is bb0 → bb1"), "{found:#}");

        let hover = client.ask("textDocument/hover", at("%1 : $()"));
        assert!(hover["contents"]["value"].as_str().unwrap().contains("%1 : $()"), "{hover:#}");
        let definition = client.ask("textDocument/definition", at("%1 : $()"));
        assert_eq!(definition["range"]["start"], json!({"line": 9, "character": 2}));
        let references = client.ask(
            "textDocument/references",
            with(at("%1 ="), "context", json!({"includeDeclaration": false})),
        );
        assert_eq!(references.as_array().unwrap().len(), 1);
        let highlights = client.ask("textDocument/documentHighlight", at("bb1\n"));
        assert_eq!(highlights.as_array().unwrap().len(), 2);
        let range = client.ask("textDocument/prepareRename", at("%1 ="));
        assert_eq!(range["end"]["character"], 4);
        let renamed = client.ask("textDocument/rename", with(at("%1 ="), "newName", json!("unit")));
        assert_eq!(renamed["documentChanges"][0]["edits"].as_array().unwrap().len(), 2);
        assert_eq!(renamed["documentChanges"][0]["textDocument"]["version"], 1);
        let refused = client.refused("textDocument/rename", with(at("%1 ="), "newName", json!("a b")));
        assert_eq!(refused.0, ErrorCode::RequestFailed as i32);

        let document = json!({"textDocument": {"uri": URI}});
        let symbols = client.ask("textDocument/documentSymbol", document.clone());
        assert_eq!((&symbols[0]["name"], &symbols[1]["name"]), (&json!("C"), &json!("main")));
        assert_eq!(symbols[1]["children"][1]["name"], "bb1");
        let found = client.ask("workspace/symbol", json!({"query": "MAI"}));
        assert_eq!(found[0]["name"], "main");
        let folds = client.ask("textDocument/foldingRange", document.clone());
        assert!(
            folds.as_array().unwrap().iter().any(|f| f["startLine"] == 7 && f["endLine"] == 14),
            "{folds:#}"
        );
        let everywhere = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
        let hints = client.ask("textDocument/inlayHint", with(document.clone(), "range", everywhere.clone()));
        let labels: Vec<&str> =
            hints.as_array().unwrap().iter().map(|h| h["label"].as_str().unwrap()).collect();
        assert_eq!(labels, [": $()", "// Preds: bb0"]);
        let tokens = client
            .ask("textDocument/semanticTokens/range", with(document.clone(), "range", everywhere.clone()));
        assert_eq!(tokens["data"].as_array().unwrap().len() % 5, 0);
        assert_eq!(tokens["data"].as_array().unwrap()[..5], [5, 6, 1, 4, 1]);

        let context = json!({"diagnostics": []});
        let actions = client.ask(
            "textDocument/codeAction",
            with(with(document.clone(), "range", everywhere), "context", context),
        );
        assert_eq!(actions[0]["title"], "Destroy `%0` on this path");
        assert_eq!(actions[0]["diagnostics"][0]["code"], "SIL0402");
        let lenses = client.ask("textDocument/codeLens", document.clone());
        let titles: Vec<&Value> =
            lenses.as_array().unwrap().iter().map(|lens| &lens["command"]["title"]).collect();
        assert_eq!(titles, [&Value::Null, &json!("draw"), &json!("run")]);
        let lens = client.ask("codeLens/resolve", lenses[0].clone());
        assert_eq!(
            lens["command"]["title"],
            "2 blocks · 3 instructions · 0 retains · 0 releases · 0 allocations"
        );
        let drawing = client.ask("sil/controlFlow", at("tuple"));
        assert!(drawing["svg"].as_str().unwrap().contains("href=\"#L10\""), "{drawing:#}");

        let options = with(document, "options", json!({"tabSize": 2, "insertSpaces": true}));
        let edits = client.ask("textDocument/formatting", options);
        assert!(edits[0]["newText"].as_str().unwrap().contains("// user: "), "{edits:#}");
        end(client);
    });
    assert_eq!(ended, Ended::Orderly);
}

#[test]
fn changes_are_applied_in_order() {
    session(json!({}), |client| {
        client.open("é");
        client.findings();
        let insert = |line: u32, character: u32, text: &str| {
            let position = json!({"line": line, "character": character});
            json!({"range": {"start": position, "end": position}, "text": text})
        };
        client.change(json!([insert(0, 2, "\nb"), insert(1, 1, "c"), insert(0, 0, "// ")]));
        client.findings();
        client.change(json!([{"text": TEXT}, insert(9, 2, "%2 = tupel ()\n  ")]));
        let found = client.findings();
        assert_eq!(found[0]["message"], "unknown instruction `tupel`\ndid you mean `tuple`?");
        assert_eq!(
            found[0]["range"],
            json!({"start": {"line": 9, "character": 7}, "end": {"line": 9, "character": 12}})
        );
        let complete = client.ask("textDocument/completion", place(9, 9));
        let item = complete["items"]
            .as_array()
            .unwrap()
            .iter()
            .find(|item| item["label"] == "tuple")
            .unwrap()
            .clone();
        assert_eq!(item["textEdit"]["range"]["start"]["character"], 7);
        let resolved = client.ask("completionItem/resolve", item);
        assert!(resolved["documentation"]["value"].as_str().unwrap().contains("**tuple**"));
        client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
        assert_eq!(client.refused("textDocument/hover", place(9, 3)).0, ErrorCode::InvalidParams as i32);
        end(client);
    });
}

#[test]
fn a_panic_is_the_answer_to_one_request() {
    let ended = session(json!({}), |client| {
        client.open(TEXT);
        let (code, message) = client.refused("test/panic", json!({}));
        assert_eq!(code, ErrorCode::InternalError as i32);
        assert_eq!(message, "a bug in silkit, please report it: as asked");
        assert!(client.ask("textDocument/hover", at("tuple"))["contents"].is_object());
        let (code, _) = client.refused("sil/none", json!({}));
        assert_eq!(code, ErrorCode::MethodNotFound as i32);
        let (code, message) = client.refused("textDocument/hover", json!({"textDocument": {"uri": URI}}));
        assert_eq!(code, ErrorCode::InvalidParams as i32, "{message}");
        end(client);
    });
    assert_eq!(ended, Ended::Orderly);
    assert_eq!(session(json!("no object"), |_| {}), Ended::Abruptly);
}

#[test]
fn what_nobody_wants_any_more_is_not_computed() {
    session(json!({}), |client| {
        client.open(TEXT);
        client.findings();
        // Many requests, of which all but the first few wait while the text changes and while they are cancelled.
        let ids: Vec<i32> =
            (0..200)
                .map(|_| {
                    client.send("textDocument/codeAction", json!({
            "textDocument": {"uri": URI}, "context": {"diagnostics": []},
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}},
        }))
                })
                .collect();
        client.notify("$/cancelRequest", json!({"id": ids[199]}));
        client.change(json!([{"text": TEXT.replace("tuple ()", "tuple  ()")}]));
        let mut codes: HashMap<i32, usize> = HashMap::new();
        let mut last = 0;
        let mut remaining = ids.len();
        while remaining > 0 {
            match client.receive() {
                Message::Response(response) => {
                    remaining -= 1;
                    let code = response.response_result.err().map_or(0, |error| error.code);
                    *codes.entry(code).or_default() += 1;
                    if response.id == ids[199].into() {
                        last = code;
                    }
                }
                Message::Notification(notification) => client.notified.push(notification),
                Message::Request(request) => panic!("unexpected {request:?}"),
            }
        }
        assert_eq!(last, ErrorCode::RequestCanceled as i32, "{codes:?}");
        assert!(
            codes.get(&(ErrorCode::ContentModified as i32)).is_some_and(|count| *count > 10),
            "{codes:?}"
        );
        client.findings();
        end(client);
    });
}

#[test]
fn a_file_is_a_folder_of_functions() {
    session(json!({}), |client| {
        let file = json!({"uri": "file:///tmp/big.sil"});
        let folder = client.ask("sil/functions", file.clone());
        assert_eq!(folder["functions"].as_array().unwrap().len(), 1, "{folder:#}");
        assert_eq!(folder["functions"][0]["title"], "main");
        let function = client.ask("sil/function", with(file.clone(), "index", json!(0)));
        let text = function["text"].as_str().unwrap();
        assert!(
            text.starts_with("sil_stage canonical\nimport Builtin\nimport Swift\n\nsil [ossa] @main"),
            "{text}"
        );
        assert!(text.ends_with("return %1 : $()\n}\n"), "{text}");
        assert_eq!(client.ask("sil/function", with(file, "index", json!(9))), Value::Null);
        let (code, message) = client.refused("sil/functions", json!({"uri": "file:///tmp/none.sil"}));
        assert_eq!(code, ErrorCode::RequestFailed as i32, "{message}");
        // A part of a file has no findings: what it names is elsewhere.
        client.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": "sil:/main.sil", "languageId": "sil", "version": 1, "text": TEXT}}),
        );
        let Message::Notification(published) = client.receive() else { panic!("no findings") };
        assert_eq!(published.params["diagnostics"], json!([]));
        end(client);
    });
}

#[test]
fn instructions_lead_to_files_of_swift() {
    let text = TEXT.replace("%1 = tuple ()", "%1 = tuple (), loc \"main.swift\":3:5");
    session(json!({}), |client| {
        client.open(&text);
        let frames = client.ask("sil/swiftPosition", at("tuple"));
        assert_eq!(frames[0]["line"], 3);
        assert_eq!(frames[0]["uri"], "file:///tmp/main.swift");
        let declaration = client.ask("textDocument/declaration", at("tuple"));
        assert_eq!(declaration[0]["range"]["start"], json!({"line": 2, "character": 4}));
        let query = json!({"textDocument": {"uri": URI}, "file": "/x/main.swift", "line": 3});
        let back = client.ask("sil/ofSwift", query);
        assert_eq!(back[0]["start"], json!({"line": 9, "character": 2}));
        end(client);
    });
}
