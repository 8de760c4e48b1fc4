//! Declaration tables by path, and the trait for sources of declarations.

use super::initial::InitialValue;
use super::model::{AliasDecl, DeclBody, DeclFlags, ExtensionDecl, Member, NominalDecl};
use crate::kind::{Type, TypeKind};
use silkit_base::{FxHashSet, FxHasher, Symbol, TextRange};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

pub(crate) type FxMap<K, V> = HashMap<K, V, BuildHasherDefault<FxHasher>>;

/// The declarations of one module at one path.
#[derive(Clone, Debug, Default)]
pub struct DeclEntry {
    /// The type declared there.
    pub nominal: Option<NominalDecl>,
    /// The top-level alias declared there.
    pub alias: Option<AliasDecl>,
    /// The extensions of the type.
    pub extensions: Vec<ExtensionDecl>,
}

impl DeclEntry {
    /// Returns the isolated conformances that the type and its extensions declare: the global actor and the protocol of
    /// each.
    pub fn isolated_conformances(&self) -> impl Iterator<Item = &(Symbol, Type)> {
        let own = self.nominal.iter().map(|decl| &decl.isolated);
        own.chain(self.extensions.iter().map(|extension| &extension.isolated)).flatten()
    }
}

/// A source of declarations.
pub trait DeclSource: Send + Sync {
    /// Returns the entry at a dotted path.
    fn entry(&self, path: Symbol) -> Option<&DeclEntry>;

    /// Returns true if this is the name of a module whose declarations are all in this source.
    fn has_module(&self, name: Symbol) -> bool;
}

/// An import of a part of a module: `import struct Swift.Int`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialImport {
    /// The kind of declaration, if it is spelled.
    pub kind: Option<Symbol>,
    /// The names, that of the module first.
    pub path: Box<[Symbol]>,
    /// True for a `@testable` import.
    pub is_testable: bool,
    /// The position in the joined Swift text.
    pub at: TextRange,
}

/// The declarations of one module.
#[derive(Clone, Debug, Default)]
pub struct DeclTable {
    entries: FxMap<Symbol, DeclEntry>,
    /// The paths in order of first mention, for deterministic output.
    order: Vec<Symbol>,
    /// The name of the module, if known.
    pub module: Option<Symbol>,
    /// True if a compiler printed the module, with types under names that they share with those of other modules.
    pub is_printed_by_compiler: bool,
    /// True if types are spelled as a compiler prints them: nested ones with their whole path, others without their module.
    pub spells_whole_paths: bool,
    /// The names of types of other modules and of functions that the compiler prints like types of the top level: such a
    /// name does not say which type is meant.
    pub declared_elsewhere: FxHashSet<Symbol>,
    /// True if the declarations are those of a SIL file that states its stage, not of a part of one.
    pub is_whole_file: bool,
    /// True if the module is of Embedded Swift, whose library differs.
    pub is_embedded: bool,
    /// The imported modules, as spelled.
    pub imports: Vec<Symbol>,
    /// The imports that name a part of a module, and those with `@testable`.
    pub partial_imports: Vec<PartialImport>,
    /// The names of top-level aliases that are declared again.
    pub repeated_aliases: Vec<Symbol>,
    /// Top-level functions, variables, operators and macros.
    pub top_level: Vec<Member>,
    /// The initial values of properties without a stated type, until [`super::Declarations`] infers the types.
    pub initial_values: Vec<InitialValue>,
    /// Declarations that are not allowed where they are, or with their modifiers: a position in the joined Swift
    /// text, and what is wrong.
    pub misplaced: Vec<(TextRange, String)>,
    /// The attributes that the language does not define, with their positions: those of macros, property wrappers and global
    /// actors, which are types and macros of some module.
    pub custom_attributes: Vec<(TextRange, Symbol)>,
}

impl DeclTable {
    /// Creates a table without declarations.
    pub fn new() -> Self {
        Self::default()
    }

    fn entry_mut(&mut self, path: Symbol) -> &mut DeclEntry {
        let order = &mut self.order;
        self.entries.entry(path).or_insert_with(|| {
            order.push(path);
            DeclEntry::default()
        })
    }

