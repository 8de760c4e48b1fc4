//! The reader of modules, as a whole or one function at a time.

use crate::body;
use crate::body::{Shape, Workspace};
use crate::codec::Codec;
use crate::container::{Directory, Section, checksum};
use crate::entities::{read_functions, read_rest};
use crate::error::ReadError;
use crate::layout::read_opcode;
use crate::source::{DecodeError, Source};
use crate::tables::{FileTables, Table, TableEntry};
use rayon::prelude::*;
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::{Body, DebugVarData, DeclRef, DeclRefData, Function, KeyPathData, Linkage, Module};
use silkit_types::{GenericSig, SigData, SilType, Type, TypeKind};
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
    locals: OnceLock<Result<FileTables, ReadError>>,
    index: OnceLock<Result<Index, ReadError>>,
    /// The index of each function by name.
    by_name: OnceLock<FxHashMap<Symbol, usize>>,
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

/// The functions without their bodies, and the ranges of all bodies.
#[derive(Clone, Debug)]
struct Index {
    headers: Vec<Function>,
    entries: Vec<FunctionEntry>,
    bodies: Vec<BodyPlace>,
    /// The number of bodies that belong to functions.
    of_functions: usize,
    /// The approximate size of the headers as text, in bytes.
    weight: u64,
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
        Ok(Self {
            file,
            directory,
            locals: OnceLock::new(),
            index: OnceLock::new(),
            by_name: OnceLock::new(),
        })
    }

    /// Returns the name and version of the program that wrote the file.
    pub fn producer(&self) -> &str {
        &self.directory.producer
    }

    /// Returns the name of the source text of the module; empty if there is none.
    pub fn source(&self) -> &str {
        &self.directory.source
    }

    /// Returns the functions in order, without reading bodies.
    ///
    /// # Errors
    /// Returns an error if the tables or the index are damaged.
    pub fn functions(&self) -> Result<&[FunctionEntry], ReadError> {
        self.index().map(|index| index.entries.as_slice())
    }

    /// Returns everything but functions: global variables without their initializers, tables, scopes. Bodies are not
    /// read.
    ///
    /// # Errors
    /// Returns an error if the tables or the list of these entities are damaged.
    pub fn tables(&self) -> Result<Module, ReadError> {
        self.read(Section::Rest, |source| read_rest(source).map(|(module, _)| module))
    }

    /// Returns a function by name, with an empty body instead of its own. Bodies are not read.
    ///
    /// # Errors
    /// Returns an error if the tables or the index are damaged.
    pub fn header(&self, name: Symbol) -> Result<Option<Function>, ReadError> {
        let index = self.index()?;
        let Some(number) = self.number(index, name) else { return Ok(None) };
        let body = index.entries[number].body.as_ref().map(|_| Body::new());
        Ok(Some(Function { body, ..index.headers[number].clone() }))
    }

    /// Returns the index of the function with this name.
    fn number(&self, index: &Index, name: Symbol) -> Option<usize> {
        let by_name = self.by_name.get_or_init(|| {
            // The first of several functions with the same name is returned.
            index.entries.iter().enumerate().rev().map(|(number, entry)| (entry.name, number)).collect()
        });
        by_name.get(&name).copied()
    }

    /// Returns a function by name, with its body. No other body is read.
    ///
    /// # Errors
    /// Returns an error if the tables, the index or this body are damaged.
    pub fn function(&self, name: &str) -> Result<Option<Function>, ReadError> {
        let index = self.index()?;
        match self.number(index, Symbol::new(name)) {
            Some(number) => self.function_at(number),
            None => Ok(None),
        }
    }

    /// Returns the function with this index, with its body. No other body is read.
    ///
    /// # Errors
    /// Returns an error if the tables, the index or this body are damaged.
    pub fn function_at(&self, number: usize) -> Result<Option<Function>, ReadError> {
        let index = self.index()?;
        let Some(header) = index.headers.get(number) else { return Ok(None) };
        let mut function = header.clone();
        if let Some(range) = &index.entries[number].body {
            let at = index.bodies.partition_point(|place| place.range.start < range.start);
            // An encoded body is never empty, since it begins with its counts.
            let (body, weight) = self.body(&index.bodies[at], function.name, &mut Workspace::default())?;
            self.check_weight(weight)?;
            function.body = Some(body);
        }
        Ok(Some(function))
    }

    /// Reads the module with empty function bodies. Initializers of global variables are read.
    ///
    /// # Errors
    /// Returns an error if the tables, the index or an initializer are damaged.
    pub fn without_bodies(&self) -> Result<Module, ReadError> {
        let index = self.index()?;
        let (mut module, initialized) = self.read(Section::Rest, read_rest)?;
        self.initialize(&mut module, initialized, &index.bodies[index.of_functions..])?;
        for (header, entry) in index.headers.iter().zip(&index.entries) {
            let body = entry.body.as_ref().map(|_| Body::new());
            module.functions.push(Function { body, ..header.clone() });
        }
        Ok(module)
    }

    /// Reads the initializers of global variables. Returns their approximate size as text, in bytes.
    fn initialize(
        &self,
        module: &mut Module,
        initialized: Vec<bool>,
        places: &[BodyPlace],
    ) -> Result<u64, ReadError> {
        let owners = module.globals.values().zip(&initialized).filter(|(_, has)| **has).map(|(g, _)| g.name);
        let owners: Vec<Symbol> = owners.collect();
        if places.len() != owners.len() {
            let message = format!("{} bodies for {} initializers", places.len(), owners.len());
            let start = self.directory.range(Section::Index).start;
            return Err(ReadError::malformed(message, start as u64));
        }
        let bodies = self.bodies(places, owners)?;
        let weight = bodies.iter().map(|(_, weight)| weight).sum();
        let mut bodies = bodies.into_iter().map(|(body, _)| body);
        for (global, has) in module.globals.values_mut().zip(initialized) {
            global.initializer = if has { bodies.next() } else { None };
        }
        Ok(weight)
    }

    /// Reads the whole module.
    ///
    /// # Errors
    /// Returns an error if any part of the file is damaged.
    pub fn module(&self) -> Result<Module, ReadError> {
        let mut index = match self.index.get() {
            Some(index) => index.clone()?,
            None => self.read_index()?,
        };
        let (of_functions, of_globals) = index.bodies.split_at(index.of_functions);
        let defined = index.entries.iter().filter(|e| e.body.is_some()).map(|e| e.name);
        let (rest, functions) = rayon::join(
            || {
                self.read(Section::Rest, |source| {
                    let (module, initialized) = read_rest(source)?;
                    Ok((module, initialized, source.weight()))
                })
            },
            || self.bodies(of_functions, defined.collect()),
        );
        let (mut module, initialized, weight) = rest?;
        let functions = functions?;
        let of_globals = self.initialize(&mut module, initialized, of_globals)?;
        let of_functions: u64 = functions.iter().map(|(_, weight)| weight).sum();
        self.check_weight(index.weight + weight + of_functions + of_globals)?;
        let mut bodies = functions.into_iter().map(|(body, _)| body);
        for (mut function, entry) in index.headers.drain(..).zip(&index.entries) {
            function.body = if entry.body.is_some() { bodies.next() } else { None };
            module.functions.push(function);
        }
        Ok(module)
    }

    /// Returns the bodies in these ranges with these owners, each with its weight.
    fn bodies(&self, places: &[BodyPlace], owners: Vec<Symbol>) -> Result<Vec<(Body, u64)>, ReadError> {
        let read = |work: &mut Workspace, (place, owner)| self.body(place, owner, work);
        // All bodies are read before the first error is selected, so that it does not depend on the threads.
        let all: Vec<_> = places.par_iter().zip(owners).map_init(Workspace::default, read).collect();
        all.into_iter().collect()
    }

    /// Checks the weight: printing takes time and memory for every mention of a type, while reading takes them only
    /// for the first.
    fn check_weight(&self, weight: u64) -> Result<(), ReadError> {
        let most = MAX_TEXT.saturating_add(MAX_TEXT_PER_BYTE.saturating_mul(self.file.len() as u64));
        if weight > most { Err(ReadError::excessive(most, self.file.len())) } else { Ok(()) }
    }

    /// Returns a body and its approximate size as text, in bytes.
    fn body(&self, place: &BodyPlace, owner: Symbol, work: &mut Workspace) -> Result<(Body, u64), ReadError> {
        let bytes = &self.file[place.range.clone()];
        let start = place.range.start as u64;
        let name = || format!("the body of `{owner}`");
        if checksum(bytes) != place.checksum {
            return Err(ReadError::checksum(&name(), start));
        }
        let mut source = Source::new(bytes, self.locals()?);
        match body::read(&mut source, work) {
            Ok(body) => Ok((body, source.weight())),
            Err(damage) => Err(ReadError::damage(&name(), start, &damage)),
        }
    }

    fn read<T>(
        &self,
        section: Section,
        read: impl FnOnce(&mut Source<'_, '_>) -> Result<T, DecodeError>,
    ) -> Result<T, ReadError> {
        let locals = self.locals()?;
        self.read_with(section, locals, read)
    }

    fn read_with<T>(
        &self,
        section: Section,
        locals: &FileTables,
        read: impl FnOnce(&mut Source<'_, '_>) -> Result<T, DecodeError>,
    ) -> Result<T, ReadError> {
        let contents = self.directory.section(&self.file, section)?;
        read(&mut Source::new(&contents.bytes, locals)).map_err(|damage| contents.error(&damage))
    }

    fn index(&self) -> Result<&Index, ReadError> {
        self.index.get_or_init(|| self.read_index()).as_ref().map_err(Clone::clone)
    }

    fn read_index(&self) -> Result<Index, ReadError> {
        let (functions, weight) = self.read(Section::Functions, |source| {
            let functions = read_functions(source)?;
            Ok((functions, source.weight()))
        })?;
        let start = self.directory.range(Section::Bodies);
        let bodies = self.read(Section::Index, |source| read_places(source, start.clone()))?;
        let mut places = bodies.iter();
        let mut index = Index {
            headers: Vec::with_capacity(functions.len()),
            entries: Vec::with_capacity(functions.len()),
            of_functions: functions.iter().filter(|(_, has_body)| *has_body).count(),
            bodies: Vec::new(),
            weight,
        };
        for (header, has_body) in functions {
            let place = if has_body { places.next() } else { None };
            if has_body && place.is_none() {
                let message =
                    format!("the function `{}` has a body that the index does not have", header.name);
                return Err(ReadError::malformed(message, self.directory.range(Section::Index).start as u64));
            }
            let body = place.map(|p| p.range.clone());
            index.entries.push(FunctionEntry { name: header.name, linkage: header.linkage, body });
            index.headers.push(header);
        }
        index.bodies = bodies;
        Ok(index)
    }

    fn locals(&self) -> Result<&FileTables, ReadError> {
        self.locals.get_or_init(|| self.read_locals()).as_ref().map_err(Clone::clone)
    }

    /// Reads the tables, each of which refers to the preceding ones.
    fn read_locals(&self) -> Result<FileTables, ReadError> {
        let mut locals = FileTables::default();
        let strings = self.read_with(Section::Strings, &locals, read_strings)?;
        locals.set(Table::Symbols, strings);
        let decls = self.read_with(Section::Decls, &locals, |s| {
            read_table(s, |s| Ok(DeclRef::new(DeclRefData::read(s)?).as_u32()))
        })?;
        locals.set(Table::Decls, decls);
        self.read_types(&mut locals)?;
        let lowered = self.read_with(Section::LoweredTypes, &locals, |s| {
            read_table(s, |s| {
                let is_address = bool::read(s)?;
                Ok(SilType::new(Type::read(s)?, is_address).as_u32())
            })
        })?;
        locals.set(Table::LoweredTypes, lowered);
        let variables = self.read_with(Section::Variables, &locals, |s| {
            read_table(s, |s| Ok(DebugVarData::read(s)?.intern().as_u32()))
        })?;
        locals.set(Table::Variables, variables);
        let patterns = self.read_with(Section::KeyPaths, &locals, |s| {
            read_table(s, |s| Ok(KeyPathData::read(s)?.intern().as_u32()))
        })?;
        locals.set(Table::KeyPaths, patterns);
        let opcodes = self
            .read_with(Section::Instructions, &locals, |s| read_table(s, |s| Ok(read_opcode(s)? as u32)))?;
        locals.set(Table::Opcodes, opcodes);
        locals.shapes = self.read_with(Section::Shapes, &locals, read_shapes)?;
        Ok(locals)
    }

    /// Reads types and signatures, which refer to preceding entries of the same table.
    fn read_types(&self, locals: &mut FileTables) -> Result<(), ReadError> {
        let contents = self.directory.section(&self.file, Section::Types)?;
        let bytes: &[u8] = &contents.bytes;
        let fail = |damage: DecodeError| contents.error(&damage);
        let mut source = Source::new(bytes, locals);
        let count = source.count().map_err(fail)?;
        let mut at = source.position();
        let mut total = 0u64;
        for _ in 0..count {
            let mut source = Source::starting(bytes, at, locals);
            let (table, raw) = read_node(&mut source).map_err(fail)?;
            total += source.weight();
            self.check_weight(total)?;
            at = source.position();
            let entry = TableEntry { raw, weight: weight_of(source.weight()) };
            locals.push_node(table, entry);
        }
        Source::starting(bytes, at, locals).end().map_err(fail)
    }
}

