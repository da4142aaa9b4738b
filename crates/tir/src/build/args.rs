//! Argument types of script functions and their conversions: numbers to expressions, regions to loads, and so on.

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::operators::is_poison;
use tvmscript_ir_core::{Array, DataType, IntField, NameCell, Ref, Span, Str, TypeCode, poison_node};
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, PyType, ScriptValue};
use tvmscript_prim::error::PrimResult;
use tvmscript_prim::ops::undetermined::determine;
use tvmscript_prim::{Expr, IntImm, PrimExpr, PrimExprExt, Ramp, Range, StringImm, Var, ops};

use crate::extent;
use crate::node::{Buffer, BufferLoad, BufferRegion, BufferType, IterType, IterVar};

/// An expression, or a value that converts to one: a number, a string, an axis, a region of constant size.
#[derive(Debug, Clone)]
pub struct ExprArg(pub Expr);

impl ExprArg {
    /// Converts a value to an expression.
    ///
    /// # Errors
    /// If the value has no expression, such as a region of unknown size.
    pub fn convert(value: ScriptValue) -> BuildResult<Expr> {
        match value.into_plain() {
            ScriptValue::Node(object) => match object.downcast::<PrimExpr>() {
                Ok(expr) => Ok(expr),
                Err(object) => {
                    if let Some(region) = object.downcast_ref::<BufferRegion>() {
                        return region_to_load(region);
                    }
                    if let Some(axis) = object.as_node::<IterVar>() {
                        return Ok(axis.var.clone().upcast());
                    }
                    Err(BuildError::expected("an expression", object.info().key()))
                }
            },
            ScriptValue::Int(i) => Ok(ops::bare::int(i)?),
            ScriptValue::Bool(b) => Ok(IntImm::bool(b)),
            ScriptValue::Float(f) => Ok(ops::bare::float(f)?),
            ScriptValue::Str(s) => Ok(StringImm::new(s)),
            ScriptValue::DType(d) => Ok(StringImm::new(d.to_string())),
            ScriptValue::BigInt(i) => {
                Err(BuildError::message(format!("the integer {i} does not fit 64 bits")))
            }
            ScriptValue::Host(host) => {
                match host.node().as_ref().and_then(|node| node.downcast_ref::<TensorNode>()) {
                    Some(tensor) if tensor.shape.is_empty() => number_of(tensor),
                    _ => Err(BuildError::expected("an expression", host.type_name())),
                }
            }
            other => Err(BuildError::expected("an expression", other.type_name())),
        }
    }
}

impl ExprArg {
    /// As [`ExprArg::convert`], for an index, a bound or an extent: one of undetermined type is an `int32`.
    pub fn index(value: ScriptValue) -> BuildResult<Expr> {
        ExprArg::convert(value).map(|index| determine(index, DataType::INT32))
    }
}

/// The constant for a number with a type of its own, as numerical libraries have.
fn number_of(tensor: &TensorNode) -> BuildResult<Expr> {
    let dtype = tensor.dtype;
    let mut bits = [0; 8];
    let bytes: &[u8] = tensor.bytes().unwrap_or_default();
    bits.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
    let bits = u64::from_le_bytes(bits);
    // Shifts that copy the sign of a smaller integer.
    let unused = 64 - u32::from(dtype.bits).clamp(1, 64);
    Ok(match (dtype.code, dtype.bits) {
        (TypeCode::Float, 16) => ops::make_const(dtype, half::f16::from_bits(bits as u16).to_f64())?,
        (TypeCode::Float, 32) => ops::make_const(dtype, f64::from(f32::from_bits(bits as u32)))?,
        (TypeCode::Float, _) => ops::make_const(dtype, f64::from_bits(bits))?,
        (TypeCode::Int, _) => ops::make_const(dtype, (bits as i64) << unused >> unused)?,
        _ => ops::make_const(dtype, bits as i64)?,
    })
}

