//! Finding nodes together with their paths.

use super::{AccessPath, PathId, PathStep, PathTable};
use crate::raw::Object;
use crate::shared::Visited;
use crate::type_table::Shape;
use crate::value::{FieldRef, Value};
use crate::vectors::reverse_above;

/// A search for nodes.
///
/// ```
/// # use tvmscript_ir_core::{Array, NodeSearch, ObjectLike, Value};
/// let inner = Array::of_values([Value::Int(1)]).into_object();
/// let root = Array::of_values([Value::Int(0), Value::Node(inner.clone())]).into_object();
/// let found = NodeSearch { limit: 10, derived: true }.run(&root, |node| node.ptr_eq(&inner));
/// assert_eq!(found[0].1.to_string(), "<root>[1]");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct NodeSearch {
    /// Maximum number of nodes to find.
    pub limit: usize,
    /// Search derived fields (`#[node(derived)]`), too.
    pub derived: bool,
}

impl NodeSearch {
    /// Returns the nodes for which `wanted` returns `true`, each with its path, in the order of a walk that visits shared
    /// nodes once, parents first. Arrays, maps and tensors are visited, too. `wanted` may be called twice per node.
    pub fn run(self, root: &Object, mut wanted: impl FnMut(&Object) -> bool) -> Vec<(Object, AccessPath)> {
        let walk = |limit: usize, paths: Option<PathTable>| Search {
            paths,
            options: NodeSearch { limit, ..self },
            stack: Vec::new(),
            visited: Visited::default(),
        };
        // Tracks paths only if there is a node to find.
        if walk(self.limit.min(1), None).run(root, &mut wanted).is_empty() {
            return Vec::new();
        }
        walk(self.limit, Some(PathTable::new())).run(root, &mut wanted)
    }
}

/// A walk, with or without paths.
struct Search<'a> {
    paths: Option<PathTable>,
    options: NodeSearch,
    stack: Vec<(&'a Object, PathId)>,
    visited: Visited,
}

impl<'a> Search<'a> {
    fn run(
        mut self,
        root: &'a Object,
        wanted: &mut impl FnMut(&Object) -> bool,
    ) -> Vec<(Object, AccessPath)> {
        let mut found = Vec::new();
        self.stack.push((root, PathId::ROOT));
        while let Some((object, path)) = self.stack.pop() {
            if found.len() >= self.options.limit {
                break;
            }
            if !self.visited.is_first(object) {
                continue;
            }
            if wanted(object) {
                let path = self.paths.as_ref().map(|paths| paths.to_path(path)).unwrap_or_default();
                found.push((object.clone(), path));
            }
            let before = self.stack.len();
            self.children(object, path);
            // The first child is popped first.
            reverse_above(&mut self.stack, before);
        }
        found
    }

    fn children(&mut self, object: &'a Object, path: PathId) {
        match object.info().shape() {
            Shape::Fields => {
                for (index, field) in object.info().fields().iter().enumerate() {
                    if let FieldRef::Node(child) = object.field(index)
                        && (self.options.derived || !field.derived)
                    {
                        self.enter(path, || PathStep::Field(field.name), child);
                    }
                }
            }
            Shape::Array => {
                let items = object.array_items();
                for (index, item) in items.iter().enumerate() {
                    if let Value::Node(child) = item {
                        self.enter(path, || PathStep::Index(index as u32), child);
                    }
                }
            }
            Shape::Map => {
                for (key, value) in object.map_entries() {
                    for child in [key, value].into_iter().filter_map(Value::as_object) {
                        self.enter(path, || PathStep::Key(key.clone()), child);
                    }
                }
            }
            Shape::Str | Shape::Tensor => {}
        }
    }

    fn enter(&mut self, parent: PathId, step: impl FnOnce() -> PathStep, child: &'a Object) {
        if child.info().shape() != Shape::Str {
            let path = self.paths.as_mut().map_or(PathId::ROOT, |paths| paths.child(parent, step()));
            self.stack.push((child, path));
        }
    }
}
