//! Statements of function bodies.

use tvmscript_ir_core::{BaseExpr, with_stack};
use tvmscript_irbuilder::{Builder, FromScript, ScriptValue};
use tvmscript_prim::PrimExpr;
use tvmscript_script_parser::ast::{self, Expr, List, Stmt, StmtId};
use tvmscript_script_parser::{ParseErrorKind, Parser, Result, Shadowing};

use super::bind;
use super::signature::expr_at;
use crate::build::args::InfoArg;
use crate::build::function::{emit_value, try_func_ret_value};
use crate::build::{BranchFrame, IfFrame, MatchCastPair, is_void, with_function};
use crate::node::{Var, struct_info_of};

/// `x = value`, `x, y = value`.
pub(super) fn assign(p: &mut Parser<'_>, id: StmtId, node: &ast::Assign) -> Result<()> {
    let Some(target) = p.item(node.targets, 0) else { return Ok(()) };
    if node.targets.len() > 1 {
        let kind =
            ParseErrorKind::UnsupportedExpression { what: "an assignment to several targets (`a = b = c`)" };
        return Err(p.error_with_help(id, kind, "write one assignment for each target"));
    }
    let value = p.eval(node.value)?;
    match p.expr(target) {
        Expr::Name(name) => bind::assign_from(p, name, target, node.value, value, None),
        _ => p.unpack(target, value, bind::assign),
    }
}

/// `x: R.Tensor((2, 3), "float32") = value`. Without a value, the name stands for a variable that nothing binds: so the
/// printer declares those of fragments and of functions that are not well-formed.
pub(super) fn ann_assign(p: &mut Parser<'_>, _: StmtId, node: &ast::AnnAssign) -> Result<()> {
    let value = node.value.map(|at| (at, p.eval(at)));
    let annotation = p.eval(node.annotation).and_then(|annotation| {
        let info = InfoArg::from_script(annotation);
        p.checked(node.annotation, info)
    });
    let Expr::Name(name) = p.expr(node.target) else {
        let kind = ParseErrorKind::InvalidTarget { what: "an annotated expression other than a name" };
        return Err(p.error(node.target, kind));
    };
    match value {
        Some((at, value)) => bind::assign_from(p, name, node.target, at, value?, Some(annotation?.0)),
        None => {
            let info = annotation?.0;
            let var = Var::new(p.name_str(name), Some(info.clone()));
            let defined = with_function("a declaration", |function| {
                if function.is_fragment {
                    function.blocks.define_scalars(&info);
                }
            });
            p.checked(node.target, defined)?;
            p.define(name, var.into(), node.target, Shadowing::SameFrame)
        }
    }
}

/// An expression by itself: a call that gives nothing.
pub(super) fn expression(p: &mut Parser<'_>, _: StmtId, node: &ast::ExprStmt) -> Result<()> {
    let value = p.eval(node.value)?;
    if matches!(value, ScriptValue::None) {
        return Ok(());
    }
    let expr = value.as_node::<BaseExpr>().filter(|expr| !expr.is::<PrimExpr>()).cloned();
    let Some(expr) = expr else {
        let help = match value.as_host::<MatchCastPair>() {
            Some(_) => "bind the cast to a name: `_ = R.match_cast(..)`",
            None => "a statement is a call that gives nothing, such as `R.call_packed`",
        };
        let kind = ParseErrorKind::expected("a Relax expression", p.describe(&value));
        return Err(p.error_with_help(node.value, kind, help));
    };
    drop(value);
    let emitted = emit_value(expr, None);
    let var = p.checked_call(node.value, emitted)?;
    var.vid.name_hint.set("_".into());
    match struct_info_of(&var.upcast()) {
        Some(info) if !is_void(&info) => {
            let kind = ParseErrorKind::expected(
                "a call that gives nothing",
                format!("one that gives `{}`", crate::describe::struct_info(&info)),
            );
            Err(p.error_with_help(node.value, kind, "bind the value to a name: `_ = ..`"))
        }
        _ => Ok(()),
    }
}

