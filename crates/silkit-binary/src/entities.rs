//! The encoding of module entities other than bodies.

use crate::codec::{Codec, flags, record, variants};
use crate::keyed;
use crate::sink::Sink;
use crate::source::{DecodeError, Source};
use silkit_base::{KeyedVec, Symbol};
use silkit_ir::attributes::*;
use silkit_ir::effects::*;
use silkit_ir::{
    ClassRef, Component, Conformance, CoverageMap, DebugExpr, DebugVarData, DeclRefData,
    DefaultOverrideTable, DifferentiabilityWitness, Function, Global, KeyPathComponent, KeyPathData,
    KeyPathId, KeyPathIndex, Linkage, Module, MoveOnlyDeinit, ProjectionPath, Property, Scope, ScopeParent,
    SilStage, SourceLoc, SwiftText, VTable, VTableConformance, VTableEntry, WitnessEntry, WitnessTable,
    WitnessTableOf,
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

    ThunkKind { 0 = Thunk, 1 = SignatureOptimized, 2 = Reabstraction, 3 = BackDeployed, 4 = DistributedProxyAdapter }

    ExportModel { 0 = Interface, 1 = Implementation }

    SpecialPurpose { 0 = GlobalInit, 1 = GlobalInitOnce, 2 = LazyGetter }

    InlineStrategy { 0 = Never, 1 = Always, 2 = HeuristicAlways }

    OptimizationMode { 0 = None, 1 = Speed, 2 = Size }

    EffectsKind { 0 = ReadNone, 1 = ReadOnly, 2 = ReleaseNone, 3 = ReadWrite }

    PerformanceConstraint {
        0 = NoLocks,
        1 = NoAllocation,
        2 = NoRuntime,
        3 = NoExistentials,
        4 = NoObjCBridging,
        5 = ManualOwnership,
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
        11 = VectorElements,
    }

    VTableConformance { 0 = Conforms(conformance), 1 = Lacks(protocol) }

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
        export,
        stage,
        others,
    }
    GlobalAttributes { serialized, is_let, is_used, export, section, asmname, others }
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
    VTable { attributes, class, conformances, entries }
    VTableEntry { method, formal, linkage, function, attributes }
    WitnessTable { linkage, attributes, of, entries }
    DefaultOverrideTable { linkage, class, entries }
    DifferentiabilityWitness { linkage, attributes, sig, function, ty, derivatives }
    Property { attributes, decl, sig, component }
    CoverageMap { names, hash, regions }
    MoveOnlyDeinit { attributes, of, function }
    Scope { id, loc, parent, inlined_at }
    DeclRefData { path, kinds }
    DebugVarData { is_let, parenthesized, name, loc, scope, argno, implicit, ty, expr, transform }
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

/// Writes functions without their bodies, by name.
pub(crate) fn write_functions(module: &Module, sink: &mut Sink<'_>) {
    let by_name = module.functions.values().map(|function| ([function.name], function));
    keyed::write(sink, by_name, |sink, function| {
        let Function { name: _, linkage, attributes, ty, effects, body } = function;
        body.is_some().write(sink);
        linkage.write(sink);
        ty.write(sink);
        attributes.write(sink);
        effects.write(sink);
    });
}

/// Reads a header, whose body is `None`.
pub(crate) fn read_header(source: &mut Source<'_, '_>, [name]: [Symbol; 1]) -> Result<Function, DecodeError> {
    bool::read(source)?;
    let (linkage, ty) = Codec::read(source)?;
    let (attributes, effects) = Codec::read(source)?;
    Ok(Function { name, linkage, attributes, ty, effects, body: None })
}

/// Writes global variables without their initializers, by name.
pub(crate) fn write_globals(module: &Module, sink: &mut Sink<'_>) {
    let by_name = module.globals.values().map(|global| ([global.name], global));
    keyed::write(sink, by_name, |sink, global| {
        let Global { name: _, linkage, attributes, ty, initializer } = global;
        initializer.is_some().write(sink);
        linkage.write(sink);
        ty.write(sink);
        attributes.write(sink);
    });
}

/// Reads a global variable without its initializer.
pub(crate) fn read_global(source: &mut Source<'_, '_>, [name]: [Symbol; 1]) -> Result<Global, DecodeError> {
    bool::read(source)?;
    let (linkage, (ty, attributes)) = Codec::read(source)?;
    Ok(Global { name, linkage, attributes, ty, initializer: None })
}

/// Writes vtables, by the path of the class; without one for a specialized class.
pub(crate) fn write_vtables(module: &Module, sink: &mut Sink<'_>) {
    let by_class = module.vtables.values().map(|table| match table.class {
        ClassRef::Name(class) => ([class], table),
        ClassRef::Type(_) => ([Symbol::new("")], table),
    });
    keyed::write(sink, by_class, |sink, table| table.write(sink));
}

/// Writes witness tables, by the paths of type and protocol; without them if no lookup of a conformance finds the
/// table.
pub(crate) fn write_witness_tables(module: &Module, sink: &mut Sink<'_>) {
    let by_conformance = module.witness_tables.values().map(|table| {
        let paths = table.lookup_paths().unwrap_or_else(|| (Symbol::new(""), Symbol::new("")));
        (paths.into(), table)
    });
    keyed::write(sink, by_conformance, |sink, table| table.write(sink));
}

/// Reads a table that contains what its key is derived from.
pub(crate) fn read_table<T: Codec, const N: usize>(
    source: &mut Source<'_, '_>,
    _key: [Symbol; N],
) -> Result<T, DecodeError> {
    T::read(source)
}

/// Writes the other entities of a module.
pub(crate) fn write_rest(module: &Module, sink: &mut Sink<'_>) {
    let Module {
        stage,
        swift,
        functions: _,
        globals: _,
        vtables: _,
        witness_tables: _,
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
    default_witness_tables.write(sink);
    default_override_tables.write(sink);
    differentiability_witnesses.write(sink);
    properties.write(sink);
    coverage_maps.write(sink);
    deinits.write(sink);
    scopes.write(sink);
}

/// Reads the output of [`write_rest`].
pub(crate) fn read_rest(source: &mut Source<'_, '_>) -> Result<Module, DecodeError> {
    let module = Module {
        stage: Codec::read(source)?,
        swift: Codec::read(source)?,
        functions: KeyedVec::new(),
        globals: KeyedVec::new(),
        vtables: KeyedVec::new(),
        witness_tables: KeyedVec::new(),
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
    Ok(module)
}

impl Codec for SourceLoc {
    fn write(&self, sink: &mut Sink<'_>) {
        let Self { file, line, column, is_auto, is_inlined: _ } = self;
        file.write(sink);
        line.write(sink);
        column.write(sink);
        is_auto.write(sink);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        Ok(Self {
            file: Codec::read(source)?,
            line: Codec::read(source)?,
            column: Codec::read(source)?,
            is_auto: Codec::read(source)?,
            is_inlined: false,
        })
    }
}
