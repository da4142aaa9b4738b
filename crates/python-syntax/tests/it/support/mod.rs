//! Trees as text, for comparison.

use std::fmt::Write;

use tvmscript_python_syntax::ast::{
    Ast, Comprehension, Constant, Expr, ExprId, HasRange, Keyword, List, Name, Parameter, Pattern,
    PatternKind, Stmt, StmtId,
};

/// Writes the whole tree, one node per line with its range.
pub fn dump(ast: &Ast) -> String {
    let mut dump = Dump { ast, out: String::new(), depth: 0, f_string: false };
    for &id in ast.module_body() {
        dump.stmt(id);
    }
    dump.out
}

struct Dump<'a> {
    ast: &'a Ast,
    out: String,
    depth: usize,
    /// Inside f-strings, whose parts have ranges in one of the parsers only.
    f_string: bool,
}

impl Dump<'_> {
    fn line(&mut self, range: impl HasRange, text: &str) {
        let range = self.ast.range(range);
        let indent = self.depth;
        if self.f_string {
            writeln!(self.out, "{:indent$}{text}", "").unwrap();
        } else {
            writeln!(self.out, "{:indent$}{text} {}..{}", "", range.start, range.end).unwrap();
        }
    }

    fn name(&self, name: Name) -> &str {
        self.ast.name(name)
    }

    fn exprs(&mut self, list: List<ExprId>) {
        for id in self.ast.exprs(list).to_vec() {
            self.expr(id);
        }
    }

    fn stmts(&mut self, what: &str, list: List<StmtId>) {
        let indent = self.depth;
        writeln!(self.out, "{:indent$}{what}", "").unwrap();
        self.depth += 1;
        for id in self.ast.stmts(list).to_vec() {
            self.stmt(id);
        }
        self.depth -= 1;
    }

    fn keywords(&mut self, list: List<Keyword>) {
        for keyword in self.ast.list(list).to_vec() {
            let name = keyword.arg.map_or("**", |arg| self.ast.name(arg)).to_owned();
            self.line(keyword.place, &format!("keyword {name}"));
            self.expr(keyword.value);
        }
    }

    fn params(&mut self, list: List<Parameter>) {
        for param in self.ast.list(list).to_vec() {
            let text = format!("param {} {:?}", self.name(param.name), param.kind);
            self.line(param.place, &text);
            self.depth += 1;
            param.annotation.into_iter().for_each(|e| self.expr(e));
            param.default.into_iter().for_each(|e| self.expr(e));
            self.depth -= 1;
        }
    }

    fn generators(&mut self, list: List<Comprehension>) {
        for generator in self.ast.list(list).to_vec() {
            let indent = self.depth;
            writeln!(self.out, "{:indent$}for async={}", "", generator.is_async).unwrap();
            self.expr(generator.target);
            self.expr(generator.iter);
            self.exprs(generator.ifs);
        }
    }

    fn constant(&self, constant: Constant) -> String {
        match constant {
            Constant::Str(name) => format!("{:?}", self.name(name)),
            Constant::BigInt(index) => self.ast.big_int(index).to_string(),
            Constant::Bytes(index) => format!("{:?}", self.ast.bytes(index)),
            other => format!("{other:?}"),
        }
    }

    fn expr(&mut self, id: ExprId) {
        let expr = *self.ast.expr(id);
        let detail = match expr {
            Expr::BoolOp { op, .. } => op.as_str().to_owned(),
            Expr::BinOp { op, .. } => op.as_str().to_owned(),
            Expr::UnaryOp { op, .. } => op.as_str().to_owned(),
            Expr::Constant(constant) => self.constant(constant),
            Expr::Name(name) => self.name(name).to_owned(),
            Expr::Attribute { attr, .. } => {
                let at = self.ast.attr_range(id);
                format!("{} {}..{}", self.name(attr), at.start, at.end)
            }
            Expr::FormattedValue { conversion, .. } => format!("{conversion:?}"),
            _ => String::new(),
        };
        self.line(id, &format!("{:?} {detail}", expr.kind()));
        self.depth += 1;
        match expr {
            Expr::BoolOp { values, .. } => self.exprs(values),
            Expr::JoinedStr { values } => {
                let outer = std::mem::replace(&mut self.f_string, true);
                self.exprs(values);
                self.f_string = outer;
            }
            Expr::BinOp { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            Expr::UnaryOp { operand: value, .. }
            | Expr::Await { value }
            | Expr::YieldFrom { value }
            | Expr::Attribute { value, .. }
            | Expr::Starred { value } => self.expr(value),
            Expr::Lambda { params, body } => {
                self.params(params);
                self.expr(body);
            }
            Expr::IfExp { test, body, orelse } => [test, body, orelse].into_iter().for_each(|e| self.expr(e)),
            Expr::Dict { items } => {
                for item in self.ast.list(items).to_vec() {
                    item.key.into_iter().for_each(|e| self.expr(e));
                    self.expr(item.value);
                }
            }
            Expr::Set { elts } | Expr::List { elts } | Expr::Tuple { elts } => self.exprs(elts),
            Expr::ListComp { elt, generators }
            | Expr::SetComp { elt, generators }
            | Expr::GeneratorExp { elt, generators } => {
                self.expr(elt);
                self.generators(generators);
            }
            Expr::DictComp { key, value, generators } => {
                self.expr(key);
                self.expr(value);
                self.generators(generators);
            }
            Expr::Yield { value } => value.into_iter().for_each(|e| self.expr(e)),
            Expr::Compare { left, rest } => {
                self.expr(left);
                for part in self.ast.list(rest).to_vec() {
                    let indent = self.depth;
                    writeln!(self.out, "{:indent$}{}", "", part.op.as_str()).unwrap();
                    self.expr(part.right);
                }
            }
            Expr::Call { func, args, keywords } => {
                self.expr(func);
                self.exprs(args);
                self.keywords(keywords);
            }
            Expr::FormattedValue { value, spec, .. } => {
                let outer = std::mem::replace(&mut self.f_string, false);
                self.expr(value);
                self.f_string = true;
                spec.into_iter().for_each(|e| self.expr(e));
                self.f_string = outer;
            }
            Expr::NamedExpr { target, value } => {
                self.expr(target);
                self.expr(value);
            }
            Expr::Subscript { value, index } => {
                self.expr(value);
                self.expr(index);
            }
            Expr::Slice { lower, upper, step } => {
                for part in [lower, upper, step] {
                    match part {
                        Some(part) => self.expr(part),
                        None => self.out.push_str("-\n"),
                    }
                }
            }
            Expr::Constant(_) | Expr::Name(_) => {}
        }
        self.depth -= 1;
    }

    fn stmt(&mut self, id: StmtId) {
        let stmt = *self.ast.stmt(id);
        let detail = match stmt {
            Stmt::FunctionDef(s) => self.defined(s.name, s.name_place),
            Stmt::ClassDef(s) => self.defined(s.name, s.name_place),
            Stmt::AugAssign(s) => s.op.as_str().to_owned(),
            Stmt::ImportFrom(s) => format!("{:?} {}", s.module.map(|m| self.name(m)), s.level),
            Stmt::Global(s) => self.names(s.names),
            Stmt::Nonlocal(s) => self.names(s.names),
            Stmt::Unsupported(s) => s.kind.as_str().to_owned(),
            _ => String::new(),
        };
        self.line(id, &format!("{} {detail}", stmt.kind().as_str()));
        self.depth += 1;
        match stmt {
            Stmt::FunctionDef(s) => {
                self.exprs(s.decorators);
                self.params(s.params);
                s.returns.into_iter().for_each(|e| self.expr(e));
                self.stmts("body", s.body);
            }
            Stmt::ClassDef(s) => {
                self.exprs(s.decorators);
                self.exprs(s.bases);
                self.keywords(s.keywords);
                self.stmts("body", s.body);
            }
            Stmt::Return(s) => s.value.into_iter().for_each(|e| self.expr(e)),
            Stmt::Delete(s) => self.exprs(s.targets),
            Stmt::Assign(s) => {
                self.exprs(s.targets);
                self.expr(s.value);
            }
            Stmt::AugAssign(s) => [s.target, s.value].into_iter().for_each(|e| self.expr(e)),
            Stmt::AnnAssign(s) => {
                [Some(s.target), Some(s.annotation), s.value]
                    .into_iter()
                    .flatten()
                    .for_each(|e| self.expr(e));
            }
            Stmt::For(s) => {
                self.expr(s.target);
                self.expr(s.iter);
                self.stmts("body", s.body);
                self.stmts("else", s.orelse);
            }
            Stmt::While(s) => {
                self.expr(s.test);
                self.stmts("body", s.body);
                self.stmts("else", s.orelse);
            }
            Stmt::If(s) => {
                for clause in self.ast.list(s.clauses).to_vec() {
                    self.line(clause.place, "clause");
                    self.expr(clause.test);
                    self.stmts("body", clause.body);
                }
                self.stmts("else", s.orelse);
            }
            Stmt::With(s) => {
                for item in self.ast.list(s.items).to_vec() {
                    self.expr(item.context);
                    item.target.into_iter().for_each(|e| self.expr(e));
                }
                self.stmts("body", s.body);
            }
            Stmt::Raise(s) => [s.exc, s.cause].into_iter().flatten().for_each(|e| self.expr(e)),
            Stmt::Try(s) => {
                self.stmts("body", s.body);
                for handler in self.ast.list(s.handlers).to_vec() {
                    self.line(handler.place, &format!("except {:?}", handler.name.map(|n| self.name(n))));
                    handler.exc.into_iter().for_each(|e| self.expr(e));
                    self.stmts("body", handler.body);
                }
                self.stmts("else", s.orelse);
                self.stmts("finally", s.finalbody);
            }
            Stmt::Assert(s) => [Some(s.test), s.msg].into_iter().flatten().for_each(|e| self.expr(e)),
            Stmt::Import(s) => self.aliases(s.names),
            Stmt::ImportFrom(s) => self.aliases(s.names),
            Stmt::Expr(s) => self.expr(s.value),
            Stmt::Match(s) => {
                self.expr(s.subject);
                for case in self.ast.list(s.cases).to_vec() {
                    let names = self.names(case.names);
                    let depth = self.depth;
                    writeln!(self.out, "{:depth$}case {names} {}", "", case.is_irrefutable).unwrap();
                    for pattern in self.ast.list(case.pattern).to_vec() {
                        self.pattern(pattern);
                    }
                    case.guard.into_iter().for_each(|e| self.expr(e));
                    self.stmts("body", case.body);
                }
            }
            Stmt::Unsupported(s) => s.plain.into_iter().for_each(|plain| self.stmt(plain)),
            Stmt::Global(_)
            | Stmt::Nonlocal(_)
            | Stmt::Pass
            | Stmt::Break
            | Stmt::Continue
            | Stmt::Invalid => {}
        }
        self.depth -= 1;
    }

    fn defined(&self, name: Name, place: tvmscript_python_syntax::ast::PieceRange) -> String {
        let at = self.ast.range(place);
        format!("{} {}..{}", self.name(name), at.start, at.end)
    }

    fn names(&self, names: List<Name>) -> String {
        self.ast.list(names).iter().map(|n| self.name(*n)).collect::<Vec<_>>().join(" ")
    }

    fn pattern(&mut self, pattern: Pattern) {
        let (text, exprs) = match pattern.kind {
            PatternKind::Wildcard => ("_".to_owned(), Vec::new()),
            PatternKind::Capture(name) => (self.name(name).to_owned(), Vec::new()),
            PatternKind::As(name) => (format!("as {}", self.name(name)), Vec::new()),
            PatternKind::Value(value) => ("value".to_owned(), vec![value]),
            PatternKind::Sequence { parts } => (format!("sequence {parts}"), Vec::new()),
            PatternKind::Star(name) => (format!("star {:?}", name.map(|n| self.name(n))), Vec::new()),
            PatternKind::Mapping { keys, rest } => {
                (format!("mapping {:?}", rest.map(|n| self.name(n))), self.ast.list(keys).to_vec())
            }
            PatternKind::Class { class, positional, keywords } => {
                (format!("class {positional} {}", self.names(keywords)), vec![class])
            }
            PatternKind::Or { parts } => (format!("or {parts}"), Vec::new()),
        };
        let depth = self.depth;
        writeln!(self.out, "{:depth$}pattern {text} {}", "", pattern.size).unwrap();
        exprs.into_iter().for_each(|e| self.expr(e));
    }

    fn aliases(&mut self, list: List<tvmscript_python_syntax::ast::Alias>) {
        for alias in self.ast.list(list).to_vec() {
            let text = format!("{} as {:?}", self.name(alias.name), alias.asname.map(|n| self.name(n)));
            self.line(alias.place, &text);
        }
    }
}
