//! Printers of circuits.

use tvmscript_docsifier::doc::{ExprDoc, FunctionParts, PathId, StmtDoc, StmtList};
use tvmscript_docsifier::names::is_wide_identifier;
use tvmscript_docsifier::{Docsifier, DocsifyError, Frame, Result, script};
use tvmscript_ir_core::{Array, Node, Object, Ref};

use crate::node::{Circuit, Clocked, DIALECT, GATES, Gate, Register, Stmt, Wire};

/// Name hint of wires without one.
const ANONYMOUS: &str = "w";

/// The name of a wire. Nothing in the printed text drives a wire that has none yet, so it is declared first.
pub(crate) fn wire(node: &Ref<Wire>, _: PathId, d: &mut Docsifier) -> Result<ExprDoc> {
    if let Some(name) = d.defined_doc(node.object())? {
        return Ok(name);
    }
    let hint = node.name.text_or(ANONYMOUS);
    d.declare_free(node.object(), hint, |d| {
        let name = d.define(node.object(), hint)?;
        let callee = d.prefixed(DIALECT, "Wire");
        let value = d.docs.call_args(callee, &[]);
        let stmt = d.docs.bind(name, value);
        d.push_stmt(stmt);
        Ok(())
    })?;
    let name = d.defined_doc(node.object())?;
    name.ok_or_else(|| Box::new(DocsifyError::Undeclared { name: hint.to_owned() }))
}

/// `output = C.kind(inputs)`.
pub(crate) fn gate(node: &Ref<Gate>, path: PathId, d: &mut Docsifier) -> Result<StmtDoc> {
    let Gate { kind, inputs, output, span: _ } = &**node;
    if !GATES.iter().any(|(name, _)| kind == name) {
        return Err(unwritable::<Gate>(format!("there is no gate `{kind}`")));
    }
    let inputs_path = d.field(path, "inputs");
    let inputs = wires(inputs, inputs_path, d)?;
    let callee = d.prefixed(DIALECT, kind);
    let callee = d.at_field(callee, path, "kind");
    let value = d.docs.call_args(callee, &inputs);
    drive(output, value, path, d)
}

/// `output = C.register(input)`.
pub(crate) fn register(node: &Ref<Register>, path: PathId, d: &mut Docsifier) -> Result<StmtDoc> {
    let Register { input, output, span: _ } = &**node;
    let input_path = d.field(path, "input");
    let input = d.expr(input, input_path)?;
    let callee = d.prefixed(DIALECT, "register");
    let value = d.docs.call_args(callee, &[input]);
    drive(output, value, path, d)
}

/// `with C.clocked("clock"):`.
pub(crate) fn clocked(node: &Ref<Clocked>, path: PathId, d: &mut Docsifier) -> Result<StmtDoc> {
    let Clocked { clock, body, span: _ } = &**node;
    let callee = d.prefixed(DIALECT, "clocked");
    let name = d.docs.str(&**clock);
    let name = d.at_field(name, path, "clock");
    let scope = d.docs.call_args(callee, &[name]);
    let ((), stmts) =
        d.with_frame(Frame::new(Some(node.object().clone()), ()), |d| statements(body, path, d))?;
    Ok(d.docs.scope(None, scope, &stmts))
}

/// The function of a circuit, with its header.
pub(crate) fn circuit(node: &Ref<Circuit>, path: PathId, d: &mut Docsifier) -> Result<StmtList> {
    let Circuit { name, inputs, body, outputs, span: _ } = &**node;
    if !is_wide_identifier(name) {
        return Err(unwritable::<Circuit>(format!("`{name}` is not a name of a function")));
    }
    let (args, stmts) = d.with_frame(Frame::new(Some(node.object().clone()), ()), |d| {
        let inputs_path = d.field(path, "inputs");
        let mut args = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            let name = d.define(input.object(), input.name.text_or(ANONYMOUS))?;
            let at = d.item(inputs_path, index);
            let name = d.at(name, at);
            let annotation = d.prefixed(DIALECT, "Wire");
            args.push(d.docs.assign(name, None, Some(annotation))?);
        }
        statements(body, path, d)?;
        if !outputs.is_empty() {
            let outputs_path = d.field(path, "outputs");
            let outputs = wires(outputs, outputs_path, d)?;
            let callee = d.prefixed(DIALECT, "output");
            let call = d.docs.call_args(callee, &outputs);
            let call = d.at(call, outputs_path);
            let stmt = d.docs.expr_stmt(call);
            d.push_stmt(stmt);
        }
        Ok(args)
    })?;
    let name = match d.binding_name() {
        Some(name) => d.docs.id(name),
        None => d.docs.id(&**name),
    };
    let name = d.at_field(name, path, "name");
    let decorator = d.prefixed(DIALECT, "circuit");
    let parts =
        FunctionParts { name, args: &args, decorators: &[decorator], return_type: None, body: &stmts };
    let function = d.docs.function(parts)?;
    script(d, function)
}

/// Prints the field `body` of a node into the innermost frame.
fn statements(body: &Array<Ref<Stmt>>, path: PathId, d: &mut Docsifier) -> Result<()> {
    let body_path = d.field(path, "body");
    for (index, stmt) in body.iter().enumerate() {
        let path = d.item(body_path, index);
        let doc = d.doc(stmt.object(), path)?;
        d.push_doc(doc);
    }
    Ok(())
}

fn wires(wires: &Array<Ref<Wire>>, path: PathId, d: &mut Docsifier) -> Result<Vec<ExprDoc>> {
    let mut docs = Vec::with_capacity(wires.len());
    for (index, wire) in wires.iter().enumerate() {
        let path = d.item(path, index);
        docs.push(d.expr(wire, path)?);
    }
    Ok(docs)
}

/// `output = value`, where the name lives as long as the frame with all uses of the wire.
fn drive(output: &Ref<Wire>, value: ExprDoc, path: PathId, d: &mut Docsifier) -> Result<StmtDoc> {
    let object: &Object = output.object();
    let hint = output.name.text_or(ANONYMOUS);
    if d.is_defined(object) {
        return Err(unwritable::<Wire>(format!("`{hint}` is used or driven before this driver")));
    }
    let frame = d.frame_of_free(object).unwrap_or(d.frame_count().saturating_sub(1));
    let name = d.in_frame(frame, |d| d.define(object, hint))?;
    let name = d.at_field(name, path, "output");
    Ok(d.docs.bind(name, value))
}

fn unwritable<N: Node>(reason: String) -> Box<DocsifyError> {
    Box::new(DocsifyError::Unwritable { key: N::type_info().key(), reason })
}
