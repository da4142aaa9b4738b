//! Operators that make tensors of a shape, of a tensor's shape or of an interval, and triangular parts.
//!
//! Upstream counterpart: `src/relax/op/tensor/create.cc`.

use tvmscript_arith::Analyzer;
use tvmscript_ir::Attrs;
use tvmscript_ir_core::{DataType, Ref};
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::{BuildError, Result};
use tvmscript_prim::{self as prim, PrimExprExt, ops};

use super::elementwise::with_dtype;
use super::{Infer, InferError, InferErrorKind, Operator, tensor_of_operand, tensor_of_scalars};
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, PrimValueArg, ShapeArg};
use crate::node::attrs::InitAttrs;
use crate::node::*;
use crate::op::kind::Prim;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// A tensor of this shape, filled with the value of a tensor of rank 0.
    full(shape: ShapeArg, fill_value: ExprArg, dtype: Option<DataType> = None) -> infer(filled_with) {
        Ok(Call::of_op("relax.full", [shape.0, fill_value.0], init_or_void(dtype)))
    }
    /// A tensor of the operand's shape, filled with the value of a tensor of rank 0.
    full_like(x: ExprArg, fill_value: ExprArg, dtype: Option<DataType> = None) -> infer(filled_with_like) {
        Ok(Call::of_op("relax.full_like", [x.0, fill_value.0], init_or_void(dtype)))
    }
    /// A tensor of this shape, filled with zeros.
    zeros(shape: ShapeArg, dtype: DataType) -> infer(of_shape) {
        filled("relax.zeros", shape, dtype)
    }
    /// A tensor of the operand's shape, filled with zeros.
    zeros_like(x: ExprArg, dtype: Option<DataType> = None) -> infer(like_operand) {
        Ok(Call::of_op("relax.zeros_like", [x.0], init_or_void(dtype)))
    }
    /// A tensor of this shape, filled with ones.
    ones(shape: ShapeArg, dtype: DataType) -> infer(of_shape) {
        filled("relax.ones", shape, dtype)
    }
    /// A tensor of the operand's shape, filled with ones.
    ones_like(x: ExprArg, dtype: Option<DataType> = None) -> infer(like_operand) {
        Ok(Call::of_op("relax.ones_like", [x.0], init_or_void(dtype)))
    }
    /// A matrix with ones on a diagonal, counted from the main one, and zeros elsewhere.
    eye(
        n: PrimValueArg, m: Option<PrimValueArg> = None, k: PrimValueArg = 0,
        dtype: DataType = DataType::FLOAT32
    ) -> infer(identity) {
        let m = m.unwrap_or_else(|| PrimValueArg(PrimValue::new(n.0.value.clone())));
        Ok(Call::of_op("relax.eye", [n, m, k].map(|arg| arg.0.upcast()), init(dtype)))
    }
    /// A matrix of the operand's shape with ones on a diagonal and zeros elsewhere.
    eye_like(x: ExprArg, k: PrimValueArg = 0, dtype: Option<DataType> = None) -> infer(identity_like) {
        Ok(Call::of_op("relax.eye_like", [x.0, k.0.upcast()], init_or_void(dtype)))
    }
    /// The numbers from `start` (0 if only one number is given) to before `end`.
    arange(
        start: PrimValueArg, end: Option<PrimValueArg> = None, step: PrimValueArg = 1,
        dtype: Option<DataType> = None
    ) -> infer(interval) {
        let (start, end) = match end {
            Some(end) => (start, end),
            None => (PrimValueArg::from(0), start),
        };
        let dtype = dtype.unwrap_or_else(|| {
            let is_integer = [&start, &end, &step].iter().all(|arg| arg.0.value.dtype().is_int());
            if is_integer { DataType::INT64 } else { DataType::FLOAT32 }
        });
        Ok(Call::of_op("relax.arange", [start, end, step].map(|arg| arg.0.upcast()), init(dtype)))
    }
    /// A Hamming window.
    hamming_window(
        window_size: PrimValueArg, periodic: PrimValueArg, alpha: PrimValueArg, beta: PrimValueArg,
        dtype: DataType
    ) -> infer(window) {
        let args = [window_size, periodic, alpha, beta].map(|arg| arg.0.upcast());
        Ok(Call::of_op("relax.hamming_window", args, init(dtype)))
    }
    /// The part of matrices on and below a diagonal, counted from the main one.
    tril(x: Expr, k: Prim = 0) -> infer(triangular);
    /// The part of matrices on and above a diagonal, counted from the main one.
    triu(x: Expr, k: Prim = 0) -> infer(triangular);
}

fn init(dtype: DataType) -> Option<Ref<Attrs>> {
    Some(Ref::new(InitAttrs { dtype }).upcast())
}

fn init_or_void(dtype: Option<DataType>) -> Option<Ref<Attrs>> {
    init(dtype.unwrap_or(DataType::VOID))
}

#[cfg(feature = "build")]
fn filled(name: &str, shape: ShapeArg, dtype: DataType) -> Result<Ref<Call>> {
    if dtype.is_void() {
        return Err(BuildError::expected("an element type", "`void`").at_position(1));
    }
    Ok(Call::of_op(name, [shape.0], init(dtype)))
}

/// The element type that the call states, or else that of an operand.
fn stated_dtype(cx: &Infer<'_>, otherwise: DataType) -> std::result::Result<DataType, InferError> {
    let stated = cx.attrs::<InitAttrs>()?.dtype;
    Ok(if stated.is_void() { otherwise } else { stated })
}

/// A tensor of rank 0.
fn point(cx: &Infer<'_>, index: usize) -> std::result::Result<Ref<TensorStructInfo>, InferError> {
    let tensor = cx.tensor(index)?;
    match tensor.ndim {
        0 => Ok(tensor),
        found => Err(InferErrorKind::Rank { op: cx.op(), expected: "rank 0".to_owned(), found }.at(index)),
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
    tensor_of_operand(cx, 0, cx.attrs::<InitAttrs>()?.dtype, None)
}

fn like_operand(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(with_dtype(&x, stated_dtype(cx, x.dtype)?))
}

fn identity(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(3)?;
    let dims = [cx.prim_value(0)?.clone(), cx.prim_value(1)?.clone()];
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

/// How many numbers there are, rounded up; computed in floating numbers unless all are integers.
fn interval(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(3)?;
    let [start, end, step] = [cx.prim_value(0)?, cx.prim_value(1)?, cx.prim_value(2)?];
    let length = ops::sub(end.clone(), start.clone())?;
    let count = if [start, end, step].iter().all(|bound| bound.dtype().is_int()) {
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
        return Err(cx.wrong_attribute("dtype", format!("is a type of floating numbers, not `{dtype}`")));
    }
    let size = cx.prim_value(0)?;
    let mut analyzer = Analyzer::new();
    if analyzer.can_prove_less(size, 1) {
        return Err(InferError {
            argument: Some(0),
            ..cx.wrong_shape("the window has at least one element")
        });
    }
    tensor_of_scalars([analyzer.simplify(size)], dtype, None)
}

fn triangular(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let x = cx.tensor(0)?;
    cx.scalar(1)?;
    if !x.is_unknown_ndim() && x.ndim < 2 {
        let expected = "rank 2 or more".to_owned();
        return Err(InferErrorKind::Rank { op: cx.op(), expected, found: x.ndim }.at(0));
    }
    Ok(x.upcast())
}
