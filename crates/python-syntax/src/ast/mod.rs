//! The Python syntax tree that the rest of the crate reads.
//!
//! An [`Ast`] holds one source text as flat arrays: a node is a small `Copy` value, it names its children by
//! 32-bit ids ([`ExprId`], [`StmtId`]) and its lists by handles ([`List`]) into side arrays. Nothing is boxed,
//! so a tree of any depth is dropped, cloned and compared without recursion, and a parser of any kind can fill
//! it through [`AstBuilder`]. Identifiers and string constants are interned per text ([`Name`]).
//!
//! The kinds are those of Python's own tree, with three differences. An `elif` is not an `if` inside `else`:
//! [`If`] holds a flat list of [`Clause`]s, so that a chain of 100,000 is as shallow as a short one. What no
//! script may hold (`async`, `type`, type parameters) is [`Stmt::Unsupported`]. A
//! logical line that the parser had to cut out stands as [`Stmt::Invalid`]; its error is already reported.
//!
//! Ranges are stored relative to the *piece* (a top-level definition, or a run of simple top-level statements)
//! that holds the node, so that editing one definition moves no other. [`Ast::range`] makes them absolute byte
//! ranges of the text.
//!
//! It knows no foreign parser and no meaning: scopes, operators and calls are the evaluator's.

mod arena;
mod expr;
mod list;
mod name;
mod place;
mod stmt;

pub use arena::{Ast, AstBuilder, Mark, Piece};
pub use expr::{
    BinOp, BoolOp, CmpOp, Comparison, Comprehension, Constant, Conversion, DictItem, Expr, ExprId, ExprKind,
    Keyword, ParamKind, Parameter, UnaryOp,
};
pub use list::{List, Listed};
pub use name::Name;
pub use place::{HasRange, Place, TextRange};
pub use stmt::{
    Alias, AnnAssign, Assert, Assign, AugAssign, ClassDef, Clause, Delete, ExceptHandler, ExprStmt, For,
    FunctionDef, Global, If, Import, ImportFrom, Match, MatchCase, Nonlocal, Raise, Return, Stmt, StmtId,
    StmtKind, Try, Unsupported, UnsupportedStmt, While, With, WithItem,
};
