//! The attributes of functions, globals and tables as data (FunctionAttributes.md, and those that it leaves out).
//!
//! How they are spelled, and in which order, is known to the parser and the printer of the text form alone.

use bitflags::bitflags;
use silkit_base::Symbol;

/// The attributes of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionAttributes {
    /// The attributes that are there or not.
    pub flags: FunctionFlags,
    /// Visibility of the body to clients of the module.
    pub serialized: Serialized,
    /// The kind of thunk that the function is.
    pub thunk: Option<ThunkKind>,
    /// The part that the function plays for a variable.
    pub purpose: Option<SpecialPurpose>,
    /// The strategy for inlining calls of the function.
    pub inline: Option<InlineStrategy>,
    /// The optimization mode, where it is not that of the command line.
    pub optimization: Option<OptimizationMode>,
    /// The memory effects that the function promises.
    pub effects: Option<EffectsKind>,
    /// The runtime functions that the function must not call.
    pub performance: Option<PerformanceConstraint>,
    /// The first version of the operating system that has the function.
    pub availability: Option<Version>,
    /// The section of the object file, its escapes as spelled.
    pub section: Option<Symbol>,
    /// The name in the object file, its escapes as spelled.
    pub asmname: Option<Symbol>,
    /// The Clang declaration that owns the function, as spelled.
    pub clang: Option<Symbol>,
    /// The function that this one replaces at run time.
    pub dynamic_replacement_for: Option<Symbol>,
    /// The function that this one is a witness with an ad hoc requirement of.
    pub ref_adhoc_requirement_witness: Option<Symbol>,
    /// The Objective-C method that this one replaces.
    pub objc_replacement_for: Option<Symbol>,
    /// The high-level semantics, their escapes as spelled, each once.
    pub semantics: Vec<Symbol>,
    /// The types for which specialized code is asked for.
    pub specializations: Vec<Specialization>,
    /// Attributes that are not known, in order.
    pub others: Vec<OtherAttribute>,
}

impl FunctionAttributes {
    /// Returns true if the function has these high-level semantics.
    pub fn has_semantics(&self, semantics: &str) -> bool {
        self.semantics.iter().any(|s| *s == semantics)
    }
}

bitflags! {
    /// The attributes of a function that are there or not.
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
        /// `unsafe_nonescapable_result`: what its result depends on is not checked.
        const UNSAFE_NONESCAPABLE_RESULT = 1 << 7;
        /// `exact_self_class`: a designated initializer of exactly the class of `self`.
        const EXACT_SELF_CLASS = 1 << 8;
        /// `weak_imported`: always linked weakly.
        const WEAK_IMPORTED = 1 << 9;
        /// `stack_protection`: checks for overflows of buffers on the stack.
        const STACK_PROTECTION = 1 << 10;
        /// `used`: kept by the linker.
        const USED = 1 << 11;
        /// `perf_constraint`: gets no runtime calls that it did not have.
        const PERF_CONSTRAINT = 1 << 12;
        /// `canonical`: in canonical SIL, whatever the stage of the module.
        const CANONICAL = 1 << 13;
        /// `ossa`: in OSSA form.
        const OSSA = 1 << 14;
    }
}

/// Presence of an entity in the module file, for clients of the module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Serialized {
    /// It is not.
    #[default]
    No,
    /// `serialized`: for all clients.
    Fully,
    /// `serialized_for_package`: for clients in the package.
    ForPackage,
}

/// The kinds of thunks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ThunkKind {
    /// `thunk`.
    Thunk,
    /// `signature_optimized_thunk`: calls the function with an optimized signature.
    SignatureOptimized,
    /// `reabstraction_thunk`: converts between abstraction patterns.
    Reabstraction,
    /// `back_deployed_thunk`: calls the library's function where that exists.
    BackDeployed,
}

/// The parts that functions play for a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SpecialPurpose {
    /// `global_init`: the addressor that initializes a global variable when it is first called.
    GlobalInit,
    /// `global_init_once_fn`: the initialization, which an addressor calls once.
    GlobalInitOnce,
    /// `lazy_getter`: the getter of a lazy property.
    LazyGetter,
}

/// Strategies for inlining calls of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InlineStrategy {
    /// `noinline`.
    Never,
    /// `always_inline`.
    Always,
}

/// The optimization modes.
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
    /// `readnone`: it touches no memory.
    ReadNone,
    /// `readonly`: it writes to no memory.
    ReadOnly,
    /// `releasenone`: it releases nothing.
    ReleaseNone,
    /// `readwrite`: it may do anything.
    ReadWrite,
}

/// The runtime functions that a function must not call.
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
}

/// A version number of up to three parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Version {
    /// The first part.
    pub major: u32,
    /// The second part.
    pub minor: Option<u32>,
    /// The third part.
    pub patch: Option<u32>,
}

/// A request for specialized code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specialization {
    /// True if other modules may use the specialized function.
    pub is_exported: bool,
    /// True if the requirements may leave generic parameters open.
    pub is_partial: bool,
    /// The group of system programming interfaces that it belongs to.
    pub spi: Option<Symbol>,
    /// The module of that group.
    pub spi_module: Option<Symbol>,
    /// The first version of the operating system that has the specialized function.
    pub availability: Option<Version>,
    /// The function that is specialized, where it is another one.
    pub target: Option<Symbol>,
    /// The requirements of the `where` clause, as spelled.
    pub requirements: Symbol,
}

/// An attribute that is not known, such as one of a newer compiler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OtherAttribute {
    /// The known attribute that precedes it by its name; `None` where none does.
    pub after: Option<Symbol>,
    /// The text between the brackets.
    pub text: Symbol,
}

/// The attributes of a global variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GlobalAttributes {
    /// Presence in the module file.
    pub serialized: Serialized,
    /// `let`: initialized once.
    pub is_let: bool,
    /// `used`: kept by the linker.
    pub is_used: bool,
    /// The section of the object file, its escapes as spelled.
    pub section: Option<Symbol>,
    /// The name in the object file, its escapes as spelled.
    pub asmname: Option<Symbol>,
    /// Attributes that are not known, in order.
    pub others: Vec<OtherAttribute>,
}

/// The attributes of vtables, witness tables, property descriptors and deinits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableAttributes {
    /// Presence in the module file.
    pub serialized: Serialized,
    /// `specialized`: of a type with concrete generic arguments.
    pub is_specialized: bool,
    /// Attributes that are not known, in order.
    pub others: Vec<OtherAttribute>,
}

/// The attributes of an entry of a vtable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EntryAttributes {
    /// The origin of the implementation.
    pub kind: EntryKind,
    /// `nonoverridden`: no subclass has another implementation.
    pub is_nonoverridden: bool,
    /// Attributes that are not known, in order.
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
    /// `inherited`: the superclass has it.
    Inherited,
}

/// The attributes of a differentiability witness.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DifferentiabilityAttributes {
    /// Presence in the module file.
    pub serialized: Serialized,
    /// The kind of differentiability, where it is spelled.
    pub kind: Option<DifferentiabilityKind>,
    /// The numbers of the parameters by which the function is differentiated.
    pub parameters: Vec<u32>,
    /// The numbers of the results that are differentiated.
    pub results: Vec<u32>,
    /// Attributes that are not known, in order.
    pub others: Vec<OtherAttribute>,
}

/// The kinds of differentiability.
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
