//! Conversions of element types.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::{FloatImm, ops as prim_ops};
use tvmscript_relax::evaluate::{Data, Tensor};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::{Constant, Expr, PrimValue, ShapeExpr};

use super::super::node::{Converted, Node, Output};
use super::rows;
use super::scalar::{as_tensor, element_type};
use crate::error::Reason;
use crate::ops::{dtype_of, elements, int64_number, number};

rows! {
    "Cast" { 13: |cx| {
        let dtype = cx.dtype("to")?.ok_or_else(|| Reason::from("the attribute `to` is missing"))?;
        cast(cx, dtype)
    } } => "astype; from floating-point numbers to integers with wrapping";
    "CastLike" { 15: |cx| {
        let dtype = element_type(&cx.input(1)?);
        if dtype.is_void() {
            return Err("the element type of the second operand is unknown".into());
        }
        cast(cx, dtype)
    } } => "as Cast";
}

fn cast(cx: &mut Node<'_, '_>, dtype: DataType) -> Converted {
    let x = cx.input(0)?;
    if let Some(scalar) = x.as_node::<PrimValue>() {
        let int = prim_ops::int_value(&scalar.value).map(|value| prim_ops::make_const(dtype, value));
        let float = scalar.value.as_node::<FloatImm>().map(|float| prim_ops::make_const(dtype, float.value));
        let value = int.or(float).unwrap_or_else(|| prim_ops::cast(dtype, scalar.value.clone()))?;
        return Ok(Output::One(PrimValue::new(value).upcast()));
    }
    let is_shape = x.is::<ShapeExpr>();
    let x = as_tensor(x)?;
    if x.is::<Constant>() {
        // A shape stays one as long as it is of lengths.
        if is_shape && dtype == DataType::INT64 {
            return Ok(x.into());
        }
        if let Some(wrapped) = wrapped_constant(&x, dtype) {
            return Ok(cx.named(wrapped).into());
        }
        let folded = cx.folded(astype(x.clone(), dtype))?;
        if folded.is::<Constant>() {
            return Ok(folded.into());
        }
    }
    let x = if is_shape { cx.normalize(x)? } else { x };
    let is_whole = dtype.is_integer() && matches!(dtype.bits, 8 | 16 | 32 | 64);
    if is_whole && dtype_of(&x).is_any_float() {
        return Ok(Output::One(wrapped(cx, x, dtype)?));
    }
    Ok(astype(x, dtype).into())
}

/// A constant of floating-point numbers as unsigned or short integers, wrapped as [`wrapped`] does it, if all of them are
/// integers of the type in between.
fn wrapped_constant(x: &Expr, dtype: DataType) -> Option<Ref<Constant>> {
    let between = match (dtype.is_uint(), dtype.bits) {
        _ if !dtype_of(x).is_any_float() => return None,
        (true, 32) => 2f64.powi(63),
        (_, 8 | 16) if dtype.is_integer() => 2f64.powi(31),
        _ => return None,
    };
    let x = elements(x)?;
    let Data::Float(values) = x.data else { return None };
    let fits = values.iter().all(|value| value.abs() < between);
    let ints = values.iter().map(|value| value.trunc() as i128);
    fits.then(|| Constant::new(Tensor::of_ints(dtype, x.shape, ints).encode()))
}

/// Floating-point numbers as integers: those that are not finite become 0, others wrap.
fn wrapped(cx: &mut Node<'_, '_>, x: Expr, dtype: DataType) -> Result<Expr, Reason> {
    let source = dtype_of(&x);
    let is_odd = op::logical_not(op::isfinite(x.clone()).upcast()).upcast();
    let finite = cx.emit(op::where_(is_odd, number(source, 0.0), x))?;
    let bits = dtype.bits;
    if bits == 64 {
        return Ok(astype(finite, dtype).upcast());
    }
    let (wide, is_long) = if bits == 32 { (DataType::INT64, true) } else { (DataType::INT32, false) };
    let constant = |value: i64| if is_long { int64_number(value) } else { number(wide, value as f64) };
    let range = 1i64 << bits;
    let whole = astype(finite, wide).upcast();
    let mask = constant(range - 1);
    let low: Expr = match is_long {
        true => op::floor_mod(whole, constant(range)).upcast(),
        false => op::bitwise_and(whole, mask.clone()).upcast(),
    };
    if dtype.is_uint() {
        return Ok(astype(low, dtype).upcast());
    }
    let is_negative = op::greater_equal(low.clone(), constant(range / 2)).upcast();
    let range: Expr = if is_long { constant(range) } else { op::add(mask, constant(1)).upcast() };
    let signed = op::where_(is_negative, op::subtract(low.clone(), range).upcast(), low).upcast();
    Ok(astype(signed, dtype).upcast())
}
