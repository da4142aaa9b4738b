//! Python syntax tree.
//!
//! An [`Ast`] stores one source text as flat arrays. A node is a small `Copy` value with 32-bit ids of its children
//! ([`ExprId`], [`StmtId`]) and handles of its lists ([`List`]). Nothing is boxed, so trees of any depth are dropped
//! and cloned without recursion. Identifiers and string constants are interned ([`Name`]).
//!
//! The nodes are those of Python's own tree, with three differences. An `elif` is not an `if` inside `else`: [`If`]
//! has a flat list of [`Clause`]s, so a chain of 100,000 clauses is not deep. Statements that scripts cannot contain
//! (`async`, `type`, type parameters) are [`Stmt::Unsupported`]. A logical line that was cut out because of an error
//! is [`Stmt::Invalid`].
//!
//! Ranges are stored relative to the *piece* (a top-level definition, or a run of simple top-level statements) that
//! contains the node. [`Ast::range`] returns absolute ranges.

mod arena;
mod children;
mod expr;
mod list;
mod name;
mod pattern;
mod place;
mod stmt;

pub use arena::Ast;
pub(crate) use arena::AstBuilder;
pub use expr::{
    BinOp, BoolOp, CmpOp, Comparison, Comprehension, Constant, Conversion, DictItem, Expr, ExprId, ExprKind,
    Keyword, ParamKind, Parameter, UnaryOp,
};
pub use list::{List, Listed};
pub use name::Name;
pub use pattern::{Pattern, PatternKind};
pub use place::{HasRange, PieceRange, TextRange};
pub use stmt::{
    Alias, AnnAssign, Assert, Assign, AugAssign, ClassDef, Clause, Delete, ExceptHandler, ExprStmt, For,
    FunctionDef, Global, If, Import, ImportFrom, Match, MatchCase, Nonlocal, Raise, Return, Stmt, StmtId,
    StmtKind, Try, Unsupported, UnsupportedStmt, While, With, WithItem,
};
