//! Struct info: the static type of a value, with its shape.
//!
//! Invariants: dimensions are `int64`; the rank is known if the shape is.

use tvmscript_ir::{EnvFunc, RelaxExpr, VDevice};
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::mutate::post_order_mutate;
use tvmscript_ir_core::{Array, Class, DataType, Node, Object, ObjectLike as _, Ref, Span, any_node};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Type};

use super::{ScalarUse, ShapeExpr, Var};

/// An unknown rank.
pub const UNKNOWN_NDIM: i64 = -1;

/// The static type of a value (`ir.StructInfo`).
#[derive(Class)]
#[class(key = "ir.StructInfo", parent = Type)]
pub struct StructInfo(());

/// Any value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.ObjectStructInfo", parent = StructInfo)]
pub struct ObjectStructInfo {
    /// Source span.
    pub span: Span,
}

/// A scalar expression.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.PrimStructInfo", parent = StructInfo, check = PrimStructInfo::check)]
pub struct PrimStructInfo {
    /// Source span.
    pub span: Span,
    /// Value, if known.
    pub value: Option<Expr>,
    /// Type of the value.
    pub dtype: DataType,
}

/// A shape.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.ShapeStructInfo", parent = StructInfo, check = ShapeStructInfo::check)]
pub struct ShapeStructInfo {
    /// Source span.
    pub span: Span,
    /// Dimensions, if known.
    pub values: Option<Array<Expr>>,
    /// Rank; -1 if unknown.
    pub ndim: i64,
}

/// A tensor.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.TensorStructInfo", parent = StructInfo, check = TensorStructInfo::check)]
pub struct TensorStructInfo {
    /// Source span.
    pub span: Span,
    /// A [`ShapeExpr`], or a variable that holds a shape; `None` if unknown.
    pub shape: Option<Ref<RelaxExpr>>,
    /// Element type; void if unknown.
    pub dtype: DataType,
    /// Device, if bound.
    pub vdevice: Option<Ref<VDevice>>,
    /// Rank; -1 if unknown.
    pub ndim: i64,
}

/// A tuple; the empty one is void.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.TupleStructInfo", parent = StructInfo)]
pub struct TupleStructInfo {
    /// Source span.
    pub span: Span,
    /// Fields.
    pub fields: Array<Ref<StructInfo>>,
}

/// A function.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.FuncStructInfo", parent = StructInfo)]
pub struct FuncStructInfo {
    /// Source span.
    pub span: Span,
    /// Parameters; `None` for opaque functions.
    #[node(def)]
    pub params: Option<Array<Ref<StructInfo>>>,
    /// Result.
    pub ret: Ref<StructInfo>,
    /// Function that derives the result of an opaque function.
    pub derive_func: Option<Ref<EnvFunc>>,
    /// `true` if calls have no effect.
    pub purity: bool,
}

impl ObjectStructInfo {
    /// Any value.
    pub fn new() -> Ref<StructInfo> {
        Ref::new(ObjectStructInfo { span: Span::current() }).upcast()
    }
}

/// Checks that dimensions are `int64`.
pub(super) fn check_dimensions(field: &'static str, values: &Array<Expr>) -> Checked {
    match values.iter().map(|value| value.dtype()).find(|dtype| *dtype != DataType::INT64) {
        Some(dtype) => Err(Invalid::at(field, NotADimension(dtype))),
        None => Ok(()),
    }
}

/// Checks that the rank is valid and matches the dimensions.
fn check_rank(ndim: i64, dims: Option<usize>) -> Checked {
    if ndim < UNKNOWN_NDIM {
        return Err(Invalid::at("ndim", format_args!("{ndim} is not a rank")));
    }
    match dims {
        Some(dims) if i64::try_from(dims) != Ok(ndim) => Err(Invalid::at(
            "ndim",
            format_args!("expected {dims}, the number of dimensions of the shape, found {ndim}"),
        )),
        _ => Ok(()),
    }
}

impl PrimStructInfo {
    fn check(&self) -> Checked {
        match self.value.as_ref().map(|value| value.dtype()) {
            Some(found) if found != self.dtype => {
                let dtype = self.dtype;
                Err(Invalid::at("value", format_args!("expected type `{dtype}`, found `{found}`")))
            }
            _ => Ok(()),
        }
    }

    /// Creates a scalar of this type.
    pub fn new(dtype: DataType) -> Ref<StructInfo> {
        Ref::new(PrimStructInfo { span: Span::current(), value: None, dtype }).upcast()
    }

    /// Creates a scalar with this value. A value that uses variables of Relax is not known: types would tell the values
    /// of all variables that it comes from.
    pub fn of_value(value: Expr) -> Ref<StructInfo> {
        let dtype = value.dtype();
        if any_node(&value, |node| node.is::<ScalarUse>()) {
            return PrimStructInfo::new(dtype);
        }
        Ref::new(PrimStructInfo { span: Span::current(), value: Some(value), dtype }).upcast()
    }
}

/// Converts a dimension: literals become `int64`, any other expression must be `int64`.
pub fn dimension(value: Expr) -> Result<Expr, NotADimension> {
    if value.dtype() == DataType::INT64 {
        return Ok(value);
    }
    match value.as_node::<IntImm>() {
        Some(literal) => Ok(IntImm::int64(literal.value)),
        None => Err(NotADimension(value.dtype())),
    }
}

/// A dimension that is not `int64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a dimension must be `int64`, found `{0}`")]
pub struct NotADimension(pub DataType);

impl ShapeStructInfo {
    fn check(&self) -> Checked {
        self.values.as_ref().map_or(Ok(()), |values| check_dimensions("values", values))?;
        check_rank(self.ndim, self.values.as_ref().map(Array::len))
    }

