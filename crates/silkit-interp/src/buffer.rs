//! A short sequence of bytes that is stored inline if it is small.

use std::ops::{Deref, DerefMut};

/// The number of bytes that are stored inline.
const INLINE: usize = 48;

/// The bytes of a value. Values of up to 48 bytes need no allocation.
#[derive(Clone, Debug)]
pub(crate) enum Buffer {
    /// The bytes and their number.
    Inline([u8; INLINE], u8),
    /// The bytes of a larger value.
    Heap(Vec<u8>),
}

impl Buffer {
    /// Creates a buffer of zeros.
    #[inline]
    pub(crate) fn zeroed(len: usize) -> Self {
        if len <= INLINE { Self::Inline([0; INLINE], len as u8) } else { Self::Heap(vec![0; len]) }
    }
}

impl From<&[u8]> for Buffer {
    #[inline]
    fn from(bytes: &[u8]) -> Self {
        let mut buffer = Self::zeroed(bytes.len());
        buffer.copy_from_slice(bytes);
        buffer
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Inline(bytes, len) => &bytes[..usize::from(*len)],
            Self::Heap(bytes) => bytes,
        }
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Inline(bytes, len) => &mut bytes[..usize::from(*len)],
            Self::Heap(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_kept_in_both_forms() {
        for len in [0, 1, 47, 48, 49, 300] {
            let bytes: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let mut buffer = Buffer::from(bytes.as_slice());
            assert_eq!(&*buffer, bytes);
            assert_eq!(matches!(buffer, Buffer::Inline(..)), len <= INLINE);
            buffer.fill(7);
            assert!(buffer.iter().all(|&b| b == 7) && buffer.len() == len);
        }
    }
}
