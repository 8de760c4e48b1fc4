//! The attributes of functions, globals and tables, parsed and printed.
//!
//! A table for each kind of entity lists the spellings of its attributes in print order.

mod parse;
mod print;

use silkit_base::Symbol;
use silkit_ir::attributes::*;

/// The meaning of a function attribute.
#[derive(Clone, Copy)]
enum FunctionAttribute {
    Flag(FunctionFlags),
    Serialized(Serialized),
    Thunk(ThunkKind),
    Purpose(SpecialPurpose),
    Inline(InlineStrategy),
    Optimization(OptimizationMode),
    Effects(EffectsKind),
    Performance(PerformanceConstraint),
    Export(ExportModel),
    Stage,
    /// `[available 10.1]`.
    Available,
    /// `[name "text"]`.
    Quoted(Quoted),
    /// `[clang a.b]`.
    Clang,
    /// `[_semantics "text"]`, repeatable.
    Semantics,
    /// `[_specialize …]`, repeatable.
    Specialize,
}

/// Function attributes with a quoted text.
#[derive(Clone, Copy)]
enum Quoted {
    Section,
    AsmName,
    DynamicReplacement,
    AdHocRequirement,
    ObjCReplacement,
}

const FUNCTION: &[(&str, FunctionAttribute)] = {
    use FunctionAttribute as A;
    &[
        ("transparent", A::Flag(FunctionFlags::TRANSPARENT)),
        ("serialized", A::Serialized(Serialized::Fully)),
        ("serialized_for_package", A::Serialized(Serialized::ForPackage)),
        ("thunk", A::Thunk(ThunkKind::Thunk)),
        ("signature_optimized_thunk", A::Thunk(ThunkKind::SignatureOptimized)),
        ("reabstraction_thunk", A::Thunk(ThunkKind::Reabstraction)),
        ("back_deployed_thunk", A::Thunk(ThunkKind::BackDeployed)),
        ("distributed_proxy_adapter_thunk", A::Thunk(ThunkKind::DistributedProxyAdapter)),
        ("without_actually_escaping", A::Flag(FunctionFlags::WITHOUT_ACTUALLY_ESCAPING)),
        ("dynamically_replacable", A::Flag(FunctionFlags::DYNAMICALLY_REPLACEABLE)),
        ("distributed", A::Flag(FunctionFlags::DISTRIBUTED)),
        ("runtime_accessible", A::Flag(FunctionFlags::RUNTIME_ACCESSIBLE)),
        ("lexical_lifetimes", A::Flag(FunctionFlags::LEXICAL_LIFETIMES)),
        ("no_onstack_pack_metadata", A::Flag(FunctionFlags::NO_ONSTACK_PACK_METADATA)),
        ("unsafe_nonescapable_result", A::Flag(FunctionFlags::UNSAFE_NONESCAPABLE_RESULT)),
        ("exact_self_class", A::Flag(FunctionFlags::EXACT_SELF_CLASS)),
        ("global_init", A::Purpose(SpecialPurpose::GlobalInit)),
        ("global_init_once_fn", A::Purpose(SpecialPurpose::GlobalInitOnce)),
        ("lazy_getter", A::Purpose(SpecialPurpose::LazyGetter)),
        ("weak_imported", A::Flag(FunctionFlags::WEAK_IMPORTED)),
        ("export_interface", A::Export(ExportModel::Interface)),
        ("export_implementation", A::Export(ExportModel::Implementation)),
        ("available", A::Available),
        ("noinline", A::Inline(InlineStrategy::Never)),
        ("heuristic_always_inline", A::Inline(InlineStrategy::HeuristicAlways)),
        ("always_inline", A::Inline(InlineStrategy::Always)),
        ("Onone", A::Optimization(OptimizationMode::None)),
        ("Ospeed", A::Optimization(OptimizationMode::Speed)),
        ("Osize", A::Optimization(OptimizationMode::Size)),
        ("no_locks", A::Performance(PerformanceConstraint::NoLocks)),
        ("no_allocation", A::Performance(PerformanceConstraint::NoAllocation)),
        ("no_runtime", A::Performance(PerformanceConstraint::NoRuntime)),
        ("no_existentials", A::Performance(PerformanceConstraint::NoExistentials)),
        ("no_objc_bridging", A::Performance(PerformanceConstraint::NoObjCBridging)),
        ("manual_ownership", A::Performance(PerformanceConstraint::ManualOwnership)),
        ("no_sanitize_address", A::Flag(FunctionFlags::NO_SANITIZE_ADDRESS)),
        ("no_sanitize_thread", A::Flag(FunctionFlags::NO_SANITIZE_THREAD)),
        ("no_sanitize_memtag", A::Flag(FunctionFlags::NO_SANITIZE_MEMTAG)),
        ("perf_constraint", A::Flag(FunctionFlags::PERF_CONSTRAINT)),
        ("readnone", A::Effects(EffectsKind::ReadNone)),
        ("readonly", A::Effects(EffectsKind::ReadOnly)),
        ("readwrite", A::Effects(EffectsKind::ReadWrite)),
        ("releasenone", A::Effects(EffectsKind::ReleaseNone)),
        ("dynamic_replacement_for", A::Quoted(Quoted::DynamicReplacement)),
        ("ref_adhoc_requirement_witness", A::Quoted(Quoted::AdHocRequirement)),
        ("objc_replacement_for", A::Quoted(Quoted::ObjCReplacement)),
        ("_semantics", A::Semantics),
        ("_specialize", A::Specialize),
        ("used", A::Flag(FunctionFlags::USED)),
        ("section", A::Quoted(Quoted::Section)),
        ("asmname", A::Quoted(Quoted::AsmName)),
        ("clang", A::Clang),
        ("canonical", A::Flag(FunctionFlags::CANONICAL)),
        ("stage", A::Stage),
        ("ossa", A::Flag(FunctionFlags::OSSA)),
        ("opaque", A::Flag(FunctionFlags::OPAQUE)),
        ("stack_protection", A::Flag(FunctionFlags::STACK_PROTECTION)),
    ]
};

