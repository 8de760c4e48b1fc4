//! The functions of a file without their bodies.

use crate::container::{Directory, Section};
use crate::entities::read_header;
use crate::error::ReadError;
use crate::keyed::Keyed;
use crate::lookup::FileTables;
use silkit_ir::Function;

/// The functions of a file.
#[derive(Debug)]
pub(crate) struct Headers {
    functions: Keyed<1>,
    /// The index of the body of each function, or of the next body for a declaration.
    bodies: Vec<u32>,
}

impl Headers {
    /// Finds the headers of a file.
    pub(crate) fn read(file: &[u8], directory: &Directory, locals: &FileTables) -> Result<Self, ReadError> {
        let functions = Keyed::read(file, directory, Section::Functions, locals)?;
        let mut bodies = Vec::with_capacity(functions.len() + 1);
        let mut next = 0;
        for number in 0..functions.len() {
            bodies.push(next);
            // A header begins with whether the function has a body.
            next += u32::from(functions.first_byte(number, locals) == 1);
        }
        bodies.push(next);
        Ok(Self { functions, bodies })
    }

    /// Returns the number of functions.
    pub(crate) fn len(&self) -> usize {
        self.functions.len()
    }

    /// Returns the number of functions with a body.
    pub(crate) fn body_count(&self) -> usize {
        self.bodies.last().map_or(0, |&bodies| bodies as usize)
    }

    /// Returns true if a function has a body.
    pub(crate) fn has_body(&self, number: usize) -> bool {
        self.bodies[number] != self.bodies[number + 1]
    }

    /// Returns the index of the body of a function among all bodies of the file.
    pub(crate) fn body(&self, number: usize) -> Option<usize> {
        self.has_body(number).then(|| self.bodies[number] as usize)
    }

    /// Returns the name of a function without interning it; empty if the header is damaged.
    pub(crate) fn name<'l>(&self, number: usize, locals: &'l FileTables) -> &'l str {
        let [name] = self.functions.key(number, locals);
        name
    }

    /// Returns the number of the first function with this name.
    pub(crate) fn find(&self, name: &str, locals: &FileTables) -> Option<usize> {
        self.functions.find([name], locals)
    }

    /// Decodes a header, whose body is `None`. Returns it with its approximate size as text, in bytes.
    pub(crate) fn decode(&self, number: usize, locals: &FileTables) -> Result<(Function, u64), ReadError> {
        self.functions.decode(number, locals, read_header)
    }
}
