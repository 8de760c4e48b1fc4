//! `onone-simplification`, `late-onone-simplification` and `simplification`: apply the simplification patterns until
//! none applies.
//!
//! ```text
//! sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   %1 = struct $Int64 (%0)
//!   br bb1(%1)
//!
//! bb1(%3 : $Int64):
//!   %4 = struct_extract %3, #Int64._value
//!   return %4
//! }
//! ---
//! sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   debug_step
//!   return %0
//! }
//! ```

use super::{PATTERNS, pipelines};
use silkit_ir::Opcode;
use silkit_pass::{FunctionContext, Pass, PassOption, options};
use silkit_transform::patterns::{Engine, Pattern, PatternList, Pipelines};
use std::sync::LazyLock;

/// The options that the passes read.
const OPTIONS: &[&PassOption] = &[options::ASSERT_CONF_ID, options::OPT_MODE, options::SIMPLIFY_INSTRUCTION];

pub(super) const ONONE: Pass<'static> =
    Pass::function("onone-simplification", "Simplifies instructions, and preserves debug info", &onone)
        .with_options(OPTIONS);

pub(super) const LATE_ONONE: Pass<'static> = Pass::function(
    "late-onone-simplification",
    "Simplifies instructions at the end of unoptimized builds, and preserves debug info",
    &late_onone,
)
.with_options(OPTIONS);

pub(super) const FULL: Pass<'static> =
    Pass::function("simplification", "Simplifies instructions", &full).with_options(OPTIONS);

fn onone(cx: &mut FunctionContext<'_>) {
    static LIST: LazyLock<PatternList> = LazyLock::new(|| list(pipelines::ONONE));
    run(cx, pipelines::ONONE, &LIST);
}

fn late_onone(cx: &mut FunctionContext<'_>) {
    static LIST: LazyLock<PatternList> = LazyLock::new(|| list(pipelines::LATE_ONONE));
    run(cx, pipelines::LATE_ONONE, &LIST);
}

fn full(cx: &mut FunctionContext<'_>) {
    static LIST: LazyLock<PatternList> = LazyLock::new(|| list(pipelines::FULL));
    run(cx, pipelines::FULL, &LIST);
}

fn patterns() -> impl Iterator<Item = &'static Pattern> {
    PATTERNS.iter().copied().flatten()
}

fn list(pipeline: Pipelines) -> PatternList {
    PatternList::of(patterns(), pipeline)
}

/// Applies the patterns of a pipeline, or those of its patterns that an option of the command line selects.
fn run(cx: &mut FunctionContext<'_>, pipeline: Pipelines, all: &PatternList) {
    let selected = Some(cx.options().text(options::SIMPLIFY_INSTRUCTION)).filter(|names| !names.is_empty());
    let selected = selected
        .map(|names| PatternList::of(patterns().filter(|pattern| selects(names, pattern.opcode)), pipeline));
    Engine::new(selected.as_ref().unwrap_or(all)).keeps_debug_info(pipeline != pipelines::FULL).run(cx);
}

/// Returns true if a list of SIL names contains a kind of instruction.
fn selects(names: &str, opcode: Opcode) -> bool {
    names.split(',').any(|name| name == opcode.info().name)
}
