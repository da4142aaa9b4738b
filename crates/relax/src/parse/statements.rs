//! Statements of function bodies.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Ref, with_stack};
use tvmscript_irbuilder::record::record_syntax;
use tvmscript_irbuilder::{BuildError, Builder, FromScript, PendingFrame, ScriptValue};
use tvmscript_prim::BaseExpr;
use tvmscript_prim::PrimExpr;
use tvmscript_python_syntax::ast::{self, Expr, ExprId, List, Stmt, StmtId};
use tvmscript_script_parser::{EvalErrorKind, EvalResult, ParseErrorKind, Parser, Shadowing};

use super::bind;
use super::signature::expr_at;
use crate::blocks::is_void;
use crate::build::args::InfoArg;
use crate::build::function::{emit_value, try_func_ret_value};
use crate::build::{
    BranchFrame, DataflowVarInfo, FunctionFrame, IfFrame, MatchCastPair, with_blocks, with_function,
};
use crate::node::{If, SeqExpr, Tuple, TupleStructInfo, UnknownCall, Var, struct_info_of};

/// `x = value`, `x, y = value`.
pub(super) fn assign(p: &mut Parser<'_>, id: StmtId, node: &ast::Assign) -> EvalResult<()> {
    let Some(target) = p.item(node.targets, 0) else { return Ok(()) };
    if node.targets.len() > 1 {
        let kind =
            EvalErrorKind::UnsupportedExpression { what: "an assignment to several targets (`a = b = c`)" };
        return Err(p.error_with_help(id, kind, "write one assignment for each target"));
    }
    let value = p.eval(node.value)?;
    if is_declared_function(p, node.value, &value)
        && let Expr::Name(name) = p.expr(target)
    {
        return p.define(name, value, target, Shadowing::SameFrame);
    }
    match p.expr(target) {
        Expr::Name(name) => bind::assign_from(p, name, target, node.value, value, None),
        _ => p.unpack(target, value, bind::assign),
    }
}

/// `f = I.GlobalVar("f")` at the head of a fragment.
fn is_declared_function(p: &Parser<'_>, at: ExprId, value: &ScriptValue) -> bool {
    value.as_node::<GlobalVar>().is_some()
        && matches!(p.expr(at), Expr::Call { .. })
        && matches!(with_function("a declaration", |function| function.fragment.is_some()), Ok(true))
}

/// `x: R.Tensor((2, 3), "float32") = value`. Without a value, declares a variable without a binding, as the printer
/// writes for fragments and ill-formed functions.
pub(super) fn ann_assign(p: &mut Parser<'_>, _: StmtId, node: &ast::AnnAssign) -> EvalResult<()> {
    let value = node.value.map(|at| (at, p.eval(at)));
    let mut is_dataflow = false;
    let annotation = p.eval(node.annotation).and_then(|annotation| {
        let info = match annotation.as_host::<DataflowVarInfo>() {
            Some(info) => {
                is_dataflow = true;
                check_fragment().map(|()| InfoArg(info.0.clone()))
            }
            None => InfoArg::from_script(annotation),
        };
        p.checked(node.annotation, info)
    });
    let Expr::Name(name) = p.expr(node.target) else {
        let kind = EvalErrorKind::InvalidTarget { what: "an annotated expression other than a name" };
        return Err(p.error(node.target, kind));
    };
    match value {
        Some((at, value)) => {
            let (value, annotation) = (value?, annotation?.0);
            binds_dataflow(is_dataflow);
            let done = bind::assign_from(p, name, node.target, at, value, Some(annotation));
            binds_dataflow(false);
            done
        }
        None => {
            let info = annotation?.0;
            let text = p.name_str(name);
            let var = match is_dataflow {
                true => Var::dataflow(text, Some(info.clone())),
                false => Var::new(text, Some(info.clone())),
            };
            let defined = with_function("a declaration", |function| {
                if function.fragment.is_some() {
                    function.blocks.define_scalars(&info);
                }
            });
            p.checked(node.target, defined)?;
            p.define(name, bind::used(var), node.target, Shadowing::SameFrame)
        }
    }
}

/// Checks that the enclosing dataflow block is outside a fragment.
fn check_fragment() -> tvmscript_irbuilder::BuildResult<()> {
    match with_function("R.DataflowVar", |function| function.fragment.is_some())? {
        true => Ok(()),
        false => {
            let message = "`R.DataflowVar` is only allowed in a fragment";
            Err(BuildError::message(message).with_help("remove it, and write `with R.dataflow():`"))
        }
    }
}

/// Sets whether new variables belong to a dataflow block that encloses the fragment.
fn binds_dataflow(yes: bool) {
    // No variable is bound outside a function.
    let _ = with_function("R.DataflowVar", |function| function.blocks.set_binds_dataflow(yes));
}

/// `pass`: makes the fragment a block or sequence.
pub(super) fn pass(_: &mut Parser<'_>, _: StmtId) -> EvalResult<()> {
    let _ = Builder::with_top(|function: &mut FunctionFrame| {
        if let Some(fragment) = &mut function.fragment {
            fragment.is_block = true;
        }
    });
    Ok(())
}

