//! Operators that join several tensors: `R.concat`, `R.stack`, `R.meshgrid`.

use tvmscript_ir::VDevice;
use tvmscript_ir_core::{Array, DataType, Ref, Str, structural_equal};
use tvmscript_ir_macros::operators;
use tvmscript_prim::{self as prim, IntImm, ops};

use super::Inferred;
use crate::analysis::same_dim;
#[cfg(feature = "build")]
use crate::build::args::{IntArg, IntImmArg, TupleArg};
use crate::node::attrs::{ConcatAttrs, MeshgridAttrs, StackAttrs};
use crate::node::*;
use crate::op::{Infer, InferError, InferErrorKind, Operator, shared_device, tensor_of, tensor_of_rank};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The tensors one after the other along an axis.
    concat(tensors: TupleArg, axis: Option<IntArg> = Some(IntArg(0))) -> infer(one_after_another) {
        let attrs = Ref::new(ConcatAttrs { axis: axis.map(|axis| axis.0) }).upcast();
        Ok(Call::of_op("relax.concat", [tensors.0], Some(attrs)))
    }
    /// The tensors, which are of one shape, along a new axis.
    stack(tensors: TupleArg, axis: Option<IntImmArg> = Some(IntImmArg::from(0))) -> infer(along_new_axis) {
        let attrs = Ref::new(StackAttrs { axis: axis.map(|axis| axis.0) }).upcast();
        Ok(Call::of_op("relax.stack", [tensors.0], Some(attrs)))
    }
    /// For each vector a tensor of coordinates, one axis a vector.
    meshgrid(tensors: TupleArg, indexing: Option<Str> = Some(Str::from("ij"))) -> infer(coordinates) {
        let attrs = Ref::new(MeshgridAttrs { indexing }).upcast();
        Ok(Call::of_op("relax.meshgrid", [tensors.0], Some(attrs)))
    }
}

/// The element type that all have; void where one is unknown.
fn common_dtype(
    cx: &Infer<'_>,
    tensors: &[Ref<TensorStructInfo>],
) -> std::result::Result<DataType, InferError> {
    let mut known = tensors.iter().map(|tensor| tensor.dtype).filter(|dtype| !dtype.is_void());
    let Some(dtype) = known.next() else { return Ok(DataType::VOID) };
    match known.find(|other| *other != dtype) {
        Some(found) => Err(cx.wrong_dtype(0, format!("tensors of one type, so `{dtype}`"), found)),
        None if tensors.iter().any(|tensor| tensor.is_unknown_dtype()) => Ok(DataType::VOID),
        None => Ok(dtype),
    }
}

/// Tensors to be joined along an axis: what is common to them.
struct Parts {
    tensors: Vec<Ref<TensorStructInfo>>,
    dtype: DataType,
    vdevice: Option<Ref<VDevice>>,
    /// The shapes that are known; of these some may be held by variables.
    shapes: Vec<Array<prim::Expr>>,
    /// All shapes are written out.
    are_written_out: bool,
}

fn parts(cx: &Infer<'_>) -> std::result::Result<Parts, InferError> {
    cx.expect_args(1)?;
    let tensors = cx.tensors_of_tuple(0)?;
    if tensors.is_empty() {
        return Err(cx.wrong_kind(0, "at least one tensor"));
    }
    let dtype = common_dtype(cx, &tensors)?;
    let vdevice = shared_device(&tensors);
    let shapes = tensors.iter().filter_map(|tensor| tensor.known_dims()).collect();
    let are_written_out = tensors.iter().all(|tensor| tensor.dims().is_some());
    Ok(Parts { tensors, dtype, vdevice, shapes, are_written_out })
}

impl Parts {
    fn of_rank(&self, ndim: i64) -> Ref<StructInfo> {
        tensor_of_rank(ndim, self.dtype, self.vdevice.clone())
    }

    /// Checks that the known shapes agree on every axis but one. Gives whether they do so for sure.
    fn agree(&self, cx: &mut Infer<'_>, except: Option<usize>) -> std::result::Result<bool, InferError> {
        let Some((first, rest)) = self.shapes.split_first() else { return Ok(false) };
        let mut is_sure = true;
        for axis in (0..first.len()).filter(|axis| Some(*axis) != except) {
            for other in rest {
                if cx.differ(&other[axis], &first[axis])? {
                    let (a, b) =
                        (crate::describe::scalar(&first[axis]), crate::describe::scalar(&other[axis]));
                    return Err(
                        cx.wrong_shape_at(0, format!("the tensors differ on axis {axis}: {a} and {b}"))
                    );
                }
                is_sure &= same_dim(&other[axis], &first[axis], cx.analyzer);
            }
        }
        Ok(is_sure)
    }
}

