//! Lengths, branches, assertions and elements of tuples.

use tvmscript_ir::{GLOBAL_SYMBOL, GlobalVar};
use tvmscript_ir_core::{DataType, Ref, Span, Value as Attribute};
use tvmscript_prim::{self as prim, IntImm, ops as scalar, ops::int_value};
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::shape::tensor_to_shape;
use tvmscript_relax::op::{Operator, operator};
use tvmscript_relax::{
    Call, Expr, If, ShapeStructInfo, StringImm, StructInfo, TensorStructInfo, Tuple, struct_info_of,
};

use super::super::argument::Argument;
use super::super::node::Node;
use super::super::program::Graph as Proto;
use super::super::value::{Converted, Number, Value};
use super::elementwise::{binary, compare_lengths};
use super::{nothing, rows};
use crate::error::Reason;
use crate::graph::Graph;
use crate::ops::{self, dims, dtype_of, int64_number, rank, tensor_of};
use tvmscript_relax::op::elementwise as op;

rows! { "":
    "_operator.getitem" => "an element", |cx| {
        let (value, index) = (cx.needed(0, "")?, cx.needed_int(1, "")?);
        let index = usize::try_from(index).map_err(|_| "the index must not be negative")?;
        cx.importer.element(&value, index)
    };
    "aten.sym_size.int" => "a dimension", |cx| {
        let x = cx.tensor(0)?;
        let dims = dims(&x)?;
        let axis = ops::axis(cx.int(1, "dim", 0)?, dims.len())?;
        dims.get(axis).cloned().map(Value::Dim).ok_or_else(|| "has no such axis".into())
    };
    "aten.sym_numel.default" => "a product of dimensions", |cx| {
        let x = cx.tensor(0)?;
        let mut count = IntImm::int64(1);
        for dim in dims(&x)? {
            count = scalar::mul(count, dim)?;
        }
        Ok(Value::Dim(count))
    };
    "_operator.add" => "add", |cx| binary(cx, op::add, scalar::add);
    "_operator.sub" => "subtract", |cx| binary(cx, op::subtract, scalar::sub);
    "_operator.mul" => "multiply", |cx| binary(cx, op::multiply, scalar::mul);
    "_operator.floordiv" => "floor_divide", |cx| binary(cx, op::floor_divide, scalar::floordiv);
    "_operator.mod" => "floor_mod", |cx| binary(cx, op::floor_mod, scalar::floormod);
    "_operator.neg" => "negative", |cx| {
        let value = cx.needed(0, "")?.dim().ok_or("the operand must be a length")?;
        Ok(Value::Dim(scalar::sub(IntImm::int64(0), value)?))
    };
    "torch.sym_max" => "maximum", |cx| binary(cx, op::maximum, scalar::max);
    "torch.sym_min" => "minimum", |cx| binary(cx, op::minimum, scalar::min);
    "_operator.eq" => "a comparison of dimensions", |cx| compare_lengths(cx, scalar::eq);
    "_operator.ne" => "a comparison of dimensions", |cx| compare_lengths(cx, scalar::ne);
    "_operator.lt" => "a comparison of dimensions", |cx| compare_lengths(cx, scalar::lt);
    "_operator.le" => "a comparison of dimensions", |cx| compare_lengths(cx, scalar::le);
    "_operator.gt" => "a comparison of dimensions", |cx| compare_lengths(cx, scalar::gt);
    "_operator.ge" => "a comparison of dimensions", |cx| compare_lengths(cx, scalar::ge);
    "aten._assert_tensor_metadata.default", "aten._assert_scalar.default",
    "aten.sym_constrain_range_for_size.default", "aten.sym_constrain_range.default",
    "aten._functional_assert_scalar.default" => "nothing", nothing;
    "prims.convert_element_type.default" => "astype", |cx| {
        let x = cx.tensor(0)?;
        let dtype = cx.dtype(1, "dtype")?.ok_or("the element type must be stated")?;
        cx.result(tvmscript_relax::op::datatype::astype(x, dtype))
    };
    "aten._assert_async.default", "aten._assert_async.msg" => "astype, reshape, assert_op", assert;
    "aten.item.default", "aten._local_scalar_dense.default"
        => "astype, reshape, tensor_to_shape, match_cast, take", item;
    "higher_order.cond" => "`if`", cond;
    "higher_order.wrap_with_set_grad_enabled" => "the body", |cx| inlined(cx, 1);
    "higher_order.wrap_with_autocast" => "the body", |cx| inlined(cx, 4);
}

