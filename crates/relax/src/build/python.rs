//! Members of `tvm.relax` that differ from the function of the same name in `R`.

use tvmscript_ir::build::operator;
use tvmscript_ir::{Attrs, DictAttrs};
use tvmscript_ir_core::{Array, DataType, Ref, Span, Str};
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, PyType, ScriptValue, script_fn};
use tvmscript_prim::Op;

use super::args::{AnyExprArg, EXPR, ExprArg, InfoArg, InfosArg, convert};
use super::struct_info::tensor_of_arguments;
use crate::node::*;

/// A callee: an operator, a function of the module, the name of an operator, or a variable.
#[derive(Debug, Clone)]
pub struct CalleeArg(Expr);

impl FromScript for CalleeArg {
    const TYPE: PyType = PyType::Union { of: &[PyType::node::<Op>(), EXPR, PyType::STR] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match &value {
            ScriptValue::Str(name) => operator(name).map(|op| CalleeArg(op.upcast())),
            _ => match value.as_node::<Op>() {
                Some(op) => Ok(CalleeArg(op.clone().upcast())),
                None => ExprArg::from_script(value).map(|callee| CalleeArg(callee.0)),
            },
        }
    }
}

/// A call; the constructor of the node.
#[script_fn(name = "Call")]
pub fn call_node(
    op: CalleeArg,
    args: ScriptValue,
    #[default = None] attrs: Option<ScriptValue>,
    #[default = None] sinfo_args: Option<InfosArg>,
) -> BuildResult<Ref<Call>> {
    let items = args.items().ok_or_else(|| {
        BuildError::expected("a list or tuple of arguments", args.type_name()).at_position(1)
    })?;
    let args = items.iter().enumerate().map(|(i, arg)| convert(arg).map_err(|e| e.at_item(i).at_position(1)));
    let args = args.collect::<BuildResult<Vec<_>>>()?;
    let attrs: Option<Ref<Attrs>> = match attrs.unwrap_or_default() {
        ScriptValue::None => None,
        given => match given.as_node::<Attrs>() {
            Some(attrs) => Some(attrs.clone()),
            None => {
                let dict = tvmscript_ir_core::Map::from_script(given).map_err(|e| e.at_position(2))?;
                Some(Ref::new(DictAttrs { dict }).upcast())
            }
        },
    };
    Ok(Call::new(op.0, args, attrs, sinfo_args.map_or_else(Vec::new, |infos| infos.0)))
}

/// A call of an operator by its name, with the struct info of its result.
#[script_fn]
pub fn emit_with_sinfo(
    op: CalleeArg,
    args: ScriptValue,
    #[default = None] sinfo_args: Option<InfosArg>,
) -> BuildResult<Ref<Call>> {
    try_call_node(op, args, None, sinfo_args)
}

/// A variable.
#[script_fn(name = "Var")]
pub fn var_node(name_hint: Str, #[default = None] struct_info: Option<InfoArg>) -> BuildResult<Ref<Var>> {
    Ok(Var::new(name_hint, struct_info.map(|info| info.0)))
}

/// A dataflow variable.
#[script_fn(name = "DataflowVar")]
pub fn dataflow_var_node(
    name_hint: Str,
    #[default = None] struct_info: Option<InfoArg>,
) -> BuildResult<Ref<Var>> {
    Ok(Var::dataflow(name_hint, struct_info.map(|info| info.0)))
}

/// A tensor: shape, element type and device, or only its rank.
#[script_fn(name = "TensorStructInfo")]
pub fn tensor_struct_info(
    #[default = None] shape: Option<ScriptValue>,
    #[default = DataType::FLOAT32] dtype: DataType,
    #[default = None] vdevice: Option<ScriptValue>,
    #[default = -1] ndim: i64,
) -> BuildResult<ScriptValue> {
    let dtype = Some(ScriptValue::DType(dtype));
    if let Some(shape @ ScriptValue::Str(_)) = &shape {
        return Err(BuildError::expected("a shape such as (2, 3)", shape.type_name()).at_position(0));
    }
    tensor_of_arguments(shape, dtype, vdevice, ndim)
}

/// A tuple.
#[script_fn(name = "TupleStructInfo")]
pub fn tuple_struct_info(fields: Vec<InfoArg>) -> BuildResult<Ref<StructInfo>> {
    Ok(TupleStructInfo::new(fields.into_iter().map(|field| field.0)))
}

/// A function.
#[script_fn(name = "FuncStructInfo")]
pub fn func_struct_info(
    params: Vec<InfoArg>,
    ret: InfoArg,
    #[default = true] purity: bool,
) -> BuildResult<Ref<FuncStructInfo>> {
    Ok(FuncStructInfo::new(params.into_iter().map(|param| param.0).collect(), ret.0, purity))
}

/// A function without a body, which states a signature.
#[script_fn]
pub fn create_empty(
    params: Vec<Ref<Var>>,
    ret_struct_info: InfoArg,
    #[default = true] is_pure: bool,
    #[default = false] is_private: bool,
) -> BuildResult<Ref<Function>> {
    let info_of =
        |param: &Ref<Var>| struct_info_of(&param.clone().upcast()).unwrap_or_else(ObjectStructInfo::new);
    let infos = params.iter().map(info_of);
    let info = FuncStructInfo::new(infos.collect(), ret_struct_info.0.clone(), is_pure);
    // Without a body there is no name either: it is that of the definition.
    let _ = is_private;
    let span = Span::current();
    let body = SeqExpr { span, struct_info_: None, blocks: Array::default(), body: Tuple::new([]).upcast() };
    Ok(Ref::new(Function {
        span,
        struct_info_: Some(info.into()),
        attrs: Ref::new(DictAttrs { dict: tvmscript_ir_core::Map::default() }),
        params: params.into_iter().collect(),
        body: Ref::new(body),
        ret_struct_info: ret_struct_info.0,
        is_pure,
    }))
}

/// The shape of a tensor: as it is known, or the call that computes it at run time.
#[script_fn]
pub fn get_shape_of(expr: AnyExprArg) -> BuildResult<Expr> {
    let info = struct_info_of(&expr.0);
    let tensor = info.as_ref().and_then(|info| info.as_node::<TensorStructInfo>());
    let Some(tensor) = tensor else {
        return Err(BuildError::expected("a tensor", crate::describe::value(&expr.0.into())).at_position(0));
    };
    match &tensor.shape {
        Some(shape) => Ok(shape.clone().upcast()),
        None => Ok(Call::of_op("relax.shape_of", [expr.0], None).upcast()),
    }
}
