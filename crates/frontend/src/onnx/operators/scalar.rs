//! Values that a graph computes with during the import: scalar expressions and shapes.

use tvmscript_ir_core::{DataType, structural_equal};
use tvmscript_prim::ops::int_value;
use tvmscript_prim::{self as prim, Cast, PrimError, PrimExprExt as _, ops as prim_ops};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::shape::{shape_to_tensor, squeeze};
use tvmscript_relax::{Constant, Expr, PrimValue, ShapeExpr};

use super::super::node::Node;
use super::runtime::is_shape;
use crate::error::Reason;
use crate::ops::{self, dtype_of, elements, int64_number, int64_vector, number, shape_of};

/// Maximum number of elements of a vector that is taken apart: longer ones are no shapes.
const MAX_KNOWN: i64 = 1 << 12;

/// An operator of two scalar expressions.
pub(super) type ScalarOp = fn(prim::Expr, prim::Expr) -> Result<prim::Expr, PrimError>;

/// The elements of a value that the import knows, and the rank of the value.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) items: Vec<prim::Expr>,
    is_vector: bool,
}

impl Known {
    /// The value that these elements are.
    pub(super) fn into_expr(self) -> Result<Expr, Reason> {
        let mut items = self.items;
        match (self.is_vector, items.pop()) {
            (false, Some(item)) => Ok(PrimValue::new(item).upcast()),
            (_, last) => Ok(shape_of(items.into_iter().chain(last))),
        }
    }
}

/// Returns `true` for shapes and scalar expressions.
pub(super) fn is_symbolic(value: &Expr) -> bool {
    value.is::<ShapeExpr>() || value.is::<PrimValue>()
}

/// The elements of a shape, a scalar expression, or a constant of rank 0 or 1.
pub(super) fn known(value: &Expr) -> Option<Known> {
    if let Some(shape) = value.as_node::<ShapeExpr>() {
        return Some(Known { items: shape.values.iter().cloned().collect(), is_vector: true });
    }
    if let Some(scalar) = value.as_node::<PrimValue>() {
        return Some(Known { items: vec![scalar.value.clone()], is_vector: false });
    }
    let shape = &value.as_node::<Constant>()?.data.shape;
    if !matches!(**shape, [] | [..=MAX_KNOWN]) {
        return None;
    }
    let tensor = elements(value)?;
    let literal = |value: Result<prim::Expr, PrimError>| value.ok();
    let items: Option<Vec<prim::Expr>> = match (tensor.ints(), tensor.floats()) {
        (Some(ints), _) => ints
            .iter()
            .map(|int| literal(prim_ops::make_const(tensor.dtype, i64::try_from(*int).ok()?)))
            .collect(),
        (_, Some(floats)) => {
            floats.iter().map(|float| literal(prim_ops::make_const(tensor.dtype, *float))).collect()
        }
        _ => None,
    };
    Some(Known { items: items?, is_vector: tensor.shape.len() == 1 })
}

/// The elements of several values, each repeated to the length of the longest.
///
/// # Errors
/// Fails if the lengths differ and are not 1.
pub(super) fn broadcast<const N: usize>(values: [Known; N]) -> Result<([Vec<prim::Expr>; N], bool), Reason> {
    let is_vector = values.iter().any(|known| known.is_vector);
    let length = |known: &Known| known.items.len();
    let longest = values.iter().map(length).find(|length| *length != 1).unwrap_or(1);
    if values.iter().any(|known| known.items.len() != 1 && known.items.len() != longest) {
        let lengths = values.iter().map(|known| length(known).to_string()).collect::<Vec<_>>().join(", ");
        return Err(Reason(format!("the lengths {lengths} cannot be broadcast")));
    }
    let repeated = values.map(|known| match known.items.as_slice() {
        [item] => vec![item.clone(); longest],
        _ => known.items,
    });
    Ok((repeated, is_vector))
}

/// A value from elements that were computed with those of [`broadcast`].
pub(super) fn from_items(items: Vec<prim::Expr>, is_vector: bool) -> Result<Expr, Reason> {
    Known { items, is_vector }.into_expr()
}

