//! Content keys of descriptions.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of the text of a description, with line ends as `\n`. Two dialects of one key are the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentKey([u8; 32]);

impl ContentKey {
    /// The key of a description and the files that it names.
    pub(crate) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> ContentKey {
        let mut hash = Sha256::new();
        for text in texts {
            hash.update(text.replace("\r\n", "\n").as_bytes());
            hash.update([0]);
        }
        ContentKey(hash.finalize().into())
    }
}

/// The first 16 hexadecimal digits, which name a description in texts.
impl fmt::Display for ContentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(8).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
