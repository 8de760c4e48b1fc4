//! The open texts, and what the client can do.

use crate::position::{Encoding, Lines};
use lsp_types::{Position, Range, TextDocumentContentChangeEvent};
use serde::Deserialize;
use silkit_ide::{Document, HintKind};
use std::collections::HashMap;
use std::ops;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A version of an open text.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) uri: lsp_types::Uri,
    /// The number that the client gave it.
    pub(crate) version: i32,
    /// The number of the change that made it, over all texts.
    pub(crate) generation: u64,
    pub(crate) document: Document,
    pub(crate) lines: Lines,
}

impl Open {
    pub(crate) fn offset(&self, position: Position) -> usize {
        self.lines.offset(self.document.text(), position)
    }

    pub(crate) fn offsets(&self, range: Range) -> ops::Range<usize> {
        self.lines.offsets(self.document.text(), range)
    }

    pub(crate) fn position(&self, at: usize) -> Position {
        self.lines.position(self.document.text(), at)
    }

    pub(crate) fn range(&self, range: ops::Range<usize>) -> Range {
        self.lines.range(&self.document, range)
    }

    /// Returns true if this is a part of a file, whose other parts are missing.
    pub(crate) fn is_part(&self) -> bool {
        self.uri.as_str().starts_with("sil:")
    }
}

/// What the client can do, and what the user wants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    pub(crate) settings: Settings,
}

/// The settings: `initializationOptions`, and later `workspace/didChangeConfiguration` under `sil`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Settings {
    /// The commands that the client carries out, of [`COMMANDS`].
    pub(crate) commands: Vec<String>,
    pub(crate) inlay_hints: Hints,
    pub(crate) code_lens: Lens,
}

/// The commands that code lenses name, each with its title. Arguments: the URI and the position of the function.
pub(crate) const COMMANDS: &[(&str, &str)] =
    &[("sil.showGraph", "draw"), ("sil.run", "run"), ("sil.showCost", "costs")];

#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub(crate) struct Hints {
    pub(crate) types: bool,
    pub(crate) predecessors: bool,
    pub(crate) endings: bool,
}

impl Default for Hints {
    fn default() -> Self {
        Self { types: true, predecessors: true, endings: true }
    }
}

impl Hints {
    pub(crate) fn shows(&self, kind: HintKind) -> bool {
        match kind {
            HintKind::Type => self.types,
            HintKind::Predecessors => self.predecessors,
            HintKind::Ending => self.endings,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub(crate) struct Lens {
    pub(crate) enable: bool,
}

impl Default for Lens {
    fn default() -> Self {
        Self { enable: true }
    }
}

/// The open texts by URI.
#[derive(Debug, Default)]
pub(crate) struct State {
    opened: Mutex<HashMap<String, Arc<Open>>>,
    generation: Mutex<u64>,
    client: Mutex<Client>,
}

/// Locks, whether or not another thread panicked while it held the lock: what is locked is replaced as a whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    pub(crate) fn new(client: Client) -> Self {
        Self { client: Mutex::new(client), ..Self::default() }
    }

    pub(crate) fn client(&self) -> Client {
        lock(&self.client).clone()
    }

    /// Takes over settings that the user has changed; the commands are those of the client.
    pub(crate) fn configure(&self, settings: Settings) {
        let mut client = lock(&self.client);
        let commands = std::mem::take(&mut client.settings.commands);
        client.settings = Settings { commands, ..settings };
    }

    pub(crate) fn get(&self, uri: &str) -> Option<Arc<Open>> {
        lock(&self.opened).get(uri).cloned()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Open>> {
        let mut all: Vec<_> = lock(&self.opened).values().cloned().collect();
        all.sort_by(|a, b| a.uri.as_str().cmp(b.uri.as_str()));
        all
    }

    pub(crate) fn close(&self, uri: &str) {
        lock(&self.opened).remove(uri);
    }

    /// Returns true if a version is the newest one of its text.
    pub(crate) fn is_current(&self, open: &Open) -> bool {
        lock(&self.opened).get(open.uri.as_str()).is_some_and(|newest| newest.generation == open.generation)
    }

    pub(crate) fn open(&self, uri: lsp_types::Uri, version: i32, text: String) {
        let generation = {
            let mut generation = lock(&self.generation);
            *generation += 1;
            *generation
        };
        let lines = Lines::of(&text, lock(&self.client).encoding);
        let key = uri.as_str().to_owned();
        let open = Open { uri, version, generation, document: Document::new(text), lines };
        lock(&self.opened).insert(key, Arc::new(open));
    }

    /// Applies changes, each of which refers to the text after the one before it. Returns false if the text is not open.
    pub(crate) fn change(
        &self,
        uri: &str,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> bool {
        let Some(open) = self.get(uri) else { return false };
        let encoding = lock(&self.client).encoding;
        let mut text = String::new();
        let mut is_first = true;
        for change in changes {
            let Some(range) = change.range else {
                (text, is_first) = (change.text, false);
                continue;
            };
            let range = match is_first {
                true => {
                    text = open.document.text().to_owned();
                    open.offsets(range)
                }
                false => Lines::of(&text, encoding).offsets(&text, range),
            };
            is_first = false;
            text.replace_range(range, &change.text);
        }
        if !is_first {
            self.open(open.uri.clone(), version, text);
        }
        true
    }
}
