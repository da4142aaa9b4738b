//! Buffers: a pointer with a shape.

use tvmscript_ir_core::fresh::Definitions;
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, DataType, IntField, NameCell, Node, Ref, Span, Str};
use tvmscript_prim::{Expr, IntImm, PointerType, PrimExprExt, PrimType, Type, Var, ops};

use crate::error::{Result, TirError};

/// How a buffer meets indices of a smaller shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferType {
    /// As declared.
    Default = 1,
    /// Dimensions of extent 1 stand for any index.
    AutoBroadcast = 2,
}

impl IntField for BufferType {
    fn to_int(self) -> i64 {
        self as i64
    }
    fn from_int(value: i64) -> Option<Self> {
        [BufferType::Default, BufferType::AutoBroadcast].into_iter().find(|k| *k as i64 == value)
    }
}

/// A pointer with a shape, element type and layout.
#[derive(Debug, Clone, Node)]
#[node(
    key = "tir.Buffer",
    namer = Buffer::give_name_to_parts,
    check = Buffer::check,
    defines = Buffer::defines
)]
pub struct Buffer {
    /// The pointer.
    #[node(def)]
    pub data: Ref<Var>,
    /// The element type.
    pub dtype: DataType,
    /// Elements per dimension.
    #[node(def)]
    pub shape: Array<Expr>,
    /// Elements from one index to the next, per dimension; empty when contiguous.
    #[node(def)]
    pub strides: Array<Expr>,
    /// Where flattening keeps dimensions apart.
    #[node(def)]
    pub axis_separators: Array<Expr>,
    /// The first element, counted in elements from the pointer.
    #[node(def)]
    pub elem_offset: Expr,
    /// A hint for the printed name.
    #[node(skip_eq)]
    pub name: NameCell,
    /// The pointer's alignment in bytes.
    pub data_alignment: i64,
    /// What the offset is a multiple of.
    pub offset_factor: i64,
    /// How the buffer meets indices of a smaller shape.
    pub buffer_type: BufferType,
    /// Where it was declared.
    pub span: Span,
}

/// What scripts call the type of a broadcasting buffer of some dimensions that has no strides all the same.
pub const AUTO_WITHOUT_STRIDES: &str = "auto_without_strides";

/// What a buffer is made of; the rest has defaults.
#[derive(Debug, Clone)]
pub struct BufferParts {
    /// The pointer.
    pub data: Ref<Var>,
    /// The element type.
    pub dtype: DataType,
    /// Elements per dimension.
    pub shape: Array<Expr>,
    /// Strides, perhaps none.
    pub strides: Array<Expr>,
    /// The offset; zero when absent.
    pub elem_offset: Option<Expr>,
    /// The name hint.
    pub name: Str,
    /// Alignment in bytes; 64 when not positive.
    pub data_alignment: i64,
    /// What the offset is a multiple of; 1 when zero.
    pub offset_factor: i64,
    /// How the buffer meets indices of a smaller shape.
    pub buffer_type: BufferType,
    /// Where flattening keeps dimensions apart.
    pub axis_separators: Array<Expr>,
}

impl BufferParts {
    /// The parts of a buffer in global memory whose elements lie side by side.
    pub fn compact(name: &str, dtype: DataType, shape: impl IntoIterator<Item = Expr>) -> BufferParts {
        BufferParts {
            data: Var::with_type(name, Buffer::pointer_type(dtype, "global")),
            dtype,
            shape: Array::new(shape),
            strides: Array::default(),
            elem_offset: None,
            name: name.into(),
            data_alignment: 0,
            offset_factor: 0,
            buffer_type: BufferType::Default,
            axis_separators: Array::default(),
        }
    }
}

