//! Tensors of a given shape or interval, and triangular parts of matrices.
//!
//! Upstream counterpart: `src/relax/op/tensor/create.cc`.

use tvmscript_arith::Analyzer;
use tvmscript_prim::PrimExprExt;

use super::elementwise::with_dtype;
use super::prelude::*;
use crate::node::attrs::InitAttrs;

operators! {
    /// A tensor of this shape, filled with the value of a tensor of rank 0.
    full(shape: Shape, fill_value: Expr; dtype: Option<DataType> = None)
        -> infer(filled_with), attrs = InitAttrs { dtype: or_void(dtype) };
    /// A tensor of the operand's shape, filled with the value of a tensor of rank 0.
    full_like(x: Expr, fill_value: Expr; dtype: Option<DataType> = None)
        -> infer(filled_with_like), attrs = InitAttrs { dtype: or_void(dtype) };
    /// A tensor of this shape, filled with zeros.
    zeros(shape: Shape; dtype: ElementType) -> infer(of_shape), attrs = InitAttrs;
    /// A tensor of the operand's shape, filled with zeros.
    zeros_like(x: Expr; dtype: Option<DataType> = None)
        -> infer(like_operand), attrs = InitAttrs { dtype: or_void(dtype) };
    /// A tensor of this shape, filled with ones.
    ones(shape: Shape; dtype: ElementType) -> infer(of_shape), attrs = InitAttrs;
    /// A tensor of the operand's shape, filled with ones.
    ones_like(x: Expr; dtype: Option<DataType> = None)
        -> infer(like_operand), attrs = InitAttrs { dtype: or_void(dtype) };
    /// An `n` by `m` matrix (`n` by `n` without `m`) with ones on the diagonal `k` and zeros elsewhere.
    eye(n: Scalar, m: Option<Scalar> = None, k: Scalar = 0; dtype: DataType = DataType::FLOAT32)
        -> infer(identity), attrs = InitAttrs,
        args = [n.clone(), m.unwrap_or_else(|| copy_of_scalar(&n)), k];
    /// A matrix of the operand's shape with ones on the diagonal `k` and zeros elsewhere.
    eye_like(x: Expr, k: Scalar = 0; dtype: Option<DataType> = None)
        -> infer(identity_like), attrs = InitAttrs { dtype: or_void(dtype) };
    /// The numbers from `start` (0 if only one number is given) up to but excluding `end`.
    arange(start: Scalar, end: Option<Scalar> = None, step: Scalar = 1; dtype: Option<DataType> = None)
        -> infer(interval) = arange_call;
    /// A Hamming window.
    hamming_window(window_size: Scalar, periodic: Scalar, alpha: Scalar, beta: Scalar; dtype: DataType)
        -> infer(window), attrs = InitAttrs;
    /// The part of matrices on and below the diagonal `k`.
    tril(x: Expr, k: Prim = 0) -> infer(triangular);
    /// The part of matrices on and above the diagonal `k`.
    triu(x: Expr, k: Prim = 0) -> infer(triangular);
}

/// A new scalar with the same value, so that the operands share no node.
fn copy_of_scalar(scalar: &Expr) -> Expr {
    match scalar.as_node::<PrimValue>() {
        Some(scalar) => PrimValue::new(scalar.value.clone()).upcast(),
        None => scalar.clone(),
    }
}

/// Without an element type, numbers are `int64` if all bounds are integers and `float32` otherwise.
fn arange_call(start: Expr, end: Option<Expr>, step: Expr, dtype: Option<DataType>) -> Ref<Call> {
    let (start, end) = match end {
        Some(end) => (start, end),
        None => (PrimValue::new(IntImm::int64(0)).upcast(), start),
    };
    let is_int = |bound: &Expr| match struct_info_of(bound) {
        Some(info) => info.as_node::<PrimStructInfo>().is_some_and(|bound| bound.dtype.is_int()),
        None => false,
    };
    let dtype = dtype.unwrap_or_else(|| match [&start, &end, &step].into_iter().all(is_int) {
        true => DataType::INT64,
        false => DataType::FLOAT32,
    });
    ARANGE.call(Some(Ref::new(InitAttrs { dtype }).upcast()), [start, end, step])
}

