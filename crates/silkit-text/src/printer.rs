//! A text buffer that tracks its column and caches the spellings of types and demangled names.

use crate::decl::declarations;
use crate::names::is_plain;
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::{DeclRef, Module, SourceLoc};
use silkit_types::decl::Declarations;
use silkit_types::{SilType, Type};
use std::fmt::{Display, Write};
use std::sync::OnceLock;
use unicode_width::UnicodeWidthStr;

/// The numbers below 1,000, in three digits each.
const DIGITS: &str = {
    const BYTES: [u8; 3000] = {
        let mut bytes = [0; 3000];
        let mut at = 0;
        while at < 1000 {
            bytes[3 * at] = b'0' + (at / 100) as u8;
            bytes[3 * at + 1] = b'0' + (at / 10 % 10) as u8;
            bytes[3 * at + 2] = b'0' + (at % 10) as u8;
            at += 1;
        }
        bytes
    };
    match std::str::from_utf8(&BYTES) {
        Ok(digits) => digits,
        Err(_) => panic!("digits are ASCII"),
    }
};

/// The numbers below 1,000, without zeros before them.
static NUMBERS: [&str; 1000] = {
    let mut texts = [""; 1000];
    let mut at = 0;
    while at < 1000 {
        let zeros = if at < 10 { 2 } else { (at < 100) as usize };
        texts[at] = DIGITS.split_at(3 * at + 3).0.split_at(3 * at + zeros).1;
        at += 1;
    }
    texts
};

/// A function that demangles a name for comments.
pub type Demangle = dyn Fn(&str) -> Option<String> + Sync;

/// The output buffer of a printer.
pub(crate) struct Out<'o> {
    text: String,
    line_start: usize,
    /// The text of each printed type, as a range of `type_text`.
    types: FxHashMap<Type, (u32, u32)>,
    type_text: String,
    shared: &'o Shared<'o>,
}

/// Data shared by all printers of a module, on all threads.
pub(crate) struct Shared<'m> {
    module: &'m Module,
    /// The declarations of the module, if the caller has them.
    given: Option<&'m Declarations>,
    /// The declarations of the module, parsed on demand.
    declarations: OnceLock<Declarations>,
    demangle: &'m Demangle,
    /// The demangled names by symbol number, for printing whole modules.
    names: Box<[OnceLock<Option<Box<str>>>]>,
}

impl<'m> Shared<'m> {
    /// Returns the shared data for printing single entities of a module.
    pub(crate) fn of(module: &'m Module, demangle: &'m Demangle) -> Self {
        Self { module, given: None, declarations: OnceLock::new(), demangle, names: Box::default() }
    }

    /// Returns the shared data for printing a whole module, which demangles each name once.
    pub(crate) fn of_whole(
        module: &'m Module,
        declarations: Option<&'m Declarations>,
        demangle: &'m Demangle,
    ) -> Self {
        let names = std::iter::repeat_with(OnceLock::new).take(Symbol::count()).collect();
        Self { names, given: declarations, ..Self::of(module, demangle) }
    }

    fn declarations(&self) -> &Declarations {
        self.given.unwrap_or_else(|| self.declarations.get_or_init(|| declarations(self.module)))
    }
}

impl<'o> Out<'o> {
    /// Creates an empty buffer.
    pub(crate) fn new(shared: &'o Shared<'o>) -> Self {
        Self {
            text: String::new(),
            line_start: 0,
            types: FxHashMap::default(),
            type_text: String::new(),
            shared,
        }
    }

