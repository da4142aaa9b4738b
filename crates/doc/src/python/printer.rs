//! From docs to print elements, on a stack of its own.
//!
//! Each step takes one [`Work`] item, writes what comes first and pushes what comes after. So depth costs heap, never the
//! native stack, and the output budget is checked between any two steps.

use crate::arena::DocArena;
use crate::element::{Element, Mark, OUT_OF_MEMORY, Sink};
use crate::error::PrintError;
use crate::expr::{CallId, ExprDoc, ExprList};
use crate::operation::BinaryOp;
use crate::stmt::{Doc, DocRef, FunctionId, Stmt, StmtDoc, StmtList};
use crate::sym::Sym;

use super::{PythonOptions, StringStyle};

/// What is still to be printed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Work {
    // Expressions.
    Expr(ExprDoc),
    Attr(Sym),
    Index(ExprList),
    Arguments(CallId),
    Keywords { call: CallId, next: u32 },
    Items { next: u32, end: u32, close: Close },
    Entry { next: u32, end: u32 },
    Entries { next: u32, end: u32 },
    Operand { op: BinaryOp, right: ExprDoc, ends_group: bool },
    Condition { condition: ExprDoc, else_value: ExprDoc, is_chained: bool },
    Else { else_value: ExprDoc, is_chained: bool },
    EndGroup,
    Body(ExprDoc),
    SliceStop { stop: Option<ExprDoc>, step: Option<ExprDoc> },
    SliceStep(Option<ExprDoc>),
    CloseParen,
    CloseQuote,
    EndMark,
    // Statements.
    Annotation(ExprDoc),
    Value { rhs: ExprDoc, parenthesized: bool },
    ScopeName(ExprDoc),
    ForIterable(ExprDoc),
    Message(ExprDoc),
    InlineComment(StmtDoc),
    Block(StmtList),
    ElseBlock(StmtList),
    Lines { next: u32, end: u32 },
    Sequence { next: u32, end: u32 },
    Decorators { next: u32, end: u32 },
    DecoratorEnd,
    FunctionHead { stmt: StmtDoc, function: FunctionId },
    Parameters { stmt: StmtDoc, function: FunctionId },
    Parameter { next: u32, end: u32 },
    ReturnType(ExprDoc),
    Definition { stmt: StmtDoc, body: StmtList },
    ClassHead { stmt: StmtDoc, name: ExprDoc },
    ClassBody(StmtDoc),
    Dedent,
    BareLine,
}

/// What closes a run of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    Nothing,
    /// `)`
    Paren,
    /// `,)`: a tuple of one.
    Single,
    /// `,`: a tuple of one without parentheses.
    Comma,
    /// `]`
    Bracket,
}

const _: () = assert!(size_of::<Work>() <= 16, "the work stack is as deep as the docs");

/// The state of one print.
pub(super) struct Printer<'a, S> {
    pub(super) docs: &'a DocArena,
    pub(super) sink: S,
    pub(super) strict: bool,
    pub(super) strings: StringStyle,
    pub(super) max_bytes: usize,
    pub(super) stack: Vec<Work>,
    /// Room to spell literals in.
    pub(super) scratch: String,
    /// Open string literals with an expression inside.
    pub(super) quotes: u32,
    /// Open brackets; only inside one may a line break at an operator.
    pub(super) brackets: u32,
}

/// Prints `doc` into `sink`.
pub(super) fn run<S: Sink>(
    docs: &DocArena,
    doc: Doc,
    options: &PythonOptions,
    sink: S,
) -> Result<S, PrintError> {
    docs.check()?;
    let mut printer = Printer {
        docs,
        sink,
        strict: options.strict,
        strings: options.strings,
        max_bytes: options.max_bytes,
        stack: Vec::new(),
        scratch: String::new(),
        quotes: 0,
        brackets: 0,
    };
    match doc {
        Doc::Expr(doc) => printer.expr(doc),
        Doc::Slice(doc) => printer.expr(doc.0),
        Doc::Stmt(stmt) => printer.stmt(stmt)?,
        Doc::Block(stmts) => {
            let (next, end) = docs.stmt_run(stmts);
            printer.sequence(next, end)?
        }
    }
    while let Some(work) = printer.stack.pop() {
        printer.check_budget()?;
        printer.step(work)?;
    }
    printer.check_budget()?;
    Ok(printer.sink)
}

/// Why a text of this length is not printed.
#[cold]
pub(super) fn too_long(len: usize, max_bytes: usize) -> PrintError {
    if len == OUT_OF_MEMORY { PrintError::OutOfMemory } else { PrintError::OutputBudget { max_bytes } }
}

