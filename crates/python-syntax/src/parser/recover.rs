//! Piece-by-piece parsing with error recovery.
//!
//! A valid piece is parsed once. An invalid piece costs one more pass over its single lines and one more parse per
//! structural error. The number of repairs is bounded; after that the whole piece is invalid.

use super::edits::Edits;
use super::isolated::{Isolated, can_stand_alone};
use super::sections::Sections;
use super::sink::Sink;
use super::token::{shown, token_end, token_start};
use super::{Failure, Nesting, PythonOptions, SyntaxError, SyntaxErrorKind};
use crate::ast::{Ast, AstBuilder, Stmt, StmtId, TextRange};
use crate::prescan::{Head, Limits, LogicalLine, Prescan, Problem, ProblemKind, is_keyword, keyword_like};

/// Parses a scanned text. The caller provides a sufficient stack.
pub(super) fn read(text: &str, scan: &Prescan, options: &PythonOptions) -> (Ast, Vec<SyntaxError>) {
    let mut ast = AstBuilder::new();
    ast.reserve(scan.code_bytes());
    let mut reader =
        Recovery { text, scan, options, ast, errors: Vec::new(), isolated: Isolated::new(options.backend) };
    reader.problems();
    let pieces = scan.pieces();
    for (index, lines) in pieces.iter().enumerate() {
        let end = pieces.get(index + 1).map_or(text.len() as u32, |next| scan.lines().at(next.start).begin);
        reader.piece(lines.clone(), end);
    }
    let mut errors = reader.errors;
    errors.sort_by_key(|error| error.range.start);
    (reader.ast.finish(), errors)
}

/// Lines that are replaced by a placeholder.
#[derive(Debug, Clone, Copy)]
struct Cut {
    first: usize,
    last: usize,
    kind: CutKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CutKind {
    /// One line; the placeholder keeps its role in the structure (`elif a:` for an `elif`).
    Line,
    /// One line whose role in the structure is wrong.
    Alone,
    /// Wrongly indented lines, replaced by one placeholder.
    Block,
}

struct Recovery<'a> {
    text: &'a str,
    scan: &'a Prescan,
    options: &'a PythonOptions,
    ast: AstBuilder,
    errors: Vec<SyntaxError>,
    isolated: Isolated,
}

