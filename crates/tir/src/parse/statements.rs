//! Statements of function bodies.

use tvmscript_ir_core::diagnostic::Label;
use tvmscript_ir_core::{Array, Ref, Span};
use tvmscript_irbuilder::record::record_syntax;
use tvmscript_irbuilder::{FromScript, IntoScript, PendingFrame, ScriptValue};
use tvmscript_prim::{Expr, IntImm, PrimExpr, ops};
use tvmscript_python_syntax::ast::{self, ExprId, StmtId};
use tvmscript_script_parser::{EvalErrorKind, EvalResult, Indices, Operator, ParseErrorKind, Parser};

use super::{bind, handlers, late};
use crate::build::args::ExprArg;
use crate::build::loops::StaticRange;
use crate::build::subscript::{Index, lanes};
use crate::build::{FrameKind, TirFrame, stmt};
use crate::node::{Buffer, Evaluate, Stmt, StmtRef};
use crate::op;

fn frame(kind: FrameKind) -> ScriptValue {
    PendingFrame::value(TirFrame::new(kind))
}

fn add(p: &mut Parser<'_>, at: StmtId, statement: StmtRef) -> EvalResult<()> {
    let added = TirFrame::add(statement);
    p.checked(at, added)
}

/// Converts a value to an expression; errors are reported at `at`.
fn expr_at(p: &mut Parser<'_>, at: ExprId, value: ScriptValue) -> EvalResult<Expr> {
    let expr = ExprArg::convert(value);
    p.checked(at, expr)
}

/// `x = value`, `x, y = value`, `A[i] = value`.
pub(super) fn assign(p: &mut Parser<'_>, id: StmtId, node: &ast::Assign) -> EvalResult<()> {
    let Some(target) = p.item(node.targets, 0) else { return Ok(()) };
    if node.targets.len() > 1 {
        let kind =
            EvalErrorKind::UnsupportedExpression { what: "an assignment to several targets (`a = b = c`)" };
        return Err(p.error_with_help(id, kind, "write one assignment for each target"));
    }
    match p.expr(target) {
        ast::Expr::Subscript { value, index } => {
            // As in Python, the right side comes first. All three parts are evaluated to report all errors.
            let stored = p.eval_assigned(node.value);
            let value_of_target = p.eval(value);
            let indices = p.indices(index, false);
            let buffer = buffer_at(p, value, value_of_target?)?;
            store(p, id, &buffer, (index, indices?), node.value, stored?)
        }
        _ => {
            let value = p.eval_assigned(node.value)?;
            p.unpack(target, value, handlers::assign)
        }
    }
}

fn buffer_at(p: &mut Parser<'_>, at: ExprId, value: ScriptValue) -> EvalResult<Ref<Buffer>> {
    match value.as_node::<Buffer>() {
        Some(buffer) => Ok(buffer.clone()),
        None => {
            let kind = ParseErrorKind::expected("a buffer", value.type_name());
            Err(p.error(at, kind))
        }
    }
}

fn store(
    p: &mut Parser<'_>,
    at: StmtId,
    buffer: &Ref<Buffer>,
    (index, indices): (ExprId, Indices),
    value_at: ExprId,
    value: ScriptValue,
) -> EvalResult<()> {
    let mut exprs = Vec::with_capacity(indices.items.len());
    for (i, item) in indices.items.into_iter().enumerate() {
        let expr = match item {
            item @ ScriptValue::Slice(_) => {
                let lanes = Index::from_script(item).and_then(|item| lanes(buffer, i, &item));
                p.checked(index, lanes)?
            }
            other => expr_at(p, index, other)?,
        };
        exprs.push(expr);
    }
    let value = expr_at(p, value_at, value)?;
    record_syntax("T.buffer_store", || {
        let indices = ScriptValue::list(exprs.iter().map(|index| index.clone().into()).collect());
        vec![buffer.clone().into(), value.clone().into(), indices]
    });
    let stored = stmt::store(buffer, value, Array::new(exprs), None);
    p.checked(at, stored)
}

