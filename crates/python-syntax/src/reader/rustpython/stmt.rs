//! Statements.

use rustpython_parser::ast as py;

use super::expr::bin_op;
use super::{Converter, bounds};
use crate::ast::{
    Alias, AnnAssign, Assert, Assign, AugAssign, ClassDef, Delete, ExceptHandler, ExprId, ExprStmt, For,
    FunctionDef, Global, If, Import, ImportFrom, List, Match, MatchCase, Name, Nonlocal, Raise, Return, Stmt,
    StmtId, Try, Unsupported, UnsupportedStmt, While, With, WithItem,
};

impl Converter<'_> {
    pub(super) fn names(&mut self, names: Vec<py::Identifier>) -> List<Name> {
        let names: Vec<Name> = names.iter().map(|name| self.sink.identifier(name)).collect();
        self.sink.ast.list(&names)
    }

    pub(super) fn aliases(&mut self, aliases: Vec<py::Alias>) -> List<Alias> {
        let mut list = Vec::with_capacity(aliases.len());
        for alias in aliases {
            let (start, end) = bounds(&alias);
            let name = self.sink.identifier(&alias.name);
            let asname = alias.asname.map(|name| self.sink.identifier(&name));
            list.push(Alias { name, asname, place: self.sink.place(start, end) });
        }
        self.sink.ast.list(&list)
    }

    pub(super) fn stmt(&mut self, stmt: py::Stmt) -> StmtId {
        let (start, end) = bounds(&stmt);
        let stmt = match stmt {
            py::Stmt::Expr(s) => Stmt::Expr(ExprStmt { value: self.expr(*s.value) }),
            py::Stmt::Assign(s) => {
                let targets = self.exprs(s.targets);
                let value = self.expr(*s.value);
                self.valid(targets, Stmt::Assign(Assign { targets, value }))
            }
            py::Stmt::For(s) => self.for_loop(s),
            py::Stmt::If(s) => self.if_chain(s),
            py::Stmt::With(s) => self.with(s.items, s.body),
            py::Stmt::Pass(_) => Stmt::Pass,
            py::Stmt::Break(_) => Stmt::Break,
            py::Stmt::Continue(_) => Stmt::Continue,
            other => self.rare_stmt(other),
        };
        self.sink.stmt(stmt, start, end)
    }

    pub(super) fn valid(&mut self, targets: List<ExprId>, stmt: Stmt) -> Stmt {
        if self.sink.check_targets(targets) { stmt } else { Stmt::Invalid }
    }

    #[inline(never)]
    pub(super) fn for_loop(&mut self, s: py::StmtFor) -> Stmt {
        let target = self.expr(*s.target);
        let iter = self.expr(*s.iter);
        let valid = self.sink.check_target(target);
        let body = self.block(s.body);
        let orelse = self.stmts(s.orelse);
        if valid { Stmt::For(For { target, iter, body, orelse }) } else { Stmt::Invalid }
    }

    /// An `elif` arrives as an `if` alone in the `orelse`; only the text tells it from a written-out `else: if`.
    #[inline(never)]
    pub(super) fn if_chain(&mut self, s: py::StmtIf) -> Stmt {
        let mut clauses = Vec::new();
        let mut cut = false;
        let mut current = s;
        let orelse = loop {
            let (start, _) = bounds(&current);
            let test = self.expr(*current.test);
            let body = self.stmts(current.body);
            cut |= self.sink.edits.is_placeholder(start);
            clauses.push(self.sink.clause(test, body, start));
            let mut orelse = current.orelse;
            let is_elif = orelse.len() == 1
                && matches!(&orelse[0], py::Stmt::If(s) if self.sink.text[bounds(s).0 as usize..].starts_with("elif"));
            current = match orelse.pop() {
                Some(py::Stmt::If(next)) if is_elif => next,
                last => {
                    orelse.extend(last);
                    break orelse;
                }
            };
        };
        let orelse = self.stmts(orelse);
        if cut {
            return Stmt::Invalid;
        }
        Stmt::If(If { clauses: self.sink.ast.list(&clauses), orelse })
    }

    #[inline(never)]
    pub(super) fn with(&mut self, items: Vec<py::WithItem>, body: Vec<py::Stmt>) -> Stmt {
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
    pub(super) fn rare_stmt(&mut self, stmt: py::Stmt) -> Stmt {
        match stmt {
            py::Stmt::FunctionDef(s) => self.function(s),
            py::Stmt::ClassDef(s) => self.class(s),
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
            py::Stmt::Try(s) => self.try_stmt(s),
            py::Stmt::Assert(s) => {
                let test = self.expr(*s.test);
                Stmt::Assert(Assert { test, msg: self.option(s.msg) })
            }
            py::Stmt::Import(s) => Stmt::Import(Import { names: self.aliases(s.names) }),
            py::Stmt::ImportFrom(s) => {
                let module = s.module.map(|module| self.sink.identifier(&module));
                let level = s.level.map_or(0, |level| level.to_u32());
                Stmt::ImportFrom(ImportFrom { module, names: self.aliases(s.names), level })
            }
            py::Stmt::Global(s) => Stmt::Global(Global { names: self.names(s.names) }),
            py::Stmt::Nonlocal(s) => Stmt::Nonlocal(Nonlocal { names: self.names(s.names) }),
            py::Stmt::AsyncFunctionDef(s) => self.async_function(s),
            py::Stmt::AsyncFor(s) => {
                let at = bounds(&s);
                let py::StmtAsyncFor { range, target, iter, body, orelse, type_comment } = s;
                let plain = self.for_loop(py::StmtFor { range, target, iter, body, orelse, type_comment });
                self.sink.unsupported(Unsupported::AsyncFor, plain, at)
            }
            py::Stmt::AsyncWith(s) => {
                let at = bounds(&s);
                let plain = self.with(s.items, s.body);
                self.sink.unsupported(Unsupported::AsyncWith, plain, at)
            }
            py::Stmt::Match(s) => self.match_stmt(s),
            py::Stmt::TypeAlias(_) => Stmt::Unsupported(UnsupportedStmt::opaque(Unsupported::TypeAlias)),
            py::Stmt::TryStar(s) => {
                let at = bounds(&s);
                let py::StmtTryStar { range, body, handlers, orelse, finalbody } = s;
                let plain = self.try_stmt(py::StmtTry { range, body, handlers, orelse, finalbody });
                self.sink.unsupported(Unsupported::TryStar, plain, at)
            }
            // The rest are converted by the caller.
            _ => Stmt::Pass,
        }
    }

    /// Decorators and whether one of them was cut out.
    pub(super) fn decorators(&mut self, decorators: Vec<py::Expr>) -> (List<ExprId>, bool) {
        let cut = decorators.iter().any(|d| self.sink.edits.is_placeholder(bounds(d).0));
        (self.exprs(decorators), cut)
    }

    #[inline(never)]
    pub(super) fn async_function(&mut self, s: py::StmtAsyncFunctionDef) -> Stmt {
        let at = bounds(&s);
        let py::StmtAsyncFunctionDef { range, name, args, body, decorator_list, returns, .. } = s;
        let (type_comment, type_params) = (s.type_comment, s.type_params);
        let plain = self.function(py::StmtFunctionDef {
            range,
            name,
            args,
            body,
            decorator_list,
            returns,
            type_comment,
            type_params,
        });
        self.sink.unsupported(Unsupported::AsyncFunctionDef, plain, at)
    }

    #[inline(never)]
    pub(super) fn match_stmt(&mut self, s: py::StmtMatch) -> Stmt {
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
                py::Pattern::MatchSequence(p) => {
                    work.extend(p.patterns);
                    None
                }
                py::Pattern::MatchMapping(p) => {
                    work.extend(p.patterns);
                    p.rest
                }
                py::Pattern::MatchClass(p) => {
                    work.extend(p.patterns.into_iter().chain(p.kwd_patterns));
                    None
                }
                py::Pattern::MatchStar(p) => p.name,
                py::Pattern::MatchAs(p) => {
                    work.extend(p.pattern.map(|inner| *inner));
                    p.name
                }
                py::Pattern::MatchOr(p) => {
                    work.extend(p.patterns);
                    None
                }
                py::Pattern::MatchValue(_) | py::Pattern::MatchSingleton(_) => None,
            };
            names.extend(bound.map(|name| self.sink.name(&name)));
        }
        self.sink.ast.list(&names)
    }

    #[inline(never)]
    pub(super) fn function(&mut self, s: py::StmtFunctionDef) -> Stmt {
        if !s.type_params.is_empty() {
            return Stmt::Unsupported(UnsupportedStmt::opaque(Unsupported::TypeParams));
        }
        let start = bounds(&s).0;
        let (decorators, cut) = self.decorators(s.decorator_list);
        let name_place = self.name_place(start, "def", &s.name);
        let name = self.sink.identifier(&s.name);
        let params = self.parameters(*s.args);
        let returns = self.option(s.returns);
        let body = self.block(s.body);
        if cut {
            return Stmt::Invalid;
        }
        Stmt::FunctionDef(FunctionDef { name, name_place, params, decorators, returns, body })
    }

    #[inline(never)]
    pub(super) fn class(&mut self, s: py::StmtClassDef) -> Stmt {
        if !s.type_params.is_empty() {
            return Stmt::Unsupported(UnsupportedStmt::opaque(Unsupported::TypeParams));
        }
        let start = bounds(&s).0;
        let (decorators, cut) = self.decorators(s.decorator_list);
        let name_place = self.name_place(start, "class", &s.name);
        let name = self.sink.identifier(&s.name);
        let bases = self.exprs(s.bases);
        let keywords = self.keywords(s.keywords);
        let body = self.block(s.body);
        if cut {
            return Stmt::Invalid;
        }
        Stmt::ClassDef(ClassDef { name, name_place, bases, keywords, decorators, body })
    }

    /// The parser gives no range of the name; it is the first occurrence behind the keyword.
    pub(super) fn name_place(&self, start: u32, keyword: &str, name: &str) -> crate::ast::Place {
        let rest = self.sink.text.get(start as usize..).unwrap_or_default();
        let skipped = if rest.starts_with("async") { rest.find(keyword).unwrap_or_default() } else { 0 };
        let from = start as usize + skipped + keyword.len();
        let found = self.sink.text.get(from..).and_then(|rest| rest.find(name));
        let at = found.map_or(start, |i| (from + i) as u32);
        self.sink.place(at, at + name.len() as u32)
    }

    #[inline(never)]
    pub(super) fn try_stmt(&mut self, s: py::StmtTry) -> Stmt {
        let body = self.stmts(s.body);
        let mut handlers = Vec::with_capacity(s.handlers.len());
        for handler in s.handlers {
            let (start, end) = bounds(&handler);
            let py::ExceptHandler::ExceptHandler(handler) = handler;
            let exc = self.option(handler.type_);
            let name = handler.name.map(|name| self.sink.identifier(&name));
            let body = self.stmts(handler.body);
            handlers.push(ExceptHandler { exc, name, body, place: self.sink.place(start, end) });
        }
        let handlers = self.sink.ast.list(&handlers);
        let orelse = self.stmts(s.orelse);
        let finalbody = self.stmts(s.finalbody);
        Stmt::Try(Try { body, handlers, orelse, finalbody })
    }
}
