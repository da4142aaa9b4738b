//! Read-only walks over graphs, by reflection.
//!
//! A walk calls a closure before a node's children, after them, or both; the closure controls the walk. Children are
//! the nodes in the fields, in declaration order, and in arrays and maps. Strings, tensors and tuples of integers are
//! values and not visited.
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
//! assert_eq!(sum, 6, "the shared node is visited once");
//!
//! // Stops at the first match, parents first.
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

use smallvec::SmallVec;

use crate::children::for_each_child;
use crate::node::Class;
use crate::raw::{Object, ObjectLike, Ref};
use crate::shared::{Memo, Visited};
use crate::type_table::{EqKind, Shape};
use crate::vectors::reverse_above;

/// Control of a walk after visiting a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// Continue with the node's children.
    Advance,
    /// Continue without the node's children. After the children, the same as `Advance`.
    Skip,
    /// End the walk.
    Stop,
}

/// Event of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Before the node's children.
    Enter,
    /// After the node's children.
    Leave,
}

/// Options of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visitor {
    once: bool,
    containers: bool,
    /// Number of visits before nodes are recorded.
    unrecorded: u32,
}

impl Default for Visitor {
    fn default() -> Self {
        Visitor { once: true, containers: false, unrecorded: 0 }
    }
}

impl Visitor {
    /// A walk that visits shared nodes once, and the content of arrays and maps but not arrays and maps themselves.
    pub fn new() -> Visitor {
        Visitor::default()
    }

    /// Visits a shared node each time it occurs. Takes exponential time on a graph that doubles at each level.
    #[must_use]
    pub fn every_time(self) -> Visitor {
        Visitor { once: false, ..self }
    }

    /// A walk to find something: records no node among the first ones, so that a short search needs no table. A shared
    /// node among them may be visited twice.
    #[must_use]
    pub fn to_search() -> Visitor {
        Visitor { unrecorded: UNRECORDED, ..Visitor::new() }
    }

    /// Visits arrays and maps as well.
    #[must_use]
    pub fn with_containers(self) -> Visitor {
        Visitor { containers: true, ..self }
    }

