//! An instruction on one line, in reports about it.

use silkit::demangle::{Style, demangle};
use silkit::ir::{Body, Inst, Module};
use silkit::text::Dump;

/// The maximum length of a printed instruction; longer ones are truncated.
const WIDTH: usize = 120;

/// Returns an instruction on one line, without its comment and its location. Calls end after their arguments.
pub(crate) fn instruction(module: &Module, body: &Body, inst: Inst) -> String {
    let text = Dump::new(module, body, &|name| demangle(name, Style::Simplified)).inst(inst, "");
    let line = text.lines().next().unwrap_or_default();
    // String literals may contain slashes too, so only the known comments are removed.
    let comment = [" // user", " // id: "].into_iter().filter_map(|start| line.rfind(start)).max();
    let code = comment.map_or(line, |at| &line[..at]).trim();
    let calls = body.info(inst).apply.is_some();
    let code = code.find(") : $").filter(|_| calls).map_or(code, |at| &code[..=at]);
    match code.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &code[..end]),
        None => code.to_owned(),
    }
}
