//! The main loop, the workers, and the thread that computes findings.

use crate::convert;
use crate::handlers;
use crate::position::Encoding;
use crate::state::{Client, Open, Settings, State, lock};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeConfiguration, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument,
    Notification as _, PublishDiagnostics,
};
use lsp_types::{InitializeParams, NumberOrString, PositionEncodingKind, PublishDiagnosticsParams, Uri};
use serde::de::DeserializeOwned;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

/// The number of threads that answer requests. Most answers take less than a millisecond; one may be slow.
const WORKERS: usize = 2;

/// What the server needs of the file system.
pub trait Files: Sync {
    /// Returns the contents of a file.
    ///
    /// # Errors
    /// Returns the reason why it cannot be read.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Returns true if a path is a file.
    fn exists(&self, path: &Path) -> bool;
}

/// The name and the version of the program.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'a> {
    /// The name.
    pub name: &'a str,
    /// The version.
    pub version: &'a str,
}

/// How a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// By `shutdown` and `exit`.
    Orderly,
    /// The client left without `shutdown`.
    Abruptly,
}

/// The reason why a session did not begin.
#[derive(Debug)]
pub struct ServeError(String);

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ServeError {}

/// A request with the version of the text that it is about.
pub(crate) struct Job {
    pub(crate) request: Request,
    pub(crate) open: Option<Arc<Open>>,
    is_cancelled: Arc<AtomicBool>,
}

/// A queue that several threads take from, until it is closed.
struct Queue<T> {
    items: Mutex<(VecDeque<T>, bool)>,
    changed: Condvar,
}

impl<T> Queue<T> {
    fn new() -> Self {
        Self { items: Mutex::new((VecDeque::new(), false)), changed: Condvar::new() }
    }

    fn push_unless(&self, item: T, is_there: impl Fn(&T) -> bool) {
        let mut items = lock(&self.items);
        if !items.0.iter().any(is_there) {
            items.0.push_back(item);
        }
        drop(items);
        self.changed.notify_one();
    }

    fn close(&self) {
        lock(&self.items).1 = true;
        self.changed.notify_all();
    }

    /// Waits for an item; `None` once the queue is closed.
    fn take(&self) -> Option<T> {
        let mut items = lock(&self.items);
        loop {
            if items.1 {
                return None;
            }
            if let Some(item) = items.0.pop_front() {
                return Some(item);
            }
            items = self.changed.wait(items).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// What all threads share.
pub(crate) struct Server<'a> {
    connection: &'a Connection,
    pub(crate) files: &'a dyn Files,
    pub(crate) state: State,
    pub(crate) folder: Mutex<Option<handlers::CachedFolder>>,
    jobs: Queue<Job>,
    changed: Queue<String>,
    pending: Mutex<HashMap<RequestId, Arc<AtomicBool>>>,
}

/// Serves a client until it leaves.
///
/// # Errors
/// Returns an error if the client does not begin as the protocol demands.
pub fn serve(
    connection: &Connection,
    files: &dyn Files,
    identity: Identity<'_>,
) -> Result<Ended, ServeError> {
    let fail = |error: lsp_server::ProtocolError| ServeError(error.to_string());
    let (id, params) = connection.initialize_start().map_err(fail)?;
    let client = match serde_json::from_value::<InitializeParams>(params) {
        Ok(params) => client(params),
        Err(error) => {
            let message = format!("cannot read the parameters of `initialize`: {error}");
            let _ = connection
                .sender
                .send(Response::new_err(id, ErrorCode::InvalidParams as i32, message.clone()).into());
            return Err(ServeError(message));
        }
    };
    let answer = serde_json::json!({
        "capabilities": convert::capabilities(client.encoding),
        "serverInfo": {"name": identity.name, "version": identity.version},
    });
    connection.initialize_finish(id, answer).map_err(fail)?;
    let server = Server {
        connection,
        files,
        state: State::new(client),
        folder: Mutex::new(None),
        jobs: Queue::new(),
        changed: Queue::new(),
        pending: Mutex::default(),
    };
    Ok(thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| server.work());
        }
        scope.spawn(|| server.diagnose());
        let ended = server.run();
        server.jobs.close();
        server.changed.close();
        ended
    }))
}

fn client(params: InitializeParams) -> Client {
    let general = params.capabilities.general.as_ref();
    let encodings = general.and_then(|general| general.position_encodings.as_ref());
    let has_utf8 = encodings.is_some_and(|encodings| encodings.contains(&PositionEncodingKind::UTF8));
    let settings = params.initialization_options.map(serde_json::from_value::<Settings>);
    Client {
        encoding: if has_utf8 { Encoding::Utf8 } else { Encoding::Utf16 },
        // Settings that cannot be read are those of nobody: the defaults.
        settings: settings.and_then(Result::ok).unwrap_or_default(),
    }
}

