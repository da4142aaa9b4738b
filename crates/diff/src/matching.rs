//! Matching: which nodes of both sides correspond.
//!
//! The two graphs are walked from the roots in the order of equality. Arrays are aligned by the hashes of their elements,
//! where two nodes do not fit each other a node of one side is looked for below the other one (a wrapper), and elements
//! that are only on one side are matched with equal ones elsewhere (moves). Entities are matched by name first; while
//! walks find more matched entities whose names differ, another walk matches with those known.
//!
//! The result is a guess that makes an edit script short. The script is correct with any matching.

mod arrays;
pub(crate) mod wrappers;

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::equal::align::Row;
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::type_table::{EqStep, EqSteps, Shape};
use tvmscript_ir_core::{EqKind, FieldRef, Object, PathStep, StructuralEqual, Value, with_stack};

use crate::entities::Entities;
use crate::facts::{Bag, Facts, is_entity, name_of};

/// A pair of nodes, by address.
pub(crate) type Pair = (usize, usize);

pub(crate) fn pair_of(a: &Object, b: &Object) -> Pair {
    (a.address(), b.address())
}

/// Returns `true` if the walk can come to the pair again.
pub(crate) fn is_shared(a: &Object, b: &Object) -> bool {
    !a.is_unique() || !b.is_unique()
}

/// An element of an array, by the address of the array.
pub(crate) type Element = (usize, usize);

/// A pair of nodes that do not correspond field by field or element by element.
#[derive(Debug)]
pub(crate) enum Decision<'a> {
    /// Two arrays with these rows.
    Rows(Vec<Row>),
    /// A sequence on the left and an element on the right (`is_left`), or the other way round, and the index of the
    /// element that corresponds.
    Sequence { is_left: bool, index: usize },
    /// The left node corresponds to this one below the right node.
    Wrapped(Vec<PathStep>, &'a Object),
    /// The right node corresponds to this one below the left node.
    Unwrapped(Vec<PathStep>, &'a Object),
    /// One node takes the place of the other.
    Replaced,
}

/// The result.
#[derive(Debug, Default)]
pub(crate) struct Matching<'a> {
    pub(crate) entities: Entities<'a>,
    pub(crate) decisions: HashMap<Pair, Decision<'a>>,
    /// Moved elements, from left to right.
    pub(crate) moves: HashMap<Element, Element>,
    /// Moved elements, from right to left, with both elements.
    pub(crate) moves_back: HashMap<Element, (Element, &'a Value, &'a Value)>,
}

/// An element without a counterpart in the other array.
struct Loose<'a> {
    element: Element,
    value: &'a Value,
}

/// Maximum number of walks with known entities: each may find pairs whose statements were too unlike before.
const MAX_WALKS: usize = 4;

/// Maximum number of pairs that trial comparisons visit.
const TRIAL_PAIRS: usize = 1 << 23;

pub(crate) struct Matcher<'a> {
    pub(crate) left: Facts,
    pub(crate) right: Facts,
    matching: Matching<'a>,
    visited: HashSet<Pair>,
    removed: Vec<Loose<'a>>,
    inserted: Vec<Loose<'a>>,
    bags: AddressMap<Bag>,
    /// `true` if the graphs are equal.
    are_equal: bool,
    /// `true` while both sides are known to be equal, up to the entities in them: all parts are paired by position.
    is_lockstep: bool,
    trial_pairs: usize,
}

/// Matches two graphs. Returns the facts of both sides as well, for later questions.
pub(crate) fn match_graphs<'a>(
    a: &'a Object,
    b: &'a Object,
    options: StructuralEqual,
    is_equal: bool,
) -> (Matching<'a>, Facts, Facts) {
    let mut matcher = Matcher {
        left: Facts::default(),
        right: Facts::default(),
        matching: Matching::default(),
        visited: HashSet::new(),
        removed: Vec::new(),
        inserted: Vec::new(),
        bags: AddressMap::default(),
        are_equal: is_equal,
        is_lockstep: is_equal,
        trial_pairs: 0,
    };
    matcher.run(a, b, options);
    let mut renamed = 0;
    for _ in 0..MAX_WALKS {
        let now = matcher.matching.entities.pairs().filter(|(a, b)| name_of(a) != name_of(b)).count();
        if is_equal || now <= renamed {
            break;
        }
        renamed = now;
        let (mut left, mut right) = (AddressMap::default(), AddressMap::default());
        for (number, (a, b)) in matcher.matching.entities.pairs().enumerate() {
            left.insert(a.address(), number as u64);
            right.insert(b.address(), number as u64);
        }
        matcher.left.set_identities(left);
        matcher.right.set_identities(right);
        matcher.matching = Matching::default();
        matcher.visited.clear();
        matcher.bags.clear();
        matcher.run(a, b, options);
    }
    (matcher.matching, matcher.left, matcher.right)
}

