//! Conditionals, loops and calls of subgraphs, which become functions of the module, and variables of the model.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Ref, Span};
use tvmscript_relax::{Call, Expr, FuncStructInfo, If, StructInfo, TupleStructInfo};

use super::super::importer::{element, one_of};
use super::super::node::{Converted, Node, Output};
use super::super::schema::{Call as CallOptions, CallOnce, If as IfOptions, VarHandle, While};
use super::rows;
use crate::error::Reason;
use crate::graph::Layer;

rows! {
    "ASSIGN_VARIABLE": Variable assign => "the value", "inside a conditional or loop";
    "CALL": Stored |cx| {
        let subgraph = cx.subgraph(CallOptions::Subgraph)?;
        let callee = lowered(cx, subgraph, "call_subgraph")?;
        let args = cx.all()?;
        Ok(called(callee, args).into())
    } => "a private function";
    "CALL_ONCE": Stored |cx| {
        let subgraph = cx.subgraph(CallOnce::InitSubgraphIndex)?;
        cx.importer.inlined(subgraph, Vec::new())?;
        Ok(Output::Nothing)
    } => "the operators of the subgraph";
    "IF": Stored conditional => "private functions with `if`";
    "READ_VARIABLE": Variable read => "the value", "inside a conditional or loop";
    "VAR_HANDLE": Variable |_| Ok(Output::Nothing) => "nothing";
    "WHILE": Stored |cx| {
        let parts = [cx.subgraph(While::CondSubgraphIndex)?, cx.subgraph(While::BodySubgraphIndex)?];
        repeated(cx, parts, "while")
    } => "a private function that calls itself";
}

/// A call of a function of the module.
fn called(callee: Ref<GlobalVar>, args: Vec<Expr>) -> Ref<Call> {
    Call::new(callee.upcast(), args, None, [])
}

fn lowered(cx: &mut Node<'_, '_>, subgraph: usize, part: &str) -> Result<Ref<GlobalVar>, Reason> {
    cx.importer.lowered(subgraph, &format!("tflite_{part}_{subgraph}"))
}

/// Fails unless the subgraph has these types of inputs, and of outputs where they are given.
fn check(
    cx: &Node<'_, '_>,
    subgraph: usize,
    inputs: &[usize],
    outputs: Option<&[usize]>,
) -> Result<(), Reason> {
    let graph = cx.importer.model.subgraphs.get(subgraph);
    let graph = graph.ok_or_else(|| Reason(format!("subgraph {subgraph} does not exist")))?;
    let matches = |theirs: &[usize], ours: &[usize]| {
        theirs.len() == ours.len()
            && theirs.iter().zip(ours).all(|(theirs, ours)| {
                let (theirs, ours) = (graph.tensors.get(*theirs), cx.importer.tensor(*ours).ok());
                theirs.zip(ours).is_some_and(|(a, b)| a.shape == b.shape && a.kind == b.kind)
            })
    };
    if !matches(&graph.inputs, inputs) {
        return Err(Reason(format!("the inputs of subgraph {subgraph} have other types than the operands")));
    }
    match outputs {
        Some(outputs) if !matches(&graph.outputs, outputs) => {
            Err(Reason(format!("the outputs of subgraph {subgraph} have other types than the results")))
        }
        _ => Ok(()),
    }
}

/// The tensors of the operands.
fn operands(cx: &Node<'_, '_>) -> Result<Vec<usize>, Reason> {
    (0..cx.operator.inputs.len()).map(|at| cx.index(at)).collect()
}

/// The function that chooses a branch takes the condition, then the operands of both branches.
fn conditional(cx: &mut Node<'_, '_>) -> Converted {
    let parts = [cx.subgraph(IfOptions::ThenSubgraphIndex)?, cx.subgraph(IfOptions::ElseSubgraphIndex)?];
    let operands = operands(cx)?;
    let Some((_, rest)) = operands.split_first() else { return Err("needs a condition".into()) };
    for part in parts {
        check(cx, part, rest, Some(&cx.operator.outputs))?;
    }
    let yes = lowered(cx, parts[0], "if_then_subgraph")?;
    let no = lowered(cx, parts[1], "if_else_subgraph")?;
    let mut params = Vec::new();
    for index in &operands {
        params.push((cx.importer.name(*index), cx.importer.type_of(*index)?));
    }
    let name = format!("tflite_if_subgraph_{}_{}", parts[0], parts[1]);
    let known = cx.importer.functions.iter().find(|(var, _)| var.name_hint.as_str() == name);
    let callee = match known {
        Some((var, _)) => var.clone(),
        None => {
            let subgraph = cx.importer.scope.subgraph;
            let span = Span::current();
            let function = cx.importer.function(false, subgraph, |importer| {
                let mut vars =
                    params.into_iter().map(|(name, info)| importer.graph.input(&name, info).upcast());
                let cond: Expr = vars.next().ok_or_else(|| Reason::from("needs a condition"))?;
                let args: Vec<Expr> = vars.collect();
                let true_branch = importer.graph.branch(called(yes, args.clone()))?;
                let false_branch = importer.graph.branch(called(no, args))?;
                Ok(Ref::new(If { span, struct_info_: None, cond, true_branch, false_branch }).upcast())
            })?;
            cx.importer.add_function(&name, function)
        }
    };
    let args = cx.all()?;
    Ok(called(callee, args).into())
}

