//! Pairs of nodes that do not fit: a node around the counterpart, or a sequence and a single element.

use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::equal::align::Row;
use tvmscript_ir_core::type_table::Shape;
use tvmscript_ir_core::{FieldRef, Object, PathStep, Value};

use super::{Decision, Loose, Matcher, pair_of, scalars_equal};
use crate::facts::is_entity;

/// Nodes below this size are replaced, not wrapped.
const MIN_WRAPPED: u32 = 5;
/// Similarity, in percent, from which a node counts as the wrapped one.
const WRAPPED: u32 = 60;
/// The same, where the two nodes are of one type and could be changed as well.
const CERTAIN: u32 = 90;
/// Nodes that are looked at for a wrapped one.
const MAX_CANDIDATES: usize = 48;

impl<'a> Matcher<'a> {
    /// Visits two nodes of different types.
    pub(super) fn unlike(&mut self, a: &'a Object, b: &'a Object, def: bool) {
        if !self.wrapper(a, b, def) && !self.sequence(a, b, def) {
            self.matching.decisions.insert(pair_of(a, b), Decision::Replaced);
        }
    }

    /// Looks for the counterpart of one node below the other one, and visits it. Returns `false` if there is none that
    /// is more similar than the nodes themselves.
    pub(super) fn wrapper(&mut self, a: &'a Object, b: &'a Object, def: bool) -> bool {
        if is_entity(a) || is_entity(b) {
            return false;
        }
        let is_one_type = std::ptr::eq(a.info(), b.info());
        if is_one_type && self.different_parts(a, b) <= 1 {
            return false;
        }
        let least = if is_one_type { (self.similarity(a, b) + 25).max(CERTAIN) } else { WRAPPED };
        let (here, there) = (self.left.of_node(a).size, self.right.of_node(b).size);
        // An element next to others is not a wrapped one.
        let is_sequence = |node: &Object| node.info().sequence_field().is_some();
        let may_wrap = |outer, inner| !is_sequence(outer) || is_sequence(inner);
        if there > here && here >= MIN_WRAPPED && may_wrap(b, a) {
            let Some((path, inner)) = self.find_below(b, a, false, least) else { return false };
            self.matching.decisions.insert(pair_of(a, b), Decision::Wrapped(path, inner));
            self.node(a, inner, def);
            return true;
        }
        if here > there && there >= MIN_WRAPPED && may_wrap(a, b) {
            let Some((path, inner)) = self.find_below(a, b, true, least) else { return false };
            self.matching.decisions.insert(pair_of(a, b), Decision::Unwrapped(path, inner));
            self.node(inner, b, def);
            return true;
        }
        false
    }

    /// Returns `true` if one of two nodes of different types could be wrapped by the other one.
    pub(super) fn contains(&mut self, a: &'a Object, b: &'a Object) -> bool {
        let (here, there) = (self.left.of_node(a).size, self.right.of_node(b).size);
        match here < there {
            true => here >= MIN_WRAPPED && self.find_below(b, a, false, WRAPPED).is_some(),
            false => there >= MIN_WRAPPED && self.find_below(a, b, true, WRAPPED).is_some(),
        }
    }

    /// Number of compared fields in which two nodes of one type differ.
    fn different_parts(&mut self, a: &'a Object, b: &'a Object) -> usize {
        let fields = a.info().fields().iter().enumerate().filter(|(_, field)| !field.skip_eq);
        let differ = fields.filter(|(index, _)| match (a.field(*index), b.field(*index)) {
            (FieldRef::Node(a), FieldRef::Node(b)) => {
                self.left.of_node(a).named != self.right.of_node(b).named
            }
            (a, b) => !scalars_equal(a, b),
        });
        differ.count()
    }

