//! Parsing of a piece directly, and of large pieces in sections.
//!
//! Text outside the subset of the [direct](super::direct) parser goes to the foreign parser: a small piece as a
//! whole, a large one in sections. A foreign tree takes some thirty bytes per byte of text, so a large block is split
//! between its statements into sections of similar size, each of which is converted before the next one is parsed. A
//! large statement is parsed as a header with a placeholder body, and its block in sections. The resulting tree is
//! the same, with nodes in another order.
//!
//! This module does not diagnose errors: if a line is indented irregularly or a section does not parse, it returns
//! `None` and the piece is parsed as a whole.

use std::ops::Range;

use super::edits::Edits;
use super::sink::{Frame, Sink};
use super::{PythonOptions, SyntaxError, direct};
use crate::ast::{AstBuilder, StmtId};
use crate::prescan::{Head, LogicalLine, Prescan, Problem};

/// Makes an indented block a text of its own.
const OPENING: &str = "if 1:\n";
/// Maximum depth of sections within sections.
const MAX_DEPTH: u32 = 8;

/// Parser of one piece.
pub(super) struct Sections<'a> {
    pub(super) text: &'a str,
    pub(super) scan: &'a Prescan,
    pub(super) options: &'a PythonOptions,
    pub(super) ast: &'a mut AstBuilder,
    pub(super) errors: &'a mut Vec<SyntaxError>,
    /// Text for the foreign parser if it is not a slice of the whole text.
    pub(super) buffer: String,
    /// Range of the piece in the whole text.
    pub(super) begin: u32,
    pub(super) end: u32,
}

impl Sections<'_> {
    /// The statements of the piece; `None` if the foreign parser has to read it as a whole.
    pub(super) fn read(&mut self, lines: Range<usize>) -> Option<Vec<StmtId>> {
        if self.scan.lines().at(lines.start).indent > 0 {
            return None;
        }
        if self.size(&lines) <= self.options.section_bytes {
            return self.direct(lines);
        }
        let is_plain = |line: &LogicalLine| line.start - line.begin == line.indent && !line.broken;
        let piece = &self.text[self.begin as usize..self.end as usize];
        // In a separate block, tabs would be counted differently.
        if !self.scan.lines().of(lines.clone()).iter().all(is_plain) || piece.contains('\t') {
            return None;
        }
        self.attempt(|this| this.block(lines, 0))
    }

    /// Runs `parse` and undoes its additions if it returns `None`.
    fn attempt<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (errors, mark) = (self.errors.len(), self.ast.mark());
        let result = parse(self);
        if result.is_none() {
            self.errors.truncate(errors);
            self.ast.reset(mark);
        }
        result
    }

    /// Parses lines of one block without the foreign parser.
    fn direct(&mut self, lines: Range<usize>) -> Option<Vec<StmtId>> {
        if !self.options.direct {
            return None;
        }
        self.attempt(|this| {
            let piece = &this.text[this.begin as usize..this.end as usize];
            let edits = Edits::default();
            let sink = Sink::new(this.ast, piece, &edits, this.errors, this.begin);
            direct::parse(sink, this.scan.lines().of(lines), this.options)
        })
    }

    fn size(&self, lines: &Range<usize>) -> usize {
        (self.end_of(lines) - self.scan.lines().at(lines.start).begin) as usize
    }

    /// End of the text of these lines, which is the start of the next line of the piece.
    fn end_of(&self, lines: &Range<usize>) -> u32 {
        self.scan.lines.get(lines.end).map_or(self.end, |next| next.begin.min(self.end))
    }

    /// Parses the statements of a block.
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

    /// Lines of the statement at `first`: decorators, block and further clauses. `None` if a line is indented less
    /// than the first.
    fn statement(&self, first: usize, end: usize) -> Option<Range<usize>> {
        let lines = self.scan.lines().of(first..end);
        let indent = lines.at(0).indent;
        let mut len = 1;
        while let Some(line) = lines.get(len) {
            let previous = lines.at(len - 1);
            let belongs = line.indent > indent
                || line.head.is_continuation()
                || previous.indent == indent && previous.head == Head::Decorator;
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

    /// The line that opens the block of a statement, if it has a single block and its header can be parsed
    /// separately.
    fn header(&self, stmt: &Range<usize>) -> Option<usize> {
        let lines = self.scan.lines().of(stmt.clone());
        let index = lines.iter().position(|line| line.head != Head::Decorator)?;
        let header = lines.at(index);
        let is_known = matches!(header.head, Head::Def | Head::Class | Head::For | Head::While | Head::With);
        let rest = lines.of(index + 1..lines.len());
        let is_block = !rest.is_empty() && rest.iter().all(|line| line.indent > header.indent);
        (is_known && header.opens_block && is_block).then_some(stmt.start + index)
    }

    /// Parses a statement with one block, the block first.
    fn compound(&mut self, stmt: &Range<usize>, header: usize, depth: u32) -> Option<StmtId> {
        let body = self.block(header + 1..stmt.end, depth + 1)?;
        let last = *body.last()?;
        let list = self.ast.list(&body);
        let (start, end) = (self.scan.lines().at(stmt.start).begin, self.scan.lines().at(header).end);
        let id = *self.parse(start, end, " pass\n", Some(list))?.first()?;
        let end = self.ast.ast().range(last).end;
        self.ast.set_end(id, end - self.begin);
        Some(id)
    }

    /// Parses the statements of one section.
    fn section(&mut self, lines: &Range<usize>, body: &mut Vec<StmtId>) -> Option<()> {
        if !lines.is_empty() {
            let statements = match self.direct(lines.clone()) {
                Some(statements) => statements,
                None => {
                    let start = self.scan.lines().at(lines.start).begin;
                    self.parse(start, self.end_of(lines), "", None)?
                }
            };
            body.extend(statements);
        }
        Some(())
    }

    /// Parses a part of the text with the foreign parser. No line may be indented less than the first.
    fn parse(
        &mut self,
        start: u32,
        end: u32,
        rest: &str,
        body: Option<crate::ast::List<StmtId>>,
    ) -> Option<Vec<StmtId>> {
        let is_deep = |problem: &Problem| start <= problem.range.start && problem.range.start < end;
        if self.scan.deep.iter().any(is_deep) {
            return None;
        }
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
