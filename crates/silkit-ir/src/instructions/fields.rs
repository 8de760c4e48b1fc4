//! The encoding of the fields of typed instructions.

use crate::body::{Block, Body, OperandData, Value};
use crate::decl_ref::DeclRef;
use crate::{DebugVar, NONE};
use silkit_base::{Interned, Symbol};
use silkit_types::{GenericSig, SilType, Type};
use std::fmt;

/// The Rust type of an attribute.
pub trait Attribute<'a>: Copy {
    /// Reads a value from a word.
    fn read(body: &'a Body, word: u32) -> Self;
    /// Returns the word that encodes this value.
    fn write(self, body: &mut Body) -> u32;
}

/// The Rust type of an operand of the table: one value, an optional value, or several values.
pub trait OperandField<'a>: Copy {
    /// Reads the values of the operands.
    fn read(uses: &'a [OperandData]) -> Self;
    /// Appends the values.
    fn write(self, into: &mut Vec<Value>);
}

macro_rules! words {
    ($($ty:ty: $from:expr, $to:expr;)*) => {
        $(
            impl Attribute<'_> for $ty {
                fn read(_: &Body, word: u32) -> Self {
                    let from: fn(u32) -> Self = $from;
                    from(word)
                }

                fn write(self, _: &mut Body) -> u32 {
                    let to: fn(Self) -> u32 = $to;
                    to(self)
                }
            }

            impl ListItem for $ty {
                const WIDTH: usize = 1;

                fn read(words: &[u32]) -> Self {
                    let from: fn(u32) -> Self = $from;
                    from(words[0])
                }

                fn write(self, words: &mut Vec<u32>) {
                    let to: fn(Self) -> u32 = $to;
                    words.push(to(self));
                }
            }
        )*
    };
}

words! {
    u32: |w| w, |v| v;
    Symbol: Symbol::from_u32, Symbol::as_u32;
    SilType: SilType::from_u32, SilType::as_u32;
    Type: Type::from_u32, Type::as_u32;
    DeclRef: DeclRef::from_u32, DeclRef::as_u32;
    Block: Block::from_u32, Block::as_u32;
    GenericSig: GenericSig::from_u32, GenericSig::as_u32;
}

impl<'a, T: Attribute<'a>> Attribute<'a> for Option<T> {
    fn read(body: &'a Body, word: u32) -> Self {
        (word != NONE).then(|| T::read(body, word))
    }

    fn write(self, body: &mut Body) -> u32 {
        self.map_or(NONE, |v| v.write(body))
    }
}

// Debug variables and key paths.
impl<T> Attribute<'_> for Interned<T> {
    fn read(_: &Body, word: u32) -> Self {
        Interned::from_u32(word)
    }

    fn write(self, _: &mut Body) -> u32 {
        self.as_u32()
    }
}

const _: fn(DebugVar) -> u32 = Interned::as_u32;

/// An item of a list attribute.
pub trait ListItem: Copy {
    /// The number of words of an item.
    const WIDTH: usize;
    /// Creates the item of these words.
    fn read(words: &[u32]) -> Self;
    /// Appends the words of the item.
    fn write(self, words: &mut Vec<u32>);
}

impl<T: ListItem> ListItem for Option<T> {
    const WIDTH: usize = T::WIDTH;

    fn read(words: &[u32]) -> Self {
        (words[0] != NONE).then(|| T::read(words))
    }

    fn write(self, words: &mut Vec<u32>) {
        match self {
            Some(item) => item.write(words),
            None => words.extend(std::iter::repeat_n(NONE, T::WIDTH)),
        }
    }
}

impl<T: ListItem, U: ListItem> ListItem for (T, U) {
    const WIDTH: usize = T::WIDTH + U::WIDTH;

    fn read(words: &[u32]) -> Self {
        let (first, second) = words.split_at(T::WIDTH);
        (T::read(first), U::read(second))
    }

    fn write(self, words: &mut Vec<u32>) {
        self.0.write(words);
        self.1.write(words);
    }
}

/// The list of an attribute: stored in a body, or given to create an instruction.
#[derive(Clone, Copy)]
pub struct List<'a, T>(Items<'a, T>);

