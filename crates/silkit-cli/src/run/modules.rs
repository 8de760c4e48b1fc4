//! Loading of the modules that programs are linked with.

use crate::library::{self, Directory};
use crate::session::Session;
use silkit::base::Symbol;
use silkit::binary::Reader;
use silkit::ir::{FunctionId, Module};
use silkit::library::Library;
use silkit_interp::ProgramModule;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The options that select modules.
#[derive(clap::Args)]
pub(crate) struct LibraryArgs {
    /// Link with the module in FILE, which overrides one in the library directory; may be repeated
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    library: Vec<PathBuf>,
    /// Do not use the library directory
    #[arg(long)]
    no_libraries: bool,
}

/// A linker that finds the modules that programs import, and reads each of them once.
pub(crate) struct Linker {
    given: Vec<Arc<ProgramModule>>,
    /// The modules in `given` as a library for passes.
    library: Option<Library<'static>>,
    folder: Option<Directory>,
    /// The modules that were read from the library directory, by name.
    known: BTreeMap<String, Arc<ProgramModule>>,
    /// The modules that the last program imports and that are neither given nor in the library directory.
    missing: Vec<String>,
    /// The names of the modules of the last program.
    linked: Vec<Symbol>,
}

/// Modules without SIL: what they declare is built in.
const BUILT_IN: [&str; 2] = ["Builtin", "SwiftShims"];

impl Linker {
    /// Reads the modules named on the command line. Records errors, and returns `None` for them.
    pub(crate) fn new(session: &mut Session, args: &LibraryArgs) -> Option<Self> {
        let mut given = Vec::new();
        let mut for_passes = Library::default();
        for path in &args.library {
            let (module, reader) = linked(session, path, None)?;
            match reader {
                Some(reader) => for_passes.add_reader(reader),
                None => for_passes.add_module(module.info.sil.clone()),
            }
            given.push(Arc::new(module));
        }
        let library = match given.is_empty() {
            true => None,
            false => Some(session.checked_library(Ok(for_passes))?),
        };
        let folder = Directory::of_user().filter(|_| !args.no_libraries);
        Some(Self { given, library, folder, known: BTreeMap::new(), missing: Vec::new(), linked: Vec::new() })
    }

    /// Takes the library of the modules named on the command line, for passes; `None` if there are none.
    pub(crate) fn take_library(&mut self) -> Option<Library<'static>> {
        self.library.take()
    }

    /// Returns the modules that a program needs: those named on the command line, then those in the library directory
    /// that the program or one of these modules imports, or whose symbols or types the program mentions.
    pub(crate) fn libraries_of(
        &mut self,
        session: &mut Session,
        main: &ProgramModule,
    ) -> Option<Vec<Arc<ProgramModule>>> {
        self.missing.clear();
        let mut linked = self.given.clone();
        let mut names = imports(&main.info.sil);
        self.given.iter().for_each(|library| names.extend(imports(&library.info.sil)));
        self.link(session, names, &mut linked)?;
        let available = self.folder.as_ref().and_then(|folder| folder.names().ok()).unwrap_or_default();
        let mut others: Vec<String> = available
            .into_iter()
            .filter(|name| {
                name != main.info.name.as_str() && !linked.iter().any(|l| l.info.name == name.as_str())
            })
            .collect();
        let given = self.given.clone();
        let programs = || std::iter::once(main).chain(given.iter().map(Arc::as_ref));
        let mentioned =
            others.iter().filter(|name| programs().any(|p| silkit_interp::mentions(&p.info.sil, name)));
        let mentioned = mentioned.cloned().collect();
        self.link(session, mentioned, &mut linked)?;
        // What is left are types of which the program mentions no function.
        let mut types = silkit_interp::undeclared_types(main, &linked);
        others.retain(|name| !linked.iter().any(|l| l.info.name == name.as_str()));
        for name in &others {
            if types.is_empty() {
                break;
            }
            let module = self.module(session, name)??;
            let has = |ty: &Symbol| ty.as_str() == name || module.declares(*ty);
            if types.iter().any(has) {
                types.retain(|ty| !has(ty));
                self.link(session, vec![name.clone()], &mut linked)?;
            }
        }
        self.linked = linked.iter().map(|module| module.info.name).chain([main.info.name]).collect();
        Some(linked)
    }

    /// Returns the modules that the last program imports and that are neither given nor in the library directory.
    pub(crate) fn missing(&self) -> MissingModules {
        let folder = self.folder.as_ref().map(|folder| folder.path().to_owned());
        MissingModules { names: self.missing.clone(), linked: self.linked.clone(), folder }
    }

    /// Links modules of the library directory, and the modules that they import.
    fn link(
        &mut self,
        session: &mut Session,
        mut names: Vec<String>,
        linked: &mut Vec<Arc<ProgramModule>>,
    ) -> Option<()> {
        let mut at = 0;
        while let Some(name) = names.get(at).cloned() {
            at += 1;
            if BUILT_IN.contains(&name.as_str()) || linked.iter().any(|m| m.info.name == name.as_str()) {
                continue;
            }
            match self.module(session, &name)? {
                Some(library) => {
                    names.extend(imports(&library.info.sil));
                    linked.push(library);
                }
                None if self.missing.contains(&name) => {}
                None => self.missing.push(name),
            }
        }
        Some(())
    }

    /// Returns a module of the library directory; the inner `None` means that it is not there. Records errors, and
    /// returns `None` for them.
    #[expect(clippy::option_option, reason = "an error is reported, a missing module is not")]
    fn module(&mut self, session: &mut Session, name: &str) -> Option<Option<Arc<ProgramModule>>> {
        if let Some(known) = self.known.get(name) {
            return Some(Some(known.clone()));
        }
        let path = self.folder.as_ref().and_then(|folder| folder.file(name));
        let Some(path) = path.filter(|path| path.is_file()) else { return Some(None) };
        let read = Arc::new(linked(session, &path, Some(name))?.0);
        self.known.insert(name.to_owned(), read.clone());
        Some(Some(read))
    }
}

