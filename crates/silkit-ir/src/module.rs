//! Modules and the entities in them.

use crate::attributes::{
    DifferentiabilityAttributes, EntryAttributes, FunctionAttributes, FunctionFlags, GlobalAttributes,
    OptimizationMode, Serialized, TableAttributes,
};
use crate::body::Body;
use crate::debug::SourceLoc;
use crate::decl_ref::DeclRef;
use crate::keypath::KeyPathComponent;
use crate::linkage::Linkage;
use crate::semantics::effects::FunctionEffects;
use silkit_base::{Keyed, KeyedVec, Symbol, entity};
use silkit_types::{GenericSig, SilType, Type};

entity!(/// A function of a module.
    FunctionId, "fn");
entity!(/// A global variable of a module.
    GlobalId, "gl");
entity!(/// A vtable of a module.
    VTableId, "vt");
entity!(/// A witness table or a default witness table of a module.
    WitnessTableId, "wt");

/// A SIL module (SIL.md, "SIL Stage" and following).
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The stage; `None` if the file does not state one.
    pub stage: Option<SilStage>,
    /// The Swift declarations and imports, as spelled.
    pub swift: Vec<SwiftText>,
    /// The functions in order, indexed by name.
    pub functions: KeyedVec<FunctionId, Function>,
    /// The global variables, indexed by name.
    pub globals: KeyedVec<GlobalId, Global>,
    /// The vtables, indexed by class.
    pub vtables: KeyedVec<VTableId, VTable>,
    /// The witness tables, indexed by conformance.
    pub witness_tables: KeyedVec<WitnessTableId, WitnessTable>,
    /// The default witness tables, indexed by protocol.
    pub default_witness_tables: KeyedVec<WitnessTableId, WitnessTable>,
    /// The default override tables.
    pub default_override_tables: Vec<DefaultOverrideTable>,
    /// The differentiability witnesses.
    pub differentiability_witnesses: Vec<DifferentiabilityWitness>,
    /// The property descriptors.
    pub properties: Vec<Property>,
    /// The coverage maps.
    pub coverage_maps: Vec<CoverageMap>,
    /// The deinits of move-only types.
    pub deinits: Vec<MoveOnlyDeinit>,
    /// The debug scopes.
    pub scopes: Vec<Scope>,
    /// True once bodies are no longer kept for other modules (after the pass `serialize-sil`). Neither file format
    /// stores this flag; see [`Self::note_serialized`].
    pub is_serialized: bool,
}

impl Module {
    /// Returns true if the stage is raw, as it is if the file does not state one.
    pub fn is_raw(&self) -> bool {
        matches!(self.stage, None | Some(SilStage::Raw))
    }

    /// Sets [`Self::is_serialized`] if a body was taken from another module and is not serialized: nothing is serialized
    /// after serialization.
    pub fn note_serialized(&mut self) {
        let is_foreign = |function: &Function| {
            matches!(function.linkage, Linkage::PublicExternal | Linkage::PackageExternal)
                && function.body.is_some()
        };
        let is_late =
            |function: &Function| is_foreign(function) && function.attributes.serialized == Serialized::No;
        self.is_serialized |= self.functions.values().any(is_late);
    }

    /// Returns the Swift declarations and imports as one text, which the ranges of parsed declarations refer to.
    pub fn swift_text(&self) -> String {
        self.swift.iter().map(|swift| &*swift.text).collect::<Vec<_>>().join("\n")
    }

    /// Returns true if the indexes are consistent, that is, no key was changed in place. Linear in the size of the
    /// module.
    pub fn is_index_right(&self) -> bool {
        self.functions.is_index_right()
            && self.globals.is_index_right()
            && self.vtables.is_index_right()
            && self.witness_tables.is_index_right()
            && self.default_witness_tables.is_index_right()
    }
}

impl Keyed for Function {
    type Key = Symbol;

    fn key(&self) -> &Symbol {
        &self.name
    }
}

impl Keyed for Global {
    type Key = Symbol;

    fn key(&self) -> &Symbol {
        &self.name
    }
}

impl Keyed for VTable {
    type Key = ClassRef;

    fn key(&self) -> &ClassRef {
        &self.class
    }
}

