//! The reader of modules, as a whole or one function at a time.

use crate::body;
use crate::body::Workspace;
use crate::container::{Directory, Section, checksum};
use crate::entities::{read_global, read_rest, read_table};
use crate::error::ReadError;
use crate::headers::Headers;
use crate::keyed::Keyed;
use crate::lookup::FileTables;
use crate::source::{DecodeError, Source};
use rayon::prelude::*;
use silkit_base::Symbol;
use silkit_ir::{Body, Function, Global, Linkage, Module, VTable, WitnessTable};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// A binary file, whose parts are read on demand.
///
/// ```
/// use silkit_binary::{Reader, write_module};
/// let file = write_module(&silkit_ir::Module::default())?;
/// let reader = Reader::open(&file)?;
/// assert!(reader.functions()?.is_empty());
/// assert!(reader.module()?.globals.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Reader<'a> {
    file: Cow<'a, [u8]>,
    directory: Directory,
    index: OnceLock<Result<Index, ReadError>>,
}

/// The index entry of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionEntry {
    /// Its name.
    pub name: Symbol,
    /// Its linkage.
    pub linkage: Linkage,
    /// The range of the body in the file; `None` for a declaration.
    pub body: Option<Range<usize>>,
}

/// The tables, the entities that are found by key, and the ranges of all bodies.
#[derive(Debug)]
struct Index {
    locals: FileTables,
    headers: Headers,
    /// Global variables by name.
    globals: Keyed<1>,
    /// VTables by the path of the class.
    vtables: Keyed<1>,
    /// Witness tables by the paths of type and protocol.
    witness_tables: Keyed<2>,
    /// The bodies of functions, then of global variables.
    bodies: Vec<BodyPlace>,
}

/// The text size, in bytes, that a file may expand to, in addition to the same number for each of its bytes. Names
/// and types in files of compilers expand to less than 10 bytes for a byte.
const MAX_TEXT: u64 = 1 << 28;
const MAX_TEXT_PER_BYTE: u64 = 1 << 10;

/// The range of a body.
#[derive(Clone, Debug)]
struct BodyPlace {
    range: Range<usize>,
    checksum: u32,
}

impl<'a> Reader<'a> {
    /// Reads the header and the directory of a file.
    ///
    /// # Errors
    /// Returns an error if the file has another format or a newer version, if it is truncated, or if its directory is
    /// damaged.
    pub fn open(file: impl Into<Cow<'a, [u8]>>) -> Result<Self, ReadError> {
        let file = file.into();
        let directory = Directory::read(&file)?;
        Ok(Self { file, directory, index: OnceLock::new() })
    }

    /// Returns the name and version of the program that wrote the file.
    pub fn producer(&self) -> &str {
        &self.directory.producer
    }

    /// Returns the name of the source text of the module; empty if there is none.
    pub fn source(&self) -> &str {
        &self.directory.source
    }

    /// Checks the tables and the index, without decoding their entries.
    ///
    /// # Errors
    /// Returns an error if a table or the index does not match its checksum, or if its entries cannot be found.
    pub fn check(&self) -> Result<(), ReadError> {
        self.index().map(|_| ())
    }

    /// Returns the functions in order, without reading bodies.
    ///
    /// # Errors
    /// Returns an error if the tables, the index or a header are damaged.
    pub fn functions(&self) -> Result<Vec<FunctionEntry>, ReadError> {
        let index = self.index()?;
        let entry = |number| {
            let (header, _) = index.headers.decode(number, &index.locals)?;
            let body = index.headers.body(number).map(|body| index.bodies[body].range.clone());
            Ok(FunctionEntry { name: header.name, linkage: header.linkage, body })
        };
        (0..index.headers.len()).map(entry).collect()
    }

    /// Returns a global variable by name, without its initializer.
    ///
    /// # Errors
    /// Returns an error if the tables, the index or the global variable are damaged.
    pub fn global(&self, name: &str) -> Result<Option<Global>, ReadError> {
        let Index { globals, locals, .. } = self.index()?;
        let decode = |number| Ok(globals.decode(number, locals, read_global)?.0);
        globals.find([name], locals).map(decode).transpose()
    }

