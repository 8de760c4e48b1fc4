//! Helpers for tests of analyses.

use crate::{BodyView, ProgramFacts, ProgramView};
use silkit_ir::Module;
use silkit_types::decl::Declarations;

/// Reads a module, with its declarations.
pub(crate) fn module(text: &str) -> (Module, Declarations) {
    let parsed = silkit_text::parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let declarations = silkit_text::decl::declarations(&parsed.module);
    (parsed.module, declarations)
}

/// Hands out a view of each body of a module.
pub(crate) fn each_view(text: &str, mut look: impl FnMut(&BodyView<'_>)) {
    let (module, declarations) = module(text);
    let facts = ProgramFacts::new(false);
    let program = ProgramView::new(&module, &declarations, &facts);
    module.functions.keys().filter_map(|id| program.body_view(id)).for_each(|view| look(&view));
}
