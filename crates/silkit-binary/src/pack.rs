//! Compression of sections that are read as a whole.

use std::borrow::Cow;

/// Uncompressed contents follow.
const PLAIN: u8 = 0;
/// The length of the contents in four bytes, followed by an LZ4 block.
const LZ4: u8 = 1;
/// The maximum compression ratio of an LZ4 block. Contents that compress better are stored uncompressed, so that a
/// small file cannot request much memory.
const MAX_RATIO: usize = 32;

/// Returns the stored bytes of a section.
pub(crate) fn pack(contents: &[u8]) -> Vec<u8> {
    if let Ok(length) = u32::try_from(contents.len()) {
        let block = lz4_flex::block::compress(contents);
        if block.len() + 4 < contents.len() && contents.len() <= block.len() * MAX_RATIO {
            return [&[LZ4][..], &length.to_le_bytes(), &block].concat();
        }
    }
    plain(contents)
}

/// Returns the stored bytes of a section without compression.
pub(crate) fn plain(contents: &[u8]) -> Vec<u8> {
    [&[PLAIN][..], contents].concat()
}

/// Returns the contents of a section, or an error message.
pub(crate) fn unpack(stored: &[u8]) -> Result<Cow<'_, [u8]>, &'static str> {
    match stored {
        [PLAIN, contents @ ..] => Ok(Cow::Borrowed(contents)),
        [LZ4, a, b, c, d, block @ ..] => {
            let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
            if length / MAX_RATIO > block.len() {
                return Err("compressed data that expands to an impossible size");
            }
            match lz4_flex::block::decompress(block, length) {
                Ok(contents) if contents.len() == length => Ok(Cow::Owned(contents)),
                _ => Err("compressed data that cannot be decompressed"),
            }
        }
        _ => Err("an unknown compression method"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back() {
        let repeated = b"$s4main1fyyF$s4main1gyyF".repeat(9);
        let zeros = vec![0; 100_000];
        for contents in [&b""[..], b"x", &repeated, &zeros] {
            let packed = pack(contents);
            assert_eq!(unpack(&packed).as_deref(), Ok(contents));
            assert!(contents.len() <= packed.len() * MAX_RATIO);
        }
        assert!(pack(&repeated).len() < repeated.len() / 2);
    }

    #[test]
    fn wrong_packing_is_refused() {
        let packed = pack(&b"$s4main1fyyF$s4main1gyyF".repeat(9));
        for length in 0..packed.len() {
            assert!(unpack(&packed[..length]).is_err(), "{length}");
        }
        assert!(unpack(&[LZ4, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0]).is_err());
        assert!(unpack(&[2, 0]).is_err());
    }
}
