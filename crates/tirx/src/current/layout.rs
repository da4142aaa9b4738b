//! Layouts: the places of a buffer's elements, on axes of memory and of threads.

use tvmscript_ir_core::{Array, Map, Node, Object, ObjectLike, Ref, Str, structural_equal};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, ops};

/// An axis of memory or of threads (`tirx.Axis`).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.Axis", by_name = Axis::new)]
pub struct Axis {
    /// The name, such as `m` for memory or `laneid`.
    pub name: Str,
}

impl Axis {
    /// The axis with a name.
    pub fn new(name: impl Into<Str>) -> Ref<Axis> {
        Ref::new(Axis { name: name.into() })
    }
}

/// The axis of linear memory.
pub const MEMORY: &str = "m";

/// A dimension on an axis (`tirx.Iter`).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.Iter")]
pub struct Iter {
    /// Number of elements.
    pub extent: Expr,
    /// Distance of consecutive elements on the axis.
    pub stride: Expr,
    /// The axis.
    pub axis: Ref<Axis>,
}

/// Dimensions, copies and an offset (`tirx.TileLayout`).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.TileLayout")]
pub struct TileLayout {
    /// The dimensions, outermost first.
    pub shard: Array<Ref<Iter>>,
    /// Axes on which elements are copied.
    pub replica: Array<Ref<Iter>>,
    /// Offsets by axis.
    pub offset: Map<Ref<Axis>, Expr>,
}

impl TileLayout {
    /// The layout of a shape in row-major order: that of a buffer without another one.
    ///
    /// # Errors
    /// If the size of a dimension overflows.
    pub fn of_shape(shape: &Array<Expr>) -> tvmscript_prim::error::Result<Ref<TileLayout>> {
        let memory = Axis::new(MEMORY);
        let mut shard = Vec::with_capacity(shape.len());
        let mut stride: Option<Expr> = None;
        for extent in shape.iter().rev() {
            let own = match &stride {
                Some(stride) => stride.clone(),
                None => IntImm::try_new(extent.dtype(), 1)?,
            };
            stride = Some(match stride {
                Some(stride) => ops::mul(extent.clone(), stride)?,
                None => extent.clone(),
            });
            shard.push(Ref::new(Iter { extent: extent.clone(), stride: own, axis: memory.clone() }));
        }
        shard.reverse();
        Ok(Ref::new(TileLayout {
            shard: Array::new(shard),
            replica: Array::default(),
            offset: Map::default(),
        }))
    }
}

/// Returns `true` if a layout is that of a shape in row-major order.
pub fn is_row_major(layout: &Object, shape: &Array<Expr>) -> bool {
    TileLayout::of_shape(shape).is_ok_and(|made| structural_equal(made.as_object(), layout))
}
