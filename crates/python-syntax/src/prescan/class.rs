//! Classes of bytes, by the kind of token that they can start.

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
pub(super) static CLASS: [u8; 256] = {
    let mut table = [OTHER; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = match i as u8 {
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
            b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^' | b'~' | b'<' | b'>' | b'='
            | b'!' => OPERATOR,
            _ => OTHER,
        };
        i += 1;
    }
    table
};

pub(super) fn is_name(byte: u8) -> bool {
    matches!(CLASS[byte as usize], NAME | DIGIT)
}