/// The modules that a program imports and that are not linked.
pub(crate) struct MissingModules {
    names: Vec<String>,
    linked: Vec<Symbol>,
    /// The library directory; `None` if it is not used.
    folder: Option<PathBuf>,
}

impl MissingModules {
    /// Returns the module that has what a program needs: the module of the symbol, or the most likely one for a type.
    pub(crate) fn module_of(&self, symbol: Option<Symbol>) -> Option<&str> {
        let Some(symbol) = symbol.map(Symbol::as_str) else {
            let swift = self.names.iter().find(|name| *name == "Swift");
            return swift.or(self.names.first()).map(String::as_str);
        };
        let own = silkit_interp::module_of_symbol(symbol);
        let own = own.filter(|name| !self.linked.iter().any(|linked| linked.as_str() == *name));
        // The symbol of an extension begins with the module of the extended type.
        let extending = || self.names.iter().find(|name| symbol.contains(&format!("{}{name}E", name.len())));
        own.or_else(|| extending().map(String::as_str))
    }

    /// Returns the error message and the hint for a missing module.
    pub(crate) fn message(&self, name: &str) -> (String, String) {
        let message = match &self.folder {
            Some(folder) => {
                format!(
                    "the program needs the module `{name}`, which is not in the library directory `{}`",
                    folder.display()
                )
            }
            None => format!("the program needs the module `{name}`, which is not linked"),
        };
        let hint = match () {
            () if self.folder.is_none() => {
                format!(
                    "link it with `--library {name}.sib`, or use the library directory, without `--no-libraries`"
                )
            }
            () if library::is_buildable(name) => library::HOW_TO_BUILD.to_owned(),
            () => format!(
                "add the SIL of its sources (`swiftc -emit-sil -module-name {name}`) with `silkit library add {name}.sil`"
            ),
        };
        (message, hint)
    }
}

/// Reads a module to link with. The returned reader loads the functions of a binary module when they are first called.
fn linked(
    session: &mut Session,
    path: &Path,
    name: Option<&str>,
) -> Option<(ProgramModule, Option<Arc<Reader<'static>>>)> {
    let (module, reader) = session.load_without_bodies(path)?;
    let name = name.map_or_else(|| library::module_name(&module, path), str::to_owned);
    Some(match reader.map(Arc::new) {
        Some(reader) => {
            let shared = reader.clone();
            let read = move |id: FunctionId| shared.function_at(id.as_u32() as usize).ok().flatten();
            (ProgramModule::with_bodies(&name, module, Box::new(read)), Some(reader))
        }
        None => (ProgramModule::new(&name, module), None),
    })
}

/// Returns the module of a program in a file.
pub(crate) fn program(module: Module, path: &Path) -> ProgramModule {
    ProgramModule::new(&library::module_name(&module, path), module)
}

/// Returns the names of the modules that a module imports.
fn imports(module: &Module) -> Vec<String> {
    let lines = module.swift.iter().flat_map(|s| s.text.lines());
    lines.filter_map(|line| line.split_once("import ")).map(|(_, name)| name.trim().to_owned()).collect()
}
