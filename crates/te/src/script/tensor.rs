//! Tensors and operations as values of scripts.

use tvmscript_ir::build::{TensorExpressions, parameter_names};
use tvmscript_ir::{BaseFunc, DictAttrs, GLOBAL_SYMBOL};
use tvmscript_ir_core::{Array, DataType, Map, Object, Ref, Str, Value};
use tvmscript_irbuilder::{
    BuildError, BuildResult, Builder, CallArgs, FromScript, HostFunction, HostObject, ScriptValue, script_fn,
};
use tvmscript_prim::{Expr, Var};
use tvmscript_script_parser::Indices;
use tvmscript_tir::build::args::{ExprArg, NodeArg, Shape};
use tvmscript_tir::build::function::{MadeFunctions, with_struct_info};
use tvmscript_tir::{IterVar, PrimFunc};

use crate::IndexTypes;
use crate::tensor::{OperationData, OperationKind};
use crate::{Argument, Operation, Tensor};

/// An input tensor.
#[script_fn]
pub fn placeholder(
    shape: Shape,
    #[default = None] dtype: Option<DataType>,
    #[default = "placeholder"] name: Str,
) -> BuildResult<ScriptValue> {
    let dtype = dtype.unwrap_or(DataType::FLOAT32);
    Ok(crate::placeholder(shape.0, dtype, name).into())
}

/// A tensor computed element by element, or several of the same shape if the function returns a tuple.
#[script_fn]
pub fn compute(
    shape: Shape,
    fcompute: ScriptValue,
    #[default = "compute"] name: Str,
    #[default = ""] tag: Str,
    #[default = None] attrs: Option<Map<Str, Value>>,
    #[default = None] varargs_names: Option<Vec<Str>>,
) -> BuildResult<ScriptValue> {
    let mut names = axis_names(&fcompute);
    names.truncate(shape.0.len());
    names.extend(varargs_names.into_iter().flatten().map(|name| name.to_string()));
    names.extend((names.len()..shape.0.len()).map(|index| format!("i{index}")));
    let mut is_tuple = false;
    let op = crate::compute::<BuildError>(&shape.0, &names, name.clone(), |vars| {
        let values = element(&fcompute, vars)?;
        is_tuple = values.1;
        Ok(values.0)
    })?;
    let OperationKind::Compute { axis, body, .. } = &op.kind else { return Ok(ScriptValue::None) };
    let op = Operation::compute(
        name,
        tag,
        attrs.unwrap_or_default(),
        axis.clone(),
        body.iter().cloned().collect(),
    )?;
    match is_tuple {
        true => Ok(ScriptValue::list(op.outputs().into_iter().map(ScriptValue::from).collect())),
        false => Ok(op.output(0).into()),
    }
}

/// The names of positional parameters, or of all if the function cannot tell them apart.
fn axis_names(function: &ScriptValue) -> Vec<String> {
    let positional = match function {
        ScriptValue::Host(host) => host.attribute("__positional__").and_then(|names| names.items()),
        _ => None,
    };
    match positional {
        Some(names) => names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        None => parameter_names(function),
    }
}

/// The values that a function returns for an element, and whether they are in a tuple.
fn element(function: &ScriptValue, axes: &[Ref<Var>]) -> BuildResult<(Vec<Expr>, bool)> {
    let args = CallArgs::positional(axes.iter().map(|axis| axis.clone().into()));
    let result = match function {
        ScriptValue::Function(function) => function.call(args)?,
        ScriptValue::Host(host) if host.is_callable() => host.call(args)?,
        other => {
            let error = BuildError::expected("a function of the indices", other.type_name());
            return Err(error.at_position(1));
        }
    };
    let convert = |value| ExprArg::convert(value).map_err(|error| error.at_position(1));
    match result.items() {
        Some(items) => Ok((items.into_iter().map(convert).collect::<BuildResult<_>>()?, true)),
        None => Ok((vec![convert(result)?], false)),
    }
}

/// The function of TIR that computes the tensors among its arguments from the others.
#[script_fn]
pub fn create_prim_func(ops: Vec<ScriptValue>) -> BuildResult<ScriptValue> {
    Ok(of_release(crate::create_prim_func(&arguments(ops)?)?)?.into())
}

/// The function in the form of the open release.
fn of_release(function: Ref<PrimFunc>) -> BuildResult<Ref<PrimFunc>> {
    match Builder::context::<MadeFunctions>() {
        Some(made) => (made.0)(function).map_err(|error| BuildError::message(error.to_string())),
        None => Ok(function),
    }
}

fn arguments(values: Vec<ScriptValue>) -> BuildResult<Vec<Argument>> {
    let arguments = values.into_iter().map(|value| match &value {
        ScriptValue::Node(node) => match (node.downcast_ref::<Tensor>(), node.as_node::<Var>()) {
            (Some(tensor), _) => Ok(Argument::Tensor(tensor.clone())),
            (None, Some(_)) => Ok(Argument::Var(NodeArg::<Var>::from_script(value.clone())?.0)),
            (None, None) => Err(BuildError::expected("a tensor or a variable", value.type_name())),
        },
        other => Err(BuildError::expected("a tensor or a variable", other.type_name())),
    });
    arguments.collect()
}

/// Tensor expressions for `R.emit_te`.
pub(super) const EXPRESSIONS: TensorExpressions =
    TensorExpressions { placeholder: input, tensor: type_of, function: private_function };

fn input(shape: Array<Expr>, dtype: DataType, name: Str) -> ScriptValue {
    crate::placeholder(shape, dtype, name).into()
}