    /// Adds a nominal type. A second one at the same path makes the path ambiguous.
    pub fn add_nominal(&mut self, decl: NominalDecl) {
        let entry = self.entry_mut(decl.path);
        match &mut entry.nominal {
            Some(first) => first.flags |= DeclFlags::AMBIGUOUS,
            none => *none = Some(decl),
        }
    }

    /// Adds an extension of the type at a path.
    pub fn add_extension(&mut self, path: Symbol, extension: ExtensionDecl) {
        self.entry_mut(path).extensions.push(extension);
    }

    /// Adds a top-level alias.
    pub fn add_alias(&mut self, alias: AliasDecl) {
        let entry = self.entry_mut(alias.name);
        if entry.alias.is_some() {
            self.repeated_aliases.push(alias.name);
        } else {
            entry.alias = Some(alias);
        }
    }

    /// Returns the entry at a path.
    pub fn get(&self, path: Symbol) -> Option<&DeclEntry> {
        self.entries.get(&path)
    }

    /// Returns all paths with their entries, in source order.
    pub fn entries(&self) -> impl Iterator<Item = (Symbol, &DeclEntry)> {
        self.order.iter().filter_map(|&p| Some((p, self.entries.get(&p)?)))
    }

    /// Returns all nominal types, in source order.
    pub fn nominals(&self) -> impl Iterator<Item = &NominalDecl> {
        self.entries().filter_map(|(_, e)| e.nominal.as_ref())
    }

    /// Replaces the types of stored properties and payloads. `f` receives the names of the generic parameters in
    /// scope and the type.
    pub fn map_stored_types(&mut self, mut f: impl FnMut(&[Symbol], Type) -> Type) {
        let names: Vec<_> = self.entries.keys().map(|&path| self.generic_names(path)).collect();
        for (entry, names) in self.entries.values_mut().zip(&names) {
            let extended = entry.extensions.iter_mut().map(|e| &mut e.body);
            for body in entry.nominal.iter_mut().map(|n| &mut n.body).chain(extended) {
                body.fields.iter_mut().for_each(|field| field.ty = f(names, field.ty));
                let payloads = body.cases.iter_mut().filter_map(|case| case.payload.as_mut());
                payloads.for_each(|ty| *ty = f(names, *ty));
            }
        }
    }

    /// Makes all positions those in a text that begins `offset` bytes later.
    pub fn move_back(&mut self, offset: usize) {
        let back = |range: &mut TextRange| *range = range.moved_back(offset);
        // All fields are named, so that those with positions are not forgotten.
        let Self {
            entries,
            order: _,
            module: _,
            is_printed_by_compiler: _,
            spells_whole_paths: _,
            declared_elsewhere: _,
            is_whole_file: _,
            is_embedded: _,
            imports: _,
            partial_imports,
            repeated_aliases: _,
            top_level,
            initial_values: _,
            misplaced,
            custom_attributes,
        } = self;
        for entry in entries.values_mut() {
            let extended = entry.extensions.iter_mut().map(|e| (&mut e.range, &mut e.body));
            let own = entry.nominal.iter_mut().map(|n| (&mut n.range, &mut n.body));
            for (range, body) in own.chain(extended) {
                back(range);
                body.members.iter_mut().for_each(|member| back(&mut member.signature));
                for field in body.fields.iter_mut() {
                    back(&mut field.introducer);
                    back(&mut field.name_range);
                }
            }
        }
        partial_imports.iter_mut().for_each(|import| back(&mut import.at));
        top_level.iter_mut().for_each(|member| back(&mut member.signature));
        misplaced.iter_mut().for_each(|(range, _)| back(range));
        custom_attributes.iter_mut().for_each(|(range, _)| back(range));
    }

    /// Returns the bodies of a type and its extensions, mutably.
    pub(super) fn bodies_mut(&mut self, path: Symbol) -> impl Iterator<Item = &mut DeclBody> {
        self.entries.get_mut(&path).into_iter().flat_map(|entry| {
            let extended = entry.extensions.iter_mut().map(|e| &mut e.body);
            entry.nominal.iter_mut().map(|n| &mut n.body).chain(extended)
        })
    }

