//! Vectors: ramps, broadcasts and shuffles.

use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, DataType, Node, Ref, Span};

use super::leaf::has_dtype;
use crate::class::{Expr, PrimExpr, PrimExprExt};
use crate::error::{PrimError, PrimResult};
use crate::intrinsic;
use crate::node::{Call, IntImm, Mul};
use crate::ops::cast;

/// `base + i * stride` in lane `i`.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Ramp", parent = PrimExpr, check = Ramp::check)]
pub struct Ramp {
    /// Source span.
    pub span: Span,
    /// The base's type with these lanes.
    pub dtype: DataType,
    /// The first lane.
    pub base: Expr,
    /// The difference between adjacent lanes.
    pub stride: Expr,
    /// Lane count: an `int32` literal or `T.vscale() * k`.
    pub lanes: Expr,
}

/// One value in every lane.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Broadcast", parent = PrimExpr, check = Broadcast::check)]
pub struct Broadcast {
    /// Source span.
    pub span: Span,
    /// The value's type with these lanes.
    pub dtype: DataType,
    /// The value.
    pub value: Expr,
    /// Lane count: an `int32` literal or `T.vscale() * k`.
    pub lanes: Expr,
}

/// Lanes of several vectors, selected by index.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Shuffle", parent = PrimExpr, check = Shuffle::check)]
pub struct Shuffle {
    /// Source span.
    pub span: Span,
    /// The element type, with one lane per index.
    pub dtype: DataType,
    /// The vectors, in order.
    pub vectors: Array<Expr>,
    /// Indices into the concatenated lanes of all vectors.
    pub indices: Array<Expr>,
}

/// A lane count as an expression and as a data type stores it.
#[derive(Debug, Clone)]
pub struct Lanes {
    /// An `int32` literal, or `T.vscale() * k`.
    pub expr: Expr,
    /// The count; negative for scalable vectors.
    pub count: i16,
}

impl Lanes {
    /// The lane count of a data type.
    pub fn of(dtype: DataType) -> Lanes {
        let count = dtype.lanes;
        if count >= 0 {
            return Lanes { expr: IntImm::int32(count.into()), count };
        }
        let vscale = crate::ops::vscale();
        let factor = IntImm::int32(-i32::from(count));
        let dtype = DataType::INT32;
        Lanes { expr: Ref::new(Mul { span: Span::current(), dtype, a: vscale, b: factor }).upcast(), count }
    }

    /// Converts an expression: a literal above 1, or a multiple of `T.vscale()`, which is normalized.
    /// # Errors
    /// [`PrimError::BadLanes`].
    pub fn from_expr(expr: &Expr) -> PrimResult<Lanes> {
        if let Some(lit) = expr.as_node::<IntImm>() {
            let count = i16::try_from(lit.value).ok().filter(|n| *n > 1).ok_or(PrimError::BadLanes)?;
            return Ok(Lanes { expr: IntImm::int32(count.into()), count });
        }
        let factor = vscale_factor(expr).filter(|f| *f > 0).ok_or(PrimError::BadLanes)?;
        Ok(Lanes::of(DataType::INT32.with_lanes(-factor)))
    }
}

/// Checks the lanes of a vector, a literal above 1 or `T.vscale() * k`, against the stored dtype.
fn check_lanes(dtype: DataType, element: DataType, lanes: &Expr) -> Checked {
    let count = match lanes.as_node::<IntImm>() {
        Some(literal) => i16::try_from(literal.value).ok().filter(|count| *count > 1),
        None => vscale_factor(lanes).filter(|factor| *factor > 0).map(|factor| -factor),
    };
    let count = count.ok_or_else(|| Invalid::at("lanes", PrimError::BadLanes))?;
    has_dtype(dtype, element.with_lanes(count))
}

/// The factor `k` of `vscale * k`, `k * vscale` or `vscale`.
fn vscale_factor(expr: &Expr) -> Option<i16> {
    let is_vscale = |e: &Expr| e.as_node::<Call>().is_some_and(|c| intrinsic::VSCALE.is_called_by(c));
    if is_vscale(expr) {
        return Some(1);
    }
    let mul = expr.as_node::<Mul>()?;
    let (call, lit) = if is_vscale(&mul.a) { (&mul.a, &mul.b) } else { (&mul.b, &mul.a) };
    let lit = lit.as_node::<IntImm>()?;
    if is_vscale(call) { i16::try_from(lit.value).ok() } else { None }
}

