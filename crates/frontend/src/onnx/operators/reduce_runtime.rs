//! Reductions along axes, and counts of elements, that are known at run time only.

use tvmscript_ir_core::DataType;
use tvmscript_prim::Var;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::index::{dynamic_strided_slice, take};
use tvmscript_relax::op::join::concat;
use tvmscript_relax::op::reduce::{max, sum};
use tvmscript_relax::op::search::argsort;
use tvmscript_relax::op::shape::{
    broadcast_to, expand_dims, shape_of as shape_at_run_time, shape_to_tensor, tensor_to_shape,
};
use tvmscript_relax::{Expr, ShapeStructInfo, Tuple};

use super::super::node::{Node, str};
use super::reduce::{Kind, Reduction};
use crate::error::Reason;
use crate::ops::{
    dims, dtype_of, int64_number, int64_vector, integers, ints, lengths_of, rank, rank_of, reshape, shape,
    shape_of, tensor_of,
};

/// The axes of a reduction, if they are known: those of a constant, none if the operand is left out, all if there are as
/// many as the tensor has. `None` if they are known at run time only.
///
/// # Errors
/// Fails for a constant that is no list of integers.
pub(super) fn static_axes(cx: &mut Node<'_, '_>, index: usize) -> Result<Option<Vec<i64>>, Reason> {
    let Some(operand) = cx.optional(index) else { return Ok(Some(Vec::new())) };
    if let Some(constant) = cx.constant(index) {
        let axes = integers(&constant);
        return axes.map(Some).ok_or_else(|| Reason::from("the axes are not integers"));
    }
    let all = cx.optional(0).and_then(|x| rank_of(&x)).map(|rank| rank as i64);
    Ok(match lengths_of(&operand).as_deref() {
        Some([0]) => Some(Vec::new()),
        Some([count]) if Some(*count) == all => Some((0..*count).collect()),
        _ => None,
    })
}

/// Axes that are known at run time: their number, if it is known, and for each axis of the tensor 1 or 0.
struct Axes {
    count: Option<i64>,
    mask: Expr,
}

impl Axes {
    fn of(cx: &mut Node<'_, '_>, index: usize, rank: i64) -> Result<Axes, Reason> {
        let axes = cx.tensor(index)?;
        let count = match lengths_of(&axes).as_deref() {
            Some([count]) => Some(*count),
            _ => None,
        };
        let mut axes = match dtype_of(&axes) == DataType::INT64 {
            true => axes,
            false => astype(axes, DataType::INT64).upcast(),
        };
        if count.is_none() {
            // One that no tensor has: TVM does not compute sums of no elements.
            let parts = Tuple::new([axes, int64_vector(&[rank])]).upcast();
            axes = concat(parts, Some(0)).upcast();
        }
        let is_negative = op::less(axes.clone(), int64_number(0)).upcast();
        let from_front = op::add(axes.clone(), int64_number(rank)).upcast();
        let axes = op::where_(is_negative, from_front, axes).upcast();
        let row = expand_dims(axes, ints(&[0])).upcast();
        let column = reshape(int64_vector(&(0..rank).collect::<Vec<_>>()), shape(&[rank, 1]))?.upcast();
        let hits = astype(op::equal(row, column).upcast(), DataType::INT64).upcast();
        let mut mask = cx.emit(op::minimum(sum(hits, Some(ints(&[1])), false).upcast(), int64_number(1)))?;
        if count.is_none() && !cx.flag("noop_with_empty_axes") {
            // No axes are all axes.
            let is_empty = op::equal(sum(mask.clone(), None, false).upcast(), int64_number(0)).upcast();
            let all = int64_vector(&vec![1; rank as usize]);
            mask = cx.emit(op::where_(is_empty, all, mask))?;
        }
        Ok(Axes { count, mask })
    }

    /// The condition that an axis is reduced.
    fn has(&self, cx: &mut Node<'_, '_>, axis: i64) -> Result<Expr, Reason> {
        let entry = take(self.mask.clone(), int64_number(axis), Some(0), str("fast")).upcast();
        cx.emit(op::greater(entry, int64_number(0)))
    }
}

