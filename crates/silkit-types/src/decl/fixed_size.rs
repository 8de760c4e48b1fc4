//! Size and alignment of types whose layout follows from declarations alone, for 64-bit targets.
//!
//! `silkit-layout` computes the layout of every kind of type of a linked program. The queries here need only the
//! declarations of a type and answer for pointers, numbers, structs, tuples and simple enums; the layout of other
//! types is not known.

use super::{Declarations, NominalKind};
use crate::{Convention, FnFlags, Type, TypeFacts, TypeKind};

/// The size of a pointer in bytes.
const POINTER: u64 = 8;

/// The number of extra inhabitants of a pointer: no object is in the first page of memory.
const MANY: u32 = 4096;

/// The layout of the values of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FixedSize {
    /// The size in bytes.
    pub size: u64,
    /// The alignment in bytes.
    pub align: u64,
    /// The number of bit patterns that are known to be invalid for the type. An enum uses them for cases without
    /// payload.
    pub extra_inhabitants: u32,
}

impl FixedSize {
    const EMPTY: Self = Self { size: 0, align: 1, extra_inhabitants: 0 };

    const fn pointers(count: u64) -> Self {
        Self { size: count * POINTER, align: POINTER, extra_inhabitants: MANY }
    }

    /// Returns the stride: the distance in bytes between consecutive elements of an array.
    pub fn stride(self) -> u64 {
        self.size.next_multiple_of(self.align).max(1)
    }

    /// Returns the layout of this type followed by `next`.
    fn then(self, next: Self) -> Self {
        Self {
            size: self.size.next_multiple_of(next.align) + next.size,
            align: self.align.max(next.align),
            extra_inhabitants: self.extra_inhabitants.max(next.extra_inhabitants),
        }
    }
}

impl Declarations {
    /// Returns the layout of a formal or lowered type, or `None` if it is not known.
    pub fn fixed_size(&self, ty: Type) -> Option<FixedSize> {
        self.fixed_size_at(ty, 0)
    }

    fn fixed_size_at(&self, ty: Type, depth: u32) -> Option<FixedSize> {
        let ty = ty.desugared();
        let inner = |ty: Type| self.fixed_size_at(ty, depth + 1);
        match ty.kind() {
            _ if depth > 32 => None,
            TypeKind::Builtin(name, _) => builtin(name.as_str()),
            TypeKind::Tuple(elements) => {
                elements.iter().try_fold(FixedSize::EMPTY, |sum, element| Some(sum.then(inner(element.ty)?)))
            }
            TypeKind::Paren(ty) | TypeKind::Attributed(_, ty) => inner(*ty),
            // A metatype of an existential has witness tables too.
            TypeKind::Metatype(_, instance) => match self.nominal_of(*instance).map(|decl| decl.kind) {
                Some(NominalKind::Protocol) | None => None,
                Some(_) => Some(FixedSize::pointers(1)),
            },
            TypeKind::Function(function) if function.flags.contains(FnFlags::NOESCAPE) => None,
            TypeKind::Function(function) => match function.convention {
                Convention::Thick => Some(FixedSize::pointers(2)),
                _ => None,
            },
            TypeKind::Named(named) if named.parent.is_none() && named.name == "Any" => {
                Some(FixedSize::pointers(4))
            }
            TypeKind::Named(named) if named.parent.is_none() && named.name == "AnyObject" => {
                Some(FixedSize::pointers(1))
            }
            TypeKind::Any(constraint) => self.existential_size(ty, *constraint),
            _ => self.nominal_size(ty, &inner),
        }
    }

    /// Returns the layout of an existential: a reference, or a three-word buffer with the type metadata, followed by
    /// its witness tables.
    fn existential_size(&self, ty: Type, constraint: Type) -> Option<FixedSize> {
        let decl = self.nominal_of(constraint).filter(|decl| decl.kind == NominalKind::Protocol)?;
        let tables = match decl.name.as_str() {
            // A box holds the error value.
            "Error" => return Some(FixedSize::pointers(1)),
            "Sendable" | "SendableMetatype" | "BitwiseCopyable" => 0,
            _ => 1,
        };
        match self.properties(ty, None).address_only? {
            true => Some(FixedSize::pointers(4 + tables)),
            false => Some(FixedSize::pointers(1 + tables)),
        }
    }

    /// Returns true if a property of this declared type takes no memory because it is the metatype of a struct or an
    /// enum. The metatype of a generic parameter is always a pointer.
    fn is_empty_metatype(&self, ty: Type) -> bool {
        let TypeKind::Metatype(_, instance) = ty.kind() else { return false };
        let kind = self.nominal_of(*instance).map(|decl| decl.kind);
        matches!(kind, Some(NominalKind::Struct | NominalKind::Enum))
    }

    fn nominal_size(&self, ty: Type, inner: &dyn Fn(Type) -> Option<FixedSize>) -> Option<FixedSize> {
        let decl = self.nominal_of(ty)?;
        match decl.kind {
            NominalKind::Class | NominalKind::Actor => Some(FixedSize::pointers(1)),
            NominalKind::Struct if decl.lists_fields() => {
                let types = TypeFacts::stored_fields(self, ty)?;
                let mut fields = decl.body.fields.iter().zip(types);
                fields.try_fold(FixedSize::EMPTY, |sum, (field, ty)| match self.is_empty_metatype(field.ty) {
                    true => Some(sum),
                    false => Some(sum.then(inner(ty)?)),
                })
            }
            NominalKind::Enum => {
                let cases = self.enum_cases(ty)?;
                let payloads: Vec<Type> =
                    cases.iter().filter_map(|case| TypeFacts::enum_payload(self, ty, case.name)).collect();
                match (payloads[..].first(), payloads.len(), cases.len()) {
                    _ if cases.iter().any(|case| case.indirect) => None,
                    (None, _, 0 | 1) => Some(FixedSize::EMPTY),
                    (None, _, count @ 2..=255) => {
                        Some(FixedSize { size: 1, align: 1, extra_inhabitants: 256 - count as u32 })
                    }
                    (Some(&payload), 1, 1) => inner(payload),
                    // The case without payload takes an extra inhabitant, or a byte after the payload.
                    (Some(&payload), 1, 2) => {
                        let layout = inner(payload)?;
                        let (size, extra_inhabitants) = match layout.extra_inhabitants.checked_sub(1) {
                            Some(left) => (layout.size, left),
                            None => (layout.size + 1, 0),
                        };
                        Some(FixedSize { size, extra_inhabitants, ..layout }).filter(|_| layout.size > 0)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Returns the layout of a type of module `Builtin`.
fn builtin(name: &str) -> Option<FixedSize> {
    let number = |bits: u64| {
        let size = bits.div_ceil(8).next_power_of_two();
        // The bits above the value bit are zero.
        FixedSize { size, align: size.min(16), extra_inhabitants: if bits == 1 { 254 } else { 0 } }
    };
    match name {
        "Word" => Some(number(64)),
        "RawPointer" => Some(FixedSize { extra_inhabitants: 1, ..FixedSize::pointers(1) }),
        "NativeObject" | "BridgeObject" => Some(FixedSize::pointers(1)),
        "FPIEEE16" => Some(number(16)),
        "FPIEEE32" => Some(number(32)),
        "FPIEEE64" => Some(number(64)),
        "FPIEEE80" => Some(FixedSize { size: 16, align: 16, extra_inhabitants: 0 }),
        _ => Some(number(name.strip_prefix("Int")?.parse().ok().filter(|bits| (1..=128).contains(bits))?)),
    }
}