/// Records a store that a call made.
fn record_store(store: &Ref<crate::BufferStore>) {
    let crate::BufferStore { buffer, value, indices, predicate, .. } = &**store;
    record_syntax("T.buffer_store", || {
        let indices = ScriptValue::list(indices.iter().map(|index| index.clone().into()).collect());
        let predicate = predicate.clone().map(ScriptValue::from);
        [buffer.clone().into(), value.clone().into(), indices].into_iter().chain(predicate).collect()
    });
}

/// `x: T.int32 = value`.
///
/// # Errors
/// If the annotation is not a type, or the value does not have it.
pub fn ann_assign(p: &mut Parser<'_>, id: StmtId, node: &ast::AnnAssign) -> EvalResult<()> {
    let Some(value_at) = node.value else {
        let kind = EvalErrorKind::UnsupportedExpression { what: "an annotation without a value" };
        return Err(p.error_with_help(id, kind, "give the variable a value: `x: T.int32 = 0`"));
    };
    let value = p.eval_assigned(value_at);
    let annotation = p.eval(node.annotation)?;
    let annotation = crate::build::types::call_annotation(annotation);
    let annotation = p.checked_value(node.annotation, annotation)?;
    let Some(var) = annotation.as_node::<tvmscript_prim::Var>().cloned() else {
        let kind = ParseErrorKind::expected("a type such as `T.int32`", annotation.type_name());
        return Err(p.unexpected(node.annotation, kind, None));
    };
    let value = ops::undetermined::determine(expr_at(p, value_at, value?)?, var.dtype);
    use tvmscript_prim::PrimExprExt;
    let fits = crate::node::LetStmt::check_types(var.dtype, value.dtype()).map_err(Into::into);
    p.checked(value_at, fits)?;
    let ast::Expr::Name(name) = p.expr(node.target) else {
        let kind = EvalErrorKind::InvalidTarget { what: "an annotated expression other than a name" };
        return Err(p.error(node.target, kind));
    };
    let text = p.name_str(name);
    var.name.set(text);
    bind::let_rest(p, id, &var, value)?;
    p.define(name, var.into(), node.target, tvmscript_script_parser::Shadowing::OuterFrames)
}

/// `A[i] += value`. A variable cannot be rebound, so `x += 1` defines a new one.
pub(super) fn aug_assign(p: &mut Parser<'_>, id: StmtId, node: &ast::AugAssign) -> EvalResult<()> {
    let (value_of_target, buffer) = match p.expr(node.target) {
        ast::Expr::Subscript { value, .. } => {
            let base = p.eval(value)?;
            let buffer = buffer_at(p, value, base)?;
            (p.eval(node.target)?, Some(buffer))
        }
        ast::Expr::Name(_) => (p.eval(node.target)?, None),
        _ => {
            let kind = EvalErrorKind::InvalidTarget {
                what: "an expression other than a name or an element of a buffer",
            };
            return Err(p.error(node.target, kind));
        }
    };
    let value = p.eval(node.value)?;
    let result = p.operate(node.target, Operator::Binary(node.op), &[value_of_target, value])?;
    match (p.expr(node.target), buffer) {
        (ast::Expr::Subscript { index, .. }, Some(buffer)) => {
            let indices = p.indices(index, false)?;
            store(p, id, &buffer, (index, indices), node.value, result)
        }
        _ => p.unpack(node.target, result, handlers::assign),
    }
}

/// `for i in range(..)`, `for i, j in T.grid(..)`.
pub(super) fn for_loop(p: &mut Parser<'_>, id: StmtId, node: &ast::For) -> EvalResult<()> {
    match late::declarations(p, node) {
        0 => loop_from(p, id, node, 0),
        late => p.with_scope(|p| {
            for index in 0..late {
                let declaration = p.item(node.body, index);
                declaration.map_or(Ok(()), |declaration| p.visit(declaration))?;
            }
            loop_from(p, id, node, late)
        }),
    }
}