/// The stated element type, or that of an operand.
fn stated_dtype(cx: &Infer<'_>, otherwise: DataType) -> Checked<DataType> {
    let stated = cx.attrs::<InitAttrs>()?.dtype;
    Ok(if stated.is_void() { otherwise } else { stated })
}

/// Checks for rank 0.
fn point(cx: &Infer<'_>, index: usize) -> Checked<Ref<TensorStructInfo>> {
    let tensor = cx.tensor(index)?;
    match tensor.ndim {
        0 => Ok(tensor),
        found => Err(cx.wrong_rank(index, "rank 0", found)),
    }
}

fn filled_with(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let value = point(cx, 1)?;
    tensor_of_operand(cx, 0, stated_dtype(cx, value.dtype)?, value.vdevice.clone())
}

fn filled_with_like(cx: &mut Infer<'_>) -> Inferred {
    let [x, _] = cx.tensors()?;
    point(cx, 1)?;
    Ok(with_dtype(&x, stated_dtype(cx, x.dtype)?))
}

fn of_shape(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(1)?;
    let dtype = cx.attrs::<InitAttrs>()?.dtype;
    if dtype.is_void() {
        return Err(cx.wrong_attribute("dtype", "is unknown"));
    }
    tensor_of_operand(cx, 0, dtype, None)
}

fn like_operand(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(with_dtype(&x, stated_dtype(cx, x.dtype)?))
}

fn identity(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(3)?;
    let dims = [cx.prim_value(0)?, cx.prim_value(1)?];
    tensor_of_scalars(dims, cx.attrs::<InitAttrs>()?.dtype, None)
}

fn identity_like(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let x = cx.tensor(0)?;
    cx.expect_rank(0, &x, 2)?;
    if x.shape.is_none() {
        return Err(cx.wrong_kind(0, "a tensor of known shape"));
    }
    Ok(with_dtype(&x, stated_dtype(cx, x.dtype)?))
}

/// The number of elements, rounded up; computed in floating point unless all bounds are integers.
fn interval(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(3)?;
    let [start, end, step] = [cx.prim_value(0)?, cx.prim_value(1)?, cx.prim_value(2)?];
    let length = ops::sub(end.clone(), start.clone())?;
    let count = if [&start, &end, &step].iter().all(|bound| bound.dtype().is_int()) {
        let last = ops::sub(ops::add(length, step.clone())?, prim::IntImm::int32(1))?;
        ops::floordiv(last, step.clone())?
    } else {
        let steps = ops::div(ops::cast(DataType::FLOAT32, length)?, step.clone())?;
        ops::cast(DataType::INT64, ops::ceil(steps)?)?
    };
    tensor_of_scalars([Analyzer::new().simplify(&count)], cx.attrs::<InitAttrs>()?.dtype, None)
}

fn window(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(4)?;
    let dtype = cx.attrs::<InitAttrs>()?.dtype;
    if dtype.is_int() || dtype.is_uint() {
        return Err(cx.wrong_attribute("dtype", format!("must be a floating-point type, found `{dtype}`")));
    }
    let size = cx.prim_value(0)?;
    let mut analyzer = Analyzer::new();
    if analyzer.can_prove_less(&size, 1) {
        return Err(InferError {
            argument: Some(0),
            ..cx.wrong_shape("expected a window of at least one element")
        });
    }
    tensor_of_scalars([analyzer.simplify(&size)], dtype, None)
}

fn triangular(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let x = cx.tensor(0)?;
    cx.scalar(1)?;
    if !x.is_unknown_ndim() && x.ndim < 2 {
        return Err(cx.wrong_rank(0, "rank 2 or more", x.ndim));
    }
    Ok(x.upcast())
}
