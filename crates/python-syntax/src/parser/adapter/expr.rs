//! Conversion of expressions.

use super::super::py;
use super::super::{call_parts, dict_items};
use super::{Converter, Link, bounds};
use crate::ast::{
    BinOp, BoolOp, CmpOp, Comparison, Comprehension, Constant, Conversion, DictItem, Expr, ExprId, Keyword,
    List, ParamKind, Parameter, StmtId, UnaryOp,
};

impl Converter<'_> {
    pub(in super::super) fn exprs(&mut self, exprs: Vec<py::Expr>) -> List<ExprId> {
        let mark = self.sink.open_exprs();
        for expr in exprs {
            let id = self.expr(expr);
            self.sink.push_expr(id);
        }
        self.sink.close_exprs(mark)
    }

    pub(in super::super) fn option(&mut self, expr: Option<Box<py::Expr>>) -> Option<ExprId> {
        expr.map(|expr| self.expr(*expr))
    }

    /// Converts the block of a statement, or returns the block that was parsed separately.
    pub(in super::super) fn block(&mut self, stmts: Vec<py::Stmt>) -> List<StmtId> {
        match self.sink.frame.body.take() {
            Some(body) => body,
            None => self.stmts(stmts),
        }
    }

    pub(in super::super) fn stmts(&mut self, stmts: Vec<py::Stmt>) -> List<StmtId> {
        let mark = self.sink.open_stmts();
        for stmt in stmts {
            let id = self.stmt(stmt);
            self.sink.push_stmt(id);
        }
        self.sink.close_stmts(mark)
    }

    pub(in super::super) fn expr(&mut self, expr: py::Expr) -> ExprId {
        let mark = self.spine.len();
        let mut current = expr;
        loop {
            let at = bounds(&current);
            current = match current {
                py::Expr::BinOp(e) => {
                    self.spine.push(Link::BinOp(bin_op(e.op), e.right, at));
                    *e.left
                }
                py::Expr::Attribute(e) => {
                    self.spine.push(Link::Attribute(e.attr, at));
                    *e.value
                }
                py::Expr::Subscript(e) => {
                    self.spine.push(Link::Subscript(e.slice, at));
                    *e.value
                }
                py::Expr::Call(e) => {
                    let (func, args, keywords) = call_parts(e);
                    self.spine.push(Link::Call(args, keywords, at));
                    *func
                }
                other => {
                    current = other;
                    break;
                }
            };
        }
        let mut id = self.leaf(current);
        while self.spine.len() > mark {
            let Some(link) = self.spine.pop() else { break };
            id = self.link(id, link);
        }
        id
    }

    fn link(&mut self, left: ExprId, link: Link) -> ExprId {
        let (expr, (start, end)) = match link {
            Link::BinOp(op, right, at) => {
                let right = self.expr(*right);
                (Expr::BinOp { left, op, right }, at)
            }
            Link::Attribute(attr, at) => (Expr::Attribute { value: left, attr: self.identifier(&attr) }, at),
            Link::Subscript(index, at) => {
                // Only rustpython's parser returns a bare starred index: `x[*a]` is `x[(*a,)]`.
                let starred = matches!(*index, py::Expr::Starred(_)).then(|| bounds(&*index));
                let mut index = self.expr(*index);
                if let Some((start, end)) = starred {
                    let elts = self.sink.ast.list(&[index]);
                    index = self.sink.expr(Expr::Tuple { elts }, start, end);
                }
                (Expr::Subscript { value: left, index }, at)
            }
            Link::Call(args, keywords, at) => {
                let args = self.exprs(args);
                let keywords = self.keywords(keywords);
                (Expr::Call { func: left, args, keywords }, at)
            }
        };
        self.sink.expr(expr, start, end)
    }

    fn leaf(&mut self, expr: py::Expr) -> ExprId {
        let (start, end) = bounds(&expr);
        let expr = match expr {
            py::Expr::UnaryOp(e) => {
                let operand = self.expr(*e.operand);
                Expr::UnaryOp { op: unary_op(e.op), operand }
            }
            py::Expr::Tuple(e) => Expr::Tuple { elts: self.exprs(e.elts) },
            py::Expr::List(e) => Expr::List { elts: self.exprs(e.elts) },
            py::Expr::Set(e) => Expr::Set { elts: self.exprs(e.elts) },
            py::Expr::BoolOp(e) => {
                let op = match e.op {
                    py::BoolOp::And => BoolOp::And,
                    py::BoolOp::Or => BoolOp::Or,
                };
                Expr::BoolOp { op, values: self.exprs(e.values) }
            }
            py::IfExp(e) => self.conditional(e),
            py::Expr::Lambda(e) => self.lambda(e),
            py::Expr::Starred(e) => Expr::Starred { value: self.expr(*e.value) },
            py::Expr::Await(e) => Expr::Await { value: self.expr(*e.value) },
            py::Expr::Yield(e) => Expr::Yield { value: self.option(e.value) },
            py::Expr::YieldFrom(e) => Expr::YieldFrom { value: self.expr(*e.value) },
            other => self.literal(other, (start, end)),
        };
        self.sink.expr(expr, start, end)
    }

    #[inline(never)]
    fn conditional(&mut self, e: py::ExprIfExp) -> Expr {
        let test = self.expr(*e.test);
        let body = self.expr(*e.body);
        Expr::IfExp { test, body, orelse: self.expr(*e.orelse) }
    }

    /// Converts the kinds with several children. Apart from [`Self::leaf`] so that its stack frame stays small.
    #[inline(never)]
    pub(in super::super) fn rare(&mut self, expr: py::Expr) -> Expr {
        match expr {
            py::Expr::Compare(e) => {
                let left = self.expr(*e.left);
                let mut rest = Vec::with_capacity(e.ops.len());
                for (op, right) in e.ops.into_iter().zip(e.comparators) {
                    rest.push(Comparison { op: cmp_op(op), right: self.expr(right) });
                }
                Expr::Compare { left, rest: self.sink.ast.list(&rest) }
            }
            py::Expr::Dict(e) => {
                let mut items = Vec::new();
                for (key, value) in dict_items(e) {
                    let key = key.map(|key| self.expr(key));
                    items.push(DictItem { key, value: self.expr(value) });
                }
                Expr::Dict { items: self.sink.ast.list(&items) }
            }
            py::Expr::Slice(e) => {
                let lower = self.option(e.lower);
                let upper = self.option(e.upper);
                let step = self.option(e.step);
                Expr::Slice { lower, upper, step }
            }
            py::NamedExpr(e) => {
                let target = self.expr(*e.target);
                Expr::NamedExpr { target, value: self.expr(*e.value) }
            }
            py::Expr::ListComp(e) => {
                let elt = self.expr(*e.elt);
                Expr::ListComp { elt, generators: self.generators(e.generators) }
            }
            py::Expr::SetComp(e) => {
                let elt = self.expr(*e.elt);
                Expr::SetComp { elt, generators: self.generators(e.generators) }
            }
            py::Expr::DictComp(e) => {
                let key = self.expr(*e.key);
                let value = self.expr(*e.value);
                Expr::DictComp { key, value, generators: self.generators(e.generators) }
            }
            py::GeneratorExp(e) => {
                let elt = self.expr(*e.elt);
                Expr::GeneratorExp { elt, generators: self.generators(e.generators) }
            }
            // `expr`, `leaf` and `literal` convert all other kinds.
            _ => Expr::Constant(Constant::Ellipsis),
        }
    }

    fn generators(&mut self, generators: Vec<py::Comprehension>) -> List<Comprehension> {
        let mut list = Vec::with_capacity(generators.len());
        for generator in generators {
            let target = self.expr(generator.target);
            self.sink.check_target(target);
            let iter = self.expr(generator.iter);
            let ifs = self.exprs(generator.ifs);
            list.push(Comprehension { target, iter, ifs, is_async: generator.is_async });
        }
        self.sink.ast.list(&list)
    }

    pub(in super::super) fn keywords(&mut self, keywords: Vec<py::Keyword>) -> List<Keyword> {
        if keywords.is_empty() {
            return List::EMPTY;
        }
        let mut list = smallvec::SmallVec::<[Keyword; 4]>::new();
        for keyword in keywords {
            let (start, end) = bounds(&keyword);
            let place = self.sink.place(start, end);
            let arg = keyword.arg.map(|arg| self.identifier(&arg));
            list.push(Keyword { arg, value: self.expr(keyword.value), place });
        }
        self.sink.check_keywords(&list);
        self.sink.ast.list(&list)
    }

    pub(in super::super) fn parameters(&mut self, args: py::Parameters) -> List<Parameter> {
        let mut list = Vec::new();
        for arg in args.posonlyargs {
            self.with_default(&mut list, arg, ParamKind::PositionalOnly);
        }
        for arg in args.args {
            self.with_default(&mut list, arg, ParamKind::Normal);
        }
        if let Some(arg) = args.vararg {
            self.parameter(&mut list, *arg, None, ParamKind::VarArgs);
        }
        for arg in args.kwonlyargs {
            self.with_default(&mut list, arg, ParamKind::KeywordOnly);
        }
        if let Some(arg) = args.kwarg {
            self.parameter(&mut list, *arg, None, ParamKind::KwArgs);
        }
        self.sink.check_parameters(&list);
        self.sink.ast.list(&list)
    }

    pub(in super::super) fn parameter(
        &mut self,
        list: &mut Vec<Parameter>,
        arg: py::Parameter,
        default: Option<Box<py::Expr>>,
        kind: ParamKind,
    ) {
        let (name, place) = self.parameter_name(&arg);
        let annotation = self.option(arg.annotation);
        let default = self.option(default);
        list.push(Parameter { name, kind, annotation, default, place });
    }
}

pub(in super::super) fn conversion(flag: py::ConversionFlag) -> Option<Conversion> {
    match flag {
        py::ConversionFlag::None => None,
        py::ConversionFlag::Str => Some(Conversion::Str),
        py::ConversionFlag::Ascii => Some(Conversion::Ascii),
        py::ConversionFlag::Repr => Some(Conversion::Repr),
    }
}

/// Defines a function from a foreign enum to the enum of the same variants.
macro_rules! same_variants {
    ($name:ident: $kind:ident { $($variant:ident),* $(,)? } from $foreign:ident) => {
        pub(super) fn $name(op: py::$foreign) -> $kind {
            match op { $(py::$foreign::$variant => $kind::$variant),* }
        }
    };
}

same_variants!(bin_op: BinOp {
    Add, Sub, Mult, MatMult, Div, Mod, Pow, LShift, RShift, BitOr, BitXor, BitAnd, FloorDiv,
} from Operator);
same_variants!(unary_op: UnaryOp { Invert, Not, UAdd, USub } from UnaryOp);
same_variants!(cmp_op: CmpOp { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn } from CmpOp);
