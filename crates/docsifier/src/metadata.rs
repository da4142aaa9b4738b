//! The metadata section: nodes that the text refers to but cannot say.

use tvmscript_ir_core::{Array, Map, Object, Str, Value};

/// Nodes by type key, in the order they were met.
#[derive(Debug, Default)]
pub struct Metadata {
    lists: Vec<(&'static str, Vec<Object>)>,
}

impl Metadata {
    /// Adds a node; the same node (or an equal string) keeps its place. Gives its type key and index.
    pub(crate) fn add(&mut self, object: &Object) -> (&'static str, usize) {
        let key = object.info().key();
        let list = match self.lists.iter().position(|(k, _)| *k == key) {
            Some(at) => &mut self.lists[at].1,
            None => {
                self.lists.push((key, Vec::new()));
                let last = self.lists.len() - 1;
                &mut self.lists[last].1
            }
        };
        let text = |o: &Object| Value::Node(o.clone()).as_str().map(str::to_owned);
        let wanted = text(object);
        let same = |o: &Object| o.ptr_eq(object) || (wanted.is_some() && text(o) == wanted);
        let index = match list.iter().position(same) {
            Some(index) => index,
            None => {
                list.push(object.clone());
                list.len() - 1
            }
        };
        (key, index)
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// The section as one node: a map from type keys to arrays.
    pub fn to_map(&self) -> Map<Str, Array<Value>> {
        Map::new(self.lists.iter().map(|(key, list)| {
            (Str::new(*key), Array::of_values(list.iter().map(|o| Value::Node(o.clone()))))
        }))
    }
}
