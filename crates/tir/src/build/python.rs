//! Functions of the modules `tvm.tir` and `tvm.te` that differ from those of the same name in `T`.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Array, DataType, FieldRef, Object, Ref, Str};
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, ScriptValue, script_fn};
use tvmscript_prim::BaseExpr;
use tvmscript_prim::{Call, Expr, IndexMap, Let, PrimExprExt, StringImm, Var, ops};

use super::args::{Domain, ExprArg, NodeArg, Shape, Stride};
use super::buffer::Declaration;
use super::expr::{make_iter_var, try_index_map};
use super::operator::Packed;
use crate::node::{Buffer, BufferStore, IterType, IterVar, Stmt};
use crate::op;

/// Joins conditions; a single one is returned as it is.
fn join(
    name: &str,
    args: Vec<ScriptValue>,
    join: fn(Expr, Expr) -> tvmscript_prim::error::PrimResult<Expr>,
) -> BuildResult<ScriptValue> {
    if args.len() == 1 {
        return Ok(args.into_iter().next().unwrap_or_default());
    }
    let conditions = args.into_iter().enumerate().map(|(i, arg)| {
        let condition = ExprArg::convert(arg);
        condition.map(|condition| (i, condition)).map_err(|e| e.at_position(i))
    });
    let joined = conditions.reduce(|left, right| {
        let ((_, left), (i, right)) = (left?, right?);
        let joined = join(left, right).map_err(|e| BuildError::from(e).at_position(i))?;
        Ok((i, joined))
    });
    match joined {
        Some(joined) => Ok(joined?.1.into()),
        None => Err(BuildError::message(format!("`{name}` takes at least one condition"))),
    }
}

/// The conjunction of all conditions.
#[script_fn]
pub fn all(#[args] args: Vec<ScriptValue>) -> BuildResult<ScriptValue> {
    join("all", args, ops::and)
}

/// The disjunction of all conditions.
#[script_fn]
pub fn any(#[args] args: Vec<ScriptValue>) -> BuildResult<ScriptValue> {
    join("any", args, ops::or)
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident($a:ident, $b:ident) = $make:expr;)*) => {$(
        $(#[$doc])*
        #[script_fn]
        pub fn $name($a: ExprArg, $b: ExprArg) -> BuildResult<Expr> {
            Ok($make($a.0, $b.0)?)
        }
    )*};
}
binary! {
    /// Sum; folds.
    add(lhs, rhs) = ops::add;
    /// Difference; folds.
    subtract(lhs, rhs) = ops::sub;
    /// Product; folds.
    multiply(lhs, rhs) = ops::mul;
    /// Quotient, truncated for integers; folds.
    div(a, b) = ops::div;
    /// Quotient of indices, rounded down; folds.
    indexdiv(a, b) = ops::floordiv;
    /// Remainder of indices; folds.
    indexmod(a, b) = ops::floormod;
    /// Power of floats.
    power(x, y) = op::math::pow;
    /// `log(exp(a) + exp(b))`.
    logaddexp(a, b) = op::fold::logaddexp;
}

/// Binds a variable in an expression.
#[script_fn(name = "Let")]
pub fn let_node(var: NodeArg<Var>, value: ExprArg, body: ExprArg) -> BuildResult<Expr> {
    Ok(Let::try_new(var.0, value.0, body.0)?)
}

/// A store, as a statement.
#[script_fn(name = "BufferStore")]
pub fn buffer_store_node(
    buffer: NodeArg<Buffer>,
    value: ExprArg,
    indices: Shape,
    #[default = None] predicate: Option<ExprArg>,
) -> BuildResult<Ref<Stmt>> {
    Ok(BufferStore::try_new(buffer.0, value.0, indices.0, predicate.map(|p| p.0))?)
}

/// A buffer without a declaration or an allocation in the script.
#[script_fn(name = "decl_buffer")]
pub fn free_buffer(
    shape: Shape,
    #[default = None] dtype: Option<DataType>,
    #[default = "buffer"] name: Str,
    #[default = None] data: Option<NodeArg<Var>>,
    #[default = None] strides: Option<Vec<Stride>>,
    #[default = None] elem_offset: Option<ExprArg>,
    #[default = ""] scope: Str,
    #[default = -1] data_alignment: i64,
    #[default = 0] offset_factor: i64,
    #[default = ""] buffer_type: Str,
    #[default = None] axis_separators: Option<Shape>,
) -> BuildResult<Ref<Buffer>> {
    let dtype = dtype.unwrap_or(DataType::FLOAT32);
    let data = data
        .map(|data| data.0)
        .unwrap_or_else(|| Var::with_type(name.clone(), Buffer::pointer_type(dtype, &scope)));
    let index_dtype = shape.0.first().map_or(DataType::INT32, PrimExprExt::dtype);
    let offset = elem_offset.map(|offset| offset.0).or_else(|| {
        (offset_factor != 0).then(|| Var::new(format!("{name}_elem_offset"), index_dtype).upcast())
    });
    let buffer = Declaration {
        shape: shape.0,
        shape_at: 0,
        dtype,
        data: Some(data),
        strides,
        stride_dtype: index_dtype,
        elem_offset: offset,
        scope,
        align: data_alignment,
        offset_factor,
        buffer_type,
        axis_separators,
    };
    let buffer = buffer.build()?;
    buffer.name.set(name);
    Ok(buffer)
}

