//! Elementwise operators of one tensor, and broadcasting ones of two or three.
//!
//! Upstream counterparts: `src/relax/op/tensor`'s legalization in `python/tvm/relax/transform/legalize_ops/{unary,binary,
//! search,datatype,qdq}.py`; `topi/{elemwise,broadcast}.h`, `topi/math.py`.

use tvmscript_ir_core::DataType;
use tvmscript_prim::ops;
use tvmscript_relax::attrs::{AstypeAttrs, QuantizeAttrs};
use tvmscript_relax::{Constant, Expr};

use super::Outcome;
use super::scalar::{Operand, Scalar, Scalars, constant, int};
use super::site::{Site, Value, same_length};
use super::tensor::{Answer, Stage, Tensor};
use tvmscript_relax::evaluate;

/// A stage of the Python library that computes each element from the one at the same place.
pub(super) fn map(x: &Tensor, value: impl FnOnce(Scalar) -> Scalar) -> Answer<Tensor> {
    Stage::python("compute").over(&x.dims(), |i| value(x.at(i)))
}

/// The same of the C++ library, with a name.
pub(super) fn map_named(x: &Tensor, name: &str, value: impl FnOnce(Scalar) -> Scalar) -> Answer<Tensor> {
    Stage::new(name).over(&x.dims(), |i| value(x.at(i)))
}

/// An operator of one tensor.
pub(super) fn unary(site: &mut Site<'_>, value: impl FnOnce(Scalar) -> Scalar) -> Answer<Outcome> {
    Outcome::one(map(&site.tensor(0)?, value)?)
}

/// An operator of one tensor, in a stage with a name.
pub(super) fn unary_named(
    site: &mut Site<'_>,
    name: &str,
    value: impl FnOnce(Scalar) -> Scalar,
) -> Answer<Outcome> {
    Outcome::one(map_named(&site.tensor(0)?, name, value)?)
}

/// The natural logarithm, of integers as `float32`.
pub(super) fn log(site: &mut Site<'_>) -> Answer<Outcome> {
    let mut x = site.tensor(0)?;
    if x.dtype().is_int() {
        x = map(&x, |x| x.cast(DataType::FLOAT32))?;
    }
    Outcome::one(map(&x, |x| x.call("log"))?)
}

/// The absolute value.
pub(super) fn abs(x: &Scalar) -> Scalar {
    let dtype = x.dtype();
    match (dtype.is_int(), dtype.is_any_float()) {
        (true, _) => x.ge(0).select(x.clone(), &(constant(dtype, 0.0) - x)),
        (_, true) => x.call("fabs"),
        _ => x.clone(),
    }
}

/// Tests whether a number is not a number.
pub(super) fn is_nan(x: &Scalar) -> Scalar {
    match (x.dtype().is_any_float(), x.dtype().bits) {
        (false, _) => Scalar::of(ops::make_const(DataType::BOOL, 0)),
        (true, 16) => x.cast(DataType::FLOAT32).call_to(DataType::BOOL, "isnan"),
        (true, _) => x.call_to(DataType::BOOL, "isnan"),
    }
}

/// Tests whether a number is infinite.
pub(super) fn is_inf(x: &Scalar) -> Scalar {
    match x.dtype().is_any_float() {
        false => Scalar::of(ops::make_const(DataType::BOOL, 0)),
        true => abs(x).equals(Scalar::of(ops::infinity(x.dtype()))).and(is_nan(x).not()),
    }
}

/// -1, 0 or 1.
pub(super) fn sign(x: &Scalar) -> Scalar {
    let zero = constant(x.dtype(), 0.0);
    let negative = x.lt(&zero).select(-1, &zero);
    x.gt(&zero).select(1, &negative)
}

/// The error function, which exists for wider types than `float16` only.
pub(super) fn erf(x: &Tensor) -> Answer<Tensor> {
    match super::reduce::is_half(x.dtype()) {
        false => map(x, |x| x.call("erf")),
        true => {
            let wide = map(x, |x| x.cast(DataType::FLOAT32))?;
            map(&map(&wide, |x| x.call("erf"))?, |x| x.cast(DataType::float(16)))
        }
    }
}

