//! The parser of POSIX extended regular expressions in the dialect of LLVM's FileCheck.
//!
//! Differences from the `regex` crate: a backslash only removes the special meaning of a character (`\d` is the
//! letter d), there are back references, a bound needs a digit (`{x` is text), `]` may come first in a bracket
//! expression, an empty alternative and a repeated repetition are errors, text consists of bytes, and neither `.` nor
//! `[^a]` matches a line end.

/// A set of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    const EMPTY: ByteSet = ByteSet([0; 4]);

    fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    fn remove(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] &= !(1 << (byte & 63));
    }

    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0
    }

    fn complement(self) -> ByteSet {
        ByteSet(self.0.map(|word| !word))
    }
}

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Byte(u8),
    Set(ByteSet),
    LineStart,
    LineEnd,
    WordStart,
    WordEnd,
    /// A capturing group; groups are numbered from 1, in the order of the opening parentheses.
    Group(usize, Box<Node>),
    /// A back reference to a group.
    BackReference(usize),
    Concat(Vec<Node>),
    Alternatives(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
}

impl Node {
    /// Returns an expression that matches exactly these bytes.
    pub(crate) fn text(bytes: &[u8]) -> Node {
        Node::Concat(bytes.iter().copied().map(Node::Byte).collect())
    }
}

/// The maximum nesting of parentheses.
const MAX_DEPTH: u32 = 100;
/// The POSIX limit for the counts of a bound.
const MAX_COUNT: u32 = 255;

/// Parses one expression of a pattern that may have several; `groups` is the running number of groups.
pub(crate) fn parse(source: &[u8], groups: &mut usize) -> Result<Node, &'static str> {
    let outer = *groups;
    let mut parser = Parser { rest: source, groups, outer, closed: 0, depth: 0 };
    let node = parser.alternatives()?;
    if !parser.rest.is_empty() {
        return Err("parentheses not balanced");
    }
    Ok(node)
}