impl FromScript for ExprArg {
    const TYPE: PyType = PyType::Alias {
        name: "ExprLike",
        is: &PyType::Union {
            of: &[
                PyType::node::<PrimExpr>(),
                PyType::node::<IterVar>(),
                PyType::node::<BufferRegion>(),
                PyType::Name("SupportsFloat"),
                PyType::STR,
            ],
        },
    };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        ExprArg::convert(value).map(ExprArg)
    }
    fn is_poison(&self) -> bool {
        is_poison(self.0.object())
    }
}

impl From<ExprArg> for ScriptValue {
    fn from(arg: ExprArg) -> ScriptValue {
        arg.0.into()
    }
}

/// Loads a region: single points stay scalar, constant extents become ramps.
///
/// # Errors
/// If an extent is not constant.
pub fn region_to_load(region: &Ref<BufferRegion>) -> BuildResult<Expr> {
    let mut indices = Vec::with_capacity(region.region.len());
    for range in region.region.iter() {
        indices.push(match range.extent.as_node::<IntImm>() {
            Some(extent) if extent.value == 1 => range.min.clone(),
            Some(_) => {
                let stride = IntImm::try_new(range.min.dtype(), 1)?;
                Ramp::try_new(range.min.clone(), stride, &range.extent)?
            }
            None => {
                let name = region.buffer.name.get();
                return Err(BuildError::message(format!(
                    "cannot load a region of buffer `{name}` as a vector: its size is not constant"
                ))
                .with_help("give each slice constant bounds, or load single elements in a loop"));
            }
        });
    }
    Ok(BufferLoad::try_new(region.buffer.clone(), Array::new(indices), None)?)
}

/// The value that an axis is bound to; none in a block without realize.
#[derive(Debug, Clone)]
pub struct Binding(pub Option<Expr>);

impl Binding {
    /// No binding.
    pub const NONE: Binding = Binding(None);
}

impl FromScript for Binding {
    const TYPE: PyType = ExprArg::TYPE;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        ExprArg::convert(value).map(|expr| Binding(Some(expr)))
    }
    fn is_poison(&self) -> bool {
        self.0.as_ref().is_some_and(|expr| is_poison(expr.object()))
    }
}

/// A shape: a list or tuple of extents, or a single extent.
#[derive(Debug, Clone, Default)]
pub struct Shape(pub Array<Expr>);

impl FromScript for Shape {
    const TYPE: PyType = PyType::Alias {
        name: "ShapeLike",
        is: &PyType::Union {
            of: &[PyType::Generic { name: "Sequence", of: &[ExprArg::TYPE] }, ExprArg::TYPE],
        },
    };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match value.items() {
            Some(items) => {
                items.into_iter().map(ExprArg::convert).collect::<BuildResult<Array<Expr>>>().map(Shape)
            }
            None => {
                let wrong = BuildError::expected("a shape such as (16, 16)", value.type_name());
                match value {
                    ScriptValue::Str(_) => Err(wrong),
                    value => ExprArg::convert(value).map(|expr| Shape(Array::new([expr]))).map_err(|_| wrong),
                }
            }
        }
    }
    fn is_poison(&self) -> bool {
        self.0.iter().any(|e| is_poison(e.object()))
    }
}

/// A stride: an expression, or the name of a new variable.
#[derive(Debug, Clone)]
pub enum Stride {
    /// An expression.
    Expr(Expr),
    /// The name of a new variable.
    Name(Str),
}

impl FromScript for Stride {
    const TYPE: PyType = ExprArg::TYPE;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match value {
            ScriptValue::Str(name) => Ok(Stride::Name(name)),
            other => ExprArg::convert(other).map(Stride::Expr),
        }
    }
    fn is_poison(&self) -> bool {
        matches!(self, Stride::Expr(expr) if is_poison(expr.object()))
    }
}

/// The domain of an axis: a range, a pair of bounds, or an extent.
#[derive(Debug, Clone)]
pub struct Domain(pub Ref<Range>);

