//! The pattern after `CHECK:`: text, `{{expressions}}`, `[[VARIABLES]]` and `[[#NUMBERS]]`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use super::ere::{self, Node};
use super::number::{Block, EvalError, Format, Names, variable_name};
use super::regex::Regex;
use super::{FileCheckOptions, directive::Kind};

/// The values of the variables while an input is checked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    pub(crate) texts: HashMap<String, Vec<u8>>,
    pub(crate) numbers: HashMap<String, i128>,
}

impl Values {
    /// Removes all variables except those whose names begin with `$`.
    pub(crate) fn forget_local(&mut self) {
        self.texts.retain(|name, _| name.starts_with('$'));
        self.numbers.retain(|name, _| name.starts_with('$'));
    }
}

/// The reason why a pattern did not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mismatch {
    /// No match.
    NotFound,
    /// The pattern cannot be evaluated, or its match is invalid.
    Problem(String),
}

/// A parsed pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    pieces: Vec<Piece>,
    group_count: usize,
    /// Text variables by group, followed by numeric variables.
    texts: Vec<(String, usize)>,
    numbers: Vec<(String, usize, Format)>,
    ignore_case: bool,
    compiled: OnceLock<Result<Search, String>>,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(Vec<u8>),
    Regex(Node),
    /// The begin of a capturing group around the following pieces.
    Open(usize),
    Close,
    Variable(String),
    Number(Block),
    LineStart,
    LineEnd,
}

#[derive(Debug)]
enum Search {
    Text(Vec<u8>),
    Regex(Box<Regex>),
}

/// The context of a pattern: the known names, its line and kind.
pub(crate) struct Context<'a> {
    pub(crate) names: &'a mut Names,
    pub(crate) options: &'a FileCheckOptions,
    pub(crate) kind: Kind,
    /// The name of the directive, for messages.
    pub(crate) name: &'a str,
    pub(crate) is_literal: bool,
    pub(crate) line: usize,
}

/// An error in a pattern, with its offset.
pub(crate) type ParseError = (usize, String);

impl Pattern {
    /// Parses a pattern. Insignificant white space before it has been removed.
    pub(crate) fn parse(source: &[u8], context: &mut Context<'_>) -> Result<Pattern, ParseError> {
        let options = context.options;
        let is_exact = options.strict_whitespace && options.match_full_lines;
        let source = if is_exact { source } else { trim_end(source) };
        let is_empty_check = context.kind == Kind::Empty;
        if source.is_empty() && !is_empty_check {
            return Err((0, format!("found empty check string with prefix '{}:'", context.name)));
        }
        if !source.is_empty() && is_empty_check {
            let message = "found non-empty check string for empty check with prefix";
            return Err((0, format!("{message} '{}:'", context.name)));
        }
        let mut reader = Reader {
            source,
            at: 0,
            pieces: Vec::new(),
            groups: 0,
            texts: Vec::new(),
            numbers: Vec::new(),
            defined_here: HashMap::new(),
            context,
        };
        let full_line = options.match_full_lines && reader.context.kind != Kind::Not;
        if is_empty_check {
            reader.pieces.extend([Piece::Text(b"\n".to_vec()), Piece::LineEnd]);
        } else if reader.context.is_literal {
            reader.pieces.push(Piece::Text(source.to_vec()));
        } else {
            let spaces = Piece::Regex(Node::Repeat { node: Box::new(Node::Byte(b' ')), min: 0, max: None });
            if full_line {
                reader.pieces.push(Piece::LineStart);
                reader.pieces.extend((!options.strict_whitespace).then(|| spaces.clone()));
            }
            reader.read()?;
            if full_line {
                reader.pieces.extend((!options.strict_whitespace).then_some(spaces));
                reader.pieces.push(Piece::LineEnd);
            }
        }
        Ok(Pattern {
            pieces: reader.pieces,
            group_count: reader.groups,
            texts: reader.texts,
            numbers: reader.numbers,
            ignore_case: options.ignore_case,
            compiled: OnceLock::new(),
        })
    }

