//! Structural equality.
//!
//! Two nodes are equal if their types and compared fields are, with variables bound to each other in definition
//! regions. Fields `span`, fields of type [`NameCell`](crate::NameCell) and fields marked `#[node(skip_eq)]` are ignored;
//! a name in a field of type [`Str`] is compared. [`structural_equal`] decides; [`StructuralEqual::mismatches`] lists
//! the differences.
//!
//! Pairs are visited in the order of a recursive walk over the fields in declaration order, so a variable is bound by
//! its first definition. A binding stays visible to later fields and to later siblings of the node that defines it; the
//! fields of a node that must not see the definition precede it. A pair of shared nodes is visited once.
//!
//! Upstream counterpart: `src/ffi/extra/structural_equal.cc` of tvm-ffi.
//!
//! ```
//! use tvmscript_ir_core::{Array, Node, Object, Ref, mismatches, structural_equal, structural_hash};
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
//! let make = |leaf| -> Object { tree(3, vec![tree(1, vec![]), tree(leaf, vec![])]).into() };
//! let (a, b, c) = (make(2), make(2), make(5));
//! assert!(structural_equal(&a, &b) && structural_hash(&a) == structural_hash(&b));
//! assert!(!structural_equal(&a, &c));
//!
//! let found = mismatches(&a, &c);
//! assert_eq!(found[0].to_string(), "different values at `<root>.below[1].number`");
//! ```

pub mod align;
mod classes;
mod finder;
mod mismatch;

pub use mismatch::{Mismatch, MismatchKind};

use hashbrown::hash_map::Entry;

use std::collections::BTreeSet;

use crate::containers::{ArrayNode, ByValue, Key, MapNode, ShapeNode, TensorNode};
use crate::node::PairSink;
use crate::ptr_map::{AddressMap, INITIAL_CAPACITY};
use crate::raw::{Object, ObjectLike, Str};
use crate::stack::with_stack_at;
use crate::type_table::{EqStep, EqSteps, Plan};
use crate::value::{FieldRef, Value};
use classes::Classes;

/// Tests two nodes for structural equality with the default options: a free variable is equal only to itself.
pub fn structural_equal(lhs: &Object, rhs: &Object) -> bool {
    StructuralEqual::default().compare(lhs, rhs)
}

/// Options of structural equality.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StructuralEqual {
    /// Binds free variables to each other, as if both nodes stood in a definition region.
    pub map_free_vars: bool,
    /// Compares tensors by dtype and shape only.
    pub skip_tensor_content: bool,
}

impl StructuralEqual {
    /// Tests two nodes for equality.
    pub fn compare(self, lhs: &Object, rhs: &Object) -> bool {
        // Identical nodes are equal: each variable would be bound to itself.
        lhs.ptr_eq(rhs) || EqWork::new(self).nodes(false, lhs, rhs)
    }

    /// Tests two values for equality.
    pub fn compare_values(self, lhs: &Value, rhs: &Value) -> bool {
        match (lhs, rhs) {
            (Value::Node(lhs), Value::Node(rhs)) => self.compare(lhs, rhs),
            _ => scalars_equal(lhs.as_field(), rhs.as_field()),
        }
    }

    /// Returns up to `limit` differences, those in names last; none if the nodes are equal. Fewer, but at least one, if
    /// their paths are very long ([`Mismatch::MAX_STEPS`]).
    ///
    /// Arrays are aligned, so an inserted element does not shift those after it. A difference in a shared node is
    /// reported at the first path to it, with the other paths as [`Mismatch::repeats`].
    pub fn mismatches(self, lhs: &Object, rhs: &Object, limit: usize) -> Vec<Mismatch> {
        finder::find(self, lhs, rhs, limit)
    }
}

/// Returns up to 100 differences, with the default options. See [`StructuralEqual::mismatches`].
pub fn mismatches(lhs: &Object, rhs: &Object) -> Vec<Mismatch> {
    StructuralEqual::default().mismatches(lhs, rhs, 100)
}

