//! Statements: `T.evaluate`, `T.attr`, `T.Assert`, `T.LetStmt`, `T.If`, allocations, stores.

use tvmscript_ir_core::arithmetic::float_to_bits;
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::{Array, DataType, Map, Ref, Span, Str, TypeCode, Value};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, BuildResult, Builder, FrameOf, FromScript, IntoArg, PyType, ScriptValue,
    script_fn,
};
use tvmscript_prim::ops::undetermined::determine;
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Var, ops};

use super::args::{ExprArg, NodeArg, Region, Shape};
use super::frame::{FrameKind, TirFrame, wrong_frame};
use super::into_arg::Indices;
use super::subscript;
use super::types::TypeArg;
use crate::TirError;
use crate::error::check_kind;
use crate::node::*;

fn scope<V>(kind: FrameKind) -> BuildResult<FrameOf<TirFrame, V>> {
    Ok(FrameOf::new(TirFrame::new(kind)))
}

/// Evaluates an expression for its effect.
#[script_fn]
pub fn evaluate(value: ExprArg) -> BuildResult<()> {
    TirFrame::add(Evaluate::new(value.0))
}

/// Sets an attribute for the rest of the scope.
#[script_fn]
pub fn attr(node: ScriptValue, attr_key: Str, value: ExprArg) -> BuildResult<FrameOf<TirFrame>> {
    let node = match node {
        ScriptValue::Int(_) | ScriptValue::Float(_) | ScriptValue::Bool(_) => ExprArg::convert(node)?.into(),
        other => Value::from_script(other).map_err(|e| e.at_position(0))?,
    };
    scope(FrameKind::Attr { node, key: attr_key, value: value.0 })
}

/// Asserts a condition for the rest of the scope.
#[script_fn(name = "Assert")]
pub fn assert_(condition: ExprArg, message: ExprArg) -> BuildResult<FrameOf<TirFrame>> {
    let condition = determine(condition.0, DataType::BOOL);
    let found = condition.dtype();
    check_kind("the asserted condition", "bool", found, found.is_bool())
        .map_err(|e| BuildError::from(e).at_position(0))?;
    scope(FrameKind::Assert { condition, message: message.0 })
}

/// Binds a variable for the rest of the scope.
#[script_fn(name = "LetStmt")]
pub fn let_stmt(
    value: ExprArg,
    #[default = None] type_annotation: Option<TypeArg>,
    #[kw_only]
    #[default = None]
    var: Option<NodeArg<Var>>,
) -> BuildResult<FrameOf<TirFrame, Ref<Var>>> {
    let var = match (var, type_annotation) {
        (Some(var), _) => var.0,
        (None, Some(annotation)) => Var::with_type("v", annotation.0),
        (None, None) => Var::new("v", value.0.dtype()),
    };
    let value = determine(value.0, var.dtype);
    LetStmt::check_types(var.dtype, value.dtype()).map_err(|e| BuildError::from(e).at_position(0))?;
    scope(FrameKind::Let { var, value })
}

/// Opens a conditional; its branches are `T.Then()` and `T.Else()`.
#[script_fn(name = "If")]
pub fn if_(condition: ExprArg) -> BuildResult<FrameOf<TirFrame>> {
    let condition = determine(condition.0, DataType::BOOL);
    scope(FrameKind::If { condition, then_case: None, else_case: None })
}

/// Opens the `then` branch of the enclosing `T.If`.
#[script_fn(name = "Then")]
pub fn then_() -> BuildResult<FrameOf<TirFrame>> {
    scope(FrameKind::Then)
}

/// Opens the `else` branch of the enclosing `T.If`.
#[script_fn(name = "Else")]
pub fn else_() -> BuildResult<FrameOf<TirFrame>> {
    scope(FrameKind::Else)
}

fn with_if<R>(
    is_else: bool,
    f: impl FnOnce(&mut Option<StmtRef>, &mut Option<StmtRef>) -> BuildResult<R>,
) -> BuildResult<R> {
    let name = if is_else { "T.Else" } else { "T.Then" };
    let found = Builder::with_top(|frame: &mut TirFrame| match &mut frame.kind {
        FrameKind::If { then_case, else_case, .. } => Some(f(then_case, else_case)),
        _ => None,
    })?;
    found.flatten().unwrap_or_else(|| Err(wrong_frame(name, "directly inside `T.If(..)`")))
}

