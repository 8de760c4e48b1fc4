//! Libraries from files: serialized modules, as text or in binary form.

use crate::binary::{ReadError, Reader, is_binary};
use crate::ir::{
    Body, ClassRef, Conformance, Function, Global, Module, VTable, WitnessTable, WitnessTableId,
    WitnessTableOf,
};
use crate::pass;
use crate::read::{Unreadable, read};
use silkit_base::{FxHashMap, Symbol};
use silkit_types::{Type, TypeKind};
use std::sync::{Arc, OnceLock};

/// Modules from which passes load declarations and bodies.
///
/// For files in binary form, tables, headers and bodies are read individually on demand.
///
/// ```
/// use silkit::{library::Library, pass::LibrarySource as _};
/// let text = "sil non_abi @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
/// let files = [("lib.sil", text.as_bytes())];
/// let library = Library::new(files)?;
/// assert!(library.function("f".into()).is_some_and(|function| function.body.is_some()));
/// assert!(library.function("g".into()).is_none());
/// # Ok::<(), silkit::library::LibraryError>(())
/// ```
#[derive(Debug, Default)]
pub struct Library<'a> {
    parts: Vec<Part<'a>>,
}

/// The reason why a file cannot be used as a library.
#[derive(Debug)]
pub enum LibraryError {
    /// The text has errors.
    Text(Unreadable),
    /// The binary form is damaged.
    Binary(ReadError),
}

impl std::fmt::Display for LibraryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(error) => error.fmt(f),
            Self::Binary(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LibraryError {}

/// One module.
#[derive(Debug)]
struct Part<'a> {
    source: Source<'a>,
    index: OnceLock<FxHashMap<(Symbol, Symbol), WitnessTableId>>,
}

#[derive(Debug)]
enum Source<'a> {
    Text(Arc<Module>),
    Binary(Arc<Reader<'a>>, Box<OnceLock<Module>>),
}

impl<'a> Library<'a> {
    /// Creates a library of files, each with its name. Each entity is taken from the first file that has it.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn new<'n>(files: impl IntoIterator<Item = (&'n str, &'a [u8])>) -> Result<Self, LibraryError> {
        let mut library = Self::default();
        for (name, bytes) in files {
            match is_binary(bytes) {
                true => library.add_reader(Arc::new(Reader::open(bytes).map_err(LibraryError::Binary)?)),
                false => library.add_module(Arc::new(read(name, bytes).map_err(LibraryError::Text)?)),
            }
        }
        Ok(library)
    }

    /// Adds a module that was already read.
    pub fn add_module(&mut self, module: Arc<Module>) {
        self.parts.push(Part { source: Source::Text(module), index: OnceLock::new() });
    }

    /// Adds a module in binary form that was already opened.
    pub fn add_reader(&mut self, reader: Arc<Reader<'a>>) {
        let source = Source::Binary(reader, Box::default());
        self.parts.push(Part { source, index: OnceLock::new() });
    }

    /// Checks the tables of the binary files. Otherwise their parts are read on demand, and parts that cannot be read
    /// are treated as missing.
    ///
    /// # Errors
    /// Returns an error if the tables of a file are damaged.
    pub fn check(&self) -> Result<(), LibraryError> {
        for part in &self.parts {
            if let Source::Binary(reader, _) = &part.source {
                reader.check().map_err(LibraryError::Binary)?;
            }
        }
        Ok(())
    }
}

impl Part<'_> {
    /// Returns the module with its tables. It contains functions only if it was parsed from text.
    fn tables(&self) -> &Module {
        match &self.source {
            Source::Text(module) => module,
            Source::Binary(reader, tables) => tables.get_or_init(|| reader.tables().unwrap_or_default()),
        }
    }

    fn header(&self, name: Symbol) -> Option<Function> {
        match &self.source {
            Source::Text(module) => module.functions.by_key(&name).map(Function::header),
            Source::Binary(reader, _) => reader.header(name).ok().flatten(),
        }
    }

    fn function(&self, name: Symbol) -> Option<Function> {
        match &self.source {
            Source::Text(module) => module.functions.by_key(&name).cloned(),
            Source::Binary(reader, _) => reader.function(name.as_str()).ok().flatten(),
        }
    }

    /// Returns the witness tables with entries, by the paths of type and protocol.
    fn index(&self) -> &FxHashMap<(Symbol, Symbol), WitnessTableId> {
        self.index.get_or_init(|| {
            let mut index = FxHashMap::default();
            for (id, table) in self.tables().witness_tables.iter() {
                let WitnessTableOf::Conformance(Conformance::Normal { ty, protocol, .. }) = &table.of else {
                    continue;
                };
                if let (Some(ty), Some(protocol), true) =
                    (path_of(*ty), path_of(*protocol), table.entries.is_some())
                {
                    index.entry((ty, protocol)).or_insert(id);
                }
            }
            index
        })
    }
}

/// Returns the path of a nominal type, without generic arguments.
fn path_of(ty: Type) -> Option<Symbol> {
    match ty.kind() {
        TypeKind::Named(named) => match named.parent {
            Some(parent) => Some(Symbol::new(&format!("{}.{}", path_of(parent)?, named.name))),
            None => Some(named.name),
        },
        _ => None,
    }
}

impl pass::LibrarySource for Library<'_> {
    fn header(&self, name: Symbol) -> Option<Function> {
        let mut found = self.parts.iter().filter_map(|part| part.header(name));
        let first = found.next()?;
        // Prefer a definition to a declaration.
        Some(if first.body.is_some() {
            first
        } else {
            found.find(|other| other.body.is_some()).unwrap_or(first)
        })
    }

    fn function(&self, name: Symbol) -> Option<Function> {
        let has_body = |part: &&Part<'_>| part.header(name).is_some_and(|function| function.body.is_some());
        self.parts.iter().find(has_body).and_then(|part| part.function(name)).filter(has_blocks)
    }

    fn global(&self, name: Symbol) -> Option<Global> {
        let global = self.parts.iter().find_map(|part| part.tables().globals.by_key(&name))?;
        Some(Global { attributes: global.attributes.clone(), initializer: None, ..*global })
    }

    fn witness_table(&self, ty: Symbol, protocol: Symbol) -> Option<&WitnessTable> {
        self.parts
            .iter()
            .find_map(|part| part.index().get(&(ty, protocol)).map(|&id| &part.tables().witness_tables[id]))
    }

    fn vtable(&self, class: Symbol) -> Option<&VTable> {
        self.parts.iter().find_map(|part| part.tables().vtables.by_key(&ClassRef::Name(class)))
    }
}

fn has_blocks(function: &Function) -> bool {
    function.body.as_ref().is_some_and(|body: &Body| body.entry_block().is_some())
}
