//! What tests of analyses share: a module from text, and views of its bodies.

pub(crate) mod control;
pub(crate) mod memory;
pub(crate) mod program;
pub(crate) mod values;

use silkit_analysis::ossa::Borrows;
pub(crate) use silkit_analysis::testing::{Names, list, optional};
use silkit_analysis::{BodyView, ProgramFacts, ProgramView};
use silkit_ir::{Body, Function, Module};
use silkit_types::decl::Declarations;

/// A module that a test asks about.
pub(crate) struct Subject {
    pub(crate) module: Module,
    pub(crate) declarations: Declarations,
    /// The words of the comment lines at the start of the text: what the case asks.
    pub(crate) questions: Vec<Vec<String>>,
}

impl Subject {
    /// Reads a module, which must have no errors.
    pub(crate) fn parse(text: &str) -> Subject {
        let parsed = silkit_text::parse_module(text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let declarations = silkit_text::decl::declarations(&parsed.module);
        let questions = text.lines().map_while(|line| line.strip_prefix("// "));
        let questions = questions.map(|q| q.split_whitespace().map(str::to_owned).collect()).collect();
        Subject { module: parsed.module, declarations, questions }
    }

    /// Returns the functions with bodies.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (&Function, &Body)> {
        self.module.functions.values().filter_map(|f| Some((f, f.body.as_ref()?)))
    }

    /// Returns the last function with a body: the one that a case asks about.
    pub(crate) fn function(&self) -> (&Function, &Body) {
        self.functions().last().expect("a function with a body")
    }
}

/// Runs a function with a view of the body that a case asks about.
pub(crate) fn with_view<R>(subject: &Subject, then: impl FnOnce(&BodyView<'_>) -> R) -> R {
    let facts = ProgramFacts::new(false);
    let program = ProgramView::new(&subject.module, &subject.declarations, &facts);
    let mut bodies = subject.module.functions.iter().rev().filter(|(_, f)| f.body.is_some());
    let (id, _) = bodies.next().expect("a function with a body");
    then(&program.body_view(id).expect("a body"))
}

/// Runs a function with a view of the program.
pub(crate) fn with_program<R>(subject: &Subject, then: impl FnOnce(&ProgramView<'_>) -> R) -> R {
    let is_whole_module = subject.questions.iter().flatten().any(|word| word == "whole-module");
    let facts = ProgramFacts::new(is_whole_module);
    then(&ProgramView::new(&subject.module, &subject.declarations, &facts))
}

/// Returns what a function says of each body of a module, below the name of the function.
pub(crate) fn each_view(subject: &Subject, say: impl Fn(&BodyView<'_>, &Names) -> String) -> String {
    with_program(subject, |program| {
        let views = program.module.functions.keys().filter_map(|id| program.body_view(id));
        views.map(|v| format!("@{}\n{}", v.function.name, say(&v, &Names::of(v.body)))).collect()
    })
}

/// Runs a function with the borrows of a body.
pub(crate) fn with_borrows<R>(subject: &Subject, then: impl FnOnce(&Borrows<'_>) -> R) -> R {
    with_view(subject, |view| then(&Borrows::new(view.body, &view.all_ownership())))
}
