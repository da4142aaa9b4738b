//! Nodes by reflection: their fields, elements and entries.

use tvmscript::ir_core::containers::{ArrayNode, MapNode};
use tvmscript::ir_core::type_table::{Shape, type_by_key};
use tvmscript::ir_core::{AccessPath, TypeInfo};
use tvmscript::{Object, Registry, Value};

use crate::options::Printing;
use crate::program::Part;
use crate::status::{Outcome, Status};
use crate::value::Datum;

/// Number of fields of a node, elements of an array, or entries of a map.
pub(crate) fn count(node: &Object) -> usize {
    match node.info().shape() {
        Shape::Fields => node.info().fields().len(),
        Shape::Array => node.as_node::<ArrayNode>().map_or(0, |array| array.items().len()),
        Shape::Map => node.as_node::<MapNode>().map_or(0, |map| map.entries().len()),
        Shape::Str | Shape::Tensor => 0,
    }
}

/// A field by index, an element, or the value of an entry.
pub(crate) fn item(part: &Part, index: usize) -> Outcome<Datum> {
    let node = &part.node;
    let value = match node.info().shape() {
        Shape::Fields => node.info().fields().get(index).map(|_| node.field(index).to_value()),
        Shape::Array => node.array_items().get(index).cloned(),
        Shape::Map => node
            .as_node::<MapNode>()
            .and_then(|map| map.entries().get_index(index))
            .map(|(_, value)| value.clone()),
        Shape::Str | Shape::Tensor => None,
    };
    value.map(|value| Datum::of(value, part)).ok_or(Status::OutOfRange)
}

/// The key of an entry of a map.
pub(crate) fn key(part: &Part, index: usize) -> Outcome<Datum> {
    let map = part.node.as_node::<MapNode>().ok_or(Status::InvalidArgument)?;
    let (key, _) = map.entries().get_index(index).ok_or(Status::OutOfRange)?;
    Ok(Datum::of(key.value().clone(), part))
}

/// The name of a field.
pub(crate) fn field_name(node: &Object, index: usize) -> Outcome<&'static str> {
    let info: &'static TypeInfo = node.info();
    info.fields().get(index).map(|field| field.name).ok_or(Status::OutOfRange)
}

/// A field by name.
pub(crate) fn field(part: &Part, name: &str) -> Outcome<Datum> {
    let index = part.node.info().field_index(name).ok_or(Status::UnknownName)?;
    Ok(Datum::of(part.node.field(index).to_value(), part))
}

/// The part at an access path.
pub(crate) fn at(part: &Part, path: &str) -> Outcome<Datum> {
    let (_, value) = AccessPath::parse(path, &part.node).map_err(|_| Status::UnknownName)?;
    Ok(Datum::of(value, part))
}

/// The part at an access path as text.
pub(crate) fn text(part: &Part, path: &str) -> Outcome<String> {
    Ok(match at(part, path)? {
        Datum::None => "None".to_owned(),
        Datum::Bool(value) => if value { "True" } else { "False" }.to_owned(),
        Datum::Int(value) => value.to_string(),
        Datum::Float(value) => value.to_string(),
        Datum::Text(value) => value,
        Datum::DType(value) => value.to_string(),
        Datum::Object(part) => {
            let config = Printing::default().config(&part.origin.dialects, &part)?;
            let text = tvmscript::print(&part.node, &part.origin.dialects, &config);
            text.map_err(|_| Status::Errors)?
        }
        Datum::Function(_) => return Err(Status::InternalError),
    })
}

/// Returns `true` if a node is of a type or of a class above it.
pub(crate) fn is_a(node: &Object, key: &str) -> bool {
    let mut at = Some(node.info());
    while let Some(info) = at {
        if info.key() == key {
            return true;
        }
        at = info.parent();
    }
    false
}

/// Makes a node of a type of a registry, or of any dialect, from its fields; those that are not given are absent. Spans are unknown.
pub(crate) fn construct(
    registry: Option<&Registry>,
    key: &str,
    fields: Vec<(String, Value)>,
) -> Outcome<Result<Object, String>> {
    let known = registry.map_or_else(|| type_by_key(key), |registry| registry.node(key));
    let info = known.ok_or(Status::UnknownName)?;
    let mut values = vec![Value::None; info.fields().len()];
    for (name, value) in fields {
        let index = info.field_index(&name).ok_or(Status::UnknownName)?;
        if let Some(slot) = values.get_mut(index) {
            *slot = value;
        }
    }
    Ok(info.construct(values).map_err(|error| error.to_string()))
}

/// A copy of a node with another value in a field.
pub(crate) fn with_field(part: &Part, name: &str, value: Value) -> Outcome<Result<Object, String>> {
    let index = part.node.info().field_index(name).ok_or(Status::UnknownName)?;
    let mut node = part.node.clone();
    let set = node.set_field(index, value).and_then(|()| node.check());
    Ok(set.map(|()| node).map_err(|error| error.to_string()))
}
