//! Constants as literals: a scalar as TVM writes it, any other tensor as nested lists.

use smallvec::SmallVec;
use tvmscript_docsifier::Docsifier;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::json::base64;
use tvmscript_ir_core::{Element, TypeCode};

use super::state::RelaxDocsifier;
use crate::constants::{ContentHash, byte_count, element_count};

/// `R.elided_const("3f9a..", (64, 64), "float32")`, for a tensor that is larger than the options allow.
pub(super) fn elided(data: &TensorNode, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    let limit = d.relax_options().elide_constants?;
    if element_count(&data.shape) <= limit {
        return None;
    }
    let hash = d.docs.str(&*ContentHash::of(data).to_string());
    Some(named("elided_const", hash, data, d))
}

fn literal(element: Element, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    Some(match element {
        Element::Bool(value) => d.docs.bool(value),
        Element::Int(value) => d.docs.int(value),
        Element::Float(value) => d.docs.float(value),
        Element::UInt(_) => return None,
    })
}

/// Whether every element that is no number has the bits that the reader gives `nan`.
fn has_plain_nans(data: &TensorNode) -> bool {
    let plain: &[u8] = match (data.dtype.code, data.dtype.bits) {
        (TypeCode::Float, 16) => &[0x00, 0x7e],
        (TypeCode::Float, 32) => &[0x00, 0x00, 0xc0, 0x7f],
        (TypeCode::Float, 64) => &[0, 0, 0, 0, 0, 0, 0xf8, 0x7f],
        _ => return true,
    };
    let Some(elements) = data.elements() else { return true };
    let mut pairs = elements.zip(data.data.chunks_exact(plain.len()));
    pairs
        .all(|(element, bytes)| !matches!(element, Element::Float(value) if value.is_nan()) || bytes == plain)
}

/// `R.raw_const("AAAAAA==", (2,), "bfloat16")`: the bytes of the elements, for tensors that lists of numbers cannot say.
/// Nothing where there are not as many bytes as elements need.
pub(super) fn raw(data: &TensorNode, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    if byte_count(&data.shape, data.dtype) != Some(data.data.len()) {
        return None;
    }
    let bytes = d.docs.str(&*base64::encode(&data.data));
    Some(named("raw_const", bytes, data, d))
}

fn named(function: &str, name: ExprDoc, data: &TensorNode, d: &mut Docsifier<'_>) -> ExprDoc {
    let dims: SmallVec<[ExprDoc; 4]> = data.shape.iter().map(|dim| d.docs.int(*dim)).collect();
    let shape = d.docs.tuple(&dims);
    let dtype = d.dtype(data.dtype);
    let callee = d.r(function);
    d.docs.call_args(callee, &[name, shape, dtype])
}

/// The literal of a tensor of rank 0, for the types that TVM gives one.
pub(super) fn scalar(data: &TensorNode, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    if !data.shape.is_empty() || data.dtype.code == TypeCode::UInt || !has_plain_nans(data) {
        return None;
    }
    let element = data.elements()?.next()?;
    literal(element, d)
}

/// The elements in nested lists; nothing for types without literals, and for shapes that lists cannot say.
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
