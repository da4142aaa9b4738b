//! Type inference of operators: the view of a call, and errors.

use hashbrown::HashSet;
use tvmscript_arith::Analyzer;
use tvmscript_ir::VDevice;
use tvmscript_ir_core::{Array, DataType, Node, PtrMap, Ref, Span};
use tvmscript_prim::{self as prim, IntImm, ops};

use super::layout::LayoutError;
use crate::node::*;

/// A failed type inference.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}{kind}", operator.map_or_else(String::new, |operator| format!("`R.{operator}`: ")))]
pub struct InferError {
    /// Name of the operator in text.
    pub operator: Option<&'static str>,
    /// Cause.
    pub kind: InferErrorKind,
    /// Index of the invalid operand, from 0.
    pub argument: Option<usize>,
}

/// Cause of a failed type inference.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InferErrorKind {
    /// The operator does not exist.
    #[error("unknown operator `{name}`")]
    Unknown {
        /// Name.
        name: String,
    },
    /// Wrong number of operands.
    #[error("expected {expected} operands, found {found}")]
    Count {
        /// Number of parameters.
        expected: usize,
        /// Found.
        found: usize,
    },
    /// An operand of the wrong kind.
    #[error("expected {expected}, found `{found}`")]
    Kind {
        /// Parameters.
        expected: &'static str,
        /// Found.
        found: String,
    },
    /// An operand of the wrong element type.
    #[error("expected {expected}, found `{found}`")]
    Dtype {
        /// Parameters.
        expected: String,
        /// Found.
        found: DataType,
    },
    /// An operand of the wrong rank.
    #[error("expected a tensor of {expected}, found rank {found}")]
    Rank {
        /// Parameters.
        expected: String,
        /// Found.
        found: i64,
    },
    /// More dimensions than supported.
    #[error("expected at most {} dimensions, found {ndim}", MAX_NDIM)]
    Dimensions {
        /// Number of dimensions.
        ndim: i64,
    },
    /// An axis that does not exist.
    #[error("axis {axis} is out of range for a tensor of rank {ndim}")]
    Axis {
        /// Axis.
        axis: i64,
        /// Rank.
        ndim: i64,
    },
    /// A repeated axis.
    #[error("axis {axis} is repeated")]
    RepeatedAxis {
        /// Axis.
        axis: i64,
    },
    /// Incompatible shapes.
    #[error("{what}")]
    Shape {
        /// Description.
        what: String,
    },
    /// An invalid attribute.
    #[error("`{attribute}` {what}")]
    Attribute {
        /// Attribute.
        attribute: &'static str,
        /// Description.
        what: String,
    },
    /// A layout with other axes than the operator has.
    #[error("`{attribute}`: {error}")]
    Layout {
        /// Attribute.
        attribute: &'static str,
        /// The violation.
        error: LayoutError,
    },
    /// The result cannot be placed on the mesh.
    #[error("{error}")]
    Mesh {
        /// Message of the inference error.
        error: MeshError,
    },
    /// A dimension of the result cannot be computed.
    #[error(transparent)]
    Scalar(#[from] prim::PrimError),
    /// A dimension of the result is not `int64`.
    #[error(transparent)]
    Dimension(#[from] NotADimension),
}

type Result<T> = std::result::Result<T, InferError>;

impl InferErrorKind {
    /// Locates the error at an operand.
    pub fn at(self, argument: usize) -> InferError {
        InferError { operator: None, kind: self, argument: Some(argument) }
    }
}

impl InferError {
    /// Returns the parameter of the script function that an error without operand refers to.
    pub fn parameter(&self, names: &[&'static str]) -> Option<&'static str> {
        let is_named = |wanted: &str| names.iter().find(|name| **name == wanted).copied();
        match &self.kind {
            InferErrorKind::Attribute { attribute, .. } | InferErrorKind::Layout { attribute, .. } => {
                is_named(attribute)
            }
            InferErrorKind::Axis { .. } | InferErrorKind::RepeatedAxis { .. } => {
                is_named("axis").or_else(|| is_named("axes"))
            }
            _ => None,
        }
    }
}

/// Maximum rank of an operand: results may need memory per dimension, even if only the rank is known.
pub const MAX_NDIM: i64 = 1 << 16;

/// Checks the rank of an operand against [`MAX_NDIM`].
fn check_rank(info: &Ref<StructInfo>, index: usize) -> Result<()> {
    let ndim = if let Some(tensor) = info.as_node::<TensorStructInfo>() {
        tensor.ndim
    } else if let Some(shape) = info.as_node::<ShapeStructInfo>() {
        shape.ndim
    } else if let Some(spread) = info.as_node::<DTensorStructInfo>() {
        spread.tensor_sinfo.ndim
    } else {
        return Ok(());
    };
    match (UNKNOWN_NDIM..=MAX_NDIM).contains(&ndim) {
        true => Ok(()),
        false => Err(InferErrorKind::Dimensions { ndim }.at(index)),
    }
}

impl From<InferErrorKind> for InferError {
    fn from(kind: InferErrorKind) -> InferError {
        InferError { operator: None, kind, argument: None }
    }
}

impl From<prim::PrimError> for InferError {
    fn from(error: prim::PrimError) -> InferError {
        InferErrorKind::from(error).into()
    }
}

impl From<NotADimension> for InferError {
    fn from(error: NotADimension) -> InferError {
        InferErrorKind::from(error).into()
    }
}

impl InferError {
    /// An unknown operator.
    pub fn unknown(name: &str) -> InferError {
        InferErrorKind::Unknown { name: name.to_owned() }.into()
    }
}

/// A call whose result is inferred. Its operands are in normal form and have struct info.
#[derive(Debug)]
pub struct Infer<'a> {
    /// Call.
    pub call: &'a Call,
    /// Proofs about dimensions.
    pub analyzer: &'a mut Analyzer,
    /// Values of variables.
    bound: Option<&'a PtrMap<Expr>>,
    /// `true` to see the whole tensors of distributed operands.
    whole_tensors: bool,
}

impl<'a> Infer<'a> {
    /// Creates the view of a call.
    pub fn new(call: &'a Call, analyzer: &'a mut Analyzer) -> Infer<'a> {
        Infer { call, analyzer, bound: None, whole_tensors: false }
    }

    /// Adds the values of variables.
    #[must_use]
    pub fn with_bound(self, bound: &'a PtrMap<Expr>) -> Infer<'a> {
        Infer { bound: Some(bound), ..self }
    }

    /// Sees the whole tensors of distributed operands.
    #[must_use]
    pub(crate) fn of_whole_tensors(self) -> Infer<'a> {
        Infer { whole_tensors: true, ..self }
    }

    /// Infers the result from the distributed operands themselves.
    pub(super) fn unchanged(&mut self, operator: &super::Operator) -> Result<Ref<StructInfo>> {
        self.whole_tensors = false;
        (operator.infer)(self)
    }

    /// Follows the bindings of a variable to its value.
    pub(crate) fn bound_value<'b>(&'b self, operand: &'b Expr) -> &'b Expr {
        let mut value = operand;
        while value.is::<Var>()
            && let Some(next) = self.bound.and_then(|bound| bound.get(value.object()))
        {
            value = next;
        }
        value
    }

    /// Returns the number of operands.
    pub(crate) fn arg_count(&self) -> usize {
        self.call.args.len()
    }

    /// Returns the attributes of the call.
    pub(crate) fn attrs<T: Node>(&self) -> Result<&'a T> {
        self.call.attrs.as_ref().and_then(|attrs| attrs.as_node::<T>()).ok_or_else(|| {
            let what = format!("must be of class `{}`", T::type_info().key());
            InferErrorKind::Attribute { attribute: "attrs", what }.into()
        })
    }

    /// Returns an operand.
    pub(crate) fn arg(&self, index: usize) -> Result<&'a Expr> {
        self.call.args.get(index).ok_or_else(|| {
            let found = self.call.args.len();
            InferErrorKind::Count { expected: index + 1, found }.into()
        })
    }

    /// Returns the struct info of an operand.
    pub(crate) fn info(&self, index: usize) -> Result<Ref<StructInfo>> {
        let info = struct_info_of(self.arg(index)?).unwrap_or_else(ObjectStructInfo::new);
        check_rank(&info, index)?;
        Ok(match info.as_node::<DTensorStructInfo>().filter(|_| self.whole_tensors) {
            Some(spread) => spread.tensor_sinfo.clone().upcast(),
            None => info,
        })
    }

    /// Checks the number of operands.
    pub(crate) fn expect_args(&self, expected: usize) -> Result<()> {
        match self.call.args.len() {
            found if found != expected => Err(InferErrorKind::Count { expected, found }.into()),
            _ => Ok(()),
        }
    }

    /// Creates the error for an operand of the wrong kind.
    pub(crate) fn wrong_kind(&self, index: usize, expected: &'static str) -> InferError {
        let found =
            self.info(index).map(|info| crate::describe::struct_info(&info).to_string()).unwrap_or_default();
        InferErrorKind::Kind { expected, found }.at(index)
    }

    /// Creates the error for an operand of the wrong rank.
    pub(crate) fn wrong_rank(&self, index: usize, expected: impl Into<String>, found: i64) -> InferError {
        InferErrorKind::Rank { expected: expected.into(), found }.at(index)
    }

    /// Creates the error for incompatible shapes.
    pub(crate) fn wrong_shape(&self, what: impl Into<String>) -> InferError {
        InferErrorKind::Shape { what: what.into() }.into()
    }

    /// Like [`wrong_shape`](Self::wrong_shape), located at an operand.
    pub(crate) fn wrong_shape_at(&self, index: usize, what: impl Into<String>) -> InferError {
        InferErrorKind::Shape { what: what.into() }.at(index)
    }

    /// Creates the error for an operand of the wrong element type.
    pub(crate) fn wrong_dtype(
        &self,
        index: usize,
        expected: impl Into<String>,
        found: DataType,
    ) -> InferError {
        InferErrorKind::Dtype { expected: expected.into(), found }.at(index)
    }

    /// Creates the error for an invalid attribute; the message continues its name.
    pub(crate) fn wrong_attribute(&self, attribute: &'static str, what: impl Into<String>) -> InferError {
        InferErrorKind::Attribute { attribute, what: what.into() }.into()
    }

    /// Checks that an attribute is positive.
    pub(crate) fn expect_positive(&self, attribute: &'static str, value: i64) -> Result<()> {
        match value {
            1.. => Ok(()),
            found => Err(self.wrong_attribute(attribute, format!("must be positive, found {found}"))),
        }
    }

    /// Returns an operand that is a tensor.
    pub(crate) fn tensor(&self, index: usize) -> Result<Ref<TensorStructInfo>> {
        let info = self.info(index)?;
        info.downcast().map_err(|_| self.wrong_kind(index, "a tensor"))
    }

    /// Returns all operands, `N` tensors.
    pub(crate) fn tensors<const N: usize>(&self) -> Result<[Ref<TensorStructInfo>; N]> {
        self.expect_args(N)?;
        let mut failed = None;
        let tensors: Vec<_> = (0..N)
            .filter_map(|i| match self.tensor(i) {
                Ok(tensor) => Some(tensor),
                Err(error) => {
                    failed.get_or_insert(error);
                    None
                }
            })
            .collect();
        match <[Ref<TensorStructInfo>; N]>::try_from(tensors) {
            Ok(tensors) => Ok(tensors),
            Err(_) => Err(failed.unwrap_or_else(|| self.wrong_shape("the operands must be tensors"))),
        }
    }

    /// Returns the tensors of an operand that is a tuple.
    pub(crate) fn tensors_of_tuple(&self, index: usize) -> Result<Vec<Ref<TensorStructInfo>>> {
        let info = self.info(index)?;
        for field in info.as_node::<TupleStructInfo>().iter().flat_map(|tuple| tuple.fields.iter()) {
            check_rank(field, index)?;
        }
        let tensors = info
            .as_node::<TupleStructInfo>()
            .and_then(|tuple| tuple.fields.iter().map(|field| field.clone().downcast().ok()).collect());
        tensors.ok_or_else(|| self.wrong_kind(index, "a tuple of tensors"))
    }

    /// Returns an operand that is a shape.
    pub(crate) fn shape(&self, index: usize) -> Result<Ref<ShapeStructInfo>> {
        let info = self.info(index)?;
        info.downcast().map_err(|_| self.wrong_kind(index, "a shape"))
    }

    /// Returns the value of an operand that is a scalar, if it is known.
    pub(crate) fn scalar(&self, index: usize) -> Result<Option<prim::Expr>> {
        let info = self.info(index)?;
        match info.as_node::<PrimStructInfo>() {
            Some(prim) => Ok(prim.value.clone()),
            None => Err(self.wrong_kind(index, "a scalar")),
        }
    }

    /// Returns the value of an operand that is a scalar literal, `R.prim_value(n)`, or a variable that holds a scalar.
    pub(crate) fn prim_value(&self, index: usize) -> Result<prim::Expr> {
        let operand = self.arg(index)?;
        let literal = operand.as_node::<PrimValue>().map(|literal| literal.value.clone());
        match literal.or_else(|| operand.downcast_ref::<Var>().and_then(ScalarUse::of)) {
            Some(value) => Ok(value),
            None => Err(self.wrong_kind(index, "`R.prim_value(..)`")),
        }
    }

    /// Checks the rank of a tensor, if it is known.
    pub(crate) fn expect_rank(&self, index: usize, tensor: &TensorStructInfo, rank: i64) -> Result<()> {
        if tensor.is_unknown_ndim() || tensor.ndim == rank {
            return Ok(());
        }
        Err(self.wrong_rank(index, format!("rank {rank}"), tensor.ndim))
    }

    /// Checks that the elements are integers, if their type is known.
    pub(crate) fn expect_integers(&self, index: usize, tensor: &TensorStructInfo) -> Result<()> {
        if tensor.is_unknown_dtype() || tensor.dtype.is_int() || tensor.dtype.is_uint() {
            return Ok(());
        }
        Err(self.wrong_dtype(index, "a tensor of integers", tensor.dtype))
    }

    /// Returns `true` if two dimensions provably differ.
    pub(crate) fn differ(&mut self, a: &prim::Expr, b: &prim::Expr) -> Result<bool> {
        Ok(match (a.as_node::<IntImm>(), b.as_node::<IntImm>()) {
            (Some(a), Some(b)) => a.value != b.value,
            _ => !a.ptr_eq(b) && self.analyzer.can_prove(&ops::ne(a.clone(), b.clone())?),
        })
    }

    /// Returns `true` if a dimension is provably not a multiple of another.
    pub(crate) fn is_no_multiple(&mut self, dim: &prim::Expr, of: &prim::Expr) -> Result<bool> {
        let rest = ops::floormod(dim.clone(), of.clone())?;
        self.differ(&rest, &IntImm::int64(0))
    }

    /// Resolves an axis that may be negative.
    pub(crate) fn axis(&self, axis: i64, ndim: i64) -> Result<usize> {
        let from_first = if axis < 0 { axis.checked_add(ndim) } else { Some(axis) };
        match from_first.filter(|axis| (0..ndim).contains(axis)) {
            Some(axis) => Ok(axis as usize),
            None => Err(InferErrorKind::Axis { axis, ndim }.into()),
        }
    }

    /// Resolves axes that may be negative.
    pub(crate) fn axes(&self, axes: &Array<Ref<IntImm>>, ndim: i64) -> Result<Vec<usize>> {
        let mut found = Vec::with_capacity(axes.len());
        let mut visited = HashSet::with_capacity(axes.len());
        for axis in axes.iter() {
            let index = self.axis(axis.value, ndim)?;
            if !visited.insert(index) {
                return Err(InferErrorKind::RepeatedAxis { axis: axis.value }.into());
            }
            found.push(index);
        }
        Ok(found)
    }
}

