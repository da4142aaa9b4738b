//! Mathematical functions and intrinsics of scalars and vectors, as the functions `T.sin`, `T.pow` ... build them.
//!
//! Plain ones build a call of the operand's type whatever it is; the few that fold, match types or check say so.
//!
//! Upstream counterparts: `python/tvm/tir/op.py`, `src/tir/op/op.cc`.

use tvmscript_ir_core::{DataType, TypeCode};

pub use super::literal::large_uint_imm;
use super::literal::{make_const, make_zero, truth};
use super::{builtin, cast, match_types};
use crate::class::{Expr, PrimExprExt};
use crate::error::{PrimError, Result};
use crate::node::leaf::{float_bound, float_is_unsigned};
use crate::node::{Call, Cast, FloatImm, IntImm, Select};

macro_rules! unary {
    ($($name:ident = $op:literal;)*) => {$(
        #[doc = concat!("A call of `", $op, "`, of the operand's type.")]
        pub fn $name(x: Expr) -> Expr {
            Call::new(x.dtype(), builtin!($op), [x])
        }
    )*};
}

unary! {
    exp2 = "tir.exp2";
    exp10 = "tir.exp10";
    erf = "tir.erf";
    tanh = "tir.tanh";
    sigmoid = "tir.sigmoid";
    log = "tir.log";
    log2 = "tir.log2";
    log10 = "tir.log10";
    log1p = "tir.log1p";
    tan = "tir.tan";
    cos = "tir.cos";
    cosh = "tir.cosh";
    sin = "tir.sin";
    sinh = "tir.sinh";
    asin = "tir.asin";
    acos = "tir.acos";
    atan = "tir.atan";
    asinh = "tir.asinh";
    acosh = "tir.acosh";
    atanh = "tir.atanh";
    sqrt = "tir.sqrt";
    rsqrt = "tir.rsqrt";
    popcount = "tir.popcount";
    ret = "tir.ret";
    tvm_thread_invariant = "tir.tvm_thread_invariant";
}

macro_rules! binary {
    ($($name:ident = $op:literal;)*) => {$(
        #[doc = concat!("A call of `", $op, "`, of the first operand's type; the types are neither matched nor checked.")]
        pub fn $name(x: Expr, y: Expr) -> Expr {
            Call::new(x.dtype(), builtin!($op), [x, y])
        }
    )*};
}

binary! {
    atan2 = "tir.atan2";
    copysign = "tir.copysign";
    fmod = "tir.fmod";
    hypot = "tir.hypot";
    ldexp = "tir.ldexp";
    nextafter = "tir.nextafter";
}

/// A call of `tir.exp`; integers are converted to `float32` first, their literals included.
/// # Errors
/// [`PrimError::Lanes`] for a vector of integers, which that conversion does not keep.
pub fn exp(x: Expr) -> Result<Expr> {
    let x = if x.dtype().is_integer() { Cast::try_new(DataType::FLOAT32, x)? } else { x };
    Ok(Call::new(x.dtype(), builtin!("tir.exp"), [x]))
}

/// A call of `tir.clz`, always `int32`.
pub fn clz(x: Expr) -> Expr {
    Call::new(DataType::INT32, builtin!("tir.clz"), [x])
}

/// `x` to the power of `y`; types are matched.
/// # Errors
/// [`PrimError::OperandType`] when the common type is no IEEE float; [`PrimError::CannotMatch`].
pub fn pow(mut x: Expr, mut y: Expr) -> Result<Expr> {
    match_types(&mut x, &mut y)?;
    let found = x.dtype();
    if !found.is_float() {
        return Err(PrimError::OperandType { op: "pow", expected: "floats", found });
    }
    Ok(Call::new(found, builtin!("tir.pow"), [x, y]))
}

/// The logarithm of a sum of exponentials, as TVM builds it from `exp`, `+` and `log`.
/// # Errors
/// [`PrimError::OperandType`] unless both are IEEE floats; [`PrimError::CannotMatch`].
pub fn logaddexp(mut a: Expr, mut b: Expr) -> Result<Expr> {
    for e in [&a, &b] {
        let found = e.dtype();
        if !found.is_float() {
            return Err(PrimError::OperandType { op: "logaddexp", expected: "floats", found });
        }
    }
    match_types(&mut a, &mut b)?;
    Ok(log(super::add(exp(a)?, exp(b)?)?))
}

/// The absolute value: of unsigned integers the operand itself, of signed ones a selection, of floats a call of `tir.fabs`.
/// Literals fold.
/// # Errors
/// [`PrimError::OperandType`] for bool, handles and small floats.
pub fn abs(x: Expr) -> Result<Expr> {
    let found = x.dtype();
    if found.is_int() {
        if let Some(lit) = x.as_node::<IntImm>() {
            return IntImm::try_new(found, lit.value.wrapping_abs());
        }
        let condition = super::ge(x.clone(), make_zero(found)?)?;
        Select::try_new(condition, x.clone(), super::neg(x)?)
    } else if found.is_float() || found.is_bfloat() {
        match x.as_node::<FloatImm>() {
            Some(lit) => FloatImm::try_new(found, lit.value.abs()),
            None => Ok(Call::new(found, builtin!("tir.fabs"), [x])),
        }
    } else if found.is_uint() {
        Ok(x)
    } else {
        Err(PrimError::OperandType { op: "abs", expected: "integers or floats", found })
    }
}

