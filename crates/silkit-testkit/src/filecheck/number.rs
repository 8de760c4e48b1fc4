//! Numeric substitutions: `[[#%x,ADDR:]]` captures a number, `[[#ADDR+8]]` expects one.

use std::collections::HashMap;
use std::fmt::Write;

/// The format of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    kind: Kind,
    /// The minimum number of digits.
    precision: u16,
    /// True if the number has a `0x` prefix.
    has_prefix: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unsigned,
    Signed,
    LowerHex,
    UpperHex,
}

impl Format {
    /// The default format: unsigned decimal.
    pub(crate) const DEFAULT: Format = Format { kind: Kind::Unsigned, precision: 0, has_prefix: false };

    /// Parses the format before the comma: `%#.8x`.
    fn parse(text: &str) -> Result<Option<Format>, String> {
        let text = text.trim_matches([' ', '\t']);
        let invalid = || "invalid matching format specification in expression".to_owned();
        let mut rest = text.strip_prefix('%').ok_or_else(invalid)?;
        let mut format = Format::DEFAULT;
        if let Some(after) = rest.strip_prefix('#') {
            format.has_prefix = true;
            rest = after;
        }
        if let Some(after) = rest.strip_prefix('.') {
            let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number = after[..digits].parse::<u16>().ok().filter(|&n| n <= 1000);
            format.precision = number.ok_or("invalid precision in format specifier")?;
            rest = &after[digits..];
        }
        format.kind = match rest {
            "u" => Kind::Unsigned,
            "d" => Kind::Signed,
            "x" => Kind::LowerHex,
            "X" => Kind::UpperHex,
            "" if !format.has_prefix && format.precision == 0 => return Ok(None),
            "" => Kind::Unsigned,
            _ => return Err("invalid format specifier in expression".to_owned()),
        };
        if format.has_prefix && !matches!(format.kind, Kind::LowerHex | Kind::UpperHex) {
            return Err("alternate form only supported for hex values".to_owned());
        }
        Ok(Some(format))
    }

    /// Returns a regular expression that matches numbers in this format.
    pub(crate) fn regex(self) -> String {
        let (first, digits) = match self.kind {
            Kind::Unsigned | Kind::Signed => ("[1-9]", "[0-9]"),
            Kind::LowerHex => ("[1-9a-f]", "[0-9a-f]"),
            Kind::UpperHex => ("[1-9A-F]", "[0-9A-F]"),
        };
        let sign = if self.kind == Kind::Signed { "-?" } else { "" };
        let prefix = if self.has_prefix { "0x" } else { "" };
        match self.precision {
            0 => format!("{sign}{prefix}{digits}+"),
            n => {
                // A bound is limited to 255.
                let mut fixed = String::new();
                let mut left = n;
                while left > 0 {
                    let count = left.min(255);
                    let _ = write!(fixed, "{digits}{{{count}}}");
                    left -= count;
                }
                format!("{sign}{prefix}({first}{digits}*)?{fixed}")
            }
        }
    }

    fn write(self, value: i128) -> Option<String> {
        let is_signed = self.kind == Kind::Signed;
        let sign = if value < 0 && is_signed { "-" } else { "" };
        let amount = if is_signed { value.unsigned_abs() } else { u128::try_from(value).ok()? };
        let prefix = if self.has_prefix { "0x" } else { "" };
        let width = usize::from(self.precision);
        Some(match self.kind {
            Kind::Unsigned | Kind::Signed => format!("{sign}{amount:0width$}"),
            Kind::LowerHex => format!("{prefix}{amount:0width$x}"),
            Kind::UpperHex => format!("{prefix}{amount:0width$X}"),
        })
    }

    /// Returns the value of a match of [`regex`](Self::regex).
    pub(crate) fn read(self, text: &str) -> Option<i128> {
        let digits = if self.has_prefix { text.strip_prefix("0x")? } else { text };
        let radix = if matches!(self.kind, Kind::LowerHex | Kind::UpperHex) { 16 } else { 10 };
        i128::from_str_radix(digits, radix).ok()
    }

    fn spelling(self) -> &'static str {
        match self.kind {
            Kind::Unsigned => "%u",
            Kind::Signed => "%d",
            Kind::LowerHex => "%x",
            Kind::UpperHex => "%X",
        }
    }
}

/// The variables that are known while a check file is parsed.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The text variables that are defined so far.
    pub(crate) texts: std::collections::HashSet<String>,
    /// The numeric variables that were mentioned: their format, and the line of the definition if that came first.
    pub(crate) numbers: HashMap<String, (Format, Option<usize>)>,
}

/// A numeric expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expr {
    Number(i128),
    Variable(String),
    Call(Operation, Box<(Expr, Expr)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Div,
    Max,
    Min,
    Mul,
    Sub,
}

