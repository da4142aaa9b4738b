//! Conversion of docs to print elements, with an explicit stack.
//!
//! Each step pops a [`WorkItem`], writes its leading part and pushes the rest. Depth costs heap, never native stack,
//! and the output budget is checked between steps.

use crate::arena::DocArena;
use crate::element::{Element, Mark, OUT_OF_MEMORY, Sink};
use crate::error::PrintError;
use crate::expr::{CallId, ExprDoc, ExprList};
use crate::operation::BinaryOp;
use crate::stmt::{Doc, DocRef, FunctionId, Stmt, StmtDoc, StmtList};
use crate::sym::Sym;

use super::{PythonOptions, StringStyle};

/// A work item of the printer.
#[derive(Debug, Clone, Copy)]
pub(super) enum WorkItem {
    // Expressions.
    Expr(ExprDoc),
    Attr(Sym),
    Index(ExprList),
    Arguments(CallId),
    Keywords {
        call: CallId,
        next: u32,
    },
    Items {
        next: u32,
        end: u32,
        close: Close,
    },
    Entry {
        next: u32,
        end: u32,
    },
    Entries {
        next: u32,
        end: u32,
    },
    Operand {
        op: BinaryOp,
        right: ExprDoc,
        ends_group: bool,
    },
    Condition {
        condition: ExprDoc,
        else_value: ExprDoc,
        is_chained: bool,
    },
    Else {
        else_value: ExprDoc,
        is_chained: bool,
    },
    EndGroup,
    Body(ExprDoc),
    SliceStop {
        stop: Option<ExprDoc>,
        step: Option<ExprDoc>,
    },
    SliceStep(Option<ExprDoc>),
    CloseParen,
    CloseQuote,
    EndMark,
    // Statements.
    Annotation(ExprDoc),
    Value {
        rhs: ExprDoc,
        parenthesized: bool,
    },
    ScopeName(ExprDoc),
    ForIterable(ExprDoc),
    Message(ExprDoc),
    InlineComment(StmtDoc),
    Trailing(StmtDoc),
    Below(StmtDoc),
    Block {
        stmt: StmtDoc,
        body: StmtList,
    },
    ElseBlock(StmtList),
    Lines {
        next: u32,
        end: u32,
    },
    Sequence {
        next: u32,
        end: u32,
    },
    Decorators {
        next: u32,
        end: u32,
    },
    DecoratorEnd,
    FunctionHead {
        stmt: StmtDoc,
        function: FunctionId,
    },
    Parameters {
        stmt: StmtDoc,
        function: FunctionId,
    },
    /// With `is_split`, each parameter is on a line of its own.
    Parameter {
        next: u32,
        end: u32,
        is_split: bool,
    },
    ReturnType(ExprDoc),
    Definition {
        stmt: StmtDoc,
        body: StmtList,
    },
    ClassHead {
        stmt: StmtDoc,
        name: ExprDoc,
    },
    ClassBody(StmtDoc),
    Dedent,
    BareLine,
}

/// The closing token of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    Nothing,
    /// `)`
    Paren,
    /// `,)`, for a tuple of one element.
    Single,
    /// `,`, for a tuple of one element without parentheses.
    Comma,
    /// `]`
    Bracket,
}

const _: () = assert!(size_of::<WorkItem>() <= 16, "the work stack is as deep as the docs");

/// The state of one print.
pub(super) struct Printer<'a, S> {
    pub(super) docs: &'a DocArena,
    pub(super) sink: S,
    pub(super) strict: bool,
    pub(super) comparisons_nest: bool,
    pub(super) strings: StringStyle,
    pub(super) max_bytes: usize,
    pub(super) stack: Vec<WorkItem>,
    /// Scratch buffer for literals.
    pub(super) scratch: String,
    /// Number of enclosing string literals.
    pub(super) quotes: u32,
    /// Number of open brackets; a line may break at operators only inside one.
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
        comparisons_nest: options.comparisons_nest,
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

