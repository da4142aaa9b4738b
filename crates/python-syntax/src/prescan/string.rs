//! Scanning of strings.

use super::FStrings;
use super::line::ProblemKind;
use super::scan::{MAX_DIGITS, Scanner};
use super::word::Prefix;

/// An f-string with an open `{`.
#[derive(Debug, Clone, Copy)]
pub(super) struct FString {
    start: usize,
    quote: u8,
    triple: bool,
    /// Number of brackets open before its `{`.
    pub(super) depth: usize,
    prefix: Prefix,
    /// Number of open format specifications; a `}` ends the innermost one.
    specs: u32,
}

impl Scanner<'_> {
    /// Scans a string with its quote at the current position and its prefix at `start`.
    pub(super) fn string(&mut self, start: usize, prefix: Prefix) {
        let quote = self.peek(0);
        let triple = self.peek(1) == quote && self.peek(2) == quote;
        self.pos += if triple { 3 } else { 1 };
        if prefix.f && self.f_strings == FStrings::Nested {
            let depth = self.opens.len();
            self.f_string_text(FString { start, quote, triple, depth, prefix, specs: 0 });
            return;
        }
        let closed = self.plain(quote, triple, prefix);
        if prefix.f {
            // The parser parses the content later, so nesting in it counts.
            self.chain((self.pos - start) as u32);
            self.digits_inside(start);
        }
        if !closed {
            self.problem(start, start + 1, ProblemKind::UnterminatedString);
        }
        self.token_end = self.pos;
    }

    /// Moves past the closing quote. Returns `false` if there is none.
    fn plain(&mut self, quote: u8, triple: bool, prefix: Prefix) -> bool {
        let bytes = self.bytes;
        let mut pos = self.pos;
        let closed = loop {
            let Some(&byte) = bytes.get(pos) else { break false };
            if byte == b'\\' {
                self.surrogate(pos, prefix);
                // `\r\n` is one line break.
                let crlf = bytes.get(pos + 1) == Some(&b'\r') && bytes.get(pos + 2) == Some(&b'\n');
                pos += if crlf { 3 } else { 2 };
            } else if byte == quote {
                if !triple {
                    pos += 1;
                    break true;
                }
                if bytes.get(pos + 1) == Some(&quote) && bytes.get(pos + 2) == Some(&quote) {
                    pos += 3;
                    break true;
                }
                pos += 1;
            } else if !triple && (byte == b'\n' || byte == b'\r') {
                break false;
            } else {
                pos += 1;
            }
        };
        self.pos = pos.min(bytes.len());
        closed
    }

    /// Reports an escape of half a surrogate pair, which Rust strings cannot contain.
    #[inline]
    fn surrogate(&mut self, at: usize, prefix: Prefix) {
        if matches!(self.bytes.get(at + 1), Some(b'u' | b'U')) && !prefix.no_unicode_escapes {
            self.unicode_escape(at);
        }
    }

    #[cold]
    fn unicode_escape(&mut self, at: usize) {
        let len = if self.bytes.get(at + 1) == Some(&b'u') { 4 } else { 8 };
        let digits = self.bytes.get(at + 2..at + 2 + len).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if code.is_some_and(|code| (0xd800..0xe000).contains(&code)) {
            self.problem(at, at + 2 + len, ProblemKind::LoneSurrogate);
        }
    }

    /// Reports long integers inside the braces of an f-string.
    fn digits_inside(&mut self, start: usize) {
        if self.pos - start <= MAX_DIGITS {
            return;
        }
        let bytes = self.part(0..self.pos);
        let (mut depth, mut at) = (0, start);
        let mut before = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'{' if depth == 0 && bytes.get(at + 1) == Some(&b'{') => at += 1,
                b'{' => depth += 1,
                b'}' if depth > 0 => depth -= 1,
                b'1'..=b'9' if depth > 0 && !super::class::is_name(before) => {
                    at = self.long_integer(at);
                    before = byte;
                    continue;
                }
                _ => {}
            }
            before = byte;
            at += 1;
        }
    }

    /// Scans the text of an f-string up to its end or its next `{`.
    pub(super) fn f_string_text(&mut self, mut f: FString) {
        loop {
            let Some(&byte) = self.bytes.get(self.pos) else {
                self.problem(f.start, f.start + 1, ProblemKind::UnterminatedString);
                break;
            };
            match byte {
                // In raw strings, too, an escaped quote does not end the string.
                b'\\' if !matches!(self.peek(1), b'{' | b'}') => {
                    self.surrogate(self.pos, f.prefix);
                    self.pos += 2;
                }
                b'\\' => self.pos += 1,
                b'{' if self.peek(1) == b'{' && f.specs == 0 => self.pos += 2,
                b'{' => {
                    f.depth = self.opens.len();
                    self.f_opens.push(f);
                    self.open(b'{');
                    return;
                }
                b'}' if f.specs > 0 => {
                    // The end of the specification also closes its `{}`.
                    self.pos += 1;
                    f.specs -= 1;
                    self.close_to(self.opens.len() - 1);
                }
                _ if byte == f.quote => {
                    if !f.triple {
                        self.pos += 1;
                        break;
                    }
                    if self.peek(1) == f.quote && self.peek(2) == f.quote {
                        self.pos += 3;
                        break;
                    }
                    self.pos += 1;
                }
                b'\n' | b'\r' if !f.triple => {
                    self.problem(f.start, f.start + 1, ProblemKind::UnterminatedString);
                    break;
                }
                _ => self.pos += 1,
            }
        }
        self.pos = self.pos.min(self.bytes.len());
        self.token_end = self.pos;
    }

    /// At a `:` or `}` directly inside the `{}` of an f-string, continues with its text.
    pub(super) fn f_string_resumes(&mut self, byte: u8) -> bool {
        let Some(&f) = self.f_opens.last() else { return false };
        if self.opens.len() != f.depth + 1 {
            return false;
        }
        self.f_opens.pop();
        self.pos += 1;
        if byte == b':' {
            // The bracket stays open until the specification ends.
            self.f_string_text(FString { specs: f.specs + 1, ..f });
        } else {
            self.close_to(f.depth);
            self.f_string_text(f);
        }
        true
    }
}