impl<'a> Matcher<'a> {
    fn run(&mut self, a: &'a Object, b: &'a Object, options: StructuralEqual) {
        self.node(a, b, options.map_free_vars);
        // Pairs of moved elements can have arrays with further loose elements.
        for _ in 0..4 {
            if !self.match_moves() {
                break;
            }
        }
        self.removed.clear();
        self.inserted.clear();
    }

    fn value(&mut self, a: FieldRef<'a>, b: FieldRef<'a>, def: bool) {
        if let (FieldRef::Node(a), FieldRef::Node(b)) = (a, b) {
            self.node(a, b, def);
        }
    }

    fn node(&mut self, a: &'a Object, b: &'a Object, def: bool) {
        if !std::ptr::eq(a.info(), b.info()) {
            return self.unlike(a, b, def);
        }
        if is_entity(a) {
            // Equality binds a node that is not a variable itself by its content, wherever it is.
            let is_defined = def || a.info().eq_kind() == EqKind::Tree;
            if self.matching.entities.meet(a, b, is_defined) {
                // Uses of one name are alike even if what the name stands for differs.
                self.at_pace(self.are_equal, |this| this.parts(a, b, def));
            }
            return;
        }
        if matches!(a.info().shape(), Shape::Str | Shape::Tensor) || a.info().eq_kind() == EqKind::Unique {
            return;
        }
        if is_shared(a, b) && !self.visited.insert(pair_of(a, b)) {
            return;
        }
        let is_lockstep = self.is_lockstep || {
            let (here, there) = (self.left.of_node(a), self.right.of_node(b));
            here.named == there.named || (here.form == there.form && self.are_equal_now(a, b, def))
        };
        self.at_pace(is_lockstep, |this| {
            with_stack(|| match a.info().shape() {
                Shape::Array => this.arrays(a, b, def),
                Shape::Map => this.maps(a, b, def),
                _ if !is_lockstep && this.wrapper(a, b, def) => {}
                _ => this.parts(a, b, def),
            });
        });
    }

    /// Runs `f` with another value of `is_lockstep`.
    fn at_pace(&mut self, is_lockstep: bool, f: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.is_lockstep, is_lockstep);
        f(self);
        self.is_lockstep = outer;
    }

    /// Visits the parts of two nodes of one type in the order of equality.
    fn parts(&mut self, a: &'a Object, b: &'a Object, def: bool) {
        let info = a.info();
        let Some(custom) = info.custom_eq() else {
            for (index, field) in info.fields().iter().enumerate().filter(|(_, field)| !field.skip_eq) {
                self.value(a.field(index), b.field(index), def | field.def);
            }
            return;
        };
        let mut steps = EqSteps::default();
        custom(a, b, &mut steps);
        for step in steps.steps() {
            match *step {
                EqStep::Field { index, def: region } => {
                    self.value(a.field(index), b.field(index), def | region);
                }
                EqStep::Bind { lhs, rhs, .. } => self.node(lhs, rhs, true),
            }
        }
    }

    fn maps(&mut self, a: &'a Object, b: &'a Object, def: bool) {
        self.match_keys(a, b);
        for (key, value) in a.map_entries() {
            if let Some((_, other)) = counterpart(&self.matching.entities, key, b) {
                self.value(value.as_field(), other.as_field(), def);
            }
        }
    }

    /// Pairs entities that are keys on one side only: by their values, and the last one left on each side.
    fn match_keys(&mut self, a: &'a Object, b: &'a Object) {
        let is_loose = |key: &Value| key.as_object().is_some_and(is_entity);
        let entities = &self.matching.entities;
        let left =
            a.map_entries().filter(|(key, _)| is_loose(key) && counterpart(entities, key, b).is_none());
        let mut left: Vec<_> = left.collect();
        let right = b.map_entries().filter(|(key, _)| {
            is_loose(key) && key.as_object().is_some_and(|key| entities.left_of(key).is_none())
        });
        let mut right: Vec<_> = right.collect();
        if left.is_empty() || right.is_empty() {
            return;
        }
        let mut pairs = Vec::new();
        for is_exact in [true, false] {
            left.retain(|(key, value)| {
                let here = self.left.of(value.as_field());
                let found = right.iter().position(|(_, other)| {
                    let there = self.right.of(other.as_field());
                    if is_exact { here.named == there.named } else { here.form == there.form }
                });
                let Some(at) = found else { return true };
                pairs.push((*key, right.remove(at).0));
                false
            });
        }
        if let ([(key, _)], [(other, _)]) = (&*left, &*right) {
            pairs.push((*key, *other));
        }
        for (key, other) in pairs {
            self.value(key.as_field(), other.as_field(), true);
        }
    }

    /// Returns `true` if two nodes are equal with the entities paired so far. Pairs found on the way are forgotten.
    fn are_equal_now(&mut self, a: &'a Object, b: &'a Object, def: bool) -> bool {
        let mark = self.matching.entities.mark();
        let mut trial = Trial {
            entities: &mut self.matching.entities,
            visited: HashSet::new(),
            left_pairs: TRIAL_PAIRS.saturating_sub(self.trial_pairs),
        };
        let left_before = trial.left_pairs;
        let is_equal = trial.node(a, b, def);
        self.trial_pairs += left_before - trial.left_pairs;
        self.matching.entities.forget_since(mark);
        is_equal
    }
}

