//! Loading and checking of input files, or of standard input for `-`.

use crate::codes::{NO_FUNCTION, UNREADABLE};
use crate::foreign;
use crate::output::{self, counted};
use crate::run::entry::Refusal;
use crate::session::Session;
use rayon::prelude::*;
use silkit::binary::{ReadError, Reader, is_binary, write_module_of};
use silkit::diag::{Diagnostic, Severity, SourceFile, SourceMap, nearest};
use silkit::ir::{FunctionId, Module};
use silkit::library::{Library, LibraryError};
use silkit::names::{FunctionNames, Unresolved};
use silkit::swiftmodule::{Damage, SwiftModule, is_swift_module};
use silkit::text::{FileLocations, MappedText, ModuleSourceMap, SyntaxError, parse_module_with};
use silkit::types::decl::{DeclTable, Declarations};
use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The maximum size of a text: source offsets have 32 bits.
const MAX_BYTES: u64 = u32::MAX as u64;

/// The size of the parts of a file that are read in parallel.
const PART: usize = 4 << 20;

/// True if standard input was read: it would be empty from then on.
static STANDARD_WAS_READ: AtomicBool = AtomicBool::new(false);

/// A module that was loaded without errors.
pub(crate) struct Input {
    /// The text of the module; `None` for a binary file.
    pub(crate) text: Option<String>,
    /// The positions of the module's entities in the text.
    pub(crate) source_map: ModuleSourceMap,
    /// The path of the text; the binary form records it.
    pub(crate) source: String,
    /// The size of the file in bytes.
    pub(crate) size: usize,
    /// The loaded module.
    pub(crate) module: Module,
    /// The declarations of the module, if its parser knows them.
    declared: Option<DeclTable>,
}

impl Input {
    /// Returns the declarations visible to the loaded module, with those of libraries. To be called once: the second time
    /// they are parsed again.
    pub(crate) fn declarations(&mut self, libraries: &[Arc<DeclTable>]) -> Declarations {
        silkit::declarations_of(&self.module, self.declared.take(), libraries)
    }

    /// Returns the text with the positions of its entities.
    pub(crate) fn mapped_text(&self) -> Option<MappedText<'_>> {
        Some(MappedText { text: self.text.as_deref()?, map: &self.source_map })
    }

    /// Returns the text as a source file, to look up positions in it.
    pub(crate) fn source_file(&self) -> Option<SourceFile<'static>> {
        let mut files = SourceMap::new();
        let id = files.add(self.source.as_str(), self.text.clone()?).ok()?;
        files.file(id).cloned()
    }

    /// Sets the locations of instructions to their positions in the text, for printing with debug info.
    pub(crate) fn locate_in_file(&mut self) -> Option<Arc<FileLocations>> {
        let file = self.source_file()?;
        Some(Arc::new(FileLocations::assign(&mut self.module, &self.source_map, &file)))
    }
}

/// The reason why a file cannot be used, and a hint.
struct Unusable(String, String);

