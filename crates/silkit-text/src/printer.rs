//! A text sink that tracks its column and caches the spellings of types.

use crate::decl::declarations;
use crate::names::is_plain;
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::{Module, SourceLoc};
use silkit_types::decl::Declarations;
use silkit_types::{SilType, Type};
use std::fmt::{Display, Write};
use std::sync::OnceLock;
use unicode_width::UnicodeWidthStr;

/// A function that demangles a name for comments.
pub type Demangle = dyn Fn(&str) -> Option<String> + Sync;

/// Printed text.
pub(crate) struct Out<'o> {
    text: String,
    line_start: usize,
    /// The text of each type that was printed, as a range of `type_text`.
    types: FxHashMap<Type, (u32, u32)>,
    type_text: String,
    demangle: &'o Demangle,
    declared: &'o Declared<'o>,
}

/// The declarations of the printed module, read when a comment needs them.
pub(crate) struct Declared<'m> {
    module: &'m Module,
    found: OnceLock<Declarations>,
}

impl<'m> Declared<'m> {
    /// Creates the declarations of a module.
    pub(crate) fn of(module: &'m Module) -> Self {
        Self { module, found: OnceLock::new() }
    }

    pub(crate) fn get(&self) -> &Declarations {
        self.found.get_or_init(|| declarations(self.module))
    }
}

impl<'o> Out<'o> {
    /// Creates an empty text.
    pub(crate) fn new(demangle: &'o Demangle, declared: &'o Declared<'o>) -> Self {
        Self {
            text: String::new(),
            line_start: 0,
            types: FxHashMap::default(),
            type_text: String::new(),
            demangle,
            declared,
        }
    }

    /// Returns the declarations of the printed module.
    pub(crate) fn declarations(&self) -> &'o Declarations {
        self.declared.get()
    }

    /// Takes the text and keeps the spellings.
    pub(crate) fn take(&mut self) -> String {
        self.line_start = 0;
        std::mem::take(&mut self.text)
    }

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

    /// Fills up to a column; at least one space.
    pub(crate) fn pad(&mut self, column: usize) {
        const SPACES: &str = "                                                  ";
        let line = &self.text[self.line_start..];
        let width = if line.is_ascii() { line.len() } else { UnicodeWidthStr::width(line) };
        let missing = column.saturating_sub(width).max(1);
        self.text.push_str(&SPACES[..missing.min(SPACES.len())]);
    }

    pub(crate) fn number(&mut self, number: u32) {
        let mut digits = [0u8; 10];
        let mut at = digits.len();
        let mut rest = number;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.text.extend(digits[at..].iter().map(|&d| d as char));
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

    /// Prints `@name`, in quotes where it needs them.
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
        match (self.demangle)(name.as_str()) {
            Some(text) => self.push(&text),
            None => self.push(name.as_str()),
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

    /// Removes one space that was pushed at `mark` and is still the last, or doubled there.
    pub(crate) fn trim_space(&mut self, mark: usize) {
        if self.text[mark..].starts_with(" ,") {
            self.text.remove(mark);
        } else if self.text[mark..] == *" " {
            self.text.truncate(mark);
        }
    }

    /// Removes a `, ` that nothing followed.
    pub(crate) fn trim_separator(&mut self, mark: usize) {
        if self.text.len() == mark && self.text.ends_with(", ") {
            self.text.truncate(mark - 2);
        }
    }
}
