//! Regular expression search with POSIX rules: the leftmost longest match.
//!
//! The search uses the engines of `regex-automata`. They find the leftmost start, but prefer earlier alternatives to
//! longer matches, so that the end is found by an automaton that reports all matches, and the groups by a search that
//! must reach it. Back references are matched by a small backtracking matcher, at the candidates of an automaton in
//! which a back reference is replaced by the expression of its group.

use std::fmt::Write;
use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::hybrid::dfa::DFA;
use regex_automata::meta;
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use super::ere::Node;

/// The ranges of the whole match (0) and of the groups.
pub(crate) type Groups = Vec<Option<Range<usize>>>;

/// A compiled regular expression.
#[derive(Debug)]
pub(crate) struct Regex {
    node: Node,
    group_count: usize,
    has_references: bool,
    ignore_case: bool,
    source: String,
    first: meta::Regex,
    longest: DFA,
    to_end: OnceLock<Option<meta::Regex>>,
}

/// The maximum size of an automaton in bytes.
const SIZE_LIMIT: usize = 32 << 20;
/// The maximum number of steps of the backtracking matcher from one position.
const STEP_LIMIT: usize = 200_000;
/// The maximum nesting of the backtracking matcher.
const NEST_LIMIT: usize = 500;

impl Regex {
    /// Compiles an expression with `group_count` groups.
    pub(crate) fn new(node: Node, group_count: usize, ignore_case: bool) -> Result<Regex, String> {
        let mut printer = Printer { out: String::new(), groups: vec![None; group_count + 1], captures: true };
        let has_references = printer.collect(&node);
        printer.print(&node);
        let source = printer.out;
        let first = compile(&source, ignore_case)?;
        let config = DFA::config().match_kind(MatchKind::All).skip_cache_capacity_check(true);
        let nfa = thompson::Config::new()
            .utf8(false)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(SIZE_LIMIT));
        let longest = DFA::builder()
            .configure(config)
            .thompson(nfa)
            .syntax(syntax_config(ignore_case))
            .build(&source)
            .map_err(|error| error.to_string())?;
        let to_end = OnceLock::new();
        Ok(Regex { node, group_count, has_references, ignore_case, source, first, longest, to_end })
    }

    /// Returns the leftmost longest match. The ends of `text` are also line boundaries.
    pub(crate) fn find(&self, text: &[u8]) -> Result<Option<Groups>, String> {
        let mut from = 0;
        while from <= text.len() {
            let mut captures = self.first.create_captures();
            self.first.search_captures(&Input::new(text).range(from..), &mut captures);
            let Some(found) = captures.get_match() else {
                return Ok(None);
            };
            if !self.has_references {
                let end = self.longest_end(text, found.start());
                if end > found.end() {
                    self.search_to(text, found.start()..end, &mut captures);
                }
                let range = |group| captures.get_group(group).map(Range::from);
                return Ok(Some((0..=self.group_count).map(range).collect()));
            }
            let groups = vec![None; self.group_count + 1];
            let mut matcher =
                Backtracker { text, ignore_case: self.ignore_case, groups, best: None, steps: 0, depth: 0 };
            let start = found.start();
            matcher.run(&self.node, start, &mut |m: &mut Backtracker<'_>, end| {
                m.steps += 1;
                if m.best.as_ref().is_none_or(|(longest, _)| end > *longest) {
                    m.best = Some((end, m.groups.clone()));
                }
            });
            if matcher.steps > STEP_LIMIT || matcher.depth > NEST_LIMIT {
                return Err("the back references need too many steps".to_owned());
            }
            if let Some((end, mut groups)) = matcher.best {
                groups[0] = Some(start..end);
                return Ok(Some(groups));
            }
            from = start + 1;
        }
        Ok(None)
    }

    fn longest_end(&self, text: &[u8], start: usize) -> usize {
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        // If the automaton gives up, use the end of the first search.
        let end = self.longest.try_search_fwd(&mut self.longest.create_cache(), &input);
        end.ok().flatten().map_or(start, |half| half.offset())
    }

    fn search_to(
        &self,
        text: &[u8],
        range: Range<usize>,
        captures: &mut regex_automata::util::captures::Captures,
    ) {
        let to_end =
            self.to_end.get_or_init(|| compile(&format!("(?:{})\\z", self.source), self.ignore_case).ok());
        if let Some(regex) = to_end {
            let input = Input::new(&text[..range.end]).range(range).anchored(Anchored::Yes);
            let mut longer = regex.create_captures();
            regex.search_captures(&input, &mut longer);
            if longer.is_match() {
                *captures = longer;
            }
        }
    }
}

