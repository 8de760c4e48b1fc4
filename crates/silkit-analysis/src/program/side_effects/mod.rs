//! The side effects of a function, from its instructions and the effects of its callees.
//!
//! An effect on a value derived from an argument belongs to the argument, with a projection path. An effect on a
//! local allocation is not visible outside. All other effects are global. An argument that escapes from the walk gets
//! all global effects as well.

mod arguments;
mod barriers;
mod base;
mod collect;
mod releases;
mod witness;

pub(crate) use base::{AccessBase, access_path};
pub use witness::{Cause, EffectSink, NoWitness, Subject};

use crate::BodyView;
use crate::escape::NewObjects;
use silkit_base::FxHashSet;
use silkit_ir::conventions::{Addresses, ArgumentConvention, Conventions};
use silkit_ir::effects::{ArgumentEffects, Effects, SideEffects};
use silkit_ir::{EffectsKind, Function, Release, Value};

/// Returns true if side effects are computed for a function in a release of Swift. They are not computed for functions
/// whose definition may be replaced or that must not be optimized; up to Swift 6.2, nor for those whose attributes declare
/// the effects.
pub fn has_computed_effects(function: &Function, release: Release) -> bool {
    let is_computable = function.is_optimized() && !function.linkage.is_external();
    is_computable && (release >= Release::V6_3 || !declares_effects(function))
}

/// Returns true if an attribute of a function excludes effects.
pub fn declares_effects(function: &Function) -> bool {
    function.attributes.effects.is_some_and(|promise| promise != EffectsKind::ReadWrite)
}

/// Returns the declared effects of a function without computed effects.
pub fn declared_effects(function: &Function) -> Effects {
    if function.has_semantics("programtermination_point") {
        // Its writes are not observable. It reads memory, such as the message that it prints.
        return Effects::READ;
    }
    if matches!(function.name.as_str(), "_swift_stdlib_malloc_size" | "_swift_stdlib_has_malloc_size") {
        return Effects::READ;
    }
    match function.attributes.effects {
        Some(EffectsKind::ReadNone) => Effects::COPY | Effects::DEINIT_BARRIER,
        Some(EffectsKind::ReadOnly) => Effects::READ | Effects::COPY | Effects::DEINIT_BARRIER,
        Some(EffectsKind::ReleaseNone) => Effects::all() - Effects::DESTROY,
        Some(EffectsKind::ReadWrite) | None => Effects::all(),
    }
}

/// Returns the convention by which an argument is passed. An argument that is passed directly because of opaque
/// values counts as an indirect one.
fn convention(conventions: Conventions<'_>, argument: usize) -> Option<ArgumentConvention> {
    match conventions.param_of_argument(argument) {
        Some(param) => Some(Addresses::Lowered.param(conventions.ty.params[param].convention)),
        None => conventions.convention(argument),
    }
}

/// Returns the effects that an argument convention allows.
pub fn restricted(effects: Effects, is_trivial: bool, convention: ArgumentConvention) -> Effects {
    use ArgumentConvention as A;
    let kept = match convention {
        A::InGuaranteed | A::PackGuaranteed => Effects::all() - Effects::WRITE - Effects::DESTROY,
        A::Out | A::PackOut => Effects::all() - Effects::READ - Effects::OWNERSHIP,
        A::Owned | A::Guaranteed | A::Unowned if is_trivial => Effects::all() - Effects::MEMORY,
        // The value of a property may be destroyed even if the object is borrowed.
        A::Owned | A::Guaranteed | A::Unowned => Effects::all(),
        // Taking a value counts as reading and writing.
        A::In | A::InCxx | A::PackOwned | A::Inout | A::InoutAliasable | A::PackInout => Effects::all(),
    };
    let owned = if is_trivial { Effects::all() - Effects::OWNERSHIP } else { Effects::all() };
    effects & kept & owned
}

/// Computes the side effects of a function. The witness receives the source of each effect.
pub fn side_effects(view: BodyView<'_>, witness: &mut dyn EffectSink) -> SideEffects {
    let body = view.body;
    let arguments: &[Value] = body.entry_arguments();
    let mut collector = collect::Collector {
        view,
        behavior: view.behavior(),
        arguments: vec![ArgumentEffects::default(); arguments.len()],
        global: Effects::empty(),
        witness,
        objects: NewObjects::new(view.escapes()),
        visited: FxHashSet::default(),
        at: None,
        cause: Cause::Instruction,
    };
    body.insts().for_each(|inst| collector.instruction(inst));
    for (index, &argument) in arguments.iter().enumerate() {
        collector.argument(index, argument);
    }
    SideEffects { arguments: collector.arguments, global: collector.global }
}
