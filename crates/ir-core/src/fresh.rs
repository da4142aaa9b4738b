//! Copies whose definitions are new.
//!
//! A variable is its node: a statement that stands twice in a program defines its variables twice. Whoever repeats a
//! statement (unrolling a loop, inlining a function) repeats [`copy_fresh`] of it: everything that the statement defines is
//! a new node in the copy, with all its uses; what the statement only uses stays the same node.
//!
//! A node defines the variables in its `#[node(def)]` fields, unless it says otherwise with `#[node(defines = path)]`.
//!
//! ```
//! use tvmscript_ir_core::{Node, Ref, copy_fresh, structural_equal};
//!
//! /// A name.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Name", eq = free_var)]
//! struct Name {}
//!
//! /// A name that is defined, and one that is used.
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

/// The nodes that one node defines, for [`copy_fresh`].
#[derive(Debug, Default)]
pub struct Definitions {
    defined: PtrSet,
    /// Variables that were used before the node in hand.
    seen: PtrSet,
}

impl Definitions {
    /// The node defines this one: it gets a new identity in a copy.
    pub fn define(&mut self, node: &Object) {
        self.defined.insert(node.clone());
        if node.info().eq_kind() == EqKind::Dag {
            // A variable with its identity apart, as Relax has them.
            for_each_child(node, |child| {
                if child.info().eq_kind() == EqKind::FreeVar {
                    self.defined.insert(child.clone());
                }
            });
        }
    }

    /// The node defines this variable, unless the variable was used or defined before it: symbolic dimensions, which are
    /// defined where they first stand.
    pub fn define_unless_used(&mut self, variable: &Object) {
        if !self.seen.contains(variable) {
            self.define(variable);
        }
    }

    /// As [`Definitions::define_unless_used`], for each variable at `root` or below.
    pub fn define_unused_below(&mut self, root: &Object) {
        let _ = Visitor::new().pre_order(root, |node| {
            if node.info().eq_kind() == EqKind::FreeVar {
                self.define_unless_used(node);
            }
            Walk::Advance
        });
    }

    /// What the fields declared as definitions hold.
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

/// A copy of `root` in which every variable, buffer or other node that `root` defines is new. Nodes without a new one below
/// them are shared with the original.
///
/// # Errors
/// As [`mutate`]; a copy of a node that holds its invariants holds them too.
pub fn copy_fresh<T: ObjectLike>(root: &T) -> Result<T, RewriteError> {
    let root = root.as_object();
    let mut definitions = Definitions::default();
    let _ = Visitor::new().pre_order(root, |node| {
        match node.info().defines() {
            Some(defines) => defines(node, &mut definitions),
            None => definitions.of_fields(node),
        }
        if node.info().eq_kind() == EqKind::FreeVar {
            definitions.seen.insert(node.clone());
        }
        Walk::Advance
    });
    // The original stays alive, so that no node is changed in place.
    let root = root.clone();
    let copy = mutate(root.clone(), &mut Fresh { defined: definitions.defined, open: Vec::new() });
    copy.and_then(|copy| T::try_from_object(copy).map_err(RewriteError::of_root::<T>))
}

/// The variables that are used below `root` and that nothing below it defines, in the order of their first use.
pub fn free_variables(root: &Object) -> Vec<Object> {
    let mut definitions = Definitions::default();
    let mut used = Vec::new();
    let _ = Visitor::new().pre_order(root, |node| {
        match node.info().defines() {
            Some(defines) => defines(node, &mut definitions),
            None => definitions.of_fields(node),
        }
        if node.info().eq_kind() == EqKind::FreeVar && definitions.seen.insert(node.clone()) {
            used.push(node.clone());
        }
        Walk::Advance
    });
    used.retain(|variable| !definitions.defined.contains(variable));
    used
}

struct Fresh {
    defined: PtrSet,
    /// For each open node, its address if it gets a new identity.
    open: Vec<Option<usize>>,
}

impl Mutator for Fresh {
    fn enter(&mut self, node: &Object) -> Descend {
        self.open.push(self.defined.contains(node).then(|| node.address()));
        Descend::Into
    }

    fn leave(&mut self, mut node: Object) -> Object {
        // A node whose children are new is new already.
        if self.open.pop().flatten() == Some(node.address()) {
            node = node.duplicate();
        }
        node
    }
}