#[derive(Clone, Copy)]
enum Items<'a, T> {
    Words(&'a [u32]),
    Given(&'a [T]),
}

impl<'a, T: ListItem> List<'a, T> {
    /// Returns the number of items.
    pub fn len(self) -> usize {
        match self.0 {
            Items::Words(words) => words.len() / T::WIDTH,
            Items::Given(items) => items.len(),
        }
    }

    /// Returns true if it has no items.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the item at a position.
    pub fn get(self, index: usize) -> Option<T> {
        match self.0 {
            Items::Words(words) => words.chunks_exact(T::WIDTH).nth(index).map(T::read),
            Items::Given(items) => items.get(index).copied(),
        }
    }

    /// Returns the items.
    pub fn iter(self) -> impl ExactSizeIterator<Item = T> + Clone + use<'a, T> {
        (0..self.len()).map(move |index| self.get(index).expect("invariant: an index below the length"))
    }

    /// Returns the items as a vector that stays valid while the body changes.
    pub fn to_vec(self) -> Vec<T> {
        self.iter().collect()
    }
}

impl<T> Default for List<'_, T> {
    fn default() -> Self {
        List(Items::Given(&[]))
    }
}

impl<'a, T: ListItem> Attribute<'a> for List<'a, T> {
    fn read(body: &'a Body, word: u32) -> Self {
        List(Items::Words(body.list(word)))
    }

    fn write(self, body: &mut Body) -> u32 {
        if self.is_empty() {
            return NONE;
        }
        let mut words = Vec::with_capacity(self.len() * T::WIDTH);
        self.iter().for_each(|item| item.write(&mut words));
        body.make_list(&words)
    }
}

/// The values of an operand list.
#[derive(Clone, Copy)]
pub struct Values<'a>(Uses<'a>);

#[derive(Clone, Copy)]
enum Uses<'a> {
    Held(&'a [OperandData]),
    Given(&'a [Value]),
}

impl<'a> Values<'a> {
    /// Returns the number of values.
    pub fn len(self) -> usize {
        match self.0 {
            Uses::Held(uses) => uses.len(),
            Uses::Given(values) => values.len(),
        }
    }

    /// Returns true if there are no values.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the value at a position.
    pub fn get(self, index: usize) -> Option<Value> {
        match self.0 {
            Uses::Held(uses) => uses.get(index).map(|u| u.value),
            Uses::Given(values) => values.get(index).copied(),
        }
    }

    /// Returns the values.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Value> + Clone + use<'a> {
        (0..self.len()).map(move |index| self.get(index).expect("invariant: an index below the length"))
    }

    /// Returns the values as a vector that stays valid while the body changes.
    pub fn to_vec(self) -> Vec<Value> {
        self.iter().collect()
    }
}

impl Default for Values<'_> {
    fn default() -> Self {
        Values(Uses::Given(&[]))
    }
}

impl<'a> OperandField<'a> for Value {
    fn read(uses: &'a [OperandData]) -> Self {
        uses[0].value
    }

    fn write(self, into: &mut Vec<Value>) {
        into.push(self);
    }
}

impl<'a> OperandField<'a> for Option<Value> {
    fn read(uses: &'a [OperandData]) -> Self {
        uses.first().map(|u| u.value)
    }

    fn write(self, into: &mut Vec<Value>) {
        into.extend(self);
    }
}

impl<'a> OperandField<'a> for Values<'a> {
    fn read(uses: &'a [OperandData]) -> Self {
        Values(Uses::Held(uses))
    }

    fn write(self, into: &mut Vec<Value>) {
        into.extend(self.iter());
    }
}

macro_rules! conversions {
    ($([$($param:tt)*] $ty:ty, $item:ty, $given:path;)*) => {
        $(
            impl<'a, $($param)*> From<&'a [$item]> for $ty {
                fn from(items: &'a [$item]) -> Self {
                    Self($given(items))
                }
            }

            impl<'a, $($param)* const N: usize> From<&'a [$item; N]> for $ty {
                fn from(items: &'a [$item; N]) -> Self {
                    Self($given(items))
                }
            }

            impl<'a, $($param)*> From<&'a Vec<$item>> for $ty {
                fn from(items: &'a Vec<$item>) -> Self {
                    Self($given(items))
                }
            }
        )*
    };
}

conversions! {
    [T,] List<'a, T>, T, Items::Given;
    [] Values<'a>, Value, Uses::Given;
}

impl<T: ListItem + PartialEq> PartialEq for List<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl PartialEq for Values<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T: ListItem + fmt::Debug> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
