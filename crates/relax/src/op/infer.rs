//! What a rule of inference sees of a call, and what it says when the operands do not fit.

use hashbrown::HashSet;
use tvmscript_arith::Analyzer;
use tvmscript_ir::VDevice;
use tvmscript_ir_core::{Array, DataType, Node, PtrMap, Ref, Span};
use tvmscript_prim::{self as prim, IntImm, ops};

use super::layout::LayoutError;
use crate::node::*;

/// Why operands do not fit an operator.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct InferError {
    /// What is wrong.
    pub kind: InferErrorKind,
    /// The operand that is, from 0.
    pub argument: Option<usize>,
}

/// What is wrong with operands: one variant, one cause.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InferErrorKind {
    /// Nobody declared the operator.
    #[error("the operator `{name}` is not known")]
    Unknown {
        /// Its name.
        name: String,
    },
    /// There are too many operands or too few.
    #[error("`{op}` takes {expected} operands, not {found}")]
    Count {
        /// The operator.
        op: String,
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An operand is of another kind.
    #[error("`{op}` takes {expected} here, not `{found}`")]
    Kind {
        /// The operator.
        op: String,
        /// What it takes.
        expected: &'static str,
        /// What there is.
        found: String,
    },
    /// The element type does not fit.
    #[error("`{op}` takes {expected} here, not `{found}`")]
    Dtype {
        /// The operator.
        op: String,
        /// What it takes.
        expected: String,
        /// What there is.
        found: DataType,
    },
    /// The rank does not fit.
    #[error("`{op}` takes a tensor of {expected} here, not one of rank {found}")]
    Rank {
        /// The operator.
        op: String,
        /// What it takes.
        expected: String,
        /// What there is.
        found: i64,
    },
    /// A number of dimensions that no tensor or shape has.
    #[error("{ndim} dimensions are not supported: there are at most {}", MAX_NDIM)]
    Dimensions {
        /// The number.
        ndim: i64,
    },
    /// An axis does not exist.
    #[error("axis {axis} is out of range for a tensor of rank {ndim}")]
    Axis {
        /// The axis.
        axis: i64,
        /// The rank.
        ndim: i64,
    },
    /// An axis is given twice.
    #[error("axis {axis} is given twice")]
    RepeatedAxis {
        /// The axis.
        axis: i64,
    },
    /// Shapes do not fit each other.
    #[error("`{op}`: {what}")]
    Shape {
        /// The operator.
        op: String,
        /// In words.
        what: String,
    },
    /// An attribute does not fit.
    #[error("`{op}`: `{attribute}` {what}")]
    Attribute {
        /// The operator.
        op: String,
        /// The attribute.
        attribute: &'static str,
        /// In words.
        what: String,
    },
    /// A layout does not name the axes of the operator.
    #[error("`{op}`: `{attribute}`: {error}")]
    Layout {
        /// The operator.
        op: String,
        /// The attribute.
        attribute: &'static str,
        /// What is wrong.
        error: LayoutError,
    },
    /// The result cannot lie on the mesh as it would.
    #[error("`{op}`: {error}")]
    Mesh {
        /// The operator.
        op: String,
        /// Why.
        error: MeshError,
    },
    /// A scalar of the result cannot be computed.
    #[error(transparent)]
    Scalar(#[from] prim::PrimError),
    /// A dimension of the result is none.
    #[error(transparent)]
    Dimension(#[from] NotADimension),
}

type Result<T> = std::result::Result<T, InferError>;

impl InferErrorKind {
    /// The error, at an operand.
    pub fn at(self, argument: usize) -> InferError {
        InferError { kind: self, argument: Some(argument) }
    }
}

impl InferError {
    /// The parameter of the operator's function that the error speaks of, where it is no operand: attributes go by their
    /// names, and there is one that holds axes.
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

/// The most dimensions of an operand: results may need memory for each, also of those that are only counted.
pub const MAX_NDIM: i64 = 1 << 16;

/// Checks how many dimensions an operand states.
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
        InferError { kind, argument: None }
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
    /// The operator is not declared.
    pub fn unknown(name: &str) -> InferError {
        InferErrorKind::Unknown { name: name.to_owned() }.into()
    }
}

/// A call whose result is asked for. Operands are normalised: each has struct info.
#[derive(Debug)]
pub struct Infer<'a> {
    /// The call.
    pub call: &'a Call,
    /// The operator's full name.
    name: &'a str,
    /// Proofs about dimensions.
    pub analyzer: &'a mut Analyzer,
    /// What variables are bound to.
    bound: Option<&'a PtrMap<Expr>>,
    /// Operands that are spread over a mesh count as the whole tensors.
    whole_tensors: bool,
}

impl<'a> Infer<'a> {
    /// For this call of the operator of this name.
    pub fn new(call: &'a Call, name: &'a str, analyzer: &'a mut Analyzer) -> Infer<'a> {
        Infer { call, name, analyzer, bound: None, whole_tensors: false }
    }

    /// With what variables are bound to, as far as that is known.
    #[must_use]
    pub fn with_bound(self, bound: &'a PtrMap<Expr>) -> Infer<'a> {
        Infer { bound: Some(bound), ..self }
    }

    /// With operands that are spread over a mesh as the whole tensors.
    #[must_use]
    pub fn of_whole_tensors(self) -> Infer<'a> {
        Infer { whole_tensors: true, ..self }
    }

    /// What an operator gives that takes operands on a mesh as any others.
    pub(super) fn unchanged(&mut self, operator: &super::Operator) -> Result<Ref<StructInfo>> {
        self.whole_tensors = false;
        (operator.infer)(self)
    }

    /// What a variable stands for in the end; the operand itself where that is not known.
    pub fn bound_value<'b>(&'b self, operand: &'b Expr) -> &'b Expr {
        let mut value = operand;
        while value.is::<Var>()
            && let Some(next) = self.bound.and_then(|bound| bound.get(value.object()))
        {
            value = next;
        }
        value
    }

    /// The operator as scripts call it: `R.nn.conv2d`.
    pub fn op(&self) -> String {
        match self.name.strip_prefix("relax.") {
            Some(name) => format!("R.{name}"),
            None => self.name.to_owned(),
        }
    }

    /// How many operands there are.
    pub fn arg_count(&self) -> usize {
        self.call.args.len()
    }

    /// The call's attributes, of the class that the operator has.
    ///
    /// # Errors
    /// When the call has others or none.
    pub fn attrs<T: Node>(&self) -> Result<&'a T> {
        self.call.attrs.as_ref().and_then(|attrs| attrs.as_node::<T>()).ok_or_else(|| {
            let what = format!("are not of the class `{}`", T::type_info().key());
            InferErrorKind::Attribute { op: self.op(), attribute: "attrs", what }.into()
        })
    }

    /// An operand.
    ///
    /// # Errors
    /// When there are fewer.
    pub fn arg(&self, index: usize) -> Result<&'a Expr> {
        self.call.args.get(index).ok_or_else(|| {
            let found = self.call.args.len();
            InferErrorKind::Count { op: self.op(), expected: index + 1, found }.into()
        })
    }

    /// The struct info of an operand.
    ///
    /// # Errors
    /// When there are fewer operands.
    pub fn info(&self, index: usize) -> Result<Ref<StructInfo>> {
        let info = struct_info_of(self.arg(index)?).unwrap_or_else(ObjectStructInfo::new);
        check_rank(&info, index)?;
        Ok(match info.as_node::<DTensorStructInfo>().filter(|_| self.whole_tensors) {
            Some(spread) => spread.tensor_sinfo.clone().upcast(),
            None => info,
        })
    }

    /// Checks how many operands there are.
    ///
    /// # Errors
    /// When there are more or fewer.
    pub fn expect_args(&self, expected: usize) -> Result<()> {
        match self.call.args.len() {
            found if found != expected => {
                Err(InferErrorKind::Count { op: self.op(), expected, found }.into())
            }
            _ => Ok(()),
        }
    }

    /// The error for an operand of the wrong kind.
    pub fn wrong_kind(&self, index: usize, expected: &'static str) -> InferError {
        let found =
            self.info(index).map(|info| crate::describe::struct_info(&info).to_string()).unwrap_or_default();
        InferErrorKind::Kind { op: self.op(), expected, found }.at(index)
    }

    /// The error for shapes that do not fit, in words.
    pub fn wrong_shape(&self, what: impl Into<String>) -> InferError {
        InferErrorKind::Shape { op: self.op(), what: what.into() }.into()
    }

    /// As [`wrong_shape`](Self::wrong_shape), at an operand.
    pub fn wrong_shape_at(&self, index: usize, what: impl Into<String>) -> InferError {
        InferErrorKind::Shape { op: self.op(), what: what.into() }.at(index)
    }

    /// The error for an element type that does not fit.
    pub fn wrong_dtype(&self, index: usize, expected: impl Into<String>, found: DataType) -> InferError {
        InferErrorKind::Dtype { op: self.op(), expected: expected.into(), found }.at(index)
    }

    /// The error for an attribute that does not fit, in words.
    pub fn wrong_attribute(&self, attribute: &'static str, what: impl Into<String>) -> InferError {
        InferErrorKind::Attribute { op: self.op(), attribute, what: what.into() }.into()
    }

    /// The tensor that an operand is.
    ///
    /// # Errors
    /// When it is none.
    pub fn tensor(&self, index: usize) -> Result<Ref<TensorStructInfo>> {
        let info = self.info(index)?;
        info.downcast().map_err(|_| self.wrong_kind(index, "a tensor"))
    }

    /// All operands as tensors, so many.
    ///
    /// # Errors
    /// When there are more or fewer, or one is no tensor.
    pub fn tensors<const N: usize>(&self) -> Result<[Ref<TensorStructInfo>; N]> {
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
            Err(_) => Err(failed.unwrap_or_else(|| self.wrong_shape("the operands are no tensors"))),
        }
    }

    /// The tensors of an operand that is a tuple of them.
    ///
    /// # Errors
    /// When it is something else.
    pub fn tensors_of_tuple(&self, index: usize) -> Result<Vec<Ref<TensorStructInfo>>> {
        let info = self.info(index)?;
        for field in info.as_node::<TupleStructInfo>().iter().flat_map(|tuple| tuple.fields.iter()) {
            check_rank(field, index)?;
        }
        let tensors = info
            .as_node::<TupleStructInfo>()
            .and_then(|tuple| tuple.fields.iter().map(|field| field.clone().downcast().ok()).collect());
        tensors.ok_or_else(|| self.wrong_kind(index, "a tuple of tensors"))
    }

    /// The dimensions of an operand that is a shape, where they are known.
    ///
    /// # Errors
    /// When it is no shape.
    pub fn shape(&self, index: usize) -> Result<Ref<ShapeStructInfo>> {
        let info = self.info(index)?;
        info.downcast().map_err(|_| self.wrong_kind(index, "a shape"))
    }

    /// The scalar that an operand is, where its value is known.
    ///
    /// # Errors
    /// When it is no scalar.
    pub fn scalar(&self, index: usize) -> Result<Option<prim::Expr>> {
        let info = self.info(index)?;
        match info.as_node::<PrimStructInfo>() {
            Some(prim) => Ok(prim.value.clone()),
            None => Err(self.wrong_kind(index, "a scalar")),
        }
    }

    /// The scalar that an operand is, which has to be written out: `R.prim_value(n)`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn prim_value(&self, index: usize) -> Result<&'a prim::Expr> {
        match self.arg(index)?.as_node::<PrimValue>() {
            Some(prim) => Ok(&prim.value),
            None => Err(self.wrong_kind(index, "`R.prim_value(..)`")),
        }
    }

    /// Checks that a tensor has this rank, where it is known.
    ///
    /// # Errors
    /// When it has another.
    pub fn expect_rank(&self, index: usize, tensor: &TensorStructInfo, rank: i64) -> Result<()> {
        if tensor.is_unknown_ndim() || tensor.ndim == rank {
            return Ok(());
        }
        let expected = format!("rank {rank}");
        Err(InferErrorKind::Rank { op: self.op(), expected, found: tensor.ndim }.at(index))
    }

    /// Checks that a tensor's elements are integers, where they are known.
    ///
    /// # Errors
    /// When they are of another type.
    pub fn expect_integers(&self, index: usize, tensor: &TensorStructInfo) -> Result<()> {
        if tensor.is_unknown_dtype() || tensor.dtype.is_int() || tensor.dtype.is_uint() {
            return Ok(());
        }
        let expected = "a tensor of integers".to_owned();
        Err(InferErrorKind::Dtype { op: self.op(), expected, found: tensor.dtype }.at(index))
    }

    /// Whether two dimensions are known to be different.
    ///
    /// # Errors
    /// When they cannot be compared.
    pub fn differ(&mut self, a: &prim::Expr, b: &prim::Expr) -> Result<bool> {
        Ok(match (a.as_node::<IntImm>(), b.as_node::<IntImm>()) {
            (Some(a), Some(b)) => a.value != b.value,
            _ => !a.ptr_eq(b) && self.analyzer.can_prove(&ops::ne(a.clone(), b.clone())?),
        })
    }

    /// Whether a dimension is known to be no multiple of another.
    ///
    /// # Errors
    /// When the other is zero.
    pub fn is_no_multiple(&mut self, dim: &prim::Expr, of: &prim::Expr) -> Result<bool> {
        let rest = ops::floormod(dim.clone(), of.clone())?;
        self.differ(&rest, &IntImm::int64(0))
    }

    /// An axis counted from the first, from one that may be counted from the last.
    ///
    /// # Errors
    /// When the tensor has no such axis.
    pub fn axis(&self, axis: i64, ndim: i64) -> Result<usize> {
        let from_first = if axis < 0 { axis.checked_add(ndim) } else { Some(axis) };
        match from_first.filter(|axis| (0..ndim).contains(axis)) {
            Some(axis) => Ok(axis as usize),
            None => Err(InferErrorKind::Axis { axis, ndim }.into()),
        }
    }

    /// Axes counted from the first, each once.
    ///
    /// # Errors
    /// When the tensor has no such axis, or one is given twice.
    pub fn axes(&self, axes: &Array<Ref<IntImm>>, ndim: i64) -> Result<Vec<usize>> {
        let mut found = Vec::with_capacity(axes.len());
        let mut seen = HashSet::with_capacity(axes.len());
        for axis in axes.iter() {
            let index = self.axis(axis.value, ndim)?;
            if !seen.insert(index) {
                return Err(InferErrorKind::RepeatedAxis { axis: axis.value }.into());
            }
            found.push(index);
        }
        Ok(found)
    }
}

