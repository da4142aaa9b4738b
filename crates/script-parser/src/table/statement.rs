//! Kinds of statements as types, for handlers of one kind.

use tvmscript_python_syntax::ast::{self, Stmt, StmtKind};

/// A kind of statement.
pub trait Statement: Copy + 'static {
    /// The kind.
    const KIND: StmtKind;

    /// The statement, if it is of this kind.
    fn of(stmt: &Stmt) -> Option<Self>;
}

macro_rules! statement {
    ($($parts:ident => $kind:ident),* $(,)?) => {$(
        impl Statement for ast::$parts {
            const KIND: StmtKind = StmtKind::$kind;
            fn of(stmt: &Stmt) -> Option<Self> {
                match stmt {
                    Stmt::$kind(parts) => Some(*parts),
                    _ => None,
                }
            }
        }
    )*};
    ($($kind:ident),* $(,)?) => { statement! { $($kind => $kind),* } };
}
statement! {
    FunctionDef, ClassDef, Return, Delete, Assign, AugAssign, AnnAssign, For, While, If, With, Raise, Try, Assert,
    Import, ImportFrom, Global, Nonlocal,
}
statement! { ExprStmt => Expr }
