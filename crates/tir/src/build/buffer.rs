//! Buffers: `T.Buffer`, `T.match_buffer`, `T.alloc_buffer`, `T.decl_buffer`.

use tvmscript_ir_core::{Array, DataType, Ref, Str};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, BuildResult, Builder, FrameOf, FromScript, ScriptValue, script_fn,
};
use tvmscript_prim::{Expr, PrimExprExt, Range, Var};

use super::args::{ExprArg, NodeArg, Region, Shape, Stride};
use super::block::BlockFrame;
use super::frame::{FrameKind, TirFrame, wrong_frame};
use super::function::PrimFuncFrame;
use crate::bare::buffer_dtype_or;
use crate::node::*;

/// The common arguments of the functions that declare buffers.
#[derive(Debug)]
pub struct Declaration {
    /// Extents of the dimensions.
    pub shape: Array<Expr>,
    /// Position of the shape among the arguments.
    pub shape_at: usize,
    /// Element type.
    pub dtype: DataType,
    /// Pointer to the memory; a new one by default.
    pub data: Option<Ref<Var>>,
    /// Strides.
    pub strides: Option<Vec<Stride>>,
    /// Type of the variables that are created for strides given by name.
    pub stride_dtype: DataType,
    /// Offset of the first element, in elements.
    pub elem_offset: Option<Expr>,
    /// Storage scope of a new pointer.
    pub scope: Str,
    /// Alignment in bytes; the default if it is not positive.
    pub align: i64,
    /// Divisor of the offset; 0 for none.
    pub offset_factor: i64,
    /// `default` or `auto`.
    pub buffer_type: Str,
    /// Axes that separate physical dimensions.
    pub axis_separators: Option<Shape>,
}

impl Declaration {
    /// A buffer of a shape and data type.
    pub fn of_shape(shape: Array<Expr>, dtype: DataType) -> Declaration {
        Declaration {
            shape,
            shape_at: 0,
            dtype,
            data: None,
            strides: None,
            stride_dtype: DataType::INT32,
            elem_offset: None,
            scope: "global".into(),
            align: -1,
            offset_factor: 0,
            buffer_type: "default".into(),
            axis_separators: None,
        }
    }

    /// Creates the buffer.
    ///
    /// # Errors
    /// If the parts do not fit each other.
    ///
    /// # Source
    /// `BufferDecl`, `src/script/ir_builder/tir/ir.cc`.
    pub fn build(self) -> BuildResult<Ref<Buffer>> {
        // A broadcasting buffer without strides gets variables for them, except under a name that TVM's parser does
        // not know: passes produce such buffers.
        let mut is_bare = false;
        let buffer_type = match self.buffer_type.as_str() {
            "auto" | "auto_broadcast" => BufferType::AutoBroadcast,
            "" | "default" => BufferType::Default,
            AUTO_WITHOUT_STRIDES => {
                is_bare = true;
                BufferType::Default
            }
            other => {
                return Err(BuildError::message(format!("unknown buffer type \"{other}\""))
                    .at_parameter("buffer_type")
                    .with_help("it is \"default\" or \"auto\""));
            }
        };
        let data =
            self.data.unwrap_or_else(|| Var::with_type("", Buffer::pointer_type(self.dtype, &self.scope)));
        if let Some(extent) = self.shape.first() {
            Range::zero_of(extent).map_err(|e| BuildError::from(e).at_position(self.shape_at))?;
        }
        let index_dtype = self.shape.first().map_or(DataType::INT32, |e| e.dtype());
        let elem_offset = match self.elem_offset {
            None if self.offset_factor != 0 => Some(Var::new("elem_offset", index_dtype).upcast()),
            other => other,
        };
        let stride_dtype = self.stride_dtype;
        let strides = self.strides.unwrap_or_default().into_iter().map(|stride| match stride {
            Stride::Expr(expr) => expr,
            Stride::Name(name) => Var::new(name, stride_dtype).upcast(),
        });
        let buffer = Buffer::try_new(BufferParts {
            data,
            dtype: self.dtype,
            shape: self.shape,
            strides: strides.collect(),
            elem_offset,
            name: "".into(),
            data_alignment: self.align,
            offset_factor: self.offset_factor,
            buffer_type,
            axis_separators: self.axis_separators.unwrap_or_default().0,
        })?;
        if is_bare {
            return Ok(Ref::new(Buffer { buffer_type: BufferType::AutoBroadcast, ..Buffer::clone(&buffer) }));
        }
        Ok(buffer)
    }
}