/// How long the joined tensors are: a product where all are of one length.
fn total(shapes: &[Array<prim::Expr>], axis: usize) -> std::result::Result<prim::Expr, prim::PrimError> {
    let first = &shapes[0][axis];
    if shapes.iter().all(|dims| structural_equal(dims[axis].object(), first.object())) {
        return ops::mul(first.clone(), IntImm::int64(shapes.len() as i64));
    }
    shapes.iter().try_fold(IntImm::int64(0), |sum, dims| ops::add(sum, dims[axis].clone()))
}

fn one_after_another(cx: &mut Infer<'_>) -> Inferred {
    let parts = parts(cx)?;
    let stated = cx.attrs::<ConcatAttrs>()?.axis;
    // Without an axis the tensors are vectors.
    let mut ndim = if stated.is_some() { UNKNOWN_NDIM } else { 1 };
    for tensor in parts.tensors.iter().filter(|tensor| !tensor.is_unknown_ndim()) {
        if ndim == UNKNOWN_NDIM {
            ndim = tensor.ndim;
        }
        cx.expect_rank(0, tensor, ndim)?;
    }
    let only = match &parts.tensors[..] {
        [only] => Some(only.clone().upcast()),
        _ => None,
    };
    if ndim == UNKNOWN_NDIM {
        return Ok(only.unwrap_or_else(|| parts.of_rank(ndim)));
    }
    let axis = cx.axis(stated.unwrap_or(0), ndim)?;
    if let Some(only) = only {
        return Ok(only);
    }
    if !parts.agree(cx, Some(axis))? || !parts.are_written_out {
        return Ok(parts.of_rank(ndim));
    }
    let mut dims: Vec<_> = parts.shapes[0].iter().cloned().collect();
    dims[axis] = total(&parts.shapes, axis)?;
    Ok(tensor_of(dims, parts.dtype, parts.vdevice))
}

fn along_new_axis(cx: &mut Infer<'_>) -> Inferred {
    let parts = parts(cx)?;
    let operand_ndim = parts.tensors[0].ndim;
    for tensor in parts.tensors.iter().filter(|tensor| !tensor.is_unknown_ndim()) {
        if tensor.ndim != operand_ndim {
            let expected = format!("the rank of the first, {operand_ndim},");
            return Err(InferErrorKind::Rank { op: cx.op(), expected, found: tensor.ndim }.at(0));
        }
    }
    // An unknown rank counts as -1, as upstream has it.
    let ndim = operand_ndim + 1;
    let axis = match &cx.attrs::<StackAttrs>()?.axis {
        Some(axis) => cx.axis(axis.value, ndim)?,
        None => 0,
    };
    let is_known = match &parts.tensors[..] {
        [_] => !parts.shapes.is_empty(),
        _ => parts.agree(cx, None)? && parts.are_written_out,
    };
    if !is_known {
        return Ok(parts.of_rank(ndim));
    }
    let mut dims: Vec<_> = parts.shapes[0].iter().cloned().collect();
    dims.insert(axis, IntImm::int64(parts.tensors.len() as i64));
    Ok(tensor_of(dims, parts.dtype, parts.vdevice))
}

fn coordinates(cx: &mut Infer<'_>) -> Inferred {
    let parts = parts(cx)?;
    let count = parts.tensors.len();
    for tensor in &parts.tensors {
        if tensor.ndim != 1 {
            let expected = "rank 1".to_owned();
            return Err(InferErrorKind::Rank { op: cx.op(), expected, found: tensor.ndim }.at(0));
        }
    }
    // Upstream looks at types that are known only, and at shapes where the type is.
    let dtype = parts.tensors.iter().map(|tensor| tensor.dtype).find(|dtype| !dtype.is_void());
    let dtype = dtype.unwrap_or(DataType::VOID);
    let is_known = parts.are_written_out && parts.tensors.iter().all(|tensor| !tensor.is_unknown_dtype());
    let field = match is_known {
        true => tensor_of(parts.shapes.iter().map(|dims| dims[0].clone()), dtype, parts.vdevice),
        false => tensor_of_rank(count as i64, dtype, parts.vdevice),
    };
    Ok(TupleStructInfo::new(vec![field; count]))
}
