//! Statements other than loops, blocks, allocations and attributes; bodies.

use tvmscript_docsifier::doc::{Doc, ExprDoc, StmtDoc, StmtRole};
use tvmscript_docsifier::{Docsifier, DocsifyResult, Frame, Stmts};
use tvmscript_ir_core::{DataType, Object, PathId, Ref, field};
use tvmscript_prim::{Call, Expr, IntImm, PrimExprExt, PrimType, TupleType, UnknownCall, Var};

use super::state::TirDocsifier;
use super::var;
use crate::node::{AssertStmt, Evaluate, IfThenElse, LetStmt, SeqStmt, StmtRef, While};
use crate::op;

/// Prints a body into the innermost frame. Only the last statement may leave its own body to the enclosing block.
pub fn body(stmt: &StmtRef, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<()> {
    let Some(seq) = stmt.as_node::<SeqStmt>() else {
        if d.tir().syntax.print.empty_bodies && does_nothing(stmt) {
            return Ok(());
        }
        return last(stmt, path, d);
    };
    let SeqStmt { span: _, seq } = seq;
    let at = d.field(path, field!(SeqStmt, seq));
    let count = seq.len();
    let forms = &d.tir().syntax.print;
    let (pair, is_concise) = (forms.pair, forms.concise_in_sequence);
    let mut is_printed = false;
    for (i, item) in seq.iter().enumerate() {
        let next = seq.get(i + 1).map(|next| (next, d.item(at, i + 1)));
        let at = d.item(at, i);
        if std::mem::take(&mut is_printed) {
            continue;
        }
        if let Some(next) = next
            && let Some(stmt) = pair([(item, at), next], d)?
        {
            d.push_stmt(stmt);
            is_printed = true;
        } else if i + 1 == count && is_concise {
            last(item, at, d)?;
        } else {
            d.tir().set_concise(None);
            let doc = d.doc(item.object(), at)?;
            d.push_doc(doc);
        }
    }
    Ok(())
}

/// Returns `true` for the statement that stands for none.
fn does_nothing(stmt: &StmtRef) -> bool {
    let value = stmt.as_node::<Evaluate>().and_then(|stmt| stmt.value.as_node::<IntImm>());
    value.is_some_and(|value| value.value == 0 && value.dtype == DataType::INT32)
}

fn last(stmt: &StmtRef, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<()> {
    d.tir().set_concise(Some(stmt.object().address()));
    let doc = d.doc(stmt.object(), path)?;
    d.push_doc(doc);
    Ok(())
}

/// The statements of a body in a frame of its own.
pub(crate) fn block(
    owner: &Object,
    stmt: &StmtRef,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Vec<StmtDoc>> {
    let frame = Frame::new(Some(owner.clone()), ());
    let ((), stmts) = d.with_frame(frame, |d| body(stmt, path, d))?;
    Ok(stmts)
}

/// The head of a statement with a body.
#[derive(Debug)]
pub struct Scope {
    /// The body may continue in the enclosing block.
    pub concise: bool,
    /// The statement that opens a concise scope.
    pub opening: StmtDoc,
    /// The target after `as` otherwise.
    pub target: Option<ExprDoc>,
    /// The context after `with` otherwise.
    pub context: ExprDoc,
}

impl Scope {
    /// `target = context`, or `context` alone; or `with context as target:`
    pub fn plain(concise: bool, target: Option<ExprDoc>, context: ExprDoc, d: &mut Docsifier<'_>) -> Scope {
        let opening = match target {
            Some(target) => d.docs.bind(target, context),
            None => d.docs.expr_stmt(context),
        };
        Scope { concise, opening, target, context }
    }

    /// Closes the scope around its statements.
    pub fn close(self, stmts: Stmts, path: PathId, d: &mut Docsifier<'_>) -> Doc {
        let Scope { concise, opening, target, context } = self;
        d.at_stmt(opening, path);
        if !concise {
            let stmts = stmts.into_vec();
            return d.docs.scope(target, context, &stmts).into();
        }
        d.docs.set_role(opening, StmtRole::OpenScope);
        let mut all = Stmts::default();
        all.push(opening);
        all.append(stmts);
        d.loose(all)
    }
}

/// Returns `true` if the statement may leave its body to the enclosing block. A statement with a comment may not.
pub fn may_be_concise<T: tvmscript_ir_core::Class>(
    node: &Ref<T>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> bool {
    d.tir().take_concise(node.object().address())
        && d.tir().syntax.print.concise
        && !d.is_annotated(node.object(), path)
}

fn returned_value(value: &Expr) -> Option<&Expr> {
    let call = value.as_node::<Call>()?;
    let value = call.args.first().filter(|_| call.args.len() == 1)?;
    (op::control::RET.op.is_called_by(call) && call.dtype == value.dtype()).then_some(value)
}

/// `return x`, `T.call_extern(...)`, `T.evaluate(x)`
pub(crate) fn evaluate(node: &Ref<Evaluate>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let Evaluate { span: _, value } = &**node;
    let at = d.field(path, field!(Evaluate, value));
    if d.config().syntax_sugar
        && let Some(value) = returned_value(value)
    {
        let at = d.field(at, field!(Call, args));
        let at = d.item(at, 0);
        let value = d.expr(value, at)?;
        return Ok(d.docs.return_(value));
    }
    if d.tir().syntax.print.jump_words
        && let Some(call) = value.as_node::<Call>().filter(|call| call.args.is_empty())
    {
        if op::control::BREAK_LOOP.op.is_called_by(call) {
            return Ok(d.docs.break_());
        }
        if op::control::CONTINUE_LOOP.op.is_called_by(call) {
            return Ok(d.docs.continue_());
        }
    }
    let doc = d.expr(value, at)?;
    // A bare call would be an expression, so a statement that is printed on its own is explicit.
    let is_call = value.is::<Call>() || value.is::<UnknownCall>() || (d.tir().syntax.is_call)(value.object());
    let forms = d.tir().syntax.print;
    let is_call = is_call && !value.as_node::<Call>().is_some_and(|call| super::call::is_value(call, &forms));
    let doc = match is_call && !d.root().ptr_eq(node.object()) {
        true => doc,
        false => d.call_t("evaluate", &[doc]),
    };
    let stmt = d.docs.expr_stmt(doc);
    d.docs.set_role(stmt, StmtRole::Effect);
    Ok(stmt)
}

/// A sequence that is printed on its own.
pub(crate) fn seq(node: &Ref<SeqStmt>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    let frame = Frame::new(Some(node.object().clone()), ());
    let ((), stmts) = d.with_open_frame(frame, |d| body(node.upcast_ref(), path, d))?;
    Ok(d.loose(stmts))
}

/// `x: T.int32 = v`, `with T.LetStmt(v) as x:`
pub(crate) fn let_stmt(node: &Ref<LetStmt>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    let LetStmt { span: _, var, value, body: inner } = &**node;
    let concise = may_be_concise(node, path, d);
    let annotation = &var.type_annotation;
    let var_path = d.field(path, field!(LetStmt, var));
    let is_size_var = var::is_size_var(var);
    let is_void = annotation.as_node::<TupleType>().is_some_and(|t| t.fields.is_empty());
    let type_doc = match (is_void, is_size_var) {
        (true, _) => None,
        (false, true) => Some(var::creation(var, var_path, d)?),
        (false, false) => Some(d.part(annotation, var_path, field!(Var, type_annotation))?),
    };
    // A variable that is also used outside is declared before, and so is a size variable, which `with` would
    // recreate.
    d.declare_outside(node.object(), var.object(), var_path)?;
    if is_size_var && !concise {
        d.expr(var, var_path)?;
    }
    let value = d.part(value, path, field!(LetStmt, value))?;
    let known = d.is_defined(var.object());
    let frame = Frame::new(Some(node.object().clone()), ());
    let at = d.field(path, field!(LetStmt, body));
    let (name, stmts) = d.with_open_frame(frame, |d| {
        let name = var::define(var, d)?;
        let name = d.at(name, var_path);
        body(inner, at, d)?;
        Ok(name)
    })?;
    let callee = d.t("LetStmt");
    let (target, context) = match type_doc {
        _ if known => (None, d.docs.call(callee, &[value], &[("var", name)])),
        Some(type_doc) if !annotation.is::<PrimType>() => {
            (Some(name), d.docs.call_args(callee, &[value, type_doc]))
        }
        _ => (Some(name), d.docs.call_args(callee, &[value])),
    };
    let opening = d.docs.assign(name, Some(value), type_doc)?;
    Ok(Scope { concise: concise && !known, opening, target, context }.close(stmts, path, d))
}

/// `assert c, "message"`, `with T.Assert(c, "message"):`
pub(crate) fn assert_stmt(node: &Ref<AssertStmt>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    let AssertStmt { span: _, condition, message, body: inner } = &**node;
    let concise = may_be_concise(node, path, d);
    let condition = d.part(condition, path, field!(AssertStmt, condition))?;
    let message = d.part(message, path, field!(AssertStmt, message))?;
    let frame = Frame::new(Some(node.object().clone()), ());
    let at = d.field(path, field!(AssertStmt, body));
    let ((), stmts) = d.with_open_frame(frame, |d| body(inner, at, d))?;
    let context = d.call_t("Assert", &[condition, message]);
    let opening = d.docs.assert(condition, Some(message));
    Ok(Scope { concise, opening, target: None, context }.close(stmts, path, d))
}

/// `while c:`
pub(crate) fn while_loop(node: &Ref<While>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let While { span: _, condition, body: inner } = &**node;
    let condition = d.part(condition, path, field!(While, condition))?;
    let at = d.field(path, field!(While, body));
    let stmts = block(node.object(), inner, at, d)?;
    Ok(d.docs.while_(condition, &stmts))
}

/// Maximum length of an `elif` ladder that prints nested, as in TVM. Python parses at most 100 levels of indentation,
/// some of which belong to the context.
const LONGEST_NESTED_LADDER: usize = 96;

/// Returns `true` if the ladder of else branches from here is too long to nest.
fn is_long_ladder(node: &Ref<IfThenElse>) -> bool {
    let mut rungs = 0;
    let mut next = Some(node);
    while let Some(node) = next {
        rungs += 1;
        if rungs > LONGEST_NESTED_LADDER {
            return true;
        }
        next = node.else_case.as_ref().and_then(|e| e.downcast_ref::<IfThenElse>());
    }
    false
}

/// `if c:`, `else:`
pub(crate) fn if_then_else(
    node: &Ref<IfThenElse>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let IfThenElse { span: _, condition, then_case, else_case } = &**node;
    let is_rung = std::mem::take(&mut d.tir().is_rung);
    let goes_on = is_rung || is_long_ladder(node);
    let at = d.field(path, field!(IfThenElse, condition));
    // Python evaluates a conditional on a plain number at once.
    let is_number = condition.as_node::<IntImm>().is_some();
    let condition = if is_number { d.typed(|d| d.expr(condition, at))? } else { d.expr(condition, at)? };
    let at = d.field(path, field!(IfThenElse, then_case));
    let then_stmts = block(then_case.object(), then_case, at, d)?;
    let else_stmts = match else_case {
        Some(else_case) => {
            let at = d.field(path, field!(IfThenElse, else_case));
            d.tir().is_rung = goes_on && else_case.is::<IfThenElse>();
            block(else_case.object(), else_case, at, d)?
        }
        None => Vec::new(),
    };
    let stmt = d.docs.if_(condition, &then_stmts, &else_stmts)?;
    if is_rung {
        d.docs.set_chained(stmt);
    }
    Ok(stmt)
}
