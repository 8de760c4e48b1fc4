//! The structure of types as spelled.

use crate::function::FunctionType;
use crate::generics::GenericSig;
use silkit_base::{Interned, Interner, Symbol};
use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, OnceLock};

static TYPES: Interner<Node> = Interner::new();

/// The maximum depth of a type, which bounds recursion over types.
pub const MAX_TYPE_DEPTH: u16 = 256;

/// The maximum number of nodes of a type, counting shared parts once per occurrence. Types share their parts, so that
/// without a limit a small table could describe a type too large to traverse.
pub const MAX_TYPE_SIZE: u32 = 1 << 17;

/// A hash-consed Swift type, formal or lowered. Equal handles mean equal spellings;
/// compare [`Type::canonical`] for equal meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type(Interned<Node>);

/// The stored data of a type.
struct Node {
    kind: TypeKind,
    extent: Extent,
    /// The cached canonical type.
    canonical: OnceLock<Type>,
}

/// Cached facts about a type and all of its parts.
#[derive(Clone, Copy)]
struct Extent {
    size: u32,
    depth: u16,
    /// True if a part is an opened type.
    is_opened: bool,
    /// True if a part is a generic parameter or a pack.
    is_generic: bool,
    /// True if a part is sugar, such as `[T]` or `(T)`.
    has_sugar: bool,
    /// True if a part is a metatype without a representation.
    has_formal_metatype: bool,
}

impl Borrow<TypeKind> for Node {
    fn borrow(&self) -> &TypeKind {
        &self.kind
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Node {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
    }
}

/// The structure of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeKind {
    /// An unknown type. It prints as the placeholder `Builtin.SILUnknown` and reads back as unknown.
    Unknown,
    /// A type of module `Builtin`, such as `Int64`, `Word`, `Vec4xInt32` or `FixedArray<N, T>`.
    Builtin(Symbol, Box<[Type]>),
    /// A nominal type or an alias, by name: `Heap<Element>._UnsafeHandle`.
    Named(NamedType),
    /// A generic parameter: `τ_0_0`, or by its name in the signature around it.
    Param {
        /// The name as spelled.
        name: Symbol,
        /// The depth of its parameter list in the signature.
        depth: u16,
        /// The position in its parameter list.
        index: u16,
    },
    /// A dependent member type: `τ_0_0.Element`.
    Member(Type, Symbol),
    /// A tuple. A single element without a label is not a tuple.
    Tuple(Box<[TupleElement]>),
    /// A function type, formal or lowered.
    Function(Box<FunctionType>),
    /// `T.Type`, with a representation if it is lowered.
    Metatype(MetatypeRepr, Type),
    /// `P.Protocol`, with a representation if it is lowered.
    ProtocolMetatype(MetatypeRepr, Type),
    /// `any P`.
    Any(Type),
    /// `some P`.
    Some(Type),
    /// `P & Q`.
    Composition(Box<[Type]>),
    /// `~Copyable`.
    Inverse(Type),
    /// `T?`.
    Optional(Type),
    /// `T!`.
    ImplicitlyUnwrapped(Type),
    /// `[T]`.
    Array(Type),
    /// `[K : V]`.
    Dictionary(Type, Type),
    /// `[N of T]`.
    InlineArray(Type, Type),
    /// `(T)`.
    Paren(Type),
    /// `{ var T }`, the contents of a box.
    Box(Box<BoxType>),
    /// `Pack{T, repeat each U}`, direct if its elements are not addresses.
    Pack {
        /// True if it is spelled `@direct Pack{…}`.
        direct: bool,
        /// The elements.
        elements: Box<[Type]>,
    },
    /// `repeat P`. If the pattern contains no pack, the type is [`Self::Attributed`] with a comment for the shape:
    /// `/* shape: each T */ repeat ()`.
    PackExpansion(Type),
    /// `each T`.
    PackElement(Type),
    /// `@opened("id", any P) Self`: an archetype bound by an `open_existential_*` instruction.
    Opened {
        /// The id that binds the type to the instruction that opens it.
        id: Symbol,
        /// The existential that was opened.
        existential: Type,
        /// The interface type that is opened: `Self` or a member of it.
        interface: Type,
    },
    /// `@pack_element("id") T`: an archetype bound by `open_pack_element`.
    OpenedElement {
        /// The id that binds the type to the instruction that opens it.
        id: Symbol,
        /// The pack parameter or a dependent member of it.
        interface: Type,
    },
    /// `@_opaqueReturnTypeOf("symbol", 0) __<…>`.
    OpaqueResult {
        /// The mangled name of the declaration whose result it is.
        decl: Symbol,
        /// The index of the opaque result.
        index: u32,
        /// The name after the attribute, with its generic arguments: `__<Int>`.
        interface: Type,
    },
    /// `@sil_weak T`, `@sil_unowned T`, `@sil_unmanaged T`.
    Storage(RefStorage, Type),
    /// `@block_storage T`.
    BlockStorage(Type),
    /// `@moveOnly T`.
    MoveOnly(Type),
    /// `@dynamic_self T`.
    DynamicSelf(Type),
    /// An integer as a generic argument, as spelled, with its sign.
    Integer(Symbol),
    /// A type with a declaration attribute, kept as spelled, such as `@escaping T`.
    Attributed(Symbol, Type),
}

