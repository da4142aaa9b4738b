//! A frontend names the layers of a model, and a pass merges two of them.

use tvmscript_ir_core::{Array, Class, Node, Ref, RewriteError, Span, SpanKind, Str};
use tvmscript_si_builder::{Expression, SIBuilder, set_span};

/// Expressions of the dialect.
#[derive(Class)]
#[class(key = "layers.Expr")]
struct Expr(());

impl Expression for Expr {}

/// The call of an operator.
#[derive(Debug, Clone, Node)]
#[node(key = "layers.Call", parent = Expr)]
struct Call {
    op: Str,
    args: Array<Ref<Expr>>,
    span: Span,
}

fn call(op: &str, args: &[&Ref<Expr>]) -> Ref<Expr> {
    let args = args.iter().map(|&arg| arg.clone()).collect();
    Ref::new(Call { op: op.into(), args, span: Span::UNKNOWN }).upcast()
}

fn name(span: Span) -> String {
    match span.kind() {
        SpanKind::Source { source } => source.name(),
        SpanKind::Sequence { spans, .. } => spans.into_iter().map(name).collect::<Vec<_>>().join(", "),
        _ => "unknown".to_owned(),
    }
}

fn main() -> Result<(), RewriteError> {
    // The frontend converts two layers; the second one becomes two calls.
    let input = set_span(call("input", &[]), "input")?;
    let flat = set_span(call("reshape", &[&input]), "flatten")?;
    let head = set_span(call("reshape", &[&call("cast", &[&flat])]), "head")?;

    // A pass replaces all of it by one call.
    let merged = SIBuilder::from_subgraph(&head, [&input]).create_span();
    let new = call("reshape_cast", &[&input]).with_span(merged);
    println!("reshape_cast comes from {}", name(new.span()));
    Ok(())
}