    /// Returns the declarations of the printed module.
    pub(crate) fn declarations(&self) -> &'o Declarations {
        self.shared.declarations()
    }

    /// Returns the text since the last [`Self::clear`].
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Clears the text and keeps the allocation and the cached spellings.
    pub(crate) fn clear(&mut self) {
        self.line_start = 0;
        self.text.clear();
    }

    /// Replaces the text buffer by another one and returns the text. The cached spellings are kept.
    pub(crate) fn replace(&mut self, empty: String) -> String {
        self.line_start = 0;
        std::mem::replace(&mut self.text, empty)
    }

    /// Takes the text and keeps the cached spellings.
    pub(crate) fn take(&mut self) -> String {
        self.replace(String::new())
    }

    #[inline]
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn ends_with(&self, text: &str) -> bool {
        self.text.ends_with(text)
    }

    /// Marks the beginning of a line.
    pub(crate) fn start_line(&mut self) {
        self.line_start = self.text.len();
    }

    /// Pads to a column, with at least one space.
    pub(crate) fn pad(&mut self, column: usize) {
        const SPACES: &str = "                                                  ";
        let line = &self.text[self.line_start..];
        // Of a long line only the beginning is looked at. The end of it may belong to the letter that follows.
        let start = &line[..line.floor_char_boundary(2 * column)];
        let is_long = start.len() < line.len() && width(start) >= column + 8;
        let missing = if is_long { 1 } else { column.saturating_sub(width(line)).max(1) };
        self.text.push_str(&SPACES[..missing.min(SPACES.len())]);
    }

    pub(crate) fn number(&mut self, number: u32) {
        if let Some(text) = NUMBERS.get(number as usize) {
            self.text.push_str(text);
            return;
        }
        self.number(number / 1000);
        let last = (number % 1000) as usize;
        self.text.push_str(&DIGITS[last * 3..last * 3 + 3]);
    }

    /// Prints `%1, %2`.
    pub(crate) fn values(&mut self, numbers: impl Iterator<Item = u32>) {
        for (i, number) in numbers.enumerate() {
            self.push(if i > 0 { ", %" } else { "%" });
            self.number(number);
        }
    }

    /// Prints ` bb1 bb2`.
    pub(crate) fn blocks(&mut self, numbers: impl Iterator<Item = u32>) {
        for number in numbers {
            self.push(" bb");
            self.number(number);
        }
    }

    pub(crate) fn display(&mut self, value: impl Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{value}");
    }

    pub(crate) fn ty(&mut self, ty: Type) {
        if let Some(&(start, end)) = self.types.get(&ty) {
            self.text.push_str(&self.type_text[start as usize..end as usize]);
            return;
        }
        let start = self.text.len();
        let _ = write!(self.text, "{ty}");
        let at = self.type_text.len();
        self.type_text.push_str(&self.text[start..]);
        self.types.insert(ty, (at as u32, self.type_text.len() as u32));
    }

    pub(crate) fn sil_type(&mut self, ty: SilType) {
        self.push(if ty.is_address() { "$*" } else { "$" });
        self.ty(ty.ty());
    }

    /// Prints `@name`, quoted if needed.
    pub(crate) fn global_name(&mut self, name: Symbol) {
        let name = name.as_str();
        if is_plain(name) {
            self.push("@");
            self.push(name);
        } else {
            self.push("@\"");
            self.push(name);
            self.push("\"");
        }
    }

    /// Prints the demangled name, or the name itself if it is not mangled.
    pub(crate) fn demangled(&mut self, name: Symbol) {
        let demangle = self.shared.demangle;
        match self.shared.names.get(name.as_u32() as usize) {
            Some(known) => {
                let found = known.get_or_init(|| demangle(name.as_str()).map(String::into_boxed_str));
                self.text.push_str(found.as_deref().unwrap_or(name.as_str()));
            }
            None => match demangle(name.as_str()) {
                Some(text) => self.push(&text),
                None => self.push(name.as_str()),
            },
        }
    }

    /// Prints `#Type.member!kind`.
    pub(crate) fn decl(&mut self, decl: DeclRef) {
        let data = decl.data();
        for (i, name) in data.path.iter().enumerate() {
            self.push(if i == 0 { "#" } else { "." });
            self.push(name.as_str());
        }
        for (i, kind) in data.kinds.iter().enumerate() {
            self.push(if i == 0 { "!" } else { "." });
            self.push(kind.as_str());
        }
    }

    pub(crate) fn source_loc(&mut self, loc: SourceLoc) {
        self.push(if loc.is_auto { "* \"" } else { "\"" });
        self.push(loc.file.map_or("<compiler-generated>", Symbol::as_str));
        self.push("\":");
        self.number(loc.line);
        self.push(":");
        self.number(loc.column);
    }

    /// Removes a space that was printed at `mark` if it is the last character or doubled.
    pub(crate) fn trim_space(&mut self, mark: usize) {
        match self.text.as_bytes()[mark..] {
            [b' '] => self.text.truncate(mark),
            [b' ', b',', ..] => _ = self.text.remove(mark),
            _ => {}
        }
    }

    /// Removes a `, ` that was printed at `mark` if nothing follows.
    pub(crate) fn trim_separator(&mut self, mark: usize) {
        if self.text.len() == mark && self.text.ends_with(", ") {
            self.text.truncate(mark - 2);
        }
    }
}

/// Returns the number of columns that a line takes.
pub(crate) fn width(line: &str) -> usize {
    if line.is_ascii() {
        return line.len();
    }
    // Mostly the Greek letters of generic parameters: U+0380 to U+03FF, a column each.
    let is_simple = |byte: u8| byte < 0xc0 || byte == 0xce || byte == 0xcf;
    let is_start = |byte: u8| byte & 0xc0 != 0x80;
    let (simple, starts) = line.bytes().fold((true, 0), |(simple, starts), byte| {
        (simple & is_simple(byte), starts + usize::from(is_start(byte)))
    });
    if simple { starts } else { UnicodeWidthStr::width(line) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_zeros_before_them() {
        let module = Module::default();
        let shared = Shared::of(&module, &|_| None);
        let mut out = Out::new(&shared);
        for number in [0, 7, 10, 99, 100, 999, 1000, 1001, 10_010, 4_294_967_295] {
            out.number(number);
            assert_eq!(out.take(), number.to_string());
        }
    }

    #[test]
    fn lines_are_padded_to_their_column_or_by_one_space() {
        let module = Module::default();
        let shared = Shared::of(&module, &|_| None);
        let mut out = Out::new(&shared);
        for letter in ["a", "τ", "한", "👍", "a\u{308}"] {
            for count in [0, 1, 24, 25, 40, 48, 49, 50, 51, 60, 99, 100, 101, 200] {
                let line = letter.repeat(count);
                out.push(&line);
                out.pad(50);
                let spaces = 50usize.saturating_sub(UnicodeWidthStr::width(line.as_str())).max(1);
                assert_eq!(out.take(), format!("{line}{}", " ".repeat(spaces)), "{count} times {letter}");
            }
        }
    }

    #[test]
    fn every_letter_is_as_wide_as_unicode_says() {
        let letters = ('\u{80}'..'\u{600}').chain(['한', '中', '👍', '\u{200d}', '\u{fe0f}']);
        for letter in letters {
            for line in [format!("a{letter}"), format!("τ{letter}τ"), format!("{letter}👍")] {
                assert_eq!(width(&line), UnicodeWidthStr::width(line.as_str()), "{line:?}");
            }
        }
    }
}
