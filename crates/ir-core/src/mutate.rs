//! Rewriting: a walk that puts new nodes in the place of old ones.
//!
//! [`mutate`] meets each node once, children first, and gives the root's replacement: the same pointer where nothing
//! changed. A shared node stays shared. A node that nobody else holds is changed in place, all others are copied,
//! without their children. A new node without a span takes over that of the node it stands for. The walk keeps its
//! own stack.
//!
//! Invariant: a node that the root's owner does not own alone is never changed, so other holders see nothing.
//!
//! A changed node must hold the invariants that it declares ([`crate::invariants`]) when [`Mutator::leave`] is
//! through with it; a new child must be of the field's class. Else the walk ends with the path of the first node that
//! does not.
//!
//! ```
//! use tvmscript_ir_core::{Array, Node, Object, Ref, post_order_mutate, ptr_map, substitute};
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
//! let (one, two) = (tree(1, vec![]), tree(2, vec![]));
//! let root = tree(3, vec![one.clone(), two.clone()]);
//!
//! // Every 1 becomes a 10; what has no 1 below stays the same node. The handle keeps its type.
//! let is_one = |node: &Object| node.as_node::<Tree>().is_some_and(|tree| tree.number == 1);
//! let new: Ref<Tree> = post_order_mutate(root.clone(), |node| is_one(node).then(|| tree(10, vec![]).into()))?;
//! assert_eq!(new.below[0].number, 10);
//! assert!(new.below[1].ptr_eq(&two));
//! assert_eq!(root.below[0].number, 1, "others who hold the root see nothing");
//!
//! // One node for another.
//! let new = substitute(root, &ptr_map([(&one, two.clone().into())]))?;
//! assert!(new.below[0].ptr_eq(&two));
//! # Ok::<(), tvmscript_ir_core::RewriteError>(())
//! ```

use crate::access_path::{AccessPath, PathStep};
use crate::containers::{ArrayNode, Key, MapNode};
use crate::ptr_map::PtrMap;
use crate::raw::{Object, ObjectLike, Str};
use crate::span::Span;
use crate::type_table::Shape;
use crate::value::{FieldError, FieldRef, Value};

/// What to do with a node before its children.
#[derive(Debug, Clone)]
pub enum Descend {
    /// Rewrite the children, then call [`Mutator::leave`].
    Into,
    /// Leave the node as it is, with all below it.
    Keep,
    /// Put another in its place, with nothing below it rewritten.
    Replace(Object),
}

/// What a rewrite does to each node.
pub trait Mutator {
    /// Called before a node's children.
    fn enter(&mut self, _node: &Object) -> Descend {
        Descend::Into
    }

    /// Called after a node's children, with the node as they left it. Gives what stands in its place; the node itself
    /// may be changed through [`Object::set_field`] or [`crate::Ref::make_mut`]. A change in place is not checked
    /// against the node's invariants: [`Object::check`] does that.
    fn leave(&mut self, node: Object) -> Object {
        node
    }
}

/// Why a rewrite failed, and at which node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}, at `{path}`")]
pub struct RewriteError {
    /// The path from the old root to the node.
    pub path: AccessPath,
    /// What does not fit.
    pub error: FieldError,
}

impl RewriteError {
    #[cold]
    pub(crate) fn of_root<T: ObjectLike>(found: Object) -> RewriteError {
        let error = FieldError::Root { expected: T::description(), found: found.info().display_key() };
        RewriteError { path: AccessPath::root(), error }
    }
}

/// Rewrites what is below `root`, and `root`. The result is a handle of the same type: `Ref<Stmt>` for `Ref<Stmt>`, any
/// [`Object`] for an `Object`.
///
/// Strings, tensors and plain tuples of integers are values: a mutator does not see them. It does not see arrays and
/// maps either, but their elements, keys and values.
///
/// # Errors
/// [`RewriteError`] when a new node is not of the class of the field that it is put in, when a changed node breaks its
/// invariants, and when the new root is of another class.
pub fn mutate<T: ObjectLike>(root: T, mutator: &mut impl Mutator) -> Result<T, RewriteError> {
    let placeholder = Str::new("").into_object();
    let mut work = Work { mutator, placeholder, frames: Vec::new(), done: PtrMap::default() };
    let new = work.run(root.into_object())?;
    T::try_from_object(new).map_err(RewriteError::of_root::<T>)
}

/// Rewrites with a function that is called for each node after its children, and gives a replacement or nothing.
///
/// # Errors
/// As [`mutate`].
pub fn post_order_mutate<T: ObjectLike>(
    root: T,
    f: impl FnMut(&Object) -> Option<Object>,
) -> Result<T, RewriteError> {
    struct Function<F>(F);
    impl<F: FnMut(&Object) -> Option<Object>> Mutator for Function<F> {
        fn leave(&mut self, node: Object) -> Object {
            (self.0)(&node).unwrap_or(node)
        }
    }
    mutate(root, &mut Function(f))
}

