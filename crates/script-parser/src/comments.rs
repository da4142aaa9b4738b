//! Attachment of comments to statements, and reading of span markers.
//!
//! A comment at the end of a statement's line belongs to that statement, and one on its own line to the statement below,
//! or at the end of a body to the statement above. A comment inside a statement, such as one between brackets or after
//! `else:`, goes to the next place above a statement.

use std::cmp::Reverse;

use tvmscript_ir_core::span::{CommentedStmt, MarkerReader, SourceComments};
use tvmscript_ir_core::{SourceId, Span};
use tvmscript_python_syntax::ast::{Ast, Stmt, StmtId, TextRange};
use tvmscript_python_syntax::prescan::Comment;

/// A marker is searched after this many `# @` of a comment at most.
const MAX_STARTS: usize = 16;

/// The comments of a text by statement, and the sources that its markers name.
#[derive(Debug, Default)]
pub struct Comments {
    /// The statements with their comments.
    pub by_stmt: SourceComments,
    /// The sources that markers name, each opened once, for the caller to release.
    pub sources: Vec<SourceId>,
}

/// A statement, or an `elif` with what follows it.
struct Block {
    range: TextRange,
    /// First byte of the first statement inside.
    body_start: Option<u32>,
    /// `true` for an `elif`.
    is_clause: bool,
    /// `true` for a parameter.
    is_param: bool,
}

impl Comments {
    /// Attaches comments to the statements of a tree. `is_kept` selects those that the printer does not write itself.
    pub fn attach(
        ast: &Ast,
        text: &str,
        source: SourceId,
        comments: &[Comment],
        is_kept: impl Fn(&str) -> bool,
    ) -> Comments {
        let body_of = |comment: &Comment| {
            let text = text.get(comment.range.to_usize())?.strip_prefix('#')?;
            Some(text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned())
        };
        if !comments.iter().filter_map(body_of).any(|body| is_kept(&body)) {
            return Comments::default();
        }
        let places = places(ast, text, comments);
        if places.is_empty() {
            return Comments::default();
        }
        let stmts = with_parents(&places);
        let reach = reach(text, &places, comments);
        let bodies = comments
            .iter()
            .zip(reach)
            .filter_map(|(comment, reaches)| Some((comment, body_of(comment)?, reaches)));
        let mut attacher = Attacher { text, stmts, places, reader: MarkerReader::default() };
        for (comment, body, reaches) in bodies.filter(|(_, body, _)| is_kept(body)) {
            attacher.attach(comment, body, reaches);
        }
        let Attacher { stmts, reader, .. } = attacher;
        Comments { by_stmt: SourceComments::new(source, stmts), sources: reader.into_sources() }
    }
}

/// First byte of a statement; of a decorated definition, of its first decorator.
fn start_of(ast: &Ast, text: &str, id: StmtId) -> u32 {
    let start = ast.range(id).start;
    let decorators = match ast.stmt(id) {
        Stmt::FunctionDef(def) => def.decorators,
        Stmt::ClassDef(def) => def.decorators,
        _ => return start,
    };
    let Some(first) = ast.list(decorators).first() else { return start };
    let before = text.get(..ast.range(*first).start as usize).unwrap_or_default();
    before.rfind('@').map_or(start, |at| start.min(at as u32))
}

/// All statements by start, outer before inner, and the parameters of functions that a marker follows.
fn places(ast: &Ast, text: &str, comments: &[Comment]) -> Vec<Block> {
    let mut places = Vec::new();
    let mut work: Vec<StmtId> = ast.module_body().to_vec();
    while let Some(id) = work.pop() {
        let outer = work.len();
        ast.inner_stmts(id, &mut work);
        let body_start = work.get(outer).map(|first| start_of(ast, text, *first));
        let range = TextRange::new(start_of(ast, text, id), ast.range(id).end);
        places.push(Block { range, body_start, is_clause: false, is_param: false });
        if let Stmt::FunctionDef(def) = ast.stmt(id) {
            let marked = ast.list(def.params).iter().map(|param| ast.range(param.place));
            let marked = marked.filter(|range| is_marked(text, comments, *range));
            places.extend(marked.map(|range| Block {
                range,
                body_start: None,
                is_clause: false,
                is_param: true,
            }));
        }
        if let Stmt::If(stmt) = ast.stmt(id) {
            for clause in ast.list(stmt.clauses).iter().skip(1) {
                let body_start = ast.list(clause.body).first().map(|first| start_of(ast, text, *first));
                let range = TextRange::new(ast.range(clause.place).start, ast.range(id).end);
                places.push(Block { range, body_start, is_clause: true, is_param: false });
            }
        }
    }
    places.sort_by_key(|place| (place.range.start, Reverse(place.range.end)));
    places
}

/// Returns `true` if a comment that may be a marker follows a parameter on its line.
fn is_marked(text: &str, comments: &[Comment], param: TextRange) -> bool {
    let next = comments.partition_point(|comment| comment.range.start < param.end);
    comments.get(next).is_some_and(|comment| {
        !comment.own_line
            && text.get(comment.range.to_usize()).is_some_and(|text| text.starts_with("# @"))
            && is_separator(text.get(param.end as usize..comment.range.start as usize))
    })
}

/// Returns `true` for what stands between a statement or parameter and the comment at the end of its line.
fn is_separator(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b';' | b',')))
}