fn type_of(value: &ScriptValue) -> Option<(Array<Expr>, DataType)> {
    let ScriptValue::Node(node) = value else { return None };
    node.downcast_ref::<Tensor>().map(|tensor| (tensor.shape.clone(), tensor.dtype))
}

/// A function without a global name, whose indices are `int64`.
fn private_function(values: Vec<ScriptValue>, attrs: Map<Str, Value>) -> BuildResult<Ref<BaseFunc>> {
    // The release with a form of its own also widens the axes of blocks without axes.
    let at_least = Some(DataType::INT64);
    let unit = at_least.filter(|_| Builder::context::<MadeFunctions>().is_some());
    let types = IndexTypes { at_least, unit };
    let mut function = of_release(crate::create_indexed_prim_func(&arguments(values)?, types)?)?;
    let new = function.make_mut();
    let known = new.attrs.dict.iter().filter(|(name, _)| name.as_str() != GLOBAL_SYMBOL);
    let all = known.chain(attrs.iter()).map(|(name, value)| (name.clone(), value.clone()));
    new.attrs = DictAttrs::new(all.collect::<Vec<_>>());
    Ok(with_struct_info(function).upcast())
}

/// `tensor[i, j]`
pub(super) fn subscript(object: &Object, indices: &Indices) -> BuildResult<ScriptValue> {
    element_of(object, indices.items.iter().cloned())
}

/// `tensor(i, j)`
pub(super) fn call(object: &Object, args: CallArgs) -> BuildResult<ScriptValue> {
    element_of(object, args.positional)
}

fn element_of(object: &Object, indices: impl IntoIterator<Item = ScriptValue>) -> BuildResult<ScriptValue> {
    let Some(tensor) = object.downcast_ref::<Tensor>() else {
        return Err(BuildError::expected("a tensor", object.info().key()));
    };
    let indices = indices.into_iter().enumerate();
    let indices = indices.map(|(at, index)| ExprArg::index(index).map_err(|error| error.at_position(at)));
    Ok(crate::load(tensor, indices.collect::<BuildResult<Array<Expr>>>()?)?.into())
}

const ATTRIBUTES: &[&str] = &["name", "shape", "dtype", "ndim", "op", "value_index"];

pub(super) fn attribute(object: &Object, name: &str) -> BuildResult<Option<ScriptValue>> {
    let Some(tensor) = object.downcast_ref::<Tensor>() else { return Ok(None) };
    Ok(match name {
        "ndim" => Some(ScriptValue::Int(tensor.shape.len() as i64)),
        "op" => tensor.op().map(|op| ScriptValue::host(OperationValue(op.clone()))),
        _ => tvmscript_ir::build::field(object, name)?,
    })
}

pub(super) fn attribute_names(_: &Object) -> Vec<String> {
    ATTRIBUTES.iter().map(|name| (*name).to_owned()).collect()
}

/// An operation as a value.
pub(super) struct OperationValue(pub(super) Operation);

impl HostObject for OperationValue {
    fn type_name(&self) -> &str {
        "te.Operation"
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let list = |nodes: Vec<ScriptValue>| Some(ScriptValue::list(nodes));
        let axes = |axes: &[Ref<IterVar>]| list(axes.iter().map(|axis| axis.clone().into()).collect());
        let OperationData { name: own, tag, attrs, kind, .. } = &*self.0;
        match (name, kind) {
            ("name", _) => Some(ScriptValue::Str(own.clone())),
            ("tag", _) => Some(ScriptValue::Str(tag.clone())),
            ("attrs", _) => Some(ScriptValue::Node(attrs.object().clone())),
            ("num_outputs", _) => Some(ScriptValue::Int(self.0.output_count() as i64)),
            ("input_tensors", _) => list(self.0.inputs().into_iter().map(ScriptValue::from).collect()),
            ("axis", OperationKind::Compute { axis, .. }) => axes(axis),
            ("reduce_axis", OperationKind::Compute { reduce_axis, .. }) => axes(reduce_axis),
            ("body", OperationKind::Compute { body, .. }) => Some(ScriptValue::Node(body.object().clone())),
            ("output", _) => {
                let op = self.0.clone();
                Some(HostFunction::value("output", move |mut args: CallArgs| {
                    let index =
                        args.positional.drain(..).next().or(args.keywords.pop().map(|(_, value)| value));
                    let index = i64::from_script(index.unwrap_or_default())?;
                    match usize::try_from(index).ok().filter(|index| *index < op.output_count()) {
                        Some(index) => Ok(op.output(index).into()),
                        None => Err(BuildError::message(format!("`{}` has no result {index}", op.name))),
                    }
                }))
            }
            _ => None,
        }
    }

    fn attribute_names(&self) -> Vec<String> {
        ["name", "tag", "attrs", "num_outputs", "input_tensors", "axis", "reduce_axis", "body", "output"]
            .map(str::to_owned)
            .to_vec()
    }
}

/// The operation of a value: an operation, or a tensor.
pub(super) fn operation(value: &ScriptValue) -> BuildResult<Operation> {
    if let Some(op) = value.as_host::<OperationValue>() {
        return Ok(op.0.clone());
    }
    let tensor = match value {
        ScriptValue::Node(node) => node.downcast_ref::<Tensor>(),
        _ => None,
    };
    let op = tensor.and_then(|tensor| tensor.op()).cloned();
    op.ok_or_else(|| BuildError::expected("an operation such as `C.op`, or a tensor", value.type_name()))
}
