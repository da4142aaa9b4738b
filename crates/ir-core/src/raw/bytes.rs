//! Bytes aligned to 64, as vector instructions and devices require of tensors.

use std::fmt;
use std::ops::Deref;

use crate::vectors::padded;

/// Alignment of [`AlignedBytes`]: that of a cache line, and of DLPack.
pub const ALIGNMENT_BYTES: usize = 64;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; ALIGNMENT_BYTES]);

const _: () = assert!(size_of::<Line>() == ALIGNMENT_BYTES && align_of::<Line>() == ALIGNMENT_BYTES);

/// Immutable bytes aligned to [`ALIGNMENT_BYTES`].
#[derive(Clone)]
pub struct AlignedBytes {
    lines: Box<[Line]>,
    /// At most the size of `lines`.
    len: usize,
}

impl Deref for AlignedBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the lines are contiguous and initialized, and `len` is at most their size.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast::<u8>(), self.len) }
    }
}

impl From<&[u8]> for AlignedBytes {
    fn from(bytes: &[u8]) -> AlignedBytes {
        let lines = bytes.chunks(ALIGNMENT_BYTES).map(|line| Line(padded(line)));
        AlignedBytes { lines: lines.collect(), len: bytes.len() }
    }
}

impl From<Vec<u8>> for AlignedBytes {
    fn from(bytes: Vec<u8>) -> AlignedBytes {
        bytes.as_slice().into()
    }
}

impl<const N: usize> From<[u8; N]> for AlignedBytes {
    fn from(bytes: [u8; N]) -> AlignedBytes {
        bytes.as_slice().into()
    }
}

impl FromIterator<u8> for AlignedBytes {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> AlignedBytes {
        bytes.into_iter().collect::<Vec<u8>>().into()
    }
}

impl PartialEq for AlignedBytes {
    fn eq(&self, other: &AlignedBytes) -> bool {
        **self == **other
    }
}

impl Eq for AlignedBytes {}

impl fmt::Debug for AlignedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{ALIGNMENT_BYTES, AlignedBytes};

    #[test]
    fn bytes_are_kept_and_aligned() {
        for len in [0, 1, 63, 64, 65, 200] {
            let bytes: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let aligned = AlignedBytes::from(bytes.clone());
            assert_eq!(*aligned, *bytes);
            assert_eq!(aligned.as_ptr().addr() % ALIGNMENT_BYTES, 0);
            assert_eq!(aligned.clone(), aligned);
        }
    }
}
