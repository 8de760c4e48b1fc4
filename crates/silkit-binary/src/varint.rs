//! Numbers in one to nine bytes.
//!
//! The number of leading ones of the first byte is the number of following bytes. Each length begins where the
//! shorter one ends, so that every number has a unique encoding.

const TWO: u64 = 1 << 7;
const THREE: u64 = TWO + (1 << 14);
const FOUR: u64 = THREE + (1 << 21);

/// Appends a number.
#[inline]
pub(crate) fn write(bytes: &mut Vec<u8>, number: u64) {
    if number < TWO {
        bytes.push(number as u8);
    } else if number < THREE {
        let rest = number - TWO;
        bytes.extend_from_slice(&[0x80 | (rest >> 8) as u8, rest as u8]);
    } else if number < FOUR {
        let rest = number - THREE;
        bytes.extend_from_slice(&[0xC0 | (rest >> 16) as u8, (rest >> 8) as u8, rest as u8]);
    } else if let Ok(number) = u32::try_from(number) {
        bytes.push(0xE0);
        bytes.extend_from_slice(&number.to_be_bytes());
    } else {
        bytes.push(0xE1);
        bytes.extend_from_slice(&number.to_be_bytes());
    }
}

/// Returns the number at the start of the bytes, and its length.
#[inline]
pub(crate) fn read(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = u64::from(*bytes.first()?);
    if first < 0x80 {
        return Some((first, 1));
    }
    if first < 0xC0 {
        let [_, low, ..] = *bytes else { return None };
        return Some((TWO + ((first & 0x3F) << 8 | u64::from(low)), 2));
    }
    read_long(bytes)
}

fn read_long(bytes: &[u8]) -> Option<(u64, usize)> {
    match *bytes {
        [first @ 0xC0..0xE0, mid, low, ..] => {
            Some((THREE + (u64::from(first & 0x1F) << 16 | u64::from(mid) << 8 | u64::from(low)), 3))
        }
        [0xE0, a, b, c, d, ..] => {
            let number = u64::from(u32::from_be_bytes([a, b, c, d]));
            (number >= FOUR).then_some((number, 5))
        }
        [0xE1, a, b, c, d, e, f, g, h, ..] => {
            let number = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
            (number > u64::from(u32::MAX)).then_some((number, 9))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_encoding() {
        let edges = [0, TWO, THREE, FOUR, 1 << 32, u64::MAX];
        for edge in edges {
            for number in [edge.wrapping_sub(1), edge, edge.wrapping_add(1)] {
                let mut bytes = Vec::new();
                write(&mut bytes, number);
                assert_eq!(read(&bytes), Some((number, bytes.len())), "{number}");
                assert_eq!(read(&bytes[..bytes.len() - 1]), None, "{number}");
            }
        }
        assert_eq!(read(&[0xE0, 0, 0, 0, 1]), None);
        assert_eq!(read(&[0xE1, 0, 0, 0, 0, 0, 0, 0, 1]), None);
        assert_eq!(read(&[0xFF; 12]), None);
    }
}
