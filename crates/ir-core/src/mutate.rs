//! Rewriting of graphs.
//!
//! [`mutate`] visits each node once, children first, and returns the replacement of the root: the same pointer if
//! nothing changed. Sharing is preserved. Nodes with a single handle are changed in place, others are copied without
//! their children. A new node without a span gets the span of the node that it replaces.
//!
//! Invariant: a shared node is never changed, so other holders of the graph are unaffected.
//!
//! After [`Mutator::leave`], a changed node must satisfy its invariants ([`crate::invariants`]), and a new child must
//! be of the class of its field; otherwise the rewrite fails with the path of the first node that does not.
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
//! // Replaces each 1 by 10; subtrees without a 1 stay the same nodes.
//! let is_one = |node: &Object| node.as_node::<Tree>().is_some_and(|tree| tree.number == 1);
//! let new: Ref<Tree> = post_order_mutate(root.clone(), |node| is_one(node).then(|| tree(10, vec![]).into()))?;
//! assert_eq!(new.below[0].number, 10);
//! assert!(new.below[1].ptr_eq(&two));
//! assert_eq!(root.below[0].number, 1, "the original is unchanged");
//!
//! // Replaces a node by another.
//! let new = substitute(root, &ptr_map([(&one, two.clone().into())]))?;
//! assert!(new.below[0].ptr_eq(&two));
//! # Ok::<(), tvmscript_ir_core::RewriteError>(())
//! ```

use std::marker::PhantomData;

use crate::access_path::{AccessPath, PathStep};
use crate::containers::{ArrayNode, Key, MapNode};
use crate::ptr_map::PtrMap;
use crate::raw::{Object, ObjectLike, Str};
use crate::span::Span;
use crate::type_table::Shape;
use crate::value::{FieldError, FieldRef, Value};

/// Decision about a node before its children are visited.
#[derive(Debug, Clone)]
pub enum Descend {
    /// Rewrite the children, then call [`Mutator::leave`].
    Into,
    /// Keep the node and its subtree.
    Keep,
    /// Replace the node; the replacement is not visited.
    Replace(Object),
}

/// A rewrite.
pub trait Mutator {
    /// Visits a node before its children.
    fn enter(&mut self, _node: &Object) -> Descend {
        Descend::Into
    }

    /// Visits a node after its children were rewritten, and returns its replacement. The node itself may be changed
    /// by [`Object::set_field`] or [`crate::Ref::make_mut`]; such a change in place is not checked against the node's
    /// invariants (see [`Object::check`]).
    fn leave(&mut self, node: Object) -> Object {
        node
    }
}

/// A rewrite whose steps may fail; see [`try_mutate`].
pub trait TryMutator {
    /// The error of a step.
    type Error: From<RewriteError>;

    /// Visits a node before its children.
    ///
    /// # Errors
    /// Ends the walk.
    fn enter(&mut self, _node: &Object) -> Result<Descend, Self::Error> {
        Ok(Descend::Into)
    }

    /// Visits a node after its children were rewritten, and returns its replacement, or `None` to keep it.
    ///
    /// # Errors
    /// Ends the walk.
    fn leave(&mut self, _node: &Object) -> Result<Option<Object>, Self::Error> {
        Ok(None)
    }
}

/// Error of a rewrite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}, at `{path}`")]
pub struct RewriteError {
    /// Path from the old root to the node.
    pub path: AccessPath,
    /// The value that does not fit, or the broken invariant.
    pub error: FieldError,
}

crate::error_codes! {
    RewriteError {
        RewriteError { .. } => "E1106" "rewrite-invalid"
            "A rewrite of nodes makes one that does not fit its place or breaks its invariants. This is a bug of the pass.";
    }
}

impl RewriteError {
    #[cold]
    pub(crate) fn of_root<T: ObjectLike>(found: Object) -> RewriteError {
        let error = FieldError::Root { expected: T::description(), found: found.info().display_key() };
        RewriteError { path: AccessPath::root(), error }
    }
}

/// Rewrites the graph below and including `root`. The result is a handle of the same type as `root`.
///
/// The mutator does not visit strings, tensors and tuples of integers, which are values, nor arrays and maps, but it
/// visits the nodes in arrays and maps.
///
/// # Errors
/// Fails if a new node is not of the class of its field, if a changed node breaks its invariants, and if the new root
/// is of another class.
pub fn mutate<T: ObjectLike>(root: T, mutator: &mut impl Mutator) -> Result<T, RewriteError> {
    let placeholder = Str::new("").into_object();
    let mut work = Work { mutator, placeholder, frames: Vec::new(), memo: PtrMap::default() };
    let new = work.run(root.into_object())?;
    T::try_from_object(new).map_err(RewriteError::of_root::<T>)
}

/// Rewrites with a function that is called for each node after its children and returns a replacement, or `None` to
/// keep the node.
///
/// # Errors
/// See [`mutate`].
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

/// Like [`post_order_mutate`], with a fallible function; the first error ends the walk.
///
/// # Errors
/// Fails with the error of the function or of the rewrite.
pub fn try_post_order_mutate<T: ObjectLike, E: From<RewriteError>>(
    root: T,
    f: impl FnMut(&Object) -> Result<Option<Object>, E>,
) -> Result<T, E> {
    struct Function<F, E> {
        f: F,
        error: PhantomData<E>,
    }
    impl<E: From<RewriteError>, F: FnMut(&Object) -> Result<Option<Object>, E>> TryMutator for Function<F, E> {
        type Error = E;

        fn leave(&mut self, node: &Object) -> Result<Option<Object>, E> {
            (self.f)(node)
        }
    }
    try_mutate(root, &mut Function { f, error: PhantomData })
}

