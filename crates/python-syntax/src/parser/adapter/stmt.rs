//! Conversion of statements.

use super::super::py;
use super::super::{class_patterns, level, singleton};
use super::expr::bin_op;
use super::{Converter, bounds};
use crate::ast::{
    Alias, AnnAssign, Assert, Assign, AugAssign, Delete, ExceptHandler, Expr, ExprId, ExprStmt, For, Global,
    Import, ImportFrom, List, Match, MatchCase, Name, Nonlocal, Pattern, PatternKind, Raise, Return, Stmt,
    StmtId, Try, Unsupported, UnsupportedStmt, While, With, WithItem,
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
            let mut pattern = Vec::new();
            self.pattern(case.pattern, &mut pattern);
            let names = self.pattern_names(&pattern);
            let pattern = self.sink.ast.list(&pattern);
            let guard = self.option(case.guard);
            cases.push(MatchCase { pattern, names, is_irrefutable, guard, body: self.stmts(case.body) });
        }
        Stmt::Match(Match { subject, cases: self.sink.ast.list(&cases) })
    }

    /// Adds a pattern and its parts to a list in prefix order.
    fn pattern(&mut self, pattern: py::Pattern, out: &mut Vec<Pattern>) {
        let at = out.len();
        out.push(Pattern { kind: PatternKind::Wildcard, size: 1 });
        let kind = match pattern {
            py::Pattern::MatchValue(p) => PatternKind::Value(self.expr(*p.value)),
            py::Pattern::MatchSingleton(p) => {
                let (start, end) = bounds(&p);
                PatternKind::Value(self.sink.expr(Expr::Constant(singleton(&p)), start, end))
            }
            py::Pattern::MatchSequence(p) => PatternKind::Sequence { parts: self.patterns(p.patterns, out) },
            py::Pattern::MatchOr(p) => PatternKind::Or { parts: self.patterns(p.patterns, out) },
            py::Pattern::MatchStar(p) => PatternKind::Star(p.name.map(|name| self.identifier(&name))),
            py::Pattern::MatchMapping(p) => {
                let keys = self.exprs(p.keys);
                self.patterns(p.patterns, out);
                PatternKind::Mapping { keys, rest: p.rest.map(|name| self.identifier(&name)) }
            }
            py::Pattern::MatchClass(p) => {
                let (class, patterns, named) = class_patterns(p);
                let class = self.expr(*class);
                let positional = self.patterns(patterns, out);
                let mut keywords = Vec::new();
                for (name, pattern) in named {
                    keywords.push(self.identifier(&name));
                    self.pattern(pattern, out);
                }
                PatternKind::Class { class, positional, keywords: self.sink.ast.list(&keywords) }
            }
            py::Pattern::MatchAs(p) => match (p.pattern, p.name) {
                (Some(part), Some(name)) => {
                    self.pattern(*part, out);
                    PatternKind::As(self.identifier(&name))
                }
                (None, Some(name)) => PatternKind::Capture(self.identifier(&name)),
                (_, None) => PatternKind::Wildcard,
            },
        };
        let size = (out.len() - at) as u32;
        if let Some(slot) = out.get_mut(at) {
            *slot = Pattern { kind, size };
        }
    }

    /// Adds patterns to a list and returns their number.
    fn patterns(&mut self, patterns: Vec<py::Pattern>, out: &mut Vec<Pattern>) -> u32 {
        let count = patterns.len() as u32;
        patterns.into_iter().for_each(|pattern| self.pattern(pattern, out));
        count
    }

    /// The names that a pattern binds.
    fn pattern_names(&mut self, pattern: &[Pattern]) -> List<Name> {
        let names: Vec<Name> = pattern
            .iter()
            .filter_map(|pattern| match pattern.kind {
                PatternKind::Capture(name) | PatternKind::As(name) => Some(name),
                PatternKind::Star(name) | PatternKind::Mapping { rest: name, .. } => name,
                _ => None,
            })
            .collect();
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
