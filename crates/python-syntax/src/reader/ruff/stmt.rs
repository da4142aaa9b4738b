//! Statements.

use rustpython_ruff_python_ast as py;

use super::expr::bin_op;
use super::{Converter, bounds};
use crate::ast::{
    Alias, AnnAssign, Assert, Assign, AugAssign, ClassDef, Delete, ExceptHandler, ExprId, ExprStmt, For,
    FunctionDef, Global, If, Import, ImportFrom, List, Match, MatchCase, Name, Nonlocal, Place, Raise,
    Return, Stmt, StmtId, Try, Unsupported, UnsupportedStmt, While, With, WithItem,
};

impl Converter<'_> {
    pub(super) fn names(&mut self, names: Vec<py::Identifier>) -> List<Name> {
        let names: Vec<Name> = names.iter().map(|name| self.sink.source_name(bounds(name))).collect();
        self.sink.ast.list(&names)
    }

    pub(super) fn aliases(&mut self, aliases: Vec<py::Alias>) -> List<Alias> {
        let mut list = Vec::with_capacity(aliases.len());
        for alias in aliases {
            let (start, end) = bounds(&alias);
            let name = self.sink.identifier(&alias.name);
            let asname = alias.asname.map(|name| self.sink.source_name(bounds(&name)));
            list.push(Alias { name, asname, place: self.sink.place(start, end) });
        }
        self.sink.ast.list(&list)
    }

    pub(super) fn stmt(&mut self, stmt: py::Stmt) -> StmtId {
        let (mut start, end) = bounds(&stmt);
        let stmt = match stmt {
            py::Stmt::Expr(s) => Stmt::Expr(ExprStmt { value: self.expr(*s.value) }),
            py::Stmt::Assign(s) => {
                let targets = self.exprs(s.targets);
                let value = self.expr(*s.value);
                self.valid(targets, Stmt::Assign(Assign { targets, value }))
            }
            py::Stmt::For(s) if s.is_async => {
                let plain = self.for_loop(s);
                self.sink.unsupported(Unsupported::AsyncFor, plain, (start, end))
            }
            py::Stmt::For(s) => self.for_loop(s),
            py::Stmt::If(s) => self.if_chain(s),
            py::Stmt::With(s) if s.is_async => {
                let plain = self.with(s.items, s.body);
                self.sink.unsupported(Unsupported::AsyncWith, plain, (start, end))
            }
            py::Stmt::With(s) => self.with(s.items, s.body),
            py::Stmt::Pass(_) => Stmt::Pass,
            py::Stmt::Break(_) => Stmt::Break,
            py::Stmt::Continue(_) => Stmt::Continue,
            py::Stmt::FunctionDef(s) => {
                start = self.after_decorators(start, &s.decorator_list);
                let is_async = s.is_async;
                let plain = self.function(s);
                if is_async {
                    self.sink.unsupported(Unsupported::AsyncFunctionDef, plain, (start, end))
                } else {
                    plain
                }
            }
            py::Stmt::ClassDef(s) => {
                start = self.after_decorators(start, &s.decorator_list);
                self.class(s)
            }
            other => self.rare_stmt(other),
        };
        self.sink.stmt(stmt, start, end)
    }

    /// Where the `def` or `class` itself begins: behind its decorators, line breaks and comments.
    pub(super) fn after_decorators(&self, start: u32, decorators: &[py::Decorator]) -> u32 {
        let Some(last) = decorators.last() else { return start };
        let mut at = bounds(last).1 as usize;
        let bytes = self.sink.text.as_bytes();
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'#' => at += bytes[at..].iter().take_while(|b| !matches!(b, b'\n' | b'\r')).count(),
                b' ' | b'\t' | b'\n' | b'\r' | b'\\' | 0x0c => at += 1,
                _ => break,
            }
        }
        at as u32
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

    #[inline(never)]
    pub(super) fn if_chain(&mut self, s: py::StmtIf) -> Stmt {
        let (start, _) = bounds(&s);
        let mut cut = self.sink.edits.is_placeholder(start);
        let test = self.expr(*s.test);
        let body = self.stmts(s.body);
        let mut clauses = smallvec::SmallVec::<[crate::ast::Clause; 2]>::new();
        clauses.push(self.sink.clause(test, body, start));
        let mut orelse = List::EMPTY;
        for clause in s.elif_else_clauses {
            let (start, _) = bounds(&clause);
            let test = clause.test.map(|test| self.expr(test));
            let body = self.stmts(clause.body);
            match test {
                Some(test) => {
                    cut |= self.sink.edits.is_placeholder(start);
                    clauses.push(self.sink.clause(test, body, start));
                }
                None => orelse = body,
            }
        }
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
            py::Stmt::Try(s) if s.is_star => {
                let at = bounds(&s);
                let plain = self.try_stmt(s);
                self.sink.unsupported(Unsupported::TryStar, plain, at)
            }
            py::Stmt::Try(s) => self.try_stmt(s),
            py::Stmt::Assert(s) => {
                let test = self.expr(*s.test);
                Stmt::Assert(Assert { test, msg: self.option(s.msg) })
            }
            py::Stmt::Import(s) => Stmt::Import(Import { names: self.aliases(s.names) }),
            py::Stmt::ImportFrom(s) => {
                let module = s.module.map(|module| self.sink.identifier(&module));
                let level = s.level;
                Stmt::ImportFrom(ImportFrom { module, names: self.aliases(s.names), level })
            }
            py::Stmt::Global(s) => Stmt::Global(Global { names: self.names(s.names) }),
            py::Stmt::Nonlocal(s) => Stmt::Nonlocal(Nonlocal { names: self.names(s.names) }),
            py::Stmt::Match(s) => self.match_stmt(s),
            py::Stmt::TypeAlias(_) => Stmt::Unsupported(UnsupportedStmt::opaque(Unsupported::TypeAlias)),
            // The rest are converted by the caller.
            _ => Stmt::Pass,
        }
    }

    /// Decorators and whether one of them was cut out.
    pub(super) fn decorators(&mut self, decorators: Vec<py::Decorator>) -> (List<ExprId>, bool) {
        let cut = decorators.iter().any(|d| self.sink.edits.is_placeholder(bounds(d).0));
        (self.exprs(decorators.into_iter().map(|d| d.expression).collect()), cut)
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
                    work.extend(p.arguments.patterns);
                    work.extend(p.arguments.keywords.into_iter().map(|keyword| keyword.pattern));
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
        if s.type_params.is_some() {
            return Stmt::Unsupported(UnsupportedStmt::opaque(Unsupported::TypeParams));
        }
        let (decorators, cut) = self.decorators(s.decorator_list);
        let (name, name_place) = self.defined_name(&s.name);
        let params = self.parameters(*s.parameters);
        let returns = self.option(s.returns);
        let body = self.block(s.body);
        if cut {
            return Stmt::Invalid;
        }
        Stmt::FunctionDef(FunctionDef { name, name_place, params, decorators, returns, body })
    }

    #[inline(never)]
    pub(super) fn class(&mut self, s: py::StmtClassDef) -> Stmt {
        if s.type_params.is_some() {
            return Stmt::Unsupported(UnsupportedStmt::opaque(Unsupported::TypeParams));
        }
        let (decorators, cut) = self.decorators(s.decorator_list);
        let (name, name_place) = self.defined_name(&s.name);
        let (args, keywords) = s.arguments.map_or_else(Default::default, |a| (a.args, a.keywords));
        let bases = self.exprs(args.into_vec());
        let keywords = self.keywords(keywords.into_vec());
        let body = self.block(s.body);
        if cut {
            return Stmt::Invalid;
        }
        Stmt::ClassDef(ClassDef { name, name_place, bases, keywords, decorators, body })
    }

    pub(super) fn defined_name(&mut self, name: &py::Identifier) -> (Name, Place) {
        let (start, end) = bounds(name);
        (self.sink.source_name((start, end)), self.sink.place(start, end))
    }

    #[inline(never)]
    pub(super) fn try_stmt(&mut self, s: py::StmtTry) -> Stmt {
        let body = self.stmts(s.body);
        let mut handlers = Vec::with_capacity(s.handlers.len());
        for handler in s.handlers {
            let (start, end) = bounds(&handler);
            let py::ExceptHandler::ExceptHandler(handler) = handler;
            let exc = self.option(handler.type_);
            let name = handler.name.map(|name| self.sink.source_name(bounds(&name)));
            let body = self.stmts(handler.body);
            handlers.push(ExceptHandler { exc, name, body, place: self.sink.place(start, end) });
        }
        let handlers = self.sink.ast.list(&handlers);
        let orelse = self.stmts(s.orelse);
        let finalbody = self.stmts(s.finalbody);
        Stmt::Try(Try { body, handlers, orelse, finalbody })
    }
}
