//! Attributes of functions, modules and calls.

use tvmscript_ir_core::{Class, Map, Node, Ref, Str, Value};

/// Base class of attributes (`ir.Attrs`).
#[derive(Class)]
#[class(key = "ir.Attrs")]
pub struct Attrs(());

/// Attributes by name, with values of any kind (`ir.DictAttrs`).
#[derive(Debug, Clone, Default, Node)]
#[node(key = "ir.DictAttrs", parent = Attrs)]
pub struct DictAttrs {
    /// Values by name.
    #[node(name = "__dict__")]
    pub dict: Map<Str, Value>,
}

impl DictAttrs {
    /// Creates attributes from entries.
    pub fn new(entries: impl IntoIterator<Item = (Str, Value)>) -> Ref<DictAttrs> {
        Ref::new(DictAttrs { dict: Map::new(entries) })
    }
}

/// The attribute with the linkage name.
pub const GLOBAL_SYMBOL: &str = "global_symbol";

/// The linkage name in a function's attributes; private functions have none.
pub fn global_symbol(attrs: &DictAttrs) -> Option<&str> {
    attrs.dict.get_str(GLOBAL_SYMBOL).and_then(Value::as_str)
}
