//! Buffers: a pointer with a shape.

use tvmscript_ir_core::fresh::Definitions;
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, DataType, IntField, NameCell, Node, Object, Ref, Span, Str};
use tvmscript_prim::{Expr, IntImm, PointerType, PrimExprExt, PrimType, Type, Var, ops};

use crate::error::{TirError, TirResult};

/// Broadcasting behaviour of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferType {
    /// No broadcasting.
    Default = 1,
    /// Dimensions of extent 1 accept any index.
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
    /// The data pointer.
    #[node(def)]
    pub data: Ref<Var>,
    /// The element type.
    pub dtype: DataType,
    /// Elements per dimension.
    #[node(def)]
    pub shape: Array<Expr>,
    /// Distance in elements between consecutive indices, per dimension; empty if contiguous.
    #[node(def)]
    pub strides: Array<Expr>,
    /// Dimensions at which flattening starts a new axis.
    #[node(def)]
    pub axis_separators: Array<Expr>,
    /// Offset of the first element from the pointer, in elements.
    #[node(def)]
    pub elem_offset: Expr,
    /// Hint for the printed name.
    pub name: NameCell,
    /// Alignment of the pointer in bytes.
    pub data_alignment: i64,
    /// A number that divides the offset.
    pub offset_factor: i64,
    /// Broadcasting behaviour.
    pub buffer_type: BufferType,
    /// Order of the elements in memory, in releases that describe it by a node of its own.
    #[node(optional)]
    pub layout: Option<Object>,
    /// Source span.
    pub span: Span,
}

/// Spelling, in scripts, of the type of a broadcasting buffer that has dimensions but no strides.
pub const AUTO_WITHOUT_STRIDES: &str = "auto_without_strides";

/// Alignment in bytes of a buffer whose declaration states none.
pub const DEFAULT_ALIGNMENT: i64 = 64;

/// Arguments of [`Buffer::try_new`].
#[derive(Debug, Clone)]
pub struct BufferParts {
    /// The data pointer.
    pub data: Ref<Var>,
    /// The element type.
    pub dtype: DataType,
    /// Elements per dimension.
    pub shape: Array<Expr>,
    /// Strides; empty if contiguous.
    pub strides: Array<Expr>,
    /// Offset in elements; zero if absent.
    pub elem_offset: Option<Expr>,
    /// The name hint.
    pub name: Str,
    /// Alignment in bytes; 64 if not positive.
    pub data_alignment: i64,
    /// A number that divides the offset; 1 if zero.
    pub offset_factor: i64,
    /// Broadcasting behaviour.
    pub buffer_type: BufferType,
    /// Dimensions at which flattening starts a new axis.
    pub axis_separators: Array<Expr>,
}

