//! Kinds of statements as types, so that a handler is written against the one it handles.

use tvmscript_python_syntax::ast::{self, Stmt, StmtKind};

/// The parts of one kind of statement.
pub trait Statement: Copy + 'static {
    /// The kind.
    const KIND: StmtKind;

    /// The parts, if the statement is of this kind.
    fn of(stmt: &Stmt) -> Option<Self>;
}

macro_rules! statement {
    ($($kind:ident),* $(,)?) => {$(
        impl Statement for ast::$kind {
            const KIND: StmtKind = StmtKind::$kind;
            fn of(stmt: &Stmt) -> Option<Self> {
                match stmt {
                    Stmt::$kind(parts) => Some(*parts),
                    _ => None,
                }
            }
        }
    )*};
}
statement! {
    FunctionDef, ClassDef, Return, Delete, Assign, AugAssign, AnnAssign, For, While, If, With, Raise, Try, Assert,
    Import, ImportFrom, Global, Nonlocal,
}

impl Statement for ast::ExprStmt {
    const KIND: StmtKind = StmtKind::Expr;
    fn of(stmt: &Stmt) -> Option<Self> {
        match stmt {
            Stmt::Expr(parts) => Some(*parts),
            _ => None,
        }
    }
}