impl Session {
    /// Reads a module in text or binary form. Records errors, and returns `None` for them.
    pub(crate) fn load(&mut self, path: &Path) -> Option<Input> {
        self.progress.begin(&name_of(path));
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(unusable) => return self.unusable(unusable),
        };
        if is_swift_module(&bytes) {
            return self.load_swift_module(path, bytes);
        }
        if !is_binary(&bytes) {
            return self.parse_bytes(path, bytes);
        }
        let read = Reader::open(&bytes).and_then(|r| Ok((r.module()?, r.source().to_owned())));
        match read {
            Ok((module, source)) => {
                let source = if source.is_empty() { name_of(path) } else { source };
                let source_map = ModuleSourceMap::default();
                Some(Input { text: None, source_map, source, size: bytes.len(), module, declared: None })
            }
            Err(error) => self.unusable(damaged(path, &error)),
        }
    }

    /// Reads a module to link with. A binary module has empty function bodies, and is returned with the [`Reader`] that
    /// loads them. Records errors, and returns `None` for them.
    pub(crate) fn load_without_bodies(&mut self, path: &Path) -> Option<(Module, Option<Reader<'static>>)> {
        self.progress.begin(&name_of(path));
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(unusable) => return self.unusable(unusable),
        };
        if !is_binary(&bytes) {
            return self.parse_bytes(path, bytes).map(|input| (input.module, None));
        }
        let read = Reader::open(bytes).and_then(|reader| Ok((reader.without_bodies()?, Some(reader))));
        match read {
            Ok(module) => Some(module),
            Err(error) => self.unusable(damaged(path, &error)),
        }
    }

    /// Reads a module file of the Swift compiler. Functions that cannot be decoded are left out with a warning.
    fn load_swift_module(&mut self, path: &Path, bytes: Vec<u8>) -> Option<Input> {
        let size = bytes.len();
        let read = SwiftModule::open(bytes).and_then(|module| module.module());
        let read = match read {
            Ok(read) => read,
            Err(damage) => {
                self.damaged_module(path, &damage);
                return None;
            }
        };
        if let Some((name, damage)) = read.refused.first() {
            let count = counted(read.refused.len(), "function");
            let message = format!(
                "the bodies of {count} of {} cannot be read yet; the first is `{}`: {damage}",
                named(path),
                name.escape_debug()
            );
            self.push(Diagnostic::new(Severity::Warning, message));
        }
        let source_map = ModuleSourceMap::default();
        let (source, module) = (name_of(path), read.module);
        Some(Input { text: None, source_map, source, size, module, declared: None })
    }

    /// Opens a module file of the Swift compiler. Records errors, and returns `None` for them.
    pub(crate) fn swift_module(&mut self, path: &Path) -> Option<SwiftModule> {
        self.progress.begin(&name_of(path));
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(unusable) => return self.unusable(unusable),
        };
        if !is_swift_module(&bytes) {
            let hint =
                "`swiftc -emit-module` and `-emit-sib` write such files; `silkit stats` counts what text has";
            let message = format!("{} is no module file of the Swift compiler", named(path));
            return self.unusable(Unusable(message, hint.to_owned()));
        }
        match SwiftModule::open(bytes) {
            Ok(module) => Some(module),
            Err(damage) => {
                self.damaged_module(path, &damage);
                None
            }
        }
    }

    /// Records that a module file of the Swift compiler is damaged.
    pub(crate) fn damaged_module(&mut self, path: &Path, damage: &Damage) {
        let message = format!("cannot read {}: {damage}", named(path));
        let hint = "the file is cut off or damaged: build it again";
        self.unusable::<()>(Unusable(message, hint.to_owned()));
    }

    /// Reads the files of a library, whose binary ones load functions on demand. Records errors, and returns `None` for
    /// them.
    pub(crate) fn library(&mut self, paths: &[PathBuf]) -> Option<Library<'static>> {
        let mut library = Library::default();
        for path in paths {
            self.progress.begin(&name_of(path));
            let bytes = match read(path) {
                Ok(bytes) => bytes,
                Err(unusable) => return self.unusable(unusable),
            };
            if is_binary(&bytes) {
                match Reader::open(bytes) {
                    Ok(reader) => library.add_reader(Arc::new(reader)),
                    Err(error) => return self.unusable(damaged(path, &error)),
                }
            } else {
                library.add_module(Arc::new(self.parse_bytes(path, bytes)?.module));
            }
        }
        self.checked_library(Ok(library))
    }

    /// Returns the library if all its files can be read. Records errors, and returns `None` for them.
    pub(crate) fn checked_library<'f>(
        &mut self,
        library: Result<Library<'f>, LibraryError>,
    ) -> Option<Library<'f>> {
        match library.and_then(|library| library.check().map(|()| library)) {
            Ok(library) => Some(library),
            Err(error) => {
                let hint = "expected SIL as text, or in the binary form that `silkit opt -emit-sib` writes";
                self.unusable(Unusable(format!("cannot read a library: {error}"), hint.to_owned()))
            }
        }
    }

    /// Returns the binary form of a module, with `path` as the path of its text. Records errors.
    pub(crate) fn binary_form(&mut self, module: &Module, path: &str) -> Option<Vec<u8>> {
        match write_module_of(module, path) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                let message = format!("cannot write `{path}` in binary form: {error}");
                self.refuse(message, "write it as text, without `-emit-sib`");
                None
            }
        }
    }

    /// Returns the paths to read, or `-` if there are none, and passes their number to the progress display.
    pub(crate) fn inputs(&mut self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let paths = if paths.is_empty() { vec![PathBuf::from("-")] } else { paths.to_vec() };
        self.progress.expect(paths.len());
        paths
    }

    /// Returns the function with a body that matches a name ([`FunctionNames::find_one`]). Records an error if none or
    /// several match.
    pub(crate) fn body_named(&mut self, module: &Module, path: &Path, name: &str) -> Option<FunctionId> {
        let found = FunctionNames::with_bodies(module).find_one(name);
        found.map_err(|error| self.no_function(&error, path)).ok()
    }

    /// Returns the functions with bodies that match the names ([`FunctionNames::find`]), without duplicates, in the
    /// order of the names.
    pub(crate) fn bodies_named(
        &mut self,
        module: &Module,
        path: &Path,
        names: &[String],
    ) -> Option<Vec<FunctionId>> {
        let functions = FunctionNames::with_bodies(module);
        let mut all = Vec::new();
        let mut is_complete = true;
        for name in names {
            match functions.find(name) {
                Ok(found) => all.extend(found.into_iter().filter(|id| !all.contains(id)).collect::<Vec<_>>()),
                Err(error) => {
                    self.no_function(&error, path);
                    is_complete = false;
                }
            }
        }
        is_complete.then_some(all)
    }

    /// Records an error for an unknown or ambiguous function name.
    pub(crate) fn no_function(&mut self, error: &Unresolved, path: &Path) {
        let message = format!("{}: {error}", named(path));
        self.push(Diagnostic::error(NO_FUNCTION, message).note(error.hint()));
    }

    /// Records an error for a function that a program cannot start with.
    pub(crate) fn no_entry(&mut self, path: &Path, (message, hint): Refusal) {
        self.push(Diagnostic::error(NO_FUNCTION, format!("{}: {message}", named(path))).note(hint));
    }

    /// Returns the only function with a body. If there are several, records an error with a hint on how to select one.
    pub(crate) fn only_body(&mut self, module: &Module, path: &Path) -> Option<FunctionId> {
        let bodies = || module.functions.iter().filter(|(_, f)| f.body.is_some());
        let mut first = bodies();
        match (first.next(), first.next()) {
            (Some((id, _)), None) => Some(id),
            (Some((_, first)), Some(_)) => {
                let example =
                    silkit::comment_name(first.name.as_str()).unwrap_or_else(|| first.name.to_string());
                let message =
                    format!("{} has {} with bodies", named(path), counted(bodies().count(), "function"));
                let hint = format!(
                    "name one, such as `--function '{example}'`; `silkit nm --demangle FILE` lists all"
                );
                self.push(Diagnostic::error(NO_FUNCTION, message).note(hint));
                None
            }
            (None, _) => {
                let message = format!("{} has no function with a body", named(path));
                self.push(Diagnostic::error(NO_FUNCTION, message).note("name a file that has one"));
                None
            }
        }
    }

    /// Reads a text file. Records errors, and returns `None` for them.
    pub(crate) fn read_text(&mut self, path: &Path) -> Option<String> {
        self.progress.begin(&name_of(path));
        match read(path).and_then(|bytes| utf8(path, bytes)) {
            Ok(text) => Some(text),
            Err(unusable) => self.unusable(unusable),
        }
    }

    fn unusable<T>(&mut self, Unusable(message, hint): Unusable) -> Option<T> {
        self.push(Diagnostic::error(UNREADABLE, message).note(hint));
        None
    }

    fn parse_bytes(&mut self, path: &Path, bytes: Vec<u8>) -> Option<Input> {
        match utf8(path, bytes) {
            Ok(text) => self.parse(path, text),
            Err(unusable) => self.unusable(unusable),
        }
    }

    fn parse(&mut self, path: &Path, text: String) -> Option<Input> {
        let text = with_line_feeds(text);
        self.progress.phase("parsing");
        let parsed = parse_module_with(&text, &self.reading);
        if parsed.errors.is_empty() {
            let foreign = has_no_sil(&parsed.module).then(|| foreign::of_text(path, &text)).flatten();
            // A file of SIL may have declarations only.
            if let Some(foreign) =
                foreign.filter(|_| path.extension().is_some_and(|e| e == "swift" || e == "swiftinterface"))
            {
                return self.unusable(of_other_format(path, foreign));
            }
            if text.trim().is_empty() {
                let name = named(path);
                output::note(&format!("{name} is empty; a compiler that found errors prints no SIL"));
            }
            return Some(Input {
                size: text.len(),
                source: name_of(path),
                text: Some(text),
                source_map: parsed.source_map,
                module: parsed.module,
                declared: parsed.declared,
            });
        }
        self.sil_syntax_errors(path, text, &parsed.errors);
        None
    }

    /// Records the syntax errors of a SIL text, or what it is if it is no SIL.
    pub(crate) fn sil_syntax_errors(&mut self, path: &Path, text: String, errors: &[SyntaxError]) {
        match foreign::of_text(path, &text) {
            Some(foreign) => drop(self.unusable::<()>(of_other_format(path, foreign))),
            None => self.syntax_errors(path, text, errors),
        }
    }

    /// Records the syntax errors of a text.
    pub(crate) fn syntax_errors(&mut self, path: &Path, text: String, errors: &[SyntaxError]) {
        self.note_syntax_errors();
        match self.sources.add(name_of(path), text) {
            Ok(file) => {
                let all = !self.first_errors_only;
                for error in errors.iter().filter(|e| e.is_first || all) {
                    self.push(error.diagnostic(file));
                }
            }
            Err(error) => self.push(Diagnostic::error(UNREADABLE, error.to_string())),
        }
    }
}

