//! The functions of a file without their bodies. Headers are found by name and decoded on demand.

use crate::codec::Codec;
use crate::container::{Contents, Directory, Section};
use crate::entities::read_header;
use crate::error::ReadError;
use crate::lookup::FileTables;
use crate::source::{DecodeError, Source};
use silkit_ir::Function;
use std::cmp::Ordering;
use std::ops::Range;

/// The functions of a file.
#[derive(Debug)]
pub(crate) struct Headers {
    contents: Contents<'static>,
    /// The range of each header in the section.
    ranges: Vec<Range<u32>>,
    /// The functions in the order of their names, then of their numbers.
    by_name: Vec<u32>,
    /// The index of the body of each function, or of the next body for a declaration.
    bodies: Vec<u32>,
}

impl Headers {
    /// Finds the headers of a file.
    pub(crate) fn read(file: &[u8], directory: &Directory, locals: &FileTables) -> Result<Self, ReadError> {
        let contents = directory.section(file, Section::Functions)?.into_owned();
        let read = read_ranges(&contents.bytes, locals);
        let (ranges, by_name) = read.map_err(|damage| contents.error(&damage))?;
        let mut headers = Self { contents, ranges, by_name, bodies: Vec::new() };
        let mut bodies = 0;
        for number in 0..headers.len() {
            headers.bodies.push(bodies);
            bodies += u32::from(headers.has_body(number));
        }
        headers.bodies.push(bodies);
        Ok(headers)
    }

    /// Returns the number of functions.
    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Returns the number of functions with a body.
    pub(crate) fn body_count(&self) -> usize {
        self.bodies.last().map_or(0, |&bodies| bodies as usize)
    }

    /// Returns true if a function has a body. A header begins with that.
    pub(crate) fn has_body(&self, number: usize) -> bool {
        let range = &self.ranges[number];
        !range.is_empty() && self.contents.bytes[range.start as usize] == 1
    }

    /// Returns the index of the body of a function among all bodies of the file.
    pub(crate) fn body(&self, number: usize) -> Option<usize> {
        self.has_body(number).then(|| self.bodies[number] as usize)
    }

    /// Returns the name of a function without interning it; empty if the header is damaged.
    pub(crate) fn name<'l>(&self, number: usize, locals: &'l FileTables) -> &'l str {
        let mut source = Source::of_part(&self.contents.bytes, self.ranges[number].clone(), locals);
        let name = bool::read(&mut source).and_then(|_| source.number());
        name.ok().and_then(|name| locals.string(name)).unwrap_or_default()
    }

    /// Returns the number of the first function with this name.
    pub(crate) fn find(&self, name: &str, locals: &FileTables) -> Option<usize> {
        let before = |number: &u32| self.name(*number as usize, locals).cmp(name) == Ordering::Less;
        let at = self.by_name.partition_point(before);
        let number = *self.by_name.get(at)? as usize;
        (self.name(number, locals) == name).then_some(number)
    }

    /// Decodes a header, whose body is `None`. Returns it with its approximate size as text, in bytes.
    pub(crate) fn decode(&self, number: usize, locals: &FileTables) -> Result<(Function, u64), ReadError> {
        let mut source = Source::of_part(&self.contents.bytes, self.ranges[number].clone(), locals);
        let function = read_header(&mut source).map_err(|damage| self.contents.error(&damage))?;
        Ok((function, source.weight()))
    }
}

type Ranges = (Vec<Range<u32>>, Vec<u32>);

fn read_ranges(bytes: &[u8], locals: &FileTables) -> Result<Ranges, DecodeError> {
    let mut source = Source::new(bytes, locals);
    let ranges = source.entry_ranges()?;
    source.take(ranges.iter().map(|range| range.len()).sum())?;
    let mut by_name = Vec::with_capacity(ranges.len());
    for _ in 0..ranges.len() {
        let number = source.number()?;
        if number as usize >= ranges.len() {
            return Err(source.unknown("number of a function", number));
        }
        by_name.push(number);
    }
    source.end()?;
    Ok((ranges, by_name))
}
