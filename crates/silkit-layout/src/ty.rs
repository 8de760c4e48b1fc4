//! Concrete types: spelled types with resolved names and substituted generic parameters.

use silkit_base::{Interned, Interner, Symbol};
use std::fmt;

static TYPES: Interner<TyKind> = Interner::new();
static NOMINALS: Interner<NominalName> = Interner::new();

/// A hash-consed concrete type. Equal handles mean equal types.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ty(Interned<TyKind>);

/// The identity of a declared type: a struct, an enum, a class, an actor or a protocol.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nominal(Interned<NominalName>);

/// The name of a declared type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NominalName {
    /// The module that declares it.
    pub module: Symbol,
    /// The dotted path from the top of the module.
    pub path: Symbol,
}

/// The structure of a concrete type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TyKind {
    /// A type of the module `Builtin`.
    Builtin(Builtin),
    /// A declared struct, enum or class with the arguments for all generic parameters, outermost first.
    Nominal(Nominal, Box<[Ty]>),
    /// A tuple.
    Tuple(Box<[Field]>),
    /// A formal function type.
    Function(Box<FunctionTy>),
    /// A lowered function type, reduced to its representation.
    Lowered(FnRepr),
    /// A thin metatype: the type is known statically, and the metatype has no representation.
    ThinMetatype(Ty),
    /// A thick metatype: a pointer to type metadata.
    Metatype(Ty),
    /// An existential metatype, such as `any P.Type`.
    ExistentialMetatype(Ty),
    /// An existential type, such as `any P`.
    Existential(Box<ExistentialTy>),
    /// A box with these fields.
    Box(Box<[BoxedField]>),
    /// A type pack.
    Pack(Box<[Ty]>),
    /// Reference storage for a type.
    Storage(Storage, Ty),
    /// An integer generic argument.
    Integer(i64),
    /// Block storage.
    BlockStorage(Ty),
    /// A generic parameter, in a type that is not concrete.
    Param(u16, u16),
}

/// A type of the module `Builtin`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// `IntN`.
    Int(u32),
    /// `IntLiteral`.
    IntLiteral,
    /// `FPIEEE16`, `32`, `64` and `80`.
    Float(u32),
    /// `RawPointer`.
    RawPointer,
    /// `NativeObject`, `AnyObject` and `UnknownObject`.
    Object,
    /// `BridgeObject`.
    BridgeObject,
    /// `UnsafeValueBuffer`.
    ValueBuffer,
    /// `VecNxT`.
    Vector(u32, Ty),
    /// `FixedArray<N, T>`.
    FixedArray(u64, Ty),
    /// `SILToken`.
    Token,
    /// `PackIndex`.
    PackIndex,
    /// `Job`.
    Job,
    /// `Executor`.
    Executor,
    /// `RawUnsafeContinuation`.
    Continuation,
    /// `ImplicitActor`.
    ImplicitActor,
    /// `DefaultActorStorage`.
    DefaultActorStorage,
    /// `NonDefaultDistributedActorStorage`.
    DistributedActorStorage,
}

/// An element of a tuple.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// The label.
    pub label: Option<Symbol>,
    /// The type.
    pub ty: Ty,
}

/// A field of a box.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BoxedField {
    /// True if the field is a `var`.
    pub mutable: bool,
    /// The lowered type of the field.
    pub ty: Ty,
}

/// The kind of reference storage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// `weak`.
    Weak,
    /// `unowned`.
    Unowned,
    /// `unowned(unsafe)`.
    Unmanaged,
}

/// The representation of a function value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FnRepr {
    /// A function pointer and a reference-counted context.
    Thick,
    /// A function pointer and a context that is not reference-counted.
    NoEscape,
    /// A function pointer without a context.
    Thin,
    /// An Objective-C block.
    Block,
    /// A differentiable function: the original function and two derivatives.
    Differentiable,
}

/// A formal function type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionTy {
    /// The parameters.
    pub params: Box<[FunctionParam]>,
    /// The result.
    pub result: Ty,
    /// The thrown error type.
    pub throws: Option<Ty>,
    /// True if the function is `async`.
    pub is_async: bool,
    /// True if the function is `@Sendable`.
    pub sendable: bool,
    /// The representation of values.
    pub repr: FnRepr,
}

/// A parameter of a formal function type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionParam {
    /// The type.
    pub ty: Ty,
    /// The specifier, such as `inout`; empty if there is none.
    pub specifier: Symbol,
    /// True if the parameter is variadic (`T...`).
    pub variadic: bool,
}

/// The constraints of an existential type.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ExistentialTy {
    /// The protocols, sorted by name, without marker protocols.
    pub protocols: Vec<Nominal>,
    /// The superclass.
    pub superclass: Option<Ty>,
    /// True if the existential is class-constrained.
    pub is_class: bool,
    /// The same-type constraints on primary associated types: the protocol, the name and the type.
    pub same: Vec<(Nominal, Symbol, Ty)>,
}

impl Ty {
    /// Creates the type with this structure.
    pub fn new(kind: TyKind) -> Self {
        Self(TYPES.intern(kind))
    }