struct Parser<'a> {
    rest: &'a [u8],
    groups: &'a mut usize,
    /// The number of groups before this expression.
    outer: usize,
    /// The number of closed groups in this expression, which can be referenced.
    closed: usize,
    depth: u32,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn eat_all(&mut self, bytes: &[u8]) -> bool {
        let Some(rest) = self.rest.strip_prefix(bytes) else {
            return false;
        };
        self.rest = rest;
        true
    }

    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn alternatives(&mut self) -> Result<Node, &'static str> {
        let mut all = vec![self.sequence()?];
        while self.eat(b'|') {
            all.push(self.sequence()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Node::Alternatives(all) })
    }

    fn sequence(&mut self) -> Result<Node, &'static str> {
        let mut items = Vec::new();
        while let Some(c) = self.peek() {
            if c == b'|' || (c == b')' && self.depth > 0) {
                break;
            }
            let item = self.atom()?;
            items.push(self.repetition(item)?);
        }
        match items.len() {
            0 => Err("empty (sub)expression"),
            1 => Ok(items.remove(0)),
            _ => Ok(Node::Concat(items)),
        }
    }

    fn atom(&mut self) -> Result<Node, &'static str> {
        let mut any = ByteSet::EMPTY.complement();
        any.remove(b'\n');
        match self.next() {
            None => Err("empty (sub)expression"),
            Some(b'(') => self.group(),
            Some(b')') => Err("parentheses not balanced"),
            Some(b'^') => Ok(Node::LineStart),
            Some(b'$') => Ok(Node::LineEnd),
            Some(b'*' | b'+' | b'?') => Err("repetition-operator operand invalid"),
            Some(b'.') => Ok(Node::Set(any)),
            Some(b'[') => self.bracket(),
            Some(b'{') if self.peek().is_some_and(|c| c.is_ascii_digit()) => {
                Err("repetition-operator operand invalid")
            }
            Some(b'\\') => match self.next() {
                None => Err("trailing backslash (\\)"),
                Some(c @ b'1'..=b'9') => {
                    let number = usize::from(c - b'0');
                    // The number counts the groups of the whole pattern, but must also be valid in this expression
                    // alone, as in the original.
                    let is_closed = number <= self.closed;
                    is_closed.then_some(Node::BackReference(number)).ok_or("invalid backreference number")
                }
                Some(c) => Ok(Node::Byte(c)),
            },
            Some(c) => Ok(Node::Byte(c)),
        }
    }

    fn group(&mut self) -> Result<Node, &'static str> {
        if self.depth == MAX_DEPTH {
            return Err("parentheses nested too deeply");
        }
        *self.groups += 1;
        let number = *self.groups;
        self.depth += 1;
        let inner = if self.peek() == Some(b')') { Node::Concat(Vec::new()) } else { self.alternatives()? };
        self.depth -= 1;
        if !self.eat(b')') {
            return Err("parentheses not balanced");
        }
        self.closed = self.closed.max(number - self.outer);
        Ok(Node::Group(number, Box::new(inner)))
    }

    fn repetition(&mut self, item: Node) -> Result<Node, &'static str> {
        let (min, max) = match self.rest {
            [b'*', ..] => (0, None),
            [b'+', ..] => (1, None),
            [b'?', ..] => (0, Some(1)),
            [b'{', c, ..] if c.is_ascii_digit() => (0, Some(0)),
            _ => return Ok(item),
        };
        if matches!(item, Node::LineStart) {
            return Err("repetition-operator operand invalid");
        }
        let is_bound = self.next() == Some(b'{');
        let (min, max) = if is_bound { self.bound()? } else { (min, max) };
        match self.rest {
            [b'*' | b'+' | b'?', ..] => return Err("repetition-operator operand invalid"),
            [b'{', c, ..] if c.is_ascii_digit() => {
                return Err("repetition-operator operand invalid");
            }
            _ => {}
        }
        Ok(Node::Repeat { node: Box::new(item), min, max })
    }

    /// Parses the bounds of a repetition after `{`.
    fn bound(&mut self) -> Result<(u32, Option<u32>), &'static str> {
        let min = self.count()?;
        let mut max = Some(min);
        if self.eat(b',') {
            max = if self.peek().is_some_and(|c| c.is_ascii_digit()) { Some(self.count()?) } else { None };
        }
        if max.is_some_and(|max| max < min) {
            return Err("invalid repetition count(s)");
        }
        if !self.eat(b'}') {
            let is_closed = self.rest.contains(&b'}');
            return Err(if is_closed { "invalid repetition count(s)" } else { "braces not balanced" });
        }
        Ok((min, max))
    }

    fn count(&mut self) -> Result<u32, &'static str> {
        let mut count = 0;
        while let Some(c) = self.peek().filter(u8::is_ascii_digit) {
            count = count * 10 + u32::from(c - b'0');
            if count > MAX_COUNT {
                return Err("invalid repetition count(s)");
            }
            self.next();
        }
        Ok(count)
    }

    /// Parses a bracket expression after `[`.
    fn bracket(&mut self) -> Result<Node, &'static str> {
        const OPEN: &str = "brackets ([ ]) not balanced";
        if self.eat_all(b"[:<:]]") {
            return Ok(Node::WordStart);
        }
        if self.eat_all(b"[:>:]]") {
            return Ok(Node::WordEnd);
        }
        let mut set = ByteSet::EMPTY;
        let is_inverted = self.eat(b'^');
        if self.eat(b']') {
            set.insert(b']');
        } else if self.eat(b'-') {
            set.insert(b'-');
        }
        loop {
            match self.rest {
                [] => return Err(OPEN),
                [b']', ..] => break,
                [b'-', b']', ..] => {
                    set.insert(b'-');
                    self.rest = &self.rest[1..];
                    break;
                }
                [b'[', b':', ..] => self.class(&mut set)?,
                [b'[', b'=', c, b'=', b']', ..] => {
                    set.insert(*c);
                    self.rest = &self.rest[5..];
                }
                [b'[', b'=', ..] => return Err("invalid collating element"),
                [b'-', ..] => return Err("invalid character range"),
                _ => self.range(&mut set)?,
            }
        }
        self.rest = &self.rest[1..];
        if is_inverted {
            set = set.complement();
            set.remove(b'\n');
        }
        Ok(Node::Set(set))
    }

    fn range(&mut self, set: &mut ByteSet) -> Result<(), &'static str> {
        let first = self.range_end()?;
        let is_range = matches!(self.rest, [b'-', c, ..] if *c != b']');
        let last = if is_range {
            self.rest = &self.rest[1..];
            if self.eat(b'-') { b'-' } else { self.range_end()? }
        } else {
            first
        };
        if first > last {
            return Err("invalid character range");
        }
        (first..=last).for_each(|byte| set.insert(byte));
        Ok(())
    }

    fn range_end(&mut self) -> Result<u8, &'static str> {
        match self.rest {
            [b'[', b'.', c, b'.', b']', ..] => {
                self.rest = &self.rest[5..];
                Ok(*c)
            }
            [b'[', b'.', ..] => Err("invalid collating element"),
            _ => self.next().ok_or("brackets ([ ]) not balanced"),
        }
    }

    fn class(&mut self, set: &mut ByteSet) -> Result<(), &'static str> {
        type Class = (&'static [u8], fn(&u8) -> bool);
        const CLASSES: [Class; 12] = [
            (b"alnum", u8::is_ascii_alphanumeric),
            (b"alpha", u8::is_ascii_alphabetic),
            (b"blank", |c| matches!(c, b' ' | b'\t')),
            (b"cntrl", u8::is_ascii_control),
            (b"digit", u8::is_ascii_digit),
            (b"graph", u8::is_ascii_graphic),
            (b"lower", u8::is_ascii_lowercase),
            (b"print", |c| matches!(c, b' '..=b'~')),
            (b"punct", u8::is_ascii_punctuation),
            (b"space", |c| matches!(c, b'\t'..=b'\r' | b' ')),
            (b"upper", u8::is_ascii_uppercase),
            (b"xdigit", u8::is_ascii_hexdigit),
        ];
        self.rest = &self.rest[2..];
        let len = self.rest.iter().take_while(|c| c.is_ascii_alphabetic()).count();
        let (name, rest) = self.rest.split_at(len);
        let class = CLASSES.iter().find(|(known, _)| *known == name);
        let (_, contains) = class.ok_or("invalid character class")?;
        (0..=127u8).filter(contains).for_each(|byte| set.insert(byte));
        self.rest = rest.strip_prefix(b":]").ok_or("invalid character class")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(source: &str) -> &'static str {
        parse(source.as_bytes(), &mut 0).unwrap_err()
    }

    #[test]
    fn errors() {
        for (source, expected) in [
            ("", "empty (sub)expression"),
            ("a|", "empty (sub)expression"),
            ("*a", "repetition-operator operand invalid"),
            ("a**", "repetition-operator operand invalid"),
            ("^*", "repetition-operator operand invalid"),
            ("{2}", "repetition-operator operand invalid"),
            ("a{2,1}", "invalid repetition count(s)"),
            ("a{256}", "invalid repetition count(s)"),
            ("a{2", "braces not balanced"),
            ("(a", "parentheses not balanced"),
            ("a)", "parentheses not balanced"),
            ("[a", "brackets ([ ]) not balanced"),
            ("[z-a]", "invalid character range"),
            ("[[:foo:]]", "invalid character class"),
            ("a\\", "trailing backslash (\\)"),
            (r"\1", "invalid backreference number"),
        ] {
            assert_eq!(error(source), expected, "{source}");
        }
        assert_eq!(error(&"(".repeat(100_000)), "parentheses nested too deeply");
    }

    #[test]
    fn forms() {
        let parsed = |s: &str| parse(s.as_bytes(), &mut 0).unwrap();
        assert_eq!(parsed(r"\d"), Node::Byte(b'd'));
        assert_eq!(parsed("{,2"), Node::text(b"{,2"));
        assert_eq!(parsed("()"), Node::Group(1, Box::new(Node::text(b""))));
        let Node::Set(set) = parsed("[^]a-c-]") else { panic!("a set") };
        let outside: Vec<u8> = (0..=255).filter(|&b| !set.contains(b)).collect();
        assert_eq!(outside, b"\n-]abc");
        let Node::Set(set) = parsed(r"[\x[:digit:]]") else { panic!("a set") };
        assert!(set.contains(b'\\') && set.contains(b'7') && !set.contains(b'y'));
    }

    #[test]
    fn groups_count_on() {
        let mut groups = 3;
        let node = parse(b"(a)", &mut groups).unwrap();
        assert_eq!((node, groups), (Node::Group(4, Box::new(Node::Byte(b'a'))), 4));
    }
}
