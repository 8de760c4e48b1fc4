//! Properties of analyses that hold for every valid program: they agree with their definitions. Tests check them on
//! generated programs; the fuzz target `analyses` includes these files and does the same with seeds of its own.

mod aliases;
mod cfg;
mod dataflow;
mod liveness;

use silkit_analysis::{BodyView, ProgramFacts, ProgramView};
use silkit_testkit::generate::{Profile, generate};

/// Checks all properties on each body of a text.
fn check(text: &str, seed: u64) {
    let parsed = silkit_text::parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let declarations = silkit_text::decl::declarations(&parsed.module);
    let facts = ProgramFacts::new(seed.is_multiple_of(2));
    let program = ProgramView::new(&parsed.module, &declarations, &facts);
    for view in parsed.module.functions.keys().filter_map(|id| program.body_view(id)) {
        check_body(&view, seed);
    }
}

fn check_body(view: &BodyView<'_>, seed: u64) {
    cfg::dominance(view.body);
    cfg::post_dominance(view.body);
    cfg::regions(view.body);
    dataflow::agrees_with_dense(view.body, seed);
    dataflow::definitions_reach(view.body, seed);
    liveness::arguments_live_where_a_user_comes(view);
    aliases::agree_with_paths(view, seed);
}

/// Checks all properties on the program of a seed; which profile it has, the seed says.
pub(crate) fn check_seed(seed: u64) {
    let profile = match seed % 4 {
        0 => Profile::control_flow().sized(24),
        1 => Profile::ownership().sized(16),
        2 => Profile::memory().sized(14),
        _ => Profile::new(),
    };
    let profile = if seed / 4 % 3 == 2 { profile.lowered() } else { profile };
    let text = generate(seed, &profile);
    if std::panic::catch_unwind(|| check(&text, seed)).is_err() {
        panic!("seed {seed}:\n{text}");
    }
}