    /// Returns true if the pattern uses variables, which a label must not do.
    pub(crate) fn uses_variables(&self) -> bool {
        let is_use = |piece: &Piece| match piece {
            Piece::Variable(_) => true,
            Piece::Number(block) => block.expr.is_some(),
            _ => false,
        };
        !self.texts.is_empty() || self.pieces.iter().any(is_use)
    }

    /// Searches for the pattern, and sets the variables that it defines.
    pub(crate) fn find(&self, text: &[u8], values: &mut Values) -> Result<Range<usize>, Mismatch> {
        let is_fixed = !self.pieces.iter().any(|p| match p {
            Piece::Variable(_) => true,
            Piece::Number(block) => block.expr.is_some(),
            _ => false,
        });
        let fresh;
        let search = if is_fixed {
            self.compiled.get_or_init(|| self.compile(values).map_err(|m| m.describe()))
        } else {
            fresh = Ok(self.compile(values)?);
            &fresh
        };
        let search = search.as_ref().map_err(|e| Mismatch::Problem(e.clone()))?;
        let groups = match search {
            Search::Text(wanted) => {
                let at = memchr::memmem::find(text, wanted).ok_or(Mismatch::NotFound)?;
                return Ok(at..at + wanted.len());
            }
            Search::Regex(regex) => regex.find(text).map_err(Mismatch::Problem)?.ok_or(Mismatch::NotFound)?,
        };
        for (name, group) in &self.texts {
            let range = groups[*group].clone().unwrap_or(0..0);
            values.texts.insert(name.clone(), text[range].to_vec());
        }
        for (name, group, format) in &self.numbers {
            let range = groups[*group].clone().unwrap_or(0..0);
            let found = std::str::from_utf8(&text[range]).ok().and_then(|text| format.read(text));
            let number =
                found.ok_or_else(|| Mismatch::Problem("unable to represent numeric value".to_owned()))?;
            values.numbers.insert(name.clone(), number);
        }
        Ok(groups[0].clone().unwrap_or(0..0))
    }

    /// Returns the values of the variables that the pattern uses, for a message.
    pub(crate) fn substitutions(&self, values: &Values) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        for piece in &self.pieces {
            if let Piece::Variable(name) = piece
                && let Some(value) = values.texts.get(name)
            {
                found.push((name.clone(), String::from_utf8_lossy(value).into_owned()));
            }
            if let Piece::Number(block) = piece
                && let Ok(Some(text)) = block.text(&values.numbers)
            {
                found.push(("#".to_owned(), text));
            }
        }
        found.dedup();
        found
    }

    fn compile(&self, values: &Values) -> Result<Search, Mismatch> {
        let mut text = Vec::new();
        let mut is_text = !self.ignore_case;
        // Open groups with their numbers; the first is the whole pattern.
        let mut stack: Vec<(usize, Vec<Node>)> = vec![(0, Vec::new())];
        for piece in &self.pieces {
            let mut fixed: Option<Cow<'_, [u8]>> = None;
            let mut nodes = Vec::new();
            match piece {
                Piece::Text(bytes) => fixed = Some(Cow::Borrowed(bytes)),
                Piece::Variable(name) => {
                    let value = values.texts.get(name).ok_or_else(|| undefined(name))?;
                    fixed = Some(Cow::Borrowed(value));
                }
                Piece::Number(block) => match block.text(&values.numbers) {
                    Ok(Some(text)) => fixed = Some(Cow::Owned(text.into_bytes())),
                    Ok(None) => {}
                    Err(EvalError::Undefined(name)) => return Err(undefined(&name)),
                    Err(EvalError::Overflow) => {
                        let text = "unable to substitute variable or numeric expression: overflow error";
                        return Err(Mismatch::Problem(text.to_owned()));
                    }
                },
                Piece::Regex(node) => nodes.push(node.clone()),
                Piece::LineStart => nodes.push(Node::LineStart),
                Piece::LineEnd => nodes.push(Node::LineEnd),
                Piece::Open(number) => {
                    stack.push((*number, Vec::new()));
                    is_text = false;
                }
                Piece::Close => {
                    if let Some((number, inner)) = stack.pop() {
                        nodes.push(Node::Group(number, Box::new(Node::Concat(inner))));
                    }
                }
            }
            is_text &= nodes.is_empty();
            if let Some(bytes) = fixed {
                text.extend_from_slice(&bytes);
                nodes.push(Node::text(&bytes));
            }
            if let Some((_, open)) = stack.last_mut() {
                open.append(&mut nodes);
            }
        }
        if is_text {
            // All variables may be empty; the original cannot search for an empty pattern and finds nothing.
            return if text.is_empty() { Err(Mismatch::NotFound) } else { Ok(Search::Text(text)) };
        }
        let node = Node::Concat(stack.into_iter().flat_map(|(_, nodes)| nodes).collect());
        let regex = Regex::new(node, self.group_count, self.ignore_case).map_err(Mismatch::Problem)?;
        Ok(Search::Regex(Box::new(regex)))
    }
}