/// The operator without a typed function.
fn named(name: &'static str) -> Result<&'static Operator, Reason> {
    operator(name).ok_or_else(|| Reason(format!("the operator `{name}` is missing")))
}

fn assert(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let mut condition = cx.cast(x, DataType::BOOL)?;
    if rank(&condition)? != 0 {
        condition = cx.emit(ops::reshape(condition, ops::shape(&[]))?)?;
    }
    let message = cx.text(1, "assert_msg", "Assertion Failed")?;
    let operands = [condition, StringImm::new("{}").upcast(), StringImm::new(message).upcast()];
    let call = named("relax.assert_op")?.call(None, operands);
    cx.emit(call)?;
    Ok(Value::None)
}

/// The only element of a tensor. An integer becomes a length that is known at run time.
fn item(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let dtype = dtype_of(&x);
    let is_single = dims(&x)?.iter().all(|dim| int_value(dim) == Some(1));
    if is_single && dtype.is_integer() {
        let value = cx.cast(x, DataType::INT64)?;
        let value = cx.emit(ops::reshape(value, ops::shape(&[1]))?)?;
        let value = cx.emit(tensor_to_shape(value))?;
        let dim: prim::Expr = prim::Var::new("item_dim", DataType::INT64).upcast();
        let info = ShapeStructInfo::try_of([dim.clone()])?;
        cx.graph().match_cast(value, info)?;
        return Ok(Value::Dim(dim));
    }
    if rank(&x)? == 0 {
        return Ok(x.into());
    }
    cx.result(take(x, int64_number(0), Some(0), "fast".into()))
}

/// The graph that is an argument.
fn graph_at<'m>(cx: &Node<'_, 'm>, index: usize) -> Result<&'m Proto, Reason> {
    match cx.proto.inputs.get(index).map(|input| &input.arg) {
        Some(Argument::Graph(graph)) => Ok(graph),
        _ => Err(Reason(format!("argument {index} must be a graph"))),
    }
}

/// Operands of a graph: a list at a position, or all arguments from there on.
fn operands_at(cx: &mut Node<'_, '_>, index: usize) -> Result<Vec<Value>, Reason> {
    let mut operands = Vec::new();
    for at in index..cx.proto.inputs.len() {
        match cx.value(at, "")? {
            Some(Value::List(items)) => operands.extend(items),
            Some(value) => operands.push(value),
            None => {}
        }
    }
    Ok(operands)
}

/// Functions of both branches, and a conditional that calls one.
fn cond(cx: &mut Node<'_, '_>) -> Converted {
    let condition = cx.needed(0, "")?;
    let (yes, no) = (graph_at(cx, 1)?, graph_at(cx, 2)?);
    let operands = operands_at(cx, 3)?;
    let condition = match condition {
        Value::Known(condition) => condition,
        Value::Number(Number::Bool(value)) => {
            let call = branch_call(cx, if value { yes } else { no }, &operands, "cond_static_branch")?;
            return cx.result(call);
        }
        _ => return Err("the condition must be a tensor".into()),
    };
    let span = Span::current();
    let yes = branch_call(cx, yes, &operands, "cond_true_branch")?;
    let no = branch_call(cx, no, &operands, "cond_false_branch")?;
    let _layer = crate::graph::Layer::of(span);
    let mut branches = Vec::new();
    for call in [yes, no] {
        branches.push(cx.graph().branch(call)?);
    }
    let [true_branch, false_branch] = <[_; 2]>::try_from(branches).map_err(|_| "needs two branches")?;
    let node: Expr =
        Ref::new(If { span, struct_info_: None, cond: condition, true_branch, false_branch }).upcast();
    cx.result(node)
}

/// The type of a branch's parameter. Its symbolic lengths are variables of the branch.
fn param_info(value: &Expr) -> Result<Ref<StructInfo>, Reason> {
    let info = struct_info_of(value).ok_or("an operand has no type")?;
    let Some(tensor) = info.as_node::<TensorStructInfo>() else { return Ok(info) };
    let Some(dims) = tensor.known_dims() else { return Ok(info) };
    let new = |dim: &prim::Expr| match dim.as_node::<prim::Var>() {
        Some(var) => prim::Var::new(var.name.get(), DataType::INT64).upcast(),
        None => dim.clone(),
    };
    Ok(tensor_of(dims.iter().map(new), tensor.dtype))
}

/// Adds the function of a branch, and returns a call of it.
fn branch_call<'m>(
    cx: &mut Node<'_, 'm>,
    proto: &'m Proto,
    operands: &[Value],
    name: &str,
) -> Result<Ref<Call>, Reason> {
    let mut arguments = Vec::new();
    for value in operands {
        match value {
            Value::Known(value) => arguments.push(value.clone()),
            _ => return Err("the operands of a branch must be tensors".into()),
        }
    }
    let name = format!("{name}_{}", cx.importer.functions.len());
    let mut graph = Graph::new(cx.importer.options, false)?;
    let mut scope = std::collections::HashMap::new();
    for (input, value) in proto.inputs.iter().zip(&arguments) {
        let Argument::Name(input) = input else { return Err("an input of a branch has no name".into()) };
        let param = graph.input(input, param_info(value)?);
        scope.insert(input.as_str(), Value::Known(param.upcast()));
    }
    graph.attr(GLOBAL_SYMBOL, Attribute::str(&name));
    let outer = (
        std::mem::replace(&mut cx.importer.graph, graph),
        std::mem::replace(&mut cx.importer.scope, scope),
        std::mem::replace(&mut cx.importer.proto, proto),
    );
    let result = branch_results(cx, proto);
    let graph = std::mem::replace(&mut cx.importer.graph, outer.0);
    cx.importer.scope = outer.1;
    cx.importer.proto = outer.2;
    let mut results = result?;
    let result = match results.len() {
        1 => results.swap_remove(0),
        _ => Tuple::new(results).upcast(),
    };
    let finished = graph.finish(result)?;
    let mut var = GlobalVar::new(name);
    var.make_mut().struct_info_ = finished.function.struct_info_.clone();
    cx.importer.functions.push((var.clone(), finished.function.upcast()));
    Ok(Call::new(var.upcast(), arguments, None, []))
}

