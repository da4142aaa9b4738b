//! Expressions.

use num_bigint::BigInt;
use rustpython_parser::ast as py;

use super::{Converter, Link, bounds};
use crate::ast::{
    BinOp, BoolOp, CmpOp, Comparison, Comprehension, Constant, Conversion, DictItem, Expr, ExprId, Keyword,
    List, ParamKind, Parameter, StmtId, UnaryOp,
};

impl Converter<'_> {
    pub(super) fn exprs(&mut self, exprs: Vec<py::Expr>) -> List<ExprId> {
        let mark = self.sink.open_exprs();
        for expr in exprs {
            let id = self.expr(expr);
            self.sink.push_expr(id);
        }
        self.sink.close_exprs(mark)
    }

    pub(super) fn option(&mut self, expr: Option<Box<py::Expr>>) -> Option<ExprId> {
        expr.map(|expr| self.expr(*expr))
    }

    /// The block of a statement, which may have been read before.
    pub(super) fn block(&mut self, stmts: Vec<py::Stmt>) -> List<StmtId> {
        match self.sink.frame.body.take() {
            Some(body) => body,
            None => self.stmts(stmts),
        }
    }

    pub(super) fn stmts(&mut self, stmts: Vec<py::Stmt>) -> List<StmtId> {
        let mark = self.sink.open_stmts();
        for stmt in stmts {
            let id = self.stmt(stmt);
            self.sink.push_stmt(id);
        }
        self.sink.close_stmts(mark)
    }

    pub(super) fn expr(&mut self, expr: py::Expr) -> ExprId {
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
                    self.spine.push(Link::Call(e.args, e.keywords, at));
                    *e.func
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

    pub(super) fn link(&mut self, left: ExprId, link: Link) -> ExprId {
        let (expr, (start, end)) = match link {
            Link::BinOp(op, right, at) => {
                let right = self.expr(*right);
                (Expr::BinOp { left, op, right }, at)
            }
            Link::Attribute(attr, at) => {
                (Expr::Attribute { value: left, attr: self.sink.identifier(&attr) }, at)
            }
            Link::Subscript(index, at) => {
                let mut starred = None;
                if matches!(*index, py::Expr::Starred(_)) {
                    starred = Some(bounds(&*index));
                }
                let mut index = self.expr(*index);
                if let Some((start, end)) = starred {
                    // `x[*a]` is `x[(*a,)]`.
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

    pub(super) fn leaf(&mut self, expr: py::Expr) -> ExprId {
        let (start, end) = bounds(&expr);
        let expr = match expr {
            py::Expr::Name(e) => Expr::Name(self.sink.identifier(&e.id)),
            py::Expr::Constant(e) => Expr::Constant(self.constant(e.value)),
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
            py::Expr::IfExp(e) => self.conditional(e),
            py::Expr::Lambda(e) => self.lambda(e),
            py::Expr::Starred(e) => Expr::Starred { value: self.expr(*e.value) },
            py::Expr::Await(e) => Expr::Await { value: self.expr(*e.value) },
            py::Expr::Yield(e) => Expr::Yield { value: self.option(e.value) },
            py::Expr::YieldFrom(e) => Expr::YieldFrom { value: self.expr(*e.value) },
            py::Expr::JoinedStr(e) => Expr::JoinedStr { values: self.exprs(e.values) },
            other => self.rare(other),
        };
        self.sink.expr(expr, start, end)
    }

    #[inline(never)]
    pub(super) fn conditional(&mut self, e: py::ExprIfExp) -> Expr {
        let test = self.expr(*e.test);
        let body = self.expr(*e.body);
        Expr::IfExp { test, body, orelse: self.expr(*e.orelse) }
    }

    #[inline(never)]
    pub(super) fn lambda(&mut self, e: py::ExprLambda) -> Expr {
        let params = self.parameters(*e.args);
        Expr::Lambda { params, body: self.expr(*e.body) }
    }

    /// The kinds with several children. Apart from [`Self::leaf`] so that the frames of deep nests stay small.
    #[inline(never)]
    pub(super) fn rare(&mut self, expr: py::Expr) -> Expr {
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
                let mut items = Vec::with_capacity(e.values.len());
                for (key, value) in e.keys.into_iter().zip(e.values) {
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
            py::Expr::FormattedValue(e) => {
                let value = self.expr(*e.value);
                let conversion = match e.conversion {
                    py::ConversionFlag::None => None,
                    py::ConversionFlag::Str => Some(Conversion::Str),
                    py::ConversionFlag::Ascii => Some(Conversion::Ascii),
                    py::ConversionFlag::Repr => Some(Conversion::Repr),
                };
                Expr::FormattedValue { value, conversion, spec: self.option(e.format_spec) }
            }
            py::Expr::NamedExpr(e) => {
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
            py::Expr::GeneratorExp(e) => {
                let elt = self.expr(*e.elt);
                Expr::GeneratorExp { elt, generators: self.generators(e.generators) }
            }
            // The rest are chains and leaves, converted by the callers.
            _ => Expr::Constant(Constant::Ellipsis),
        }
    }

    pub(super) fn generators(&mut self, generators: Vec<py::Comprehension>) -> List<Comprehension> {
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

    pub(super) fn keywords(&mut self, keywords: Vec<py::Keyword>) -> List<Keyword> {
        if keywords.is_empty() {
            return List::EMPTY;
        }
        let mut list = smallvec::SmallVec::<[Keyword; 4]>::new();
        for keyword in keywords {
            let (start, end) = bounds(&keyword);
            let place = self.sink.place(start, end);
            let arg = keyword.arg.map(|arg| self.sink.identifier(&arg));
            list.push(Keyword { arg, value: self.expr(keyword.value), place });
        }
        self.sink.check_keywords(&list);
        self.sink.ast.list(&list)
    }

    pub(super) fn constant(&mut self, value: py::Constant) -> Constant {
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

    pub(super) fn int(&mut self, value: BigInt) -> Constant {
        match i64::try_from(&value) {
            Ok(i) => Constant::Int(i),
            Err(_) => self.sink.ast.big_int(value),
        }
    }

    pub(super) fn parameters(&mut self, args: py::Arguments) -> List<Parameter> {
        let mut list = Vec::new();
        for arg in args.posonlyargs {
            self.parameter(&mut list, arg.def, arg.default, ParamKind::PositionalOnly);
        }
        for arg in args.args {
            self.parameter(&mut list, arg.def, arg.default, ParamKind::Normal);
        }
        if let Some(arg) = args.vararg {
            self.parameter(&mut list, *arg, None, ParamKind::VarArgs);
        }
        for arg in args.kwonlyargs {
            self.parameter(&mut list, arg.def, arg.default, ParamKind::KeywordOnly);
        }
        if let Some(arg) = args.kwarg {
            self.parameter(&mut list, *arg, None, ParamKind::KwArgs);
        }
        self.sink.check_parameters(&list);
        self.sink.ast.list(&list)
    }

    pub(super) fn parameter(
        &mut self,
        list: &mut Vec<Parameter>,
        arg: py::Arg,
        default: Option<Box<py::Expr>>,
        kind: ParamKind,
    ) {
        let (start, end) = bounds(&arg);
        let place = self.sink.place(start, end);
        let name = self.sink.identifier(&arg.arg);
        let annotation = self.option(arg.annotation);
        let default = self.option(default);
        list.push(Parameter { name, kind, annotation, default, place });
    }
}

pub(super) fn bin_op(op: py::Operator) -> BinOp {
    match op {
        py::Operator::Add => BinOp::Add,
        py::Operator::Sub => BinOp::Sub,
        py::Operator::Mult => BinOp::Mult,
        py::Operator::MatMult => BinOp::MatMult,
        py::Operator::Div => BinOp::Div,
        py::Operator::Mod => BinOp::Mod,
        py::Operator::Pow => BinOp::Pow,
        py::Operator::LShift => BinOp::LShift,
        py::Operator::RShift => BinOp::RShift,
        py::Operator::BitOr => BinOp::BitOr,
        py::Operator::BitXor => BinOp::BitXor,
        py::Operator::BitAnd => BinOp::BitAnd,
        py::Operator::FloorDiv => BinOp::FloorDiv,
    }
}

fn unary_op(op: py::UnaryOp) -> UnaryOp {
    match op {
        py::UnaryOp::Invert => UnaryOp::Invert,
        py::UnaryOp::Not => UnaryOp::Not,
        py::UnaryOp::UAdd => UnaryOp::UAdd,
        py::UnaryOp::USub => UnaryOp::USub,
    }
}

fn cmp_op(op: py::CmpOp) -> CmpOp {
    match op {
        py::CmpOp::Eq => CmpOp::Eq,
        py::CmpOp::NotEq => CmpOp::NotEq,
        py::CmpOp::Lt => CmpOp::Lt,
        py::CmpOp::LtE => CmpOp::LtE,
        py::CmpOp::Gt => CmpOp::Gt,
        py::CmpOp::GtE => CmpOp::GtE,
        py::CmpOp::Is => CmpOp::Is,
        py::CmpOp::IsNot => CmpOp::IsNot,
        py::CmpOp::In => CmpOp::In,
        py::CmpOp::NotIn => CmpOp::NotIn,
    }
}