impl Recovery<'_> {
    fn full(&self) -> bool {
        self.errors.len() >= self.options.max_errors
    }

    /// Reports the first error of the scan on each line; later ones follow from it.
    fn problems(&mut self) {
        let mut line = None;
        for problem in &self.scan.problems {
            if line != Some(problem.line) && !self.full() {
                self.errors.push(describe_problem(self.text, problem, &self.options.limits));
            }
            line = Some(problem.line);
        }
    }

    fn piece(&mut self, lines: std::ops::Range<usize>, end: u32) {
        let begin = self.scan.lines().at(lines.start).begin;
        self.ast.begin_piece(TextRange::new(begin, end));
        let source = &self.text[begin as usize..end as usize];
        let mut cuts = self.broken(lines.clone());
        if cuts.is_empty()
            && let Some(body) = self.sections(lines.clone(), begin, end)
        {
            return self.ast.end_piece(&body);
        }
        self.cut_deep(lines.clone(), &mut cuts);
        let mut edits = Edits::default();
        let mut edited = String::new();
        let mut checked = false;
        // The number of repairs is bounded, and smaller for large pieces.
        let mut rounds = ((16 << 20) / (source.len() + 1)).clamp(2, 16);
        loop {
            let text = if cuts.is_empty() {
                source
            } else {
                self.edit(begin, source, &lines, &cuts, &mut edits, &mut edited);
                &edited
            };
            let sink = Sink::new(&mut self.ast, text, &edits, &mut self.errors, begin);
            let failure = match self.options.backend.parse(sink) {
                Ok(body) => return self.ast.end_piece(&body),
                Err(failure) => failure,
            };
            let at = begin + edits.original(failure.start);
            let line = self.scan.line_at(at).unwrap_or(lines.start).clamp(lines.start, lines.end - 1);
            let mut progress = false;
            if !checked {
                checked = true;
                progress = self.check_lines(line..lines.end, &mut cuts);
            }
            if !progress {
                rounds -= 1;
                if rounds == 0 || !self.mend(failure, &edits, begin, line, &lines, &mut cuts) {
                    break;
                }
            }
        }
        let first = self.scan.lines().at(lines.start).start - begin;
        let invalid = self.ast.stmt(Stmt::Invalid, first, source.trim_end().len() as u32);
        self.ast.end_piece(&[invalid]);
    }

    /// Parses a piece without errors directly and in sections. Returns `None` if the foreign parser has to read the
    /// whole piece.
    fn sections(&mut self, lines: std::ops::Range<usize>, begin: u32, end: u32) -> Option<Vec<StmtId>> {
        let mut sections = Sections {
            text: self.text,
            scan: self.scan,
            options: self.options,
            ast: &mut self.ast,
            errors: &mut self.errors,
            buffer: String::new(),
            begin,
            end,
        };
        sections.read(lines)
    }

    /// Cuts for the errors that the scan found.
    fn broken(&self, lines: std::ops::Range<usize>) -> Vec<Cut> {
        if self.scan.problems.is_empty() {
            return Vec::new();
        }
        let mut cuts: Vec<Cut> = Vec::new();
        let start = self.scan.problems.partition_point(|p| (p.line as usize) < lines.start);
        for problem in self.scan.problems.iter().skip(start) {
            let line = problem.line as usize;
            if line >= lines.end {
                break;
            }
            if cuts.last().is_some_and(|cut| cut.last >= line) {
                continue;
            }
            if problem.kind == ProblemKind::DeepBlocks {
                let last = self.block_end(line, &lines);
                cuts.push(Cut { first: line, last, kind: CutKind::Block });
            } else {
                cuts.push(Cut { first: line, last: line, kind: CutKind::Line });
            }
        }
        cuts
    }

    /// Cuts out and reports lines that are nested too deeply for the foreign parser.
    fn cut_deep(&mut self, lines: std::ops::Range<usize>, cuts: &mut Vec<Cut>) {
        for problem in self.scan.deep_in(lines) {
            let line = problem.line as usize;
            if find(cuts, line).is_ok() {
                continue;
            }
            if !self.full() {
                let Limits { foreign_brackets, foreign_chain, .. } = self.options.limits;
                let limits =
                    Limits { brackets: foreign_brackets, chain: foreign_chain, ..self.options.limits };
                self.errors.push(describe_problem(self.text, problem, &limits));
            }
            insert(cuts, Cut { first: line, last: line, kind: CutKind::Line });
        }
    }

    /// Last of the lines from `line` on that are indented at least as deeply.
    fn block_end(&self, line: usize, lines: &std::ops::Range<usize>) -> usize {
        let indent = self.scan.lines().at(line).indent;
        let rest = self.scan.lines().of(line + 1..lines.end);
        line + rest.iter().take_while(|l| l.indent >= indent).count()
    }

    /// Parses each line on its own; cuts out and reports the invalid ones. Returns `true` if there are any.
    fn check_lines(&mut self, lines: std::ops::Range<usize>, cuts: &mut Vec<Cut>) -> bool {
        let mut found = false;
        for index in lines {
            let line = *self.scan.lines().at(index);
            if !can_stand_alone(&line) || find(cuts, index).is_ok() {
                continue;
            }
            if let Err(failure) = self.isolated.check(self.text, &line) {
                if !self.full() {
                    let error = self.describe(failure, line.start, &Edits::default(), index);
                    self.errors.push(error);
                }
                insert(cuts, Cut { first: index, last: index, kind: CutKind::Line });
                found = true;
            }
        }
        found
    }

    /// Cuts out the cause of a structural error, and reports the error unless it follows from an earlier cut. Returns
    /// `false` if nothing more can be done.
    fn mend(
        &mut self,
        failure: Failure,
        edits: &Edits,
        begin: u32,
        line: usize,
        lines: &std::ops::Range<usize>,
        cuts: &mut Vec<Cut>,
    ) -> bool {
        let error = self.describe(failure, begin, edits, line);
        if let Ok(index) = find(cuts, line)
            && let Some(cut) = cuts.get_mut(index)
        {
            // The placeholder itself does not fit, or the line after a block that was cut out.
            let again = cut.kind == CutKind::Line;
            if cut.kind == CutKind::Line {
                cut.kind = CutKind::Alone;
            }
            return again;
        }
        let (first, last, kind) = match error.kind {
            SyntaxErrorKind::UnexpectedIndent
            | SyntaxErrorKind::InconsistentDedent
            | SyntaxErrorKind::InconsistentTabs => (line, self.block_end(line, lines), CutKind::Block),
            SyntaxErrorKind::ExpectedIndent => {
                let header = self.header_before(line, lines);
                (header, header, CutKind::Line)
            }
            _ => (line, line, CutKind::Alone),
        };
        let follows = match kind {
            CutKind::Alone => {
                self.scan.lines().at(line).head.is_continuation() && self.sibling_is_cut(line, lines, cuts)
            }
            // The header lost its body to another cut.
            _ => find(cuts, first + 1).is_ok() && error.kind == SyntaxErrorKind::ExpectedIndent,
        };
        if !follows {
            if self.full() {
                return false;
            }
            self.errors.push(error);
        }
        insert(cuts, Cut { first, last, kind });
        true
    }

    /// The header whose block is missing at `line`.
    fn header_before(&self, line: usize, lines: &std::ops::Range<usize>) -> usize {
        let is_last = line + 1 == lines.end && self.scan.lines().at(line).opens_block;
        let follows = line > lines.start && self.scan.lines().at(line - 1).opens_block;
        if follows || !is_last { line.saturating_sub(1).max(lines.start) } else { line }
    }

    fn sibling_is_cut(&self, line: usize, lines: &std::ops::Range<usize>, cuts: &[Cut]) -> bool {
        let indent = self.scan.lines().at(line).indent;
        let before = self.scan.lines().of(lines.start..line);
        before.iter().rposition(|l| l.indent <= indent).is_some_and(|i| find(cuts, lines.start + i).is_ok())
    }

    /// Writes the text of a piece with placeholders instead of the cuts.
    fn edit(
        &self,
        begin: u32,
        source: &str,
        lines: &std::ops::Range<usize>,
        cuts: &[Cut],
        edits: &mut Edits,
        out: &mut String,
    ) {
        edits.clear();
        out.clear();
        let mut copied = 0;
        for cut in cuts {
            let (first, last) = (self.scan.lines().at(cut.first), self.scan.lines().at(cut.last));
            let (start, end) = (first.start - begin, last.end - begin);
            if cut.kind == CutKind::Block {
                let from = first.begin - begin;
                out.push_str(&source[copied as usize..from as usize]);
                let at = out.len() as u32;
                self.indent_before(cut.first, lines, cuts, out);
                edits.push(at, out.len() as u32 - at, from..start);
            } else {
                out.push_str(&source[copied as usize..start as usize]);
            }
            let at = out.len() as u32;
            out.push_str(self.placeholder(cut, lines));
            edits.push(at, out.len() as u32 - at, start..end);
            copied = end;
        }
        out.push_str(&source[copied as usize..]);
    }

    /// Writes the indentation of a line that continues the block of the previous line.
    fn indent_before(&self, line: usize, lines: &std::ops::Range<usize>, cuts: &[Cut], out: &mut String) {
        let mut previous = line;
        while previous > lines.start {
            previous -= 1;
            match find(cuts, previous).ok().and_then(|index| cuts.get(index)) {
                Some(cut) if cut.kind == CutKind::Block => previous = cut.first,
                _ => {
                    let line = self.scan.lines().at(previous);
                    out.push_str(&self.text[line.begin as usize..line.start as usize]);
                    if line.opens_block {
                        out.push(' ');
                    }
                    return;
                }
            }
        }
    }

    fn placeholder(&self, cut: &Cut, lines: &std::ops::Range<usize>) -> &'static str {
        let line = self.scan.lines().at(cut.first);
        let rest = self.scan.lines().of(cut.last + 1..lines.end);
        let block = cut.kind != CutKind::Block && rest.first().is_some_and(|next| next.indent > line.indent);
        let decorated =
            cut.first > lines.start && self.scan.lines().at(cut.first - 1).head == Head::Decorator;
        let next = rest.iter().find(|next| next.indent <= line.indent).map_or(Head::Other, |next| next.head);
        let or_pass = |header: &'static str, whole: &'static str| if block { header } else { whole };
        match line.head {
            Head::Elif if cut.kind == CutKind::Line => or_pass("elif a:", "elif a: pass"),
            Head::Else if cut.kind == CutKind::Line => or_pass("else:", "else: pass"),
            Head::Except if cut.kind == CutKind::Line => or_pass("except a:", "except a: pass"),
            Head::Finally if cut.kind == CutKind::Line => or_pass("finally:", "finally: pass"),
            Head::Decorator if cut.kind == CutKind::Line => "@a",
            _ if decorated => or_pass("class a:", "class a: pass"),
            _ if matches!(next, Head::Except | Head::Finally) => or_pass("try:", "try: pass"),
            _ if matches!(next, Head::Elif | Head::Else) => or_pass("if a:", "if a: pass"),
            _ => or_pass("if a:", "pass"),
        }
    }

    /// Converts a failure to an error. `base` is the start of the parsed text in the whole text.
    fn describe(&self, failure: Failure, base: u32, edits: &Edits, line: usize) -> SyntaxError {
        let index = line;
        let line = self.scan.lines().at(line);
        let start = self.boundary(base + edits.original(failure.start));
        let mut kind = failure.kind;
        if matches!(kind, Some(SyntaxErrorKind::UnexpectedEndOfText)) || kind.is_none() && start >= line.end {
            kind = Some(SyntaxErrorKind::UnexpectedEndOfLine);
        }
        if kind == Some(SyntaxErrorKind::InconsistentDedent) && line.opens_block && start >= line.end {
            kind = Some(SyntaxErrorKind::ExpectedIndent);
        }
        let end = match failure.end.map(|end| self.boundary(base + edits.original_end(end))) {
            Some(end) if end > start => end,
            _ => token_end(self.text, start as usize) as u32,
        };
        let range = match kind {
            Some(SyntaxErrorKind::InvalidNumber) => {
                let start = token_start(self.text, line.start as usize, start as usize);
                TextRange::new(start as u32, token_end(self.text, start) as u32)
            }
            Some(SyntaxErrorKind::UnexpectedEndOfLine) => TextRange::at(line.end),
            Some(SyntaxErrorKind::UnexpectedIndent) => TextRange::new(line.begin, line.start),
            Some(SyntaxErrorKind::InconsistentDedent | SyntaxErrorKind::InconsistentTabs) => {
                TextRange::new(line.begin, line.start)
            }
            Some(SyntaxErrorKind::ExpectedIndent) => {
                let header = if start >= line.end { index } else { index.saturating_sub(1) };
                let end = self.scan.lines().at(header).end;
                TextRange::new(end.saturating_sub(1), end)
            }
            _ => TextRange::new(start, end),
        };
        let kind = kind.unwrap_or_else(|| SyntaxErrorKind::UnexpectedToken {
            found: shown(self.text.get(range.to_usize()).unwrap_or_default()),
        });
        let help = self.help(&kind, line, range);
        // The foreign parser says the same of indentation, in other words.
        let has_detail = !kind.is_about_indentation() && !failure.detail.is_empty();
        let mut error = SyntaxError::new(kind, range);
        if has_detail {
            error = error.with_detail(failure.detail);
        }
        match help {
            Some((help, (range, replacement))) => error.with_help(help).with_fix(range, replacement),
            None => error,
        }
    }

    /// The offset, or the start of the character that contains it.
    fn boundary(&self, offset: u32) -> u32 {
        let end = (offset as usize).min(self.text.len());
        (0..=end).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or_default() as u32
    }

    /// A suggestion and the edit that it means.
    fn help(
        &self,
        kind: &SyntaxErrorKind,
        line: &LogicalLine,
        range: TextRange,
    ) -> Option<(String, (TextRange, &'static str))> {
        let header = !matches!(line.head, Head::Other | Head::Decorator | Head::MatchOrCase);
        match kind {
            SyntaxErrorKind::UnexpectedEndOfLine if header && !line.opens_block => {
                Some(("expected `:` at the end of the line".into(), (range, ":")))
            }
            SyntaxErrorKind::UnexpectedToken { found } => {
                if &**found == "=" && matches!(line.head, Head::If | Head::Elif | Head::While) {
                    return Some(("`==` compares, `=` assigns".into(), (range, "==")));
                }
                let found = (!is_keyword(found.as_bytes())).then(|| keyword_like(found)).flatten();
                let found = found.map(|keyword| (keyword, range));
                let (keyword, range) = found.or_else(|| {
                    let (start, end) = (line.start, token_end(self.text, line.start as usize));
                    let word = &self.text[start as usize..end];
                    (start < range.start && !is_keyword(word.as_bytes()))
                        .then(|| keyword_like(word))
                        .flatten()
                        .map(|keyword| (keyword, TextRange::new(start, end as u32)))
                })?;
                Some((format!("did you mean `{keyword}`?"), (range, keyword)))
            }
            _ => None,
        }
    }
}

