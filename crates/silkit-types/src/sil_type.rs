//! Lowered types with their category.

use crate::kind::{Type, TypeKind};
use std::fmt;

/// The lowered type of a value: `$T` (object) or `$*T` (address), packed in 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SilType(u32);

impl SilType {
    /// Creates the object type `$T`.
    pub fn object(ty: Type) -> Self {
        Self::new(ty, false)
    }

    /// Creates the type `$Builtin.SILToken`.
    pub fn token() -> Self {
        Self::object(Type::builtin("SILToken"))
    }

    /// Creates the address type `$*T`.
    pub fn address(ty: Type) -> Self {
        Self::new(ty, true)
    }

    /// Creates `$*T` if `is_address`, otherwise `$T`.
    ///
    /// # Panics
    /// Panics if there are more than 2^31 distinct types.
    pub fn new(ty: Type, is_address: bool) -> Self {
        assert!(ty.as_u32() < 1 << 31, "invariant: fewer than 2^31 types");
        Self(ty.as_u32() << 1 | u32::from(is_address))
    }

    /// Returns the width of a builtin integer type in bits; `Builtin.Word` has the width of a pointer.
    pub fn integer_width(self) -> Option<u32> {
        let TypeKind::Builtin(name, _) = self.ty().kind() else { return None };
        match name.as_str() {
            "Word" => Some(64),
            "IntLiteral" => Some(128),
            name => name.strip_prefix("Int")?.parse().ok().filter(|bits| (1..=128).contains(bits)),
        }
    }

    /// Returns the object type of an unknown type.
    pub fn unknown() -> Self {
        Self::object(Type::unknown())
    }

    /// Returns the type without its category.
    #[inline]
    pub fn ty(self) -> Type {
        Type::from_u32(self.0 >> 1)
    }

    /// Returns true if this is the type of an address.
    #[inline]
    pub fn is_address(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns true if the type is unknown, whatever its category.
    #[inline]
    pub fn is_unknown(self) -> bool {
        self.ty().is_unknown()
    }

    /// Returns the same type as an object.
    pub fn to_object(self) -> Self {
        Self(self.0 & !1)
    }

    /// Returns the same type as an address.
    pub fn to_address(self) -> Self {
        Self(self.0 | 1)
    }

    /// Returns `ty` with the category of this type.
    pub fn with_type(self, ty: Type) -> Self {
        Self::new(ty, self.is_address())
    }

    /// Returns the raw number, for packed tables.
    #[inline]
    pub fn as_u32(self) -> u32 {
        self.0
    }

    /// Creates the type with this raw number, which must come from [`Self::as_u32`].
    #[inline]
    pub fn from_u32(raw: u32) -> Self {
        Self(raw)
    }
}

impl fmt::Display for SilType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}{}", if self.is_address() { "*" } else { "" }, self.ty())
    }
}

impl fmt::Debug for SilType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