/// Like [`mutate`], with steps that may fail; the first error ends the walk.
///
/// # Errors
/// Fails with the error of a step or of the rewrite.
pub fn try_mutate<T: ObjectLike, M: TryMutator>(root: T, mutator: &mut M) -> Result<T, M::Error> {
    struct Steps<'m, M: TryMutator> {
        mutator: &'m mut M,
        failed: Option<M::Error>,
    }
    impl<M: TryMutator> Mutator for Steps<'_, M> {
        fn enter(&mut self, node: &Object) -> Descend {
            if self.failed.is_some() {
                return Descend::Keep;
            }
            self.mutator.enter(node).unwrap_or_else(|error| {
                self.failed = Some(error);
                Descend::Keep
            })
        }

        fn leave(&mut self, node: Object) -> Object {
            if self.failed.is_some() {
                return node;
            }
            match self.mutator.leave(&node) {
                Ok(new) => new.unwrap_or(node),
                Err(error) => {
                    self.failed = Some(error);
                    node
                }
            }
        }
    }
    let mut steps = Steps { mutator, failed: None };
    let new = mutate(root, &mut steps);
    match steps.failed {
        Some(error) => Err(error),
        None => Ok(new?),
    }
}

/// Replaces the keys of a map by their values. Replacements are not visited.
///
/// # Errors
/// See [`mutate`].
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
    if map.is_empty() {
        return Ok(root);
    }
    mutate(root, &mut Substitution(map))
}

/// A node whose children are being rewritten.
struct Frame {
    node: Object,
    /// Index of the next child: field, element, or key or value (in turn).
    next: usize,
    /// `true` if the current child was moved out of the node, which holds a placeholder instead.
    taken: bool,
    /// `true` if a child was replaced or changed.
    changed: bool,
    /// Address of the original node.
    original: usize,
    /// The original node, if it is shared.
    shared: Option<Object>,
    /// New keys of a map, by position.
    keys: Vec<(usize, Object)>,
}

struct Work<'m, M> {
    mutator: &'m mut M,
    placeholder: Object,
    frames: Vec<Frame>,
    /// Replacements of shared nodes. The keys keep the nodes alive, so that no address is reused.
    memo: PtrMap<Object>,
}

/// The result for a node.
struct Outcome {
    node: Object,
    changed: bool,
}

impl<M: Mutator> Work<'_, M> {
    fn run(&mut self, root: Object) -> Result<Object, RewriteError> {
        let mut outcome = self.start(root, true);
        loop {
            // Stores the result in the parent, then continues with the next child.
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

    /// Adds the path, without the steps of the `innermost` frames.
    #[cold]
    fn at(&self, error: FieldError, innermost: usize) -> RewriteError {
        let frames = self.frames.iter().rev().skip(innermost).rev();
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
        RewriteError { path: AccessPath { steps: frames.filter_map(step).collect() }, error }
    }

    /// Enters a node. Returns its outcome if its children need no visit. One handle of the node is `node`, and unless
    /// `taken` one is in the parent; only with more handles is the node shared.
    fn start(&mut self, node: Object, taken: bool) -> Option<Outcome> {
        if matches!(node.info().shape(), Shape::Str | Shape::Tensor) {
            return Some(Outcome { node, changed: false });
        }
        let is_shared = node.handle_count() > if taken { 1 } else { 2 };
        if is_shared && let Some(new) = self.memo.get(&node) {
            let changed = !new.ptr_eq(&node);
            return Some(Outcome { node: new.clone(), changed });
        }
        let shared = is_shared.then(|| node.clone());
        if node.info().shape() == Shape::Fields {
            match self.mutator.enter(&node) {
                Descend::Into => {}
                Descend::Keep => return Some(Outcome { node, changed: false }),
                Descend::Replace(mut new) => {
                    inherit_span(node.span(), &mut new);
                    let changed = !new.ptr_eq(&node);
                    if let Some(shared) = shared {
                        self.memo.insert(shared, new.clone());
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

    /// Returns the next child of the innermost node, and `true` if it was moved out of the node.
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

    /// Stores the outcome of the current child in its parent.
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
                let array = frame.node.unique_mut::<ArrayNode>();
                if let Some(item) = array.and_then(|array| array.items_mut().get_mut(index)) {
                    *item = Value::Node(child);
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

    /// Leaves the innermost node, after all of its children.
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
            // Moved, not cloned: a second handle would make changes in `leave` copy the node.
            let mut new = self.mutator.leave(node);
            inherit_span(span, &mut new);
            node = new;
            changed |= node.address() != original;
            if changed {
                node.check()?;
            }
        }
        changed |= node.address() != original;
        if let Some(shared) = shared {
            self.memo.insert(shared, node.clone());
        }
        Ok(Some(Outcome { node, changed }))
    }
}

/// Sets the span of a new node that has none and is not shared.
fn inherit_span(span: Span, new: &mut Object) {
    if span.is_known() && !new.span().is_known() && new.is_unique() {
        new.set_span(span);
    }
}
