//! Of reductions, scans, searches and sorts.

use tvmscript_ir::Attrs;
use tvmscript_ir_core::{Array, DataType, Node, Ref, Str};
use tvmscript_prim::IntImm;

/// Of `R.sum`, `R.mean` and their like.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.StatisticalAttrs", parent = Attrs)]
pub struct StatisticalAttrs {
    /// The axis; negative ones count from the last; none where not said.
    pub axis: Option<Array<Ref<IntImm>>>,
    /// Reduced axes stay, with length 1.
    pub keepdims: bool,
}

/// Of `R.argmax` and `R.argmin`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.ArgmaxArgminAttrs", parent = Attrs)]
pub struct ArgmaxArgminAttrs {
    /// The axis; negative ones count from the last; none where not said.
    pub axis: Option<i64>,
    /// Reduced axes stay, with length 1.
    pub keepdims: bool,
}

/// Of `R.cumsum` and `R.cumprod`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.ScanopAttrs", parent = Attrs)]
pub struct ScanopAttrs {
    /// The axis; negative ones count from the last; none where not said.
    pub axis: Option<i64>,
    /// The element type of the result; void for that of the operand.
    pub dtype: DataType,
    /// 1 where an element is not part of its own sum.
    pub exclusive: Ref<IntImm>,
}

/// Of `R.sort`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.SortAttrs", parent = Attrs)]
pub struct SortAttrs {
    /// The axis; negative ones count from the last.
    pub axis: i64,
    /// Greatest first.
    pub descending: bool,
}

/// Of `R.argsort`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.ArgsortAttrs", parent = Attrs)]
pub struct ArgsortAttrs {
    /// The axis; negative ones count from the last.
    pub axis: i64,
    /// Greatest first.
    pub descending: bool,
    /// The element type of the result; void for that of the operand.
    pub dtype: DataType,
}

/// Of `R.topk`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.TopKAttrs", parent = Attrs)]
pub struct TopKAttrs {
    /// How many.
    pub k: i64,
    /// The axis; negative ones count from the last.
    pub axis: i64,
    /// `both`, `values` or `indices`.
    pub ret_type: Str,
    /// The greatest ones, not the least.
    pub largest: bool,
    /// The element type of the result; void for that of the operand.
    pub dtype: DataType,
}

/// Of `R.bucketize`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.BucketizeAttrs", parent = Attrs)]
pub struct BucketizeAttrs {
    /// The result is `int32`, not `int64`.
    pub out_int32: bool,
    /// Which end of a bucket belongs to it.
    pub right: bool,
}