/// As [`post_order_mutate`], with a function that may fail; the first error ends the walk.
///
/// # Errors
/// That of the function, or that of the rewrite.
pub fn try_post_order_mutate<T: ObjectLike, E: From<RewriteError>>(
    root: T,
    f: impl FnMut(&Object) -> Result<Option<Object>, E>,
) -> Result<T, E> {
    struct Function<F, E> {
        f: F,
        failed: Option<E>,
    }
    impl<E, F: FnMut(&Object) -> Result<Option<Object>, E>> Mutator for Function<F, E> {
        fn enter(&mut self, _: &Object) -> Descend {
            if self.failed.is_some() { Descend::Keep } else { Descend::Into }
        }
        fn leave(&mut self, node: Object) -> Object {
            if self.failed.is_some() {
                return node;
            }
            match (self.f)(&node) {
                Ok(new) => new.unwrap_or(node),
                Err(error) => {
                    self.failed = Some(error);
                    node
                }
            }
        }
    }
    let mut function = Function { f, failed: None };
    let new = mutate(root, &mut function);
    match function.failed {
        Some(error) => Err(error),
        None => Ok(new?),
    }
}

/// Puts the values of a map in the place of its keys. What is put in is not looked at again.
///
/// # Errors
/// As [`mutate`].
pub fn substitute<T: ObjectLike>(root: T, map: &PtrMap<Object>) -> Result<T, RewriteError> {
    struct Substitution<'m>(&'m PtrMap<Object>);
    impl Mutator for Substitution<'_> {
        fn enter(&mut self, node: &Object) -> Descend {
            match self.0.get(node) {
                Some(new) => Descend::Replace(new.clone()),
                None => Descend::Into,
            }
        }
    }
    mutate(root, &mut Substitution(map))
}

/// A node whose children are being rewritten.
struct Frame {
    node: Object,
    /// Children so far: fields, elements, or keys and values in turn.
    next: usize,
    /// The child in hand was taken out of the node, which holds a placeholder instead.
    taken: bool,
    /// Something below was replaced or changed.
    changed: bool,
    /// The address of the node as it was.
    original: usize,
    /// The node as it was, when it may come up again.
    shared: Option<Object>,
    /// The new keys of a map, by position.
    keys: Vec<(usize, Object)>,
}

struct Work<'m, M> {
    mutator: &'m mut M,
    placeholder: Object,
    frames: Vec<Frame>,
    /// What came of shared nodes. The keys keep the nodes alive, so that no address is used twice.
    done: PtrMap<Object>,
}

/// What came of a node.
struct Outcome {
    node: Object,
    changed: bool,
}

