//! The view of the program around a body.

use crate::access::{GlobalInitializer, global_initializer};
use crate::calls::{CalleeAnalysis, CalleeTables, Visibility};
use silkit_base::{EntitySet, Symbol};
use silkit_ir::conventions::Addresses;
use silkit_ir::{Body, Function, FunctionId, FunctionLookup, Module, Release, ScopeIndex, Value};
use silkit_types::SilType;
use silkit_types::decl::Declarations;
use std::borrow::Cow;
use std::sync::OnceLock;

use super::BodyView;

/// Facts about a program, computed on demand and cached until a relevant change of the module.
///
/// They hold no reference to the module. The owner of the module must report changes: [`Self::functions_changed`],
/// [`Self::begin_step`], [`Self::end_step`].
#[derive(Default)]
pub struct ProgramFacts {
    is_whole_module: bool,
    has_opaque_values: bool,
    release: Release,
    epoch: u64,
    busy: EntitySet<FunctionId>,
    tables: OnceLock<CalleeTables>,
    scopes: OnceLock<ScopeIndex>,
}

impl std::fmt::Debug for ProgramFacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProgramFacts").field("epoch", &self.epoch).finish_non_exhaustive()
    }
}

impl ProgramFacts {
    /// Creates empty facts of a module. `is_whole_module` states that no other file can use internal declarations
    /// (`-wmo`).
    pub fn new(is_whole_module: bool) -> Self {
        Self { is_whole_module, ..Self::default() }
    }

    /// Sets whether values of every type are objects (`-enable-sil-opaque-values`).
    pub fn with_opaque_values(self, has_opaque_values: bool) -> Self {
        Self { has_opaque_values, ..self }
    }

    /// Sets the release of Swift whose compiler passes follow.
    pub fn with_release(self, release: Release) -> Self {
        Self { release, ..self }
    }

    /// Returns the representation of address-only values.
    pub fn addresses(&self) -> Addresses {
        if self.has_opaque_values { Addresses::Opaque } else { Addresses::Lowered }
    }

    /// Returns a number that increases with every change of the program outside the queried body.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Discards all facts, after functions were added, removed, renamed or changed, or tables were changed.
    pub fn functions_changed(&mut self) {
        self.epoch += 1;
        self.tables.take();
        self.scopes.take();
    }

    /// Discards the index of debug scopes, after scopes were added to the module.
    pub fn scopes_changed(&mut self) {
        self.scopes.take();
    }

    /// Records that debug scopes were appended to the module, from index `first` on.
    pub fn scopes_appended(&mut self, module: &Module, first: usize) {
        if let Some(scopes) = self.scopes.get_mut() {
            scopes.append(&module.scopes, first);
        }
    }

    /// Marks functions as busy: their bodies are taken out of the module to be changed.
    pub fn begin_step(&mut self, functions: impl IntoIterator<Item = FunctionId>) {
        self.epoch += 1;
        functions.into_iter().for_each(|function| _ = self.busy.insert(function));
    }

    /// Marks functions as no longer busy.
    pub fn end_step(&mut self, functions: impl IntoIterator<Item = FunctionId>) {
        self.epoch += 1;
        functions.into_iter().for_each(|function| _ = self.busy.remove(function));
    }
}

/// The definition of a function, as far as it is readable.
#[derive(Clone, Copy, Debug)]
pub enum Definition<'a> {
    /// The body.
    Body(&'a Body),
    /// The body exists but is being changed; nothing is known about it.
    Busy,
    /// The function has no body.
    Declared,
}

impl<'a> Definition<'a> {
    /// Returns the body, or `None` if it is not readable.
    pub fn body(self) -> Option<&'a Body> {
        match self {
            Self::Body(body) => Some(body),
            Self::Busy | Self::Declared => None,
        }
    }
}

/// A module with its declarations and facts.
#[derive(Clone, Copy)]
pub struct ProgramView<'a> {
    /// The module. Use [`Self::definition`] to get a body: the bodies of busy functions are empty here.
    pub module: &'a Module,
    /// The Swift declarations that the module sees.
    pub declarations: &'a Declarations,
    facts: &'a ProgramFacts,
}

