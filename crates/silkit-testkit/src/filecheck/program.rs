//! A check file as a list of checks.

use std::collections::HashMap;

use super::directive::{Directive, Kind, Recognized, Scanner};
use super::number::{Block, Format, Names};
use super::pattern::{Context, Pattern, Values, names_of, trim_end};
use super::{CheckFailure, FileCheckOptions};

/// A directive with its pattern.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) kind: Kind,
    /// The directive name: `CHECK-NEXT`.
    pub(crate) name: String,
    pub(crate) pattern: Pattern,
    /// The line in the check file; 0 for checks from the command line.
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// The pattern as written.
    pub(crate) text: String,
    /// The `-DAG` and `-NOT` checks before this one, which apply to the text up to its match.
    pub(crate) before: Vec<Check>,
}

/// The checks of a file, and the variables from the command line.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) checks: Vec<Check>,
    pub(crate) values: Values,
}

/// Collapses runs of spaces and tabs (unless significant) and normalizes `\r\n`.
pub(crate) fn canonical(text: &[u8], options: &FileCheckOptions) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&c) = text.get(at) {
        at += 1;
        if c == b'\r' && text.get(at) == Some(&b'\n') {
            continue;
        }
        if options.strict_whitespace || !matches!(c, b' ' | b'\t') {
            out.push(c);
            continue;
        }
        out.push(b' ');
        at += text[at..].iter().take_while(|c| matches!(c, b' ' | b'\t')).count();
    }
    out
}

impl Program {
    pub(crate) fn parse(
        options: &FileCheckOptions,
        file: &str,
        source: &[u8],
    ) -> Result<Program, CheckFailure> {
        options.validate()?;
        let text = canonical(source, options);
        let (values, formats) = command_line_values(options)?;
        let mut names = names_of(&values, &formats);
        let mut reader = Reader { options, file, line: 0, counted: 0, text: &text, names: &mut names };
        let mut checks: Vec<Check> = Vec::new();
        let mut waiting = reader.implicit()?;
        let mut used: Vec<&str> = Vec::new();
        let mut scanner = Scanner::new(&text, &options.check_prefixes, &options.comment_prefixes);
        while let Some(directive) = scanner.next() {
            let eol = text[directive.end..].iter().position(|&c| c == b'\n' || c == b'\r');
            let eol = eol.map_or(text.len(), |n| directive.end + n);
            scanner.skip_to(eol);
            if directive.found == Recognized::Comment {
                continue;
            }
            used.push(directive.prefix);
            let mut check = reader.check(&directive, eol)?;
            match check.kind {
                Kind::Dag | Kind::Not => waiting.push(check),
                Kind::Next | Kind::Same | Kind::Empty if checks.is_empty() => {
                    let message =
                        format!("found '{}' without previous '{}: line", check.name, directive.prefix);
                    return Err(reader.error(directive.start, &message));
                }
                _ => {
                    check.before = std::mem::replace(&mut waiting, reader.implicit()?);
                    checks.push(check);
                }
            }
        }
        let unused: Vec<&String> =
            options.check_prefixes.iter().filter(|p| !used.contains(&p.as_str())).collect();
        let is_bad = unused.len() == options.check_prefixes.len()
            || (!options.allow_unused_prefixes && !unused.is_empty());
        let has_others = !options.implicit_check_not.is_empty() && options.has_default_prefix();
        if is_bad && !has_others {
            let list: Vec<String> = unused.iter().map(|p| format!("'{p}:'")).collect();
            let plural = if list.len() == 1 { "" } else { "es" };
            let message = format!("no check strings found with prefix{plural} {}", list.join(", "));
            return Err(CheckFailure::usage(format!("{file}: error: {message}")));
        }
        if !waiting.is_empty() {
            checks.push(reader.end(waiting)?);
        }
        Ok(Program { checks, values })
    }
}

struct Reader<'a> {
    options: &'a FileCheckOptions,
    file: &'a str,
    text: &'a [u8],
    /// The number of line ends before `counted`.
    line: usize,
    counted: usize,
    names: &'a mut Names,
}