/// Compares scalar fields; `false` if one of them is a node.
#[inline(always)]
fn scalars_equal(lhs: FieldRef<'_>, rhs: FieldRef<'_>) -> bool {
    match (lhs, rhs) {
        (FieldRef::None, FieldRef::None) | (FieldRef::Span(_), FieldRef::Span(_)) => true,
        (FieldRef::Bool(a), FieldRef::Bool(b)) => a == b,
        (FieldRef::Int(a), FieldRef::Int(b)) => a == b,
        (FieldRef::Float(a), FieldRef::Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        (FieldRef::DType(a), FieldRef::DType(b)) => a == b,
        (FieldRef::Name(a), FieldRef::Name(b)) => a.text() == b.text(),
        _ => false,
    }
}

fn str_text(object: &Object) -> &str {
    Str::try_ref(object).map_or("", Str::as_str)
}

/// Tests whether texts may take long to compare.
fn is_long(lhs: &Object, rhs: &Object) -> bool {
    let length = str_text(lhs).len();
    length >= Str::LONG && length == str_text(rhs).len()
}

fn tensors_equal(lhs: &Object, rhs: &Object, skip_content: bool) -> bool {
    match (lhs.as_node::<TensorNode>(), rhs.as_node::<TensorNode>()) {
        (Some(a), Some(b)) => {
            a.dtype == b.dtype && a.shape == b.shape && (skip_content || a.has_content_of(b))
        }
        _ => false,
    }
}

fn shapes_equal(lhs: &Object, rhs: &Object) -> bool {
    match (lhs.as_node::<ShapeNode>(), rhs.as_node::<ShapeNode>()) {
        (Some(a), Some(b)) => a.values == b.values,
        _ => false,
    }
}

/// Nodes bound to each other: variables, and nodes whose sharing must match.
#[derive(Default)]
struct Bindings<'a> {
    to_rhs: AddressMap<&'a Object>,
    to_lhs: AddressMap<&'a Object>,
}

/// State of a pair in [`Bindings`].
enum Bound {
    /// Bound to each other.
    Matching,
    /// At least one is bound to another node.
    Elsewhere,
    /// Neither is bound.
    Free,
}

impl<'a> Bindings<'a> {
    fn look_up(&self, lhs: &Object, rhs: &Object) -> Bound {
        match self.to_rhs.get(&lhs.address()) {
            Some(bound) if bound.ptr_eq(rhs) => Bound::Matching,
            Some(_) => Bound::Elsewhere,
            None if self.to_lhs.contains_key(&rhs.address()) => Bound::Elsewhere,
            None => Bound::Free,
        }
    }

    /// Binds a pair if it is free, and returns its former state.
    fn bind(&mut self, lhs: &'a Object, rhs: &'a Object) -> Bound {
        if self.to_rhs.is_empty() {
            self.to_rhs.reserve(INITIAL_CAPACITY);
            self.to_lhs.reserve(INITIAL_CAPACITY);
        }
        let to_rhs = match self.to_rhs.entry(lhs.address()) {
            Entry::Occupied(bound) if bound.get().ptr_eq(rhs) => return Bound::Matching,
            Entry::Occupied(_) => return Bound::Elsewhere,
            Entry::Vacant(to_rhs) => to_rhs,
        };
        match self.to_lhs.entry(rhs.address()) {
            Entry::Occupied(_) => Bound::Elsewhere,
            Entry::Vacant(to_lhs) => {
                to_rhs.insert(rhs);
                to_lhs.insert(lhs);
                Bound::Free
            }
        }
    }

