//! Access to functions from a module pass: functions are taken out of the module and worked on in function contexts.
//!
//! Several functions may be open at once: a pass that needs to change another function keeps one open, works on the
//! other, puts it back and continues.

use crate::context::{FunctionContext, ModuleContext};
use silkit_analysis::{AnalysisCache, ProgramFacts, ProgramView};
use silkit_ir::{Function, FunctionId, Module};
use silkit_link::LibrarySource;
use silkit_types::decl::Declarations;

/// A function that is taken out of its module. Other functions see its header; its body is busy.
#[derive(Debug)]
pub struct OpenFunction {
    id: FunctionId,
    function: Function,
    cache: AnalysisCache,
}

impl OpenFunction {
    /// Returns the id of the function.
    pub fn id(&self) -> FunctionId {
        self.id
    }

    /// Returns the function with its body.
    pub fn function(&self) -> &Function {
        &self.function
    }
}

/// The functions of a module, which can be taken out, worked on and put back.
#[derive(Debug)]
pub struct OpenFunctions<'c, 'a> {
    cx: &'c mut ModuleContext<'a>,
    facts: ProgramFacts,
}

impl<'c, 'a> OpenFunctions<'c, 'a> {
    pub(crate) fn new(cx: &'c mut ModuleContext<'a>) -> Self {
        cx.module_mut();
        let facts = cx.options.values.program_facts();
        Self { cx, facts }
    }

    /// Returns the module. The bodies of open functions are not readable there.
    pub fn module(&self) -> &Module {
        self.cx.module
    }

    /// Returns the library from which bodies are loaded.
    pub fn library(&self) -> Option<&'a dyn LibrarySource> {
        self.cx.library
    }

    /// Loads entities from the library into the module. `take` returns true if tables changed; it must not change
    /// bodies of open functions. Returns false if there is no library.
    pub fn extend(
        &mut self,
        take: impl FnOnce(&mut Module, &Declarations, &dyn LibrarySource) -> bool,
    ) -> bool {
        let Some(library) = self.cx.library else { return false };
        if take(self.cx.module, self.cx.declarations, library) {
            self.facts.functions_changed();
        }
        true
    }

    /// Takes a function with a body out of the module.
    pub fn open(&mut self, id: FunctionId) -> OpenFunction {
        self.open_with(id, AnalysisCache::default())
    }

    fn open_with(&mut self, id: FunctionId, cache: AnalysisCache) -> OpenFunction {
        let header = self.cx.module.functions[id].header();
        let function = std::mem::replace(&mut self.cx.module.functions[id], header);
        self.facts.begin_step([id]);
        OpenFunction { id, function, cache }
    }

    /// Calls `work` with a function context for an open function.
    ///
    /// # Panics
    /// Panics if the function has no body.
    pub fn work<R>(
        &mut self,
        open: &mut OpenFunction,
        work: impl FnOnce(&mut FunctionContext<'_>) -> R,
    ) -> R {
        let program = ProgramView::new(self.cx.module, self.cx.declarations, &self.facts);
        let result = work(&mut FunctionContext {
            program: &program,
            options: self.cx.options,
            printing: self.cx.printing,
            id: open.id,
            function: &mut open.function,
            cache: &mut open.cache,
            library: None,
            ledger: self.cx.ledger,
        });
        // No other thread adds scopes meanwhile, so that the numbers are stable.
        let first = self.cx.module.scopes.len();
        self.cx.module.scopes.append(&mut self.cx.ledger.new_scopes);
        self.facts.scopes_appended(self.cx.module, first);
        result
    }

    /// Returns a function to the module.
    pub fn close(&mut self, open: OpenFunction) {
        self.facts.end_step([open.id]);
        self.cx.module.functions[open.id] = open.function;
    }
}

/// Runs a utility on one function of a module in a function context.
///
/// # Panics
/// Panics if the function has no body.
pub fn on_function<R>(
    cx: &mut ModuleContext<'_>,
    id: FunctionId,
    cache: &mut AnalysisCache,
    work: impl FnOnce(&mut FunctionContext<'_>) -> R,
) -> R {
    let mut functions = cx.open_functions();
    let mut open = functions.open_with(id, std::mem::take(cache));
    let result = functions.work(&mut open, work);
    *cache = std::mem::take(&mut open.cache);
    functions.close(open);
    result
}
