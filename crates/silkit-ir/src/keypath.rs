//! Key path patterns.

use crate::decl_ref::DeclRef;
use silkit_base::{Interned, Interner, Symbol};
use silkit_types::{GenericSig, SilType, Type};

static PATTERNS: Interner<KeyPathData> = Interner::new();

/// A hash-consed key path pattern.
pub type KeyPath = Interned<KeyPathData>;

/// `<T> (objc "x"; root $S; stored_property #S.x : $Int)`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct KeyPathData {
    /// The generic signature of the pattern.
    pub sig: Option<GenericSig>,
    /// The Objective-C key path.
    pub objc: Option<Symbol>,
    /// The root type, if it is spelled.
    pub root: Option<Type>,
    /// The components.
    pub components: Box<[KeyPathComponent]>,
}

/// One component.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum KeyPathComponent {
    /// `stored_property #S.x : $T`.
    Stored {
        /// The property.
        property: DeclRef,
        /// Its type.
        ty: Type,
    },
    /// `gettable_property $T, id …, getter …` and `settable_property …`.
    Computed {
        /// True if it is settable.
        settable: bool,
        /// The type.
        ty: Type,
        /// `id @f : $…`, `id #S.x!getter : …` or `id ##S.x`: the sigil and what follows it.
        id: KeyPathId,
        /// `getter @f : $T`.
        getter: Option<(Symbol, SilType)>,
        /// `setter @f : $T`.
        setter: Option<(Symbol, SilType)>,
        /// `indices [%$0 : $T : $U, …]`.
        indices: Box<[KeyPathIndex]>,
        /// `indices_equals @f : $T`.
        equals: Option<(Symbol, SilType)>,
        /// `indices_hash @f : $T`.
        hash: Option<(Symbol, SilType)>,
        /// `external #S.x <…>`.
        external: Option<(DeclRef, Box<[Type]>)>,
    },
    /// `tuple_element #0 : $T`.
    Tuple {
        /// The position.
        index: u32,
        /// The type.
        ty: Type,
    },
    /// `optional_chain : $T`, `optional_force : $T`, `optional_wrap : $T`.
    Optional {
        /// The keyword.
        kind: Symbol,
        /// The type.
        ty: Type,
    },
}

/// The identity of a computed property.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum KeyPathId {
    /// `@function : $T`.
    Function(Symbol, SilType),
    /// `#decl : T` with the formal type and, if spelled, the lowered type.
    Method(DeclRef, Option<Type>, Option<SilType>),
    /// `##decl`.
    Property(DeclRef),
}

/// One index of a subscript.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct KeyPathIndex {
    /// The index of the operand: `%$0`.
    pub operand: u32,
    /// The formal type.
    pub formal: Type,
    /// The lowered type.
    pub lowered: SilType,
}

impl KeyPathData {
    /// Interns this pattern and returns its handle.
    pub fn intern(self) -> KeyPath {
        PATTERNS.intern(self)
    }

    /// Returns the data of a handle.
    pub fn of(pattern: KeyPath) -> &'static KeyPathData {
        PATTERNS.get(pattern)
    }
}
