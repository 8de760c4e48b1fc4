//! The built-in facts, read a line at a time.

use super::items::DeclParser;
use super::{Dialect, conditional, facts};
use crate::cursor::Cursor;
use crate::existential::Protocols;
use crate::symbols::symbol;
use silkit_base::Symbol;
use silkit_types::decl::{DeclSource, DeclTable, Declarations, Entry};
use silkit_types::stdlib;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

/// A file of facts (see [`super::write_facts`]). Opening it only finds the lines.
#[derive(Debug)]
pub struct FactsFile {
    text: Cow<'static, str>,
    modules: Vec<Symbol>,
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    path: Range<usize>,
    facts: Range<usize>,
    entry: OnceLock<Option<Box<Entry>>>,
}

impl FactsFile {
    /// Opens facts; `None` where the text is of another format or version.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Option<Self> {
        let text = text.into();
        let (header, _) = text.split_once('\n')?;
        let modules = header.strip_prefix(facts::HEADER)?.split_whitespace().map(symbol).collect();
        let mut lines = Vec::new();
        let mut start = header.len() + 1;
        for line in text[start..].split_inclusive('\n') {
            let end = start + line.len();
            if let Some(tab) = line.find('\t') {
                let path = start..start + tab;
                lines.push(Line { path, facts: start + tab + 1..end, entry: OnceLock::new() });
            }
            start = end;
        }
        if !lines.is_sorted_by(|a, b| text[a.path.clone()] <= text[b.path.clone()]) {
            lines.sort_by(|a, b| text[a.path.clone()].cmp(&text[b.path.clone()]));
        }
        Some(Self { text, modules, lines })
    }

    /// Returns all paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|l| &self.text[l.path.clone()])
    }

    fn read(&self, line: &Line) -> Option<Box<Entry>> {
        let path = &self.text[line.path.clone()];
        let cursor = Cursor::in_range(&self.text, line.facts.clone());
        let mut parser = DeclParser::new(cursor, Dialect::Facts, DeclTable::new());
        parser.set_outer(path.rsplit_once('.').map_or("", |(outer, _)| outer));
        loop {
            while parser.cur.eat(";") || conditional::directive(&mut parser.cur) {}
            let start = parser.cur.pos();
            if parser.cur.at_end() || parser.top_level().is_err() || parser.cur.pos() <= start {
                break;
            }
        }
        parser.table.take(symbol(path)).map(Box::new)
    }
}

impl DeclSource for FactsFile {
    fn entry(&self, path: Symbol) -> Option<&Entry> {
        let wanted = path.as_str();
        let at = self.lines.binary_search_by(|l| self.text[l.path.clone()].cmp(wanted)).ok()?;
        let line = &self.lines[at];
        line.entry.get_or_init(|| self.read(line)).as_deref()
    }

    fn has_module(&self, name: Symbol) -> bool {
        self.modules.contains(&name)
    }
}

/// Returns the shipped facts about the standard library alone.
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
pub fn with_stdlib(mut own: DeclTable) -> Declarations {
    static SHIPPED: LazyLock<Vec<Arc<FactsFile>>> = LazyLock::new(|| {
        [stdlib::SWIFT, stdlib::SHIMS].into_iter().filter_map(FactsFile::new).map(Arc::new).collect()
    });
    if own.entries().next().is_some() {
        // Which names are protocols is known only now.
        let mut protocols = Protocols::new(stdlib_alone());
        protocols.declare(&own);
        own.map_stored_types(|generics, ty| protocols.everywhere(ty, generics));
    }
    Declarations::new(own, SHIPPED.iter().map(|f| Arc::clone(f) as Arc<dyn DeclSource>).collect())
}
