//! The encoding of module entities other than bodies.

use crate::codec::{Codec, flags, record, variants};
use crate::sink::Sink;
use crate::source::{DecodeError, Source};
use silkit_base::KeyedVec;
use silkit_ir::attributes::*;
use silkit_ir::effects::*;
use silkit_ir::{
    ClassRef, Component, Conformance, CoverageMap, DebugExpr, DebugVarData, DeclRefData,
    DefaultOverrideTable, DifferentiabilityWitness, Function, Global, KeyPathComponent, KeyPathData,
    KeyPathId, KeyPathIndex, Linkage, Module, MoveOnlyDeinit, ProjectionPath, Property, Scope, ScopeParent,
    SilStage, SourceLoc, SwiftText, VTable, VTableEntry, WitnessEntry, WitnessTable, WitnessTableOf,
};

variants! {
    SilStage { 0 = Raw, 1 = Canonical, 2 = Lowered }

    Linkage {
        0 = Default,
        1 = Public,
        2 = PublicNonAbi,
        3 = Package,
        4 = PackageNonAbi,
        5 = Hidden,
        6 = Shared,
        7 = Private,
        8 = PublicExternal,
        9 = PackageExternal,
        10 = HiddenExternal,
        11 = SharedExternal,
    }

    Serialized { 0 = No, 1 = Fully, 2 = ForPackage }

    ThunkKind { 0 = Thunk, 1 = SignatureOptimized, 2 = Reabstraction, 3 = BackDeployed }

    SpecialPurpose { 0 = GlobalInit, 1 = GlobalInitOnce, 2 = LazyGetter }

    InlineStrategy { 0 = Never, 1 = Always }

    OptimizationMode { 0 = None, 1 = Speed, 2 = Size }

    EffectsKind { 0 = ReadNone, 1 = ReadOnly, 2 = ReleaseNone, 3 = ReadWrite }

    PerformanceConstraint {
        0 = NoLocks,
        1 = NoAllocation,
        2 = NoRuntime,
        3 = NoExistentials,
        4 = NoObjCBridging,
    }

    EntryKind { 0 = Normal, 1 = Override, 2 = Inherited }

    DifferentiabilityKind { 0 = Forward, 1 = Reverse, 2 = Normal, 3 = Linear }

    Escape { 0 = Nowhere, 1 = Return { path, is_exclusive }, 2 = Argument { argument, path } }

    Component {
        0 = StructField(index),
        1 = TupleElement(index),
        2 = EnumCase(index),
        3 = ClassField(index),
        4 = Element(index),
        5 = TailElements,
        6 = Existential,
        7 = AnyClassField,
        8 = AnyElement,
        9 = AnyValueFields,
        10 = Anything,
    }

    ClassRef { 0 = Name(name), 1 = Type(ty) }

    Conformance {
        0 = Normal { sig, ty, protocol, module },
        1 = Specialized { ty, args, inner },
        2 = Inherited { ty, inner },
        3 = Dependent(ty),
        4 = Abstract { ty, protocol },
    }

    WitnessTableOf { 0 = Conformance(conformance), 1 = Protocol(protocol) }

    WitnessEntry {
        0 = Base(protocol, conformance),
        1 = Method(requirement, formal, witness),
        2 = AssociatedType(name, ty),
        3 = AssociatedConformance { old_spelling, ty, protocol, conformance },
        4 = Conditional(ty, protocol, conformance),
        5 = NoDefault,
    }

    ScopeParent { 0 = Scope(id), 1 = Function(name, ty) }

    DebugExpr { 0 = Op(name), 1 = Decl(decl), 2 = Int(digits), 3 = Type(ty) }

    KeyPathComponent {
        0 = Stored { property, ty },
        1 = Computed { settable, ty, id, getter, setter, indices, equals, hash, external },
        2 = Tuple { index, ty },
        3 = Optional { kind, ty },
    }

    KeyPathId { 0 = Function(name, ty), 1 = Method(decl, formal, lowered), 2 = Property(decl) }
}

flags! { FunctionFlags Effects }

