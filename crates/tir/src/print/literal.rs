//! Literals.

use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, Result};
use tvmscript_ir_core::{PathId, Ref};
use tvmscript_prim::{FloatImm, IntImm, StringImm};

use super::state::TirDocsifier;

/// `5`, `T.int64(5)`, `T.bool(True)`
pub(crate) fn int_imm(node: &Ref<IntImm>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let IntImm { span: _, dtype, value } = **node;
    if dtype == d.tir().options.int_dtype {
        let literal = d.docs.int(value);
        return Ok(d.at_field(literal, path, "value"));
    }
    Ok(typed_int(node, path, d))
}

/// `T.int32(5)`: the literal with its type said, whatever goes without saying.
pub(crate) fn typed_int(node: &Ref<IntImm>, path: PathId, d: &mut Docsifier<'_>) -> ExprDoc {
    let IntImm { span: _, dtype, value } = **node;
    let literal = if dtype.is_bool() { d.docs.bool(value != 0) } else { d.docs.int(value) };
    let literal = d.at_field(literal, path, "value");
    let callee = d.t_dtype(dtype);
    d.docs.call_args(callee, &[literal])
}

/// `T.float32(1.0)`
pub(crate) fn float_imm(node: &Ref<FloatImm>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let FloatImm { span: _, dtype, value } = **node;
    let literal = d.docs.float(value);
    let literal = d.at_field(literal, path, "value");
    if dtype == d.tir().options.float_dtype {
        return Ok(literal);
    }
    let callee = d.t_dtype(dtype);
    Ok(d.docs.call_args(callee, &[literal]))
}

/// `"text"`; text of several lines is kept in the metadata.
pub(crate) fn string_imm(node: &Ref<StringImm>, path: PathId, d: &mut Docsifier<'_>) -> Result<ExprDoc> {
    let StringImm { span: _, dtype: _, value } = &**node;
    if value.contains('\n') {
        return Ok(d.metadata(node.object()));
    }
    let literal = d.docs.str(value.as_str());
    Ok(d.at_field(literal, path, "value"))
}
