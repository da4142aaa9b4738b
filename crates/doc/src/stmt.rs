//! Statement docs.
//!
//! A [`StmtDoc`] is an index; its [`Stmt`] is read with [`DocArena::stmt`](crate::DocArena::stmt). Besides its syntax a
//! statement carries a comment and a [`StmtRole`].

use std::num::NonZeroU32;

use crate::expr::{ExprDoc, ExprList, SliceDoc};

/// A statement doc of one arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StmtDoc(pub(crate) NonZeroU32);

/// A list of statement docs; read it with [`DocArena::stmts`](crate::DocArena::stmts). It is a single index, which
/// keeps [`Doc`] small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StmtList(pub(crate) u32);

impl StmtList {
    /// Returns `true` if the list is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The result of printing a node: an expression, a slice, a statement, or several statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doc {
    /// An expression.
    Expr(ExprDoc),
    /// A slice, valid in an index only.
    Slice(SliceDoc),
    /// One statement.
    Stmt(StmtDoc),
    /// Several statements in order.
    Block(StmtList),
}

impl From<ExprDoc> for Doc {
    fn from(doc: ExprDoc) -> Self {
        Self::Expr(doc)
    }
}

impl From<SliceDoc> for Doc {
    fn from(doc: SliceDoc) -> Self {
        Self::Slice(doc)
    }
}

impl From<StmtDoc> for Doc {
    fn from(doc: StmtDoc) -> Self {
        Self::Stmt(doc)
    }
}

impl From<StmtList> for Doc {
    fn from(docs: StmtList) -> Self {
        Self::Block(docs)
    }
}

/// A doc that can carry access paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocRef {
    /// An expression or a slice.
    Expr(ExprDoc),
    /// A statement.
    Stmt(StmtDoc),
}

impl From<ExprDoc> for DocRef {
    fn from(doc: ExprDoc) -> Self {
        Self::Expr(doc)
    }
}

impl From<SliceDoc> for DocRef {
    fn from(doc: SliceDoc) -> Self {
        Self::Expr(doc.0)
    }
}

impl From<StmtDoc> for DocRef {
    fn from(doc: StmtDoc) -> Self {
        Self::Stmt(doc)
    }
}

/// The effect of a statement, independent of its syntax: two statements that print alike may build differently.
///
/// The Python printer ignores it; targets that print builder code use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum StmtRole {
    /// No effect beyond the syntax.
    #[default]
    Plain,
    /// Defines a name without computing a value (`n = Toy.input()`).
    DefineName,
    /// Binds a computed value to a name.
    BindValue,
    /// Writes to memory (`A[i] = x`).
    Store,
    /// Calls a function for its effect.
    Effect,
    /// Opens a scope that extends to the end of the enclosing block.
    OpenScope,
    /// Declares a parameter of the enclosing function.
    DeclareParam,
}

impl StmtRole {
    /// The role's name in debug output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::DefineName => "define_name",
            Self::BindValue => "bind_value",
            Self::Store => "store",
            Self::Effect => "effect",
            Self::OpenScope => "open_scope",
            Self::DeclareParam => "declare_param",
        }
    }
}

/// A function definition; read it with [`DocArena::function_of`](crate::DocArena::function_of).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionId(pub(crate) u32);

/// The components of a function definition. Its comment prints as a docstring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// The name, an [`Expr::Id`](crate::Expr::Id).
    pub name: ExprDoc,
    /// Parameters, each an assignment without comment: name, annotation, default value.
    pub args: StmtList,
    /// Decorators from top to bottom, without the `@`.
    pub decorators: ExprList,
    /// The return annotation.
    pub return_type: Option<ExprDoc>,
    /// The body; if empty, prints `pass`.
    pub body: StmtList,
}

/// A statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stmt {
    /// `lhs: annotation = rhs`, with at least one of annotation and value. Only names are annotated.
    Assign {
        /// The target; a tuple prints without parentheses.
        lhs: ExprDoc,
        /// The value; a tuple of two or more prints without parentheses.
        rhs: Option<ExprDoc>,
        /// The annotation.
        annotation: Option<ExprDoc>,
    },
    /// `if predicate:` and `else:`, with at least one statement.
    If {
        /// The condition.
        predicate: ExprDoc,
        /// The branch if true; if empty, prints `pass`.
        then_branch: StmtList,
        /// The branch if false; if empty, prints no `else`.
        else_branch: StmtList,
    },
    /// `while predicate:`
    While {
        /// The condition.
        predicate: ExprDoc,
        /// The body.
        body: StmtList,
    },
    /// `for lhs in rhs:`
    For {
        /// The loop variable, or a tuple of them.
        lhs: ExprDoc,
        /// The iterable.
        rhs: ExprDoc,
        /// The body.
        body: StmtList,
    },
    /// `with rhs as lhs:`
    Scope {
        /// The target of `as`.
        lhs: Option<ExprDoc>,
        /// The context manager.
        rhs: ExprDoc,
        /// The body; an empty one prints `pass`.
        body: StmtList,
    },
    /// An expression statement.
    ExprStmt(ExprDoc),
    /// `assert test, message`
    Assert {
        /// The condition.
        test: ExprDoc,
        /// The message.
        message: Option<ExprDoc>,
    },
    /// `return value`
    Return(ExprDoc),
    /// A function definition; see [`Function`].
    Function(FunctionId),
    /// `class name:`; its comment prints as a docstring.
    Class {
        /// The name, an [`Expr::Id`](crate::Expr::Id).
        name: ExprDoc,
        /// Decorators from top to bottom, without the `@`.
        decorators: ExprList,
        /// The body; if empty, prints `pass`.
        body: StmtList,
    },
    /// A comment on its own lines; the text is the statement's comment. An empty text is a blank line.
    Comment,
    /// A docstring; the text is the statement's comment. An empty text prints nothing.
    DocString,
    /// `break`
    Break,
    /// `continue`
    Continue,
}

impl Stmt {
    /// The kind's name in errors and debug output.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Assign { .. } => "assign",
            Self::If { .. } => "if",
            Self::While { .. } => "while",
            Self::For { .. } => "for",
            Self::Scope { .. } => "scope",
            Self::ExprStmt(_) => "expr_stmt",
            Self::Assert { .. } => "assert",
            Self::Return(_) => "return",
            Self::Function(_) => "function",
            Self::Class { .. } => "class",
            Self::Comment => "comment",
            Self::DocString => "docstring",
            Self::Break => "break",
            Self::Continue => "continue",
        }
    }
}