/// The loop, with its body from the statement at index `start`.
fn loop_from(p: &mut Parser<'_>, id: StmtId, node: &ast::For, start: usize) -> EvalResult<()> {
    let value = p.eval(node.iter)?;
    if let Some(range) = value.as_host::<StaticRange>() {
        return static_loop(p, id, node, range);
    }
    let is_loop = PendingFrame::of(&value)
        .and_then(|frame| frame.inspect(|f: &TirFrame| matches!(f.kind, FrameKind::For(_))))
        .unwrap_or(false);
    if !is_loop {
        let kind = ParseErrorKind::expected("a loop", p.describe(&value));
        let help = "loop over `range`, `T.serial`, `T.parallel`, `T.vectorized`, `T.unroll`, `T.thread_binding` or `T.grid`";
        return Err(p.unexpected(node.iter, kind, help));
    }
    if !node.orelse.is_empty() {
        let kind = EvalErrorKind::UnsupportedExpression { what: "`else` of a loop" };
        let _ = p.error(id, kind);
    }
    p.in_frame(&value, id, |p, vars| {
        p.with_scope(|p| {
            let bound = loop_vars(p, node, vars);
            p.visit_body_from(node.body, start);
            bound
        })
    })
}

/// Binds the variables of a loop. A single variable fits a target of several names, so that `for *i, in T.grid(*shape)`
/// works for every rank.
fn loop_vars(p: &mut Parser<'_>, node: &ast::For, vars: ScriptValue) -> EvalResult<()> {
    let is_list = matches!(p.expr(node.target), ast::Expr::Tuple { .. } | ast::Expr::List { .. });
    let vars = match &vars {
        ScriptValue::Node(_) if is_list => ScriptValue::list(vec![vars]),
        _ => vars,
    };
    let count = vars.items().map_or(1, |items| items.len());
    let errors = p.error_count();
    let bound = p.unpack(node.target, vars, bind::loop_target);
    if bound.is_err() && p.error_count() > errors {
        let range = p.range(node.iter);
        let label = format!("gives {count} variable{}", if count == 1 { "" } else { "s" });
        p.explain_last_error(Label::new(range, label));
    }
    bound
}

/// `for i in T.static_range(..)`: the body once for each number.
fn static_loop(p: &mut Parser<'_>, id: StmtId, node: &ast::For, range: &StaticRange) -> EvalResult<()> {
    if !node.orelse.is_empty() {
        let kind = EvalErrorKind::UnsupportedExpression { what: "`else` of a loop" };
        return Err(p.error(id, kind));
    }
    if let Some(jump) = first_jump(p, node.body) {
        let kind = EvalErrorKind::UnsupportedExpression { what: "`break` or `continue` of an unrolled loop" };
        return Err(p.error_with_help(jump, kind, "skip numbers with `if` on a value of Python"));
    }
    for number in range.numbers() {
        if p.is_exhausted() {
            break;
        }
        p.charge(id, 1)?;
        p.with_scope(|p| {
            p.unpack(node.target, ScriptValue::Int(number), bind::static_target)?;
            p.visit_all(node.body)
        })?;
    }
    Ok(())
}

/// The first `break` or `continue` in a body that belongs to the loop around it.
fn first_jump(p: &Parser<'_>, body: ast::List<StmtId>) -> Option<StmtId> {
    let mut work = vec![body];
    while let Some(body) = work.pop() {
        for index in 0..body.len() {
            let id = p.item(body, index)?;
            match p.stmt(id) {
                ast::Stmt::Break | ast::Stmt::Continue => return Some(id),
                ast::Stmt::With(node) => work.push(node.body),
                ast::Stmt::If(node) => {
                    work.push(node.orelse);
                    let clauses = (0..node.clauses.len()).filter_map(|at| p.item(node.clauses, at));
                    work.extend(clauses.map(|clause| clause.body));
                }
                _ => {}
            }
        }
    }
    None
}

/// `while condition:`.
pub(super) fn while_loop(p: &mut Parser<'_>, id: StmtId, node: &ast::While) -> EvalResult<()> {
    let value = p.eval(node.test)?;
    let condition = expr_at(p, node.test, value)?;
    if !node.orelse.is_empty() {
        let kind = EvalErrorKind::UnsupportedExpression { what: "`else` of a loop" };
        let _ = p.error(id, kind);
    }
    let opened = crate::build::loops::try_while(ExprArg(condition));
    let opened = p.checked(node.test, opened)?.into_script();
    p.in_frame(&opened, id, |p, _| {
        p.with_scope(|p| p.visit_body(node.body));
        Ok(())
    })
}