/// A loop: a function that calls the condition, then the body and itself, or returns its parameters.
pub(super) fn repeated(cx: &mut Node<'_, '_>, parts: [usize; 2], kind: &str) -> Converted {
    let operands = operands(cx)?;
    check(cx, parts[0], &operands, None)?;
    check(cx, parts[1], &operands, Some(&operands))?;
    if operands.is_empty() || operands.len() != cx.operator.outputs.len() {
        return Err("needs as many results as operands, and at least one".into());
    }
    let cond = lowered(cx, parts[0], &format!("{kind}_cond_subgraph"))?;
    let body = lowered(cx, parts[1], &format!("{kind}_body_subgraph"))?;
    let name = format!("tflite_{kind}_subgraph_{}_{}", parts[0], parts[1]);
    let known = cx.importer.functions.iter().find(|(var, _)| var.name_hint.as_str() == name);
    let callee = match known {
        Some((var, _)) => var.clone(),
        None => loop_function(cx, parts[1], cond, body, &name)?,
    };
    let args = cx.all()?;
    Ok(called(callee, args).into())
}

fn loop_function(
    cx: &mut Node<'_, '_>,
    subgraph: usize,
    cond: Ref<GlobalVar>,
    body: Ref<GlobalVar>,
    name: &str,
) -> Result<Ref<GlobalVar>, Reason> {
    let inputs = cx.importer.model.subgraphs.get(subgraph).map(|graph| graph.inputs.clone());
    let inputs = inputs.unwrap_or_default();
    let mut own: Option<Ref<GlobalVar>> = None;
    let span = Span::current();
    let function = cx.importer.function(false, subgraph, |importer| {
        let mut params: Vec<Expr> = Vec::new();
        let mut infos: Vec<Ref<StructInfo>> = Vec::new();
        for index in &inputs {
            let info = importer.type_of(*index)?;
            infos.push(info.clone());
            params.push(importer.graph.input(&importer.name(*index), info).upcast());
        }
        let result = match infos.as_slice() {
            [only] => only.clone(),
            _ => TupleStructInfo::new(infos.iter().cloned()),
        };
        let info = FuncStructInfo::new(infos.into_iter().collect(), result, true);
        let struct_info_ = Some(info.into());
        let callee = Ref::new(GlobalVar { span: Span::UNKNOWN, struct_info_, name_hint: name.into() });
        own = Some(callee.clone());
        let cond: Expr = importer.graph.emit(called(cond, params.clone()))?;
        let next: Expr = called(body, params.clone()).upcast();
        let args = match params.len() {
            1 => vec![next],
            count => (0..count).map(|index| element(&next, index)).collect(),
        };
        let true_branch = importer.graph.branch(called(callee, args))?;
        let _no_layer = Layer::enter(None);
        let false_branch = importer.graph.branch(one_of(params))?;
        Ok(Ref::new(If { span, struct_info_: None, cond, true_branch, false_branch }).upcast())
    })?;
    let own = own.ok_or_else(|| Reason::from("the loop has no function"))?;
    cx.importer.functions.push((own.clone(), function.upcast()));
    Ok(own)
}

/// The name of the variable that an operand holds.
fn variable(cx: &Node<'_, '_>, at: usize) -> Result<String, Reason> {
    let index = cx.index(at)?;
    let graph = cx.importer.model.subgraphs.get(cx.importer.scope.subgraph);
    let operators = graph.map(|graph| graph.operators.as_slice()).unwrap_or_default();
    let handle = operators.iter().find(|operator| operator.outputs.contains(&index));
    let handle = handle.filter(|handle| handle.name == "VAR_HANDLE");
    let handle = handle.ok_or_else(|| Reason::from("needs a variable of the same subgraph"))?;
    let text = |field: VarHandle| {
        let bytes = handle.options.map_or(Ok(&[][..]), |options| options.bytes(field))?;
        Ok::<_, Reason>(String::from_utf8_lossy(bytes).into_owned())
    };
    let (container, shared) = (text(VarHandle::Container)?, text(VarHandle::SharedName)?);
    Ok(match shared.is_empty() && container.is_empty() {
        true => cx.importer.name(index),
        false => format!("{container}/{shared}"),
    })
}

/// Fails in the function of a subgraph, which runs any number of times.
fn check_runs_once(cx: &Node<'_, '_>) -> Result<(), Reason> {
    match cx.importer.is_inside_function() {
        true => Err("variables inside conditionals and loops are not supported".into()),
        false => Ok(()),
    }
}

fn assign(cx: &mut Node<'_, '_>) -> Converted {
    check_runs_once(cx)?;
    let (name, value) = (variable(cx, 0)?, cx.stored(1)?);
    cx.importer.variables.insert(name, value);
    Ok(Output::Nothing)
}

fn read(cx: &mut Node<'_, '_>) -> Converted {
    check_runs_once(cx)?;
    let name = variable(cx, 0)?;
    let value = cx.importer.variables.get(&name).cloned();
    value.map(Into::into).ok_or_else(|| Reason(format!("the variable `{name}` has no value yet")))
}