impl Quoted {
    fn of(self, attributes: &FunctionAttributes) -> Option<Symbol> {
        match self {
            Self::Section => attributes.section,
            Self::AsmName => attributes.asmname,
            Self::DynamicReplacement => attributes.dynamic_replacement_for,
            Self::AdHocRequirement => attributes.ref_adhoc_requirement_witness,
            Self::ObjCReplacement => attributes.objc_replacement_for,
        }
    }

    fn of_mut(self, attributes: &mut FunctionAttributes) -> &mut Option<Symbol> {
        match self {
            Self::Section => &mut attributes.section,
            Self::AsmName => &mut attributes.asmname,
            Self::DynamicReplacement => &mut attributes.dynamic_replacement_for,
            Self::AdHocRequirement => &mut attributes.ref_adhoc_requirement_witness,
            Self::ObjCReplacement => &mut attributes.objc_replacement_for,
        }
    }
}

/// The meaning of a global variable attribute.
#[derive(Clone, Copy)]
enum GlobalAttribute {
    Serialized(Serialized),
    Let,
    Used,
    Export(ExportModel),
    Section,
    AsmName,
}

const GLOBAL: &[(&str, GlobalAttribute)] = &[
    ("serialized", GlobalAttribute::Serialized(Serialized::Fully)),
    ("serialized_for_package", GlobalAttribute::Serialized(Serialized::ForPackage)),
    ("let", GlobalAttribute::Let),
    ("used", GlobalAttribute::Used),
    ("export_interface", GlobalAttribute::Export(ExportModel::Interface)),
    ("export_implementation", GlobalAttribute::Export(ExportModel::Implementation)),
    ("asmname", GlobalAttribute::AsmName),
    ("section", GlobalAttribute::Section),
];

/// The meaning of a table attribute.
#[derive(Clone, Copy)]
enum TableAttribute {
    Serialized(Serialized),
    Specialized,
}

const TABLE: &[(&str, TableAttribute)] = &[
    ("serialized", TableAttribute::Serialized(Serialized::Fully)),
    ("serialized_for_package", TableAttribute::Serialized(Serialized::ForPackage)),
    ("specialized", TableAttribute::Specialized),
];

/// The meaning of a vtable entry attribute.
#[derive(Clone, Copy)]
enum EntryAttribute {
    Kind(EntryKind),
    NonOverridden,
}

const ENTRY: &[(&str, EntryAttribute)] = &[
    ("override", EntryAttribute::Kind(EntryKind::Override)),
    ("inherited", EntryAttribute::Kind(EntryKind::Inherited)),
    ("nonoverridden", EntryAttribute::NonOverridden),
];

/// The meaning of a differentiability witness attribute.
#[derive(Clone, Copy)]
enum WitnessAttribute {
    Serialized(Serialized),
    Kind(DifferentiabilityKind),
    Parameters,
    Results,
}

const WITNESS: &[(&str, WitnessAttribute)] = &[
    ("serialized", WitnessAttribute::Serialized(Serialized::Fully)),
    ("serialized_for_package", WitnessAttribute::Serialized(Serialized::ForPackage)),
    ("forward", WitnessAttribute::Kind(DifferentiabilityKind::Forward)),
    ("reverse", WitnessAttribute::Kind(DifferentiabilityKind::Reverse)),
    ("normal", WitnessAttribute::Kind(DifferentiabilityKind::Normal)),
    ("linear", WitnessAttribute::Kind(DifferentiabilityKind::Linear)),
    ("parameters", WitnessAttribute::Parameters),
    ("results", WitnessAttribute::Results),
];