pub(crate) fn check_branch(is_else: bool) -> BuildResult<()> {
    with_if(is_else, |then_case, else_case| {
        let taken = if is_else { else_case } else { then_case };
        match taken {
            None => Ok(()),
            Some(_) => {
                let name = if is_else { "T.Else" } else { "T.Then" };
                Err(BuildErrorKind::Repeated { what: format!("the branch `{name}`") }.into())
            }
        }
    })
}

pub(crate) fn set_branch(is_else: bool, body: StmtRef) -> BuildResult<()> {
    with_if(is_else, |then_case, else_case| {
        let branch = if is_else { else_case } else { then_case };
        *branch = Some(body);
        Ok(())
    })
}

pub(crate) fn close_if(
    condition: Expr,
    then_case: Option<StmtRef>,
    else_case: Option<StmtRef>,
) -> BuildResult<StmtRef> {
    let Some(then_case) = then_case else {
        return Err(BuildError::message("`T.If` has no `T.Then` branch"));
    };
    Ok(Ref::new(IfThenElse { span: Span::current(), condition, then_case, else_case }).upcast())
}

/// Allocates memory for the rest of the scope and returns the pointer, which is `var` if given.
#[script_fn]
pub fn allocate(
    extents: Shape,
    dtype: DataType,
    #[default = "global"] scope: Str,
    #[default = None] condition: Option<ExprArg>,
    #[default = None] annotations: Option<Map<Str, Value>>,
    #[kw_only]
    #[default = None]
    var: Option<NodeArg<Var>>,
) -> BuildResult<FrameOf<TirFrame, Ref<Var>>> {
    let condition = condition.map_or_else(|| IntImm::bool(true), |c| determine(c.0, DataType::BOOL));
    let found = condition.dtype();
    check_kind("the condition", "bool", found, found.is_bool())?;
    let pointer = tvmscript_prim::PointerType::new(tvmscript_prim::PrimType::new(dtype), &scope);
    let var = var.map_or_else(|| Var::with_type("", pointer), |v| v.0);
    let annotations = annotations.unwrap_or_default();
    Ok(FrameOf::new(TirFrame::new(FrameKind::Allocate {
        var,
        dtype,
        extents: extents.0,
        condition,
        annotations,
    })))
}

/// Allocates constant memory for the rest of the scope and returns the pointer.
#[script_fn]
pub fn allocate_const(
    data: ScriptValue,
    dtype: DataType,
    extents: Shape,
    #[default = None] annotations: Option<Map<Str, Value>>,
    #[kw_only]
    #[default = None]
    var: Option<NodeArg<Var>>,
) -> BuildResult<FrameOf<TirFrame, Ref<Var>>> {
    let data = constant_data(data, dtype, &extents.0).map_err(|e| e.at_position(0))?;
    let pointer = tvmscript_prim::PointerType::new(tvmscript_prim::PrimType::new(dtype), "global");
    let var = var.map_or_else(|| Var::with_type("", pointer), |v| v.0);
    let annotations = annotations.unwrap_or_default();
    scope(FrameKind::AllocateConst { var, data, dtype, extents: extents.0, annotations })
}

/// Elements of constant memory that the text elides: looked up by the hash of their content among the tensors of the
/// registry.
#[script_fn]
pub fn elided_const(content_hash: Str, shape: Vec<i64>, dtype: DataType) -> BuildResult<Ref<TensorNode>> {
    tvmscript_ir::build::elided_tensor(&content_hash, &shape, dtype)
}

/// The elements of nested lists in row-major order.
fn constant_data(data: ScriptValue, dtype: DataType, extents: &Array<Expr>) -> BuildResult<Ref<TensorNode>> {
    if let Some(tensor) = data.as_node::<TensorNode>() {
        return Ok(tensor.clone());
    }
    let mut bytes = Vec::new();
    let mut count = 0_i64;
    let mut pending = vec![data];
    while let Some(value) = pending.pop() {
        if let Some(items) = value.items() {
            pending.extend(items.into_iter().rev());
            continue;
        }
        count += 1;
        push_element(&mut bytes, value, dtype)?;
    }
    let dims: Option<Vec<i64>> = extents.iter().map(|e| e.as_node::<IntImm>().map(|i| i.value)).collect();
    let shape = match dims {
        Some(dims) if dims.iter().try_fold(1_i64, |a, b| a.checked_mul(*b)) == Some(count) => dims,
        _ => vec![count],
    };
    Ok(Ref::new(TensorNode { dtype, shape: shape.into(), data: bytes.into() }))
}