/// The lengths of two broadcast shapes.
pub(super) fn broadcast_dims(a: &[Scalar], b: &[Scalar]) -> Answer<Vec<Scalar>> {
    let rank = a.len().max(b.len());
    let at = |dims: &[Scalar], index: usize| {
        (index + dims.len()).checked_sub(rank).and_then(|at| dims.get(at).cloned())
    };
    let length = |index: usize| match (at(a, index), at(b, index)) {
        (Some(a), Some(b)) if same_length(&a, &b) => a,
        (Some(one), Some(other)) | (Some(other), Some(one)) if one.known() == Some(1) => other,
        (Some(a), Some(b)) => match (a.known(), b.known()) {
            (None, None) => a.max(&b),
            (None, Some(_)) => b,
            (Some(_), None) => a,
            (Some(_), Some(_)) => Scalar::error("lengths that are broadcast differ"),
        },
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => int(1),
    };
    (0..rank).map(|index| length(index).0.map(Scalar::from)).collect()
}

/// The element of a tensor that is broadcast to these lengths.
pub(super) fn broadcast_at(x: &Tensor, dims: &[Scalar], indices: &[Scalar]) -> Scalar {
    let skipped = indices.len().saturating_sub(x.rank());
    let own = x.dims();
    let place = own.iter().zip(dims.iter().skip(skipped)).zip(indices.iter().skip(skipped));
    let place: Vec<Scalar> = place
        .map(|((own, length), index)| match own.known() == Some(1) && !same_length(own, length) {
            true => int(0),
            false => index.clone(),
        })
        .collect();
    x.at(&place)
}

/// The combination of two operands, at most one of which is a scalar.
pub(super) fn combine(
    a: &Value,
    b: &Value,
    name: &str,
    value: impl FnOnce(Scalar, Scalar) -> Scalar,
) -> Answer<Tensor> {
    let dims = broadcast_dims(&a.dims(), &b.dims())?;
    let at = |operand: &Value, i: &[Scalar]| match operand {
        Value::Tensor(tensor) => broadcast_at(tensor, &dims, i),
        Value::Scalar(scalar) => scalar.clone(),
    };
    Stage::new(format!("T_{name}")).over(&dims, |i| value(at(a, i), at(b, i)))
}

/// The combination of two tensors.
pub(super) fn combine_tensors(
    a: &Tensor,
    b: &Tensor,
    name: &str,
    value: impl FnOnce(Scalar, Scalar) -> Scalar,
) -> Answer<Tensor> {
    combine(&Value::Tensor(a.clone()), &Value::Tensor(b.clone()), name, value)
}

/// The combination of a tensor and a scalar; a number takes the tensor's type.
pub(super) fn with_scalar(
    a: &Tensor,
    scalar: impl Operand,
    name: &str,
    value: impl FnOnce(Scalar, Scalar) -> Scalar,
) -> Answer<Tensor> {
    combine(&Value::Tensor(a.clone()), &Value::Scalar(scalar.scalar(a.dtype())), name, value)
}

/// An operator of two tensors, one of which may be a constant without dimensions.
pub(super) fn binary(
    site: &mut Site<'_>,
    name: &str,
    value: impl FnOnce(Scalar, Scalar) -> Scalar,
) -> Answer<Outcome> {
    let (a, b) = match site.literal(1) {
        Some(b) => (Value::Tensor(site.tensor(0)?), Value::Scalar(b)),
        None => (site.tensor_or_literal(0)?, Value::Tensor(site.tensor(1)?)),
    };
    Outcome::one(combine(&a, &b, name, value)?)
}

/// The quotient rounded down.
pub(super) fn floor_divide(a: &Scalar, b: &Scalar) -> Scalar {
    match a.dtype().is_any_float() {
        true => (a / b).call("floor"),
        false => a.floordiv(b),
    }
}

/// The remainder of [`floor_divide`].
pub(super) fn floor_mod(a: &Scalar, b: &Scalar) -> Scalar {
    match a.dtype().is_any_float() {
        true => a - floor_divide(a, b) * b,
        false => a.floormod(b),
    }
}

/// A call of an operator of TIR with two operands.
pub(super) fn call2(name: &str, a: &Scalar, b: &Scalar) -> Scalar {
    let op = tvmscript_prim::Op::get(&format!("tir.{name}"));
    let both = a.0.clone().and_then(|mut a| {
        let mut b = b.0.clone()?;
        ops::match_types(&mut a, &mut b)?;
        Ok(tvmscript_prim::Call::new(tvmscript_prim::PrimExprExt::dtype(&a), op, [a, b]))
    });
    Scalar(both)
}

/// Elements of two tensors, chosen by the elements of a third one.
pub(super) fn choose(site: &mut Site<'_>) -> Answer<Outcome> {
    let (condition, x, y) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    Outcome::one(chosen(&condition, &x, &y)?)
}

