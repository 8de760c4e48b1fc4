//! Mutation of bytes.

use std::ops::Range;

use super::Mutation;
use crate::random::Random;

/// Bytes that are significant to parsers.
const TELLING: [u8; 16] =
    [0, 1, b'\n', b'\r', b'\t', b' ', b'"', b'\\', b'%', b'(', b')', b'{', b'}', 0x7f, 0x80, 0xff];

/// Applies one mutation: flips a bit, changes, inserts, deletes, repeats or moves a range, inserts a range of
/// `other`, or truncates. The result is at most about twice as long.
///
/// ```
/// use silkit_testkit::mutate::mutate_bytes;
/// let damaged = mutate_bytes(b"sil @f : $()", b"bb0:", 3);
/// assert_eq!(damaged, mutate_bytes(b"sil @f : $()", b"bb0:", 3));
/// ```
pub fn mutate_bytes(bytes: &[u8], other: &[u8], seed: u64) -> Mutation<Vec<u8>> {
    let mut random = Random::new(seed);
    let mut text = bytes.to_vec();
    let at = random.below(text.len() + 1);
    let what = random.below(if text.is_empty() { 2 } else { 9 });
    let description = match what {
        0 => {
            let count = 1 + random.below(8);
            let new: Vec<u8> = (0..count).map(|_| byte(&mut random)).collect();
            text.splice(at..at, new);
            format!("{count} bytes inserted at {at}")
        }
        1 => {
            let range = range(&mut random, other.len());
            let description = format!("bytes {range:?} of another text inserted at {at}");
            text.splice(at..at, other[range].iter().copied());
            description
        }
        2 => {
            let at = random.below(text.len());
            let bit = random.below(8);
            text[at] ^= 1 << bit;
            format!("bit {bit} of byte {at} flipped")
        }
        3 => {
            let at = random.below(text.len());
            text[at] = byte(&mut random);
            format!("byte {at} set to {:#04x}", text[at])
        }
        4 => {
            let range = range(&mut random, text.len());
            text.drain(range.clone());
            format!("bytes {range:?} deleted")
        }
        5 => {
            let range = range(&mut random, text.len());
            let copy = text[range.clone()].to_vec();
            text.splice(range.end..range.end, copy);
            format!("bytes {range:?} repeated")
        }
        6 => {
            let range = range(&mut random, text.len());
            let moved: Vec<u8> = text.drain(range.clone()).collect();
            let to = random.below(text.len() + 1);
            text.splice(to..to, moved);
            format!("bytes {range:?} moved to {to}")
        }
        7 => {
            let range = range(&mut random, text.len());
            let source = self::range(&mut random, other.len());
            text.splice(range.clone(), other[source.clone()].iter().copied());
            format!("bytes {range:?} replaced by {source:?} of another text")
        }
        _ => {
            text.truncate(at);
            format!("cut off at {at}")
        }
    };
    Mutation { text, description }
}

fn byte(random: &mut Random) -> u8 {
    let any = (random.number() & 0xff) as u8;
    if random.chance(1, 2) { random.pick(&TELLING).copied().unwrap_or(any) } else { any }
}

/// Returns a random range, usually a short one.
fn range(random: &mut Random, len: usize) -> Range<usize> {
    let start = random.below(len);
    let longest = if random.chance(1, 8) { len - start } else { (len - start).min(32) };
    start..start + random.below(longest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_and_bounded() {
        let text = b"sil_stage canonical\nsil @f : $() -> ()\n".repeat(3);
        let mut kinds = std::collections::BTreeSet::new();
        for seed in 0..2000 {
            let mutation = mutate_bytes(&text, b"bb0: unreachable", seed);
            assert!(mutation.text.len() <= 2 * text.len() + 16);
            kinds.insert(mutation.description.replace(|c: char| c.is_ascii_digit(), ""));
        }
        assert!(kinds.len() >= 9, "{kinds:?}");
    }

    #[test]
    fn empty_texts() {
        for seed in 0..100 {
            mutate_bytes(b"", b"", seed);
            mutate_bytes(b"x", b"", seed);
            mutate_bytes(b"", b"x", seed);
        }
    }
}
