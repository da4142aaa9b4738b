//! Blanks, words and punctuation.

use super::DirectParser;
use crate::byte_table::{ByteTable, byte_table};
use crate::prescan::is_keyword;

/// Classes of bytes.
const NAME: u8 = 1;
const DIGIT: u8 = 2;
const BLANK: u8 = 4;

static CLASS: ByteTable<u8> = byte_table!(0, |byte| match byte {
    b'a'..=b'z' | b'A'..=b'Z' | b'_' => NAME,
    b'0'..=b'9' => DIGIT,
    b' ' | b'\t' => BLANK,
    _ => 0,
});

/// Tests whether an ASCII identifier can start with the byte.
#[inline]
pub(super) fn begins_name(byte: u8) -> bool {
    CLASS.of(byte) == NAME
}

/// Tests whether the byte can continue an identifier or number. Non-ASCII bytes can.
#[inline]
pub(super) fn goes_on(byte: u8) -> bool {
    CLASS.of(byte) & (NAME | DIGIT) != 0 || byte >= 0x80
}

impl<'a> DirectParser<'a> {
    /// The byte at an offset from the position; 0 after the end of the text.
    #[inline]
    pub(super) fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    /// Moves to the next token; inside brackets also past line breaks and comments.
    #[inline]
    pub(super) fn blanks(&mut self) {
        while CLASS.of(self.peek(0)) == BLANK {
            self.pos += 1;
        }
        if self.brackets > 0 && matches!(self.peek(0), b'\n' | b'\r' | b'#') {
            self.line_breaks();
        }
    }

    #[cold]
    fn line_breaks(&mut self) {
        loop {
            match self.peek(0) {
                b' ' | b'\t' | b'\n' | b'\r' => self.pos += 1,
                b'#' => {
                    let rest = self.rest();
                    self.pos += rest.iter().take_while(|b| !matches!(b, b'\n' | b'\r')).count();
                }
                _ => break,
            }
        }
    }

    /// Consumes a byte after blanks.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        self.blanks();
        let found = self.peek(0) == byte;
        self.pos += usize::from(found);
        found
    }

    /// Consumes a byte after blanks, or fails.
    #[inline]
    pub(super) fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    /// Consumes a comma or the closing bracket; returns `true` for the bracket.
    pub(super) fn comma_or_close(&mut self, close: u8) -> Option<bool> {
        if self.eat(b',') { Some(false) } else { self.close(close).then_some(true) }
    }

    /// Enters a bracket that has been consumed.
    #[inline]
    pub(super) fn open(&mut self) {
        self.brackets += 1;
    }

    /// Consumes the closing bracket of the innermost one.
    #[inline]
    pub(super) fn close(&mut self, byte: u8) -> bool {
        let found = self.eat(byte);
        self.brackets -= u32::from(found);
        found
    }

    /// The text from the position on, which may be at its end or past it.
    #[inline]
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.pos..).unwrap_or(&[])
    }

    /// The letters and digits at the position.
    #[inline]
    pub(super) fn word(&self) -> &'a [u8] {
        let rest = self.rest();
        let len = rest.iter().take_while(|b| goes_on(**b)).count();
        rest.split_at_checked(len).map_or(rest, |(word, _)| word)
    }

    /// Consumes a word after blanks.
    #[inline]
    pub(super) fn eat_word(&mut self, word: &[u8]) -> bool {
        self.blanks();
        let found = word.first() == Some(&self.peek(0)) && self.word() == word;
        if found {
            self.pos += word.len();
        }
        found
    }

    /// Consumes an identifier after blanks. `None` for keywords, non-ASCII identifiers and string prefixes.
    #[inline]
    pub(super) fn identifier(&mut self) -> Option<&'a str> {
        self.blanks();
        let word = self.word();
        if !begins_name(*word.first()?) || is_keyword(word) || !word.is_ascii() {
            return None;
        }
        let start = self.pos;
        self.pos += word.len();
        if matches!(self.peek(0), b'"' | b'\'') {
            return None;
        }
        self.text.get(start..self.pos)
    }
}
