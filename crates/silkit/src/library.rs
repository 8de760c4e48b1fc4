//! Libraries from files: serialized modules, as text or in binary form.

use crate::binary::{ReadError, Reader, is_binary};
use crate::ir::{Body, ClassRef, Function, Global, Module, VTable, WitnessTable, WitnessTableId};
use crate::read::{Unreadable, read};
use silkit_base::{FxHashMap, Symbol};
use silkit_link::LibrarySource;
use silkit_link::library::is_copyable;
use silkit_types::decl::Declarations;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Modules from which passes load declarations and bodies.
///
/// For files in binary form, headers, bodies and tables are read individually on demand.
///
/// ```
/// use silkit::{library::Library, link::LibrarySource as _};
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
    vtables: Found<Symbol, VTable>,
    witness_tables: Found<(Symbol, Symbol), WitnessTable>,
    /// The functions whose bodies are copyable for the module that uses the library.
    copyable: Found<Symbol, ()>,
}

/// What has been looked up.
type Found<K, T> = Mutex<FxHashMap<K, Option<Arc<T>>>>;

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
enum Part<'a> {
    Text {
        module: Arc<Module>,
        /// The witness tables by [`WitnessTable::lookup_paths`].
        witness_tables: OnceLock<FxHashMap<(Symbol, Symbol), WitnessTableId>>,
    },
    Binary(Arc<Reader<'a>>),
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
        self.parts.push(Part::Text { module, witness_tables: OnceLock::new() });
    }

    /// Adds a module in binary form that was already opened.
    pub fn add_reader(&mut self, reader: Arc<Reader<'a>>) {
        self.parts.push(Part::Binary(reader));
    }

    /// Checks the tables of the binary files. Otherwise their parts are read on demand, and parts that cannot be read
    /// are treated as missing.
    ///
    /// # Errors
    /// Returns an error if the tables of a file are damaged.
    pub fn check(&self) -> Result<(), LibraryError> {
        for part in &self.parts {
            if let Part::Binary(reader) = part {
                reader.check().map_err(LibraryError::Binary)?;
            }
        }
        Ok(())
    }
}

impl Part<'_> {
    fn header(&self, name: Symbol) -> Option<Function> {
        match self {
            Self::Text { module, .. } => module.functions.by_key(&name).map(Function::header),
            Self::Binary(reader) => reader.header(name).ok().flatten(),
        }
    }

    fn has_body(&self, name: Symbol) -> bool {
        match self {
            Self::Text { module, .. } => module.functions.by_key(&name).is_some_and(|f| f.body.is_some()),
            Self::Binary(reader) => reader.has_body(name.as_str()).unwrap_or_default(),
        }
    }

    fn function(&self, name: Symbol) -> Option<Function> {
        match self {
            Self::Text { module, .. } => module.functions.by_key(&name).cloned(),
            Self::Binary(reader) => reader.function(name.as_str()).ok().flatten(),
        }
    }

    fn global(&self, name: Symbol) -> Option<Global> {
        match self {
            Self::Text { module, .. } => {
                let global = module.globals.by_key(&name)?;
                Some(Global { attributes: global.attributes.clone(), initializer: None, ..*global })
            }
            Self::Binary(reader) => reader.global(name.as_str()).ok().flatten(),
        }
    }

    fn vtable(&self, class: Symbol) -> Option<VTable> {
        match self {
            Self::Text { module, .. } => module.vtables.by_key(&ClassRef::Name(class)).cloned(),
            Self::Binary(reader) => reader.vtable(class.as_str()).ok().flatten(),
        }
    }

    fn witness_table(&self, ty: Symbol, protocol: Symbol) -> Option<WitnessTable> {
        match self {
            Self::Text { module, witness_tables } => {
                let index = witness_tables.get_or_init(|| by_conformance(module));
                index.get(&(ty, protocol)).map(|&id| module.witness_tables[id].clone())
            }
            Self::Binary(reader) => reader.witness_table(ty.as_str(), protocol.as_str()).ok().flatten(),
        }
    }
}

/// Returns the witness tables by [`WitnessTable::lookup_paths`].
fn by_conformance(module: &Module) -> FxHashMap<(Symbol, Symbol), WitnessTableId> {
    let mut index = FxHashMap::default();
    for (id, table) in module.witness_tables.iter() {
        if let Some(paths) = table.lookup_paths() {
            index.entry(paths).or_insert(id);
        }
    }
    index
}

/// Returns what has been looked up, or looks it up.
fn find<K: Hash + Eq, T>(found: &Found<K, T>, key: K, look_up: impl FnOnce() -> Option<T>) -> Option<Arc<T>> {
    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
    found.entry(key).or_insert_with(|| look_up().map(Arc::new)).clone()
}

impl LibrarySource for Library<'_> {
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

    fn has_body(&self, name: Symbol) -> bool {
        self.parts.iter().any(|part| part.has_body(name))
    }

    fn function(&self, name: Symbol) -> Option<Function> {
        self.parts
            .iter()
            .find(|part| part.has_body(name))
            .and_then(|part| part.function(name))
            .filter(has_blocks)
    }

    fn is_copyable(&self, name: Symbol, declarations: &Declarations) -> bool {
        let look_up = || is_copyable(self, name, declarations).then_some(());
        find(&self.copyable, name, look_up).is_some()
    }

    fn global(&self, name: Symbol) -> Option<Global> {
        self.parts.iter().find_map(|part| part.global(name))
    }

    fn witness_table(&self, ty: Symbol, protocol: Symbol) -> Option<Arc<WitnessTable>> {
        let look_up = || self.parts.iter().find_map(|part| part.witness_table(ty, protocol));
        find(&self.witness_tables, (ty, protocol), look_up)
    }

    fn vtable(&self, class: Symbol) -> Option<Arc<VTable>> {
        find(&self.vtables, class, || self.parts.iter().find_map(|part| part.vtable(class)))
    }
}

fn has_blocks(function: &Function) -> bool {
    function.body.as_ref().is_some_and(|body: &Body| body.entry_block().is_some())
}
