//! Types inferred from initial values.

use super::items::DeclParser;
use super::scan::skip_brackets;
use crate::types::parse_type;
use silkit_base::Symbol;
use silkit_types::Type;
use silkit_types::decl::{Arguments, InitialValue};

impl DeclParser<'_> {
    /// Returns the type of the initial value between an offset and the cursor if it is a literal. A name or a call is
    /// recorded for later inference, when all declarations are known.
    pub(super) fn type_of_value(&mut self, property: Symbol, start: usize) -> Type {
        let end = self.cur.pos();
        let text = self.cur.text().get(start..end).unwrap_or_default();
        if let Some(name) = type_of_literal(text) {
            return Type::named(None, Symbol::new(name), Box::default());
        }
        // The value consists of names and brackets with their contents; no other expression has this shape.
        if let Some(value) = self.named_value(property, start, end) {
            self.table.initial_values.push(value);
        }
        Type::unknown()
    }

    fn named_value(&mut self, property: Symbol, start: usize, end: usize) -> Option<InitialValue> {
        let mut cur = self.cur.clone();
        cur.set_pos(start);
        if !matches!(cur.peek(), b'[' | b'`' | b'_' | b'a'..=b'z' | b'A'..=b'Z') {
            return None;
        }
        let named = parse_type(&mut cur, &mut self.env, false).ok().filter(|_| cur.pos() <= end)?;
        let mut call = None;
        if cur.here() == b'(' && cur.pos() < end {
            let opened = cur.pos();
            skip_brackets(&mut cur);
            let inside = cur.text().get(opened + 1..cur.pos().saturating_sub(1)).unwrap_or_default();
            call = Some(if inside.trim().is_empty() { Arguments::None } else { Arguments::Some });
        }
        let is_all = cur.pos() <= end && cur.text().get(cur.pos()..end)?.trim().is_empty();
        is_all.then(|| InitialValue { owner: self.owner(), property, named, call })
    }

    /// Returns the type after the `->` of a function, or the empty tuple if there is none.
    pub(super) fn result_type(&mut self) -> Option<Type> {
        let mut cur = self.cur.clone();
        while let Some(word) = cur.peek_word() {
            match word {
                "throws" | "rethrows" | "async" | "reasync" => cur.ident(),
                _ => break,
            };
        }
        if !cur.eat("->") {
            return Some(Type::void());
        }
        parse_type(&mut cur, &mut self.env, false).ok()
    }
}

/// Returns the name of the default type of a literal.
fn type_of_literal(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    if text == "true" || text == "false" {
        return Some("Bool");
    }
    if text.len() >= 2
        && text.starts_with('"')
        && text.ends_with('"')
        && !text[1..text.len() - 1].contains('"')
    {
        return Some("String");
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = digits.replace('_', "");
    let radix = |prefix: &str, radix: u32| {
        digits.strip_prefix(prefix).is_some_and(|d| !d.is_empty() && d.chars().all(|c| c.is_digit(radix)))
    };
    if digits.chars().all(|c| c.is_ascii_digit()) || radix("0x", 16) || radix("0o", 8) || radix("0b", 2) {
        return Some("Int");
    }
    // A dot at the end begins another expression.
    let is_float = !digits.ends_with('.') && !digits.contains("inf") && digits.parse::<f64>().is_ok();
    is_float.then_some("Double")
}