    /// Returns the vtable of a class that is not specialized, by the path of the class.
    ///
    /// # Errors
    /// Returns an error if the tables, the index or the vtable are damaged.
    pub fn vtable(&self, class: &str) -> Result<Option<VTable>, ReadError> {
        let Index { vtables, locals, .. } = self.index()?;
        let decode = |number| Ok(vtables.decode(number, locals, read_table)?.0);
        vtables.find([class], locals).map(decode).transpose()
    }

    /// Returns the witness table with entries of a conformance, by [`WitnessTable::lookup_paths`].
    ///
    /// # Errors
    /// Returns an error if the tables, the index or the witness table are damaged.
    pub fn witness_table(&self, ty: &str, protocol: &str) -> Result<Option<WitnessTable>, ReadError> {
        let Index { witness_tables, locals, .. } = self.index()?;
        let decode = |number| Ok(witness_tables.decode(number, locals, read_table)?.0);
        witness_tables.find([ty, protocol], locals).map(decode).transpose()
    }

    /// Returns true if a function, given by name, is in the file with a body.
    ///
    /// # Errors
    /// Returns an error if the tables or the index are damaged.
    pub fn has_body(&self, name: &str) -> Result<bool, ReadError> {
        let Index { headers, locals, .. } = self.index()?;
        Ok(headers.find(name, locals).is_some_and(|number| headers.has_body(number)))
    }

    /// Returns a function by name, with an empty body instead of its own. Bodies are not read.
    ///
    /// # Errors
    /// Returns an error if the tables, the index or the header are damaged.
    pub fn header(&self, name: Symbol) -> Result<Option<Function>, ReadError> {
        let index = self.index()?;
        index.headers.find(name.as_str(), &index.locals).map(|number| index.header(number)).transpose()
    }

    /// Returns a function by name, with its body. No other body is read.
    ///
    /// # Errors
    /// Returns an error if the tables, the index, the header or this body are damaged.
    pub fn function(&self, name: &str) -> Result<Option<Function>, ReadError> {
        let index = self.index()?;
        match index.headers.find(name, &index.locals) {
            Some(number) => self.function_at(number),
            None => Ok(None),
        }
    }

    /// Returns the function with this index, with its body. No other body is read.
    ///
    /// # Errors
    /// Returns an error if the tables, the index, the header or this body are damaged.
    pub fn function_at(&self, number: usize) -> Result<Option<Function>, ReadError> {
        let index = self.index()?;
        if number >= index.headers.len() {
            return Ok(None);
        }
        let mut function = index.header(number)?;
        if let Some(body) = index.headers.body(number) {
            let owner = function.name.as_str();
            let (body, weight) = self.body(index, body, owner, &mut Workspace::default())?;
            self.check_weight(weight)?;
            function.body = Some(body);
        }
        Ok(Some(function))
    }

    /// Reads the module with empty function bodies. Initializers of global variables are read.
    ///
    /// # Errors
    /// Returns an error if the tables, the index, a header or an initializer are damaged.
    pub fn without_bodies(&self) -> Result<Module, ReadError> {
        let index = self.index()?;
        let mut rest = self.read_rest(index)?;
        self.initialize(&mut rest, index)?;
        for number in 0..index.headers.len() {
            rest.module.functions.push(index.header(number)?);
        }
        Ok(rest.module)
    }