fn with_parents(places: &[Block]) -> Vec<CommentedStmt> {
    let mut open: Vec<u32> = Vec::new();
    let mut stmts: Vec<CommentedStmt> = Vec::with_capacity(places.len());
    for place in places {
        let is_over =
            |at: &u32| places.get(*at as usize).is_none_or(|outer| outer.range.end <= place.range.start);
        while open.last().is_some_and(is_over) {
            open.pop();
        }
        let parent = open.last().copied();
        open.push(stmts.len() as u32);
        stmts.push(CommentedStmt::new(place.range.start, place.range.end, parent));
    }
    stmts
}

/// For each comment, whether only white space and comments are between it and the next statement.
fn reach(text: &str, places: &[Block], comments: &[Comment]) -> Vec<bool> {
    let is_space = |start: u32, end: u32| {
        text.get(start as usize..end as usize)
            .is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_whitespace()))
    };
    let mut reach = vec![false; comments.len()];
    let mut after: Option<(u32, bool)> = None;
    for (comment, reaches) in comments.iter().zip(&mut reach).rev() {
        let end = comment.range.end;
        let next = places.get(places.partition_point(|place| place.range.start < end));
        *reaches = match (next, after) {
            (None, _) => false,
            (Some(place), Some((start, reaches))) if start < place.range.start => {
                reaches && is_space(end, start)
            }
            (Some(place), _) => is_space(end, place.range.start),
        };
        after = Some((comment.range.start, *reaches));
    }
    reach
}

struct Attacher<'t> {
    text: &'t str,
    places: Vec<Block>,
    stmts: Vec<CommentedStmt>,
    reader: MarkerReader,
}

impl Attacher<'_> {
    /// `is_next`: only white space and comments are between the comment and the next statement.
    fn attach(&mut self, comment: &Comment, body: String, is_next: bool) {
        let range = comment.range;
        let next = self.places.partition_point(|place| place.range.start < range.start);
        let mut last = next.checked_sub(1);
        // Text after the parameters belongs to the function.
        while let Some(at) = last
            && self.places.get(at).is_some_and(|place| place.is_param)
            && !self.ends_line(at, range, is_next)
        {
            last = self.stmts.get(at).and_then(|stmt| stmt.parent).map(|parent| parent as usize);
        }
        if !comment.own_line
            && let Some(last) = last
            && self.ends_line(last, range, is_next)
        {
            let (rest, marker) = self.split_marker(&body);
            if let Some(stmt) = self.stmts.get_mut(last) {
                stmt.marker = marker.or(stmt.marker);
                stmt.trailing = rest.map(str::to_owned).or(stmt.trailing.take());
            }
            return;
        }
        let column = self.column(range.start);
        let above = match (last, self.places.get(next)) {
            (None, Some(_)) => Some(next),
            (_, Some(place))
                if is_next && (!comment.own_line || self.column(place.range.start) == column) =>
            {
                Some(next)
            }
            (Some(last), _) => {
                // The outermost statement above that is indented as far as the comment.
                let mut at = last;
                while let Some(parent) = self.stmts.get(at).and_then(|stmt| stmt.parent)
                    && self.stmts.get(at).is_some_and(|stmt| stmt.end_bytes <= range.start)
                    && (self.column(self.start(at)) > column
                        || self.places.get(at).is_some_and(|p| p.is_clause))
                {
                    at = parent as usize;
                }
                let is_over = self.stmts.get(at).is_some_and(|stmt| stmt.end_bytes <= range.start);
                if is_over && comment.own_line {
                    self.stmts.get_mut(at).into_iter().for_each(|stmt| stmt.below.push(body.clone()));
                    return;
                }
                let is_inside = self.stmts.get(last).is_some_and(|stmt| range.start < stmt.end_bytes);
                match is_inside && !is_next {
                    true => Some(last),
                    false if next < self.stmts.len() => Some(next),
                    false => Some(last),
                }
            }
            (None, None) => None,
        };
        if let Some(stmt) = above.and_then(|at| self.stmts.get_mut(at)) {
            stmt.above.push(body);
        }
    }

    fn start(&self, at: usize) -> u32 {
        self.stmts.get(at).map_or(0, |stmt| stmt.start_bytes)
    }

    /// Tests whether a comment follows a statement, or the head of one with a body, on its line.
    fn ends_line(&self, at: usize, comment: TextRange, is_next: bool) -> bool {
        let Some(place) = self.places.get(at) else { return false };
        match place.body_start {
            Some(body) if comment.start < body => {
                let before = self.text.get(place.range.start as usize..comment.start as usize);
                before.is_some_and(|text| is_next && text.trim_end().ends_with(':'))
            }
            Some(_) => false,
            None => is_separator(self.text.get(place.range.end as usize..comment.start as usize)),
        }
    }

    fn column(&self, offset: u32) -> usize {
        let before = self.text.get(..offset as usize).unwrap_or_default();
        before.len() - before.rfind('\n').map_or(0, |at| at + 1)
    }

    /// Splits a comment at the end of a line into the comment and the span that a marker states.
    fn split_marker<'b>(&mut self, body: &'b str) -> (Option<&'b str>, Option<Span>) {
        if body.starts_with('@')
            && let Some(span) = self.reader.read(body)
        {
            return (None, Some(span));
        }
        for (at, _) in body.match_indices("  # @").take(MAX_STARTS) {
            if let Some(span) = body.get(at + 4..).and_then(|marker| self.reader.read(marker)) {
                return (body.get(..at), Some(span));
            }
        }
        (Some(body), None)
    }
}