/// The error for a text of this length.
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
    fn step(&mut self, work: WorkItem) -> Result<(), PrintError> {
        match work {
            WorkItem::Expr(doc) => self.expr(doc),
            WorkItem::Attr(name) => self.attr_name(name),
            WorkItem::Index(indices) => self.index(indices),
            WorkItem::Arguments(call) => self.arguments(call),
            WorkItem::Keywords { call, next } => self.keywords(call, next),
            WorkItem::Items { next, end, close } => self.more_items(next, end, close),
            WorkItem::Entry { next, end } => self.entry_value(next, end),
            WorkItem::Entries { next, end } => self.more_entries(next, end),
            WorkItem::Operand { op, right, ends_group } => self.right_operand(op, right, ends_group),
            WorkItem::Condition { condition, else_value, is_chained } => {
                self.condition(condition, else_value, is_chained);
            }
            WorkItem::Else { else_value, is_chained } => self.else_value(else_value, is_chained),
            WorkItem::EndGroup => self.sink.put(Element::GroupEnd),
            WorkItem::Body(body) => {
                self.token(": ");
                self.expr(body);
            }
            WorkItem::SliceStop { stop, step } => self.slice_stop(stop, step),
            WorkItem::SliceStep(step) => self.slice_step(step),
            WorkItem::CloseParen => self.close(")"),
            WorkItem::CloseQuote => self.close_quote(),
            WorkItem::EndMark => self.sink.put(Element::MarkEnd),
            WorkItem::Annotation(annotation) => {
                self.token(": ");
                self.expr(annotation);
            }
            WorkItem::Value { rhs, parenthesized } => self.assigned_value(rhs, parenthesized),
            WorkItem::ScopeName(name) => {
                self.token(" as ");
                self.expr(name);
            }
            WorkItem::ForIterable(rhs) => {
                self.token(" in ");
                self.expr(rhs);
            }
            WorkItem::Message(message) => {
                self.token(", ");
                self.expr(message);
            }
            WorkItem::InlineComment(stmt) => self.inline_comment(stmt)?,
            WorkItem::Trailing(stmt) => self.trailing_comments(stmt),
            WorkItem::Below(stmt) => {
                if let Some(margin) = self.docs.margin(stmt) {
                    for line in &margin.below {
                        self.sink.put(Element::HardLine);
                        self.margin_line(line);
                    }
                }
            }
            WorkItem::Block { stmt, body } => self.block(Some(stmt), body),
            WorkItem::ElseBlock(body) => {
                self.sink.put(Element::HardLine);
                if let Some(stmt) = self.docs.chained(body) {
                    self.token("el");
                    self.stmt(stmt)?;
                } else {
                    self.token("else");
                    self.block(None, body);
                }
            }
            WorkItem::Lines { next, end } => self.lines(next, end)?,
            WorkItem::Sequence { next, end } => {
                self.sink.put(Element::HardLine);
                self.sequence(next, end)?;
            }
            WorkItem::Decorators { next, end } => self.decorators(next, end),
            WorkItem::DecoratorEnd => self.sink.put(Element::HardLine),
            WorkItem::FunctionHead { stmt, function } => self.function_head(stmt, function),
            WorkItem::Parameters { stmt, function } => self.parameters(stmt, function)?,
            WorkItem::Parameter { next, end, is_split } => self.more_parameters(next, end, is_split)?,
            WorkItem::ReturnType(doc) => {
                self.token(" -> ");
                self.expr(doc);
            }
            WorkItem::Definition { stmt, body } => self.definition(stmt, body),
            WorkItem::ClassHead { stmt, name } => {
                self.token("class ");
                self.stack.push(WorkItem::ClassBody(stmt));
                self.mark_head();
                self.expr(name);
            }
            WorkItem::ClassBody(stmt) => {
                if let Stmt::Class { body, .. } = self.docs.stmt(stmt) {
                    self.definition(stmt, body);
                }
            }
            WorkItem::Dedent => self.sink.put(Element::Dedent),
            WorkItem::BareLine => self.sink.put(Element::BareLine),
        }
        Ok(())
    }

    /// Writes fixed text without characters that a string literal escapes.
    #[inline]
    pub(super) fn token(&mut self, text: &'static str) {
        self.sink.put(Element::Text(text));
    }

    /// Returns `true` if lines may break here.
    #[inline]
    fn may_break(&self) -> bool {
        S::BREAKS && self.quotes == 0
    }

    /// Writes a separator with a possible line break after it.
    #[inline]
    pub(super) fn comma(&mut self) {
        if self.may_break() {
            self.token(",");
            self.sink.put(Element::SoftLine(" "));
        } else {
            self.token(", ");
        }
    }

    /// Writes an opening bracket; [`Printer::close`] writes the matching one.
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

    /// Writes a closing bracket.
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

    /// Returns `true` if a line may break between operands here, which Python allows only inside brackets.
    #[inline]
    pub(super) fn may_break_operators(&self) -> bool {
        self.may_break() && self.brackets > 0
    }

    /// Starts the mark of a doc with a path, and pushes its end on the stack.
    #[inline]
    pub(super) fn mark(&mut self, doc: impl Into<DocRef>) {
        if S::MARKS {
            let doc = doc.into();
            // Statements are always marked, for comments on their descendants.
            if matches!(doc, DocRef::Stmt(_)) || self.docs.paths_of(doc).next().is_some() {
                self.sink.put(Element::MarkBegin(Mark::Doc(doc)));
                self.stack.push(WorkItem::EndMark);
            }
        }
    }

    /// Starts the head of a marked statement, and pushes its end on the stack, above the work items of what follows the
    /// head.
    #[inline]
    pub(super) fn mark_head(&mut self) {
        if S::MARKS {
            self.sink.put(Element::MarkBegin(Mark::Head));
            self.stack.push(WorkItem::EndMark);
        }
    }
}
