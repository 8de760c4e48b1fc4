//! The declaration of a pass.

use crate::context::{FunctionContext, ModuleContext};

/// A pass that sees one function at a time. Several functions are worked on at once.
pub trait FunctionPass: Sync {
    /// Works on one function with a body.
    fn run(&self, cx: &mut FunctionContext<'_>);
}

impl<F: Fn(&mut FunctionContext<'_>) + Sync> FunctionPass for F {
    fn run(&self, cx: &mut FunctionContext<'_>) {
        self(cx);
    }
}

/// A pass that sees the whole module.
pub trait ModulePass: Sync {
    /// Works on the module.
    fn run(&self, cx: &mut ModuleContext<'_>);
}

impl<F: Fn(&mut ModuleContext<'_>) + Sync> ModulePass for F {
    fn run(&self, cx: &mut ModuleContext<'_>) {
        self(cx);
    }
}

/// The unit that a pass works on.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations)]
pub enum Run<'p> {
    /// Each function for itself.
    Function(&'p dyn FunctionPass),
    /// The module.
    Module(&'p dyn ModulePass),
}

/// A pass with its name.
#[derive(Clone, Copy)]
pub struct Pass<'p> {
    /// The name on command lines and in pipelines: `dce`.
    pub tag: &'p str,
    /// One line that says what it does.
    pub summary: &'p str,
    /// The names of the options that it asks for ([`crate::Options`]).
    pub options: &'p [&'p str],
    /// True if a pass of functions runs on those too that are not to be optimized.
    pub is_mandatory: bool,
    /// The work.
    pub run: Run<'p>,
}

impl<'p> Pass<'p> {
    /// Creates a pass of functions.
    pub const fn function(tag: &'p str, summary: &'p str, pass: &'p dyn FunctionPass) -> Self {
        Self { tag, summary, options: &[], is_mandatory: false, run: Run::Function(pass) }
    }

    /// Creates a pass of modules.
    pub const fn module(tag: &'p str, summary: &'p str, pass: &'p dyn ModulePass) -> Self {
        Self { tag, summary, options: &[], is_mandatory: false, run: Run::Module(pass) }
    }

    /// Returns the pass, which functions that say `[Onone]` need as well.
    pub const fn mandatory(self) -> Self {
        Self { is_mandatory: true, ..self }
    }

    /// Returns the pass with options that it asks for.
    pub const fn with_options(self, options: &'p [&'p str]) -> Self {
        Self { options, ..self }
    }
}

impl std::fmt::Debug for Pass<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pass({})", self.tag)
    }
}
