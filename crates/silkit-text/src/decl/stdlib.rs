//! The built-in facts, parsed line by line on demand.

use super::items::DeclParser;
use super::{Dialect, conditional, facts};
use crate::cursor::Cursor;
use crate::existential::Protocols;
use crate::symbols::symbol;
use silkit_base::{FxHashMap, Symbol};
use silkit_types::decl::{DeclEntry, DeclSource, DeclTable, Declarations};
use silkit_types::stdlib;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

/// A facts file (see [`super::write_facts`]). Its lines are indexed on the first lookup, and each is parsed on
/// demand.
#[derive(Debug)]
pub struct FactsFile {
    text: Cow<'static, str>,
    modules: Vec<Symbol>,
    lines: OnceLock<Lines>,
}

/// The lines of a facts file by path.
#[derive(Debug, Default)]
struct Lines {
    lines: Vec<Line>,
    /// The first symbol id after those that existed before the file was indexed.
    first: u32,
    /// For each symbol from `first` on, the index of its line plus one, or 0. Almost all paths are new symbols, so this avoids
    /// hashing.
    dense: Vec<u32>,
    /// The indices of the lines whose paths are older symbols.
    others: FxHashMap<Symbol, u32>,
}

impl Lines {
    fn get(&self, path: Symbol) -> Option<&Line> {
        let at = match path.as_u32().checked_sub(self.first) {
            Some(at) => self.dense.get(at as usize)?.checked_sub(1)?,
            None => *self.others.get(&path)?,
        };
        self.lines.get(at as usize)
    }

    fn add(&mut self, path: Symbol, line: Line) {
        let number = self.lines.len() as u32;
        self.lines.push(line);
        match path.as_u32().checked_sub(self.first) {
            Some(at) => {
                let at = at as usize;
                if at >= self.dense.len() {
                    self.dense.resize(at + 1, 0);
                }
                self.dense[at] = number + 1;
            }
            None => _ = self.others.insert(path, number),
        }
    }
}

#[derive(Debug)]
struct Line {
    facts: Range<usize>,
    entry: OnceLock<Option<Box<DeclEntry>>>,
}

impl FactsFile {
    /// Opens facts; `None` if the text has another format or version.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Option<Self> {
        let text = text.into();
        let (header, _) = text.split_once('\n')?;
        let modules = header.strip_prefix(facts::HEADER)?.split_whitespace().map(symbol).collect();
        Some(Self { text, modules, lines: OnceLock::new() })
    }

    /// Returns the lines by path.
    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| {
            let mut lines = Lines { first: Symbol::count() as u32, ..Lines::default() };
            // The header has no tab.
            let mut start = 0;
            for line in self.text.split_inclusive('\n') {
                let end = start + line.len();
                if let Some(tab) = memchr::memchr(b'\t', line.as_bytes()) {
                    let facts = start + tab + 1..end;
                    let line = Line { facts, entry: OnceLock::new() };
                    lines.add(Symbol::new(&self.text[start..start + tab]), line);
                }
                start = end;
            }
            lines
        })
    }

    fn read(&self, path: Symbol, line: &Line) -> Option<Box<DeclEntry>> {
        let cursor = Cursor::in_range(&self.text, line.facts.clone());
        let mut parser = DeclParser::new(cursor, Dialect::Facts, DeclTable::new());
        parser.set_outer(path.as_str().rsplit_once('.').map_or("", |(outer, _)| outer));
        loop {
            while parser.cur.eat(";") || conditional::directive(&mut parser.cur) {}
            let start = parser.cur.pos();
            if parser.cur.at_end() || parser.top_level().is_err() || parser.cur.pos() <= start {
                break;
            }
        }
        parser.table.take(path).map(Box::new)
    }
}

impl DeclSource for FactsFile {
    fn entry(&self, path: Symbol) -> Option<&DeclEntry> {
        let line = self.lines().get(path)?;
        line.entry.get_or_init(|| self.read(path, line)).as_deref()
    }

    fn has_module(&self, name: Symbol) -> bool {
        self.modules.contains(&name)
    }
}

/// Returns the shipped facts about the standard library only.
pub(crate) fn stdlib_alone() -> &'static Declarations {
    static ALONE: LazyLock<Declarations> = LazyLock::new(|| with_stdlib(DeclTable::new()));
    &ALONE
}

/// Returns the declarations of a module together with the shipped facts about the standard library.
///
/// ```
/// use silkit_types::{Type, decl::DeclTable};
/// let decls = silkit_text::decl::with_stdlib(DeclTable::new());
/// let string = Type::nominal("String");
/// assert_eq!(decls.stored_field(string, "_guts".into()), Some(Type::nominal("_StringGuts")));
/// assert_eq!(decls.is_trivial(Type::nominal("Int"), None), Some(true));
/// assert_eq!(decls.is_trivial(string, None), Some(false));
/// ```
pub fn with_stdlib(own: DeclTable) -> Declarations {
    with_libraries(own, &[])
}

/// Returns the declaration chain of a module: its own declarations, those of other modules, then the standard
/// library's. A module whose facts are shipped is left out.
pub(crate) fn with_libraries(mut own: DeclTable, libraries: &[Arc<DeclTable>]) -> Declarations {
    static SHIPPED: LazyLock<Vec<Arc<FactsFile>>> = LazyLock::new(|| {
        let all = [stdlib::EMBEDDED, stdlib::SWIFT, stdlib::SHIMS];
        all.into_iter().filter_map(FactsFile::new).map(Arc::new).collect()
    });
    // The facts of Embedded Swift hide those of the library.
    let first = usize::from(!own.is_embedded);
    if own.entries().next().is_some() {
        // Only now it is known which names are protocols.
        let mut protocols = Protocols::new(stdlib_alone());
        protocols.declare(&own);
        for library in libraries {
            protocols.declare(library);
        }
        own.map_stored_types(|generics, ty| protocols.everywhere(ty, generics));
    }
    let is_shipped = |name: Symbol| SHIPPED.iter().any(|facts| facts.has_module(name));
    let others = libraries.iter().filter(|library| !library.module.is_some_and(is_shipped));
    let others = others.map(|library| Arc::clone(library) as Arc<dyn DeclSource>);
    let shipped = SHIPPED.iter().skip(first).map(|facts| Arc::clone(facts) as Arc<dyn DeclSource>);
    Declarations::new(own, others.chain(shipped).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_whether_they_are_new_or_not() {
        let early = [symbol("EarlyLine"), symbol("EarlyElsewhere")];
        let mut lines = Lines { first: Symbol::count() as u32, ..Lines::default() };
        let late = [symbol("LateLine"), symbol("LateElsewhere"), symbol("LatestLine")];
        for (start, path) in [(1, early[0]), (2, late[0]), (3, late[2])] {
            lines.add(path, Line { facts: start..start, entry: OnceLock::new() });
        }
        let place = |path| lines.get(path).map(|line| line.facts.start);
        assert_eq!(early.map(place), [Some(1), None]);
        assert_eq!(late.map(place), [Some(2), None, Some(3)]);
        assert_eq!(place(symbol("LaterThanAll")), None);
    }
}
