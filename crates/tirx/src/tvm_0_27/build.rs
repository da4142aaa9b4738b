//! Script functions: buffers with layouts, and attributes.

use tvmscript_ir_core::{Array, DataType, Map, Object, Ref, Span, Str, Value};
use tvmscript_irbuilder::{
    BuildError, BuildResult, Builder, DictKey, FrameOf, FromScript, HostObject, PyType, ScriptValue,
    script_fn,
};
use tvmscript_prim::{Expr, IntImm, PointerType, PrimExprExt, Range, Type, Var, ops};
use tvmscript_tir::build::args::{ExprArg, LoopStart, NodeArg, Region, Shape, Stride};
use tvmscript_tir::build::buffer::{Declaration, allocate_in_scope, match_param, match_region};
use tvmscript_tir::build::frame::FrameKind;
use tvmscript_tir::build::loops::one_loop;
use tvmscript_tir::build::operator::DTYPE_CONVENTION;
use tvmscript_tir::build::types::TypeArg;
use tvmscript_tir::build::{TirFrame, function};
use tvmscript_tir::op::bits::REINTERPRET as REINTERPRET_OP;
use tvmscript_tir::op::memory::TVM_STRUCT_GET as STRUCT_GET_OP;
use tvmscript_tir::{Buffer, BufferLoad, ForKind};

use super::layout::TileLayout;
use super::scalar;
use super::{SCHEDULABLE, calls};
use crate::made::narrow;
use crate::node::{AllocBuffer, DeclBuffer};

/// The layout of a declared buffer.
#[derive(Debug, Clone, Default)]
pub enum LayoutArg {
    /// Row-major order, or none in a function that schedules work on.
    #[default]
    Default,
    /// The given one.
    Given(Option<Object>),
}

impl FromScript for LayoutArg {
    const TYPE: PyType = PyType::ANY;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match value {
            ScriptValue::None => Ok(LayoutArg::Given(None)),
            ScriptValue::Str(name) if name == "default" => Ok(LayoutArg::Default),
            ScriptValue::Node(node) if node.is::<TileLayout>() => Ok(LayoutArg::Given(Some(node))),
            other => Err(BuildError::expected("a layout", other.type_name())),
        }
    }
}

/// A shape with dimensions that are given by text, which the head of a function resolves.
#[derive(Debug, Clone)]
pub struct TextShape(Vec<ScriptValue>);

impl FromScript for TextShape {
    const TYPE: PyType = Shape::TYPE;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        Ok(TextShape(value.items().unwrap_or_else(|| vec![value])))
    }
}

/// A buffer with dimensions that are given by text.
pub(crate) struct TextBuffer {
    /// The dimensions.
    pub(crate) shape: Vec<ScriptValue>,
    rest: Parts,
}

impl HostObject for TextBuffer {
    fn type_name(&self) -> &str {
        "a buffer whose shape contains text"
    }

    fn advice(&self) -> Option<String> {
        Some("only annotations of parameters define variables by text, as in `T.Buffer((\"n\",))`".to_owned())
    }
}

impl TextBuffer {
    /// The buffer with the values of its dimensions.
    pub(crate) fn with_shape(&self, shape: Array<Expr>) -> BuildResult<Ref<Buffer>> {
        self.rest.clone().build(shape)
    }
}

/// The arguments of a declaration beside the shape.
#[derive(Debug, Clone)]
struct Parts {
    dtype: DataType,
    strides: Option<Vec<Stride>>,
    stride_dtype: DataType,
    elem_offset: Option<Expr>,
    scope: Str,
    align: i64,
    offset_factor: i64,
    layout: LayoutArg,
}

impl Parts {
    fn build(self, shape: Array<Expr>) -> BuildResult<Ref<Buffer>> {
        let Parts { dtype, strides, stride_dtype, elem_offset, scope, align, offset_factor, layout } = self;
        let layout = match layout {
            LayoutArg::Given(layout) => layout,
            LayoutArg::Default if function::has_attr(SCHEDULABLE) => None,
            LayoutArg::Default => Some(TileLayout::of_shape(&shape)?.into()),
        };
        let declaration = Declaration {
            strides,
            stride_dtype,
            elem_offset,
            scope,
            align,
            offset_factor,
            ..Declaration::of_shape(shape, dtype)
        };
        let buffer = declaration.build()?;
        Ok(with_layout(buffer, layout))
    }
}

