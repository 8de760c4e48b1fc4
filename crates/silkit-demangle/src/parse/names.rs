//! Identifiers, words, operators, substitutions.

use super::{MAX_REPEAT, Parser};
use crate::node::{Kind, NodeId};
use crate::punycode;

/// The maximum number of words that later identifiers refer to, by letter.
const MOST_WORDS: usize = 26;

/// The operator characters for the letters `a` to `z`; a space for letters without one.
const OPERATOR_CHARS: &[u8; 26] = b"& @/= >    <*!|+?%-~   ^ .";

/// Returns the type or protocol of the standard library with a letter after `S`.
fn standard(letter: u8) -> Option<(Kind, &'static str)> {
    use Kind::*;
    Some(match letter {
        b'A' => (Structure, "AutoreleasingUnsafeMutablePointer"),
        b'a' => (Structure, "Array"),
        b'b' => (Structure, "Bool"),
        b'D' => (Structure, "Dictionary"),
        b'd' => (Structure, "Double"),
        b'f' => (Structure, "Float"),
        b'h' => (Structure, "Set"),
        b'I' => (Structure, "DefaultIndices"),
        b'i' => (Structure, "Int"),
        b'J' => (Structure, "Character"),
        b'N' => (Structure, "ClosedRange"),
        b'n' => (Structure, "Range"),
        b'O' => (Structure, "ObjectIdentifier"),
        b'P' => (Structure, "UnsafePointer"),
        b'p' => (Structure, "UnsafeMutablePointer"),
        b'R' => (Structure, "UnsafeBufferPointer"),
        b'r' => (Structure, "UnsafeMutableBufferPointer"),
        b'S' => (Structure, "String"),
        b's' => (Structure, "Substring"),
        b'u' => (Structure, "UInt"),
        b'V' => (Structure, "UnsafeRawPointer"),
        b'v' => (Structure, "UnsafeMutableRawPointer"),
        b'W' => (Structure, "UnsafeRawBufferPointer"),
        b'w' => (Structure, "UnsafeMutableRawBufferPointer"),
        b'q' => (Enum, "Optional"),
        b'B' => (Protocol, "BinaryFloatingPoint"),
        b'E' => (Protocol, "Encodable"),
        b'e' => (Protocol, "Decodable"),
        b'F' => (Protocol, "FloatingPoint"),
        b'G' => (Protocol, "RandomNumberGenerator"),
        b'H' => (Protocol, "Hashable"),
        b'j' => (Protocol, "Numeric"),
        b'K' => (Protocol, "BidirectionalCollection"),
        b'k' => (Protocol, "RandomAccessCollection"),
        b'L' => (Protocol, "Comparable"),
        b'l' => (Protocol, "Collection"),
        b'M' => (Protocol, "MutableCollection"),
        b'm' => (Protocol, "RangeReplaceableCollection"),
        b'Q' => (Protocol, "Equatable"),
        b'T' => (Protocol, "Sequence"),
        b't' => (Protocol, "IteratorProtocol"),
        b'U' => (Protocol, "UnsignedInteger"),
        b'X' => (Protocol, "RangeExpression"),
        b'x' => (Protocol, "Strideable"),
        b'Y' => (Protocol, "RawRepresentable"),
        b'y' => (Protocol, "StringProtocol"),
        b'Z' => (Protocol, "SignedInteger"),
        b'z' => (Protocol, "BinaryInteger"),
        _ => return None,
    })
}

/// Returns the type or protocol of the concurrency library with a letter after `Sc`.
fn standard_of_concurrency(letter: u8) -> Option<(Kind, &'static str)> {
    use Kind::*;
    Some(match letter {
        b'A' => (Protocol, "Actor"),
        b'C' => (Structure, "CheckedContinuation"),
        b'c' => (Structure, "UnsafeContinuation"),
        b'E' => (Structure, "CancellationError"),
        b'e' => (Structure, "UnownedSerialExecutor"),
        b'F' => (Protocol, "Executor"),
        b'f' => (Protocol, "SerialExecutor"),
        b'G' => (Structure, "TaskGroup"),
        b'g' => (Structure, "ThrowingTaskGroup"),
        b'h' => (Protocol, "TaskExecutor"),
        b'I' => (Protocol, "AsyncIteratorProtocol"),
        b'i' => (Protocol, "AsyncSequence"),
        b'J' => (Structure, "UnownedJob"),
        b'M' => (Class, "MainActor"),
        b'P' => (Structure, "TaskPriority"),
        b'S' => (Structure, "AsyncStream"),
        b's' => (Structure, "AsyncThrowingStream"),
        b'T' => (Structure, "Task"),
        b't' => (Structure, "UnsafeCurrentTask"),
        _ => return None,
    })
}

