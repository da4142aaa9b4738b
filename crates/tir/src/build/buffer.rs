//! Buffers: `T.Buffer`, `T.match_buffer`, `T.alloc_buffer`, `T.decl_buffer`.

use tvmscript_ir_core::{Array, DataType, Ref, Str};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, Builder, FrameOf, FromScript, Result, ScriptValue, script_fn,
};
use tvmscript_prim::{Expr, PrimExprExt, Var};

use super::args::{ExprArg, NodeArg, Region, Shape, Stride};
use super::block::BlockFrame;
use super::frame::{FrameKind, TirFrame, wrong_frame};
use super::function::PrimFuncFrame;
use crate::node::*;

/// What the functions that declare buffers have in common.
struct Declaration {
    shape: Array<Expr>,
    dtype: DataType,
    data: Option<Ref<Var>>,
    strides: Option<Vec<Stride>>,
    /// The type of variables made for strides given by name.
    stride_dtype: DataType,
    elem_offset: Option<Expr>,
    scope: Str,
    align: i64,
    offset_factor: i64,
    buffer_type: Str,
    axis_separators: Option<Shape>,
}

impl Declaration {
    /// # Source
    /// `BufferDecl`, `src/script/ir_builder/tir/ir.cc`.
    fn build(self) -> Result<Ref<Buffer>> {
        let buffer_type = match self.buffer_type.as_str() {
            "auto" | "auto_broadcast" => BufferType::AutoBroadcast,
            "" | "default" => BufferType::Default,
            other => {
                return Err(BuildError::message(format!("unknown buffer type \"{other}\""))
                    .at(tvmscript_irbuilder::ArgumentRef::Keyword("buffer_type".to_owned()))
                    .with_help("it is \"default\" or \"auto\""));
            }
        };
        let data =
            self.data.unwrap_or_else(|| Var::with_type("", Buffer::pointer_type(self.dtype, &self.scope)));
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
        Ok(Buffer::try_new(BufferParts {
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
        })?)
    }
}

/// A buffer over memory that is there already, or the annotation of a parameter.
#[script_fn(name = "Buffer")]
pub fn buffer(
    shape: Shape,
    #[default = DataType::FLOAT32] dtype: DataType,
    #[default = None] data: Option<NodeArg<Var>>,
    #[default = None] strides: Option<Vec<Stride>>,
    #[default = None] elem_offset: Option<ExprArg>,
    #[default = "global"] scope: Str,
    #[default = 0] align: i64,
    #[default = 0] offset_factor: i64,
    #[default = ""] buffer_type: Str,
    #[default = None] axis_separators: Option<Shape>,
) -> Result<Ref<Buffer>> {
    Declaration {
        shape: shape.0,
        dtype,
        data: data.map(|d| d.0),
        strides,
        stride_dtype: DataType::INT32,
        elem_offset: elem_offset.map(|e| e.0),
        scope,
        align,
        offset_factor,
        buffer_type,
        axis_separators,
    }
    .build()
}

/// A buffer behind a handle parameter, or one that stands for part of another in a block.
#[script_fn]
pub fn match_buffer(
    param: ScriptValue,
    #[default = None] shape: Option<Shape>,
    #[default = DataType::FLOAT32] dtype: DataType,
    #[default = None] data: Option<NodeArg<Var>>,
    #[default = None] strides: Option<Vec<Stride>>,
    #[default = None] elem_offset: Option<ExprArg>,
    #[default = "global"] scope: Str,
    #[default = -1] align: i64,
    #[default = 0] offset_factor: i64,
    #[default = "default"] buffer_type: Str,
    #[default = None] axis_separators: Option<Shape>,
    #[kw_only]
    #[default = None]
    buffer: Option<NodeArg<Buffer>>,
) -> Result<Ref<Buffer>> {
    let source =
        if param.as_node::<Var>().is_some() { None } else { Some(Region::from_script(param.clone())) };
    let source = match source {
        None => None,
        Some(Ok(region)) => Some(region.0),
        Some(Err(_)) => {
            let error = BuildError::expected("a parameter or a region of a buffer", param.type_name());
            return Err(error.at_position(0));
        }
    };
    if let Some(NodeArg(known)) = buffer {
        match source {
            None => match_param(&param, &known)?,
            Some(region) => match_region(region, &known)?,
        }
        return Ok(known);
    }
    let (shape, dtype) = match (&source, shape) {
        (_, Some(shape)) => (shape.0, dtype),
        (Some(region), None) => {
            (region.region.iter().map(|r| r.extent.clone()).collect(), region.buffer.dtype)
        }
        (None, None) => {
            return Err(BuildError::message("a parameter is matched to a buffer without shape")
                .at_position(0)
                .with_help("give the shape, such as `T.match_buffer(a, (16, 16))`"));
        }
    };
    let stride_dtype = shape.first().map_or(DataType::INT32, |e| e.dtype());
    let buffer = Declaration {
        shape,
        dtype,
        data: data.map(|d| d.0),
        strides,
        stride_dtype,
        elem_offset: elem_offset.map(|e| e.0),
        scope,
        align,
        offset_factor,
        buffer_type,
        axis_separators,
    }
    .build()?;
    match source {
        None => match_param(&param, &buffer)?,
        Some(region) => match_region(region, &buffer)?,
    }
    Ok(buffer)
}

