//! The text of a mangled name: identifiers with word substitutions, and back-references, which are merged if they are
//! adjacent.

use silkit_base::Symbol;
use silkit_types::Type;
use std::collections::HashMap;

/// An entity that later parts of a name may refer to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    /// An identifier.
    Ident(String),
    /// A nominal type without its arguments, by path.
    Nominal(Symbol),
    /// A type with arguments, or a dependent member type.
    Type(Type),
}

/// The maximum number of words that can be referenced.
const MAX_WORDS: usize = 26;

#[derive(Default)]
pub(super) struct Writer {
    text: String,
    words: Vec<String>,
    seen: HashMap<Key, usize>,
    /// The last substitution if nothing follows it yet.
    last: Option<Last>,
}

/// A substitution at the end of the text, which is merged with an equal one that follows.
#[derive(Clone, Copy)]
struct Last {
    /// The position of its count and letter.
    start: usize,
    end: usize,
    count: usize,
    letter: char,
    is_standard: bool,
}

impl Writer {
    pub(super) fn take(self) -> String {
        self.text
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes a back-reference to an entity. Returns false if the entity was not written before.
    pub(super) fn reuse(&mut self, key: &Key) -> bool {
        let Some(&index) = self.seen.get(key) else { return false };
        match u8::try_from(index) {
            Ok(small) if small < 26 => self.substitution('A', char::from(b'A' + small)),
            _ => {
                self.text.push('A');
                self.index(index - 26);
            }
        }
        true
    }

    /// Records an entity for back-references.
    pub(super) fn remember(&mut self, key: Key) {
        let next = self.seen.len();
        self.seen.entry(key).or_insert(next);
    }

    /// Writes a standard type: `Si`, or `S2i` if it repeats the previous one.
    pub(super) fn standard(&mut self, code: &str) {
        match code.as_bytes() {
            [one] => self.substitution('S', char::from(*one)),
            _ => {
                self.text.push('S');
                self.text.push_str(code);
            }
        }
    }

    fn substitution(&mut self, prefix: char, letter: char) {
        let is_standard = prefix == 'S';
        let last = self.last.filter(|l| l.end == self.text.len() && l.is_standard == is_standard);
        let (start, count) = match last {
            Some(last) if last.letter == letter => {
                self.text.truncate(last.start);
                self.text += &(last.count + 1).to_string();
                (last.start, last.count + 1)
            }
            Some(last) if !is_standard => {
                self.text.truncate(last.end - 1);
                self.text.push(last.letter.to_ascii_lowercase());
                (last.end, 1)
            }
            _ => {
                self.text.push(prefix);
                (self.text.len(), 1)
            }
        };
        self.text.push(letter);
        self.last = Some(Last { start, end: self.text.len(), count, letter, is_standard });
    }

    /// Writes an index: `_`, `0_`, `1_`, ….
    pub(super) fn index(&mut self, index: usize) {
        if let Some(n) = index.checked_sub(1) {
            self.text += &n.to_string();
        }
        self.text.push('_');
    }

    /// Writes an operator with its generic parameter.
    pub(super) fn operator(&mut self, operator: &str, depth: u16, index: u16) {
        self.text.push_str(operator);
        match (depth, index) {
            (0, 0) => self.text.push('z'),
            (0, i) => self.index(usize::from(i) - 1),
            (d, i) => {
                self.text.push('d');
                self.index(usize::from(d) - 1);
                self.index(usize::from(i));
            }
        }
    }

    /// Writes an identifier, with references to words that were written before.
    pub(super) fn identifier(&mut self, name: &str) {
        let key = Key::Ident(name.to_owned());
        if self.reuse(&key) {
            return;
        }
        self.remember(key);
        self.plain_identifier(name);
    }

    /// Writes an identifier that cannot be replaced by a back-reference.
    pub(super) fn plain_identifier(&mut self, name: &str) {
        if !name.is_ascii() {
            let encoded = super::signature::punycode(name);
            let separator =
                if encoded.starts_with(|c: char| c.is_ascii_digit() || c == '_') { "_" } else { "" };
            self.text += &format!("00{}{separator}{encoded}", encoded.len());
            return;
        }
        let known = self.known_words(name);
        if !known.is_empty() {
            self.text.push('0');
        }
        let mut at = 0;
        for (i, &(start, word)) in known.iter().enumerate() {
            self.literal(&name[at..start]);
            at = start + self.words[word].len();
            let letter = char::from(b'a' + word as u8);
            if i + 1 < known.len() {
                self.text.push(letter);
            } else {
                self.text.push(letter.to_ascii_uppercase());
                self.text.push_str(if at == name.len() { "0" } else { "" });
            }
        }
        self.literal(&name[at..]);
    }

    fn literal(&mut self, part: &str) {
        if !part.is_empty() {
            self.text += &part.len().to_string();
            self.text.push_str(part);
        }
    }

    /// Returns the words of a name that were written before, by position and number; other words are recorded.
    fn known_words(&mut self, name: &str) -> Vec<(usize, usize)> {
        let bytes = name.as_bytes();
        let (mut known, mut begin) = (Vec::new(), None);
        for pos in 0..=bytes.len() {
            let byte = bytes.get(pos).copied().unwrap_or(0);
            let ends = byte == 0
                || byte == b'_'
                || (pos > 0 && !bytes[pos - 1].is_ascii_uppercase() && byte.is_ascii_uppercase());
            if let Some(start) = begin.filter(|_| ends) {
                let word = &name[start..pos];
                match self.words.iter().position(|w| w == word) {
                    Some(index) => known.push((start, index)),
                    None if word.len() >= 2 && self.words.len() < MAX_WORDS => {
                        self.words.push(word.to_owned())
                    }
                    None => {}
                }
                begin = None;
            }
            if begin.is_none() && byte != 0 && byte != b'_' && !byte.is_ascii_digit() {
                begin = Some(pos);
            }
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_repeated_by_letter() {
        let mut out = Writer::default();
        for name in ["RealModule", "ModuleReal", "RealX", "xRealModule", "a_Real"] {
            out.plain_identifier(name);
        }
        assert_eq!(out.take(), "10RealModule0bA00A1X01xaB002a_A0");
    }

    #[test]
    fn substitutions_side_by_side_are_merged() {
        let mut out = Writer::default();
        for name in ["p", "q"] {
            out.identifier(name);
        }
        for name in ["p", "p", "q", "q", "p"] {
            out.identifier(name);
        }
        out.standard("i");
        out.standard("i");
        out.standard("S");
        assert_eq!(out.take(), "1p1qA2a2bAS2iSS");
    }
}
