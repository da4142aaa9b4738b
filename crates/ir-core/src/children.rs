//! The children of a node, for visitors and analyses.
//!
//! Walks that need scalars, definition flags or paths (equality, hash, JSON, mutators) read the fields instead.

use crate::node::FieldSink;
use crate::raw::Object;
use crate::type_table::Shape;
use crate::value::{FieldRef, Value};

/// Calls `f` for each child of a node: its fields in declaration order, the elements of an array, each key of a map
/// before its value. Strings and tensors are children, too.
#[inline]
pub fn for_each_child<'a>(object: &'a Object, mut f: impl FnMut(&'a Object)) {
    let mut value = |value: &'a Value| value.as_object().into_iter().for_each(&mut f);
    match object.info().shape() {
        Shape::Fields => object.each_field_object(&mut f),
        Shape::Array => object.array_items().iter().for_each(value),
        Shape::Map => {
            for (key, entry) in object.map_entries() {
                value(key);
                value(entry);
            }
        }
        Shape::Str | Shape::Tensor => {}
    }
}

/// Like [`for_each_child`], without derived fields (`#[node(derived)]`).
#[inline]
pub fn for_each_own_child<'a>(object: &'a Object, mut f: impl FnMut(&'a Object)) {
    if !object.info().has_derived_fields() {
        return for_each_child(object, f);
    }
    for (index, field) in object.info().fields().iter().enumerate() {
        if let FieldRef::Node(child) = object.field(index)
            && !field.derived
        {
            f(child);
        }
    }
}

/// Calls a function for each handle in the fields of a node.
pub(crate) struct FieldObjects<'f, 'a>(pub(crate) &'f mut dyn FnMut(&'a Object));

impl<'a> FieldSink<'a> for FieldObjects<'_, 'a> {
    #[inline(always)]
    fn field(&mut self, _: usize, _: bool, _: bool, value: FieldRef<'a>) {
        if let FieldRef::Node(object) = value {
            (self.0)(object);
        }
    }
}
