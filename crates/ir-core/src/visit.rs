//! Read-only walks over nodes, by reflection.
//!
//! A walk calls a closure before a node's children, after them, or both; the closure says how to go on. The walk keeps
//! its own stack. Children are the nodes in the fields, in declaration order, the elements of arrays, and the keys and
//! values of maps; strings, tensors and plain tuples of integers are values, not nodes, and are not visited.
//!
//! ```
//! use tvmscript_ir_core::{Array, Node, Object, Ref, Visitor, Walk, post_order_visit};
//!
//! /// A tree of numbers.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Tree")]
//! struct Tree {
//!     number: i64,
//!     below: Array<Ref<Tree>>,
//! }
//!
//! let tree = |number, below: Vec<Ref<Tree>>| Ref::new(Tree { number, below: Array::new(below) });
//! let shared = tree(1, vec![]);
//! let root: Object = tree(3, vec![shared.clone(), tree(2, vec![shared])]).into();
//!
//! let mut sum = 0;
//! post_order_visit(&root, |node| sum += node.as_node::<Tree>().map_or(0, |tree| tree.number));
//! assert_eq!(sum, 6, "the shared node counts once");
//!
//! // Up to the first node that matches, parents first.
//! let mut found = None;
//! let _ = Visitor::new().pre_order(&root, |node| match node.as_node::<Tree>() {
//!     Some(tree) if tree.below.is_empty() => {
//!         found = Some(tree.number);
//!         Walk::Stop
//!     }
//!     _ => Walk::Advance,
//! });
//! assert_eq!(found, Some(1));
//! ```

use std::ops::ControlFlow;

use crate::children::{for_each_child, for_each_own_child};
use crate::node::Class;
use crate::ptr_map::AddressMap;
use crate::raw::{Object, ObjectLike, Ref};
use crate::type_table::{EqKind, Shape};

/// How a walk goes on after a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// With its children.
    Advance,
    /// With what comes after the node and its children. The same as `Advance` when the children are past.
    Skip,
    /// Not at all.
    Stop,
}

/// Which event of a walk this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Before the node's children.
    Enter,
    /// After them.
    Leave,
}

/// Options of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visitor {
    once: bool,
    containers: bool,
    skip_derived: bool,
}

impl Default for Visitor {
    fn default() -> Self {
        Visitor { once: true, containers: false, skip_derived: false }
    }
}

impl Visitor {
    /// A walk that visits shared nodes once, and goes through arrays and maps without visiting them.
    pub fn new() -> Visitor {
        Visitor::default()
    }

    /// Visits a shared node each time it comes up. A graph that doubles at each level then takes time without end:
    /// meant for graphs known to be small.
    #[must_use]
    pub fn every_time(self) -> Visitor {
        Visitor { once: false, ..self }
    }

    /// Visits arrays and maps as well.
    #[must_use]
    pub fn with_containers(self) -> Visitor {
        Visitor { containers: true, ..self }
    }

    /// Passes over fields that only repeat what other fields say (`#[node(derived)]`), such as the inferred struct
    /// info of Relax expressions: a walk for what a program says need not see its types again at every node.
    #[must_use]
    pub fn skip_derived(self) -> Visitor {
        Visitor { skip_derived: true, ..self }
    }

    /// Calls `f` before each node's children. `Break` after `Stop`.
    pub fn pre_order(self, root: &Object, mut f: impl FnMut(&Object) -> Walk) -> ControlFlow<()> {
        self.walk(root, |event, object| match event {
            Event::Enter => f(object),
            Event::Leave => Walk::Advance,
        })
    }

    /// Calls `f` after each node's children. `Break` after `Stop`.
    pub fn post_order(self, root: &Object, mut f: impl FnMut(&Object) -> Walk) -> ControlFlow<()> {
        self.walk(root, |event, object| match event {
            Event::Enter => Walk::Advance,
            Event::Leave => f(object),
        })
    }