/// The entry of `map` with the key that corresponds to `key`.
pub(crate) fn counterpart<'a>(
    entities: &Entities<'a>,
    key: &Value,
    map: &'a Object,
) -> Option<(Value, &'a Value)> {
    let wanted = match key {
        Value::Node(node) if is_entity(node) => match entities.right_of(node) {
            Some(other) => Value::Node(other.clone()),
            None if entities.left_of(node).is_some() => return None,
            None => key.clone(),
        },
        _ => key.clone(),
    };
    let map = map.as_node::<tvmscript_ir_core::containers::MapNode>()?;
    let value = map.entries().get(&tvmscript_ir_core::containers::Key::new(wanted.clone()))?;
    Some((wanted, value))
}

/// A comparison by position that adds pairs of entities.
struct Trial<'t, 'a> {
    entities: &'t mut Entities<'a>,
    visited: HashSet<Pair>,
    left_pairs: usize,
}

impl<'a> Trial<'_, 'a> {
    fn value(&mut self, a: FieldRef<'a>, b: FieldRef<'a>, def: bool) -> bool {
        match (a, b) {
            (FieldRef::Node(a), FieldRef::Node(b)) => self.node(a, b, def),
            _ => scalars_equal(a, b),
        }
    }

    fn node(&mut self, a: &'a Object, b: &'a Object, def: bool) -> bool {
        if self.left_pairs == 0 || !std::ptr::eq(a.info(), b.info()) {
            return false;
        }
        self.left_pairs -= 1;
        if is_entity(a) {
            let is_defined = def || a.info().eq_kind() == EqKind::Tree;
            return match self.entities.meet(a, b, is_defined) {
                true => self.entities.are_paired(a, b) && self.parts(a, b, def),
                false => self.entities.are_paired(a, b),
            };
        }
        if is_leaf(a) {
            return StructuralEqual::default().compare(a, b);
        }
        if is_shared(a, b) && !self.visited.insert(pair_of(a, b)) {
            return true;
        }
        with_stack(|| match a.info().shape() {
            Shape::Array => {
                let (a, b) = (a.array_items(), b.array_items());
                a.len() == b.len()
                    && a.iter().zip(b).all(|(a, b)| self.value(a.as_field(), b.as_field(), def))
            }
            Shape::Map => {
                a.map_entries().count() == b.map_entries().count()
                    && a.map_entries().all(|(key, value)| match counterpart(self.entities, key, b) {
                        Some((_, other)) => self.value(value.as_field(), other.as_field(), def),
                        None => false,
                    })
            }
            _ => self.parts(a, b, def),
        })
    }

    fn parts(&mut self, a: &'a Object, b: &'a Object, def: bool) -> bool {
        let info = a.info();
        let Some(custom) = info.custom_eq() else {
            let mut fields = info.fields().iter().enumerate().filter(|(_, field)| !field.skip_eq);
            return fields.all(|(index, field)| self.value(a.field(index), b.field(index), def | field.def));
        };
        let mut steps = EqSteps::default();
        custom(a, b, &mut steps);
        steps.steps().iter().all(|step| match *step {
            EqStep::Field { index, def: region } => self.value(a.field(index), b.field(index), def | region),
            EqStep::Bind { lhs, rhs, .. } => self.node(lhs, rhs, true),
        })
    }
}

/// A node that is compared as a whole: text, a tensor, a tuple of integers, or a node equal only to itself.
pub(crate) fn is_leaf(node: &Object) -> bool {
    matches!(node.info().shape(), Shape::Str | Shape::Tensor) || node.info().eq_kind() == EqKind::Unique
}

/// Compares fields that are not nodes.
pub(crate) fn scalars_equal(a: FieldRef<'_>, b: FieldRef<'_>) -> bool {
    match (a, b) {
        (FieldRef::Node(_), _) | (_, FieldRef::Node(_)) => false,
        (FieldRef::Span(_), FieldRef::Span(_)) => true,
        (FieldRef::Name(a), FieldRef::Name(b)) => a.written() == b.written(),
        (FieldRef::Int(a), FieldRef::Int(b)) => a == b,
        (FieldRef::DType(a), FieldRef::DType(b)) => a == b,
        _ => StructuralEqual::default().compare_values(&a.to_value(), &b.to_value()),
    }
}