    /// Creates a shape. Literals of other types become `int64`.
    ///
    /// # Errors
    /// Fails for a dimension that is neither `int64` nor a literal.
    pub fn try_of(values: impl IntoIterator<Item = Expr>) -> Result<Ref<StructInfo>, NotADimension> {
        Ok(ShapeStructInfo::of(values.into_iter().map(dimension).collect::<Result<_, _>>()?))
    }

    /// Creates a shape from dimensions of `int64`.
    pub(crate) fn of(values: Array<Expr>) -> Ref<StructInfo> {
        let ndim = values.len() as i64;
        Ref::new(ShapeStructInfo { span: Span::current(), values: Some(values), ndim }).upcast()
    }

    /// Creates a shape of known or unknown ([`UNKNOWN_NDIM`]) rank.
    pub fn of_rank(ndim: i64) -> Ref<StructInfo> {
        Ref::new(ShapeStructInfo { span: Span::current(), values: None, ndim }).upcast()
    }
}

impl TensorStructInfo {
    fn check(&self) -> Checked {
        if self.shape.as_ref().is_some_and(|shape| !shape.is::<ShapeExpr>() && !shape.is::<Var>()) {
            return Err(Invalid::at("shape", "expected a shape or a variable"));
        }
        check_rank(self.ndim, self.dims().map(Array::len))
    }

    /// Creates a tensor of known or unknown ([`UNKNOWN_NDIM`]) rank.
    pub fn of_rank(ndim: i64, dtype: DataType, vdevice: Option<Ref<VDevice>>) -> Ref<TensorStructInfo> {
        Ref::new(TensorStructInfo { span: Span::current(), shape: None, dtype, vdevice, ndim })
    }

    /// Creates a tensor of this shape.
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

    /// Creates a tensor whose shape is a variable; `None` if the variable holds no shape.
    pub fn of_var(
        shape: Ref<Var>,
        dtype: DataType,
        vdevice: Option<Ref<VDevice>>,
    ) -> Option<Ref<TensorStructInfo>> {
        let ndim = shape.struct_info_.as_ref()?.as_node::<ShapeStructInfo>()?.ndim;
        let shape = Some(shape.upcast());
        Some(Ref::new(TensorStructInfo { span: Span::current(), shape, dtype, vdevice, ndim }))
    }

    /// Returns the dimensions, if the shape is a [`ShapeExpr`].
    pub fn dims(&self) -> Option<&Array<Expr>> {
        self.shape.as_ref()?.as_node::<ShapeExpr>().map(|shape| &shape.values)
    }

    /// Returns the dimensions, including those of a shape variable.
    pub fn known_dims(&self) -> Option<Array<Expr>> {
        if let Some(dims) = self.dims() {
            return Some(dims.clone());
        }
        let info = self.shape.as_ref()?.as_node::<Var>()?.struct_info_.as_ref()?;
        // The shape of the variable may contradict the rank where neither was built here.
        let dims = info.as_node::<ShapeStructInfo>()?.values.clone()?;
        (i64::try_from(dims.len()) == Ok(self.ndim)).then_some(dims)
    }

    /// A tensor with the same element type and device, and these dimensions of `int64`.
    pub(crate) fn reshaped(&self, dims: impl IntoIterator<Item = Expr>) -> Ref<StructInfo> {
        let shape = ShapeExpr::of(dims.into_iter().collect());
        TensorStructInfo::of_shape(shape, self.dtype, self.vdevice.clone()).upcast()
    }

    /// A tensor with the same element type and device, and this rank.
    pub fn reranked(&self, ndim: i64) -> Ref<StructInfo> {
        TensorStructInfo::of_rank(ndim, self.dtype, self.vdevice.clone()).upcast()
    }

    /// Returns `true` if the element type is unknown.
    pub fn is_unknown_dtype(&self) -> bool {
        self.dtype.is_void()
    }

    /// Returns `true` if the rank is unknown.
    pub fn is_unknown_ndim(&self) -> bool {
        self.ndim == UNKNOWN_NDIM
    }
}

impl TupleStructInfo {
    /// Creates a tuple.
    pub fn new(fields: impl IntoIterator<Item = Ref<StructInfo>>) -> Ref<StructInfo> {
        Ref::new(TupleStructInfo { span: Span::current(), fields: fields.into_iter().collect() }).upcast()
    }

    /// Creates the empty tuple: no value.
    pub fn void() -> Ref<StructInfo> {
        TupleStructInfo::new([])
    }
}

impl FuncStructInfo {
    /// Creates a function with these parameters.
    pub fn new(params: Array<Ref<StructInfo>>, ret: Ref<StructInfo>, purity: bool) -> Ref<FuncStructInfo> {
        Ref::new(FuncStructInfo {
            span: Span::current(),
            params: Some(params),
            ret,
            derive_func: None,
            purity,
        })
    }

    /// Creates a function with unknown parameters.
    pub fn opaque(ret: Ref<StructInfo>, purity: bool) -> Ref<FuncStructInfo> {
        Ref::new(FuncStructInfo { span: Span::current(), params: None, ret, derive_func: None, purity })
    }
}

/// The struct info with scalars of which only the types are known, as in TVM from 0.27.
pub(crate) fn without_values(info: &Ref<StructInfo>) -> Ref<StructInfo> {
    if !any_node(info, |node| node.is::<PrimStructInfo>()) {
        return info.clone();
    }
    let unvalued = |node: &Object| {
        let scalar = node.as_node::<PrimStructInfo>().filter(|scalar| scalar.value.is_some())?;
        Some(Ref::new(PrimStructInfo { value: None, ..scalar.clone() }).into_object())
    };
    // A scalar without a value satisfies its invariants.
    post_order_mutate(info.clone(), unvalued).unwrap_or_else(|_| info.clone())
}