/// The reason why an expression cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EvalError {
    Undefined(String),
    Overflow,
}

impl Expr {
    fn eval(&self, values: &HashMap<String, i128>) -> Result<i128, EvalError> {
        match self {
            Expr::Number(n) => Ok(*n),
            Expr::Variable(name) => {
                values.get(name).copied().ok_or_else(|| EvalError::Undefined(name.clone()))
            }
            Expr::Call(operation, operands) => {
                let (a, b) = (operands.0.eval(values)?, operands.1.eval(values)?);
                let value = match operation {
                    Operation::Add => a.checked_add(b),
                    Operation::Sub => a.checked_sub(b),
                    Operation::Mul => a.checked_mul(b),
                    Operation::Div => a.checked_div(b),
                    Operation::Max => Some(a.max(b)),
                    Operation::Min => Some(a.min(b)),
                };
                value.ok_or(EvalError::Overflow)
            }
        }
    }
}

/// The expression between `[[#` and `]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The format of the number.
    pub(crate) format: Format,
    /// The expected value; `None` for any number.
    pub(crate) expr: Option<Expr>,
    /// The variable that captures the number.
    pub(crate) defines: Option<String>,
}

impl Block {
    /// Returns the text of the value of the expression.
    pub(crate) fn text(&self, values: &HashMap<String, i128>) -> Result<Option<String>, EvalError> {
        let Some(expr) = &self.expr else {
            return Ok(None);
        };
        let value = expr.eval(values)?;
        self.format.write(value).map(Some).ok_or(EvalError::Overflow)
    }

    /// Parses a block on the line `line`; `is_legacy` is the form `[[@LINE+1]]`.
    pub(crate) fn parse(
        text: &str,
        line: usize,
        is_legacy: bool,
        names: &mut Names,
    ) -> Result<Block, String> {
        let mut rest = text;
        let mut explicit = None;
        // A comma may also separate the arguments of a call.
        if let Some(comma) = rest.find(',').filter(|&c| rest.find('(').is_none_or(|p| c < p)) {
            explicit = Format::parse(&rest[..comma])?;
            rest = &rest[comma + 1..];
        }
        let mut definition = None;
        if let Some((before, after)) = rest.split_once(':') {
            definition = Some(before);
            rest = after;
        }
        rest = trim(rest);
        let constraint = rest.strip_prefix("==");
        let body = trim(constraint.unwrap_or(rest));
        let mut expr = None;
        let mut implicit = None;
        if body.is_empty() {
            if constraint.is_some() {
                return Err("empty numeric expression should not have a constraint".to_owned());
            }
        } else {
            let mut parser = Parser { rest: body, line, is_legacy, names, budget: MAX_OPERATIONS };
            let (parsed, format) = parser.expression()?;
            if !parser.rest.is_empty() {
                return Err(format!("unexpected characters at end of expression '{}'", parser.rest));
            }
            expr = Some(parsed);
            implicit = format;
        }
        let implicit = match (explicit, implicit) {
            (None, Some(Implicit::Conflict(a, b))) => {
                return Err(format!(
                    "implicit format conflict between {a} and {b}, need an explicit format specifier"
                ));
            }
            (_, Some(Implicit::Format(format, _))) => Some(format),
            _ => None,
        };
        let format = explicit.or(implicit).unwrap_or(Format::DEFAULT);
        let defines = match definition {
            None => None,
            Some(definition) => Some(define(trim(definition), format, line, names)?),
        };
        Ok(Block { format, expr, defines })
    }
}

fn define(definition: &str, format: Format, line: usize, names: &mut Names) -> Result<String, String> {
    let (name, rest) = variable_name(definition)?;
    if name.starts_with('@') {
        return Err("definition of pseudo numeric variable unsupported".to_owned());
    }
    if names.texts.contains(name) {
        return Err(format!("string variable with name '{name}' already exists"));
    }
    if !trim(rest).is_empty() {
        return Err("unexpected characters after numeric variable name".to_owned());
    }
    // A variable that was mentioned before keeps its definition line: its old value may be used on this line.
    let known = names.numbers.entry(name.to_owned()).or_insert((format, Some(line)));
    if known.0 != format {
        return Err("format different from previous variable definition".to_owned());
    }
    Ok(name.to_owned())
}

/// Splits off the name of a variable: letters, digits and `_`, after `$` (global) or `@` (built in).
pub(crate) fn variable_name(text: &str) -> Result<(&str, &str), String> {
    if text.is_empty() {
        return Err("empty variable name".to_owned());
    }
    let sign = usize::from(text.starts_with(['$', '@']));
    let letters =
        text[sign..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len() - sign);
    let name = &text[sign..sign + letters];
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("invalid variable name".to_owned());
    }
    Ok(text.split_at(sign + letters))
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// The implicit format of an expression, with the operand that determines it.
enum Implicit {
    Format(Format, String),
    Conflict(String, String),
}