/// Returns the name to use for a file in messages.
pub(crate) fn name_of(path: &Path) -> String {
    path.display().to_string()
}

/// Returns a file as messages name it.
fn named(path: &Path) -> String {
    if output::is_standard(path) { "standard input".to_owned() } else { format!("`{}`", name_of(path)) }
}

/// Tells on a terminal that the command waits for input. The line fits into 40 columns.
pub(crate) fn announce_standard_input() {
    if io::stdin().is_terminal() {
        output::complain("reading standard input (Ctrl-D ends it)\n");
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Unusable> {
    let is_standard = output::is_standard(path);
    let unreadable = |error: &io::Error| {
        let name = named(path);
        Unusable(format!("cannot read {name}: {}", output::reason(error)), read_hint(path, error))
    };
    let mut bytes = Vec::new();
    let limit = MAX_BYTES + 1;
    let outcome = if is_standard {
        if STANDARD_WAS_READ.swap(true, Ordering::Relaxed) {
            return Err(Unusable(
                "standard input is named twice, but can be read only once".to_owned(),
                "write it to a file, and name the file".to_owned(),
            ));
        }
        announce_standard_input();
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| read_file(&file, limit, &mut bytes))
    };
    outcome.map_err(|e| unreadable(&e))?;
    if bytes.len() as u64 > MAX_BYTES {
        let hint = "split the module with `silkit extract`".to_owned();
        return Err(Unusable(format!("{} is larger than 4 GiB, the limit", named(path)), hint));
    }
    Ok(bytes)
}

/// Reads at most `limit` bytes of a file. The parts of a large file are read in parallel: the system copies them, which
/// takes as long as to find the entities of the text.
fn read_file(mut file: &File, limit: u64, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let size = file.metadata().map_or(0, |m| m.len());
    let expected = usize::try_from(size).unwrap_or(0);
    if size >= limit || expected < 2 * PART {
        bytes.reserve_exact(if size < limit { expected + 1 } else { 0 });
        return file.take(limit).read_to_end(bytes);
    }
    // The system zeroes this memory when a thread reads into it.
    *bytes = vec![0; expected];
    let mut end = size;
    match read_parts(file, bytes) {
        // The file is shorter by now.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            bytes.clear();
            end = 0;
        }
        outcome => outcome?,
    }
    file.seek(SeekFrom::Start(end))?;
    file.take(limit - end).read_to_end(bytes)
}

