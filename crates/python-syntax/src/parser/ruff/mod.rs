//! The second backend, behind the feature `ruff`: the republished parser of ruff.
//!
//! The parser recurses for everything but chains. It continues after an error; only the first error counts, since later
//! ones may follow from it. Its errors about assignment targets are ignored: the check that all backends share reports
//! those.

mod f_string;
mod failure;

use num_bigint::BigInt;
use rustpython_ruff_python_parser::{Mode, ParseErrorType, ParseOptions, parse_unchecked};

use super::Failure;
use super::error::SyntaxErrorKind;
use crate::ast::{
    ClassDef, Constant, Expr, ExprId, FunctionDef, If, List, Name, ParamKind, Parameter, PieceRange, Stmt,
    Unsupported, UnsupportedStmt,
};
use adapter::{Converter, bounds};

#[path = "../adapter/mod.rs"]
#[allow(clippy::duplicate_mod, reason = "compiled once for each backend")]
mod adapter;

pub(super) use adapter::{check, parse};

/// The foreign tree under the names that the adapter uses.
mod py {
    pub(super) use rustpython_ruff_python_ast::Expr::{
        Generator as GeneratorExp, If as IfExp, Named as NamedExpr,
    };
    pub(super) use rustpython_ruff_python_ast::ExprIf as ExprIfExp;
    pub(super) use rustpython_ruff_python_ast::*;
    pub(super) use rustpython_ruff_text_size::Ranged;
}

fn foreign(text: &str) -> Result<Vec<py::Stmt>, Failure> {
    let parse = || parse_unchecked(text, ParseOptions::from(Mode::Module));
    let parsed = std::panic::catch_unwind(parse).map_err(|_| Failure::of_parser())?;
    let first =
        parsed.errors().iter().filter(|error| !is_target(&error.error)).min_by_key(|e| e.location.start());
    if let Some(error) = first {
        return Err(failure::failure(error));
    }
    match parsed.into_syntax() {
        py::Mod::Module(module) => Ok(module.body),
        py::Mod::Expression(_) => Err(Failure::of_parser()),
    }
}

fn is_target(error: &ParseErrorType) -> bool {
    matches!(
        error,
        ParseErrorType::InvalidAssignmentTarget
            | ParseErrorType::InvalidAnnotatedAssignmentTarget
            | ParseErrorType::InvalidAugmentedAssignmentTarget
            | ParseErrorType::InvalidDeleteTarget
    )
}

fn call_parts(e: py::ExprCall) -> (Box<py::Expr>, Vec<py::Expr>, Vec<py::Keyword>) {
    (e.func, e.arguments.args.into_vec(), e.arguments.keywords.into_vec())
}

fn dict_items(e: py::ExprDict) -> impl Iterator<Item = (Option<py::Expr>, py::Expr)> {
    e.items.into_iter().map(|item| (item.key, item.value))
}

/// The parts of a class pattern without a name, and those with one.
fn class_patterns(pattern: py::PatternMatchClass) -> ClassPattern<impl Iterator<Item = NamedPattern>> {
    let py::PatternArguments { patterns, keywords, .. } = pattern.arguments;
    (pattern.cls, patterns, keywords.into_iter().map(|keyword| (keyword.attr, keyword.pattern)))
}

fn singleton(pattern: &py::PatternMatchSingleton) -> Constant {
    match pattern.value {
        py::Singleton::None => Constant::None,
        py::Singleton::True => Constant::Bool(true),
        py::Singleton::False => Constant::Bool(false),
    }
}

type NamedPattern = (py::Identifier, py::Pattern);
type ClassPattern<I> = (Box<py::Expr>, Vec<py::Pattern>, I);

fn level(level: u32) -> u32 {
    level
}

