//! Shapes as values: the integers that `Shape` and arithmetic on it make, which may be symbolic.

use tvmscript_arith::simplify;
use tvmscript_ir_core::DataType;
use tvmscript_prim::{self as prim, IntImm, PrimError, ops::int_value};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::{Constant, Expr};

use crate::error::Reason;
use crate::ops;

/// An operation on two dimensions.
pub(super) type DimOp = fn(prim::Expr, prim::Expr) -> Result<prim::Expr, PrimError>;

/// A scalar or vector of dimensions.
#[derive(Debug, Clone)]
pub(super) struct Dims {
    /// The integers, of `int64`.
    pub(super) values: Vec<prim::Expr>,
    /// `true` for a scalar, which is one integer.
    pub(super) is_scalar: bool,
    /// Element type in the model.
    pub(super) dtype: DataType,
}

impl Dims {
    /// The integers of a constant of rank 0 or 1.
    pub(super) fn of_constant(value: &Expr) -> Option<Dims> {
        let constant = value.as_node::<Constant>()?;
        let (dtype, rank) = (constant.data.dtype, constant.data.shape.len());
        if rank > 1 || !dtype.is_integer() {
            return None;
        }
        let values = ops::integers(value)?.into_iter().map(IntImm::int64).collect();
        Some(Dims { values, is_scalar: rank == 0, dtype })
    }

    /// Integers with the rank and element type of these.
    pub(super) fn with(&self, values: Vec<prim::Expr>) -> Dims {
        Dims { values, ..*self }
    }

    /// A vector of integers.
    pub(super) fn vector(values: Vec<prim::Expr>, dtype: DataType) -> Dims {
        Dims { values, is_scalar: false, dtype }
    }

    /// One integer.
    pub(super) fn scalar(value: prim::Expr, dtype: DataType) -> Dims {
        Dims { values: vec![value], is_scalar: true, dtype }
    }

    /// The constant that they are, if none is symbolic.
    pub(super) fn as_constant(&self) -> Option<Expr> {
        let values: Option<Vec<i64>> = self.values.iter().map(int_value).collect();
        let values = values?.into_iter().map(i128::from);
        let shape = if self.is_scalar { Vec::new() } else { vec![values.len()] };
        Some(Constant::new(Tensor::of_ints(self.dtype, shape, values).encode()).upcast())
    }

    /// Applies an operation to each pair of integers; a scalar goes with each.
    pub(super) fn zip(&self, other: &Dims, op: DimOp) -> Result<Dims, Reason> {
        let (a, b) = (&self.values, &other.values);
        let count = match (a.len(), b.len()) {
            (a, b) if a == b => a,
            (a, 1) => a,
            (1, b) => b,
            (a, b) => return Err(Reason(format!("shapes of {a} and {b} numbers do not go together"))),
        };
        let at = |values: &[prim::Expr], i: usize| {
            values.get(if values.len() == 1 { 0 } else { i }).cloned().unwrap_or_else(|| IntImm::int64(1))
        };
        let values = (0..count).map(|i| Ok(simplify(&op(at(a, i), at(b, i))?)));
        Ok(Dims {
            values: values.collect::<Result<_, PrimError>>()?,
            is_scalar: self.is_scalar && other.is_scalar,
            dtype: self.dtype,
        })
    }

    /// The product or sum of all integers.
    pub(super) fn fold(&self, start: i64, op: DimOp) -> Result<prim::Expr, Reason> {
        let folded = self.values.iter().try_fold(IntImm::int64(start), |all, dim| op(all, dim.clone()))?;
        Ok(simplify(&folded))
    }
}
