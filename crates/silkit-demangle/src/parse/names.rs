//! Identifiers, words, operators, substitutions.

use super::{MAX_REPEAT, Parser};
use crate::node::{Kind, NodeId, Payload};
use crate::punycode;

/// The maximum number of words that later identifiers refer to, by letter.
const MOST_WORDS: usize = 26;

/// The operator characters for the letters `a` to `z`; a space for letters without one.
const OPERATOR_CHARS: &[u8; 26] = b"& @/= >    <*!|+?%-~   ^ .";

/// The types and protocols of the standard library with a letter after `S` or `Sc`.
const STANDARD: &[(u8, Kind, &str)] = &[
    (b'A', Kind::Structure, "AutoreleasingUnsafeMutablePointer"),
    (b'a', Kind::Structure, "Array"),
    (b'b', Kind::Structure, "Bool"),
    (b'D', Kind::Structure, "Dictionary"),
    (b'd', Kind::Structure, "Double"),
    (b'f', Kind::Structure, "Float"),
    (b'h', Kind::Structure, "Set"),
    (b'I', Kind::Structure, "DefaultIndices"),
    (b'i', Kind::Structure, "Int"),
    (b'J', Kind::Structure, "Character"),
    (b'N', Kind::Structure, "ClosedRange"),
    (b'n', Kind::Structure, "Range"),
    (b'O', Kind::Structure, "ObjectIdentifier"),
    (b'P', Kind::Structure, "UnsafePointer"),
    (b'p', Kind::Structure, "UnsafeMutablePointer"),
    (b'R', Kind::Structure, "UnsafeBufferPointer"),
    (b'r', Kind::Structure, "UnsafeMutableBufferPointer"),
    (b'S', Kind::Structure, "String"),
    (b's', Kind::Structure, "Substring"),
    (b'u', Kind::Structure, "UInt"),
    (b'V', Kind::Structure, "UnsafeRawPointer"),
    (b'v', Kind::Structure, "UnsafeMutableRawPointer"),
    (b'W', Kind::Structure, "UnsafeRawBufferPointer"),
    (b'w', Kind::Structure, "UnsafeMutableRawBufferPointer"),
    (b'q', Kind::Enum, "Optional"),
    (b'B', Kind::Protocol, "BinaryFloatingPoint"),
    (b'E', Kind::Protocol, "Encodable"),
    (b'e', Kind::Protocol, "Decodable"),
    (b'F', Kind::Protocol, "FloatingPoint"),
    (b'G', Kind::Protocol, "RandomNumberGenerator"),
    (b'H', Kind::Protocol, "Hashable"),
    (b'j', Kind::Protocol, "Numeric"),
    (b'K', Kind::Protocol, "BidirectionalCollection"),
    (b'k', Kind::Protocol, "RandomAccessCollection"),
    (b'L', Kind::Protocol, "Comparable"),
    (b'l', Kind::Protocol, "Collection"),
    (b'M', Kind::Protocol, "MutableCollection"),
    (b'm', Kind::Protocol, "RangeReplaceableCollection"),
    (b'Q', Kind::Protocol, "Equatable"),
    (b'T', Kind::Protocol, "Sequence"),
    (b't', Kind::Protocol, "IteratorProtocol"),
    (b'U', Kind::Protocol, "UnsignedInteger"),
    (b'X', Kind::Protocol, "RangeExpression"),
    (b'x', Kind::Protocol, "Strideable"),
    (b'Y', Kind::Protocol, "RawRepresentable"),
    (b'y', Kind::Protocol, "StringProtocol"),
    (b'Z', Kind::Protocol, "SignedInteger"),
    (b'z', Kind::Protocol, "BinaryInteger"),
];

const STANDARD_CONCURRENCY: &[(u8, Kind, &str)] = &[
    (b'A', Kind::Protocol, "Actor"),
    (b'C', Kind::Structure, "CheckedContinuation"),
    (b'c', Kind::Structure, "UnsafeContinuation"),
    (b'E', Kind::Structure, "CancellationError"),
    (b'e', Kind::Structure, "UnownedSerialExecutor"),
    (b'F', Kind::Protocol, "Executor"),
    (b'f', Kind::Protocol, "SerialExecutor"),
    (b'G', Kind::Structure, "TaskGroup"),
    (b'g', Kind::Structure, "ThrowingTaskGroup"),
    (b'h', Kind::Protocol, "TaskExecutor"),
    (b'I', Kind::Protocol, "AsyncIteratorProtocol"),
    (b'i', Kind::Protocol, "AsyncSequence"),
    (b'J', Kind::Structure, "UnownedJob"),
    (b'M', Kind::Class, "MainActor"),
    (b'P', Kind::Structure, "TaskPriority"),
    (b'S', Kind::Structure, "AsyncStream"),
    (b's', Kind::Structure, "AsyncThrowingStream"),
    (b'T', Kind::Structure, "Task"),
    (b't', Kind::Structure, "UnsafeCurrentTask"),
];

