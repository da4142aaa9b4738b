//! Conversion of statements.

use super::super::py;
use super::super::{class_patterns, level};
use super::expr::bin_op;
use super::{Converter, bounds};
use crate::ast::{
    Alias, AnnAssign, Assert, Assign, AugAssign, Delete, ExceptHandler, ExprId, ExprStmt, For, Global,
    Import, ImportFrom, List, Match, MatchCase, Name, Nonlocal, Raise, Return, Stmt, StmtId, Try,
    Unsupported, UnsupportedStmt, While, With, WithItem,
};

impl Converter<'_> {
    fn names(&mut self, names: Vec<py::Identifier>) -> List<Name> {
        let names: Vec<Name> = names.iter().map(|name| self.identifier(name)).collect();
        self.sink.ast.list(&names)
    }

    fn aliases(&mut self, aliases: Vec<py::Alias>) -> List<Alias> {
        let mut list = Vec::with_capacity(aliases.len());
        for alias in aliases {
            let (start, end) = bounds(&alias);
            // A dotted name may contain blanks, so the source text is not used.
            let name = self.sink.identifier(&alias.name);
            let asname = alias.asname.map(|name| self.identifier(&name));
            list.push(Alias { name, asname, place: self.sink.place(start, end) });
        }
        self.sink.ast.list(&list)
    }

    pub(in super::super) fn stmt(&mut self, stmt: py::Stmt) -> StmtId {
        let (start, end) = bounds(&stmt);
        let stmt = match stmt {
            py::Stmt::Expr(s) => Stmt::Expr(ExprStmt { value: self.expr(*s.value) }),
            py::Stmt::Assign(s) => {
                let targets = self.exprs(s.targets);
                let value = self.expr(*s.value);
                self.valid(targets, Stmt::Assign(Assign { targets, value }))
            }
            py::Stmt::If(s) => self.if_chain(s),
            py::Stmt::Pass(_) => Stmt::Pass,
            py::Stmt::Break(_) => Stmt::Break,
            py::Stmt::Continue(_) => Stmt::Continue,
            other => {
                let (stmt, start) = self.compound(other, (start, end));
                return self.sink.stmt(stmt, start, end);
            }
        };
        self.sink.stmt(stmt, start, end)
    }

    fn valid(&mut self, targets: List<ExprId>, stmt: Stmt) -> Stmt {
        if self.sink.check_targets(targets) { stmt } else { Stmt::Invalid }
    }

    #[inline(never)]
    pub(in super::super) fn for_loop(&mut self, s: py::StmtFor) -> Stmt {
        let target = self.expr(*s.target);
        let iter = self.expr(*s.iter);
        let valid = self.sink.check_target(target);
        let body = self.block(s.body);
        let orelse = self.stmts(s.orelse);
        if valid { Stmt::For(For { target, iter, body, orelse }) } else { Stmt::Invalid }
    }

    #[inline(never)]
    pub(in super::super) fn with(&mut self, items: Vec<py::WithItem>, body: Vec<py::Stmt>) -> Stmt {
        let mut list = smallvec::SmallVec::<[WithItem; 2]>::new();
        let mut valid = true;
        for item in items {
            let context = self.expr(item.context_expr);
            let target = self.option(item.optional_vars);
            valid &= target.is_none_or(|target| self.sink.check_target(target));
            list.push(WithItem { context, target });
        }
        let items = self.sink.ast.list(&list);
        let body = self.block(body);
        if valid { Stmt::With(With { items, body }) } else { Stmt::Invalid }
    }

    #[inline(never)]
    pub(in super::super) fn rare_stmt(&mut self, stmt: py::Stmt) -> Stmt {
        match stmt {
            py::Stmt::Return(s) => Stmt::Return(Return { value: self.option(s.value) }),
            py::Stmt::Delete(s) => {
                let targets = self.exprs(s.targets);
                self.valid(targets, Stmt::Delete(Delete { targets }))
            }
            py::Stmt::AugAssign(s) => {
                let target = self.expr(*s.target);
                let value = self.expr(*s.value);
                let stmt = Stmt::AugAssign(AugAssign { target, op: bin_op(s.op), value });
                if self.sink.check_single_target(target) { stmt } else { Stmt::Invalid }
            }
            py::Stmt::AnnAssign(s) => {
                let target = self.expr(*s.target);
                let annotation = self.expr(*s.annotation);
                let value = self.option(s.value);
                let stmt = Stmt::AnnAssign(AnnAssign { target, annotation, value });
                if self.sink.check_single_target(target) { stmt } else { Stmt::Invalid }
            }
            py::Stmt::While(s) => {
                let test = self.expr(*s.test);
                let body = self.block(s.body);
                Stmt::While(While { test, body, orelse: self.stmts(s.orelse) })
            }
            py::Stmt::Raise(s) => {
                let exc = self.option(s.exc);
                Stmt::Raise(Raise { exc, cause: self.option(s.cause) })
            }
            py::Stmt::Assert(s) => {
                let test = self.expr(*s.test);
                Stmt::Assert(Assert { test, msg: self.option(s.msg) })
            }
            py::Stmt::Import(s) => Stmt::Import(Import { names: self.aliases(s.names) }),
            py::Stmt::ImportFrom(s) => {
                let module = s.module.map(|module| self.sink.identifier(&module));
                Stmt::ImportFrom(ImportFrom { module, names: self.aliases(s.names), level: level(s.level) })
            }
            py::Stmt::Global(s) => Stmt::Global(Global { names: self.names(s.names) }),
            py::Stmt::Nonlocal(s) => Stmt::Nonlocal(Nonlocal { names: self.names(s.names) }),
            py::Stmt::Match(s) => self.match_stmt(s),
            py::Stmt::TypeAlias(_) => Stmt::Unsupported(UnsupportedStmt::opaque(Unsupported::TypeAlias)),
            // `stmt` and `compound` convert all other kinds.
            _ => Stmt::Pass,
        }
    }

    #[inline(never)]
    fn match_stmt(&mut self, s: py::StmtMatch) -> Stmt {
        let subject = self.expr(*s.subject);
        let mut cases = Vec::with_capacity(s.cases.len());
        for case in s.cases {
            let is_irrefutable = case.guard.is_none()
                && matches!(&case.pattern, py::Pattern::MatchAs(pattern) if pattern.pattern.is_none());
            let names = self.pattern_names(case.pattern);
            let guard = self.option(case.guard);
            cases.push(MatchCase { names, is_irrefutable, guard, body: self.stmts(case.body) });
        }
        Stmt::Match(Match { subject, cases: self.sink.ast.list(&cases) })
    }

    /// The names that a pattern binds.
    fn pattern_names(&mut self, pattern: py::Pattern) -> List<Name> {
        let mut names = Vec::new();
        let mut work = vec![pattern];
        while let Some(pattern) = work.pop() {
            let bound = match pattern {
                py::Pattern::MatchSequence(py::PatternMatchSequence { patterns, .. })
                | py::Pattern::MatchOr(py::PatternMatchOr { patterns, .. }) => {
                    work.extend(patterns);
                    None
                }
                py::Pattern::MatchMapping(p) => {
                    work.extend(p.patterns);
                    p.rest
                }
                py::Pattern::MatchClass(p) => {
                    work.extend(class_patterns(p));
                    None
                }
                py::Pattern::MatchStar(p) => p.name,
                py::Pattern::MatchAs(p) => {
                    work.extend(p.pattern.map(|inner| *inner));
                    p.name
                }
                py::Pattern::MatchValue(_) | py::Pattern::MatchSingleton(_) => None,
            };
            names.extend(bound.map(|name| self.sink.name(&name)));
        }
        self.sink.ast.list(&names)
    }

    #[inline(never)]
    pub(in super::super) fn try_stmt(&mut self, s: py::StmtTry) -> Stmt {
        let body = self.stmts(s.body);
        let mut handlers = Vec::with_capacity(s.handlers.len());
        for handler in s.handlers {
            let (start, end) = bounds(&handler);
            let py::ExceptHandler::ExceptHandler(handler) = handler;
            let exc = self.option(handler.type_);
            let name = handler.name.map(|name| self.identifier(&name));
            let body = self.stmts(handler.body);
            handlers.push(ExceptHandler { exc, name, body, place: self.sink.place(start, end) });
        }
        let handlers = self.sink.ast.list(&handlers);
        let orelse = self.stmts(s.orelse);
        let finalbody = self.stmts(s.finalbody);
        Stmt::Try(Try { body, handlers, orelse, finalbody })
    }
}
