//! Struct info: what is known of a value before it is computed.
//!
//! Constructors keep what upstream's keep: dimensions are `int64`, a rank is known where the shape is.

use tvmscript_ir::{EnvFunc, RelaxExpr, VDevice};
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, Class, DataType, Node, Ref, Span};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Type};

use super::{ShapeExpr, Var};

/// A rank or dimension count that is not known.
pub const UNKNOWN_NDIM: i64 = -1;

/// What is known of a value (`ir.StructInfo`).
#[derive(Class)]
#[class(key = "ir.StructInfo", parent = Type)]
pub struct StructInfo(());

/// Any value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.ObjectStructInfo", parent = StructInfo)]
pub struct ObjectStructInfo {
    /// Where it was written.
    pub span: Span,
}

/// A scalar.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.PrimStructInfo", parent = StructInfo, check = PrimStructInfo::check)]
pub struct PrimStructInfo {
    /// Where it was written.
    pub span: Span,
    /// The value, where known.
    pub value: Option<Expr>,
    /// The type of the value.
    pub dtype: DataType,
}

/// A shape.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.ShapeStructInfo", parent = StructInfo, check = ShapeStructInfo::check)]
pub struct ShapeStructInfo {
    /// Where it was written.
    pub span: Span,
    /// The dimensions, where known.
    pub values: Option<Array<Expr>>,
    /// How many dimensions; -1 where unknown.
    pub ndim: i64,
}

/// A tensor.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.TensorStructInfo", parent = StructInfo, check = TensorStructInfo::check)]
pub struct TensorStructInfo {
    /// Where it was written.
    pub span: Span,
    /// A shape, or a variable that holds one, where known.
    pub shape: Option<Ref<RelaxExpr>>,
    /// The element type; void where unknown.
    pub dtype: DataType,
    /// The device, where bound.
    pub vdevice: Option<Ref<VDevice>>,
    /// How many dimensions; -1 where unknown.
    pub ndim: i64,
}

/// A tuple; the empty one is void.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.TupleStructInfo", parent = StructInfo)]
pub struct TupleStructInfo {
    /// Where it was written.
    pub span: Span,
    /// The parts.
    pub fields: Array<Ref<StructInfo>>,
}

/// A function.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.FuncStructInfo", parent = StructInfo)]
pub struct FuncStructInfo {
    /// Where it was written.
    pub span: Span,
    /// The parameters; absent for opaque functions.
    #[node(def)]
    pub params: Option<Array<Ref<StructInfo>>>,
    /// The result.
    pub ret: Ref<StructInfo>,
    /// Derives the result of an opaque function.
    pub derive_func: Option<Ref<EnvFunc>>,
    /// Whether calls have no effect.
    pub purity: bool,
}

impl ObjectStructInfo {
    /// Any value.
    pub fn new() -> Ref<StructInfo> {
        Ref::new(ObjectStructInfo { span: Span::current() }).upcast()
    }
}

/// Dimensions are `int64` each.
pub(super) fn check_dimensions(field: &'static str, values: &Array<Expr>) -> Checked {
    match values.iter().map(|value| value.dtype()).find(|dtype| *dtype != DataType::INT64) {
        Some(dtype) => Err(Invalid::at(field, NotADimension(dtype))),
        None => Ok(()),
    }
}

/// A rank is a count, or unknown; it is that of the dimensions where they are known.
fn check_rank(ndim: i64, dims: Option<usize>) -> Checked {
    if ndim < UNKNOWN_NDIM {
        return Err(Invalid::at("ndim", format_args!("{ndim} is no rank")));
    }
    match dims {
        Some(dims) if i64::try_from(dims) != Ok(ndim) => {
            Err(Invalid::at("ndim", format_args!("it is {ndim}, but the shape has {dims} dimensions")))
        }
        _ => Ok(()),
    }
}

impl PrimStructInfo {
    fn check(&self) -> Checked {
        match self.value.as_ref().map(|value| value.dtype()) {
            Some(found) if found != self.dtype => {
                let dtype = self.dtype;
                Err(Invalid::at("value", format_args!("it is of type `{found}`, not `{dtype}`")))
            }
            _ => Ok(()),
        }
    }

    /// A scalar of this type.
    pub fn new(dtype: DataType) -> Ref<StructInfo> {
        Ref::new(PrimStructInfo { span: Span::current(), value: None, dtype }).upcast()
    }

    /// A scalar with this value.
    pub fn of_value(value: Expr) -> Ref<StructInfo> {
        let dtype = value.dtype();
        Ref::new(PrimStructInfo { span: Span::current(), value: Some(value), dtype }).upcast()
    }
}

/// A dimension: literals become `int64`, any other expression has to be of that type.
pub fn dimension(value: Expr) -> Result<Expr, NotADimension> {
    if value.dtype() == DataType::INT64 {
        return Ok(value);
    }
    match value.as_node::<IntImm>() {
        Some(literal) => Ok(IntImm::int64(literal.value)),
        None => Err(NotADimension(value.dtype())),
    }
}

/// A dimension of another type than `int64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a dimension is of type `int64`, not `{0}`")]
pub struct NotADimension(pub DataType);

impl ShapeStructInfo {
    fn check(&self) -> Checked {
        self.values.as_ref().map_or(Ok(()), |values| check_dimensions("values", values))?;
        check_rank(self.ndim, self.values.as_ref().map(Array::len))
    }

