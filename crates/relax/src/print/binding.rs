//! Bindings, blocks, sequences and conditionals.

use tvmscript_docsifier::doc::{Doc, ExprDoc, StmtDoc, StmtList};
use tvmscript_docsifier::{Docsifier, DocsifyResult, Frame};
use tvmscript_ir::BaseFunc;
use tvmscript_ir_core::{Object, PathId, Ref, field, structural_equal};
use tvmscript_prim::{self as prim, IntImm};

use super::expr::hint;
use super::state::{RelaxDocsifier, RelaxFrame};
use crate::node::{
    Binding, BindingBlock, Call, Expr, ExternFunc, Function, If, MatchCast, ObjectStructInfo, PrimStructInfo,
    PrimValue, SeqExpr, StringImm, Tuple, TupleGetItem, TupleStructInfo, UnknownCall, Var, VarBinding,
    binding_parts, is_dataflow_var, struct_info_of,
};
use crate::op::{CallForm, operator};

/// Names a variable in the innermost frame.
pub(crate) fn define(var: &Ref<Var>, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    d.define(var.object(), hint(var))
}

/// The annotation of a bound variable; `None` if it is inferred and may be omitted.
pub(crate) fn annotation(
    var: &Ref<Var>,
    path: PathId,
    value: Option<&Expr>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<ExprDoc>> {
    let Some(info) = &var.struct_info_ else { return Ok(None) };
    if let Some(value) = value
        && let Some(inferred) = unsaid(value, d)
        && structural_equal(&inferred, info)
    {
        return Ok(None);
    }
    let at = d.field(path, field!(Var, struct_info_));
    let is_text = value.is_some_and(|value| value.is::<StringImm>()) && info.is::<ObjectStructInfo>();
    if is_text && d.syntax().has_text_type {
        let callee = d.prefixed("ir", "StringType");
        let doc = d.docs.call_args(callee, &[]);
        return Ok(Some(d.at(doc, at)));
    }
    d.expr_object(info, at).map(Some)
}

/// The annotation of the variable of a binding printed alone; marks dataflow variables of an enclosing block.
fn annotation_alone(var: &Ref<Var>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Option<ExprDoc>> {
    let doc = annotation(var, path, None, d)?;
    if !is_dataflow_var(var) {
        return Ok(doc);
    }
    let info = match doc {
        Some(info) => info,
        None => d.r("Object"),
    };
    Ok(Some(of_dataflow(info, d)))
}

/// `R.DataflowVar(R.Tensor((2, 3)))`
pub(crate) fn of_dataflow(info: ExprDoc, d: &mut Docsifier<'_>) -> ExprDoc {
    let callee = d.r("DataflowVar");
    d.docs.call_args(callee, &[info])
}

/// `pass`: marks a fragment as a block or sequence.
fn pass(d: &mut Docsifier<'_>) -> StmtDoc {
    let pass = d.docs.id("pass");
    d.docs.expr_stmt(pass)
}

/// The struct info for which the annotation may be omitted.
fn unsaid(value: &Expr, d: &mut Docsifier<'_>) -> Option<Object> {
    let hides = !d.relax_options().show_all_struct_info;
    if let Some(call) = value.as_node::<Call>() {
        if let CallForm::DestinationPassing(form) = operator(call.op_name()?)?.form
            && form.implies_annotation
        {
            return call.sinfo_args.first().map(|info| info.object().clone());
        }
        return if hides { inferred(call) } else { None };
    }
    if let Some(call) = value.as_node::<UnknownCall>() {
        return call.struct_info_.clone().filter(|_| call.is_bare);
    }
    if !hides {
        return None;
    }
    if let Some(tuple) = value.as_node::<Tuple>() {
        return tuple.struct_info_.clone();
    }
    if let Some(item) = value.as_node::<TupleGetItem>() {
        return item.struct_info_.clone();
    }
    value.as_node::<Var>().and_then(|var| var.struct_info_.clone())
}

/// The struct info that the parser infers for a call. That of the node may differ, and would be lost without an
/// annotation.
fn inferred(call: &Call) -> Option<Object> {
    let bare = Call { struct_info_: None, ..call.clone() };
    let again = crate::blocks::BlockBuilder::default().normalize(Ref::new(bare).upcast()).ok()?;
    struct_info_of(&again).map(Into::into)
}

pub(super) fn is_void(info: Option<&Object>) -> bool {
    info.and_then(|info| info.as_node::<TupleStructInfo>()).is_some_and(|tuple| tuple.fields.is_empty())
}

/// `x: R.Tensor((3,), dtype="float32") = value`
pub(crate) fn var_binding(node: &Ref<VarBinding>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    let VarBinding { span: _, var, value } = &**node;
    let var_path = d.field(path, field!(VarBinding, var));
    let value_path = d.field(path, field!(VarBinding, value));
    if let Some(conditional) = value.downcast_ref::<If>() {
        let annotation = annotation(var, var_path, Some(value), d)?;
        let name = define(var, d)?;
        let name = d.at(name, var_path);
        return if_expr(conditional, value_path, Some((name, annotation)), d).map(Into::into);
    }
    let is_alone = d.root().ptr_eq(node.object()) || d.is_item(node.object());
    if value.is::<BaseFunc>() && !value.is::<ExternFunc>() {
        let name = define(var, d)?;
        // A definition has no annotation.
        if is_alone && is_dataflow_var(var) {
            let annotation = annotation_alone(var, var_path, d)?;
            let declaration = d.docs.assign(name, None, annotation)?;
            d.push_stmt(declaration);
        }
        if let Some(frame) = d.frame_data_mut::<RelaxFrame>() {
            frame.bound_type = var.struct_info_.clone().filter(|_| value.is::<Function>());
        }
        let doc = match d.docs.sym_of(name) {
            Some(name) => d.with_binding_name(name, |d| d.doc(value.object(), value_path))?,
            None => d.doc(value.object(), value_path)?,
        };
        let stmt = match doc {
            Doc::Block(list) => d.docs.stmts(list).last().copied(),
            Doc::Stmt(stmt) => Some(stmt),
            Doc::Expr(_) | Doc::Slice(_) => None,
        };
        if let Some(name) = stmt.and_then(|stmt| d.docs.definition_name(stmt)) {
            d.at(name, var_path);
        }
        return Ok(doc);
    }
    if d.config().syntax_sugar
        && !is_alone
        && is_void(var.struct_info_.as_ref())
        && is_void(struct_info_of(value).as_ref().map(Ref::object))
    {
        let value = d.expr(value, value_path)?;
        // The name is not printed; its uses parse as the empty tuple.
        return Ok(d.docs.expr_stmt(value).into());
    }
    let doc = match stated_literal(var, value).filter(|_| d.syntax().has_bare_scalars) {
        Some(literal) => d.expr_field(literal, value_path, field!(VarBinding, value))?,
        None => d.expr(value, value_path)?,
    };
    let annotation = match is_alone && is_dataflow_var(var) {
        true => annotation_alone(var, var_path, d)?,
        false => annotation(var, var_path, Some(value), d)?,
    };
    let name = define(var, d)?;
    d.at(name, var_path);
    Ok(d.docs.assign(name, Some(doc), annotation)?.into())
}

/// The literal whose type the annotation states: `x: T.int32 = 3`.
fn stated_literal<'v>(var: &Var, value: &'v Expr) -> Option<&'v prim::Expr> {
    let info = var.struct_info_.as_ref()?.as_node::<PrimStructInfo>()?;
    let literal = &value.as_node::<PrimValue>()?.value;
    literal.as_node::<IntImm>().filter(|literal| literal.dtype == info.dtype).map(|_| literal)
}