/// A nominal type or alias, referenced by name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NamedType {
    /// The enclosing type, or the module qualifier, as spelled.
    pub parent: Option<Type>,
    /// The name of the declaration.
    pub name: Symbol,
    /// The generic arguments, without those of the parent.
    pub args: Box<[Type]>,
}

/// One element of a tuple type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TupleElement {
    /// The label.
    pub label: Option<Symbol>,
    /// The type.
    pub ty: Type,
    /// True if it is spelled `T...`.
    pub variadic: bool,
}

/// The runtime representation of a metatype.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MetatypeRepr {
    /// No representation: the type is not lowered.
    Formal,
    /// `@thin`: no value is needed.
    Thin,
    /// `@thick`: a pointer to metadata.
    Thick,
    /// `@objc_metatype`: an Objective-C class.
    ObjC,
}

/// The kind of a reference storage type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RefStorage {
    /// `@sil_weak`.
    Weak,
    /// `@sil_unowned`.
    Unowned,
    /// `@sil_unmanaged`.
    Unmanaged,
}

/// The layout of a box with its substitutions: `<τ_0_0> { var τ_0_0 } <Int>`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BoxType {
    /// The generic signature of the layout.
    pub sig: Option<GenericSig>,
    /// True if the layout captures its generic environment (`@captures_generics`).
    pub captures_generics: bool,
    /// The fields in order.
    pub fields: Box<[BoxField]>,
    /// The arguments for the signature's parameters.
    pub args: Box<[Type]>,
}

/// One field of a box.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BoxField {
    /// `var` rather than `let`.
    pub mutable: bool,
    /// The lowered type.
    pub ty: Type,
}

impl Type {
    /// Creates the type with this structure. Returns the unknown type if it would exceed [`MAX_TYPE_DEPTH`] or
    /// [`MAX_TYPE_SIZE`].
    pub fn new(kind: TypeKind) -> Self {
        let made = Self(TYPES.intern_with(kind, |kind| Node {
            extent: extent(&kind),
            kind,
            canonical: OnceLock::new(),
        }));
        let extent = TYPES.get(made.0).extent;
        let fits = extent.depth <= MAX_TYPE_DEPTH && extent.size <= MAX_TYPE_SIZE;
        if fits { made } else { Self::unknown() }
    }

