//! Layouts of types as data: sizes, alignments, fields, extra inhabitants and spare bits.

use crate::bits::Mask;
use crate::enum_layout::EnumLayout;
use crate::inhabitants::Xi;
use crate::ty::Ty;
use silkit_base::Symbol;
use std::rc::Rc;

/// The layout of the values of a type.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The size of a value in bytes.
    pub size: u64,
    /// The alignment in bytes, a power of two.
    pub align: u64,
    /// True if the type is trivial: values are copied bit by bit, and their destruction has no effect.
    pub trivial: bool,
    /// True if the type is bitwise-takable: a value can be moved by a copy of its bits.
    pub takable: bool,
    /// True if the type is loadable.
    pub loadable: bool,
    /// The extra inhabitants: bit patterns that are not valid values.
    pub xi: Option<Xi>,
    /// The spare bits, which are zero in every valid value.
    pub spare: Mask,
    /// The structure of a value.
    pub kind: LayoutKind,
}

/// The structure of a value.
#[derive(Clone, Debug)]
pub enum LayoutKind {
    /// Plain bits without references.
    Scalar,
    /// A reference.
    Reference(RefKind),
    /// A function pointer and a reference-counted context.
    Closure,
    /// The fields of a struct or tuple.
    Fields(Box<[ElementLayout]>),
    /// An enum.
    Enum(Rc<EnumLayout>),
    /// A fixed number of elements, each at a multiple of the stride.
    Array(u64, Ty),
    /// An opaque existential container with this number of witness tables.
    Existential(u64),
    /// A class existential container: a reference and this number of witness tables.
    ClassExistential(u64),
    /// A boxed error existential (`any Error`).
    ErrorExistential,
    /// Memory whose contents the type does not describe (`@_rawLayout`, actor storage).
    Raw,
}

/// The kind of a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefKind {
    /// A strong reference to a native object.
    Strong,
    /// A strong reference that also holds bits that are not part of the address.
    Bridge,
    /// An unowned reference.
    Unowned,
    /// A weak reference.
    Weak,
}

/// A field of a struct or tuple.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ElementLayout {
    /// The name of the stored property, or the label of the tuple element.
    pub name: Option<Symbol>,
    /// The type of the field.
    pub ty: Ty,
    /// The offset in bytes.
    pub offset: u64,
}

impl Layout {
    /// Returns the stride: the distance in bytes between consecutive array elements.
    pub fn stride(&self) -> u64 {
        self.size.next_multiple_of(self.align).max(1)
    }

    /// Returns the number of extra inhabitants.
    pub fn extra_inhabitants(&self) -> u32 {
        self.xi.as_ref().map_or(0, |xi| xi.count)
    }

    /// Returns the enum layout, or `None` if the type is not an enum.
    pub fn as_enum(&self) -> Option<&Rc<EnumLayout>> {
        match &self.kind {
            LayoutKind::Enum(layout) => Some(layout),
            _ => None,
        }
    }

    /// Returns the fields of a struct or tuple.
    pub fn parts(&self) -> &[ElementLayout] {
        match &self.kind {
            LayoutKind::Fields(parts) => parts,
            _ => &[],
        }
    }

    pub(crate) fn scalar(size: u64, align: u64) -> Self {
        Self {
            size,
            align,
            trivial: true,
            takable: true,
            loadable: true,
            xi: None,
            spare: Mask::none(size),
            kind: LayoutKind::Scalar,
        }
    }
}