/// `if a: .. elif b: .. else: ..`. A Python bool selects a branch; an expression makes a conditional.
///
/// The chain is a loop, not a recursion: each further clause opens a `T.If` inside the last `T.Else`.
pub(super) fn if_chain(p: &mut Parser<'_>, id: StmtId, node: &ast::If) -> EvalResult<()> {
    let mut open = Vec::new();
    let mut result = Ok(());
    let mut decided = false;
    let count = node.clauses.len();
    for index in 0..count {
        let Some(clause) = p.item(node.clauses, index) else { break };
        if index > 0 {
            // `visit` resets it.
            Span::set_current(p.span(clause.place));
        }
        let test = match p.eval(clause.test) {
            Ok(test) => test,
            Err(reported) => {
                // The body is parsed anyway, to report its errors.
                result = Err(reported);
                p.with_scope(|p| p.visit_body(clause.body));
                continue;
            }
        };
        match &test {
            ScriptValue::Bool(true) => {
                p.with_scope(|p| p.visit_body(clause.body));
                decided = true;
                break;
            }
            ScriptValue::Bool(false) => continue,
            value if value.as_node::<PrimExpr>().is_some() => {
                let condition = expr_at(p, clause.test, test.clone())?;
                let is_if = frame(FrameKind::If { condition, then_case: None, else_case: None });
                let (_, opened) = p.enter_frame(&is_if, clause.test)?;
                let then = frame(FrameKind::Then);
                p.in_frame(&then, id, |p, _| {
                    p.with_scope(|p| p.visit_body(clause.body));
                    Ok(())
                })?;
                let more = index + 1 < count || !node.orelse.is_empty();
                if more {
                    let (_, opened_else) = p.enter_frame(&frame(FrameKind::Else), clause.test)?;
                    open.push((opened, Some(opened_else)));
                } else {
                    open.push((opened, None));
                }
            }
            other => {
                let kind = ParseErrorKind::expected("a condition", p.describe(other));
                result = Err(p.error(clause.test, kind));
                p.with_scope(|p| p.visit_body(clause.body));
            }
        }
    }
    if !decided && !node.orelse.is_empty() {
        p.with_scope(|p| p.visit_body(node.orelse));
    }
    while let Some((opened, opened_else)) = open.pop() {
        if let Some(opened_else) = opened_else {
            result = p.leave_frame(opened_else, id).and(result);
        }
        result = p.leave_frame(opened, id).and(result);
    }
    result
}

/// `with T.block("b"):`, `with T.launch_thread(..) as tx, ..:`.
pub(super) fn with_scopes(p: &mut Parser<'_>, id: StmtId, node: &ast::With) -> EvalResult<()> {
    p.with_scope(|p| {
        let mut open = Vec::new();
        let mut result = Ok(());
        for index in 0..node.items.len() {
            let Some(item) = p.item(node.items, index) else { break };
            let value = p.eval(item.context)?;
            if !matches!(value, ScriptValue::Frame(_)) {
                let kind = p.expected_scope(&value);
                return Err(p.unexpected(item.context, kind, None));
            }
            let (entered, opened) = p.enter_frame(&value, item.context)?;
            open.push(opened);
            if let Some(target) = item.target {
                result = p.unpack(target, entered, bind::with_target).and(result);
            }
        }
        p.visit_body(node.body);
        while let Some(opened) = open.pop() {
            result = p.leave_frame(opened, id).and(result);
        }
        result
    })
}

