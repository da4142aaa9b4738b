//! Classes of bytes, by the kind of token that they can start.

use crate::byte_table::{ByteTable, byte_table};

pub(super) const SPACE: u8 = 0;
pub(super) const NAME: u8 = 1;
pub(super) const DIGIT: u8 = 2;
pub(super) const QUOTE: u8 = 3;
pub(super) const OPEN: u8 = 4;
pub(super) const CLOSE: u8 = 5;
pub(super) const COMMA: u8 = 6;
pub(super) const NEWLINE: u8 = 7;
pub(super) const HASH: u8 = 8;
pub(super) const BACKSLASH: u8 = 9;
pub(super) const OPERATOR: u8 = 10;
pub(super) const COLON: u8 = 11;
pub(super) const DOT: u8 = 12;
pub(super) const OTHER: u8 = 13;
pub(super) const SEMICOLON: u8 = 14;

/// Class of each byte. Non-ASCII bytes are parts of names.
pub(super) static CLASS: ByteTable<u8> = byte_table!(OTHER, |byte| match byte {
    b' ' | b'\t' | 0x0c => SPACE,
    b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80..=0xff => NAME,
    b'0'..=b'9' => DIGIT,
    b'"' | b'\'' => QUOTE,
    b'(' | b'[' | b'{' => OPEN,
    b')' | b']' | b'}' => CLOSE,
    b',' => COMMA,
    b';' => SEMICOLON,
    b'\n' | b'\r' => NEWLINE,
    b'#' => HASH,
    b'\\' => BACKSLASH,
    b':' => COLON,
    b'.' => DOT,
    b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^' | b'~' | b'<' | b'>' | b'=' | b'!' =>
        OPERATOR,
    _ => OTHER,
});

/// The letters and digits that a text starts with.
#[inline]
pub(super) fn names_at(text: &[u8]) -> &[u8] {
    let len = text.iter().take_while(|b| is_name(**b)).count();
    text.split_at_checked(len).map_or(text, |(name, _)| name)
}

pub(super) fn is_name(byte: u8) -> bool {
    matches!(CLASS.of(byte), NAME | DIGIT)
}
