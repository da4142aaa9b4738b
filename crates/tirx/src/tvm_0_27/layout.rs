//! Layouts: the places of a buffer's elements, on axes of memory and of threads.

use tvmscript_ir_core::{Array, DataType, Map, Node, Object, ObjectLike, Ref, Str, structural_equal};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, ops};
use tvmscript_tir::Buffer;

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
    pub fn of_shape(shape: &Array<Expr>) -> tvmscript_prim::error::PrimResult<Ref<TileLayout>> {
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
        Ok(TileLayout::of_shard(shard))
    }

    /// The layout of elements that are `ratio` times as many, each a part of one of these.
    ///
    /// # Errors
    /// If a stride overflows.
    pub fn unpack(&self, ratio: i64) -> tvmscript_prim::error::PrimResult<Option<Ref<TileLayout>>> {
        if !self.is_plain() {
            return Ok(None);
        }
        let Some(mut shard) = restrided(&self.shard, |stride, dtype| {
            ops::mul(stride, ops::make_const(dtype, ratio)?).map(Some)
        })?
        else {
            return Ok(None);
        };
        let part = IntImm::try_new(DataType::INT32, ratio)?;
        let one = IntImm::try_new(DataType::INT32, 1)?;
        shard.push(Ref::new(Iter { extent: part, stride: one, axis: Axis::new(MEMORY) }));
        Ok(Some(TileLayout::of_shard(shard)))
    }

    /// The layout of elements of which each is `ratio` of these; `None` if those do not lie side by side.
    ///
    /// # Errors
    /// If the size of a dimension overflows.
    pub fn pack(&self, ratio: i64) -> tvmscript_prim::error::PrimResult<Option<Ref<TileLayout>>> {
        let number = |expr: &Expr| expr.as_node::<IntImm>().map(|literal| literal.value);
        let dimensions: Vec<&Ref<Iter>> = self.shard.iter().collect();
        let Some((last, others)) = dimensions.split_last() else { return Ok(None) };
        let is_dense =
            number(&last.stride) == Some(1) && number(&last.extent).is_some_and(|n| n % ratio == 0);
        if !is_dense || !self.is_plain() || last.axis.name != MEMORY {
            return Ok(None);
        }
        let others: Array<Ref<Iter>> = others.iter().map(|iter| (*iter).clone()).collect();
        let Some(mut shard) = restrided(&others, |stride, dtype| match number(&stride) {
            Some(stride) if stride % ratio == 0 => IntImm::try_new(dtype, stride / ratio).map(Some),
            Some(_) => Ok(None),
            None => ops::floordiv(stride, ops::make_const(dtype, ratio)?).map(Some),
        })?
        else {
            return Ok(None);
        };
        let extent = ops::floordiv(last.extent.clone(), ops::make_const(last.extent.dtype(), ratio)?)?;
        shard.push(Ref::new(Iter { extent, ..Iter::clone(last) }));
        Ok(Some(TileLayout::of_shard(shard)))
    }

    /// Returns `true` for a layout without copies and offsets.
    fn is_plain(&self) -> bool {
        self.replica.is_empty() && self.offset.is_empty()
    }

    /// The layout of dimensions, without copies and offsets.
    fn of_shard(shard: Vec<Ref<Iter>>) -> Ref<TileLayout> {
        let (replica, offset) = (Array::default(), Map::default());
        Ref::new(TileLayout { shard: Array::new(shard), replica, offset })
    }
}

/// Dimensions on the axis of memory with other strides; `None` if there are others, or a stride has no counterpart.
fn restrided(
    iters: &Array<Ref<Iter>>,
    stride: impl Fn(Expr, DataType) -> tvmscript_prim::error::PrimResult<Option<Expr>>,
) -> tvmscript_prim::error::PrimResult<Option<Vec<Ref<Iter>>>> {
    let mut out = Vec::with_capacity(iters.len() + 1);
    for iter in iters.iter() {
        let new = stride(iter.stride.clone(), iter.stride.dtype())?;
        match new.filter(|_| iter.axis.name == MEMORY) {
            Some(stride) => out.push(Ref::new(Iter { stride, ..Iter::clone(iter) })),
            None => return Ok(None),
        }
    }
    Ok(Some(out))
}

/// Returns `true` if a layout is that of a shape in row-major order.
pub fn is_row_major(layout: &Object, shape: &Array<Expr>) -> bool {
    TileLayout::of_shape(shape).is_ok_and(|made| structural_equal(made.as_object(), layout))
}

/// The shape, offset and layout of a view of another type. The last dimension counts elements of the other type. `None` unless
/// the size of one type is a multiple of the other's and the layout has a counterpart.
///
/// # Errors
/// If a size overflows.
pub fn view_as(buffer: &Buffer, dtype: DataType) -> tvmscript_prim::error::PrimResult<Option<CastView>> {
    let (new, old) = (i64::from(dtype.bits).max(1), i64::from(buffer.dtype.bits).max(1));
    if new % old != 0 && old % new != 0 {
        return Ok(None);
    }
    let layout = match buffer.layout.as_ref().map(|layout| layout.as_node::<TileLayout>()) {
        None => None,
        Some(Some(layout)) => {
            let made = if new > old { layout.pack(new / old)? } else { layout.unpack(old / new)? };
            match made {
                Some(layout) => Some(layout.into()),
                None => return Ok(None),
            }
        }
        Some(None) => return Ok(None),
    };
    let scaled = |extent: &Expr| {
        let index = extent.dtype();
        match new > old {
            true => ops::floordiv(extent.clone(), ops::make_const(index, new / old)?),
            false => ops::mul(extent.clone(), ops::make_const(index, old / new)?),
        }
    };
    let mut shape: Vec<Expr> = buffer.shape.iter().cloned().collect();
    if let Some(last) = shape.last_mut() {
        *last = scaled(last)?;
    }
    let elem_offset = scaled(&buffer.elem_offset)?;
    Ok(Some(CastView { shape: Array::new(shape), elem_offset, layout }))
}

/// Shape, offset and layout of a view of another type.
#[derive(Debug, Clone)]
pub struct CastView {
    /// The shape.
    pub shape: Array<Expr>,
    /// The offset in elements of the other type.
    pub elem_offset: Expr,
    /// The layout.
    pub layout: Option<Object>,
}
