//! Lists of module entities that are found by key and decoded on demand.
//!
//! An entry is its key, of `N` strings, and the entity. After the entries follow their numbers in the order of their
//! keys.

use crate::codec::Codec;
use crate::container::{Contents, Directory, Section};
use crate::error::ReadError;
use crate::lookup::FileTables;
use crate::sink::Sink;
use crate::source::{DecodeError, Source};
use silkit_base::Symbol;
use std::cmp::Ordering;
use std::ops::Range;

/// The entities of one kind in a file.
#[derive(Debug)]
pub(crate) struct Keyed<const N: usize> {
    contents: Contents<'static>,
    /// The range of each entry in the section.
    ranges: Vec<Range<u32>>,
    /// The entries in the order of their keys, then of their numbers.
    by_key: Vec<u32>,
}

/// Writes entities with their keys.
pub(crate) fn write<const N: usize, T>(
    sink: &mut Sink<'_>,
    items: impl Iterator<Item = ([Symbol; N], T)>,
    write: impl Fn(&mut Sink<'_>, T),
) {
    let mut order: Vec<([&str; N], u32)> = Vec::new();
    sink.entries(items, |sink, (key, item)| {
        order.push((key.map(Symbol::as_str), order.len() as u32));
        key.iter().for_each(|part| part.write(sink));
        write(sink, item);
    });
    order.sort_unstable();
    order.iter().for_each(|&(_, number)| sink.number(number));
}

impl<const N: usize> Keyed<N> {
    /// Finds the entries of a section.
    pub(crate) fn read(
        file: &[u8],
        directory: &Directory,
        section: Section,
        locals: &FileTables,
    ) -> Result<Self, ReadError> {
        let contents = directory.section(file, section)?.into_owned();
        let read = read_ranges(&contents.bytes, locals);
        let (ranges, by_key) = read.map_err(|damage| contents.error(&damage))?;
        Ok(Self { contents, ranges, by_key })
    }

    /// Returns the number of entities.
    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Returns the source of an entry.
    fn source<'s, 'l>(&'s self, number: usize, locals: &'l FileTables) -> Source<'s, 'l> {
        Source::of_part(&self.contents.bytes, self.ranges[number].clone(), locals)
    }

    /// Returns a key without interning it, with the source of the entity. Damaged parts are empty.
    fn split<'s, 'l>(&'s self, number: usize, locals: &'l FileTables) -> ([&'l str; N], Source<'s, 'l>) {
        let mut source = self.source(number, locals);
        let key =
            [(); N].map(|()| source.number().ok().and_then(|part| locals.string(part)).unwrap_or_default());
        (key, source)
    }

    /// Returns a key without interning it. Damaged parts are empty.
    pub(crate) fn key<'l>(&self, number: usize, locals: &'l FileTables) -> [&'l str; N] {
        self.split(number, locals).0
    }

    /// Returns the first byte of an entity; 0 if there is none.
    pub(crate) fn first_byte(&self, number: usize, locals: &FileTables) -> u8 {
        self.split(number, locals).1.byte().unwrap_or_default()
    }

    /// Returns the number of the first entity with this key.
    pub(crate) fn find(&self, key: [&str; N], locals: &FileTables) -> Option<usize> {
        let before = |number: &u32| self.key(*number as usize, locals).cmp(&key) == Ordering::Less;
        let number = *self.by_key.get(self.by_key.partition_point(before))? as usize;
        (self.key(number, locals) == key).then_some(number)
    }

    /// Decodes an entity, given its key. Returns it with its approximate size as text, in bytes.
    pub(crate) fn decode<T>(
        &self,
        number: usize,
        locals: &FileTables,
        read: impl FnOnce(&mut Source<'_, '_>, [Symbol; N]) -> Result<T, DecodeError>,
    ) -> Result<(T, u64), ReadError> {
        let mut source = self.source(number, locals);
        let all = || {
            let mut key = [Symbol::new(""); N];
            for part in &mut key {
                *part = Symbol::read(&mut source)?;
            }
            let entity = read(&mut source, key)?;
            source.end()?;
            Ok((entity, source.weight()))
        };
        all().map_err(|damage| self.contents.error(&damage))
    }

    /// Decodes all entities. Adds their approximate size as text, in bytes, to `weight`.
    pub(crate) fn decode_all<T, C: FromIterator<T>>(
        &self,
        locals: &FileTables,
        weight: &mut u64,
        read: impl Fn(&mut Source<'_, '_>, [Symbol; N]) -> Result<T, DecodeError>,
    ) -> Result<C, ReadError> {
        let all = (0..self.len()).map(|number| {
            let (entity, size) = self.decode(number, locals, &read)?;
            *weight += size;
            Ok(entity)
        });
        all.collect()
    }
}

type Ranges = (Vec<Range<u32>>, Vec<u32>);

fn read_ranges(bytes: &[u8], locals: &FileTables) -> Result<Ranges, DecodeError> {
    let mut source = Source::new(bytes, locals);
    let ranges = source.entry_ranges()?;
    source.take(ranges.iter().map(|range| range.len()).sum())?;
    let mut by_key = Vec::with_capacity(ranges.len());
    for _ in 0..ranges.len() {
        let number = source.number()?;
        if number as usize >= ranges.len() {
            return Err(source.unknown("number of an entry", number));
        }
        by_key.push(number);
    }
    source.end()?;
    Ok((ranges, by_key))
}