    /// Returns the right key that corresponds to a left one: the bound one, or the key itself unless that is bound to
    /// another left key.
    fn translate(&self, key: &'a Object) -> Option<&'a Object> {
        counterpart(key, &self.to_rhs, &self.to_lhs)
    }

    /// Like `translate`, from right to left.
    fn translate_back(&self, key: &'a Object) -> Option<&'a Object> {
        counterpart(key, &self.to_lhs, &self.to_rhs)
    }
}

fn counterpart<'a>(
    key: &'a Object,
    to: &AddressMap<&'a Object>,
    from: &AddressMap<&'a Object>,
) -> Option<&'a Object> {
    let address = key.address();
    to.get(&address).copied().or_else(|| (!from.contains_key(&address)).then_some(key))
}

/// The state of a comparison. The first difference ends it, so bindings and classes are never undone.
pub(crate) struct EqWork<'a> {
    options: StructuralEqual,
    /// `true` in a definition region.
    def: bool,
    level: u32,
    bindings: Bindings<'a>,
    classes: Classes,
    /// Free variables that a map lookup used as their own counterpart. If one is bound to another variable later, the
    /// memoized pairs are no longer valid.
    own_keys: AddressMap<()>,
    /// Pairs of long texts that are equal, by address. Not in `classes`: a second caller would move their look-up out of the
    /// walk.
    long_texts: BTreeSet<(usize, usize)>,
}

impl<'a> PairSink<'a> for EqWork<'a> {
    #[inline(always)]
    fn pair(&mut self, def: bool, lhs: FieldRef<'a>, rhs: FieldRef<'a>) -> bool {
        match (lhs, rhs) {
            (FieldRef::Node(lhs), FieldRef::Node(rhs)) => self.nodes(def, lhs, rhs),
            _ => scalars_equal(lhs, rhs),
        }
    }
}

