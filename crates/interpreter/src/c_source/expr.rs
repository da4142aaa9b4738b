//! Expressions.

use tvmscript_ir_core::arithmetic::{Comparison, Operator};
use tvmscript_ir_core::{DataType, with_stack};
use tvmscript_prim::ops::BinaryOp;
use tvmscript_prim::{Expr, ExprKind, ExprView as _, PrimExprExt as _};
use tvmscript_tir::node::BufferLoad;
use tvmscript_tirx::{AnnotatedCall, TypedCall};

use super::types::{declare, is_integer, pointer_type, value_type};
use super::value::{Level, Value};
use super::{Lanes, Writer};
pub(super) use crate::compile::lane_in as lane_of;
use crate::compile::{Kind, kind_of, lane_count};
use crate::error::{Result, RunErrorKind, unsupported};
use crate::scalar::{is_float, round, wrap};

/// Maximum number of bytes of an expression that is not taken apart.
const MAX_EXPRESSION: usize = 400;
/// Maximum number of bytes of one that cannot be taken apart, because it may not be reached.
const MAX_LAZY: usize = 1 << 16;

impl Writer<'_> {
    /// The lanes of an expression.
    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Lanes> {
        match expr.kind() {
            ExprKind::IntImm(node) => Ok(vec![literal(node.dtype, node.value)]),
            ExprKind::Var(node) => match self.variables.get(&expr.object().address()) {
                Some(lanes) => Ok(lanes.clone()),
                None => Err(RunErrorKind::Unbound { name: node.name.get().to_string() }.into()),
            },
            _ => {
                let lanes = with_stack(|| self.expr_kind(expr)).map_err(|error| error.at(expr.span()))?;
                let dtype = expr.dtype().element();
                lanes.into_iter().map(|value| self.settled(value, dtype)).collect()
            }
        }
    }

    /// The value of a scalar expression.
    pub(super) fn scalar(&mut self, expr: &Expr) -> Result<Value> {
        match <[Value; 1]>::try_from(self.expr(expr)?) {
            Ok([one]) => Ok(one),
            Err(_) => Err(RunErrorKind::Kind { expected: "a scalar" }.into()),
        }
    }

    /// A part of an expression that may not be reached: nothing of it is computed before.
    pub(super) fn lazy<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.lazy += 1;
        let result = part(self);
        self.lazy -= 1;
        result
    }

    /// An extent, a start or an offset as an index.
    pub(super) fn index(&mut self, expr: &Expr) -> Result<Value> {
        Ok(self.scalar(expr)?.index_of(expr.dtype().element()))
    }

    /// A variable for a long expression.
    fn settled(&mut self, value: Value, dtype: DataType) -> Result<Value> {
        let limit = if self.lazy > 0 { MAX_LAZY } else { MAX_EXPRESSION };
        if value.text.len() <= limit {
            return Ok(value);
        }
        match self.lazy {
            0 => self.hoisted("part", value, dtype),
            _ => unsupported(format!("a conditional expression of more than {MAX_LAZY} characters")),
        }
    }

    /// A variable with a value, unless it is a literal or variable.
    pub(super) fn hoisted(&mut self, hint: &str, value: Value, dtype: DataType) -> Result<Value> {
        if value.level == Level::Atom
            && value.text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.".contains(&b))
        {
            return Ok(value);
        }
        if value.is_literal || self.lazy > 0 {
            return Ok(value);
        }
        self.constant(hint, value, dtype)
    }

    /// Declares a variable with a value.
    pub(super) fn constant(&mut self, hint: &str, value: Value, dtype: DataType) -> Result<Value> {
        let name = self.names.define(hint);
        let is_wide = value.is_wide || dtype.bits == 64;
        let ctype = match is_integer(dtype) && is_wide && dtype != DataType::uint(64) {
            true => "int64_t".to_owned(),
            false if dtype.is_handle() => pointer_type(value.points_to),
            false => value_type(dtype)?.to_owned(),
        };
        let declared = declare(&ctype, &name);
        let prefix = if dtype.is_handle() { "" } else { "const " };
        self.line(format!("{prefix}{declared} = {};", value.text));
        Ok(Value { text: name, level: Level::Atom, is_literal: false, is_wide, ..value })
    }

    fn expr_kind(&mut self, expr: &Expr) -> Result<Lanes> {
        macro_rules! binary_of {
            ($node:expr, $operator:ident) => {
                self.binary(BinaryOp::$operator, &$node.a, &$node.b)
            };
        }
        if let Some(lanes) = self.exchanged.get(&expr.object().address()) {
            return Ok(lanes.clone());
        }
        match expr.kind() {
            ExprKind::IntImm(_) | ExprKind::Var(_) => self.expr(expr),
            ExprKind::FloatImm(node) => Ok(vec![float_literal(node.dtype, node.value)?]),
            ExprKind::StringImm(_) => Err(RunErrorKind::Kind { expected: "a number" }.into()),
            ExprKind::Cast(node) => {
                let (from, to) = (node.value.dtype().element(), node.dtype.element());
                self.expr(&node.value)?.into_iter().map(|value| self.cast(value, from, to)).collect()
            }
            ExprKind::Add(node) => binary_of!(node, Add),
            ExprKind::Sub(node) => binary_of!(node, Sub),
            ExprKind::Mul(node) => binary_of!(node, Mul),
            ExprKind::Div(node) => binary_of!(node, Div),
            ExprKind::Mod(node) => binary_of!(node, Mod),
            ExprKind::FloorDiv(node) => binary_of!(node, FloorDiv),
            ExprKind::FloorMod(node) => binary_of!(node, FloorMod),
            ExprKind::Min(node) => binary_of!(node, Min),
            ExprKind::Max(node) => binary_of!(node, Max),
            ExprKind::EQ(node) => binary_of!(node, Eq),
            ExprKind::NE(node) => binary_of!(node, Ne),
            ExprKind::LT(node) => binary_of!(node, Lt),
            ExprKind::LE(node) => binary_of!(node, Le),
            ExprKind::GT(node) => binary_of!(node, Gt),
            ExprKind::GE(node) => binary_of!(node, Ge),
            ExprKind::And(node) => self.logic(&node.a, &node.b, "&&"),
            ExprKind::Or(node) => self.logic(&node.a, &node.b, "||"),
            ExprKind::Not(node) => Ok(self.expr(&node.a)?.iter().map(not).collect()),
            ExprKind::Select(node) => {
                let condition = self.expr(&node.condition)?;
                let (a, b) = (self.expr(&node.true_value)?, self.expr(&node.false_value)?);
                self.select(&condition, &a, &b, node.true_value.dtype().element())
            }
            ExprKind::Let(node) => {
                let dtype = node.value.dtype().element();
                let hint = node.var.name.get().to_string();
                let value = self.expr(&node.value)?;
                let value = value
                    .into_iter()
                    .map(|value| self.hoisted(&hint, value, dtype))
                    .collect::<Result<_>>()?;
                self.bind(&node.var, value);
                self.expr(&node.body)
            }
            ExprKind::Ramp(node) => {
                let (base, stride) = (self.expr(&node.base)?, self.expr(&node.stride)?);
                let dtype = node.base.dtype().element();
                let count = lane_count(node.dtype)? / base.len().max(1);
                let mut out = Lanes::new();
                for step in 0..count {
                    let step = literal(dtype, step as i64);
                    for (lane, base) in base.iter().enumerate() {
                        let part = self.operate(Operator::Mul, dtype, &step, lane_of(&stride, lane)?)?;
                        out.push(self.operate(Operator::Add, dtype, base, &part)?);
                    }
                }
                Ok(out)
            }
            ExprKind::Broadcast(node) => {
                let dtype = node.value.dtype().element();
                let value = self.expr(&node.value)?;
                let value = value
                    .into_iter()
                    .map(|value| self.hoisted("lane", value, dtype))
                    .collect::<Result<Lanes>>()?;
                let count = lane_count(node.dtype)? / value.len().max(1);
                Ok((0..count).flat_map(|_| value.iter().cloned()).collect())
            }
            ExprKind::Shuffle(node) => {
                let mut all = Lanes::new();
                for vector in node.vectors.iter() {
                    all.extend(self.expr(vector)?);
                }
                let mut out = Lanes::new();
                for index in node.indices.iter() {
                    let index = self.scalar(index)?.known().and_then(|index| usize::try_from(index).ok());
                    match index.and_then(|index| all.get(index)) {
                        Some(lane) => out.push(lane.clone()),
                        None => return Err(RunErrorKind::Kind { expected: "indices of lanes" }.into()),
                    }
                }
                Ok(out)
            }
            ExprKind::Call(node) => self.call(&node.op, &node.args, node.dtype),
            ExprKind::Other(other) => {
                if let Some(node) = other.as_node::<BufferLoad>() {
                    self.load(&node.buffer, &node.indices, node.predicate.as_ref())
                } else if let Some(node) = other.as_node::<AnnotatedCall>() {
                    self.call(&node.op, &node.args, node.dtype)
                } else if let Some(node) = other.as_node::<TypedCall>() {
                    self.call(&node.op, &node.args, node.dtype)
                } else if let Some(node) = other.as_node::<tvmscript_tirx::BufferArgument>() {
                    Ok(vec![self.pointer_of(&node.buffer)?])
                } else {
                    unsupported(format!("the expression {}", other.object().info().display_key()))
                }
            }
        }
    }

    fn binary(&mut self, operator: BinaryOp, a: &Expr, b: &Expr) -> Result<Lanes> {
        let (dtype, other) = (a.dtype().element(), b.dtype().element());
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        self.zip(&a, &b, |this, a, b| match kind_of(operator) {
            Kind::Value(operator) => this.operate(operator, dtype, a, b),
            Kind::Truth(comparison) => this.compare(comparison, (dtype, a), (other, b)),
        })
    }

    /// The second operand is computed only as far as needed.
    fn logic(&mut self, a: &Expr, b: &Expr, sign: &str) -> Result<Lanes> {
        let a = self.expr(a)?;
        let b = self.lazy(|this| this.expr(b))?;
        self.zip(&a, &b, |_, a, b| {
            let text = format!("{} {sign} {}", a.at(Level::Add), b.at(Level::Add));
            Ok(Value::new(text, Level::Other, DataType::BOOL))
        })
    }

    pub(super) fn compare(
        &mut self,
        comparison: Comparison,
        (dtype, a): (DataType, &Value),
        (other, b): (DataType, &Value),
    ) -> Result<Value> {
        if let (Some(x), Some(y)) = (a.known(), b.known()) {
            return Ok(Value::int(comparison.holds(x, y).into(), DataType::BOOL));
        }
        let sign = comparison.symbol();
        let (left, right) = match dtype == other || is_float(dtype) {
            true => (a.at(Level::Add), b.at(Level::Add)),
            false => (a.cast_to("int64_t"), b.cast_to("int64_t")),
        };
        Ok(Value::new(format!("{left} {sign} {right}"), Level::Other, DataType::BOOL))
    }

    /// Chooses between values, lane by lane if the condition is a vector.
    pub(super) fn select(
        &mut self,
        condition: &Lanes,
        a: &Lanes,
        b: &Lanes,
        dtype: DataType,
    ) -> Result<Lanes> {
        let count = [condition, a, b].iter().map(|lanes| lanes.len()).max().unwrap_or(1);
        let mut out = Lanes::new();
        for lane in 0..count {
            let (c, a, b) = (lane_of(condition, lane)?, lane_of(a, lane)?, lane_of(b, lane)?);
            let text = format!("{} ? {} : {}", c.at(Level::Other), a.at(Level::Other), b.at(Level::Other));
            let bounds = (a.bounds.0.min(b.bounds.0), a.bounds.1.max(b.bounds.1));
            let points_to = a.points_to.filter(|_| a.points_to == b.points_to);
            let chosen = Value { text, level: Level::Conditional, points_to, ..Value::atom("", dtype) };
            let chosen = chosen.with_bounds(bounds);
            // Two literals are of the type `int`.
            out.push(match dtype.bits == 64 && is_integer(dtype) && a.is_literal && b.is_literal {
                true => {
                    let text = chosen.cast_to(value_type(dtype)?);
                    Value { text, level: Level::Unary, ..chosen }
                }
                false => chosen,
            });
        }
        Ok(out)
    }

    /// An operation per pair of lanes.
    pub(super) fn zip(
        &mut self,
        a: &Lanes,
        b: &Lanes,
        mut f: impl FnMut(&mut Self, &Value, &Value) -> Result<Value>,
    ) -> Result<Lanes> {
        let mut out = Lanes::new();
        for lane in 0..a.len().max(b.len()) {
            out.push(f(self, lane_of(a, lane)?, lane_of(b, lane)?)?);
        }
        self.check_size()?;
        Ok(out)
    }
}

/// A number of an integer type, wrapped to it.
pub(super) fn literal(dtype: DataType, value: i64) -> Value {
    Value::int(crate::scalar::wide(dtype, wrap(dtype, value)), dtype)
}

/// A number of a float type, rounded to it.
pub(super) fn float_literal(dtype: DataType, value: f64) -> Result<Value> {
    let Some(value) = round(dtype, value) else { return crate::error::unsupported_type(dtype) };
    let text = float_text(value, dtype.bits == 64);
    let level = if text.starts_with('-') { Level::Unary } else { Level::Atom };
    Ok(Value::new(text, level, dtype))
}

/// The shortest text of a float.
pub(super) fn float_text(value: f64, is_double: bool) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_nan() {
        return "NAN".to_owned();
    }
    if value.is_infinite() {
        return format!("{sign}INFINITY");
    }
    if is_double { format!("{value:?}") } else { format!("{:?}f", value as f32) }
}

pub(super) fn not(value: &Value) -> Value {
    Value::new(format!("!{}", value.at(Level::Unary)), Level::Unary, DataType::BOOL)
}