record! {
    FunctionAttributes {
        flags,
        serialized,
        thunk,
        purpose,
        inline,
        optimization,
        effects,
        performance,
        availability,
        section,
        asmname,
        clang,
        dynamic_replacement_for,
        ref_adhoc_requirement_witness,
        objc_replacement_for,
        semantics,
        specializations,
        others,
    }
    GlobalAttributes { serialized, is_let, is_used, section, asmname, others }
    TableAttributes { serialized, is_specialized, others }
    EntryAttributes { kind, is_nonoverridden, others }
    DifferentiabilityAttributes { serialized, kind, parameters, results, others }
    OtherAttribute { after, text }
    Version { major, minor, patch }
    Specialization { is_exported, is_partial, spi, spi_module, availability, target, requirements }
    FunctionEffects { escapes, side }
    ArgumentEscape { argument, path, to, is_derived }
    SideEffects { arguments, global }
    ArgumentEffects { read, write, copy, destroy }
    SwiftText { text, synthesized }
    VTable { attributes, class, entries }
    VTableEntry { method, formal, linkage, function, attributes }
    WitnessTable { linkage, attributes, of, entries }
    DefaultOverrideTable { linkage, class, entries }
    DifferentiabilityWitness { linkage, attributes, sig, function, ty, derivatives }
    Property { attributes, decl, sig, component }
    CoverageMap { names, hash, regions }
    MoveOnlyDeinit { attributes, nominal, function }
    Scope { id, loc, parent, inlined_at }
    SourceLoc { file, line, column, is_auto }
    DeclRefData { path, kinds }
    DebugVarData { is_let, parenthesized, name, loc, scope, argno, implicit, ty, expr }
    KeyPathData { sig, objc, root, components }
    KeyPathIndex { operand, formal, lowered }
}

/// Encodes the components of a path.
impl Codec for ProjectionPath {
    fn write(&self, sink: &mut Sink<'_>) {
        self.components().collect::<Vec<_>>().write(sink);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        let components: Vec<Component> = Codec::read(source)?;
        Self::from_components(&components).map_err(|_| source.damage("an invalid projection path"))
    }
}

/// Writes functions without their bodies: the headers, and the numbers of the functions in the order of their names.
pub(crate) fn write_functions(module: &Module, sink: &mut Sink<'_>) {
    sink.entries(module.functions.values(), |sink, function| {
        let Function { name, linkage, attributes, ty, effects, body } = function;
        body.is_some().write(sink);
        name.write(sink);
        linkage.write(sink);
        ty.write(sink);
        attributes.write(sink);
        effects.write(sink);
    });
    let mut order: Vec<(&str, u32)> = module.functions.values().map(|f| f.name.as_str()).zip(0..).collect();
    order.sort_unstable();
    order.iter().for_each(|&(_, number)| sink.number(number));
}

/// Reads a header, whose body is `None`.
pub(crate) fn read_header(source: &mut Source<'_, '_>) -> Result<Function, DecodeError> {
    bool::read(source)?;
    let (name, linkage) = Codec::read(source)?;
    let ty = Codec::read(source)?;
    let attributes = Codec::read(source)?;
    let effects = Codec::read(source)?;
    source.end()?;
    Ok(Function { name, linkage, attributes, ty, effects, body: None })
}

/// Writes a module without its functions and bodies.
pub(crate) fn write_rest(module: &Module, sink: &mut Sink<'_>) {
    let Module {
        stage,
        swift,
        functions: _,
        globals,
        vtables,
        witness_tables,
        default_witness_tables,
        default_override_tables,
        differentiability_witnesses,
        properties,
        coverage_maps,
        deinits,
        scopes,
        is_serialized: _,
    } = module;
    stage.write(sink);
    swift.write(sink);
    sink.length(globals.len());
    for global in globals.values() {
        let Global { name, linkage, attributes, ty, initializer } = global;
        name.write(sink);
        linkage.write(sink);
        initializer.is_some().write(sink);
        ty.write(sink);
        attributes.write(sink);
    }
    vtables.write(sink);
    witness_tables.write(sink);
    default_witness_tables.write(sink);
    default_override_tables.write(sink);
    differentiability_witnesses.write(sink);
    properties.write(sink);
    coverage_maps.write(sink);
    deinits.write(sink);
    scopes.write(sink);
}

/// Reads the output of [`write_rest`], with a flag for global variables with an initializer.
pub(crate) fn read_rest(source: &mut Source<'_, '_>) -> Result<(Module, Vec<bool>), DecodeError> {
    let stage = Codec::read(source)?;
    let swift = Codec::read(source)?;
    let count = source.count()?;
    let mut globals = KeyedVec::new();
    let mut initialized = Vec::with_capacity(count);
    for _ in 0..count {
        let (name, linkage) = Codec::read(source)?;
        initialized.push(bool::read(source)?);
        let (ty, attributes) = Codec::read(source)?;
        globals.push(Global { name, linkage, attributes, ty, initializer: None });
    }
    let module = Module {
        stage,
        swift,
        functions: KeyedVec::new(),
        globals,
        vtables: Codec::read(source)?,
        witness_tables: Codec::read(source)?,
        default_witness_tables: Codec::read(source)?,
        default_override_tables: Codec::read(source)?,
        differentiability_witnesses: Codec::read(source)?,
        properties: Codec::read(source)?,
        coverage_maps: Codec::read(source)?,
        deinits: Codec::read(source)?,
        scopes: Codec::read(source)?,
        is_serialized: false,
    };
    source.end()?;
    Ok((module, initialized))
}
