//! Expressions.

use tvmscript_ir_core::{DataType, with_stack};
use tvmscript_prim::ops::BinaryOp;
use tvmscript_prim::{Expr, ExprKind, ExprView as _, PrimExprExt as _};
use tvmscript_tir::node::BufferLoad;

use crate::arithmetic::binary;
use crate::error::{Result, RunErrorKind, unsupported};
use crate::machine::{Machine, Value};
use crate::scalar::{Scalar, round, wrap};

impl Machine {
    /// Evaluates an expression.
    pub(crate) fn eval(&mut self, expr: &Expr) -> Result<Value> {
        self.step()?;
        match expr.kind() {
            ExprKind::IntImm(node) => wrap(node.dtype, node.value).map(Value::Scalar),
            ExprKind::Var(node) => match self.variables.get(&expr.object().address()) {
                Some(value) => Ok(value.clone()),
                None => Err(RunErrorKind::Unbound { name: node.name.get().to_string() }.into()),
            },
            _ => with_stack(|| self.eval_kind(expr)).map_err(|error| error.at(expr.span())),
        }
    }

    fn eval_kind(&mut self, expr: &Expr) -> Result<Value> {
        macro_rules! binary_of {
            ($node:expr, $operator:ident) => {
                self.binary(BinaryOp::$operator, &$node.a, &$node.b)
            };
        }
        match expr.kind() {
            ExprKind::IntImm(_) | ExprKind::Var(_) => self.eval(expr),
            ExprKind::FloatImm(node) => round(node.dtype, node.value).map(Value::Scalar),
            ExprKind::StringImm(node) => Ok(Value::Text(node.value.as_str().to_owned())),
            ExprKind::Cast(node) => {
                let from = node.value.dtype().element();
                let value = self.eval(&node.value)?;
                map(value, |scalar| scalar.cast(from, node.dtype.element()))
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
            // Scalars are evaluated from left to right and only as far as needed.
            ExprKind::And(node) => match self.eval(&node.a)? {
                Value::Scalar(a) if !a.truth()? => Ok(Value::Scalar(Scalar::Int(0))),
                a => self
                    .eval(&node.b)
                    .and_then(|b| zip(a, b, |a, b| binary(BinaryOp::And, DataType::BOOL, a, b))),
            },
            ExprKind::Or(node) => match self.eval(&node.a)? {
                Value::Scalar(a) if a.truth()? => Ok(Value::Scalar(Scalar::Int(1))),
                a => self
                    .eval(&node.b)
                    .and_then(|b| zip(a, b, |a, b| binary(BinaryOp::Or, DataType::BOOL, a, b))),
            },
            ExprKind::Not(node) => {
                let value = self.eval(&node.a)?;
                map(value, |scalar| Ok(Scalar::Int(i64::from(!scalar.truth()?))))
            }
            ExprKind::Select(node) => {
                let condition = self.eval(&node.condition)?;
                let (a, b) = (self.eval(&node.true_value)?, self.eval(&node.false_value)?);
                self.select(&condition, a, b)
            }
            ExprKind::Let(node) => {
                let value = self.eval(&node.value)?;
                self.bind(&node.var, value);
                self.eval(&node.body)
            }
            ExprKind::Ramp(node) => {
                let lanes = lane_count(node.dtype)?;
                let (base, stride) = (self.eval(&node.base)?.scalar()?, self.eval(&node.stride)?.scalar()?);
                let dtype = node.dtype.element();
                let lane = |lane: usize| {
                    let step = binary(BinaryOp::Mul, dtype, stride, wrap(dtype, lane as i64)?)?;
                    binary(BinaryOp::Add, dtype, base, step)
                };
                (0..lanes).map(lane).collect::<Result<_>>().map(Value::Vector)
            }
            ExprKind::Broadcast(node) => {
                let lanes = lane_count(node.dtype)?;
                match self.eval(&node.value)? {
                    Value::Scalar(value) => Ok(Value::Vector(vec![value; lanes])),
                    Value::Vector(part) => {
                        Ok(Value::Vector(part.iter().copied().cycle().take(lanes).collect()))
                    }
                    _ => Err(RunErrorKind::Kind { expected: "a number" }.into()),
                }
            }
            ExprKind::Shuffle(node) => {
                let mut all = Vec::new();
                for vector in node.vectors.iter() {
                    match self.eval(vector)? {
                        Value::Vector(lanes) => all.extend(lanes),
                        value => all.push(value.scalar()?),
                    }
                }
                let indices = self.integers(node.indices.iter())?;
                let lanes: Option<Vec<Scalar>> =
                    indices.iter().map(|index| all.get(usize::try_from(*index).ok()?).copied()).collect();
                match lanes.as_deref() {
                    Some([one]) => Ok(Value::Scalar(*one)),
                    Some(lanes) => Ok(Value::Vector(lanes.to_vec())),
                    None => Err(RunErrorKind::Kind { expected: "indices of lanes" }.into()),
                }
            }
            ExprKind::Call(node) => self.call(node),
            ExprKind::Other(other) => match other.as_node::<BufferLoad>() {
                Some(node) => self.load(&node.buffer, &node.indices, node.predicate.as_ref()),
                None => unsupported(format!("the expression {}", other.object().info().display_key())),
            },
        }
    }

    fn binary(&mut self, operator: BinaryOp, a: &Expr, b: &Expr) -> Result<Value> {
        let dtype = a.dtype().element();
        let (a, b) = (self.eval(a)?, self.eval(b)?);
        zip(a, b, |a, b| binary(operator, dtype, a, b))
    }

    /// Chooses between values, lane by lane if the condition is a vector.
    pub(crate) fn select(&mut self, condition: &Value, a: Value, b: Value) -> Result<Value> {
        match condition {
            Value::Vector(lanes) => {
                let choose =
                    |(lane, on): (usize, &Scalar)| if on.truth()? { a.lane(lane) } else { b.lane(lane) };
                lanes.iter().enumerate().map(choose).collect::<Result<_>>().map(Value::Vector)
            }
            condition => Ok(if condition.scalar()?.truth()? { a } else { b }),
        }
    }
}

/// Applies a function to each lane.
pub(crate) fn map(value: Value, f: impl Fn(Scalar) -> Result<Scalar>) -> Result<Value> {
    match value {
        Value::Scalar(scalar) => f(scalar).map(Value::Scalar),
        Value::Vector(lanes) => lanes.into_iter().map(f).collect::<Result<_>>().map(Value::Vector),
        _ => Err(RunErrorKind::Kind { expected: "a number" }.into()),
    }
}

/// Applies a function to each pair of lanes.
pub(crate) fn zip(a: Value, b: Value, f: impl Fn(Scalar, Scalar) -> Result<Scalar>) -> Result<Value> {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => f(a, b).map(Value::Scalar),
        (a, b) => {
            let lanes = match (&a, &b) {
                (Value::Vector(lanes), _) | (_, Value::Vector(lanes)) => lanes.len(),
                _ => return Err(RunErrorKind::Kind { expected: "a number" }.into()),
            };
            (0..lanes).map(|lane| f(a.lane(lane)?, b.lane(lane)?)).collect::<Result<_>>().map(Value::Vector)
        }
    }
}

fn lane_count(dtype: DataType) -> Result<usize> {
    match usize::try_from(dtype.lanes) {
        Ok(lanes @ 1..) => Ok(lanes),
        _ => unsupported("a vector of unknown length"),
    }
}