impl Server<'_> {
    /// Sends a message. If nobody is there to read it, the main loop ends as well.
    fn send(&self, message: impl Into<Message>) {
        let _ = self.connection.sender.send(message.into());
    }

    fn run(&self) -> Ended {
        let mut is_shut_down = false;
        for message in &self.connection.receiver {
            match message {
                Message::Request(request) if request.method == "shutdown" => {
                    is_shut_down = true;
                    self.send(Response::new_ok(request.id, ()));
                }
                Message::Request(request) if is_shut_down => {
                    let message = "the server is shut down";
                    self.send(Response::new_err(
                        request.id,
                        ErrorCode::InvalidRequest as i32,
                        message.to_owned(),
                    ));
                }
                Message::Request(request) => self.dispatch(request),
                Message::Notification(notification) if notification.method == "exit" => {
                    return if is_shut_down { Ended::Orderly } else { Ended::Abruptly };
                }
                Message::Notification(notification) => self.notified(notification),
                Message::Response(_) => {}
            }
        }
        if is_shut_down { Ended::Orderly } else { Ended::Abruptly }
    }

    /// Passes a request on to the workers, with the text as it is now.
    fn dispatch(&self, request: Request) {
        let uri = request.params.pointer("/textDocument/uri").and_then(|uri| uri.as_str());
        let open = uri.and_then(|uri| self.state.get(uri));
        let is_cancelled = Arc::new(AtomicBool::new(false));
        lock(&self.pending).insert(request.id.clone(), Arc::clone(&is_cancelled));
        self.jobs.push_unless(Job { request, open, is_cancelled }, |_| false);
    }

    fn notified(&self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Some(params) = read::<DidOpenTextDocument>(params) {
                    let document = params.text_document;
                    let uri = document.uri.as_str().to_owned();
                    self.state.open(document.uri, document.version, document.text);
                    self.text_changed(uri);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(params) = read::<DidChangeTextDocument>(params) {
                    let (document, uri) =
                        (&params.text_document, params.text_document.uri.as_str().to_owned());
                    if self.state.change(&uri, document.version, params.content_changes) {
                        self.text_changed(uri);
                    }
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(params) = read::<DidCloseTextDocument>(params) {
                    self.state.close(params.text_document.uri.as_str());
                    self.publish(params.text_document.uri, None, Vec::new());
                }
            }
            DidChangeConfiguration::METHOD => {
                let settings = params.pointer("/settings/sil").cloned();
                if let Some(Ok(settings)) = settings.map(serde_json::from_value::<Settings>) {
                    self.state.configure(settings);
                }
            }
            Cancel::METHOD => {
                let id = read::<Cancel>(params).map(|params| match params.id {
                    NumberOrString::Number(number) => RequestId::from(number),
                    NumberOrString::String(text) => RequestId::from(text),
                });
                if let Some(is_cancelled) = id.and_then(|id| lock(&self.pending).get(&id).cloned()) {
                    is_cancelled.store(true, Ordering::Relaxed);
                }
            }
            _ => {}
        }
    }

    fn text_changed(&self, uri: String) {
        self.changed.push_unless(uri.clone(), |queued| *queued == uri);
    }

    /// Answers requests until the session ends.
    fn work(&self) {
        while let Some(job) = self.jobs.take() {
            let id = job.request.id.clone();
            let outcome = match self.obsolete(&job) {
                Some(error) => Err(error),
                None => guarded(|| handlers::answer(self, &job))
                    .and_then(|answer| self.obsolete(&job).map_or(Ok(answer), Err)),
            };
            lock(&self.pending).remove(&id);
            self.send(match outcome {
                Ok(answer) => Response::new_ok(id, answer),
                Err(Failure(code, message)) => Response::new_err(id, code as i32, message),
            });
        }
    }

    /// Returns the reason why nobody wants the answer any more.
    fn obsolete(&self, job: &Job) -> Option<Failure> {
        if job.is_cancelled.load(Ordering::Relaxed) {
            return Some(Failure(ErrorCode::RequestCanceled, "cancelled".to_owned()));
        }
        let open = job.open.as_ref()?;
        (!self.state.is_current(open))
            .then(|| Failure(ErrorCode::ContentModified, "the text has changed".to_owned()))
    }

    /// Computes and publishes the findings of texts that have changed.
    fn diagnose(&self) {
        while let Some(uri) = self.changed.take() {
            let Some(open) = self.state.get(&uri) else { continue };
            // Names are asked for first, so they are not kept waiting.
            let found = guarded(|| {
                open.document.tokens();
                Ok(if open.is_part() { Vec::new() } else { convert::diagnostics(&open) })
            });
            let found = found.unwrap_or_else(|Failure(_, message)| vec![convert::failure(&message)]);
            if self.state.is_current(&open) {
                self.publish(open.uri.clone(), Some(open.version), found);
            }
        }
    }

    fn publish(&self, uri: Uri, version: Option<i32>, diagnostics: Vec<lsp_types::Diagnostic>) {
        let params = PublishDiagnosticsParams { uri, diagnostics, version };
        self.send(Notification::new(PublishDiagnostics::METHOD.to_owned(), params));
    }
}

/// An error as an answer.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) ErrorCode, pub(crate) String);

/// Runs a computation; a panic becomes a failure.
pub(crate) fn guarded<T>(compute: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(compute)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        Err(Failure(ErrorCode::InternalError, format!("a bug in silkit, please report it: {text}")))
    })
}

fn read<N: lsp_types::notification::Notification>(params: serde_json::Value) -> Option<N::Params>
where
    N::Params: DeserializeOwned,
{
    serde_json::from_value(params).ok()
}