impl Converter<'_> {
    fn identifier(&mut self, name: &py::Identifier) -> Name {
        self.sink.source_name(bounds(name))
    }

    /// Converts names, literals and f-strings, whose foreign nodes differ.
    fn literal(&mut self, expr: py::Expr, (start, end): (u32, u32)) -> Expr {
        match expr {
            py::Expr::Name(_) => Expr::Name(self.sink.source_name((start, end))),
            py::Expr::NumberLiteral(e) => Expr::Constant(self.number(&e.value)),
            py::Expr::StringLiteral(e) => Expr::Constant(self.string(e.value.to_str(), start, end)),
            py::Expr::BooleanLiteral(e) => Expr::Constant(Constant::Bool(e.value)),
            py::Expr::NoneLiteral(_) => Expr::Constant(Constant::None),
            py::Expr::EllipsisLiteral(_) => Expr::Constant(Constant::Ellipsis),
            py::Expr::BytesLiteral(e) => {
                let bytes: Vec<u8> = e.value.bytes().collect();
                Expr::Constant(self.sink.ast.bytes(&bytes))
            }
            py::Expr::FString(e) => Expr::JoinedStr { values: self.f_string(e.value, start) },
            py::Expr::TString(_) => {
                self.sink.error(SyntaxErrorKind::TemplateString, start, end);
                Expr::Constant(Constant::None)
            }
            other => self.rare(other),
        }
    }

    fn string(&mut self, value: &str, start: u32, end: u32) -> Constant {
        if value.contains('\r')
            && let Some(name) = self.unix_line_breaks(start, end)
        {
            return Constant::Str(name);
        }
        Constant::Str(self.sink.name(value))
    }

    /// Value of a string literal with `\r` line breaks, which Python reads as `\n`.
    #[cold]
    fn unix_line_breaks(&mut self, start: u32, end: u32) -> Option<Name> {
        let source = self.sink.text.get(start as usize..end as usize)?;
        let source = format!("({})", source.replace("\r\n", "\n").replace('\r', "\n"));
        match &*foreign(&source).ok()? {
            [py::Stmt::Expr(stmt)] => match &*stmt.value {
                py::Expr::StringLiteral(e) => Some(self.sink.name(e.value.to_str())),
                _ => None,
            },
            _ => None,
        }
    }

    fn number(&mut self, value: &py::Number) -> Constant {
        match value {
            py::Number::Int(int) => match int.as_i64() {
                Some(i) => Constant::Int(i),
                None => self.big_int(&int.to_string()),
            },
            py::Number::Float(f) => Constant::Float(*f),
            py::Number::Complex { imag, .. } => Constant::Imaginary(*imag),
        }
    }

    /// Converts an integer that the parser returns as source text.
    #[cold]
    fn big_int(&mut self, written: &str) -> Constant {
        let digits = written.replace('_', "").to_ascii_lowercase();
        let (radix, digits) = match digits.get(..2) {
            Some("0x") => (16, &digits[2..]),
            Some("0o") => (8, &digits[2..]),
            Some("0b") => (2, &digits[2..]),
            _ => (10, &digits[..]),
        };
        let value = BigInt::parse_bytes(digits.as_bytes(), radix).unwrap_or_default();
        self.sink.ast.big_int(value)
    }

    #[inline(never)]
    fn lambda(&mut self, e: py::ExprLambda) -> Expr {
        let params = e.parameters.map_or(List::EMPTY, |params| self.parameters(*params));
        Expr::Lambda { params, body: self.expr(*e.body) }
    }

    fn with_default(&mut self, list: &mut Vec<Parameter>, arg: py::ParameterWithDefault, kind: ParamKind) {
        self.parameter(list, arg.parameter, arg.default, kind);
    }

    fn parameter_name(&mut self, arg: &py::Parameter) -> (Name, PieceRange) {
        // The range excludes stars and includes parentheses around an annotation.
        let place = self.sink.place(bounds(&arg.name).0, bounds(arg).1);
        (self.identifier(&arg.name), place)
    }

    /// Converts the statements whose foreign nodes differ; also returns the start of the statement.
    fn compound(&mut self, stmt: py::Stmt, at: (u32, u32)) -> (Stmt, u32) {
        let mut start = at.0;
        let (unsupported, plain) = match stmt {
            py::Stmt::For(s) => (s.is_async.then_some(Unsupported::AsyncFor), self.for_loop(s)),
            py::Stmt::With(s) => (s.is_async.then_some(Unsupported::AsyncWith), self.with(s.items, s.body)),
            py::Stmt::Try(s) => (s.is_star.then_some(Unsupported::TryStar), self.try_stmt(s)),
            py::Stmt::FunctionDef(s) => {
                start = self.after_decorators(start, &s.decorator_list);
                (s.is_async.then_some(Unsupported::AsyncFunctionDef), self.function(s))
            }
            py::Stmt::ClassDef(s) => {
                start = self.after_decorators(start, &s.decorator_list);
                (None, self.class(s))
            }
            other => return (self.rare_stmt(other), at.0),
        };
        let stmt = match unsupported {
            Some(kind) => self.sink.unsupported(kind, plain, (start, at.1)),
            None => plain,
        };
        (stmt, start)
    }

    /// Start of the `def` or `class` keyword after decorators, line breaks and comments.
    fn after_decorators(&self, start: u32, decorators: &[py::Decorator]) -> u32 {
        let Some(last) = decorators.last() else { return start };
        let mut at = bounds(last).1 as usize;
        let bytes = self.sink.text.as_bytes();
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'#' => at += bytes.iter().skip(at).take_while(|b| !matches!(b, b'\n' | b'\r')).count(),
                b' ' | b'\t' | b'\n' | b'\r' | b'\\' | 0x0c => at += 1,
                _ => break,
            }
        }
        at as u32
    }

    #[inline(never)]
    fn if_chain(&mut self, s: py::StmtIf) -> Stmt {
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

    /// Converts decorators; the flag is `true` if one of them was cut out.
    fn decorators(&mut self, decorators: Vec<py::Decorator>) -> (List<ExprId>, bool) {
        let cut = decorators.iter().any(|d| self.sink.edits.is_placeholder(bounds(d).0));
        (self.exprs(decorators.into_iter().map(|d| d.expression).collect()), cut)
    }

    /// The type parameters of a function, if none has a star or a default.
    fn type_params(&mut self, params: Option<Box<py::TypeParams>>) -> Option<List<Parameter>> {
        let params = params.map_or_else(Vec::new, |params| params.type_params);
        let params = params.into_iter().map(|param| match param {
            py::TypeParam::TypeVar(param) if param.default.is_none() => {
                let (start, end) = bounds(&param);
                let name = self.sink.source_name(bounds(&param.name));
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
        let Some(type_params) = self.type_params(s.type_params.take()) else {
            return Stmt::Unsupported(UnsupportedStmt::opaque(Unsupported::TypeParams));
        };
        let (decorators, cut) = self.decorators(s.decorator_list);
        let (name, name_place) = self.defined_name(&s.name);
        let params = self.parameters(*s.parameters);
        let returns = self.option(s.returns);
        let body = self.block(s.body);
        if cut {
            return Stmt::Invalid;
        }
        Stmt::FunctionDef(FunctionDef { name, name_place, type_params, params, decorators, returns, body })
    }

    #[inline(never)]
    fn class(&mut self, s: py::StmtClassDef) -> Stmt {
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

    fn defined_name(&mut self, name: &py::Identifier) -> (Name, PieceRange) {
        let (start, end) = bounds(name);
        (self.sink.source_name((start, end)), self.sink.place(start, end))
    }
}