/// An expression statement: a call without a result.
pub(super) fn expression(p: &mut Parser<'_>, _: StmtId, node: &ast::ExprStmt) -> EvalResult<()> {
    // Like in Python, a leading string is a comment.
    if matches!(p.expr(node.value), Expr::Constant(ast::Constant::Str(_)))
        && matches!(with_function("a comment", |function| function.blocks.is_empty()), Ok(true))
    {
        return Ok(());
    }
    let value = p.eval(node.value)?;
    if matches!(value, ScriptValue::None) {
        return Ok(());
    }
    let expr = value.as_node::<BaseExpr>().filter(|expr| !expr.is::<PrimExpr>()).cloned();
    let Some(expr) = expr else {
        let help = match value.as_host::<MatchCastPair>() {
            Some(_) => "bind the cast to a name: `_ = R.match_cast(..)`",
            None => "an expression statement must be a call without a result, such as `R.call_packed`",
        };
        let kind = ParseErrorKind::expected("a Relax expression", p.describe(&value));
        return Err(p.error_with_help(node.value, kind, help));
    };
    drop(value);
    let is_untold = expr.as_node::<UnknownCall>().is_some_and(|call| call.stated().is_none());
    let nothing = is_untold.then(TupleStructInfo::void);
    let emitted = emit_value(expr, nothing);
    let var = p.checked_call(node.value, emitted)?;
    var.vid.name_hint.set("_".into());
    match struct_info_of(&var.upcast()) {
        Some(info) if !is_void(&info) => {
            let kind = ParseErrorKind::expected(
                "a call without a result",
                format!("one with the result `{}`", crate::describe::struct_info(&info)),
            );
            Err(p.error_with_help(node.value, kind, "bind the value to a name: `_ = ..`"))
        }
        _ => Ok(()),
    }
}

/// `return value`.
pub(super) fn return_value(p: &mut Parser<'_>, id: StmtId, node: &ast::Return) -> EvalResult<()> {
    let Some(at) = node.value else {
        let kind = ParseErrorKind::expected("a value after `return`", "nothing");
        return Err(p.error_with_help(id, kind, "`R.tuple()` is the empty value"));
    };
    if Builder::top_is::<BranchFrame>() {
        let kind = EvalErrorKind::UnsupportedExpression { what: "a `return` in a branch" };
        let help = "bind the value to the same name at the end of both branches, and return it after them";
        return Err(p.error_with_help(id, kind, help));
    }
    let value = p.eval(at)?;
    let expr = expr_at(p, at, &value)?;
    drop(value);
    record_syntax("R.func_ret_value", || vec![expr.clone().into()]);
    let done = try_func_ret_value(crate::build::args::AnyExprArg(expr));
    p.checked_call(at, done)
}

/// `if cond: .. else: ..`; an `elif` is a conditional in the `else` branch.
pub(super) fn conditional(p: &mut Parser<'_>, id: StmtId, node: &ast::If) -> EvalResult<()> {
    if node.orelse.is_empty() {
        let kind = ParseErrorKind::expected("an `else` branch", "a conditional without one");
        return Err(p.error_with_help(id, kind, "both branches must end with a binding of the same name"));
    }
    let read = clause(p, id, node, 0);
    read.inspect_err(|_| branches(p, node).into_iter().for_each(|body| poison_bound(p, body)))
}

fn clause(p: &mut Parser<'_>, id: StmtId, node: &ast::If, index: usize) -> EvalResult<()> {
    let Some(clause) = p.item(node.clauses, index) else {
        return p.visit_all(node.orelse);
    };
    let test = p.eval(clause.test)?;
    let cond = expr_at(p, clause.test, &test)?;
    drop(test);
    let frame = PendingFrame::value(IfFrame::new(cond));
    p.in_frame(&frame, clause.test, |p, _| {
        let then_branch = PendingFrame::value(BranchFrame::new(true));
        let first = p.with_scope(|p| p.in_frame(&then_branch, id, |p, _| p.visit_all(clause.body)));
        // If the first branch fails, the second one takes its place, so that its errors are reported too.
        let else_branch = PendingFrame::value(BranchFrame::new(first.is_err()));
        let second = p.with_scope(|p| {
            p.in_frame(&else_branch, id, |p, _| {
                if index + 1 == node.clauses.len() {
                    return p.visit_all(node.orelse);
                }
                with_stack(|| self::clause(p, id, node, index + 1))
            })
        });
        first.and(second)
    })?;
    p.explain_scope(id, "only the name that both branches bind last is visible after them");
    define_given(p, id)
}

/// Returns `true` if the branches end with values: a conditional without a binding.
pub(super) fn is_alone(p: &Parser<'_>, node: &ast::If) -> bool {
    let Some(body) = p.item(node.clauses, 0).map(|clause| clause.body) else { return false };
    let last = body.len().checked_sub(1).and_then(|last| p.item(body, last));
    node.clauses.len() == 1
        && !node.orelse.is_empty()
        && last.is_some_and(|id| matches!(p.stmt(id), Stmt::Expr(_)))
}

