//! Literals.

use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, Result};
use tvmscript_ir_core::{DataType, PathId, Ref};
use tvmscript_prim::{FloatImm, IntImm, StringImm};

use super::state::TirDocsifier;

/// `5`, `T.int64(5)`, `T.bool(True)`; where literals must say their types, `T.int32(5)`
pub(crate) fn int_imm(node: &Ref<IntImm>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let IntImm { span: _, dtype, value } = **node;
    if dtype == d.tir().options.int_dtype && !d.is_typed() {
        let literal = d.docs.int(value);
        return Ok(d.at_field(literal, path, "value"));
    }
    let literal = if dtype.is_bool() { d.docs.bool(value != 0) } else { d.docs.int(value) };
    let literal = d.at_field(literal, path, "value");
    let callee = dtype_of(dtype, path, d);
    Ok(d.docs.call_args(callee, &[literal]))
}

/// `T.float32`, which stands for the type of the node at `path`.
fn dtype_of(dtype: DataType, path: PathId, d: &mut Docsifier<'_>) -> ExprDoc {
    if !d.tracks_paths() {
        return d.t_dtype(dtype);
    }
    // One of its own: the doc that is made once stands for no node.
    let doc = d.t(&dtype.to_string());
    d.at_field(doc, path, "dtype")
}

/// `T.float32(1.0)`
pub(crate) fn float_imm(node: &Ref<FloatImm>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let FloatImm { span: _, dtype, value } = **node;
    let literal = d.docs.float(value);
    let literal = d.at_field(literal, path, "value");
    // What is not finite is written as a text, which means a number only to a type.
    if dtype == d.tir().options.float_dtype && !d.is_typed() && value.is_finite() {
        return Ok(literal);
    }
    let callee = dtype_of(dtype, path, d);
    Ok(d.docs.call_args(callee, &[literal]))
}

/// `"text"`, or `T.StringImm("text")` where literals must say their types; text of several lines is kept in the metadata.
pub(crate) fn string_imm(node: &Ref<StringImm>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let StringImm { span: _, dtype: _, value } = &**node;
    if value.contains('\n') {
        return Ok(d.metadata(node.object()));
    }
    let literal = d.docs.str(value.as_str());
    let literal = d.at_field(literal, path, "value");
    if !d.is_typed() {
        return Ok(literal);
    }
    let callee = d.t("StringImm");
    Ok(d.docs.call_args(callee, &[literal]))
}