#[cfg(unix)]
fn read_parts(file: &File, bytes: &mut [u8]) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    let parts = bytes.par_chunks_mut(PART).enumerate();
    parts.try_for_each(|(index, part)| file.read_exact_at(part, (index * PART) as u64))
}

#[cfg(not(unix))]
fn read_parts(mut file: &File, bytes: &mut [u8]) -> io::Result<()> {
    file.read_exact(bytes)
}

pub(crate) fn read_hint(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => match similar_file(path) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "check the path; `-` stands for standard input".to_owned(),
        },
        io::ErrorKind::IsADirectory => format!("name the files in it, such as `{}/*.sil`", path.display()),
        _ => output::hint(error),
    }
}

/// Returns a file in the same directory with a similar name.
fn similar_file(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names: Vec<String> =
        entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).take(10_000).collect();
    let near = nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(folder.map_or(near.to_owned(), |f| f.join(near).display().to_string()))
}

/// Returns the message and the hint for a binary file that cannot be read.
fn damaged(path: &Path, error: &ReadError) -> Unusable {
    let at = error.offset().filter(|&at| at > 0).map_or(String::new(), |at| format!(" at byte {at}"));
    Unusable(format!("cannot read {}{at}: {}", named(path), error.message()), error.hint().to_owned())
}