/// Returns the character of an operator for a character of the identifier that encodes it.
fn operator_char(c: char) -> Option<char> {
    match c {
        c if !c.is_ascii() => Some(c),
        'a'..='z' => {
            let operator = OPERATOR_CHARS[c as usize - usize::from(b'a')];
            (operator != b' ').then(|| char::from(operator))
        }
        _ => None,
    }
}

/// Returns the operator that an identifier encodes.
pub(super) fn operator_text(letters: &str) -> Option<String> {
    letters.chars().map(operator_char).collect()
}

impl Parser<'_> {
    pub(super) fn identifier(&mut self) -> Option<NodeId> {
        let (mut words_follow, mut punycoded) = (false, false);
        if self.eat(b'0') {
            punycoded = self.eat(b'0');
            words_follow = !punycoded;
        }
        if !words_follow && !punycoded {
            return self.plain_identifier();
        }
        let start = self.tree.text_len();
        loop {
            while words_follow && self.peek().is_ascii_alphabetic() {
                let letter = self.next()?;
                let index = usize::from(letter.to_ascii_lowercase() - b'a');
                words_follow = letter.is_ascii_lowercase();
                let &(start, end) = self.lists.words.get(index)?;
                self.tree.keep_again(start, end);
            }
            if self.eat(b'0') {
                break;
            }
            let length = usize::try_from(self.natural()?).ok()?;
            if length == 0 {
                return None;
            }
            if punycoded {
                self.eat(b'_');
            }
            let slice = self.text.get(self.pos..self.pos.checked_add(length)?)?;
            self.pos += length;
            if punycoded {
                self.tree.keep(&punycode::decode(slice)?);
            } else {
                self.keep_with_words(slice);
            }
            if !words_follow {
                break;
            }
        }
        if self.tree.text_len() == start {
            return None;
        }
        Some(self.add_identifier(start))
    }

    /// Adds an identifier whose name is the text that was kept from a start on.
    fn add_identifier(&mut self, start: u32) -> NodeId {
        let node = self.tree.add(Kind::Identifier, self.tree.kept_since(start), &[]);
        self.substitutable(node)
    }

    /// Parses an identifier that is spelled out.
    fn plain_identifier(&mut self) -> Option<NodeId> {
        let length = usize::try_from(self.natural()?).ok().filter(|&length| length > 0)?;
        let text = self.text;
        let name = text.get(self.pos..self.pos.checked_add(length)?)?;
        self.pos += length;
        let start = self.tree.text_len();
        self.keep_with_words(name);
        Some(self.add_identifier(start))
    }

    /// Keeps a part of a name, and its words for later identifiers. Words are runs of letters and digits, split before
    /// an upper case letter that follows a lower case one.
    fn keep_with_words(&mut self, name: &str) {
        let base = self.tree.text_len();
        self.tree.keep(name);
        let bytes = name.as_bytes();
        let mut start = None;
        for at in 0..=bytes.len() {
            let here = bytes.get(at).copied().unwrap_or(0);
            // Most characters are in a word that goes on.
            if start.is_some() && here.is_ascii_lowercase() {
                continue;
            }
            let splits = here == b'_' || here == 0;
            if let Some(from) = start
                && (splits || !bytes[at - 1].is_ascii_uppercase() && here.is_ascii_uppercase())
            {
                if at - from >= 2 && self.lists.words.len() < MOST_WORDS {
                    self.lists.words.push((base + from as u32, base + at as u32));
                }
                start = None;
            }
            if start.is_none() && !splits && !here.is_ascii_digit() {
                start = Some(at);
            }
        }
    }

    /// Parses the name of an operator.
    pub(super) fn operator_name(&mut self) -> Option<NodeId> {
        let ident = self.pop(Kind::Identifier)?;
        let name = self.tree.keep_replaced(ident, operator_char)?;
        let kind = match self.next()? {
            b'i' => Kind::InfixOperator,
            b'p' => Kind::PrefixOperator,
            b'P' => Kind::PostfixOperator,
            _ => return None,
        };
        Some(self.tree.add(kind, name, &[]))
    }

    /// Parses `L…`: local and private names, which have discriminators.
    pub(super) fn local_name(&mut self) -> Option<NodeId> {
        match self.peek() {
            b'L' => {
                self.pos += 1;
                let discriminator = self.pop(Kind::Identifier)?;
                let name = self.pop_if(Kind::is_decl_name)?;
                Some(self.node(Kind::PrivateDeclName, &[discriminator, name]))
            }
            b'l' => {
                self.pos += 1;
                let discriminator = self.pop(Kind::Identifier)?;
                Some(self.node(Kind::PrivateDeclName, &[discriminator]))
            }
            letter @ (b'a'..=b'j' | b'A'..=b'J') => {
                self.pos += 1;
                let kind = self.name(Kind::Identifier, char::from(letter).encode_utf8(&mut [0; 4]));
                let name = self.pop_any()?;
                Some(self.node(Kind::RelatedEntityDeclName, &[kind, name]))
            }
            _ => {
                let discriminator = self.index_node()?;
                let name = self.pop_if(Kind::is_decl_name)?;
                Some(self.node(Kind::LocalDeclName, &[discriminator, name]))
            }
        }
    }

    /// Parses `A…`: one or more back-references.
    pub(super) fn substitution(&mut self) -> Option<NodeId> {
        let mut repeat = None;
        loop {
            match self.next()? {
                c @ b'a'..=b'z' => {
                    let node = self.repeated(repeat.take(), usize::from(c - b'a'))?;
                    self.lists.stack.push(node);
                }
                c @ b'A'..=b'Z' => return self.repeated(repeat.take(), usize::from(c - b'A')),
                b'_' => {
                    let index = usize::try_from(repeat.map_or(26, |n| n + 27)).ok()?;
                    return self.lists.substitutions.get(index).copied();
                }
                _ => {
                    self.pos -= 1;
                    repeat = Some(self.natural()?);
                }
            }
        }
    }

    /// Pushes all but one of the repetitions, and returns the last.
    fn repeated(&mut self, repeat: Option<u64>, index: usize) -> Option<NodeId> {
        let node = *self.lists.substitutions.get(index)?;
        self.push_repeats(node, repeat)?;
        Some(node)
    }

    fn push_repeats(&mut self, node: NodeId, repeat: Option<u64>) -> Option<()> {
        let repeat = repeat.unwrap_or(1);
        if repeat > MAX_REPEAT || self.lists.stack.len() > 1 << 20 {
            return None;
        }
        self.lists.stack.extend((1..repeat).map(|_| node));
        Some(())
    }

    /// Parses `S…`: types of the standard library and Clang.
    pub(super) fn standard_substitution(&mut self) -> Option<NodeId> {
        match self.peek() {
            b'o' => {
                self.pos += 1;
                return Some(self.name(Kind::Module, "__C"));
            }
            b'C' => {
                self.pos += 1;
                return Some(self.name(Kind::Module, "__C_Synthesized"));
            }
            b'g' => {
                self.pos += 1;
                let wrapped = self.pop(Kind::Type)?;
                let optional = self.swift_type(Kind::Enum, "Optional");
                let arguments = self.node(Kind::TypeList, &[wrapped]);
                let ty = self.typed(Kind::BoundGenericEnum, &[optional, arguments]);
                return Some(self.substitutable(ty));
            }
            _ => {}
        }
        if self.pos == self.text.len() {
            // The reference steps back at the end, and parses this `S` as the letter.
            self.pos -= 1;
        }
        let repeat = self.natural();
        let table = if self.eat(b'c') { standard_of_concurrency } else { standard };
        let (kind, name) = table(self.next()?)?;
        let ty = self.swift_type(kind, name);
        self.push_repeats(ty, repeat)?;
        Some(ty)
    }

    pub(super) fn swift_type(&mut self, kind: Kind, name: &str) -> NodeId {
        let module = self.name(Kind::Module, "Swift");
        let name = self.name(Kind::Identifier, name);
        self.typed(kind, &[module, name])
    }
}
