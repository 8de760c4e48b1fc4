//! Layouts of types as data: sizes, alignments, parts, extra inhabitants and spare bits.

use crate::bits::Mask;
use crate::enum_layout::EnumLayout;
use crate::inhabitants::Xi;
use crate::ty::Ty;
use silkit_base::Symbol;
use std::rc::Rc;

/// The layout of the values of a type.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The bytes of a value.
    pub size: u64,
    /// The alignment, a power of two.
    pub align: u64,
    /// True if copying and destroying do nothing but move bits.
    pub trivial: bool,
    /// True if a value may be moved by copying its bits.
    pub takable: bool,
    /// True if values can be held outside of memory.
    pub loadable: bool,
    /// The bit patterns that are no values.
    pub xi: Option<Xi>,
    /// The bits that are zero in every value.
    pub spare: Mask,
    /// The structure of a value.
    pub kind: LayoutKind,
}

/// The structure of a value.
#[derive(Clone, Debug)]
pub enum LayoutKind {
    /// Bits without references.
    Scalar,
    /// A reference.
    Reference(RefKind),
    /// Code and a counted context.
    Closure,
    /// Parts at offsets: a struct or a tuple.
    Fields(Box<[ElementLayout]>),
    /// One of several cases.
    Enum(Rc<EnumLayout>),
    /// A number of elements, each at a multiple of the stride.
    Array(u64, Ty),
    /// An opaque existential container with so many witness tables.
    Existential(u64),
    /// A reference and so many witness tables.
    ClassExistential(u64),
    /// A box with an error.
    ErrorExistential,
    /// Memory whose values the type does not describe (`@_rawLayout`, actors).
    Raw,
}

/// The way in which a reference is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefKind {
    /// A strong reference to a native object.
    Strong,
    /// A strong reference with bits in it that are not part of the address.
    Bridge,
    /// An unowned reference.
    Unowned,
    /// A weak reference.
    Weak,
}

/// One part of a struct or a tuple.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ElementLayout {
    /// The name of a stored property, or the label of a tuple's element.
    pub name: Option<Symbol>,
    /// The type.
    pub ty: Ty,
    /// Its offset.
    pub offset: u64,
}

impl Layout {
    /// Returns the distance of the elements of an array.
    pub fn stride(&self) -> u64 {
        self.size.next_multiple_of(self.align).max(1)
    }

    /// Returns the number of extra inhabitants.
    pub fn extra_inhabitants(&self) -> u32 {
        self.xi.as_ref().map_or(0, |xi| xi.count)
    }

    /// Returns the layout of an enum.
    pub fn as_enum(&self) -> Option<&Rc<EnumLayout>> {
        match &self.kind {
            LayoutKind::Enum(layout) => Some(layout),
            _ => None,
        }
    }

    /// Returns the parts of a struct or a tuple.
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
