//! Calls of functions, conditionals and loops.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{DataType, Ref, Span, structural_equal};
use tvmscript_relax::error::RelaxError;
use tvmscript_relax::op::elementwise::{equal, not_equal, where_};
use tvmscript_relax::{Call, Constant, Expr, If, Tuple, struct_info_of};

use super::super::functions::Params;
use super::super::importer::{Importer, Value, silent};
use super::super::list::List;
use super::super::node::{Converted, Node, Output, attribute};
use super::loops::{Loop, run};
use super::rows;
use crate::error::Reason;
use crate::graph::{Graph, Layer, described};
use crate::ops::{dtype_of, field, integers, number, rank_of};

rows! {
    "Case", "StatelessCase" => case, "the branches; equal, where", "branches whose values have other types";
    "If", "StatelessIf" => conditional, "a private function with `if`, and one per branch",
        "conditions that are not scalars";
    "PartitionedCall", "StatefulPartitionedCall" => |cx| {
        let name = cx.function_attr("f")?;
        call(cx, name)
    }, "the nodes of the function, named `call/node`", "functions that call themselves";
    "StatelessWhile", "While" => repeated, "a private function that calls itself, and one each for condition and body",
        "loops whose values change their shapes";
}

/// A function in place of its call.
pub(super) fn call<'m>(cx: &mut Node<'_, 'm>, name: &'m [u8]) -> Converted {
    let layer = cx.layer.clone();
    let operands = cx.operands.clone();
    Ok(Output::Values(cx.importer.inline(name, &layer, operands)?))
}

/// Operands of the functions of a conditional or loop: parameters, or values that all of them know.
pub(super) struct Operands {
    /// The values; those of parameters are the arguments.
    values: Vec<Value>,
    /// The arguments, with the positions of their values.
    pub(super) args: Vec<(usize, Expr)>,
}

impl Operands {
    /// Constants and variables are known, if `is_fixed` says that they do not change, and lists without elements.
    pub(super) fn of(
        importer: &mut Importer<'_>,
        values: Vec<Value>,
        is_fixed: impl Fn(usize) -> bool,
    ) -> Result<Operands, Reason> {
        let mut args = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let is_known = match value {
                Value::Tensor(value) => value.is::<Constant>() && is_fixed(index),
                Value::Resource(_) => is_fixed(index),
                Value::List(list) => matches!(list, List::Empty { .. }),
                Value::Dims(_) | Value::Failed => false,
            };
            if !is_known {
                args.push((index, importer.tensor(value)?));
            }
        }
        Ok(Operands { values, args })
    }

    /// The arguments.
    pub(super) fn tensors(&self) -> Vec<Expr> {
        self.args.iter().map(|(_, arg)| arg.clone()).collect()
    }

    /// The values of all operands, with these as those of the arguments.
    pub(super) fn with(&self, args: impl IntoIterator<Item = Expr>) -> Vec<Value> {
        let mut values = self.values.clone();
        for ((index, _), arg) in self.args.iter().zip(args) {
            if let Some(value) = values.get_mut(*index) {
                *value = like(value, arg);
            }
        }
        values
    }
}

/// A tensor in place of a value: a list if the value is one.
fn like(value: &Value, tensor: Expr) -> Value {
    match value {
        Value::List(_) => Value::List(List::Written(tensor)),
        _ => Value::Tensor(tensor),
    }
}

/// A tuple of values as tensors.
pub(super) fn tuple(importer: &mut Importer<'_>, values: &[Value]) -> Result<Expr, Reason> {
    let values = values.iter().map(|value| importer.tensor(value)).collect::<Result<Vec<_>, _>>()?;
    // The results of a function, like those of the graph, belong to no node.
    let _no_layer = Layer::enter(None);
    Ok(Tuple::new(values).upcast())
}

pub(super) fn call_of(function: &Ref<GlobalVar>, args: &[Expr]) -> Expr {
    Call::new(function.clone().upcast(), args.iter().cloned(), None, []).upcast()
}

/// Finds what is not supported in functions that cannot be converted, because an operand has failed.
fn check_only(cx: &mut Node<'_, '_>, functions: &[(&str, usize)]) -> Converted {
    let layer = cx.layer.clone();
    for (name, count) in functions {
        let function = cx.function_attr(name)?;
        cx.importer.inline(function, &layer, vec![Value::Failed; *count])?;
    }
    Err(silent())
}

fn has_failed(cx: &Node<'_, '_>) -> bool {
    cx.operands.iter().any(|value| matches!(value, Value::Failed))
}

/// A condition as a scalar of `bool`.
pub(super) fn condition(value: Expr) -> Result<Expr, Reason> {
    if rank_of(&value) != Some(0) {
        return Err("the condition must be a scalar".into());
    }
    match dtype_of(&value) {
        DataType::BOOL => Ok(value),
        dtype => Ok(not_equal(value, number(dtype, 0.0)).upcast()),
    }
}

fn conditional(cx: &mut Node<'_, '_>) -> Converted {
    if has_failed(cx) {
        let count = cx.count().saturating_sub(1);
        return check_only(cx, &[("then_branch", count), ("else_branch", count)]);
    }
    let known = cx.constant(0).and_then(|value| integers(&value));
    let chosen = condition(cx.input(0)?)?;
    if let Some([value]) = known.as_deref() {
        let function = cx.function_attr(if *value != 0 { "then_branch" } else { "else_branch" })?;
        let (layer, operands) = (cx.layer.clone(), cx.operands.split_off(1));
        return Ok(Output::Values(cx.importer.inline(function, &layer, operands)?));
    }
    let branches = [("_then", cx.function_attr("then_branch")?), ("_else", cx.function_attr("else_branch")?)];
    let operands = cx.operands.split_off(1);
    let results = chosen_by(cx, chosen, operands, branches)?;
    Ok(Output::Values(results))
}

