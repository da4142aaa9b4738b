//! Values of names during the conversion.

use tvmscript_ir_core::{DataType, Ref, Span, arithmetic::is_float};
use tvmscript_prim::{self as prim, FloatImm, IntImm};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::{Call, Constant, Expr, PrimValue};

use crate::error::Reason;

/// A number of the program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    /// A bool.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
}

impl Number {
    /// The number as a float.
    pub(super) fn as_f64(self) -> f64 {
        match self {
            Number::Bool(value) => f64::from(u8::from(value)),
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    /// The number as an integer, truncated.
    pub(super) fn as_i64(self) -> i64 {
        match self {
            Number::Bool(value) => i64::from(value),
            Number::Int(value) => value,
            Number::Float(value) => value as i64,
        }
    }

    /// Returns `true` for numbers without a fraction.
    pub(super) fn is_integral(self) -> bool {
        match self {
            Number::Float(value) => value.fract() == 0.0,
            _ => true,
        }
    }

    /// A constant of rank 0.
    pub(super) fn constant(self, dtype: DataType) -> Expr {
        let tensor = match self {
            _ if is_float(dtype) => Tensor::of_floats(dtype, Vec::new(), [self.as_f64()]),
            _ if dtype == DataType::BOOL => {
                Tensor::of_ints(dtype, Vec::new(), [i128::from(self.as_f64() != 0.0)])
            }
            _ => Tensor::of_ints(dtype, Vec::new(), [i128::from(self.as_i64())]),
        };
        Constant::new(tensor.encode()).upcast()
    }

    /// An operand that is a scalar: `int64`, `float64` or bool.
    pub(super) fn scalar(self) -> Expr {
        let value: prim::Expr = match self {
            Number::Bool(value) => IntImm::bool(value),
            Number::Int(value) => IntImm::int64(value),
            Number::Float(value) => {
                Ref::new(FloatImm { span: Span::current(), dtype: DataType::float(64), value }).upcast()
            }
        };
        PrimValue::new(value).upcast()
    }
}

/// A value.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// An expression: a variable, a constant, or a call that is not bound yet.
    Known(Expr),
    /// A symbolic or known length.
    Dim(prim::Expr),
    /// A number.
    Number(Number),
    /// Several values.
    List(Vec<Value>),
    /// No value.
    None,
    /// The result of a node that could not be converted.
    Failed,
}

/// A value, or the reason for which the node cannot be converted.
pub(super) type Converted = Result<Value, Reason>;

impl From<Expr> for Value {
    fn from(value: Expr) -> Value {
        Value::Known(value)
    }
}

impl From<Ref<Call>> for Value {
    fn from(call: Ref<Call>) -> Value {
        Value::Known(call.upcast())
    }
}

impl Value {
    /// Returns `true` if the value or an item could not be converted.
    pub(super) fn is_failed(&self) -> bool {
        match self {
            Value::Failed => true,
            Value::List(items) => items.iter().any(Value::is_failed),
            _ => false,
        }
    }

    /// The length, also one that is a number.
    pub(super) fn dim(&self) -> Option<prim::Expr> {
        match self {
            Value::Dim(dim) => Some(dim.clone()),
            Value::Number(Number::Int(value)) => Some(IntImm::int64(*value)),
            _ => None,
        }
    }

    /// The expressions in a value and its items, in order, for messages.
    pub(super) fn expressions<'a>(&'a self, found: &mut Vec<&'a Expr>) {
        match self {
            Value::Known(value) => found.push(value),
            Value::List(items) => items.iter().for_each(|item| item.expressions(found)),
            _ => {}
        }
    }
}
