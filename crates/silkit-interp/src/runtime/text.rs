//! Conversions between integers and text, and integer literals of any width.

use super::{BuiltinFn, Call, Effect, NativeFn};
use crate::interp::Interp;
use crate::sites::BuiltinSite;
use crate::violation::Run;

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("swift_int64ToString", signed_to_string),
    ("swift_uint64ToString", unsigned_to_string),
    ("atoi", |it, call| parse(it, call, 4)),
    ("atol", |it, call| parse(it, call, 8)),
    ("atoll", |it, call| parse(it, call, 8)),
];

pub(super) const BUILTINS: &[(&str, BuiltinFn)] =
    &[("isNegative", is_negative), ("bitWidth", bit_width), ("wordAtIndex", word_at_index)];

/// Parses the integer at the beginning of a C string, up to the first character that is not a digit.
fn parse(it: &mut Interp<'_>, call: &Call<'_>, len: u32) -> Run<Effect> {
    let text = it.c_string(it.arg(call, 0))?;
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let digits = digits.iter().take_while(|b| b.is_ascii_digit());
    let value = digits.fold(0i64, |value, b| value.wrapping_mul(10).wrapping_add(i64::from(b - b'0')));
    let value = if negative { value.wrapping_neg() } else { value };
    it.set_int(call.result, len, if len == 4 { u64::from(value as u32) } else { value as u64 });
    Ok(Effect::Done)
}

fn digits(mut value: u128, radix: u64, uppercase: bool) -> String {
    let letters = if uppercase {
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    } else {
        b"0123456789abcdefghijklmnopqrstuvwxyz"
    };
    let radix = u128::from(radix.clamp(2, 36));
    let mut text = Vec::new();
    loop {
        text.push(letters[(value % radix) as usize]);
        value /= radix;
        if value == 0 {
            break;
        }
    }
    text.reverse();
    String::from_utf8_lossy(&text).into_owned()
}

fn finish(it: &mut Interp<'_>, call: &Call<'_>, text: &str) -> Run<Effect> {
    it.c_write(it.arg(call, 0), text.as_bytes())?;
    it.set(call.result, text.len() as u64);
    Ok(Effect::Done)
}

fn signed_to_string(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (value, radix) = (it.arg(call, 2) as i64, it.arg(call, 3));
    let uppercase = it.get_byte(call.args[4]) & 1 != 0;
    let sign = if value < 0 { "-" } else { "" };
    let text = format!("{sign}{}", digits(u128::from(value.unsigned_abs()), radix, uppercase));
    finish(it, call, &text)
}

fn unsigned_to_string(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    let (value, radix) = (it.arg(call, 2), it.arg(call, 3));
    let uppercase = it.get_byte(call.args[4]) & 1 != 0;
    let text = digits(u128::from(value), radix, uppercase);
    finish(it, call, &text)
}

fn is_negative(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let value = it.get_wide(site.args[0], 128) as i128;
    it.set_byte(site.to, u8::from(value < 0));
    Ok(())
}

fn bit_width(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let value = it.get_wide(site.args[0], 128) as i128;
    let width = 129 - if value < 0 { (!value).leading_zeros() } else { value.leading_zeros() };
    it.set(site.to, u64::from(width));
    Ok(())
}

fn word_at_index(it: &mut Interp<'_>, site: &BuiltinSite) -> Run<()> {
    let value = it.get_wide(site.args[0], 128) as i128;
    let index = it.get(site.args[1]);
    it.set(site.to, (value >> (64 * index).min(127)) as u64);
    Ok(())
}
