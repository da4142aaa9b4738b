//! Vectors.

use tvmscript_prim::{DataType, Expr};

use super::{INT32, Operator, ResultType};

tir_operators! {
    /// Dot product of two vectors of four bytes, added to `acc`.
    dp4a(dtype: DataType = DataType::INT32, vec1: Expr, vec2: Expr, acc: Expr = 0) -> dtype;
    /// Mask whose lane `i` tells whether `base + i` is below `limit`.
    get_active_lane_mask(dtype: DataType, base: Expr, limit: Expr) -> dtype;
    /// Two vectors, one after the other.
    vectorcombine(dtype: DataType, vec1: Expr, vec2: Expr) -> dtype;
    /// Upper half of a vector.
    vectorhigh(dtype: DataType, vec: Expr) -> dtype;
    /// Lower half of a vector.
    vectorlow(dtype: DataType, vec: Expr) -> dtype;
    /// Number of 128-bit units in a scalable vector register.
    vscale() -> INT32;
}
