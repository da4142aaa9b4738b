//! Printing statements: lines, blocks, definitions, comments.

use crate::element::{Element, Mark, Sink};
use crate::error::PrintError;
use crate::expr::{Expr, ExprDoc};
use crate::stmt::{FunctionId, Stmt, StmtDoc, StmtList};

use super::printer::{Close, Printer, WorkItem};

impl<S: Sink> Printer<'_, S> {
    /// Prints the leading part of a statement and pushes the rest on the stack.
    pub(super) fn stmt(&mut self, doc: StmtDoc) -> Result<(), PrintError> {
        let stmt = self.docs.stmt(doc);
        if self.docs.margin(doc).is_some() {
            self.margin(doc, &stmt);
        }
        self.mark(doc);
        match stmt {
            Stmt::Assign { lhs, rhs, annotation } => {
                self.push_inline_comment(doc);
                self.assignment(lhs, rhs, annotation, false);
            }
            Stmt::If { predicate, then_branch, else_branch } => {
                self.comment_before(doc);
                if !else_branch.is_empty() {
                    self.stack.push(WorkItem::ElseBlock(else_branch));
                }
                self.stack.push(WorkItem::Block { stmt: doc, body: then_branch });
                self.mark_head();
                self.token("if ");
                self.expr(predicate);
            }
            Stmt::While { predicate, body } => {
                self.comment_before(doc);
                self.stack.push(WorkItem::Block { stmt: doc, body });
                self.mark_head();
                self.token("while ");
                self.expr(predicate);
            }
            Stmt::For { lhs, rhs, body } => {
                self.comment_before(doc);
                self.stack.push(WorkItem::Block { stmt: doc, body });
                self.mark_head();
                self.token("for ");
                self.stack.push(WorkItem::ForIterable(rhs));
                self.bare_tuple(lhs, true);
            }
            Stmt::Scope { lhs, rhs, body } => self.scope(doc, lhs, rhs, body),
            Stmt::ExprStmt(expr) => {
                self.push_inline_comment(doc);
                self.expr(expr);
            }
            Stmt::Assert { test, message } => {
                self.push_inline_comment(doc);
                self.token("assert ");
                if let Some(message) = message {
                    self.stack.push(WorkItem::Message(message));
                }
                self.expr(test);
            }
            Stmt::Return(value) => {
                self.push_inline_comment(doc);
                self.token("return ");
                self.expr(value);
            }
            Stmt::Function(function) => {
                let decorators = self.docs.function_of(function).decorators;
                self.stack.push(WorkItem::FunctionHead { stmt: doc, function });
                self.decorators(decorators.start, decorators.start + decorators.len);
            }
            Stmt::Class { name, decorators, body: _ } => {
                self.stack.push(WorkItem::ClassHead { stmt: doc, name });
                self.decorators(decorators.start, decorators.start + decorators.len);
            }
            Stmt::Comment => {
                if let Some(text) = self.docs.comment_of(doc) {
                    self.comment_lines(text);
                }
            }
            Stmt::DocString => {
                if let Some(text) = self.docs.comment_of(doc).filter(|text| !text.is_empty()) {
                    self.docstring(text);
                }
            }
            Stmt::Break => {
                self.token("break");
                self.push_inline_comment(doc);
            }
            Stmt::Continue => {
                self.token("continue");
                self.push_inline_comment(doc);
            }
        }
        Ok(())
    }

    /// Prints statements, the first one on the current line.
    pub(super) fn sequence(&mut self, next: u32, end: u32) -> Result<(), PrintError> {
        if next == end {
            return Ok(());
        }
        if next + 1 < end {
            self.stack.push(WorkItem::Sequence { next: next + 1, end });
        }
        self.stmt(self.docs.stmt_item(next))
    }

    /// Prints the colon and the indented body of a block.
    pub(super) fn block(&mut self, stmt: Option<StmtDoc>, body: StmtList) {
        self.token(":");
        if let Some(stmt) = stmt {
            self.trailing_comments(stmt);
        }
        self.indented(body);
    }

    fn indented(&mut self, body: StmtList) {
        self.sink.put(Element::Indent);
        self.stack.push(WorkItem::Dedent);
        if body.is_empty() {
            self.sink.put(Element::HardLine);
            self.token("pass");
        } else {
            let (next, end) = self.docs.stmt_run(body);
            self.stack.push(WorkItem::Lines { next, end });
        }
    }

    /// Prints statements, each on a new line.
    #[inline]
    pub(super) fn lines(&mut self, next: u32, end: u32) -> Result<(), PrintError> {
        self.sink.put(Element::HardLine);
        if next + 1 < end {
            self.stack.push(WorkItem::Lines { next: next + 1, end });
        }
        self.stmt(self.docs.stmt_item(next))
    }

    fn scope(&mut self, doc: StmtDoc, lhs: Option<ExprDoc>, rhs: ExprDoc, body: StmtList) {
        self.comment_before(doc);
        self.stack.push(WorkItem::Block { stmt: doc, body });
        self.mark_head();
        self.token("with ");
        if let Some(lhs) = lhs {
            self.stack.push(WorkItem::ScopeName(lhs));
        } else if self.strict && matches!(self.docs.expr(rhs), Expr::Tuple(_)) {
            // `with (a, b):` enters `a` and `b`.
            self.open("(");
            self.stack.push(WorkItem::CloseParen);
        }
        self.expr(rhs);
    }

    // --- assignments -----------------------------------------------------------------------------------------

    #[inline]
    fn assignment(
        &mut self,
        lhs: ExprDoc,
        rhs: Option<ExprDoc>,
        annotation: Option<ExprDoc>,
        is_parameter: bool,
    ) {
        if let Some(rhs) = rhs {
            self.stack.push(WorkItem::Value { rhs, parenthesized: is_parameter && self.strict });
        }
        if let Some(annotation) = annotation {
            self.stack.push(WorkItem::Annotation(annotation));
        }
        self.bare_tuple(lhs, false);
    }

    /// Prints an expression, a tuple without parentheses. `comma` keeps the comma of a tuple of one element.
    #[inline]
    fn bare_tuple(&mut self, doc: ExprDoc, comma: bool) {
        match self.docs.expr(doc) {
            Expr::Tuple(elements) if !(self.strict && elements.is_empty()) => {
                let close = if comma && elements.len == 1 { Close::Comma } else { Close::Nothing };
                self.run(elements.start, elements.start + elements.len, close);
            }
            _ => self.expr(doc),
        }
    }

    #[inline]
    pub(super) fn assigned_value(&mut self, rhs: ExprDoc, parenthesized: bool) {
        self.token(" = ");
        match self.docs.expr(rhs) {
            Expr::Tuple(elements) if elements.len > 1 && !parenthesized => {
                self.run(elements.start, elements.start + elements.len, Close::Nothing);
            }
            _ => self.expr(rhs),
        }
    }

    // --- definitions -----------------------------------------------------------------------------------------

    pub(super) fn decorators(&mut self, next: u32, end: u32) {
        if next == end {
            return;
        }
        self.stack.push(WorkItem::Decorators { next: next + 1, end });
        self.stack.push(WorkItem::DecoratorEnd);
        self.token("@");
        self.expr(self.docs.item(next));
    }

    pub(super) fn function_head(&mut self, stmt: StmtDoc, function: FunctionId) {
        self.token("def ");
        self.stack.push(WorkItem::Parameters { stmt, function });
        self.mark_head();
        self.expr(self.docs.function_of(function).name);
    }

    pub(super) fn parameters(&mut self, stmt: StmtDoc, function: FunctionId) -> Result<(), PrintError> {
        let parts = *self.docs.function_of(function);
        self.stack.push(WorkItem::BareLine);
        self.stack.push(WorkItem::Definition { stmt, body: parts.body });
        if let Some(return_type) = parts.return_type {
            self.stack.push(WorkItem::ReturnType(return_type));
        }
        if parts.args.is_empty() {
            self.token("()");
            return Ok(());
        }
        let (next, end) = self.docs.stmt_run(parts.args);
        let is_split = (next..end).any(|at| self.docs.margin(self.docs.stmt_item(at)).is_some());
        if is_split {
            self.token("(");
            self.sink.put(Element::Indent);
            self.sink.put(Element::HardLine);
        } else {
            self.open("(");
        }
        self.parameter(next, end, is_split)
    }

    /// Prints the parameters from `next` on and closes the list.
    fn parameter(&mut self, next: u32, end: u32, is_split: bool) -> Result<(), PrintError> {
        if next == end && is_split {
            self.sink.put(Element::Dedent);
            self.sink.put(Element::HardLine);
            self.token(")");
            return Ok(());
        }
        if next == end {
            self.close(")");
            return Ok(());
        }
        let doc = self.docs.stmt_item(next);
        if self.docs.comment_sym(doc).is_some() {
            return Err(PrintError::CommentOnParameter);
        }
        self.stack.push(WorkItem::Parameter { next: next + 1, end, is_split });
        self.mark(doc);
        if let Stmt::Assign { lhs, rhs, annotation } = self.docs.stmt(doc) {
            self.assignment(lhs, rhs, annotation, true);
        }
        Ok(())
    }

    /// Continues the parameters after one.
    pub(super) fn more_parameters(&mut self, next: u32, end: u32, is_split: bool) -> Result<(), PrintError> {
        if !is_split {
            if next < end {
                self.comma();
            }
            return self.parameter(next, end, is_split);
        }
        if next < end {
            self.token(",");
        }
        self.trailing_comments(self.docs.stmt_item(next - 1));
        if next < end {
            self.sink.put(Element::HardLine);
        }
        self.parameter(next, end, is_split)
    }

    /// Prints the colon, the docstring and the body of a function or class.
    pub(super) fn definition(&mut self, stmt: StmtDoc, body: StmtList) {
        self.token(":");
        self.trailing_comments(stmt);
        if let Some(comment) = self.docs.comment_of(stmt) {
            self.sink.put(Element::Indent);
            self.sink.put(Element::HardLine);
            self.docstring(comment);
            self.sink.put(Element::Dedent);
        }
        self.indented(body);
    }

    // --- comments --------------------------------------------------------------------------------------------

    /// Prints the comments above a statement, and pushes those after it.
    #[cold]
    fn margin(&mut self, doc: StmtDoc, stmt: &Stmt) {
        let Some(margin) = self.docs.margin(doc) else { return };
        for line in &margin.above {
            self.margin_line(line);
            self.sink.put(Element::HardLine);
        }
        if !margin.below.is_empty() {
            self.stack.push(WorkItem::Below(doc));
        }
        let has_body = matches!(
            stmt,
            Stmt::If { .. }
                | Stmt::While { .. }
                | Stmt::For { .. }
                | Stmt::Scope { .. }
                | Stmt::Function(_)
                | Stmt::Class { .. }
        );
        if !margin.trailing.is_empty() && !has_body {
            self.stack.push(WorkItem::Trailing(doc));
        }
    }

    /// Prints a line of a margin; a line break in it starts another comment.
    pub(super) fn margin_line(&mut self, text: &str) {
        self.begin_comment();
        for (at, line) in text.split(['\n', '\r']).enumerate() {
            if at > 0 {
                self.sink.put(Element::HardLine);
            }
            self.token(if line.is_empty() { "#" } else { "# " });
            self.sink.put(Element::Text(line));
        }
        self.end_comment();
    }

    /// Prints the comments at the end of a statement's line; line breaks in them become spaces.
    pub(super) fn trailing_comments(&mut self, doc: StmtDoc) {
        let Some(margin) = self.docs.margin(doc) else { return };
        for text in &margin.trailing {
            self.begin_comment();
            self.token(if text.is_empty() { "  #" } else { "  # " });
            for (at, part) in text.split(['\n', '\r']).enumerate() {
                if at > 0 {
                    self.token(" ");
                }
                self.sink.put(Element::Text(part));
            }
            self.end_comment();
        }
    }

    #[inline]
    fn push_inline_comment(&mut self, doc: StmtDoc) {
        if self.docs.comment_sym(doc).is_some() {
            self.stack.push(WorkItem::InlineComment(doc));
        }
    }

    pub(super) fn inline_comment(&mut self, doc: StmtDoc) -> Result<(), PrintError> {
        let Some(text) = self.docs.comment_of(doc) else { return Ok(()) };
        // Python also ends a line at a carriage return.
        if text.contains('\n') || self.strict && text.contains('\r') {
            return Err(PrintError::CommentHasNewline { stmt: self.docs.stmt(doc).name() });
        }
        self.begin_comment();
        self.token("  # ");
        self.sink.put(Element::Text(text));
        self.end_comment();
        Ok(())
    }

    /// Prints the comment of a statement above it.
    fn comment_before(&mut self, doc: StmtDoc) {
        if let Some(text) = self.docs.comment_of(doc) {
            self.comment_lines(text);
            self.sink.put(Element::HardLine);
        }
    }

    fn comment_lines(&mut self, text: &str) {
        self.begin_comment();
        for (at, line) in self.split_lines(text).enumerate() {
            if at > 0 {
                self.sink.put(Element::HardLine);
            }
            self.token("# ");
            self.sink.put(Element::Text(line));
        }
        self.end_comment();
    }

    fn docstring(&mut self, text: &str) {
        self.begin_comment();
        self.token("\"\"\"");
        for line in self.split_lines(text) {
            if line.is_empty() {
                self.sink.put(Element::BareLine);
                continue;
            }
            self.sink.put(Element::HardLine);
            if self.strict && (line.contains('\\') || line.contains("\"\"\"")) {
                let line = line.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
                self.sink.put(Element::Text(&line));
            } else {
                self.sink.put(Element::Text(line));
            }
        }
        self.sink.put(Element::HardLine);
        self.token("\"\"\"");
        self.end_comment();
    }

    /// The lines of a comment. As upstream splits them, an empty text has none, and a trailing newline starts none.
    fn split_lines<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> + use<'t, S> {
        let has_lines = !text.is_empty();
        let strict = self.strict;
        let lines = text.strip_suffix('\n').unwrap_or(text).split('\n').filter(move |_| has_lines);
        // Python also ends a line at a carriage return; one before a newline is redundant.
        lines.flat_map(move |line| {
            let line = if strict { line.strip_suffix('\r').unwrap_or(line) } else { line };
            line.split(move |c| strict && c == '\r')
        })
    }

    fn begin_comment(&mut self) {
        if S::MARKS || S::BREAKS {
            self.sink.put(Element::MarkBegin(Mark::Comment));
        }
    }

    fn end_comment(&mut self) {
        if S::MARKS || S::BREAKS {
            self.sink.put(Element::MarkEnd);
        }
    }
}