fn match_param(param: &ScriptValue, buffer: &Ref<Buffer>) -> Result<()> {
    let Some(var) = param.as_node::<Var>() else { return Ok(()) };
    let done = Builder::with_top(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::PrimFunc(func) if func.has_param(var) => {
            func.buffer_map.push((var.clone(), buffer.clone()));
            Some(true)
        }
        FrameKind::PrimFunc(_) => Some(false),
        _ => None,
    })?;
    match done.flatten() {
        Some(true) => Ok(()),
        Some(false) => {
            let error = BuildError::message(format!("`{}` is no parameter of the function", var.name.get()));
            Err(error.at_position(0))
        }
        None => Err(wrong_frame("T.match_buffer", "at the top of the function whose parameter it matches")),
    }
}

fn match_region(source: Ref<BufferRegion>, buffer: &Ref<Buffer>) -> Result<()> {
    MatchBufferRegion::check(buffer, &source)?;
    let mut entry = Some(Ref::new(MatchBufferRegion { buffer: buffer.clone(), source }));
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

/// A buffer that lives as long as the block, or the function, around it.
#[script_fn]
pub fn alloc_buffer(
    #[default = None] shape: Option<Shape>,
    #[default = DataType::FLOAT32] dtype: DataType,
    #[default = None] data: Option<NodeArg<Var>>,
    #[default = None] strides: Option<Vec<Stride>>,
    #[default = None] elem_offset: Option<ExprArg>,
    #[default = "global"] scope: Str,
    #[default = -1] align: i64,
    #[default = 0] offset_factor: i64,
    #[default = "default"] buffer_type: Str,
    #[default = None] axis_separators: Option<Shape>,
    #[kw_only]
    #[default = None]
    buffer: Option<NodeArg<Buffer>>,
) -> Result<Ref<Buffer>> {
    let buffer = match buffer {
        Some(NodeArg(known)) => known,
        None => Declaration {
            shape: required_shape("alloc_buffer", shape)?,
            dtype,
            data: data.map(|d| d.0),
            strides,
            stride_dtype: DataType::INT32,
            elem_offset: elem_offset.map(|e| e.0),
            scope,
            align,
            offset_factor,
            buffer_type,
            axis_separators,
        }
        .build()?,
    };
    let in_block = Builder::find(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::Block(block) => {
            let block: &mut BlockFrame = block;
            block.alloc_buffers.push(buffer.clone());
            Some(())
        }
        _ => None,
    })?;
    if in_block.is_some() {
        return Ok(buffer);
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
        Some(true) => Ok(buffer),
        _ => Err(wrong_frame("T.alloc_buffer", "inside `with T.block(..)` or at the top of a function")),
    }
}

/// A buffer declared over memory for the rest of the scope; without `data` the memory is allocated with it.
#[script_fn]
pub fn decl_buffer(
    #[default = None] shape: Option<Shape>,
    #[default = DataType::FLOAT32] dtype: DataType,
    #[default = None] data: Option<NodeArg<Var>>,
    #[default = None] strides: Option<Vec<Stride>>,
    #[default = None] elem_offset: Option<ExprArg>,
    #[default = "global"] scope: Str,
    #[default = 0] align: i64,
    #[default = 0] offset_factor: i64,
    #[default = ""] buffer_type: Str,
    #[default = None] axis_separators: Option<Shape>,
    #[kw_only]
    #[default = None]
    buffer: Option<NodeArg<Buffer>>,
) -> Result<FrameOf<TirFrame>> {
    if let Some(NodeArg(buffer)) = buffer {
        return Ok(FrameOf(TirFrame::new(FrameKind::DeclBuffer { buffer, allocates: false })));
    }
    let allocates = data.is_none();
    let buffer = Declaration {
        shape: required_shape("decl_buffer", shape)?,
        dtype,
        data: data.map(|d| d.0),
        strides,
        stride_dtype: DataType::INT32,
        elem_offset: elem_offset.map(|e| e.0),
        scope,
        align,
        offset_factor,
        buffer_type,
        axis_separators,
    }
    .build()?;
    Ok(FrameOf(TirFrame::new(FrameKind::DeclBuffer { buffer, allocates })))
}

/// The shape, which only a call that names a buffer leaves out.
fn required_shape(function: &str, shape: Option<Shape>) -> Result<Array<Expr>> {
    let missing = || BuildErrorKind::MissingArgument { function: function.to_owned(), name: "shape" };
    Ok(shape.ok_or_else(missing)?.0)
}