/// The number of elements of a scalable vector with at least `min_size` bits.
#[script_fn]
pub fn get_vscale_expr(dtype: DataType, #[default = 128] min_size: i64) -> BuildResult<Expr> {
    let elements = min_size.div_euclid(i64::from(dtype.bits.max(1)));
    Ok(ops::mul(ops::python::int_literal(elements), ops::vscale())?)
}

/// Passes values to a tracing function; returns the last one.
#[script_fn]
pub fn trace(
    args: Vec<ScriptValue>,
    #[default = "tvm.default_trace_action"] trace_action: Str,
) -> BuildResult<Expr> {
    let values = args.into_iter().map(Packed::from_script);
    let values = values.map(|value| value.map(|value| value.0)).collect::<BuildResult<Vec<_>>>()?;
    let Some(dtype) = values.last().map(PrimExprExt::dtype) else {
        return Err(BuildError::message("`trace` takes at least one value").at_position(0));
    };
    let action = StringImm::new(trace_action);
    Ok(op::call::TVM_CALL_TRACE_PACKED.call(dtype, std::iter::once(action).chain(values)))
}

/// The result type of a function of the module, from its function type.
pub(crate) fn result_dtype(function_type: Option<&Object>) -> DataType {
    let ret = function_type.and_then(|t| match t.field(t.info().field_index("ret")?) {
        FieldRef::Node(ret) => Some(ret.clone()),
        _ => None,
    });
    let dtype = ret.and_then(|r| match r.field(r.info().field_index("dtype")?) {
        FieldRef::DType(d) => Some(d),
        _ => None,
    });
    dtype.unwrap_or(DataType::VOID)
}

/// Calls a function of the module.
#[script_fn]
pub fn call_tir(global_var: Ref<GlobalVar>, #[args] args: Vec<ExprArg>) -> BuildResult<Expr> {
    let dtype = result_dtype(global_var.struct_info_.as_ref());
    let callee = global_var.upcast::<tvmscript_ir::RelaxExpr>().upcast::<BaseExpr>();
    Ok(Call::with_callee(dtype, callee, args.into_iter().map(|arg| arg.0).collect::<Array<Expr>>()))
}

/// An index map from a function.
#[script_fn(name = "from_func")]
pub fn index_map_from_func(
    mapping_function: ScriptValue,
    #[default = None] ndim: Option<i64>,
    #[default = None] inverse_index_map: Option<ScriptValue>,
    #[kw_only]
    #[default = DataType::INT64]
    index_dtype: DataType,
) -> BuildResult<Ref<IndexMap>> {
    let _ = ndim;
    try_index_map(mapping_function, inverse_index_map, index_dtype)
}

/// An index map with explicit variables.
#[script_fn(name = "IndexMap", members = [INDEX_MAP_FROM_FUNC])]
pub fn index_map_node(
    initial_indices: Vec<NodeArg<Var>>,
    final_indices: Shape,
    #[default = None] inverse_index_map: Option<Ref<IndexMap>>,
) -> BuildResult<Ref<IndexMap>> {
    Ok(Ref::new(IndexMap {
        initial_indices: initial_indices.into_iter().map(|var| var.0).collect(),
        final_indices: final_indices.0,
        inverse_index_map: inverse_index_map.map(Into::into),
    }))
}

/// A variable of a tensor expression.
#[script_fn(name = "var")]
pub fn te_var(
    #[default = "tindex"] name: Str,
    #[default = DataType::INT32] dtype: DataType,
) -> BuildResult<Ref<Var>> {
    Ok(Var::new(name, dtype))
}

/// A non-negative variable of a tensor expression.
#[script_fn(name = "size_var")]
pub fn te_size_var(
    #[default = "size"] name: Str,
    #[default = DataType::INT32] dtype: DataType,
) -> BuildResult<Ref<Var>> {
    Ok(Var::size_var(name, dtype))
}

/// A thread axis.
#[script_fn]
pub fn thread_axis(
    #[default = None] dom: Option<ScriptValue>,
    #[default = ""] tag: Str,
    #[default = ""] name: Str,
) -> BuildResult<Ref<IterVar>> {
    let (dom, tag) = match dom {
        Some(ScriptValue::Str(tag)) => (None, tag),
        dom => (dom, tag),
    };
    if tag.is_empty() {
        let error = BuildError::message("`thread_axis` requires a thread tag");
        return Err(error.with_help("write `te.thread_axis(\"threadIdx.x\")`"));
    }
    let dom = dom.map(Domain::from_script).transpose().map_err(|e| e.at_position(0))?;
    let name = if name.is_empty() { tag.clone() } else { name };
    make_iter_var(dom, ScriptValue::Str(name), IterType::ThreadIndex, tag)
}
