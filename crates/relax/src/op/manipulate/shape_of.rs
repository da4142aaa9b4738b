//! Between tensors and shapes: `R.shape_of`, `R.tensor_to_shape`, `R.shape_to_tensor`; `R.nonzero`, whose shape is found at
//! run time.
//!
//! Upstream counterparts: `src/relax/op/op.cc`, `R.nonzero` in `src/relax/op/tensor/set.cc`.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_ir_macros::operators;
use tvmscript_prim::IntImm;

use super::Inferred;
use crate::node::*;
use crate::op::{Infer, InferErrorKind, Operator, tensor_of, tensor_of_rank};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The indices of elements that are not zero, one column an element.
    nonzero(x: Expr) -> infer(indices);
    /// The shape of a tensor.
    shape_of(expr: Expr) -> infer(shape);
    /// A shape as a tensor of integers.
    shape_to_tensor(expr: Expr) -> infer(lengths);
    /// A tensor of integers as a shape.
    tensor_to_shape(expr: Expr) -> infer(shape_of_lengths);
}

fn indices(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(tensor_of_rank(2, DataType::INT64, x.vdevice.clone()))
}

fn shape(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(match x.dims() {
        Some(dims) => ShapeStructInfo::of(dims.clone()),
        None => ShapeStructInfo::of_rank(x.ndim),
    })
}

fn lengths(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(1)?;
    // An unknown rank counts as -1, as upstream has it.
    Ok(tensor_of([IntImm::int64(cx.shape(0)?.ndim)], DataType::INT64, None))
}

fn shape_of_lengths(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    if x.ndim != 1 {
        let expected = "rank 1".to_owned();
        return Err(InferErrorKind::Rank { op: cx.op(), expected, found: x.ndim }.at(0));
    }
    match (&x.shape, x.dims()) {
        (Some(_), None) => Err(cx.wrong_kind(0, "a tensor whose shape is written out, or not known")),
        (_, Some(dims)) => {
            let length = dims[0].as_node::<IntImm>();
            Ok(ShapeStructInfo::of_rank(length.map_or(UNKNOWN_NDIM, |length| length.value)))
        }
        (None, None) => Ok(ShapeStructInfo::of_rank(UNKNOWN_NDIM)),
    }
}
