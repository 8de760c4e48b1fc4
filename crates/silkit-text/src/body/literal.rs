//! Literals: canonical spelling, and floats in decimal.

use super::extreme;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use silkit_base::Symbol;
use silkit_types::{Type, TypeKind};
use std::num::IntErrorKind;

/// Returns the width of a builtin integer type in bits: `Int8`, `Word`; `None` for `IntLiteral`.
fn bits(ty: Type) -> Option<u32> {
    let TypeKind::Builtin(name, _) = ty.kind() else { return None };
    match name.as_str() {
        "Word" => Some(64),
        name => name.strip_prefix("Int")?.parse().ok(),
    }
}

/// Returns the canonical spelling of an integer literal: decimal, and negative if the sign bit is set.
///
/// Returns `None` if the literal is kept as spelled because of its type or size, and an error if the value does not
/// fit into the type.
pub(super) fn integer(ty: Type, text: &str) -> Result<Option<Symbol>, String> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let clean: String = digits.chars().filter(|c| *c != '_').collect();
    let parsed = match clean.get(..2) {
        Some("0x" | "0X") => u128::from_str_radix(&clean[2..], 16),
        Some("0b") => u128::from_str_radix(&clean[2..], 2),
        Some("0o") => u128::from_str_radix(&clean[2..], 8),
        _ => clean.parse(),
    };
    let bits = bits(ty).filter(|bits| *bits <= 128);
    let magnitude = match (parsed, bits) {
        (Ok(magnitude), _) => magnitude,
        (Err(error), Some(bits)) if *error.kind() == IntErrorKind::PosOverflow => {
            return Err(format!("`{text}` does not fit in {bits} bits"));
        }
        (Err(_), _) => return Ok(None),
    };
    let Some(bits) = bits else {
        let sign = if negative && magnitude != 0 { "-" } else { "" };
        return Ok(Some(Symbol::new(&format!("{sign}{magnitude}"))));
    };
    let sign_bit = 1u128.checked_shl(bits.wrapping_sub(1)).unwrap_or(0);
    let fits = if negative { magnitude <= sign_bit } else { bits == 128 || magnitude >> bits == 0 };
    if !fits {
        return Err(format!("`{text}` does not fit in {bits} bits"));
    }
    let printed = if negative || magnitude & sign_bit == 0 {
        let sign = if negative && magnitude != 0 { "-" } else { "" };
        format!("{sign}{magnitude}")
    } else if bits == 128 {
        format!("-{}", magnitude.wrapping_neg())
    } else {
        format!("-{}", (1u128 << bits) - magnitude)
    };
    Ok((printed != text).then(|| Symbol::new(&printed)))
}

/// Returns the canonical spelling of the bits of a float literal: upper case, without leading zeros.
pub(super) fn float(text: &str) -> Option<Symbol> {
    let Some(digits) = text.strip_prefix("0x") else {
        let bits: u128 = text.parse().ok()?;
        return Some(Symbol::new(&format!("0x{bits:X}")));
    };
    let short = digits.trim_start_matches('0');
    let printed = format!("0x{}", if short.is_empty() { "0" } else { short }.to_ascii_uppercase());
    (printed != text).then(|| Symbol::new(&printed))
}

/// Returns the value of a float literal in decimal, for the comment after it.
pub(super) fn decimal(ty: Type, text: &str) -> Option<String> {
    let TypeKind::Builtin(name, _) = ty.kind() else { return None };
    let bits = u128::from_str_radix(text.strip_prefix("0x")?, 16).ok()?;
    Some(match name.as_str() {
        "FPIEEE16" => shown(Half::from_bits(bits)),
        "FPBrain16" | "BFloat16" => shown(BFloat::from_bits(bits)),
        "FPIEEE32" => shown(Single::from_bits(bits)),
        "FPIEEE64" => shown(Double::from_bits(bits)),
        "FPIEEE80" => extreme::x87(bits).unwrap_or_else(|| shown(X87DoubleExtended::from_bits(bits))),
        "FPIEEE128" => extreme::quad(bits).unwrap_or_else(|| shown(Quad::from_bits(bits))),
        _ => return None,
    })
}

fn shown(value: impl Float) -> String {
    match (value.is_infinite(), value.is_negative()) {
        (true, false) => "+Inf".to_owned(),
        (true, true) => "-Inf".to_owned(),
        _ => value.to_string(),
    }
}

/// Returns the canonical spelling of a string literal: characters that need no escape are not escaped.
pub(super) fn string(text: &str) -> Option<Symbol> {
    if !text.contains("\\u{") || text.starts_with('"') {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let code = rest
            .strip_prefix("\\u{")
            .and_then(|r| r.split_once('}'))
            .and_then(|(hex, after)| Some((char::from_u32(u32::from_str_radix(hex, 16).ok()?)?, after)));
        match code {
            Some(('\0', after)) => {
                out.push_str("\\0");
                rest = after;
            }
            Some((c, after)) if !c.is_control() && !matches!(c, '"' | '\\' | '\'') => {
                out.push(c);
                rest = after;
            }
            _ => {
                let len = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..len]);
                rest = &rest[len..];
            }
        }
    }
    out.push_str(rest);
    (out != text).then(|| Symbol::new(&out))
}