    /// Reads the initializers of global variables, and adds their weight.
    fn initialize(&self, rest: &mut Rest, index: &Index) -> Result<(), ReadError> {
        let first = index.headers.body_count();
        let owners: Vec<&str> = rest
            .module
            .globals
            .values()
            .zip(&rest.initialized)
            .filter(|(_, has)| **has)
            .map(|(g, _)| g.name.as_str())
            .collect();
        let count = index.bodies.len() - first;
        if count != owners.len() {
            let message = format!("{count} bodies for {} initializers", owners.len());
            let start = self.directory.range(Section::Index).start;
            return Err(ReadError::malformed(message, start as u64));
        }
        let bodies = self.bodies(index, first, &owners)?;
        rest.weight += bodies.iter().map(|(_, weight)| weight).sum::<u64>();
        let mut bodies = bodies.into_iter().map(|(body, _)| body);
        for (global, has) in rest.module.globals.values_mut().zip(&rest.initialized) {
            global.initializer = if *has { bodies.next() } else { None };
        }
        Ok(())
    }

    /// Reads the whole module.
    ///
    /// # Errors
    /// Returns an error if any part of the file that the module needs is damaged.
    pub fn module(&self) -> Result<Module, ReadError> {
        let index = self.index()?;
        let Index { locals, headers, .. } = index;
        let defined: Vec<&str> = (0..headers.len())
            .filter(|&number| headers.has_body(number))
            .map(|number| headers.name(number, locals))
            .collect();
        let (rest, (functions, bodies)) = rayon::join(
            || self.read_rest(index),
            || {
                let functions = || (0..headers.len()).map(|number| headers.decode(number, locals));
                rayon::join(|| functions().collect::<Result<Vec<_>, _>>(), || self.bodies(index, 0, &defined))
            },
        );
        let (mut rest, functions, bodies) = (rest?, functions?, bodies?);
        self.initialize(&mut rest, index)?;
        let weights =
            functions.iter().map(|(_, weight)| weight).chain(bodies.iter().map(|(_, weight)| weight));
        self.check_weight(rest.weight + weights.sum::<u64>())?;
        let mut bodies = bodies.into_iter().map(|(body, _)| body);
        for (number, (mut function, _)) in functions.into_iter().enumerate() {
            function.body = if headers.has_body(number) { bodies.next() } else { None };
            rest.module.functions.push(function);
        }
        rest.module.note_serialized();
        Ok(rest.module)
    }

    /// Returns the bodies from an index on, one for each owner, with its weight.
    fn bodies(&self, index: &Index, first: usize, owners: &[&str]) -> Result<Vec<(Body, u64)>, ReadError> {
        let read = |work: &mut Workspace, (number, owner): (usize, &&str)| {
            self.body(index, first + number, owner, work)
        };
        // All bodies are read before the first error is selected, so that it does not depend on the threads.
        let all: Vec<_> = owners.par_iter().enumerate().map_init(Workspace::default, read).collect();
        all.into_iter().collect()
    }

    /// Checks the weight: printing takes time and memory for every mention of a type, while reading takes them only
    /// for the first.
    fn check_weight(&self, weight: u64) -> Result<(), ReadError> {
        let most = MAX_TEXT.saturating_add(MAX_TEXT_PER_BYTE.saturating_mul(self.file.len() as u64));
        if weight > most { Err(ReadError::excessive(most, self.file.len())) } else { Ok(()) }
    }

    /// Returns a body and its approximate size as text, in bytes.
    fn body(
        &self,
        index: &Index,
        number: usize,
        owner: &str,
        work: &mut Workspace,
    ) -> Result<(Body, u64), ReadError> {
        let place = &index.bodies[number];
        let bytes = &self.file[place.range.clone()];
        let start = place.range.start as u64;
        let name = || format!("the body of `{owner}`");
        if checksum(bytes) != place.checksum {
            return Err(ReadError::checksum(&name(), start));
        }
        let mut source = Source::new(bytes, &index.locals);
        match body::read(&mut source, work) {
            Ok(body) => Ok((body, source.weight())),
            Err(damage) => Err(ReadError::damage(&name(), start, &damage)),
        }
    }

