//! Tensors joined, split and repeated.
//!
//! Upstream counterpart: `src/relax/op/tensor/manipulate.cc`.

use tvmscript_ir::VDevice;
use tvmscript_ir_core::{ObjectLike, structural_equal};
use tvmscript_prim::PrimExprExt;

use super::infer::dim_mut;
use super::prelude::*;
use super::product;
use crate::analysis::same_dim;
use crate::describe;
use crate::node::attrs::{
    ConcatAttrs, FlipAttrs, MeshgridAttrs, OneHotAttrs, RepeatAttrs, SplitAttrs, StackAttrs, TileAttrs,
};

operators! {
    /// The tensors, concatenated along an axis.
    concat(tensors: TensorTuple; axis: Option<Int> = 0) -> infer(one_after_another), attrs = ConcatAttrs;
    /// The tensors, which have the same shape, stacked along a new axis.
    stack(tensors: TensorTuple; axis: Option<Literal> = 0) -> infer(along_new_axis), attrs = StackAttrs;
    /// The coordinate tensors of vectors, one axis per vector.
    meshgrid(tensors: TensorTuple; indexing: Option<Str> = "ij") -> infer(coordinates), attrs = MeshgridAttrs;
    /// The tensor in parts along an axis: a number of equal parts, or parts that start at each index.
    split(x: Expr; indices_or_sections: Sections, axis: Int = 0) -> infer(split_parts), attrs = SplitAttrs;
    /// The tensor with each element repeated along an axis; without an axis, of the flattened tensor.
    repeat(data: Expr; repeats: Int, axis: Option<Int> = None) -> infer(repeated), attrs = RepeatAttrs;
    /// The tensor repeated as a whole along each axis; along the last axes if there are fewer numbers than axes.
    tile(data: Expr; repeats: Ints) -> infer(tiled), attrs = TileAttrs;
    /// The elements in reverse order along an axis.
    flip(data: Expr; axis: Literal) -> infer(flipped), attrs = FlipAttrs;
    /// For each index a vector with `on_value` there and `off_value` elsewhere.
    one_hot(indices: Expr, on_value: PrimLiteral, off_value: PrimLiteral; depth: Positive, axis: Int = -1)
        -> infer(with_classes), attrs = OneHotAttrs;
}

/// The common element type; void if one is unknown.
fn common_dtype(cx: &Infer<'_>, tensors: &[Ref<TensorStructInfo>]) -> Checked<DataType> {
    let mut known = tensors.iter().map(|tensor| tensor.dtype).filter(|dtype| !dtype.is_void());
    let Some(dtype) = known.next() else { return Ok(DataType::VOID) };
    match known.find(|other| *other != dtype) {
        Some(found) => Err(cx.wrong_dtype(0, format!("tensors of the same type, `{dtype}`"), found)),
        None if tensors.iter().any(|tensor| tensor.is_unknown_dtype()) => Ok(DataType::VOID),
        None => Ok(dtype),
    }
}

/// Tensors to join along an axis.
struct JoinedTensors {
    tensors: Vec<Ref<TensorStructInfo>>,
    first: Ref<TensorStructInfo>,
    dtype: DataType,
    vdevice: Option<Ref<VDevice>>,
    /// The known shapes, including those of shape variables.
    shapes: Vec<Array<prim::Expr>>,
    /// `true` if all shapes are [`ShapeExpr`]s.
    are_written_out: bool,
}

fn parts(cx: &Infer<'_>) -> Checked<JoinedTensors> {
    cx.expect_args(1)?;
    let tensors = cx.tensors_of_tuple(0)?;
    let Some(first) = tensors.first().cloned() else {
        return Err(cx.wrong_kind(0, "at least one tensor"));
    };
    let dtype = common_dtype(cx, &tensors)?;
    let vdevice = shared_device(&tensors);
    let shapes = tensors.iter().filter_map(|tensor| tensor.known_dims()).collect();
    let are_written_out = tensors.iter().all(|tensor| tensor.dims().is_some());
    Ok(JoinedTensors { tensors, first, dtype, vdevice, shapes, are_written_out })
}