/// Checks the escape sequences of a string in quotes.
pub(super) fn check_escapes(text: &str) -> Result<(), String> {
    // A triple-quoted string may contain anything.
    if text.starts_with('"') {
        return Ok(());
    }
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let mut chars = rest[at + 1..].chars();
        let escaped = chars.next();
        rest = chars.as_str();
        match escaped {
            Some('0' | '\\' | 't' | 'n' | 'r' | '"' | '\'') => {}
            Some('u') => {
                let scalar = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
                let code = scalar.and_then(|(hex, _)| {
                    let is_number =
                        (1..=8).contains(&hex.len()) && hex.bytes().all(|b| b.is_ascii_hexdigit());
                    u32::from_str_radix(hex, 16).ok().filter(|_| is_number).and_then(char::from_u32)
                });
                if code.is_none() {
                    return Err(
                        "expected a Unicode scalar of 1 to 8 hexadecimal digits: `\\u{1F600}`".to_owned()
                    );
                }
            }
            Some('(') => return Err("a string of SIL has no interpolation".to_owned()),
            Some(c) => return Err(format!("unknown escape sequence `\\{c}`")),
            None => return Err("unterminated escape sequence".to_owned()),
        }
    }
    Ok(())
}

/// Checks the contents of `string_literal bytes`.
pub(super) fn check_bytes(text: &str) -> Result<(), String> {
    if !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err("expected hexadecimal digits".to_owned());
    }
    if text.len().is_multiple_of(2) {
        Ok(())
    } else {
        Err("expected two hexadecimal digits for each byte".to_owned())
    }
}

/// Returns the canonical text of a `specify_test` argument: one line, without surrounding white space. A
/// triple-quoted string has no escapes.
pub(super) fn specification(text: &str) -> Option<Symbol> {
    let raw = text.strip_prefix("\"\"").and_then(|t| t.strip_suffix("\"\""));
    let printed = match raw {
        Some(raw) => raw.trim().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"),
        None => text.trim().to_owned(),
    };
    (printed != text).then(|| Symbol::new(&printed))
}

/// Returns the words of a test specification as they print.
pub(super) fn specified_words(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split("\\n").flat_map(str::split_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(ty: &str, text: &str) -> String {
        integer(Type::builtin(ty), text).map_or_else(|e| e, |s| s.map_or(text, |s| s.as_str()).to_owned())
    }

    #[test]
    fn integers_print_signed() {
        let asked = [
            ("Int8", "255", "-1"),
            ("Int8", "0x80", "-128"),
            ("Word", "18446744073709551615", "-1"),
            ("Int1", "1", "-1"),
            ("IntLiteral", "255", "255"),
            ("Int128", "0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "-1"),
            ("Int32", "007", "7"),
            ("Int2048", "0xFF", "255"),
            ("Int64", "-9223372036854775808", "-9223372036854775808"),
            ("Int8", "256", "`256` does not fit in 8 bits"),
            (
                "Int64",
                "340282366920938463463374607431768211456",
                "`340282366920938463463374607431768211456` does not fit in 64 bits",
            ),
            ("Int2048", "340282366920938463463374607431768211456", "340282366920938463463374607431768211456"),
        ];
        for (ty, text, printed) in asked {
            assert_eq!(int(ty, text), printed, "{ty} {text}");
        }
    }

    #[test]
    fn floats_print_as_the_reference_prints_them() {
        let asked = [
            ("FPIEEE80", "0x4000C90FDAA22168C235", "3.14159265358979323851"),
            ("FPIEEE32", "0x3F800000", "1"),
            ("FPIEEE64", "0x3F80000000000", "5.5192261724690347E-309"),
            ("FPIEEE64", "0x7FF8000000000000", "NaN"),
            ("FPIEEE64", "0xFFF0000000000000", "-Inf"),
            ("FPIEEE64", "0x4202A05F20000000", "1.0E+10"),
            ("FPIEEE64", "0x3EB0C6F7A0B5ED8D", "9.9999999999999995E-7"),
            ("FPIEEE64", "0x8000000000000000", "-0"),
            ("FPIEEE16", "0x3C00", "1"),
            ("FPIEEE64", "0x412E848000000000", "1.0E+6"),
            ("FPIEEE64", "0x3F1A36E2EB1C432D", "1.0E-4"),
            ("FPIEEE64", "0x3F50624DD2F1A9FC", "0.001"),
        ];
        for (ty, text, printed) in asked {
            assert_eq!(decimal(Type::builtin(ty), text).as_deref(), Some(printed), "{ty} {text}");
        }
    }

    #[test]
    fn tests_are_specified_on_one_line() {
        let printed = |text| specification(text).map(|s| s.as_str());
        assert_eq!(printed("\"\"\n  a \"b\"\n    c\\n\n  \"\""), Some("a \\\"b\\\"\\n    c\\\\n"));
        assert_eq!(printed("a \\\"b\\\""), None);
    }

    #[test]
    fn escapes_and_bytes_are_checked() {
        for good in ["", "a\\n\\t\\r\\0\\\\\\\"\\'", "\\u{0}\\u{1F600}", "\"\"a\\q\"\""] {
            assert_eq!(check_escapes(good), Ok(()), "{good}");
        }
        for bad in
            ["\\q", "a\\(b)", "\\u{}", "\\u{110000}", "\\u{D800}", "\\u{123456789}", "\\u1", "\\u{1F6", "\\"]
        {
            assert!(check_escapes(bad).is_err(), "{bad}");
        }
        assert!(check_bytes("00fFA9").is_ok() && check_bytes("").is_ok());
        assert!(check_bytes("616").is_err() && check_bytes("zz").is_err());
    }

    #[test]
    fn strings_print_characters() {
        assert_eq!(string("a\\u{1F600}\\u{e9}\\n\\u{0}x\\\\").map(|s| s.as_str()), Some("a😀é\\n\\0x\\\\"));
        assert_eq!(string("plain \\\"text\\\""), None);
    }
}
