//! The metadata section: nodes that the text refers to but cannot represent.

use std::collections::HashMap;

use tvmscript_ir_core::json::UnknownNode;
use tvmscript_ir_core::vectors::find_or_push;
use tvmscript_ir_core::{Array, Map, Object, Str, Value};

/// Nodes by type key, in order of first use.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    lists: Vec<(Str, Nodes)>,
    /// `true` if the text refers to a section that the program does not have.
    pub(crate) lacks_section: bool,
}

/// The nodes of one type key.
#[derive(Debug, Default)]
struct Nodes {
    all: Vec<Object>,
    /// Strings with the text of another one, so that their addresses stay theirs.
    repeated: Vec<Object>,
    /// Indices by address, and by text for strings.
    by_address: HashMap<usize, usize>,
    by_text: HashMap<String, usize>,
}

impl Metadata {
    /// Adds a node, unless it or an equal string is present. Returns the key of its list, computed by `type_key`, and
    /// its index.
    pub(crate) fn add(
        &mut self,
        object: &Object,
        type_key: impl Fn(&'static str) -> &'static str,
    ) -> (Str, usize) {
        let unknown = object.as_node::<UnknownNode>();
        let key = unknown.map_or_else(|| type_key(object.info().key()), |node| node.type_key.as_str());
        let is_known = |(known, _): &(Str, Nodes)| known.as_str() == key;
        let list = find_or_push(&mut self.lists, is_known, || (Str::new(key), Nodes::default()));
        let (key, Nodes { all, repeated, by_address, by_text }) = list;
        // A long string that recurs is hashed once.
        if let Some(known) = by_address.get(&object.address()) {
            return (key.clone(), *known);
        }
        let next = all.len();
        let index = match Value::Node(object.clone()).as_str() {
            Some(text) => *by_text.entry(text.to_owned()).or_insert(next),
            None => next,
        };
        by_address.insert(object.address(), index);
        if index == next {
            all.push(object.clone())
        } else {
            repeated.push(object.clone())
        }
        (key.clone(), index)
    }

    /// Returns `true` if the section is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// The section as one node: a map from type keys to arrays, the key that was used last first, as upstream prints a
    /// few keys.
    pub(crate) fn to_map(&self) -> Map<Str, Array<Value>> {
        Map::new(self.lists.iter().rev().map(|(key, list)| {
            (key.clone(), Array::of_values(list.all.iter().map(|o| Value::Node(o.clone()))))
        }))
    }
}

#[cfg(test)]
mod tests {
    use tvmscript_ir_core::ObjectLike;

    use super::*;

    #[test]
    fn a_node_keeps_its_place_and_strings_are_kept_by_their_text() {
        let list = || Array::of_values([Value::Int(1)]).into_object();
        let (text, same, first, second) =
            (Str::new("a").into_object(), Str::new("a").into_object(), list(), list());
        let mut metadata = Metadata::default();
        let places = [&text, &first, &second, &same, &first].map(|node| metadata.add(node, |key| key).1);
        assert_eq!(places, [0, 0, 1, 0, 0]);
        assert_eq!(metadata.to_map().len(), 2);
    }
}