impl BufferParts {
    /// The parts of a contiguous buffer in global memory.
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
    /// Creates a buffer, with defaults for absent parts.
    ///
    /// # Errors
    /// If the pointer does not point to a scalar type, or the separators are out of order.
    ///
    /// # Source
    /// `Buffer` constructor, `src/tir/ir/buffer.cc`.
    pub fn try_new(parts: BufferParts) -> TirResult<Ref<Buffer>> {
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
            data_alignment: if parts.data_alignment <= 0 { DEFAULT_ALIGNMENT } else { parts.data_alignment },
            offset_factor: if parts.offset_factor == 0 { 1 } else { parts.offset_factor },
            buffer_type,
            layout: None,
            span: Span::current(),
        }))
    }

    /// Returns `true` for a buffer without strides, separators and offset: all but pointer, type, shape, alignment and
    /// layout is as in [`BufferParts::compact`].
    pub fn is_compact(&self) -> bool {
        let Buffer {
            data: _,
            dtype: _,
            shape: _,
            strides,
            axis_separators,
            elem_offset,
            name: _,
            data_alignment: _,
            offset_factor,
            buffer_type,
            layout: _,
            span: _,
        } = self;
        strides.is_empty()
            && axis_separators.is_empty()
            && ops::is_zero(elem_offset)
            && *offset_factor == 1
            && *buffer_type == BufferType::Default
    }

    /// A use of a buffer defines nothing; its declaration does ([`DefineBuffer`]).
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
            0 => Err(Invalid::at("offset_factor", "the factor is zero")),
            _ => Ok(()),
        }
    }

    /// Checks that the data points to scalars or vectors, and that the separators are ordered axes.
    fn check_parts(data: &Ref<Var>, shape: &Array<Expr>, axis_separators: &Array<Expr>) -> TirResult<()> {
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

    /// Names the buffer, its pointer and its strides. As in TVM, a pointer takes the name of the last buffer declared
    /// over it; texts show its own. A named stride keeps its name, as in the TVM that printed the corpus; v0.23.0 renames it.
    ///
    /// # Source
    /// `Namer` registrations, `src/script/ir_builder/tir/ir.cc`.
    fn give_name_to_parts(&self, name: &Str) {
        let is_own = self.data.name.written() == self.name.text();
        self.name.set(name.clone());
        match is_own {
            true => self.data.name.set(name.clone()),
            false => self.data.name.set_alias(name.clone()),
        }
        for (i, stride) in self.strides.iter().enumerate() {
            if let Some(var) = stride.as_node::<Var>().filter(|var| var.name.get().is_empty()) {
                var.name.set(format!("{name}_s{i}").into());
            }
        }
    }

    /// Fails with [`TirError::Rank`] unless `found` indices or ranges fit the buffer.
    pub(crate) fn check_rank(&self, found: usize) -> TirResult<()> {
        let rank = self.shape.len();
        match rank == found {
            true => Ok(()),
            false => Err(TirError::Rank { buffer: self.name.to_string(), rank, found }),
        }
    }

    /// The storage scope of the pointer.
    pub fn scope(&self) -> Str {
        match self.data.type_annotation.as_node::<PointerType>() {
            Some(p) if !p.storage_scope.is_empty() => p.storage_scope.clone(),
            _ => Str::new("global"),
        }
    }

    /// The default type of an offset: that of the first extent, or `int64` without dimensions.
    ///
    /// # Source
    /// `BufferNode::DefaultIndexType`, `include/tvm/tir/buffer.h`, with `TVM_INDEX_DEFAULT_I64`.
    pub fn index_dtype(shape: &Array<Expr>) -> DataType {
        shape.first().map_or(DataType::INT64, |extent| extent.dtype())
    }

    /// The type of a buffer's data pointer: a scalar bool is stored as `int8`.
    pub fn pointer_type(dtype: DataType, scope: &str) -> Ref<Type> {
        let element = if dtype == DataType::BOOL { DataType::int(8) } else { dtype };
        PointerType::new(PrimType::new(element), scope)
    }

    /// The parameter of a function for a buffer that the text names in its place.
    pub fn implicit_handle(buffer: &str) -> Ref<Var> {
        Var::new(format!("{buffer}_handle"), DataType::HANDLE)
    }

    /// The same memory as a buffer with one dimension per group of dimensions between axis separators.
    ///
    /// # Errors
    /// If a separator or the strides do not fit the dimensions, or an extent overflows.
    ///
    /// # Source
    /// `Buffer::GetFlattenedBuffer`, `src/tir/ir/buffer.cc`.
    pub fn flattened(&self) -> TirResult<Ref<Buffer>> {
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
                if let Some(product) = extents.get_mut(group) {
                    *product = ops::mul(product.clone(), extent.clone())?;
                }
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
            first.map(extent).collect::<TirResult<_>>()?
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

/// Definitions that declarations of a buffer make, for copies with fresh definitions.
pub(crate) trait DefineBuffer {
    /// Defines the buffer over existing memory.
    fn define_declared(&self, definitions: &mut Definitions);
    /// Defines the buffer and its memory.
    fn define_allocated(&self, definitions: &mut Definitions);
    /// Defines the buffer, its memory, and the variables of its layout that have no definition yet.
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