    /// Returns the names of the generic parameters of the type at a path and of its enclosing types.
    fn generic_names(&self, path: Symbol) -> Vec<Symbol> {
        let mut names = Vec::new();
        let mut enclosing = Some(path.as_str());
        while let Some(path) = enclosing {
            let sig = self.get(Symbol::new(path)).and_then(|entry| entry.nominal.as_ref()?.sig);
            names.extend(sig.iter().flat_map(|sig| sig.data().params.iter().map(|p| p.name)));
            enclosing = path.rsplit_once('.').map(|(outer, _)| outer);
        }
        names
    }

    /// Removes and returns the entry of a path.
    pub fn take(&mut self, path: Symbol) -> Option<DeclEntry> {
        self.entries.remove(&path)
    }

    /// Moves the members of an extension of an alias (`extension Alias { struct Index {} }`) to the aliased type, once
    /// all aliases are known.
    pub fn follow_aliases(&mut self) {
        let target = |table: &Self, path: Symbol| -> Option<String> {
            let (first, rest) = path.as_str().split_once('.').unwrap_or((path.as_str(), ""));
            let entry = table.get(Symbol::new(first))?;
            let alias = entry.alias.filter(|_| entry.nominal.is_none())?;
            let found = table.alias_target(alias.target)?;
            let is_new = found != path.as_str() && found != first;
            is_new.then(|| if rest.is_empty() { found.clone() } else { format!("{found}.{rest}") })
        };
        for path in self.order.clone() {
            let Some(new) = target(self, path) else { continue };
            let new = Symbol::new(&new);
            let Some(entry) = self.entries.get_mut(&path) else { continue };
            let extensions = std::mem::take(&mut entry.extensions);
            if let Some(mut nominal) = entry.nominal.take() {
                nominal.path = new;
                self.add_nominal(nominal);
            }
            for extension in extensions {
                self.add_extension(new, extension);
            }
        }
    }

    /// Returns the dotted path that an alias denotes, without a module qualifier.
    fn alias_target(&self, ty: Type) -> Option<String> {
        let TypeKind::Named(n) = ty.kind() else { return None };
        let Some(parent) = n.parent else { return Some(n.name.to_string()) };
        let outer = self.alias_target(parent)?;
        let is_module = !self.entries.contains_key(&Symbol::new(&outer))
            && (self.module.is_some_and(|m| m == *outer) || self.imports.iter().any(|m| *m == *outer));
        Some(if is_module { n.name.to_string() } else { format!("{outer}.{}", n.name) })
    }

    /// Appends the declarations of another file of the same module.
    pub fn append(&mut self, other: DeclTable) {
        let DeclTable {
            mut entries,
            order,
            module,
            is_printed_by_compiler,
            spells_whole_paths,
            declared_elsewhere,
            is_whole_file,
            is_embedded,
            imports,
            partial_imports,
            repeated_aliases,
            top_level,
            initial_values,
            misplaced,
            custom_attributes,
        } = other;
        self.custom_attributes.extend(custom_attributes);
        self.misplaced.extend(misplaced);
        self.is_printed_by_compiler |= is_printed_by_compiler;
        self.spells_whole_paths |= spells_whole_paths;
        self.declared_elsewhere.extend(declared_elsewhere);
        self.is_whole_file |= is_whole_file;
        self.is_embedded |= is_embedded;
        self.initial_values.extend(initial_values);
        self.module = self.module.or(module);
        self.imports.extend(imports);
        self.partial_imports.extend(partial_imports);
        self.repeated_aliases.extend(repeated_aliases);
        self.top_level.extend(top_level);
        for path in order {
            let Some(entry) = entries.remove(&path) else { continue };
            if let Some(nominal) = entry.nominal {
                self.add_nominal(nominal);
            }
            if let Some(alias) = entry.alias {
                self.add_alias(alias);
            }
            for extension in entry.extensions {
                self.add_extension(path, extension);
            }
        }
    }
}

impl DeclSource for DeclTable {
    fn entry(&self, path: Symbol) -> Option<&DeclEntry> {
        self.get(path)
    }

    fn has_module(&self, name: Symbol) -> bool {
        self.module == Some(name)
    }
}
