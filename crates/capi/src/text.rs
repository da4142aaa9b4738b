//! Texts that belong to the library.

/// A text with a zero byte after it, for callers that want one.
#[derive(Debug)]
pub(crate) struct OwnedText(Box<[u8]>);

impl OwnedText {
    pub(crate) fn new(text: String) -> OwnedText {
        let mut bytes = text.into_bytes();
        bytes.push(0);
        OwnedText(bytes.into_boxed_slice())
    }

    /// The text without the zero byte.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.split_last().map_or(&[], |(_, text)| text)
    }
}