impl Keyed for WitnessTable {
    type Key = WitnessTableOf;

    fn key(&self) -> &WitnessTableOf {
        &self.of
    }
}

/// The stage of a module, or of a function that is ahead of its module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum SilStage {
    /// `raw`.
    Raw,
    /// `canonical`.
    Canonical,
    /// `lowered`.
    Lowered,
}

impl SilStage {
    /// All stages, in order.
    pub const ALL: [Self; 3] = [Self::Raw, Self::Canonical, Self::Lowered];

    /// Returns the word in the text form.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Canonical => "canonical",
            Self::Lowered => "lowered",
        }
    }

    /// Returns the stage that a word spells.
    pub fn spelled(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.spelling() == word)
    }
}

/// Swift source text between SIL entities.
#[derive(Clone, Debug)]
pub struct SwiftText {
    /// The text, without surrounding white space.
    pub text: Box<str>,
    /// True if the declaration was synthesized by differentiation; it is printed after the differentiability
    /// witnesses.
    pub synthesized: bool,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name. To rename a function of a module, use [`KeyedVec::rekey`].
    pub name: Symbol,
    /// The linkage.
    pub linkage: Linkage,
    /// The attributes.
    pub attributes: FunctionAttributes,
    /// The type.
    pub ty: SilType,
    /// The effects on arguments and memory.
    pub effects: FunctionEffects,
    /// The body; `None` for an external declaration.
    pub body: Option<Body>,
}

impl Function {
    /// Creates an external declaration without attributes.
    pub fn new(name: impl Into<Symbol>, ty: SilType) -> Self {
        Self {
            name: name.into(),
            linkage: Linkage::Default,
            attributes: FunctionAttributes::default(),
            ty,
            effects: FunctionEffects::default(),
            body: None,
        }
    }

    /// Returns the function without the contents of its body; a definition has an empty body.
    pub fn header(&self) -> Self {
        Self {
            attributes: self.attributes.clone(),
            effects: self.effects.clone(),
            body: self.body.as_ref().map(|_| Body::new()),
            ..*self
        }
    }

    /// Returns the type that references to the function have in bodies, where its generic parameters are unnamed
    /// (`τ_0_0`).
    pub fn type_of_reference(&self) -> SilType {
        self.ty.with_canonical_signature()
    }

    /// Returns true if everything except the body is equal.
    pub fn has_same_header(&self, other: &Self) -> bool {
        self.name == other.name
            && self.linkage == other.linkage
            && self.attributes == other.attributes
            && self.ty == other.ty
            && self.effects == other.effects
            && self.body.is_some() == other.body.is_some()
    }

    /// Removes the body, which turns a definition into an external declaration.
    pub fn remove_body(&mut self) {
        self.body = None;
        self.linkage = Linkage::Default;
        self.effects = FunctionEffects::default();
        self.attributes.flags.remove(FunctionFlags::OSSA);
        self.attributes.serialized = Serialized::No;
    }

    /// Returns true if the function has all these flags.
    pub fn has(&self, flags: FunctionFlags) -> bool {
        self.attributes.flags.contains(flags)
    }

    /// Returns true if the body is in OSSA form.
    pub fn has_ossa(&self) -> bool {
        self.has(FunctionFlags::OSSA)
    }

    /// Returns true if the function may be optimized, that is, it is not `[Onone]`.
    pub fn is_optimized(&self) -> bool {
        self.attributes.optimization != Some(OptimizationMode::None)
    }

    /// Returns true if the function has these high-level semantics.
    pub fn has_semantics(&self, semantics: &str) -> bool {
        self.attributes.has_semantics(semantics)
    }
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// The name.
    pub name: Symbol,
    /// The linkage.
    pub linkage: Linkage,
    /// The attributes.
    pub attributes: GlobalAttributes,
    /// The type.
    pub ty: SilType,
    /// The static initializer.
    pub initializer: Option<Body>,
}

/// A vtable.
#[derive(Clone, PartialEq, Debug)]
pub struct VTable {
    /// The attributes.
    pub attributes: TableAttributes,
    /// The class, by name, or a specialized class type.
    pub class: ClassRef,
    /// The protocols whose conformance is known (Swift 6.5).
    pub conformances: Vec<VTableConformance>,
    /// The entries.
    pub entries: Vec<VTableEntry>,
}