/// A tensor with these dimensions.
pub(crate) fn tensor_of(
    dims: impl IntoIterator<Item = prim::Expr>,
    dtype: DataType,
    vdevice: Option<Ref<VDevice>>,
) -> Ref<StructInfo> {
    TensorStructInfo::of_shape(ShapeExpr::of(dims.into_iter().collect()), dtype, vdevice).upcast()
}

/// The dimension of an axis, such as [`Infer::axis`] finds in the rank of the same tensor.
#[expect(clippy::indexing_slicing, reason = "the axis was compared with the rank")]
pub(crate) fn dim_mut(dims: &mut [prim::Expr], axis: usize) -> &mut prim::Expr {
    &mut dims[axis]
}

/// A tensor of known or unknown rank.
pub(crate) fn tensor_of_rank(ndim: i64, dtype: DataType, vdevice: Option<Ref<VDevice>>) -> Ref<StructInfo> {
    TensorStructInfo::of_rank(ndim, dtype, vdevice).upcast()
}

/// A tensor with these dimensions, or of this rank if they are not known.
pub(crate) fn tensor_with(
    dims: Option<impl IntoIterator<Item = prim::Expr>>,
    ndim: i64,
    dtype: DataType,
    vdevice: Option<Ref<VDevice>>,
) -> Ref<StructInfo> {
    match dims {
        Some(dims) => tensor_of(dims, dtype, vdevice),
        None => tensor_of_rank(ndim, dtype, vdevice),
    }
}

