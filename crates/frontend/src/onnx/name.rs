//! Names in models: bytes that should be UTF-8.

use std::borrow::Cow;

/// The text of a name; each byte that is no UTF-8 becomes a replacement character.
pub(super) fn text(name: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(name)
}
