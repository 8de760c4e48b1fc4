//! Typed `u32` indices and the dense maps they index.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense index with its own type, declared by [`entity!`](crate::entity!).
pub trait Entity: Copy + Eq + fmt::Debug {
    /// A value that names no entity: a compact `None` for dense tables.
    const NONE: Self;
    /// Creates the entity with this index.
    fn from_index(index: usize) -> Self;
    /// Returns the index of this entity.
    fn index(self) -> usize;
}

/// Declares a `u32` index type that implements [`Entity`] and prints as its prefix and number.
#[macro_export]
macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[allow(unreachable_pub, reason = "the macro is also used in private modules")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        #[allow(dead_code, unreachable_pub, reason = "not every kind of entity uses every method")]
        impl $name {
            /// The largest index that an entity of this kind may have.
            pub const MAX: usize = u32::MAX as usize - 1;
            /// A value that names no entity: a compact `None` for dense tables.
            pub const NONE: Self = Self(u32::MAX);

            /// Returns true if this is not [`Self::NONE`].
            #[inline]
            pub fn is_some(self) -> bool {
                self.0 != u32::MAX
            }

            /// Returns this entity, or `None` if it is [`Self::NONE`].
            #[inline]
            pub fn some(self) -> Option<Self> {
                self.is_some().then_some(self)
            }

            /// Returns the raw number, for packed tables.
            #[inline]
            pub fn as_u32(self) -> u32 {
                self.0
            }

            /// Creates the entity with this raw number.
            #[inline]
            pub fn from_u32(raw: u32) -> Self {
                Self(raw)
            }
        }

        impl $crate::Entity for $name {
            const NONE: Self = Self(u32::MAX);
            #[inline]
            fn from_index(index: usize) -> Self {
                assert!(index <= Self::MAX, "invariant: an entity index fits in 32 bits");
                Self(index as u32)
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                if self.is_some() { write!(f, concat!($prefix, "{}"), self.0) } else { f.write_str(concat!($prefix, "-")) }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(self, f)
            }
        }
    };
}

/// A dense table that owns its entities: pushing a value makes a new key.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<K, V> {
    values: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Entity, V> IdVec<K, V> {
    /// Creates an empty table.
    pub const fn new() -> Self {
        Self { values: Vec::new(), key: PhantomData }
    }

    /// Creates an empty table with room for `capacity` values.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { values: Vec::with_capacity(capacity), key: PhantomData }
    }

    /// Makes room for more values.
    pub fn reserve(&mut self, additional: usize) {
        self.values.reserve(additional);
    }

    /// Appends a value and returns its new key.
    #[inline]
    pub fn push(&mut self, value: V) -> K {
        let key = K::from_index(self.values.len());
        self.values.push(value);
        key
    }

    /// Returns the key that the next push will return.
    pub fn next_key(&self) -> K {
        K::from_index(self.values.len())
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if there are no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the value of a key, or `None` if the table has no such key.
    pub fn get(&self, key: K) -> Option<&V> {
        self.values.get(key.index())
    }

    /// Returns all keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.values.len()).map(K::from_index)
    }

    /// Returns all values in order of their keys.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.values.iter()
    }

    /// Returns all values mutably, in order of their keys.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.iter_mut()
    }

    /// Returns all keys and values in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.values.iter().enumerate().map(|(i, v)| (K::from_index(i), v))
    }

    /// Returns all keys and mutable values in order.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut V)> + ExactSizeIterator {
        self.values.iter_mut().enumerate().map(|(i, v)| (K::from_index(i), v))
    }

    /// Returns the values as a slice.
    pub fn as_slice(&self) -> &[V] {
        &self.values
    }

    /// Removes the values for which `condition` returns false. The remaining values get new keys.
    pub fn retain(&mut self, condition: impl FnMut(&V) -> bool) {
        self.values.retain(condition);
    }

    /// Consumes the table and returns all values in order of their keys.
    pub fn into_values(self) -> std::vec::IntoIter<V> {
        self.values.into_iter()
    }

    /// Releases unused capacity.
    pub fn shrink_to_fit(&mut self) {
        self.values.shrink_to_fit();
    }

    /// Moves the values to a table of exactly their size and keeps this table's capacity for reuse.
    #[must_use]
    pub fn take_exact(&mut self) -> Self {
        let mut values = Vec::with_capacity(self.values.len());
        values.append(&mut self.values);
        Self { values, key: PhantomData }
    }

    /// Returns the number of bytes that the table has allocated.
    pub fn heap_size(&self) -> usize {
        self.values.capacity() * size_of::<V>()
    }
}

impl<K, V> Default for IdVec<K, V> {
    fn default() -> Self {
        Self { values: Vec::new(), key: PhantomData }
    }
}

impl<K: Entity, V> Index<K> for IdVec<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        &self.values[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for IdVec<K, V> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.values[key.index()]
    }
}

impl<K: Entity, V> FromIterator<V> for IdVec<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(iter: I) -> Self {
        Self { values: iter.into_iter().collect(), key: PhantomData }
    }
}

impl<K: Entity, V: fmt::Debug> fmt::Debug for IdVec<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// A dense side table over entities that another table owns. A key without a value reads as the default.
#[derive(Clone, Debug)]
pub struct SecondaryMap<K, V> {
    values: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: Entity, V: Clone> SecondaryMap<K, V> {
    /// Creates a table in which keys without a value read as `default`.
    pub fn with_default(default: V) -> Self {
        Self { values: Vec::new(), default, key: PhantomData }
    }

    /// Resets every value to the default and keeps the allocation.
    pub fn clear(&mut self) {
        self.values.clear();
    }
}

impl<K: Entity, V: Clone + Default> SecondaryMap<K, V> {
    /// Creates a table in which keys without a value read as `V::default()`.
    pub fn new() -> Self {
        Self::with_default(V::default())
    }
}

impl<K: Entity, V: Clone + Default> Default for SecondaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V: Clone> Index<K> for SecondaryMap<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        self.values.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Clone> IndexMut<K> for SecondaryMap<K, V> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        let i = key.index();
        if i >= self.values.len() {
            self.values.resize(i + 1, self.default.clone());
        }
        &mut self.values[i]
    }
}