impl Reader<'_> {
    fn error(&self, at: usize, message: &str) -> CheckFailure {
        let before = &self.text[..at];
        let line = before.iter().filter(|&&c| c == b'\n').count() + 1;
        let start = before.iter().rposition(|&c| c == b'\n').map_or(0, |n| n + 1);
        CheckFailure::usage(format!("{}:{line}:{}: error: {message}", self.file, at - start + 1))
    }

    fn check(&mut self, directive: &Directive<'_>, eol: usize) -> Result<Check, CheckFailure> {
        let prefix = directive.prefix;
        let (kind, is_literal) = match directive.found {
            Recognized::Check { kind, is_literal } => (kind, is_literal),
            Recognized::Misspelled => {
                let name = String::from_utf8_lossy(&self.text[directive.start..directive.end]);
                return Err(self.error(directive.start, &format!("misspelled directive '{name}'")));
            }
            Recognized::BadNot => {
                let message = format!("unsupported -NOT combo on prefix '{prefix}'");
                return Err(self.error(directive.start, &message));
            }
            Recognized::BadCount | Recognized::Comment => {
                let message = format!("invalid count in -COUNT specification on prefix '{prefix}'");
                return Err(self.error(directive.start, &message));
            }
        };
        let line_ends = self.text[self.counted..directive.start].iter().filter(|&&c| c == b'\n').count();
        self.line += line_ends;
        self.counted = directive.start;
        let line = self.line + 1;
        // If not even a line end follows the colon, the original treats the suffix as the pattern.
        let is_at_end = directive.end == self.text.len();
        let mut start = if is_at_end { directive.start + prefix.len() } else { directive.end };
        if !(self.options.strict_whitespace && self.options.match_full_lines) {
            start += self.text[start..eol].iter().take_while(|c| matches!(c, b' ' | b'\t')).count();
        }
        let name = format!("{prefix}{}", kind.suffix());
        let source = &self.text[start..eol];
        let mut context =
            Context { names: self.names, options: self.options, kind, name: &name, is_literal, line };
        let pattern =
            Pattern::parse(source, &mut context).map_err(|(at, message)| self.error(start + at, &message))?;
        if kind == Kind::Label && pattern.uses_variables() {
            let message = format!("found '{name}:' with variable definition or use");
            return Err(self.error(directive.start, &message));
        }
        let line_start = self.text[..start].iter().rposition(|&c| c == b'\n').map_or(0, |n| n + 1);
        let text = String::from_utf8_lossy(trim_end(source)).into_owned();
        Ok(Check { kind, name, pattern, line, column: start - line_start + 1, text, before: Vec::new() })
    }

    /// Returns the checks of `--implicit-check-not`.
    fn implicit(&mut self) -> Result<Vec<Check>, CheckFailure> {
        let mut checks = Vec::new();
        for text in &self.options.implicit_check_not {
            let kind = Kind::Not;
            let mut context = Context {
                names: self.names,
                options: self.options,
                kind,
                name: "IMPLICIT-CHECK-NOT",
                is_literal: false,
                line: 0,
            };
            let pattern = Pattern::parse(text.as_bytes(), &mut context).map_err(|(_, message)| {
                CheckFailure::usage(format!("command line: error: IMPLICIT-CHECK-NOT: {message}"))
            })?;
            let name = "IMPLICIT-CHECK-NOT".to_owned();
            let (text, before) = (text.clone(), Vec::new());
            checks.push(Check { kind, name, pattern, line: 0, column: 1, text, before });
        }
        Ok(checks)
    }

    fn end(&mut self, before: Vec<Check>) -> Result<Check, CheckFailure> {
        let kind = Kind::End;
        let mut context = Context {
            names: self.names,
            options: self.options,
            kind,
            name: "end of input",
            is_literal: true,
            line: 0,
        };
        let pattern =
            Pattern::parse(b"end", &mut context).map_err(|(_, message)| CheckFailure::usage(message))?;
        let name = "end of input".to_owned();
        Ok(Check { kind, name, pattern, line: 0, column: 1, text: String::new(), before })
    }
}

/// Returns the variables defined by `-D`.
fn command_line_values(
    options: &FileCheckOptions,
) -> Result<(Values, HashMap<String, Format>), CheckFailure> {
    let mut values = Values::default();
    let mut formats = HashMap::new();
    for definition in &options.definitions {
        let bad = |why: &str| CheckFailure::usage(format!("-D{definition}: error: {why}"));
        let (name, value) =
            definition.split_once('=').ok_or_else(|| bad("missing equal sign in global definition"))?;
        let Some(number) = name.strip_prefix('#') else {
            let (parsed, rest) = super::number::variable_name(name).map_err(|e| bad(&e))?;
            if !rest.is_empty() || parsed.starts_with('@') {
                return Err(bad("invalid name in string variable definition"));
            }
            if values.numbers.contains_key(parsed) {
                return Err(bad("numeric variable with this name already exists"));
            }
            values.texts.insert(parsed.to_owned(), value.as_bytes().to_vec());
            continue;
        };
        let mut names = names_of(&values, &formats);
        let source = match number.split_once(',') {
            Some((format, name)) => format!("{format},{name}:{value}"),
            None => format!("{number}:{value}"),
        };
        let block = Block::parse(&source, 0, false, &mut names).map_err(|e| bad(&e))?;
        let text = block.text(&values.numbers).map_err(|e| bad(&format!("{e:?}")))?;
        let value = text.and_then(|text| block.format.read(&text)).ok_or_else(|| bad("no value"))?;
        if let Some(name) = block.defines {
            formats.insert(name.clone(), block.format);
            values.numbers.insert(name, value);
        }
    }
    Ok((values, formats))
}
