//! What a compiler did to its SIL, pass by pass: reads the logs that `-Xllvm -sil-print-all`, `-sil-print-before`, `-after`,
//! `-around` and `-function` make, with `-sil-print-pass-name` and `-sil-print-pass-time`, and diagnostics between them.
//!
//! [`Reader`] takes a log in pieces and returns a [`Timeline`]: each header is a [`Step`], with the [`Version`]s of the
//! functions that it prints. A text that is printed again is stored once; distinct texts are compressed and are not kept as
//! modules, so the memory is proportional to the changes in a log and not to its length. Each distinct text is parsed once,
//! for its [`Counts`] and to tell whether it can be read.
//!
//! A step's code is compared with the last text of the function before it in the log. Printed comments, such as users, are
//! ignored. A function without such a text is new if the log has printed the whole module, and otherwise unknown.

mod header;
mod page;
mod reader;
mod search;
mod store;
mod summary;
mod timeline;
mod verify;

pub use header::StepKind;
pub use page::{PageOptions, module_page, timeline_page};
pub use reader::Reader;
pub use search::{Occurrence, occurrences};
pub use store::{BodyId, Counts, Unread};
pub use summary::{PassSummary, Summary};
pub use timeline::{Change, NameId, OtherLine, Pass, PassId, Run, StageId, Step, StepId, Timeline, Version};
pub use verify::{Violation, first_violation};