/// `x: R.Tensor((n,)) = R.match_cast(value, R.Tensor((n,)))`
pub(crate) fn match_cast(
    node: &Ref<MatchCast>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let MatchCast { span: _, var, value, struct_info } = &**node;
    let var_path = d.field(path, field!(MatchCast, var));
    let is_alone = d.root().ptr_eq(node.object()) || d.is_item(node.object());
    let annotation = match d.relax_options().show_all_struct_info {
        _ if is_alone && is_dataflow_var(var) => annotation_alone(var, var_path, d)?,
        true => annotation(var, var_path, Some(value), d)?,
        false => None,
    };
    let value = d.expr_field(value, path, field!(MatchCast, value))?;
    let at = d.field(path, field!(MatchCast, struct_info));
    let info = d.expr(struct_info, at)?;
    let call = d.r_call("match_cast", &[value, info]);
    let name = define(var, d)?;
    d.at(name, var_path);
    Ok(d.docs.assign(name, Some(call), annotation)?)
}

/// The first `count` bindings of a block. Declarations they need are added to the innermost frame.
fn bindings(
    node: &BindingBlock,
    count: usize,
    path: PathId,
    mut outputs: Option<&mut Vec<ExprDoc>>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Vec<StmtDoc>> {
    let BindingBlock { bindings, span: _ } = node;
    let at = d.field(path, field!(BindingBlock, bindings));
    let mut stmts = Vec::with_capacity(bindings.len());
    for (i, binding) in bindings.iter().take(count).enumerate() {
        let at = d.item(at, i);
        match d.doc(binding.object(), at)? {
            Doc::Stmt(stmt) => stmts.push(stmt),
            other => {
                let start = d.frame_mut().stmts.len();
                d.push_doc(other);
                stmts.extend(d.frame_mut().stmts.split_off(start));
            }
        }
        if let Some(outputs) = &mut outputs {
            outputs.extend(output(binding, at, d)?);
        }
    }
    Ok(stmts)
}

/// The variable of a binding if it is an output of its dataflow block.
fn output(binding: &Ref<Binding>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Option<ExprDoc>> {
    let Some((var, _)) = binding_parts(binding) else { return Ok(None) };
    if is_dataflow_var(var) || !d.is_defined(var.object()) {
        return Ok(None);
    }
    let at = d.field(path, field!(VarBinding, var));
    d.expr(var, at).map(Some)
}

/// The bindings of a block.
pub(crate) fn block(node: &Ref<BindingBlock>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    if d.is_item(node.object()) {
        let stmts = bindings(node, usize::MAX, path, None, d)?;
        return Ok(d.docs.block(&stmts).into());
    }
    let (_, stmts) = d.with_open_frame(Frame::new(None, RelaxFrame::default()), |d| {
        let mut stmts = bindings(node, usize::MAX, path, None, d)?;
        // A single binding would parse as the binding itself.
        if node.bindings.len() < 2 && d.root().ptr_eq(node.object()) {
            stmts.push(pass(d));
        }
        d.frame_mut().stmts.extend(stmts);
        Ok(())
    })?;
    Ok(d.loose(stmts))
}

/// `with R.dataflow():`
pub(crate) fn dataflow_block(object: &Object, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    let Some(node) = object.as_node::<BindingBlock>() else { unreachable!("the type's payload is a block") };
    let mut visible = Vec::new();
    let mut body = bindings(node, usize::MAX, path, Some(&mut visible), d)?;
    let output = d.r_call("output", &visible);
    body.push(d.docs.expr_stmt(output));
    let scope = d.r_call("dataflow", &[]);
    Ok(d.docs.scope(None, scope, &body).into())
}

/// The statement for a sequence's value.
pub(crate) enum Ending {
    /// `return value`
    Return,
    /// `value`
    Expression,
    /// `x = value`
    Assign(ExprDoc, Option<ExprDoc>),
}

/// The last binding of a sequence, if its variable has no value and is the result: a use of such a variable parses as the
/// empty tuple, but `return R.print(x)` as the variable.
fn returned_call(node: &SeqExpr) -> Option<&VarBinding> {
    let block = node.blocks.last().filter(|block| !crate::node::is_dataflow_block(block))?;
    let binding = block.bindings.last()?.as_node::<VarBinding>()?;
    let is_result = node.body.object().ptr_eq(binding.var.object());
    let is_call = binding.value.is::<Call>() && is_void(binding.var.struct_info_.as_ref());
    (is_result && is_call).then_some(binding)
}

/// Blocks of bindings, then the value.
pub(crate) fn sequence(
    node: &SeqExpr,
    path: PathId,
    ending: Ending,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Vec<StmtDoc>> {
    let SeqExpr { span: _, struct_info_: _, blocks, body } = node;
    let returned = returned_call(node).filter(|_| matches!(ending, Ending::Return));
    let ((), stmts) = d.with_frame(Frame::new(None, RelaxFrame::default()), |d| {
        let mut value = None;
        let at = d.field(path, field!(SeqExpr, blocks));
        for (i, block) in blocks.iter().enumerate() {
            let at = d.item(at, i);
            match crate::node::is_dataflow_block(block) {
                true => {
                    let doc = d.doc(block.object(), at)?;
                    d.push_doc(doc);
                }
                false => {
                    let is_last = i + 1 == blocks.len();
                    let count = block.bindings.len() - usize::from(is_last && returned.is_some());
                    let stmts = bindings(block, count, at, None, d)?;
                    d.frame_mut().stmts.extend(stmts);
                    if let Some(binding) = returned.filter(|_| is_last) {
                        let at = d.field(at, field!(BindingBlock, bindings));
                        let at = d.item(at, count);
                        value = Some(d.expr_field(&binding.value, at, field!(VarBinding, value))?);
                    }
                }
            }
        }
        let value = match value {
            Some(value) => d.at_field(value, path, field!(SeqExpr, body)),
            None => d.expr_field(body, path, field!(SeqExpr, body))?,
        };
        let last = match ending {
            Ending::Return => d.docs.return_(value),
            Ending::Expression => d.docs.expr_stmt(value),
            Ending::Assign(name, annotation) => d.docs.assign(name, Some(value), annotation)?,
        };
        d.push_stmt(last);
        Ok(())
    })?;
    Ok(stmts)
}

/// A sequence alone.
pub(crate) fn seq_expr(node: &Ref<SeqExpr>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtList> {
    let mut stmts = sequence(node, path, Ending::Expression, d)?;
    // A value alone would parse as the value itself.
    if node.blocks.is_empty() && d.root().ptr_eq(node.object()) {
        stmts.insert(0, pass(d));
    }
    Ok(d.docs.block(&stmts))
}

/// A conditional alone.
pub(crate) fn if_alone(node: &Ref<If>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    if_expr(node, path, None, d)
}

/// `if cond:`, with the name that both values are bound to.
fn if_expr(
    node: &Ref<If>,
    path: PathId,
    target: Option<(ExprDoc, Option<ExprDoc>)>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let If { span: _, struct_info_: _, cond, true_branch, false_branch } = &**node;
    let cond = d.expr_field(cond, path, field!(If, cond))?;
    let ending = || match target {
        Some((name, annotation)) => Ending::Assign(name, annotation),
        None => Ending::Expression,
    };
    let at = d.field(path, field!(If, true_branch));
    let yes = sequence(true_branch, at, ending(), d)?;
    let at = d.field(path, field!(If, false_branch));
    let no = sequence(false_branch, at, ending(), d)?;
    Ok(d.docs.if_(cond, &yes, &no)?)
}