/// Index of the cut that contains the line, or the index to insert one at.
fn find(cuts: &[Cut], line: usize) -> Result<usize, usize> {
    let index = cuts.partition_point(|cut| cut.last < line);
    match cuts.get(index) {
        Some(cut) if cut.first <= line => Ok(index),
        _ => Err(index),
    }
}

/// Inserts a cut and removes the cuts inside it.
fn insert(cuts: &mut Vec<Cut>, cut: Cut) {
    let start = cuts.partition_point(|c| c.last < cut.first);
    let end = cuts.partition_point(|c| c.first <= cut.last);
    cuts.splice(start..end.max(start), [cut]);
}

fn describe_problem(text: &str, problem: &Problem, limits: &Limits) -> SyntaxError {
    let char_at = |offset: u32| text[offset as usize..].chars().next().unwrap_or(' ');
    let at = char_at(problem.range.start);
    let deep = |what, limit| SyntaxError::new(SyntaxErrorKind::TooDeep { what, limit }, problem.range);
    match problem.kind {
        ProblemKind::Unclosed => {
            SyntaxError::new(SyntaxErrorKind::UnclosedBracket { open: at }, problem.range)
        }
        ProblemKind::Mismatched { open } => {
            let kind = SyntaxErrorKind::MismatchedBracket { open: char_at(open), close: at };
            let opener = TextRange::new(open, open + 1);
            SyntaxError::new(kind, problem.range).with_related(opener, "opened here")
        }
        ProblemKind::Unopened => {
            SyntaxError::new(SyntaxErrorKind::UnmatchedBracket { close: at }, problem.range)
        }
        ProblemKind::UnterminatedString => {
            let start = problem.range.start as usize;
            let line = text[start..].find(['\n', '\r']).map_or(text.len(), |len| start + len);
            SyntaxError::new(SyntaxErrorKind::UnterminatedString, TextRange::new(start as u32, line as u32))
        }
        ProblemKind::DeepBrackets => deep(Nesting::Brackets, limits.brackets),
        ProblemKind::LongChain => deep(Nesting::Chain, limits.chain),
        ProblemKind::DeepBlocks => deep(Nesting::Blocks, limits.blocks),
        ProblemKind::LongInteger { digits } => {
            SyntaxError::new(SyntaxErrorKind::LongInteger { digits }, problem.range)
        }
        ProblemKind::LoneSurrogate => SyntaxError::new(SyntaxErrorKind::LoneSurrogate, problem.range)
            .with_help("write the character itself, or bytes"),
        ProblemKind::InvalidCharacter => {
            SyntaxError::new(SyntaxErrorKind::InvalidCharacter { found: at }, problem.range)
        }
    }
}
