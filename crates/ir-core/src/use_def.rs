//! Use-def chains.
//!
//! [`UseDef`] lists, for each variable of a graph, the node that defines it and the nodes that use it. A node is a user
//! once per field, element or entry that holds the variable. Shared nodes are visited once; derived fields are skipped.
//!
//! ```
//! use tvmscript_ir_core::{Array, Node, Object, Ref, UseDef};
//!
//! /// A variable.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Name", eq = free_var)]
//! struct Name {}
//!
//! /// A function with a parameter.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Lambda")]
//! struct Lambda {
//!     #[node(def)]
//!     param: Ref<Name>,
//!     body: Array<Ref<Name>>,
//! }
//!
//! let (param, free) = (Ref::new(Name {}), Ref::new(Name {}));
//! let body = Array::new([param.clone(), param.clone(), free.clone()]);
//! let lambda: Object = Ref::new(Lambda { param: param.clone(), body }).into();
//! let chains = UseDef::of(&lambda);
//! assert!(chains.definition(&param).is_some_and(|node| node.ptr_eq(&lambda)));
//! assert_eq!(chains.users(&param).len(), 2);
//! assert!(chains.definition(&free).is_none());
//! ```

use crate::containers::ArrayNode;
use crate::fresh::Definitions;
use crate::ptr_map::PtrMap;
use crate::raw::{Object, ObjectLike};
use crate::shared::Visited;
use crate::type_table::{EqKind, Shape};
use crate::value::{FieldRef, Value};
use crate::vectors::reverse_above;

/// The definitions and uses of the variables of a graph.
#[derive(Debug, Default)]
pub struct UseDef {
    chains: PtrMap<Chain>,
    /// Variables in the order of their first occurrence.
    order: Vec<Object>,
}

#[derive(Debug, Default)]
struct Chain {
    definition: Option<Object>,
    users: Vec<User>,
}

/// A node that holds a variable.
#[derive(Debug)]
struct User {
    node: Object,
    /// `true` if a definition field (`#[node(def)]`) holds it.
    defines: bool,
}

/// A work item of the walk: a node, and where it was found.
struct WorkItem<'a> {
    node: &'a Object,
    /// The innermost node with fields above it.
    holder: Option<&'a Object>,
    /// `true` below a definition field of the holder, directly or in an array.
    in_definition: bool,
}

impl UseDef {
    /// Collects the chains of a graph.
    pub fn of(root: &impl ObjectLike) -> UseDef {
        let mut out = UseDef::default();
        let mut visited = Visited::default();
        let mut definitions = Definitions::default();
        let mut work = vec![WorkItem { node: root.as_object(), holder: None, in_definition: false }];
        while let Some(WorkItem { node, holder, in_definition }) = work.pop() {
            // A node without identity of its own, such as a buffer, counts once it is defined.
            let is_variable = is_variable(node) || out.chains.contains_key(node);
            if let Some(holder) = holder.filter(|_| is_variable) {
                out.chain(node).users.push(User { node: holder.clone(), defines: in_definition });
            }
            if !visited.is_first(node) {
                continue;
            }
            let defined = definitions.enter(node).0;
            for variable in defined {
                out.chain(variable).definition.get_or_insert_with(|| node.clone());
            }
            let start = work.len();
            if node.info().shape() == Shape::Fields {
                for (index, field) in
                    node.info().fields().iter().enumerate().filter(|(_, field)| !field.derived)
                {
                    if let FieldRef::Node(child) = node.field(index) {
                        work.push(WorkItem { node: child, holder: Some(node), in_definition: field.def });
                    }
                }
            } else {
                let in_definition = in_definition && node.as_node::<ArrayNode>().is_some();
                let items = node.array_items().iter();
                let entries = node.map_entries().flat_map(|(key, value)| [key, value]);
                let children = items.chain(entries).filter_map(Value::as_object);
                work.extend(children.map(|node| WorkItem { node, holder, in_definition }));
            }
            reverse_above(&mut work, start);
        }
        out.chains.values_mut().for_each(Chain::remove_definition);
        out
    }

    fn chain(&mut self, variable: &Object) -> &mut Chain {
        let order = &mut self.order;
        self.chains.entry(variable.clone()).or_insert_with(|| {
            order.push(variable.clone());
            Chain::default()
        })
    }

    /// Returns the variables in the order of their first occurrence.
    pub fn variables(&self) -> &[Object] {
        &self.order
    }

    /// Returns the node that defines a variable; nothing for a free variable.
    pub fn definition(&self, variable: &impl ObjectLike) -> Option<&Object> {
        self.chains.get(variable.as_object())?.definition.as_ref()
    }

    /// Returns the nodes that use a variable, in the order of the walk. The occurrence that defines it does not count.
    pub fn users(&self, variable: &impl ObjectLike) -> impl ExactSizeIterator<Item = &Object> {
        let users = self.chains.get(variable.as_object()).map_or(&[][..], |chain| chain.users.as_slice());
        users.iter().map(|user| &user.node)
    }
}

impl Chain {
    /// Removes the occurrence that is the definition: the first one in a definition field of the defining node, else in
    /// another field of that node, else in a definition field below it, such as the axis of a block.
    fn remove_definition(&mut self) {
        let Some(definition) = &self.definition else { return };
        let is_at = |user: &User| user.node.ptr_eq(definition);
        let first = |wanted: &dyn Fn(&User) -> bool| self.users.iter().position(wanted);
        let found = first(&|user| is_at(user) && user.defines)
            .or_else(|| first(&|user| is_at(user)))
            .or_else(|| first(&|user| user.defines));
        if let Some(found) = found {
            self.users.remove(found);
        }
    }
}

fn is_variable(node: &Object) -> bool {
    matches!(node.info().eq_kind(), EqKind::FreeVar | EqKind::Dag)
}