    fn read_rest(&self, index: &Index) -> Result<Rest, ReadError> {
        let Index { locals, globals, vtables, witness_tables, .. } = index;
        let contents = self.directory.section(&self.file, Section::Rest)?;
        let mut source = Source::new(&contents.bytes, locals);
        let module = read_rest(&mut source).map_err(|damage| contents.error(&damage))?;
        let mut weight = source.weight();
        let module = Module {
            globals: globals.decode_all(locals, &mut weight, read_global)?,
            vtables: vtables.decode_all(locals, &mut weight, read_table)?,
            witness_tables: witness_tables.decode_all(locals, &mut weight, read_table)?,
            ..module
        };
        // A global variable begins with whether it has an initializer.
        let initialized = (0..globals.len()).map(|number| globals.first_byte(number, locals) == 1).collect();
        Ok(Rest { module, initialized, weight })
    }

    fn index(&self) -> Result<&Index, ReadError> {
        self.index.get_or_init(|| self.read_index()).as_ref().map_err(Clone::clone)
    }

    fn read_index(&self) -> Result<Index, ReadError> {
        let locals = FileTables::read(&self.file, &self.directory)?;
        let headers = Headers::read(&self.file, &self.directory, &locals)?;
        let globals = Keyed::read(&self.file, &self.directory, Section::Globals, &locals)?;
        let vtables = Keyed::read(&self.file, &self.directory, Section::VTables, &locals)?;
        let witness_tables = Keyed::read(&self.file, &self.directory, Section::WitnessTables, &locals)?;
        let contents = self.directory.section(&self.file, Section::Index)?;
        let section = self.directory.range(Section::Bodies);
        let bodies = read_places(&mut Source::new(&contents.bytes, &locals), section)
            .map_err(|damage| contents.error(&damage))?;
        let (there, wanted) = (bodies.len(), headers.body_count());
        if there < wanted {
            let message = format!("{there} bodies for {wanted} functions that have one");
            return Err(ReadError::malformed(message, self.directory.range(Section::Index).start as u64));
        }
        Ok(Index { locals, headers, globals, vtables, witness_tables, bodies })
    }
}

/// Everything but functions.
struct Rest {
    module: Module,
    /// Whether each global variable has an initializer.
    initialized: Vec<bool>,
    /// The approximate size as text, in bytes.
    weight: u64,
}

impl Index {
    /// Returns a function with an empty body instead of its own.
    fn header(&self, number: usize) -> Result<Function, ReadError> {
        let (header, _) = self.headers.decode(number, &self.locals)?;
        Ok(Function { body: self.headers.has_body(number).then(Body::new), ..header })
    }
}

/// Reads the ranges of the bodies, which are stored contiguously in `section`.
fn read_places(source: &mut Source<'_, '_>, section: Range<usize>) -> Result<Vec<BodyPlace>, DecodeError> {
    let count = source.count()?;
    let mut places = Vec::with_capacity(count);
    let mut at = section.start;
    for _ in 0..count {
        let mut sum = [0; 4];
        sum.copy_from_slice(source.take(4)?);
        let length = source.number()? as usize;
        let end = at.saturating_add(length);
        if length == 0 || end > section.end {
            return Err(source.damage(format!("a body of {length} bytes with {} left", section.end - at)));
        }
        places.push(BodyPlace { range: at..end, checksum: u32::from_le_bytes(sum) });
        at = end;
    }
    source.end()?;
    if at != section.end {
        return Err(source.damage(format!("{} bytes outside of any body", section.end - at)));
    }
    Ok(places)
}

/// Corrects the checksums of bodies in the index.
pub(crate) fn reseal_bodies(file: &mut [u8], directory: &Directory) {
    let locals = FileTables::default();
    let index = file[directory.range(Section::Index)].to_vec();
    let mut source = Source::new(&index, &locals);
    let mut at = directory.range(Section::Bodies).start;
    for _ in 0..source.count().unwrap_or(0) {
        let field = directory.range(Section::Index).start + source.position();
        if source.take(4).is_err() {
            return;
        }
        let Ok(length) = source.number() else { return };
        let Some(body) = file.get(at..at.saturating_add(length as usize)) else { return };
        let sum = checksum(body).to_le_bytes();
        at += length as usize;
        file[field..field + 4].copy_from_slice(&sum);
    }
}