/// The first device of the tensors; `None` if another one is bound to a different device.
pub(crate) fn shared_device<'a>(
    tensors: impl IntoIterator<Item = &'a Ref<TensorStructInfo>>,
) -> Option<Ref<VDevice>> {
    let mut devices = tensors.into_iter().filter_map(|tensor| tensor.vdevice.as_ref());
    let first = devices.next()?;
    devices.all(|device| device.target.is_none() || device.ptr_eq(first)).then(|| first.clone())
}

/// The product of dimensions, folded for literals.
///
/// # Source
/// `ComputeShapeProduct`, `src/relax/op/tensor/manipulate.cc`.
pub(crate) fn product<'a>(
    dims: impl IntoIterator<Item = &'a prim::Expr>,
) -> std::result::Result<prim::Expr, prim::PrimError> {
    dims.into_iter().try_fold(prim::IntImm::int64(1), |product, dim| prim::ops::mul(product, dim.clone()))
}

/// A tensor whose shape is an operand, a shape or a variable.
pub(crate) fn tensor_of_operand(
    cx: &Infer<'_>,
    index: usize,
    dtype: DataType,
    vdevice: Option<Ref<VDevice>>,
) -> Result<Ref<StructInfo>> {
    let ndim = cx.shape(index)?.ndim;
    let shape = cx.arg(index)?.clone().downcast().map_err(|_| cx.wrong_kind(index, "a shape"))?;
    Ok(Ref::new(TensorStructInfo { span: Span::current(), shape: Some(shape), dtype, vdevice, ndim })
        .upcast())
}

/// A tensor with these dimensions; literals of other types become `int64`.
pub(crate) fn tensor_of_scalars(
    dims: impl IntoIterator<Item = prim::Expr>,
    dtype: DataType,
    vdevice: Option<Ref<VDevice>>,
) -> Result<Ref<StructInfo>> {
    Ok(TensorStructInfo::of_shape(ShapeExpr::try_new(dims)?, dtype, vdevice).upcast())
}
