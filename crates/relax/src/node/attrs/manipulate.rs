//! Of operators that move elements.

use tvmscript_ir::Attrs;
use tvmscript_ir_core::{Array, Node, Object, Ref, Str};
use tvmscript_prim::{IndexMap, IntImm};

use crate::node::PrimValue;

/// Of `R.concat`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.ConcatAttrs", parent = Attrs)]
pub struct ConcatAttrs {
    /// The axis; negative ones count from the last; none where not said.
    pub axis: Option<i64>,
}

/// Of `R.expand_dims`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.ExpandDimsAttrs", parent = Attrs)]
pub struct ExpandDimsAttrs {
    /// The axis; negative ones count from the last.
    pub axis: Array<Ref<IntImm>>,
}

/// Of `R.layout_transform`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.LayoutTransformAttrs", parent = Attrs)]
pub struct LayoutTransformAttrs {
    /// From old indices to new ones.
    pub index_map: Ref<IndexMap>,
    /// What fills the places that no element has; none where not said.
    pub pad_value: Option<Ref<PrimValue>>,
    /// Where groups of result axes begin; none where not said.
    pub axis_separators: Option<Array<Ref<IntImm>>>,
    /// Where groups of operand axes begin; none where not said.
    pub input_axis_separators: Option<Array<Ref<IntImm>>>,
}

/// Of `R.permute_dims`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.PermuteDimsAttrs", parent = Attrs)]
pub struct PermuteDimsAttrs {
    /// The axes; none where not said.
    pub axes: Option<Array<Ref<IntImm>>>,
}

/// Of `R.split`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.SplitAttrs", parent = Attrs)]
pub struct SplitAttrs {
    /// How many equal parts, or where each next part begins.
    pub indices_or_sections: Object,
    /// The axis; negative ones count from the last.
    pub axis: i64,
}

/// Of `R.squeeze`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.SqueezeAttrs", parent = Attrs)]
pub struct SqueezeAttrs {
    /// The axis; negative ones count from the last; none where not said.
    pub axis: Option<Array<Ref<IntImm>>>,
}

/// Of `R.stack`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.StackAttrs", parent = Attrs)]
pub struct StackAttrs {
    /// The axis; negative ones count from the last; none where not said.
    pub axis: Option<Ref<IntImm>>,
}

/// Of `R.repeat`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.RepeatAttrs", parent = Attrs)]
pub struct RepeatAttrs {
    /// How often.
    pub repeats: i64,
    /// The axis; negative ones count from the last; none where not said.
    pub axis: Option<i64>,
}

/// Of `R.tile`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.TileAttrs", parent = Attrs)]
pub struct TileAttrs {
    /// How often.
    pub repeats: Array<Ref<IntImm>>,
}

/// Of `R.flip`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.FlipAttrs", parent = Attrs)]
pub struct FlipAttrs {
    /// The axis; negative ones count from the last.
    pub axis: Ref<IntImm>,
}

/// Of `R.meshgrid`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.MeshgridAttrs", parent = Attrs)]
pub struct MeshgridAttrs {
    /// `ij` or `xy`; none where not said.
    pub indexing: Option<Str>,
}

/// Of `R.one_hot`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.OneHotAttrs", parent = Attrs)]
pub struct OneHotAttrs {
    /// How many classes.
    pub depth: i64,
    /// The axis; negative ones count from the last.
    pub axis: i64,
}