/// The elements of one tensor where the condition holds, and of another one elsewhere.
pub(super) fn chosen(condition: &Tensor, x: &Tensor, y: &Tensor) -> Answer<Tensor> {
    let dims = broadcast_dims(&condition.dims(), &broadcast_dims(&x.dims(), &y.dims())?)?;
    let at = |tensor: &Tensor, i: &[Scalar]| broadcast_at(tensor, &dims, i);
    Stage::new("T_where").over(&dims, |i| {
        let chosen = at(condition, i);
        // A bool is compared as an integer.
        chosen.differs(int(0)).select(at(x, i), &at(y, i))
    })
}

/// The logarithm of the sum of two numbers whose logarithms are given.
pub(super) fn log_add_exp(a: &Scalar, b: &Scalar) -> Scalar {
    match a.dtype().is_any_float() {
        true => (a.call("exp") + b.call("exp")).call("log"),
        false => Scalar::error("only floats have logarithms"),
    }
}

/// The elements, but no less and no more than two bounds.
pub(super) fn clip(site: &mut Site<'_>) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let (low, high) = (site.scalar(1)?.cast(x.dtype()), site.scalar(2)?.cast(x.dtype()));
    Outcome::one(map(&x, |x| x.min(high).max(low))?)
}

/// The elements as numbers of another type. A constant without dimensions is converted now.
pub(super) fn cast(site: &mut Site<'_>) -> Answer<Outcome> {
    let dtype = site.attrs::<AstypeAttrs>()?.dtype;
    if let Some(value) = site.literal(0) {
        let value = value.cast(dtype).0?;
        let tensor = match (ops::int_value(&value), value.as_node::<tvmscript_prim::FloatImm>()) {
            (Some(value), _) => evaluate::Tensor::of_ints(dtype, Vec::new(), [value.into()]),
            (_, Some(value)) => evaluate::Tensor::of_floats(dtype, Vec::new(), [value.value]),
            _ => return Ok(Outcome::Keep),
        };
        return Ok(Outcome::Value(Expr::from(Constant::new(tensor.encode()).upcast())));
    }
    Outcome::one(map(&site.tensor(0)?, |x| x.cast(dtype))?)
}

/// A parameter of a quantization: a number, or one per element along an axis.
fn parameter(value: &Value, axis: i64, indices: &[Scalar]) -> Scalar {
    match value {
        Value::Scalar(scalar) => scalar.clone(),
        Value::Tensor(tensor) => match tensor.dims().iter().all(|length| length.known() == Some(1)) {
            true => tensor.at(&vec![int(0); tensor.rank()]),
            false => match super::tensor::axis_of(axis, indices.len()) {
                Ok(axis) => tensor.at(&[indices.pick(axis)]),
                Err(error) => Scalar(Err(error)),
            },
        },
    }
}

/// A number in the range of another type, as that type.
fn clip_cast(value: Scalar, dtype: DataType) -> Scalar {
    let (low, high) = (Scalar::of(ops::min_value(dtype)), Scalar::of(ops::max_value(dtype)));
    value.min(high).max(low).cast(dtype)
}

/// Numbers as quantized ones.
pub(super) fn quantize(site: &mut Site<'_>) -> Answer<Outcome> {
    let QuantizeAttrs { out_dtype, axis } = *site.attrs::<QuantizeAttrs>()?;
    let (x, scale, zero) = (site.tensor(0)?, site.tensor_or_literal(1)?, site.tensor_or_literal(2)?);
    let is_integer = out_dtype.is_integer();
    let result = Stage::python("quantized").over(&x.dims(), |i| {
        let scaled = x.at(i) / parameter(&scale, axis, i);
        let rounded = if is_integer { scaled.call("round") } else { scaled };
        clip_cast(rounded + parameter(&zero, axis, i), out_dtype)
    });
    Outcome::one(result?)
}

/// Quantized numbers as numbers.
pub(super) fn dequantize(site: &mut Site<'_>) -> Answer<Outcome> {
    let QuantizeAttrs { out_dtype, axis } = *site.attrs::<QuantizeAttrs>()?;
    let (x, scale, zero) = (site.tensor(0)?, site.tensor_or_literal(1)?, site.tensor_or_literal(2)?);
    let wide = if x.dtype().is_any_float() { DataType::FLOAT32 } else { DataType::INT32 };
    let result = Stage::python("dequantized").over(&x.dims(), |i| {
        let difference = x.at(i).cast(wide) - parameter(&zero, axis, i);
        let value = difference * parameter(&scale, axis, i).cast(DataType::FLOAT32);
        if out_dtype == DataType::FLOAT32 { value } else { clip_cast(value, out_dtype) }
    });
    Outcome::one(result?)
}
