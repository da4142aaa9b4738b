//! Dispatch of statements to handlers, and recovery if a handler fails.

use tvmscript_ir_core::{Span, Token, with_stack};

use super::Parser;
use crate::errors::ParseErrorKind;
use tvmscript_python_syntax::ast::{ExprId, List, Stmt, StmtId};
use tvmscript_script_eval::errors::{EvalErrorKind, EvalResult};

impl Parser<'_> {
    /// Visits statements in order, and continues after errors.
    pub fn visit_body(&mut self, body: List<StmtId>) {
        self.visit_body_from(body, 0);
    }

    /// As [`Parser::visit_body`], starting at an index.
    pub fn visit_body_from(&mut self, body: List<StmtId>, start: usize) {
        for index in start..body.len() {
            if self.is_exhausted() {
                return;
            }
            if let Some(id) = self.item(body, index) {
                let _ = self.visit(id);
            }
        }
    }

    /// Visits the statements of a body.
    ///
    /// # Errors
    /// If a statement failed, so that the result is incomplete.
    pub fn visit_all(&mut self, body: List<StmtId>) -> EvalResult<()> {
        let failures = self.state.diagnostics.failures;
        self.visit_body(body);
        if self.state.diagnostics.failures > failures { Err(crate::Reported::already()) } else { Ok(()) }
    }

    /// Visits the statements of a fragment in a new scope; `last` parses the last one.
    ///
    /// # Errors
    /// If a statement fails or was cut out. All statements are visited.
    pub fn visit_fragment(
        &mut self,
        body: &[StmtId],
        last: impl FnOnce(&mut Self, StmtId) -> EvalResult<()>,
    ) -> EvalResult<()> {
        let Some((end, others)) = body.split_last() else { return Ok(()) };
        self.with_scope(|p| {
            let mut result = Ok(());
            for id in others {
                result = p.visit(*id).and(result);
            }
            let is_cut = body.iter().any(|id| matches!(p.stmt(*id), Stmt::Invalid));
            let whole = if is_cut { Err(crate::Reported::already()) } else { Ok(()) };
            last(p, *end).and(result).and(whole)
        })
    }

    /// Visits a statement under the current token.
    ///
    /// If the handler fails, the names that the statement defines are poisoned, and an unvisited body is visited to
    /// report its errors. That body has a scope of its own: its names end with it, so a later use of one is an undefined
    /// name, defined in a closed scope. Where names in the body of `with` outlive it, the handler visits the body even
    /// after an error in the head.
    ///
    /// # Errors
    /// If the handler fails.
    pub fn visit(&mut self, id: StmtId) -> EvalResult<()> {
        with_stack(|| {
            self.script.visited += 1;
            let visited = self.script.visited;
            if let Err(raise) = self.state.program.budget.check_nodes() {
                let range = self.state.ast.range(id);
                return Err(self.evaluate(|e| e.raise(range, None, raise)));
            }
            let before = Span::set_current(self.span(id));
            let result = self.dispatch(id);
            Span::set_current(before);
            if result.is_err() {
                self.state.diagnostics.failures += 1;
                self.recover(id, self.script.visited == visited);
            }
            result
        })
    }

    fn dispatch(&mut self, id: StmtId) -> EvalResult<()> {
        let stmt = *self.state.ast.stmt(id);
        if let Some(handler) = self.script.tables.handlers.handler(self.token(), stmt.kind()) {
            let handler = handler.clone();
            return handler(self, id, &stmt);
        }
        if self.token() == Token::DEFAULT {
            return self.evaluate(|e| e.module_statement(id));
        }
        match stmt {
            Stmt::FunctionDef(def) => self.local_function(id, def),
            Stmt::ClassDef(_) => self.read_definition(id).map(drop),
            // A script reads the names of the functions around it anyway.
            Stmt::Pass | Stmt::Nonlocal(_) => Ok(()),
            Stmt::Invalid => {
                self.state.note_invalid(id);
                Ok(())
            }
            Stmt::Unsupported(stmt) => {
                let kind =
                    EvalErrorKind::UnsupportedStatement { kind: stmt.kind.describe(), place: "in a script" };
                Err(self.error(id, kind))
            }
            other => Err(self.error(id, ParseErrorKind::unsupported_statement(other.kind(), "in a script"))),
        }
    }

    fn recover(&mut self, id: StmtId, body_unseen: bool) {
        if self.token() == Token::DEFAULT {
            return self.evaluate(|e| {
                if !e.cut_short(id) {
                    e.recover_host(id);
                }
            });
        }
        let ast = self.state.ast.clone();
        match ast.stmt(id) {
            Stmt::Assign(assign) => ast.list(assign.targets).iter().for_each(|t| self.poison_target(*t)),
            Stmt::AnnAssign(assign) => self.poison_target(assign.target),
            Stmt::AugAssign(assign) => self.poison_target(assign.target),
            Stmt::FunctionDef(def) => self.poison(def.name, def.name_place),
            Stmt::ClassDef(def) => self.poison(def.name, def.name_place),
            Stmt::For(stmt) if body_unseen => self.visit_lost(&[stmt.target], &[stmt.body, stmt.orelse]),
            Stmt::While(stmt) if body_unseen => self.visit_lost(&[], &[stmt.body, stmt.orelse]),
            Stmt::With(stmt) if body_unseen => {
                let items = ast.list(stmt.items);
                let targets: Vec<ExprId> = items.iter().filter_map(|item| item.target).collect();
                self.visit_lost(&targets, &[stmt.body]);
            }
            Stmt::If(stmt) if body_unseen => {
                let clauses = ast.list(stmt.clauses);
                clauses.iter().for_each(|clause| self.visit_lost(&[], &[clause.body]));
                self.visit_lost(&[], &[stmt.orelse]);
            }
            _ => {}
        }
    }

    /// Visits a body whose frame could not be entered in the current scope, so that its names are known: reports undefined
    /// names but no errors of the builder.
    pub fn visit_unentered(&mut self, body: List<StmtId>) {
        self.state.diagnostics.silenced += 1;
        self.visit_body(body);
        self.state.diagnostics.silenced -= 1;
    }

    /// Visits bodies whose frame could not be entered, to report undefined names but no errors of the builder.
    fn visit_lost(&mut self, targets: &[ExprId], bodies: &[List<StmtId>]) {
        self.state.diagnostics.silenced += 1;
        self.with_scope(|p| {
            targets.iter().for_each(|t| p.poison_target(*t));
            bodies.iter().for_each(|body| p.visit_body(*body));
        });
        self.state.diagnostics.silenced -= 1;
    }
}
