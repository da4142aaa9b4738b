//! Statement docs.
//!
//! A [`StmtDoc`] is a number; what it stands for is a [`Stmt`], read with [`DocArena::stmt`](crate::DocArena::stmt).
//! Beside its syntax a statement carries a comment and a [`StmtRole`].

use std::num::NonZeroU32;

use crate::expr::{ExprDoc, ExprList, SliceDoc};

/// A statement doc of one arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StmtDoc(pub(crate) NonZeroU32);

/// A run of statement docs; read it with [`DocArena::stmts`](crate::DocArena::stmts). A number, as every doc is, so that a
/// [`Doc`] is two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StmtList(pub(crate) u32);

impl StmtList {
    /// Whether the run holds no doc.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// What a printer of one node gives back: an expression, a slice, a statement, or several statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doc {
    /// An expression.
    Expr(ExprDoc),
    /// A slice, to be used in an index.
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

/// What a statement does, whatever it looks like: two statements that print alike may build differently.
///
/// The Python printer does not read it; targets that print builder code do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum StmtRole {
    /// Nothing beyond its syntax.
    #[default]
    Plain,
    /// Brings a name into being without computing a value (`n = T.int32()`).
    DefineName,
    /// Binds a computed value to a name.
    BindValue,
    /// Writes into memory (`A[i] = x`).
    Store,
    /// Calls something for its effect.
    Effect,
    /// Opens a scope that lasts to the end of the enclosing block.
    OpenScope,
    /// Declares a parameter of the enclosing function.
    DeclareParam,
}

impl StmtRole {
    /// The name of the role, as debug output shows it.
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

/// The parts of a function definition. Its comment prints as a docstring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// The name, an `Id` doc.
    pub name: ExprDoc,
    /// Parameters, each an assignment without comment: name, annotation, default value.
    pub args: StmtList,
    /// Decorators from top to bottom, without the `@`.
    pub decorators: ExprList,
    /// What stands after the arrow.
    pub return_type: Option<ExprDoc>,
    /// The statements; none prints as `pass`.
    pub body: StmtList,
}

/// What a [`StmtDoc`] stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stmt {
    /// `lhs: annotation = rhs`; at least one of annotation and rhs is there, and an annotation only beside a name.
    Assign {
        /// What is assigned; a tuple prints without parentheses.
        lhs: ExprDoc,
        /// The value; a tuple of two or more prints without parentheses.
        rhs: Option<ExprDoc>,
        /// What stands after the colon.
        annotation: Option<ExprDoc>,
    },
    /// `if predicate:` and `else:`; not both branches are empty.
    If {
        /// Decides.
        predicate: ExprDoc,
        /// Statements if true; none prints as `pass`.
        then_branch: StmtList,
        /// Statements if false; none prints no `else`.
        else_branch: StmtList,
    },
    /// `while predicate:`
    While {
        /// Decides whether to go on.
        predicate: ExprDoc,
        /// The statements.
        body: StmtList,
    },
    /// `for lhs in rhs:`
    For {
        /// The loop variable, or a tuple of them.
        lhs: ExprDoc,
        /// What is iterated over.
        rhs: ExprDoc,
        /// The statements.
        body: StmtList,
    },
    /// `with rhs as lhs:`
    Scope {
        /// The name of the scope.
        lhs: Option<ExprDoc>,
        /// What is entered.
        rhs: ExprDoc,
        /// The statements.
        body: StmtList,
    },
    /// An expression by itself.
    ExprStmt(ExprDoc),
    /// `assert test, message`
    Assert {
        /// What must hold.
        test: ExprDoc,
        /// What to say if it does not.
        message: Option<ExprDoc>,
    },
    /// `return value`
    Return(ExprDoc),
    /// A function definition; its parts are a [`Function`].
    Function(FunctionId),
    /// `class name:`; its comment prints as a docstring.
    Class {
        /// The name, an `Id` doc.
        name: ExprDoc,
        /// Decorators from top to bottom, without the `@`.
        decorators: ExprList,
        /// The statements; none prints as `pass`.
        body: StmtList,
    },
    /// A comment on lines of its own; the text is the statement's comment. An empty text leaves a blank line.
    Comment,
    /// A docstring; the text is the statement's comment. An empty text prints nothing.
    DocString,
    /// `break`
    Break,
    /// `continue`
    Continue,
}

impl Stmt {
    /// The name of the kind, as errors and debug output show it.
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