    /// Calls `f` before and after each node's children. A node skipped on `Enter` gets its `Leave`.
    pub fn walk(self, root: &Object, mut f: impl FnMut(Event, &Object) -> Walk) -> ControlFlow<()> {
        let mut stack = Stack { skip_derived: self.skip_derived, ..Stack::default() };
        let mut seen: AddressMap<()> = AddressMap::default();
        stack.enter(root);
        while let Some(task) = stack.tasks.pop() {
            let object = match task {
                Task::Enter(object) => object,
                Task::Leave(object) => {
                    if f(Event::Leave, object) == Walk::Stop {
                        return ControlFlow::Break(());
                    }
                    continue;
                }
            };
            // Only a node with several handles can come up again.
            if self.once && !object.is_unique() && seen.insert(object.address(), ()).is_some() {
                continue;
            }
            if !self.containers && object.info().shape() != Shape::Fields {
                stack.enter_children(object);
                continue;
            }
            match f(Event::Enter, object) {
                Walk::Stop => return ControlFlow::Break(()),
                Walk::Skip => stack.tasks.push(Task::Leave(object)),
                Walk::Advance => {
                    stack.tasks.push(Task::Leave(object));
                    stack.enter_children(object);
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Calls `f` for each node once, after its children.
pub fn post_order_visit(root: &impl ObjectLike, mut f: impl FnMut(&Object)) {
    let _ = Visitor::new().post_order(root.as_object(), |object| {
        f(object);
        Walk::Advance
    });
}

/// Calls `f` for each node once, before its children, and goes below it only if `f` says so.
pub fn pre_order_visit(root: &impl ObjectLike, mut f: impl FnMut(&Object) -> bool) {
    let _ = Visitor::new()
        .pre_order(root.as_object(), |object| if f(object) { Walk::Advance } else { Walk::Skip });
}

/// Calls `f` for each node of the class `N` once, before its children: all loads, all loops.
pub fn visit_nodes<N: Class>(root: &impl ObjectLike, mut f: impl FnMut(&Ref<N>)) {
    let _ = Visitor::new().pre_order(root.as_object(), |object| {
        object.downcast_ref::<N>().into_iter().for_each(&mut f);
        Walk::Advance
    });
}

/// Whether `f` holds for the root or a node below it: whether an expression uses a variable, whether a body has a
/// block.
pub fn any_node(root: &impl ObjectLike, mut f: impl FnMut(&Object) -> bool) -> bool {
    let walk = Visitor::new()
        .pre_order(root.as_object(), |object| if f(object) { Walk::Stop } else { Walk::Advance });
    walk.is_break()
}

/// The number of nodes in a graph, and in the tree that it unfolds to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeSize {
    /// Nodes of the graph; a shared node counts once.
    pub nodes: u64,
    /// Nodes of the tree, where a shared node counts each time it is held; `u64::MAX` for that many or more.
    pub unfolded: u64,
}

impl TreeSize {
    /// The size below `root`. Nodes for which `is_leaf` holds count as one node of the tree, whatever they hold.
    pub fn below(root: &Object, is_leaf: impl Fn(&Object) -> bool) -> TreeSize {
        let mut sizes: AddressMap<u64> = AddressMap::default();
        let size_of = |sizes: &AddressMap<u64>, object: &Object| match object.info().shape() {
            Shape::Str | Shape::Tensor => 1,
            _ => sizes.get(&object.address()).copied().unwrap_or(1),
        };
        let mut nodes = 0;
        let _ = Visitor::new().with_containers().post_order(root, |object| {
            nodes += 1;
            let mut size = 1u64;
            if !is_leaf(object) {
                for_each_child(object, |child| size = size.saturating_add(size_of(&sizes, child)));
            }
            sizes.insert(object.address(), size);
            Walk::Advance
        });
        TreeSize { nodes, unfolded: size_of(&sizes, root) }
    }
}

/// The size of a graph in which nodes with an identity of their own, such as variables, are leaves. A measure of the
/// text that the graph would make.
pub fn tree_size(root: &Object) -> TreeSize {
    let is_leaf =
        |object: &Object| matches!(object.info().eq_kind(), EqKind::FreeVar | EqKind::Dag | EqKind::Unique);
    TreeSize::below(root, is_leaf)
}

enum Task<'a> {
    Enter(&'a Object),
    Leave(&'a Object),
}

/// The stack of a walk.
#[derive(Default)]
struct Stack<'a> {
    tasks: Vec<Task<'a>>,
    skip_derived: bool,
}

impl<'a> Stack<'a> {
    #[inline(always)]
    fn enter(&mut self, object: &'a Object) {
        if !matches!(object.info().shape(), Shape::Str | Shape::Tensor) {
            self.tasks.push(Task::Enter(object));
        }
    }

    #[inline]
    fn enter_children(&mut self, object: &'a Object) {
        let start = self.tasks.len();
        match self.skip_derived {
            true => for_each_own_child(object, |child| self.enter(child)),
            false => for_each_child(object, |child| self.enter(child)),
        }
        // The first child comes off the stack first.
        self.tasks[start..].reverse();
    }
}
