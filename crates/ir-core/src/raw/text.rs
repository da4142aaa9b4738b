//! The text of a string node; short texts are stored inline.

use smallvec::SmallVec;

/// Fits most names and attributes.
const INLINE_BYTES: usize = 16;

/// An immutable text.
#[derive(Clone)]
pub(crate) struct Text {
    /// Valid UTF-8.
    bytes: SmallVec<[u8; INLINE_BYTES]>,
}

impl Text {
    pub(crate) fn new(text: &str) -> Text {
        Text { bytes: SmallVec::from_slice(text.as_bytes()) }
    }

    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        // SAFETY: the bytes were copied from a `str` and never change.
        unsafe { std::str::from_utf8_unchecked(&self.bytes) }
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self.as_str(), f)
    }
}
