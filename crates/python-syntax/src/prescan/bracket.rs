//! Matching of brackets, and recovery from brackets that are never closed.

use super::class::{CLASS, NAME, QUOTE, SPACE, names_at};
use super::line::ProblemKind;
use super::scan::{LastToken, OpenBracket, Scanner};
use super::word::{Word, prefix, word};

impl OpenBracket {
    /// Returns `true` if `close` is the closing bracket of this one.
    fn is_closed_by(&self, close: u8) -> bool {
        matches!((self.byte, close), (b'(', b')') | (b'[', b']') | (b'{', b'}'))
    }
}

impl Scanner<'_> {
    pub(super) fn open(&mut self, byte: u8) {
        // A call or subscript is a link of the chain around it.
        self.chain(1);
        self.opens.push(OpenBracket { pos: self.pos as u32, byte, chain: 0 });
        let depth = self.opens.len() as u32;
        if depth > self.brackets_max {
            self.brackets_max = depth;
            if depth == self.limits.brackets + 1 {
                self.problem(self.pos, self.pos + 1, ProblemKind::DeepBrackets);
            } else if depth == self.limits.foreign_brackets + 1 {
                self.deep(ProblemKind::DeepBrackets);
            }
        }
        self.punctuation(LastToken::Other);
    }

    pub(super) fn close(&mut self, byte: u8) {
        let at = self.pos;
        self.punctuation(LastToken::Operand);
        let Some(top) = self.opens.last() else {
            self.problem(at, at + 1, ProblemKind::Unopened);
            return;
        };
        if top.is_closed_by(byte) {
            self.close_to(self.opens.len() - 1);
            return;
        }
        // Inside an f-string, only brackets opened within it are closed.
        let floor = self.f_opens.last().map_or(0, |f| f.depth + 1);
        // Only the first mismatch of a line is matched: later ones follow from it, and repeated searches would be
        // quadratic.
        let partner =
            if self.broken { None } else { self.opens.iter().rposition(|open| open.is_closed_by(byte)) };
        match partner {
            Some(partner) if partner >= floor => {
                let open = top.pos as usize;
                self.problem(open, open + 1, ProblemKind::Unclosed);
                self.close_to(partner);
            }
            _ => {
                let open = top.pos;
                self.problem(at, at + 1, ProblemKind::Mismatched { open });
                // More likely a wrong bracket than a superfluous one.
                self.close_to((self.opens.len() - 1).max(floor));
            }
        }
    }

    /// Closes brackets until `depth` are open.
    pub(super) fn close_to(&mut self, depth: usize) {
        while self.opens.len() > depth
            && let Some(open) = self.opens.pop()
        {
            self.chain_now -= open.chain.min(self.chain_now);
        }
        while self.f_opens.last().is_some_and(|f| f.depth >= self.opens.len()) {
            self.f_opens.pop();
        }
    }

    /// Tests at the start of a physical line inside brackets whether the logical line ends before it.
    pub(super) fn ends_inside_brackets(&self, indent: u32) -> bool {
        let rest = self.part(self.pos..self.bytes.len());
        let blanks = rest.iter().take_while(|b| CLASS.of(**b) == SPACE).count();
        let Some(&first) = rest.get(blanks) else { return false };
        if first == b'@' {
            return self.swallows && self.last != LastToken::Operand;
        }
        if CLASS.of(first) != NAME {
            return false;
        }
        let (_, rest) = rest.split_at_checked(blanks).unwrap_or_default();
        let name = names_at(rest);
        let is_string = rest.get(name.len()).is_some_and(|b| CLASS.of(*b) == QUOTE) && prefix(name).is_some();
        if is_string {
            return false;
        }
        let word = word(name);
        if word == Word::Statement {
            return true;
        }
        if !self.swallows {
            return false;
        }
        // The line would otherwise end with the text, so weaker evidence suffices: two operands in a row, or a line
        // that is indented no deeper than the statement.
        let starts_statement = matches!(name, b"for" | b"if" | b"else") && is_header(rest);
        let operand = matches!(word, Word::Name | Word::Lambda);
        let shallow = blanks as u32 <= indent;
        match self.last {
            LastToken::Operand => operand || starts_statement,
            LastToken::Colon => self.opens.last().is_some_and(|open| open.byte == b'('),
            LastToken::Other => shallow && (operand || starts_statement),
        }
    }

    /// Reports the innermost open bracket.
    pub(super) fn unclosed(&mut self) {
        // If an f-string is open, it is the innermost bracket.
        if let Some(open) = self.opens.last() {
            let open = open.pos as usize;
            self.problem(open, open + 1, ProblemKind::Unclosed);
        }
    }
}

/// Returns `true` if the physical line ends with `:`, not counting comments.
fn is_header(line: &[u8]) -> bool {
    let code = line.split(|b| matches!(b, b'\n' | b'\r' | b'#')).next();
    code.is_some_and(|code| code.trim_ascii_end().ends_with(b":"))
}
