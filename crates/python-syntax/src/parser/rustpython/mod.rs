//! The default backend: `rustpython-parser`.

mod failure;

use num_bigint::BigInt;
use rustpython_parser::Mode;

use super::Failure;
use crate::ast::{
    ClassDef, Constant, Expr, ExprId, FunctionDef, If, List, Name, ParamKind, Parameter, PieceRange, Stmt,
    Unsupported, UnsupportedStmt,
};
use adapter::{Converter, bounds};

#[path = "../adapter/mod.rs"]
#[cfg_attr(feature = "ruff", allow(clippy::duplicate_mod, reason = "compiled once for each backend"))]
mod adapter;

pub(super) use adapter::{check, parse};

/// The foreign tree under the names that the adapter uses.
mod py {
    pub(super) use rustpython_parser::ast::Expr::{GeneratorExp, IfExp, NamedExpr};
    pub(super) use rustpython_parser::ast::*;
    pub(super) use rustpython_parser::ast::{Arg as Parameter, Arguments as Parameters};
}

fn foreign(text: &str) -> Result<Vec<py::Stmt>, Failure> {
    let parse = || rustpython_parser::parse(text, Mode::Module, "");
    // The parser contains a few `unwrap`s.
    match std::panic::catch_unwind(parse) {
        Ok(Ok(py::Mod::Module(module))) => Ok(module.body),
        Ok(Ok(_)) => Ok(Vec::new()),
        Ok(Err(error)) => Err(failure::failure(text, error)),
        Err(_) => Err(Failure::of_parser()),
    }
}

fn call_parts(e: py::ExprCall) -> (Box<py::Expr>, Vec<py::Expr>, Vec<py::Keyword>) {
    (e.func, e.args, e.keywords)
}

fn dict_items(e: py::ExprDict) -> impl Iterator<Item = (Option<py::Expr>, py::Expr)> {
    e.keys.into_iter().zip(e.values)
}

/// The parts of a class pattern without a name, and those with one.
fn class_patterns(pattern: py::PatternMatchClass) -> ClassPattern<impl Iterator<Item = NamedPattern>> {
    (pattern.cls, pattern.patterns, pattern.kwd_attrs.into_iter().zip(pattern.kwd_patterns))
}

fn singleton(pattern: &py::PatternMatchSingleton) -> Constant {
    match pattern.value {
        py::Constant::Bool(value) => Constant::Bool(value),
        _ => Constant::None,
    }
}

type NamedPattern = (py::Identifier, py::Pattern);
type ClassPattern<I> = (Box<py::Expr>, Vec<py::Pattern>, I);

fn level(level: Option<py::Int>) -> u32 {
    level.map_or(0, |level| level.to_u32())
}

