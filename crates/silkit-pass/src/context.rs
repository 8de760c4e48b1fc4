//! The contexts that passes run in: function or module, analyses, edits and output.

use crate::open::OpenFunctions;
use crate::options::DeclaredOptions;
use crate::output::{Output, Stream};
use crate::problem::{Problem, ProblemLocation, Severity};
use crate::snapshot::Snapshot;
use silkit_analysis::alias::Aliases;
use silkit_analysis::calls::CalleeAnalysis;
use silkit_analysis::escape::Escapes;
use silkit_analysis::{Analysis, AnalysisCache, BodyView, Cached, ProgramFacts, ProgramView};
use silkit_base::Symbol;
use silkit_ir::instructions::{OwnershipKeyword, UncheckedOwnershipConversion};
use silkit_ir::ownership::{BodyOwnership, OwnershipContext};
use silkit_ir::{
    Behavior, Body, Builder, Editor, Function, FunctionId, Inst, Module, Point, Scope, ScopeMap, ScopeOverlay,
};
use silkit_link::{LibrarySource, linker};
use silkit_text::{Demangle, Dump, ModuleSourceMap, Numbering, PrintOptions};
use silkit_types::decl::Declarations;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Options for printing code in the output of passes.
#[derive(Clone)]
pub struct Printing<'a> {
    /// The demangler for names in comments.
    pub demangle: &'a Demangle,
    /// The printing options; only printing of locations applies to single values and instructions.
    pub options: PrintOptions,
}

impl Default for Printing<'_> {
    fn default() -> Self {
        Self { demangle: &|_| None, options: PrintOptions::default() }
    }
}

impl std::fmt::Debug for Printing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Printing").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Printing<'_> {
    /// Creates a printer for single values and instructions of a body of a module.
    pub fn dump<'b>(&'b self, module: &'b Module, body: &'b Body) -> Dump<'b> {
        Dump::new(module, body, self.demangle).with_options(&self.options)
    }

    /// Returns such a printer for a body with existing numbers. The body must not have changed since it was numbered.
    pub fn numbered_dump<'b>(
        &'b self,
        module: &'b Module,
        body: &'b Body,
        numbering: &Numbering,
    ) -> Dump<'b> {
        Dump::numbered(module, body, self.demangle, numbering).with_options(&self.options)
    }
}

/// The remaining transformations of a run, and the record of its changes.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) output: Output,
    pub(crate) problems: Vec<Problem>,
    pub(crate) counts: BTreeMap<&'static str, u64>,
    /// The number of transformations that this run may still do; `None` for any number.
    pub(crate) allowance: Option<usize>,
    pub(crate) changes: usize,
    /// The name of the last transformation, if the pass names them.
    pub(crate) last_change: Option<&'static str>,
    /// The functions that the pass has added, each with the function that it stands in front of; `None` for the end.
    pub(crate) new_functions: Vec<(Function, Option<FunctionId>)>,
    /// The function without its body, as it was before the pass requested mutable access.
    pub(crate) header: Option<Box<Function>>,
    /// The module as it was before the pass requested mutable access.
    pub(crate) module: Option<Box<Snapshot>>,
    /// The debug scopes that the pass has added.
    pub(crate) new_scopes: Vec<Scope>,
    /// True if the pass requested a restart of its group.
    pub(crate) is_restart_requested: bool,
    /// The library requests of the pass.
    pub(crate) requests: Vec<Request>,
}

/// Adds an entity of a library, identified by two names, to a module. Returns true if the module changed.
pub type Take = fn(&mut Module, &Declarations, &dyn LibrarySource, (Symbol, Symbol)) -> bool;

/// A library request of a function pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) take: Take,
    pub(crate) names: (Symbol, Symbol),
}

impl Ledger {
    /// Decrements the allowance. Returns false if it is used up.
    fn may_change(&mut self, name: Option<&'static str>) -> bool {
        match &mut self.allowance {
            Some(0) => return false,
            Some(left) => *left -= 1,
            None => {}
        }
        self.changes += 1;
        self.last_change = name;
        if let Some(name) = name {
            *self.counts.entry(name).or_default() += 1;
        }
        true
    }
}

