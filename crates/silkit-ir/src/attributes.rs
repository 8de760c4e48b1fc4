//! Typed attributes of functions, globals and tables (FunctionAttributes.md, and those that it does not list).
//!
//! Their spelling and order belong to the parser and the printer of the text form.

use crate::module::SilStage;
use bitflags::bitflags;
use silkit_base::Symbol;

/// The attributes of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionAttributes {
    /// Attributes without arguments.
    pub flags: FunctionFlags,
    /// The visibility of the body to clients of the module.
    pub serialized: Serialized,
    /// The kind of thunk, if the function is one.
    pub thunk: Option<ThunkKind>,
    /// The role of the function for a variable.
    pub purpose: Option<SpecialPurpose>,
    /// The inlining strategy.
    pub inline: Option<InlineStrategy>,
    /// The optimization mode, if it differs from that of the command line.
    pub optimization: Option<OptimizationMode>,
    /// The memory effects that the function promises.
    pub effects: Option<EffectsKind>,
    /// The runtime functions that the function must not call.
    pub performance: Option<PerformanceConstraint>,
    /// The first version of the operating system that provides the function.
    pub availability: Option<Version>,
    /// The section of the object file, with escapes as spelled.
    pub section: Option<Symbol>,
    /// The name in the object file, with escapes as spelled.
    pub asmname: Option<Symbol>,
    /// The Clang declaration that owns the function, as spelled.
    pub clang: Option<Symbol>,
    /// The function that this one replaces at run time.
    pub dynamic_replacement_for: Option<Symbol>,
    /// The function for which this one witnesses an ad hoc protocol requirement.
    pub ref_adhoc_requirement_witness: Option<Symbol>,
    /// The Objective-C method that this one replaces.
    pub objc_replacement_for: Option<Symbol>,
    /// The high-level semantics, with escapes as spelled, without duplicates.
    pub semantics: Vec<Symbol>,
    /// Requests for specialization.
    pub specializations: Vec<Specialization>,
    /// The form in which clients get the function.
    pub export: Option<ExportModel>,
    /// `stage=…`: the stage of the function, if it is ahead of that of the module (Swift 6.5).
    pub stage: Option<SilStage>,
    /// Unknown attributes, in order.
    pub others: Vec<OtherAttribute>,
}

impl FunctionAttributes {
    /// Returns true if the function has these high-level semantics.
    pub fn has_semantics(&self, semantics: &str) -> bool {
        self.semantics.iter().any(|s| *s == semantics)
    }
}

bitflags! {
    /// Attributes of a function without arguments.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct FunctionFlags: u32 {
        /// `transparent`: always inlined, without its source locations.
        const TRANSPARENT = 1;
        /// `without_actually_escaping`: a thunk for closures that do not actually escape.
        const WITHOUT_ACTUALLY_ESCAPING = 1 << 1;
        /// `dynamically_replacable`: may be replaced at run time.
        const DYNAMICALLY_REPLACEABLE = 1 << 2;
        /// `distributed`: a method of a distributed actor.
        const DISTRIBUTED = 1 << 3;
        /// `runtime_accessible`: found by the runtime.
        const RUNTIME_ACCESSIBLE = 1 << 4;
        /// `lexical_lifetimes`: its values have lexical lifetimes.
        const LEXICAL_LIFETIMES = 1 << 5;
        /// `no_onstack_pack_metadata`: keeps metadata of packs off the stack.
        const NO_ONSTACK_PACK_METADATA = 1 << 6;
        /// `unsafe_nonescapable_result`: the lifetime dependence of the result is not checked.
        const UNSAFE_NONESCAPABLE_RESULT = 1 << 7;
        /// `exact_self_class`: a designated initializer of exactly the class of `self`.
        const EXACT_SELF_CLASS = 1 << 8;
        /// `weak_imported`: always linked weakly.
        const WEAK_IMPORTED = 1 << 9;
        /// `stack_protection`: checks for stack buffer overflows.
        const STACK_PROTECTION = 1 << 10;
        /// `used`: kept by the linker.
        const USED = 1 << 11;
        /// `perf_constraint`: no runtime calls are added.
        const PERF_CONSTRAINT = 1 << 12;
        /// `canonical`: in canonical SIL, whatever the stage of the module.
        const CANONICAL = 1 << 13;
        /// `ossa`: in OSSA form.
        const OSSA = 1 << 14;
        /// `opaque`: its addresses are not lowered yet (Swift 6.5).
        const OPAQUE = 1 << 15;
        /// `no_sanitize_address` (Swift 6.5).
        const NO_SANITIZE_ADDRESS = 1 << 16;
        /// `no_sanitize_thread` (Swift 6.5).
        const NO_SANITIZE_THREAD = 1 << 17;
        /// `no_sanitize_memtag` (Swift 6.5).
        const NO_SANITIZE_MEMTAG = 1 << 18;
    }
}

/// The form in which the clients of a module get an entity (Swift 6.4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExportModel {
    /// `export_interface`: a symbol to call, without the body.
    Interface,
    /// `export_implementation`: the body, without a symbol.
    Implementation,
}

/// The availability of an entity in the serialized module, for clients of the module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Serialized {
    /// Not serialized.
    #[default]
    No,
    /// `serialized`: for all clients.
    Fully,
    /// `serialized_for_package`: for clients in the package.
    ForPackage,
}

