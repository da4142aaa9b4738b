//! Calls of functions, conditionals and loops.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{DataType, Ref, Span};
use tvmscript_relax::error::RelaxError;
use tvmscript_relax::op::elementwise::not_equal;
use tvmscript_relax::{Call, Constant, Expr, FuncStructInfo, If, StructInfo, Tuple, TupleStructInfo};

use super::super::functions::params_for;
use super::super::importer::{Importer, Value, silent};
use super::super::node::{Converted, Node, Output};
use super::rows;
use crate::error::Reason;
use crate::graph::{Graph, Layer};
use crate::ops::{dtype_of, field, number, rank_of};

rows! {
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
struct Operands {
    /// The values that are known; `None` for those that are parameters.
    known: Vec<Option<Value>>,
    /// The values of the parameters.
    args: Vec<Expr>,
}

impl Operands {
    /// Constants and variables are known, if `is_fixed` says that they do not change.
    fn of(cx: &mut Node<'_, '_>, first: usize, is_fixed: impl Fn(usize) -> bool) -> Result<Operands, Reason> {
        let (mut known, mut args) = (Vec::new(), Vec::new());
        for index in first..cx.count() {
            let value = cx.value(index)?;
            let can_be_known = match &value {
                Value::Tensor(value) => value.is::<Constant>(),
                Value::Resource(_) => true,
                Value::Dims(_) | Value::Failed => false,
            };
            if can_be_known && is_fixed(index - first) {
                known.push(Some(value));
            } else {
                known.push(None);
                args.push(cx.input(index)?);
            }
        }
        Ok(Operands { known, args })
    }

    /// The values of all operands inside a function with these parameters.
    fn inside(&self, params: &[Expr]) -> Vec<Value> {
        let mut params = params.iter();
        let value = |known: &Option<Value>| match known {
            Some(value) => value.clone(),
            None => params.next().map_or(Value::Failed, |param| Value::Tensor(param.clone())),
        };
        self.known.iter().map(value).collect()
    }
}

/// A tuple of values as tensors.
fn tuple(importer: &mut Importer<'_>, values: &[Value]) -> Result<Expr, Reason> {
    let values = values.iter().map(|value| importer.tensor(value)).collect::<Result<Vec<_>, _>>()?;
    // The results of a function, like those of the graph, belong to no node.
    let _no_layer = Layer::enter(None);
    Ok(Tuple::new(values).upcast())
}

fn call_of(function: &Ref<GlobalVar>, args: &[Expr]) -> Expr {
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
fn condition(value: Expr) -> Result<Expr, Reason> {
    if rank_of(&value) != Some(0) {
        return Err("the condition must be a scalar".into());
    }
    match dtype_of(&value) {
        DataType::BOOL => Ok(value),
        dtype => Ok(not_equal(value, number(dtype, 0.0)).upcast()),
    }
}

type Params = Vec<(String, Ref<StructInfo>)>;

fn conditional(cx: &mut Node<'_, '_>) -> Converted {
    if has_failed(cx) {
        let count = cx.count().saturating_sub(1);
        return check_only(cx, &[("then_branch", count), ("else_branch", count)]);
    }
    let chosen = condition(cx.input(0)?)?;
    let chosen = cx.normalize(chosen)?;
    let operands = Operands::of(cx, 1, |_| true)?;
    let layer = cx.layer.clone();
    let mut branches = Vec::new();
    for (attribute, suffix) in [("then_branch", "_then"), ("else_branch", "_else")] {
        let function = cx.function_attr(attribute)?;
        let params = params_for(&operands.args)?;
        let global = cx.importer.global(&layer, suffix);
        branches.push(cx.importer.lower(global, &params, true, |importer, params| {
            let values = importer.inline(function, &layer, operands.inside(params))?;
            tuple(importer, &values)
        })?);
    }
    let [yes, no] = branches.as_slice() else { return Err(silent()) };
    let mut all = params_for(std::slice::from_ref(&chosen))?;
    all.iter_mut().for_each(|(name, _)| "condition".clone_into(name));
    all.extend(params_for(&operands.args)?);
    let global = cx.importer.global(&layer, "_if");
    let function = cx.importer.lower(global, &all, false, |importer, params| {
        let Some((condition, params)) = params.split_first() else { return Err(silent()) };
        choice(&mut importer.graph, condition, |_| Ok(call_of(yes, params)), call_of(no, params))
    })?;
    let mut args = vec![chosen];
    args.extend(operands.args);
    Ok(call_of(&function, &args).into())
}

/// A conditional, bound.
fn choice(
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
    let fixed: Vec<bool> = (0..count).map(|index| cx.importer.passes(body, index)).collect();
    let operands = Operands::of(cx, 0, |index| fixed.get(index) == Some(&true))?;
    let params: Params = params_for(&operands.args)?;
    let layer = cx.layer.clone();
    let test_name = cx.importer.global(&layer, "_cond");
    let test = cx.importer.lower(test_name, &params, true, |importer, params| {
        let values = importer.inline(test, &layer, operands.inside(params))?;
        let [value] = values.as_slice() else { return Err("the condition must have one result".into()) };
        condition(importer.tensor(value)?)
    })?;
    let params = params_for(&operands.args)?;
    let body_name = cx.importer.global(&layer, "_body");
    let body = cx.importer.lower(body_name, &params, true, |importer, params| {
        let values = importer.inline(body, &layer, operands.inside(params))?;
        let changing = values.into_iter().zip(&operands.known).filter(|(_, known)| known.is_none());
        let changing: Vec<Value> = changing.map(|(value, _)| value).collect();
        tuple(importer, &changing)
    })?;
    let params = params_for(&operands.args)?;
    let infos: Vec<Ref<StructInfo>> = params.iter().map(|(_, info)| info.clone()).collect();
    let mut function = cx.importer.global(&layer, "_loop");
    let result = TupleStructInfo::new(infos.iter().cloned());
    let info = FuncStructInfo::new(infos.into_iter().collect(), result, true);
    function.make_mut().struct_info_ = Some(info.into());
    let again = function.clone();
    let function = cx.importer.lower(function, &params, false, |importer, params| {
        let test = importer.graph.emit(call_of(&test, params))?;
        let next = |graph: &mut Graph| {
            let next = graph.emit(call_of(&body, params))?;
            let next = (0..params.len()).map(|index| graph.emit(field(&next, index)));
            Ok(call_of(&again, &next.collect::<Result<Vec<_>, _>>()?))
        };
        choice(&mut importer.graph, &test, next, Tuple::new(params.iter().cloned()).upcast())
    })?;
    let last = cx.normalize(call_of(&function, &operands.args))?;
    let mut results = Vec::new();
    let mut index = 0;
    for known in operands.known {
        results.push(match known {
            Some(value) => value,
            None => {
                index += 1;
                Value::Tensor(cx.normalize(field(&last, index - 1))?)
            }
        });
    }
    Ok(Output::Values(results))
}