/// A function that a pass works on, with its program.
pub struct FunctionContext<'a> {
    pub(crate) program: &'a ProgramView<'a>,
    pub(crate) options: DeclaredOptions<'a>,
    pub(crate) printing: &'a Printing<'a>,
    pub(crate) id: FunctionId,
    pub(crate) function: &'a mut Function,
    pub(crate) cache: &'a mut AnalysisCache,
    pub(crate) library: Option<&'a dyn LibrarySource>,
    pub(crate) ledger: &'a mut Ledger,
}

impl<'a> FunctionContext<'a> {
    // ---- the function ----

    /// Returns the id of the function.
    pub fn id(&self) -> FunctionId {
        self.id
    }

    /// Returns the function with its body.
    pub fn function(&self) -> &Function {
        self.function
    }

    /// Returns the function mutably, for changes of its header.
    pub fn function_mut(&mut self) -> &mut Function {
        self.ledger.header.get_or_insert_with(|| Box::new(self.function.header()));
        self.function
    }

    /// Returns the body.
    pub fn body(&self) -> &Body {
        self.function.body.as_ref().expect("invariant: passes see functions with bodies")
    }

    /// Returns the body mutably. All changes go through an editor.
    pub fn body_mut(&mut self) -> &mut Body {
        self.function.body.as_mut().expect("invariant: passes see functions with bodies")
    }

    /// Returns the body mutably, with the declarations, for helpers that build instructions.
    pub fn body_mut_with_declarations(&mut self) -> (&mut Body, &'a Declarations) {
        let declarations = self.declarations();
        (self.body_mut(), declarations)
    }