fn scalar(op: &'static str, e: &Expr) -> PrimResult<DataType> {
    let found = e.dtype();
    if found.is_scalar() {
        Ok(found)
    } else {
        Err(PrimError::OperandType { op, expected: "scalar operands", found })
    }
}

impl Ramp {
    fn check(&self) -> Checked {
        let dtype = scalar("Ramp", &self.base).map_err(|error| Invalid::at("base", error))?;
        let right = scalar("Ramp", &self.stride).map_err(|error| Invalid::at("stride", error))?;
        if right != dtype {
            return Err(Invalid::at("stride", PrimError::MismatchedTypes { left: dtype, right }));
        }
        check_lanes(self.dtype, dtype, &self.lanes)
    }

    /// Constructs the node; a stride of another type is converted to the base's type ([`cast`]).
    /// # Errors
    /// If base or stride is not a scalar, the stride's literal does not fit, or the lane count is invalid.
    pub fn try_new(base: Expr, stride: Expr, lanes: &Expr) -> PrimResult<Expr> {
        let dtype = scalar("Ramp", &base)?;
        let stride = if scalar("Ramp", &stride)? == dtype { stride } else { cast(dtype, stride)? };
        let Lanes { expr, count } = Lanes::from_expr(lanes)?;
        Ok(Ref::new(Ramp {
            span: Span::current(),
            dtype: dtype.with_lanes(count),
            base,
            stride,
            lanes: expr,
        })
        .upcast())
    }
}

impl Broadcast {
    fn check(&self) -> Checked {
        let dtype = scalar("Broadcast", &self.value).map_err(|error| Invalid::at("value", error))?;
        check_lanes(self.dtype, dtype, &self.lanes)
    }

    /// Constructs the node.
    /// # Errors
    /// If the value is not a scalar, or the lane count is invalid.
    pub fn try_new(value: Expr, lanes: &Expr) -> PrimResult<Expr> {
        scalar("Broadcast", &value)?;
        Ok(Broadcast::with_lanes(value, Lanes::from_expr(lanes)?))
    }

    /// Constructs the node from a scalar value and a valid lane count.
    pub fn with_lanes(value: Expr, lanes: Lanes) -> Expr {
        let dtype = value.dtype().with_lanes(lanes.count);
        Ref::new(Broadcast { span: Span::current(), dtype, value, lanes: lanes.expr }).upcast()
    }
}

impl Shuffle {
    /// Constructs the node.
    /// # Errors
    /// If the vectors differ in element type, or there are no vectors, no indices, or more indices than lanes.
    pub fn try_new(vectors: Array<Expr>, indices: Array<Expr>) -> PrimResult<Expr> {
        let dtype = Shuffle::dtype_of(&vectors, &indices)?;
        Ok(Ref::new(Shuffle { span: Span::current(), dtype, vectors, indices }).upcast())
    }

    fn check(&self) -> Checked {
        let dtype = Shuffle::dtype_of(&self.vectors, &self.indices);
        has_dtype(self.dtype, dtype.map_err(|error| Invalid::at("vectors", error))?)
    }

    fn dtype_of(vectors: &Array<Expr>, indices: &Array<Expr>) -> PrimResult<DataType> {
        let count = |what, expected, found| PrimError::Count { op: "Shuffle", what, expected, found };
        let first = vectors.first().ok_or(count("vectors", 1, 0))?.dtype().element();
        let mut lanes = 0i32;
        for vector in vectors.iter() {
            let dtype = vector.dtype();
            if dtype.element() != first {
                return Err(PrimError::MismatchedTypes { left: first, right: dtype.element() });
            }
            lanes = lanes.saturating_add(dtype.lane_count());
        }
        let picked = i16::try_from(indices.len()).unwrap_or(i16::MAX);
        if picked == 0 || i32::from(picked) > lanes {
            return Err(count("indices at most", lanes as usize, indices.len()));
        }
        Ok(first.with_lanes(picked))
    }
}
