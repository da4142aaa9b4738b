//! Functions of single elements.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_irbuilder::{BuildError, BuildResult, script_fn};
use tvmscript_prim::ops::python::{UnaryOperator, unary};
use tvmscript_prim::{Expr, PrimExprExt as _, Select, ops};
use tvmscript_script_parser::Member::{self, Function};
use tvmscript_tir::build::args::{ExprArg, Shape};
use tvmscript_tir::op::{fold, math};

use super::{ELEMENTWISE, Style, at, dims};
use crate::Tensor;

/// The operations of functions that TVM has in Python.
const PYTHON: Style<'static> = Style::python("compute", ELEMENTWISE);

/// Functions that compute signed integers as `float32`.
const OF_FLOATS: [&str; 5] = ["log", "log10", "log2", "rsqrt", "sqrt"];

/// A function of each element.
pub(super) fn elementwise(
    style: Style<'_>,
    x: &Ref<Tensor>,
    value: impl FnOnce(Expr) -> BuildResult<Expr>,
) -> BuildResult<Ref<Tensor>> {
    style.compute(&dims(x), |indices| value(at(x, indices.iter().cloned())?))
}

fn row(
    name: &str,
    style: Style<'_>,
    x: &Ref<Tensor>,
    value: impl FnOnce(Expr) -> BuildResult<Expr>,
) -> BuildResult<Ref<Tensor>> {
    match x.dtype.is_int() && OF_FLOATS.contains(&name) {
        true => {
            let x = elementwise(Style { tag: "", ..PYTHON }, x, |x| Ok(ops::cast(DataType::FLOAT32, x)?))?;
            elementwise(style, &x, value)
        }
        false => elementwise(style, x, value),
    }
}