impl FromScript for Domain {
    const TYPE: PyType = PyType::Alias {
        name: "DomainLike",
        is: &PyType::Union {
            of: &[
                PyType::node::<Range>(),
                PyType::Generic { name: "Sequence", of: &[ExprArg::TYPE] },
                ExprArg::TYPE,
            ],
        },
    };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        if let Some(range) = value.as_node::<Range>() {
            return Ok(Domain(range.clone()));
        }
        if let Some(items) = value.items() {
            let [begin, end]: [ScriptValue; 2] = items.try_into().map_err(|items: Vec<_>| {
                BuildError::expected("two bounds", format!("{} of them", items.len()))
            })?;
            return Domain::try_from_bounds(ExprArg::convert(begin)?, ExprArg::convert(end)?);
        }
        Domain::try_from_extent(ExprArg::convert(value)?)
    }
    fn is_poison(&self) -> bool {
        [&self.0.min, &self.0.extent].iter().any(|e| is_poison(e.object()))
    }
}

impl Domain {
    /// The domain `0..extent`.
    fn try_from_extent(extent: Expr) -> BuildResult<Domain> {
        match poisoned([&extent]) {
            Some(poison) => Ok(Domain(Range::from_min_extent(poison.clone(), poison))),
            None => Ok(Domain(Range::try_from_extent(extent)?)),
        }
    }

    /// The domain `begin..end`. The start keeps its own type if the extent is constant: a literal `int32` zero may
    /// precede an `int64` extent.
    ///
    /// # Errors
    /// If the bounds have no common type.
    pub fn try_from_bounds(begin: Expr, end: Expr) -> BuildResult<Domain> {
        if let Some(poison) = poisoned([&begin, &end]) {
            return Ok(Domain(Range::from_min_extent(poison.clone(), poison)));
        }
        let extent = extent::length(&begin, end.clone())?;
        Ok(Domain(match extent.as_node::<IntImm>() {
            Some(_) => Range::from_min_extent(begin, extent),
            None => Range::try_from_bounds(begin, end)?,
        }))
    }
}

/// The first poison expression, which stands for an error that is already reported.
pub(super) fn poisoned<const N: usize>(exprs: [&Expr; N]) -> Option<Expr> {
    exprs.into_iter().find(|expr| is_poison(expr.object())).cloned()
}

/// The start of a loop, or its whole range if no two bounds express the length.
#[derive(Debug, Clone)]
pub enum LoopStart {
    /// The first value.
    Bound(Expr),
    /// All values.
    Range(Ref<Range>),
}

impl FromScript for LoopStart {
    const TYPE: PyType = PyType::Union { of: &[ExprArg::TYPE, PyType::node::<Range>()] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        if let Some(range) = value.as_node::<Range>() {
            return Ok(LoopStart::Range(range.clone()));
        }
        // Python treats `bool` bounds of a loop as integers.
        let value = if let ScriptValue::Bool(b) = value { ScriptValue::Int(b.into()) } else { value };
        ExprArg::index(value).map(LoopStart::Bound)
    }
    fn is_poison(&self) -> bool {
        matches!(self, LoopStart::Bound(bound) if is_poison(bound.object()))
    }
}

/// A region of a buffer; a load is the region of one point.
#[derive(Debug, Clone)]
pub struct Region(pub Ref<BufferRegion>);

impl FromScript for Region {
    const TYPE: PyType = PyType::Alias {
        name: "RegionLike",
        is: &PyType::Union {
            of: &[PyType::node::<BufferRegion>(), PyType::node::<BufferLoad>(), PyType::node::<Buffer>()],
        },
    };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        if let Some(region) = value.as_node::<BufferRegion>() {
            return Ok(Region(region.clone()));
        }
        if let Some(load) = value.as_node::<BufferLoad>() {
            return load_to_region(load).map(Region);
        }
        if let Some(buffer) = value.as_node::<Buffer>() {
            return full_region(buffer).map(Region);
        }
        Err(BuildError::expected("a region such as A[0:16, i]", value.type_name()))
    }
    fn is_poison(&self) -> bool {
        is_poison(self.0.object())
    }
}