/// `return value`.
pub(super) fn return_value(p: &mut Parser<'_>, id: StmtId, node: &ast::Return) -> Result<()> {
    let Some(at) = node.value else {
        let kind = ParseErrorKind::expected("a value after `return`", "nothing");
        return Err(p.error_with_help(id, kind, "`R.tuple()` is the empty value"));
    };
    if Builder::top_is::<BranchFrame>() {
        let kind = ParseErrorKind::UnsupportedExpression { what: "a `return` in a branch" };
        let help = "bind the value to one name at the end of both branches, and return that behind them";
        return Err(p.error_with_help(id, kind, help));
    }
    let value = p.eval(at)?;
    let expr = expr_at(p, at, &value)?;
    drop(value);
    let done = try_func_ret_value(crate::build::args::AnyExprArg(expr));
    p.checked_call(at, done)
}

/// `if cond: .. else: ..`; an `elif` is a conditional in the other branch.
pub(super) fn conditional(p: &mut Parser<'_>, id: StmtId, node: &ast::If) -> Result<()> {
    if node.orelse.is_empty() {
        let kind = ParseErrorKind::expected("an `else` branch", "a conditional without one");
        return Err(p.error_with_help(id, kind, "both branches bind the same name last"));
    }
    let read = clause(p, id, node, 0);
    read.inspect_err(|_| branches(p, node).into_iter().for_each(|body| poison_bound(p, body)))
}

fn clause(p: &mut Parser<'_>, id: StmtId, node: &ast::If, index: usize) -> Result<()> {
    let Some(clause) = p.item(node.clauses, index) else {
        return p.visit_all(node.orelse);
    };
    let test = p.eval(clause.test)?;
    let cond = expr_at(p, clause.test, &test)?;
    drop(test);
    let frame = ScriptValue::frame(IfFrame::new(cond));
    p.in_frame(&frame, clause.test, |p, _| {
        let then_branch = ScriptValue::frame(BranchFrame::new(true));
        let first = p.with_scope(|p| p.in_frame(&then_branch, id, |p, _| p.visit_all(clause.body)));
        // Where the first branch is lost, the second one takes its place: its mistakes are found all the same.
        let else_branch = ScriptValue::frame(BranchFrame::new(first.is_err()));
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
    p.explain_scope(id, "only the name that both branches bind last is known behind them");
    define_given(p, id)
}

/// Defines the names that the scope which closed last gives to the one around.
fn define_given(p: &mut Parser<'_>, id: StmtId) -> Result<()> {
    let given = with_function("a scope", |function| function.blocks.take_given());
    for (name, var) in p.checked(id, given)? {
        if let Some(name) = p.ast().find_name(&name) {
            p.define(name, var.into(), id, Shadowing::SameFrame)?;
        }
    }
    Ok(())
}

/// `with R.dataflow():`.
pub(super) fn dataflow(p: &mut Parser<'_>, id: StmtId, node: &ast::With) -> Result<()> {
    let (1, Some(item)) = (node.items.len(), p.item(node.items, 0)) else {
        let kind = ParseErrorKind::UnsupportedExpression { what: "several scopes in one `with`" };
        return Err(p.error(id, kind));
    };
    if let Some(target) = item.target {
        let kind = ParseErrorKind::UnsupportedExpression { what: "a name for this scope" };
        return Err(p.error_with_help(target, kind, "write `with R.dataflow():`"));
    }
    let frame = p.eval(item.context)?;
    // The block closes also where it has mistakes: what follows is outside of it.
    let read = p.in_frame(&frame, item.context, |p, _| Ok(p.with_scope(|p| p.visit_all(node.body))));
    let read = read.inspect_err(|_| poison_bound(p, node.body))?;
    define_given(p, id)?;
    p.explain_scope(id, "name it in the output of the block: `R.output(..)`");
    read.inspect_err(|_| poison_bound(p, node.body))
}

/// Marks the names that a scope with mistakes binds: whether it gives them to the one around is not known.
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