fn read_node(source: &mut Source<'_, '_>) -> Result<(Table, u32), DecodeError> {
    Ok(if bool::read(source)? {
        (Table::Signatures, GenericSig::new(SigData::read(source)?).as_u32())
    } else {
        let kind = TypeKind::read(source)?;
        let is_unknown = kind == TypeKind::Unknown;
        let ty = Type::new(kind);
        if ty.is_unknown() != is_unknown {
            return Err(source.damage("a type that nests too deeply or is too large"));
        }
        (Table::Types, ty.as_u32())
    })
}

/// Returns the weight of an entry whose parts have this total weight.
fn weight_of(parts: u64) -> u32 {
    u32::try_from(parts + 1).unwrap_or(u32::MAX)
}

fn read_strings(source: &mut Source<'_, '_>) -> Result<Vec<TableEntry>, DecodeError> {
    let count = source.count()?;
    let mut lengths = Vec::with_capacity(count);
    let mut total = 0usize;
    for _ in 0..count {
        let length = source.number()?;
        total = total.saturating_add(length as usize);
        lengths.push(length as usize);
    }
    let bytes = source.take(total)?;
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(source.damage("strings that are not UTF-8"));
    };
    source.end()?;
    let mut rest = text;
    let mut strings = Vec::with_capacity(count);
    for length in lengths {
        let Some((string, after)) = rest.split_at_checked(length) else {
            return Err(source.damage("a string that ends in the middle of a character"));
        };
        strings.push(string);
        rest = after;
    }
    let entry =
        |text: &&str| TableEntry { raw: Symbol::new(text).as_u32(), weight: weight_of(text.len() as u64) };
    Ok(strings.par_iter().with_min_len(1024).map(entry).collect())
}

fn read_table(
    source: &mut Source<'_, '_>,
    entry: impl Fn(&mut Source<'_, '_>) -> Result<u32, DecodeError>,
) -> Result<Vec<TableEntry>, DecodeError> {
    let count = source.count()?;
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        let before = source.weight();
        let raw = entry(source)?;
        entries.push(TableEntry { raw, weight: weight_of(source.weight() - before) });
    }
    source.end()?;
    Ok(entries)
}

fn read_shapes(source: &mut Source<'_, '_>) -> Result<Vec<Shape>, DecodeError> {
    let count = source.count()?;
    let mut shapes = Vec::with_capacity(count);
    for _ in 0..count {
        let shape = Shape::read(source)?;
        shape.check().map_err(|what| source.damage(what))?;
        shapes.push(shape);
    }
    source.end()?;
    Ok(shapes)
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