fn full_region(buffer: &Ref<Buffer>) -> BuildResult<Ref<BufferRegion>> {
    let ranges =
        buffer.shape.iter().map(|e| Range::try_from_extent(e.clone())).collect::<PrimResult<Array<_>>>()?;
    Ok(BufferRegion::try_new(buffer.clone(), ranges)?)
}

/// The region that a load covers: a point, or a ramp with stride 1.
///
/// # Errors
/// If an index is another vector.
pub fn load_to_region(load: &BufferLoad) -> BuildResult<Ref<BufferRegion>> {
    let mut ranges = Vec::with_capacity(load.indices.len());
    for index in load.indices.iter() {
        let ramp = index.as_node::<Ramp>().filter(|r| ops::is_one(&r.stride));
        ranges.push(match ramp {
            Some(ramp) => Range::from_min_extent(ramp.base.clone(), ramp.lanes.clone()),
            None => Range::from_min_extent(index.clone(), IntImm::try_new(index.dtype().element(), 1)?),
        });
    }
    Ok(BufferRegion::try_new(load.buffer.clone(), Array::new(ranges))?)
}

impl FromScript for IterType {
    const TYPE: PyType = PyType::Union { of: &[PyType::STR, PyType::INT] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        let found = match &value {
            ScriptValue::Str(name) => match IterType::ALL.iter().copied().find(|t| t.name() == name.as_str())
            {
                Some(found) => return Ok(found),
                None => format!("`{name}`"),
            },
            ScriptValue::Int(i) => match IterType::from_int(*i) {
                Some(found) => return Ok(found),
                None => i.to_string(),
            },
            other => other.type_name(),
        };
        let names: Vec<&str> = IterType::ALL.iter().map(|t| t.name()).collect();
        Err(BuildError::expected("the name of an iteration type", found).with_help(names.join(", ")))
    }
}

/// A node of class `T`.
#[derive(Debug, Clone)]
pub struct NodeArg<T>(pub Ref<T>);

macro_rules! node_arg {
    ($($ty:ty => $what:literal;)*) => {$(
        impl FromScript for NodeArg<$ty> {
            const TYPE: PyType = PyType::node::<$ty>();
            fn from_script(value: ScriptValue) -> BuildResult<Self> {
                value.as_node::<$ty>().cloned().map(NodeArg).ok_or_else(|| BuildError::expected($what, value.type_name()))
            }
            fn is_poison(&self) -> bool {
                is_poison(self.0.object())
            }
        }
    )*};
}
node_arg! {
    Range => "a range";
    Buffer => "a buffer";
    BufferRegion => "a region such as A[0:16, i]";
    Var => "a variable";
    IterVar => "an iteration variable";
    tvmscript_prim::Type => "a type";
    tvmscript_prim::CommReducer => "a reducer such as `T.comm_reducer(lambda x, y: x + y, [T.float32(0)])`";
}

poison_node! {
    Buffer => Ref::new(Buffer {
        data: Var::poison(),
        dtype: DataType::VOID,
        shape: Array::default(),
        strides: Array::default(),
        axis_separators: Array::default(),
        elem_offset: PrimExpr::poison(),
        name: NameCell::from("poison"),
        data_alignment: 0,
        offset_factor: 0,
        buffer_type: BufferType::Default,
        layout: None,
        span: Span::UNKNOWN,
    });
    BufferRegion => Ref::new(BufferRegion { buffer: Buffer::poison(), region: Array::default() });
    IterVar => Ref::new(IterVar {
        dom: None,
        var: Var::poison(),
        iter_type: IterType::Opaque,
        thread_tag: "".into(),
    });
}