    /// The node below `outer` that is most similar to `wanted` and of its type, with the path to it. `outer` is of the
    /// left side if `is_left`. Only nodes of at least half the size are looked at.
    fn find_below(
        &mut self,
        outer: &'a Object,
        wanted: &'a Object,
        is_left: bool,
        least: u32,
    ) -> Option<(Vec<PathStep>, &'a Object)> {
        let fact = if is_left { self.right.of_node(wanted) } else { self.left.of_node(wanted) };
        let mut best: Option<(u32, Vec<PathStep>, &'a Object)> = None;
        let mut open: Vec<(Vec<PathStep>, &'a Object)> = vec![(Vec::new(), outer)];
        let mut at = 0;
        while let Some((path, node)) = open.get(at).cloned() {
            at += 1;
            if at > MAX_CANDIDATES {
                break;
            }
            if at > 1 && std::ptr::eq(node.info(), wanted.info()) {
                let here = if is_left { self.left.of_node(node) } else { self.right.of_node(node) };
                let score = match () {
                    () if here.named == fact.named => 101,
                    () if here.form == fact.form => 100,
                    () if is_left => self.similarity(node, wanted),
                    () => self.similarity(wanted, node),
                };
                if score >= least && best.as_ref().is_none_or(|(known, _, _)| score > *known) {
                    best = Some((score, path.clone(), node));
                }
                if score > 100 {
                    break;
                }
            }
            if is_entity(node) {
                continue;
            }
            let mut child = |step: PathStep, child: &'a Object| {
                let size = if is_left { self.left.of_node(child) } else { self.right.of_node(child) }.size;
                if size >= fact.size / 2 {
                    let mut path = path.clone();
                    path.push(step);
                    open.push((path, child));
                }
            };
            match node.info().shape() {
                Shape::Fields => {
                    for (index, field) in node.info().fields().iter().enumerate() {
                        if let FieldRef::Node(part) = node.field(index)
                            && !field.skip_eq
                        {
                            child(PathStep::Field(field.name), part);
                        }
                    }
                }
                Shape::Array => {
                    for (index, item) in node.array_items().iter().enumerate() {
                        if let Some(item) = item.as_object() {
                            child(PathStep::Index(index as u32), item);
                        }
                    }
                }
                Shape::Map | Shape::Str | Shape::Tensor => {}
            }
        }
        best.map(|(_, path, node)| (path, node))
    }

    /// Pairs a single node with an element of a sequence. Returns `false` if the two are no such pair.
    fn sequence(&mut self, a: &'a Object, b: &'a Object, def: bool) -> bool {
        let (is_left, node, alone) = match (a.info().sequence_field(), b.info().sequence_field()) {
            (Some(_), None) => (true, a, b),
            (None, Some(_)) => (false, b, a),
            _ => return false,
        };
        let Some((_, array)) = elements(node) else { return false };
        if !node.info().parent().is_some_and(|parent| alone.info().is_a(parent)) {
            return false;
        }
        let items = array.array_items();
        let mut best: Option<(u32, usize)> = None;
        for (index, item) in items.iter().enumerate() {
            let Some(item) = item.as_object() else { continue };
            let (x, y) = if is_left { (item, alone) } else { (alone, item) };
            let (here, there) = (self.left.of_node(x), self.right.of_node(y));
            let score = match () {
                () if here.named == there.named => 102,
                () if here.form == there.form => 101,
                () if items.len() > MAX_CANDIDATES => 0,
                () if std::ptr::eq(x.info(), y.info()) => self.similarity(x, y),
                () if self.contains(x, y) => 50,
                () => 0,
            };
            if score >= 50 && best.is_none_or(|(known, _)| score > known) {
                best = Some((score, index));
            }
        }
        let Some((_, index)) = best else { return false };
        for (other, value) in items.iter().enumerate().filter(|(other, _)| *other != index) {
            let loose = Loose { element: (array.address(), other), value };
            if is_left { self.removed.push(loose) } else { self.inserted.push(loose) }
        }
        self.matching.decisions.insert(pair_of(a, b), Decision::Sequence { is_left, index });
        if let Some(item) = items.get(index).and_then(Value::as_object) {
            if is_left { self.node(item, b, def) } else { self.node(a, item, def) }
        }
        true
    }
}

/// The field and the array of the elements of a sequence.
pub(crate) fn elements(node: &Object) -> Option<(&'static str, &Object)> {
    let index = node.info().sequence_field()?;
    match node.field(index) {
        FieldRef::Node(array) if array.as_node::<ArrayNode>().is_some() => {
            Some((node.info().fields().get(index)?.name, array))
        }
        _ => None,
    }
}

/// Rows of a decision on two arrays; by position without one.
pub(crate) fn rows_of(decision: Option<&Decision<'_>>, left: usize, right: usize) -> Vec<Row> {
    match decision {
        Some(Decision::Rows(rows)) => rows.clone(),
        _ => {
            let common = left.min(right);
            let both = (0..common).map(|i| Row::Both(i, i));
            both.chain((common..left).map(Row::Left)).chain((common..right).map(Row::Right)).collect()
        }
    }
}
