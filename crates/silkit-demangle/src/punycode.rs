//! Swift's variant of Punycode (RFC 3492): `_` before the encoded part, `A` to `J` for the digits.

const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;

/// Decodes an identifier.
pub(crate) fn decode(encoded: &str) -> Option<String> {
    let (basic, rest) = encoded.rsplit_once('_').unwrap_or(("", encoded));
    let mut out: Vec<char> = basic.chars().collect();
    let (mut n, mut i, mut bias) = (128u32, 0u32, 72u32);
    let mut digits = rest.bytes();
    let mut next = digits.next();
    while next.is_some() {
        let before = i;
        let mut weight = 1u32;
        let mut k = BASE;
        loop {
            let digit = match next? {
                c @ b'a'..=b'z' => u32::from(c - b'a'),
                c @ b'A'..=b'J' => u32::from(c - b'A') + 26,
                _ => return None,
            };
            next = digits.next();
            i = i.checked_add(digit.checked_mul(weight)?)?;
            let threshold = k.saturating_sub(bias).clamp(T_MIN, T_MAX);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            k += BASE;
        }
        let length = u32::try_from(out.len()).ok()? + 1;
        bias = adapt(i - before, length, before == 0);
        n = n.checked_add(i / length)?;
        i %= length;
        // Surrogate code points encode ASCII characters that an identifier may not contain (0xD800 + c).
        let c = if (0xD800..0xD880).contains(&n) { char::from_u32(n - 0xD800)? } else { char::from_u32(n)? };
        out.insert(i as usize, c);
        i += 1;
    }
    Some(out.into_iter().collect())
}

fn adapt(delta: u32, length: u32, first: bool) -> u32 {
    let mut delta = if first { delta / DAMP } else { delta / 2 };
    delta += delta / length;
    let mut k = 0;
    while delta > (BASE - T_MIN) * T_MAX / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}
