//! The forms of `SIBuilder` in TIR: the entry is an expression or a statement, the inputs are expressions or statements.
#![allow(missing_docs)]

use tvmscript_ir_core::{Array, DataType, ObjectLike, Ref, SourceId, Span, post_order_visit};
use tvmscript_prim::{Expr, IntImm, Var, ops};
use tvmscript_si_builder::SIBuilder;
use tvmscript_tir::node::*;

fn layer(name: &str) -> Span {
    Span::source(SourceId::new(name))
}

/// Spans of expressions and statements, parents last.
fn spans(root: &impl ObjectLike) -> Vec<Span> {
    let mut out = Vec::new();
    post_order_visit(root, |node| {
        if node.is::<Stmt>() || (node.is::<tvmscript_prim::PrimExpr>() && !node.is::<Var>()) {
            out.push(node.span());
        }
    });
    out
}

fn add(a: Expr, b: Expr) -> Expr {
    tvmscript_prim::Add::try_new(a, b).unwrap()
}

/// An expression with a source.
fn input() -> Expr {
    IntImm::int32(7).with_span(layer("input"))
}

fn evaluate(value: Expr) -> StmtRef {
    Evaluate::new(value)
}

fn sequence(stmts: impl IntoIterator<Item = StmtRef>) -> StmtRef {
    Ref::new(SeqStmt { span: Span::UNKNOWN, seq: Array::new(stmts) }).upcast()
}

#[test]
fn p92_15_fill_expression_entry_with_expression_inputs() {
    let x = input();
    let new = add(add(x.clone(), IntImm::int32(1)), IntImm::int32(2));
    let filled: Expr = SIBuilder::new(layer("pass")).recursively_fill_span(new, [&x]).unwrap();
    let (input, pass) = (layer("input"), layer("pass"));
    assert_eq!(spans(&filled), [input, pass, pass, pass, pass]);
}

#[test]
fn p92_15_fill_statement_entry_with_expression_inputs() {
    let x = input();
    let new = evaluate(add(x.clone(), IntImm::int32(1)));
    let filled: StmtRef = SIBuilder::new(layer("pass")).recursively_fill_span(new, [&x]).unwrap();
    let (input, pass) = (layer("input"), layer("pass"));
    assert_eq!(spans(&filled), [input, pass, pass, pass]);
}

#[test]
fn p92_15_fill_statement_entry_with_statement_inputs() {
    // The value of the input statement has no span and is behind the input, so it keeps none.
    let body = evaluate(IntImm::int32(7)).with_span(layer("input"));
    let new = sequence([evaluate(IntImm::int32(1)), body.clone()]);
    let filled: StmtRef = SIBuilder::new(layer("pass")).recursively_fill_span(new, [&body]).unwrap();
    let pass = layer("pass");
    assert_eq!(spans(&filled), [pass, pass, Span::UNKNOWN, layer("input"), pass]);
    assert!(filled.as_node::<SeqStmt>().unwrap().seq[1].ptr_eq(&body));
}

#[test]
fn p92_15_collect_from_expression_entry_with_expression_inputs() {
    let x = input();
    let inner = add(x.clone(), IntImm::int32(1)).with_span(layer("first"));
    let outer = ops::mul(inner, Var::new("n", DataType::INT32).upcast()).unwrap().with_span(layer("second"));
    assert_eq!(
        SIBuilder::from_subgraph(&outer, [&x]).create_span().parts(),
        [layer("second"), layer("first")]
    );
}

#[test]
fn p92_15_collect_from_statement_entry_with_expression_inputs() {
    let x = input();
    let value = add(x.clone(), IntImm::int32(1)).with_span(layer("value"));
    let stmt = evaluate(value).with_span(layer("statement"));
    assert_eq!(
        SIBuilder::from_subgraph(&stmt, [&x]).create_span().parts(),
        [layer("statement"), layer("value")]
    );
}

#[test]
fn p92_15_collect_from_statement_entry_with_statement_inputs() {
    let body = evaluate(input()).with_span(layer("body"));
    let first = evaluate(IntImm::int32(1).with_span(layer("one"))).with_span(layer("first"));
    let stmt = sequence([first, body.clone()]).with_span(layer("sequence"));
    let span = SIBuilder::from_subgraph(&stmt, [&body]).create_span();
    assert_eq!(span.parts(), [layer("sequence"), layer("first"), layer("one")]);
}