/// `assert condition, message`, which applies to the rest of the scope.
pub(super) fn assertion(p: &mut Parser<'_>, id: StmtId, node: &ast::Assert) -> EvalResult<()> {
    let test = p.eval(node.test);
    let Some(message_at) = node.msg else {
        let kind = EvalErrorKind::UnsupportedExpression { what: "an assertion without a message" };
        return Err(p.error_with_help(id, kind, "write `assert condition, \"what is wrong\"`"));
    };
    let message = p.eval(message_at)?;
    let condition = expr_at(p, node.test, test?)?;
    if let Some(flat) = bind::flat(p) {
        let added = (flat.assert_)(condition, message).and_then(TirFrame::add);
        return p.checked(id, added);
    }
    let message = expr_at(p, message_at, message)?;
    let made = stmt::try_assert(ExprArg(condition), ExprArg(message));
    let opened = p.checked(node.test, made)?.into_script();
    let (_, open) = p.enter_frame(&opened, id)?;
    open.keep_open();
    Ok(())
}

/// `return value`.
pub(super) fn return_value(p: &mut Parser<'_>, id: StmtId, node: &ast::Return) -> EvalResult<()> {
    let Some(at) = node.value else {
        let kind = EvalErrorKind::UnsupportedExpression { what: "`return` without a value" };
        return Err(p.error_with_help(
            id,
            kind,
            "write `T.evaluate(T.thread_return())` to leave a kernel early",
        ));
    };
    let value = p.eval(at)?;
    let value = expr_at(p, at, value)?;
    evaluate(p, id, op::control::ret(value))
}

/// `break`.
pub(super) fn break_loop(p: &mut Parser<'_>, id: StmtId) -> EvalResult<()> {
    evaluate(p, id, op::control::break_loop())
}

/// `continue`.
pub(super) fn continue_loop(p: &mut Parser<'_>, id: StmtId) -> EvalResult<()> {
    evaluate(p, id, op::control::continue_loop())
}

/// An expression statement: a scope for the rest of the enclosing one, a store, or an evaluation.
pub(super) fn expression(p: &mut Parser<'_>, id: StmtId, node: &ast::ExprStmt) -> EvalResult<()> {
    let value = p.eval(node.value)?;
    effect(p, id, node.value, value)
}

fn evaluate(p: &mut Parser<'_>, at: StmtId, value: Expr) -> EvalResult<()> {
    record_syntax("T.evaluate", || vec![value.clone().into()]);
    add(p, at, Evaluate::new(value))
}

/// Adds the statement for the value of an expression statement.
pub(super) fn effect(p: &mut Parser<'_>, id: StmtId, at: ExprId, value: ScriptValue) -> EvalResult<()> {
    match &value {
        ScriptValue::None | ScriptValue::Str(_) | ScriptValue::Ellipsis => Ok(()),
        ScriptValue::Frame(_) => {
            let (_, open) = p.enter_frame(&value, id)?;
            open.keep_open();
            Ok(())
        }
        ScriptValue::Int(i) => {
            let literal = ops::bare::int(*i).map_err(Into::into);
            let literal = p.checked(at, literal)?;
            evaluate(p, id, literal)
        }
        ScriptValue::Bool(b) => evaluate(p, id, IntImm::bool(*b)),
        ScriptValue::Node(object) => {
            // The variable of a flat binding that the call has added: `T.bind(1, var=v)`.
            if object.is::<tvmscript_prim::Var>() && bind::flat(p).is_some() {
                return Ok(());
            }
            if let Some(expr) = object.downcast_ref::<PrimExpr>() {
                return evaluate(p, id, expr.clone());
            }
            // A statement that a call returned: `A.vstore(..)`, or one of another dialect.
            if let Some(statement) = object.downcast_ref::<Stmt>() {
                if let Some(store) = statement.object().downcast_ref::<crate::BufferStore>() {
                    record_store(store);
                }
                return add(p, id, statement.clone());
            }
            // A buffer that is declared before: `T.match_buffer(a, buffer=A)`.
            if object.is::<Buffer>() {
                return Ok(());
            }
            let kind = ParseErrorKind::expected("a statement", p.describe(&value));
            Err(p.error_with_help(at, kind, "an expression by itself is evaluated: `T.evaluate(..)`"))
        }
        ScriptValue::Function(f) => {
            let kind = ParseErrorKind::expected("a statement", p.describe(&value));
            Err(p.error_with_help(at, kind, format!("call it: `{}(..)`", f.name)))
        }
        other => {
            let kind = ParseErrorKind::expected("a statement", p.describe(other));
            Err(p.error(at, kind))
        }
    }
}