/// The maximum number of operations in a block, since evaluation and destruction are recursive.
const MAX_OPERATIONS: u32 = 200;

struct Parser<'a, 'n> {
    rest: &'a str,
    line: usize,
    is_legacy: bool,
    names: &'n mut Names,
    budget: u32,
}

type Parsed = Result<(Expr, Option<Implicit>), String>;

impl<'a> Parser<'a, '_> {
    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Parses operands joined by `+` and `-`, up to the end, a comma or a parenthesis.
    fn expression(&mut self) -> Parsed {
        let start = self.rest;
        let (mut expr, mut format) = self.operand(true)?;
        loop {
            let before = self.rest;
            self.skip_spaces();
            if self.rest.is_empty() || self.rest.starts_with([',', ')']) {
                return Ok((expr, format));
            }
            if self.is_legacy && matches!(expr, Expr::Call(..)) {
                return Err(format!("unexpected characters at end of expression '{before}'"));
            }
            let sign = self.rest.chars().next().unwrap_or(' ');
            let operation = match sign {
                '+' => Operation::Add,
                '-' => Operation::Sub,
                _ => return Err(format!("unsupported operation '{sign}'")),
            };
            self.rest = &self.rest[1..];
            self.skip_spaces();
            if self.rest.is_empty() {
                return Err("missing operand in expression".to_owned());
            }
            let (right, right_format) = self.operand(false)?;
            let left_text = &start[..start.len() - before.len()];
            format = join(format, right_format, left_text);
            expr = self.call(operation, expr, right)?;
        }
    }

    fn call(&mut self, operation: Operation, left: Expr, right: Expr) -> Result<Expr, String> {
        self.budget = self.budget.checked_sub(1).ok_or("too many operations in an expression")?;
        Ok(Expr::Call(operation, Box::new((left, right))))
    }

    fn operand(&mut self, is_first: bool) -> Parsed {
        if self.rest.starts_with('(') {
            if self.is_legacy {
                return Err("parenthesized expression not permitted here".to_owned());
            }
            return self.parenthesized();
        }
        if (!self.is_legacy || is_first)
            && let Ok((name, after)) = variable_name(self.rest)
        {
            self.rest = after;
            let next = after.trim_start_matches([' ', '\t']);
            if next.starts_with('(') && !self.is_legacy {
                self.rest = next;
                return self.function(name);
            }
            return self.variable(name);
        }
        let (value, after) = literal(self.rest, self.is_legacy)
            .ok_or_else(|| "invalid matching constraint or operand format".to_owned())?;
        self.rest = after;
        Ok((Expr::Number(value), None))
    }

    fn variable(&mut self, name: &str) -> Parsed {
        if name.starts_with('@') {
            if name != "@LINE" {
                return Err(format!("invalid pseudo numeric variable '{name}'"));
            }
            let line = i128::try_from(self.line).unwrap_or(i128::MAX);
            return Ok((
                Expr::Number(line),
                Some(Implicit::Format(Format::DEFAULT, "'@LINE' (%u)".to_owned())),
            ));
        }
        let entry = self.names.numbers.entry(name.to_owned()).or_insert((Format::DEFAULT, None));
        if entry.1 == Some(self.line) {
            return Err(format!("numeric variable '{name}' defined earlier in the same CHECK directive"));
        }
        let format = Implicit::Format(entry.0, format!("'{name}' ({})", entry.0.spelling()));
        Ok((Expr::Variable(name.to_owned()), Some(format)))
    }

    fn parenthesized(&mut self) -> Parsed {
        self.budget = self.budget.checked_sub(1).ok_or("too many operations in an expression")?;
        self.rest = &self.rest[1..];
        self.skip_spaces();
        if self.rest.is_empty() || self.rest.starts_with(')') {
            return Err("missing operand in expression".to_owned());
        }
        let parsed = self.expression()?;
        let Some(after) = self.rest.strip_prefix(')') else {
            return Err("missing ')' at end of nested expression".to_owned());
        };
        self.rest = after;
        Ok(parsed)
    }

    fn function(&mut self, name: &str) -> Parsed {
        let operation = match name {
            "add" => Operation::Add,
            "div" => Operation::Div,
            "max" => Operation::Max,
            "min" => Operation::Min,
            "mul" => Operation::Mul,
            "sub" => Operation::Sub,
            _ => return Err(format!("call to undefined function '{name}'")),
        };
        self.budget = self.budget.checked_sub(1).ok_or("too many operations in an expression")?;
        self.rest = &self.rest[1..];
        let mut operands = Vec::new();
        loop {
            self.skip_spaces();
            if self.rest.starts_with(')') && operands.is_empty() {
                break;
            }
            if self.rest.is_empty() || self.rest.starts_with([',', ')']) {
                return Err("missing argument".to_owned());
            }
            operands.push(self.expression()?);
            let Some(after) = self.rest.strip_prefix(',') else {
                break;
            };
            self.rest = after;
        }
        let Some(after) = self.rest.strip_prefix(')') else {
            return Err("missing ')' at end of call expression".to_owned());
        };
        self.rest = after;
        let count = operands.len();
        let Ok([(left, left_format), (right, right_format)]) = <[_; 2]>::try_from(operands) else {
            return Err(format!("function '{name}' takes 2 arguments but {count} given"));
        };
        let format = join(left_format, right_format, name);
        Ok((self.call(operation, left, right)?, format))
    }
}

