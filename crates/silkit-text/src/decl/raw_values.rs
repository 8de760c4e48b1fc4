//! The raw values of the cases of an enum: literals of the raw type, all different.
//!
//! ```swift
//! enum E : Int {
//!   case a = 1, b     // the raw value of `b` is 2
//! }
//! ```

use silkit_base::FxHashSet;
use silkit_types::{Type, TypeKind};

/// The kinds of raw types whose literals are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RawKind {
    Integer,
    Float,
    String,
    Character,
}

/// The raw values of an enum that precede a case.
#[derive(Clone, Debug, Default)]
pub(super) struct RawValues {
    /// The first type that the enum inherits from, which may be its raw type.
    raw_type: Option<Type>,
    seen: FxHashSet<String>,
    /// The raw value of the next case without a literal, if the raw type is an integer.
    next: Option<i128>,
}

impl RawValues {
    pub(super) fn new(raw_type: Option<Type>) -> Self {
        Self { raw_type, seen: FxHashSet::default(), next: Some(0) }
    }

    /// Records a case, with the text of its literal, and returns what is wrong with the raw value.
    pub(super) fn add(&mut self, case: &str, literal: Option<&str>) -> Option<String> {
        let Some(raw_type) = self.raw_type else {
            literal?;
            return Some(format!("the case `{case}` has a raw value, but its enum has no raw type"));
        };
        let kind = kind_of(raw_type)?;
        let literal = literal.map(str::trim);
        let text = literal.filter(|text| text.starts_with('"') && text.len() > 1 && text.ends_with('"'));
        let value = match (kind, literal) {
            (RawKind::Integer, None) => self.next.map(|value| value.to_string()),
            (RawKind::String, None) => Some(format!("\"{case}\"")),
            (RawKind::Character, None) => {
                return Some(format!(
                    "the case `{case}` has no raw value, which `{raw_type}` does not imply"
                ));
            }
            (RawKind::Float, None) => None,
            (RawKind::Integer | RawKind::Float, Some(_)) if text.is_some() => {
                return Some(format!(
                    "the raw value of `{case}` is a string, but the raw type is `{raw_type}`"
                ));
            }
            (RawKind::Integer, Some(literal)) => match integer(literal) {
                Some(value) => {
                    self.next = Some(value);
                    Some(value.to_string())
                }
                None if literal.replace('_', "").parse::<f64>().is_ok() => {
                    return Some(format!(
                        "the raw value of `{case}` is not an integer, but the raw type is `{raw_type}`"
                    ));
                }
                None => {
                    self.next = None;
                    None
                }
            },
            (RawKind::Float, Some(literal)) => Some(literal.to_owned()),
            (RawKind::String | RawKind::Character, Some(literal)) => {
                if text.is_none() && literal.replace('_', "").parse::<f64>().is_ok() {
                    return Some(format!(
                        "the raw value of `{case}` is a number, but the raw type is `{raw_type}`"
                    ));
                }
                let is_long = |text: &str| text.is_ascii() && text.len() != 3 && !text.contains('\\');
                if kind == RawKind::Character && text.is_some_and(is_long) {
                    return Some(format!("the raw value of `{case}` is not one character"));
                }
                text.map(str::to_owned)
            }
        };
        self.next = self.next.and_then(|value| value.checked_add(1));
        let value = value?;
        (!self.seen.insert(value)).then(|| format!("the raw value of `{case}` is that of another case"))
    }
}

fn kind_of(ty: Type) -> Option<RawKind> {
    let TypeKind::Named(named) = ty.kind() else { return None };
    if named.parent.is_some() {
        return None;
    }
    match named.name.as_str() {
        "String" => Some(RawKind::String),
        "Character" => Some(RawKind::Character),
        "Float" | "Double" => Some(RawKind::Float),
        name => {
            let bits = name.strip_prefix('U').unwrap_or(name).strip_prefix("Int")?;
            matches!(bits, "" | "8" | "16" | "32" | "64" | "128").then_some(RawKind::Integer)
        }
    }
}

/// Returns the value of an integer literal.
fn integer(text: &str) -> Option<i128> {
    let text = text.replace('_', "");
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, &*text),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits),
    };
    let value = i128::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with(['+', '-']))?;
    Some(if is_negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(raw_type: &str, cases: &[(&str, Option<&str>)]) -> usize {
        let mut values = RawValues::new(Some(Type::nominal(raw_type)));
        cases.iter().filter_map(|(case, literal)| values.add(case, *literal)).count()
    }

    #[test]
    fn integers_count_on() {
        assert_eq!(problems("Int", &[("a", Some("1")), ("b", None), ("c", Some("2"))]), 1);
        assert_eq!(problems("Int", &[("a", None), ("b", Some("0"))]), 1);
        assert_eq!(problems("Int", &[("a", Some("-1")), ("b", None), ("c", Some("1"))]), 0);
        assert_eq!(problems("UInt8", &[("a", Some("0x10")), ("b", Some("16"))]), 1);
        assert_eq!(problems("Int", &[("a", Some("other")), ("b", None)]), 0);
    }

    #[test]
    fn literals_fit_the_raw_type() {
        assert_eq!(problems("Int", &[("a", Some("\"x\""))]), 1);
        assert_eq!(problems("Int", &[("a", Some("1.5"))]), 1);
        assert_eq!(problems("Double", &[("a", Some("1.5")), ("b", Some("1"))]), 0);
        assert_eq!(problems("String", &[("a", Some("1"))]), 1);
        assert_eq!(problems("String", &[("a", Some("\"b\"")), ("b", None)]), 1);
        assert_eq!(problems("Character", &[("a", Some("\"b\"")), ("c", Some("\"bc\"")), ("d", None)]), 2);
        assert_eq!(problems("P", &[("a", Some("1")), ("b", Some("1"))]), 0);
        assert_eq!(RawValues::new(None).add("a", Some("1")).iter().count(), 1);
        assert_eq!(RawValues::new(None).add("a", None), None);
    }
}
