//! Operators that work element by element: of one tensor, or of two that are broadcast to one shape.
//!
//! Upstream counterpart: `src/relax/op/tensor/{unary,binary,ternary}.cc`.

use tvmscript_ir::VDevice;
use tvmscript_ir_core::{Array, DataType, Ref, Span};
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::BuildError;
use tvmscript_prim::ops::is_one;
use tvmscript_prim::{self as prim, IntImm};

use super::{Infer, InferError, InferErrorKind, Operator, tensor_of, tensor_of_rank};
use crate::analysis::same_dim;
#[cfg(feature = "build")]
use crate::build::args::{AnyExprArg, ExprArg};
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The absolute value.
    abs(x: Expr) -> infer(same_as_operand);
    /// The inverse cosine.
    acos(x: Expr) -> infer(same_as_float);
    /// The inverse hyperbolic cosine.
    acosh(x: Expr) -> infer(same_as_float);
    /// The inverse sine.
    asin(x: Expr) -> infer(same_as_float);
    /// The inverse hyperbolic sine.
    asinh(x: Expr) -> infer(same_as_float);
    /// The inverse tangent.
    atan(x: Expr) -> infer(same_as_float);
    /// The inverse hyperbolic tangent.
    atanh(x: Expr) -> infer(same_as_float);
    /// All bits inverted.
    bitwise_not(x: Expr) -> infer(same_as_operand);
    /// Rounded up.
    ceil(x: Expr) -> infer(same_as_operand);
    /// The cosine.
    cos(x: Expr) -> infer(same_as_float);
    /// The hyperbolic cosine.
    cosh(x: Expr) -> infer(same_as_float);
    /// The error function.
    erf(x: Expr) -> infer(same_as_float);
    /// The exponential.
    exp(x: Expr) -> infer(same_as_float);
    /// Rounded down.
    floor(x: Expr) -> infer(same_as_operand);
    /// Whether finite.
    isfinite(x: Expr) -> infer(bool_of_operand);
    /// Whether infinite.
    isinf(x: Expr) -> infer(bool_of_operand);
    /// Whether not a number.
    isnan(x: Expr) -> infer(bool_of_operand);
    /// The natural logarithm.
    log(x: Expr) -> infer(same_as_float);
    /// Whether false.
    logical_not(x: Expr) -> infer(same_as_operand);
    /// The negative.
    negative(x: Expr) -> infer(same_as_operand);
    /// Rounded to the nearest.
    round(x: Expr) -> infer(same_as_operand);
    /// One over the square root.
    rsqrt(x: Expr) -> infer(same_as_float);
    /// The logistic function.
    sigmoid(x: Expr) -> infer(same_as_float);
    /// The sign: -1, 0 or 1.
    sign(x: Expr) -> infer(same_as_operand);
    /// The sine.
    sin(x: Expr) -> infer(same_as_float);
    /// The hyperbolic sine.
    sinh(x: Expr) -> infer(same_as_float);
    /// The square.
    square(x: Expr) -> infer(same_as_operand);
    /// The square root.
    sqrt(x: Expr) -> infer(same_as_float);
    /// The tangent.
    tan(x: Expr) -> infer(same_as_float);
    /// The hyperbolic tangent.
    tanh(x: Expr) -> infer(same_as_float);
    /// Rounded towards zero.
    trunc(x: Expr) -> infer(same_as_operand);
    /// The sum.
    add(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// The bits that are set in both.
    bitwise_and(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// The bits that are set in one of both.
    bitwise_or(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// The bits that differ.
    bitwise_xor(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// The quotient.
    divide(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// Whether equal.
    equal(x1: Expr, x2: Expr) -> infer(comparison);
    /// The quotient, rounded down.
    floor_divide(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// What is left of the quotient rounded down.
    floor_mod(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// Whether greater.
    greater(x1: Expr, x2: Expr) -> infer(comparison);
    /// Whether greater or equal.
    greater_equal(x1: Expr, x2: Expr) -> infer(comparison);
    /// The bits shifted left.
    left_shift(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// Whether less.
    less(x1: Expr, x2: Expr) -> infer(comparison);
    /// Whether less or equal.
    less_equal(x1: Expr, x2: Expr) -> infer(comparison);
    /// The logarithm of the sum of the exponentials.
    log_add_exp(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// Whether both are true.
    logical_and(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// Whether one is true.
    logical_or(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// Whether just one is true.
    logical_xor(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// The greater one.
    maximum(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// The lesser one.
    minimum(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// What is left of the quotient.
    mod_(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// The product.
    multiply(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// Whether different.
    not_equal(x1: Expr, x2: Expr) -> infer(comparison);
    /// The power.
    power(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// The bits shifted right.
    right_shift(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// The difference.
    subtract(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// The tensor within bounds.
    clip(x: ExprArg, min: AnyExprArg, max: AnyExprArg) -> infer(clipped) {
        for (index, bound) in [&min.0, &max.0].into_iter().enumerate() {
            if !bound.is::<PrimValue>() {
                let error = BuildError::expected("a number or a scalar", bound.object().info().key());
                return Err(error.at_position(index + 1));
            }
        }
        Ok(Call::of_op("relax.clip", [x.0, min.0, max.0], None))
    }
}

/// The operand's struct info with another element type.
pub(super) fn with_dtype(x: &Ref<TensorStructInfo>, dtype: DataType) -> Ref<StructInfo> {
    if x.dtype == dtype {
        return x.clone().upcast();
    }
    let TensorStructInfo { shape, vdevice, ndim, .. } = (**x).clone();
    Ref::new(TensorStructInfo { span: Span::current(), shape, dtype, vdevice, ndim }).upcast()
}

/// A tensor of the operand's shape and type.
pub(super) fn same_as_operand(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(x.upcast())
}

/// Checks that an operand's elements are floating numbers, where they are known.
pub(super) fn check_float(
    cx: &Infer<'_>,
    index: usize,
    x: &TensorStructInfo,
) -> std::result::Result<(), InferError> {
    let is_float = x.is_unknown_dtype() || x.dtype.is_float() || x.dtype.is_bfloat();
    if is_float {
        return Ok(());
    }
    let expected = "a tensor of floating numbers".to_owned();
    Err(InferErrorKind::Dtype { op: cx.op(), expected, found: x.dtype }.at(index))
}

/// As [`same_as_operand`], for floating numbers only.
pub(super) fn same_as_float(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    check_float(cx, 0, &x)?;
    Ok(x.upcast())
}

fn bool_of_operand(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(with_dtype(&x, DataType::BOOL))
}

/// An operand that is a tensor or a scalar.
struct Operand {
    dtype: DataType,
    ndim: i64,
    dims: Option<Array<prim::Expr>>,
    tensor: Option<Ref<TensorStructInfo>>,
}

fn operand(cx: &Infer<'_>, index: usize) -> std::result::Result<Operand, InferError> {
    let info = cx.info(index)?;
    if let Some(prim) = info.as_node::<PrimStructInfo>() {
        let dims = Some([IntImm::int64(1)].into_iter().collect());
        return Ok(Operand { dtype: prim.dtype, ndim: 1, dims, tensor: None });
    }
    let tensor: Ref<TensorStructInfo> =
        info.downcast().map_err(|_| cx.wrong_kind(index, "a tensor or a scalar"))?;
    Ok(Operand { dtype: tensor.dtype, ndim: tensor.ndim, dims: tensor.known_dims(), tensor: Some(tensor) })
}

fn arithmetic(cx: &mut Infer<'_>) -> Inferred {
    broadcast(cx, None)
}

fn comparison(cx: &mut Infer<'_>) -> Inferred {
    broadcast(cx, Some(DataType::BOOL))
}

/// Two operands broadcast to one shape.
fn broadcast(cx: &mut Infer<'_>, result: Option<DataType>) -> Inferred {
    cx.expect_args(2)?;
    let (a, b) = (operand(cx, 0)?, operand(cx, 1)?);
    let dtype = match result {
        Some(dtype) => dtype,
        None => common_dtype(cx, a.dtype, b.dtype)?,
    };
    if a.tensor.is_none() && b.tensor.is_none() {
        return Ok(PrimStructInfo::new(dtype));
    }
    let vdevice = common_device(cx, a.tensor.as_ref(), b.tensor.as_ref())?;
    let ndim =
        if a.ndim == UNKNOWN_NDIM || b.ndim == UNKNOWN_NDIM { UNKNOWN_NDIM } else { a.ndim.max(b.ndim) };
    if let (Some(x), Some(y)) = (&a.dims, &b.dims)
        && let Some(dims) = broadcast_dims(cx, x, y, 1)?
    {
        return Ok(tensor_of(dims, dtype, vdevice));
    }
    // Where both shapes are held by one variable, so is that of the result.
    if let (Some(x), Some(y)) = (&a.tensor, &b.tensor)
        && let (Some(shape), Some(other)) = (&x.shape, &y.shape)
        && shape.ptr_eq(other)
    {
        let shape = Some(shape.clone());
        return Ok(Ref::new(TensorStructInfo { span: Span::current(), shape, dtype, vdevice, ndim }).upcast());
    }
    Ok(tensor_of_rank(ndim, dtype, vdevice))
}

/// The element type of two operands, which is one; truth values go with any.
pub(super) fn common_dtype(
    cx: &Infer<'_>,
    a: DataType,
    b: DataType,
) -> std::result::Result<DataType, InferError> {
    if a.is_void() || b.is_void() {
        return Ok(DataType::VOID);
    }
    if a != b && !a.is_bool() && !b.is_bool() {
        let expected = format!("two operands of one type, so `{a}`");
        return Err(InferErrorKind::Dtype { op: cx.op(), expected, found: b }.at(1));
    }
    Ok(a)
}

/// The device of two operands, which is one where both are bound.
pub(super) fn common_device(
    cx: &Infer<'_>,
    a: Option<&Ref<TensorStructInfo>>,
    b: Option<&Ref<TensorStructInfo>>,
) -> std::result::Result<Option<Ref<VDevice>>, InferError> {
    let device = |tensor: Option<&Ref<TensorStructInfo>>| {
        tensor.and_then(|tensor| tensor.vdevice.clone()).filter(|device| device.target.is_some())
    };
    match (device(a), device(b)) {
        (Some(x), Some(y)) if !x.ptr_eq(&y) => {
            Err(cx.wrong_shape_at(1, "the operands are bound to different devices"))
        }
        (x, y) => Ok(x.or(y)),
    }
}

/// The dimensions of two shapes broadcast to one; nothing where it cannot be told. Where it cannot be done, `operand` is blamed.
pub(super) fn broadcast_dims(
    cx: &mut Infer<'_>,
    a: &Array<prim::Expr>,
    b: &Array<prim::Expr>,
    operand: usize,
) -> std::result::Result<Option<Vec<prim::Expr>>, InferError> {
    let (longer, shorter) = if a.len() > b.len() { (a, b) } else { (b, a) };
    let extra = longer.len() - shorter.len();
    let mut dims: Vec<prim::Expr> = longer.iter().take(extra).cloned().collect();
    // The last dimensions come first, so that mistakes are found in the order upstream finds them.
    let mut tail = Vec::with_capacity(shorter.len());
    for i in (0..shorter.len()).rev() {
        let (x, y) = (&a[a.len() - shorter.len() + i], &b[b.len() - shorter.len() + i]);
        tail.push(if is_one(x) {
            y.clone()
        } else if is_one(y) || same_dim(x, y, cx.analyzer) {
            x.clone()
        } else if let (Some(x), Some(y)) = (x.as_node::<IntImm>(), y.as_node::<IntImm>()) {
            return Err(cx.wrong_shape_at(
                operand,
                format!("the dimensions {} and {} cannot be broadcast", x.value, y.value),
            ));
        } else {
            return Ok(None);
        });
    }
    dims.extend(tail.into_iter().rev());
    Ok(Some(dims))
}

/// What the operand is, whatever that may be.
fn clipped(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(3)?;
    cx.info(0)
}
