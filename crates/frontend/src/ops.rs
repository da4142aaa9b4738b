//! Short forms of what converters make and ask: constants, lists of integers, shapes, types.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::{self as prim, FloatImm, IntImm, ops::int_value};
use tvmscript_relax::build::args::{ExprArg, ShapeArg};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::call::CALL_PURE_PACKED;
use tvmscript_relax::op::{datatype::astype, elementwise};
use tvmscript_relax::{
    Call, Constant, Expr, ExternFunc, PrimValue, ShapeExpr, StructInfo, TensorStructInfo, Tuple,
    TupleGetItem, TupleStructInfo, struct_info_of,
};

use crate::error::Reason;

/// Nodes that are expressions.
pub trait IntoExpr {
    /// The node as an expression.
    fn into_expr(self) -> Expr;
}

macro_rules! expressions {
    ($($node:ty),*) => {$(
        impl IntoExpr for Ref<$node> {
            fn into_expr(self) -> Expr {
                self.upcast()
            }
        }
    )*};
}
impl IntoExpr for Expr {
    fn into_expr(self) -> Expr {
        self
    }
}
expressions! { Call, Constant, ShapeExpr, Tuple, TupleGetItem, tvmscript_relax::Var }

/// An integer as an attribute, of the narrowest type.
pub use tvmscript_relax::op::plain_int as int;

/// Integers as attributes of axes: of the narrowest type, as TVM converts them from Python.
pub fn ints(values: &[i64]) -> Array<Ref<IntImm>> {
    values.iter().map(|value| int(*value)).collect()
}

/// Integers of `int64`, as strides, pads and cut points are.
pub fn int64s(values: &[i64]) -> Array<Ref<IntImm>> {
    let one = |value: &i64| {
        Ref::new(IntImm { span: tvmscript_ir_core::Span::current(), dtype: DataType::INT64, value: *value })
    };
    values.iter().map(one).collect()
}

/// An integer operand of `int64`.
pub fn int_operand(value: i64) -> Expr {
    PrimValue::new(IntImm::int64(value)).upcast()
}

/// A number operand of `float64`.
pub fn float_operand(value: f64) -> Expr {
    let literal = FloatImm { span: tvmscript_ir_core::Span::current(), dtype: DataType::float(64), value };
    PrimValue::new(Ref::new(literal).upcast()).upcast()
}

/// Integers as an operand: a tuple of `int64`.
pub fn int_operands(values: &[i64]) -> Expr {
    Tuple::new(values.iter().map(|value| int_operand(*value))).upcast()
}

/// A shape of known lengths.
pub fn shape(dims: &[i64]) -> Expr {
    shape_of(dims.iter().map(|dim| IntImm::int64(*dim)))
}

/// A shape of dimensions of `int64`; others count as an unknown shape of no dimensions, which inference refuses.
pub fn shape_of(dims: impl IntoIterator<Item = prim::Expr>) -> Expr {
    match ShapeExpr::try_new(dims) {
        Ok(shape) => shape.upcast(),
        Err(_) => Tuple::new([]).upcast(),
    }
}

/// A constant of one number, of rank 0.
pub fn number(dtype: DataType, value: f64) -> Expr {
    let tensor = match tvmscript_ir_core::arithmetic::is_float(dtype) {
        true => Tensor::of_floats(dtype, Vec::new(), [value]),
        false => Tensor::of_ints(dtype, Vec::new(), [value as i128]),
    };
    Constant::new(tensor.encode()).upcast()
}

/// A constant vector of `int64`.
pub fn int64_vector(values: &[i64]) -> Expr {
    let values = values.iter().map(|value| i128::from(*value));
    Constant::new(Tensor::of_ints(DataType::INT64, vec![values.len()], values).encode()).upcast()
}

/// A constant of one `int64`, of rank 0.
pub fn int64_number(value: i64) -> Expr {
    Constant::new(Tensor::of_ints(DataType::INT64, Vec::new(), [i128::from(value)]).encode()).upcast()
}

/// The field of a tuple.
pub fn field(tuple: &Expr, index: usize) -> Expr {
    let (tuple_value, span) = (tuple.clone(), tvmscript_ir_core::Span::current());
    Ref::new(TupleGetItem { span, struct_info_: None, tuple_value, index: index as i64 }).upcast()
}

/// Powers of integers in a type, computed in `float64`, since TVM compiles none of integers.
pub fn integer_power(a: Expr, b: Expr, dtype: DataType) -> Expr {
    let is_whole = dtype_of(&b).is_integer();
    let wide = |x: Expr| astype(x, DataType::float(64)).upcast();
    let power: Expr = elementwise::power(wide(a), wide(b)).upcast();
    astype(if is_whole { elementwise::round(power).upcast() } else { power }, dtype).upcast()
}