impl Mismatch {
    fn describe(self) -> String {
        match self {
            Mismatch::NotFound => String::new(),
            Mismatch::Problem(text) => text,
        }
    }
}

fn undefined(name: &str) -> Mismatch {
    Mismatch::Problem(format!("undefined variable: {name}"))
}

pub(crate) fn trim_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|c| !matches!(c, b' ' | b'\t')).map_or(0, |last| last + 1);
    &text[..end]
}

struct Reader<'a, 'c> {
    source: &'a [u8],
    at: usize,
    pieces: Vec<Piece>,
    groups: usize,
    texts: Vec<(String, usize)>,
    numbers: Vec<(String, usize, Format)>,
    /// Text variables that this pattern defines, whose uses are back references.
    defined_here: HashMap<String, usize>,
    context: &'a mut Context<'c>,
}

impl Reader<'_, '_> {
    fn read(&mut self) -> Result<(), ParseError> {
        while self.at < self.source.len() {
            let rest = &self.source[self.at..];
            if rest.starts_with(b"{{") {
                let len = memchr::memmem::find(rest, b"}}")
                    .ok_or_else(|| (self.at, "found start of regex string with no end '}}'".to_owned()))?;
                let inner = &rest[2..len];
                // Parentheses, which capture, are only added if an alternative would extend beyond the expression.
                if inner.contains(&b'|') {
                    self.groups += 1;
                    self.pieces.push(Piece::Open(self.groups));
                    self.regex(inner, self.at + 2)?;
                    self.pieces.push(Piece::Close);
                } else {
                    self.regex(inner, self.at + 2)?;
                }
                self.at += len + 2;
            } else if rest.starts_with(b"[[") && !rest.starts_with(b"[[[") {
                let len = block_end(&rest[2..]).map_err(|message| (self.at, message.to_owned()))?;
                let start = self.at + 2;
                self.at = start + len + 2;
                self.block(start, &rest[2..2 + len])?;
            } else {
                // The first of three brackets is text.
                let next = |wanted: &[u8]| memchr::memmem::find(&rest[1..], wanted).map(|n| n + 1);
                let len = [next(b"{{"), next(b"[[")].into_iter().flatten().min();
                let len = len.unwrap_or(rest.len());
                self.pieces.push(Piece::Text(rest[..len].to_vec()));
                self.at += len;
            }
        }
        Ok(())
    }

    fn regex(&mut self, source: &[u8], at: usize) -> Result<(), ParseError> {
        let node =
            ere::parse(source, &mut self.groups).map_err(|error| (at, format!("invalid regex: {error}")))?;
        self.pieces.push(Piece::Regex(node));
        Ok(())
    }

