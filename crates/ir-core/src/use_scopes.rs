//! The innermost scope that contains all uses of each variable.
//!
//! Text has no sharing: a node with two uses is printed twice, including the variables below it. The scopes are
//! therefore those of the tree that the graph unfolds to. That tree is never built: the anchor of a node is computed
//! from the anchors of its users, so the work stays `O(n log n)` however often nodes are shared.
//!
//! Only scopes, variables, and nodes with several handles have an entry. Any other node belongs to the entry that
//! encloses it. Fields that repeat other fields (`#[node(derived)]`) have no text and are skipped.
//!
//! ```
//! use tvmscript_ir_core::use_scopes::{Role, UseScopes};
//! use tvmscript_ir_core::{Array, Node, Object, Ref};
//!
//! /// A variable.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Name", eq = free_var)]
//! struct Name {}
//!
//! /// A block, which may declare variables.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Block")]
//! struct Block {
//!     body: Array<Object>,
//! }
//!
//! let block = |body: Vec<Object>| Object::from(Ref::new(Block { body: Array::new(body) }));
//! let name = Object::from(Ref::new(Name {}));
//! let both = block(vec![block(vec![name.clone()]), block(vec![name.clone()])]);
//! let root = block(vec![both.clone()]);
//!
//! let scopes = UseScopes::new(&root, |info| match info.key() {
//!     "doc.Name" => Role::Variable,
//!     "doc.Block" => Role::Scope,
//!     _ => Role::Other,
//! });
//! assert_eq!(scopes.dominators(&name).next(), Some(both.id()));
//! ```
//!
//! Upstream counterpart: `ComputeCommonPrefix`, `src/script/printer/ir_docsifier.cc`, which counts a shared node at its
//! first use only.

use crate::children::for_each_own_child;
use crate::ptr_map::AddressMap;
use crate::raw::{NodeId, Object};
use crate::type_table::{FieldKind, Shape, TypeInfo};
use crate::vectors::{Arena, reverse_above};

/// The role of a node type in this analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// May open a scope.
    Scope,
    /// A variable, which the text declares unless something defines it.
    Variable,
    /// Neither.
    Other,
}

/// The use scopes of one region.
#[derive(Debug, Default)]
pub struct UseScopes {
    entries: Arena<ScopeEntry>,
    /// Entry numbers by address.
    numbers: AddressMap<u32>,
    /// Entries in post-order.
    post_order: Vec<u32>,
    /// Uses after the first.
    later_uses: Vec<LaterUse>,
    /// Per entry its anchor: the innermost entry that is printed once and contains every occurrence of it in the
    /// unfolded tree.
    anchors: Arena<u32>,
}

#[derive(Debug)]
struct ScopeEntry {
    node: NodeId,
    /// The entry that encloses the first use.
    parent: u32,
    /// Number of enclosing entries.
    depth: u32,
    /// An enclosing entry, chosen so that any other one is `O(log n)` jumps away (Myers, "An applicative random-access
    /// stack").
    jump: u32,
    /// The most recent of the later uses.
    last_use: u32,
}

/// A use of a node after the first.
#[derive(Debug)]
struct LaterUse {
    parent: u32,
    /// The previous later use of the same node.
    previous: u32,
}

const NONE: u32 = u32::MAX;

/// A work item of the walk.
enum WorkItem<'a> {
    /// Enter a node with this role below this entry.
    Enter(&'a Object, Role, u32),
    /// Leave an entry.
    Leave(u32),
}