fn push_element(bytes: &mut Vec<u8>, value: ScriptValue, dtype: DataType) -> BuildResult<()> {
    let wrong =
        |value: &ScriptValue| BuildError::expected(format!("a number of type `{dtype}`"), value.type_name());
    match dtype.code {
        TypeCode::Float if matches!(dtype.bits, 32 | 64) => {
            let number = match &value {
                ScriptValue::Float(f) => *f,
                ScriptValue::Int(i) => *i as f64,
                other => return Err(wrong(other)),
            };
            match dtype.bits {
                32 => bytes.extend((number as f32).to_le_bytes()),
                _ => bytes.extend(number.to_le_bytes()),
            }
        }
        TypeCode::Float | TypeCode::BFloat if dtype.bits == 16 => {
            // TVM prints the raw bits of 16-bit floats; a Python float here is a value.
            match &value {
                ScriptValue::Int(bits) => bytes.extend((*bits as u16).to_le_bytes()),
                ScriptValue::Float(f) if dtype.is_float() => {
                    let bits = float_to_bits(dtype, *f).unwrap_or_default();
                    bytes.extend((bits as u16).to_le_bytes());
                }
                other => return Err(wrong(other)),
            }
        }
        _ => {
            let number = match &value {
                ScriptValue::Int(i) => *i,
                ScriptValue::Bool(b) => i64::from(*b),
                other => return Err(wrong(other)),
            };
            let width = usize::from(dtype.bits.div_ceil(8)).clamp(1, 8);
            bytes.extend(number.to_le_bytes().iter().take(width));
        }
    }
    Ok(())
}

/// Storage scope of a realized region. The enclosing attribute has it, not the node.
#[derive(Debug, Clone)]
pub struct ScopeName(Option<Str>);

impl ScopeName {
    const NONE: ScopeName = ScopeName(None);
}

impl FromScript for ScopeName {
    const TYPE: PyType = PyType::STR;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        Str::from_script(value).map(|scope| ScopeName(Some(scope)))
    }
}

impl IntoArg<ScopeName> for &str {
    fn into_arg(self) -> BuildResult<ScopeName> {
        Ok(ScopeName(Some(Str::new(self))))
    }
}

/// Realizes a region of a buffer for the rest of the scope.
#[script_fn]
pub fn realize(
    buffer_slice: Region,
    #[given]
    #[default = ScopeName::NONE]
    storage_scope: ScopeName,
    #[default = None] condition: Option<ExprArg>,
) -> BuildResult<FrameOf<TirFrame>> {
    let is_alone = super::function::is_fragment_empty();
    if storage_scope.0.is_none() && !is_alone {
        let function = "realize".to_owned();
        return Err(BuildErrorKind::MissingArgument { function, name: "storage_scope" }.into());
    }
    let condition = condition.map_or_else(|| IntImm::bool(true), |c| c.0);
    scope(FrameKind::Realize { region: buffer_slice.0, scope: storage_scope.0, condition })
}

/// Stores a value into a buffer.
#[script_fn]
pub fn buffer_store(
    buffer: NodeArg<Buffer>,
    value: ExprArg,
    indices: Indices,
    #[default = None] predicate: Option<ExprArg>,
) -> BuildResult<()> {
    let indices = subscript::all_lanes(&buffer.0, &indices.0).map_err(|e| e.at_position(2))?;
    store(&buffer.0, value.0, indices, predicate.map(|p| p.0))
}

/// Stores a value, cast to the buffer's type if the lanes match.
///
/// # Errors
/// If the lanes or the number of indices do not match.
///
/// # Source
/// `BufferStore`, `src/script/ir_builder/tir/ir.cc`.
pub fn store(
    buffer: &Ref<Buffer>,
    value: Expr,
    indices: Array<Expr>,
    predicate: Option<Expr>,
) -> BuildResult<()> {
    let is_undetermined = indices.iter().any(|index| index.dtype() == DataType::VOID);
    let indices = match is_undetermined {
        true => indices.iter().map(|index| determine(index.clone(), DataType::INT32)).collect(),
        false => indices,
    };
    let place = crate::node::element_type(buffer, &indices)?;
    let value = determine(value, place);
    let found = value.dtype();
    let value = if found == place {
        value
    } else {
        if found.is_handle() {
            return Err(BuildError::expected(
                format!("a value of type `{place}` to store"),
                tvmscript_prim::error::describe(&value),
            ));
        }
        if found.lanes != place.lanes {
            return Err(
                TirError::StoreType { buffer: buffer.name.get().to_string(), value: found, place }.into()
            );
        }
        ops::cast(place, value)?
    };
    TirFrame::add(BufferStore::try_new(buffer.clone(), value, indices, predicate)?)
}