impl<M: Mutator> Work<'_, M> {
    fn run(&mut self, root: Object) -> Result<Object, RewriteError> {
        let mut outcome = self.start(root, true);
        loop {
            // Hand the result to the node around it, or go on with the next child.
            match outcome.take() {
                Some(outcome) if self.frames.is_empty() => return Ok(outcome.node),
                Some(outcome) => self.put_back(outcome).map_err(|error| self.at(error, 1))?,
                None => {}
            }
            outcome = match self.next_child() {
                Some((child, taken)) => self.start(child, taken),
                None => self.finish().map_err(|error| self.at(error, 0))?,
            };
        }
    }

    /// The error with the path of the innermost node, or of the node around the child in hand.
    #[cold]
    fn at(&self, error: FieldError, innermost: usize) -> RewriteError {
        let around = &self.frames[..self.frames.len() - innermost.min(self.frames.len())];
        let step = |frame: &Frame| {
            let index = frame.next.saturating_sub(1);
            Some(match frame.node.info().shape() {
                Shape::Fields => PathStep::Field(frame.node.info().fields().get(index)?.name),
                Shape::Array => PathStep::Index(index as u32),
                Shape::Map => {
                    let (key, _) = frame.node.as_node::<MapNode>()?.entries().get_index(index / 2)?;
                    PathStep::Key(key.value().clone())
                }
                Shape::Str | Shape::Tensor => return None,
            })
        };
        RewriteError { path: AccessPath { steps: around.iter().filter_map(step).collect() }, error }
    }

    /// Begins with a node; gives the outcome when there is nothing below to do. Of the node's handles one is here, and
    /// unless it was `taken` one is where it came from; only with more can it come up again.
    fn start(&mut self, node: Object, taken: bool) -> Option<Outcome> {
        if matches!(node.info().shape(), Shape::Str | Shape::Tensor) {
            return Some(Outcome { node, changed: false });
        }
        let is_shared = node.handle_count() > if taken { 1 } else { 2 };
        if is_shared && let Some(new) = self.done.get(&node) {
            let changed = !new.ptr_eq(&node);
            return Some(Outcome { node: new.clone(), changed });
        }
        let shared = is_shared.then(|| node.clone());
        if node.info().shape() == Shape::Fields {
            match self.mutator.enter(&node) {
                Descend::Into => {}
                Descend::Keep => return Some(Outcome { node, changed: false }),
                Descend::Replace(mut new) => {
                    hand_down_span(node.span(), &mut new);
                    let changed = !new.ptr_eq(&node);
                    if let Some(shared) = shared {
                        self.done.insert(shared, new.clone());
                    }
                    return Some(Outcome { node: new, changed });
                }
            }
        }
        let original = node.address();
        let keys = Vec::new();
        self.frames.push(Frame { node, next: 0, taken: false, changed: false, original, shared, keys });
        None
    }

    /// The next child of the innermost node, and whether it was taken out of the node.
    fn next_child(&mut self) -> Option<(Object, bool)> {
        let frame = self.frames.last_mut()?;
        loop {
            let index = frame.next;
            frame.next += 1;
            frame.taken = false;
            let info = frame.node.info();
            let value = match info.shape() {
                Shape::Fields => {
                    if index >= info.fields().len() {
                        return None;
                    }
                    if let Some(child) = frame.node.take_node(index, &self.placeholder) {
                        frame.taken = true;
                        return Some((child, true));
                    }
                    match frame.node.field(index) {
                        FieldRef::Node(child) => return Some((child.clone(), false)),
                        _ => continue,
                    }
                }
                Shape::Array => {
                    if let Some(array) = frame.node.unique_mut::<ArrayNode>() {
                        let item = array.items_mut().get_mut(index)?;
                        frame.taken = matches!(item, Value::Node(_));
                        if frame.taken { std::mem::take(item) } else { continue }
                    } else {
                        frame.node.as_node::<ArrayNode>()?.items().get(index)?.clone()
                    }
                }
                Shape::Map => {
                    let is_key = index % 2 == 0;
                    if !is_key && let Some(map) = frame.node.unique_mut::<MapNode>() {
                        let value = map.value_mut(index / 2)?;
                        frame.taken = matches!(value, Value::Node(_));
                        if frame.taken { std::mem::take(value) } else { continue }
                    } else {
                        let (key, value) = frame.node.as_node::<MapNode>()?.entries().get_index(index / 2)?;
                        if is_key { key.value().clone() } else { value.clone() }
                    }
                }
                Shape::Str | Shape::Tensor => return None,
            };
            if let Value::Node(child) = value {
                return Some((child, frame.taken));
            }
        }
    }

    /// Puts the outcome of the child in hand into its place.
    fn put_back(&mut self, outcome: Outcome) -> Result<(), FieldError> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let Outcome { node: child, changed } = outcome;
        frame.changed |= changed;
        if !changed && !frame.taken {
            return Ok(());
        }
        let index = frame.next - 1;
        match frame.node.info().shape() {
            Shape::Fields => frame.node.set_field(index, Value::Node(child))?,
            Shape::Array => {
                frame.node.make_unique();
                if let Some(array) = frame.node.unique_mut::<ArrayNode>() {
                    array.items_mut()[index] = Value::Node(child);
                }
            }
            Shape::Map if index % 2 == 0 => frame.keys.push((index / 2, child)),
            Shape::Map => {
                frame.node.make_unique();
                let value = frame.node.unique_mut::<MapNode>().and_then(|m| m.value_mut(index / 2));
                if let Some(value) = value {
                    *value = Value::Node(child);
                }
            }
            Shape::Str | Shape::Tensor => {}
        }
        Ok(())
    }

    /// Ends the innermost node: all its children are done.
    fn finish(&mut self) -> Result<Option<Outcome>, FieldError> {
        let Some(frame) = self.frames.pop() else { return Ok(None) };
        let Frame { mut node, mut changed, original, shared, keys, .. } = frame;
        if !keys.is_empty() {
            node.make_unique();
            if let Some(map) = node.unique_mut::<MapNode>() {
                let mut keys = keys.into_iter().peekable();
                let entries = map.take_entries().into_iter().enumerate().map(|(at, (key, value))| {
                    let new = keys.next_if(|(position, _)| *position == at);
                    (new.map_or(key, |(_, key)| Key::new(Value::Node(key))), value)
                });
                *map = MapNode::new(entries.collect());
            }
        }
        if node.info().shape() == Shape::Fields {
            let span = node.span();
            if changed {
                node = node.info().normalize(node);
            }
            // Held here as well, the node would count as shared and be copied by a change in `leave`.
            let mut new = self.mutator.leave(node);
            hand_down_span(span, &mut new);
            node = new;
            changed |= node.address() != original;
            if changed {
                node.check()?;
            }
        }
        changed |= node.address() != original;
        if let Some(shared) = shared {
            self.done.insert(shared, node.clone());
        }
        Ok(Some(Outcome { node, changed }))
    }
}

/// Gives a new node that nobody else holds the place of the node it stands for, if it has none.
fn hand_down_span(span: Span, new: &mut Object) {
    if span.is_known() && !new.span().is_known() && new.is_unique() {
        new.set_span(span);
    }
}