/// Functions that declare a buffer. They share all parameters except those before the shape and the existing buffer
/// that may replace it. `declare` creates the buffer from a shape, an element type and the type of strides given by
/// name.
macro_rules! buffer_functions {
    ($(
        $(#[$meta:meta])*
        pub fn $name:ident(
            [$($first:ident: $first_ty:ty)?],
            $shape:ident: $shape_ty:ty $(= $no_shape:ident)?,
            $dtype:ident, $has_data:ident,
            align = $align:expr, buffer_type = $buffer_type:expr
            $(, $known:ident)?
        ) -> BuildResult<$out:ty> |$declare:ident| $body:block
    )*) => {$(
        $(#[$meta])*
        pub fn $name(
            $($first: $first_ty,)?
            $(#[default = $no_shape])?
            $shape: $shape_ty,
            #[default = buffer_dtype_or(DataType::FLOAT32)] $dtype: DataType,
            #[default = None] data: Option<NodeArg<Var>>,
            #[default = None] strides: Option<Vec<Stride>>,
            #[default = None] elem_offset: Option<ExprArg>,
            #[default = "global"] scope: Str,
            #[default = $align] align: i64,
            #[default = 0] offset_factor: i64,
            #[default = $buffer_type] buffer_type: Str,
            #[default = None] axis_separators: Option<Shape>,
            $(
                #[kw_only]
                #[default = None]
                $known: Option<NodeArg<Buffer>>,
            )?
        ) -> BuildResult<$out> {
            let $has_data = data.is_some();
            let $declare = |shape: Array<Expr>, dtype: DataType, stride_dtype: DataType| {
                let data = data.map(|data| data.0);
                let elem_offset = elem_offset.map(|offset| offset.0);
                let before: &[&str] = &[$(stringify!($first))?];
                let shape_at = before.len();
                let declaration = Declaration {
                    shape, shape_at, dtype, data, strides, stride_dtype, elem_offset, scope, align, offset_factor,
                    buffer_type, axis_separators,
                };
                declaration.build()
            };
            $body
        }
    )*};
}

buffer_functions! {
    /// A buffer over existing memory, or the annotation of a parameter.
    #[script_fn(name = "Buffer", annotation)]
    pub fn buffer([], shape: Shape, dtype, _has_data, align = 0, buffer_type = "") -> BuildResult<Ref<Buffer>> |declare| {
        declare(shape.0, dtype, DataType::INT32)
    }

    /// A buffer behind a handle parameter, or one that maps a region of another buffer in a block.
    #[script_fn]
    pub fn match_buffer(
        [param: ScriptValue],
        shape: Option<Shape> = None,
        dtype, _has_data, align = -1, buffer_type = "default", buffer
    ) -> BuildResult<Ref<Buffer>> |declare| {
        let source = match param.as_node::<Var>() {
            Some(_) => None,
            None => Some(Region::from_script(param.clone()).map_err(|_| {
                let expected = "a parameter or a region of a buffer";
                BuildError::expected(expected, param.type_name()).at_position(0)
            })?.0),
        };
        let buffer = match (buffer, shape, &source) {
            (Some(NodeArg(known)), _, _) => known,
            (None, Some(Shape(shape)), _) => {
                let stride_dtype = shape.first().map_or(DataType::INT32, |e| e.dtype());
                declare(shape, dtype, stride_dtype)?
            }
            (None, None, Some(region)) => {
                let shape: Array<Expr> = region.region.iter().map(|r| r.extent.clone()).collect();
                let stride_dtype = shape.first().map_or(DataType::INT32, |e| e.dtype());
                declare(shape, region.buffer.dtype, stride_dtype)?
            }
            (None, None, None) => {
                return Err(BuildError::message("`match_buffer` of a parameter is missing the argument `shape`")
                    .at_position(0)
                    .with_help("give the shape, such as `T.match_buffer(a, (16, 16))`"));
            }
        };
        match source {
            None => match_param(&param, &buffer, None)?,
            Some(region) => match_region(region, &buffer)?,
        }
        Ok(buffer)
    }

    /// Allocates a buffer for the enclosing block or function.
    #[script_fn]
    pub fn alloc_buffer(
        [],
        shape: Option<Shape> = None,
        dtype, _has_data, align = -1, buffer_type = "default", buffer
    ) -> BuildResult<Ref<Buffer>> |declare| {
        let buffer = match buffer {
            Some(NodeArg(known)) => known,
            None => declare(required_shape("alloc_buffer", shape)?, dtype, DataType::INT32)?,
        };
        allocate_in_scope("T.alloc_buffer", &buffer)?;
        Ok(buffer)
    }

    /// Declares a buffer over memory for the rest of the scope; without `data`, allocates the memory as well.
    #[script_fn]
    pub fn decl_buffer(
        [],
        shape: Option<Shape> = None,
        dtype, has_data, align = 0, buffer_type = "", buffer
    ) -> BuildResult<FrameOf<TirFrame, Ref<Buffer>>> |declare| {
        let allocates = buffer.is_none() && !has_data;
        let buffer = match buffer {
            Some(NodeArg(known)) => known,
            None => declare(required_shape("decl_buffer", shape)?, dtype, DataType::INT32)?,
        };
        Ok(FrameOf::new(TirFrame::new(FrameKind::DeclBuffer { buffer, allocates })))
    }
}

/// Puts a buffer in the place of one that was just allocated in a block. Returns `false` if there is no such allocation.
#[cfg(feature = "parse")]
pub(crate) fn reallocate(made: &Ref<Buffer>, known: &Ref<Buffer>) -> bool {
    let replaced = Builder::find(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::Block(block) => {
            let last = block.alloc_buffers.last_mut().filter(|last| last.ptr_eq(made));
            Some(last.map(|last| *last = known.clone()).is_some())
        }
        _ => None,
    });
    replaced.ok().flatten().unwrap_or_default()
}

/// Matches a buffer with a parameter of the function. With `value`, the buffer is itself the parameter, and the body holds
/// the value of the handle where the text names it.
///
/// # Errors
/// Outside the top of the function that has the parameter.
pub fn match_param(
    param: &ScriptValue,
    buffer: &Ref<Buffer>,
    value: Option<fn(&Var, &Buffer) -> Expr>,
) -> BuildResult<()> {
    let Some(var) = param.as_node::<Var>() else { return Ok(()) };
    let done = Builder::with_top(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::PrimFunc(func) if func.has_param(var) => {
            func.buffer_map.push((var.clone(), buffer.clone()));
            func.handle_value = value;
            Some(true)
        }
        FrameKind::PrimFunc(_) => Some(false),
        _ => None,
    })?;
    match done.flatten() {
        Some(true) => Ok(()),
        Some(false) => {
            let error =
                BuildError::message(format!("`{}` is not a parameter of the function", var.name.get()));
            Err(error.at_position(0))
        }
        None => Err(wrong_frame("T.match_buffer", "at the top of the function whose parameter it matches")),
    }
}

/// Matches a buffer with a region, in a block.
///
/// # Errors
/// If they do not fit each other, or outside a block.
pub fn match_region(source: Ref<BufferRegion>, buffer: &Ref<Buffer>) -> BuildResult<()> {
    MatchBufferRegion::check(buffer, &source)?;
    let entry = Ref::new(MatchBufferRegion { buffer: buffer.clone(), source });
    if super::function::set_fragment(entry.clone().into()) {
        return Ok(());
    }
    let mut entry = Some(entry);
    let done = Builder::with_top(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::Block(block) => {
            block.match_buffers.extend(entry.take());
            true
        }
        _ => false,
    })?;
    match done {
        Some(true) => Ok(()),
        _ => {
            Err(wrong_frame("T.match_buffer", "directly inside `with T.block(..)` when it matches a region"))
        }
    }
}

/// Adds the buffer to the innermost block, or to the function at its top level.
///
/// # Errors
/// Outside blocks, below the top level of a function.
pub fn allocate_in_scope(function: &str, buffer: &Ref<Buffer>) -> BuildResult<()> {
    let in_block = Builder::find(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::Block(block) => {
            let block: &mut BlockFrame = block;
            block.alloc_buffers.push(buffer.clone());
            Some(())
        }
        _ => None,
    })?;
    if in_block.is_some() {
        return Ok(());
    }
    let at_top = Builder::with_top(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::PrimFunc(func) => {
            let func: &mut PrimFuncFrame = func;
            func.root_alloc.push(buffer.clone());
            true
        }
        _ => false,
    })?;
    match at_top {
        Some(true) => Ok(()),
        _ => Err(wrong_frame(function, "inside `with T.block(..)` or at the top of a function")),
    }
}

/// The shape, which is optional only if an existing buffer is given.
fn required_shape(function: &str, shape: Option<Shape>) -> BuildResult<Array<Expr>> {
    let missing = || BuildErrorKind::MissingArgument { function: function.to_owned(), name: "shape" };
    Ok(shape.ok_or_else(missing)?.0)
}
