//! Constants as literals: a scalar as TVM writes it, any other tensor as nested lists.

use tvmscript_docsifier::Docsifier;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::{Element, TypeCode};

fn literal(element: Element, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    Some(match element {
        Element::Bool(value) => d.docs.bool(value),
        Element::Int(value) => d.docs.int(value),
        Element::Float(value) => d.docs.float(value),
        Element::UInt(_) => return None,
    })
}

/// The literal of a tensor of rank 0, for the types that TVM gives one.
pub(super) fn scalar(data: &TensorNode, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    if !data.shape.is_empty() || data.dtype.code == TypeCode::UInt {
        return None;
    }
    let element = data.elements()?.next()?;
    literal(element, d)
}

/// The elements in nested lists; nothing for types without literals, and for shapes that lists cannot say.
pub(super) fn nested(data: &TensorNode, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    if data.shape.contains(&0) && data.shape.len() > 1 {
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
