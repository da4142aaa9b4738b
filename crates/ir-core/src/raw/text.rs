//! The text of a string node: a short one lies in the node itself.

use smallvec::SmallVec;

/// Most names and attributes are not longer.
const INLINE_BYTES: usize = 16;

/// A text that does not change.
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
        // SAFETY: the bytes are those of a `str`, and nobody changes them.
        unsafe { std::str::from_utf8_unchecked(&self.bytes) }
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self.as_str(), f)
    }
}
