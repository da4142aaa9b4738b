//! Mathematical functions of scalars and vectors.
//!
//! Plain ones have the operand's type, whatever it is; those with a function behind `=` fold literals, match types or check.

use tvmscript_prim::{DataType, Expr, PrimExprExt, ops};

use super::{BOOL, Effect, Operator, ResultType, fold};

tir_operators! {
    /// Arc cosine.
    acos(x: Expr) -> same_as(x);
    /// Inverse hyperbolic cosine.
    acosh(x: Expr) -> same_as(x);
    /// Arc sine.
    asin(x: Expr) -> same_as(x);
    /// Inverse hyperbolic sine.
    asinh(x: Expr) -> same_as(x);
    /// Arc tangent.
    atan(x: Expr) -> same_as(x);
    /// Arc tangent of `x1 / x2`, in the quadrant of both signs.
    atan2(x1: Expr, x2: Expr) -> same_as(x1);
    /// Inverse hyperbolic tangent.
    atanh(x: Expr) -> same_as(x);
    /// Rounds toward positive infinity.
    ceil(x: Expr) -> same_as(x) = ops::ceil;
    /// Magnitude of `x1` with the sign of `x2`.
    copysign(x1: Expr, x2: Expr) -> same_as(x1);
    /// Cosine.
    cos(x: Expr) -> same_as(x);
    /// Hyperbolic cosine.
    cosh(x: Expr) -> same_as(x);
    /// Gauss error function.
    erf(x: Expr) -> same_as(x);
    /// Natural exponential; integers become `float32` first.
    exp(x: Expr) -> same_as(x) = fold::exp;
    /// Power of ten.
    exp10(x: Expr) -> same_as(x);
    /// Power of two.
    exp2(x: Expr) -> same_as(x);
    /// Absolute value, as [`abs`]: of integers as well.
    fabs(x: Expr) -> same_as(x) = fold::abs;
    /// Rounds toward negative infinity.
    floor(x: Expr) -> same_as(x) = fold::floor;
    /// Fused multiply-add.
    fma(*args: Expr) -> same_as(args[0]), hidden;
    /// Remainder of a division of floats, with the sign of `x`.
    fmod(x: Expr, y: Expr) -> same_as(x);
    /// Length of the hypotenuse, `sqrt(x1 * x1 + x2 * x2)`.
    hypot(x1: Expr, x2: Expr) -> same_as(x1);
    /// Tests for a finite number, as an operator; scripts build [`isfinite`] of other operators.
    isfinite_op(*args: Expr) -> BOOL, name = "tir.isfinite", text = "tir.isfinite", effect = Unknown, hidden;
    /// Tests for an infinity, as an operator; scripts build [`isinf`] of other operators.
    isinf_op(*args: Expr) -> BOOL, name = "tir.isinf", text = "tir.isinf", effect = Unknown, hidden;
    /// Tests for NaN: false for integers; `float16` is converted to `float32`.
    isnan(x: Expr) -> BOOL = fold::isnan;
    /// `x1` times two to the power of `x2`.
    ldexp(x1: Expr, x2: Expr) -> same_as(x1);
    /// Natural logarithm.
    log(x: Expr) -> same_as(x);
    /// Logarithm to base 10.
    log10(x: Expr) -> same_as(x);
    /// Natural logarithm of `1 + x`.
    log1p(x: Expr) -> same_as(x);
    /// Logarithm to base 2.
    log2(x: Expr) -> same_as(x);
    /// Rounds to the nearest integer, ties to even.
    nearbyint(x: Expr) -> same_as(x) = fold::nearbyint;
    /// Next representable value after `x1` toward `x2`.
    nextafter(x1: Expr, x2: Expr) -> same_as(x1);
    /// Power of floats; the types are matched.
    pow(x: Expr, y: Expr) -> same_as(x) = fold::pow;
    /// Rounds to the nearest integer, ties to even.
    round(x: Expr) -> same_as(x) = fold::round;
    /// Reciprocal of the square root.
    rsqrt(x: Expr) -> same_as(x);
    /// Logistic function, `1 / (1 + exp(-x))`.
    sigmoid(x: Expr) -> same_as(x);
    /// Sine.
    sin(x: Expr) -> same_as(x);
    /// Hyperbolic sine.
    sinh(x: Expr) -> same_as(x);
    /// Square root.
    sqrt(x: Expr) -> same_as(x);
    /// Tangent.
    tan(x: Expr) -> same_as(x);
    /// Hyperbolic tangent.
    tanh(x: Expr) -> same_as(x);
    /// Rounds toward zero.
    trunc(x: Expr) -> same_as(x) = fold::trunc;
    /// Absolute value: a selection for signed integers, the operand itself for unsigned ones.
    fn abs(x: Expr) = fold::abs;
    /// Quotient rounded toward positive infinity.
    fn ceildiv(lhs: Expr, rhs: Expr) = ops::ceildiv;
    /// Quotient rounded toward negative infinity.
    fn floordiv(a: Expr, b: Expr) = ops::floordiv;
    /// Remainder of [`floordiv`].
    fn floormod(a: Expr, b: Expr) = ops::floormod;
    /// Quotient rounded toward zero.
    fn truncdiv(a: Expr, b: Expr) = ops::truncdiv;
    /// Remainder of [`truncdiv`].
    fn truncmod(a: Expr, b: Expr) = ops::truncmod;
    /// Greater of two values.
    fn max(a: Expr, b: Expr) = ops::max;
    /// Lesser of two values.
    fn min(a: Expr, b: Expr) = ops::min;
    /// Tests for a finite number: neither infinite nor NaN.
    fn isfinite(x: Expr) = fold::isfinite;
    /// Tests for an infinity: `fabs(x) == inf and not isnan(x)`.
    fn isinf(x: Expr) = fold::isinf;
    /// Greatest finite value of a scalar type.
    fn max_value(dtype: DataType) = ops::max_value;
    /// Least finite value of a scalar type.
    fn min_value(dtype: DataType) = ops::min_value;
    /// Positive infinity of `float16`, `float32` or `float64`.
    fn infinity(dtype: DataType) = ops::infinity;
}