impl JoinedTensors {
    fn of_rank(&self, ndim: i64) -> Ref<StructInfo> {
        tensor_of_rank(ndim, self.dtype, self.vdevice.clone())
    }

    /// Checks that the known shapes agree on every axis but one. Returns `true` if they provably do.
    fn agree(&self, cx: &mut Infer<'_>, except: Option<usize>) -> Checked<bool> {
        let Some((first, rest)) = self.shapes.split_first() else { return Ok(false) };
        let mut is_sure = true;
        for axis in (0..first.len()).filter(|axis| Some(*axis) != except) {
            for other in rest {
                if cx.differ(&other[axis], &first[axis])? {
                    let (a, b) = (describe::scalar(&first[axis]), describe::scalar(&other[axis]));
                    return Err(
                        cx.wrong_shape_at(0, format!("dimensions differ on axis {axis}: {a} and {b}"))
                    );
                }
                is_sure &= same_dim(&other[axis], &first[axis], cx.analyzer);
            }
        }
        Ok(is_sure)
    }
}

/// The total length along an axis: a product if all lengths are equal.
fn total(shapes: &[Array<prim::Expr>], axis: usize) -> std::result::Result<prim::Expr, prim::PrimError> {
    let mut lengths = shapes.iter().map(|dims| &dims[axis]);
    let Some(first) = lengths.next() else { return Ok(IntImm::int64(0)) };
    if lengths.all(|length| structural_equal(length.object(), first.object())) {
        return ops::mul(first.clone(), IntImm::int64(shapes.len() as i64));
    }
    shapes.iter().try_fold(IntImm::int64(0), |sum, dims| ops::add(sum, dims[axis].clone()))
}

fn one_after_another(cx: &mut Infer<'_>) -> Inferred {
    let parts = parts(cx)?;
    let stated = cx.attrs::<ConcatAttrs>()?.axis;
    // Without an axis, the tensors are vectors.
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
    let is_known = parts.agree(cx, Some(axis))? && parts.are_written_out;
    let Some(shape) = parts.shapes.first().filter(|_| is_known) else { return Ok(parts.of_rank(ndim)) };
    let mut dims: Vec<_> = shape.iter().cloned().collect();
    *dim_mut(&mut dims, axis) = total(&parts.shapes, axis)?;
    Ok(tensor_of(dims, parts.dtype, parts.vdevice))
}

fn along_new_axis(cx: &mut Infer<'_>) -> Inferred {
    let parts = parts(cx)?;
    let operand_ndim = parts.first.ndim;
    for tensor in parts.tensors.iter().filter(|tensor| !tensor.is_unknown_ndim()) {
        if tensor.ndim != operand_ndim {
            return Err(cx.wrong_rank(0, format!("rank {operand_ndim}, like the first one"), tensor.ndim));
        }
    }
    // Like upstream, an unknown rank counts as -1.
    let ndim = operand_ndim + 1;
    let axis = match &cx.attrs::<StackAttrs>()?.axis {
        Some(axis) => cx.axis(axis.value, ndim)?,
        None => 0,
    };
    let is_known = match &parts.tensors[..] {
        [_] => true,
        _ => parts.agree(cx, None)? && parts.are_written_out,
    };
    let Some(shape) = parts.shapes.first().filter(|_| is_known) else { return Ok(parts.of_rank(ndim)) };
    let mut dims: Vec<_> = shape.iter().cloned().collect();
    dims.insert(axis, IntImm::int64(parts.tensors.len() as i64));
    Ok(tensor_of(dims, parts.dtype, parts.vdevice))
}