/// The buffer with a layout.
pub(crate) fn with_layout(buffer: Ref<Buffer>, layout: Option<Object>) -> Ref<Buffer> {
    match layout {
        None => buffer,
        layout => Ref::new(Buffer { layout, ..Buffer::clone(&buffer) }),
    }
}

/// The offset in elements, from one in elements or in bytes.
fn offset(
    elem_offset: Option<ExprArg>,
    byte_offset: Option<ExprArg>,
    dtype: DataType,
) -> BuildResult<Option<Expr>> {
    match (elem_offset, byte_offset) {
        (Some(_), Some(_)) => {
            Err(BuildError::message("a buffer has `elem_offset` or `byte_offset`, not both"))
        }
        (None, Some(bytes)) => {
            let bits = ops::mul(bytes.0.clone(), ops::make_const(bytes.0.dtype(), 8)?)?;
            Ok(Some(ops::floordiv(bits, ops::make_const(bytes.0.dtype(), i64::from(dtype.bits))?)?))
        }
        (elem_offset, None) => Ok(elem_offset.map(|offset| offset.0)),
    }
}

/// A buffer of other shape, type, offset and layout, with the scope, strides and alignment of this one.
pub(crate) fn with_parts(
    buffer: &Buffer,
    shape: Array<Expr>,
    dtype: DataType,
    elem_offset: Expr,
    layout: Option<Object>,
) -> BuildResult<Ref<Buffer>> {
    let strides = buffer.strides.iter().cloned().map(Stride::Expr).collect();
    let parts = Parts {
        dtype,
        strides: Some(strides),
        stride_dtype: DataType::INT32,
        elem_offset: Some(elem_offset),
        scope: buffer.scope(),
        align: buffer.data_alignment,
        offset_factor: buffer.offset_factor,
        layout: LayoutArg::Given(layout),
    };
    parts.build(shape)
}

/// `T.float32[4]`: the annotation of a buffer in the memory of a thread.
pub(crate) struct Vector {
    dtype: DataType,
    shape: Array<Expr>,
}

impl HostObject for Vector {
    fn type_name(&self) -> &str {
        "the annotation of a buffer"
    }
}

impl Vector {
    /// Allocates the buffer.
    pub(crate) fn allocate(&self) -> BuildResult<Ref<Buffer>> {
        alloc_local_of(self.shape.clone(), self.dtype)
    }
}

fn alloc_local_of(shape: Array<Expr>, dtype: DataType) -> BuildResult<Ref<Buffer>> {
    let parts = Parts {
        dtype,
        strides: None,
        stride_dtype: DataType::INT32,
        elem_offset: None,
        scope: scalar::SCOPE.into(),
        align: 0,
        offset_factor: 0,
        layout: LayoutArg::Default,
    };
    let buffer = parts.build(shape)?;
    allocate(&buffer, None)?;
    Ok(buffer)
}

