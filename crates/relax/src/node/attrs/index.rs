//! Of operators that read and write at indices.

use tvmscript_ir::Attrs;
use tvmscript_ir_core::{Node, Ref, Str};
use tvmscript_prim::IntImm;

/// Of `R.take`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.TakeAttrs", parent = Attrs)]
pub struct TakeAttrs {
    /// The axis; negative ones count from the last; none where not said.
    pub axis: Option<i64>,
    /// What indices outside mean: `fast`, `wrap`, `clip`.
    pub mode: Str,
}

/// Of `R.strided_slice`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.StridedSliceAttrs", parent = Attrs)]
pub struct StridedSliceAttrs {
    /// Bounds are known to lie inside.
    pub assume_inbound: bool,
}

/// Of `R.gather_elements`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.GatherElementsAttrs", parent = Attrs)]
pub struct GatherElementsAttrs {
    /// The axis; negative ones count from the last.
    pub axis: Ref<IntImm>,
}

/// Of `R.gather_nd`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.GatherNDAttrs", parent = Attrs)]
pub struct GatherNDAttrs {
    /// How many leading axes are batches.
    pub batch_dims: Ref<IntImm>,
}

/// Of `R.index_put`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.IndexPutAttrs", parent = Attrs)]
pub struct IndexPutAttrs {
    /// Values are added, not stored.
    pub accumulate: bool,
}

/// Of `R.scatter_elements`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.ScatterElementsAttrs", parent = Attrs)]
pub struct ScatterElementsAttrs {
    /// The axis; negative ones count from the last.
    pub axis: Ref<IntImm>,
    /// How values at the same place are combined.
    pub reduction: Str,
}

/// Of `R.scatter_nd`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.ScatterNDAttrs", parent = Attrs)]
pub struct ScatterNDAttrs {
    /// How values at the same place are combined.
    pub reduction: Str,
}

/// Of `R.slice_scatter`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.SliceScatterAttrs", parent = Attrs)]
pub struct SliceScatterAttrs {
    /// The axis; negative ones count from the last.
    pub axis: i64,
}