/// Converts the nodes of a branch; its results are bound once more.
fn branch_results<'m>(cx: &mut Node<'_, 'm>, proto: &'m Proto) -> Result<Vec<Expr>, Reason> {
    cx.importer.nodes();
    let mut flat = Vec::new();
    for value in cx.importer.output_values(proto) {
        if value.is_failed() {
            return Err("a node of a branch cannot be converted".into());
        }
        cx.importer.flattened(value, &mut flat)?;
    }
    let _no_layer = crate::graph::Layer::enter(None);
    flat.into_iter().map(|value| cx.emit(value)).collect()
}

/// The results of a graph whose nodes take the place of the node.
fn inlined<'m>(cx: &mut Node<'_, 'm>, at: usize) -> Converted {
    let proto = graph_at(cx, at)?;
    let operands = operands_at(cx, at + 1)?;
    let mut scope = std::collections::HashMap::new();
    for (input, value) in proto.inputs.iter().zip(operands) {
        if let Argument::Name(input) = input {
            scope.insert(input.as_str(), value);
        }
    }
    let outer =
        (std::mem::replace(&mut cx.importer.scope, scope), std::mem::replace(&mut cx.importer.proto, proto));
    cx.importer.nodes();
    let values = cx.importer.output_values(proto);
    (cx.importer.scope, cx.importer.proto) = outer;
    Ok(Value::List(values))
}
