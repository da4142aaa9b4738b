//! Copies with fresh definitions, and free variables.
//!
//! A variable is identified by its node, so a statement that occurs twice in a program defines its variables twice.
//! Passes that duplicate a statement (unrolling, inlining) insert a [`copy_fresh`], in which everything that the
//! statement defines is a new node and free variables are unchanged.
//!
//! A node defines the variables in its `#[node(def)]` fields, or those that its `#[node(defines = path)]` lists.
//!
//! ```
//! use tvmscript_ir_core::{Node, Ref, copy_fresh, structural_equal};
//!
//! /// A variable.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Name", eq = free_var)]
//! struct Name {}
//!
//! /// A function with a parameter and a free variable.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Lambda")]
//! struct Lambda {
//!     #[node(def)]
//!     param: Ref<Name>,
//!     body: Ref<Name>,
//!     outer: Ref<Name>,
//! }
//!
//! let (param, outer) = (Ref::new(Name {}), Ref::new(Name {}));
//! let lambda = Ref::new(Lambda { param: param.clone(), body: param, outer });
//! let copy = copy_fresh(&lambda)?;
//! assert!(!copy.param.ptr_eq(&lambda.param) && copy.body.ptr_eq(&copy.param));
//! assert!(copy.outer.ptr_eq(&lambda.outer));
//! assert!(structural_equal(copy.object(), lambda.object()));
//! # Ok::<(), tvmscript_ir_core::RewriteError>(())
//! ```

use crate::children::for_each_child;
use crate::containers::ArrayNode;
use crate::mutate::{Descend, Mutator, RewriteError, mutate};
use crate::ptr_map::PtrSet;
use crate::raw::{Object, ObjectLike};
use crate::type_table::{EqKind, Shape};
use crate::value::{FieldRef, Value};
use crate::visit::{Visitor, Walk};

/// Collects the nodes that a graph defines; see [`copy_fresh`].
#[derive(Debug, Default)]
pub struct Definitions {
    defined: PtrSet,
    /// Variables used before the current node.
    used: PtrSet,
    /// Definitions of the current node.
    new: Vec<Object>,
}

impl Definitions {
    /// Records a definition.
    pub fn define(&mut self, node: &Object) {
        self.insert(node);
        if node.info().eq_kind() == EqKind::Dag {
            // The identity of the variable is a node of its own.
            for_each_child(node, |child| {
                if child.info().eq_kind() == EqKind::FreeVar {
                    self.insert(child);
                }
            });
        }
    }

    fn insert(&mut self, node: &Object) {
        if self.defined.insert(node.clone()) {
            self.new.push(node.clone());
        }
    }

    /// Records a definition unless the variable was used or defined before, as for symbolic dimensions, which their
    /// first use defines.
    pub fn define_unless_used(&mut self, variable: &Object) {
        if !self.used.contains(variable) {
            self.define(variable);
        }
    }

    /// Calls [`Definitions::define_unless_used`] for each variable at or below `root`.
    pub fn define_unused_below(&mut self, root: &Object) {
        let _ = Visitor::new().pre_order(root, |node| {
            if node.info().eq_kind() == EqKind::FreeVar {
                self.define_unless_used(node);
            }
            Walk::Advance
        });
    }

    /// Collects the definitions of a graph, and calls `on_first_use` for each variable at its first occurrence.
    fn of_graph(root: &Object, mut on_first_use: impl FnMut(&Object)) -> Definitions {
        let mut definitions = Definitions::default();
        let _ = Visitor::new().pre_order(root, |node| {
            if definitions.enter(node).1 {
                on_first_use(node);
            }
            Walk::Advance
        });
        definitions
    }

    /// Visits the next node of a walk in pre-order. Returns what it defines, and `true` if it is a variable at its first
    /// occurrence.
    pub(crate) fn enter(&mut self, node: &Object) -> (&[Object], bool) {
        self.new.clear();
        match node.info().defines() {
            Some(defines) => defines(node, self),
            None => self.of_fields(node),
        }
        let is_first_use = node.info().eq_kind() == EqKind::FreeVar && self.used.insert(node.clone());
        (&self.new, is_first_use)
    }

    /// Records the content of `#[node(def)]` fields.
    fn of_fields(&mut self, node: &Object) {
        let is_variable = |node: &Object| matches!(node.info().eq_kind(), EqKind::FreeVar | EqKind::Dag);
        for (index, _) in node.info().fields().iter().enumerate().filter(|(_, field)| field.def) {
            let FieldRef::Node(value) = node.field(index) else { continue };
            match value.as_node::<ArrayNode>() {
                Some(array) => {
                    let items = array.items().iter().filter_map(Value::as_object);
                    items.filter(|item| is_variable(item)).for_each(|item| self.define(item));
                }
                None if value.info().shape() == Shape::Fields && is_variable(value) => self.define(value),
                None => {}
            }
        }
    }
}

/// The nodes that a node defines by itself, without those below it.
pub fn definitions_of(node: &Object) -> Vec<Object> {
    Definitions::default().enter(node).0.to_vec()
}

/// Copies `root` such that every variable, buffer or other node that it defines is new. Unaffected subtrees are
/// shared with the original.
///
/// # Errors
/// Fails as [`mutate`] does; never for a graph whose invariants hold.
pub fn copy_fresh<T: ObjectLike>(root: &T) -> Result<T, RewriteError> {
    let root = root.as_object();
    let definitions = Definitions::of_graph(root, |_| ());
    // A second handle, so that no node is changed in place.
    let root = root.clone();
    let copy = mutate(root.clone(), &mut Fresh { defined: definitions.defined, open: Vec::new() });
    copy.and_then(|copy| T::try_from_object(copy).map_err(RewriteError::of_root::<T>))
}

/// Returns the variables that are used but not defined below `root`, in the order of their first use.
pub fn free_variables(root: &Object) -> Vec<Object> {
    let mut used = Vec::new();
    let definitions = Definitions::of_graph(root, |variable| used.push(variable.clone()));
    used.retain(|variable| !definitions.defined.contains(variable));
    used
}

/// Duplicates the defined nodes.
struct Fresh {
    defined: PtrSet,
    /// For each open node, its address if it is duplicated.
    open: Vec<Option<usize>>,
}

impl Mutator for Fresh {
    fn enter(&mut self, node: &Object) -> Descend {
        self.open.push(self.defined.contains(node).then(|| node.address()));
        Descend::Into
    }

    fn leave(&mut self, mut node: Object) -> Object {
        // A node with new children is new already.
        if self.open.pop().flatten() == Some(node.address()) {
            node = node.duplicate();
        }
        node
    }
}