impl VTable {
    /// Returns the path of the class. The compiler prints only the last name of a nested class, but the whole path in
    /// the entry of the destroyer.
    pub fn class_path(&self) -> Option<Symbol> {
        let ClassRef::Name(name) = self.class else { return None };
        let is_destroyer = |kind: &Symbol| matches!(kind.as_str(), "deallocator" | "isolatedDeallocator");
        let of_class = self.entries.iter().filter(|entry| entry.method.data().kinds.iter().any(is_destroyer));
        let paths = of_class.filter_map(|entry| entry.method.owner_path());
        let is_named = |path: &Symbol| path.as_str().rsplit('.').next() == Some(name.as_str());
        Some(paths.into_iter().find(is_named).unwrap_or(name))
    }
}

/// The conformance of the class of a vtable to a protocol.
#[derive(Clone, PartialEq, Debug)]
pub enum VTableConformance {
    /// `conformance C: P module M`.
    Conforms(Conformance),
    /// `no_conformance P`.
    Lacks(Type),
}

/// The class of a vtable, or the type of a deinit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClassRef {
    /// A class by its name.
    Name(Symbol),
    /// A specialized class: `$C<Int>`.
    Type(SilType),
}

/// `#C.f: (C) -> () -> () : @f [override]`.
#[derive(Clone, PartialEq, Debug)]
pub struct VTableEntry {
    /// The method.
    pub method: DeclRef,
    /// Its formal type.
    pub formal: Option<Type>,
    /// The linkage of the implementation, if it is spelled.
    pub linkage: Linkage,
    /// The implementation.
    pub function: Symbol,
    /// The attributes.
    pub attributes: EntryAttributes,
}

/// A protocol conformance as referenced by tables.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Conformance {
    /// `<sig> T: P module M`.
    Normal {
        /// The generic signature.
        sig: Option<GenericSig>,
        /// The conforming type.
        ty: Type,
        /// The protocol.
        protocol: Type,
        /// The module that declares it.
        module: Symbol,
    },
    /// `T: specialize <A> (conformance)`.
    Specialized {
        /// The conforming type, if it is spelled.
        ty: Option<Type>,
        /// The generic arguments.
        args: Box<[Type]>,
        /// The generic conformance.
        inner: Box<Conformance>,
    },
    /// `T: inherit (conformance)`.
    Inherited {
        /// The conforming type, if it is spelled.
        ty: Option<Type>,
        /// The conformance of the superclass.
        inner: Box<Conformance>,
    },
    /// `dependent T`: of a type parameter.
    Dependent(Option<Type>),
    /// A conformance of a type parameter, with its type: `U: P`, without a module.
    Abstract {
        /// The type parameter.
        ty: Type,
        /// The protocol.
        protocol: Type,
    },
}

/// A witness table or a default witness table.
#[derive(Clone, PartialEq, Debug)]
pub struct WitnessTable {
    /// The linkage.
    pub linkage: Linkage,
    /// The attributes.
    pub attributes: TableAttributes,
    /// The conformance, or the protocol of a default witness table.
    pub of: WitnessTableOf,
    /// The entries; `None` for a declaration.
    pub entries: Option<Vec<WitnessEntry>>,
}

impl WitnessTable {
    /// Returns the paths of type and protocol by which lookups find the table. Only tables with entries for a
    /// conformance that is declared at the type have them.
    pub fn lookup_paths(&self) -> Option<(Symbol, Symbol)> {
        match &self.of {
            WitnessTableOf::Conformance(Conformance::Normal { ty, protocol, .. })
                if self.entries.is_some() =>
            {
                Some((ty.path()?, protocol.path()?))
            }
            _ => None,
        }
    }

    /// Selects one of several witnesses whose requirements differ only in argument labels, which SIL does not spell.
    ///
    /// Among integer conversions, the one that never traps is selected: if the value fits, all behave the same.
    pub fn overload<T: Copy>(witnesses: &[T], function: impl Fn(T) -> Option<Symbol>) -> Option<T> {
        let truncates =
            |&witness: &T| function(witness).is_some_and(|f| f.as_str().contains("truncatingIfNeeded"));
        witnesses.iter().copied().find(truncates).or_else(|| witnesses.first().copied())
    }
}