/// The tensor's shape changed; a length of -1 is inferred and 0 copied, as scripts have it.
///
/// # Errors
/// Fails if a length cannot be inferred.
pub fn reshape(x: Expr, shape: Expr) -> Result<Ref<Call>, Reason> {
    tvmscript_relax::op::shape::script::try_reshape(ExprArg(x), ShapeArg(shape))
        .map_err(|error| Reason(error.to_string()))
}

/// The type of a value that is a tensor.
pub fn tensor_info(value: &Expr) -> Option<Ref<TensorStructInfo>> {
    struct_info_of(value)?.downcast::<TensorStructInfo>().ok()
}

/// The element type of a tensor; void if it is unknown.
pub fn dtype_of(value: &Expr) -> DataType {
    tensor_info(value).map_or(DataType::VOID, |info| info.dtype)
}

/// The rank of a tensor.
pub fn rank_of(value: &Expr) -> Option<usize> {
    usize::try_from(tensor_info(value)?.ndim).ok()
}

/// The rank of a tensor.
///
/// # Errors
/// Fails if it is unknown.
pub fn rank(value: &Expr) -> Result<usize, Reason> {
    rank_of(value).ok_or_else(|| Reason::from("needs an operand of known rank"))
}

/// The dimensions of a tensor.
pub fn dims_of(value: &Expr) -> Option<Vec<prim::Expr>> {
    Some(tensor_info(value)?.known_dims()?.iter().cloned().collect())
}

/// The dimensions of a tensor.
///
/// # Errors
/// Fails if they are unknown.
pub fn dims(value: &Expr) -> Result<Vec<prim::Expr>, Reason> {
    dims_of(value).ok_or_else(|| Reason::from("needs an operand of known shape"))
}

/// The lengths of a tensor whose dimensions are numbers.
pub fn lengths_of(value: &Expr) -> Option<Vec<i64>> {
    dims_of(value)?.iter().map(int_value).collect()
}

/// The lengths of a tensor whose dimensions are numbers.
///
/// # Errors
/// Fails for others.
pub fn lengths(value: &Expr) -> Result<Vec<i64>, Reason> {
    lengths_of(value).ok_or_else(|| Reason::from("needs an operand whose dimensions are numbers"))
}

/// A tensor type.
pub fn tensor_of(dims: impl IntoIterator<Item = prim::Expr>, dtype: DataType) -> Ref<StructInfo> {
    match ShapeExpr::try_new(dims) {
        Ok(shape) => TensorStructInfo::of_shape(shape, dtype, None).upcast(),
        Err(_) => TensorStructInfo::of_rank(-1, dtype, None).upcast(),
    }
}

/// The elements of a constant.
pub fn elements(value: &Expr) -> Option<Tensor> {
    Tensor::decode(&value.as_node::<Constant>()?.data)
}

/// The integers of a constant, in row-major order; those of a shape of numbers.
pub fn integers(value: &Expr) -> Option<Vec<i64>> {
    if let Some(shape) = value.as_node::<ShapeExpr>() {
        return shape.values.iter().map(int_value).collect();
    }
    let tensor = elements(value)?;
    let of_floats = |values: &[f64]| values.iter().map(|value| *value as i64).collect();
    match tensor.ints() {
        Some(ints) => ints.iter().map(|value| i64::try_from(*value).ok()).collect(),
        None => tensor.floats().map(of_floats),
    }
}

/// The numbers of a constant, in row-major order.
pub fn numbers(value: &Expr) -> Option<Vec<f64>> {
    let tensor = elements(value)?;
    let of_ints = |values: &[i128]| values.iter().map(|value| *value as f64).collect();
    tensor.floats().map(<[f64]>::to_vec).or_else(|| tensor.ints().map(of_ints))
}

/// An axis counted from the front.
///
/// # Errors
/// Fails for an axis that a tensor of this rank does not have.
pub fn axis(axis: i64, rank: usize) -> Result<usize, Reason> {
    tvmscript_relax::evaluate::axis_of(axis, rank)
        .ok_or_else(|| Reason(format!("axis {axis} is out of range for rank {rank}")))
}

/// An opaque call in place of an operator without a converter: of an external function with this name, on these operands.
/// Several results are a tuple.
pub fn opaque(
    name: String,
    args: impl IntoIterator<Item = Expr>,
    results: impl IntoIterator<Item = Ref<StructInfo>>,
) -> Ref<Call> {
    let results: Vec<Ref<StructInfo>> = results.into_iter().collect();
    let info = match <[Ref<StructInfo>; 1]>::try_from(results) {
        Ok([info]) => info,
        Err(infos) => TupleStructInfo::new(infos),
    };
    let callee: Expr = ExternFunc::new(name, None).upcast();
    CALL_PURE_PACKED.call_stated(None, std::iter::once(callee).chain(args), [info])
}