    /// Returns an editor of the body.
    pub fn edit(&mut self) -> Editor<'_> {
        self.body_mut().edit()
    }

    /// Returns a builder of instructions in the body.
    pub fn builder(&mut self) -> Builder<'_> {
        let declarations = self.declarations();
        self.body_mut().builder(declarations)
    }

    /// Returns a builder at a point of the body. New instructions get the location of the instruction there.
    pub fn at(&mut self, point: Point) -> Builder<'_> {
        let declarations = self.declarations();
        self.body_mut().builder_at(point, declarations)
    }

    /// Makes each `unchecked_ownership_conversion` state the ownership of its operand, which a pass may have replaced by
    /// a value with another one.
    pub(crate) fn restate_conversions(&mut self) {
        if !self.function.has_ossa() {
            return;
        }
        let (body, ownership) = (self.body(), self.ownership());
        let of = |inst: Inst| {
            let conversion: UncheckedOwnershipConversion = body.view_as(inst)?;
            let from = OwnershipKeyword::from(ownership.value(conversion.operand)?);
            (from != conversion.from).then_some((inst, from))
        };
        let stale: Vec<(Inst, OwnershipKeyword)> = body.insts().filter_map(of).collect();
        for (inst, from) in stale {
            if let Some(at) = self.body().info(inst).attr("from") {
                self.edit().set_word(inst, at, from as u32);
            }
        }
    }

    // ---- the program ----

    /// Returns the program: the module, its declarations, callees and their effects. The bodies of functions that are
    /// being worked on, including this one, are not readable there.
    pub fn program(&self) -> &'a ProgramView<'a> {
        self.program
    }

    /// Returns the Swift declarations visible to the module.
    pub fn declarations(&self) -> &'a Declarations {
        self.program.declarations
    }

    /// Returns the options that the pass declares.
    pub fn options(&self) -> DeclaredOptions<'a> {
        self.options
    }

    /// Returns the options for printing code.
    pub fn printing(&self) -> &'a Printing<'a> {
        self.printing
    }

    /// Adds a function to the module. Before this function continues with the next pass, all passes of the group run
    /// on the new function; then its body is readable. If several functions with the same name are added, the first
    /// one is kept.
    pub fn add_function(&mut self, function: Function) {
        self.ledger.new_functions.push((function, None));
    }

    /// Adds a function like [`Self::add_function`], which will stand in front of another function of the module. It is
    /// moved there after the group, and until then it is the last one.
    pub fn add_function_before(&mut self, function: Function, other: FunctionId) {
        self.ledger.new_functions.push((function, Some(other)));
    }

    /// Adds a debug scope to the module and returns its number, which may be used in this function and in those that it
    /// adds.
    pub fn add_scope(&mut self, scope: Scope) -> u32 {
        self.scopes().add(scope)
    }

    fn scopes(&mut self) -> ScopeOverlay<'_> {
        let (module, index) = (&self.program.module.scopes, self.program.scope_index());
        ScopeOverlay { module, index, new: &mut self.ledger.new_scopes }
    }

    /// Requests that this function restarts with the first pass of its group after this pass, as after inlining,
    /// since the earlier passes have not run on the inlined code. Added functions are processed first. After 20
    /// restarts, the function continues with the next pass.
    pub fn restart(&mut self) {
        self.ledger.is_restart_requested = true;
    }

    /// Returns the library that [`Self::request`] reads. `None` if a module pass runs on the function: it reads the
    /// library itself.
    pub fn library(&self) -> Option<&'a dyn LibrarySource> {
        self.library
    }

    /// Requests tables or bodies from the library. `take` is called with the names when the functions of this step are back in
    /// the module; then this pass runs on this function again, as part of the same run. The group does not run on functions
    /// that are added in this way.
    pub fn request(&mut self, take: Take, names: (Symbol, Symbol)) {
        self.ledger.requests.push(Request { take, names });
    }

    /// Requests the witness table of a conformance from the library, by the paths of type and protocol, unless the module has
    /// its entries. Returns true if it was requested.
    pub fn request_witness_table(&mut self, (ty, protocol): (Symbol, Symbol)) -> bool {
        let Some(library) = self.library() else { return false };
        let is_new = self.callees().witness_table(ty, protocol).is_none()
            && library.witness_table(ty, protocol).is_some_and(|table| table.entries.is_some());
        if is_new {
            self.request(linker::load_witness_table, (ty, protocol));
        }
        is_new
    }

    /// Requests the body of a declared function from the library. Returns true if it was requested.
    pub fn request_body(&mut self, name: Symbol) -> bool {
        let Some(library) = self.library() else { return false };
        let is_declared = self.program().function(name).is_none_or(|function| function.body.is_none());
        let is_new = is_declared && library.is_copyable(name, self.declarations());
        if is_new {
            self.request(
                |module, declarations, library, (name, _)| {
                    linker::load(module, declarations, library, name).is_some()
                },
                (name, name),
            );
        }
        is_new
    }

    /// Copies the debug scopes of a function that is inlined at a call with the scope `call`: those in `used`, and
    /// the scopes that they depend on.
    pub fn inline_scopes(&mut self, used: impl IntoIterator<Item = u32>, call: u32) -> ScopeMap {
        ScopeMap::inline(&mut self.scopes(), used, call)
    }

    // ---- analyses ----

    /// Returns the view of the body in its current state.
    pub fn view(&self) -> BodyView<'_> {
        BodyView::new(self.program, self.function, self.body()).with_cache(self.cache)
    }

    /// Returns an analysis of the body, from the cache if it is still valid.
    pub fn get<A: Analysis>(&self) -> Cached<A> {
        self.view().get()
    }

    /// Calls `change`, which preserves an analysis: no change of the body in it invalidates the analysis, such as passing values
    /// on edges, which changes no edge. Debug builds compute the analysis again to check this.
    pub fn preserving<A: Analysis + PartialEq, R>(&mut self, change: impl FnOnce(&mut Self) -> R) -> R {
        // If a caller preserves the analysis too, it is checked there.
        let is_first = self.cache.begin_preserving::<A>(&self.view());
        let result = change(self);
        if is_first {
            self.cache.end_preserving::<A>(&self.view());
        }
        result
    }

    /// Returns the alias analysis of the body in its current state.
    pub fn aliases(&self) -> Aliases<'_> {
        self.view().aliases()
    }

    /// Returns the escape analysis of the body in its current state.
    pub fn escapes(&self) -> Escapes<'_> {
        self.view().escapes()
    }

    /// Returns the ownership of values, computed on demand.
    pub fn ownership(&self) -> BodyOwnership<'_> {
        self.view().ownership()
    }

    /// Returns the function and the declarations that the ownership of values depends on. It stays usable while the body
    /// changes.
    pub fn ownership_context(&self) -> OwnershipContext<'a> {
        OwnershipContext::new(self.function, self.program.declarations, self.program.addresses())
    }

    /// Returns the memory and reference-count behavior of instructions.
    pub fn behavior(&self) -> Behavior<'_> {
        self.view().behavior()
    }

    /// Returns the callee analysis.
    pub fn callees(&self) -> CalleeAnalysis<'a> {
        self.program.callee_analysis()
    }

    // ---- bookkeeping ----

    /// Returns true if one more transformation is allowed. A pass that counts its transformations calls this before
    /// each one and does not change the code if it returns false, so that bisection can find a faulty transformation.
    pub fn may_change(&mut self) -> bool {
        self.ledger.may_change(None)
    }

    /// Like [`Self::may_change`], for a transformation with a name: `--stats` counts it, and bisection states it.
    pub fn may_apply(&mut self, name: &'static str) -> bool {
        self.ledger.may_change(Some(name))
    }

    /// Returns the number of transformations that the pass has done so far.
    pub fn change_count(&self) -> usize {
        self.ledger.changes
    }

    /// Calls a helper that changes the body and calls its argument before each transformation, like
    /// [`Self::may_change`].
    pub fn changing<R>(&mut self, change: impl FnOnce(&mut Body, &mut dyn FnMut() -> bool) -> R) -> R {
        let body = self.function.body.as_mut().expect("invariant: passes see functions with bodies");
        let ledger = &mut *self.ledger;
        change(body, &mut || ledger.may_change(None))
    }

    /// Adds to a counter, which `--stats` prints.
    pub fn count(&mut self, what: &'static str, number: u64) {
        *self.ledger.counts.entry(what).or_default() += number;
    }

    /// Prints to standard output.
    pub fn print(&mut self, text: &str) {
        self.ledger.output.print(Stream::Out, text);
    }

    /// Prints to standard error.
    pub fn complain(&mut self, text: &str) {
        self.ledger.output.print(Stream::Err, text);
    }

    /// Reports invalid input at an instruction.
    pub fn report(&mut self, at: Option<Inst>, message: impl Into<String>) {
        let problem = self.problem(Severity::Error, at, message);
        self.diagnose(problem);
    }

    /// Creates a problem at an instruction of this function, for [`Self::diagnose`].
    pub fn problem(&self, severity: Severity, at: Option<Inst>, message: impl Into<String>) -> Problem {
        let place = at.map_or_else(ProblemLocation::default, |inst| ProblemLocation::of(self.body(), inst));
        Problem {
            severity,
            function: Some(self.function().name),
            place,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    /// Reports a problem to the author of the program. After an error, no further passes run, unless the runner goes on.
    pub fn diagnose(&mut self, problem: Problem) {
        self.ledger.problems.push(problem);
    }

    /// Returns a printer for single values and instructions of the body in its current state.
    pub fn dump(&self) -> Dump<'_> {
        self.printing.dump(self.program.module, self.body())
    }
}

