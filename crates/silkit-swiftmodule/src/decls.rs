//! Declarations: their names and what they are declared in. Everything is read when it is asked for.

use crate::container::{Event, Place, Record, Stream};
use crate::error::{Damage, Result};
use crate::file::SwiftModule;
use silkit_base::{FxHashMap, Symbol};
use silkit_types::{GenericSig, Type};

/// The maximum depth of types in each other, and of declarations.
pub(crate) const MAX_DEPTH: u32 = 200;
/// How many records stand before a declaration at most: its attributes.
const MAX_ATTRIBUTES: usize = 4096;

/// Decodes types, declarations and bodies of a file, and remembers what it decoded.
pub struct Decoder<'f> {
    pub(crate) file: &'f SwiftModule,
    place: Place,
    /// Types by id and by the signature that names their parameters.
    pub(crate) types: FxHashMap<(u64, u64), Type>,
    pub(crate) sigs: FxHashMap<(u64, u64), GenericSig>,
    decls: FxHashMap<u64, Decl>,
    pub(crate) depth: u32,
}

/// A declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decl {
    pub(crate) kind: DeclKind,
    pub(crate) name: Symbol,
    /// The declaration around it; 0 for none.
    pub(crate) context: u64,
    /// The names around a declaration of another module, joined by dots.
    pub(crate) path: Option<Symbol>,
    /// True for an accessor or an operator of another module.
    pub(crate) is_accessor: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeclKind {
    Type,
    Protocol,
    Alias,
    Parameter,
    Associated,
    Extension,
    Case,
    Value,
    /// The kind of accessor; the name and the context are those of its storage.
    Accessor(u8),
    Init,
    /// A declaration of another module.
    Foreign,
}

impl<'f> Decoder<'f> {
    /// Creates a decoder of a file.
    pub fn new(file: &'f SwiftModule) -> Result<Self> {
        let place = file.decls.clone().ok_or_else(|| Damage::new("the file has no declarations", 0))?;
        Ok(Self {
            file,
            place,
            types: FxHashMap::default(),
            sigs: FxHashMap::default(),
            decls: FxHashMap::default(),
            depth: 0,
        })
    }