impl UseScopes {
    /// Analyzes `root`. `role` classifies node types.
    pub fn new(root: &Object, role: impl Fn(&'static TypeInfo) -> Role) -> UseScopes {
        let mut roles = Roles { role, memo: Vec::new() };
        let mut out = UseScopes::default();
        let mut stack = vec![WorkItem::Enter(root, Role::Scope, NONE)];
        while let Some(step) = stack.pop() {
            let (object, role, parent) = match step {
                WorkItem::Enter(object, role, parent) => (object, role, parent),
                WorkItem::Leave(id) => {
                    out.post_order.push(id);
                    continue;
                }
            };
            let is_unique = object.is_unique();
            let mut inside = parent;
            if role != Role::Other || !is_unique {
                // A node with one handle has one use.
                if !is_unique && let Some(&id) = out.numbers.get(&object.address()) {
                    out.add_use(id, parent);
                    continue;
                }
                inside = out.enter(object, parent);
                stack.push(WorkItem::Leave(inside));
            }
            let start = stack.len();
            for_each_own_child(object, |child| {
                // Nodes without children that are neither scope nor variable have no influence.
                if let Some(role) = roles.of(child) {
                    stack.push(WorkItem::Enter(child, role, inside));
                }
            });
            reverse_above(&mut stack, start);
        }
        out.find_anchors();
        out
    }

    fn add_use(&mut self, id: u32, parent: u32) {
        let later_use = self.later_uses.len() as u32;
        let previous = std::mem::replace(&mut self.entries.at_mut(id).last_use, later_use);
        self.later_uses.push(LaterUse { parent, previous });
    }

    fn enter(&mut self, node: &Object, parent: u32) -> u32 {
        let id = self.entries.len() as u32;
        let (depth, jump) = match self.entries.get(parent) {
            None => (0, id),
            Some(outer) => {
                let middle = self.entries.at(outer.jump);
                let far = self.entries.at(middle.jump);
                let even = outer.depth - middle.depth == middle.depth - far.depth;
                (outer.depth + 1, if even { middle.jump } else { parent })
            }
        };
        self.entries.push(ScopeEntry { node: node.id(), parent, depth, jump, last_use: NONE });
        self.numbers.insert(node.address(), id);
        id
    }

    /// The ancestor of an entry at this depth, possibly the entry itself.
    fn ancestor_at(&self, id: u32, depth: u32) -> u32 {
        let mut at = id;
        while self.entries.at(at).depth > depth {
            let entry = self.entries.at(at);
            at = if self.entries.at(entry.jump).depth >= depth { entry.jump } else { entry.parent };
        }
        at
    }

    /// The lowest common ancestor of two entries.
    fn common_ancestor(&self, a: u32, b: u32) -> u32 {
        let depth = self.entries.at(a).depth.min(self.entries.at(b).depth);
        let (mut a, mut b) = (self.ancestor_at(a, depth), self.ancestor_at(b, depth));
        while a != b {
            let (x, y) = (self.entries.at(a), self.entries.at(b));
            (a, b) = if x.jump == y.jump { (x.parent, y.parent) } else { (x.jump, y.jump) };
        }
        a
    }

    /// Computes the anchors. A node used once, below a node that is its own anchor, is its own anchor; any other node
    /// is anchored at the lowest common ancestor of its users' anchors.
    fn find_anchors(&mut self) {
        let mut anchors = Arena::filled(NONE, self.entries.len());
        // Reverse post-order visits all users of a node before the node.
        for &id in self.post_order.iter().rev() {
            let entry = self.entries.at(id);
            let Some(&outer) = anchors.get(entry.parent) else {
                *anchors.at_mut(id) = id;
                continue;
            };
            let mut anchor = if entry.last_use == NONE && outer == entry.parent { id } else { outer };
            let mut later_use = entry.last_use;
            while let Some(again) = self.later_uses.get(later_use as usize) {
                later_use = again.previous;
                if let Some(outer) = anchors.get(again.parent).copied().filter(|p| *p != NONE) {
                    anchor = self.common_ancestor(anchor, outer);
                }
            }
            *anchors.at_mut(id) = anchor;
        }
        self.anchors = anchors;
    }

    fn number(&self, node: &Object) -> Option<u32> {
        self.numbers.get(&node.address()).copied()
    }

    fn anchor(&self, node: &Object) -> Option<u32> {
        self.anchors.get(self.number(node)?).copied()
    }

    /// The scopes that contain all uses of a variable and are printed once, innermost first. They include
    /// the variable itself if it is used once.
    pub fn dominators(&self, variable: &Object) -> impl Iterator<Item = NodeId> + '_ {
        self.chain(self.anchor(variable))
    }

    /// As [`UseScopes::dominators`], counting a shared node at its first use only.
    pub fn dominators_of_first_uses(&self, variable: &Object) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.number(variable).map(|id| {
            let mut anchor = id;
            let mut later_use = self.entries.at(id).last_use;
            while let Some(again) = self.later_uses.get(later_use as usize) {
                later_use = again.previous;
                anchor = self.common_ancestor(anchor, again.parent);
            }
            anchor
        });
        self.chain(first)
    }

    fn chain(&self, from: Option<u32>) -> impl Iterator<Item = NodeId> + '_ {
        let mut at = from.unwrap_or(NONE);
        std::iter::from_fn(move || {
            let entry = self.entries.get(at)?;
            at = entry.parent;
            Some(entry.node)
        })
    }

    /// Returns `true` if a node is printed once and contains all uses of the variable.
    pub fn contains_all_uses(&self, node: &Object, variable: &Object) -> bool {
        let (Some(anchor), Some(node)) = (self.anchor(variable), self.number(node)) else {
            return false;
        };
        self.ancestor_at(anchor, self.entries.at(node).depth) == node
    }

    /// Returns `true` if the region has uses of the variable outside a node, or prints the node more than once.
    pub fn has_uses_outside(&self, node: &Object, variable: &Object) -> bool {
        let Some(anchor) = self.anchor(variable) else { return false };
        let Some(node) = self.number(node) else { return true };
        self.ancestor_at(anchor, self.entries.at(node).depth) != node
    }
}