/// Applies an operator to shapes, scalar expressions and constants. `None` if neither operand is symbolic or one is not
/// known.
pub(super) fn combined(a: &Expr, b: &Expr, op: ScalarOp) -> Option<Result<Expr, Reason>> {
    if !is_symbolic(a) && !is_symbolic(b) {
        return None;
    }
    let (x, y) = (known(a)?, known(b)?);
    Some((|| {
        let ([x, y], is_vector) = broadcast([x, y])?;
        // A constant takes the type of the other operand, as a Python number does.
        let like = |item: prim::Expr, is_constant: bool, other: &prim::Expr| match int_value(&item)
            .filter(|_| is_constant)
        {
            Some(value) => prim_ops::make_const(other.dtype(), value),
            None => Ok(item),
        };
        let apply = |(x, y): (prim::Expr, prim::Expr)| {
            let (left, right) = (like(x.clone(), a.is::<Constant>(), &y)?, like(y, b.is::<Constant>(), &x)?);
            op(left, right)
        };
        let items: Result<Vec<prim::Expr>, PrimError> = x.into_iter().zip(y).map(apply).collect();
        from_items(items?, is_vector)
    })())
}

/// Returns `true` if two elements are provably equal.
pub(super) fn same(a: &prim::Expr, b: &prim::Expr) -> bool {
    match (int_value(a), int_value(b)) {
        (Some(a), Some(b)) => a == b,
        _ => structural_equal(a.object(), b.object()),
    }
}

/// The element type of a tensor, a shape or a scalar expression.
pub(super) fn element_type(value: &Expr) -> DataType {
    match value.as_node::<PrimValue>() {
        Some(scalar) => scalar.value.dtype(),
        None if value.is::<ShapeExpr>() => DataType::INT64,
        None => dtype_of(value),
    }
}

/// A value as a tensor: shapes and scalar expressions become constants or are computed at run time.
///
/// # Errors
/// Fails for scalar expressions that no operator computes at run time.
pub(in super::super) fn as_tensor(value: Expr) -> Result<Expr, Reason> {
    if let Some(shape) = value.as_node::<ShapeExpr>() {
        let lengths: Option<Vec<i64>> = shape.values.iter().map(int_value).collect();
        return Ok(match lengths {
            Some(lengths) => int64_vector(&lengths),
            None => shape_to_tensor(value).upcast(),
        });
    }
    if is_shape(&value) {
        return Ok(shape_to_tensor(value).upcast());
    }
    let Some(scalar) = value.as_node::<PrimValue>() else { return Ok(value) };
    let (item, dtype) = (&scalar.value, scalar.value.dtype());
    if let Some(constant) = int_value(item) {
        return Ok(match dtype == DataType::INT64 {
            true => int64_number(constant),
            false => number(dtype, constant as f64),
        });
    }
    if let Some(float) = item.as_node::<prim::FloatImm>() {
        return Ok(number(dtype, float.value));
    }
    let (item, cast) = match item.as_node::<Cast>() {
        Some(cast) => (cast.value.clone(), Some(cast.dtype)),
        None => (item.clone(), None),
    };
    if item.dtype() != DataType::INT64 {
        return Err(Reason(format!("the scalar of `{}` cannot become a tensor", item.dtype())));
    }
    let vector = shape_to_tensor(shape_of([item])).upcast();
    let tensor: Expr = squeeze(vector, Some(ops::ints(&[0]))).upcast();
    Ok(match cast {
        Some(dtype) => astype(tensor, dtype).upcast(),
        None => tensor,
    })
}

/// A constant number in the element type of a tensor; `float32` if that is unknown.
pub(super) fn like(x: &Expr, value: f64) -> Expr {
    let dtype = dtype_of(x);
    number(if dtype.is_void() { DataType::FLOAT32 } else { dtype }, value)
}

/// The only integer of a constant operand; `None` if it is left out or not constant.
pub(super) fn constant_int(cx: &mut Node<'_, '_>, index: usize) -> Option<i64> {
    match *ops::integers(&cx.constant(index)?)? {
        [value] => Some(value),
        _ => None,
    }
}