impl Buffer {
    /// A buffer of these parts, absent ones set to their defaults.
    /// # Errors
    /// When the pointer's type is no pointer to a scalar type, or the separators are out of order.
    /// # Source
    /// `Buffer` constructor, `src/tir/ir/buffer.cc`.
    pub fn try_new(parts: BufferParts) -> Result<Ref<Buffer>> {
        let BufferParts { data, dtype, shape, mut strides, name, axis_separators, buffer_type, .. } = parts;
        Buffer::check_parts(&data, &shape, &axis_separators)?;
        let index_dtype = Buffer::index_dtype(&shape);
        let elem_offset = match parts.elem_offset {
            Some(offset) => offset,
            None => IntImm::try_new(index_dtype, 0)?,
        };
        if buffer_type == BufferType::AutoBroadcast && strides.is_empty() {
            strides = shape.iter().map(|e| Var::new("stride", e.dtype()).upcast()).collect();
        }
        Ok(Ref::new(Buffer {
            data,
            dtype,
            shape,
            strides,
            axis_separators,
            elem_offset,
            name: NameCell::from(name),
            data_alignment: if parts.data_alignment <= 0 { 64 } else { parts.data_alignment },
            offset_factor: if parts.offset_factor == 0 { 1 } else { parts.offset_factor },
            buffer_type,
            span: Span::current(),
        }))
    }

    /// A use of a buffer defines nothing; what declares it does ([`Buffer::define_allocated`]).
    fn defines(&self, _: &mut Definitions) {}

    fn check(&self) -> Checked {
        Buffer::check_parts(&self.data, &self.shape, &self.axis_separators).map_err(|error| match error {
            TirError::AxisSeparators { .. } => Invalid::at("axis_separators", error),
            error => Invalid::at("data", error),
        })?;
        if self.data_alignment <= 0 {
            return Err(Invalid::at(
                "data_alignment",
                format_args!("{} is not positive", self.data_alignment),
            ));
        }
        match self.offset_factor {
            0 => Err(Invalid::at("offset_factor", "nothing is a multiple of 0 but 0")),
            _ => Ok(()),
        }
    }

    /// The data is a pointer to scalars or vectors, and the separators are axes in order.
    fn check_parts(data: &Ref<Var>, shape: &Array<Expr>, axis_separators: &Array<Expr>) -> Result<()> {
        let points_to_scalars = data
            .type_annotation
            .as_node::<PointerType>()
            .is_some_and(|p| p.element_type.as_node::<PrimType>().is_some());
        if !points_to_scalars {
            return Err(TirError::BufferData { name: data.name.get().to_string() });
        }
        let mut last = 0;
        for separator in axis_separators.iter() {
            let value = separator.as_node::<IntImm>().map_or(-1, |i| i.value);
            if value < last || value > shape.len() as i64 {
                return Err(TirError::AxisSeparators { rank: shape.len() });
            }
            last = value;
        }
        Ok(())
    }

    /// Names the buffer, its pointer and its strides. A pointer takes the name of the buffer declared over it last, as in
    /// TVM. A stride that has a name keeps it: so does the TVM that printed the corpus, while v0.23.0 renames it.
    /// # Source
    /// `Namer` registrations, `src/script/ir_builder/tir/ir.cc`.
    fn give_name_to_parts(&self, name: &Str) {
        self.name.set(name.clone());
        self.data.name.set(name.clone());
        for (i, stride) in self.strides.iter().enumerate() {
            if let Some(var) = stride.as_node::<Var>().filter(|var| var.name.get().is_empty()) {
                var.name.set(format!("{name}_s{i}").into());
            }
        }
    }

    /// The storage scope of the pointer.
    pub fn scope(&self) -> Str {
        match self.data.type_annotation.as_node::<PointerType>() {
            Some(p) if !p.storage_scope.is_empty() => p.storage_scope.clone(),
            _ => Str::new("global"),
        }
    }