fn syntax_config(ignore_case: bool) -> syntax::Config {
    syntax::Config::new()
        .unicode(false)
        .utf8(false)
        .multi_line(true)
        .case_insensitive(ignore_case)
        .nest_limit(1000)
}

fn compile(source: &str, ignore_case: bool) -> Result<meta::Regex, String> {
    let config = meta::Config::new().utf8_empty(false).nfa_size_limit(Some(SIZE_LIMIT));
    meta::Builder::new()
        .configure(config)
        .syntax(syntax_config(ignore_case))
        .build(source)
        .map_err(|error| error.to_string())
}

/// Prints an expression in the syntax of the `regex` crate.
struct Printer<'a> {
    out: String,
    groups: Vec<Option<&'a Node>>,
    captures: bool,
}

impl<'a> Printer<'a> {
    /// Records the expressions of groups. Returns true if there are back references.
    fn collect(&mut self, node: &'a Node) -> bool {
        match node {
            Node::Group(number, inner) => {
                self.groups[*number] = Some(inner);
                self.collect(inner)
            }
            Node::Concat(nodes) | Node::Alternatives(nodes) => {
                nodes.iter().fold(false, |found, node| self.collect(node) | found)
            }
            Node::Repeat { node, .. } => self.collect(node),
            Node::BackReference(_) => true,
            _ => false,
        }
    }

    fn print(&mut self, node: &Node) {
        match node {
            Node::Byte(byte) => self.byte(*byte),
            Node::Set(set) => {
                self.out.push_str("[\\x00-\\xff&&[");
                (0..=255u8).filter(|&byte| set.contains(byte)).for_each(|byte| self.byte(byte));
                self.out.push_str("]]");
            }
            Node::LineStart => self.out.push('^'),
            Node::LineEnd => self.out.push('$'),
            Node::WordStart => self.out.push_str("\\b{start}"),
            Node::WordEnd => self.out.push_str("\\b{end}"),
            Node::Group(_, inner) => {
                self.out.push_str(if self.captures { "(" } else { "(?:" });
                self.print(inner);
                self.out.push(')');
            }
            Node::BackReference(number) => {
                let outer = std::mem::replace(&mut self.captures, false);
                if let Some(Some(inner)) = self.groups.get(*number).copied() {
                    self.out.push_str("(?:");
                    self.print(inner);
                    self.out.push(')');
                }
                self.captures = outer;
            }
            Node::Concat(nodes) => nodes.iter().for_each(|node| self.print(node)),
            Node::Alternatives(nodes) => {
                self.out.push_str("(?:");
                for (index, node) in nodes.iter().enumerate() {
                    if index > 0 {
                        self.out.push('|');
                    }
                    self.print(node);
                }
                self.out.push(')');
            }
            Node::Repeat { node, min, max } => {
                self.out.push_str("(?:");
                self.print(node);
                // Writing to a string cannot fail.
                let _ = match max {
                    Some(max) => write!(self.out, "){{{min},{max}}}"),
                    None => write!(self.out, "){{{min},}}"),
                };
            }
        }
    }

