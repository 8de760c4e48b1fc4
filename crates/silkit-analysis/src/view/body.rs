//! The view of one body in its program.

use super::ProgramView;
use crate::access::GlobalInitializer;
use crate::alias::Aliases;
use crate::cache::{Analysis, AnalysisCache, Cached};
use crate::escape::Escapes;
use silkit_base::Symbol;
use silkit_ir::conventions::{Addresses, ApplySite};
use silkit_ir::effects::FunctionEffects;
use silkit_ir::ownership::{BodyOwnership, OwnershipContext};
use silkit_ir::{Behavior, Body, Function, FunctionId, Inst, Value};
use silkit_types::decl::Declarations;
use silkit_types::{FunctionType, GenericSig, SilType};

/// A function body with its program.
#[derive(Clone, Copy)]
pub struct BodyView<'a> {
    /// The view of the program.
    pub program: &'a ProgramView<'a>,
    /// The function, for its type and attributes.
    pub function: &'a Function,
    /// The body.
    pub body: &'a Body,
    cache: Option<&'a AnalysisCache>,
}

impl std::fmt::Debug for BodyView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BodyView").field("function", &self.function.name).finish_non_exhaustive()
    }
}

impl<'a> BodyView<'a> {
    /// Creates a view of a body of a function, without a cache.
    pub fn new(program: &'a ProgramView<'a>, function: &'a Function, body: &'a Body) -> Self {
        Self { program, function, body, cache: None }
    }

    /// Returns the view with a cache for its analyses. The cache must belong to this body.
    pub fn with_cache(self, cache: &'a AnalysisCache) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// Returns the view without a cache.
    pub(crate) fn without_cache(self) -> Self {
        Self { cache: None, ..self }
    }

    /// Returns the Swift declarations that the body sees.
    pub fn declarations(&self) -> &'a Declarations {
        self.program.declarations
    }

    /// Returns the representation of address-only values.
    pub fn addresses(&self) -> Addresses {
        self.program.addresses()
    }

    /// Returns the type of the function.
    pub fn function_type(&self) -> Option<&'static FunctionType> {
        self.function.ty.ty().as_function()
    }

    /// Returns the generic signature of the function.
    pub fn signature(&self) -> Option<GenericSig> {
        self.function_type().and_then(|ty| ty.sig)
    }

    /// Returns the type of a value.
    pub fn ty(&self, value: Value) -> SilType {
        self.body.value(value).ty
    }

    // ---- analyses ----

    /// Returns an analysis of the body, from the cache if it is present and valid.
    pub fn get<A: Analysis>(&self) -> Cached<A> {
        match self.cache {
            Some(cache) => cache.get(self),
            None => Cached::new(self, A::compute(self)),
        }
    }

    /// Returns the memory and reference-count behavior of the body's instructions.
    pub fn behavior(&self) -> Behavior<'a> {
        Behavior::new(self.body, self.program)
    }

    /// Returns the context for computing the ownership of values.
    pub fn ownership_context(&self) -> OwnershipContext<'a> {
        OwnershipContext::new(self.function, self.program.declarations, self.addresses())
    }

    /// Returns the ownership of values, computed on demand. For many values, use [`Self::all_ownership`].
    pub fn ownership(&self) -> BodyOwnership<'a> {
        BodyOwnership::on_demand(self.body, self.ownership_context())
    }

    /// Returns the ownership of all values, computed at once.
    pub fn all_ownership(&self) -> BodyOwnership<'a> {
        BodyOwnership::new(self.body, self.ownership_context())
    }

    /// Returns a call or partial application, with the conversions between its operands and the callee's arguments.
    pub fn apply_site(&self, inst: Inst) -> Option<ApplySite<'a>> {
        ApplySite::new(self.body, inst, self.addresses())
    }

    /// Returns the escape analysis of the body.
    pub fn escapes(&self) -> Escapes<'a> {
        Escapes::new(*self)
    }

    /// Returns the alias analysis of the body.
    pub fn aliases(&self) -> Aliases<'a> {
        Aliases::new(*self)
    }

    /// Returns the effects of a function of the program; for this function, its current effects.
    pub fn effects(&self, function: FunctionId) -> &'a FunctionEffects {
        let known = &self.program.module.functions[function];
        if known.name == self.function.name { &self.function.effects } else { &known.effects }
    }

    /// Returns the global variable whose addressor a function is, if it is one.
    pub fn global_initializer(&self, function: Symbol) -> GlobalInitializer {
        self.program.global_initializer(function)
    }
}
