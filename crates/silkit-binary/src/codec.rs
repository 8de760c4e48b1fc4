//! The encoding of values as bytes: one declaration for both directions.
//!
//! [`record!`], [`variants!`] and [`flags!`] list every field and variant once. If a field or variant is added to a
//! type, the code does not compile until it is listed here as well.

use crate::sink::Sink;
use crate::source::{DecodeError, Source};
use silkit_base::{Entity, Keyed, KeyedVec, Symbol};
use silkit_ir::{DebugVar, DeclRef, KeyPath};
use silkit_types::{GenericSig, SilType, Type};

/// The maximum number of list entries that are reserved before the first is read, since an entry may be much larger
/// in memory than in the file.
const MAX_RESERVED: usize = 1 << 10;

/// A type with a binary encoding. Every value takes at least one byte.
pub(crate) trait Codec: Sized {
    fn write(&self, sink: &mut Sink<'_>);
    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError>;
}

/// Implements [`Codec`] for a struct, given its fields in byte order.
macro_rules! record {
    ($($name:ident { $($field:ident),* $(,)? })*) => {$(
        impl $crate::codec::Codec for $name {
            fn write(&self, sink: &mut $crate::sink::Sink<'_>) {
                let Self { $($field),* } = self;
                $($crate::codec::Codec::write($field, sink);)*
            }
            fn read(source: &mut $crate::source::Source<'_, '_>) -> Result<Self, $crate::source::DecodeError> {
                Ok(Self { $($field: $crate::codec::Codec::read(source)?),* })
            }
        }
    )*};
}

/// Implements [`Codec`] for an enum, given the byte and the fields of each variant.
macro_rules! variants {
    ($($name:ident {
        $($code:literal = $variant:ident $(($($item:ident),* $(,)?))? $({ $($field:ident),* $(,)? })?),* $(,)?
    })*) => {$(
        impl $crate::codec::Codec for $name {
            fn write(&self, sink: &mut $crate::sink::Sink<'_>) {
                match self {$(
                    Self::$variant $(($($item),*))? $({ $($field),* })? => {
                        sink.byte($code);
                        $($($crate::codec::Codec::write($item, sink);)*)?
                        $($($crate::codec::Codec::write($field, sink);)*)?
                    }
                )*}
            }
            fn read(source: &mut $crate::source::Source<'_, '_>) -> Result<Self, $crate::source::DecodeError> {
                Ok(match source.byte()? {
                    $($code => Self::$variant
                        $(($({ let $item = $crate::codec::Codec::read(source)?; $item }),*))?
                        $({ $($field: $crate::codec::Codec::read(source)?),* })?,)*
                    code => return Err(source.unknown(stringify!($name), u32::from(code))),
                })
            }
        }
    )*};
}

/// Implements [`Codec`] for a set of flags.
macro_rules! flags {
    ($($name:ident)*) => {$(
        impl $crate::codec::Codec for $name {
            fn write(&self, sink: &mut $crate::sink::Sink<'_>) {
                sink.number(self.bits().into());
            }
            fn read(source: &mut $crate::source::Source<'_, '_>) -> Result<Self, $crate::source::DecodeError> {
                let bits = source.number()?;
                bits.try_into()
                    .ok()
                    .and_then(Self::from_bits)
                    .ok_or_else(|| source.unknown(stringify!($name), bits))
            }
        }
    )*};
}

pub(crate) use {flags, record, variants};

impl Codec for bool {
    fn write(&self, sink: &mut Sink<'_>) {
        sink.byte(u8::from(*self));
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        match source.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(source.unknown("boolean", u32::from(other))),
        }
    }
}

impl Codec for u8 {
    fn write(&self, sink: &mut Sink<'_>) {
        sink.byte(*self);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        source.byte()
    }
}

impl Codec for u16 {
    fn write(&self, sink: &mut Sink<'_>) {
        sink.number(u32::from(*self));
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        let number = source.number()?;
        u16::try_from(number).map_err(|_| source.unknown("number below 65536", number))
    }
}