/// A tensor with these dimensions.
pub fn tensor_of(
    dims: impl IntoIterator<Item = prim::Expr>,
    dtype: DataType,
    vdevice: Option<Ref<VDevice>>,
) -> Ref<StructInfo> {
    TensorStructInfo::of_shape(ShapeExpr::of(dims.into_iter().collect()), dtype, vdevice).upcast()
}

/// A tensor of which only the rank is known, if that.
pub fn tensor_of_rank(ndim: i64, dtype: DataType, vdevice: Option<Ref<VDevice>>) -> Ref<StructInfo> {
    TensorStructInfo::of_rank(ndim, dtype, vdevice).upcast()
}

/// The first device of tensors; none where a bound one differs from it.
pub fn shared_device<'a>(
    tensors: impl IntoIterator<Item = &'a Ref<TensorStructInfo>>,
) -> Option<Ref<VDevice>> {
    let mut devices = tensors.into_iter().filter_map(|tensor| tensor.vdevice.as_ref());
    let first = devices.next()?;
    devices.all(|device| device.target.is_none() || device.ptr_eq(first)).then(|| first.clone())
}

/// The product of dimensions, folded where they are literals.
///
/// # Errors
/// When it does not fit 64 bits.
/// # Source
/// `ComputeShapeProduct`, `src/relax/op/tensor/manipulate.cc`.
pub fn product<'a>(
    dims: impl IntoIterator<Item = &'a prim::Expr>,
) -> std::result::Result<prim::Expr, prim::PrimError> {
    dims.into_iter().try_fold(prim::IntImm::int64(1), |product, dim| prim::ops::mul(product, dim.clone()))
}

/// A tensor whose shape is an operand: written out, or held by a variable.
///
/// # Errors
/// When the operand is no shape.
pub fn tensor_of_operand(
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

/// A tensor with these dimensions, which may be of other types than `int64` where they are literals.
///
/// # Errors
/// When one is not `int64` and no literal.
pub fn tensor_of_scalars(
    dims: impl IntoIterator<Item = prim::Expr>,
    dtype: DataType,
    vdevice: Option<Ref<VDevice>>,
) -> Result<Ref<StructInfo>> {
    Ok(TensorStructInfo::of_shape(ShapeExpr::try_new(dims)?, dtype, vdevice).upcast())
}