    fn byte(&mut self, byte: u8) {
        if byte.is_ascii_alphanumeric() {
            self.out.push(char::from(byte));
        } else {
            let _ = write!(self.out, "\\x{byte:02x}");
        }
    }
}

/// A backtracking matcher, which calls back for every match.
struct Backtracker<'t> {
    text: &'t [u8],
    ignore_case: bool,
    groups: Groups,
    best: Option<(usize, Groups)>,
    steps: usize,
    depth: usize,
}

/// The continuation that must match after the current part.
type Continuation<'c, 't> = &'c mut dyn FnMut(&mut Backtracker<'t>, usize);

impl<'t> Backtracker<'t> {
    fn run(&mut self, node: &Node, at: usize, then: Continuation<'_, 't>) {
        self.steps += 1;
        self.depth += 1;
        // Once exceeded, the limits end the whole search.
        if self.steps > STEP_LIMIT || self.depth > NEST_LIMIT {
            return;
        }
        match node {
            Node::Byte(_) | Node::Set(_) => {
                if self.single(node, at) {
                    then(self, at + 1);
                }
            }
            Node::LineStart if at == 0 || self.text[at - 1] == b'\n' => then(self, at),
            Node::LineEnd if self.text.get(at).is_none_or(|&c| c == b'\n') => then(self, at),
            Node::WordStart if self.is_word(at) && !(at > 0 && self.is_word(at - 1)) => then(self, at),
            Node::WordEnd if !self.is_word(at) && at > 0 && self.is_word(at - 1) => then(self, at),
            Node::LineStart | Node::LineEnd | Node::WordStart | Node::WordEnd => {}
            Node::Group(number, inner) => {
                let before = self.groups[*number].clone();
                self.run(inner, at, &mut |m: &mut Backtracker<'t>, end| {
                    let outer = m.groups[*number].replace(at..end);
                    then(m, end);
                    m.groups[*number] = outer;
                });
                self.groups[*number] = before;
            }
            Node::BackReference(number) => {
                if let Some(range) = self.groups[*number].clone() {
                    let (wanted, end) = (&self.text[range.clone()], at + range.len());
                    let is_same = self.text.get(at..end).is_some_and(|found| {
                        found == wanted || (self.ignore_case && found.eq_ignore_ascii_case(wanted))
                    });
                    if is_same {
                        then(self, end);
                    }
                }
            }
            Node::Concat(nodes) => self.sequence(nodes, at, then),
            Node::Alternatives(nodes) => nodes.iter().for_each(|node| self.run(node, at, then)),
            Node::Repeat { node, min, max } => self.repeat(node, *min, max.unwrap_or(u32::MAX), at, then),
        }
        if self.depth <= NEST_LIMIT {
            self.depth -= 1;
        }
    }

    fn sequence(&mut self, nodes: &[Node], at: usize, then: Continuation<'_, 't>) {
        // Literal text is compared in a loop, so that long patterns do not nest deeply.
        let singles = nodes.iter().take_while(|n| matches!(n, Node::Byte(_) | Node::Set(_))).count();
        let (simple, others) = nodes.split_at(singles);
        if simple.iter().enumerate().any(|(i, node)| !self.single(node, at + i)) {
            return;
        }
        match others.split_first() {
            None => then(self, at + singles),
            Some((first, rest)) => {
                self.run(first, at + singles, &mut |m: &mut Backtracker<'t>, end| {
                    m.sequence(rest, end, then)
                });
            }
        }
    }

    fn repeat(&mut self, node: &Node, min: u32, max: u32, at: usize, then: Continuation<'_, 't>) {
        if matches!(node, Node::Byte(_) | Node::Set(_)) {
            let mut count = 0;
            while count < max as usize && self.single(node, at + count) {
                count += 1;
            }
            for count in (min as usize..=count).rev() {
                then(self, at + count);
            }
            return;
        }
        if max > 0 {
            self.run(node, at, &mut |m: &mut Backtracker<'t>, end| {
                // An iteration with an empty match would repeat forever.
                if end > at || min > 0 {
                    m.repeat(node, min.saturating_sub(1), max - 1, end, then);
                }
            });
        }
        if min == 0 {
            then(self, at);
        }
    }

    fn single(&self, node: &Node, at: usize) -> bool {
        let Some(&c) = self.text.get(at) else {
            return false;
        };
        let is_like = |wanted: &dyn Fn(u8) -> bool| {
            wanted(c)
                || (self.ignore_case && (wanted(c.to_ascii_lowercase()) || wanted(c.to_ascii_uppercase())))
        };
        match node {
            Node::Byte(wanted) => is_like(&|c| c == *wanted),
            Node::Set(set) => is_like(&|c| set.contains(c)),
            _ => false,
        }
    }

    fn is_word(&self, at: usize) -> bool {
        self.text.get(at).is_some_and(|&c| c.is_ascii_alphanumeric() || c == b'_')
    }
}