impl<S: Sink> Printer<'_, S> {
    #[inline]
    fn check_budget(&self) -> Result<(), PrintError> {
        let len = self.sink.byte_len();
        if len > self.max_bytes { Err(too_long(len, self.max_bytes)) } else { Ok(()) }
    }

    #[inline]
    fn step(&mut self, work: Work) -> Result<(), PrintError> {
        match work {
            Work::Expr(doc) => self.expr(doc),
            Work::Attr(name) => self.attr_name(name),
            Work::Index(indices) => self.index(indices),
            Work::Arguments(call) => self.arguments(call),
            Work::Keywords { call, next } => self.keywords(call, next),
            Work::Items { next, end, close } => self.more_items(next, end, close),
            Work::Entry { next, end } => self.entry_value(next, end),
            Work::Entries { next, end } => self.more_entries(next, end),
            Work::Operand { op, right, ends_group } => self.right_operand(op, right, ends_group),
            Work::Condition { condition, else_value, is_chained } => {
                self.condition(condition, else_value, is_chained);
            }
            Work::Else { else_value, is_chained } => self.else_value(else_value, is_chained),
            Work::EndGroup => self.sink.put(Element::GroupEnd),
            Work::Body(body) => {
                self.token(": ");
                self.expr(body);
            }
            Work::SliceStop { stop, step } => self.slice_stop(stop, step),
            Work::SliceStep(step) => self.slice_step(step),
            Work::CloseParen => self.close(")"),
            Work::CloseQuote => self.close_quote(),
            Work::EndMark => self.sink.put(Element::MarkEnd),
            Work::Annotation(annotation) => {
                self.token(": ");
                self.expr(annotation);
            }
            Work::Value { rhs, parenthesized } => self.assigned_value(rhs, parenthesized),
            Work::ScopeName(name) => {
                self.token(" as ");
                self.expr(name);
            }
            Work::ForIterable(rhs) => {
                self.token(" in ");
                self.expr(rhs);
            }
            Work::Message(message) => {
                self.token(", ");
                self.expr(message);
            }
            Work::InlineComment(stmt) => self.inline_comment(stmt)?,
            Work::Block(body) => self.block(body),
            Work::ElseBlock(body) => {
                self.sink.put(Element::HardLine);
                if let Some(stmt) = self.docs.chained(body) {
                    self.token("el");
                    self.stmt(stmt)?;
                } else {
                    self.token("else");
                    self.block(body);
                }
            }
            Work::Lines { next, end } => self.lines(next, end)?,
            Work::Sequence { next, end } => {
                self.sink.put(Element::HardLine);
                self.sequence(next, end)?;
            }
            Work::Decorators { next, end } => self.decorators(next, end),
            Work::DecoratorEnd => self.sink.put(Element::HardLine),
            Work::FunctionHead { stmt, function } => self.function_head(stmt, function),
            Work::Parameters { stmt, function } => self.parameters(stmt, function)?,
            Work::Parameter { next, end } => self.more_parameters(next, end)?,
            Work::ReturnType(doc) => {
                self.token(" -> ");
                self.expr(doc);
            }
            Work::Definition { stmt, body } => self.definition(stmt, body),
            Work::ClassHead { stmt, name } => {
                self.token("class ");
                self.stack.push(Work::ClassBody(stmt));
                self.mark_head();
                self.expr(name);
            }
            Work::ClassBody(stmt) => {
                if let Stmt::Class { body, .. } = self.docs.stmt(stmt) {
                    self.definition(stmt, body);
                }
            }
            Work::Dedent => self.sink.put(Element::Dedent),
            Work::BareLine => self.sink.put(Element::BareLine),
        }
        Ok(())
    }

    /// Writes fixed text that holds nothing a string literal would escape.
    #[inline]
    pub(super) fn token(&mut self, text: &'static str) {
        self.sink.put(Element::Text(text));
    }

    /// Whether lines may break here.
    #[inline]
    fn may_break(&self) -> bool {
        S::BREAKS && self.quotes == 0
    }

    /// Writes a separator and allows the line to break in place of its space.
    #[inline]
    pub(super) fn comma(&mut self) {
        if self.may_break() {
            self.token(",");
            self.sink.put(Element::SoftLine(" "));
        } else {
            self.token(", ");
        }
    }

    /// Opens a bracket that the matching [`Printer::close`] closes.
    #[inline]
    pub(super) fn open(&mut self, bracket: &'static str) {
        if self.may_break() {
            self.brackets += 1;
            self.sink.put(Element::GroupBegin);
            self.token(bracket);
            self.sink.put(Element::Indent);
            self.sink.put(Element::SoftLine(""));
        } else {
            self.token(bracket);
        }
    }

    /// Closes a bracket.
    #[inline]
    pub(super) fn close(&mut self, bracket: &'static str) {
        if self.may_break() {
            self.brackets -= 1;
            self.sink.put(Element::Dedent);
            self.sink.put(Element::SoftLine(""));
            self.token(bracket);
            self.sink.put(Element::GroupEnd);
        } else {
            self.token(bracket);
        }
    }

    /// Whether a line may break between operands here: only brackets keep Python from ending the statement.
    #[inline]
    pub(super) fn may_break_operators(&self) -> bool {
        self.may_break() && self.brackets > 0
    }

    /// Begins the mark of a doc that has a path and leaves its end on the stack.
    #[inline]
    pub(super) fn mark(&mut self, doc: impl Into<DocRef>) {
        if S::MARKS {
            let doc = doc.into();
            // Statements are marked in any case, for comments on what is inside them.
            if matches!(doc, DocRef::Stmt(_)) || self.docs.paths_of(doc).next().is_some() {
                self.sink.put(Element::MarkBegin(Mark::Doc(doc)));
                self.stack.push(Work::EndMark);
            }
        }
    }

    /// Begins the head of a marked statement and leaves its end on the stack; what the head is followed by stands there
    /// already.
    #[inline]
    pub(super) fn mark_head(&mut self) {
        if S::MARKS {
            self.sink.put(Element::MarkBegin(Mark::Head));
            self.stack.push(Work::EndMark);
        }
    }
}
