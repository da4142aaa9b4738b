//! Python's identifiers: Unicode's `XID_Start` and `XID_Continue`, and the underscore; and its keywords.

use crate::prescan;

/// Returns `true` if the character can start an identifier.
pub(crate) fn is_identifier_start(c: char) -> bool {
    c == '_' || unicode_ident::is_xid_start(c)
}

/// Returns `true` if the character can continue an identifier.
pub(crate) fn is_identifier_continue(c: char) -> bool {
    unicode_ident::is_xid_continue(c)
}

/// Returns `true` if the text has the form of an identifier, as `str.isidentifier` does. Keywords have that form.
pub fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_identifier_start) && chars.all(is_identifier_continue)
}

/// Returns `true` for hard keywords, as `keyword.iskeyword` does.
pub fn is_keyword(text: &str) -> bool {
    prescan::is_keyword(text.as_bytes())
}