/// A module that a pass works on.
pub struct ModuleContext<'a> {
    pub(crate) module: &'a mut Module,
    pub(crate) declarations: &'a Declarations,
    pub(crate) options: DeclaredOptions<'a>,
    pub(crate) printing: &'a Printing<'a>,
    pub(crate) source_map: Option<&'a ModuleSourceMap>,
    pub(crate) library: Option<&'a dyn LibrarySource>,
    pub(crate) ledger: &'a mut Ledger,
    /// The facts about the current module, computed on demand.
    facts: OnceCell<ProgramFacts>,
}

impl<'a> ModuleContext<'a> {
    pub(crate) fn new(
        module: &'a mut Module,
        declarations: &'a Declarations,
        options: DeclaredOptions<'a>,
        printing: &'a Printing<'a>,
        ledger: &'a mut Ledger,
    ) -> Self {
        Self {
            module,
            declarations,
            options,
            printing,
            source_map: None,
            library: None,
            ledger,
            facts: OnceCell::new(),
        }
    }

    /// Returns the module.
    pub fn module(&self) -> &Module {
        self.module
    }

    /// Returns the module mutably.
    pub fn module_mut(&mut self) -> &mut Module {
        self.facts.take();
        if self.ledger.module.is_none() {
            self.ledger.module = Some(Box::new(Snapshot::new(self.module)));
        }
        self.module
    }