impl std::fmt::Debug for ProgramView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProgramView").field("facts", &self.facts).finish_non_exhaustive()
    }
}

impl FunctionLookup for ProgramView<'_> {
    fn function(&self, name: Symbol) -> Option<&Function> {
        ProgramView::function(self, name)
    }

    fn release(&self) -> Release {
        ProgramView::release(self)
    }
}

impl<'a> ProgramView<'a> {
    /// Creates a view of a module.
    pub fn new(module: &'a Module, declarations: &'a Declarations, facts: &'a ProgramFacts) -> Self {
        Self { module, declarations, facts }
    }

    /// Returns a number that increases with every change of the program outside the queried body.
    pub fn epoch(&self) -> u64 {
        self.facts.epoch
    }

    /// Returns the representation of address-only values.
    pub fn addresses(&self) -> Addresses {
        self.facts.addresses()
    }

    /// Returns the release of Swift whose compiler passes follow.
    pub fn release(&self) -> Release {
        self.facts.release
    }

    /// Returns true if no other file can use the internal declarations of the module.
    pub fn is_whole_module(&self) -> bool {
        self.facts.is_whole_module
    }

    /// Returns the id of the function with this name.
    pub fn function_id(&self, name: Symbol) -> Option<FunctionId> {
        self.module.functions.find(&name)
    }

    /// Returns the function with this name: its header, and its body unless it is busy.
    pub fn function(&self, name: Symbol) -> Option<&'a Function> {
        self.module.functions.by_key(&name)
    }

    /// Returns the definition of a function, as far as it is readable.
    pub fn definition(&self, function: FunctionId) -> Definition<'a> {
        match &self.module.functions[function].body {
            None => Definition::Declared,
            Some(_) if self.facts.busy.contains(function) => Definition::Busy,
            Some(body) => Definition::Body(body),
        }
    }

    /// Returns a view of a function's body, without a cache; `None` if the body is not readable.
    pub fn body_view(&'a self, function: FunctionId) -> Option<BodyView<'a>> {
        let body = self.definition(function).body()?;
        Some(BodyView::new(self, &self.module.functions[function], body))
    }

    /// Returns the visibility of the module's declarations to other modules.
    pub fn visibility(&self) -> Visibility<'a> {
        Visibility::new(self.declarations, self.facts.is_whole_module)
    }

    /// Returns the callee analysis.
    pub fn callee_analysis(&self) -> CalleeAnalysis<'a> {
        let tables = self.facts.tables.get_or_init(|| CalleeTables::new(self.module, self.visibility()));
        CalleeAnalysis::new(*self, tables)
    }

    /// Returns the functions that a call of a value may reach; `None` if they are not known.
    pub fn callees(&self, body: &Body, callee: Value) -> Option<Cow<'a, [FunctionId]>> {
        let callees = self.callee_analysis().of_value(body, callee);
        callees.is_complete.then_some(callees.known)
    }

    /// Returns the deinitializers that destroying a value of a type may run; `None` if they are not known. Unless
    /// `is_exact`, the object may be an instance of a subclass.
    pub fn destructors(&self, ty: SilType, is_exact: bool) -> Option<Cow<'a, [FunctionId]>> {
        let destructors = self.callee_analysis().destructors(ty, is_exact);
        destructors.is_complete.then_some(destructors.known)
    }

    /// Returns the index of the module's debug scopes.
    pub fn scope_index(&self) -> &'a ScopeIndex {
        self.facts.scopes.get_or_init(|| ScopeIndex::new(&self.module.scopes))
    }

    /// Returns the global variable whose addressor a function is, if it is one.
    pub fn global_initializer(&self, name: Symbol) -> GlobalInitializer {
        match self.function_id(name) {
            Some(id) => global_initializer(&self.module.functions[id], self.definition(id)),
            None => GlobalInitializer::No,
        }
    }
}
