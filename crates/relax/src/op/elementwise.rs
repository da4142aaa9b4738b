//! Elementwise operators of one tensor, of two that are broadcast, and of three.
//!
//! Upstream counterparts: `src/relax/op/tensor/{unary,binary,ternary}.cc`, `R.where` in `src/relax/op/tensor/search.cc`.

use tvmscript_ir::VDevice;
use tvmscript_prim::ops::is_one;

use super::prelude::*;
use crate::analysis::same_dim;

operators! {
    params unary = (x: Expr);
    params binary = (x1: Expr, x2: Expr);

    /// The absolute value.
    abs(..unary) -> infer(same_as_operand), sharding = Sharding::SameAsOperand;
    /// The inverse cosine.
    acos(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The inverse hyperbolic cosine.
    acosh(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The inverse sine.
    asin(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The inverse hyperbolic sine.
    asinh(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The inverse tangent.
    atan(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The inverse hyperbolic tangent.
    atanh(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// Bitwise complement.
    bitwise_not(..unary) -> infer(same_as_operand), sharding = Sharding::SameAsOperand;
    /// Rounds up.
    ceil(..unary) -> infer(same_as_operand), sharding = Sharding::SameAsOperand;
    /// The cosine.
    cos(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The hyperbolic cosine.
    cosh(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The error function.
    erf(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The exponential.
    exp(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// Rounds down.
    floor(..unary) -> infer(same_as_operand), sharding = Sharding::SameAsOperand;
    /// Tests whether elements are finite.
    isfinite(..unary) -> infer(bool_of_operand), sharding = Sharding::SameAsOperand;
    /// Tests whether elements are infinite.
    isinf(..unary) -> infer(bool_of_operand), sharding = Sharding::SameAsOperand;
    /// Tests whether elements are NaN.
    isnan(..unary) -> infer(bool_of_operand), sharding = Sharding::SameAsOperand;
    /// The natural logarithm.
    log(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// Logical negation.
    logical_not(..unary) -> infer(same_as_operand), sharding = Sharding::SameAsOperand;
    /// The negated elements.
    negative(..unary) -> infer(same_as_operand), sharding = Sharding::SameAsOperand;
    /// Rounds to the nearest integer.
    round(..unary) -> infer(same_as_operand), sharding = Sharding::SameAsOperand;
    /// The reciprocal of the square root.
    rsqrt(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The logistic function.
    sigmoid(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The sign: -1, 0 or 1.
    sign(..unary) -> infer(same_as_operand), sharding = Sharding::SameAsOperand;
    /// The sine.
    sin(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The hyperbolic sine.
    sinh(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The square.
    square(..unary) -> infer(same_as_operand), sharding = Sharding::SameAsOperand;
    /// The square root.
    sqrt(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The tangent.
    tan(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// The hyperbolic tangent.
    tanh(..unary) -> infer(same_as_float), sharding = Sharding::SameAsOperand;
    /// Rounds towards zero.
    trunc(..unary) -> infer(same_as_operand);
    /// The sum.
    add(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// Bitwise and.
    bitwise_and(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// Bitwise or.
    bitwise_or(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// Bitwise exclusive or.
    bitwise_xor(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// The quotient.
    divide(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// Tests for equality.
    equal(..binary) -> infer(comparison), sharding = Sharding::Broadcast;
    /// The quotient, rounded down.
    floor_divide(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// The remainder of the quotient rounded down.
    floor_mod(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// Tests `x1 > x2`.
    greater(..binary) -> infer(comparison), sharding = Sharding::Broadcast;
    /// Tests `x1 >= x2`.
    greater_equal(..binary) -> infer(comparison), sharding = Sharding::Broadcast;
    /// Shifts bits to the left.
    left_shift(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// Tests `x1 < x2`.
    less(..binary) -> infer(comparison), sharding = Sharding::Broadcast;
    /// Tests `x1 <= x2`.
    less_equal(..binary) -> infer(comparison), sharding = Sharding::Broadcast;
    /// The logarithm of the sum of the exponentials.
    log_add_exp(..binary) -> infer(arithmetic);
    /// Logical and.
    logical_and(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// Logical or.
    logical_or(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// Logical exclusive or.
    logical_xor(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// The greater element.
    maximum(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// The lesser element.
    minimum(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// The remainder of the quotient rounded towards zero.
    mod_(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// The product.
    multiply(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// Tests for inequality.
    not_equal(..binary) -> infer(comparison), sharding = Sharding::Broadcast;
    /// The power.
    power(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// Shifts bits to the right.
    right_shift(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// The difference.
    subtract(..binary) -> infer(arithmetic), sharding = Sharding::Broadcast;
    /// The tensor with elements clamped to bounds.
    clip(x: Expr, min: Number, max: Number) -> infer(clipped);
    /// The product of the first two operands, plus the third.
    ewise_fma(x1: Expr, x2: Expr, x3: Expr) -> infer(multiply_add);
    /// Elements of `x1` where the condition holds, of `x2` elsewhere.
    where_(condition: Expr, x1: Expr, x2: Expr) -> infer(chosen);
}

/// The operand with another element type.
pub(super) fn with_dtype(x: &Ref<TensorStructInfo>, dtype: DataType) -> Ref<StructInfo> {
    if x.dtype == dtype {
        return x.clone().upcast();
    }
    let TensorStructInfo { shape, vdevice, ndim, .. } = (**x).clone();
    Ref::new(TensorStructInfo { span: Span::current(), shape, dtype, vdevice, ndim }).upcast()
}

/// The operand's struct info.
pub(super) fn same_as_operand(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(x.upcast())
}

/// Checks that the elements are floating-point numbers, if their type is known.
pub(super) fn check_float(cx: &Infer<'_>, index: usize, x: &TensorStructInfo) -> Checked<()> {
    let is_float = x.is_unknown_dtype() || x.dtype.is_float() || x.dtype.is_bfloat();
    if is_float {
        return Ok(());
    }
    Err(cx.wrong_dtype(index, "a tensor of floating-point numbers", x.dtype))
}

/// Like [`same_as_operand`], for floating-point numbers only.
pub(super) fn same_as_float(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    check_float(cx, 0, &x)?;
    Ok(x.upcast())
}

fn bool_of_operand(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(with_dtype(&x, DataType::BOOL))
}

/// A tensor or scalar operand.
struct Operand {
    dtype: DataType,
    ndim: i64,
    dims: Option<Array<prim::Expr>>,
    tensor: Option<Ref<TensorStructInfo>>,
}

fn operand(cx: &Infer<'_>, index: usize) -> Checked<Operand> {
    let info = cx.info(index)?;
    if let Some(prim) = info.as_node::<PrimStructInfo>() {
        let dims = Some([IntImm::int64(1)].into_iter().collect());
        return Ok(Operand { dtype: prim.dtype, ndim: 1, dims, tensor: None });
    }
    let tensor: Ref<TensorStructInfo> =
        info.downcast().map_err(|_| cx.wrong_kind(index, "a tensor or a scalar"))?;
    Ok(Operand { dtype: tensor.dtype, ndim: tensor.ndim, dims: tensor.known_dims(), tensor: Some(tensor) })
}

pub(super) fn arithmetic(cx: &mut Infer<'_>) -> Inferred {
    broadcast(cx, None)
}

fn comparison(cx: &mut Infer<'_>) -> Inferred {
    broadcast(cx, Some(DataType::BOOL))
}

/// Two broadcast operands.
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
    // If both shapes are the same variable, so is that of the result.
    if let (Some(x), Some(y)) = (&a.tensor, &b.tensor)
        && let (Some(shape), Some(other)) = (&x.shape, &y.shape)
        && shape.ptr_eq(other)
    {
        let shape = Some(shape.clone());
        return Ok(Ref::new(TensorStructInfo { span: Span::current(), shape, dtype, vdevice, ndim }).upcast());
    }
    Ok(tensor_of_rank(ndim, dtype, vdevice))
}

/// The common element type of two operands; bool goes with any.
pub(super) fn common_dtype(cx: &Infer<'_>, a: DataType, b: DataType) -> Checked<DataType> {
    if a.is_void() || b.is_void() {
        return Ok(DataType::VOID);
    }
    if a != b && !a.is_bool() && !b.is_bool() {
        let expected = format!("an operand of the same type, `{a}`");
        return Err(cx.wrong_dtype(1, expected, b));
    }
    Ok(a)
}

/// The common device of two operands.
pub(super) fn common_device(
    cx: &Infer<'_>,
    a: Option<&Ref<TensorStructInfo>>,
    b: Option<&Ref<TensorStructInfo>>,
) -> Checked<Option<Ref<VDevice>>> {
    let device = |tensor: Option<&Ref<TensorStructInfo>>| {
        tensor.and_then(|tensor| tensor.vdevice.clone()).filter(|device| device.target.is_some())
    };
    match (device(a), device(b)) {
        (Some(x), Some(y)) if !x.ptr_eq(&y) => {
            Err(cx.wrong_shape_at(1, "the operands are on different devices"))
        }
        (x, y) => Ok(x.or(y)),
    }
}

/// Broadcasts two shapes; `None` if the result is unknown. Errors are reported at `operand`.
pub(super) fn broadcast_dims(
    cx: &mut Infer<'_>,
    a: &Array<prim::Expr>,
    b: &Array<prim::Expr>,
    operand: usize,
) -> Checked<Option<Vec<prim::Expr>>> {
    let (longer, shorter) = if a.len() > b.len() { (a, b) } else { (b, a) };
    let extra = longer.len() - shorter.len();
    let mut dims: Vec<prim::Expr> = longer.iter().take(extra).cloned().collect();
    // From the last dimension on, to report the same error first as upstream.
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
                format!("dimensions {} and {} cannot be broadcast", x.value, y.value),
            ));
        } else {
            return Ok(None);
        });
    }
    dims.extend(tail.into_iter().rev());
    Ok(Some(dims))
}

/// The operand's struct info, of any kind.
fn clipped(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(3)?;
    cx.info(0)
}

/// The variable that holds the shapes of all operands.
fn common_shape(tensors: &[Ref<TensorStructInfo>; 3]) -> Option<&Ref<tvmscript_ir::RelaxExpr>> {
    let [first, rest @ ..] = tensors;
    let shape = first.shape.as_ref()?;
    rest.iter().all(|tensor| tensor.shape.as_ref().is_some_and(|s| s.ptr_eq(shape))).then_some(shape)
}

fn without_dims(
    tensors: &[Ref<TensorStructInfo>; 3],
    ndim: i64,
    dtype: DataType,
    vdevice: Option<Ref<VDevice>>,
) -> Ref<StructInfo> {
    match common_shape(tensors).cloned() {
        Some(shape) => {
            let (shape, ndim) = (Some(shape), tensors[0].ndim);
            Ref::new(TensorStructInfo { span: Span::current(), shape, dtype, vdevice, ndim }).upcast()
        }
        None => tensor_of_rank(ndim, dtype, vdevice),
    }
}

fn multiply_add(cx: &mut Infer<'_>) -> Inferred {
    let tensors = cx.tensors::<3>()?;
    let mut ndim = UNKNOWN_NDIM;
    for (index, tensor) in tensors.iter().enumerate() {
        if ndim == UNKNOWN_NDIM {
            ndim = tensor.ndim;
        }
        if !tensor.is_unknown_ndim() {
            cx.expect_rank(index, tensor, ndim)?;
        }
    }
    let dtype = if tensors.iter().any(|tensor| tensor.is_unknown_dtype()) {
        DataType::VOID
    } else {
        let dtype = tensors[0].dtype;
        if let Some((index, other)) = tensors.iter().enumerate().find(|(_, tensor)| tensor.dtype != dtype) {
            let (expected, found) = (format!("operands of the same type, `{dtype}`"), other.dtype);
            return Err(cx.wrong_dtype(index, expected, found));
        }
        dtype
    };
    let vdevice = shared_device(&tensors);
    let [a, b, c] = &tensors;
    let (Some(a), Some(b), Some(c)) = (a.dims(), b.dims(), c.dims()) else {
        return Ok(without_dims(&tensors, ndim, dtype, vdevice));
    };
    for i in 0..a.len() {
        if !same_dim(&a[i], &b[i], cx.analyzer) || !same_dim(&b[i], &c[i], cx.analyzer) {
            return Err(
                cx.wrong_shape(format!("the operands must have the same shape, but axis {i} differs"))
            );
        }
    }
    Ok(tensor_of(a.iter().cloned(), dtype, vdevice))
}

fn chosen(cx: &mut Infer<'_>) -> Inferred {
    let tensors = cx.tensors::<3>()?;
    let vdevice = shared_device(&tensors);
    let [condition, x1, x2] = &tensors;
    if !condition.dtype.is_bool() {
        let (expected, found) = ("a tensor of bool".to_owned(), condition.dtype);
        return Err(cx.wrong_dtype(0, expected, found));
    }
    let dtype = common_dtype(cx, x1.dtype, x2.dtype).map_err(|e| InferError { argument: Some(2), ..e })?;
    let ndim = match tensors.iter().any(|tensor| tensor.is_unknown_ndim()) {
        true => UNKNOWN_NDIM,
        false => tensors.iter().map(|tensor| tensor.ndim).max().unwrap_or(UNKNOWN_NDIM),
    };
    let (Some(condition), Some(a), Some(b)) = (condition.dims(), x1.dims(), x2.dims()) else {
        return Ok(without_dims(&tensors, ndim, dtype, vdevice));
    };
    let mut dims = broadcast_dims(cx, a, b, 2)?;
    if let Some(both) = dims {
        dims = broadcast_dims(cx, condition, &both.into_iter().collect(), 0)?;
    }
    Ok(tensor_with(dims, ndim, dtype, vdevice))
}
