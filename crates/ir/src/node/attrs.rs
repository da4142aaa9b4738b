//! Attributes of functions and modules: a dictionary from names to any values.

use crate::raw::{Map, Str};
use crate::value::Value;
use crate::{Class, Node, Ref};

/// The class of attribute nodes (`ir.Attrs`).
#[derive(Class)]
#[class(key = "ir.Attrs")]
pub struct Attrs(());

/// A dictionary of attributes (`ir.DictAttrs`).
#[derive(Debug, Clone, Default, Node)]
#[node(key = "ir.DictAttrs", parent = Attrs)]
pub struct DictAttrs {
    /// The entries.
    #[node(name = "__dict__")]
    pub dict: Map<Str, Value>,
}

impl DictAttrs {
    /// Attributes of these entries.
    pub fn new(entries: impl IntoIterator<Item = (Str, Value)>) -> Ref<DictAttrs> {
        Ref::new(DictAttrs { dict: Map::new(entries) })
    }
}
