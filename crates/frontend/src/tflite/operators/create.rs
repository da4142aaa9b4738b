//! New tensors, and shapes as tensors.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::op::create::{arange, full};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::shape::{shape_of, shape_to_tensor, tensor_to_shape};
use tvmscript_relax::{Expr, ShapeStructInfo};

use super::super::node::{Converted, Node};
use super::rows;
use crate::error::Reason;
use crate::ops::{float_operand, int_operand, number, shape, shape_of as shape_of_dims, tensor_of};

rows! {
    "FILL": Stored |cx| {
        let dims = shape_operand(cx, 0, "fill_dim")?;
        Ok(full(dims, cx.input(1)?, None).into())
    } => "full";
    "RANGE": Stored range => "arange";
    "RANK": Stored |cx| {
        let rank = cx.shape(0)?.len();
        Ok(number(cx.output_dtype(0)?, rank as f64).into())
    } => "a constant";
    "SHAPE": Stored shape_tensor => "shape_of, shape_to_tensor, astype";
}

/// The shape that an operand holds; its lengths are variables if it is computed at run time.
pub(super) fn shape_operand(cx: &mut Node<'_, '_>, at: usize, name: &str) -> Result<Expr, Reason> {
    if cx.is_constant(at) {
        return Ok(shape(&cx.ints(at, "the shape")?));
    }
    let [count] = cx.lengths(at)?;
    let dtype = super::super::node::dtype_of(cx.tensor(at)?)?;
    let x = cx.stored(at)?;
    let x = cx.graph().match_cast(x, tensor_of([IntImm::int64(count)], dtype))?;
    let x = cx.normalize(astype(x, DataType::INT64))?;
    let x = cx.emit(tensor_to_shape(x))?;
    let dims: Vec<prim::Expr> =
        (0..count).map(|axis| prim::Var::new(format!("{name}_{axis}"), DataType::INT64).upcast()).collect();
    let shape = shape_of_dims(dims.iter().cloned());
    let info = ShapeStructInfo::try_of(dims)?;
    cx.graph().match_cast(x, info)?;
    Ok(shape)
}

fn shape_tensor(cx: &mut Node<'_, '_>) -> Converted {
    let lengths = shape_to_tensor(shape_of(cx.input(0)?).upcast());
    Ok(match cx.output_dtype(0)? {
        DataType::INT64 => lengths.into(),
        dtype => astype(lengths.upcast(), dtype).into(),
    })
}

fn range(cx: &mut Node<'_, '_>) -> Converted {
    let dtype = cx.output_dtype(0)?;
    let is_float = tvmscript_ir_core::arithmetic::is_float(dtype);
    if (0..3).all(|at| cx.is_constant(at)) {
        let bound = |cx: &mut Node<'_, '_>, at| {
            Ok::<Expr, Reason>(match is_float {
                true => float_operand(cx.single_number(at, "a bound")?),
                false => int_operand(cx.single_int(at, "a bound")?),
            })
        };
        let (start, end, step) = (bound(cx, 0)?, bound(cx, 1)?, bound(cx, 2)?);
        return Ok(arange(start, Some(end), step, Some(dtype)).into());
    }
    // The number of elements is computed at run time.
    let work = if is_float { dtype } else { DataType::INT64 };
    let mut bounds = Vec::new();
    for at in 0..3 {
        let bound = astype(cx.input(at)?, work);
        bounds.push(cx.normalize(bound)?);
    }
    let [start, end, step] = bounds.try_into().map_err(|_| Reason::from("has three operands"))?;
    let count = match is_float {
        true => op::ceil(op::divide(op::subtract(end, start.clone()).upcast(), step.clone()).upcast()),
        false => {
            op::negative(op::floor_divide(op::subtract(start.clone(), end).upcast(), step.clone()).upcast())
        }
    };
    let count = op::maximum(count.upcast(), number(work, 0.0));
    let length = dimension(cx, count.upcast(), "range_len")?;
    let length = tvmscript_relax::PrimValue::new(length).upcast();
    let places = arange(int_operand(0), Some(length), int_operand(1), Some(DataType::INT64));
    let places = cx.normalize(astype(places.upcast(), work))?;
    let out = op::add(op::multiply(places, step).upcast(), start);
    Ok(if work == dtype { out.into() } else { astype(out.upcast(), dtype).into() })
}

/// A dimension whose length is the only element of a tensor.
fn dimension(cx: &mut Node<'_, '_>, count: Expr, name: &str) -> Result<prim::Expr, Reason> {
    let count = cx.normalize(astype(count, DataType::INT64))?;
    let count = cx.normalize(crate::ops::reshape(count, shape(&[1]))?)?;
    let count = cx.graph().match_cast(count, tensor_of([IntImm::int64(1)], DataType::INT64))?;
    let count = cx.emit(tensor_to_shape(count))?;
    let dim: prim::Expr = prim::Var::new(name, DataType::INT64).upcast();
    cx.graph().match_cast(count, ShapeStructInfo::try_of([dim.clone()])?)?;
    Ok(dim)
}