/// Functions that declare a buffer. They share all parameters except those before the shape.
macro_rules! buffer_functions {
    ($(
        $(#[$meta:meta])*
        pub fn $name:ident(
            [$($first:ident: $first_ty:ty)?],
            $shape:ident: $shape_ty:ty $(= $no_shape:ident)?,
            $scope:ident = $default_scope:literal, $data:ident
            $(, $annotations:ident)?
        ) -> BuildResult<$out:ty> |$parts:ident| $body:block
    )*) => {$(
        $(#[$meta])*
        pub fn $name(
            $($first: $first_ty,)?
            $(#[default = $no_shape])?
            $shape: $shape_ty,
            #[default = DataType::FLOAT32] dtype: DataType,
            #[default = None] $data: Option<ExprArg>,
            #[default = None] strides: Option<Vec<Stride>>,
            #[default = None] elem_offset: Option<ExprArg>,
            #[default = None] byte_offset: Option<ExprArg>,
            #[default = $default_scope] $scope: Str,
            #[default = 0] align: i64,
            #[default = 0] offset_factor: i64,
            #[default = LayoutArg::Default] layout: LayoutArg,
            $(
                #[default = None]
                $annotations: Option<Map<Str, Value>>,
            )?
        ) -> BuildResult<$out> {
            let elem_offset = offset(elem_offset, byte_offset, dtype)?;
            #[allow(unused_mut)]
            let mut $parts = Parts {
                dtype, strides, stride_dtype: DataType::INT32, elem_offset, scope: $scope, align, offset_factor, layout,
            };
            $body
        }
    )*};
}

/// The literal that TVM stores for a number in the annotations of an allocation.
fn literal(value: &Value) -> Value {
    match *value {
        Value::Bool(value) => IntImm::bool(value).into(),
        Value::Int(value) => narrow(value).into(),
        _ => value.clone(),
    }
}

/// Adds the allocation of a buffer.
fn allocate(buffer: &Ref<Buffer>, annotations: Option<Map<Str, Value>>) -> BuildResult<()> {
    let entries = annotations.unwrap_or_default();
    let annotations = Map::new(entries.iter().map(|(key, value)| (key.clone(), literal(value))));
    TirFrame::add(
        Ref::new(AllocBuffer { span: Span::current(), buffer: buffer.clone(), annotations }).upcast(),
    )
}

/// Adds the declaration of a buffer over memory, and returns the buffer.
pub(crate) fn declare(mut buffer: Ref<Buffer>, data: Expr) -> BuildResult<Ref<Buffer>> {
    let shares_pointers = Builder::context::<KeepsHandles>().is_some();
    let data = match data.downcast_ref::<Var>().filter(|_| shares_pointers) {
        Some(pointer) => {
            buffer = Ref::new(Buffer { data: pointer.clone(), ..Buffer::clone(&buffer) });
            None
        }
        None => Some(data),
    };
    let declared = DeclBuffer { span: Span::current(), buffer: buffer.clone(), data };
    TirFrame::add(Ref::new(declared).upcast())?;
    Ok(buffer)
}

buffer_functions! {
    /// A buffer, as the annotation of a parameter or without a declaration.
    #[script_fn(name = "Buffer", annotation)]
    pub fn buffer([], shape: TextShape, scope = "global", _data) -> BuildResult<ScriptValue> |parts| {
        if shape.0.iter().any(|extent| matches!(extent, ScriptValue::Str(_))) {
            return Ok(ScriptValue::host(TextBuffer { shape: shape.0, rest: parts }));
        }
        let shape: Array<Expr> = shape.0.into_iter().map(ExprArg::convert).collect::<BuildResult<_>>()?;
        parts.build(shape).map(Into::into)
    }

    /// A buffer behind a handle parameter, or one that maps a region of another buffer in a block.
    #[script_fn]
    pub fn match_buffer(
        [param: ScriptValue], shape: Option<Shape> = None, scope = "global", _data
    ) -> BuildResult<Ref<Buffer>> |parts| {
        let region = match param.as_node::<Var>() {
            Some(_) => None,
            None => Some(Region::from_script(param.clone()).map_err(|_| {
                let expected = "a parameter or a region of a buffer";
                BuildError::expected(expected, param.type_name()).at_position(0)
            })?.0),
        };
        let shape: Array<Expr> = match (shape, &region) {
            (Some(shape), _) => shape.0,
            (None, Some(region)) => {
                parts.dtype = region.buffer.dtype;
                region.region.iter().map(|range: &Ref<Range>| range.extent.clone()).collect()
            }
            (None, None) => {
                return Err(BuildError::message("`match_buffer` of a parameter is missing the argument `shape`")
                    .at_position(0)
                    .with_help("give the shape, such as `T.match_buffer(a, (16, 16))`"));
            }
        };
        parts.stride_dtype = shape.first().map_or(DataType::INT32, |extent| extent.dtype());
        let buffer = parts.build(shape)?;
        match region {
            None => {
                let keeps_handles = Builder::context::<KeepsHandles>().is_some();
                let value: fn(&Var, &Buffer) -> Expr = calls::handle_value;
                match_param(&param, &buffer, (!keeps_handles).then_some(value))?
            }
            Some(region) => match_region(region, &buffer)?,
        }
        Ok(buffer)
    }

    /// Allocates a buffer until the end of the enclosing scope.
    #[script_fn]
    pub fn alloc_buffer([], shape: Shape, scope = "global", _data, annotations) -> BuildResult<Ref<Buffer>> |parts| {
        let buffer = parts.build(shape.0)?;
        allocate(&buffer, annotations)?;
        Ok(buffer)
    }

    /// Allocates a buffer in shared memory.
    #[script_fn]
    pub fn alloc_shared([], shape: Shape, scope = "shared", _data, annotations) -> BuildResult<Ref<Buffer>> |parts| {
        let buffer = parts.build(shape.0)?;
        allocate(&buffer, annotations)?;
        Ok(buffer)
    }

    /// Allocates a buffer in the memory of a thread.
    #[script_fn]
    pub fn alloc_local([], shape: Shape, scope = "local", _data, annotations) -> BuildResult<Ref<Buffer>> |parts| {
        let buffer = parts.build(shape.0)?;
        allocate(&buffer, annotations)?;
        Ok(buffer)
    }

    /// Allocates a buffer for the enclosing block or function.
    #[script_fn]
    pub fn sblock_alloc_buffer([], shape: Shape, scope = "global", _data) -> BuildResult<Ref<Buffer>> |parts| {
        let buffer = parts.build(shape.0)?;
        allocate_in_scope("T.sblock_alloc_buffer", &buffer)?;
        Ok(buffer)
    }

    /// Declares a buffer over existing memory until the end of the enclosing scope; without `data`, allocates it.
    #[script_fn]
    pub fn decl_buffer([], shape: Shape, scope = "global", data) -> BuildResult<Ref<Buffer>> |parts| {
        let buffer = parts.build(shape.0)?;
        match data {
            Some(data) => declare(buffer, data.0),
            None => allocate(&buffer, None).map(|()| buffer),
        }
    }
}

/// Context of releases whose variables in memory have no layout.
#[derive(Debug)]
pub(crate) struct WithoutLayout;

/// Context of releases whose functions have handles that buffers are matched to, and whose declared buffers share pointers.
#[derive(Debug)]
pub(crate) struct KeepsHandles;

/// A new variable in memory.
pub(crate) fn new_scalar(dtype: DataType, scope: &str) -> BuildResult<Ref<Buffer>> {
    let shape: Array<Expr> = Array::new([ops::make_const(DataType::INT32, 1)?]);
    let layout = match Builder::context::<WithoutLayout>() {
        Some(_) => None,
        None => Some(TileLayout::of_shape(&shape)?.into()),
    };
    let layout = LayoutArg::Given(layout);
    let parts = Parts {
        dtype,
        strides: None,
        stride_dtype: DataType::INT32,
        elem_offset: None,
        scope: scope.into(),
        align: 0,
        offset_factor: 0,
        layout,
    };
    let buffer = parts.build(shape)?;
    allocate(&buffer, None)?;
    Ok(buffer)
}

/// The element of a variable in memory.
pub(crate) fn element(buffer: &Ref<Buffer>) -> BuildResult<Expr> {
    let zero = ops::make_const(DataType::INT32, 0)?;
    Ok(BufferLoad::try_new(buffer.clone(), Array::new([zero]), None)?)
}

/// A variable in memory that has no name yet.
pub(crate) struct Unnamed(pub(crate) Ref<Buffer>);

impl HostObject for Unnamed {
    fn type_name(&self) -> &str {
        "a new variable"
    }

    fn advice(&self) -> Option<String> {
        Some("give it a name: `x = T.local_scalar(\"int32\")`".to_owned())
    }
}

/// A variable in memory.
#[script_fn]
pub fn alloc_scalar(
    #[default = DataType::FLOAT32] dtype: DataType,
    #[default = "global"] scope: Str,
) -> BuildResult<ScriptValue> {
    Ok(ScriptValue::host(Unnamed(new_scalar(dtype, &scope)?)))
}

/// A variable in the memory of a thread.
#[script_fn]
pub fn local_scalar(#[default = DataType::FLOAT32] dtype: DataType) -> BuildResult<ScriptValue> {
    Ok(ScriptValue::host(Unnamed(new_scalar(dtype, scalar::SCOPE)?)))
}

/// A variable in shared memory.
#[script_fn]
pub fn shared_scalar(#[default = DataType::FLOAT32] dtype: DataType) -> BuildResult<ScriptValue> {
    Ok(ScriptValue::host(Unnamed(new_scalar(dtype, "shared")?)))
}

/// Sets an attribute for the rest of the scope; `T.attr({"key": value})` sets attributes of no object.
#[script_fn]
pub fn attr(
    node: ScriptValue,
    #[default = None] attr_key: Option<Str>,
    #[default = None] value: Option<ExprArg>,
) -> BuildResult<FrameOf<TirFrame>> {
    let entries = match (&node, attr_key, value) {
        (ScriptValue::Dict(dict), None, None) => {
            let nothing: Value = ops::make_const(DataType::INT32, 0)?.into();
            let dict = dict.borrow();
            let entry = |(key, value): (&DictKey, &ScriptValue)| {
                Ok((nothing.clone(), Str::from_script(key.0.clone())?, ExprArg::convert(value.clone())?))
            };
            dict.iter().map(entry).collect::<BuildResult<Vec<_>>>()?
        }
        (_, Some(key), Some(value)) => {
            let node = match node {
                ScriptValue::Int(_) | ScriptValue::Float(_) | ScriptValue::Bool(_) => {
                    ExprArg::convert(node)?.into()
                }
                other => Value::from_script(other).map_err(|e| e.at_position(0))?,
            };
            vec![(node, key, value.0)]
        }
        _ => {
            let error = BuildError::message("`T.attr` takes an object, a key and a value, or a dictionary");
            return Err(error.with_help("write `T.attr({\"key\": value})` or `T.attr(A, \"key\", value)`"));
        }
    };
    Ok(FrameOf::new(TirFrame::new(FrameKind::Attrs(entries))))
}

/// `T.let`: the annotation of a binding.
pub(crate) struct Let(pub(crate) Option<ScriptValue>);

impl HostObject for Let {
    fn type_name(&self) -> &str {
        "the annotation `T.let`"
    }

    fn subscript(&self, index: &ScriptValue) -> Option<BuildResult<ScriptValue>> {
        Some(Ok(ScriptValue::host(Let(Some(index.clone())))))
    }
}

impl Let {
    /// A new variable of the type, or of that of the value.
    pub(crate) fn variable(&self, value: &Expr) -> BuildResult<Ref<Var>> {
        match &self.0 {
            Some(annotation) => Ok(Var::with_type("", TypeArg::from_script(annotation.clone())?.0)),
            None => Ok(Var::with_type("", calls::type_of(value))),
        }
    }
}

/// The type of a call: a data type, or a pointer to elements.
#[derive(Debug, Clone)]
pub enum ResultArg {
    /// `T.handle().ty`, `"float32"`
    Dtype(DataType),
    /// `T.handle("float32").ty`
    Pointer(Ref<Type>),
}

impl FromScript for ResultArg {
    const TYPE: PyType = PyType::Union { of: &[<DataType as FromScript>::TYPE, PyType::node::<Type>()] };

    fn from_script(value: ScriptValue) -> BuildResult<ResultArg> {
        match value.as_node::<Type>().filter(|ty| ty.is::<PointerType>()) {
            Some(ty) => Ok(ResultArg::Pointer(ty.clone())),
            None => DataType::from_script(value).map(ResultArg::Dtype),
        }
    }
}

/// The bits of a value as another type of the same size; a pointer stays a call.
#[script_fn(around = DTYPE_CONVENTION)]
pub fn reinterpret(dtype: ResultArg, value: ExprArg) -> BuildResult<Expr> {
    match dtype {
        ResultArg::Pointer(ty) => Ok(calls::typed(&REINTERPRET_OP, [value.0], ty)),
        ResultArg::Dtype(dtype) if dtype.is_handle() => Ok(REINTERPRET_OP.call(dtype, [value.0])),
        ResultArg::Dtype(dtype) => Ok(ops::reinterpret(dtype, value.0)?),
    }
}

/// Field of a structure of the runtime.
#[script_fn]
pub fn tvm_struct_get(arr: ExprArg, index: ExprArg, field: ExprArg, dtype: ResultArg) -> BuildResult<Expr> {
    let args = [arr.0, index.0, field.0];
    Ok(match dtype {
        ResultArg::Pointer(ty) => calls::typed(&STRUCT_GET_OP, args, ty),
        ResultArg::Dtype(dtype) => STRUCT_GET_OP.call(dtype, args),
    })
}

/// Waits until all threads of a storage scope arrive.
#[script_fn]
pub fn tvm_storage_sync(
    storage_scope: ExprArg,
    #[default = None] is_load: Option<ExprArg>,
    #[default = None] num_blocks: Option<ExprArg>,
) -> BuildResult<Expr> {
    Ok(calls::storage_sync(storage_scope.0, is_load.map(|is_load| is_load.0), num_blocks.map(|n| n.0)))
}

/// The value of `unroll=`, as an annotation of the loop.
fn with_unroll(
    annotations: Option<Map<Str, Value>>,
    unroll: Option<ScriptValue>,
) -> BuildResult<Option<Map<Str, Value>>> {
    let (key, value) = match unroll {
        None | Some(ScriptValue::None) => return Ok(annotations),
        Some(ScriptValue::Bool(true)) => ("pragma_unroll", Value::Bool(true)),
        Some(ScriptValue::Bool(false)) => ("disable_unroll", Value::Bool(true)),
        Some(ScriptValue::Int(factor)) if factor > 0 => ("pragma_unroll", Value::Int(factor)),
        Some(other) => {
            return Err(
                BuildError::expected("a bool or a positive number", other.type_name()).at_parameter("unroll")
            );
        }
    };
    let before = annotations.unwrap_or_default();
    let entries = before.iter().map(|(key, value)| (key.clone(), value.clone()));
    Ok(Some(Map::new(entries.chain([(Str::new(key), value)]).collect::<Vec<_>>())))
}

/// Loops from `start` to `stop`, or from zero to `start`.
macro_rules! loop_functions {
    ($($(#[$doc:meta])* $name:ident, $text:literal, $kind:ident;)*) => {$(
        $(#[$doc])*
        #[script_fn]
        pub fn $name(
            start: LoopStart,
            #[default = None] stop: Option<ExprArg>,
            #[kw_only]
            #[default = None]
            annotations: Option<Map<Str, Value>>,
            #[kw_only]
            #[default = None]
            step: Option<ExprArg>,
            #[kw_only]
            #[default = None]
            unroll: Option<ScriptValue>,
            #[kw_only]
            #[default = None]
            var: Option<NodeArg<Var>>,
        ) -> BuildResult<FrameOf<TirFrame, Ref<Var>>> {
            let annotations = with_unroll(annotations, unroll)?;
            let (stop, step) = (stop.map(|stop| stop.0), step.map(|step| step.0));
            one_loop($text, ForKind::$kind, start, stop, annotations, step, var)
        }
    )*};
}

loop_functions! {
    /// A loop whose iterations run in order.
    serial, "T.serial", Serial;
    /// A loop whose iterations run in parallel.
    parallel, "T.parallel", Parallel;
    /// A loop whose iterations run as one vector operation.
    vectorized, "T.vectorized", Vectorized;
    /// A loop that is unrolled.
    unroll, "T.unroll", Unrolled;
}