    /// Returns the structure of this type.
    #[inline]
    pub fn kind(self) -> &'static TypeKind {
        &TYPES.get(self.0).kind
    }

    /// Returns the number of nodes of a type, counting shared parts once per occurrence.
    pub fn size(self) -> u32 {
        TYPES.get(self.0).extent.size
    }

    /// Returns true if the type is or contains a type that an instruction opens, including `@dynamic_self T`.
    #[inline]
    pub fn holds_opened(self) -> bool {
        TYPES.get(self.0).extent.is_opened
    }

    /// Returns true if the type contains a metatype without a stated representation.
    #[inline]
    pub fn holds_formal_metatype(self) -> bool {
        TYPES.get(self.0).extent.has_formal_metatype
    }

    /// Returns true if the type contains neither generic parameters, packs nor sugar: it is its own canonical type,
    /// and substitution does not change it.
    #[inline]
    pub fn is_plain(self) -> bool {
        let extent = TYPES.get(self.0).extent;
        !extent.is_generic && !extent.has_sugar
    }

    /// Returns the cached canonical type, computing it with `find` on the first request.
    pub(crate) fn remembered_canonical(self, find: impl FnOnce() -> Type) -> Type {
        *TYPES.get(self.0).canonical.get_or_init(find)
    }

    /// Returns true if the type contains sugar, such as `[T]` or `(T)`.
    #[inline]
    pub(crate) fn has_sugar(self) -> bool {
        TYPES.get(self.0).extent.has_sugar
    }

    /// Returns true if the type contains a generic parameter or a pack, including those bound by function signatures.
    #[inline]
    pub fn holds_parameter(self) -> bool {
        TYPES.get(self.0).extent.is_generic
    }

    /// Returns the unknown type.
    #[inline]
    pub fn unknown() -> Self {
        static UNKNOWN: LazyLock<Type> = LazyLock::new(|| Type::new(TypeKind::Unknown));
        *UNKNOWN
    }

    /// Returns true if this type itself is unknown; its parts are not inspected.
    #[inline]
    pub fn is_unknown(self) -> bool {
        self == Self::unknown()
    }

    /// Creates the builtin type `Builtin.NAME`.
    pub fn builtin(name: &str) -> Self {
        Self::new(TypeKind::Builtin(Symbol::new(name), Box::default()))
    }

    /// Returns true if this is `~Copyable`.
    pub fn suppresses_copying(self) -> bool {
        matches!(self.kind(), TypeKind::Inverse(inner) if *inner == Type::nominal("Copyable"))
    }

    /// Creates the nominal type or alias with this name, without parent or arguments.
    pub fn nominal(name: &str) -> Self {
        Self::named(None, Symbol::new(name), Box::default())
    }

    /// Creates the nominal type or alias with this name, parent and arguments.
    pub fn named(parent: Option<Type>, name: Symbol, args: Box<[Type]>) -> Self {
        Self::new(TypeKind::Named(NamedType { parent, name, args }))
    }

    /// Returns the path of a nominal type as it is spelled, without generic arguments: `Outer.Inner`.
    pub fn path(self) -> Option<Symbol> {
        match self.kind() {
            TypeKind::Named(named) => match named.parent {
                Some(parent) => Some(Symbol::new(&format!("{}.{}", parent.path()?, named.name))),
                None => Some(named.name),
            },
            _ => None,
        }
    }

    /// Creates the one-element tuple `(_: T)`.
    pub fn one_tuple(ty: Type) -> Self {
        Self::new(TypeKind::Tuple([TupleElement { label: None, ty, variadic: false }].into()))
    }

    /// Creates the tuple of these types, without labels. A single type is returned as it is.
    pub fn tuple(types: &[Type]) -> Self {
        match types {
            [one] => *one,
            _ => Self::new(TypeKind::Tuple(
                types.iter().map(|&ty| TupleElement { label: None, ty, variadic: false }).collect(),
            )),
        }
    }

    /// Creates the tuple of these types as [`Type::tuple`] does, without a list if there are fewer than two.
    pub fn tuple_of(mut types: impl Iterator<Item = Self>) -> Self {
        match (types.next(), types.next()) {
            (None, _) => Self::void(),
            (Some(one), None) => one,
            (Some(first), Some(second)) => {
                Self::tuple(&[first, second].into_iter().chain(types).collect::<Vec<_>>())
            }
        }
    }

    /// Creates the empty tuple.
    pub fn void() -> Self {
        static VOID: LazyLock<Type> = LazyLock::new(|| Type::tuple(&[]));
        *VOID
    }

    /// Returns `Optional<payload>`.
    pub fn optional(payload: Type) -> Self {
        Self::named(None, Symbol::new("Optional"), Box::new([payload]))
    }

    /// Returns the metatype of a type, which for an existential type is `(any P).Type`: `any P.Type` is the type of the
    /// metatypes of all conforming types.
    ///
    /// ```
    /// use silkit_types::{MetatypeRepr, Type};
    /// let metatype = |name| Type::metatype_of(MetatypeRepr::Thick, Type::nominal(name)).to_string();
    /// assert_eq!(metatype("Int"), "@thick Int.Type");
    /// assert_eq!(metatype("Any"), "@thick (any Any).Type");
    /// ```
    pub fn metatype_of(repr: MetatypeRepr, ty: Type) -> Self {
        let any = match ty.kind() {
            TypeKind::Any(_) => ty,
            TypeKind::Composition(_) => Self::new(TypeKind::Any(ty)),
            _ if ty.is_builtin_constraint() => Self::new(TypeKind::Any(ty)),
            _ => return Self::new(TypeKind::Metatype(repr, ty)),
        };
        Self::new(TypeKind::Metatype(repr, Self::new(TypeKind::Paren(any))))
    }

    /// Returns true for `Any` and `AnyObject`, which are existential without `any`; their metatypes are not.
    pub fn is_builtin_constraint(self) -> bool {
        matches!(self.kind(), TypeKind::Named(n) if n.parent.is_none() && (n.name == "Any" || n.name == "AnyObject"))
    }

    /// Returns true for a type that stands for another one: a generic parameter, a member of one, or an opened type.
    pub(crate) fn is_placeholder(self) -> bool {
        matches!(
            self.kind(),
            TypeKind::Param { .. }
                | TypeKind::Member(..)
                | TypeKind::PackElement(_)
                | TypeKind::Opened { .. }
                | TypeKind::OpenedElement { .. }
        )
    }

    /// Returns the raw number, for packed tables.
    #[inline]
    pub fn as_u32(self) -> u32 {
        self.0.as_u32()
    }

    /// Creates the type with this raw number, which must come from [`Self::as_u32`].
    #[inline]
    pub fn from_u32(raw: u32) -> Self {
        Self(Interned::from_u32(raw))
    }

    /// Returns the number of elements that are no tuples, in this tuple and in its elements; 1 for another type.
    pub fn tuple_leaf_count(self) -> usize {
        match self.kind() {
            TypeKind::Tuple(elements) => elements.iter().map(|element| element.ty.tuple_leaf_count()).sum(),
            _ => 1,
        }
    }

    /// Returns the function type if this is one.
    pub fn as_function(self) -> Option<&'static FunctionType> {
        match self.kind() {
            TypeKind::Function(f) => Some(f),
            TypeKind::Paren(t) => t.as_function(),
            _ => None,
        }
    }
}

