//! Reading a piece directly, and a large one section by section.
//!
//! What the [direct](super::direct) reader does not know is left to the foreign parser; in a small piece that is all of
//! it. A foreign parser holds the tree of all it reads, some thirty bytes for each byte of text. So that it never holds
//! much, a large block is cut between its statements into sections of about the same size, each of which is parsed and
//! converted before the next; a statement that is large itself is parsed as a header with a placeholder for a body, and
//! its block again in sections. The tree in our arena is the same, nodes in another order.
//!
//! Nothing is decided here about text that is wrong: where a line is indented oddly or a section does not parse, the
//! answer is nothing, and the piece is read as a whole.

use std::ops::Range;

use super::edits::Edits;
use super::sink::{Frame, Sink};
use super::{PythonOptions, SyntaxError, direct};
use crate::ast::{AstBuilder, StmtId};
use crate::prescan::{Head, LogicalLine, Prescan};

/// What makes the lines of a block a text of its own.
const OPENING: &str = "if 1:\n";
/// How deep blocks are cut into sections within sections.
const MAX_DEPTH: u32 = 8;

/// One piece that is read in sections.
pub(super) struct Sections<'a> {
    pub(super) text: &'a str,
    pub(super) scan: &'a Prescan,
    pub(super) options: &'a PythonOptions,
    pub(super) ast: &'a mut AstBuilder,
    pub(super) errors: &'a mut Vec<SyntaxError>,
    /// The text that the foreign parser sees, when that is no part of the whole text.
    pub(super) buffer: String,
    /// Where the piece begins and ends in the whole text.
    pub(super) begin: u32,
    pub(super) end: u32,
}

impl Sections<'_> {
    /// The statements of the piece, or nothing where the foreign parser must read it as a whole.
    pub(super) fn read(&mut self, lines: Range<usize>) -> Option<Vec<StmtId>> {
        if self.scan.lines[lines.start].indent > 0 {
            return None;
        }
        if self.size(&lines) <= self.options.section_bytes {
            return self.direct(lines);
        }
        let is_plain = |line: &LogicalLine| line.start - line.begin == line.indent && !line.broken;
        let bytes = &self.text.as_bytes()[self.begin as usize..self.end as usize];
        // Tabs count differently in a block by itself.
        if !self.scan.lines[lines.clone()].iter().all(is_plain) || bytes.contains(&b'\t') {
            return None;
        }
        self.attempt(|this| this.block(lines, 0))
    }

    /// What `read` gives; if that is nothing, what it added is gone.
    fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (errors, mark) = (self.errors.len(), self.ast.mark());
        let result = read(self);
        if result.is_none() {
            self.errors.truncate(errors);
            self.ast.reset(mark);
        }
        result
    }

    /// Reads lines of one block without the foreign parser.
    fn direct(&mut self, lines: Range<usize>) -> Option<Vec<StmtId>> {
        if !self.options.direct {
            return None;
        }
        self.attempt(|this| {
            let piece = &this.text[this.begin as usize..this.end as usize];
            let edits = Edits::default();
            let sink = Sink::new(this.ast, piece, &edits, this.errors, this.begin);
            direct::parse(sink, &this.scan.lines[lines])
        })
    }

    fn size(&self, lines: &Range<usize>) -> usize {
        (self.end_of(lines) - self.scan.lines[lines.start].begin) as usize
    }

    /// Where the text of these lines ends: at the next line of the piece.
    fn end_of(&self, lines: &Range<usize>) -> u32 {
        self.scan.lines.get(lines.end).map_or(self.end, |next| next.begin.min(self.end))
    }

    /// The statements of a block.
    fn block(&mut self, lines: Range<usize>, depth: u32) -> Option<Vec<StmtId>> {
        let mut body = Vec::new();
        let mut run = lines.start..lines.start;
        while run.end < lines.end {
            let stmt = self.statement(run.end, lines.end)?;
            let header = (self.size(&stmt) > self.options.section_bytes && depth < MAX_DEPTH)
                .then(|| self.header(&stmt))
                .flatten();
            if let Some(header) = header {
                self.section(&run, &mut body)?;
                body.push(self.compound(&stmt, header, depth)?);
                run = stmt.end..stmt.end;
                continue;
            }
            run.end = stmt.end;
            if self.size(&run) > self.options.section_bytes {
                self.section(&run, &mut body)?;
                run = stmt.end..stmt.end;
            }
        }
        self.section(&run, &mut body)?;
        Some(body)
    }

    /// The lines of the statement that begins here: its decorators, its block, its further clauses. Nothing when its
    /// lines are indented less than the first.
    fn statement(&self, first: usize, end: usize) -> Option<Range<usize>> {
        let lines = &self.scan.lines[first..end];
        let indent = lines[0].indent;
        let mut len = 1;
        while let Some(line) = lines.get(len) {
            let belongs = line.indent > indent
                || line.head.is_continuation()
                || lines[len - 1].indent == indent && lines[len - 1].head == Head::Decorator;
            if line.indent < indent {
                return None;
            }
            if !belongs {
                break;
            }
            len += 1;
        }
        Some(first..first + len)
    }

    /// The line that opens the one block of a statement, if it has just one and its header can be read apart.
    fn header(&self, stmt: &Range<usize>) -> Option<usize> {
        let lines = &self.scan.lines[stmt.clone()];
        let index = lines.iter().position(|line| line.head != Head::Decorator)?;
        let header = &lines[index];
        let is_known = matches!(header.head, Head::Def | Head::Class | Head::For | Head::While | Head::With);
        let rest = &lines[index + 1..];
        let is_block = !rest.is_empty() && rest.iter().all(|line| line.indent > header.indent);
        (is_known && header.opens_block && is_block).then_some(stmt.start + index)
    }

    /// A statement with one block, which is read first.
    fn compound(&mut self, stmt: &Range<usize>, header: usize, depth: u32) -> Option<StmtId> {
        let body = self.block(header + 1..stmt.end, depth + 1)?;
        let last = *body.last()?;
        let list = self.ast.list(&body);
        let (start, end) = (self.scan.lines[stmt.start].begin, self.scan.lines[header].end);
        let id = *self.parse(start, end, " pass\n", Some(list))?.first()?;
        let end = self.ast.ast().range(last).end;
        self.ast.set_end(id, end - self.begin);
        Some(id)
    }

    /// Statements that are read together.
    fn section(&mut self, lines: &Range<usize>, body: &mut Vec<StmtId>) -> Option<()> {
        if !lines.is_empty() {
            let statements = match self.direct(lines.clone()) {
                Some(statements) => statements,
                None => {
                    let start = self.scan.lines[lines.start].begin;
                    self.parse(start, self.end_of(lines), "", None)?
                }
            };
            body.extend(statements);
        }
        Some(())
    }

    /// Reads a part of the text, of which every line is indented as deep as the first or deeper.
    fn parse(
        &mut self,
        start: u32,
        end: u32,
        rest: &str,
        body: Option<crate::ast::List<StmtId>>,
    ) -> Option<Vec<StmtId>> {
        let part = &self.text[start as usize..end as usize];
        let is_nested = part.starts_with(' ');
        let opening = if is_nested { OPENING } else { "" };
        self.buffer.clear();
        self.buffer.extend([opening, part, rest]);
        let frame = Frame { shift: (start - self.begin).wrapping_sub(opening.len() as u32), is_nested, body };
        let edits = Edits::default();
        let sink = Sink::new(self.ast, &self.buffer, &edits, self.errors, self.begin).framed(frame);
        self.options.backend.parse(sink).ok()
    }
}
