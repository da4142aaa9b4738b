//! Lists of tensors: the values of `TensorList` operators, and the arrays of version 1.

use tvmscript_prim as prim;
use tvmscript_relax::Expr;

use crate::error::Reason;
use crate::ops;

/// A list of tensors of the same shape.
#[derive(Debug, Clone)]
pub(super) enum List {
    /// The elements, along the first axis of a tensor.
    Written(Expr),
    /// A list to which nothing was written: its elements have no shape yet.
    Empty {
        /// Number of elements, if it is known.
        length: Option<prim::Expr>,
    },
}

impl List {
    /// The elements as one tensor.
    pub(super) fn stacked(&self) -> Result<Expr, Reason> {
        match self {
            List::Written(stacked) => Ok(stacked.clone()),
            List::Empty { .. } => Err("uses a list to which nothing was written".into()),
        }
    }

    /// Number of elements, if it is known.
    pub(super) fn length(&self) -> Option<prim::Expr> {
        match self {
            List::Written(stacked) => ops::dims_of(stacked)?.first().cloned(),
            List::Empty { length, .. } => length.clone(),
        }
    }
}
