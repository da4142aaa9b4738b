//! Script functions of the statements.

use tvmscript_ir_core::{Array, DataType, Map, Ref, Span, Str, Value};
use tvmscript_irbuilder::{BuildError, BuildResult, FrameOf, FromScript, ScriptValue, script_fn};
use tvmscript_prim::{Call, Expr, PrimExprExt, StringImm, Var};
use tvmscript_tir::build::TirFrame;
use tvmscript_tir::build::args::{ExprArg, NodeArg, Shape, Stride};
use tvmscript_tir::build::buffer::Declaration;
use tvmscript_tir::build::thread::{declare_thread, launched};
use tvmscript_tir::build::types::TypeArg;
use tvmscript_tir::{Buffer, StmtRef};

use crate::node::{AllocBuffer, AnnotatedCall, AssertStmt, Bind, DeclBuffer};

/// `v: T.int32 = value`
pub(crate) fn bound(var: Ref<Var>, value: Expr) -> BuildResult<StmtRef> {
    Ok(Bind::try_new(var, value)?)
}

/// `assert condition, ("RuntimeError", ["message"])`, or a message alone
pub(crate) fn asserted(condition: Expr, message: ScriptValue) -> BuildResult<StmtRef> {
    let (error_kind, message_parts) = match message.items().as_deref() {
        Some([kind, parts]) => (text(kind.clone())?, texts(parts.clone())?),
        Some(_) => {
            let expected = "a kind of error and its message, such as `(\"RuntimeError\", [\"x < 3\"])`";
            return Err(BuildError::expected(expected, message.type_name()));
        }
        None => (literal("RuntimeError"), texts(message)?),
    };
    assert_stmt(condition, error_kind, message_parts)
}

fn assert_stmt(
    condition: Expr,
    error_kind: Ref<StringImm>,
    message_parts: Array<Ref<StringImm>>,
) -> BuildResult<StmtRef> {
    let found = condition.dtype();
    if !found.is_bool() {
        return Err(BuildError::expected("a condition of type `bool`", format!("`{found}`")));
    }
    Ok(Ref::new(AssertStmt { span: Span::current(), condition, error_kind, message_parts }).upcast())
}

fn literal(value: impl Into<Str>) -> Ref<StringImm> {
    Ref::new(StringImm { span: Span::current(), dtype: DataType::HANDLE, value: value.into() })
}

fn text(value: ScriptValue) -> BuildResult<Ref<StringImm>> {
    match value.as_node::<StringImm>() {
        Some(text) => Ok(text.clone()),
        None => Str::from_script(value).map(literal),
    }
}

/// The parts of a message: one text or several.
fn texts(value: ScriptValue) -> BuildResult<Array<Ref<StringImm>>> {
    let parts = value.items().unwrap_or_else(|| vec![value]);
    Ok(Array::new(parts.into_iter().map(text).collect::<BuildResult<Vec<_>>>()?))
}

/// Asserts a condition; the message is a text or the parts of one.
#[script_fn(name = "Assert")]
pub fn assert(
    condition: ExprArg,
    message: ScriptValue,
    #[default = "RuntimeError"] error_kind: Str,
) -> BuildResult<()> {
    TirFrame::add(assert_stmt(condition.0, literal(error_kind), texts(message)?)?)
}

/// Calls an operator by name.
#[script_fn(name = "Call")]
pub fn call(
    dtype: DataType,
    op: ScriptValue,
    args: Shape,
    #[kw_only]
    #[default = None]
    annotations: Option<Map<Str, Value>>,
) -> BuildResult<Expr> {
    let plain = tvmscript_tir::build::expr::try_call(dtype, op, args)?;
    let (Some(annotations), Some(call)) = (annotations, plain.as_node::<Call>()) else { return Ok(plain) };
    let Call { span, dtype, op, args } = call.clone();
    Ok(Ref::new(AnnotatedCall { span, dtype, op, args, annotations }).upcast())
}

/// Binds a variable until the end of the enclosing scope.
#[script_fn]
pub fn bind(
    value: ExprArg,
    #[default = None] r#type: Option<TypeArg>,
    #[kw_only]
    #[default = None]
    var: Option<NodeArg<Var>>,
) -> BuildResult<Ref<Var>> {
    let var = match (var, r#type) {
        (Some(var), _) => var.0,
        (None, Some(annotation)) => Var::with_type("", annotation.0),
        (None, None) => Var::new("", value.0.dtype()),
    };
    TirFrame::add(Bind::try_new(var.clone(), value.0)?)?;
    Ok(var)
}

/// Launches threads for the rest of the scope. A variable that is used before its launch has no name of a thread: the
/// text between passes leaves it out.
#[script_fn]
pub fn launch_thread(thread: ScriptValue, extent: ExprArg) -> BuildResult<FrameOf<TirFrame, Ref<Var>>> {
    if let Some(var) = thread.as_node::<Var>() {
        declare_thread(var)?;
    }
    launched(thread, extent)
}

/// Functions that declare a buffer and add a statement for it.
macro_rules! buffer_functions {
    ($($(#[$meta:meta])* pub fn $name:ident($($annotations:ident)?) |$buffer:ident, $has_data:ident| $stmt:expr;)*) => {$(
        $(#[$meta])*
        #[script_fn]
        pub fn $name(
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
            $(
                #[kw_only]
                #[default = None]
                $annotations: Option<Map<Str, Value>>,
            )?
        ) -> BuildResult<Ref<Buffer>> {
            let $has_data = data.is_some();
            let $buffer = Declaration {
                data: data.map(|data| data.0),
                strides,
                elem_offset: elem_offset.map(|offset| offset.0),
                scope,
                align,
                offset_factor,
                buffer_type,
                axis_separators,
                ..Declaration::of_shape(shape.0, dtype)
            }
            .build()?;
            TirFrame::add($stmt)?;
            Ok($buffer)
        }
    )*};
}

buffer_functions! {
    /// Allocates a buffer until the end of the enclosing scope.
    pub fn alloc_buffer(annotations) |buffer, _has_data| {
        let annotations = annotations.unwrap_or_default();
        Ref::new(AllocBuffer { span: Span::current(), buffer: buffer.clone(), annotations }).upcast()
    };

    /// Declares a buffer over existing memory until the end of the enclosing scope; without `data`, allocates it.
    pub fn decl_buffer() |buffer, has_data| {
        let (span, declared) = (Span::current(), buffer.clone());
        match has_data {
            true => Ref::new(DeclBuffer { span, buffer: declared, data: None }).upcast(),
            false => Ref::new(AllocBuffer { span, buffer: declared, annotations: Map::default() }).upcast(),
        }
    };
}