/// Memo of the roles of types; `None` for types that the walk skips.
struct Roles<F> {
    role: F,
    /// By type index.
    memo: Vec<Option<Option<Role>>>,
}

impl<F: Fn(&'static TypeInfo) -> Role> Roles<F> {
    fn of(&mut self, object: &Object) -> Option<Role> {
        let info = object.info();
        if self.memo.len() <= info.index() {
            self.memo.resize(info.index() + 1, None);
        }
        let role = || match (self.role)(info) {
            Role::Other if !may_have_children(info) => None,
            role => Some(role),
        };
        match self.memo.get_mut(info.index()) {
            Some(known) => *known.get_or_insert_with(role),
            None => role(),
        }
    }
}

fn may_have_children(info: &TypeInfo) -> bool {
    match info.shape() {
        Shape::Fields => {
            info.fields().iter().any(|field| matches!(field.kind, FieldKind::Node | FieldKind::Any))
        }
        Shape::Array | Shape::Map => true,
        Shape::Str | Shape::Tensor => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Array, ObjectLike, Value};

    /// A variable: an array without elements.
    fn variable() -> Object {
        node(&[])
    }

    fn node(children: &[&Object]) -> Object {
        Array::of_values(children.iter().map(|o| Value::Node((*o).clone()))).into_object()
    }

    /// Use scopes where every node is a scope.
    fn use_scopes(root: &Object) -> UseScopes {
        UseScopes::new(root, |_| Role::Scope)
    }

    #[test]
    fn uses_in_a_shared_node_count_where_it_is_met() {
        let (var, other) = (variable(), variable());
        let inner = node(&[&var]);
        let shared = node(&[&inner, &other]);
        let first = node(&[&shared]);
        let second = node(&[&other, &shared]);
        let both = node(&[&first, &second]);
        let root = node(&[&both, &other]);
        let found = use_scopes(&root);
        let scopes: Vec<NodeId> = found.dominators(&var).collect();
        assert_eq!(scopes, [both.id(), root.id()]);
        // At first uses only, the shared node has one use.
        assert_eq!(found.dominators_of_first_uses(&var).next(), Some(var.id()));
        assert_eq!(found.dominators(&other).next(), Some(root.id()));
        assert!(found.contains_all_uses(&both, &var));
        assert!(!found.contains_all_uses(&first, &var));
        // It contains all uses, but is printed twice.
        assert!(!found.contains_all_uses(&inner, &var));
    }

    #[test]
    fn a_graph_that_doubles_at_each_level_is_walked_once() {
        let var = variable();
        let mut root = node(&[&var]);
        for _ in 0..100_000 {
            root = node(&[&root, &root]);
        }
        let found = use_scopes(&root);
        assert_eq!(found.dominators(&var).next(), Some(root.id()));
    }

    #[test]
    fn many_variables_met_again_far_outside_are_found_in_few_steps() {
        let vars: Vec<Object> = (0..100_000).map(|_| variable()).collect();
        let mut deep = node(&vars.iter().collect::<Vec<_>>());
        let again = deep.clone();
        for _ in 0..100_000 {
            deep = node(&[&deep]);
        }
        let other = node(&vars.iter().collect::<Vec<_>>());
        let root = node(&[&deep, &other, &again]);
        let found = use_scopes(&root);
        for var in &vars {
            assert_eq!(found.dominators(var).next(), Some(root.id()));
        }
    }

    #[test]
    fn parts_that_open_no_scope_are_where_the_scope_around_them_is() {
        let (var, one, two) = (variable(), variable(), variable());
        let scope = Array::of_values([
            Value::Node(node(&[&node(&[&var, &one]), &two])),
            Value::Node(node(&[&one, &var])),
        ])
        .into_object();
        let root = node(&[&scope, &two]);
        let found = UseScopes::new(&root, |_| Role::Other);
        // Entries exist for the root and for nodes with two handles; the inner node has one handle, `scope`'s.
        assert_eq!(found.dominators(&var).next(), Some(scope.id()));
        assert_eq!(found.dominators(&two).next(), Some(root.id()));
        assert!(found.contains_all_uses(&root, &one));
    }

    #[test]
    fn a_scope_is_around_all_uses_only_if_it_is_printed_once() {
        let var = variable();
        let scope = node(&[&var]);
        let root = node(&[&scope, &scope]);
        let found = use_scopes(&root);
        assert!(!found.contains_all_uses(&scope, &var));
        assert!(found.contains_all_uses(&root, &var));
        assert!(found.has_uses_outside(&scope, &var));
        assert!(!found.has_uses_outside(&scope, &variable()));
    }
}
