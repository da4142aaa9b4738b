//! Functions of numbers: with the precision of the device, of pairs of numbers, with stated rounding.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use super::{VOID, fma_of_tir, infinity_of_type};

operators! {
    prefix = "tl.";
    result = Expr;
    script = crate::op::types;
    call = crate::tilelang_0_25::op::call;
    effect = Pure;

    /// Cosine, fast and less exact.
    __cos(x) -> same_as(x), effect = Update;
    /// Exponential, fast and less exact.
    __exp(x) -> same_as(x), effect = Update;
    /// Power of ten, fast and less exact.
    __exp10(x) -> same_as(x), effect = Update;
    /// Natural logarithm, fast and less exact.
    __log(x) -> same_as(x), effect = Update;
    /// Logarithm to base 10, fast and less exact.
    __log10(x) -> same_as(x), effect = Update;
    /// Logarithm to base 2, fast and less exact.
    __log2(x) -> same_as(x), effect = Update;
    /// Sine, fast and less exact.
    __sin(x) -> same_as(x), effect = Update;
    /// Tangent, fast and less exact.
    __tan(x) -> same_as(x), effect = Update;
    /// Absolute values of a pair.
    abs2(x) -> same_as(x);
    /// Sums of two pairs.
    add2(x, y) -> same_as(x);
    /// The value between two bounds; NaN stays NaN.
    clamp(value, min, max) -> same_as(value);
    /// Reciprocal, fast and less exact.
    fast_rcp(x) -> same_as(x), effect = Update;
    /// Fused multiply-add `x * y + z`. Texts name TIR's operator in this way, so calls print in full.
    fma(x, y, z) -> same_as(x) = fma_of_tir;
    /// [`fma`] of pairs.
    fma2(x, y, z) -> same_as(x);
    /// Product that is not contracted with a sum.
    fmul(x, y) -> same_as(x);
    /// Sum with a rounding mode.
    ieee_add(x, y, rounding_mode) -> same_as(x);
    /// Quotient with a rounding mode.
    ieee_fdiv(x, y, rounding_mode) -> same_as(x);
    /// Fused multiply-add with a rounding mode.
    ieee_fmaf(x, y, z, rounding_mode) -> same_as(x);
    /// Reciprocal with a rounding mode.
    ieee_frcp(x, rounding_mode) -> same_as(x);
    /// Reciprocal of the square root, rounded to nearest.
    ieee_frsqrt(x) -> same_as(x);
    /// Square root with a rounding mode.
    ieee_fsqrt(x, rounding_mode) -> same_as(x);
    /// Product with a rounding mode.
    ieee_mul(x, y, rounding_mode) -> same_as(x);
    /// Difference with a rounding mode.
    ieee_sub(x, y, rounding_mode) -> same_as(x);
    /// The infinity of a type, given by its name.
    infinity(dtype_name) -> VOID = infinity_of_type;
    /// Larger values of two pairs.
    max2(x, y) -> same_as(x);
    /// Larger values of two pairs; NaN wins.
    max2_nan(x, y) -> same_as(x);
    /// Larger value; NaN wins.
    max_nan(x, y) -> same_as(x);
    /// Smaller values of two pairs.
    min2(x, y) -> same_as(x);
    /// Smaller values of two pairs; NaN wins.
    min2_nan(x, y) -> same_as(x);
    /// Smaller value; NaN wins.
    min_nan(x, y) -> same_as(x);
    /// Products of two pairs.
    mul2(x, y) -> same_as(x);
    /// Power with an integer exponent.
    pow_of_int(x, y) -> same_as(x);
    /// Rounds to the nearest integer, ties away from zero.
    round_ties_away_from_zero(x) -> same_as(x);
    /// Differences of two pairs.
    sub2(x, y) -> same_as(x);
}