fn coordinates(cx: &mut Infer<'_>) -> Inferred {
    let parts = parts(cx)?;
    let count = parts.tensors.len();
    for tensor in &parts.tensors {
        if tensor.ndim != 1 {
            return Err(cx.wrong_rank(0, "rank 1", tensor.ndim));
        }
    }
    // Like upstream, unknown element types are skipped, and shapes count only with a known type.
    let dtype = parts.tensors.iter().map(|tensor| tensor.dtype).find(|dtype| !dtype.is_void());
    let dtype = dtype.unwrap_or(DataType::VOID);
    let is_known = parts.are_written_out && parts.tensors.iter().all(|tensor| !tensor.is_unknown_dtype());
    let field = match is_known {
        true => tensor_of(parts.shapes.iter().map(|dims| dims[0].clone()), dtype, parts.vdevice),
        false => tensor_of_rank(count as i64, dtype, parts.vdevice),
    };
    Ok(TupleStructInfo::new(vec![field; count]))
}

fn split_parts(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let attrs = cx.attrs::<SplitAttrs>()?;
    let axis = match x.is_unknown_ndim() {
        true => None,
        false => Some(cx.axis(attrs.axis, x.ndim)?),
    };
    if let Some(sections) = attrs.indices_or_sections.as_node::<IntImm>() {
        return match sections.value {
            1 => Ok(x.upcast()),
            count => equal_parts(cx, &x, axis, count),
        };
    }
    match Array::<Ref<IntImm>>::try_from_object(attrs.indices_or_sections.clone()) {
        Ok(indices) if indices.is_empty() => Ok(x.upcast()),
        Ok(indices) => parts_at(cx, &x, axis, &indices),
        Err(_) => Err(cx.wrong_attribute("indices_or_sections", "must be an integer or a list of integers")),
    }
}

/// Maximum number of parts; each is a field of the result's struct info.
const MAX_PARTS: usize = 1 << 16;
/// Maximum number of dimensions of all parts.
const MAX_DIMS: usize = 1 << 22;

fn check_count(cx: &Infer<'_>, count: i64) -> Checked<usize> {
    usize::try_from(count).ok().filter(|count| (1..=MAX_PARTS).contains(count)).ok_or_else(|| {
        cx.wrong_attribute("indices_or_sections", format!("must be from 1 to {MAX_PARTS}, found {count}"))
    })
}

fn with_length(
    x: &TensorStructInfo,
    dims: &Array<prim::Expr>,
    axis: usize,
    length: prim::Expr,
) -> Ref<StructInfo> {
    x.reshaped(dims.iter().enumerate().map(|(i, dim)| if i == axis { length.clone() } else { dim.clone() }))
}

/// JoinedTensors of equal length, rounded up; the last one has the rest.
fn equal_parts(cx: &mut Infer<'_>, x: &TensorStructInfo, axis: Option<usize>, count: i64) -> Inferred {
    let parts = check_count(cx, count)?;
    let (Some(dims), Some(axis)) = (x.dims(), axis) else {
        return Ok(TupleStructInfo::new(vec![x.reranked(x.ndim); parts]));
    };
    let length = ops::ceildiv(dims[axis].clone(), IntImm::int64(count))?;
    let length = cx.analyzer.simplify(&length);
    let others = ops::mul(length.clone(), IntImm::int64(count - 1))?;
    let last = cx.analyzer.simplify(&ops::sub(dims[axis].clone(), others)?);
    let mut fields = vec![with_length(x, dims, axis, length); parts - 1];
    fields.push(with_length(x, dims, axis, last));
    Ok(TupleStructInfo::new(fields))
}

/// JoinedTensors between indices, clamped to the tensor.
fn parts_at(
    cx: &mut Infer<'_>,
    x: &TensorStructInfo,
    axis: Option<usize>,
    indices: &Array<Ref<IntImm>>,
) -> Inferred {
    let parts = check_count(cx, indices.len() as i64 + 1)?;
    let (Some(dims), Some(axis)) = (x.dims(), axis) else {
        return Ok(TupleStructInfo::new(vec![x.reranked(x.ndim); parts]));
    };
    if parts.saturating_mul(dims.len()) > MAX_DIMS {
        let what = format!("results in {parts} parts of {} dimensions each", dims.len());
        return Err(cx.wrong_attribute("indices_or_sections", what));
    }
    let zero = IntImm::int64(0);
    let within = |bound: prim::Expr| ops::min(ops::max(bound, zero.clone())?, dims[axis].clone());
    let mut fields = Vec::with_capacity(parts);
    let mut begin = within(zero.clone())?;
    for i in 0..parts {
        let end = within(indices.get(i).map_or_else(|| dims[axis].clone(), |index| index.clone().upcast()))?;
        let length = ops::max(ops::sub(end.clone(), begin)?, zero.clone())?;
        fields.push(with_length(x, dims, axis, cx.analyzer.simplify(&length)));
        begin = end;
    }
    Ok(TupleStructInfo::new(fields))
}