    /// The type of an offset that is not given: that of the first extent, and `int64` where there is none.
    /// # Source
    /// `BufferNode::DefaultIndexType`, `include/tvm/tir/buffer.h`, with `TVM_INDEX_DEFAULT_I64`.
    pub fn index_dtype(shape: &Array<Expr>) -> DataType {
        shape.first().map_or(DataType::INT64, |extent| extent.dtype())
    }

    /// The pointer type of a buffer's data: a scalar bool is stored as `int8`.
    pub fn pointer_type(dtype: DataType, scope: &str) -> Ref<Type> {
        let element = if dtype == DataType::BOOL { DataType::int(8) } else { dtype };
        PointerType::new(PrimType::new(element), scope)
    }

    /// The same memory as a buffer with one dimension for each group of dimensions that the axis separators keep apart.
    ///
    /// # Errors
    /// When a separator or the strides do not fit the dimensions, or an extent overflows.
    /// # Source
    /// `Buffer::GetFlattenedBuffer`, `src/tir/ir/buffer.cc`.
    pub fn flattened(&self) -> Result<Ref<Buffer>> {
        let rank = self.shape.len();
        let wrong = || TirError::AxisSeparators { rank };
        let mut separators = Vec::with_capacity(self.axis_separators.len());
        for separator in self.axis_separators.iter() {
            let at = ops::int_value(separator).and_then(|at| usize::try_from(at).ok()).ok_or_else(wrong)?;
            if at > rank || separators.last().is_some_and(|last| *last > at) {
                return Err(wrong());
            }
            separators.push(at);
        }
        let extents: Vec<Expr> = if self.strides.is_empty() {
            let mut extents = vec![IntImm::int32(1); separators.len() + 1];
            for (dim, extent) in self.shape.iter().enumerate() {
                let group = separators.iter().filter(|at| **at <= dim).count();
                extents[group] = ops::mul(extents[group].clone(), extent.clone())?;
            }
            extents
        } else {
            if self.strides.len() != rank {
                let what = "strides and dimensions";
                return Err(TirError::Count { what, left: self.strides.len(), right: rank });
            }
            let first = std::iter::once(0).chain(separators.iter().copied());
            let extent = |dim: usize| match (self.strides.get(dim), self.shape.get(dim)) {
                (Some(stride), Some(extent)) => Ok(ops::mul(stride.clone(), extent.clone())?),
                _ => Err(wrong()),
            };
            first.map(extent).collect::<Result<_>>()?
        };
        if extents.len() == rank && self.strides.is_empty() {
            return Ok(Ref::new(self.clone()));
        }
        let separators = self.axis_separators.iter().zip(1..).map(|(s, at)| IntImm::try_new(s.dtype(), at));
        let axis_separators = separators.collect::<std::result::Result<Array<Expr>, _>>()?;
        let strides = Array::default();
        Ok(Ref::new(Buffer { shape: Array::new(extents), strides, axis_separators, ..self.clone() }))
    }
}

/// What declarations of a buffer define, for copies with fresh definitions.
pub(crate) trait DefineBuffer {
    /// The buffer alone: its memory is there already.
    fn define_declared(&self, definitions: &mut Definitions);
    /// The buffer and its memory.
    fn define_allocated(&self, definitions: &mut Definitions);
    /// The buffer, its memory, and the variables of its layout that stand here for the first time.
    fn define_matched(&self, definitions: &mut Definitions);
}

impl DefineBuffer for Ref<Buffer> {
    fn define_declared(&self, definitions: &mut Definitions) {
        definitions.define(self.object());
    }

    fn define_allocated(&self, definitions: &mut Definitions) {
        self.define_declared(definitions);
        definitions.define(self.data.object());
    }

    fn define_matched(&self, definitions: &mut Definitions) {
        self.define_allocated(definitions);
        let layout = self.shape.iter().chain(self.strides.iter()).chain([&self.elem_offset]);
        for variable in layout.filter(|part| part.is::<Var>()) {
            definitions.define_unless_used(variable.object());
        }
    }
}