impl Converter<'_> {
    fn identifier(&mut self, name: &py::Identifier) -> Name {
        self.sink.identifier(name)
    }

    /// Converts names, literals and f-strings, whose foreign nodes differ.
    fn literal(&mut self, expr: py::Expr, _: (u32, u32)) -> Expr {
        match expr {
            py::Expr::Name(e) => Expr::Name(self.sink.identifier(&e.id)),
            py::Expr::Constant(e) => Expr::Constant(self.constant(e.value)),
            py::Expr::JoinedStr(e) => Expr::JoinedStr { values: self.exprs(e.values) },
            py::Expr::FormattedValue(e) => {
                let value = self.expr(*e.value);
                let conversion = adapter::conversion(e.conversion);
                Expr::FormattedValue { value, conversion, spec: self.option(e.format_spec) }
            }
            other => self.rare(other),
        }
    }

    fn constant(&mut self, value: py::Constant) -> Constant {
        match value {
            py::Constant::None => Constant::None,
            py::Constant::Bool(b) => Constant::Bool(b),
            py::Constant::Str(s) => Constant::Str(self.sink.name(&s)),
            py::Constant::Bytes(b) => self.sink.ast.bytes(&b),
            py::Constant::Int(i) => self.int(i),
            py::Constant::Float(f) => Constant::Float(f),
            py::Constant::Complex { imag, .. } => Constant::Imaginary(imag),
            py::Constant::Ellipsis => Constant::Ellipsis,
            // The parser does not fold constants.
            py::Constant::Tuple(_) => Constant::None,
        }
    }

    fn int(&mut self, value: BigInt) -> Constant {
        match i64::try_from(&value) {
            Ok(i) => Constant::Int(i),
            Err(_) => self.sink.ast.big_int(value),
        }
    }

    #[inline(never)]
    fn lambda(&mut self, e: py::ExprLambda) -> Expr {
        let params = self.parameters(*e.args);
        Expr::Lambda { params, body: self.expr(*e.body) }
    }

    fn with_default(&mut self, list: &mut Vec<Parameter>, arg: py::ArgWithDefault, kind: ParamKind) {
        self.parameter(list, arg.def, arg.default, kind);
    }

    fn parameter_name(&mut self, arg: &py::Parameter) -> (Name, PieceRange) {
        let (start, end) = bounds(arg);
        let place = self.sink.place(start, end);
        (self.sink.identifier(&arg.arg), place)
    }

    /// Converts the statements whose foreign nodes differ; also returns the start of the statement.
    fn compound(&mut self, stmt: py::Stmt, at: (u32, u32)) -> (Stmt, u32) {
        let stmt = match stmt {
            py::Stmt::For(s) => self.for_loop(s),
            py::Stmt::With(s) => self.with(s.items, s.body),
            py::Stmt::FunctionDef(s) => self.function(s),
            py::Stmt::ClassDef(s) => self.class(s),
            py::Stmt::Try(s) => self.try_stmt(s),
            py::Stmt::AsyncFunctionDef(s) => self.async_function(s),
            py::Stmt::AsyncFor(s) => {
                let py::StmtAsyncFor { range, target, iter, body, orelse, type_comment } = s;
                let plain = self.for_loop(py::StmtFor { range, target, iter, body, orelse, type_comment });
                self.sink.unsupported(Unsupported::AsyncFor, plain, at)
            }
            py::Stmt::AsyncWith(s) => {
                let plain = self.with(s.items, s.body);
                self.sink.unsupported(Unsupported::AsyncWith, plain, at)
            }
            py::Stmt::TryStar(s) => {
                let py::StmtTryStar { range, body, handlers, orelse, finalbody } = s;
                let plain = self.try_stmt(py::StmtTry { range, body, handlers, orelse, finalbody });
                self.sink.unsupported(Unsupported::TryStar, plain, at)
            }
            other => return (self.rare_stmt(other), at.0),
        };
        (stmt, at.0)
    }

    /// An `elif` is an `if` alone in the `orelse`; only the text distinguishes it from `else:` with an `if`.
    #[inline(never)]
    fn if_chain(&mut self, s: py::StmtIf) -> Stmt {
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
            let is_elif = matches!(&orelse[..], [py::Stmt::If(s)] if self.sink.text[bounds(s).0 as usize..].starts_with("elif"));
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

    /// Converts decorators; the flag is `true` if one of them was cut out.
    fn decorators(&mut self, decorators: Vec<py::Expr>) -> (List<ExprId>, bool) {
        let cut = decorators.iter().any(|d| self.sink.edits.is_placeholder(bounds(d).0));
        (self.exprs(decorators), cut)
    }

    #[inline(never)]
    fn async_function(&mut self, s: py::StmtAsyncFunctionDef) -> Stmt {
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

    /// The type parameters of a function, if none has a star.
    fn type_params(&mut self, params: Vec<py::TypeParam>) -> Option<List<Parameter>> {
        let params = params.into_iter().map(|param| match param {
            py::TypeParam::TypeVar(param) => {
                let (start, end) = bounds(&param);
                let name = self.sink.identifier(&param.name);
                let annotation = self.option(param.bound);
                let place = self.sink.place(start, end);
                Some(Parameter { name, kind: ParamKind::Normal, annotation, default: None, place })
            }
            _ => None,
        });
        let params: Vec<Parameter> = params.collect::<Option<_>>()?;
        Some(self.sink.ast.list(&params))
    }

    #[inline(never)]
    fn function(&mut self, mut s: py::StmtFunctionDef) -> Stmt {
        let Some(type_params) = self.type_params(std::mem::take(&mut s.type_params)) else {
            return Stmt::Unsupported(UnsupportedStmt::opaque(Unsupported::TypeParams));
        };
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
        Stmt::FunctionDef(FunctionDef { name, name_place, type_params, params, decorators, returns, body })
    }

    #[inline(never)]
    fn class(&mut self, s: py::StmtClassDef) -> Stmt {
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

    /// Range of the name of a definition, which the parser does not return: the first occurrence after the keyword.
    fn name_place(&self, start: u32, keyword: &str, name: &str) -> crate::ast::PieceRange {
        let rest = self.sink.text.get(start as usize..).unwrap_or_default();
        let skipped = if rest.starts_with("async") { rest.find(keyword).unwrap_or_default() } else { 0 };
        let from = start as usize + skipped + keyword.len();
        let found = self.sink.text.get(from..).and_then(|rest| rest.find(name));
        let at = found.map_or(start, |i| (from + i) as u32);
        self.sink.place(at, at + name.len() as u32)
    }
}