/// A conditional without a binding: `if cond: .. x`, `else: .. y`.
pub(super) fn conditional_alone(p: &mut Parser<'_>, id: StmtId, node: &ast::If) -> EvalResult<()> {
    let Some(clause) = p.item(node.clauses, 0) else { return Ok(()) };
    let test = p.eval(clause.test)?;
    let cond = expr_at(p, clause.test, &test)?;
    let yes = branch_alone(p, id, clause.body);
    let no = branch_alone(p, id, node.orelse);
    let node = If { span: p.span(id), struct_info_: None, cond, true_branch: yes?, false_branch: no? };
    let done = with_blocks("R.If", None, |blocks| blocks.normalize(Ref::new(node).upcast()));
    let value = p.checked(clause.test, done)?;
    let done = with_function("R.If", |function| {
        if let Some(fragment) = &mut function.fragment {
            fragment.value = Some(value.into());
        }
    });
    p.checked(id, done)
}

fn branch_alone(p: &mut Parser<'_>, id: StmtId, body: List<StmtId>) -> EvalResult<Ref<SeqExpr>> {
    let begun = with_blocks("a branch", None, |blocks| {
        blocks.begin_branch();
        Ok(())
    });
    p.checked(id, begun)?;
    p.with_scope(|p| {
        let count = body.len().saturating_sub(1);
        let mut result = Ok(());
        for index in 0..count {
            result = p.item(body, index).map_or(Ok(()), |id| p.visit(id)).and(result);
        }
        let last = p.item(body, count).map(|id| (id, p.stmt(id)));
        let value = match last {
            Some((_, Stmt::Expr(stmt))) => {
                p.eval(stmt.value).and_then(|value| expr_at(p, stmt.value, &value))
            }
            _ => {
                let kind = ParseErrorKind::expected("a value at the end of the branch", "a statement");
                Err(p.error(last.map_or(id, |(id, _)| id), kind))
            }
        };
        let value = value.unwrap_or_else(|_| Tuple::new([]).upcast());
        let done = with_blocks("a branch", None, |blocks| blocks.end_branch_with(value));
        let branch = p.checked(id, done)?;
        result.map(|()| branch)
    })
}

/// Defines the names that the last closed scope exports.
fn define_given(p: &mut Parser<'_>, id: StmtId) -> EvalResult<()> {
    let given = with_function("a scope", |function| function.blocks.take_given());
    for (name, var) in p.checked(id, given)? {
        if let Some(name) = p.ast().find_name(&name) {
            p.define(name, bind::used(var), id, Shadowing::SameFrame)?;
        }
    }
    Ok(())
}

/// `with R.dataflow():`.
pub(super) fn dataflow(p: &mut Parser<'_>, id: StmtId, node: &ast::With) -> EvalResult<()> {
    let (1, Some(item)) = (node.items.len(), p.item(node.items, 0)) else {
        let kind = EvalErrorKind::UnsupportedExpression { what: "several scopes in one `with`" };
        return Err(p.error(id, kind));
    };
    if let Some(target) = item.target {
        let kind = EvalErrorKind::UnsupportedExpression { what: "a name for this scope" };
        return Err(p.error_with_help(target, kind, "write `with R.dataflow():`"));
    }
    let frame = p.eval(item.context)?;
    // The block is closed even after errors, so that the following statements are outside it.
    let read = p.in_frame(&frame, item.context, |p, _| Ok(p.with_scope(|p| p.visit_all(node.body))));
    let read = read.inspect_err(|_| poison_bound(p, node.body))?;
    define_given(p, id)?;
    p.explain_scope(id, "add it to the output of the block: `R.output(..)`");
    read.inspect_err(|_| poison_bound(p, node.body))
}

/// Poisons the names bound in a scope with errors: whether it exports them is unknown.
fn poison_bound(p: &mut Parser<'_>, body: List<StmtId>) {
    let mut work = vec![body];
    while let Some(body) = work.pop() {
        for index in 0..body.len() {
            let Some(id) = p.item(body, index) else { break };
            match p.stmt(id) {
                Stmt::Assign(stmt) => {
                    for index in 0..stmt.targets.len() {
                        if let Some(target) = p.item(stmt.targets, index) {
                            p.poison_target(target);
                        }
                    }
                }
                Stmt::AnnAssign(stmt) => p.poison_target(stmt.target),
                Stmt::With(stmt) => work.push(stmt.body),
                Stmt::If(stmt) => work.extend(branches(p, &stmt)),
                _ => {}
            }
        }
    }
}

/// The bodies of a conditional.
fn branches(p: &Parser<'_>, node: &ast::If) -> Vec<List<StmtId>> {
    let clauses = (0..node.clauses.len()).filter_map(|i| Some(p.item(node.clauses, i)?.body));
    clauses.chain([node.orelse]).collect()
}
