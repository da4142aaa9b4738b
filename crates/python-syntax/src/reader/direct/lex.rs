//! Bytes: blanks, words, punctuation.

use super::Reader;

/// What a byte is in a name or between tokens.
const NAME: u8 = 1;
const DIGIT: u8 = 2;
const BLANK: u8 = 4;

static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = match i as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => NAME,
            b'0'..=b'9' => DIGIT,
            b' ' | b'\t' => BLANK,
            _ => 0,
        };
        i += 1;
    }
    table
};

/// Whether an ASCII identifier can begin with the byte.
#[inline]
pub(super) fn begins_name(byte: u8) -> bool {
    CLASS[byte as usize] == NAME
}

/// Whether the byte can go on an identifier or number: bytes beyond ASCII may.
#[inline]
pub(super) fn goes_on(byte: u8) -> bool {
    CLASS[byte as usize] & (NAME | DIGIT) != 0 || byte >= 0x80
}

/// Whether the word is a keyword, soft ones aside.
#[inline]
pub(super) fn is_keyword(word: &[u8]) -> bool {
    // Few names begin like a keyword and are as short.
    if word.len() < 2 || word.len() > 8 {
        return false;
    }
    match word[0] {
        b'F' => word == b"False",
        b'N' => word == b"None",
        b'T' => word == b"True",
        b'a' => matches!(word, b"and" | b"as" | b"assert" | b"async" | b"await"),
        b'b' => word == b"break",
        b'c' => matches!(word, b"class" | b"continue"),
        b'd' => matches!(word, b"def" | b"del"),
        b'e' => matches!(word, b"elif" | b"else" | b"except"),
        b'f' => matches!(word, b"finally" | b"for" | b"from"),
        b'g' => word == b"global",
        b'i' => matches!(word, b"if" | b"import" | b"in" | b"is"),
        b'l' => word == b"lambda",
        b'n' => matches!(word, b"nonlocal" | b"not"),
        b'o' => word == b"or",
        b'p' => word == b"pass",
        b'r' => matches!(word, b"raise" | b"return"),
        b't' => word == b"try",
        b'w' => matches!(word, b"while" | b"with"),
        b'y' => word == b"yield",
        _ => false,
    }
}

impl<'a> Reader<'a> {
    /// The byte that many bytes ahead; 0 behind the end.
    #[inline]
    pub(super) fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    /// Goes to the next token; inside brackets also over line breaks and comments.
    #[inline]
    pub(super) fn blanks(&mut self) {
        while CLASS[self.peek(0) as usize] == BLANK {
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
                    let rest = &self.bytes[self.pos..];
                    self.pos += rest.iter().take_while(|b| !matches!(b, b'\n' | b'\r')).count();
                }
                _ => break,
            }
        }
    }

    /// Takes a byte, behind blanks.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        self.blanks();
        let found = self.peek(0) == byte;
        self.pos += usize::from(found);
        found
    }

    /// Takes a byte, or gives up.
    #[inline]
    pub(super) fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    /// Opens a bracket whose byte is taken.
    #[inline]
    pub(super) fn open(&mut self) {
        self.brackets += 1;
    }

    /// Takes the bracket that closes the innermost one.
    #[inline]
    pub(super) fn close(&mut self, byte: u8) -> bool {
        let found = self.eat(byte);
        self.brackets -= u32::from(found);
        found
    }

    /// The letters and digits from here on.
    #[inline]
    pub(super) fn word(&self) -> &'a [u8] {
        let bytes = self.bytes;
        let rest = &bytes[self.pos.min(bytes.len())..];
        let len = rest.iter().take_while(|b| goes_on(**b)).count();
        &rest[..len]
    }

    /// Takes this word, behind blanks.
    #[inline]
    pub(super) fn eat_word(&mut self, word: &[u8]) -> bool {
        self.blanks();
        let found = self.peek(0) == word[0] && self.word() == word;
        if found {
            self.pos += word.len();
        }
        found
    }

    /// Takes an identifier, behind blanks; nothing if it is a keyword, goes beyond ASCII or is the prefix of a string.
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
