//! The declaration of a pass.

use crate::context::{FunctionContext, ModuleContext};
use crate::options::PassOption;

/// A pass that processes one function at a time. Functions may be processed in parallel.
pub trait FunctionPass: Sync {
    /// Processes a function with a body.
    fn run(&self, cx: &mut FunctionContext<'_>);
}

impl<F: Fn(&mut FunctionContext<'_>) + Sync> FunctionPass for F {
    fn run(&self, cx: &mut FunctionContext<'_>) {
        self(cx);
    }
}

/// A pass that processes the whole module.
pub trait ModulePass: Sync {
    /// Processes the module.
    fn run(&self, cx: &mut ModuleContext<'_>);
}

impl<F: Fn(&mut ModuleContext<'_>) + Sync> ModulePass for F {
    fn run(&self, cx: &mut ModuleContext<'_>) {
        self(cx);
    }
}

/// The unit that a pass processes.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "passes are closures, too")]
pub enum Run<'p> {
    /// Each function separately.
    Function(&'p dyn FunctionPass),
    /// The module.
    Module(&'p dyn ModulePass),
}

/// A pass with its tag and properties.
#[derive(Clone, Copy)]
pub struct Pass<'p> {
    /// The name on command lines and in pipelines, such as `dce`.
    pub tag: &'p str,
    /// A one-line summary.
    pub summary: &'p str,
    /// The options that it reads.
    pub options: &'p [&'static PassOption],
    /// True if a function pass also runs on functions that must not be optimized (`[Onone]`).
    pub is_mandatory: bool,
    /// The implementation.
    pub run: Run<'p>,
}

impl<'p> Pass<'p> {
    /// Creates a function pass.
    pub const fn function(tag: &'p str, summary: &'p str, pass: &'p dyn FunctionPass) -> Self {
        Self { tag, summary, options: &[], is_mandatory: false, run: Run::Function(pass) }
    }

    /// Creates a module pass.
    pub const fn module(tag: &'p str, summary: &'p str, pass: &'p dyn ModulePass) -> Self {
        Self { tag, summary, options: &[], is_mandatory: false, run: Run::Module(pass) }
    }

    /// Marks the pass as mandatory: it also runs on `[Onone]` functions.
    pub const fn mandatory(self) -> Self {
        Self { is_mandatory: true, ..self }
    }

    /// Sets the options that the pass reads.
    pub const fn with_options(self, options: &'p [&'static PassOption]) -> Self {
        Self { options, ..self }
    }
}

impl std::fmt::Debug for Pass<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pass({})", self.tag)
    }
}