    /// Parses the text between `[[` and `]]`.
    fn block(&mut self, start: usize, source: &[u8]) -> Result<(), ParseError> {
        let at = |message: String| (start, message);
        let (head, regex) = match memchr::memchr(b':', source) {
            Some(colon) => (&source[..colon], Some(&source[colon + 1..])),
            None => (source, None),
        };
        let utf8 = |bytes| std::str::from_utf8(bytes).map_err(|_| at("invalid variable name".to_owned()));
        if let Some(number) = source.strip_prefix(b"#") {
            return self.number(start, utf8(number)?, false);
        }
        let head = utf8(head)?;
        if head.contains([' ', '\t']) {
            return Err(at("unexpected whitespace".to_owned()));
        }
        let (name, after) = variable_name(head).map_err(at)?;
        if name.starts_with('@') {
            if regex.is_some() {
                return Err(at("invalid name in string variable definition".to_owned()));
            }
            return self.number(start, utf8(source)?, true);
        }
        if !after.is_empty() {
            let what = if regex.is_some() { "definition" } else { "use" };
            return Err(at(format!("invalid name in string variable {what}")));
        }
        match regex {
            Some(regex) => self.definition(start, name, regex),
            None => self.reference(start, name),
        }
    }

    fn definition(&mut self, start: usize, name: &str, regex: &[u8]) -> Result<(), ParseError> {
        if self.context.names.numbers.contains_key(name) {
            return Err((start, format!("numeric variable with name '{name}' already exists")));
        }
        self.groups += 1;
        let group = self.groups;
        self.context.names.texts.insert(name.to_owned());
        self.pieces.push(Piece::Open(group));
        // Unlike between braces, this expression may be empty.
        if !regex.is_empty() {
            self.regex(regex, start)?;
        }
        self.pieces.push(Piece::Close);
        self.texts.retain(|(known, _)| known != name);
        self.texts.push((name.to_owned(), group));
        self.defined_here.insert(name.to_owned(), group);
        Ok(())
    }

    fn reference(&mut self, start: usize, name: &str) -> Result<(), ParseError> {
        let Some(&group) = self.defined_here.get(name) else {
            self.pieces.push(Piece::Variable(name.to_owned()));
            return Ok(());
        };
        if group > 9 {
            return Err((start, "Can't back-reference more than 9 variables".to_owned()));
        }
        self.pieces.push(Piece::Regex(Node::BackReference(group)));
        Ok(())
    }

    fn number(&mut self, start: usize, source: &str, is_legacy: bool) -> Result<(), ParseError> {
        let block = Block::parse(source, self.context.line, is_legacy, self.context.names)
            .map_err(|message| (start, message))?;
        if let Some(name) = &block.defines {
            self.groups += 1;
            self.numbers.push((name.clone(), self.groups, block.format));
            self.pieces.push(Piece::Open(self.groups));
        }
        let is_definition = block.defines.is_some();
        if block.expr.is_some() {
            self.pieces.push(Piece::Number(block));
        } else {
            self.regex(block.format.regex().as_bytes(), start)?;
        }
        if is_definition {
            self.pieces.push(Piece::Close);
        }
        Ok(())
    }
}

/// Returns the offset of the `]]` that ends a block. Brackets inside are balanced or escaped.
fn block_end(rest: &[u8]) -> Result<usize, &'static str> {
    let mut depth = 0usize;
    let mut at = 0;
    while at < rest.len() {
        if depth == 0 && rest[at..].starts_with(b"]]") {
            return Ok(at);
        }
        match rest[at] {
            b'\\' => at += 1,
            b'[' => depth += 1,
            b']' => depth = depth.checked_sub(1).ok_or("missing closing \"]\" for regex variable")?,
            _ => {}
        }
        at += 1;
    }
    Err("Invalid substitution block, no ]] found")
}

/// Returns the names of `values` as if a check had defined them.
pub(crate) fn names_of(values: &Values, formats: &HashMap<String, Format>) -> Names {
    let texts: HashSet<String> = values.texts.keys().cloned().collect();
    let number =
        |name: &String| (name.clone(), (formats.get(name).copied().unwrap_or(Format::DEFAULT), None));
    Names { texts, numbers: values.numbers.keys().map(number).collect() }
}