    /// Returns a reader of the block of declarations at the position of an id in a table.
    pub(crate) fn entry(&self, table: &str, id: u64) -> Result<Stream<'f>> {
        let offsets = self.file.offsets(table);
        let at = id.checked_sub(1).and_then(|index| offsets.get(usize::try_from(index).ok()?));
        let at = at.ok_or_else(|| Damage::new(format!("id {id} is not in {table}"), self.place.start))?;
        Stream::at(self.file.bytes(), &self.place, *at)
    }

    /// Reads the next record, and returns its name.
    pub(crate) fn record(&self, stream: &mut Stream<'_>, record: &mut Record) -> Result<&'f str> {
        match stream.next(record)? {
            Event::Record => {
                let block = stream.block().unwrap_or(0);
                Ok(self.file.names().record(block, record.code).unwrap_or("?"))
            }
            _ => Err(Damage::new("a record is missing", stream.position())),
        }
    }

    pub(crate) fn symbol(&self, id: u64) -> Result<Symbol> {
        Ok(Symbol::new(self.file.identifier(id)?))
    }

    pub(crate) fn decl(&mut self, id: u64) -> Result<Decl> {
        if let Some(found) = self.decls.get(&id) {
            return Ok(*found);
        }
        let mut stream = self.entry("DECL_OFFSETS", id)?;
        let mut record = Record::default();
        let mut found = None;
        for _ in 0..MAX_ATTRIBUTES {
            let name = self.record(&mut stream, &mut record)?;
            if name == "XREF" {
                found = Some(self.foreign(&mut stream, &record)?);
                break;
            }
            if name.ends_with("_DECL") {
                found = Some(self.local(name, &record)?);
                break;
            }
        }
        let found = found.ok_or_else(|| Damage::new("a declaration is missing", stream.position()))?;
        self.decls.insert(id, found);
        Ok(found)
    }

    fn local(&mut self, kind: &str, record: &Record) -> Result<Decl> {
        let field = |at: usize| record.fields.get(at).copied().unwrap_or(0);
        // A negative number is a local context.
        let context = |at: usize| u64::try_from(field(at) as u32 as i32).unwrap_or(0);
        let decl = |kind, name, context| Ok(Decl { kind, name, context, path: None, is_accessor: false });
        use DeclKind as K;
        match kind {
            "STRUCT_DECL" | "CLASS_DECL" | "ENUM_DECL" => decl(K::Type, self.symbol(field(0))?, context(1)),
            "PROTOCOL_DECL" => decl(K::Protocol, self.symbol(field(0))?, context(1)),
            "TYPE_ALIAS_DECL" => decl(K::Alias, self.symbol(field(0))?, context(1)),
            "GENERIC_TYPE_PARAM_DECL" => decl(K::Parameter, self.symbol(field(0))?, 0),
            "ASSOCIATED_TYPE_DECL" => decl(K::Associated, self.symbol(field(0))?, context(1)),
            "VAR_DECL" => decl(K::Value, self.symbol(field(0))?, context(1)),
            "EXTENSION_DECL" => decl(K::Extension, Symbol::new(""), field(1)),
            "ENUM_ELEMENT_DECL" => decl(K::Case, self.symbol(field(8))?, context(0)),
            "FUNC_DECL" => decl(K::Value, self.symbol(field(23))?, context(0)),
            "CONSTRUCTOR_DECL" => decl(K::Init, Symbol::new("init"), context(0)),
            "SUBSCRIPT_DECL" => decl(K::Value, Symbol::new("subscript"), context(0)),
            "DESTRUCTOR_DECL" => decl(K::Value, Symbol::new("deinit"), context(0)),
            "ACCESSOR_DECL" => {
                if self.depth > MAX_DEPTH {
                    return Err(Damage::new("declarations are nested too deeply", 0));
                }
                self.depth += 1;
                let storage = self.decl(field(15));
                self.depth -= 1;
                Ok(Decl { kind: K::Accessor(field(16) as u8), ..storage? })
            }
            other => Err(Damage::new(format!("declarations of kind {other} are not supported"), 0)),
        }
    }

    /// Reads the path to a declaration of another module.
    fn foreign(&mut self, stream: &mut Stream<'_>, head: &Record) -> Result<Decl> {
        let count = head.fields.get(1).copied().unwrap_or(0);
        let mut names: Vec<&str> = Vec::new();
        let mut is_accessor = false;
        let mut record = Record::default();
        for _ in 0..count.min(64) {
            let field = |record: &Record, at: usize| record.fields.get(at).copied().unwrap_or(0);
            match self.record(stream, &mut record)? {
                "XREF_TYPE_PATH_PIECE" => names.push(self.file.identifier(field(&record, 0))?),
                "XREF_VALUE_PATH_PIECE" => names.push(self.file.identifier(field(&record, 1))?),
                "XREF_INITIALIZER_PATH_PIECE" => names.push("init"),
                "XREF_EXTENSION_PATH_PIECE" => {}
                "XREF_OPERATOR_OR_ACCESSOR_PATH_PIECE" => is_accessor = true,
                other => {
                    return Err(Damage::new(format!("a cross reference with {other}"), stream.position()));
                }
            }
        }
        let name = names.pop().unwrap_or("");
        let path = (!names.is_empty()).then(|| Symbol::new(&names.join(".")));
        Ok(Decl { kind: DeclKind::Foreign, name: Symbol::new(name), context: 0, path, is_accessor })
    }

    /// Returns the number of stored properties of the struct that a type is.
    pub(crate) fn stored_count(&mut self, ty: u64) -> Result<usize> {
        let mut stream = self.entry("TYPE_OFFSETS", ty)?;
        let mut record = Record::default();
        let kind = self.record(&mut stream, &mut record)?;
        if !matches!(kind, "NOMINAL_TYPE" | "BOUND_GENERIC_TYPE") {
            return Err(Damage::new(format!("the fields of a {kind} are not known"), stream.position()));
        }
        let decl = record.fields.first().copied().unwrap_or(0);
        let mut stream = self.entry("DECL_OFFSETS", decl)?;
        let mut is_struct = false;
        for _ in 0..MAX_ATTRIBUTES {
            match self.record(&mut stream, &mut record)? {
                "STRUCT_DECL" if !is_struct => is_struct = true,
                "MEMBERS" if is_struct => {
                    let mut count = 0;
                    for &member in &record.fields {
                        let mut stream = self.entry("DECL_OFFSETS", member)?;
                        let mut record = Record::default();
                        let kind = loop {
                            let kind = self.record(&mut stream, &mut record)?;
                            if kind == "XREF" || kind.ends_with("_DECL") {
                                break kind;
                            }
                        };
                        // Neither static nor computed.
                        let field = |at: usize| record.fields.get(at).copied().unwrap_or(0);
                        count += usize::from(kind == "VAR_DECL" && field(4) == 0 && field(12) == 0);
                    }
                    return Ok(count);
                }
                "XREF" => break,
                other if other.ends_with("_DECL") => break,
                _ => {}
            }
        }
        Err(Damage::new("the fields of a struct of another module are not known", stream.position()))
    }

    /// Returns the names of a declaration and of the types around it, outermost first.
    pub(crate) fn path(&mut self, id: u64) -> Result<Vec<Symbol>> {
        let mut names = Vec::new();
        let mut at = id;
        for _ in 0..MAX_DEPTH {
            if at == 0 {
                break;
            }
            let decl = self.decl(at)?;
            if decl.kind != DeclKind::Extension {
                names.push(decl.name);
            }
            if let Some(path) = decl.path {
                names.extend(path.as_str().split('.').rev().map(Symbol::new));
            }
            at = decl.context;
        }
        names.reverse();
        Ok(names)
    }
}