/// The results of the first of two functions if a condition holds, else those of the second.
fn chosen_by<'m>(
    cx: &mut Node<'_, 'm>,
    chosen: Expr,
    operands: Vec<Value>,
    branches: [(&str, &'m [u8]); 2],
) -> Result<Vec<Value>, Reason> {
    let chosen = cx.normalize(chosen)?;
    let operands = Operands::of(cx.importer, operands, |_| true)?;
    let args = operands.tensors();
    let layer = cx.layer.clone();
    let mut lowered = Vec::new();
    let mut kinds = Vec::new();
    for (suffix, function) in branches {
        let params = Params::of(&args)?;
        let global = cx.importer.global(&layer, suffix);
        lowered.push(cx.importer.lower(global, &params.types, true, |importer, params| {
            let values = importer.inline(function, &layer, operands.with(params.iter().cloned()))?;
            let value = tuple(importer, &values)?;
            kinds = values;
            Ok(value)
        })?);
    }
    let [yes, no] = lowered.as_slice() else { return Err(silent()) };
    let mut all = Params::of(std::slice::from_ref(&chosen))?.types;
    all.iter_mut().for_each(|(name, _)| "condition".clone_into(name));
    all.extend(Params::of(&args)?.types);
    let global = cx.importer.global(&layer, "_if");
    let function = cx.importer.lower(global, &all, false, |importer, params| {
        let Some((condition, params)) = params.split_first() else { return Err(silent()) };
        choice(&mut importer.graph, condition, |_| Ok(call_of(yes, params)), call_of(no, params))
    })?;
    let args: Vec<Expr> = std::iter::once(chosen).chain(args).collect();
    let all = cx.normalize(call_of(&function, &args))?;
    let fields = kinds.iter().enumerate();
    fields.map(|(index, kind)| Ok(like(kind, cx.normalize(field(&all, index))?))).collect()
}

/// A choice among functions by number; numbers out of range choose the last.
fn case(cx: &mut Node<'_, '_>) -> Converted {
    let branches = attribute(cx.proto, "branches").and_then(|value| value.list.as_ref());
    let names: Vec<&[u8]> =
        branches.iter().flat_map(|list| &list.func).map(|func| func.name.as_ref()).collect();
    if has_failed(cx) {
        return Err(silent());
    }
    let operands = cx.operands.split_off(1);
    let layer = cx.layer.clone();
    if let Ok(index) = cx.int(0, "the number") {
        let index = usize::try_from(index).ok().filter(|index| *index < names.len());
        let name = index.and_then(|index| names.get(index)).or(names.last());
        let name = *name.ok_or_else(|| Reason::from("has no branches"))?;
        return Ok(Output::Values(cx.importer.inline(name, &layer, operands)?));
    }
    let index = cx.input(0)?;
    let all: Vec<Vec<Value>> = names
        .into_iter()
        .map(|name| cx.importer.inline(name, &layer, operands.clone()))
        .collect::<Result<_, _>>()?;
    let mut numbered = all.into_iter().enumerate().rev();
    let (_, mut results) = numbered.next().ok_or_else(|| Reason::from("has no branches"))?;
    for (number_of, values) in numbered {
        let is_it = cx.step(equal(index.clone(), number(dtype_of(&index), number_of as f64)))?;
        let pairs = values.iter().zip(&results);
        results = pairs.map(|(yes, no)| either(cx, &is_it, yes, no)).collect::<Result<_, _>>()?;
    }
    Ok(Output::Values(results))
}

/// The first of two values of the same type if a condition holds, else the second.
pub(super) fn either(
    cx: &mut Node<'_, '_>,
    is_first: &Expr,
    yes: &Value,
    no: &Value,
) -> Result<Value, Reason> {
    let (first, second) = (cx.importer.tensor(yes)?, cx.importer.tensor(no)?);
    let types = struct_info_of(&first).zip(struct_info_of(&second));
    if !types.is_some_and(|(a, b)| structural_equal(a.object(), b.object())) {
        let [a, b] = [described(&first), described(&second)];
        return Err(Reason(format!("the branches must have values of the same type, found {a} and {b}")));
    }
    let value = where_(is_first.clone(), first, second);
    Ok(like(yes, cx.step(value)?))
}

/// A conditional, bound.
pub(super) fn choice(
    graph: &mut Graph,
    cond: &Expr,
    yes: impl FnOnce(&mut Graph) -> Result<Expr, RelaxError>,
    no: Expr,
) -> Result<Expr, Reason> {
    let (true_branch, false_branch) = (graph.branch_with(yes)?, graph.branch(no)?);
    let cond = cond.clone();
    let node = Ref::new(If { span: Span::current(), struct_info_: None, cond, true_branch, false_branch });
    let node: Expr = node.upcast();
    Ok(graph.emit(node)?)
}

fn repeated(cx: &mut Node<'_, '_>) -> Converted {
    let count = cx.count();
    if has_failed(cx) {
        return check_only(cx, &[("cond", count), ("body", count)]);
    }
    let (test, body) = (cx.function_attr("cond")?, cx.function_attr("body")?);
    let layer = cx.layer.clone();
    let steps = Loop {
        name: layer.clone(),
        fixed: (0..count).map(|index| cx.importer.passes(body, index)).collect(),
        values: std::mem::take(&mut cx.operands),
        test: &|importer, values| {
            let values = importer.inline(test, &layer, values)?;
            let [value] = values.as_slice() else { return Err("the condition must have one result".into()) };
            importer.tensor(value)
        },
        body: &|importer, values| importer.inline(body, &layer, values),
    };
    Ok(Output::Values(run(cx.importer, steps)?))
}
