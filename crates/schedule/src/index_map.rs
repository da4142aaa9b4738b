//! Index maps in traces: text is a lambda, JSON a graph of nodes in a string.

use tvmscript_ir_core::{Object, ObjectLike as _, Ref, Value};
use tvmscript_prim::IndexMap;

use crate::argument::Argument;
use crate::error::{Result, ScheduleError};
use crate::registry::registry;

impl Argument {
    /// An index map.
    ///
    /// # Errors
    /// If it is something else.
    pub fn index_map(&self) -> Result<&Ref<IndexMap>> {
        let map = if let Argument::Node(node) = self { node.downcast_ref::<IndexMap>() } else { None };
        map.ok_or_else(|| ScheduleError::plain(format!("expected an index map, found {}", self.kind())))
    }
}

impl From<Ref<IndexMap>> for Argument {
    fn from(map: Ref<IndexMap>) -> Self {
        Argument::Node(map.into_object())
    }
}

/// A node as TVM's JSON.
pub(crate) fn to_json(node: &Object) -> Option<String> {
    tvmscript_tvm_json::save(&Value::Node(node.clone())).ok()
}

/// The node of TVM's JSON.
pub(crate) fn from_json(text: &str) -> Result<Argument> {
    let value = tvmscript_tvm_json::load(text, registry()?);
    match value.map_err(|error| ScheduleError::plain(format!("the node is not read: {error}")))? {
        Value::Node(node) => Ok(Argument::Node(node)),
        _ => Err(ScheduleError::plain("expected a node in JSON, found another value")),
    }
}

/// A node as text: an index map as the lambda that TVM prints, with a comma after each result.
pub(crate) fn to_text(node: &Object) -> String {
    let Some(map) = node.downcast_ref::<IndexMap>() else {
        return format!("<{}>", node.info().display_key());
    };
    let inverse = map.inverse_index_map.as_ref().and_then(Object::downcast_ref::<IndexMap>);
    match inverse {
        None => lambda(map),
        Some(inverse) => {
            format!("tvm.tir.IndexMap.from_func({}, inverse_index_map={})", lambda(map), lambda(inverse))
        }
    }
}

#[cfg(not(feature = "print"))]
fn lambda(map: &Ref<IndexMap>) -> String {
    format!("<{}>", map.object().info().display_key())
}

#[cfg(feature = "print")]
fn lambda(map: &Ref<IndexMap>) -> String {
    use tvmscript_docsifier::{PrinterConfig, print};
    let mut plain = map.clone();
    plain.make_mut().inverse_index_map = None;
    let config = PrinterConfig { max_width_columns: None, ..PrinterConfig::default() };
    let Some(text) = registry().ok().and_then(|registry| print(plain.object(), registry, &config).ok())
    else {
        return format!("<{}>", map.object().info().display_key());
    };
    // The call is `T.index_map(lambda i, j: (j, i), index_dtype="int32")`, after comments.
    let call = text.lines().last().unwrap_or_default();
    let call = call.split_once("index_map(").map_or(call, |(_, arguments)| arguments);
    let call = call.strip_suffix(')').unwrap_or(call);
    let call = call.rsplit_once(", index_dtype=").map_or(call, |(lambda, _)| lambda);
    match call.strip_suffix(",)").or_else(|| call.strip_suffix(')')) {
        Some(results) => format!("{results},)"),
        None => call.to_owned(),
    }
}
