//! What passes that look into callees share: which functions calls reach, and the effects of these.

use silkit_analysis::FunctionEffects;
use silkit_analysis::memory::MemoryFacts;
use silkit_base::IdVec;
use silkit_ir::conventions::Addresses;
use silkit_ir::{Body, Function, FunctionId, Module};
use silkit_types::decl::Declarations;

/// The effects of all functions of a module, as they stand there.
pub fn all_effects(module: &Module) -> IdVec<FunctionId, FunctionEffects> {
    let mut effects = IdVec::new();
    for function in module.functions.values() {
        effects.push(function.effects.clone());
    }
    effects
}

/// What is known about the types in a function's body.
pub fn memory_facts<'a>(
    function: &'a Function,
    body: &'a Body,
    declarations: &'a Declarations,
) -> MemoryFacts<'a> {
    MemoryFacts { body, declarations, own: function.ty.ty().as_function(), addresses: Addresses::Lowered }
}
