//! The language server of SIL: `silkit-ide` behind the language server protocol.
//!
//! # Threads and versions
//!
//! The main loop reads messages, applies changes of texts, and passes requests on; it computes nothing. Each change makes
//! a new version (`Open`) with the next *generation*. A request is answered from the version that was
//! current when it came, by a few workers. If the text has changed since, or the client has cancelled, the answer is an
//! error that says so, and nobody waits for it. One more thread computes findings of the newest version: changes that
//! arrive meanwhile are taken together.
//!
//! # Panics
//!
//! A panic while a request is answered becomes the error of this request; one while findings are computed, a finding. The
//! server goes on.
//!
//! # Large texts
//!
//! Semantic tokens are for ranges only: editors color the rest by the grammars in `editors/`. A text of more than
//! [`MAX_ANALYZED`](silkit_ide::MAX_ANALYZED) bytes has an outline and no findings. A file that the editor does not even
//! open is shown as a folder of its functions ([`requests::folder`]).
//!
//! Only the program reads files: the server asks [`Files`].

mod convert;
mod handlers;
mod position;
pub mod requests;
mod server;
mod state;
#[cfg(test)]
mod tests;

pub use lsp_server::{Connection, IoThreads};
pub use server::{Ended, Files, Identity, ServeError, serve};