/// A kind of thunk.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ThunkKind {
    /// `thunk`.
    Thunk,
    /// `signature_optimized_thunk`: calls the function with an optimized signature.
    SignatureOptimized,
    /// `reabstraction_thunk`: converts between abstraction patterns.
    Reabstraction,
    /// `back_deployed_thunk`: calls the library's function if it is available.
    BackDeployed,
    /// `distributed_proxy_adapter_thunk` (Swift 6.5).
    DistributedProxyAdapter,
}

/// The role of a function for a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SpecialPurpose {
    /// `global_init`: the addressor of a global variable, which initializes it on first use.
    GlobalInit,
    /// `global_init_once_fn`: the initializer that an addressor calls once.
    GlobalInitOnce,
    /// `lazy_getter`: the getter of a lazy property.
    LazyGetter,
}

/// An inlining strategy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InlineStrategy {
    /// `noinline`.
    Never,
    /// `always_inline`: wherever it is called, since Swift 6.3 in unoptimized builds, too.
    Always,
    /// `heuristic_always_inline`: in optimized builds, as `always_inline` before Swift 6.3.
    HeuristicAlways,
}

impl InlineStrategy {
    /// Returns true if optimized builds inline the function wherever it is called.
    pub fn is_always(self) -> bool {
        self != Self::Never
    }
}

/// An optimization mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OptimizationMode {
    /// `Onone`.
    None,
    /// `Ospeed`.
    Speed,
    /// `Osize`.
    Size,
}

/// The memory effects that a function promises (FunctionAttributes.md, "effects").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EffectsKind {
    /// `readnone`: does not access memory.
    ReadNone,
    /// `readonly`: does not write to memory.
    ReadOnly,
    /// `releasenone`: does not release references.
    ReleaseNone,
    /// `readwrite`: may have any effect.
    ReadWrite,
}

/// A performance constraint: the runtime functions that a function must not call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PerformanceConstraint {
    /// `no_locks`.
    NoLocks,
    /// `no_allocation`.
    NoAllocation,
    /// `no_runtime`.
    NoRuntime,
    /// `no_existentials`.
    NoExistentials,
    /// `no_objc_bridging`.
    NoObjCBridging,
    /// `manual_ownership`: copies are written out (Swift 6.3).
    ManualOwnership,
}

/// A version number with up to three components.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Version {
    /// The first part.
    pub major: u32,
    /// The second part.
    pub minor: Option<u32>,
    /// The third part.
    pub patch: Option<u32>,
}

/// A request to specialize a function (`_specialize`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specialization {
    /// True if other modules may use the specialization.
    pub is_exported: bool,
    /// True if the requirements may leave generic parameters unbound (partial specialization).
    pub is_partial: bool,
    /// The SPI group that it belongs to.
    pub spi: Option<Symbol>,
    /// The module of the SPI group.
    pub spi_module: Option<Symbol>,
    /// The first version of the operating system that provides the specialization.
    pub availability: Option<Version>,
    /// The specialized function, if it is not the annotated one.
    pub target: Option<Symbol>,
    /// The requirements of the `where` clause, as spelled.
    pub requirements: Symbol,
}

/// An unknown attribute, such as one of a newer compiler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OtherAttribute {
    /// The known attribute before it, by name; `None` if it is the first.
    pub after: Option<Symbol>,
    /// The text between the brackets.
    pub text: Symbol,
}

/// The attributes of a global variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GlobalAttributes {
    /// The availability in the serialized module.
    pub serialized: Serialized,
    /// `let`: initialized once.
    pub is_let: bool,
    /// `used`: kept by the linker.
    pub is_used: bool,
    /// The form in which clients get the variable.
    pub export: Option<ExportModel>,
    /// The section of the object file, with escapes as spelled.
    pub section: Option<Symbol>,
    /// The name in the object file, with escapes as spelled.
    pub asmname: Option<Symbol>,
    /// Unknown attributes, in order.
    pub others: Vec<OtherAttribute>,
}

/// The attributes of vtables, witness tables, property descriptors and deinits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableAttributes {
    /// The availability in the serialized module.
    pub serialized: Serialized,
    /// `specialized`: the table of a type with concrete generic arguments.
    pub is_specialized: bool,
    /// Unknown attributes, in order.
    pub others: Vec<OtherAttribute>,
}

/// The attributes of a vtable entry.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EntryAttributes {
    /// The origin of the implementation.
    pub kind: EntryKind,
    /// `nonoverridden`: no subclass has another implementation.
    pub is_nonoverridden: bool,
    /// Unknown attributes, in order.
    pub others: Vec<OtherAttribute>,
}

/// The origin of the implementation of a vtable entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EntryKind {
    /// The class declares the method.
    #[default]
    Normal,
    /// `override`: the class overrides a method of its superclass.
    Override,
    /// `inherited`: the implementation is inherited from the superclass.
    Inherited,
}

/// The attributes of a differentiability witness.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DifferentiabilityAttributes {
    /// The availability in the serialized module.
    pub serialized: Serialized,
    /// The kind of differentiability, if it is spelled.
    pub kind: Option<DifferentiabilityKind>,
    /// The indices of the parameters with respect to which the function is differentiated.
    pub parameters: Vec<u32>,
    /// The indices of the results that are differentiated.
    pub results: Vec<u32>,
    /// Unknown attributes, in order.
    pub others: Vec<OtherAttribute>,
}

/// A kind of differentiability.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DifferentiabilityKind {
    /// `forward`.
    Forward,
    /// `reverse`.
    Reverse,
    /// `normal`.
    Normal,
    /// `linear`.
    Linear,
}