fn extent(kind: &TypeKind) -> Extent {
    let is_opened =
        matches!(kind, TypeKind::Opened { .. } | TypeKind::OpenedElement { .. } | TypeKind::DynamicSelf(_));
    let is_generic = matches!(
        kind,
        TypeKind::Param { .. }
            | TypeKind::Member(..)
            | TypeKind::Pack { .. }
            | TypeKind::PackExpansion(_)
            | TypeKind::PackElement(_)
    );
    let has_formal_metatype = matches!(
        kind,
        TypeKind::Metatype(MetatypeRepr::Formal, _) | TypeKind::ProtocolMetatype(MetatypeRepr::Formal, _)
    );
    let has_sugar = match kind {
        TypeKind::Optional(_)
        | TypeKind::ImplicitlyUnwrapped(_)
        | TypeKind::Array(_)
        | TypeKind::Dictionary(..)
        | TypeKind::InlineArray(..)
        | TypeKind::Paren(_) => true,
        TypeKind::Tuple(elements) => elements.len() == 1,
        _ => false,
    };
    let mut whole = Extent { size: 1, depth: 0, is_opened, is_generic, has_sugar, has_formal_metatype };
    kind.for_each_part(&mut |part| {
        let part = TYPES.get(part.0).extent;
        whole.size = whole.size.saturating_add(part.size);
        whole.depth = whole.depth.max(part.depth);
        whole.is_opened |= part.is_opened;
        whole.is_generic |= part.is_generic;
        whole.has_sugar |= part.has_sugar;
        whole.has_formal_metatype |= part.has_formal_metatype;
    });
    whole.depth += 1;
    whole
}