    /// Returns the structure of this type.
    #[inline]
    pub fn kind(self) -> &'static TyKind {
        TYPES.get(self.0)
    }

    /// Returns the raw index, for packed tables.
    #[inline]
    pub fn as_u32(self) -> u32 {
        self.0.as_u32()
    }

    /// Creates the type with this raw index, which must be a result of [`Self::as_u32`].
    #[inline]
    pub fn from_u32(raw: u32) -> Self {
        Self(Interned::from_u32(raw))
    }

    /// Creates the empty tuple.
    pub fn void() -> Self {
        Self::new(TyKind::Tuple(Box::default()))
    }

    /// Creates a type of the module `Builtin`.
    pub fn builtin(builtin: Builtin) -> Self {
        Self::new(TyKind::Builtin(builtin))
    }

    /// Creates `Builtin.IntN`.
    pub fn int(bits: u32) -> Self {
        Self::builtin(Builtin::Int(bits))
    }

    /// Creates `Builtin.RawPointer`.
    pub fn raw_pointer() -> Self {
        Self::builtin(Builtin::RawPointer)
    }

    /// Creates a declared type.
    pub fn nominal(nominal: Nominal, args: impl Into<Box<[Ty]>>) -> Self {
        Self::new(TyKind::Nominal(nominal, args.into()))
    }

    /// Creates a tuple without labels; for a single element, returns the type of that element.
    pub fn tuple(types: &[Ty]) -> Self {
        match types {
            [one] => *one,
            _ => Self::new(TyKind::Tuple(types.iter().map(|&ty| Field { label: None, ty }).collect())),
        }
    }

    /// Creates `Any`.
    pub fn any() -> Self {
        Self::new(TyKind::Existential(Box::default()))
    }

    /// Returns the declared type and its generic arguments.
    pub fn as_nominal(self) -> Option<(Nominal, &'static [Ty])> {
        match self.kind() {
            TyKind::Nominal(nominal, args) => Some((*nominal, args)),
            _ => None,
        }
    }

    /// Returns true if this is the declared type of the module `Swift` with this path.
    pub fn is_swift(self, path: &str) -> bool {
        self.as_nominal().is_some_and(|(n, _)| n.is_swift(path))
    }

    /// Returns the payload type if this type is `Optional`.
    pub fn optional_payload(self) -> Option<Ty> {
        let (nominal, args) = self.as_nominal()?;
        (nominal.is_swift("Optional")).then(|| args.first().copied()).flatten()
    }

    /// Returns the element types if this type is a pack.
    pub fn as_pack(self) -> Option<&'static [Ty]> {
        match self.kind() {
            TyKind::Pack(elements) => Some(elements),
            _ => None,
        }
    }

    /// Returns true if this type contains a generic parameter.
    pub fn has_params(self) -> bool {
        let mut found = matches!(self.kind(), TyKind::Param(..));
        self.for_each_part(&mut |part| found |= part.has_params());
        found
    }

    /// Calls `each` with the direct component types of this type.
    pub fn for_each_part(self, each: &mut dyn FnMut(Ty)) {
        match self.kind() {
            TyKind::Builtin(Builtin::Vector(_, t) | Builtin::FixedArray(_, t)) => each(*t),
            TyKind::Builtin(_) | TyKind::Lowered(_) | TyKind::Integer(_) | TyKind::Param(..) => {}
            TyKind::Nominal(_, parts) | TyKind::Pack(parts) => parts.iter().copied().for_each(each),
            TyKind::Tuple(fields) => fields.iter().for_each(|f| each(f.ty)),
            TyKind::Function(f) => {
                f.params.iter().for_each(|p| each(p.ty));
                each(f.result);
                f.throws.into_iter().for_each(each);
            }
            TyKind::ThinMetatype(t)
            | TyKind::Metatype(t)
            | TyKind::ExistentialMetatype(t)
            | TyKind::Storage(_, t)
            | TyKind::BlockStorage(t) => each(*t),
            TyKind::Existential(e) => {
                e.superclass.into_iter().for_each(&mut *each);
                e.same.iter().for_each(|(_, _, t)| each(*t));
            }
            TyKind::Box(fields) => fields.iter().for_each(|f| each(f.ty)),
        }
    }

    /// Returns the formal type of a lowered type: thin metatypes become thick. Function types are unchanged.
    #[must_use]
    pub fn formal(self) -> Ty {
        match self.kind() {
            TyKind::ThinMetatype(t) => Ty::new(TyKind::Metatype(t.formal())),
            TyKind::Tuple(fields) => {
                let fields = fields.iter().map(|f| Field { ty: f.ty.formal(), ..*f }).collect();
                Ty::new(TyKind::Tuple(fields))
            }
            TyKind::Nominal(n, args) if n.is_swift("Optional") => {
                Ty::nominal(*n, args.iter().map(|t| t.formal()).collect::<Vec<_>>())
            }
            _ => self,
        }
    }
}

impl Nominal {
    /// Creates the declared type with this name.
    pub fn new(module: Symbol, path: Symbol) -> Self {
        Self(NOMINALS.intern(NominalName { module, path }))
    }

    /// Creates a declared type of the module `Swift`.
    pub fn swift(path: &str) -> Self {
        Self::new(Symbol::new("Swift"), Symbol::new(path))
    }

    /// Returns the name.
    pub fn name(self) -> &'static NominalName {
        NOMINALS.get(self.0)
    }

    /// Returns the raw index, for packed tables.
    pub fn as_u32(self) -> u32 {
        self.0.as_u32()
    }

    /// Returns true if this is the declared type of the module `Swift` with this path.
    pub fn is_swift(self, path: &str) -> bool {
        let name = self.name();
        name.path == path && name.module == "Swift"
    }

    /// Returns the last component of the path.
    pub fn base_name(self) -> &'static str {
        let path = self.name().path.as_str();
        path.rsplit('.').next().unwrap_or(path)
    }
}

impl fmt::Debug for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Nominal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        write!(f, "{}.{}", name.module, name.path)
    }
}

/// Returns the id that binds `Self` in class methods to the dynamic type of the instance.
pub fn dynamic_self() -> Symbol {
    Symbol::new("dynamic_self")
}
