//! Strings: where they end.

use super::FStrings;
use super::line::ProblemKind;
use super::scan::Scanner;
use super::word::Prefix;

/// An f-string whose `{` is open: where to go on once it is closed.
#[derive(Debug, Clone, Copy)]
pub(super) struct FString {
    start: usize,
    quote: u8,
    triple: bool,
    /// Brackets that were open before its `{`.
    pub(super) depth: usize,
    /// Format specifications that are open; while there are any, a `}` ends the innermost.
    specs: u32,
}

impl Scanner<'_> {
    /// Scans a string whose quote is at the position and whose prefix begins at `start`.
    pub(super) fn string(&mut self, start: usize, prefix: Prefix) {
        let quote = self.bytes[self.pos];
        let triple = self.peek(1) == quote && self.peek(2) == quote;
        self.pos += if triple { 3 } else { 1 };
        if prefix.f && self.f_strings == FStrings::Nested {
            let depth = self.opens.len();
            self.f_string_text(FString { start, quote, triple, depth, specs: 0 });
            return;
        }
        let closed = self.plain(quote, triple);
        if prefix.f {
            // The parser looks inside later, and what nests there nests its tree.
            self.chain((self.pos - start) as u32);
        }
        if !closed {
            self.problem(start, start + 1, ProblemKind::UnterminatedString);
        }
        self.token_end = self.pos;
    }

    /// Goes behind the closing quote; whether there was one.
    fn plain(&mut self, quote: u8, triple: bool) -> bool {
        let bytes = self.bytes;
        let mut pos = self.pos;
        let closed = loop {
            let Some(&byte) = bytes.get(pos) else { break false };
            if byte == b'\\' {
                // A line break of two bytes is one character.
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

    /// Scans the text of an f-string up to its end or its next `{`.
    pub(super) fn f_string_text(&mut self, mut f: FString) {
        loop {
            let Some(&byte) = self.bytes.get(self.pos) else {
                self.problem(f.start, f.start + 1, ProblemKind::UnterminatedString);
                break;
            };
            match byte {
                // Raw strings keep the backslash, but a quote behind it does not end them either.
                b'\\' if !matches!(self.peek(1), b'{' | b'}') => self.pos += 2,
                b'\\' => self.pos += 1,
                b'{' if self.peek(1) == b'{' && f.specs == 0 => self.pos += 2,
                b'{' => {
                    f.depth = self.opens.len();
                    self.f_opens.push(f);
                    self.open(b'{');
                    return;
                }
                b'}' if f.specs > 0 => {
                    // The specification ends, and with it the `{}` it belongs to: back to the text around.
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

    /// At a `:` or `}` directly inside the `{}` of an f-string: goes on with its text.
    pub(super) fn f_string_resumes(&mut self, byte: u8) -> bool {
        let Some(&f) = self.f_opens.last() else { return false };
        if self.opens.len() != f.depth + 1 {
            return false;
        }
        self.f_opens.pop();
        self.pos += 1;
        if byte == b':' {
            // The bracket stays open while the specification lasts.
            self.f_string_text(FString { specs: f.specs + 1, ..f });
        } else {
            self.close_to(f.depth);
            self.f_string_text(f);
        }
        true
    }
}
