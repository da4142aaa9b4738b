//! Children of expressions and statements.

use super::{
    AnnAssign, Assert, Assign, Ast, AugAssign, BinOp, BoolOp, ClassDef, Clause, CmpOp, Comparison,
    Comprehension, Constant, Conversion, Delete, DictItem, ExceptHandler, ExprId, ExprStmt, For, FunctionDef,
    If, Keyword, List, Listed, Match, MatchCase, Name, Parameter, Raise, Return, Stmt, StmtId, Try, UnaryOp,
    UnsupportedStmt, While, With, WithItem,
};

/// A node or a field of one. Most fields have no children.
pub(super) trait Children: Copy {
    fn children(self, _ast: &Ast, _out: &mut Vec<ExprId>) {}

    fn stmts(self, _ast: &Ast, _out: &mut Vec<StmtId>) {}

    fn with_children(self, _ast: &mut Ast, _new: &mut dyn Iterator<Item = ExprId>) -> Self {
        self
    }
}

macro_rules! leaves {
    ($($t:ty),*) => { $(impl Children for $t {})* };
}

leaves!(Name, Constant, Conversion, BinOp, BoolOp, CmpOp, UnaryOp);

impl Children for ExprId {
    fn children(self, _: &Ast, out: &mut Vec<ExprId>) {
        out.push(self);
    }

    fn with_children(self, _: &mut Ast, new: &mut dyn Iterator<Item = ExprId>) -> Self {
        new.next().unwrap_or(self)
    }
}

impl Children for StmtId {
    fn stmts(self, _: &Ast, out: &mut Vec<StmtId>) {
        out.push(self);
    }
}

impl<T: Children> Children for Option<T> {
    fn children(self, ast: &Ast, out: &mut Vec<ExprId>) {
        self.into_iter().for_each(|part| part.children(ast, out));
    }

    fn stmts(self, ast: &Ast, out: &mut Vec<StmtId>) {
        self.into_iter().for_each(|part| part.stmts(ast, out));
    }

    fn with_children(self, ast: &mut Ast, new: &mut dyn Iterator<Item = ExprId>) -> Self {
        self.map(|part| part.with_children(ast, new))
    }
}

impl<T: Children + Listed> Children for List<T> {
    fn children(self, ast: &Ast, out: &mut Vec<ExprId>) {
        ast.list(self).iter().for_each(|item| item.children(ast, out));
    }

    fn stmts(self, ast: &Ast, out: &mut Vec<StmtId>) {
        ast.list(self).iter().for_each(|item| item.stmts(ast, out));
    }

    fn with_children(self, ast: &mut Ast, new: &mut dyn Iterator<Item = ExprId>) -> Self {
        let items = ast.list(self).to_vec();
        let items: Vec<T> = items.into_iter().map(|item| item.with_children(ast, new)).collect();
        ast.add_list(&items)
    }
}

/// Structs of which some fields have children, in order of evaluation.
macro_rules! structs {
    ($($t:ty { $($field:ident),* })*) => {$(
        impl Children for $t {
            fn children(self, ast: &Ast, out: &mut Vec<ExprId>) {
                $(self.$field.children(ast, out);)*
            }

            fn stmts(self, ast: &Ast, out: &mut Vec<StmtId>) {
                $(self.$field.stmts(ast, out);)*
            }

            fn with_children(mut self, ast: &mut Ast, new: &mut dyn Iterator<Item = ExprId>) -> Self {
                $(self.$field = self.$field.with_children(ast, new);)*
                self
            }
        }
    )*};
}

structs! {
    Clause { test, body }
    Comparison { right }
    Comprehension { iter, target, ifs }
    DictItem { key, value }
    ExceptHandler { exc, body }
    Keyword { value }
    MatchCase { guard, body }
    Parameter { default }
    WithItem { context, target }
}

/// Statements and their fields, without annotations.
macro_rules! statements {
    ($($kind:ident($t:ty) { $($field:ident),* })*) => {
        structs! { $($t { $($field),* })* }

        impl Ast {
            /// Adds the expressions of a statement to `out`, without annotations and those of the statements in it.
            pub fn own_exprs(&self, id: StmtId, out: &mut Vec<ExprId>) {
                match self.stmt(id) {
                    $(Stmt::$kind(stmt) => stmt.children(self, out),)*
                    _ => {}
                }
            }

            /// Adds the statements in a statement to `out`, without those inside them.
            pub fn inner_stmts(&self, id: StmtId, out: &mut Vec<StmtId>) {
                match self.stmt(id) {
                    $(Stmt::$kind(stmt) => stmt.stmts(self, out),)*
                    _ => {}
                }
            }
        }
    };
}

statements! {
    AnnAssign(AnnAssign) { target, value }
    Assert(Assert) { test, msg }
    Assign(Assign) { value, targets }
    AugAssign(AugAssign) { target, value }
    ClassDef(ClassDef) { decorators, bases, keywords, body }
    Delete(Delete) { targets }
    Expr(ExprStmt) { value }
    For(For) { target, iter, body, orelse }
    FunctionDef(FunctionDef) { decorators, params, body }
    If(If) { clauses, orelse }
    Match(Match) { subject, cases }
    Raise(Raise) { exc, cause }
    Return(Return) { value }
    Try(Try) { body, handlers, orelse, finalbody }
    Unsupported(UnsupportedStmt) { plain }
    While(While) { test, body, orelse }
    With(With) { items, body }
}

impl Ast {
    /// Adds the children of an expression to `out`, in the order in which Python evaluates them.
    pub fn children(&self, id: ExprId, out: &mut Vec<ExprId>) {
        self.expr(id).children(self, out);
    }

    /// Adds an expression like another one, with other children, in the order of [`Ast::children`].
    pub fn add_with_children(&mut self, id: ExprId, children: &[ExprId]) -> ExprId {
        let expr = self.expr(id).with_children(self, &mut children.iter().copied());
        self.add_expr(expr, self.range(id))
    }
}