impl Codec for u32 {
    fn write(&self, sink: &mut Sink<'_>) {
        sink.number(*self);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        source.number()
    }
}

/// The encoding of indices.
impl Codec for usize {
    fn write(&self, sink: &mut Sink<'_>) {
        sink.length(*self);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        source.number().map(|number| number as usize)
    }
}

impl<T: Codec> Codec for Option<T> {
    fn write(&self, sink: &mut Sink<'_>) {
        sink.byte(u8::from(self.is_some()));
        if let Some(value) = self {
            value.write(sink);
        }
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        Ok(if bool::read(source)? { Some(T::read(source)?) } else { None })
    }
}

impl<T: Codec> Codec for Vec<T> {
    fn write(&self, sink: &mut Sink<'_>) {
        write_list(self, sink);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        let count = source.count()?;
        let mut list = Vec::with_capacity(count.min(MAX_RESERVED));
        for _ in 0..count {
            list.push(T::read(source)?);
        }
        Ok(list)
    }
}

impl<K: Entity, V: Codec + Keyed> Codec for KeyedVec<K, V> {
    fn write(&self, sink: &mut Sink<'_>) {
        write_list(self.as_slice(), sink);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        Vec::read(source).map(|values| values.into_iter().collect())
    }
}

impl<T: Codec> Codec for Box<[T]> {
    fn write(&self, sink: &mut Sink<'_>) {
        write_list(self, sink);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        Vec::read(source).map(Vec::into_boxed_slice)
    }
}

fn write_list<T: Codec>(list: &[T], sink: &mut Sink<'_>) {
    sink.length(list.len());
    for item in list {
        item.write(sink);
    }
}

/// Recursive values are read up to a limited depth.
impl<T: Codec> Codec for Box<T> {
    fn write(&self, sink: &mut Sink<'_>) {
        (**self).write(sink);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        source.nested(|source| T::read(source).map(Box::new))
    }
}

impl<A: Codec, B: Codec> Codec for (A, B) {
    fn write(&self, sink: &mut Sink<'_>) {
        self.0.write(sink);
        self.1.write(sink);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        Ok((A::read(source)?, B::read(source)?))
    }
}

impl<A: Codec, B: Codec, C: Codec> Codec for (A, B, C) {
    fn write(&self, sink: &mut Sink<'_>) {
        self.0.write(sink);
        self.1.write(sink);
        self.2.write(sink);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        Ok((A::read(source)?, B::read(source)?, C::read(source)?))
    }
}

impl<A: Codec, B: Codec, C: Codec, D: Codec> Codec for (A, B, C, D) {
    fn write(&self, sink: &mut Sink<'_>) {
        self.0.write(sink);
        self.1.write(sink);
        self.2.write(sink);
        self.3.write(sink);
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        Ok((A::read(source)?, B::read(source)?, C::read(source)?, D::read(source)?))
    }
}

impl Codec for Box<str> {
    fn write(&self, sink: &mut Sink<'_>) {
        sink.length(self.len());
        sink.raw(self.as_bytes());
    }

    fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
        let count = source.count()?;
        let bytes = source.take(count)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.into()),
            Err(_) => Err(source.damage("a text that is not UTF-8")),
        }
    }
}

/// Implements [`Codec`] for interned values: the index in the file's table.
macro_rules! interned {
    ($($name:ident in $table:ident)*) => {$(
        impl Codec for $name {
            fn write(&self, sink: &mut Sink<'_>) {
                sink.reference(crate::tables::Table::$table, self.as_u32());
            }

            fn read(source: &mut Source<'_, '_>) -> Result<Self, DecodeError> {
                source.reference(crate::tables::Table::$table).map(Self::from_u32)
            }
        }
    )*};
}

interned! {
    Symbol in Symbols
    DeclRef in Decls
    Type in Types
    GenericSig in Signatures
    SilType in LoweredTypes
    DebugVar in Variables
    KeyPath in KeyPaths
}