/// Returns true if a text has a byte. The parts of a large text are searched in parallel.
fn holds(text: &str, byte: u8) -> bool {
    text.as_bytes().par_chunks(PART).any(|part| memchr::memchr(byte, part).is_some())
}

/// Returns a text with a line feed for each carriage return that none follows, so that lines are counted. Offsets stay.
pub(crate) fn with_line_feeds(text: String) -> String {
    if !holds(&text, b'\r') {
        return text;
    }
    let bytes = text.as_bytes();
    let is_alone = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    let Some(first) = memchr::memchr_iter(b'\r', bytes).find(|&at| is_alone(at)) else {
        return text;
    };
    let mut out = text[..first].to_owned();
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < first) {
        out.push(if c == '\r' && is_alone(at) { '\n' } else { c });
    }
    out
}

/// Returns the message and the hint for a file in another format.
fn of_other_format(path: &Path, (what, hint): (&str, &str)) -> Unusable {
    Unusable(format!("{} is {what}", named(path)), hint.replace("FILE", &name_of(path)))
}

/// Returns true if a module has Swift declarations only.
fn has_no_sil(module: &Module) -> bool {
    module.functions.is_empty()
        && module.globals.is_empty()
        && module.vtables.is_empty()
        && module.witness_tables.is_empty()
}

/// Returns the bytes as text if they are valid UTF-8.
fn utf8(path: &Path, bytes: Vec<u8>) -> Result<String, Unusable> {
    let path_name = name_of(path);
    if is_binary(&bytes) {
        return Err(match Reader::open(&bytes) {
            Ok(_) => Unusable(
                format!("{} is binary SIL, but this command needs text", named(path)),
                format!("print it first: `silkit opt {path_name} -o FILE.sil`"),
            ),
            Err(error) => damaged(path, &error),
        });
    }
    if let Some(foreign) = foreign::of_bytes(&bytes) {
        return Err(of_other_format(path, foreign));
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line = 1 + bytes[..at].iter().filter(|&&b| b == b'\n').count();
        let what = if bytes[..at].contains(&0) { "a binary file" } else { "not valid UTF-8" };
        Unusable(
            format!("{} is {what}: line {line} has the byte 0x{:02X} at offset {at}", named(path), bytes[at]),
            "SIL is UTF-8 text; `swiftc -emit-silgen` or `-emit-sil` prints it".to_owned(),
        )
    })?;
    let sample = &text.as_bytes()[..text.len().min(8192)];
    let zeros = sample.iter().filter(|&&b| b == 0).count();
    // Text in UTF-16 has a zero byte in every other place.
    if zeros * 16 > sample.len() {
        let at = sample.iter().position(|&b| b == 0).unwrap_or_default();
        return Err(Unusable(
            format!("{} is a binary file: it has a zero byte at offset {at}", named(path)),
            "SIL is UTF-8 text; `swiftc -emit-silgen` or `-emit-sil` prints it".to_owned(),
        ));
    }
    // Single zero bytes are white space, as in Swift.
    if holds(&text, 0) {
        text = text.replace('\0', " ");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{PART, read, with_line_feeds};

    #[test]
    fn large_files_are_read_in_parts() {
        let path = std::env::temp_dir().join(format!("silkit-parts-{}", std::process::id()));
        for size in [2 * PART - 1, 2 * PART, 3 * PART + 7] {
            let text: Vec<u8> = (0..size).map(|at| (at / 1000 % 251) as u8).collect();
            std::fs::write(&path, &text).unwrap();
            let read = read(&path).ok();
            assert!(read.is_some_and(|read| read == text), "{size}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn carriage_returns_alone_end_lines() {
        assert_eq!(with_line_feeds("a\r\nb".into()), "a\r\nb");
        assert_eq!(with_line_feeds("é\rb\r\rc\r\n\r".into()), "é\nb\n\nc\r\n\n");
    }
}
