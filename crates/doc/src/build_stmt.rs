//! Builder methods for statement docs.

use crate::arena::DocArena;
use crate::error::DocError;
use crate::expr::{Expr, ExprDoc};
use crate::stmt::{Function, Stmt, StmtDoc, StmtList, StmtRole};

/// The components of a function definition; see [`Function`] for their meaning.
#[derive(Debug, Clone, Copy)]
pub struct FunctionParts<'a> {
    /// The name, an [`Expr::Id`].
    pub name: ExprDoc,
    /// Parameters, each made by [`DocArena::assign`].
    pub args: &'a [StmtDoc],
    /// Decorators from top to bottom, without the `@`.
    pub decorators: &'a [ExprDoc],
    /// The return annotation.
    pub return_type: Option<ExprDoc>,
    /// The body.
    pub body: &'a [StmtDoc],
}

impl DocArena {
    /// `lhs: annotation = rhs`
    ///
    /// # Errors
    /// [`DocError::EmptyAssign`] without value and annotation; [`DocError::AnnotationWithoutName`] if there is an
    /// annotation and `lhs` is not a name.
    pub fn assign(
        &mut self,
        lhs: ExprDoc,
        rhs: Option<ExprDoc>,
        annotation: Option<ExprDoc>,
    ) -> Result<StmtDoc, DocError> {
        if rhs.is_none() && annotation.is_none() {
            return Err(DocError::EmptyAssign);
        }
        if annotation.is_some() && !matches!(self.expr(lhs), Expr::Id(_)) {
            self.check()?;
            return Err(DocError::AnnotationWithoutName);
        }
        Ok(self.push_stmt(Stmt::Assign { lhs, rhs, annotation }, StmtRole::Plain))
    }

    /// `lhs = rhs`
    #[inline]
    pub fn bind(&mut self, lhs: ExprDoc, rhs: ExprDoc) -> StmtDoc {
        self.push_stmt(Stmt::Assign { lhs, rhs: Some(rhs), annotation: None }, StmtRole::BindValue)
    }

    /// `target = value`, with the role of a store.
    #[inline]
    pub fn store(&mut self, target: ExprDoc, value: ExprDoc) -> StmtDoc {
        self.push_stmt(Stmt::Assign { lhs: target, rhs: Some(value), annotation: None }, StmtRole::Store)
    }

    /// `if predicate:` with an optional `else:`.
    ///
    /// # Errors
    /// [`DocError::EmptyIf`] if both branches are empty.
    pub fn if_(
        &mut self,
        predicate: ExprDoc,
        then_branch: &[StmtDoc],
        else_branch: &[StmtDoc],
    ) -> Result<StmtDoc, DocError> {
        if then_branch.is_empty() && else_branch.is_empty() {
            return Err(DocError::EmptyIf);
        }
        let then_branch = self.push_stmts(then_branch);
        let else_branch = self.push_stmts(else_branch);
        Ok(self.push_stmt(Stmt::If { predicate, then_branch, else_branch }, StmtRole::Plain))
    }

    /// `while predicate:`
    pub fn while_(&mut self, predicate: ExprDoc, body: &[StmtDoc]) -> StmtDoc {
        let body = self.push_stmts(body);
        self.push_stmt(Stmt::While { predicate, body }, StmtRole::Plain)
    }

    /// `for lhs in rhs:`
    pub fn for_(&mut self, lhs: ExprDoc, rhs: ExprDoc, body: &[StmtDoc]) -> StmtDoc {
        let body = self.push_stmts(body);
        self.push_stmt(Stmt::For { lhs, rhs, body }, StmtRole::Plain)
    }

    /// `with rhs as lhs:`; an empty body prints `pass`.
    pub fn scope(&mut self, lhs: Option<ExprDoc>, rhs: ExprDoc, body: &[StmtDoc]) -> StmtDoc {
        let body = self.push_stmts(body);
        self.push_stmt(Stmt::Scope { lhs, rhs, body }, StmtRole::Plain)
    }

    /// An expression statement.
    #[inline]
    pub fn expr_stmt(&mut self, expr: ExprDoc) -> StmtDoc {
        self.push_stmt(Stmt::ExprStmt(expr), StmtRole::Plain)
    }

    /// `assert test, message`
    pub fn assert(&mut self, test: ExprDoc, message: Option<ExprDoc>) -> StmtDoc {
        self.push_stmt(Stmt::Assert { test, message }, StmtRole::Plain)
    }

    /// `return value`
    pub fn return_(&mut self, value: ExprDoc) -> StmtDoc {
        self.push_stmt(Stmt::Return(value), StmtRole::Plain)
    }

    /// `break`
    pub fn break_(&mut self) -> StmtDoc {
        self.push_stmt(Stmt::Break, StmtRole::Plain)
    }

    /// `continue`
    pub fn continue_(&mut self) -> StmtDoc {
        self.push_stmt(Stmt::Continue, StmtRole::Plain)
    }

    /// `def name(args) -> return_type:`
    ///
    /// # Errors
    /// [`DocError::NotAName`] if the name is not one, [`DocError::NotAParameter`] if a parameter is not an assignment.
    pub fn function(&mut self, parts: FunctionParts<'_>) -> Result<StmtDoc, DocError> {
        let FunctionParts { name, args, decorators, return_type, body } = parts;
        self.expect_name(name, "the name of a function")?;
        if self.check().is_ok() && !args.iter().all(|&arg| matches!(self.stmt(arg), Stmt::Assign { .. })) {
            return Err(DocError::NotAParameter);
        }
        let args = self.push_stmts(args);
        let decorators = self.push_list(decorators.iter().copied());
        let body = self.push_stmts(body);
        Ok(self.push_function(Function { name, args, decorators, return_type, body }))
    }

    /// `class name:`
    ///
    /// # Errors
    /// [`DocError::NotAName`] if the name is not one.
    pub fn class(
        &mut self,
        name: ExprDoc,
        decorators: &[ExprDoc],
        body: &[StmtDoc],
    ) -> Result<StmtDoc, DocError> {
        self.expect_name(name, "the name of a class")?;
        let decorators = self.push_list(decorators.iter().copied());
        let body = self.push_stmts(body);
        Ok(self.push_stmt(Stmt::Class { name, decorators, body }, StmtRole::Plain))
    }

    /// A comment on its own lines; an empty text is a blank line.
    pub fn comment(&mut self, text: &str) -> StmtDoc {
        let stmt = self.push_stmt(Stmt::Comment, StmtRole::Plain);
        self.set_comment(stmt, Some(text));
        stmt
    }

    /// A docstring; an empty text prints nothing.
    pub fn docstring(&mut self, text: &str) -> StmtDoc {
        let stmt = self.push_stmt(Stmt::DocString, StmtRole::Plain);
        self.set_comment(stmt, Some(text));
        stmt
    }

    /// A list of statements.
    pub fn block(&mut self, stmts: &[StmtDoc]) -> StmtList {
        self.push_stmts(stmts)
    }
}