macro_rules! rounding {
    ($($(#[$doc:meta])* $name:ident = $op:literal, $fold:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// Integers and bools are returned as they are; literals of any floating type fold.
        /// # Errors
        /// [`PrimError::OutOfRange`] when a folded literal does not fit its type.
        pub fn $name(x: Expr) -> Result<Expr> {
            let dtype = x.dtype();
            if dtype.is_integer() || dtype.is_bool() {
                return Ok(x);
            }
            let fold: fn(f64) -> f64 = $fold;
            match x.as_node::<FloatImm>() {
                Some(lit) => FloatImm::try_new(dtype, fold(lit.value)),
                None => Ok(Call::new(dtype, builtin!($op), [x])),
            }
        }
    )*};
}

rounding! {
    /// Rounded toward negative infinity.
    floor = "tir.floor", f64::floor;
    /// Rounded toward positive infinity.
    ceil = "tir.ceil", f64::ceil;
    /// Rounded toward zero.
    trunc = "tir.trunc", f64::trunc;
    /// Rounded to the nearest, ties to even.
    round = "tir.round", f64::round_ties_even;
    /// Rounded to the nearest, ties to even.
    nearbyint = "tir.nearbyint", f64::round_ties_even;
}

/// Whether the value is no number: false for integers, folded for literals; `float16` is asked as `float32`.
/// # Errors
/// [`PrimError::OperandType`] for anything but integers and IEEE floats.
pub fn isnan(x: Expr) -> Result<Expr> {
    let found = x.dtype();
    let result = DataType::BOOL.with_lanes(found.lanes);
    if found.is_integer() {
        return make_const(result, false);
    }
    if !found.is_float() {
        return Err(PrimError::OperandType { op: "isnan", expected: "integers or floats", found });
    }
    if let Some(lit) = x.as_node::<FloatImm>() {
        return Ok(truth(lit.value.is_nan()));
    }
    let x = if found.bits == 16 { cast(DataType::FLOAT32.with_lanes(found.lanes), x)? } else { x };
    Ok(Call::new(result, builtin!("tir.isnan"), [x]))
}

/// Whether the value is infinite: false for integers, else `fabs(x) == inf and not isnan(x)`.
/// # Errors
/// [`PrimError::OperandType`] for anything but integers and scalar IEEE floats.
pub fn isinf(x: Expr) -> Result<Expr> {
    let found = x.dtype();
    if found.is_integer() {
        return make_const(DataType::BOOL.with_lanes(found.lanes), false);
    }
    if !found.is_float() {
        return Err(PrimError::OperandType { op: "isinf", expected: "integers or floats", found });
    }
    let equal = super::eq(abs(x.clone())?, infinity(found)?)?;
    super::and(equal, super::not(isnan(x)?)?)
}

/// Whether the value is a finite number: `not isinf(x) and not isnan(x)`.
/// # Errors
/// As [`isinf`].
pub fn isfinite(x: Expr) -> Result<Expr> {
    super::and(super::not(isinf(x.clone())?)?, super::not(isnan(x)?)?)
}

/// Whether a pointer is null.
pub fn isnullptr(x: Expr) -> Expr {
    Call::new(DataType::BOOL, builtin!("tir.isnullptr"), [x])
}

fn scalar(op: &'static str, found: DataType) -> Result<()> {
    if found.is_scalar() {
        Ok(())
    } else {
        Err(PrimError::OperandType { op, expected: "a scalar type", found })
    }
}

/// The greatest finite magnitude that TVM gives a floating type.
fn float_limit(op: &'static str, dtype: DataType) -> Result<f64> {
    match dtype.code {
        TypeCode::Float if !matches!(dtype.bits, 16 | 32 | 64) => {}
        TypeCode::BFloat => return Ok(f64::from(f32::MAX)),
        _ if dtype.is_any_float() => return Ok(float_bound(dtype)),
        _ => {}
    }
    Err(PrimError::OperandType { op, expected: "a numeric type", found: dtype })
}

/// The greatest finite value of a scalar type.
/// # Errors
/// [`PrimError::OperandType`] for bool, handles and vectors.
pub fn max_value(dtype: DataType) -> Result<Expr> {
    scalar("max_value", dtype)?;
    match dtype.code {
        TypeCode::Int if (1..=64).contains(&dtype.bits) => {
            IntImm::try_new(dtype, i64::MAX >> (64 - u32::from(dtype.bits)))
        }
        TypeCode::UInt if (1..=64).contains(&dtype.bits) => {
            make_const(dtype, u64::MAX >> (64 - u32::from(dtype.bits)))
        }
        _ => FloatImm::try_new(dtype, float_limit("max_value", dtype)?),
    }
}

/// The least finite value of a scalar type.
/// # Errors
/// [`PrimError::OperandType`] for bool, handles and vectors.
pub fn min_value(dtype: DataType) -> Result<Expr> {
    scalar("min_value", dtype)?;
    match dtype.code {
        TypeCode::Int if (1..=64).contains(&dtype.bits) => {
            IntImm::try_new(dtype, i64::MIN >> (64 - u32::from(dtype.bits)))
        }
        TypeCode::UInt => IntImm::try_new(dtype, 0),
        _ => {
            let limit = float_limit("min_value", dtype)?;
            FloatImm::try_new(dtype, if float_is_unsigned(dtype) { 0.0 } else { -limit })
        }
    }
}

/// Positive infinity of `float16`, `float32` or `float64`.
/// # Errors
/// [`PrimError::OperandType`] for any other type.
pub fn infinity(dtype: DataType) -> Result<Expr> {
    scalar("infinity", dtype)?;
    if !dtype.is_float() || !matches!(dtype.bits, 16 | 32 | 64) {
        return Err(PrimError::OperandType { op: "infinity", expected: "an IEEE float", found: dtype });
    }
    FloatImm::try_new(dtype, f64::INFINITY)
}

/// The number of 128-bit units in a scalable vector register.
pub fn vscale() -> Expr {
    Call::new(DataType::INT32, builtin!("tir.vscale"), [])
}

/// A mask of type `dtype` whose lane `i` says whether `base + i` is below `limit`.
pub fn get_active_lane_mask(dtype: DataType, base: Expr, limit: Expr) -> Expr {
    Call::new(dtype, builtin!("tir.get_active_lane_mask"), [base, limit])
}

/// The lower half of a vector.
pub fn vectorlow(dtype: DataType, vector: Expr) -> Expr {
    Call::new(dtype, builtin!("tir.vectorlow"), [vector])
}

/// The upper half of a vector.
pub fn vectorhigh(dtype: DataType, vector: Expr) -> Expr {
    Call::new(dtype, builtin!("tir.vectorhigh"), [vector])
}

/// Two vectors, one after the other.
pub fn vectorcombine(dtype: DataType, low: Expr, high: Expr) -> Expr {
    Call::new(dtype, builtin!("tir.vectorcombine"), [low, high])
}

/// The dot product of two vectors of four bytes, added to `accumulator`; of the given type (`T.dp4a` makes it `int32`).
pub fn dp4a(dtype: DataType, a: Expr, b: Expr, accumulator: Expr) -> Expr {
    Call::new(dtype, builtin!("tir.dp4a"), [a, b, accumulator])
}

/// `x * y` of two fixed-point numbers with `q` fractional bits, shifted right by `s` and rounded. Always `int32`.
pub fn q_multiply_shift(x: Expr, y: Expr, q: Expr, s: Expr) -> Expr {
    Call::new(DataType::INT32, builtin!("tir.q_multiply_shift"), [x, y, q, s])
}

/// [`q_multiply_shift`] with shifts to both sides, each required or not: `x`, `y`, left shift, right shift, `q`, and whether
/// the left and the right shift are required. Always `int32`.
pub fn q_multiply_shift_per_axis(args: [Expr; 7]) -> Expr {
    Call::new(DataType::INT32, builtin!("tir.q_multiply_shift_per_axis"), args)
}

/// Leaves the kernel.
pub fn thread_return() -> Expr {
    Call::new(DataType::VOID, builtin!("tir.thread_return"), [])
}

/// Goes on with the next iteration of the innermost loop.
pub fn continue_loop() -> Expr {
    Call::new(DataType::VOID, builtin!("tir.continue_loop"), [])
}

/// Leaves the innermost loop.
pub fn break_loop() -> Expr {
    Call::new(DataType::VOID, builtin!("tir.break_loop"), [])
}

/// An arbitrary but initialised value.
pub fn undef() -> Expr {
    Call::new(DataType::INT32, builtin!("tir.undef"), [])
}

/// A condition that the compiler may rely on.
pub fn assume(condition: Expr) -> Expr {
    Call::new(DataType::BOOL, builtin!("tir.assume"), [condition])
}

/// A predicate that loop partitioning leaves alone.
pub fn ignore_loop_partition(predicate: Expr) -> Expr {
    Call::new(DataType::BOOL, builtin!("tir.ignore_loop_partition"), [predicate])
}

/// A type as an argument: a call without arguments whose type it is.
pub fn type_annotation(dtype: DataType) -> Expr {
    Call::new(dtype, builtin!("tir.type_annotation"), [])
}