/// Returns the operator that an identifier encodes.
pub(super) fn operator_text(letters: &str) -> Option<String> {
    letters
        .chars()
        .map(|c| match c {
            c if !c.is_ascii() => Some(c),
            'a'..='z' => {
                let operator = OPERATOR_CHARS[c as usize - usize::from(b'a')];
                (operator != b' ').then(|| char::from(operator))
            }
            _ => None,
        })
        .collect()
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
        let mut name = String::new();
        // Words are recorded as ranges of the name, and moved when the name is placed.
        let mut found: Vec<(usize, usize)> = Vec::new();
        let known = self.lists.words.len();
        loop {
            while words_follow && self.peek().is_ascii_alphabetic() {
                let letter = self.next()?;
                let index = usize::from(letter.to_ascii_lowercase() - b'a');
                words_follow = letter.is_ascii_lowercase();
                if let Some(&(start, end)) = self.lists.words.get(index) {
                    name.push_str(self.tree.stretch(start, end));
                } else {
                    // A word of this name itself.
                    let &(start, end) = found.get(index - known)?;
                    let word = name[start..end].to_string();
                    name.push_str(&word);
                }
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
                name.push_str(&punycode::decode(slice)?);
            } else {
                let base = name.len();
                name.push_str(slice);
                for (start, end) in words(slice.as_bytes()) {
                    if known + found.len() < MOST_WORDS {
                        found.push((base + start, base + end));
                    }
                }
            }
            if !words_follow {
                break;
            }
        }
        if name.is_empty() {
            return None;
        }
        self.add_identifier(&name, found)
    }

    /// Adds an identifier and its words, given as ranges of the name.
    fn add_identifier(
        &mut self,
        name: &str,
        words: impl IntoIterator<Item = (usize, usize)>,
    ) -> Option<NodeId> {
        let payload = self.tree.keep(name);
        let Payload::Text(base, _) = payload else { return None };
        let words = words.into_iter().map(|(start, end)| (base + start as u32, base + end as u32));
        self.lists.words.extend(words);
        let node = self.tree.add(Kind::Identifier, payload, &[]);
        Some(self.substitutable(node))
    }

    /// Parses an identifier that is spelled out.
    fn plain_identifier(&mut self) -> Option<NodeId> {
        let length = usize::try_from(self.natural()?).ok().filter(|&length| length > 0)?;
        let text = self.text;
        let name = text.get(self.pos..self.pos.checked_add(length)?)?;
        self.pos += length;
        let left = MOST_WORDS.saturating_sub(self.lists.words.len());
        self.add_identifier(name, words(name.as_bytes()).take(left))
    }

    /// Parses the name of an operator.
    pub(super) fn operator_name(&mut self) -> Option<NodeId> {
        let ident = self.pop(Kind::Identifier)?;
        let name = operator_text(self.tree.text(ident)?)?;
        let kind = match self.next()? {
            b'i' => Kind::InfixOperator,
            b'p' => Kind::PrefixOperator,
            b'P' => Kind::PostfixOperator,
            _ => return None,
        };
        Some(self.name(kind, &name))
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
        let table = if self.eat(b'c') { STANDARD_CONCURRENCY } else { STANDARD };
        let letter = self.next()?;
        let &(_, kind, name) = table.iter().find(|row| row.0 == letter)?;
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

/// Returns the words of an identifier: runs of letters and digits, split before an upper case letter that follows a
/// lower case one.
fn words(text: &[u8]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut start = None;
    let mut at = 0;
    std::iter::from_fn(move || {
        while at <= text.len() {
            let here = text.get(at).copied().unwrap_or(0);
            let mut word = None;
            if let Some(from) = start {
                let before: u8 = text[at - 1];
                let ends =
                    here == b'_' || here == 0 || !before.is_ascii_uppercase() && here.is_ascii_uppercase();
                if ends {
                    word = (at - from >= 2).then_some((from, at));
                    start = None;
                }
            }
            if start.is_none() && here != b'_' && here != 0 && !here.is_ascii_digit() {
                start = Some(at);
            }
            at += 1;
            if word.is_some() {
                return word;
            }
        }
        None
    })
}