fn repeated(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let RepeatAttrs { repeats, axis } = cx.attrs::<RepeatAttrs>()?;
    let axis = match axis {
        Some(axis) if !x.is_unknown_ndim() => Some(Some(cx.axis(*axis, x.ndim)?)),
        Some(_) => Some(None),
        None => None,
    };
    let times = IntImm::int64(*repeats);
    match (x.dims(), axis) {
        (None, None) => Ok(x.reranked(1)),
        (None, Some(_)) if *repeats == 1 => Ok(x.upcast()),
        (None, Some(_)) | (Some(_), Some(None)) => Ok(x.reranked(x.ndim)),
        (Some(dims), None) => {
            let count = ops::mul(product(dims.iter())?, times)?;
            Ok(x.reshaped([cx.analyzer.simplify(&count)]))
        }
        (Some(dims), Some(Some(axis))) => {
            let length = cx.analyzer.simplify(&ops::mul(dims[axis].clone(), times)?);
            let dims = dims.iter().enumerate();
            Ok(x.reshaped(dims.map(|(i, dim)| if i == axis { length.clone() } else { dim.clone() })))
        }
    }
}

fn tiled(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let repeats = &cx.attrs::<TileAttrs>()?.repeats;
    let Some(dims) = x.dims() else {
        return Ok(if x.is_unknown_ndim() {
            x.reranked(UNKNOWN_NDIM)
        } else if repeats.len() as i64 > x.ndim {
            x.reranked(repeats.len() as i64)
        } else if repeats.iter().all(|times| times.value == 1) {
            x.upcast()
        } else {
            x.reranked(x.ndim)
        });
    };
    let ndim = dims.len().max(repeats.len());
    let (missing_dims, missing_repeats) = (ndim - dims.len(), ndim - repeats.len());
    let mut result = Vec::with_capacity(ndim);
    for i in 0..ndim {
        let dim = i.checked_sub(missing_dims).map(|i| dims[i].clone());
        let times = i.checked_sub(missing_repeats).map(|i| IntImm::int64(repeats[i].value));
        result.push(match (dim, times) {
            (Some(dim), Some(times)) => cx.analyzer.simplify(&ops::mul(dim, times)?),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => continue,
        });
    }
    Ok(x.reshaped(result))
}

fn flipped(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    if !x.is_unknown_ndim() {
        cx.axis(cx.attrs::<FlipAttrs>()?.axis.value, x.ndim)?;
    }
    Ok(x.upcast())
}

fn with_classes(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(3)?;
    let indices = cx.tensor(0)?;
    let (dtype, off) = (cx.prim_value(1)?.dtype(), cx.prim_value(2)?.dtype());
    if dtype != off {
        let expected = format!("values of the same type, `{dtype}`");
        return Err(cx.wrong_dtype(2, expected, off));
    }
    cx.expect_integers(0, &indices)?;
    let attrs = cx.attrs::<OneHotAttrs>()?;
    cx.expect_positive("depth", attrs.depth)?;
    let vdevice = indices.vdevice.clone();
    if indices.is_unknown_ndim() {
        return Ok(tensor_of_rank(UNKNOWN_NDIM, dtype, vdevice));
    }
    let Some(dims) = indices.dims() else {
        return Ok(tensor_of_rank(indices.ndim + 1, dtype, vdevice));
    };
    let axis = cx.axis(attrs.axis, indices.ndim + 1)?;
    let mut dims: Vec<_> = dims.iter().cloned().collect();
    dims.insert(axis, IntImm::int64(attrs.depth));
    Ok(tensor_of(dims, dtype, vdevice))
}