macro_rules! elementwise {
    ($($(#[$doc:meta])* $text:literal $name:ident $row:ident in $style:expr => |$x:ident| $value:expr;)*) => {
        $(
            $(#[$doc])*
            #[script_fn(name = $text)]
            pub fn $name(x: Ref<Tensor>) -> BuildResult<Ref<Tensor>> {
                row($text, $style, &x, |$x| Ok($value))
            }
        )*
        /// Functions of one tensor.
        pub(super) const MEMBERS: &[(&str, Member)] = &[$(($text, Function(&$row)),)*];
    };
}

elementwise! {
    /// Absolute value.
    "abs" abs ABS in PYTHON => |x| fold::abs(x)?;
    /// Arc cosine.
    "acos" acos ACOS in PYTHON => |x| math::acos(x);
    /// Inverse hyperbolic cosine.
    "acosh" acosh ACOSH in PYTHON => |x| math::acosh(x);
    /// Arc sine.
    "asin" asin ASIN in PYTHON => |x| math::asin(x);
    /// Inverse hyperbolic sine.
    "asinh" asinh ASINH in PYTHON => |x| math::asinh(x);
    /// Arc tangent.
    "atan" atan ATAN in PYTHON => |x| math::atan(x);
    /// Inverse hyperbolic tangent.
    "atanh" atanh ATANH in PYTHON => |x| math::atanh(x);
    /// Complement of the bits.
    "bitwise_not" bitwise_not BITWISE_NOT in Style::cpp("T_bitwise_not", ELEMENTWISE) => |x| ops::bitwise_not(x)?;
    /// Rounds toward positive infinity.
    "ceil" ceil CEIL in PYTHON => |x| ops::ceil(x)?;
    /// Cosine.
    "cos" cos COS in PYTHON => |x| math::cos(x);
    /// Hyperbolic cosine.
    "cosh" cosh COSH in PYTHON => |x| math::cosh(x);
    /// Gauss error function.
    "erf" erf ERF in PYTHON => |x| math::erf(x);
    /// Natural exponential.
    "exp" exp EXP in PYTHON => |x| fold::exp(x)?;
    /// Rounds toward negative infinity.
    "floor" floor FLOOR in PYTHON => |x| fold::floor(x)?;
    /// The elements themselves.
    "identity" identity IDENTITY in PYTHON => |x| x;
    /// Tests for finite numbers.
    "isfinite" isfinite ISFINITE in PYTHON => |x| fold::isfinite(x)?;
    /// Tests for infinities.
    "isinf" isinf ISINF in PYTHON => |x| fold::isinf(x)?;
    /// Tests for NaN.
    "isnan" isnan ISNAN in PYTHON => |x| fold::isnan(x)?;
    /// Natural logarithm.
    "log" log LOG in PYTHON => |x| math::log(x);
    /// Logarithm to base 10.
    "log10" log10 LOG10 in PYTHON => |x| math::log10(x);
    /// Logarithm to base 2.
    "log2" log2 LOG2 in PYTHON => |x| math::log2(x);
    /// Negation of booleans.
    "logical_not" logical_not LOGICAL_NOT in Style::cpp("T_logical_not", ELEMENTWISE) => |x| ops::not(x)?;
    /// The elements with the opposite sign.
    "negative" negative NEGATIVE in PYTHON => |x| unary(UnaryOperator::Minus, x)?;
    /// Rounds to the nearest integer, ties to even.
    "round" round ROUND in PYTHON => |x| fold::round(x)?;
    /// Reciprocal of the square root.
    "rsqrt" rsqrt RSQRT in PYTHON => |x| math::rsqrt(x);
    /// Logistic function.
    "sigmoid" sigmoid SIGMOID in PYTHON => |x| math::sigmoid(x);
    /// -1, 0 or 1.
    "sign" sign SIGN in Style::cpp("T_sign", ELEMENTWISE) => |x| sign_of(x)?;
    /// Sine.
    "sin" sin SIN in PYTHON => |x| math::sin(x);
    /// Hyperbolic sine.
    "sinh" sinh SINH in PYTHON => |x| math::sinh(x);
    /// Square root.
    "sqrt" sqrt SQRT in PYTHON => |x| math::sqrt(x);
    /// Tangent.
    "tan" tan TAN in PYTHON => |x| math::tan(x);
    /// Hyperbolic tangent.
    "tanh" tanh TANH in PYTHON => |x| math::tanh(x);
    /// Rounds toward zero.
    "trunc" trunc TRUNC in PYTHON => |x| fold::trunc(x)?;
}

/// Functions with other arguments.
pub(super) const OTHERS: &[(&str, Member)] = &[
    ("cast", Function(&CAST)),
    ("clip", Function(&CLIP)),
    ("elemwise_sum", Function(&ELEMWISE_SUM)),
    ("full", Function(&FULL)),
    ("full_like", Function(&FULL_LIKE)),
    ("reinterpret", Function(&REINTERPRET)),
];

fn sign_of(x: Expr) -> BuildResult<Expr> {
    let dtype = x.dtype();
    let number = |value: i64| ops::make_const(dtype, value);
    let (zero, one, minus_one) = (number(0)?, number(1)?, number(-1)?);
    let negative = Select::try_new(ops::lt(x.clone(), zero.clone())?, minus_one, zero.clone())?;
    Ok(Select::try_new(ops::gt(x, zero)?, one, negative)?)
}

/// The elements with another type.
#[script_fn]
pub fn cast(x: Ref<Tensor>, dtype: DataType) -> BuildResult<Ref<Tensor>> {
    elementwise(PYTHON, &x, |x| Ok(ops::cast(dtype, x)?))
}

/// The bits of the elements as another type.
#[script_fn]
pub fn reinterpret(x: Ref<Tensor>, dtype: DataType) -> BuildResult<Ref<Tensor>> {
    elementwise(Style::cpp("tensor", ELEMENTWISE), &x, |x| Ok(ops::reinterpret(dtype, x)?))
}

/// The elements within bounds.
#[script_fn]
pub fn clip(x: Ref<Tensor>, a_min: ExprArg, a_max: ExprArg) -> BuildResult<Ref<Tensor>> {
    elementwise(PYTHON, &x, |x| {
        let [min, max] = [a_min.0, a_max.0].map(|bound| ops::cast(x.dtype(), bound));
        Ok(ops::max(ops::min(x, max?)?, min?)?)
    })
}

/// The sums of the elements of tensors.
#[script_fn]
pub fn elemwise_sum(xs: Vec<Ref<Tensor>>) -> BuildResult<Ref<Tensor>> {
    let Some((first, others)) = xs.split_first() else {
        return Err(BuildError::expected("at least one tensor", "none"));
    };
    Style::cpp("T_elemwise_sum", ELEMENTWISE).compute(&dims(first), |indices| {
        others.iter().try_fold(at(first, indices.iter().cloned())?, |sum, x| {
            Ok(ops::add(sum, at(x, indices.iter().cloned())?)?)
        })
    })
}

/// One value everywhere.
#[script_fn]
pub fn full(shape: Shape, dtype: DataType, fill_value: ExprArg) -> BuildResult<Ref<Tensor>> {
    let shape: Vec<Expr> = shape.0.iter().cloned().collect();
    Style::cpp("T_full", ELEMENTWISE).compute(&shape, |_| Ok(ops::cast(dtype, fill_value.0)?))
}

/// One value everywhere, with the shape and type of a tensor.
#[script_fn]
pub fn full_like(x: Ref<Tensor>, fill_value: ExprArg) -> BuildResult<Ref<Tensor>> {
    Style::cpp("T_full_like", ELEMENTWISE).compute(&dims(&x), |_| Ok(ops::cast(x.dtype, fill_value.0)?))
}