fn join(left: Option<Implicit>, right: Option<Implicit>, left_text: &str) -> Option<Implicit> {
    match (left, right) {
        (Some(Implicit::Format(a, left)), Some(Implicit::Format(b, right))) if a != b => {
            let left = if left.is_empty() { format!("'{left_text}'") } else { left };
            Some(Implicit::Conflict(left, right))
        }
        (Some(conflict @ Implicit::Conflict(..)), _) | (_, Some(conflict @ Implicit::Conflict(..))) => {
            Some(conflict)
        }
        (left, right) => left.or(right),
    }
}

/// Parses a number, in the radix of its prefix; legacy `@LINE` offsets are decimal.
fn literal(text: &str, is_legacy: bool) -> Option<(i128, &str)> {
    let unsigned = text.strip_prefix('-').filter(|_| !is_legacy);
    let body = unsigned.unwrap_or(text);
    let lower = body.get(..2).map(str::to_ascii_lowercase);
    let (radix, skip) = match lower.as_deref() {
        _ if is_legacy => (10, 0),
        Some("0x") => (16, 2),
        Some("0b") => (2, 2),
        Some("0o") => (8, 2),
        Some(two) if two.starts_with('0') && two.as_bytes()[1].is_ascii_digit() => (8, 1),
        _ => (10, 0),
    };
    let digits = &body[skip..];
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let value = i128::from_str_radix(&digits[..end], radix).ok()?;
    Some((if unsigned.is_some() { -value } else { value }, &digits[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Result<String, String> {
        let mut names = Names::default();
        let hex = Format { kind: Kind::LowerHex, ..Format::DEFAULT };
        names.numbers.insert("X".to_owned(), (hex, Some(1)));
        names.numbers.insert("U".to_owned(), (Format::DEFAULT, Some(1)));
        let block = Block::parse(text, 7, false, &mut names)?;
        let values = HashMap::from([("X".to_owned(), 255), ("U".to_owned(), 10)]);
        match block.text(&values) {
            Ok(text) => Ok(text.unwrap_or_else(|| block.format.regex())),
            Err(error) => Err(format!("{error:?}")),
        }
    }

    #[test]
    fn values() {
        for (text, expected) in [
            ("X", "ff"),
            ("%u,X", "255"),
            ("%#.8X,X+1", "0x00000100"),
            (" == U + 2 ", "12"),
            ("mul(3,max(2,4))", "12"),
            ("(3+4)-2", "5"),
            ("-5+10", "5"),
            ("0x10", "16"),
            ("010", "8"),
            ("@LINE+1", "8"),
            ("Y:U+1", "11"),
            ("%d,U-11", "-1"),
            ("", "[0-9]+"),
            ("%.3x,Z:", "([1-9a-f][0-9a-f]*)?[0-9a-f]{3}"),
        ] {
            assert_eq!(shown(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn errors() {
        for (text, expected) in [
            ("U-11", "Overflow"),
            ("div(1,0)", "Overflow"),
            ("Q", "Undefined(\"Q\")"),
            ("3 * 4", "unsupported operation '*'"),
            ("foo(3)", "call to undefined function 'foo'"),
            ("min(7,9,2)", "function 'min' takes 2 arguments but 3 given"),
            (" == ", "empty numeric expression should not have a constraint"),
            (
                "X+U",
                "implicit format conflict between 'X' (%x) and 'U' (%u), need an explicit format specifier",
            ),
            ("%q,X", "invalid format specifier in expression"),
            ("@FOO", "invalid pseudo numeric variable '@FOO'"),
            ("%x", "invalid matching constraint or operand format"),
        ] {
            assert_eq!(shown(text).as_ref().map_err(String::as_str), Err(expected), "{text}");
        }
        assert!(shown(&"(".repeat(100_000)).is_err());
        assert!(shown(&("1".to_owned() + &"+1".repeat(100_000))).is_err());
    }
}
