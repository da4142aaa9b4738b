//! Printers of circuits.

use tvmscript_docsifier::doc::{ExprDoc, PathId, StmtDoc, StmtList};
use tvmscript_docsifier::{Docsifier, DocsifyError, DocsifyResult, fields};
use tvmscript_ir_core::Ref;

use crate::node::{Circuit, Clocked, DIALECT, GATES, Gate, Register, Wire};

/// Name hint of wires without one.
const ANONYMOUS: &str = "w";

/// The name of a wire. Nothing in the printed text drives a wire that has none yet, so it is declared first.
pub(crate) fn wire(node: &Ref<Wire>, _: PathId, d: &mut Docsifier) -> DocsifyResult<ExprDoc> {
    d.variable(node.object(), ANONYMOUS, |d| {
        let callee = d.prefixed(DIALECT, "Wire");
        d.docs.call_args(callee, &[])
    })
}

/// `output = C.kind(inputs)`.
pub(crate) fn gate(node: &Ref<Gate>, path: PathId, d: &mut Docsifier) -> DocsifyResult<StmtDoc> {
    fields!(d, path, node => Gate { kind, inputs, output, span: _ });
    if !GATES.iter().any(|(name, _)| *kind == *name) {
        return Err(DocsifyError::unwritable(node.object(), format!("there is no gate `{}`", *kind)));
    }
    let inputs = d.print_items(inputs)?;
    let callee = d.prefixed(DIALECT, &kind);
    let callee = d.at(callee, kind.path);
    let value = d.docs.call_args(callee, &inputs);
    d.bind_field(output, ANONYMOUS, value)
}

/// `output = C.register(input)`.
pub(crate) fn register(node: &Ref<Register>, path: PathId, d: &mut Docsifier) -> DocsifyResult<StmtDoc> {
    fields!(d, path, node => Register { input, output, span: _ });
    let input = d.print_field(input)?;
    let callee = d.prefixed(DIALECT, "register");
    let value = d.docs.call_args(callee, &[input]);
    d.bind_field(output, ANONYMOUS, value)
}

/// `with C.clocked("clock"):`.
pub(crate) fn clocked(node: &Ref<Clocked>, path: PathId, d: &mut Docsifier) -> DocsifyResult<StmtDoc> {
    fields!(d, path, node => Clocked { clock, body, span: _ });
    let clock = d.print_field(clock)?;
    let callee = d.prefixed(DIALECT, "clocked");
    let scope = d.docs.call_args(callee, &[clock]);
    let ((), stmts) = d.in_scope(node.object(), |d| d.push_field(body))?;
    Ok(d.docs.scope(None, scope, &stmts))
}

/// The function of a circuit, with its header.
pub(crate) fn circuit(node: &Ref<Circuit>, path: PathId, d: &mut Docsifier) -> DocsifyResult<StmtList> {
    fields!(d, path, node => Circuit { name, inputs, body, outputs, span: _ });
    let (args, stmts) = d.in_scope(node.object(), |d| {
        let args = d.define_parameters(inputs, ANONYMOUS, |d| Ok(d.prefixed(DIALECT, "Wire")))?;
        d.push_field(body)?;
        if !outputs.is_empty() {
            let wires = d.print_items(outputs)?;
            let callee = d.prefixed(DIALECT, "output");
            let call = d.docs.call_args(callee, &wires);
            let call = d.at(call, outputs.path);
            let stmt = d.docs.expr_stmt(call);
            d.push_stmt(stmt);
        }
        Ok(args)
    })?;
    let decorator = d.prefixed(DIALECT, "circuit");
    d.script_function(node.object(), name, decorator, &args, &stmts)
}
