//! Scanner from bytes to logical lines.

use std::ops::Range;

use super::class::*;
use super::line::{Comment, Head, LogicalLine, Problem, ProblemKind};
use super::string::FString;
use super::word::{Prefix, Word, head, prefix, word};
use super::{FStrings, Limits, Prescan};
use crate::ast::TextRange;
use crate::identifier::{is_identifier_continue, is_identifier_start};

/// Maximum number of digits of a decimal integer that Python converts.
pub(super) const MAX_DIGITS: usize = 4300;

/// Maximum number of rescans of logical lines that swallow the rest of the text.
const MAX_RESCANS: u32 = 16;

#[derive(Debug, Clone, Copy)]
pub(super) struct OpenBracket {
    pub(super) pos: u32,
    pub(super) byte: u8,
    /// Depth that the operators since the last comma add to the tree.
    pub(super) chain: u32,
}

/// Last token, as far as line ends inside brackets depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastToken {
    /// A name, literal or closing bracket, which no name can follow.
    Operand,
    Colon,
    Other,
}

struct Block {
    indent: u32,
    elifs: u32,
}

pub(super) struct Scanner<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) pos: usize,
    pub(super) f_strings: FStrings,
    pub(super) limits: Limits,
    out: Prescan,
    /// Open brackets of the current logical line.
    pub(super) opens: Vec<OpenBracket>,
    /// F-strings with an open `{}`.
    pub(super) f_opens: Vec<FString>,
    /// End of the last token.
    pub(super) token_end: usize,
    pub(super) last: LastToken,
    /// Depth of the tree at the current token without brackets; its maximum; its value outside brackets.
    pub(super) chain_now: u32,
    chain_max: u32,
    chain_outside: u32,
    pub(super) brackets_max: u32,
    blocks: Vec<Block>,
    elifs_now: u32,
    /// `true` if the current logical line swallows the text after it.
    pub(super) swallows: bool,
    rescans: u32,
    pub(super) broken: bool,
    /// Start of the current physical line.
    line_begin: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(bytes: &'a [u8], f_strings: FStrings, limits: Limits) -> Self {
        Scanner {
            bytes,
            pos: 0,
            f_strings,
            limits,
            out: Prescan::default(),
            opens: Vec::new(),
            f_opens: Vec::new(),
            token_end: 0,
            last: LastToken::Other,
            chain_now: 0,
            chain_max: 0,
            chain_outside: 0,
            brackets_max: 0,
            blocks: vec![Block { indent: 0, elifs: 0 }],
            elifs_now: 0,
            swallows: false,
            rescans: 0,
            broken: false,
            line_begin: 0,
        }
    }

    pub(super) fn run(mut self) -> Prescan {
        self.out.lines.reserve(self.bytes.len() / 64);
        if self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.pos = 3;
        }
        while self.pos < self.bytes.len() {
            self.line_begin = self.pos;
            let indent = self.indentation();
            match self.peek(0) {
                b'\n' | b'\r' => self.line_break(),
                b'#' => self.comment(true),
                _ if self.pos >= self.bytes.len() => break,
                _ => self.logical_line(indent),
            }
        }
        self.out
    }

    /// The byte at an offset from the position; 0 after the end of the text.
    #[inline]
    pub(super) fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn indentation(&mut self) -> u32 {
        let mut columns = 0u32;
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b' ' => columns += 1,
                b'\t' => columns = (columns / 8 + 1) * 8,
                0x0c => columns = 0,
                _ => break,
            }
            self.pos += 1;
        }
        columns
    }

    fn line_break(&mut self) {
        self.pos += if self.peek(0) == b'\r' && self.peek(1) == b'\n' { 2 } else { 1 };
    }

    fn comment(&mut self, own_line: bool) {
        let start = self.pos;
        while !matches!(self.peek(0), b'\n' | b'\r') && self.pos < self.bytes.len() {
            self.pos += 1;
        }
        let range = TextRange::new(start as u32, self.pos as u32);
        self.out.comments.push(Comment { range, own_line });
    }

    pub(super) fn problem(&mut self, start: usize, end: usize, kind: ProblemKind) {
        self.broken = true;
        // The unclosed string may contain the closing bracket.
        self.swallows |= kind == ProblemKind::UnterminatedString;
        let line = self.out.lines.len() as u32;
        let range = TextRange::new(start as u32, end as u32);
        self.out.problems.push(Problem { line, range, kind });
    }

    /// Notes that the line is nested too deeply for a foreign parser.
    #[cold]
    pub(super) fn deep(&mut self, kind: ProblemKind) {
        let (line, start) = (self.out.lines.len() as u32, self.pos as u32);
        self.out.deep.push(Problem { line, range: TextRange::new(start, start + 1), kind });
    }

    fn logical_line(&mut self, indent: u32) {
        let begin = self.line_begin;
        let start = self.pos;
        let (comments, problems) = (self.out.comments.len(), self.out.problems.len());
        self.swallows = false;
        loop {
            self.begin_line(start);
            let ended = self.tokens(indent);
            if ended || self.opens.is_empty() {
                break;
            }
            // The text ends inside brackets.
            if self.swallows || self.rescans == MAX_RESCANS {
                self.unclosed();
                break;
            }
            self.rescans += 1;
            self.swallows = true;
            self.out.comments.truncate(comments);
            self.out.problems.truncate(problems);
            self.line_begin = begin;
        }
        let head = match self.bytes.get(start) {
            Some(b'@') => Head::Decorator,
            Some(byte) if CLASS.of(*byte) == NAME => head(names_at(self.part(start..self.token_end))),
            _ => Head::Other,
        };
        let opens_block = self.last == LastToken::Colon && self.opens.is_empty();
        self.block(indent, head, start);
        if !self.broken {
            self.out.max_brackets = self.out.max_brackets.max(self.brackets_max);
            self.out.max_chain = self.out.max_chain.max(self.chain_max);
        }
        self.out.lines.push(LogicalLine {
            begin: begin as u32,
            start: start as u32,
            end: self.token_end as u32,
            indent,
            head,
            opens_block,
            broken: self.broken,
            too_deep: self.blocks.len() as u32 - 1 > self.limits.blocks,
        });
    }

    fn begin_line(&mut self, start: usize) {
        self.pos = start;
        self.token_end = start;
        self.opens.clear();
        self.f_opens.clear();
        self.last = LastToken::Other;
        self.chain_now = 0;
        self.chain_max = 0;
        self.chain_outside = 0;
        self.brackets_max = 0;
        self.broken = false;
    }

    fn block(&mut self, indent: u32, head: Head, start: usize) {
        while self.blocks.len() > 1 && self.blocks.last().is_some_and(|b| b.indent > indent) {
            let block = self.blocks.pop();
            self.elifs_now -= block.map_or(0, |b| b.elifs);
        }
        if self.blocks.last().is_some_and(|b| b.indent < indent) {
            self.blocks.push(Block { indent, elifs: 0 });
        }
        let depth = self.blocks.len() as u32 - 1;
        if depth > self.limits.blocks {
            // Reported once, for the first line of the block.
            let reported = self.out.lines.last().is_some_and(|line| line.too_deep);
            if reported {
                self.broken = true;
            } else {
                self.problem(start, self.token_end, ProblemKind::DeepBlocks);
            }
        } else {
            self.out.max_blocks = self.out.max_blocks.max(depth);
        }
        if let Some(block) = self.blocks.last_mut() {
            if head == Head::Elif {
                block.elifs += 1;
                self.elifs_now += 1;
                self.out.max_elifs = self.out.max_elifs.max(self.elifs_now);
                if self.elifs_now > self.limits.foreign_chain {
                    self.problem(start, self.token_end, ProblemKind::LongChain);
                }
            } else if head != Head::Else {
                self.elifs_now -= block.elifs;
                block.elifs = 0;
            }
        }
    }

    /// Scans tokens up to the end of the logical line. Returns `false` at the end of the text.
    fn tokens(&mut self, indent: u32) -> bool {
        while let Some(&byte) = self.bytes.get(self.pos) {
            match CLASS.of(byte) {
                SPACE => self.pos += 1,
                NAME => self.name(),
                DIGIT => self.number(),
                OPEN => self.open(byte),
                CLOSE => {
                    if !(byte == b'}' && self.f_string_resumes(byte)) {
                        self.close(byte);
                    }
                    self.last = LastToken::Operand;
                }
                COMMA | SEMICOLON => {
                    let level = self.opens.last_mut().map_or(&mut self.chain_outside, |open| &mut open.chain);
                    self.chain_now -= *level;
                    *level = 0;
                    self.punctuation(LastToken::Other);
                }
                OPERATOR => {
                    self.chain(1);
                    self.punctuation(LastToken::Other);
                }
                DOT => {
                    if self.peek(1).is_ascii_digit() && self.last != LastToken::Operand {
                        self.number();
                    } else {
                        self.chain(1);
                        self.punctuation(LastToken::Other);
                    }
                }
                COLON => {
                    if self.f_string_resumes(byte) {
                        self.last = LastToken::Operand;
                    } else {
                        self.punctuation(LastToken::Colon);
                    }
                }
                QUOTE => {
                    self.string(self.pos, Prefix::default());
                    self.last = LastToken::Operand;
                }
                HASH => {
                    let own_line = self.is_first_on_line();
                    self.comment(own_line);
                }
                BACKSLASH => {
                    self.pos += 1;
                    match self.peek(0) {
                        b'\n' | b'\r' => {
                            self.line_break();
                            self.line_begin = self.pos;
                        }
                        _ => self.token_end = self.pos,
                    }
                }
                NEWLINE => {
                    if self.opens.is_empty() {
                        self.line_break();
                        return true;
                    }
                    let at = self.pos;
                    self.line_break();
                    if self.ends_inside_brackets(indent) {
                        self.unclosed();
                        return true;
                    }
                    debug_assert!(self.pos > at);
                    self.line_begin = self.pos;
                }
                _ => self.punctuation(LastToken::Other),
            }
        }
        false
    }

    fn is_first_on_line(&self) -> bool {
        self.part(self.line_begin..self.pos).iter().all(|b| CLASS.of(*b) == SPACE)
    }

    /// A part of the text. Positions of the scanner are at most its length.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "positions are in the text")]
    pub(super) fn part(&self, range: Range<usize>) -> &'a [u8] {
        &self.bytes[range]
    }

    #[inline]
    pub(super) fn punctuation(&mut self, last: LastToken) {
        self.pos += 1;
        self.token_end = self.pos;
        self.last = last;
    }

    fn name(&mut self) {
        let start = self.pos;
        let name = names_at(self.part(start..self.bytes.len()));
        self.pos = start + name.len();
        self.token_end = self.pos;
        if !name.is_ascii() {
            self.check_identifier(start, self.pos);
        }
        if CLASS.of(self.peek(0)) == QUOTE
            && let Some(prefix) = prefix(name)
        {
            self.string(start, prefix);
            self.last = LastToken::Operand;
            return;
        }
        self.last = match word(name) {
            Word::Name => LastToken::Operand,
            Word::Statement => LastToken::Other,
            Word::Operator => {
                self.chain(1);
                LastToken::Other
            }
            Word::Lambda => {
                // Not counted for the bracket, since a comma between parameters does not end the lambda.
                self.deepen(1);
                LastToken::Other
            }
        };
    }

    /// Reports the first character that the identifier cannot contain.
    #[cold]
    fn check_identifier(&mut self, start: usize, end: usize) {
        let text = std::str::from_utf8(self.part(start..end)).unwrap_or("");
        let wrong = text.char_indices().find(|(at, c)| match at {
            0 => !is_identifier_start(*c),
            _ => !is_identifier_continue(*c),
        });
        if let Some((at, c)) = wrong {
            self.problem(start + at, start + at + c.len_utf8(), ProblemKind::InvalidCharacter);
        }
    }

    /// Returns the end of the digits, and reports a decimal integer that is too long.
    #[cold]
    pub(super) fn long_integer(&mut self, start: usize) -> usize {
        let rest = self.part(start..self.bytes.len());
        let number = rest.split(|b| !b.is_ascii_digit() && *b != b'_').next().unwrap_or(rest);
        let len = number.len();
        let is_integer = !rest.get(len).is_some_and(|b| is_name(*b) || *b == b'.');
        let digits = number.iter().filter(|b| b.is_ascii_digit()).count();
        if digits > MAX_DIGITS && is_integer && number.first() != Some(&b'0') {
            let kind = ProblemKind::LongInteger { digits: digits as u32 };
            self.problem(start, start + len, kind);
        }
        start + len.max(1)
    }

    fn number(&mut self) {
        let bytes = self.bytes;
        let start = self.pos;
        let mut pos = self.pos;
        let mut before = 0;
        while let Some(&byte) = bytes.get(pos) {
            let sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E');
            if !(is_name(byte) || byte == b'.' || sign) {
                break;
            }
            before = byte;
            pos += 1;
        }
        if pos - start > MAX_DIGITS {
            self.long_integer(start);
        }
        self.pos = pos;
        self.token_end = pos;
        self.last = LastToken::Operand;
    }

    /// Adds levels to the tree until the next comma of the bracket.
    #[inline]
    pub(super) fn chain(&mut self, levels: u32) {
        let level = self.opens.last_mut().map_or(&mut self.chain_outside, |open| &mut open.chain);
        *level += levels;
        self.deepen(levels);
    }

    #[inline]
    fn deepen(&mut self, levels: u32) {
        self.chain_now += levels;
        if self.chain_now > self.chain_max {
            self.chain_max = self.chain_now;
            let passes = |limit: u32| self.chain_max > limit && self.chain_max - levels <= limit;
            if passes(self.limits.chain) {
                self.problem(self.pos, self.pos + 1, ProblemKind::LongChain);
            } else if passes(self.limits.foreign_chain) {
                self.deep(ProblemKind::LongChain);
            }
        }
    }
}
