//! Loading of the modules that programs are linked with.

use crate::library;
use crate::session::Session;
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
    folder: Option<PathBuf>,
    /// The modules that were read from the library directory, by name.
    known: BTreeMap<String, Arc<ProgramModule>>,
}

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
        let folder = library::folder().filter(|_| !args.no_libraries);
        Some(Self { given, library, folder, known: BTreeMap::new() })
    }

    /// Takes the library of the modules named on the command line, for passes; `None` if there are none.
    pub(crate) fn take_library(&mut self) -> Option<Library<'static>> {
        self.library.take()
    }

    /// Returns the modules that a program imports: those named on the command line, then those in the library
    /// directory.
    pub(crate) fn libraries_of(
        &mut self,
        session: &mut Session,
        main: &Module,
    ) -> Option<Vec<Arc<ProgramModule>>> {
        let mut names = imports(main);
        self.given.iter().for_each(|library| names.extend(imports(&library.info.sil)));
        let mut modules = self.given.clone();
        let mut at = 0;
        while let (Some(folder), Some(name)) = (&self.folder, names.get(at).cloned()) {
            at += 1;
            let path = folder.join(format!("{name}.sib"));
            if modules.iter().any(|m| m.info.name == name.as_str()) {
                continue;
            }
            let library = match self.known.get(&name) {
                Some(known) => known.clone(),
                None if path.is_file() => {
                    let read = Arc::new(linked(session, &path, Some(&name))?.0);
                    self.known.entry(name).or_insert(read).clone()
                }
                None => continue,
            };
            names.extend(imports(&library.info.sil));
            modules.push(library);
        }
        Some(modules)
    }
}

/// Reads a module to link with. The returned reader loads the functions of a binary module when they are first called.
fn linked(
    session: &mut Session,
    path: &Path,
    name: Option<&str>,
) -> Option<(ProgramModule, Option<Arc<Reader<'static>>>)> {
    let (module, reader) = session.load_without_bodies(path)?;
    let name = name.map_or_else(|| name_of(&module, path), str::to_owned);
    Some(match reader.map(Arc::new) {
        Some(reader) => {
            let shared = reader.clone();
            let read = move |id: FunctionId| shared.function_at(id.as_u32() as usize).ok().flatten();
            (ProgramModule::with_bodies(&name, module, Box::new(read)), Some(reader))
        }
        None => (ProgramModule::new(&name, module), None),
    })
}

/// Returns the name of the Swift module that SIL in a file belongs to.
pub(crate) fn name_of(module: &Module, path: &Path) -> String {
    library::module_name(module, path)
}

/// Returns the names of the modules that a module imports.
fn imports(module: &Module) -> Vec<String> {
    let lines = module.swift.iter().flat_map(|s| s.text.lines());
    lines.filter_map(|line| line.split_once("import ")).map(|(_, name)| name.trim().to_owned()).collect()
}
