//! Keeps the time of loading in proportion to the text.
//!
//! A typed field checks each element of its array. An array that many nodes share is checked for each of them, and arrays of
//! arrays multiply: the elements that all fields stand for are counted, and their number is limited.

use super::error::JsonErrorKind;
use crate::containers::{ArrayNode, MapNode};
use crate::dtype::DataType;
use crate::ptr_map::AddressMap;
use crate::raw::Object;
use crate::type_table::Shape;
use crate::value::Value;

/// How many elements the arrays and maps in all fields of a text may stand for, those inside of others counted each time.
pub const MAX_ELEMENTS: u64 = 200_000_000;

/// How many parts the sequences of spans of a text may have in all, after nested sequences are flattened.
pub const MAX_SPAN_PARTS: u64 = 4_000_000;

/// Elements below this number are not worth counting: the text has a field for each time they are checked.
const SMALL: u64 = 64;

/// Counts elements while a text is loaded.
#[derive(Debug, Default)]
pub(super) struct Counter {
    /// The elements that large containers stand for, by address. The loader keeps all nodes alive.
    large: AddressMap<u64>,
    elements: u64,
    span_parts: u64,
}

impl Counter {
    /// Takes in a new container. The elements in it are known already.
    pub(super) fn container(&mut self, object: &Object) {
        let mut sum = 0u64;
        let mut add = |value: &Value| {
            let inner = value.as_object().and_then(|inner| self.large.get(&inner.address()));
            sum = sum.saturating_add(1 + inner.copied().unwrap_or(0));
        };
        match object.info().shape() {
            Shape::Array => {
                object.as_node::<ArrayNode>().into_iter().flat_map(ArrayNode::items).for_each(add);
            }
            Shape::Map => {
                for (key, value) in object.as_node::<MapNode>().into_iter().flat_map(MapNode::entries) {
                    add(key.value());
                    add(value);
                }
            }
            Shape::Fields | Shape::Str | Shape::Tensor => {}
        }
        if sum > SMALL {
            self.large.insert(object.address(), sum);
        }
    }

    /// Takes in a value that becomes a field.
    #[inline]
    pub(super) fn field(&mut self, value: &Value) -> Result<(), JsonErrorKind> {
        if self.large.is_empty() {
            return Ok(());
        }
        let count = value.as_object().and_then(|object| self.large.get(&object.address()));
        self.elements = self.elements.saturating_add(count.copied().unwrap_or(0));
        match self.elements <= MAX_ELEMENTS {
            true => Ok(()),
            false => Err(JsonErrorKind::TooManyElements { limit: MAX_ELEMENTS }),
        }
    }

    /// Takes in the parts of a sequence of spans.
    pub(super) fn spans(&mut self, count: usize) -> Result<(), JsonErrorKind> {
        self.span_parts = self.span_parts.saturating_add(count as u64);
        match self.span_parts <= MAX_SPAN_PARTS {
            true => Ok(()),
            false => Err(JsonErrorKind::TooManyElements { limit: MAX_SPAN_PARTS }),
        }
    }
}

/// The dtype of a text, which must be written as it is saved.
pub(super) fn dtype(text: &str) -> Option<DataType> {
    let dtype: DataType = text.parse().ok()?;
    let is_plain = text.is_empty() || dtype.to_string() == text;
    (is_plain && dtype.is_valid()).then_some(dtype)
}