    /// Calls `f` before each node's children. Returns `Break` after `Stop`.
    pub fn pre_order(self, root: &Object, mut f: impl FnMut(&Object) -> Walk) -> ControlFlow<()> {
        let mut pending: SmallVec<[&Object; 32]> = SmallVec::new();
        let mut visited = Visited::default();
        let mut unrecorded = self.unrecorded;
        if is_visited(root) {
            pending.push(root);
        }
        while let Some(object) = pending.pop() {
            if unrecorded > 0 {
                unrecorded -= 1;
            } else if self.once && !visited.is_first(object) {
                continue;
            }
            let is_given = self.containers || object.info().shape() == Shape::Fields;
            match if is_given { f(object) } else { Walk::Advance } {
                Walk::Stop => return ControlFlow::Break(()),
                Walk::Skip => {}
                Walk::Advance => {
                    let start = pending.len();
                    for_each_child(object, |child| {
                        if is_visited(child) {
                            pending.push(child);
                        }
                    });
                    // The first child is popped first.
                    reverse_above(&mut pending, start);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `f` after each node's children. Returns `Break` after `Stop`.
    pub fn post_order(self, root: &Object, mut f: impl FnMut(&Object) -> Walk) -> ControlFlow<()> {
        self.walk(root, |event, object| match event {
            Event::Enter => Walk::Advance,
            Event::Leave => f(object),
        })
    }

    /// Calls `f` before and after each node's children. A node skipped on `Enter` gets its `Leave`.
    pub fn walk(self, root: &Object, mut f: impl FnMut(Event, &Object) -> Walk) -> ControlFlow<()> {
        let mut stack = Stack::default();
        let mut visited = Visited::default();
        stack.enter(root);
        while let Some(item) = stack.items.pop() {
            let object = match item {
                WorkItem::Enter(object) => object,
                WorkItem::Leave(object) => {
                    if f(Event::Leave, object) == Walk::Stop {
                        return ControlFlow::Break(());
                    }
                    continue;
                }
            };
            if self.once && !visited.is_first(object) {
                continue;
            }
            if !self.containers && object.info().shape() != Shape::Fields {
                stack.enter_children(object);
                continue;
            }
            match f(Event::Enter, object) {
                Walk::Stop => return ControlFlow::Break(()),
                Walk::Skip => stack.items.push(WorkItem::Leave(object)),
                Walk::Advance => {
                    stack.items.push(WorkItem::Leave(object));
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

/// Calls `f` for each node once, before its children, which are visited if `f` returns `true`.
pub fn pre_order_visit(root: &impl ObjectLike, mut f: impl FnMut(&Object) -> bool) {
    let _ = Visitor::new()
        .pre_order(root.as_object(), |object| if f(object) { Walk::Advance } else { Walk::Skip });
}

/// Calls `enter` for each node once, before its children, and `leave` after them.
pub fn pre_post_order_visit(
    root: &impl ObjectLike,
    mut enter: impl FnMut(&Object),
    mut leave: impl FnMut(&Object),
) {
    let _ = Visitor::new().walk(root.as_object(), |event, object| {
        match event {
            Event::Enter => enter(object),
            Event::Leave => leave(object),
        }
        Walk::Advance
    });
}

/// Calls `f` for each node of class `N` once, before its children.
pub fn visit_nodes<N: Class>(root: &impl ObjectLike, mut f: impl FnMut(&Ref<N>)) {
    let _ = Visitor::new().pre_order(root.as_object(), |object| {
        object.downcast_ref::<N>().into_iter().for_each(&mut f);
        Walk::Advance
    });
}

/// Number of nodes that a search visits before it records them.
const UNRECORDED: u32 = 64;

/// Returns `true` if `f` does so for a node of the graph. May call `f` twice for a shared node.
pub fn any_node(root: &impl ObjectLike, mut f: impl FnMut(&Object) -> bool) -> bool {
    let step = |object: &Object| if f(object) { Walk::Stop } else { Walk::Advance };
    Visitor::to_search().pre_order(root.as_object(), step).is_break()
}

/// The number of nodes of a graph and of the tree that it unfolds to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeSize {
    /// Nodes of the graph, each counted once.
    pub nodes: u64,
    /// Nodes of the tree, which repeats shared nodes; saturates at `u64::MAX`.
    pub unfolded: u64,
}

impl TreeSize {
    /// Measures a graph. Nodes for which `is_leaf` returns `true` count as one node of the tree.
    pub fn below(root: &Object, is_leaf: impl Fn(&Object) -> bool) -> TreeSize {
        let mut nodes = 0;
        let mut shared: Memo<u64> = Memo::default();
        // Sizes of the open nodes, so far; the first one is of all.
        let mut sizes = vec![0u64];
        let mut stack = vec![WorkItem::Enter(root)];
        while let Some(item) = stack.pop() {
            let size = match item {
                WorkItem::Enter(object) if matches!(object.info().shape(), Shape::Str | Shape::Tensor) => 1,
                WorkItem::Enter(object) => match shared.get(object) {
                    Some(size) => size,
                    None => {
                        nodes += 1;
                        sizes.push(1);
                        stack.push(WorkItem::Leave(object));
                        for_each_child(object, |child| stack.push(WorkItem::Enter(child)));
                        continue;
                    }
                },
                WorkItem::Leave(object) => {
                    let size = sizes.pop().filter(|_| !is_leaf(object)).unwrap_or(1);
                    shared.insert(object, &size);
                    size
                }
            };
            if let Some(around) = sizes.last_mut() {
                *around = around.saturating_add(size);
            }
        }
        TreeSize { nodes, unfolded: sizes.pop().unwrap_or(0) }
    }
}

/// Measures a graph in which nodes with identity, such as variables, are leaves: an estimate of the size of its text.
pub fn tree_size(root: &Object) -> TreeSize {
    let is_leaf =
        |object: &Object| matches!(object.info().eq_kind(), EqKind::FreeVar | EqKind::Dag | EqKind::Unique);
    TreeSize::below(root, is_leaf)
}

enum WorkItem<'a> {
    Enter(&'a Object),
    Leave(&'a Object),
}

/// Returns `true` for nodes, `false` for values that walks leave out.
#[inline(always)]
fn is_visited(object: &Object) -> bool {
    !matches!(object.info().shape(), Shape::Str | Shape::Tensor)
}

/// The worklist of a walk.
#[derive(Default)]
struct Stack<'a> {
    items: Vec<WorkItem<'a>>,
}

impl<'a> Stack<'a> {
    #[inline(always)]
    fn enter(&mut self, object: &'a Object) {
        if is_visited(object) {
            self.items.push(WorkItem::Enter(object));
        }
    }

    #[inline]
    fn enter_children(&mut self, object: &'a Object) {
        let start = self.items.len();
        for_each_child(object, |child| self.enter(child));
        // The first child is popped first.
        reverse_above(&mut self.items, start);
    }
}
