//! Expressions.

use num_bigint::BigInt;
use rustpython_ruff_python_ast as py;

use super::{Converter, Link, bounds, foreign};
use crate::ast::{
    BinOp, BoolOp, CmpOp, Comparison, Comprehension, Constant, Conversion, DictItem, Expr, ExprId, Keyword,
    List, Name, ParamKind, Parameter, StmtId, UnaryOp,
};
use crate::reader::error::SyntaxErrorKind;

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
                    self.spine.push(Link::Call(e.arguments, at));
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
                (Expr::Attribute { value: left, attr: self.sink.source_name(bounds(&attr)) }, at)
            }
            Link::Subscript(index, at) => {
                let index = self.expr(*index);
                (Expr::Subscript { value: left, index }, at)
            }
            Link::Call(arguments, at) => {
                let args = self.exprs(arguments.args.into_vec());
                let keywords = self.keywords(arguments.keywords.into_vec());
                (Expr::Call { func: left, args, keywords }, at)
            }
        };
        self.sink.expr(expr, start, end)
    }

    pub(super) fn leaf(&mut self, expr: py::Expr) -> ExprId {
        let (start, end) = bounds(&expr);
        let expr = match expr {
            py::Expr::Name(_) => Expr::Name(self.sink.source_name((start, end))),
            py::Expr::NumberLiteral(e) => Expr::Constant(self.number(&e.value)),
            py::Expr::StringLiteral(e) => Expr::Constant(self.string(e.value.to_str(), start, end)),
            py::Expr::BooleanLiteral(e) => Expr::Constant(Constant::Bool(e.value)),
            py::Expr::NoneLiteral(_) => Expr::Constant(Constant::None),
            py::Expr::EllipsisLiteral(_) => Expr::Constant(Constant::Ellipsis),
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
            py::Expr::If(e) => self.conditional(e),
            py::Expr::Lambda(e) => self.lambda(e),
            py::Expr::Starred(e) => Expr::Starred { value: self.expr(*e.value) },
            py::Expr::Await(e) => Expr::Await { value: self.expr(*e.value) },
            py::Expr::Yield(e) => Expr::Yield { value: self.option(e.value) },
            py::Expr::YieldFrom(e) => Expr::YieldFrom { value: self.expr(*e.value) },
            py::Expr::FString(e) => Expr::JoinedStr { values: self.f_string(e.value, start) },
            other => self.rare(other, start, end),
        };
        self.sink.expr(expr, start, end)
    }

    #[inline(never)]
    pub(super) fn conditional(&mut self, e: py::ExprIf) -> Expr {
        let test = self.expr(*e.test);
        let body = self.expr(*e.body);
        Expr::IfExp { test, body, orelse: self.expr(*e.orelse) }
    }

    #[inline(never)]
    pub(super) fn lambda(&mut self, e: py::ExprLambda) -> Expr {
        let params = e.parameters.map_or(List::EMPTY, |params| self.parameters(*params));
        Expr::Lambda { params, body: self.expr(*e.body) }
    }

    /// The kinds with several children. Apart from [`Self::leaf`] so that the frames of deep nests stay small.
    #[inline(never)]
    pub(super) fn rare(&mut self, expr: py::Expr, start: u32, end: u32) -> Expr {
        match expr {
            py::Expr::Compare(e) => {
                let left = self.expr(*e.left);
                let mut rest = Vec::with_capacity(e.ops.len());
                for (op, right) in e.ops.iter().zip(e.comparators.into_vec()) {
                    rest.push(Comparison { op: cmp_op(*op), right: self.expr(right) });
                }
                Expr::Compare { left, rest: self.sink.ast.list(&rest) }
            }
            py::Expr::Dict(e) => {
                let mut items = Vec::with_capacity(e.items.len());
                for item in e.items {
                    let key = item.key.map(|key| self.expr(key));
                    items.push(DictItem { key, value: self.expr(item.value) });
                }
                Expr::Dict { items: self.sink.ast.list(&items) }
            }
            py::Expr::Slice(e) => {
                let lower = self.option(e.lower);
                let upper = self.option(e.upper);
                let step = self.option(e.step);
                Expr::Slice { lower, upper, step }
            }
            py::Expr::Named(e) => {
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
            py::Expr::Generator(e) => {
                let elt = self.expr(*e.elt);
                Expr::GeneratorExp { elt, generators: self.generators(e.generators) }
            }
            py::Expr::BytesLiteral(e) => {
                let bytes: Vec<u8> = e.value.bytes().collect();
                Expr::Constant(self.sink.ast.bytes(&bytes))
            }
            py::Expr::TString(_) => {
                self.sink.error(SyntaxErrorKind::TemplateString, start, end);
                Expr::Constant(Constant::None)
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
            let arg = keyword.arg.map(|arg| self.sink.source_name(bounds(&arg)));
            list.push(Keyword { arg, value: self.expr(keyword.value), place });
        }
        self.sink.check_keywords(&list);
        self.sink.ast.list(&list)
    }

    pub(super) fn string(&mut self, value: &str, start: u32, end: u32) -> Constant {
        if value.contains('\r')
            && let Some(name) = self.unix_line_breaks(start, end)
        {
            return Constant::Str(name);
        }
        Constant::Str(self.sink.name(value))
    }

    /// The value of a string literal that holds line breaks with `\r`, which Python reads as `\n` each.
    #[cold]
    pub(super) fn unix_line_breaks(&mut self, start: u32, end: u32) -> Option<Name> {
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

    pub(super) fn number(&mut self, value: &py::Number) -> Constant {
        match value {
            py::Number::Int(int) => match int.as_i64() {
                Some(i) => Constant::Int(i),
                None => self.big_int(&int.to_string()),
            },
            py::Number::Float(f) => Constant::Float(*f),
            py::Number::Complex { imag, .. } => Constant::Imaginary(*imag),
        }
    }

    /// A large integer arrives as it is written.
    #[cold]
    pub(super) fn big_int(&mut self, written: &str) -> Constant {
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

    /// The parts of an f-string, constants joined as Python joins them.
    #[inline(never)]
    pub(super) fn f_string(&mut self, mut value: py::FStringValue, start: u32) -> List<ExprId> {
        let mark = self.sink.open_exprs();
        let mut text = String::new();
        let mut at = (start, start);
        for part in value.iter_mut() {
            match part {
                py::FStringPart::Literal(literal) => {
                    self.literal(&literal.value, bounds(literal), &mut text, &mut at)
                }
                py::FStringPart::FString(part) => self.elements(&mut part.elements, &mut text, &mut at),
            }
        }
        self.flush(&mut text, at);
        self.sink.close_exprs(mark)
    }

    pub(super) fn elements(
        &mut self,
        elements: &mut py::InterpolatedStringElements,
        text: &mut String,
        at: &mut (u32, u32),
    ) {
        for element in elements.iter_mut() {
            match element {
                py::InterpolatedStringElement::Literal(literal) => {
                    self.literal(&literal.value, bounds(literal), text, at);
                }
                py::InterpolatedStringElement::Interpolation(part) => self.interpolation(part, text, at),
            }
        }
    }

    pub(super) fn literal(
        &mut self,
        value: &str,
        bounds: (u32, u32),
        text: &mut String,
        at: &mut (u32, u32),
    ) {
        if text.is_empty() {
            at.0 = bounds.0;
        }
        at.1 = bounds.1;
        let source = self.sink.text.get(bounds.0 as usize..bounds.1 as usize).unwrap_or_default();
        if source.contains('\r') {
            text.push_str(&value.replace("\r\n", "\n"));
        } else {
            text.push_str(value);
        }
    }

    pub(super) fn flush(&mut self, text: &mut String, at: (u32, u32)) {
        if !text.is_empty() {
            let name = self.sink.name(text);
            let id = self.sink.expr(Expr::Constant(Constant::Str(name)), at.0, at.1);
            self.sink.push_expr(id);
            text.clear();
        }
    }

    pub(super) fn interpolation(
        &mut self,
        part: &mut py::InterpolatedElement,
        text: &mut String,
        at: &mut (u32, u32),
    ) {
        let (start, end) = bounds(&*part);
        if let Some(debug) = &part.debug_text {
            // `{x = }`: the source of the expression is text of the string.
            let (from, to) = bounds(&*part.expression);
            let source = self.sink.text.get(from as usize..to as usize).unwrap_or_default();
            let shown = format!("{}{source}{}", debug.leading, debug.trailing);
            self.literal(&shown, (start, end), text, at);
        }
        self.flush(text, *at);
        let empty = py::Expr::NoneLiteral(py::ExprNoneLiteral::default());
        let value = self.expr(std::mem::replace(&mut *part.expression, empty));
        let spec = part.format_spec.as_mut().map(|spec| {
            let (start, end) = bounds(&**spec);
            let mark = self.sink.open_exprs();
            let (mut text, mut at) = (String::new(), (start, start));
            self.elements(&mut spec.elements, &mut text, &mut at);
            self.flush(&mut text, at);
            let values = self.sink.close_exprs(mark);
            self.sink.expr(Expr::JoinedStr { values }, start, end)
        });
        let conversion = match part.conversion {
            py::ConversionFlag::None if part.debug_text.is_some() && spec.is_none() => Some(Conversion::Repr),
            py::ConversionFlag::None => None,
            py::ConversionFlag::Str => Some(Conversion::Str),
            py::ConversionFlag::Ascii => Some(Conversion::Ascii),
            py::ConversionFlag::Repr => Some(Conversion::Repr),
        };
        let id = self.sink.expr(Expr::FormattedValue { value, conversion, spec }, start, end);
        self.sink.push_expr(id);
    }

    pub(super) fn parameters(&mut self, args: py::Parameters) -> List<Parameter> {
        let mut list = Vec::new();
        for arg in args.posonlyargs {
            self.parameter(&mut list, arg.parameter, arg.default, ParamKind::PositionalOnly);
        }
        for arg in args.args {
            self.parameter(&mut list, arg.parameter, arg.default, ParamKind::Normal);
        }
        if let Some(arg) = args.vararg {
            self.parameter(&mut list, *arg, None, ParamKind::VarArgs);
        }
        for arg in args.kwonlyargs {
            self.parameter(&mut list, arg.parameter, arg.default, ParamKind::KeywordOnly);
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
        arg: py::Parameter,
        default: Option<Box<py::Expr>>,
        kind: ParamKind,
    ) {
        // Without the stars, with the parentheses around an annotation.
        let place = self.sink.place(bounds(&arg.name).0, bounds(&arg).1);
        let name = self.sink.source_name(bounds(&arg.name));
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