#[cfg(test)]
mod tests {
    use super::super::ere::parse;
    use super::*;

    fn groups(source: &str, text: &str) -> Option<Vec<Option<String>>> {
        let mut count = 0;
        let node = parse(source.as_bytes(), &mut count).unwrap();
        let found = Regex::new(node, count, false).unwrap().find(text.as_bytes()).unwrap()?;
        Some(found.into_iter().map(|r| r.map(|r| text[r].to_owned())).collect())
    }

    fn whole(source: &str, text: &str) -> Option<String> {
        groups(source, text).map(|mut all| all.remove(0).expect("the whole match"))
    }

    #[test]
    fn leftmost_longest() {
        assert_eq!(whole("a|ab|abc", "xabcd").as_deref(), Some("abc"));
        assert_eq!(whole("(ab?)(bc)?", "abc").as_deref(), Some("abc"));
        assert_eq!(whole("x*", "aaa").as_deref(), Some(""));
        assert_eq!(whole("a.c", "a\nc"), None);
        assert_eq!(whole("[^a]+", "ab\nc").as_deref(), Some("b"));
        assert_eq!(whole("^b$", "a\nb\nc").as_deref(), Some("b"));
        assert_eq!(whole("[[:<:]]b[[:>:]]", "ab b").as_deref(), Some("b"));
    }

    #[test]
    fn groups_of_the_longest() {
        let found = groups("(a|ab)(c|bcd)(d*)", "abcd").unwrap();
        assert_eq!(found[0].as_deref(), Some("abcd"));
        let found = groups("(ab?)(bc)?", "abc").unwrap();
        assert_eq!((found[1].as_deref(), found[2].as_deref()), (Some("a"), Some("bc")));
    }

    #[test]
    fn back_references() {
        assert_eq!(whole(r"(.*) \1end", "aa b aa bend").as_deref(), Some("aa b aa bend"));
        assert_eq!(groups(r"(a*)\1", "aaaaa").unwrap()[1].as_deref(), Some("aa"));
        assert_eq!(whole(r"(a|b)\1", "abba").as_deref(), Some("bb"));
        assert_eq!(whole(r"(a|b)\1", "abab"), None);
        assert_eq!(whole(r"^((a)|b)*\2$", "abaa").as_deref(), Some("abaa"));
    }

    #[test]
    fn hopeless_references_are_given_up() {
        let mut count = 0;
        let node = parse(br"(a*)(a*)(a*)(a*)(a*)\1\2\3\4\5b", &mut count).unwrap();
        let regex = Regex::new(node, count, false).unwrap();
        assert!(regex.find(format!("{}b", "a".repeat(301)).as_bytes()).is_err());
    }

    #[test]
    fn huge_expressions_are_refused() {
        let mut count = 0;
        let node = parse(b"((((a{255}){255}){255}){255}){255}", &mut count).unwrap();
        assert!(Regex::new(node, count, false).is_err());
    }
}