/// The conformance or protocol that a witness table belongs to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum WitnessTableOf {
    /// A conformance.
    Conformance(Conformance),
    /// A resilient protocol.
    Protocol(Type),
}

/// An entry of a witness table.
#[derive(Clone, PartialEq, Debug)]
pub enum WitnessEntry {
    /// `base_protocol P: conformance`.
    Base(Type, Conformance),
    /// `method #P.f: T : @f`; `None` for `nil`.
    Method(DeclRef, Option<Type>, Option<Symbol>),
    /// `associated_type A: T`.
    AssociatedType(Symbol, Type),
    /// `associated_conformance (A: P): conformance`; also spelled `associated_type_protocol`.
    AssociatedConformance {
        /// True if it is spelled `associated_type_protocol`.
        old_spelling: bool,
        /// The associated type, as a type in terms of `Self`.
        ty: Type,
        /// The protocol.
        protocol: Type,
        /// The conformance.
        conformance: Conformance,
    },
    /// `conditional_conformance (T: P): conformance`.
    Conditional(Type, Type, Conformance),
    /// `no_default`.
    NoDefault,
}

/// A default override table.
#[derive(Clone, PartialEq, Debug)]
pub struct DefaultOverrideTable {
    /// The linkage.
    pub linkage: Linkage,
    /// The class.
    pub class: Symbol,
    /// `#replacement: #original : type : @f`.
    pub entries: Vec<(DeclRef, DeclRef, Option<Type>, Symbol)>,
}

/// A differentiability witness.
#[derive(Clone, PartialEq, Debug)]
pub struct DifferentiabilityWitness {
    /// The linkage.
    pub linkage: Linkage,
    /// The attributes.
    pub attributes: DifferentiabilityAttributes,
    /// The generic signature of the derivative.
    pub sig: Option<GenericSig>,
    /// The original function.
    pub function: Symbol,
    /// Its type.
    pub ty: SilType,
    /// The derivatives by keyword, `jvp` and `vjp`; `None` for a declaration.
    pub derivatives: Option<Vec<(Symbol, Symbol, SilType)>>,
}

/// A property descriptor.
#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    /// The attributes.
    pub attributes: TableAttributes,
    /// The property.
    pub decl: DeclRef,
    /// The generic signature of its context.
    pub sig: Option<GenericSig>,
    /// The key path component for the property.
    pub component: Option<KeyPathComponent>,
}

/// A coverage map.
#[derive(Clone, PartialEq, Debug)]
pub struct CoverageMap {
    /// The file, the function's name and the name in the profile, as spelled.
    pub names: Vec<Symbol>,
    /// The hash.
    pub hash: Symbol,
    /// The regions: `1:2 -> 3:4 : counter`, as spelled.
    pub regions: Vec<Symbol>,
}

/// The deinit of a move-only type.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveOnlyDeinit {
    /// The attributes.
    pub attributes: TableAttributes,
    /// The type, by name, or a specialized type.
    pub of: ClassRef,
    /// The function.
    pub function: Symbol,
}

impl MoveOnlyDeinit {
    /// Returns the name of the type; `None` for the deinit of a specialized type.
    pub fn nominal(&self) -> Option<Symbol> {
        match self.of {
            ClassRef::Name(name) => Some(name),
            ClassRef::Type(_) => None,
        }
    }
}

/// A debug scope.
#[derive(Clone, PartialEq, Debug)]
pub struct Scope {
    /// The number in the text form.
    pub id: u32,
    /// The source position.
    pub loc: Option<SourceLoc>,
    /// The parent scope or function.
    pub parent: Option<ScopeParent>,
    /// The call site where it was inlined.
    pub inlined_at: Option<u32>,
}

/// The parent of a debug scope.
#[derive(Clone, PartialEq, Debug)]
pub enum ScopeParent {
    /// Another scope.
    Scope(u32),
    /// A function with its type.
    Function(Symbol, SilType),
}