    /// A shape with these dimensions.
    ///
    /// # Errors
    /// When one is not `int64` and no literal.
    pub fn try_of(values: impl IntoIterator<Item = Expr>) -> Result<Ref<StructInfo>, NotADimension> {
        Ok(ShapeStructInfo::of(values.into_iter().map(dimension).collect::<Result<_, _>>()?))
    }

    /// A shape with these dimensions, `int64` each.
    pub(crate) fn of(values: Array<Expr>) -> Ref<StructInfo> {
        let ndim = values.len() as i64;
        Ref::new(ShapeStructInfo { span: Span::current(), values: Some(values), ndim }).upcast()
    }

    /// A shape of which the rank is known, or nothing ([`UNKNOWN_NDIM`]).
    pub fn of_rank(ndim: i64) -> Ref<StructInfo> {
        Ref::new(ShapeStructInfo { span: Span::current(), values: None, ndim }).upcast()
    }
}

impl TensorStructInfo {
    fn check(&self) -> Checked {
        if self.shape.as_ref().is_some_and(|shape| !shape.is::<ShapeExpr>() && !shape.is::<Var>()) {
            return Err(Invalid::at("shape", "it is neither a shape nor a variable"));
        }
        check_rank(self.ndim, self.dims().map(Array::len))
    }

    /// A tensor of which the rank is known, or nothing ([`UNKNOWN_NDIM`]).
    pub fn of_rank(ndim: i64, dtype: DataType, vdevice: Option<Ref<VDevice>>) -> Ref<TensorStructInfo> {
        Ref::new(TensorStructInfo { span: Span::current(), shape: None, dtype, vdevice, ndim })
    }

    /// A tensor of this shape.
    pub fn of_shape(
        shape: Ref<ShapeExpr>,
        dtype: DataType,
        vdevice: Option<Ref<VDevice>>,
    ) -> Ref<TensorStructInfo> {
        let ndim = shape.values.len() as i64;
        Ref::new(TensorStructInfo {
            span: Span::current(),
            shape: Some(shape.upcast()),
            dtype,
            vdevice,
            ndim,
        })
    }

    /// A tensor whose shape a variable holds. None where the variable holds no shape.
    pub fn of_var(
        shape: Ref<Var>,
        dtype: DataType,
        vdevice: Option<Ref<VDevice>>,
    ) -> Option<Ref<TensorStructInfo>> {
        let ndim = shape.struct_info_.as_ref()?.as_node::<ShapeStructInfo>()?.ndim;
        let shape = Some(shape.upcast());
        Some(Ref::new(TensorStructInfo { span: Span::current(), shape, dtype, vdevice, ndim }))
    }

    /// The dimensions, where they are known one by one.
    pub fn dims(&self) -> Option<&Array<Expr>> {
        self.shape.as_ref()?.as_node::<ShapeExpr>().map(|shape| &shape.values)
    }

    /// The dimensions, where they are known one by one: written out, or those of the shape that a variable holds.
    pub fn known_dims(&self) -> Option<Array<Expr>> {
        match self.dims() {
            Some(dims) => Some(dims.clone()),
            None => {
                let shape = self.shape.as_ref()?.as_node::<Var>()?.struct_info_.as_ref()?;
                shape.as_node::<ShapeStructInfo>()?.values.clone()
            }
        }
    }

    /// A tensor with elements of the same type, on the same device, with these dimensions (`int64` each).
    pub(crate) fn reshaped(&self, dims: impl IntoIterator<Item = Expr>) -> Ref<StructInfo> {
        let shape = ShapeExpr::of(dims.into_iter().collect());
        TensorStructInfo::of_shape(shape, self.dtype, self.vdevice.clone()).upcast()
    }

    /// A tensor with elements of the same type, on the same device, of this rank.
    pub fn reranked(&self, ndim: i64) -> Ref<StructInfo> {
        TensorStructInfo::of_rank(ndim, self.dtype, self.vdevice.clone()).upcast()
    }

    /// Whether the element type is unknown.
    pub fn is_unknown_dtype(&self) -> bool {
        self.dtype.is_void()
    }

    /// Whether the rank is unknown.
    pub fn is_unknown_ndim(&self) -> bool {
        self.ndim == UNKNOWN_NDIM
    }
}

impl TupleStructInfo {
    /// A tuple of these parts.
    pub fn new(fields: impl IntoIterator<Item = Ref<StructInfo>>) -> Ref<StructInfo> {
        Ref::new(TupleStructInfo { span: Span::current(), fields: fields.into_iter().collect() }).upcast()
    }

    /// The empty tuple: no value.
    pub fn void() -> Ref<StructInfo> {
        TupleStructInfo::new([])
    }
}

impl FuncStructInfo {
    /// A function with these parameters.
    pub fn new(params: Array<Ref<StructInfo>>, ret: Ref<StructInfo>, purity: bool) -> Ref<FuncStructInfo> {
        Ref::new(FuncStructInfo {
            span: Span::current(),
            params: Some(params),
            ret,
            derive_func: None,
            purity,
        })
    }

    /// A function of which the parameters are not known.
    pub fn opaque(ret: Ref<StructInfo>, purity: bool) -> Ref<FuncStructInfo> {
        Ref::new(FuncStructInfo { span: Span::current(), params: None, ret, derive_func: None, purity })
    }
}