impl<'a> EqWork<'a> {
    fn new(options: StructuralEqual) -> EqWork<'a> {
        EqWork {
            options,
            def: options.map_free_vars,
            level: 0,
            bindings: Bindings::default(),
            classes: Classes::default(),
            own_keys: AddressMap::default(),
            long_texts: BTreeSet::new(),
        }
    }

    fn nodes(&mut self, def: bool, lhs: &'a Object, rhs: &'a Object) -> bool {
        let info = lhs.info();
        if !std::ptr::eq(info, rhs.info()) {
            return false;
        }
        let plan = info.plan();
        match plan {
            Plan::Leaf => return lhs.compare_fields(rhs, self),
            Plan::Str => {
                let (a, b) = (str_text(lhs), str_text(rhs));
                return match a.len() == b.len() && a.len() >= Str::LONG {
                    true => self.long_texts(lhs, rhs),
                    false => a == b,
                };
            }
            Plan::Shape => return shapes_equal(lhs, rhs),
            Plan::Unique => return lhs.ptr_eq(rhs),
            Plan::Tensor => {
                return lhs.ptr_eq(rhs) || tensors_equal(lhs, rhs, self.options.skip_tensor_content);
            }
            Plan::FreeVar | Plan::Dag => {
                let is_bound = plan == Plan::Dag || def || self.def || lhs.ptr_eq(rhs);
                match if is_bound { self.bind(lhs, rhs) } else { self.bindings.look_up(lhs, rhs) } {
                    Bound::Matching => return true,
                    Bound::Free if is_bound => {}
                    Bound::Free | Bound::Elsewhere => return false,
                }
            }
            Plan::ConstTree if lhs.ptr_eq(rhs) => return true,
            _ if self.is_visited(lhs, rhs) => return true,
            _ => {}
        }
        let outer_def = self.def;
        self.def |= def;
        self.level += 1;
        let equal = with_stack_at(self.level, || match plan {
            Plan::Array => self.arrays(lhs, rhs),
            Plan::Map => self.maps(lhs, rhs),
            _ => self.fields(lhs, rhs),
        });
        self.level -= 1;
        self.def = outer_def;
        equal
    }

    /// Compares long texts of one length; a pair that is shared once.
    #[cold]
    fn long_texts(&mut self, lhs: &Object, rhs: &Object) -> bool {
        let pair = (lhs.address(), rhs.address());
        if pair.0 == pair.1 || self.long_texts.contains(&pair) {
            return true;
        }
        let equal = str_text(lhs) == str_text(rhs);
        if equal {
            self.long_texts.insert(pair);
        }
        equal
    }

    /// Records a pair of shared nodes. Returns `true` if its equality follows from the pairs visited before.
    #[inline]
    fn is_visited(&mut self, lhs: &Object, rhs: &Object) -> bool {
        (!lhs.is_unique() || !rhs.is_unique()) && !lhs.is_cheap_array() && self.classes.join(lhs, rhs)
    }

    /// Binds a pair if it is free, and returns its former state.
    fn bind(&mut self, lhs: &'a Object, rhs: &'a Object) -> Bound {
        let bound = self.bindings.bind(lhs, rhs);
        if !self.own_keys.is_empty() && matches!(bound, Bound::Free) && !lhs.ptr_eq(rhs) {
            let used = |o: &Object| self.own_keys.contains_key(&o.address());
            if used(lhs) || used(rhs) {
                self.classes = Classes::default();
            }
        }
        bound
    }

    #[inline]
    fn fields(&mut self, lhs: &'a Object, rhs: &'a Object) -> bool {
        match lhs.info().custom_eq() {
            None => lhs.compare_fields(rhs, self),
            Some(custom) => {
                let mut steps = EqSteps::default();
                custom(lhs, rhs, &mut steps);
                steps.steps.iter().all(|step| match *step {
                    EqStep::Field { index, def } => self.pair(def, lhs.field(index), rhs.field(index)),
                    EqStep::Bind { lhs, rhs, .. } => self.nodes(true, lhs, rhs),
                })
            }
        }
    }

    fn arrays(&mut self, lhs: &'a Object, rhs: &'a Object) -> bool {
        let (Some(a), Some(b)) = (lhs.as_node::<ArrayNode>(), rhs.as_node::<ArrayNode>()) else {
            return false;
        };
        a.items().len() == b.items().len()
            && a.items().iter().zip(b.items()).all(|(a, b)| self.pair(false, a.as_field(), b.as_field()))
    }

    /// Compares an entry whose key is an unbound variable or refers to one with the entry at the same position, if free variables are
    /// mapped.
    fn free_entry(&mut self, key: &'a Object, value: &'a Value, other: Option<(&'a Key, &'a Value)>) -> bool {
        let Some((other_key, other)) = other else { return false };
        self.pair(false, FieldRef::Node(key), other_key.value().as_field())
            && self.pair(false, value.as_field(), other.as_field())
    }

    /// Compares maps in the order of their entries: a value can bind variables that are keys of later entries.
    fn maps(&mut self, lhs: &'a Object, rhs: &'a Object) -> bool {
        let (Some(a), Some(b)) = (lhs.as_node::<MapNode>(), rhs.as_node::<MapNode>()) else { return false };
        a.entries().len() == b.entries().len()
            && a.entries().iter().enumerate().all(|(position, (key, value))| {
                let found = match key.value() {
                    Value::Node(key) if matches!(key.info().plan(), Plan::FreeVar | Plan::Dag) => {
                        let Some(there) = self.bindings.translate(key) else { return false };
                        let is_free = self.options.map_free_vars && there.ptr_eq(key);
                        if is_free && !b.entries().contains_key(&ByValue(&Value::Node(there.clone()))) {
                            return self.free_entry(key, value, b.entries().get_index(position));
                        }
                        if there.ptr_eq(key) {
                            self.own_keys.insert(key.address(), ());
                        }
                        b.entries().get(&ByValue(&Value::Node(there.clone())))
                    }
                    // A node that refers to free variables, such as a buffer.
                    Value::Node(node)
                        if self.options.map_free_vars && !b.entries().contains_key(&ByValue(key.value())) =>
                    {
                        return self.free_entry(node, value, b.entries().get_index(position));
                    }
                    key => b.entries().get(&ByValue(key)),
                };
                found.is_some_and(|other| self.pair(false, value.as_field(), other.as_field()))
            })
    }
}
