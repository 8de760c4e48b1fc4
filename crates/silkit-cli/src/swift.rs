//! Swift positions in reports: the positions that an instruction was compiled from, as text and as JSON.

use crate::findings::readable;
use serde_json::{Value, json};
use silkit::diag::OriginFrame;
use silkit::ir::{Body, InlineStacks, Inst};
use silkit::verify::origin_of;

/// Returns the Swift positions that an instruction was compiled from, the innermost first, with demangled names; none
/// without debug info.
pub(crate) fn origin(stacks: &InlineStacks<'_>, body: &Body, inst: Inst) -> Vec<OriginFrame> {
    let mut frames = origin_of(stacks, body, inst);
    for function in frames.iter_mut().filter_map(|frame| frame.function.as_mut()) {
        *function = readable(function);
    }
    frames
}

/// Returns the innermost position as JSON, or null: the path of the file, the line and the column.
pub(crate) fn position_json(frames: &[OriginFrame]) -> Value {
    let first = frames.first();
    first.map_or(Value::Null, |f| json!({"file": *f.file, "line": f.line, "column": f.column}))
}

/// Returns all positions as JSON, the innermost first, each with its function.
pub(crate) fn stack_json(frames: &[OriginFrame]) -> Value {
    let frame = |f: &OriginFrame| json!({"function": f.function.as_deref(), "file": *f.file, "line": f.line, "column": f.column});
    frames.iter().map(frame).collect()
}
