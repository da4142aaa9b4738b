//! Constants: scalars as literals, other tensors as nested lists.

use tvmscript_docsifier::Docsifier;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_ir::print::tensor_call;
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::json::base64;
use tvmscript_ir_core::tensor::byte_count;
use tvmscript_ir_core::{Element, TypeCode};

fn literal(element: Element, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    Some(match element {
        Element::Bool(value) => d.docs.bool(value),
        Element::Int(value) => d.docs.int(value),
        Element::Float(value) => d.docs.float(value),
        Element::UInt(_) => return None,
    })
}

/// Returns `true` if every NaN has the bits that the parser produces for `nan`.
fn has_plain_nans(data: &TensorNode) -> bool {
    let plain: &[u8] = match (data.dtype.code, data.dtype.bits) {
        (TypeCode::Float, 16) => &[0x00, 0x7e],
        (TypeCode::Float, 32) => &[0x00, 0x00, 0xc0, 0x7f],
        (TypeCode::Float, 64) => &[0, 0, 0, 0, 0, 0, 0xf8, 0x7f],
        _ => return true,
    };
    let Some(elements) = data.elements() else { return true };
    let bytes = data.bytes().unwrap_or_default();
    let mut pairs = elements.zip(bytes.chunks_exact(plain.len()));
    pairs
        .all(|(element, bytes)| !matches!(element, Element::Float(value) if value.is_nan()) || bytes == plain)
}

/// `R.raw_const("AAAAAA==", (2,), "bfloat16")`: the bytes, for tensors that nested lists cannot represent. `None` if
/// the number of bytes does not match the shape, and in host code, where TVM has no such function.
pub(super) fn raw(data: &TensorNode, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    let bytes = data.bytes()?;
    if d.is_host_code() || byte_count(&data.shape, data.dtype) != Some(bytes.len()) {
        return None;
    }
    let bytes = d.docs.str(&*base64::encode(bytes));
    Some(tensor_call("relax", "raw_const", bytes, data, d))
}

/// The literal of a tensor of rank 0, for types that have one in TVM.
pub(super) fn scalar(data: &TensorNode, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    if !data.shape.is_empty() || data.dtype.code == TypeCode::UInt || !has_plain_nans(data) {
        return None;
    }
    let element = data.elements()?.next()?;
    literal(element, d)
}

/// The elements as nested lists; `None` for types without literals and shapes that lists cannot represent.
pub(super) fn nested(data: &TensorNode, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    if data.shape.contains(&0) && data.shape.len() > 1 || !has_plain_nans(data) {
        return None;
    }
    let mut docs: Vec<ExprDoc> =
        data.elements()?.map(|element| literal(element, d)).collect::<Option<_>>()?;
    // From the innermost lists outwards.
    for length in data.shape.iter().rev() {
        let length = usize::try_from(*length).ok()?;
        if length == 0 {
            return Some(d.docs.list(&[]));
        }
        docs = docs.chunks(length).map(|items| d.docs.list(items)).collect();
    }
    match docs.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}