/// Reduces each axis that the second operand names, one after the other.
///
/// The tensor keeps its shape until the end: a reduced axis holds its result at each index. Then the first index of each
/// reduced axis is taken, and without `keepdims` the axis is left out.
pub(super) fn reduced_at_run_time(cx: &mut Node<'_, '_>, kind: Kind, keepdims: bool) -> Result<Expr, Reason> {
    let x = cx.tensor(0)?;
    let rank = rank(&x)? as i64;
    if lengths_of(&x).is_some_and(|lengths| lengths.contains(&0)) {
        return Err("needs constant axes for a tensor without elements".into());
    }
    let axes = Axes::of(cx, 1, rank)?;
    let mut conditions = Vec::new();
    for axis in 0..rank {
        conditions.push(axes.has(cx, axis)?);
    }
    let result = if kind.is_log_sum_exp {
        let greatest = swept(cx, x.clone(), max, &conditions)?;
        let powers = op::exp(op::subtract(x, greatest.clone()).upcast()).upcast();
        let sums = swept(cx, powers, kind.along, &conditions)?;
        cx.emit(op::add(op::log(sums).upcast(), greatest))?
    } else {
        let sums = swept(cx, (kind.before)(x), kind.along, &conditions)?;
        cx.emit((kind.after)(sums))?
    };
    let lengths = lengths_at_run_time(cx, &result)?;
    let ones = int64_vector(&vec![1; rank as usize]);
    let is_reduced = op::greater(axes.mask.clone(), int64_number(0)).upcast();
    let ends = cx.emit(op::where_(is_reduced, ones, lengths.clone()))?;
    let first = prefix(cx, result, ends, rank)?;
    if keepdims {
        return Ok(first);
    }
    let count = axes.count.ok_or_else(|| Reason::from("the number of axes must be known"))?;
    without_axes(cx, first, &axes, lengths, rank - count)
}

/// The tensor with each axis whose condition holds reduced and repeated.
fn swept(cx: &mut Node<'_, '_>, x: Expr, along: Reduction, conditions: &[Expr]) -> Result<Expr, Reason> {
    let mut result = cx.normalize(x)?;
    let dims = dims(&result)?;
    for (axis, condition) in conditions.iter().enumerate() {
        let reduced = along(result.clone(), Some(ints(&[axis as i64])), true).upcast();
        let wide = broadcast_to(reduced, shape_of(dims.clone())).upcast();
        result = cx.emit(op::where_(condition.clone(), wide, result))?;
    }
    Ok(result)
}

/// The lengths of a tensor as a vector.
fn lengths_at_run_time(cx: &mut Node<'_, '_>, x: &Expr) -> Result<Expr, Reason> {
    match lengths_of(x) {
        Some(lengths) => Ok(int64_vector(&lengths)),
        None => {
            let shape = cx.emit(shape_at_run_time(x.clone()))?;
            cx.emit(shape_to_tensor(shape))
        }
    }
}

/// The beginning of a tensor: up to an end on each axis.
fn prefix(cx: &mut Node<'_, '_>, x: Expr, ends: Expr, rank: i64) -> Result<Expr, Reason> {
    let filled = |value: i64| int64_vector(&vec![value; rank as usize]);
    cx.normalize(dynamic_strided_slice(x, filled(0), ends, filled(1)))
}

/// Variables for lengths that are known at run time.
fn variables(name: &str, count: i64) -> Vec<tvmscript_prim::Expr> {
    (0..count).map(|at| Var::new(format!("{name}_{at}"), DataType::INT64).upcast()).collect()
}

/// Leaves out the reduced axes, which have the length 1; `kept` is the number of the others.
fn without_axes(
    cx: &mut Node<'_, '_>,
    first: Expr,
    axes: &Axes,
    lengths: Expr,
    kept: i64,
) -> Result<Expr, Reason> {
    let rank = rank(&first)? as i64;
    if !(0..=rank).contains(&kept) {
        return Err("there are more axes than the tensor has".into());
    }
    let dtype = dtype_of(&first);
    let first = cx.graph().match_cast(first, tensor_of(variables("reduced_dim", rank), dtype))?;
    // Kept axes first, in order.
    let numbers = int64_vector(&(0..rank).collect::<Vec<_>>());
    let keys = op::add(op::multiply(axes.mask.clone(), int64_number(rank)).upcast(), numbers).upcast();
    let order = cx.emit(argsort(keys, -1, false, DataType::INT64))?;
    let positions = int64_vector(&(0..kept).collect::<Vec<_>>());
    let chosen = take(order, positions, Some(0), str("fast")).upcast();
    let target = cx.emit(take(lengths, chosen, Some(0), str("fast")))?;
    let target = cx.emit(tensor_to_shape(target))?;
    let dims = variables("kept_dim", kept);
    let info = ShapeStructInfo::try_of(dims.clone())?;
    cx.graph().match_cast(target, info)?;
    Ok(reshape(first, shape_of(dims))?.upcast())
}

/// The first elements along an axis, as many as an operand of one element says.
pub(super) fn first_along(cx: &mut Node<'_, '_>, x: Expr, axis: usize, count: Expr) -> Result<Expr, Reason> {
    let rank = rank(&x)? as i64;
    let lengths = lengths_at_run_time(cx, &x)?;
    let mask: Vec<i64> = (0..rank).map(|at| i64::from(at == axis as i64)).collect();
    let is_axis = op::greater(int64_vector(&mask), int64_number(0)).upcast();
    let count = reshape(astype(count, DataType::INT64).upcast(), shape(&[1]))?.upcast();
    let ends = cx.emit(op::where_(is_axis, count, lengths))?;
    prefix(cx, x, ends, rank)
}