    /// Returns the Swift declarations visible to the module.
    pub fn declarations(&self) -> &'a Declarations {
        self.declarations
    }

    /// Returns the options that the pass declares.
    pub fn options(&self) -> DeclaredOptions<'a> {
        self.options
    }

    /// Returns the options for printing code.
    pub fn printing(&self) -> &'a Printing<'a> {
        self.printing
    }

    /// Returns the source map of the module, if it was parsed from text.
    pub fn source_map(&self) -> Option<&'a ModuleSourceMap> {
        self.source_map
    }

    /// Returns the library from which bodies are loaded.
    pub fn library(&self) -> Option<&'a dyn LibrarySource> {
        self.library
    }

    /// Returns the view of the program in its current state.
    pub fn program(&self) -> ProgramView<'_> {
        let facts = self.facts.get_or_init(|| self.options.values.program_facts());
        ProgramView::new(self.module, self.declarations, facts)
    }

    /// Returns an accessor that takes functions out of the module to work on them.
    pub fn open_functions(&mut self) -> OpenFunctions<'_, 'a> {
        OpenFunctions::new(self)
    }

    /// Reports invalid input in a function, or elsewhere.
    pub fn report(&mut self, function: Option<FunctionId>, message: impl Into<String>) {
        let (severity, place, notes) = (Severity::Error, ProblemLocation::default(), Vec::new());
        let function = function.map(|id| self.module.functions[id].name);
        self.diagnose(Problem { severity, function, place, message: message.into(), notes });
    }

    /// Reports a problem to the author of the program. After an error, no further passes run, unless the runner goes on.
    pub fn diagnose(&mut self, problem: Problem) {
        self.ledger.problems.push(problem);
    }

    /// Prints to standard output.
    pub fn print(&mut self, text: &str) {
        self.ledger.output.print(Stream::Out, text);
    }

    /// Prints to standard error.
    pub fn complain(&mut self, text: &str) {
        self.ledger.output.print(Stream::Err, text);
    }

    /// Writes a file after all passes.
    pub fn write_file(&mut self, path: String, content: String) {
        self.ledger.output.write_file(path, content);
    }

    /// Returns true if one more transformation is allowed: see [`FunctionContext::may_change`].
    pub fn may_change(&mut self) -> bool {
        self.ledger.may_change(None)
    }

    /// Adds to a counter, which `--stats` prints.
    pub fn count(&mut self, what: &'static str, number: u64) {
        *self.ledger.counts.entry(what).or_default() += number;
    }

    /// Returns a printer of single values and instructions of a body of the module.
    pub fn dump<'b>(&'b self, body: &'b Body) -> Dump<'b> {
        self.printing.dump(self.module, body)
    }
}

impl std::fmt::Debug for ModuleContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModuleContext").field("options", &self.options).finish_non_exhaustive()
    }
}
