//! `mandatory-linker`, `performance-linker`: load function bodies from the library (`--library`).
//!
//! ```text
//! sil hidden_external [serialized] @f : $@convention(thin) () -> ()
//! ```
//!
//! becomes, if the library has `non_abi` `@f`:
//!
//! ```text
//! sil shared [serialized] [canonical] [ossa] @f : $@convention(thin) () -> () {
//! ```
//!
//! The first loads the functions that no other module emits, without which the program could not be linked. The
//! second loads all reachable functions for the optimizer.

use silkit_link::linker::{Mode, link};
use silkit_pass::{ModuleContext, Pass};

/// The linker of the diagnostic pipeline.
pub(super) const MANDATORY: Pass<'static> = Pass::module(
    "mandatory-linker",
    "Links the function bodies from the library that the module has to emit",
    &needed,
)
.mandatory();

/// The linker before optimizations.
pub(super) const PERFORMANCE: Pass<'static> =
    Pass::module("performance-linker", "Links all reachable function bodies from the library", &all)
        .mandatory();

fn needed(cx: &mut ModuleContext<'_>) {
    run(cx, Mode::Needed);
}

fn all(cx: &mut ModuleContext<'_>) {
    run(cx, Mode::All);
}

fn run(cx: &mut ModuleContext<'_>, mode: Mode) {
    let Some(library) = cx.library() else { return };
    let declarations = cx.declarations();
    let count = link(cx.module_mut(), declarations, library, mode);
    cx.count("functions", count as u64);
}
